"""The working data of a plan: every design, and its results."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidsim.planning.arithmetic import Arithmetic
from raidsim.planning.checked import Checked, Headroom
from raidsim.planning.choice import Space
from raidsim.planning.coarse import Field
from raidsim.planning.front import Aims
from raidsim.planning.need import Need
from raidsim.planning.prices import Prices
from raidsim.planning.runs import Measured, Runner

RUNS = 1000
"""Coarse runs, at most."""


@dataclass
class Work:
    """The work of a plan: every design, and its end."""

    need: Need
    space: Space
    prices: Prices | None
    arithmetic: Arithmetic
    aims: Aims
    runner: Runner
    coarse: Field
    most: int = RUNS
    exact: dict[int, Measured] = field(default_factory=dict)
    headroom: dict[int, Headroom] = field(default_factory=dict)
    checked: dict[int, Checked] = field(default_factory=dict)
    fell: dict[int, dict[str, float]] = field(default_factory=dict)
    fell_in: dict[int, int] = field(default_factory=dict)
    runs: dict[int, int] = field(default_factory=dict)
    front: list[int] = field(default_factory=list)


def number_at(work: Work, place: int) -> int:
    """Number of the design at a place of those that arithmetic and bounds leave."""
    return int(work.coarse.numbers[place])


def known_aims(work: Work, place: int) -> list[float]:
    """The aims of a design by the best runs that there are of it."""
    number = number_at(work, place)
    measured = work.exact.get(number, work.coarse.measured[place])
    headroom = work.headroom.get(number)
    factor = work.coarse.estimate(place) if headroom is None else headroom.factor
    return [float(one) for one in work.coarse.aims_of(place, measured, factor)]
