"""Repairs: a sector that a drive cannot read is restored from the other data of its stripe.

The task that meets the sector waits while a separate task, the repair, reads the rest of the stripe
and writes the strip. Then the task begins again. If nothing can restore the strip, a request of the
host fails, and a rebuild punctures the row or stops.

A repair holds the lock of its stripe, as a write does. Otherwise it would write old data over a
write that came in between. A write to parity, and work that writes what it has read, already have
this lock when they find the sector. A read and a check have none, and the repair takes it. It holds
only this one lock, so there is no deadlock.

Verbs: :func:`carry_out` a repair, :func:`ended`.
"""

from __future__ import annotations

from raidsim.kernel import agenda, copy_locks, defects, filling, stripe_locks
from raidsim.kernel.array import make_commands
from raidsim.kernel.array_tables import ERRAND_OPERATION, ERRAND_PART
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release
from raidsim.kernel.operation import array_row, writes_what_it_read
from raidsim.kernel.operation_tables import COPY, REBUILD
from raidsim.kernel.plans import held, rebuild
from raidsim.kernel.tables import DONE, FAILED, NONE, RETRY, STAGE_ENDED, STAGE_PLAN
from raidsim.layout.tables import LOST, MIRRORED, PARITY


@part("arrays")
@routine
def carry_out(w, index):
    """Restore the strip that task ``index`` is about, from the rest of its stripe."""
    job = w.jobs[index]
    row = w.volumes[job["volume"]]["array"]
    layout = w.layouts[row]
    array = w.arrays[row]
    first = array["first_member"]
    good = w.good[first : first + array["drives"]]
    if needs_lock(w, layout, job):
        drive = job["member"] - first
        if array["family"] == MIRRORED:
            if not copy_locks.claim(w, row, index, drive, job["first_row"], job["first_row"] + 1):
                return
        elif job["locked"] == 0:
            job["locked"] = 1
            _, _, found = held(layout, drive, job["first_row"])
            if not stripe_locks.take_lock(w, stripe_locks.lock_of(array, found), index):
                return
    if w.drives[w.members[job["member"]]["drive"]]["failed"] == 1:
        job["status"] = RETRY  # nothing is written to it any more
        agenda.put(w, index, STAGE_ENDED)
        return
    other = job["other"]  # another drive that can't read its strip of the stripe
    before = 0
    if other != NONE:
        before = good[other - first]
        good[other - first] = min(before, job["first_row"] * layout["strip"])
    count = rebuild(layout, good, job["member"] - first, job["first_row"], w.accesses)
    if other != NONE:
        good[other - first] = before
    if count == LOST or count == 0:
        job["status"] = FAILED
        agenda.put(w, index, STAGE_ENDED)
        return
    make_commands(w, row, index, count)


@handler
def needs_lock(w, layout, job):
    """Return whether a repair needs the lock of its stripe: its parent does not have it."""
    if layout["family"] != PARITY and layout["family"] != MIRRORED:
        return False
    above = w.jobs[job["parent"]]
    if above["errand"] == ERRAND_OPERATION:
        return not writes_what_it_read(layout, w.operations[above["row"]]["kind"])
    return above["errand"] != ERRAND_PART


@part("arrays")
@routine
def ended(w, index):
    """The strip is restored, or can't be: the task that met the defect begins anew, or fails.

    It begins anew too if the drive has failed meanwhile, and leaves that out.
    """
    job = w.jobs[index]
    parent = job["parent"]
    above = w.jobs[parent]
    row = w.volumes[job["volume"]]["array"]
    array = w.arrays[row]
    gone = job["status"] == RETRY
    restored = gone or job["status"] == DONE
    if restored and not gone:
        array["repaired"] += 1
    if above["errand"] == ERRAND_OPERATION and not gone:
        operation = w.operations[above["row"]]
        operation["found"] += 1
        if restored:
            operation["repaired"] += 1
        else:
            restored = pass_over(w, operation, job["member"], job["first_row"])
    if job["locked"] == 1:
        drive = job["member"] - array["first_member"]
        if array["family"] == MIRRORED:
            copy_locks.give_up(w, row, index, drive, job["first_row"], job["first_row"] + 1)
        else:
            _, _, found = held(w.layouts[row], drive, job["first_row"])
            stripe_locks.unlock_stripe(w, array, found)
    release(w, index)
    above["status"] = DONE if restored else FAILED
    agenda.put(w, parent, STAGE_PLAN if restored else STAGE_ENDED)


@handler
def pass_over(w, operation, member, number):
    """An operation goes on without a row that nothing restores; False if it can't."""
    size = w.layouts[array_row(w, operation)]["strip"]
    start = number * size
    for i in range(w.state[0]["defects"]):
        row = w.defects[i]
        if row["drive"] == w.members[member]["drive"] and row["offset"] < start + size:
            if start < row["offset"] + row["length"]:
                row["passed"] = 1
    operation["punctured"] += 1
    if operation["kind"] != REBUILD and operation["kind"] != COPY:
        return True
    if operation["kind"] == REBUILD and operation["puncture"] == 0:
        return False
    if operation["kind"] == REBUILD:
        return filling.puncture(w, operation, array_row(w, operation), member, number)
    target = w.members[operation["member"]]["copy"]
    defects.mark(w, target, start, size)
    return filling.is_punctured(w, target, start, size)
