"""Which values of a card are unknown, and which values it can have of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.assembly.drives import is_drive, kind_of
from raidsim.cards import Card
from raidsim.cards.plausible import whole
from raidsim.cards.posterior import Posterior, posterior

COARSE = frozenset({"flash.spare"})
"""Values drawn in steps: each new one costs the whole past of a drive, which is simulated."""

STEPS = 2
"""Steps of such a value in a standard deviation: rounding to them adds a 48th to the variance."""


@dataclass(frozen=True)
class UnknownValue:
    """One unknown value of a card, in base units.

    Attributes
    ----------
    card : the card that gives it: its own, or the base from which it is inherited.
    name : of the attribute.
    value : the value on the card.
    low, high : the plausible range; drawn values stay in it.
    reach : the ends of 95 % of the drawn values: the range, or the narrower one after a fit. Not
        rounded to values that a card can have.
    step : the step of a size or a count; 0 for continuous values.
    ratio : the step as a factor, from the value of the card; 1 for continuous values.
    """

    card: str
    name: str
    value: float
    low: float
    high: float
    reach: tuple[float, float]
    step: float = 0.0
    ratio: float = 1.0

    @property
    def key(self) -> str:
        """The key of the value: cards that inherit it have the same key."""
        return f"{self.card}: {self.name}"

    @property
    def drawn(self) -> tuple[float, float]:
        """The ends between which 95 % of the drawn values are, in a form that a card can have."""
        low, high = self.reach
        return self.possible(low), self.possible(high)

    def possible(self, value: float) -> float:
        """The nearest value that the card can have: in its range, and whole where it must be."""
        value = min(max(value, self.low), self.high)
        if self.ratio != 1 and min(value, self.value) > 0:
            steps = round(math.log(value / self.value) / math.log(self.ratio))
            value = min(max(self.value * self.ratio**steps, self.low), self.high)
        if not self.step:
            return value
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        if first > last:
            return self.value
        return min(max(round(value / self.step), first), last) * self.step


@dataclass(frozen=True)
class UnknownValues:
    """All unknown values of a card, in the order of its attributes, and how they go together."""

    values: tuple[UnknownValue, ...]
    joint: Posterior

    def at(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values (base units), a row for each draw, at as many standard normal numbers."""
        drawn = self.joint.values(scores)
        columns = [
            [one.possible(float(value)) for value in drawn[:, place]]
            for place, one in enumerate(self.values)
        ]
        return np.array(columns).T


def unknown_values(card: Card) -> UnknownValues:
    """Return the unknown values of a card, with their ranges."""
    joint = posterior(card)
    deviations = joint.deviations()
    values = []
    for place, name in enumerate(joint.names):
        dimension = card.about.by_name[name].dimension
        low, high = whole(dimension, float(joint.low[place]), float(joint.high[place]))
        coarse = name in COARSE and not joint.linear[place] and deviations[place] > 0
        values.append(
            UnknownValue(
                card=joint.owners[place],
                name=name,
                value=card.number(name),
                low=low,
                high=high,
                reach=joint.interval(name),
                step=step(card, name),
                ratio=math.exp(deviations[place] / STEPS) if coarse else 1.0,
            )
        )
    return UnknownValues(tuple(values), joint)


def step(card: Card, name: str) -> float:
    """Return the step of a size or a count of a card, in base units; 0 if it is continuous."""
    attribute = card.about.by_name[name]
    if attribute.dimension == "count":
        return 1.0
    if not units.DIMENSIONS[attribute.dimension].integer:
        return 0.0
    if is_drive(card) and (found := kind_of(card).fit_step(card, name)):
        return found
    return card.number("capacity.sector") if card.has("capacity.sector") else float(units.SECTOR)
