"""Exact runs of designs near the front, their headroom, and runs with failures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from raidsim.planning import wear
from raidsim.planning.arithmetic import (
    BUDGET,
    DRIVES,
    ENDURANCE,
    LATENCY,
    LOSS,
    POWER,
    REBUILD,
    UNITS,
    Arithmetic,
    chance_of_loss,
)
from raidsim.planning.choice import Design
from raidsim.planning.cost import active_power, power_of
from raidsim.planning.design import Data, data_of, scenario_of
from raidsim.planning.need import YEAR, Need
from raidsim.planning.outcome import Break, Money, State
from raidsim.planning.runs import REBUILT, SATURATED, Measured, Runner
from raidsim.risk import rebuild

IOS, RARE_IOS, TRIAL_IOS = 20_000, 60_000, 6000
"""I/Os of an exact run; of one in which 99.9 % have to be told; of a trial of the headroom."""

TRIALS = 5
"""Trials that narrow the headroom, after the one at the most that counts."""

LEAST_CAP = 2.0
CAP = 3.0
"""Headroom that counts: so many times the load at the end of the horizon."""

FAILS_AT = 0.2
"""Seconds after the start of measuring at which a drive fails, in runs of a rebuild."""

REBUILD_IOS = 12_000
"""I/Os of the load while a rebuild is watched."""

SAMPLE = 2**27
"""Bytes of a drive that are rebuilt in a run; the time of all is extrapolated."""

FILLED = 0.9
"""Share of the time that a rebuild is watched which it takes about, in runs of designs that win.

