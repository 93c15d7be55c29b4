"""One number from the points of a run, over all loads that ran at that intensity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from raidsim.result import Point


@dataclass(frozen=True)
class Metric:
    """How a number is read from the points of one intensity, one point for each load."""

    unit: str
    kind: str
    of: Callable[[Sequence[Point]], float | None]


def _iops(points: Sequence[Point]) -> float:
    return sum(point.iops.mean for point in points)


def _mbps(points: Sequence[Point]) -> float:
    return sum(point.mbps for point in points)


def _mean_latency(*kinds: str) -> Callable[[Sequence[Point]], float | None]:
    def of(points: Sequence[Point]) -> float | None:
        found = [point.latency_ms.get(kind) for point in points for kind in kinds]
        present = [latency for latency in found if latency is not None and latency.samples > 0]
        samples = sum(latency.samples for latency in present)
        if samples == 0:
            return None
        return sum(latency.mean * latency.samples for latency in present) / samples

    return of


def _temperature(points: Sequence[Point]) -> float | None:
    found = [drive.temperature_c for point in points for drive in point.drives]
    return max((one.highest for one in found if one is not None), default=None)


def _power(points: Sequence[Point]) -> float | None:
    found = [drive.power_w for point in points for drive in point.drives]
    return max((one for one in found if one is not None), default=None)


METRICS: dict[str, Metric] = {
    "iops": Metric("IO/s", "rate", _iops),
    "mbps": Metric("MB/s", "throughput", _mbps),
    "latency": Metric("ms", "latency", _mean_latency("read", "write")),
    "read_latency": Metric("ms", "latency", _mean_latency("read")),
    "write_latency": Metric("ms", "latency", _mean_latency("write")),
    "temperature_c": Metric("C", "temperature", _temperature),
    "power_w": Metric("W", "power", _power),
}
"""By the name that a claim uses. MB/s are 2**20 bytes per second.

Of several drives ``temperature_c`` is the highest that any of them reached, ``power_w`` the mean
power of the one that takes most.
"""
