"""Arrays: a task of bytes becomes commands to drives.

A *task* is a job that reads or writes some bytes of a volume: a request of a host, one stripe of a
write to parity, or work that a controller does by itself. Its path::

    carry_out  a write to parity is split, stripe by stripe (raidsim.kernel.array_stripes)
    plan       the plan of raidsim.layout: which drives, which phase; commands are made of it
    spend      CPU time to issue them, a phase of commands, parity, the next phase ...
               (raidsim.kernel.array_phases)
    end_task   the job that waits for it is told, through the agenda

Verbs: :func:`begin` a request of a host, :func:`carry_out` a task, :func:`make_commands` of a plan.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel import (
    agenda,
    bitmap,
    copy_locks,
    copy_requests,
    device_ios,
    mirror,
    shared_lines,
    stripe_cache,
    stripe_heads,
)
from raidsim.kernel.array_commands import add_command
from raidsim.kernel.array_phases import end_task, spend
from raidsim.kernel.array_stripes import split
from raidsim.kernel.array_tables import (
    COPYING,
    ERRAND_BITMAP,
    ERRAND_HOST,
    ERRAND_LOG,
    ERRAND_OPERATION,
    ERRAND_PART,
)
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.plans import merge, pieces
from raidsim.kernel.stripe_locks import lock_of
from raidsim.kernel.tables import (
    FAILED,
    FLUSH,
    NONE,
    READ,
    STAGE_ENDED,
    STAGE_PLAN,
    TRIM,
    WRITE,
)
from raidsim.layout.tables import DATA, DIRECT, LOST, MIRRORED, PARITY


@part("arrays")
@handler
def begin(w, index):
    """Carry out request ``index`` of a host."""
    job = w.jobs[index]
    job["errand"] = ERRAND_HOST
    job["parts"] = 0
    row = w.volumes[job["volume"]]["array"]
    if not shared_lines.pass_by(w, w.arrays[row], index):
        agenda.put(w, index, STAGE_PLAN)


@part("arrays")
@routine
def carry_out(w, index):
    """Split task ``index`` into stripes, or plan it and begin."""
    job = w.jobs[index]
    row = w.volumes[job["volume"]]["array"]
    array = w.arrays[row]
    array["touched"] = w.state[0]["now"]
    if job["op"] == FLUSH or job["errand"] == ERRAND_BITMAP:
        tell_all(w, row, index)
    elif job["errand"] == ERRAND_LOG:
        log(w, row, index)
    elif array["family"] == PARITY and job["op"] == WRITE and job["errand"] != ERRAND_PART:
        split(w, array, index)
    else:
        plan(w, row, index)


@handler
def plan(w, row, index):
    """Turn a task into commands, and begin with the first phase."""
    job = w.jobs[index]
    array = w.arrays[row]
    op = job["op"]
    if op == WRITE and array["family"] == MIRRORED and job["locked"] == 0:
        if not copy_locks.enter(w, array, index):
            return
    layout = w.layouts[row]
    first = array["first_member"]
    good = w.good[first : first + array["drives"]]
    gathers = job["errand"] == ERRAND_PART and array["stripe_cache"] > 0
    lock_row = NONE
    if gathers:
        lock_row = lock_of(array, job["offset"])
        if w.locks[lock_row]["gathering"] == index:
            w.locks[lock_row]["gathering"] = NONE
    count = pieces(layout, good, array["policy"], 0, op, job["offset"], job["length"], w.accesses)
    if gathers:
        count = stripe_cache.choose(w, row, good, index, count)
    if count == LOST:
        job["status"] = FAILED
        end_task(w, array, index)
        return
    if count > len(w.accesses):
        raise TableOverflowError("accesses")
    if array["bitmap"] != NONE and op == WRITE and bitmap.announce(w, row, index, count):
        if gathers:
            w.locks[lock_row]["gathering"] = index
        return
    if array["family"] == MIRRORED and op == READ:
        mirror.choose(w, row, good, count)
    make_commands(w, row, index, count)


@routine
def tell_all(w, row, index):
    """Ask each drive of the array for a flush, and let it write the bitmap then if it is due.

    The first bytes of the drives are used as the place of the bitmap.
    """
    job = w.jobs[index]
    array = w.arrays[row]
    plan_anew(job)
    last = NONE
    first = array["first_member"]
    for phase in range(1 + int(job["op"] == WRITE)):
        op = FLUSH if phase == 0 else WRITE
        end = phase * stripe_heads.PAGE
        for member_row in range(first, first + array["drives"]):
            member = w.members[member_row]
            for drive in (member["drive"], member["copy"]):
                if drive != NONE and w.drives[drive]["failed"] == 0:
                    last = add_command(w, index, member_row, drive, op, phase, 0, end, last)
                    if op == WRITE:
                        device_ios.count_bitmap(array)
    if last == NONE:
        job["status"] = FAILED
        agenda.put(w, index, STAGE_ENDED)
    else:
        spend(w, row, index)


@routine
def log(w, row, index):
    """Let a member write an entry of its log; it is skipped if the drive has failed meanwhile."""
    job = w.jobs[index]
    member = w.members[job["member"]]
    if w.drives[member["drive"]]["failed"] == 1:
        agenda.put(w, index, STAGE_ENDED)
        return
    plan_anew(job)
    drive = member["drive"]
    longest = w.drives[drive]["max_transfer"]
    last = NONE
    start = job["offset"]
    end = start + job["length"]
    while start < end:
        stop = min(start + longest, end)
        last = add_command(w, index, job["member"], drive, WRITE, 0, start, stop, last)
        device_ios.count_log(w.arrays[row])
        start = stop
    spend(w, row, index)


@routine
def make_commands(w, row, index, count):
    """Turn the accesses of a task's plan into commands."""
    job = w.jobs[index]
    array = w.arrays[row]
    plan_anew(job)
    job["span"] = w.accesses[0]["drive"] // w.layouts[row]["span_drives"] if count > 0 else 0
    # Before accesses are merged: what becomes of several has the method of its first bytes alone.
    for i in range(count):
        access = w.accesses[i]
        if access["method"] != DIRECT and (access["op"] == READ or access["role"] == DATA):
            job["xor"] += access["length"]
    if job["errand"] == ERRAND_PART and array["stripe_cache"] > 0:
        count = stripe_cache.remember(w, row, count)
    stripe_heads.note(w, row, index, count)
    if job["errand"] == ERRAND_OPERATION:
        copy_requests.note(w, row, index, count)
    count = merge(w.accesses, count)
    last = NONE
    for i in range(count):
        last = commands_of_access(w, array, index, w.accesses[i], last)
    spend(w, row, index)


