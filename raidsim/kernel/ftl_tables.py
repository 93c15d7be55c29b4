"""The records of the page map, see :mod:`~raidsim.kernel.ftl`."""

from __future__ import annotations

from raidsim.records import Column, Table, configuration, counter, state

RESERVE = 2  # free blocks: with so many there is one for each frontier to open

FTLS = Table(
    "ftls",
    "the page map of a solid state drive, and where it writes",
    scale=configuration("i8", "units of the drive that one logical unit stands for"),
    group=configuration("i8", "neighbouring units that the scaled map keeps apart"),
    units=configuration("i4", "logical units"),
    first_map=configuration("i4", "first row in `pages` of the map"),
    block_units=configuration("i4", "units of a block"),
    blocks=configuration("i4", "how many it has"),
    first_block=configuration("i4", "first of them"),
    first_owner=configuration("i4", "first row in `pages` of the owners of places"),
    first_bucket=configuration("i4", "first of its buckets of closed blocks"),
    lowest=state("i4", "no closed block has fewer valid units"),
    free_head=state("i4", "first free block, or NONE"),
    free=state("i4", "free blocks"),
    frontier=state("i4", "open block for what is written, and for what is moved", shape=(2,)),
    place=state("i4", "where the next unit goes", shape=(2,)),
    room=state("i4", "units that still fit into the open block", shape=(2,)),
    victim=state("i4", "block that is being collected, or NONE"),
    scan=state("i4", "up to which of its places units were moved"),
    pace=state("i4", "its valid units when it was chosen"),
    owed=state("i8", "pace for each unit written, less what was moved for it"),
    last_unit=state("i4", "unit that was written last, or NONE"),
    appended=state("i8", "units so far, written and moved"),
    written=counter("i8", "units, by the host"),
    moved=counter("i8", "units, by garbage collection"),
    erased=counter("i8", "blocks"),
)

PAGES = Column(
    "pages",
    "a part of a map, or of the owners of places",
    state("i4", "leaf that holds it; ~leaf if others share that one"),
)

LEAVES = Column(
    "leaves",
    "an entry of a leaf: place of a logical unit, or unit last written to a place",
    state("i4", "that place or unit, or NONE"),
)

BLOCKS = Table(
    "blocks",
    "a block of a page map",
    valid=state("i4", "its valid units"),
    before=state("i4", "the closed block before it with as many valid units, or NONE"),
    after=state("i4", "the one behind it, or the next free block, or NONE"),
    erases=state("i4", "how often it was erased"),
    begun=state("i8", "units appended to the drive before its first one"),
)

BUCKETS = Column(
    "buckets",
    "closed blocks with one number of valid units: the first, then the last",
    state("i4", "a block, or NONE"),
)
