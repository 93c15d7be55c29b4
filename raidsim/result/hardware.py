"""The use of hardware in a window: drives, controllers, arrays, hybrids, machines that boot."""

from __future__ import annotations

from dataclasses import dataclass


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
class MachineUse:
    """A group of machines that booted: when each was ready, in s since the start."""

    count: int
    ready_s: list[float | None]  # in the order of the machines; None for one that never was
    mean_s: float | None  # None unless all were ready
    last_s: float | None  # of those that were
    share_by_s: list[tuple[float, float]]  # every few seconds: time, share that was ready, 0..1
