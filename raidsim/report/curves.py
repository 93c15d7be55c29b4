"""The points of a result as every report arranges them: one curve per load.

The axis of a curve is the number of outstanding I/Os of a closed load, or the offered rate of an
open one. If all points of a load have the same number, because another load of the scenario varies,
the axis is the step of the sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from raidsim import units
from raidsim.result import Highest, Latency, Point, Result
from raidsim.result.draws import PointUnknowns

Axis = Literal["outstanding", "rate", "step"]
QUANTILES = ("p50", "p95", "p99", "p999")
QUANTILE_LABELS = {"mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}
KINDS = ("read", "write")
OTHERS = "all others"


@dataclass(frozen=True)
class Curve:
    """The points of one load, in the order in which they were run."""

    load: str
    axis: Axis
    points: tuple[Point, ...]
    highest: Highest | None = None  # what a search for a latency came to
    unknowns: tuple[PointUnknowns, ...] = ()  # what cards do not know: of each point, or of that
    counted: float = 1.0  # share of its rate that a throughput counts: no pauses, and no trims

    @property
    def x(self) -> tuple[float, ...]:
        """Position of each point: outstanding I/Os, offered IO/s, or step (from 1)."""
        if self.axis == "outstanding":
            return tuple(float(point.outstanding or 0) for point in self.points)
        if self.axis == "rate":
            return tuple(point.rate or 0.0 for point in self.points)
        return tuple(float(step) for step in range(1, len(self.points) + 1))

    @property
    def offered(self) -> tuple[float, ...]:
        """The rate that all workers of an open load ask for at each point, as throughput counts."""
        return tuple((point.rate or 0.0) * point.workers * self.counted for point in self.points)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of I/O, "read" and "write", that any point measured."""
        return tuple(
            kind for kind in KINDS if any(point.latency_ms.get(kind) for point in self.points)
        )


def curves(result: Result) -> list[Curve]:
    """Group the points of a result by load, in order of first appearance."""
    by_load: dict[str, list[Point]] = {}
    for point in result.points:
        by_load.setdefault(point.load, []).append(point)
    found = result.highest
    unknowns = [] if result.unknowns is None else result.unknowns.points
    return [
        Curve(
            load,
            _axis(points),
            tuple(points),
            found if found and found.load == load else None,
            tuple(one for one in unknowns if one.load == load),
            _counted(result, load),
        )
        for load, points in by_load.items()
    ]


def _counted(result: Result, load: str) -> float:
    """Share of the rate of a load that comes out as throughput, as its scenario says it."""
    described: Any = result.scenario.get("load", [])
    for one in described:
        if one.get("name") != load:
            continue
        share = 1 - units.parse(one.get("trim", "0 %"), "share")
        if burst := one.get("burst"):
            on, off = (units.parse(burst[part], "time") for part in ("on", "off"))
            share *= on / (on + off)
        return share
    return 1.0


def _axis(points: Sequence[Point]) -> Axis:
    outstanding = [point.outstanding for point in points]
    if None not in outstanding and len(set(outstanding)) == len(points):
        return "outstanding"
    rates = [point.rate for point in points]
    if None not in rates and len(set(rates)) == len(points):
        return "rate"
    return "step"


def offered(point: Point) -> str:
    """Return the load of a point: "32 outstanding", "1,000 IO/s offered x 4 workers"."""
    workers = f" x {point.workers} workers" if point.workers > 1 else ""
    if point.outstanding is not None:
        return f"{point.outstanding} outstanding{workers}"
    if point.rate is not None:
        return f"{units.plain(point.rate, 6)} IO/s offered{workers}"
    if point.machines is not None:
        return f"{point.workers:,} machines"
    if point.trace is not None:
        return f"{point.trace.replay} replay"
    return "given arrivals" if point.workers else "no load"


def station_kinds(points: Iterable[Point]) -> list[str]:
    """Kinds of station that took any time in any of the points, in order of appearance."""
    kinds: dict[str, None] = {}
    for point in points:
        for kind, stage in point.stages.items():
            if stage.waiting > 0 or stage.served > 0:
                kinds.setdefault(kind)
    return list(kinds)


def stage_groups(points: Sequence[Point], most: int) -> dict[str, tuple[str, ...]]:
    """The kinds of station as ``most`` groups, so that each can have a colour of its own.

    A group for each of the kinds where I/Os are longest, in order of appearance, and a last one
    of all others. Names of groups and their kinds.
    """
    kinds = station_kinds(points)
    if len(kinds) <= most:
        return {kind: (kind,) for kind in kinds}

    def share(kind: str) -> float:
        return max(
            (stage_time(point, [kind]) / total if (total := stage_time(point, kinds)) else 0.0)
            for point in points
        )

    largest = sorted(kinds, key=share, reverse=True)[: most - 1]
    groups = {kind: (kind,) for kind in kinds if kind in largest}
    return groups | {OTHERS: tuple(kind for kind in kinds if kind not in largest)}


def stage_time(point: Point, kinds: Iterable[str]) -> float:
    """Mean time that an I/O spends at all stations of some kinds, in ms."""
    stages = [point.stages[kind] for kind in kinds if kind in point.stages]
    return sum(stage.waiting + stage.served for stage in stages)


def latency_values(points: Iterable[Point]) -> list[float]:
    """Every latency figure (ms) that a table of these points shows."""
    values = []
    for point in points:
        for latency in point.latency_ms.values():
            if latency is not None:
                values += [v for v in figures(latency) if v is not None]
    return values


def figures(latency: Latency) -> tuple[float | None, ...]:
    """Mean, p50, p95, p99 and p99.9 of a latency, in ms."""
    return (latency.mean, latency.p50, latency.p95, latency.p99, latency.p999)


def latency_unit(points: Iterable[Point]) -> tuple[str, float]:
    """Unit for a whole table and its factor from ms: us while all figures are below 1 ms."""
    largest = max(latency_values(points), default=1.0)
    return ("us", 1000.0) if largest < 1.0 else ("ms", 1.0)


def half_width(point: Point) -> float | None:
    """Half the 95 % interval of the throughput as a share of its mean; None if unknown."""
    iops = point.iops
    if iops.low is None or iops.high is None or iops.mean <= 0:
        return None
    return (iops.high - iops.low) / 2 / iops.mean


def throughput_range(point: Point) -> tuple[float, float]:
    """Distances (IO/s) from the mean down and up to the ends of its interval; 0 if unknown."""
    iops = point.iops
    low = iops.mean if iops.low is None else iops.low
    high = iops.mean if iops.high is None else iops.high
    return max(iops.mean - low, 0.0), max(high - iops.mean, 0.0)
