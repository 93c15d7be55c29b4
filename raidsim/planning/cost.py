"""The cost of designs over the horizon, their number of drives, and their power.

Growth is bought when it is needed, as further arrays like the first ones, at the prices of today. A
reshape of an array is not simulated, and so not planned. What is needed at the end of a year is
bought at the beginning of this year: its energy counts for the full year. Drives that fail are
replaced at the annual failure rate of their card, at their price. So are drives that are worn out
before the horizon, if the need asks for less endurance than the horizon.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from raidsim.cards import Card
from raidsim.planning.choice import ARRAYS, DRIVE, HOSTS, PLACE, Numbers, Space
from raidsim.planning.keys import ChassisKeys
from raidsim.planning.need import Need
from raidsim.planning.outcome import Money
from raidsim.planning.prices import Prices
from raidsim.units import HOURS_PER_YEAR

FORM_FACTORS = {
    "2.5 in": "small_bays", "3.5 in": "large_bays", "add-in card": "slots", "M.2": "sockets"
}  # fmt: skip
"""Keys of a chassis that say how many drives of a form factor it takes."""


def places_for(card: Card, chassis: ChassisKeys) -> int:
    """Drives of a card that a chassis takes."""
    return int(getattr(chassis, FORM_FACTORS[card.word("body.form_factor")]))


def idle_power(card: Card) -> float:
    """Watts of one that is idle; 0 where its card does not give it."""
    for name in ("power.idle", "power.active"):
        if name in card.about.by_name and card.has(name):
            return card.number(name)
    return 0.0


def active_power(card: Card) -> float:
    """Watts of one that is busy; as idle where its card does not give it."""
    return card.number("power.active") if card.has("power.active") else idle_power(card)


@dataclass(frozen=True)
class Parts:
    """One bill: the parts in each year of the horizon, of one design or of a grid of them.

    All figures are arrays that go together by broadcasting.

    Attributes
    ----------
    arrays : of each year from 1 on, how many arrays there are; the first entry is what is bought.
    of_one : drives of one array, spares among them.
    bays : of one chassis, for these drives.
    most : drives that one controller takes; inf without one.
    """

    arrays: tuple[Numbers, ...]
    of_one: Numbers
    bays: Numbers
    most: Numbers

    def drives(self, year: int) -> Numbers:
        """Return the number of drives in use in a year."""
        return np.asarray(self.arrays[year] * self.of_one)

    def chassis(self, year: int) -> Numbers:
        """Chassis that are there in a year; inf where no bay takes the drives."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.ceil(self.drives(year) / self.bays))

    def controllers(self, year: int) -> Numbers:
        """Controllers that are there in a year."""
        return np.asarray(
            np.where(np.isinf(self.most), 0.0, np.ceil(self.drives(year) / self.most))
        )

    @property
    def last(self) -> int:
        """Number of the last year."""
        return len(self.arrays) - 1


@dataclass(frozen=True)
class Costs:
    """Prices of a space, by its axes; NaN where a card has none."""

    need: Need
    space: Space
    prices: Prices | None

    @cached_property
    def drive(self) -> Numbers:
        """Price of a drive."""
        known = {} if self.prices is None else self.prices.drive
        return self.space.along([_price(known, card) for card in self.space.drives], DRIVE)

    @cached_property
    def controller(self) -> Numbers:
        """Price of a controller; 0 where there is none."""
        known = {} if self.prices is None else self.prices.controller
        return self.space.along(
            [0.0 if one.card is None else _price(known, one.card) for one in self.space.places],
            PLACE,
        )

    @cached_property
    def host(self) -> Numbers:
        """Price of a server."""
        known = {} if self.prices is None else self.prices.server
        return self.space.along([_price(known, card) for card in self.space.hosts], HOSTS)

    @cached_property
    def afr(self) -> Numbers:
        """Share of the drives that fail in a year."""
        cards = self.space.drives
        return self.space.along([card.number("reliability.afr") for card in cards], DRIVE)

    @cached_property
    def unpriced(self) -> list[str]:
        """Cards that have no price."""
        cards = [*self.space.drives, *self.space.hosts]
        cards += [one.card for one in self.space.places if one.card is not None]
        known = self.prices
        if known is None:
            return []
        listed = {**known.drive, **known.controller, **known.server}
        return sorted({card.name for card in cards if card.name not in listed})

    def parts(self, load: Numbers | float) -> Parts:
        """Return the parts in each year.

        Parameters
        ----------
        load
            How many times the load of today the first arrays carry together.
        """
        space, need = self.space, self.need
        first = space.along(space.arrays, ARRAYS)
        arrays = [first + 0 * space.capacity]
        with np.errstate(divide="ignore"):
            for year in range(1, need.needed.years + 1):
                by_capacity = np.ceil(need.capacity_after(year) / space.capacity - 1e-9)
                by_load = np.ceil(first * need.load_after(year) / load - 1e-9)
                arrays.append(np.maximum(np.maximum(by_capacity, by_load), arrays[-1]))
        bays = [places_for(card, need.chassis) for card in space.drives]
        return Parts(tuple(arrays), space.of_one, space.along(bays, DRIVE), space.most_together)

    def cost(self, parts: Parts, watts: Numbers | float, fixed: Numbers | float = 0.0) -> Numbers:
        """All over the horizon; ``watts`` as bought at first, ``fixed`` of that the server's."""
        assert self.prices is not None
        found = self._purchase(parts, parts.last)
        for year in range(1, parts.last + 1):
            drives = parts.drives(year)
            found = found + drives * self.afr * self.drive
            power = power_of(parts, year, watts, fixed)
            found = found + power * HOURS_PER_YEAR / 1000 * self.prices.kwh
        return np.asarray(found)

    def bill(
        self,
        parts: Parts,
        watts: float,
        at: tuple[int, ...],
        fixed: float = 0.0,
        worn: float = 0.0,
    ) -> Money:
        """The cost of one design, item by item; ``at`` is its place in the grid.

        ``worn`` is the number of drives that wear out within the horizon, and are bought again.
        """
        assert self.prices is not None
        shape = self.space.grid

        def one(values: Numbers) -> float:
            return float(np.broadcast_to(values, shape)[at])

        first, last = one(self._purchase(parts, 0)), one(self._purchase(parts, parts.last))
        energy, replaced = 0.0, worn * one(self.drive) if worn else 0.0
        for year in range(1, parts.last + 1):
            drives = one(parts.drives(year))
            replaced += drives * one(self.afr * self.drive)
            energy += (
                one(power_of(parts, year, watts, fixed)) * HOURS_PER_YEAR / 1000 * self.prices.kwh
            )
        return Money(first, last - first, energy, replaced)

    def _purchase(self, parts: Parts, year: int) -> Numbers:
        """Return the purchase price of all parts of a year."""
        assert self.prices is not None
        return np.asarray(
            self.host
            + parts.drives(year) * self.drive
            + parts.controllers(year) * self.controller
            + parts.chassis(year) * self.prices.chassis
        )


def power_of(parts: Parts, year: int, watts: Numbers | float, fixed: Numbers | float) -> Numbers:
    """Watts in a year: what is not of the server grows with the drives."""
    return np.asarray(fixed + (watts - fixed) * parts.drives(year) / parts.drives(0))


def _price(known: object, card: Card) -> float:
    assert isinstance(known, dict)
    return float(known.get(card.name, np.nan))
