"""How much memory the tables of a system may take: half of the computer's.

Every table that grows asks here first. So a size in a card or a scenario that needs too much memory
is refused before it is allocated.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from raidsim import units
from raidsim.errors import InputError, Problem

SHARE = 0.5
"""Share of the computer's memory. The other half is for results, and for other programs."""

UNKNOWN = 8 * 2**30
"""Bytes to reckon with where the operating system does not say how much there is."""

_CACHES = ("lines of caches", "give a smaller cache.size, larger strips, or larger blocks")
_FLASH = ("maps of flash drives", "give fewer drives, or other values of flash and mapping.unit")
_LOADS = ("accounts of loads", "give fewer workers, or fewer sizes and arrivals")
_QUEUES = ("queues of disks", "give fewer drives, a smaller queue.window or fewer read_ahead")
_UNDER_WAY = ("I/Os under way", "give smaller requests, or fewer outstanding")
WORDS = {
    **dict.fromkeys(("lines", "buckets_of_lines", "ghosts", "towers"), _CACHES),
    **dict.fromkeys(
        ("pages", "leaves", "blocks", "buckets", "slc_units", "map_slots", "map_pages"), _FLASH
    ),
    **dict.fromkeys(("slots", "segments"), ("read-ahead of flash drives", "give less read_ahead")),
    **dict.fromkeys(("tasks", "extents", "zones", "seeks"), _QUEUES),
    "bands": ("bands of shingled disks", "give fewer drives, or a larger smr.band"),
    "records": ("records of media caches", "give fewer drives, or fewer smr.records"),
    **dict.fromkeys(
        (
            "streams",
            "sizes",
            "load_zones",
            "requests",
            "arrivals",
            "latencies",
            "slices",
            "progress",
        ),
        _LOADS,
    ),
    **dict.fromkeys(("jobs", "heap", "accesses", "workers"), _UNDER_WAY),
    "ios": ("I/Os to be kept one by one", "do without them, or give a smaller measure.max_ios"),
    "traces": ("blocks that hybrids remember", "give larger blocks, or a smaller size"),
    "known": ("stripe caches", "give fewer volumes, or fewer drives"),
    "marks": ("bits of bitmaps", "give a larger bitmap_chunk"),
    "stations": ("stations", "give fewer drives, flash channels and dies, or workers"),
    "samples": ("temperatures", "give fewer drives"),
    "defects": ("bad sectors", "give fewer of them"),
}
"""What a table holds, and what would make it smaller."""

LITTLE = 2**20
"""A table of no more bytes than this is not counted: all such tables together take little."""

BESIDE = {"stations": 256}
"""Bytes beside a row that are not in its table: of the name of a station."""


def most() -> int:
    """Bytes that all tables of a system may take together."""
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        there = UNKNOWN
    return int(SHARE * there)


def taken_by(tables: Mapping[str, NDArray[Any]]) -> int:
    """Bytes that the tables of a system take, with what goes with their rows."""
    return sum(table.nbytes + BESIDE.get(one, 0) * len(table) for one, table in tables.items())


def rows_for(tables: Mapping[str, NDArray[Any]], name: str, needed: int, wished: int) -> int:
    """Return the rows to which a table may grow: the wanted ones, or at least the needed ones.

    Raises
    ------
    InputError
        All tables would take more than the memory that there is for them.
    """
    table = tables[name]
    each = table.itemsize * math.prod(table.shape[1:]) + BESIDE.get(name, 0)
    if wished * each <= LITTLE:
        return wished
    taken = taken_by(tables)
    left = most() - taken  # what it has now is kept until it is copied
    if needed * each <= left:
        return min(wished, max(left // each, needed))
    what, remedy = WORDS.get(name, (f'rows of the table "{name}"', "describe something smaller"))
    cause = (
        f"would take at least {_size(taken + needed * each)} of memory, {_size(needed * each)} of"
        f" it for {needed} {what}; there are {_size(most())}, half of what this computer has"
    )
    raise InputError([Problem(None, None, None, cause, remedy)])


def _size(number: float) -> str:
    return f"{units.plain(number / 2**30, 3)} GiB"
