"""The records of a map that is kept on flash, see :mod:`~raidsim.kernel.mapping`."""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Column, Table, configuration, counter, state, volatile

MAP_PAGE = 4096  # bytes of a page of a map
ENTRY = 4  # bytes of the place of a mapping unit
WAYS = 8  # pages of a set

MAPS = Table(
    "maps",
    "the map of a solid state drive that keeps it on flash, and a part of it in memory",
    entries=configuration("i8", "mapping units whose places a page of it holds"),
    sets=configuration("i4", "sets of pages in memory"),
    first_slot=configuration("i4", "first row in `map_slots` of these pages"),
    pages=configuration("i4", "pages of the whole map"),
    first_page=configuration("i8", "first row in `map_pages` of these"),
    look_ups=configuration("i4", "station whose servers are the look-ups of reads at a time"),
    changes=configuration("i4", "station whose servers are the changes at a time"),
    read_time=configuration("i8", "a die senses a page of it", "ns"),
    tick=volatile("i8", "look-ups so far, to find the page least recently used"),
    gathered=volatile("i8", "changed pages that left memory, not yet in a program unit", "B"),
    fetched=counter("i8", "pages read from flash"),
    left=counter("i8", "changed pages that left memory, to be programmed"),
)

MAP_SLOTS = Table(
    "map_slots",
    "a page of a map that is in memory; WAYS rows are a set",
    page=volatile("i4", "its number, or NONE", start=NONE),
    changed=volatile("i4", "1: it differs from its copy on flash"),
    used=volatile("i8", "tick of its last use", start=NONE),
)

MAP_PAGES = Column(
    "map_pages",
    "a page of a map",
    state("i1", "1: it holds the place of a unit; it is on flash then, if not in memory"),
)
