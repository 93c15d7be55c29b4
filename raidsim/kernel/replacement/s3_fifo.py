"""S3-FIFO: new lines come into a small queue; only those used there get into the main queue.

J. Yang, Y. Zhang, Z. Qiu, Y. Yue and K. V. Rashmi, "FIFO queues are all you need for cache
eviction", SOSP 2023, algorithm 1. New lines come into SMALL. While SMALL has a tenth of the cache,
its oldest line is removed: to MAIN if it was used more than once, else out of the cache, leaving a
ghost. MAIN is a FIFO whose lines go round once more for each use, up to three times. A line that
comes in and has a ghost goes to MAIN at once. There are as many ghosts as lines in nine tenths of
the cache.

In the paper, a line that leaves SMALL for a full MAIN evicts a line of MAIN, and then one of SMALL
is evicted too. Here the first one is enough, since it makes the room.

Dirty lines belong to SMALL or MAIN and count there, but cannot be evicted: if the queue that should
give up a line has no clean one, the other queue does. A line that is clean again is the newest of
its queue; it keeps the count of its uses.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.replacement import ghosts
from raidsim.kernel.replacement.queues import assign, renew
from raidsim.kernel.tables import NONE

SMALL = 0
MAIN = 1
MOST_USES = 3
SMALL_PART = 10  # of the cache is one tenth


@handler
def missed(w, cache, key, size):
    """Return whether a line has a ghost: 1, and it has none any more."""
    history = ghosts.of(w, cache)
    found = ghosts.find(w, history, key)
    if found == NONE:
        return 0
    ghosts.forget(w, history, found)
    return 1


@routine
def victim(w, cache, past):
    """The oldest line of SMALL, if that has its share, or of MAIN that was not used enough."""
    while True:
        small = cache["oldest"][SMALL]
        main = cache["oldest"][MAIN]
        full = cache["held"][SMALL] * SMALL_PART >= cache["size"]
        if small != NONE and (full or main == NONE):
            if w.lines[small]["mark"] <= 1:
                return small
            w.lines[small]["mark"] = 0
            assign(w, cache, small, MAIN)
        elif main == NONE or w.lines[main]["mark"] == 0:
            return main
        else:
            w.lines[main]["mark"] -= 1
            renew(w, cache, main)


@handler
def evicted(w, cache, index, past):
    """A line of SMALL leaves a ghost."""
    line = w.lines[index]
    if line["queue"] == SMALL:
        history = ghosts.of(w, cache)
        ghosts.add(w, history, line["key"], line["size"], SMALL)
        while history["count"] * SMALL_PART > history["most"] * (SMALL_PART - 1):
            ghosts.forget_oldest(w, history, SMALL)


@handler
def admitted(w, cache, index, past):
    """A line that has a ghost was used before."""
    if past == 1:
        w.lines[index]["queue"] = MAIN


@handler
def used(w, cache, index):
    """Count a use."""
    line = w.lines[index]
    line["mark"] = min(line["mark"] + 1, MOST_USES)
