# ruff: noqa: E501
"""Flash by the bits of its cells and the year of a drive: read times, and independent planes.

A data sheet gives neither. Papers of the makers (ISSCC) print how long a die takes to read a page,
and how many planes it has. Drives with such flash appear in the year of the paper or the next.

Planes of a die read one page each at the same time; all flash with several planes does this. Since
flash with 128 layers and more, each plane can also read its own page independently at any time. In
the kernel a die is the unit that reads independently. For such flash this unit is a plane.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from raidsim.cards.card import Card
from raidsim.cards.fit_ranges import FitRange
from raidsim.cards.narrow_ranges import usual_die
from raidsim.errors import Problem, quote

CELLS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}
"""Bits that a cell holds, by the name of its kind."""


@dataclass(frozen=True)
class FlashClass:
    """Flash of cells of so many bits, in drives up to a year of launch. Times of a read are in us.

    ``gathers`` says that it is so of drives with an SLC cache only.
    """

    bits: int
    until: int
    read: float
    low: float
    high: float
    why: str
    gathers: bool = False

    @property
    def range(self) -> FitRange:
        """From where to where a fit looks for the time of a read."""
        return FitRange(f"{self.low:g} us", f"{self.high:g} us", self.why)


_LAST = 9999
_PAPERS = "as AnandTech tabulates papers of ISSCC"

# fmt: off
CLASSES = (
    FlashClass(1, _LAST, 25, 20, 35, "one bit a cell: chips' sheets print 25 us, and repeated reads add some on average"),
    FlashClass(2, _LAST, 65, 45, 90, "two bits a cell: 48 and 64 us as chips are modelled elsewhere (SimpleSSD), 65 and 77 us of drives that were fitted to what was measured"),
    FlashClass(3, 2018, 65, 45, 90, f"three bits a cell, up to 64 layers: more than the 58 us of 96 layers of 2018 ({_PAPERS}); 65 us of drives that print a read alone"),
    FlashClass(3, 2020, 55, 38, 75, f"three bits a cell, 96 and 128 layers: 45 to 58 us ({_PAPERS} 2018 and 2019), and repeated reads add some on average"),
    FlashClass(3, _LAST, 33, 20, 60, "three bits a cell, 128 layers and more, behind an SLC cache: 20 to 30 us of what lies in it, as the files of tests do, and 31 to 41 us of four drives that others measured (NM790, 9100 PRO, 980 PRO, FireCuda 530); 40 to 50 us of the rest (" + _PAPERS + " 2021)", gathers=True),
    FlashClass(3, 2023, 45, 32, 60, f"three bits a cell, 128 to 176 layers: 40 to 50 us ({_PAPERS} 2021)"),
    FlashClass(3, _LAST, 37, 28, 55, f"three bits a cell, 200 layers and more: somewhat less than the 40 to 50 us of 176 layers ({_PAPERS} 2021)"),
    FlashClass(4, _LAST, 90, 60, 130, "four bits a cell: a page takes more comparisons than of three bits; 91 us of a drive that prints a read alone"),
)
# fmt: on


@dataclass(frozen=True)
class Program:
    """How long a group of planes takes to be programmed, in ms, in drives up to a year of launch."""

    bits: int
    until: int
    time: float
    range: FitRange


# fmt: off
PROGRAMS = (
    Program(1, _LAST, 0.3, FitRange("0.2 ms", "0.5 ms", "one bit a cell: chips' sheets print 0.2 to 0.3 ms")),
    Program(2, 2015, 1.3, FitRange("0.6 ms", "2.5 ms", "two bits a cell: chips' sheets print 0.6 to 1.6 ms, and worn ones take longer")),
    Program(2, _LAST, 0.65, FitRange("0.3 ms", "1.3 ms", "two bits a cell in layers: 50 MB/s of a die of 24 layers (Samsung, ISSCC 2014), which are 0.65 ms for 32 KiB of two planes; later ones are faster")),
    Program(3, _LAST, 0.6, FitRange("0.35 ms", "2 ms", f"three bits a cell: 32 to 64 KiB of two to four planes at 57 to 184 MB/s of a die ({_PAPERS})")),
    Program(4, _LAST, 2.2, FitRange("1.4 ms", "3 ms", f"four bits a cell: 32 to 64 KiB of two to four planes at 12 to 40 MB/s of a die ({_PAPERS})")),
)
"""In drives with two bits a cell, flash has layers since about 2016."""
# fmt: on


APART_FROM, PLANES_APART = 2020, 4
"""Year of launch from which on planes of a drive's dies read by themselves, and how many there are.

Four planes: Kioxia 2019 and 2021, SK hynix and Samsung 2021 (ISSCC, as AnandTech tabulates it), Micron
with 176 layers ("4-Independent Planes for Read", ISSCC 2022). Some have two, some six.
"""

KIN = 2
"""Years between two drives of one maker that may have the same flash."""


def cells_problem(cells: str) -> Problem:
    """Say that cells of this kind are not known."""
    cause = f"{quote(cells)} is not a kind of cells"
    return Problem(None, None, "--cells", cause, f"known: {', '.join(CELLS)}")


def bits_of(card: Card) -> int | None:
    """Return the bits of a cell of a drive's flash; None if its card does not say."""
    for name in ("flash.bits_per_cell", "slc.bits_per_cell"):
        if card.has(name):
            return card.integer(name)
    return None


