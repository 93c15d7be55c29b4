"""Operations: work that goes through an array row by row, beside the requests of the host.

A *row* is one strip of each drive. An operation rebuilds a drive, copies one, checks data that
belongs together, or reads or writes everything. It has some workers, each a task of a few rows at a
time::

    begin_chunk   the next rows; none are left: the worker is done
    step          the locks of their stripes, the accesses, the commands
    ended         rows count in order: the frontier is where all before is done
    pause         leaves time to the host, while there is work of it

Work that reads strips and writes them later takes the locks of their stripes: a rebuild, a
copy-back, a resync of copies. Locks of copies are in :mod:`raidsim.kernel.copy_locks`; the rest of
this text is about parity. Data that a rebuild has restored is relied on up to its frontier. A
worker that is ahead of another one keeps its locks until then, so that no write misses a strip that
is already restored. So rows wait for rows, within a rebuild and across two of them. There is no
deadlock, since locks are taken in two orders: by the workers of a rebuild one after the other, in
the order of their rows, and by each worker from the lowest number up. A worker that has all its
locks only waits for workers that have all of theirs.

A sector that cannot be read is restored first, by a separate task (:func:`mend`), from the other
data of the stripe. Then the task that found it begins again. If nothing can restore it, a request
of the host fails, and a rebuild punctures the row or stops. Such a repair holds the lock of its
stripe, as a write does. Otherwise it would write old data over a write that came in between. A
write to parity, and work that writes what it has read, already have this lock when they find the
sector. A read and a check have none, and the repair takes it. It holds only this one lock, so there
is no deadlock.

Verbs: :func:`begin_chunk`, :func:`step`, :func:`ended`, :func:`mend`, :func:`mended`.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel import agenda, array, copy_locks, defects, filling, stripe_locks
from raidsim.kernel.array_tables import COPYING, ERRAND_OPERATION, ERRAND_PART
from raidsim.kernel.jit import handler, part, routine
from raidsim.kernel.jobs import release
from raidsim.kernel.operation_tables import (
    CHECK,
    COPY,
    ENDED,
    QUEUED,
    REBUILD,
    RESTING,
    RESYNC,
    WORKING,
    WRITE_ALL,
)
from raidsim.kernel.plans import held, put, rebuild
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import (
    DONE,
    FAILED,
    NONE,
    READ,
    RETRY,
    STAGE_ENDED,
    STAGE_OPERATION,
    STAGE_OPERATION_PAUSED,
    STAGE_PLAN,
    STAGE_WAITING,
    WRITE,
)
from raidsim.layout.tables import DATA, DIRECT, LOST, MIRRORED, PARITY, RECONSTRUCT, UNUSED


@handler
def array_row(w, operation):
    """Return which row of `arrays` and of `layouts` an operation goes through."""
    return w.volumes[operation["volume"]]["array"]


@routine
def begin_chunk(w, index):
    """Give worker ``index`` its next rows; True if it was the last one and none are left."""
    job = w.jobs[index]
    operation = w.operations[job["row"]]
    if operation["paused"] == 1 and operation["stopped"] == 0:
        job["worker"] = RESTING
        job["stage"] = STAGE_WAITING
        return False
    if operation["next"] >= operation["end"] or operation["stopped"] == 1:
        for i in range(operation["first_worker"], operation["first_worker"] + operation["workers"]):
            if w.workers[i] == index:
                w.workers[i] = NONE
        release(w, index)
        operation["working"] -= 1
        if operation["working"] > 0:
            return False
        finish(w, operation)
        return True
    first = operation["next"]
    stop = first - first % operation["stride"] + operation["block"]
    stop = min(first + operation["chunk"], stop, operation["end"])
    operation["next"] = stop
    if stop % operation["stride"] >= operation["block"]:
        operation["next"] = stop - stop % operation["stride"] + operation["stride"]
    job["first_row"] = first
    job["rows"] = stop - first
    job["locked"] = 0
    job["worker"] = WORKING
    job["chunk"] = operation["begun"]
    job["issued"] = w.state[0]["now"]
    job["status"] = DONE
    operation["begun"] += 1
    step(w, index)
    return False


@handler
def finish(w, operation):
    """The last worker is done: if nothing was left out, a drive is as it should be."""
    operation["ended"] = w.state[0]["now"]
    if operation["stopped"] == 1:
        return
    operation["frontier"] = operation["end"]
    layout = w.layouts[array_row(w, operation)]
    member = w.members[operation["member"]]
    if operation["kind"] == REBUILD:
        filling.complete(w, operation, layout)
    elif operation["kind"] == COPY:
        member["drive"] = member["copy"]
        member["copy"] = NONE
        member["copied"] = 0


@part("arrays")
@routine
def step(w, index):
    """Go on with a worker's rows: take the locks that are missing, then plan and begin."""
    job = w.jobs[index]
    operation = w.operations[job["row"]]
    row = array_row(w, operation)
    volume = w.arrays[row]
    if writes_what_it_read(w.layouts[row], operation["kind"]):
        if volume["family"] == PARITY:
            if not take_locks(w, operation, volume, index):
                return
        else:
            drive = operation["member"] - volume["first_member"]
            stop = job["first_row"] + job["rows"]
            if operation["kind"] == REBUILD:
                if not filling.claim(w, operation, row, index, job["first_row"], stop):
                    return
            elif not copy_locks.claim(w, row, index, drive, job["first_row"], stop):
                return
    count = accesses(w, operation, row, job["first_row"], job["first_row"] + job["rows"])
    if count == LOST:
        job["status"] = FAILED
        agenda.put(w, index, STAGE_ENDED)
        return
    if count > len(w.accesses):
        raise TableOverflowError("accesses")
    array.make_commands(w, row, index, count)


