"""One load at one intensity: the row of a result that reports show."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidsim.result.course import Course
from raidsim.result.figures import Carried, Counts, Interval, Latency, Limit, Stage, StationUse
from raidsim.result.hardware import ArrayUse, ControllerUse, DriveUse, HybridUse, MachineUse
from raidsim.result.replayed import Replayed

NO_LOAD = "no load"
"""Load of the point of a scenario with events in which none has run."""

FROM_THE_START = "measured from the start: the load has an end"
"""Warning of a point that is no steady state: no precision was asked for."""


@dataclass(frozen=True)
class Sample:
    """The time from the sample before up to ``time_s`` after the window's start."""

    time_s: float
    iops: float  # of this load
    mbps: float
    temperature_c: dict[str, float]  # by drive, at the end
    power_w: dict[str, float]  # by drive, mean
    throttled: dict[str, str]  # by drive that throttled: "lightly" or "heavily", the longer


@dataclass(frozen=True, repr=False)
class Point:
    """One load at one intensity."""

    load: str
    outstanding: int | None  # closed loads: I/Os outstanding per worker
    rate: float | None  # open loads: offered IO/s
    workers: int
    iops: Interval
    mbps: float
    latency_ms: dict[str, Latency | None]  # keys "read", "write"; "flush", "trim" if it asks
    limited_by: Limit | None
    stages: dict[str, Stage]  # by kind of station
    stations: list[StationUse]
    counts: Counts
    window_s: float  # simulated time measured, after warm-up
    warmup_s: float
    converged: bool
    warnings: list[str] = field(default_factory=list)
    drives: list[DriveUse] = field(default_factory=list)
    controllers: list[ControllerUse] = field(default_factory=list)
    hybrids: list[HybridUse] = field(default_factory=list)
    arrays: list[ArrayUse] = field(default_factory=list)
    series: list[Sample] = field(default_factory=list)  # empty for short runs
    within: bool | None = None  # loads that are searched for: whether it is within the latency
    within_ms: float | None = None  # the compared latency: mean or percentile of all I/Os
    course: Course | None = None  # of a scenario with events
    trace: Replayed | None = None  # of a load that replays one
    machines: MachineUse | None = None  # of a group of machines instead of a load
    saturated: bool = False  # an open load that asks for more than the system carries
    carried: Carried | None = None  # of a saturated load: None where it was not looked for
    unsettled: list[str] = field(default_factory=list)  # what was not steady yet, in words

    def __repr__(self) -> str:
        from raidsim.report import glance  # noqa: PLC0415  (which reads results)

        return f"<Point {glance.line(self)}>"
