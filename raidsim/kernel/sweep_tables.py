"""Tables of work that goes through a whole array in the background, and of unreadable sectors."""

from __future__ import annotations

import numpy as np

# What is done with each row.
REBUILD = 0  # a drive's strip is restored from the others
COPY = 1  # a drive is copied to another one, which then takes its place
CHECK = 2  # all that belongs together is read and compared
READ_ALL = 3  # every drive is read: patrol
WRITE_ALL = 4  # every drive is written: initialisation
RESYNC = 5  # copies are written anew from the first one; parity is checked

# What becomes of a sector that nothing restores.
STOP = 0  # a rebuild ends
PUNCTURE = 1  # its row is left out, and marked as unreadable on the new drive

# What a worker is at.
WORKING = 0
ENDED = 1  # has done its rows, and waits for those before them
RESTING = 2  # the sweep is paused
QUEUED = 3  # waits until those before it have their locks

SWEEP = np.dtype(
    [
        ("volume", "i8"),
        ("kind", "i8"),
        ("member", "i8"),  # row in `members` that is rebuilt or copied
        ("first", "i8"),  # row of strips
        ("next", "i8"),  # row that is begun next
        ("end", "i8"),  # row behind the last
        ("chunk", "i8"),  # rows that a worker takes at a time
        ("block", "i8"),  # rows in sequence; then it skips to the next multiple of:
        ("stride", "i8"),
        ("first_worker", "i8"),
        ("workers", "i8"),
        ("working", "i8"),  # workers that have not come to the end
        ("begun", "i8"),  # chunks
        ("locked", "i8"),  # chunks that have had all their locks, in order
        ("retired", "i8"),  # chunks, in order
        ("rows", "i8"),  # of those
        ("frontier", "i8"),  # row up to which all is done
        ("share", "f8"),  # of its time that a worker works while there is other work
        ("least", "i8"),  # ns that a chunk takes at least: a limit of the throughput
        ("clock", "i8"),  # station where it waits
        ("puncture", "i8"),
        ("paused", "i8"),
        ("stopped", "i8"),
        ("lost", "i8"),  # 1: it could not go on
        ("found", "i8"),  # unreadable sectors
        ("repaired", "i8"),
        ("punctured", "i8"),  # rows that are lost
        ("started", "i8"),
        ("ended", "i8"),
        ("ticket", "i8"),
    ],
    align=True,
)

DEFECT = np.dtype(
    [
        ("drive", "i8"),  # NONE: it is none any more
        ("offset", "i8"),
        ("length", "i8"),
        ("punctured", "i8"),  # 1: marked by a rebuild, whose own writes do not make it good
        ("passed", "i8"),  # 1: no sweep stops at it any more
    ],
    align=True,
)
