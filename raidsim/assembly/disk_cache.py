"""Cached writes of a hard disk: how many, when they go to the medium, what a power cut costs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from raidsim.cards import Card


def cache_size(card: Card) -> int:
    """Bytes of writes that a disk answers before they are on the medium.

    With the disk cache off that is what a power cut does not cost. With it on, all of the cache is
    volatile: a drive has one of two modes, not both.
    """
    on = card.flag("write_cache.enabled")
    return card.integer("write_cache.size" if on else "write_cache.protected_size")


def is_protected(card: Card) -> bool:
    """Return whether the writes that it has answered survive a power cut."""
    return not card.flag("write_cache.enabled") and cache_size(card) > 0


@dataclass(frozen=True)
class Deferral:
    """The time that cached writes wait for commands, and the number that the arm chooses among.

    Attributes
    ----------
    entries, size
        Number of cached writes, and bytes, from which on commands go first no more.
    aims
        Cached writes, the nearest ones, among which rotation decides.
    turns
        The most cached writes, one after the other, before a command that waits.
    """

    entries: int
    size: int
    aims: int
    turns: int


def deferral(card: Card, entries: int) -> Deferral | None:
    """Return the deferral of a disk that caches ``entries`` writes; None if it has one queue."""
    if entries == 0 or not card.has("write_cache.reads_first"):
        return None
    share = card.number("write_cache.reads_first")
    aims = turns = None
    if card.has("write_cache.aims"):
        aims = turns = min(card.integer("write_cache.aims"), entries)
    return Deferral(
        math.ceil(share * entries), math.ceil(share * cache_size(card)), aims or entries, turns or 1
    )