What the load meets meanwhile is told by nearly all I/Os that are watched, and the time of the
rebuild by a sample that is done: rows from the outermost tracks of a disk to the innermost.
"""

LEAST_SAMPLE = 1e-5

FOREVER = 30
"""Years after which growth is no longer looked at."""


class Headroom(NamedTuple):
    """The multiple of the load that a design carries within the limits; ``more`` for at least."""

    factor: float
    more: bool


class BadDay(NamedTuple):
    """Runs of a design with a drive missing, and during a rebuild; None where no drive may fail.

    Attributes
    ----------
    seconds : of the rebuild; inf if it does not come on.
    """

    degraded: Measured | None = None
    rebuilding: Measured | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Checked:
    """All that runs say of a design, and which limits it does not keep.

    Attributes
    ----------
    design : which.
    healthy, degraded, rebuilding : its runs; None where there is no redundancy.
    headroom, more : how many times the load it carries; ``more`` if at least that.
    rebuild : seconds of the rebuild of a drive; inf if it never ends; None without redundancy.
    watts, loss, years : as `raidsim.planning.outcome.Candidate` has them.
    arrays, last_drives, rack_units : likewise.
    money : its cost; None without prices.
    lacks : of each limit that is not kept, how many times too much or too little it is.
    """

    design: Design
    healthy: Measured
    degraded: Measured | None
    rebuilding: Measured | None
    headroom: float
    more: bool
    rebuild: float | None
    watts: float
    loss: float
    years: float | None
    arrays: tuple[int, ...]
    last_drives: int
    rack_units: int
    money: Money | None
    lacks: dict[str, float]


def cap_of(need: Need) -> float:
    """Headroom beyond which more does not count."""
    return max(LEAST_CAP, CAP * need.load_after(need.needed.years))


def _ios(need: Need) -> int:
    rare = any(one.percentile is not None and one.percentile > 0.99 for one in need.latencies)
    return RARE_IOS if rare else IOS


def _measure(ios: int) -> dict[str, Any]:
    return {"min_ios": ios, "max_ios": ios, "precision": "50 %"}


def exact(
    designs: Sequence[Design], need: Need, runner: Runner, *, settled: bool = False
) -> list[Measured]:
    """Runs of designs under the load of the need; ``settled``: until their caches have settled."""
    measure = _measure(_ios(need))
    asked = [data_of(one, need, spares=False, measure=measure) for one in designs]
    limits = need.limits("healthy")
    return runner.settled(asked, limits) if settled else runner.drained(asked, limits)


def headrooms(
    designs: Sequence[Design],
    found: Sequence[Measured],
    need: Need,
    runner: Runner,
    bounds: Sequence[float],
    *,
    settled: bool = False,
) -> list[Headroom]:
    """Return the multiple of the load that each carries within the limits.

    All are tried side by side: first at the highest factor that counts, then halving the interval,
    by ratio. The first of these trials is where the busiest part would be busy all the time. None
    is tried beyond its bound: during a short run a cache may accept more than the drives. If a
    cache that begins full has not drained by then, the trial counts as not carried.

    With ``settled`` trials continue until caches have settled. A trial in which they have not
    counts as not carried.
    """
    cap = cap_of(need)
    tops = [min(cap, max(bound, 1.0)) for bound in bounds]
    measure = _measure(TRIAL_IOS if _ios(need) == IOS else RARE_IOS)
    limits = need.limits("healthy")

    def holds(places: Sequence[int], factors: Sequence[float]) -> list[bool]:
        asked = [
            data_of(designs[place], need, factor=factor, spares=False, measure=measure)
            for place, factor in zip(places, factors, strict=True)
        ]
        ran = runner.settled(asked, limits) if settled else runner.drained(asked, limits)
        return [one.over(limits) <= 1 and not (settled and one.unsettled) for one in ran]

    every = list(range(len(designs)))
    all_of_it = holds(every, tops)
    low, high = [1.0] * len(every), list(tops)
    left = [place for place in every if not all_of_it[place]]
    for trial in range(TRIALS):
        tried = []
        for place in left:
            middle = math.sqrt(low[place] * high[place])
            if trial == 0 and found[place].utilisation > 0:
                middle = min(max(0.9 / found[place].utilisation, 1.02), 0.98 * high[place])
            tried.append(middle)
        for place, factor, held in zip(left, tried, holds(left, tried), strict=True):
            if held:
                low[place] = factor
            else:
                high[place] = factor
    return [
        Headroom(tops[place], tops[place] == cap)
        if all_of_it[place]
        else Headroom(low[place], more=False)
        for place in every
    ]


def degraded_of(design: Design, need: Need) -> Data:
    """The tables of a design with a drive missing."""
    return data_of(
        design, need, spares=False, volume={"failed": [0]}, measure=_measure(_ios(need) // 2)
    )


def rebuilding_of(design: Design, need: Need, share: float = 0.0) -> Data:
    """The tables of a design in which a drive fails and a hot spare takes its place.

    Of the drive ``SAMPLE`` is rebuilt, or a share of it, if that is more.
    """
    size = design.drive.number("capacity.user")
    sample = min(max(SAMPLE / size, LEAST_SAMPLE, share), 1.0)
    lasts = _watched(need)
    volume = {"spares": 1, "rebuild_sample": f"{100 * sample:.6g} %"}
    name = "data" if design.arrays == 1 else "data-1"
    event = {"kind": "drive-failure", "at": f"{FAILS_AT} s", "volume": name, "drive": 0}
    measure = {**_measure(IOS), "duration": f"{FAILS_AT + lasts:.6g} s"}
    return data_of(design, need, spares=False, volume=volume, events=[event], measure=measure)


def _watched(need: Need) -> float:
    """Seconds for which a rebuild is watched."""
    return min(max(REBUILD_IOS / (need.rate or 10_000.0), 1.0), 60.0)


def rebuilding_throughout(designs: Sequence[Design], need: Need, runner: Runner) -> list[Data]:
    """The same of designs, with as much to rebuild as takes most of the time that it is watched.

    A run of the usual sample says how fast that goes.
    """
    ran = runner.run([rebuilding_of(one, need) for one in designs])
    takes = [one.rebuild if one.rebuild and one.rebuilt >= 1 else math.inf for one in ran]
    shares = [FILLED * _watched(need) / seconds for seconds in takes]
    return [rebuilding_of(one, need, share) for one, share in zip(designs, shares, strict=True)]


def bad_days(designs: Sequence[Design], need: Need, runner: Runner) -> list[BadDay]:
    """For each design its runs with a drive missing and during a rebuild.

    What does not carry the load with a drive missing does not carry it while one is rebuilt, and
    a rebuild beside a load that is not carried does not come on: its time is infinite.
    """
    redundant = [one for one in designs if one.shape.failures > 0]
    missing = runner.settled([degraded_of(one, need) for one in redundant])
    of = {one.number: (ran, ran) for one, ran in zip(redundant, missing, strict=True)}
    left = [one for one in redundant if of[one.number][0].status != SATURATED]
    rebuilt = runner.settled(rebuilding_throughout(left, need, runner))
    for one, ran in zip(left, rebuilt, strict=True):
        of[one.number] = (of[one.number][0], ran)
    result = []
    for design in designs:
        if design.number not in of:
            result.append(BadDay())
            continue
        degraded, rebuilding = of[design.number]
        seconds = rebuilding.rebuild if rebuilding.rebuilt >= REBUILT else None
        if need.needed.rebuild_while == "idle":
            scenario = scenario_of(data_of(design, need, spares=False), need)
            seconds = rebuild.simulated(scenario, scenario.volumes[0])
        result.append(BadDay(degraded, rebuilding, math.inf if seconds is None else seconds))
    return result


def check(
    design: Design,
    arithmetic: Arithmetic,
    healthy: Measured,
    headroom: Headroom,
    bad_day: BadDay,
    watts: float,
) -> Checked:
    """Hold a design against every limit, with what its runs came to."""
    need, asked = arithmetic.need, arithmetic.need.needed
    degraded, rebuilding, seconds = bad_day
    carried, more = headroom
    at = np.unravel_index(design.number, arithmetic.space.grid)
    place = tuple(int(i) for i in at)
    parts = arithmetic.costs.parts(carried)

    def one(values: Any) -> float:
        return float(np.broadcast_to(values, arithmetic.space.grid)[place])

    arrays = tuple(round(one(values)) for values in parts.arrays)
    last = parts.last
    drives = one(parts.drives(last))
    server = active_power(design.host)
    power = one(power_of(parts, last, watts, server))
    rack_units = one(parts.chassis(last)) * need.chassis.rack_units
    # A rebuild that does not come on leaves the drive missing until the horizon.
    waits = min(seconds or 0.0, asked.years * YEAR)
    loss = chance_of_loss(design.drive, design.shape, design.spares, waits, asked.years)
    there = sum(arrays[1:]) / asked.years  # on average: those that growth adds come later
    loss = -math.expm1(there * math.log1p(-min(loss, 1 - 1e-12)))
    years = lasts(healthy, arrays, need)
    money = None
    if arithmetic.prices is not None:
        rated = healthy.years if need.endurance else None  # else no load says how much is written
        worn = design.shape.drives * wear.replaced(rated, arrays, need)
        money = arithmetic.costs.bill(parts, watts, place, server, worn)
    budget = arithmetic.budget
    over = {
        LATENCY: healthy.over(need.limits("healthy")),
        f"{LATENCY}, degraded": _too_slow(degraded, need, "degraded"),
        f"{LATENCY}, rebuilding": _too_slow(rebuilding, need, "rebuilding"),
        REBUILD: 0.0 if seconds is None or asked.rebuild is None else seconds / asked.rebuild,
        LOSS: 0.0 if asked.loss is None else loss / asked.loss,
        ENDURANCE: 0.0 if years is None else need.endurance / years,
        DRIVES: 0.0 if asked.drives is None else drives / asked.drives,
        UNITS: 0.0 if asked.rack_units is None else rack_units / asked.rack_units,
        POWER: 0.0 if asked.power is None else power / asked.power,
        BUDGET: 0.0 if budget is None or money is None else money.total / budget,
    }  # fmt: skip
    return Checked(
        design=design,
        healthy=healthy,
        degraded=degraded,
        rebuilding=rebuilding,
        headroom=carried,
        more=more,
        rebuild=seconds,
        watts=watts,
        loss=loss,
        years=years,
        arrays=arrays,
        last_drives=round(drives),
        rack_units=round(one(parts.chassis(0)) * need.chassis.rack_units),
        money=money,
        lacks={name: value for name, value in over.items() if value > 1 + 1e-9},
    )


def _too_slow(ran: Measured | None, need: Need, state: str) -> float:
    """By how many times latencies in a state are exceeded; 0 if nothing is asked of it."""
    limits = need.limits(state)
    return ran.over(limits) if ran is not None and limits else 0.0


def lasts(measured: Measured, arrays: Sequence[int], need: Need) -> float | None:
    """Years until drives are worn out as the load grows, from a run under that of today.

    None if they never are, or nothing is rated.
    """
    if measured.years is None:
        return None
    years = float(wear.lasting(measured.years, arrays, need))
    return years if math.isfinite(years) else None


def breaks(need: Need, usable: float, headroom: float, more: bool) -> Break | None:
    """Return the limit that growth reaches first with the first purchase."""
    for year in range(1, FOREVER + 1):
        broken = []
        if need.capacity_after(year) > usable:
            broken.append("capacity")
        if not more and need.load_after(year) > headroom:
            broken.append("load")
        if broken:
            return Break(year, " and ".join(broken))
    return None


def state_of(measured: Measured | None, need: Need, name: str) -> State | None:
    """A run as reports show it."""
    if measured is None:
        return None
    limits = need.limits(name)
    over = measured.over(limits)
    carried = measured.status == "done" and over <= 1
    return State(measured.latency, over, carried, measured.unsettled, measured.late)


def aims(checked: Checked) -> list[float]:
    """Its aims, in the order of `raidsim.planning.front.NAMES`."""
    worst = checked.healthy.worst("mean")
    total = float(checked.last_drives) if checked.money is None else checked.money.total
    return [total, checked.watts, worst[0] if worst else 0.0, checked.headroom, checked.loss]
