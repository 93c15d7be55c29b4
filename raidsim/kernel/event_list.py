"""The event list: future events, by (time, priority, order of scheduling).

The first events, up to :data:`~raidsim.kernel.tables.SOON`, are a sorted array; all later ones are
a binary heap behind it. Time and priority are one number, the key. So one comparison orders two
events, and the array is sorted by this column alone. Most systems have fewer events than the array
holds, and in a longer list few new events belong far back.

A new event among a few is inserted step by step, since the processor mostly predicts its place
correctly. Among many events the prediction is mostly wrong. That costs more than to compare the new
event with all of them at once, and to move them at once, as :mod:`~raidsim.kernel.vectors` does.

Most events cause another one. So the first row stays empty while its event is handled, until
:func:`schedule` or :func:`fill_vacancy` closes the gap: one move of rows instead of two.
"""

from __future__ import annotations

import numpy as np

from raidsim.errors import TableOverflowError
from raidsim.kernel.jit import at_once, handler, routine
from raidsim.kernel.tables import NEVER, NO_EVENT, SOON

PRIORITY_BITS = 2  # 0 to 3: whatever is less urgent counts as 3
LEAST_URGENT = (1 << PRIORITY_BITS) - 1
MIDDLE = 2**61  # ns: times are counted from here, so that all of them find room in a key
LAST_TIME = NEVER - 2  # ns
MARK_BITS = 32
KIND_SHIFT = 60
MARK_MASK = (1 << MARK_BITS) - 1
SUBJECT_MASK = (1 << (KIND_SHIFT - MARK_BITS)) - 1
FEW = 8  # up to so many events are moved step by step
BEFORE_ALL = -(2**62)  # order of an event that came to the heap from the array


@handler
def insert_in_first(keys, events, count, key, event):
    """Put an event in its place, when the first of ``count`` is done with."""
    row = 0
    while row + 1 < count and keys[row + 1] <= key:
        keys[row] = keys[row + 1]
        events[row] = events[row + 1]
        row += 1
    keys[row] = key
    events[row] = event


@handler
def insert(keys, events, count, key, event):
    """Put an event in its place; ``count`` with it."""
    row = count - 1
    while row > 0 and keys[row - 1] > key:
        keys[row] = keys[row - 1]
        events[row] = events[row - 1]
        row -= 1
    keys[row] = key
    events[row] = event


@handler
def drop_first(keys, events, count):
    """Take the first of ``count`` events away."""
    for row in range(count - 1):
        keys[row] = keys[row + 1]
        events[row] = events[row + 1]
    keys[count - 1] = NO_EVENT


insert_in_first_at_once = at_once(insert_in_first)
insert_at_once = at_once(insert)
drop_first_at_once = at_once(drop_first)


@handler
def schedule(w, time, priority, kind, subject, mark):
    """Add an event at ``time`` (ns) about ``subject``; void once its mark has changed.

    An event beyond the largest time of the clock, 146 years, happens at this time.

    Raises
    ------
    TableOverflowError
        If the heap is full: the engine makes sure before each event that it is not.
    """
    state = w.state[0]
    when = np.int64(min(time, LAST_TIME) - MIDDLE) << PRIORITY_BITS
    key = when | np.int64(min(priority, LEAST_URGENT))
    about = np.int64(subject) << MARK_BITS | np.int64(mark) & MARK_MASK
    event = np.int64(kind) << KIND_SHIFT | about
    if state["soon"] >= FEW or state["events"] > state["soon"]:
        put(w, key, event)
    elif state["vacant"] == 1:
        state["vacant"] = 0
        insert_in_first(w.soon_keys, w.soon_events, state["soon"], key, event)
    else:
        state["events"] += 1
        state["soon"] += 1
        insert(w.soon_keys, w.soon_events, state["soon"], key, event)


@handler
def next_time(w):
    """Return the time of the next event, ns; there must be one."""
    return (w.soon_keys[0] >> PRIORITY_BITS) + MIDDLE


@handler
def next_kind(w):
    """Return the kind of the next event, EVENT_*."""
    return w.soon_events[0] >> KIND_SHIFT


