"""Tables of the policies' records: a row for each cache that has them, and one for each ghost."""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Memory, Table, configuration, volatile

QUEUES = 2  # of clean lines of a cache, and of ghosts

HISTORIES = Table(
    "histories",
    "what the replacement policy of a cache remembers of lines that are gone",
    Memory(apart=True),
    first=configuration("i8", "first of its rows in `ghosts`"),
    rows=configuration("i8", "how many, and of its index: a power of two, at least `most`"),
    most=configuration("i8", "ghosts at most"),
    count=volatile("i8", "ghosts that there are"),
    free=volatile("i8", "first free row, or NONE", start=NONE),
    fresh=volatile("i8", "first row that was never used: it is taken after the free ones"),
    newest=volatile("i8", "ends of the queues of ghosts, or NONE", start=NONE, shape=(QUEUES,)),
    oldest=volatile("i8", "the other ends", start=NONE, shape=(QUEUES,)),
    bytes=volatile("i8", "of the lines whose ghosts they are", "B", shape=(QUEUES,)),
    target=volatile("f8", "of ARC: what lines that were used once are to have", "B"),
)

GHOSTS = Table(
    "ghosts",
    "a line that is gone from a cache",
    Memory(apart=True),
    key=volatile("i8", "of the line, see `lines`"),
    size=volatile("i8", "of the line", "B"),
    queue=volatile("i4", "that it belongs to"),
    newer=volatile("i4", "next newer ghost in its queue, or NONE"),
    older=volatile("i4", "next older ghost in its queue, or NONE"),
    chain=volatile("i4", "next ghost of the same bucket, or next free row, or NONE"),
    head=volatile("i4", "first ghost of the bucket with the number of this row", start=NONE),
)
