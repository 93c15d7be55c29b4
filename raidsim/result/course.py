"""The events of a scenario, and what they do to a load: phases, operations, lost data."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidsim.result.cuts import PowerCut
from raidsim.result.figures import Interval, Latency


@dataclass(frozen=True)
class Event:
    """Something that happened while the scenario ran."""

    time_s: float  # from the start of measuring
    kind: str  # as the scenario calls it; with "-end" when what lasted for a while is over
    text: str


@dataclass(frozen=True)
class OperationUse:
    """A background operation: a rebuild, a copy-back, a check, an initialisation, a patrol."""

    kind: str
    volume: str
    drive: int | None  # None for an operation on the whole volume
    started_s: float  # from the start of measuring
    seconds: float | None  # for the whole, extrapolated if it is sampled or was cut off
    simulated_seconds: float
    progress: float  # 0..1
    state: str  # "under way", "paused", "done", "stopped" or "failed"
    mbps: float | None  # of each drive that it goes through
    found: int  # sectors that can't be read, and stripes whose parity or copies do not agree
    repaired: int  # of these, put right
    punctured: int  # rows of strips that nothing could restore
    why: str = ""  # it has failed, in words

    @property
    def title(self) -> str:
        """The title: "rebuild of drive 2 of data"."""
        return operation_title(self.kind, self.drive, self.volume)


def operation_title(kind: str, drive: int | None, volume: str) -> str:
    """Return the title of a background operation; without a drive it is the whole volume."""
    return f"{kind} of {volume}" if drive is None else f"{kind} of drive {drive} of {volume}"


@dataclass(frozen=True)
class Phase:
    """A course from one event to the next, as one load sees it."""

    name: str  # what it began with
    start_s: float  # from the start of measuring
    end_s: float
    health: dict[str, str]  # by volume, once it has begun
    iops: Interval
    mbps: float
    latency_ms: dict[str, Latency | None]  # keys "read", "write"
    failed: int  # I/Os that ended with an error
    timed_out: int


@dataclass(frozen=True)
class Moment:
    """The time from the moment before up to ``time_s`` after the start of measuring."""

    time_s: float
    iops: float  # of this load
    mbps: float
    latency_ms: float | None  # mean of the I/Os that completed; None if none did
    temperature_c: dict[str, float]  # by volume: of its hottest drive, at the end
    dirty: dict[str, int]  # by controller: bytes in its cache that the drives do not have
    progress: dict[str, float]  # by operation under way, 0..1


@dataclass(frozen=True)
class Loss:
    """Data that was acknowledged, and is gone."""

    time_s: float  # from the start of measuring
    kind: str  # of the event
    volume: str
    bytes: int


@dataclass(frozen=True)
class Course:
    """The events of a scenario, and their effect on one load."""

    events: list[Event]
    operations: list[OperationUse]
    phases: list[Phase]
    timeline: list[Moment]
    losses: list[Loss] = field(default_factory=list)
    power_cuts: list[PowerCut] = field(default_factory=list)
