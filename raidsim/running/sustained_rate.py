"""The highest rate that a system can sustain for open loads that ask for more, found by trial.

The throughput of a system that is asked for too much is about its highest rate. So the search
begins there: a rate a little below should be sustained, and a rate a little above should not; both
are tried side by side. If this is not so, further trials step away until it is, and then halve the
interval between. With a long queue more comes out than is carried without one: so a trial below a
rate that is not carried begins at what came out of that one (:func:`_lower`). A trial is a point
like any other, and is judged in the same way (`raidsim.running.session`). It is long enough to
distinguish rates that differ by a few per cent.

Loads that are saturated together are scaled together; all others stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from raidsim.observe.saturation import LEAST_BACKLOG
from raidsim.result import Carried, Point
from raidsim.scenario import LoadSpec, Scenario
from raidsim.scenario.intensity import at, of_a_burst, offered
from raidsim.workers.engine import execute

PRECISION = 0.02
"""How far the rate may be from what is carried, as a share."""

APART = 1.025
"""Ratio of a rate that is not carried to one that is, in the end; the rest of the precision is
what the judgement of a trial may be wrong."""

LEAST = 1e-4
"""Share of what came out of the saturated system below which nothing is looked for."""

GUIDED = 4
"""Trials at most that go down by what came out of those before; others take larger steps."""

MOST_DOWN = 4.0
"""By how many times a rate is reduced at most, in one such step."""

TRIAL_IOS = 100_000
"""I/Os of the saturated loads in a trial. Chance piles up 3 sqrt(n): 1 % of as many."""

TRIAL_PERIODS = 5  # of bursts, in a trial at least: from one to the next it is seen what piles up
MOST_TRIAL_IOS = 2_000_000
TRIAL_PRECISION = 0.005
TRIAL_CONFIDENCE = 0.95
LONGEST_TRIAL = 24 * 3600.0  # s

Measure = Callable[[Scenario, int], list[Point]]
"""Measures one intensity of a scenario: a point for each load. Several threads call it."""


@dataclass(frozen=True)
class _Found:
    """The result of a search: the carried rate of each saturated load, and remarks on it.

    Attributes
    ----------
    filled : whether a rate was refused since a cache fills.
    unsettled : whether one was let pass before its caches had settled.
    """

    carried: Sequence[Carried | None] = ()
    filled: bool = False
    unsettled: bool = False

    @property
    def remarks(self) -> str:
        """The remarks, as the end of a sentence."""
        words = ""
        if self.filled:
            words += "; a full cache has more to choose from, and may carry up to a tenth more"
        if self.unsettled:
            words += "; caches had not settled when it was tried, so it may be less in a long run"
        return words


class SustainedRates:
    """The rates that a system carries; a result at one point holds at others too.

    Parameters
    ----------
    scenario
        One in a steady state: without events, machines and loads that end.
    measure
        What runs a trial.
    """

    def __init__(self, scenario: Scenario, measure: Measure) -> None:
        self.scenario = scenario
        self.measure = measure
        self._found: dict[tuple[object, ...], _Found] = {}

    def add_to(self, points: Sequence[Point], intensity: int) -> list[Point]:
        """Return the points of an intensity, the saturated ones with the rate that is carried."""
        names = {point.load for point in points if point.saturated}
        loads = [load for load in self.scenario.loads if load.name in names]
        found = self._of(loads, points, intensity)
        carried = {load.name: one for load, one in zip(loads, found.carried, strict=True)}
        where = "" if len(loads) == 1 else " where all saturated loads ask for the same share"
        return [
            _with_carried(point, carried[point.load], where, found.remarks)
            if point.saturated
            else point
            for point in points
        ]

    def _of(self, loads: list[LoadSpec], points: Sequence[Point], intensity: int) -> _Found:
        """Return the carried rates of the saturated loads."""
        if not loads:
            return _Found()
        rates = [at(load.rate, intensity) for load in loads]
        others = [
            (at(load.outstanding, intensity), at(load.rate, intensity))
            for load in self.scenario.loads
            if load not in loads
        ]
        mix = [rate / rates[0] for rate in rates]
        same = (tuple(load.name for load in loads), tuple(mix), tuple(others))
        known = self._found.get(same)
        if known is None or any(
            one is not None and one.high > rate
            for one, rate in zip(known.carried, rates, strict=True)
        ):
            known = self._search(loads, points, intensity)
            self._found[same] = known
        return known

    def _search(self, loads: list[LoadSpec], points: Sequence[Point], intensity: int) -> _Found:
        names = [load.name for load in loads]
        rates = [at(load.rate, intensity) for load in loads]
        came_out = sum(point.iops.mean for point in points if point.load in names)
        asked = sum(offered(load, intensity) for load in loads)
        everything = sum(point.iops.mean for point in points)
        # Of a rate that is far too high nothing may have come out before the point was ended.
        share_of_all = came_out / everything if came_out > 0 else 1.0

        filled = unsettled = False
        out: dict[float, float] = {}  # share that came out of a rate that was not carried

        def is_carried(found: Sequence[Point]) -> bool:
            nonlocal filled, unsettled
            too_much = [point for point in found if point.load in names and point.saturated]
            # Before a cache is full nothing waits; that it fills is what speaks against the rate.
            filled |= any(point.counts.in_flight < LEAST_BACKLOG for point in too_much)
            if not too_much:
                unsettled |= any(one.unsettled for one in found if one.load in names)
            return not too_much

        def are_carried(shares: Sequence[float]) -> list[bool]:
            trials = [self._trial(loads, intensity, share, share_of_all) for share in shares]
            rows = execute(trials, lambda trial: self.measure(trial, intensity))
            for share, found in zip(shares, rows, strict=True):
                out[share] = sum(one.iops.mean for one in found if one.load in names) / asked
            return [is_carried(found) for found in rows]

        border = bracket(min(max(came_out / asked, LEAST), 1.0), are_carried, out.get)
        carried: list[Carried | None] = [None] * len(loads)
        if border is not None:
            low, high = border
            carried = [Carried((low + high) / 2 * rate, low * rate, high * rate) for rate in rates]
        return _Found(carried, filled, unsettled)

    def _trial(
        self, loads: list[LoadSpec], intensity: int, share: float, share_of_all: float
    ) -> Scenario:
        """The scenario with a share of the rates of these loads, and measured for long enough."""
        trial = self.scenario
        for load in loads:
            trial = trial.at(load, share * at(load.rate, intensity))
        measure = trial.measure
        ios = min(max(measure.min_ios, math.ceil(TRIAL_IOS / share_of_all)), MOST_TRIAL_IOS)
        bursts = math.ceil(TRIAL_PERIODS * share * max(of_a_burst(one, intensity) for one in loads))
        ios = max(ios, bursts)
        asked = share * sum(offered(load, intensity) for load in loads)
        long = measure.model_copy(
            update={
                "precision": TRIAL_PRECISION,
                "confidence": TRIAL_CONFIDENCE,
                "min_ios": ios,
                "max_ios": max(2 * ios, min(measure.max_ios, 2 * MOST_TRIAL_IOS)),
                "max_time": min(max(measure.max_time, 4 * TRIAL_IOS / asked), LONGEST_TRIAL),
            }
        )
        return trial.model_copy(update={"measure": long})


def bracket(
    guess: float,
    are_carried: Callable[[Sequence[float]], list[bool]],
    came_out: Callable[[float], float | None] = lambda _: None,
) -> tuple[float, float] | None:
    """Find a share of the asked rate that is carried, and one little above that is not.

    Parameters
    ----------
    guess
        About where the border lies; the whole, 1, is known not to be carried.
    are_carried
        Tries some shares, side by side.
    came_out
        Which share came out of one that was tried; None if that is not known.

    Returns
    -------
    tuple
        The two shares, no further apart than `APART`; None if nothing worth the name is carried.
    """
    low, high = guess / math.sqrt(APART), min(guess * math.sqrt(APART), 1.0)
    step = APART
    is_carried, *above = are_carried([low] if high >= 1.0 else [low, high])
    if is_carried:
        while above == [True]:
            low, high, step = high, min(high * step, 1.0), step**2
            above = are_carried([high]) if high < 1.0 else []
    else:
        above_it: list[tuple[float, float]] = []  # rates that are not carried, with what came out
        while True:
            high, out = low, came_out(low)
            if len(above_it) < GUIDED and out is not None and out < low / APART:
                above_it.append((low, out))
                low = max(_lower(above_it) / math.sqrt(APART), low / MOST_DOWN)
            else:
                low, step = low / step, step**2
            if low < LEAST * guess:
                return None
            if are_carried([low])[0]:
                break
    while high > APART * low * (1 + 1e-9):
        middle = math.sqrt(low * high)
        if are_carried([middle])[0]:
            low = middle
        else:
            high = middle
    return low, high


def _lower(tried: Sequence[tuple[float, float]]) -> float:
    """Return about the share that is carried, from shares that are not, with what came out of them.

    The longer the queue is, the more comes out, but by less and less. So what came out last is too
    much, and a straight line through the last two, to where all comes out, leads to too little.
    """
    share, out = tried[-1]
    if len(tried) == 1:
        return out
    before, out_before = tried[-2]
    behind, behind_before = share - out, before - out_before
    if not behind < behind_before:
        return out
    line = share - behind * (before - share) / (behind_before - behind)
    return math.sqrt(out * line) if 0 < line < out else out


def _with_carried(point: Point, found: Carried | None, where: str, remarks: str) -> Point:
    """A saturated point with what is carried of its load, also in words."""
    each = " by each worker" if point.workers > 1 else ""
    words = f"saturated: asked {point.rate:,.10g} IO/s{each}"
    if found is None:
        words += f", next to nothing is carried{where}"
    else:
        rate = float(f"{found.rate:.4g}")
        about = f"{rate:,.10g} IO/s ±{100 * PRECISION:g} %"
        came_out = point.iops.mean / point.workers
        if came_out > rate * (1 + PRECISION):
            words += (
                f", {about} are carried without end{where}{remarks}; here {came_out:,.4g} IO/s come"
                " out because requests wait: a longer queue is sorted better, a cache fills, or"
                " reads overtake writes"
            )
        else:
            words += f", at most {about} are carried{where}{remarks}"
    return replace(point, carried=found, warnings=[words, *point.warnings])
