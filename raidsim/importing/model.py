"""What files say about a storage system: drives, arrays, controllers, loads, each with its place.

Readers make these objects. :mod:`raidsim.importing.together` joins what several files say about one
part, and :mod:`raidsim.importing.writing` makes a scenario of them. The `keys` show that objects
from different files are the same part: texts such as ``serial:ABC`` or ``dev:sda``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from raidsim.errors import InputError, Problem

T = TypeVar("T")

# States of a drive, as readers say them.
ONLINE = "online"
FAILED = "failed"
MISSING = "missing"
SPARE = "spare"
REBUILDING = "rebuilding"
UNUSED = "not in use"
ALONE = "on its own"  # passed through, or without RAID

# What an array does beside serving.
CHECK = "check"
RESYNC = "resync"
REBUILD = "rebuild"


@dataclass(frozen=True)
class Place:
    """A line of a file; `line` None for the whole of it."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def problem(self, key: str | None, cause: str, remedy: str | None = None) -> Problem:
        """Return a problem about this line."""
        return Problem(self.file, self.line, key, cause, remedy)

    def refusal(self, key: str | None, cause: str, remedy: str | None = None) -> InputError:
        """An error that is to be raised because of this line."""
        return InputError([self.problem(key, cause, remedy)])


@dataclass(frozen=True)
class Fact(Generic[T]):
    """A value and the line that says it."""

    value: T
    place: Place


@dataclass(frozen=True)
class Drive:
    """The known properties of a drive.

    Attributes
    ----------
    label : what people call it: a device, a slot.
    keys : what it may be known by elsewhere.
    model : as the drive or its controller prints it, without padding.
    rotates : whether it is a hard disk.
    interface : sata, sas, nvme or pcie.
    rpm : revolutions per minute.
    capacity : bytes, exactly.
    size : bytes as printed with few digits; the capacity where there is no better one.
    sector, physical_sector : bytes of a logical and of a physical sector.
    state : one of the states above.
    controller : key of the controller that it is on.
    virtual : it is no drive but what a RAID controller or a hypervisor shows as one.
    """

    label: str
    place: Place
    keys: frozenset[str]
    model: Fact[str] | None = None
    rotates: Fact[bool] | None = None
    interface: Fact[str] | None = None
    rpm: Fact[int] | None = None
    capacity: Fact[int] | None = None
    size: Fact[int] | None = None
    sector: Fact[int] | None = None
    physical_sector: Fact[int] | None = None
    write_cache: Fact[bool] | None = None
    state: Fact[str] | None = None
    controller: str | None = None
    virtual: Fact[str] | None = None


@dataclass(frozen=True)
class Member:
    """A drive, or a part of one, in an array; `position` counts from 0, spans one by one."""

    keys: frozenset[str]
    place: Place
    position: int | None = None
    state: str = ONLINE


@dataclass(frozen=True)
class Array:
    """An array as the files describe it.

    Attributes
    ----------
    name, label : for the volume; the name that the tool prints.
    level : a level of raidsim, or the word of the tool if raidsim has none.
    slots : number of its drives, including missing ones, without spares.
    failed, rebuilding : positions of drives that are not there, or being restored.
    task, progress : CHECK, RESYNC or REBUILD under way, and the finished share of it.
    capacity : bytes that hosts see.
    refused : why no scenario can describe it, with the nearest alternative; and whether this
        prevents writing a scenario at all.
    rank : if several files describe one array, the lowest rank is believed first.
    """

    label: str
    place: Place
    keys: frozenset[str]
    name: Fact[str] | None = None
    level: Fact[str] | None = None
    slots: Fact[int] | None = None
    strip: Fact[int] | None = None
    spans: Fact[int] | None = None
    copies: Fact[int] | None = None
    spread: Fact[str] | None = None
    rotation: Fact[str] | None = None
    write: Fact[str] | None = None
    read_ahead: Fact[str] | None = None
    io: Fact[str] | None = None
    disk_cache: Fact[str] | None = None
    intent: Fact[str] | None = None
    bitmap_chunk: Fact[int] | None = None
    access: Fact[str] | None = None
    capacity: Fact[int] | None = None
    failed: Fact[tuple[int, ...]] | None = None
    rebuilding: Fact[tuple[int, ...]] | None = None
    spares: Fact[int] | None = None
    rebuild_rate: Fact[float] | None = None
    task: Fact[str] | None = None
    progress: Fact[float] | None = None
    members: tuple[Member, ...] = ()
    controller: str | None = None
    group: str | None = None
    refused: Problem | None = None
    refuses_all: bool = False
    rank: int = 0


@dataclass(frozen=True)
class Controller:
    """The known properties of a controller.

    Attributes
    ----------
    memory : bytes of its cache; 0 if it is said to have none.
    battery : good, low, learning or absent.
    protection : battery or flash.
    ports : speed of its ports, such as sas-12g.
    rebuild_rate : share of the time that rebuilds take, from 0 to 1.
    """

    label: str
    place: Place
    keys: frozenset[str]
    model: Fact[str] | None = None
    memory: Fact[int] | None = None
    battery: Fact[str] | None = None
    protection: Fact[str] | None = None
    ports: Fact[str] | None = None
    rebuild_rate: Fact[float] | None = None


@dataclass(frozen=True)
class Work:
    """A load as a generator's file describes it.

    Attributes
    ----------
    table : keys of a `[[load]]`.
    sources : the line that each key is from, where it is not that of the load.
    device : what it runs on, with the line that says so.
    """

    table: Mapping[str, Any]
    place: Place
    sources: Mapping[str, Place] = field(default_factory=dict)
    device: Fact[str] | None = None


@dataclass(frozen=True)
class Activity:
    """The mean activity of a device: I/Os a second, and bytes of each.

    Attributes
    ----------
    device : name without ``/dev/``.
    read_share : of the I/Os, from 0 to 1.
    is_whole : a disk, and neither a part of one nor something made of several.
    flushes, trims : a second, beside the I/Os; 0 where a tool does not tell.
    """

    device: str
    place: Place
    iops: float
    read_share: float
    read_size: float
    write_size: float
    is_whole: bool
    note: str = ""
    flushes: float = 0.0
    trims: float = 0.0


@dataclass
class Found:
    """The content of one file, or of all files.

    Attributes
    ----------
    works : loads; `groups` of them, if a file has several that run one after the other.
    remarks : what was not understood, and what a scenario cannot say.
    """

    drives: list[Drive] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    controllers: list[Controller] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)
    activities: list[Activity] = field(default_factory=list)
    remarks: list[Problem] = field(default_factory=list)

    def remark(self, place: Place, key: str | None, cause: str, remedy: str | None = None) -> None:
        """Note what is to be said of a line."""
        self.remarks.append(place.problem(key, cause, remedy))

    def add(self, other: Found) -> None:
        """Take over what another file says."""
        self.drives += other.drives
        self.arrays += other.arrays
        self.controllers += other.controllers
        self.works += other.works
        self.activities += other.activities
        self.remarks += other.remarks
