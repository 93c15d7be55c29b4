"""What a run found, as plain data: the one thing that every report reads.

Times are milliseconds, rates are per second, throughput is MB/s of 2**20 bytes
(as the published documents count). ``None`` stands for "not measured": no
percentile is given that rests on fewer than ten samples beyond it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = "raidsim.result/1"


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
class Limit:
    """The busiest part of a point: what stands in the way of more I/Os.

    The same part of the drives of an array counts as one, where they are about as busy.
    """

    station: str  # name, e.g. "data: front end"
    kind: str  # kind of station, e.g. "front end"
    utilisation: float  # busy share of its servers, 0..1; the mean over several drives
    drives: int = 1  # of how many drives that is
    busiest: str | None = None  # of several drives: name of the busiest station
    busiest_utilisation: float | None = None


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
class Counts:
    """Every I/O issued since the start: issued = completed + failed + timed_out + in_flight."""

    issued: int
    completed: int
    failed: int
    timed_out: int
    in_flight: int
    measured: int  # completed inside the window


@dataclass(frozen=True)
class Temperature:
    """What a drive reports of itself over the window, in C."""

    start: float
    end: float
    highest: float
    steady: float  # where it would end at the window's mean power, if it did not throttle


@dataclass(frozen=True)
class DriveUse:
    """One drive over the measured window; None for what its card does not tell.

    What is by day and by year is the window's, extrapolated.
    """

    name: str
    kind: str  # "ssd" or "hdd"
    power_w: float | None  # mean
    temperature_c: Temperature | None
    throttled: float | None  # share of the time, 0..1
    throttles_from_c: dict[str, float]  # "lightly", "heavily": from which temperature on
    write_amplification: float | None = None  # flash only; None if nothing was written
    written_per_day_tb: float = 0.0  # by the host; 10**12 bytes
    drive_writes_per_day: float = 0.0
    rated_writes_per_day: float | None = None  # over the warranty
    cycles_per_year: float | None = None  # program/erase cycles of a block, on average
    years_to_rated: float | None = None  # until the rated bytes are written; None if nothing is
    unsafe_mean: float = 0.0  # bytes acknowledged that are not on the medium yet
    unsafe_peak: int = 0
    protected: bool = False  # a power cut doesn't cost them
    volume: str = ""


@dataclass(frozen=True)
class WriteMode:
    """How a volume's writes use the cache of its controller: "through" or "back"."""

    asked: str  # as the scenario words it
    in_effect: str  # without a good battery it may be another


@dataclass(frozen=True)
class ControllerUse:
    """One controller over the measured window, all volumes on it together."""

    name: str
    cache_bytes: int  # 0 without a cache
    protection: str  # what keeps its cache in a power cut: "none", "battery" or "flash"
    battery: str  # state of that: "good", "low", "learning" or "absent"
    writes: dict[str, WriteMode]  # by volume
    reads: int  # of the host that were looked up in the cache
    hits: int  # of these, found there
    dirty_mean: float  # bytes of strips that the drives do not have yet
    dirty_peak: int
    lost_mean: float  # bytes that a power cut would lose; 0 with a good battery
    lost_peak: int


@dataclass(frozen=True)
class HybridUse:
    """One hybrid over the measured window, all loads on it together."""

    name: str
    mode: str  # "cache" or "tier"
    front_bytes: int  # of the front that it uses
    held_bytes: int  # of blocks that are there at the end of the window
    reads: int  # parts of reads, each in one block
    hits: int  # of these, answered by the front
    writes: int  # requests
    past: int  # of these, straight to the back
    waits: int  # of these, that waited for room in the front
    promoted_bytes: int  # into the front, after a miss
    written_back_bytes: int  # from the front to the back
    lost_reads: int  # requests for what only a failed front had
    dirty_mean: float  # bytes of blocks that only the front has
    dirty_peak: int
    lost_bytes: int  # that only a failed front had


@dataclass(frozen=True)
class Sample:
    """The time from the sample before up to ``time_s`` after the window's start."""

    time_s: float
    iops: float  # of this load
    mbps: float
    temperature_c: dict[str, float]  # by drive, at the end
    power_w: dict[str, float]  # by drive, mean
    throttled: dict[str, str]  # by drive that throttled: "lightly" or "heavily", the longer


@dataclass(frozen=True)
class Point:
    """One load at one intensity."""

    load: str
    outstanding: int | None  # closed loads: I/Os outstanding per worker
    rate: float | None  # open loads: offered IO/s
    workers: int
    iops: Interval
    mbps: float
    latency_ms: dict[str, Latency | None]  # keys "read", "write"
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
    series: list[Sample] = field(default_factory=list)  # empty for short runs
    within: bool | None = None  # loads that are searched for: whether it is within the latency
    within_ms: float | None = None  # what was held against it: mean or percentile of all I/Os


@dataclass(frozen=True)
class Highest:
    """The highest load within a latency; None for its figures if not even the first is within."""

    load: str
    within_ms: float  # the latency asked for
    percentile: float | None  # share of the I/Os that must be within it; None: their mean
    exceeded_at: float | None  # least load found that is not within it; None if all are
    outstanding: int | None = None
    rate: float | None = None
    iops: Interval | None = None
    mbps: float | None = None
    latency_ms: float | None = None  # mean or percentile of all I/Os


@dataclass(frozen=True)
class Power:
    """Electric power as the cards say it, in W; None where a card is silent."""

    idle: float | None
    active: float | None  # under load, at most


@dataclass(frozen=True)
class VolumeFacts:
    """What a volume is, whatever runs on it."""

    name: str
    level: str
    drives: int
    drive: str  # name of the card
    raw_bytes: int  # of all its drives
    usable_bytes: int
    failures_tolerated: int  # any drives, without loss of data
    failed: list[int]  # drives that had failed before the run began
    power_w: Power  # of its drives


@dataclass(frozen=True)
class LinkFacts:
    """What the connection of a controller or link to the part above it carries, each way."""

    name: str
    to: str
    speed: str  # kind and generation of its lanes
    lanes: int
    mbps: float  # payload
    drives: int  # below it
    arriving_mbps: float  # what they can deliver together for long
    oversubscription: float  # arriving over carried: above 1 it holds the drives back


@dataclass(frozen=True)
class HybridFacts:
    """What a hybrid is, whatever runs on it."""

    name: str
    mode: str  # "cache" or "tier"
    front: str  # names of volumes
    back: str
    front_bytes: int  # of the front that it uses
    usable_bytes: int
    block_bytes: int


@dataclass(frozen=True)
class SystemPower:
    """Power of everything whose card says it, in W."""

    idle: float
    active: float
    without: list[str]  # cards that do not say it


@dataclass(frozen=True)
class Result:
    """A whole run: what was asked (seed, scenario, versions) and what was found."""

    raidsim: str
    seed: int
    scenario: dict[str, Any]
    provenance: dict[str, str]  # versions of packages, hash of the sources
    volumes: list[VolumeFacts]
    links: list[LinkFacts]
    power_w: SystemPower
    points: list[Point]
    highest: Highest | None = None  # of a load that is searched for
    hybrids: list[HybridFacts] = field(default_factory=list)
    schema: str = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON object, as plain dicts, lists and numbers."""
        return {"schema": self.schema} | asdict(self)
