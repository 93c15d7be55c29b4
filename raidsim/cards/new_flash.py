"""The flash of a new card, from its base, its cells and its year of launch.

The time of a read is that of the class of the flash. A fit of rated random reads would assign their
limit to the die, and in most drives the limit is another part. Planes that read independently are
separate dies (:mod:`raidsim.cards.flash_classes`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from raidsim.cards.card import Card
from raidsim.cards.channel_classes import BOTH, READ, channel_of
from raidsim.cards.fit_ranges import FIT_RANGES
from raidsim.cards.flash_classes import (
    CELLS,
    FAST_NVME,
    SATA_WRITES,
    FlashClass,
    bits_of,
    class_of,
    gathers,
    is_kin,
    planes_apart,
    program_of,
)
from raidsim.cards.narrow_ranges import DIE_COUNT, DIE_WHY, ends, usual_die

COUNTED = ("flash.dies_per_channel", "flash.die_capacity")
"""What follows from the capacity of a drive."""

USUAL = 1.5
"""A program of a base that takes as many times longer or shorter is not usual for its cells."""

SUSPENDS_SINCE = 2015
"""From which year of launch on drives may let reads interrupt programs and erases.

It was proposed in 2012. A SATA drive for servers of 2014 did not do it yet, as a test of two days
found (docs/background/measured-mixed-loads-of-servers.md); drives of 2017 and later do.
"""

SUSPENDS_NOTE = (
    "class of its year: that a program gives way to a read was proposed in 2012 (Wu and He,"
    " Reducing SSD read latency via NAND flash program and erase suspension, FAST), and a drive of"
    " 2014 was seen to do without"
)

SUSPENSIONS = 8
"""How often a program gives way where a drive lets it and nothing tells how often."""

CELLS_NOTE, YEAR_NOTE = "class of its cells and year", "class of its year"
SPARE_NOTE = "of the flash that is usual behind such a capacity"
CLASS_NOTES = CELLS_NOTE, YEAR_NOTE, SPARE_NOTE
"""Notes of values that are of no card: those of a class."""

FITS_MAY_GO_FURTHER = (
    "; a fit may go beyond that, since other limits of writes are in this value too"
)
"""What follows the class where the range of a card is not that of the class."""


@dataclass(frozen=True)
class Stated:
    """A value that a new card states: the value and its range in base units, and the reason."""

    value: float
    unit: str
    note: str
    span: tuple[float, float] | None = None
    because: str = ""


@dataclass(frozen=True)
class NewFlash:
    """The flash of a new drive that is like another one.

    ``bits`` are those of a cell, None if not known; ``apart`` so many planes of a die read by
    themselves; ``kin`` says that the other drive may well have the same flash.
    """

    like: Card
    year: int | None
    bits: int | None
    apart: int
    kin: bool

    @classmethod
    def of(cls, like: Card, maker: str, year: int | None, cells: str) -> NewFlash:
        """Return the flash of a drive of a maker and year, with cells of a kind."""
        bits = CELLS[cells] if cells else bits_of(like)
        kin = is_kin(like, bits, maker, year)
        return cls(like, year, bits, planes_apart(like, year, kin=kin), kin)

    def stated(self, name: str) -> Stated | None:
        """Return value and reason of an attribute on the new card; None if not decided here."""
        if name == "flash.read_time":
            return self._read_time()
        if name == "flash.program_time":
            return self._program_time()
        if name == "command.latency":
            return self._latency()
        if name == "front_end.write_time":
            return self._write_time()
        if name in BOTH:
            return self._channel(name)
        if name == "flash.die_capacity":
            return self._die()
        if name == "flash.dies_per_channel":
            return self._dies()
        if name == "flash.suspensions":
            return self._suspensions()
        if name in ("flash.planes", "flash.stripe"):
            return self._units(name)
        if name in ("flash.bits_per_cell", "slc.bits_per_cell"):
            return self._bits(name)
        return None

    # ---- how long a read takes

    def _read_time(self) -> Stated | None:
        cached = gathers(self.like)
        found = class_of(self.bits, self.year, cached=cached)
        before = class_of(bits_of(self.like), self.like.year, cached=cached)
        if found is None:
            return None
        span = ends(self.like.kind, "flash.read_time", found.range)
        value, note = found.read * 1e-6, CELLS_NOTE
        of_base = self.like.number("flash.read_time")
        if (self.kin or found is before) and _is_within(of_base, found):
            value, note = of_base, f"as {self.like.name}"
        return Stated(value, "us", note, span, found.why)

    def _program_time(self) -> Stated | None:
        """Return the program time, if the time of the base is not valid for the new drive's flash.

        A fit does not find it where a link or a front end limits sequential writes.
        """
        found = program_of(self.bits, self.year or self.like.year)
        if self.kin or found is None:
            return None
        of_base = self.like.number("flash.program_time") * 1e3
        is_usual = self.year is None or found.time / USUAL < of_base < found.time * USUAL
        if self.bits == bits_of(self.like) and is_usual:
            return None
        span = ends(self.like.kind, "flash.program_time", found.range)
        return Stated(found.time * 1e-3, "ms", CELLS_NOTE, span, found.range.why)

    def _suspensions(self) -> Stated | None:
        """Return the number of suspensions of a program, if it differs between year and base.

        Reads of drives older than `SUSPENDS_SINCE` wait for programs. Those of newer drives do not,
        even if their base is an older drive.
        """
        like = self.like
        if self.year is None or not like.has("flash.suspend_time"):
            return None
        if self.year < SUSPENDS_SINCE:
            return Stated(0, "1", SUSPENDS_NOTE)
        if like.integer("flash.suspensions") > 0 or gathers(like):
            return None
        if like.year is None or like.year >= SUSPENDS_SINCE:
            return None
        return Stated(SUSPENSIONS, "1", YEAR_NOTE)

    def _latency(self) -> Stated | None:
        """Return the latency of a command, if the interface is faster than that of the base."""
        like = self.like
        if like.year is None or self.year is None or like.word("link.interface") != "nvme":
            return None
        if not like.year < FAST_NVME.since <= self.year:
            return None
        span = ends(like.kind, "command.latency", FAST_NVME.range)
        return Stated(FAST_NVME.time * 1e-6, "us", YEAR_NOTE, span, FAST_NVME.why)

    def _write_time(self) -> Stated | None:
        """Return the front-end time of a write, if sheets do not print writes of a new drive.

        Sheets of SATA drives with an SLC cache do. A fit takes no more of it than the writes of the
        long run leave.
        """
        like = self.like
        if self.year is None or like.word("link.interface") != "sata" or gathers(like):
            return None
        if self.year < SATA_WRITES.since:
            return None
        span = ends(like.kind, "front_end.write_time", SATA_WRITES.range)
        return Stated(SATA_WRITES.time * 1e-6, "us", YEAR_NOTE, span, SATA_WRITES.why)

    def _channel(self, name: str) -> Stated | None:
        """Return the time of a channel a byte, if the channel of the base is of another class.

        It is one bus for both ways. How fast it writes a fit moves further: what limits the writes
        of a drive besides, such as its power, is found there. That range is none of this drive, for
        which its class counts (:mod:`raidsim.cards.plausible`).
        """
        like, read = self.like, READ
        if like.year is None or self.year is None or like.integer("flash.channels") == 1:
            return None
        found = channel_of(self.year)
        least, most = sorted(ends(like.kind, read, found.range))
        if self.kin or least <= like.number(read) <= most:
            return None
        why = found.why
        if name != read:
            least, most = sorted(ends(like.kind, name, FIT_RANGES[like.kind][name]))
            why += FITS_MAY_GO_FURTHER
        return Stated(1 / (found.read * 1e6), "MB/s", YEAR_NOTE, (least, most), why)

    # ---- what reads by itself

    @property
    def _counted(self) -> bool:
        """Whether planes become dies here, which they are not yet on the other card."""
        return self.apart > 1 and self.like.integer("flash.planes") > 1

    def _units(self, name: str) -> Stated | None:
        """Return planes and stripe: a die that is one plane programs one page at a time."""
        if not self._counted:
            return None
        planes, page = self.like.integer("flash.planes"), self.like.integer("flash.page")
        if name == "flash.planes":
            return Stated(1, "1", "a plane reads by itself, and is a die of its own here")
        if self.like.integer("flash.stripe") != planes * page:
            return None
        return Stated(page, "KiB", "one program unit: a page of a plane")

    def _die(self) -> Stated | None:
        size = self._die_size()
        if size is None:
            return None
        why = DIE_WHY.format(year=self.year or self.like.year)
        if self._is_of_base():
            why = f"as {self.like.name}"
        if self._is_part():
            why = f"one of {self.apart} planes of a die that read by themselves; dies: {why}"
        return Stated(size, "GiB", f"{why}; change it if the sheet says it")

    def _die_size(self) -> float | None:
        """Return the capacity of what reads by itself, in bytes; None if nothing says it."""
        if self._is_of_base():
            whole = self.like.number("flash.die_capacity")
        elif (made := self.year or self.like.year) is not None:
            whole = usual_die(made, self.bits) * 2.0**30
        else:
            return None
        return whole / self.apart if self._is_part() else whole

    def _is_of_base(self) -> bool:
        """Return whether dies are those of the other card, which may count a plane as one."""
        if not self.like.has("flash.die_capacity"):
            return False
        if self.year is None or self.kin:
            return True
        if self._counted or self.like.year is None:
            return False  # the year gives the size of a die with such planes
        before = usual_die(self.like.year, bits_of(self.like))
        return before == usual_die(self.year, self.bits)

    def _is_part(self) -> bool:
        """Return whether the known size is that of a die whose planes read independently."""
        return self.apart > 1 and (self._counted or not self._is_of_base())

    def _dies(self) -> Stated:
        """Return the dies of a channel: so many that they hold the capacity of the other card."""
        like, size = self.like, self._die_size()
        dies, why = like.number("flash.dies_per_channel"), f"as {like.name}"
        if size is not None:
            need = like.number("capacity.user") * (1 + like.number("flash.spare"))
            dies = max(math.ceil(need / size / like.integer("flash.channels")), 1)
            step = like.integer("flash.dies_in_step")
            dies = -(-dies // step) * step
            why = f"hold the capacity of {like.name}"
        low, high = ends(like.kind, "flash.dies_per_channel", DIE_COUNT)
        return Stated(dies, "1", why, (min(low, dies), max(high, dies)), DIE_COUNT.why)

    def _bits(self, name: str) -> Stated | None:
        """Return the bits of a cell, where they are not those of the other card."""
        if self.bits is None or self.bits == bits_of(self.like):
            return None
        if name == "slc.bits_per_cell" and not self.like.has(name):
            return None
        return Stated(self.bits, "1", "the kind of its cells")


def _is_within(value: float, found: FlashClass) -> bool:
    return found.low <= value * 1e6 <= found.high
