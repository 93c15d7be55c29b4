"""The event list: a binary heap ordered by (time, priority, sequence).

``order`` packs priority, sequence and kind into one int64, so that one comparison
breaks ties: events of one instant run by priority, then in the order in which they
were scheduled. The heap is a table of ``EVENT`` rows; ``state.events`` says how many
are in use.

Most events bring about another one. So the place of the event being handled stays
vacant at the root until the first :func:`schedule` takes it: one walk down the heap
instead of one down (to remove) and one up (to add).
"""

from __future__ import annotations

import numpy as np

from raidsim.errors import TableOverflowError
from raidsim.kernel.jit import handler

KIND_BITS = 3
PRIORITY_SHIFT = 59
KIND_MASK = (1 << KIND_BITS) - 1


@handler
def schedule(w, time, priority, kind, subject, mark):
    """Add an event at ``time`` (ns) about ``subject``; void once its mark has changed.

    Raises
    ------
    TableOverflowError
        If the heap is full: the engine makes sure before each event that it is not.
    """
    state = w.state[0]
    state["sequence"] += 1
    order = (np.int64(priority) << PRIORITY_SHIFT) | (state["sequence"] << KIND_BITS) | kind
    heap = w.heap
    if state["vacant"] == 1:
        state["vacant"] = 0
        sink(heap, state["events"], time, order, subject, mark)
        return
    hole = state["events"]
    if hole == len(heap):
        raise TableOverflowError("heap")
    state["events"] = hole + 1
    while hole > 0:
        above = (hole - 1) >> 1
        over = heap[above]
        if over["time"] < time or (over["time"] == time and over["order"] < order):
            break
        put(heap[hole], over["time"], over["order"], over["subject"], over["mark"])
        hole = above
    put(heap[hole], time, order, subject, mark)


@handler
def vacate_first(w):
    """Take the earliest event off the heap; read ``heap[0]`` before."""
    w.state[0]["vacant"] = 1


@handler
def fill_vacancy(w):
    """Let the last event of the heap take the root, if nothing scheduled did."""
    state = w.state[0]
    if state["vacant"] == 1:
        state["vacant"] = 0
        count = state["events"] - 1
        state["events"] = count
        last = w.heap[count]
        sink(w.heap, count, last["time"], last["order"], last["subject"], last["mark"])


@handler
def sink(heap, count, time, order, subject, mark):
    """Put an event at the root and move it down, below all that come before it."""
    hole = 0
    child = 1
    while child < count:
        if child + 1 < count:
            child += earlier(heap[child + 1], heap[child])
        below = heap[child]
        if time < below["time"] or (time == below["time"] and order < below["order"]):
            break
        put(heap[hole], below["time"], below["order"], below["subject"], below["mark"])
        hole = child
        child = 2 * hole + 1
    put(heap[hole], time, order, subject, mark)


@handler
def put(row, time, order, subject, mark):
    """Write an event into a row: all of it at once, since nothing is read in between."""
    row["time"] = time
    row["order"] = order
    row["subject"] = subject
    row["mark"] = mark


@handler
def earlier(one, other):
    """1 if an event comes before another one, else 0.

    Without a branch: of two children the processor would guess the wrong one half of the time.
    """
    first = one["time"] < other["time"]
    tied = one["time"] == other["time"]
    return int(first | (tied & (one["order"] < other["order"])))
