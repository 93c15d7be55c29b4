"""The records of an explained request: its steps, tasks, commands and the data they move.

Sizes and addresses are bytes, times seconds since the host issued the request.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.explain.disks import Access, Disk
from raidsim.result.facts import VolumeFacts
from raidsim.scenario import ControllerSpec, VolumeSpec


@dataclass(frozen=True)
class Step:
    """One step of a path: from the first start of a service there to the last end."""

    name: str
    station: str  # kind of station
    times: int  # how often it is taken
    begins: float
    ends: float
    background: bool  # the host does not wait for it


@dataclass(frozen=True)
class Page:
    """The part of a flash page that a request touches."""

    number: int  # of the page on the drive
    offset: int
    length: int
    frames: int  # ECC frames that its channel transfers; 0 for a write
    done: float  # at the host (a read), in the buffer (a write)


@dataclass(frozen=True)
class Sense:
    """Pages of one program unit that a die reads at once."""

    part: int  # of its command, from 1: a part begins when the one before is at the host
    channel: int
    die: int  # of the channel
    begins: float
    ends: float
    pages: tuple[Page, ...]

    @property
    def offset(self) -> int:
        """First byte."""
        return self.pages[0].offset

    @property
    def length(self) -> int:
        """Bytes of the request."""
        return sum(page.length for page in self.pages)

    @property
    def frames(self) -> int:
        """ECC frames that cross the channel."""
        return sum(page.frames for page in self.pages)


@dataclass(frozen=True)
class Piece:
    """The part of a command of an array that lies in one strip."""

    stripe: int  # of its span: the row of the strip on its drive
    span: int  # from 0
    role: int  # DATA, P or Q of raidsim.layout.tables
    copy: int  # of a mirrored strip, from 0
    strip: int  # of the volume; of parity the first of its stripe
    offset: int  # on the drive
    length: int
    method: str


@dataclass(frozen=True)
class Command:
    """A command. On a single drive, a read has ``senses``, a write has ``pages``."""

    number: int  # from 1
    drive: str  # what its stations are called in results
    offset: int
    length: int
    begins: float
    ends: float
    senses: tuple[Sense, ...] = ()
    pages: tuple[Page, ...] = ()
    op: str = ""  # "read" or "write"
    member: int = 0  # which drive of the array, from 0
    pieces: tuple[Piece, ...] = ()  # of an array


@dataclass(frozen=True)
class Phase:
    """Commands that go side by side; a phase begins when the one before is complete."""

    number: int  # from 1
    commands: tuple[Command, ...]


@dataclass(frozen=True)
class Task:
    """Bytes of the volume that are read or written together: a request, or a stripe of a write."""

    cause: str  # "request", "destage" or "read-ahead"
    offset: int  # in the volume
    length: int
    phases: tuple[Phase, ...]


@dataclass(frozen=True)
class Array:
    """A volume of several drives, or behind a controller."""

    spec: VolumeSpec
    controller: ControllerSpec | None
    spans: int
    copies: int  # of each strip
    parity: int  # strips of each stripe that hold it
    behind_one_another: bool  # its drives hold no strips: JBOD

    @property
    def strip(self) -> int:
        """Bytes that lie together on a drive."""
        return self.spec.strip


@dataclass(frozen=True)
class Program:
    """A program unit that goes to the flash after the write was acknowledged."""

    channel: int
    die: int
    begins: float
    ends: float


@dataclass(frozen=True)
class Flash:
    """The geometry that places pages."""

    channels: int
    dies: int  # per channel: those that work in step count as one
    in_step: int
    page: int
    frame: int
    stripe: int
    program_unit: int
    unit: int  # bytes of a mapping unit
    interleave: int  # channels on which neighbouring mapping units lie in turn


@dataclass(frozen=True)
class Explanation:
    """One request, and all that it causes."""

    volume: str
    model: str  # title of the drive's card
    facts: VolumeFacts
    op: str  # "read" or "write"
    offset: int
    length: int
    latency: float
    steps: tuple[Step, ...]
    tasks: tuple[Task, ...]
    max_transfer: int  # bytes of the longest command
    programs: tuple[Program, ...] = ()
    left: int = 0  # bytes that stay in the write buffer until more come
    accesses: tuple[Access, ...] = ()  # of the arm
    flash: Flash | None = None  # None for a hard disk, and of an array
    disk: Disk | None = None  # None for a solid state drive, and of an array
    array: Array | None = None
    fails: str | None = None  # why it is answered with an error

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Phases of a request that is one task."""
        return self.tasks[0].phases if self.tasks else ()
