"""Figures of a card that cannot all be true: what arithmetic says, without a run."""

from __future__ import annotations

from raidsim.cards.card import Card


def flash_capacity(card: Card) -> float:
    """Return what all dies of a drive hold, in bytes; the card says the capacity of a die."""
    dies = card.number("flash.channels") * card.number("flash.dies_per_channel")
    return dies * card.number("flash.die_capacity")
