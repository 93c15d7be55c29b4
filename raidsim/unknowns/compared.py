"""Which parts of a system were compared with measurements, and which rest on a data sheet alone.

A card was compared if a published claim (`validation/`) is about its part, or if it was fitted to
measurements: the list of the first is kept in a file, since to read all claims takes seconds. Of
parts that nothing was compared with, models leave out more: nobody saw what their drive does
beside its data sheet.
"""

from __future__ import annotations

from functools import cache

from raidsim.cards import Card
from raidsim.resources import data_folder
from raidsim.scenario import Scenario
from raidsim.unknowns import spread

LIST = "compared.txt"
"""The names of the cards that claims are about, one a line, beside the claims."""

SHEET = "rated."
"""What names of residuals begin with that are of figures which a data sheet prints."""


def parts(scenario: Scenario) -> list[Card]:
    """Cards of its drives and controllers, and of a host that does RAID itself, each once."""
    cards: list[Card] = [volume.card for volume in scenario.volumes]
    cards += [controller.card for controller in scenario.controllers]
    if any(volume.controller == "host" and volume.drives > 1 for volume in scenario.volumes):
        cards.append(scenario.host.card)
    return list({card.name: card for card in cards}.values())


def uncompared(scenario: Scenario) -> list[str]:
    """Names of the cards of a scenario whose figures were compared with no measurement."""
    return [card.name for card in parts(scenario) if not was_compared(card)]


def left_out(scenario: Scenario) -> float:
    """Relative standard deviation of what models leave out of a scenario's figures."""
    return spread.UNCOMPARED if uncompared(scenario) else spread.MODEL


def was_compared(card: Card) -> bool:
    """Whether a claim is about this card, or it was fitted to measurements of a user's own."""
    if any(not name.startswith(SHEET) for name in card.residuals):
        return True
    return card.name in _named() and _is_ours(card)


def _is_ours(card: Card) -> bool:
    """Whether a card is one of raidsim's own, and no other one with the same name."""
    path = card.path.resolve()
    return any(path.is_relative_to(data_folder(kind)) for kind in ("models", "validation"))


@cache
def _named() -> frozenset[str]:
    text = (data_folder("validation") / LIST).read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))
