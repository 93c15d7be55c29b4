"""What arithmetic says about designs: each limit of a need compared with each design.

For each limit there is a ratio: needed over available, or actual over permitted. A design meets the
limit if the ratio is at most 1. Rebuilds, chances of loss, power and wear are the smallest possible
here, so a design that fails here would also fail later.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from raidsim.assembly.drives import kind_of
from raidsim.cards import Card
from raidsim.planning import cost, wear
from raidsim.planning.bounds import Bounds, Mix
from raidsim.planning.choice import (
    ARRAYS,
    DRIVE,
    HOSTS,
    PLACE,
    SHAPE,
    SPARES,
    Booleans,
    Numbers,
    Shape,
    Space,
)
from raidsim.planning.need import YEAR, Need
from raidsim.planning.prices import Prices
from raidsim.risk import markov
from raidsim.risk.assess import REPLACEMENT
from raidsim.risk.hazard import from_afr

FITS, PRICED = "hardware fits together", "prices are known"
CAPACITY, FAILURES, BAYS = "capacity", "failures survived", "bays"
DRIVES, UNITS, POWER, BUDGET = "drives", "rack units", "power", "budget"
REBUILD, LOSS, ENDURANCE = "rebuild", "chance of loss", "endurance"
RATE, LATENCY = "rate", "latency"

SLACK = 1e-9

BY_NO_MEASURE = 1e6
"""So many times what is allowed counts a limit at most that a design does not keep."""

NDArrayInt8 = np.ndarray[tuple[int, ...], np.dtype[np.int8]]


@dataclass(frozen=True)
class Limit:
    """A limit and what designs have of it.

    Attributes
    ----------
    name : which.
    ratio : above 1 where it is not kept; broadcasts over the grid.
    has : what designs have; ``asked`` of it. In base units; None where there is no such figure.
    dimension : unit of both, as `raidsim.units` names it.
    stage : number of the stage that it belongs to.
    """

    name: str
    ratio: Numbers
    has: Numbers | None
    asked: float
    dimension: str
    stage: int = 0


@dataclass(frozen=True)
class Arithmetic:
    """All limits of a need over all designs of its space."""

    need: Need
    space: Space
    prices: Prices | None

    @property
    def budget(self) -> float | None:
        """The highest cost, in the currency of the prices; None if there is no limit."""
        asked = self.need.needed.budget
        return None if asked is None or self.prices is None else self.prices.amount_of(asked)

    @cached_property
    def costs(self) -> cost.Costs:
        """The prices of parts."""
        return cost.Costs(self.need, self.space, self.prices)

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds that designs cannot exceed."""
        return Bounds(self.need, self.space)

    @cached_property
    def parts(self) -> cost.Parts:
        """The parts in each year, if the first arrays carry as much as their bounds allow."""
        return self.costs.parts(np.maximum(self.bounds.rate, 1.0))

    @cached_property
    def watts(self) -> Numbers:
        """Least power of what is bought at first, W."""
        space = self.space
        drives = space.along([cost.idle_power(card) for card in space.drives], DRIVE)
        places = [0.0 if one.card is None else cost.idle_power(one.card) for one in space.places]
        return np.asarray(space.first_drives * drives + space.along(places, PLACE) + self.servers)

    @cached_property
    def servers(self) -> Numbers:
        """Least power of a server without drives and controllers, W."""
        hosts = [cost.idle_power(card) for card in self.space.hosts]
        return self.space.along(hosts, HOSTS)

    @cached_property
    def cost(self) -> Numbers:
        """Least cost over the horizon; drives at its end where there are no prices."""
        if self.prices is None:
            return self.parts.drives(self.parts.last)
        return self.costs.cost(self.parts, self.watts, self.servers)

    @cached_property
    def rebuild(self) -> Numbers:
        """Seconds that no rebuild of a drive can beat."""
        cards = self.space.drives
        least = [
            card.number("capacity.user") / min(kind_of(card).mean_rates(card)) for card in cards
        ]
        return self.space.along(least, DRIVE)

    @cached_property
    def loss(self) -> Numbers:
        """Least chance that any data is lost within the horizon."""
        space, years = self.space, self.need.needed.years
        one = np.zeros((len(space.drives), len(space.shapes), len(space.spares)))
        for d, card in enumerate(space.drives):
            for s, shape in enumerate(space.shapes):
                for r, spares in enumerate(space.spares):
                    seconds = float(self.rebuild.ravel()[d])
                    one[d, s, r] = chance_of_loss(card, shape, spares, seconds, years)
        safe = np.log1p(-np.minimum(space.along(one, DRIVE, SHAPE, SPARES), 1 - 1e-12))
        there = sum(self.parts.arrays[1:]) / years  # on average: those of growth come later
        return np.asarray(-np.expm1(safe * there))

    @cached_property
    def lasting(self) -> Numbers:
        """Most years until the rated bytes are written; inf where no rating or no rate is known.

        Arrays that carry no more than the load of today share its growth with most others.
        """
        space = self.space
        rated = [
            card.number("endurance.written")
            if "endurance.written" in card.about.by_name and card.has("endurance.written")
            else math.inf
            for card in space.drives
        ]
        mixes = [Mix.of(load) for load in self.need.specs]
        bytes_a_year = sum(
            YEAR * mix.rate * mix.size * (1 - mix.reads) for mix in mixes if mix is not None
        )
        share = [_written(shape) / shape.drives for shape in space.shapes]
        each = bytes_a_year * space.along(share, SHAPE) / space.along(space.arrays, ARRAYS)
        with np.errstate(divide="ignore"):
            today = space.along(rated, DRIVE) / each
        return wear.lasting(today, self.costs.parts(1.0).arrays, self.need)

    # ---- limits

    @cached_property
    def limits(self) -> list[Limit]:
        """Every limit that the need sets, in the order in which designs are held against them."""
        return [*self._arithmetic(), *self._bounds()]

    def _arithmetic(self) -> Iterator[Limit]:
        need, space, parts = self.need.needed, self.space, self.parts
        last = parts.last
        taken = space.fits & (parts.drives(last) <= space.most_on_server)
        yield Limit(FITS, np.where(taken, 0.0, np.inf), None, 1, "number")
        if self.prices is not None:
            unknown = np.isnan(self.costs.drive + self.costs.controller + self.costs.host)
            yield Limit(PRICED, np.where(unknown, np.inf, 0.0), None, 1, "number")
        failures = space.along([shape.failures for shape in space.shapes], SHAPE)
        short = np.where(failures >= need.failures, 0.0, (need.failures + 1) / (failures + 1))
        yield Limit(FAILURES, short, failures, need.failures, "count")
        usable = space.capacity * space.along(space.arrays, ARRAYS)
        with np.errstate(divide="ignore"):
            ratio = np.asarray(need.capacity / usable)
        yield Limit(CAPACITY, ratio, usable, need.capacity, "capacity")
        bays = np.where(parts.bays > 0, 0.0, np.inf)
        yield Limit(BAYS, bays, None, 1, "count")
        if need.drives is not None:
            drives = parts.drives(last)
            yield Limit(DRIVES, drives / need.drives, drives, need.drives, "count")
        if need.rack_units is not None:
            rack_units = parts.chassis(last) * self.need.chassis.rack_units
            yield Limit(UNITS, rack_units / need.rack_units, rack_units, need.rack_units, "count")
        if need.power is not None:
            watts = cost.power_of(parts, last, self.watts, self.servers)
            yield Limit(POWER, watts / need.power, watts, need.power, "power")
        if need.rebuild is not None:
            rebuilt = np.where(failures > 0, self.rebuild, 0.0)
            yield Limit(REBUILD, rebuilt / need.rebuild, rebuilt, need.rebuild, "time")
        asked = self.need.endurance
        yield Limit(ENDURANCE, asked / self.lasting, self.lasting, asked, "years")
        if need.loss is not None:
            yield Limit(LOSS, self.loss / need.loss, self.loss, need.loss, "share")
        if (budget := self.budget) is not None:
            yield Limit(BUDGET, self.cost / budget, self.cost, budget, "money")

    def _bounds(self) -> Iterator[Limit]:
        rate = self.bounds.rate
        yield Limit(RATE, 1 / rate, rate * self.need.rate, self.need.rate, "rate", 1)
        means = [one.within for one in self.need.latencies if one.percentile is None]
        if means:
            latency = self.bounds.latency
            yield Limit(LATENCY, latency / min(means), latency, min(means), "time", 1)

    def kept(self, without: str | None = None) -> Booleans:
        """Return flags over the grid of designs: all limits, except one left out, are kept."""
        found = np.ones(self.space.grid, bool)
        for limit in self.limits:
            if limit.name != without:
                found &= limit.ratio <= 1 + SLACK
        return found

    @cached_property
    def lacking(self) -> tuple[NDArrayInt8, Numbers]:
        """The number of limits that each design misses, and by how much, as a sum of logarithms."""
        missed, by = np.zeros(self.space.grid, np.int8), np.zeros(self.space.grid, np.float32)
        for limit in self.limits:
            off = ~(limit.ratio <= 1 + SLACK)
            with np.errstate(invalid="ignore", divide="ignore"):
                times = np.nan_to_num(np.log(np.minimum(limit.ratio, BY_NO_MEASURE)), nan=0.0)
            missed += off
            by += np.where(off, times, 0.0).astype(np.float32)
        return missed, by.astype(np.float64)

    def fallen(self) -> NDArrayInt8:
        """Number of the first limit that each design does not keep; -1 if it keeps all."""
        found = np.full(self.space.grid, -1, np.int8)
        for number, limit in reversed(list(enumerate(self.limits))):
            np.copyto(found, np.int8(number), where=~(limit.ratio <= 1 + SLACK))
        return found


def _written(shape: Shape) -> float:
    """Bytes written to all drives for each byte of the host, at least."""
    if shape.parity:
        return 1 + shape.parity / shape.data_of_span
    return float(shape.copies)


def chance_of_loss(card: Card, shape: Shape, spares: int, seconds: float, years: float) -> float:
    """Chance that an array loses any data, by its Markov chain, if rebuilds take so long.

    The time of a repair is that of the rebuild, and without a spare that of the delivery before it.
    """
    return _chance(
        card.number("reliability.afr"), card.number("reliability.uber"),
        card.integer("capacity.user"), shape, spares > 0, seconds, years,
    )  # fmt: skip


@lru_cache(maxsize=200_000)
def _chance(
    afr: float, uber: float, size: int, shape: Shape, spare: bool, seconds: float, years: float
) -> float:
    group, groups = shape.group
    waits = seconds / 3600 + (0.0 if spare else REPLACEMENT)
    chain = markov.chain(
        group, 1 / from_afr(afr).scale, 1 / max(waits, 1e-6), uber=uber, drive_bits=8 * size
    )
    one = markov.probability(chain, years * markov.YEAR)
    return 1.0 if one >= 1 else -math.expm1(groups * math.log1p(-one))
