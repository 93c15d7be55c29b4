"""A search for the highest load within a latency.

The sweep is followed up to the first point that exceeds the latency. Further points narrow the step
before this point until its ends are as near to each other as the requested precision of the
throughput. For outstanding I/Os, a few points are first placed where a straight line between the
ends crosses the limit, and then each in the middle, until they are neighbouring whole numbers. The
answer is between the two ends: throughput and latency are interpolated linearly. So the answer does
not jump from one whole number to the next when chance moves a latency across the limit.

Where only the answer is wanted, fewer points do: the first of a long sweep need not be precise, and
none is simulated where twice as many outstanding I/Os are within the latency, even if they all wait
for each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from raidsim.progress import OnPoint, PointProgress
from raidsim.result import Highest, Interval, Point
from raidsim.scenario import LoadSpec, Scenario
from raidsim.stats import search
from raidsim.units import MS_PER_S

ROUGH = 5.0
"""Times the requested precision: that of the first point, where only the answer is wanted."""

LONG_SWEEP = 3
"""Values of a sweep from which on its first one hardly is a part of the answer."""

CLEAR = 3.0
"""Half intervals by which the latency of such a point is beyond the limit, or below it, at least.
They are 95 % intervals: chance puts one in a hundred million on the wrong side."""

Measure = Callable[[Scenario, OnPoint | None], list[Point]]
"""Measures the first intensity of a scenario: a point for each load."""


@dataclass(frozen=True)
class _Step:
    """Figures of the two points between which the latency lies: means, or ends of intervals."""

    iops: tuple[float, float]
    mbps: tuple[float, float]
    ms: tuple[float, float]

    def share_at(self, limit: float) -> float:
        """Return the place of the limit between the first and the second, 0 to 1."""
        low, high = self.ms
        return min(max((limit - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def find_highest(
    scenario: Scenario,
    load: LoadSpec,
    measure: Measure,
    on_point: OnPoint | None,
    measured: dict[float, list[Point]],
) -> Highest:
    """Find the highest intensity of a load within its latency; simulate all points up to it.

    Parameters
    ----------
    scenario, load
        The load of it that is searched for.
    measure
        What runs a point.
    on_point
        Told how far the search is.
    measured
        Takes the points as they are finished, by what was outstanding or offered.
    """
    return _Search(scenario, load, measure, on_point, measured).highest()


def find_highest_alone(
    scenario: Scenario,
    load: LoadSpec,
    measure: Measure,
    on_point: OnPoint | None,
    measured: dict[float, list[Point]],
) -> Highest:
    """Find the same intensity as :func:`find_highest`; simulate only points that the answer needs.

    Where no point can be left out, it does what :func:`find_highest` does. Else ``measured`` takes
    only the points that the answer is made of.
    """
    alone = len(scenario.loads) == 1 and load.within_percentile is None
    kind = _ShortSearch if alone and load.outstanding is not None else _Search
    return kind(scenario, load, measure, on_point, measured).highest()


class _Search:
    """A search that simulates every point of the sweep, up to the first beyond the latency."""

    def __init__(
        self,
        scenario: Scenario,
        load: LoadSpec,
        measure: Measure,
        on_point: OnPoint | None,
        measured: dict[float, list[Point]],
    ) -> None:
        self.scenario = scenario
        self.load = load
        self.limit = (load.within or 0.0) * MS_PER_S
        self.measure = measure
        self.on_point = on_point
        self.measured = measured
        self.found: dict[float, Point] = {}  # what the search has looked at

    def highest(self) -> Highest:
        """Search, and interpolate between the last point within the latency and the next one."""
        load = self.load
        border = search.highest(
            load.intensities,
            self.is_within,
            whole=load.outstanding is not None,
            resolution=self.scenario.measure.precision,
            guess=self.expected,
        )
        return self.answer(border)

    def answer(self, border: search.Border) -> Highest:
        """The highest load, where the border is found."""
        load, limit = self.load, self.limit
        highest = Highest(load.name, limit, load.within_percentile, border.exceeded)
        beyond = None if border.exceeded is None else self.precise(border.exceeded)
        if border.holds is None:
            return highest
        best = self.precise(border.holds)
        iops, mbps = best.iops, best.mbps
        if beyond is not None:
            iops, mbps = between(best, beyond, limit)
        return replace(
            highest,
            outstanding=best.outstanding,
            rate=best.rate,
            iops=iops,
            mbps=mbps,
            latency_ms=best.within_ms,
        )

    def is_within(self, value: float, left: int) -> bool:
        """Return whether the latency holds at an intensity; so many points may follow."""
        return bool(self.look_at(value, left).within)

    def look_at(self, value: float, left: int) -> Point:
        """The point at an intensity, as precise as the search needs it."""
        if value not in self.found:
            self.found[value] = self.simulate(value, left)
        return self.found[value]

    def simulate(self, value: float, left: int) -> Point:
        """The point that the search has not looked at before."""
        return self.precise(value, left)

    def precise(self, value: float, left: int = 0) -> Point:
        """The point at an intensity, as precise as the scenario asks; simulated at most once."""
        if value not in self.measured:
            tell = partial(self._tell, len(self.measured), left)
            self.measured[value] = self.measure(self.scenario.at(self.load, value), tell)
        return _of(self.load, self.measured[value])

    def _tell(self, number: int, left: int, at: PointProgress) -> None:
        if self.on_point is not None:
            self.on_point(replace(at, point_index=number, points=number + 1 + left))

    def expected(self, low: float, high: float) -> float | None:
        """Return the intensity at which a straight line between both reaches the limit; or None."""
        below, beyond = (self.look_at(value, 0).within_ms for value in (low, high))
        if below is None or beyond is None or beyond <= below:
            return None
        return low + (high - low) * (self.limit - below) / (beyond - below)


class _ShortSearch(_Search):
    """A search that leaves out points whose side of the latency is known, or seen at a glance."""

    def answer(self, border: search.Border) -> Highest:
        """The highest load; of a search for all points, if fewer points were misleading."""
        if border.exceeded is not None:
            self.precise(border.exceeded)
        if border.holds is not None and not self.precise(border.holds).within:
            # More outstanding I/Os were slower than that many times the latency of fewer.
            return _Search(
                self.scenario, self.load, self.measure, self.on_point, self.measured
            ).highest()
        return super().answer(border)

    def is_within(self, value: float, left: int) -> bool:
        """Return whether the latency holds at an intensity, or surely does at the next one."""
        later = [one for one in self.load.intensities if one > value][:1]
        if value in self.load.intensities and any(self.is_sure(one) for one in later):
            return True
        return super().is_within(value, left)

    def is_sure(self, value: float) -> bool:
        """Return whether this many are within it even if they go no faster than fewer do."""
        return any(
            one.within_ms is not None and one.within_ms * value < self.limit * fewer
            for fewer, one in self.found.items()
        )

    def simulate(self, value: float, left: int) -> Point:
        """The point that the search has not looked at before; the first of a long sweep roughly."""
        ladder = self.load.intensities
        if value == ladder[0] and len(ladder) >= LONG_SWEEP:
            return self.roughly(value, left)
        return self.precise(value, left)

    def roughly(self, value: float, left: int) -> Point:
        """The point at an intensity, more precise only if its side of the limit is not clear."""
        points = self.measure(_roughly(self.scenario).at(self.load, value), None)
        point = _of(self.load, points)
        if _precision(point) <= self.scenario.measure.precision:
            self.measured[value] = points  # a more precise one would have ended there too
        elif not _is_clear(point, self.limit):
            return self.precise(value, left)
        return point


def between(best: Point, beyond: Point, limit: float) -> tuple[Interval, float]:
    """Throughput (IO/s, MB/s) where the latency reaches a limit, between a point below and one not.

    It is that of the point below where no latency tells how far the other one is beyond: that one
    is saturated, or I/Os of it failed.

    The interval goes with those of the two points. While so many I/Os are outstanding, latency is
    what throughput is not (Little's law): where the one is higher, the other is lower.
    """
    if best.within_ms is None or beyond.within_ms is None or beyond.within_ms <= limit:
        return best.iops, best.mbps
    means = _step(best, beyond, (1.0, 1.0))
    share = means.share_at(limit)
    iops, mbps = _at(means.iops, share), _at(means.mbps, share)
    ends = []
    for end in ("low", "high"):
        values = [getattr(point.iops, end) for point in (best, beyond)]
        if None in values or best.iops.mean <= 0 or beyond.iops.mean <= 0:
            return Interval(iops, None, None), mbps
        by = (values[0] / best.iops.mean, values[1] / beyond.iops.mean)
        if min(by) <= 0:
            return Interval(iops, None, None), mbps
        step = _step(best, beyond, by)
        ends.append(_at(step.iops, step.share_at(limit)))
    return Interval(iops, min(iops, *ends), max(iops, *ends)), mbps


def _step(best: Point, beyond: Point, by: tuple[float, float]) -> _Step:
    """The step between two points, their throughput ``by`` so many times what was measured."""
    assert best.within_ms is not None
    assert beyond.within_ms is not None
    return _Step(
        (best.iops.mean * by[0], beyond.iops.mean * by[1]),
        (best.mbps * by[0], beyond.mbps * by[1]),
        (best.within_ms / by[0], beyond.within_ms / by[1]),
    )


def _at(ends: tuple[float, float], share: float) -> float:
    return ends[0] + share * (ends[1] - ends[0])


def _roughly(scenario: Scenario) -> Scenario:
    """The scenario, whose points need not be as precise."""
    measure = scenario.measure
    less = measure.model_copy(update={"precision": min(ROUGH * measure.precision, 0.5)})
    return scenario.model_copy(update={"measure": less})


def _precision(point: Point) -> float:
    """Half the interval of the rate, as a share; infinite where it is not known or not reached."""
    low, high = point.iops.low, point.iops.high
    if not point.converged or low is None or high is None:
        return math.inf
    return (high - low) / 2 / point.iops.mean if point.iops.mean > 0 else math.inf


def _is_clear(point: Point, limit: float) -> bool:
    """Return whether chance leaves the mean latency of a point on its side of the limit.

    It is as precise as the rate, in closed loads by Little's law; those that are not are precise.
    """
    if point.within_ms is None or point.outstanding is None:
        return False
    off = CLEAR * _precision(point)
    return point.within_ms * (1 + off) < limit or point.within_ms > limit * (1 + off)


def _of(load: LoadSpec, points: list[Point]) -> Point:
    return next(point for point in points if point.load == load.name)
