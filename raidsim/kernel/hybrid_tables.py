"""Table of hybrids: volumes as cache or tier in front of volumes.

The blocks that a hybrid holds in its front are the lines of a row of CACHE, in the tables of
:mod:`raidsim.kernel.cache_tables`: line i stands for block i of the front.
"""

from __future__ import annotations

import numpy as np

# What the front is.
MODE_CACHE = 0  # of blocks that the back has too, or will get
MODE_TIER = 1  # each block lives in the front or in the back

# Where a write goes.
WRITE_BACK = 0  # into the front; the back gets it later
WRITE_THROUGH = 1  # into both
WRITE_AROUND = 2  # into the back, and the front forgets

# What has been lost.
NOTHING_LOST = 0
FRONT_LOST = 1
BACK_LOST = 2

NO_PROMOTION = 2**20  # accesses that no block ever has
HEAT = 256  # of one access: heat halves from interval to interval

HYBRID = np.dtype(
    [
        ("front", "i8"),  # volumes
        ("back", "i8"),
        ("back_offset", "i8"),  # where its region of the back begins, bytes
        ("cache", "i8"),  # row of its blocks
        ("block", "i8"),  # bytes
        ("mode", "i8"),
        ("write", "i8"),
        ("promote", "i8"),  # a block is promoted at so many misses (tier: accesses, as heat)
        ("bypass", "i8"),  # a sequential run longer than that goes past the front; 0: none does
        ("through", "i8"),  # 1: what is behind a controller is asked through that controller
        ("log", "i8"),  # 1: the back is written as a log,
        ("stripe", "i8"),  # in stripes of so many bytes,
        ("log_first", "i8"),  # between these addresses,
        ("log_end", "i8"),
        ("log_head", "i8"),  # the next one here
        ("open", "i8"),  # writes of the open stripe
        ("open_bytes", "i8"),
        ("stripes", "i8"),  # on their way to the disks
        ("lost", "i8"),
        ("first_trace", "i8"),  # in `traces`: blocks missed before; of a tier heat and interval
        ("traces", "i8"),  # a power of two; of a tier two for each block
        ("first_trail", "i8"),
        ("tick", "i8"),
        ("interval", "i8"),  # over which heat halves, ns
        ("moving", "i8"),  # moves of a tier under way
        ("moves", "i8"),  # most of them
        ("hand", "i8"),  # line from which the coldest is looked for
        ("stream", "i8"),  # that asked last: what is done in the background costs its CPU
        ("run_volume", "i8"),  # contiguous bytes that are put together for one request below
        ("run_op", "i8"),
        ("run_start", "i8"),
        ("run_end", "i8"),
        ("reads", "i8"),  # parts of reads within a block
        ("hits", "i8"),  # of these, answered by the front
        ("writes", "i8"),  # requests
        ("past", "i8"),  # of these, straight to the back
        ("waits", "i8"),  # of these, that waited for room
        ("promoted", "i8"),  # bytes copied or moved into the front after a miss
        ("written_back", "i8"),  # bytes copied or moved from the front to the back
        ("lost_bytes", "i8"),  # that only a front which has failed held
        ("lost_reads", "i8"),  # requests that asked for some of them
    ],
    align=True,
)
