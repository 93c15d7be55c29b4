"""Tables of controllers' caches: one row for each cache, each of its lines, each sequential trail.

A line holds a strip of a volume, or a part of a long strip. Its state is kept as masks of up to 64
grains. Lists of lines use indices; NONE ends them.
"""

from __future__ import annotations

from raidsim.kernel.replacement.tables import QUEUES
from raidsim.kernel.tables import NONE
from raidsim.records import Column, Memory, Table, configuration, counter, state, volatile, window

GRAINS = 64  # most parts of a line, one bit each
LEVELS = 10  # of the list of dirty lines
TRAILS = 32  # sequential streams of reads that a volume's read-ahead follows

# Read mode.
NO_READ_AHEAD = 0
READ_AHEAD = 1
ADAPTIVE = 2

CACHES = Table(
    "caches",
    "the cache of a controller, or the blocks of the front of a hybrid",
    size=configuration("i8", "what it holds at most", "B"),
    used=state("i8", "lines in use", "B"),
    clean=state("i8", "lines that may be evicted", "B"),
    dirty=state("i8", "lines with something that the drives do not have yet", "B"),
    dirty_peak=window("i8", "the most of that in the window", "B"),
    pinned=state("i8", "dirty lines that a lost array could not take", "B"),
    dirty_area=counter("f8", "integral of dirty bytes over time", "B ns"),
    dirty_changed=state("i8", "up to when that is counted", "ns"),
    high=configuration("i8", "dirty lines above which writes wait", "B"),
    low=configuration("i8", "dirty lines above which it destages", "B"),
    first_line=configuration("i8", "first of its lines"),
    lines=configuration("i8", "how many there are"),
    free=state("i8", "first free line, or NONE", start=NONE),
    fresh=state("i8", "first line that was never used: it is taken after the free ones"),
    end=configuration("i8", "line behind the last of those"),
    first_bucket=configuration("i8", "first of the buckets of its index"),
    buckets=configuration("i8", "how many there are, a power of two"),
    policy=configuration("i8", "of replacement: its place in raidsim.kernel.replacement.POLICIES"),
    newest=state("i8", "ends of the queues of clean lines, or NONE", start=NONE, shape=(QUEUES,)),
    oldest=state("i8", "the other ends", start=NONE, shape=(QUEUES,)),
    held=state("i8", "lines in use that belong to them, clean or not", "B", shape=(QUEUES,)),
    hand=state("i8", "clean line at which the policy goes on, or NONE", start=NONE),
    history=configuration("i8", "row of `histories`, if the policy remembers lines that are gone"),
    first_tower=configuration("i8", "in `towers`: of the head of the list of dirty lines"),
    elevator=volatile("i8", "of a front: key of the line that the elevator has come to"),
    first_ready=state("i4", "of a controller: next lane that may take a destage", start=NONE),
    last_ready=state("i4", "the last of these, if there is one", start=NONE),
    destaged=counter("i8", "of its lines, on the way to the drives or there", "B"),
    pass_begun=state(
        "i8", "of a front: `destaged` when the elevator last began again at the start", "B"
    ),
    last_pass=state("i8", "of a front: bytes of the last whole pass over all its lines", "B"),
    tasks=volatile("i8", "destages under way"),
    most_tasks=state("i8", "the most of them; 0 once a part of a hybrid is lost"),
    wanted=state("i8", "the most that the drives of arrays with dirty lines take at a time"),
    destage_size=configuration("i8", "most contiguous bytes of one", "B"),
    copy=configuration("i8", "station: its memory"),
    copy_ns=configuration("f8", "of that", "ns/B"),
    lookup_time=configuration("i8", "time of a core for a command that searches it", "ns"),
    line_time=configuration("i8", "time of a core for each line that is searched for", "ns"),
    dirty_time=configuration("i8", "time of a core for each line that a write makes dirty", "ns"),
    keep_ns=configuration("f8", "of that memory, for data that a read leaves in it", "ns/B"),
    direct_ns=configuration(
        "f8", "of that memory, for data that a read from the drives passes through it", "ns/B"
    ),
    first_waiting=volatile("i8", "first write that waits for room, or NONE", start=NONE),
    last_waiting=volatile("i8", "last of these", start=NONE),
    flush_time=configuration("i8", "idle time after which all that is dirty is destaged", "ns"),
    flusher=configuration("i8", "job that waits for that"),
    clock=configuration("i8", "station where it does"),
    written=volatile("i8", "time of the last write into it", "ns"),
    dirtied=volatile("i8", "lines that this write made dirty"),
    armed=volatile("i8", "1: the flusher waits"),
    taken=volatile("i8", "lines that left the list of dirty ones", "B"),
    flush_until=volatile("i8", "`taken` up to which all that is dirty is destaged", "B"),
    through_until=volatile(
        "i8", "`taken` up to which dirty data is destaged since an array writes through", "B"
    ),
    read_ahead=configuration("i8", "what is read ahead of a stream", "B"),
    reads=counter("i8", "reads of the host that were looked up"),
    hits=counter("i8", "of these, found"),
    errand=configuration("i8", "of the tasks that destage"),
    again=configuration("i8", "stage in which a write that waits for room tries again"),
)

LINES = Table(
    "lines",
    "a line of a cache: a strip of a volume, or a block of a hybrid, whole or in part",
    Memory(apart=True),
    # What is looked for in it, and the lists that it is in: one line of the processor's cache.
    volume=volatile("i4", "that it is of"),
    chain=volatile("i4", "next line of the same bucket, or next free one, or NONE"),
    strip=volatile("i8", "its number in the volume"),
    key=volatile("i8", "volume and strip in one number: the order of the elevator"),
    newer=volatile("i4", "next newer line in its queue, while it is clean, or NONE"),
    older=volatile("i4", "next older line in its queue, while it is clean, or NONE"),
    queue=volatile("i4", "that it belongs to while it is clean"),
    mark=volatile("i4", "what the policy notes of it"),
    height=volatile("i4", "in the list of dirty lines; 0: it is not in it"),
    destages=volatile("i4", "tasks that have a part of it"),
    pinned=volatile("i4", "1: its array is lost, and it waits for import or discard"),
    waiters=volatile("i4", "first of the reads that wait for what is coming, or NONE"),
    # What it holds.
    size=volatile("i8", "of all of it", "B"),
    valid=volatile("i8", "mask of its grains that agree with the drives"),
    dirty=volatile("i8", "mask of those that the drives do not have yet"),
    busy=volatile("i8", "mask of those that are being destaged"),
    coming=volatile("i8", "mask of those that are being read ahead, or filled"),
)

BUCKETS_OF_LINES = Column(
    "buckets_of_lines",
    "a bucket of the index of a cache",
    volatile("i4", "its first line, or NONE", start=NONE),
    Memory(apart=True),
)

TOWERS = Column(
    "towers",
    "a pointer of the list of dirty lines, which is a skip list",
    volatile("i4", "the next line at this height, or NONE"),
    Memory(apart=True),
)

TRAIL_ROWS = Table(
    "trails",
    "a stream of sequential reads that read-ahead, or a hybrid, follows",
    next=volatile("i8", "address at which it would go on", "B"),
    run=volatile("i8", "in sequence so far: reads; of a hybrid bytes"),
    frontier=volatile("i8", "first byte that is not fetched yet", "B"),
    used=volatile("i8", "tick of the last read"),
)
