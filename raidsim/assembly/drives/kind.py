# ruff: noqa: ARG002, B027
"""The interface of a kind of drive to the rest of raidsim, with a module for each kind.

The kernel has separate code for each kind (``kernel/ssd.py``, ``kernel/disk.py``). A kind here says
how a card becomes rows of the kernel's tables and what these rows mean. It also answers the
questions of planners, reports and findings about a card. No other module tests which kind a drive
is.

Questions about a model of drive take its card. Questions about a drive of a system take the system
and the drive's row in ``drives``. A kind overrides only the methods for which it has its own
answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from raidsim.system.sizes import sizes_that_write

if TYPE_CHECKING:
    from raidsim.assembly.ftl import AreaOf
    from raidsim.cards import Card
    from raidsim.system.system import System

UNQUEUED = 65536  # command slots from which no load can fill them

WAITING = 0  # a command that writes: nothing of it is on the medium,
PARTLY = 1  # some sectors may be,
LANDED = 2  # all of it is


class Links(NamedTuple):
    """The stations between a drive and its host: the same one twice if it is half duplex."""

    to_host: int
    to_drive: int


class Past(NamedTuple):
    """The writes to a drive before the run.

    Attributes
    ----------
    name : of the drive, for its own random numbers.
    filled : share of its capacity that holds data.
    steady : whether loads have written to it without a break.
    streams : of these loads, that wrote to it.
    area_of : gives the bytes of the drive that are the area of a stream.
    longest : the most bytes of one write to it.
    """

    name: str
    filled: float
    steady: bool
    streams: Sequence[int]
    area_of: AreaOf
    longest: int

    def areas(self, system: System, *, written: bool = False) -> set[tuple[int, int]]:
        """Bytes of the drive that these streams use, or that they write: offset and size."""
        table = system.world.streams
        return {
            self.area_of(int(table["area_offset"][s]), int(table["area_size"][s]))
            for s in self.streams
            if not written or len(sizes_that_write(system, s))
        }

    def written(self, system: System) -> int:
        """Bytes of the drive that these streams write to, over and over; 0 if none writes."""
        return sum(size for _, size in self.areas(system, written=True))


class Flow(NamedTuple):
    """The work that one load asks of a drive: rates per second.

    Attributes
    ----------
    ios, writes : commands, and those of them that write.
    read, written : bytes.
    random : share of the commands that do not follow the last one.
    spare : spare area that a drive which keeps a map has for what it writes at random, as a share
        of that, if it has collected garbage for long; None if it need not collect any.
    span : share of the drive over which its random accesses are spread alike; 0 if they may prefer
        places.
    sorted : commands, all that write and those that read for them, if a cache may bring them into
        the order of addresses; else 0.
    held : share of its random reads that caches may answer.
    """

    ios: float
    writes: float
    read: float
    written: float
    random: float
    spare: float | None = None
    span: float = 0.0
    sorted: float = 0.0
    held: float = 0.0


class Wear(NamedTuple):
    """The wear of the medium in a window; None where a kind does not wear.

    Attributes
    ----------
    amplification : bytes programmed for each byte of the host; None if nothing was written.
    programmed : share of the medium that was programmed.
    """

    amplification: float | None
    programmed: float


class DriveKind(ABC):
    """A kind of drive.

    Attributes
    ----------
    name : on cards, "ssd".
    number : DRIVE_..., in the kernel.
    table : of the kernel, with a row for each drive of the kind.
    medium : the medium of the data, in a word.
    buffer : the buffer from which writes are acknowledged, in a word.
    lossy : the risk of a buffer that a power cut empties, and the remedy.
    unit : attribute of the unit within which writes cost more.
    unit_verb : what the drive does in such units.
    reads_pay : whether reads of parts of a unit cost more too.
    by_pages : whether explanations show its commands page by page.
    keeps_map : whether it has a map of flash pages, which wear.
    has_priorities : whether it uses the priority of a command.
    has_driver : whether its card may give the time of a driver on the host.
    always_slots : whether its commands always take slots, for any number of slots.
    seeks : whether an access takes longer if it is farther from the one before.
    """

    name: str
    number: int
    table: str
    medium: str
    buffer: str
    lossy: tuple[str, str]
    unit: str
    unit_verb: str
    reads_pay = True
    by_pages = False
    keeps_map = False
    has_priorities = True
    has_driver = False
    always_slots = False
    seeks = False

    # -- of a card ----------------------------------------------------------------------------

    @abstractmethod
    def check(self, card: Card) -> None:
        """Refuse a card whose values do not fit together (InputError)."""

    @abstractmethod
    def queue_depth(self, card: Card) -> int:
        """Commands that the drive works on at a time."""

    def latency(self, card: Card) -> float:
        """Time of a command in the drive if no other command is there, s."""
        return card.number("command.latency")

    @abstractmethod
    def is_protected(self, card: Card) -> bool:
        """Return whether the writes in its buffer survive a power cut."""

    def takes_flushes(self, card: Card) -> bool:
        """Return whether it reports a cache to its host, so that the host sends flushes.

        NVMe has a bit for a volatile cache, and no host sends a flush to a drive without one. SATA
        and SAS drives report that their cache is on, even if it is protected in a power cut, unless
        it was switched off.
        """
        if not card.flag("write_cache.enabled"):
            return False
        return not (self.is_protected(card) and card.word("link.interface") == "nvme")

    @abstractmethod
    def is_safe(self, card: Card) -> bool:
        """Return whether a power cut costs no write that was acknowledged."""

    @abstractmethod
    def write_buffer(self, card: Card) -> int:
        """Bytes that may be acknowledged and not on the medium."""

    @abstractmethod
    def grain(self, card: Card) -> int:
        """A command may become a job for each so many bytes."""

    @abstractmethod
    def sustained_rate(self, card: Card) -> float:
        """Return the bytes/s that it delivers for long to large sequential reads."""

    @abstractmethod
    def mean_rates(self, card: Card) -> tuple[float, float]:
        """Mean sequential rates over a whole drive that was empty: reading, writing, bytes/s."""

    @abstractmethod
    def write_time(self, card: Card, parity: bool) -> float:
        """Least time of a small write on an idle drive, s; with parity old data is read before."""

    @abstractmethod
    def demands(
        self, card: Card, flows: Sequence[Flow], waiting: int = UNQUEUED
    ) -> dict[str, float]:
        """Share of time that loads need, at the very best, of the parts that all commands pass.

        ``waiting`` is the most commands that can be at the drive, from which it may choose.
        """

    def one_at_a_time(self, card: Card, flows: Sequence[Flow]) -> float | None:
        """Share of time that loads need of its slowest part if no command waits for another.

        None if a drive takes as long for a command whatever others wait, or if it is not known.
        """
        return None

    def has_past(self, card: Card) -> bool:
        """Return whether it matters what was written to it before the run."""
        return self.keeps_map

    def start_time(self, card: Card) -> float:
        """Time from power-on until it takes commands, s."""
        return 0.0

    def lost_by_name(self, card: Card, volume: str) -> str | None:
        """Return the name of the data that drives lose in a power cut; None for nothing."""
        return None

    def map_unit(self, card: Card) -> int:
        """Bytes of a unit of its map; 0 if it keeps none."""
        return 0

    def fit_step(self, card: Card, attribute: str) -> float:
        """The step of a size in a fit, if sectors are too small a step; 0 if they are not."""
        return 0.0

    # -- of a drive of a system ---------------------------------------------------------------

    @abstractmethod
    def add(
        self, system: System, name: str, card: Card, drive: int, links: Links, in_array: bool
    ) -> int:
        """Add the part of a drive behind its link; its row in the table of the kind.

        ``in_array`` says whether there are others of its model beside it.
        """

    @abstractmethod
    def stations(self, system: System, drive: int) -> list[int]:
        """The stations behind its command slots."""

    def row(self, system: System, drive: int) -> Any:
        """Its row in the table of the kind."""
        return getattr(system.world, self.table)[system.world.drives[drive]["row"]]

    def renew(self, system: System, drive: int) -> None:
        """Let it be a new drive, to which nothing was ever written."""

    def prepare(self, system: System, drive: int, past: Past) -> None:
        """Give it its past."""

    def trim(self, system: System, drive: int, begin: int, end: int, to_the_end: bool) -> None:
        """Tell it that it need not keep some bytes; ``to_the_end``: to the end of the drive."""

    def power(self, system: System, drive: int) -> float | None:
        """Mean W over the window, where it takes no temperatures to know; None if unknown."""
        return None

    def wear(self, system: System, drive: int) -> Wear | None:
        """Return the wear of its medium in the window; None if the medium does not wear."""
        return None

    def burst(self, system: System, drive: int) -> int:
        """Return the bytes that a new drive writes before it becomes slower; 0 if it does not."""
        return 0

    def unsteady(self, system: System, drive: int, *, scattered: bool) -> str | None:
        """Return as a clause why a longer window would have other figures; None if nothing says so.

        Parameters
        ----------
        scattered
            Whether it is written to at random addresses.
        """
        return None

    def media_cache(self, system: System, drive: int) -> int | None:
        """Row in `shingles` of its media cache; None if it has none."""
        return None

    def promised(self, system: System, drive: int) -> tuple[str, str, int, int | None] | None:
        """Return the field that counts promised data, or None if it promises nothing.

        Returns
        -------
        tuple
            Table, field and row, and the most that there may be, B; None if that is not known.
        """
        return None

    # -- what a power cut leaves --------------------------------------------------------------

    def unwritten(self, system: System, drive: int) -> Iterator[tuple[int, int]]:
        """Bytes, from and up to, that it has answered and not written, where they are known."""
        return iter(())

    def unplaced(self, system: System, drive: int) -> int:
        """Return the number of other writes that it has answered and not yet put on the medium."""
        return 0

    @abstractmethod
    def progress(self, system: System, drive: int, command: int) -> int:
        """Return the state of a write command on the medium: WAITING, PARTLY or LANDED."""

    def is_exposed(self, system: System, drive: int) -> bool:
        """Return whether a power cut costs what is in its buffer."""
        head = system.world.drives[drive]
        return not (head["protected"] or head["failed"])


def rate_of_link(card: Card) -> float:
    """Return the bytes/s that the link of a drive carries."""
    return 1 / card.number("link.time_per_byte")
