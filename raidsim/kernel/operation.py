"""Operations: work that goes through an array row by row, beside the requests of the host.

A *row* is one strip of each drive. An operation rebuilds a drive, copies one, checks data that
belongs together, or reads or writes everything. It has some workers, each a task of a few rows at a
time::

    begin_chunk   the next rows; none are left: the worker is done
    step          the locks of their stripes, the accesses, the commands
    ended         rows count in order: the frontier is where all before is done; the worker rests,
                  which leaves time to the host, while there is work of it

Work that reads strips and writes them later takes the locks of their stripes: a rebuild, a
copy-back, a resync of copies. Locks of copies are in :mod:`raidsim.kernel.copy_locks`; the rest of
this text is about parity. Data that a rebuild has restored is relied on up to its frontier. A
worker that is ahead of another one keeps its locks until then, so that no write misses a strip that
is already restored. So rows wait for rows, within a rebuild and across two of them. There is no
deadlock, since locks are taken in two orders: by the workers of a rebuild one after the other, in
the order of their rows, and by each worker from the lowest number up. A worker that has all its
locks only waits for workers that have all of theirs.

A sector that cannot be read is restored first, see :mod:`raidsim.kernel.repair`.

Verbs: :func:`begin_chunk`, :func:`step`, :func:`ended`.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel import agenda, copy_locks, filling, stripe_locks
from raidsim.kernel.array import make_commands
from raidsim.kernel.array_tables import COPYING
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
    """Return the row of `arrays` and of `layouts` of the array that an operation goes through."""
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
    array = w.arrays[row]
    if writes_what_it_read(w.layouts[row], operation["kind"]):
        if array["family"] == PARITY:
            if not take_locks(w, operation, array, index):
                return
        else:
            drive = operation["member"] - array["first_member"]
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
    make_commands(w, row, index, count)


@handler
def writes_what_it_read(layout, kind):
    """Return whether an operation reads strips and writes them later, and keeps hosts out."""
    if layout["family"] != PARITY and layout["family"] != MIRRORED:
        return False
    return kind == REBUILD or kind == COPY or (kind == RESYNC and is_copied(layout))


@routine
def take_locks(w, operation, array, index):
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
    if lock_of(w, operation, array, first + rows - 1) < lock_of(w, operation, array, first):
        lowest = 1
        while lock_of(w, operation, array, first + lowest) > lock_of(w, operation, array, first):
            lowest += 1
    while job["locked"] < rows:
        lock_row = lock_of(w, operation, array, first + (lowest + job["locked"]) % rows)
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
def lock_of(w, operation, array, number):
    """The lock of the stripe in row ``number`` of the drive that is rebuilt."""
    return stripe_locks.lock_of(array, address(w, operation, number))


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
    array = w.arrays[row]
    size = layout["strip"]
    first = array["first_member"]
    good = w.good[first : first + array["drives"]]
    kind = operation["kind"]
    count = 0
    if kind == REBUILD:
        return filling.restore(w, operation, row, start, stop)
    if kind == RESYNC and is_copied(layout):
        for number in range(start, stop):
            for drive in range(array["drives"]):
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
            for drive in range(array["drives"]):
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
    for drive in range(array["drives"]):
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
    array = w.arrays[row]
    stop = job["first_row"] + job["rows"]
    operation["retired"] += 1
    if job["status"] == DONE:
        operation["rows"] += job["rows"]
        operation["frontier"] = stop
        if operation["kind"] == REBUILD and operation["stopped"] == 0:
            filling.advance(w, operation, w.layouts[row], stop)
    if writes_what_it_read(w.layouts[row], operation["kind"]):
        if array["family"] == PARITY:
            for number in range(job["first_row"], stop):
                stripe_locks.unlock_stripe(w, array, address(w, operation, number))
        elif operation["kind"] == REBUILD:
            filling.give_up(w, operation, row, index, job["first_row"], stop)
        else:
            drive = operation["member"] - array["first_member"]
            copy_locks.give_up(w, row, index, drive, job["first_row"], stop)
    job["worker"] = WORKING
    took = w.state[0]["now"] - job["issued"]
    rest = behind(w, operation, job["rows"])
    waited_for = array["touched"] >= job["issued"] or array["others"] > 0
    if operation["share"] < 1.0 and waited_for:
        rest = max(rest, round_ns(took * (1.0 / operation["share"] - 1.0)))
    if rest > 0 and operation["stopped"] == 0:
        job["stage"] = STAGE_OPERATION_PAUSED
        arrive(w, operation["clock"], index, rest)
    else:
        agenda.put(w, index, STAGE_OPERATION)


@handler
def behind(w, operation, rows):
    """Return how long a worker waits after some rows, so that its operation keeps its limit.

    All workers have one account, so that the last rows take no longer than the others. Time that
    they do not use is lost, except for the rows that they work on at a time.
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
