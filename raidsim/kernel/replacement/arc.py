"""ARC: lines used once and lines used again share the room; their ghosts determine the shares.

N. Megiddo and D. S. Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003, figure
4. T1 (here ONCE) holds lines that were used once since they came in, T2 (AGAIN) those that were
used more often, both in the order of use; B1 and B2 are their ghosts. A miss that finds a ghost of
T1 shows that T1 is too small: its target grows, by as much as the other kind of ghosts is more
numerous. A ghost of T2 makes the target smaller.

Sizes are counted in bytes, so lines of several sizes may share a cache. With equal lines it is the
algorithm as printed. Dirty lines belong to T1 or T2 and count there, but cannot be evicted: if the
list that should give up a line has no clean one, the other list does. A line that is clean again is
the newest of its list, and in T2 only if it was used meanwhile.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.replacement import ghosts
from raidsim.kernel.replacement.queues import assign
from raidsim.kernel.tables import NONE

ONCE = 0
AGAIN = 1

# What is remembered of a line that comes in.
UNKNOWN = 0
WAS_ONCE = 1
WAS_AGAIN = 2
UNKNOWN_AND_FULL = 3  # all the room is taken by lines used once: the oldest leaves no ghost


@routine
def missed(w, cache, key, size):
    """Learn from the ghost of a line; if it has none, make room for one more ghost."""
    history = ghosts.of(w, cache)
    once = history["bytes"][ONCE]
    again = history["bytes"][AGAIN]
    found = ghosts.find(w, history, key)
    if found != NONE:
        if w.ghosts[found]["queue"] == ONCE:
            step = size * max(again / once, 1.0)
            history["target"] = min(history["target"] + step, float(cache["size"]))
            answer = WAS_ONCE
        else:
            step = size * max(once / again, 1.0)
            history["target"] = max(history["target"] - step, 0.0)
            answer = WAS_AGAIN
        ghosts.forget(w, history, found)
        return answer
    held = cache["held"][ONCE]
    if held + once + size > cache["size"]:
        if once == 0:
            return UNKNOWN_AND_FULL
        while history["bytes"][ONCE] > 0 and held + history["bytes"][ONCE] + size > cache["size"]:
            ghosts.forget_oldest(w, history, ONCE)
    else:
        held += cache["held"][AGAIN] + once
        while (
            history["bytes"][AGAIN] > 0
            and held + history["bytes"][AGAIN] + size > 2 * cache["size"]
        ):
            ghosts.forget_oldest(w, history, AGAIN)
    return UNKNOWN


@handler
def victim(w, cache, past):
    """The oldest of the list that has more than its target."""
    target = ghosts.of(w, cache)["target"]
    held = cache["held"][ONCE]
    queue = AGAIN
    if past == UNKNOWN_AND_FULL or held > target or (past == WAS_AGAIN and held == target):
        queue = ONCE
    if cache["oldest"][queue] == NONE:
        queue = 1 - queue
    return cache["oldest"][queue]


@handler
def evicted(w, cache, index, past):
    """A line becomes the newest ghost of its list."""
    if past != UNKNOWN_AND_FULL:
        line = w.lines[index]
        ghosts.add(w, ghosts.of(w, cache), line["key"], line["size"], line["queue"])


@handler
def admitted(w, cache, index, past):
    """A line that had a ghost has been used before."""
    if past == WAS_ONCE or past == WAS_AGAIN:
        w.lines[index]["queue"] = AGAIN


@handler
def used(w, cache, index):
    """A line becomes the newest of those used again."""
    assign(w, cache, index, AGAIN)
