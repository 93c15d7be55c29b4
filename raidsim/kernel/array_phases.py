"""A task of an array once its commands are made: phase by phase, to its end.

The commands of one phase go to the drives together. When the last one of them is back, the next
phase begins. New parity is computed before anything is written, lost data once all is read::

    spend       CPU time to issue the commands
    go_on       parity where it is due, the next phase of commands, or the end
    child_done  a command is back

If a drive answers with an error because it has failed, it is not used from then on, and the task is
planned again, degraded. A sector that a drive cannot read is restored first, by a task of its own
(:mod:`raidsim.kernel.repair`). A task whose data no drive holds any more fails.

Verbs: :func:`spend` the CPU time of a task, :func:`go_on` with it, :func:`child_done` takes a
command back, :func:`end_task`.
"""

from __future__ import annotations

from raidsim.kernel import (
    agenda,
    copy_locks,
    device_ios,
    firmware,
    partial_parity,
    stripe_cache,
)
from raidsim.kernel.array_commands import drop_commands, taken_back
from raidsim.kernel.array_tables import ERRAND_OPERATION, ERRAND_PART, ERRAND_REPAIR
from raidsim.kernel.drive import driver_time, send
from raidsim.kernel.host import ready
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release, take
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.stripe_locks import lock_of
from raidsim.kernel.tables import (
    DONE,
    FAILED,
    NEVER,
    NONE,
    READ,
    RETRY,
    STAGE_ENDED,
    STAGE_PARITY,
    STAGE_PLAN,
    STAGE_SPREAD,
    STAGE_WAITING,
    UNREADABLE,
    WRITE,
)
from raidsim.layout.tables import PARITY


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
        end_task(w, array, index)
        return
    if job["errand"] == ERRAND_PART and w.jobs[job["later"]]["op"] == WRITE:
        if is_joined(w, row, index):
            return
        if array["partial_parity"] != NONE and partial_parity.enter(w, row, index):
            return
    send_phase(w, array, index)


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
        device_ios.count(w, array, index, child)
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


@handler
def end_task(w, array, index):
    """A task has ended; what it writes to copies makes way for background work."""
    job = w.jobs[index]
    if job["locked"] == 1 and job["errand"] != ERRAND_OPERATION and job["errand"] != ERRAND_REPAIR:
        copy_locks.leave(w, array, index)
    agenda.put(w, index, STAGE_ENDED)
