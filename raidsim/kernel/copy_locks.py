"""Locks that keep writes of hosts to copies, and copying in the background, apart.

A strip that is rebuilt, copied back or restored is read first and written later. This would replace
a write of the host to the same place in between by the old data. So both kinds of work take the
lock of their stripe. Several writes of hosts may run side by side, and so may background work, but
each kind waits for the other::

    enter     a write of a host waits while background work has one of its stripes
    claim     background work takes its stripes: from now on no write enters, and it waits until
              those that are there have left
    leave     a write has ended
    give_up   background work has done its rows

There is no deadlock: a write that waits has no lock, a write that has its locks waits for nothing,
and background work does not wait for background work. Nothing waits for ever either: no further
write enters claimed stripes, and every claim moves on.

Linux md protects mirrors in the same way, in sections of 64 MiB (``raise_barrier``,
``wait_barrier`` in drivers/md/raid1.c). Parity has locks that one write holds exclusively, see
:mod:`raidsim.kernel.stripe_locks`.
"""

from __future__ import annotations

from raidsim.kernel import agenda, queue
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.plans import held
from raidsim.kernel.tables import NONE, STAGE_PLAN, STAGE_WAITING


@routine
def enter(w, array, index):
    """Let a write take the locks of its stripes; False if it waits for one of them."""
    job = w.jobs[index]
    first, stop = stripes(array, job)
    for stripe in range(first, stop):
        lock = w.locks[lock_of(array, stripe)]
        if lock["held"] > 0:
            job["stage"] = STAGE_WAITING
            queue.append(w, lock, index)
            return False
    for stripe in range(first, stop):
        w.locks[lock_of(array, stripe)]["writes"] += 1
    job["locked"] = 1
    return True


@routine
def leave(w, array, index):
    """A write has ended; background work that waited for it looks again."""
    job = w.jobs[index]
    job["locked"] = 0
    first, stop = stripes(array, job)
    for stripe in range(first, stop):
        lock = w.locks[lock_of(array, stripe)]
        lock["writes"] -= 1
        if lock["writes"] == 0:
            look_again(w, lock)


@handler
def stripes(array, job):
    """The stripes of a write, the last excluded; each lock once where there are more."""
    first = job["offset"] // array["width"]
    stop = (job["offset"] + job["length"] - 1) // array["width"] + 1
    return first, min(stop, first + array["locks"])


@handler
def lock_of(array, stripe):
    """The lock of a stripe."""
    return array["first_lock"] + stripe % array["locks"]


@handler
def look_again(w, lock):
    """Whoever waits for a lock is planned anew, and finds out whether it still has to wait."""
    while lock["first_waiting"] != NONE:
        agenda.put(w, queue.take_first(w, lock), STAGE_PLAN)


@routine
def claim(w, row, index, drive, first, stop):
    """Take rows [first, stop) of a drive for job ``index``; False while writes are there."""
    job = w.jobs[index]
    if job["locked"] == 0:
        job["locked"] = 1
        hold(w, row, drive, first, stop)
    return is_clear(w, row, index, drive, first, stop)


@routine
def hold(w, row, drive, first, stop):
    """From now on no write enters rows [first, stop) of a drive."""
    for number in range(first, stop):
        w.locks[of_row(w, row, drive, number)]["held"] += 1


@routine
def is_clear(w, row, index, drive, first, stop):
    """Return whether no write is in rows of a drive; else job ``index`` waits for one that is."""
    for number in range(first, stop):
        lock = w.locks[of_row(w, row, drive, number)]
        if lock["writes"] > 0:
            w.jobs[index]["stage"] = STAGE_WAITING
            queue.append(w, lock, index)
            return False
    return True


@routine
def give_up(w, row, index, drive, first, stop):
    """Rows of a drive are done; writes that waited for them go on."""
    w.jobs[index]["locked"] = 0
    let_go(w, row, drive, first, stop)


@routine
def let_go(w, row, drive, first, stop):
    """Writes may enter rows [first, stop) of a drive again, and those that waited do."""
    for number in range(first, stop):
        lock = w.locks[of_row(w, row, drive, number)]
        lock["held"] -= 1
        if lock["held"] == 0:
            look_again(w, lock)


@handler
def of_row(w, row, drive, number):
    """The lock of what lies in a row of a drive."""
    _, _, address = held(w.layouts[row], drive, number)
    array = w.arrays[row]
    return lock_of(array, address // array["width"])
