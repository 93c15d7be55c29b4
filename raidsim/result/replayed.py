"""The replay of a trace in a result, beside the figures of the trace itself."""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.result.figures import Latency


@dataclass(frozen=True)
class Stretch:
    """A part of the time over which a trace was replayed."""

    start_s: float  # from the start of the replay
    end_s: float
    iops: float  # I/Os that ended
    mbps: float
    latency_ms: dict[str, Latency | None]  # keys "read", "write"


@dataclass(frozen=True)
class Replayed:
    """The replay of a trace, beside the figures of the trace itself."""

    file: str
    format: str
    replay: str  # "timed", "closed" or "gaps"
    speed: float
    requests: int  # of the trace, in the slice and on the volumes that were replayed
    issued: int
    not_replayed: dict[str, int]  # by reason
    changed: dict[str, int]  # requests that were not replayed as in the trace, by the change
    measured_ms: dict[str, Latency | None]  # response times in the trace, of the replayed requests
    demerit: float | None  # how far simulated response times are from those, over their mean
    stretches: list[Stretch]