@handler
def plan_anew(job):
    """A task has no work yet for the threads of its array, and no commands for the drives."""
    job["xor"] = 0
    job["stripe_work"] = 0.0
    job["serial_work"] = 0.0
    if job["errand"] != ERRAND_PART:  # one may have read already
        job["read_work"] = 0.0
    job["later"] = NONE


@handler
def commands_of_access(w, array, index, access, last):
    """Make the commands of one access behind the last existing one; the last one now.

    They count as under way from now on: later plans include them, though CPU time passes before
    they are sent.
    """
    row = array["first_member"] + access["drive"]
    member = w.members[row]
    if access["method"] == COPYING:
        return commands_to_drive(w, array, index, access, row, member["copy"], last)
    if array["chunk"] > 0 and access["op"] == WRITE and w.jobs[index]["errand"] != ERRAND_OPERATION:
        bitmap.mark(w, array, access["offset"], access["offset"] + access["length"])
    last = commands_to_drive(w, array, index, access, row, member["drive"], last)
    if member["copy"] != NONE and access["op"] == WRITE and access["offset"] < member["copied"]:
        last = commands_to_drive(w, array, index, access, row, member["copy"], last)
    return last


@routine
def commands_to_drive(w, array, index, access, row, drive, last):
    """Make the commands of one access to a drive, which stands for a member or is its copy."""
    member = w.members[row]
    longest = w.drives[drive]["max_transfer"]
    start = access["offset"]
    end = start + access["length"]
    if access["op"] == TRIM:
        longest = access["length"]
    member["end"] = end
    while start < end:
        stop = min(start + longest, end)
        phase = access["phase"]
        last = add_command(w, index, row, drive, access["op"], phase, start, stop, last)
        w.jobs[last]["carries"] = device_ios.transfer(access)
        start = stop
    return last
