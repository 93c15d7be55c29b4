"""The result of a run, as plain data that every report reads.

Times are milliseconds, rates are per second, throughput is MB/s of 2**20 bytes (as the published
documents count). ``None`` means "not measured": no percentile is given with fewer than ten samples
beyond it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

from raidsim import schemas
from raidsim.facts import HybridFacts, LinkFacts, SystemPower, VolumeFacts
from raidsim.result_cuts import PowerCut
from raidsim.result_draws import Unknowns

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

SCHEMA = schemas.of_result(schemas.SCHEMAS["result"].number)

NO_LOAD = "no load"
"""Load of the point of a scenario with events in which none has run."""


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
    """The busiest part of a point: it prevents more I/Os.

    The same part of the drives of an array counts as one, if they are about equally busy.
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


FROM_THE_START = "measured from the start: the load has an end"
"""Warning of a point that is no steady state: no precision was asked for."""


def owner_and_part(station: str) -> tuple[str, str]:
    """Whose a station is, and which part: "data drive 0: arm"; names may have colons, too."""
    owner, colon, part = station.rpartition(": ")
    return (owner, part) if colon else (station, "")


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
    """The temperature that a drive reports over the window, in C."""

    start: float
    end: float
    highest: float
    steady: float  # where it would end at the window's mean power, if it did not throttle


@dataclass(frozen=True)
class DriveUse:
    """One drive over the measured window; None for values that its card does not give.

    Values by day and by year are those of the window, extrapolated. A rebuild, or an
    initialisation, writes a drive only once. So for a window with one of these, there are no drive
    writes a day and no years.
    """

    name: str
    kind: str  # "ssd" or "hdd"
    power_w: float | None  # mean
    temperature_c: Temperature | None
    throttled: float | None  # share of the time, 0..1
    throttles_from_c: dict[str, float]  # "lightly", "heavily": from which temperature on
    write_amplification: float | None = None  # flash only; None if nothing was written
    written_per_day_tb: float = 0.0  # by the host; 10**12 bytes
    drive_writes_per_day: float | None = 0.0
    rated_writes_per_day: float | None = None  # over the warranty
    cycles_per_year: float | None = None  # program/erase cycles of a block, on average
    years_to_rated: float | None = None  # until the rated bytes are written; None if nothing is
    unsafe_mean: float = 0.0  # bytes acknowledged that are not on the medium yet
    unsafe_peak: int = 0
    protected: bool = False  # a power cut doesn't cost them
    volume: str = ""
    filled: bool = False  # a rebuild or an initialisation wrote it in the window


@dataclass(frozen=True)
class WriteMode:
    """The use of the controller's cache by a volume's writes: "through" or "back"."""

    asked: str  # as the scenario words it, or an event since
    in_effect: str  # without a good battery, or once the array is lost, it may be another


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
    pinned: int = 0  # bytes that wait at the end of the window for an array that is lost


@dataclass(frozen=True)
class ArrayUse:
    """Commands of one array to its drives over the measured window, all loads on it together.

    By origin: "host", "destage", "read-ahead" or "background" (rebuilds, checks, repairs). Then by
    what they carry: "read", "read for read-modify-write", "read for reconstruct-write", "read to
    reconstruct", "write", "parity write" or "full-stripe write". What did not occur is left out.
    """

    name: str  # of the volume
    host_ios: int  # completed in the window
    device_ios: dict[str, dict[str, int]]  # commands, as they were made
    per_host_io: dict[str, dict[str, float]] | None  # None without host I/Os


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
class MachineUse:
    """A group of machines that booted: when each was ready, in s since the start."""

    count: int
    ready_s: list[float | None]  # in the order of the machines; None for one that never was
    mean_s: float | None  # None unless all were ready
    last_s: float | None  # of those that were
    share_by_s: list[tuple[float, float]]  # every few seconds: time, share that was ready, 0..1


@dataclass(frozen=True)
class Carried:
    """The highest rate of an open load that its system carries, in IO/s of each worker.

    It is known to 2 %: ``low`` was tried and carried, ``high`` was not.
    """

    rate: float
    low: float
    high: float


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


@dataclass(frozen=True, repr=False)
class Result:
    """A whole run: what was asked (seed, scenario, versions) and what was found.

    Plain data, which never changes; every field: docs/reference/results.md. A notebook shows it
    as a small table.
    """

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
    interrupted: bool = False  # by Ctrl-C: these are the points that were finished before
    unknowns: Unknowns | None = None  # how far it would move if cards were as they might be
    schema: str = SCHEMA

    @property
    def is_carried(self) -> bool:
        """Whether the system carries every load that was asked for.

        A search tries a load up to where it doesn't: of that one it is whether there is an answer.
        """
        found = self.highest
        answered = None if found is None or found.iops is None else found.load
        return not any(point.saturated for point in self.points if point.load != answered)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON object, as plain dicts, lists and numbers."""
        return {"schema": self.schema} | asdict(self)

    # What follows is drawn and written by `raidsim.report`, a layer above, which is imported
    # when it is called for.

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | PathLike[str]) -> None: ...
    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write the result as JSON, as ``raidsim run --json`` does.

        Parameters
        ----------
        path
            The file to write, whole or not at all; None to get the text instead.

        Returns
        -------
        str or None
            The text, if no path is given.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        from raidsim.report import output  # noqa: PLC0415

        return output.as_json(self.to_dict(), path)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Result:
        """Read a result that :meth:`to_json` or ``raidsim run --json`` wrote: an equal one.

        Raises
        ------
        InputError
            If there is no such file, or it holds no whole result, or one of a newer schema.

        Warns
        -----
        SchemaWarning
            If it is of an older schema: what was changed.
        """
        from raidsim.result_file import read  # noqa: PLC0415  (which makes results itself)

        return read(path)

    def to_frame(self) -> DataFrame:
        """Return the points as a table of pandas: a row for each, units in the names of columns.

        The columns are those of the CSV that ``raidsim run --csv`` writes, without the ones of
        phases (docs/reference/results.md, "Columns of CSV"); what was not measured is NaN.

        Raises
        ------
        ImportError
            If pandas is not there: ``pip install "raidsim[pandas]"``.
        """
        from raidsim.report import frame  # noqa: PLC0415

        return frame.of(self)

    def plot(self) -> Figure:
        """Draw throughput and latency of every load, and courses over time, as ``--plot`` does.

        Returns
        -------
        matplotlib.figure.Figure
            Notebooks show it; ``figure.savefig("result.png")`` writes it.
        """
        from raidsim.report import plot  # noqa: PLC0415

        return plot.figure(self)

    def __repr__(self) -> str:
        from raidsim.report import glance  # noqa: PLC0415

        return glance.text(self)

    def _repr_html_(self) -> str:
        from raidsim.report import glance  # noqa: PLC0415

        return glance.html(self)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C after some points of a run were finished: ``result`` holds these."""

    def __init__(self, result: Result) -> None:
        self.result = result
        super().__init__(f"{len(result.points)} points were finished")