@handler
def writes_what_it_read(layout, kind):
    """Return whether an operation reads strips and writes them later, and keeps hosts out."""
    if layout["family"] != PARITY and layout["family"] != MIRRORED:
        return False
    return kind == REBUILD or kind == COPY or (kind == RESYNC and is_copied(layout))


@routine
def take_locks(w, operation, volume, index):
    """Take the locks that a worker's rows still need; False if it has to wait for one."""
    job = w.jobs[index]
    rows = job["rows"]
    if job["chunk"] < operation["locked"]:
        return True
    if job["chunk"] > operation["locked"]:
        job["worker"] = QUEUED
        job["stage"] = STAGE_WAITING
        return False
    # Locks of one row after another go up by a step, and begin anew at most once.
    first = job["first_row"]
    lowest = 0
    if lock_of(w, operation, volume, first + rows - 1) < lock_of(w, operation, volume, first):
        lowest = 1
        while lock_of(w, operation, volume, first + lowest) > lock_of(w, operation, volume, first):
            lowest += 1
    while job["locked"] < rows:
        lock_row = lock_of(w, operation, volume, first + (lowest + job["locked"]) % rows)
        job["locked"] += 1
        if not stripe_locks.take_lock(w, lock_row, index):
            return False
    operation["locked"] += 1
    for i in range(operation["first_worker"], operation["first_worker"] + operation["workers"]):
        worker = w.workers[i]
        if worker != NONE and w.jobs[worker]["worker"] == QUEUED:
            if w.jobs[worker]["chunk"] == operation["locked"]:
                w.jobs[worker]["worker"] = WORKING
                agenda.put(w, worker, STAGE_PLAN)
    return True


@routine
def lock_of(w, operation, volume, number):
    """The lock of the stripe in row ``number`` of the drive that is rebuilt."""
    return stripe_locks.lock_of(volume, address(w, operation, number))


@handler
def address(w, operation, number):
    """Address in the volume of the stripe in row ``number`` of the drive that is rebuilt."""
    row = array_row(w, operation)
    _, _, found = held(w.layouts[row], operation["member"] - w.arrays[row]["first_member"], number)
    return found


