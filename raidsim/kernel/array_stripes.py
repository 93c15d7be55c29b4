"""A write to parity goes stripe by stripe: a *part* for each, under the lock of its stripe.

A stripe is locked from the plan of its part to the end of the part
(:mod:`raidsim.kernel.stripe_locks`), so that two updates of one parity strip do not mix. A write to
copies needs no parts: it only waits for background work (:mod:`raidsim.kernel.copy_locks`).

Verbs: :func:`split` a write, :func:`part_ended` for each stripe.
"""

from __future__ import annotations

from raidsim.kernel import agenda, partial_parity, stripe_cache
from raidsim.kernel.array_tables import ERRAND_DESTAGE, ERRAND_PART
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release, take_child
from raidsim.kernel.stripe_locks import lock_of, take_lock, take_more, unlock
from raidsim.kernel.tables import DONE, NONE, STAGE_ENDED, STAGE_PLAN, STAGE_WAITING


@handler
def split(w, array, index):
    """Make a task of each stripe that a write touches, or of several that a destage fills."""
    job = w.jobs[index]
    layout = w.layouts[w.volumes[job["volume"]]["array"]]
    width = array["width"]
    start = job["offset"]
    end = start + job["length"]
    job["stage"] = STAGE_WAITING
    while start < end:
        stop = min((start // width + 1) * width, end)
        if job["errand"] == ERRAND_DESTAGE:
            stop = take_more(w, array, layout, start, end)
        part = take_child(w, STAGE_WAITING, index)
        below = w.jobs[part]
        below["errand"] = ERRAND_PART
        below["offset"] = start
        below["length"] = stop - start
        below["waiters"] = NONE
        below["other"] = NONE
        below["read_work"] = 0.0
        job["pending"] += 1
        lock_stripe(w, array, part)
        start = stop


@handler
def lock_stripe(w, array, index):
    """Plan a part at once, or when those before it on the same lock have ended."""
    row = lock_of(array, w.jobs[index]["offset"])
    if array["stripe_cache"] > 0 and stripe_cache.join(w, array, row, index):
        return
    if take_lock(w, row, index):
        agenda.put(w, index, STAGE_PLAN)


@part("arrays")
@handler
def part_ended(w, index):
    """One stripe of a write has ended, or several, with all writes that joined it."""
    part = w.jobs[index]
    row = w.volumes[part["volume"]]["array"]
    array = w.arrays[row]
    unlock(w, array, part)
    if array["partial_parity"] != NONE:
        partial_parity.leave(w, row, index)
    other = part["waiters"]
    while other != NONE:
        job = w.jobs[other]
        following = job["next"]
        job["status"] = part["status"]
        job["parts"] = 0
        close(w, other)
        other = following
    close(w, index)


@routine
def close(w, index):
    """A part of a write is done; the last one ends the write."""
    part = w.jobs[index]
    parent = part["parent"]
    job = w.jobs[parent]
    if part["status"] != DONE:
        job["status"] = part["status"]
    job["parts"] += part["parts"]
    release(w, index)
    job["pending"] -= 1
    if job["pending"] == 0:
        agenda.put(w, parent, STAGE_ENDED)
