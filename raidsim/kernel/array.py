"""Arrays: a task of bytes becomes commands to drives, phase by phase.

A *task* is a job that reads or writes some bytes of a volume: a request of a host, one stripe of a
write to parity, or work that a controller does by itself. Its path::

    split      a write to parity goes stripe by stripe, each under the lock of its stripe
    carry_out  the plan of raidsim.layout: which drives, which phase
    go_on      CPU time to issue, a phase of commands, parity, the next phase ...
    ended      the job that waits for it is told, through the agenda

A stripe is locked from the plan of its write to the end of the write
(:mod:`raidsim.kernel.stripe_locks`). Writes to copies only wait for background work
(:mod:`raidsim.kernel.copy_locks`).

If a drive answers with an error because it has failed, it is not used from then on, and the task is
planned again, degraded. A sector that a drive cannot read is restored first, see
:mod:`raidsim.kernel.operation`. A task whose data no drive holds any more fails.

Verbs: :func:`carry_out` a task, :func:`go_on` with it, :func:`child_done` takes a command back.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel import (
    agenda,
    bitmap,
    copy_locks,
    copy_requests,
    device_ios,
    firmware,
    mirror,
    partial_parity,
    shared_lines,
    stripe_cache,
    stripe_heads,
)
from raidsim.kernel.array_commands import add_command, drop_commands, taken_back
from raidsim.kernel.array_tables import (
    COPYING,
    ERRAND_BITMAP,
    ERRAND_DESTAGE,
    ERRAND_HOST,
    ERRAND_LOG,
    ERRAND_OPERATION,
    ERRAND_PART,
    ERRAND_REPAIR,
)
from raidsim.kernel.drive import driver_time, send
from raidsim.kernel.host import ready
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release, take, take_child
from raidsim.kernel.plans import merge, pieces
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.stripe_locks import lock_of, take_lock, take_more, unlock
from raidsim.kernel.tables import (
    DONE,
    FAILED,
    FLUSH,
    NEVER,
    NONE,
    READ,
    RETRY,
    STAGE_ENDED,
    STAGE_PARITY,
    STAGE_PLAN,
    STAGE_SPREAD,
    STAGE_WAITING,
    TRIM,
    UNREADABLE,
    WRITE,
)
from raidsim.layout.tables import DATA, DIRECT, LOST, MIRRORED, PARITY


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
        end(w, array, index)
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


@handler
def plan_anew(job):
    """A task has no work yet for the threads of its array, and no commands for the drives."""
    job["xor"] = 0
    job["stripe_work"] = 0.0
    job["serial_work"] = 0.0
    if job["errand"] != ERRAND_PART:  # one may have read already
        job["read_work"] = 0.0
    job["later"] = NONE


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
def spend(w, row, index):
    """Spend the CPU time of issuing the commands of a task, then issue the first of them."""
    job = w.jobs[index]
    array = w.arrays[row]
    parts = 0
    reads = 0
    child = job["later"]
    cost = 0.0
    while child != NONE:
        parts += 1
        below = w.jobs[child]
        reads += int(below["op"] == READ)
        cost += driver_time(w.drives[below["drive"]], below["op"], 1, below["length"])
        if below["op"] == WRITE:
            cost += array["mirror_ns"]
        child = below["next"]
    job["parts"] = parts
    cost += array["spread_ns"]
    if job["stripe_work"] > 0.0 or job["read_work"] > 0.0 or job["serial_work"] > 0.0:
        if array["family"] == PARITY:  # for copies the time is in copy_io_ns already
            job["stripe_work"] += array["device_io_ns"] * (parts - reads)
            job["read_work"] += array["device_io_ns"] * reads
    else:
        cost += array["device_io_ns"] * (parts - 1)
    if array["firmware_ns"] > 0.0:
        cost += array["firmware_ns"] * firmware.passes(w, array, job, parts)
    station = array["cpu"]
    if station == NONE and job["stream"] == NONE:
        cost = 0.0  # a thread of its own, on a core that nothing else needs
    if cost > 0.0:
        if station == NONE:
            process = w.processes[w.streams[job["stream"]]["process"]]
            station = process["submit"]
            if process["submit_core"] != NONE:
                cost += ready(w, process["submit_core"], cost)
        job["stage"] = STAGE_SPREAD
        arrive(w, station, index, round_ns(cost))
    else:
        go_on(w, index)


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
        device_ios.count(w, array, index, access, last)
        start = stop
    return last


@part("arrays")
@routine
def go_on(w, index):
    """Take a task on: parity where it is due, the next phase of commands, or its end."""
    job = w.jobs[index]
    row = w.volumes[job["volume"]]["array"]
    array = w.arrays[row]
    if job["status"] == RETRY or job["status"] == UNREADABLE:
        begin_anew(w, row, index)
        return
    if job["status"] != FAILED and computes(w, row, index):
        return
    if job["later"] == NONE:
        end(w, array, index)
        return
    if job["errand"] == ERRAND_PART and w.jobs[job["later"]]["op"] == WRITE:
        if is_joined(w, row, index):
            return
        if array["partial_parity"] != NONE and partial_parity.enter(w, row, index):
            return
    send_phase(w, array, index)


@routine
def begin_anew(w, row, index):
    """Drop what is left of a task's plan, and plan it anew, once a sector not read is restored."""
    job = w.jobs[index]
    if job["errand"] == ERRAND_PART and w.arrays[row]["stripe_cache"] > 0:
        stripe_cache.forget(w, row)
    job["since"] = NEVER
    job["read_work"] = 0.0
    drop_commands(w, w.arrays[row], index)
    if job["status"] == UNREADABLE and job["errand"] != ERRAND_REPAIR:
        repair(w, index)
        return
    job["status"] = DONE
    agenda.put(w, index, STAGE_PLAN)


