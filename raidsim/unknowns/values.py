"""Which values of a card are unsure, and how they go together: one normal distribution of them.

It is one of the logarithms of the values (of the values themselves where 0 is possible). Its means
are the values of the card, its spread is that of their plausible ranges, narrowed by what the card
was fitted to (`raidsim.cards.posterior`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.assembly.drives import is_drive, kind_of
from raidsim.cards import Card
from raidsim.cards.narrow_ranges import ends, narrow_ranges

Vector = NDArray[np.float64]

WIDTHS = 4.0
"""Standard deviations from end to end of a plausible range, of which 95 % lie inside then."""


@dataclass(frozen=True)
class Unsure:
    """One unsure value of a card, in base units.

    Attributes
    ----------
    card : the card that states it: its own, or the base from which it is inherited.
    name : of the attribute.
    value : what the card says.
    low, high : the plausible range; what is drawn stays in it.
    step : what a size or a count moves by; 0 for what is continuous.
    """

    card: str
    name: str
    value: float
    low: float
    high: float
    step: float = 0.0

    @property
    def key(self) -> str:
        """What is equal where it is the same value: cards that inherit it have one for all."""
        return f"{self.card}: {self.name}"

    def possible(self, value: float) -> float:
        """The nearest value that the card can have: in its range, and whole where it must be."""
        value = min(max(value, self.low), self.high)
        if not self.step:
            return value
        least, most = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        if least > most:
            return self.value
        return min(max(round(value / self.step), least), most) * self.step


@dataclass(frozen=True)
class Unsures:
    """All unsure values of a card, and how they go together.

    Attributes
    ----------
    values : in the order of the attributes.
    is_log : of each, whether it is its logarithm that is normal.
    mean : of the logarithms or values.
    root : symmetric square root of their covariance: times independent standard normal numbers
        it gives numbers of that covariance. Each value has the most to do with its own number.
    """

    values: tuple[Unsure, ...]
    is_log: NDArray[np.bool_]
    mean: Vector
    root: NDArray[np.float64]

    def at(self, scores: Vector) -> Vector:
        """Return the values at standard normal numbers, one for each value: in base units."""
        moved = self.mean + self.root @ scores
        return np.where(self.is_log, np.exp(np.minimum(moved, 700.0)), moved)


def unsures(card: Card) -> Unsures:
    """Return what of a card is unsure; a value that a scenario has set is not."""
    values = []
    spread = []
    spans = narrow_ranges(card)
    for entry in card.entries():
        if entry.name not in spans or entry.source.source in ("scenario", "datasheet"):
            continue
        low, high = ends(card.kind, entry.name, spans[entry.name])
        value = float(entry.value)
        if not low <= value <= high:
            continue
        values.append(
            Unsure(origin(card, entry.name), entry.name, value, low, high, step(card, entry.name))
        )
        spread.append(math.log(high / low) / WIDTHS / 4)
    return Unsures(
        tuple(values),
        np.ones(len(values), bool),
        np.log([one.value for one in values]),
        np.diag(spread) if spread else np.zeros((0, 0)),
    )


def square_root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the symmetric square root of a covariance; negative noise in it counts as zero."""
    variances, directions = np.linalg.eigh((covariance + covariance.T) / 2)
    return (directions * np.sqrt(np.maximum(variances, 0.0))) @ directions.T


def origin(card: Card, name: str) -> str:
    """Name of the card that states a value."""
    found = card.origins.get(name)
    return card.name if found is None else found.card


def step(card: Card, name: str) -> float:
    """What a size or a count of a card moves by, in base units; 0 for what is continuous."""
    attribute = card.about.by_name[name]
    if attribute.dimension == "count":
        return 1.0
    if not units.DIMENSIONS[attribute.dimension].integer:
        return 0.0
    if is_drive(card) and (found := kind_of(card).fit_step(card, name)):
        return found
    return card.number("capacity.sector") if card.has("capacity.sector") else float(units.SECTOR)