def gathers(card: Card) -> bool:
    """Return whether a drive has an SLC cache."""
    return card.has("slc.size") or card.has("slc.dynamic_size")


def class_of(bits: int | None, year: int | None, *, cached: bool) -> FlashClass | None:
    """Return the class of flash in a drive of a year, with an SLC cache or none.

    None if bits or year are not known.
    """
    if bits is None or year is None:
        return None
    return next(
        one
        for one in CLASSES
        if one.bits == bits and year <= one.until and (cached or not one.gathers)
    )


def program_of(bits: int | None, year: int | None) -> Program | None:
    """Return the class of program times of flash in a drive of a year; None if not known."""
    if bits is None or year is None:
        return None
    return next((one for one in PROGRAMS if one.bits == bits and year <= one.until), None)


def is_kin(like: Card, bits: int | None, maker: str, year: int | None) -> bool:
    """Return whether a drive may have the flash of another one: same maker, time and cells."""
    if like.year is None or year is None or bits != bits_of(like):
        return False
    if usual_die(like.year, bits) != usual_die(year, bits):
        return False
    return bool(maker) and maker == like.maker and abs(year - like.year) <= KIN


def planes_apart(like: Card, year: int | None, *, kin: bool) -> int:
    """Return the number of planes of a new drive's die that read independently; 1 if none does."""
    if year is None or year < APART_FROM:
        return 1
    of_base = like.integer("flash.planes")
    return of_base if kin and of_base > 1 else PLANES_APART


BEYOND = 0.07
"""Flash that each drive has beyond its capacity at least: as much as GiB are more than GB."""

LEFT_TO_COLLECTION = 0.7
"""Of the flash beyond the capacity, what is spare area: bad blocks, parity across dies and tables
take the rest. The median of the 23 drives with a card here whose rated writes tell their spare area.
"""


def usual_spare(capacity: float) -> float:
    """Return the spare area of a drive whose sheet says nothing of it, relative to its capacity in bytes.

    Dies hold powers of two, or three times as much, and drives have 2^n, 3 x 2^n or 9 x 2^n of the
    smallest amount: 500 GB are sold of 512 GiB, 480 GB too, 750 GB of 768 GiB, and 1050 GB of 1152
    GiB, which are 24 dies of 384 Gbit.
    """
    least = capacity * (1 + BEYOND)
    power = 2.0 ** math.floor(math.log2(least))
    flash = next(share * power for share in (1, 9 / 8, 3 / 2, 2) if share * power >= least)
    return LEFT_TO_COLLECTION * (flash / capacity - 1)


@dataclass(frozen=True)
class Interface:
    """The time that a command takes in drives of an interface from a year on, in us."""

    since: int
    time: float
    range: FitRange
    why: str


_FAST = "NVMe: trips over PCI Express and what the drive does beside them: of 10 to 14 us that a write alone takes under Linux (970 EVO Plus, SX8200 Pro, Rocket 4), and 17 under Windows (NM790), host, link, data path and front end leave 2 to 5"

FAST_NVME = Interface(2020, 3, FitRange("1 us", "10 us", _FAST), _FAST)
"""`command.latency`: what a command takes beside the front end."""

_WRITES = "SATA drives without an SLC cache, launched 2016 to 2018: 14.9 to 16.7 us a write at depth when new (PM863a, S4510), 10.3 of which are a command's; a PM883 and an S4510 with a flush behind each write 16.9 and 20.7"

_MOVES = "SATA drives whose sheets print random writes in the long run take 4 to 23 us where their flash would carry more, 9 in the middle"
SATA_MOVES = 9, FitRange("0.9 us", "20 us", _MOVES)
"""`front_end.move_time` of drives whose sheets print no random writes in the long run, in us."""

SATA_WRITES = Interface(2016, 4.5, FitRange("1 us", "10 us", _WRITES), _WRITES)
"""`front_end.write_time`: what a write takes of the front end beside a command."""

_HOST_MEMORY = "drives ask the host for some tens of MiB, and Linux lends 128 MiB at most"
_OWN_MEMORY = "some hundred KiB to some MiB in the controller itself"
_AT_A_TIME = "two drives read as if they waited for one page before they ask for the next"
_ONE_BY_ONE = "a core that keeps the map makes one change after the other"
MAPS_ON_FLASH = {
    "mapping.memory": {
        "nvme": ("64 MiB", "16 MiB", "128 MiB", _HOST_MEMORY),
        "sata": ("2 MiB", "0.5 MiB", "8 MiB", _OWN_MEMORY),
    },
    "mapping.look_ups": {
        "nvme": ("1", "1", "8", _AT_A_TIME),
        "sata": ("1", "1", "8", _AT_A_TIME),
    },
    "mapping.changes": {
        "nvme": ("1", "1", "4", _ONE_BY_ONE),
        "sata": ("1", "1", "4", _ONE_BY_ONE),
    },
}
"""What drives without DRAM have for their map: a value, the ends of its range, and the reason."""