@handler
def is_joined(w, row, index):
    """Return whether later writes to a planned stripe go with it: then it is planned again.

    The CPU time that it had before is not spent again.
    """
    job = w.jobs[index]
    array = w.arrays[row]
    if job["errand"] != ERRAND_PART or array["stripe_cache"] == 0:
        return False
    if job["other"] != NONE or (array["serial_ns"] > 0.0 and job["serial_work"] == 0.0):
        return False  # its log is written, or a worker has it already
    first = array["first_member"]
    good = w.good[first : first + array["drives"]]
    if not stripe_cache.take_in(w, row, good, lock_of(array, job["offset"]), index):
        return False
    drop_commands(w, array, index)
    agenda.put(w, index, STAGE_PLAN)
    return True


@handler
def computes(w, row, index):
    """Return whether a thread or the parity engine has work to do for a task now; then it does it.

    New parity is computed before anything is written, lost data once all is read.
    """
    job = w.jobs[index]
    array = w.arrays[row]
    computing = job["later"] == NONE or w.jobs[job["later"]]["op"] == WRITE
    work = job["stripe_work"] + job["read_work"]
    due = job["xor"] > 0 or work > 0.0 or job["serial_work"] > 0.0
    if not (due and computing):
        return False
    if is_joined(w, row, index):
        return True
    turn = job["span"] % array["engines"]  # none, where one station serves all spans
    if job["serial_work"] > 0.0:
        time = round_ns(job["serial_work"])
        job["serial_work"] = 0.0
        job["stage"] = STAGE_PARITY
        arrive(w, array["serial"] + turn, index, time)
        return True
    time = round_ns(max(job["xor"] * array["parity_ns"] + work, 0.0))
    job["read_work"] = -(job["xor"] * array["parity_ns"] + job["stripe_work"])
    job["xor"] = 0
    job["stripe_work"] = 0.0
    if time > 0:
        job["stage"] = STAGE_PARITY
        arrive(w, array["engine"] + turn, index, time)
        return True
    return False


@handler
def send_phase(w, array, index):
    """Send the commands of a task's next phase to the drives."""
    job = w.jobs[index]
    job["stage"] = STAGE_WAITING
    phase = w.jobs[job["later"]]["phase"]
    # All count before the first is sent: none of them ends the phase alone.
    child = job["later"]
    while child != NONE and w.jobs[child]["phase"] == phase:
        job["pending"] += 1
        child = w.jobs[child]["next"]
    array["commands"] += job["pending"]
    for _ in range(job["pending"]):
        child = job["later"]
        below = w.jobs[child]
        job["later"] = below["next"]
        below["next"] = NONE
        send(w, child)


@part("arrays")
@handler
def child_done(w, index):
    """Command ``index`` of a task is back; the last one of its phase takes the task on."""
    child = w.jobs[index]
    parent = child["parent"]
    job = w.jobs[parent]
    member = w.members[child["member"]]
    member["head"] = child["offset"] + child["length"]
    job["since"] = min(job["since"], child["since"])
    taken_back(w, job, child)
    drive = w.drives[child["drive"]]
    if child["status"] != DONE or child["serial"] != drive["serial"]:
        if drive["failed"] == 1:
            if member["drive"] == child["drive"]:  # another one may have taken its place
                w.good[child["member"]] = 0
            job["status"] = RETRY
        elif child["status"] == UNREADABLE and child["serial"] == drive["serial"]:
            meet(w, job, child)
        else:  # it had failed, and was replaced meanwhile
            job["status"] = RETRY
    release(w, index)
    job["pending"] -= 1
    if job["pending"] == 0:
        go_on(w, parent)


@handler
def end(w, array, index):
    """A task has ended; what it writes to copies makes way for background work."""
    job = w.jobs[index]
    if job["locked"] == 1 and job["errand"] != ERRAND_OPERATION and job["errand"] != ERRAND_REPAIR:
        copy_locks.leave(w, array, index)
    agenda.put(w, index, STAGE_ENDED)


@handler
def meet(w, job, child):
    """A command of a task has met a sector that its drive can't read."""
    row = child["offset"] // w.layouts[w.volumes[job["volume"]]["array"]]["strip"]
    if job["errand"] != ERRAND_REPAIR:
        if job["status"] != RETRY:
            job["status"] = UNREADABLE
            job["member"] = child["member"]
            job["bad_row"] = row
    elif job["status"] == DONE and job["other"] == NONE and child["member"] != job["member"]:
        job["status"] = UNREADABLE  # of the same stripe: restored from what else there is
        job["other"] = child["member"]
    elif job["status"] != RETRY:
        job["status"] = FAILED


@routine
def repair(w, index):
    """Restore the strip that a task could not read; then the task begins anew."""
    job = w.jobs[index]
    job["stage"] = STAGE_WAITING
    task = take(w, STAGE_WAITING, index)
    below = w.jobs[task]
    below["errand"] = ERRAND_REPAIR
    below["volume"] = job["volume"]
    below["stream"] = NONE
    below["priority"] = job["priority"]
    below["member"] = job["member"]
    below["other"] = NONE
    below["first_row"] = job["bad_row"]
    below["locked"] = 0
    below["parts"] = 0
    agenda.put(w, task, STAGE_PLAN)


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