@routine
def accesses(w, operation, row, start, stop):
    """List what rows [start, stop) need; how many accesses, or LOST."""
    layout = w.layouts[row]
    volume = w.arrays[row]
    size = layout["strip"]
    first = volume["first_member"]
    good = w.good[first : first + volume["drives"]]
    kind = operation["kind"]
    count = 0
    if kind == REBUILD:
        return filling.restore(w, operation, row, start, stop)
    if kind == RESYNC and is_copied(layout):
        for number in range(start, stop):
            for drive in range(volume["drives"]):
                if not is_further(layout, good, drive, number):
                    continue
                more = rebuild(layout, good, drive, number, w.accesses[count:])
                if more == LOST:
                    return LOST
                if count + more > len(w.accesses):
                    raise TableOverflowError("accesses")
                count += max(more - 1, 0)  # the last one writes it
        # All is read before anything is written: so neighbours come together.
        for number in range(start, stop):
            for drive in range(volume["drives"]):
                if is_further(layout, good, drive, number):
                    count = put(
                        w.accesses, count, 1, drive, WRITE, number * size, size, DATA, 0, 0, DIRECT
                    )
        return count
    if kind == COPY:
        member = w.members[operation["member"]]
        if w.drives[member["copy"]]["failed"] == 1 or w.drives[member["drive"]]["failed"] == 1:
            return LOST
        drive = operation["member"] - first
        offset, length = start * size, (stop - start) * size
        put(w.accesses, 0, 0, drive, READ, offset, length, DATA, 0, 0, DIRECT)
        put(w.accesses, 1, 1, drive, WRITE, offset, length, DATA, 0, 0, COPYING)
        member["copied"] = max(member["copied"], stop * size)
        return 2
    method = DIRECT
    if layout["family"] == PARITY and (kind == CHECK or kind == RESYNC):
        method = RECONSTRUCT
    op = WRITE if kind == WRITE_ALL else READ
    for drive in range(volume["drives"]):
        if good[drive] >= stop * size:
            length = (stop - start) * size
            count = put(w.accesses, count, 0, drive, op, start * size, length, DATA, 0, 0, method)
    return count if count > 0 else LOST  # no drive holds anything of these rows


@handler
def is_copied(layout):
    """Return whether a resync writes the further copies of an array, unseen.

    Linux md does so with RAID 1. Of RAID 10 it reads all copies, and writes where they differ
    (``raid10_sync_request``): what differs was under way, and is little.
    """
    return (
        layout["family"] == MIRRORED
        and layout["spans"] == 1
        and layout["copies"] == layout["span_drives"]
    )


@handler
def is_further(layout, good, drive, number):
    """Return whether a row of a drive holds a further copy, which a resync writes."""
    role, copy, _ = held(layout, drive, number)
    return role != UNUSED and copy > 0 and good[drive] >= (number + 1) * layout["strip"]


@part("arrays")
@routine
def ended(w, index):
    """Worker ``index`` has done its rows: they count once all before them are done."""
    job = w.jobs[index]
    operation = w.operations[job["row"]]
    if job["status"] == FAILED:
        operation["lost"] = 1
        operation["stopped"] = 1
        if operation["paused"] == 1:
            wake(w, operation)
    job["worker"] = ENDED
    job["stage"] = STAGE_WAITING
    going = True
    while going:
        going = False
        first = operation["first_worker"]
        for i in range(first, first + operation["workers"]):
            worker = w.workers[i]
            if worker != NONE and w.jobs[worker]["worker"] == ENDED:
                if w.jobs[worker]["chunk"] == operation["retired"]:
                    retire(w, operation, worker)
                    going = True


