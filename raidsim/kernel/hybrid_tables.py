"""Table of hybrids: volumes as cache or tier in front of volumes.

The blocks that a hybrid holds in its front are the lines of a row of CACHE, in the tables of
:mod:`raidsim.kernel.cache_tables`: line i stands for block i of the front.
"""

from __future__ import annotations

from raidsim.kernel.tables import NONE
from raidsim.records import Column, Table, configuration, counter, state, volatile

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

HYBRIDS = Table(
    "hybrids",
    "a volume as cache or tier in front of another volume",
    front=configuration("i8", "volume"),
    back=configuration("i8", "volume"),
    back_offset=configuration("i8", "start of its region of the back", "B"),
    cache=configuration("i8", "row of its blocks"),
    block=configuration("i8", "what is promoted or moved at a time", "B"),
    mode=configuration("i8", "MODE_CACHE or MODE_TIER"),
    write=configuration("i8", "WRITE_BACK, WRITE_THROUGH or WRITE_AROUND"),
    promote=configuration("i8", "a block is promoted at so many misses; of a tier: accesses"),
    bypass=configuration("i8", "a longer sequential run goes past the front; 0: none does", "B"),
    through=configuration("i8", "1: what is behind a controller is asked through that one"),
    log=configuration("i8", "1: the back is written as a log,"),
    stripe=configuration("i8", "in stripes of so many bytes,", "B"),
    log_first=configuration("i8", "from this address on,", "B"),
    log_end=configuration("i8", "up to this one", "B"),
    log_head=state("i8", "the next one goes here", "B"),
    open=volatile("i8", "first of the writes of the open stripe, or NONE", start=NONE),
    open_bytes=volatile("i8", "what these are together", "B"),
    stripes=volatile("i8", "stripes on their way to the disks"),
    lost=state("i8", "NOTHING_LOST, FRONT_LOST or BACK_LOST"),
    first_trace=configuration("i8", "first of its rows in `traces`"),
    traces=configuration("i8", "how many: a power of two; of a tier two for each block"),
    first_trail=configuration("i8", "first of the streams that it follows"),
    tick=volatile("i8", "requests that these have followed"),
    interval=configuration("i8", "over which heat halves", "ns"),
    moving=volatile("i8", "moves of a tier under way"),
    moves=state("i8", "the most of them; 0 once a part is lost"),
    hand=state("i8", "line from which the coldest is looked for"),
    stream=state("i8", "that asked last: what is done in the background costs its CPU"),
    run_volume=volatile("i8", "of the request below that is put together, or NONE", start=NONE),
    run_op=state("i8", "of that: READ or WRITE"),
    run_start=state("i8", "of that: its first byte", "B"),
    run_end=state("i8", "of that: the byte behind its last", "B"),
    reads=counter("i8", "parts of reads within a block"),
    hits=counter("i8", "of these, answered by the front"),
    writes=counter("i8", "requests to write"),
    past=counter("i8", "of these, straight to the back"),
    waits=counter("i8", "of these, that waited for room"),
    promoted=counter("i8", "copied or moved into the front after a miss", "B"),
    forgotten=counter("i8", "of the front, as it was written straight to the back", "B"),
    written_back=counter("i8", "copied or moved from the front to the back", "B"),
    lost_bytes=counter("i8", "what only a front that has failed held", "B"),
    lost_reads=counter("i8", "requests that asked for some of that"),
)

TRACES = Column(
    "traces",
    "what a hybrid remembers of a block that is not in its front",
    state("i4", "a number of a block that was missed before; of a tier heat, then its interval"),
)
