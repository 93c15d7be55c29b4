"""One number from the points of a run, over all loads that ran at that intensity."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raidsim.result import Point


@dataclass(frozen=True)
class Metric:
    """A way to read a number from the points of one intensity, one point for each load.

    ``of`` also takes where a course of time is read: a time in s, a share, or None.
    """

    unit: str
    kind: str
    of: Callable[[Sequence[Point], float | None], float | None]
    may_be_zero: bool = False


def _iops(points: Sequence[Point], _: float | None) -> float:
    return sum(point.iops.mean for point in points)


def _mbps(points: Sequence[Point], _: float | None) -> float:
    return sum(point.mbps for point in points)


def _mean_latency(*kinds: str) -> Callable[[Sequence[Point], float | None], float | None]:
    def of(points: Sequence[Point], _: float | None) -> float | None:
        if any(point.saturated for point in points):
            return None  # it would be whatever the length of the run makes of it
        found = [point.latency_ms.get(kind) for point in points for kind in kinds]
        present = [latency for latency in found if latency is not None and latency.samples > 0]
        samples = sum(latency.samples for latency in present)
        if samples == 0:
            return None
        return sum(latency.mean * latency.samples for latency in present) / samples

    return of


def _quantile(name: str) -> Callable[[Sequence[Point], float | None], float | None]:
    def of(points: Sequence[Point], _: float | None) -> float | None:
        found = [one for point in points for one in point.latency_ms.values() if one is not None]
        present = [one for one in found if one.samples > 0]
        if len(present) != 1 or any(point.saturated for point in points):
            return None  # no quantile of two loads, or of reads and writes, follows from theirs
        quantile: float | None = getattr(present[0], name)
        return quantile

    return of


def _temperature(points: Sequence[Point], _: float | None) -> float | None:
    found = [drive.temperature_c for point in points for drive in point.drives]
    return max((one.highest for one in found if one is not None), default=None)


def _power(points: Sequence[Point], _: float | None) -> float | None:
    found = [drive.power_w for point in points for drive in point.drives]
    return max((one for one in found if one is not None), default=None)


def _operation(points: Sequence[Point], _: float | None) -> float | None:
    courses = [point.course for point in points if point.course is not None]
    found = [use.mbps for course in courses for use in course.operations]
    return min((one for one in found if one is not None), default=None)


def _ready(points: Sequence[Point]) -> list[float | None]:
    """Times (s) at which machines became ready, of all groups; None for one that did not."""
    groups = [point.machines for point in points if point.machines is not None]
    return [time for group in groups for time in group.ready_s]


def _ready_share(points: Sequence[Point], time: float | None) -> float | None:
    found = _ready(points)
    if not found or time is None:
        return None
    return 100 * sum(one is not None and one <= time for one in found) / len(found)


def _ready_time(points: Sequence[Point], share: float | None) -> float | None:
    found = _ready(points)
    if not found or share is None:
        return None
    ready = sorted(one for one in found if one is not None)
    wanted = max(math.ceil(share * len(found) - 1e-9), 1)
    return ready[wanted - 1] if wanted <= len(ready) else None


def _ready_mean(points: Sequence[Point], _: float | None) -> float | None:
    found = [one for one in _ready(points) if one is not None]
    return sum(found) / len(found) if found and len(found) == len(_ready(points)) else None


PERCENTILES = ("p50_latency", "p95_latency", "p99_latency", "p999_latency")

METRICS: dict[str, Metric] = {
    "iops": Metric("IO/s", "rate", _iops),
    "mbps": Metric("MB/s", "throughput", _mbps),
    "latency": Metric("ms", "latency", _mean_latency("read", "write")),
    "read_latency": Metric("ms", "latency", _mean_latency("read")),
    "write_latency": Metric("ms", "latency", _mean_latency("write")),
    **{
        name: Metric("ms", "latency", _quantile(name.removesuffix("_latency")))
        for name in PERCENTILES
    },
    "temperature_c": Metric("C", "temperature", _temperature),
    "power_w": Metric("W", "power", _power),
    "operation_mbps": Metric("MB/s", "throughput", _operation),
    "ready_mean": Metric("s", "boot", _ready_mean),
    "ready_share": Metric("%", "boot", _ready_share, may_be_zero=True),
    "ready_time": Metric("s", "boot", _ready_time),
}
"""By the name that a claim uses. MB/s are 2**20 bytes per second.

``p50_latency`` and the like are quantiles of one load that only reads or only writes. Of several
drives ``temperature_c`` is the highest that any of them reached, ``power_w`` the mean power of the
one that takes most. ``operation_mbps`` is what the slowest of the rebuilds, checks and the like of
a course went through of each drive in a second. ``ready_...`` are about machines: mean time to
become ready, share of them that is ready at a time, time by which a share of them is.
"""
