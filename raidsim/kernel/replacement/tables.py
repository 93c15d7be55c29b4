"""Tables of what policies remember: a row for each cache that does, and one for each ghost."""

from __future__ import annotations

import numpy as np

QUEUES = 2  # of clean lines of a cache, and of ghosts

HISTORY = np.dtype(
    [
        ("first", "i8"),  # row of `ghosts`
        ("rows", "i8"),  # of its index, a power of two: at least `most`
        ("most", "i8"),  # ghosts
        ("count", "i8"),
        ("free", "i8"),  # first free row
        ("fresh", "i8"),  # rows from here on were never used: they come after those
        ("newest", "i8", (QUEUES,)),
        ("oldest", "i8", (QUEUES,)),
        ("bytes", "i8", (QUEUES,)),  # of the lines whose ghosts they are
        ("target", "f8"),  # ARC: bytes that lines used once are to have
    ],
    align=True,
)

GHOST = np.dtype(
    [
        ("key", "i8"),  # of the line, see raidsim.kernel.cache_tables
        ("size", "i8"),  # bytes of the line
        ("queue", "i4"),
        ("newer", "i4"),
        ("older", "i4"),
        ("chain", "i4"),  # next ghost of the same bucket, or next free row
        ("head", "i4"),  # first ghost of the bucket that has the number of this row
    ],
    align=True,
)
