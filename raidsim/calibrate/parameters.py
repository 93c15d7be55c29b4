"""The values of a card that a fit may change: its own values whose source says "calibrated".

Times, rates and shares are fitted as logarithms, so that a step is a relative change and no value
can become negative. Sizes and counts change in steps: tracks in sectors, read-ahead in program
units, counts one by one. Values with many steps are fitted like the others and then rounded. For
values with few steps, such as the number of commands that a disk sorts, the neighbours are tried.

Each value has a range with a reason: that of its attribute (``raidsim.cards.fit_ranges``), or the
one that the card itself gives beside the value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raidsim import units
from raidsim.assembly.drives import is_drive, kind_of
from raidsim.cards import Card
from raidsim.cards.attributes import Attribute
from raidsim.cards.card import Source
from raidsim.cards.fit_ranges import fit_range
from raidsim.errors import InputError, Problem

DIGITS = 4
"""Significant digits that a fitted value keeps on its card."""

HOLD = 0.2
"""What :attr:`Parameter.hold` is of a value of which nothing else is known than where it was."""

FEW = 300
"""Steps in a range up to which a value counts as one of a few choices."""


@dataclass(frozen=True)
class Parameter:
    """One value that may move. ``value``, the bounds and ``step`` are in base units.

    ``step`` is what a size or a count moves by; 0 for what is continuous. ``hold`` is the residual
    that a change by a factor of e counts as, beside those of the claims.
    """

    card: Card
    name: str
    dimension: str
    value: float
    low: float
    high: float
    step: float = 0.0
    hold: float = HOLD

    @property
    def unit(self) -> str:
        """The unit in which the card states it."""
        return self.card.sources[self.name].unit

    @property
    def written(self) -> float:
        """The number that stands on the card, in that unit."""
        return float(self.card.sources[self.name].value)

    @property
    def sign(self) -> int:
        """1, or -1 where the card states a rate: 1 % more of that is 1 % less time."""
        once, twice = (units.in_unit(x, self.unit, self.dimension) for x in (1.0, 2.0))
        return 1 if twice > once else -1

    @property
    def has_few(self) -> bool:
        """Whether it is one of a few choices, whose neighbours are tried."""
        return self.step > 0 and self.high <= FEW * self.step

    def shown(self, value: float) -> float:
        """Return a value in the unit of the card, rounded as the card will hold it.

        That is within the bounds, too: a card whose value left its range could not be loaded.
        """
        if self.step:
            return units.in_unit(self._stepped(value), self.unit, self.dimension)
        number = units.in_unit(float(value), self.unit, self.dimension)
        near = float(f"{number:.{DIGITS}g}")
        last = 10.0 ** (math.floor(math.log10(abs(number))) - DIGITS + 1)
        beside = (float(f"{near + by:.{DIGITS}g}") for by in (0.0, last, -last))
        return next((one for one in beside if self._is_within(one)), near)

    def _is_within(self, shown: float) -> bool:
        """Return whether a number in the unit of the card is within the bounds."""
        return self.low <= units.convert(shown, self.unit, self.dimension) <= self.high

    def rounded(self, value: float) -> float:
        """Return the value that the card will hold, in base units."""
        return float(units.convert(self.shown(value), self.unit, self.dimension))

    def possible(self, value: float) -> float:
        """Return the value that a run can have: whole where it must be, the same otherwise."""
        return self._stepped(value) if self.step else value

    def neighbours(self, value: float) -> list[float]:
        """Return the choices beside one of a few: the next, and a quarter away."""
        now, quarter = round(value / self.step), math.ceil(value / self.step / 4)
        near = sorted({now + by for by in (-quarter, -1, 1, quarter)})
        return [n * self.step for n in near if self.low <= n * self.step <= self.high]

    def moved(self, value: float, share: float) -> float:
        """Return a value changed by a share of itself, by a step at least, away from a bound."""
        if not self.step:
            up = value * (1 + share)
            return up if up <= self.high else value / (1 + share)
        by = max(round(value * share / self.step), 1) * self.step
        return value + by if value + by <= self.high else value - by

    def is_on(self, card: Card) -> bool:
        """Return whether a card has this value: as its own, or from it as a base."""
        origin = card.origins.get(self.name)
        return card.name == self.card.name or (origin is not None and origin.card == self.card.name)

    def override(self, place: str, value: float) -> str:
        """Return the override that sets it, `place` being the host, a controller or a volume."""
        if self.step:
            number, unit = round(value), "" if self.dimension == "count" else " B"
            return f"{place}.set.{self.name}={number}{unit}"
        written = units.in_unit(float(value), self.unit, self.dimension)
        text = f"{written!r} {self.unit}" if self.unit != "1" else repr(written)
        return f"{place}.set.{self.name}={text}"

    def _stepped(self, value: float) -> float:
        """Return the nearest multiple of the step within the bounds."""
        least, most = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return min(max(round(value / self.step), least), most) * self.step


def free_parameters(cards: Iterable[Card], *, assumed: bool = False) -> list[Parameter]:
    """Return the values of the cards that may move, in the order of the attributes.

    Those are the calibrated ones; with ``assumed`` also such that are assumed within a range.

    Raises
    ------
    InputError
        Nothing may move, a value is zero and so has no logarithm, or its range is not known or
        does not hold it.
    """
    cards = list(cards)
    found: list[Parameter] = []
    problems: list[Problem] = []
    for card in cards:
        for attribute in card.about.attributes:
            name = attribute.name
            own = card.has(name) and name not in card.inherited
            if not own or not attribute.is_number or not _moves(card.sources[name], assumed):
                continue
            try:
                found.append(_parameter(card, attribute))
            except _Unfit as unfit:
                problems.append(Problem(str(card.path), None, name, unfit.cause, unfit.remedy))
    if not found and not problems:
        names = ", ".join(card.name for card in cards)
        cause = f"nothing to fit on {names}: no value of its own is calibrated"
        remedy = 'write source = "calibrated" at the values to fit'
        if bases := sorted({card.base for card in cards if card.base}):
            remedy += f", or fit its base {', '.join(bases)}"
        problems.append(Problem(None, None, None, cause, remedy))
    if problems:
        raise InputError(problems)
    return found


def fit_together(parameters: Sequence[Parameter], values: Sequence[float]) -> bool:
    """Return whether the cards could have these values (inner tracks no longer than outer ones).

    Parameters
    ----------
    parameters
        What moves.
    values
        In base units.
    """
    cards = {one.card.name: one.card for one in parameters if is_drive(one.card)}
    for name, card in cards.items():
        moved = {
            one.name: round(value) if one.step else value
            for one, value in zip(parameters, values, strict=True)
            if one.card.name == name
        }
        try:
            kind_of(card).check(card.changed(moved))
        except InputError:
            return False
    return True


def _moves(source: Source, assumed: bool) -> bool:
    within_range = source.source == "assumed" and source.range is not None
    return source.source == "calibrated" or (assumed and within_range)


class _Unfit(Exception):
    """A value cannot be fitted: why, and what to do."""

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(cause)
        self.cause, self.remedy = cause, remedy


def _parameter(card: Card, attribute: Attribute) -> Parameter:
    name, value = attribute.name, card.number(attribute.name)
    source = card.sources[name]
    if value <= 0:
        raise _Unfit(
            "is 0, from where a fit cannot start", 'write a small value, or source = "assumed"'
        )
    if source.range is not None:
        ends = (units.convert(end, source.unit, attribute.dimension) for end in source.range)
        low, high = sorted(float(end) for end in ends)
    elif (usual := fit_range(card.kind, name)) is not None:
        low, high = usual
    else:
        raise _Unfit(
            "nothing says from where to where a fit may move it",
            "write range = [low, high] beside it",
        )
    if not low <= value <= high:
        span = " to ".join(units.text(end, attribute.dimension) for end in (low, high))
        raise _Unfit(
            f"{units.text(value, attribute.dimension)} is outside the range of a fit, {span}",
            "write range = [low, high] beside it, and in its note why",
        )
    return Parameter(card, name, attribute.dimension, value, low, high, _step(card, attribute))


def _step(card: Card, attribute: Attribute) -> float:
    """Return the step of a size or a count, in its unit; 0 for a continuous value."""
    if attribute.dimension == "count":
        return 1.0
    if not units.DIMENSIONS[attribute.dimension].integer:
        return 0.0
    if is_drive(card) and (step := kind_of(card).fit_step(card, attribute.name)):
        return step
    return card.number("capacity.sector") if card.has("capacity.sector") else float(units.SECTOR)
