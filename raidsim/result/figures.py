"""Figures of one load in a result: rates, latencies, counts, what limits it, and stages.

Times are milliseconds, rates are per second, throughput is MB/s of 2**20 bytes (as the published
documents count). ``None`` means "not measured": no percentile is given with fewer than ten samples
beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval, in the unit of the field that holds it.

    ``low`` and ``high`` are None when too little was measured to give one.
    """

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Latency:
    """Response times of the completed I/Os of one kind, in ms."""

    mean: float
    p50: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    samples: int


@dataclass(frozen=True)
class Counts:
    """Every I/O issued since the start: issued = completed + failed + timed_out + in_flight."""

    issued: int
    completed: int
    failed: int
    timed_out: int
    in_flight: int
    measured: int  # completed inside the window


@dataclass(frozen=True)
class Stage:
    """Mean time per completed host I/O at all stations of one kind, in ms.

    Pages of one request and drives of an array work at the same time, and some work follows the
    answer, so stages may add up to more than the latency.
    """

    waiting: float
    served: float


@dataclass(frozen=True)
class StationUse:
    """One station over the measured window."""

    name: str
    kind: str
    servers: int
    utilisation: float
    queue: float  # mean number waiting


@dataclass(frozen=True)
class Limit:
    """The busiest part of a point: it prevents more I/Os.

    The same part of the drives of an array counts as one, if they are about equally busy.
    """

    station: str  # name, e.g. "data: front end"
    kind: str  # kind of station, e.g. "front end"
    utilisation: float  # busy share of its servers, 0..1; the mean over several drives
    drives: int = 1  # of how many drives that is
    busiest: str | None = None  # of several drives: name of the busiest station
    busiest_utilisation: float | None = None


def owner_and_part(station: str) -> tuple[str, str]:
    """Whose a station is, and which part: "data drive 0: arm"; names may have colons, too."""
    owner, colon, part = station.rpartition(": ")
    return (owner, part) if colon else (station, "")


@dataclass(frozen=True)
class Carried:
    """The highest rate of an open load that its system carries, in IO/s of each worker.

    It is known to 2 %: ``low`` was tried and carried, ``high`` was not.
    """

    rate: float
    low: float
    high: float
