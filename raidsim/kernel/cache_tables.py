"""Tables of controllers' caches: one row for each cache, each of its lines, each sequential trail.

A line holds one strip of a volume, or parts of it: its state is kept as masks of up to 64 grains.
Lists of lines go by index; NONE ends them.
"""

from __future__ import annotations

import numpy as np

from raidsim.kernel.replacement.tables import QUEUES

GRAINS = 64  # most parts of a line, one bit each
LEVELS = 10  # of the list of dirty lines
TRAILS = 32  # sequential streams of reads that a volume's read-ahead follows

# Read mode.
NO_READ_AHEAD = 0
READ_AHEAD = 1
ADAPTIVE = 2

CACHE = np.dtype(
    [
        ("size", "i8"),  # bytes
        ("used", "i8"),  # bytes of lines in use
        ("clean", "i8"),  # bytes of lines that may be evicted
        ("dirty", "i8"),  # bytes of lines that hold what the drives do not have yet
        ("dirty_peak", "i8"),
        ("pinned", "i8"),  # bytes of dirty lines that a lost array could not take
        ("dirty_area", "f8"),  # dirty bytes over time, byte ns
        ("dirty_changed", "i8"),  # up to when that is counted
        ("high", "i8"),  # bytes of dirty lines above which writes wait
        ("low", "i8"),  # bytes of dirty lines above which it destages
        ("first_line", "i8"),
        ("lines", "i8"),
        ("free", "i8"),  # first free line
        ("fresh", "i8"),  # lines from here up to `end` were never used: they come after those
        ("end", "i8"),
        ("first_bucket", "i8"),
        ("buckets", "i8"),  # a power of two
        ("policy", "i8"),  # of replacement: a place in POLICIES of raidsim.kernel.replacement
        ("newest", "i8", (QUEUES,)),  # ends of the queues of clean lines
        ("oldest", "i8", (QUEUES,)),
        ("held", "i8", (QUEUES,)),  # bytes of lines in use that belong to them, clean or not
        ("hand", "i8"),  # clean line at which the policy goes on, or NONE
        ("history", "i8"),  # row of `histories`, if the policy remembers lines that are gone
        ("first_tower", "i8"),  # in `towers`: of the head of the list of dirty lines
        ("elevator", "i8"),  # key of the line that the elevator has come to
        ("tasks", "i8"),  # destages under way
        ("most_tasks", "i8"),
        ("destage_size", "i8"),  # most contiguous bytes of one
        ("copy", "i8"),  # station: its memory
        ("copy_ns", "f8"),  # per byte
        ("lookup_time", "i8"),
        ("blocked_head", "i8"),  # writes that wait for room
        ("blocked_tail", "i8"),
        ("flush_time", "i8"),
        ("flusher", "i8"),  # job that waits for the flush time
        ("clock", "i8"),  # station where it does
        ("written", "i8"),  # time of the last write into it
        ("armed", "i8"),
        ("flushing", "i8"),
        ("read_ahead", "i8"),  # bytes
        ("reads", "i8"),  # of the host that were looked up
        ("hits", "i8"),
        ("errand", "i8"),  # of the tasks that destage
        ("again", "i8"),  # stage in which a write that waits for room tries again
    ],
    align=True,
)

LINE = np.dtype(
    [
        ("volume", "i8"),
        ("strip", "i8"),  # number in the volume
        ("size", "i8"),  # bytes
        ("valid", "i8"),  # masks: what agrees with the drives,
        ("dirty", "i8"),  # what they do not have yet,
        ("busy", "i8"),  # what is being destaged,
        ("coming", "i8"),  # what is being read ahead
        ("key", "i8"),  # volume and strip in one number: the order of the elevator
        ("chain", "i4"),  # next line of the same bucket, or next free one
        ("queue", "i4"),  # that it belongs to while it is clean
        ("newer", "i4"),  # in its queue, while it is clean
        ("older", "i4"),
        ("mark", "i4"),  # what the policy notes of it
        ("destages", "i4"),  # tasks that have a part of it
        ("pinned", "i4"),  # 1: its array is lost, and it waits for import or discard
        ("height", "i4"),  # in the list of dirty lines; 0 if not in it
        ("waiters", "i4"),  # reads that wait for what is coming
    ],
    align=True,
)

TRAIL = np.dtype(
    [
        ("next", "i8"),  # address at which the stream would go on
        ("run", "i8"),  # reads in sequence so far
        ("frontier", "i8"),  # first byte that is not fetched yet
        ("used", "i8"),  # tick of the last read
    ],
    align=True,
)
