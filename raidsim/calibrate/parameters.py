"""The values of a card that a fit may move: its own whose source says "calibrated".

All of them are times, rates and the like: above zero and continuous. They are fitted as
logarithms, so that a step is a relative change and no value can become negative. Whole numbers
(channels, dies, sizes) are choices of structure, and no fit moves them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from raidsim import units
from raidsim.cards import Card
from raidsim.errors import InputError, Problem

DIGITS = 4
"""Significant digits that a fitted value keeps on its card."""

SMALLEST = 1e-3
"""Share of its present value below which no value is tried where its bound is zero."""


@dataclass(frozen=True)
class Parameter:
    """One value that may move. ``value`` and the bounds are in base units."""

    card: Card
    name: str
    dimension: str
    value: float
    low: float
    high: float

    @property
    def unit(self) -> str:
        """The unit in which the card states it."""
        return self.card.sources[self.name].unit

    @property
    def written(self) -> float:
        """The number that stands on the card, in that unit."""
        return float(self.card.sources[self.name].value)

    def shown(self, value: float) -> float:
        """Return a value in the unit of the card, rounded as the card will hold it."""
        number = units.in_unit(float(value), self.unit, self.dimension)
        return float(f"{number:.{DIGITS}g}")

    def rounded(self, value: float) -> float:
        """Return the value that the card will hold, in base units."""
        return float(units.convert(self.shown(value), self.unit, self.dimension))

    def is_on(self, card: Card) -> bool:
        """Return whether a card has this value: as its own, or from its base."""
        own = card.name == self.card.name
        return own or (card.base == self.card.name and self.name in card.inherited)

    def override(self, place: str, value: float) -> str:
        """Return the override that sets it, `place` being the host or a volume."""
        number = units.in_unit(float(value), self.unit, self.dimension)
        text = f"{number!r} {self.unit}" if self.unit != "1" else repr(number)
        return f"{place}.set.{self.name}={text}"


def free_parameters(cards: Iterable[Card]) -> list[Parameter]:
    """Return the values of the cards that may move, in the order of the attributes.

    Raises
    ------
    InputError
        Nothing may move, or a value is zero and so has no logarithm.
    """
    cards = list(cards)
    found: list[Parameter] = []
    problems: list[Problem] = []
    for card in cards:
        for attribute in card.about.attributes:
            name, dimension = attribute.name, attribute.dimension
            if (
                not card.has(name)
                or card.sources[name].source != "calibrated"
                or name in card.inherited
            ):
                continue
            if not attribute.is_number or units.DIMENSIONS[dimension].integer:
                continue
            value = card.number(name)
            if value <= 0:
                problems.append(
                    Problem(
                        str(card.path),
                        None,
                        name,
                        "is 0, from where a fit cannot start",
                        'write a small value, or source = "assumed"',
                    )
                )
                continue
            low, high = attribute.bounds
            found.append(Parameter(card, name, dimension, value, max(low, value * SMALLEST), high))
    if not found and not problems:
        names = ", ".join(card.name for card in cards)
        cause = f"nothing to fit on {names}: no value of its own that can move is calibrated"
        remedy = 'write source = "calibrated" at the values to fit'
        if bases := sorted({card.base for card in cards if card.base}):
            remedy += f", or fit its base {', '.join(bases)}"
        problems.append(Problem(None, None, None, cause, remedy))
    if problems:
        raise InputError(problems)
    return found
