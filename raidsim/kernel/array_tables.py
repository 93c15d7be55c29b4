"""Tables of arrays and controllers: rows of one volume, of its drives, of its stripe locks.

The layouts themselves, and the accesses that a plan lists, are records of
:mod:`raidsim.layout.tables`: LAYOUT rows stand beside ARRAY rows, under the same number.
"""

from __future__ import annotations

import numpy as np

# Which copy a read of mirrored data takes, unless it continues a sequential stream.
SHORTEST_QUEUE = 0
NEAREST_HEAD = 1
ROUND_ROBIN = 2

# What a task is for: who is told when it has ended.
ERRAND_HOST = 0  # a request of a host
ERRAND_PART = 1  # one stripe of a write to parity
ERRAND_DESTAGE = 2  # dirty data of a cache goes to the drives
ERRAND_FETCH = 3  # a cache reads ahead
ERRAND_SWEEP = 4  # some rows of an array in the background, see raidsim.kernel.sweep
ERRAND_REPAIR = 5  # a strip with a sector that could not be read is restored
ERRAND_BELOW = 8  # what a hybrid asks of its front or back
ERRAND_WRITE_BACK = 9  # a hybrid copies from front to back
ERRAND_FILL = 10  # a hybrid copies from back to front

# Family of an array that is a hybrid: the others are those of layouts.
HYBRID = 8

COPYING = 5  # method of a write, beside those of raidsim.layout: to the drive that gets a copy

ARRAY = np.dtype(
    [
        ("family", "i8"),  # of its layout
        ("drives", "i8"),
        ("first_member", "i8"),  # in `members` and in `good`
        ("policy", "i8"),  # of parity updates, see raidsim.layout.tables
        ("mirror_policy", "i8"),
        ("stream_depth", "i8"),  # commands that a sequential stream keeps on one copy
        ("turn", "i8"),  # mirrored reads so far: where the search for a copy begins
        ("width", "i8"),  # bytes of data of a stripe
        ("first_lock", "i8"),
        ("locks", "i8"),
        ("engine", "i8"),  # station that computes parity
        ("parity_ns", "f8"),  # per byte
        ("cpu", "i8"),  # station that issues device I/Os; NONE: the process that asked
        ("spread_ns", "f8"),  # CPU time per task
        ("device_io_ns", "f8"),  # and per command to a drive beyond the first
        ("commands", "i8"),  # to its drives so far
        ("line", "i8"),  # bytes of a line of the cache: a strip
        ("write_back", "i8"),  # 1: writes are answered from the cache of its controller
        ("cached", "i8"),  # 1: what is read from the drives is kept there
        ("read_ahead", "i8"),  # read mode, see cache_tables
        ("first_trail", "i8"),
        ("tick", "i8"),  # reads that the read-ahead has followed
        ("offline", "i8"),  # 1: as a whole, what its cache holds included
        ("touched", "i8"),  # when it last began something else than a sweep
        ("unreadable", "i8"),  # sectors that could not be read, so far
        ("repaired", "i8"),  # of these, restored from redundancy
        ("chunk", "i8"),  # bytes of each drive for which there is a mark; 0: none are kept
        ("first_mark", "i8"),
        ("clear_after", "i8"),  # ns after the last write when a mark is taken off
        ("marked", "i8"),  # marks set so far
        ("hybrid", "i8"),  # row of `hybrids`, in the family HYBRID
    ],
    align=True,
)

MEMBER = np.dtype(  # one drive of an array
    [
        ("drive", "i8"),
        ("in_flight", "i8"),  # commands planned that are not back yet
        ("end", "i8"),  # address behind the last command planned
        ("copy", "i8"),  # drive that it is being copied to, or NONE
        ("copied", "i8"),  # bytes from the start that are: they are written there too
    ],
    align=True,
)

LOCK = np.dtype(  # stripes that fall on it are written one after the other
    [
        ("held", "i8"),
        ("head", "i4"),  # parts that wait
        ("tail", "i4"),
    ],
    align=True,
)

CONTROLLER = np.dtype(
    [
        ("commands", "i8"),  # station: its cores
        ("to_host", "i8"),  # stations of its host link
        ("to_controller", "i8"),
        ("replies", "i8"),  # station of the fixed latency
        ("command_time", "i8"),
        ("write_time", "i8"),  # more for a write
        ("latency", "i8"),
        ("link_ns", "f8"),  # per byte
        ("cache", "i8"),  # row of its cache, or NONE
    ],
    align=True,
)

HOP = np.dtype(  # a shared link on the way from a drive up to its controller or host
    [
        ("up", "i8"),  # stations
        ("down", "i8"),
        ("ns", "f8"),  # per byte
    ],
    align=True,
)
