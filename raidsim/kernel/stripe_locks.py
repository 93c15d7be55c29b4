"""Locks of stripes: two updates of one parity strip must not mix.

Stripes share a fixed number of locks. Sometimes two stripes have the same lock by chance; this is
rare and harmless.

With small strips a destage of whole stripes writes several of them as one, since their data is
adjacent on each drive, strips of parity included. Nothing is read, and each drive gets a command of
the length :data:`LONGEST`. The destage has the locks of all these stripes, if they are free.

Verbs: :func:`lock_of` a stripe, :func:`take_lock`, :func:`take_more` for the stripes behind a first
one, :func:`unlock_stripe` lets the next write of a stripe go, :func:`unlock` those of a part.
"""

from __future__ import annotations

from raidsim.kernel import agenda, queue
from raidsim.kernel.jit import handler
from raidsim.kernel.tables import NONE, STAGE_PLAN, STAGE_WAITING

LONGEST = 65536
"""Bytes of a drive that a destage writes of several stripes; longer strips go stripe by stripe."""


@handler
def lock_of(array, offset):
    """Row of the lock under which the stripe at byte ``offset`` is written."""
    return array["first_lock"] + offset // array["width"] % array["locks"]


@handler
def take_lock(w, row, index):
    """Take a lock: True if it was free, else the job is planned when its turn has come."""
    lock = w.locks[row]
    if lock["held"] == 0:
        lock["held"] = 1
        return True
    w.jobs[index]["stage"] = STAGE_WAITING
    queue.append(w, lock, index)
    return False


@handler
def take_more(w, array, layout, start, end):
    """Return the end of the stripes written as one from ``start``, with ``end`` to be written.

    The locks of all but the first one are taken; there is only the first one unless its lock is
    free, as they are.
    """
    width = array["width"]
    stop = min((start // width + 1) * width, end)
    first = lock_of(array, start)
    if layout["strip"] >= LONGEST or start % width > 0 or w.locks[first]["held"] == 1:
        return stop
    most = start + LONGEST // layout["strip"] * layout["spans"] * width
    while stop + width <= min(end, most):
        row = lock_of(array, stop)
        if row == first or w.locks[row]["held"] == 1:
            break
        w.locks[row]["held"] = 1
        stop += width
    return stop


@handler
def unlock_stripe(w, array, offset):
    """The write of a stripe has ended: the next one on its lock is planned."""
    lock = w.locks[lock_of(array, offset)]
    if lock["first_waiting"] == NONE:
        lock["held"] = 0
    else:
        agenda.put(w, queue.take_first(w, lock), STAGE_PLAN)


@handler
def unlock(w, array, part):
    """The write of the stripes of a part has ended."""
    offset = part["offset"]
    end = offset + part["length"]
    while offset < end:
        unlock_stripe(w, array, offset)
        offset = (offset // array["width"] + 1) * array["width"]