@handler
def next_subject(w):
    """Whom the next event is about."""
    return (w.soon_events[0] >> MARK_BITS) & SUBJECT_MASK


@handler
def next_mark(w):
    """The mark of the subject of the next event, when that was scheduled."""
    return (w.soon_events[0] << MARK_BITS) >> MARK_BITS  # with its sign


@handler
def vacate_first(w):
    """Take the next event off the list; what is to be known of it is read before."""
    w.state[0]["vacant"] = 1


@handler
def fill_vacancy(w):
    """Let the others move up, if nothing scheduled has taken the place of the first event."""
    state = w.state[0]
    if state["vacant"] == 1:
        state["vacant"] = 0
        state["events"] -= 1
        count = state["soon"]
        state["soon"] = count - 1
        if count <= FEW:
            drop_first(w.soon_keys, w.soon_events, count)
        else:
            drop_first_at_once(w.soon_keys, w.soon_events, count)
        if count == 1 and state["events"] > 0:
            refill(w)


@routine
def put(w, key, event):
    """Put an event in its place, in the array or in the heap."""
    state = w.state[0]
    if state["soon"] == SOON and state["vacant"] == 0:
        push_half(w)
    later = state["events"] - state["soon"]
    if later > 0 and key >= w.heap[0]["key"]:
        state["sequence"] += 1
        push(w, later, key, state["sequence"], event)
        state["events"] += 1
    elif state["vacant"] == 1:
        state["vacant"] = 0
        insert_in_first_at_once(w.soon_keys, w.soon_events, state["soon"], key, event)
    else:
        state["events"] += 1
        state["soon"] += 1
        insert_at_once(w.soon_keys, w.soon_events, state["soon"], key, event)


@routine
def push_half(w):
    """Make room in the array: its later half goes to the heap.

    The last one first, and each in front of all that are there: those of one key keep their order.
    """
    state = w.state[0]
    while state["soon"] > SOON // 2:
        row = state["soon"] - 1
        state["sequence"] += 1
        order = BEFORE_ALL - state["sequence"]
        push(w, state["events"] - state["soon"], w.soon_keys[row], order, w.soon_events[row])
        w.soon_keys[row] = NO_EVENT
        state["soon"] = row


@routine
def refill(w):
    """Let the first events of the heap fill half of the array, which is empty."""
    state = w.state[0]
    while state["soon"] < SOON // 2 and state["events"] > state["soon"]:
        row = state["soon"]
        first = w.heap[0]
        w.soon_keys[row] = first["key"]
        w.soon_events[row] = first["event"]
        state["soon"] = row + 1
        sink_last(w.heap, state["events"] - row - 1)


@handler
def push(w, count, key, order, event):
    """Put an event into the heap, which has ``count``."""
    heap = w.heap
    if count == len(heap):
        raise TableOverflowError("heap")
    hole = count
    while hole > 0:
        above = (hole - 1) >> 1
        over = heap[above]
        if over["key"] < key or (over["key"] == key and over["order"] < order):
            break
        write(heap[hole], over["key"], over["order"], over["event"])
        hole = above
    write(heap[hole], key, order, event)


@handler
def sink_last(heap, count):
    """Let the last event of the heap, row ``count``, take the place of the first."""
    last = heap[count]
    key = last["key"]
    order = last["order"]
    event = last["event"]
    hole = 0
    child = 1
    while child < count:
        if child + 1 < count:
            child += earlier(heap[child + 1], heap[child])
        below = heap[child]
        if key < below["key"] or (key == below["key"] and order < below["order"]):
            break
        write(heap[hole], below["key"], below["order"], below["event"])
        hole = child
        child = 2 * hole + 1
    write(heap[hole], key, order, event)


@handler
def write(row, key, order, event):
    """Write an event into a row of the heap."""
    row["key"] = key
    row["order"] = order
    row["event"] = event


@handler
def earlier(one, other):
    """1 if an event of the heap comes before another one, else 0.

    Without a branch: of two children the processor would guess the wrong one half of the time.
    """
    first = one["key"] < other["key"]
    tied = one["key"] == other["key"]
    return int(first | (tied & (one["order"] < other["order"])))