@handler
def retire(w, operation, index):
    """The rows of a worker count as done; it pauses, or goes on."""
    job = w.jobs[index]
    row = array_row(w, operation)
    volume = w.arrays[row]
    stop = job["first_row"] + job["rows"]
    operation["retired"] += 1
    if job["status"] == DONE:
        operation["rows"] += job["rows"]
        operation["frontier"] = stop
        if operation["kind"] == REBUILD and operation["stopped"] == 0:
            filling.advance(w, operation, w.layouts[row], stop)
    if writes_what_it_read(w.layouts[row], operation["kind"]):
        if volume["family"] == PARITY:
            for number in range(job["first_row"], stop):
                stripe_locks.unlock_stripe(w, volume, address(w, operation, number))
        elif operation["kind"] == REBUILD:
            filling.give_up(w, operation, row, index, job["first_row"], stop)
        else:
            drive = operation["member"] - volume["first_member"]
            copy_locks.give_up(w, row, index, drive, job["first_row"], stop)
    job["worker"] = WORKING
    took = w.state[0]["now"] - job["issued"]
    rest = behind(w, operation, job["rows"])
    waited_for = volume["touched"] >= job["issued"] or volume["others"] > 0
    if operation["share"] < 1.0 and waited_for:
        rest = max(rest, round_ns(took * (1.0 / operation["share"] - 1.0)))
    if rest > 0 and operation["stopped"] == 0:
        job["stage"] = STAGE_OPERATION_PAUSED
        arrive(w, operation["clock"], index, rest)
    else:
        agenda.put(w, index, STAGE_OPERATION)


@handler
def behind(w, operation, rows):
    """Return the time that a worker waits to keep to the limit of its operation, having done rows.

    All workers have one account, so that the last rows take no longer than the others. What is not
    used is lost, but for what they have in hand at a time.
    """
    if operation["least"] == 0:
        return 0
    now = w.state[0]["now"]
    time = operation["least"] * float(rows) / (operation["chunk"] * operation["workers"])
    operation["due"] = max(operation["due"], now - operation["least"]) + round_ns(time)
    return operation["due"] - now


@routine
def wake(w, operation):
    """Let workers that rest go on."""
    operation["paused"] = 0
    first = operation["first_worker"]
    for i in range(first, first + operation["workers"]):
        worker = w.workers[i]
        if worker != NONE and w.jobs[worker]["worker"] == RESTING:
            w.jobs[worker]["worker"] = WORKING
            agenda.put(w, worker, STAGE_OPERATION)


# -- sectors that can't be read -------------------------------------------------------------------


@part("arrays")
@routine
def mend(w, index):
    """Restore the strip that task ``index`` is about, from the rest of its stripe."""
    job = w.jobs[index]
    row = w.volumes[job["volume"]]["array"]
    layout = w.layouts[row]
    volume = w.arrays[row]
    first = volume["first_member"]
    good = w.good[first : first + volume["drives"]]
    if needs_lock(w, layout, job):
        drive = job["member"] - first
        if volume["family"] == MIRRORED:
            if not copy_locks.claim(w, row, index, drive, job["first_row"], job["first_row"] + 1):
                return
        elif job["locked"] == 0:
            job["locked"] = 1
            _, _, found = held(layout, drive, job["first_row"])
            if not stripe_locks.take_lock(w, stripe_locks.lock_of(volume, found), index):
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
    array.make_commands(w, row, index, count)


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
def mended(w, index):
    """The strip is restored, or can't be: the task that met the defect begins anew, or fails.

    It begins anew too if the drive has failed meanwhile, and leaves that out.
    """
    job = w.jobs[index]
    parent = job["parent"]
    above = w.jobs[parent]
    row = w.volumes[job["volume"]]["array"]
    volume = w.arrays[row]
    gone = job["status"] == RETRY
    restored = gone or job["status"] == DONE
    if restored and not gone:
        volume["repaired"] += 1
    if above["errand"] == ERRAND_OPERATION and not gone:
        operation = w.operations[above["row"]]
        operation["found"] += 1
        if restored:
            operation["repaired"] += 1
        else:
            restored = give_up(w, operation, job["member"], job["first_row"])
    if job["locked"] == 1:
        drive = job["member"] - volume["first_member"]
        if volume["family"] == MIRRORED:
            copy_locks.give_up(w, row, index, drive, job["first_row"], job["first_row"] + 1)
        else:
            _, _, found = held(w.layouts[row], drive, job["first_row"])
            stripe_locks.unlock_stripe(w, volume, found)
    release(w, index)
    above["status"] = DONE if restored else FAILED
    agenda.put(w, parent, STAGE_PLAN if restored else STAGE_ENDED)


@handler
def give_up(w, operation, member, number):
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
