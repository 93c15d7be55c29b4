"""The drives that a rebuild fills: one, or several of an array in one pass over its rows.

Linux md fills all members that are out of sync in one pass (``raid5_sync_request``,
``raid10_sync_request``): it reads the surviving data of a stripe once, and writes what each of them
lacks. A drive may already have some rows, from a pass that was broken off. It is written only
beyond these rows, and before them it is read like any other drive.

Verbs: :func:`restore` lists the accesses of some rows, :func:`advance` and :func:`complete` say
from when on drives are relied on, :func:`claim` and :func:`give_up` are the locks of copies,
:func:`puncture` leaves a row out.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel import copy_locks, defects
from raidsim.kernel.jit import handler, routine
from raidsim.kernel.plans import copied, held, put, rebuild
from raidsim.kernel.tables import NONE, READ, WRITE
from raidsim.layout.tables import DATA, DIRECT, LOST, MIRRORED, UNUSED


@routine
def restore(w, operation, row, start, stop):
    """List what rows [start, stop) of the drives that are filled need; how many, or LOST."""
    layout = w.layouts[row]
    array = w.arrays[row]
    size = layout["strip"]
    first = array["first_member"]
    good = w.good[first : first + array["drives"]]
    targets = range(operation["first_target"], operation["first_target"] + operation["targets"])
    lost = False
    for i in targets:
        target = w.targets[i]
        if w.drives[w.members[target["member"]]["drive"]]["failed"] == 1:
            target["lost"] = 1
            lost = True
    if lost:
        return LOST
    count = 0
    for number in range(start, stop):
        begun = count
        for i in targets:
            target = w.targets[i]
            if not is_due(w, layout, array, target, number):
                continue
            drive = target["member"] - first
            more = rebuild(layout, good, drive, number, w.accesses[count:])
            if more == LOST:
                target["lost"] = 1
                lost = True
                continue
            if count + more > len(w.accesses):
                raise TableOverflowError("accesses")
            count = keep_new(w, begun, count, max(more - 1, 0))  # the last one writes it
    if lost:
        return LOST
    # All reads come first, then all writes: so accesses to neighbouring rows can be merged.
    for number in range(start, stop):
        for i in targets:
            target = w.targets[i]
            if is_due(w, layout, array, target, number):
                drive = target["member"] - first
                count = put(
                    w.accesses, count, 1, drive, WRITE, number * size, size, DATA, 0, 0, DIRECT
                )
    return count


@routine
def is_due(w, layout, array, target, number):
    """Return whether row ``number`` of a drive is to be written."""
    if number < target["first"]:
        return False
    role, _, _ = held(layout, target["member"] - array["first_member"], number)
    if role == UNUSED:
        return False
    size = layout["strip"]
    return not is_punctured(w, w.members[target["member"]]["drive"], number * size, size)


@handler
def is_punctured(w, drive, offset, size):
    """Return whether a row of a drive was given up."""
    if w.drives[drive]["defects"] == 0:
        return False
    found = defects.find(w, drive, offset, offset + size)
    return found != NONE and w.defects[found]["punctured"] == 1


@handler
def keep_new(w, begun, count, more):
    """Keep those of ``more`` reads, from number ``count`` on, that a row does not have yet.

    The reads of the row begin with number ``begun``. Returns how many accesses there are now.
    """
    kept = count
    for i in range(count, count + more):
        known = False
        for j in range(begun, count):
            if w.accesses[j]["drive"] == w.accesses[i]["drive"]:
                known = known or w.accesses[j]["offset"] == w.accesses[i]["offset"]
        if not known:
            if kept < i:
                copied(w.accesses, i, kept)
            kept += 1
    return kept


# -- how far drives are relied on -----------------------------------------------------------------


@handler
def advance(w, operation, layout, stop):
    """All rows before ``stop`` are written: drives are relied on up to there."""
    for i in range(operation["first_target"], operation["first_target"] + operation["targets"]):
        if stop > w.targets[i]["first"]:
            w.good[w.targets[i]["member"]] = stop * layout["strip"]


@handler
def complete(w, operation, layout):
    """All rows are written: drives are relied on as a whole."""
    for i in range(operation["first_target"], operation["first_target"] + operation["targets"]):
        w.good[w.targets[i]["member"]] = layout["rows"] * layout["strip"]


# -- locks of copies ------------------------------------------------------------------------------


@routine
def claim(w, operation, row, index, start, stop):
    """Take rows [start, stop) of all drives that are filled; False while writes are there."""
    job = w.jobs[index]
    first = w.arrays[row]["first_member"]
    targets = range(operation["first_target"], operation["first_target"] + operation["targets"])
    if job["locked"] == 0:
        job["locked"] = 1
        for i in targets:
            copy_locks.hold(w, row, w.targets[i]["member"] - first, start, stop)
    for i in targets:
        drive = w.targets[i]["member"] - first
        if not copy_locks.is_clear(w, row, index, drive, start, stop):
            return False
    return True


@routine
def give_up(w, operation, row, index, start, stop):
    """Rows of the drives that are filled are done; writes that waited for them go on."""
    w.jobs[index]["locked"] = 0
    first = w.arrays[row]["first_member"]
    for i in range(operation["first_target"], operation["first_target"] + operation["targets"]):
        copy_locks.let_go(w, row, w.targets[i]["member"] - first, start, stop)


# -- rows that nothing restores -------------------------------------------------------------------


@routine
def puncture(w, operation, row, member, number):
    """Leave out a row, since a strip of ``member`` is lost; False if there is no way to note it."""
    layout = w.layouts[row]
    size = layout["strip"]
    alone = operation["targets"] == 1
    noted = True
    for i in range(operation["first_target"], operation["first_target"] + operation["targets"]):
        target = w.targets[i]
        if alone or needs(w, row, target, member, number):
            drive = w.members[target["member"]]["drive"]
            defects.mark(w, drive, number * size, size)
            noted = noted and is_punctured(w, drive, number * size, size)
    return noted


@routine
def needs(w, row, target, member, number):
    """Return whether the data for row ``number`` of a drive comes from that of ``member``."""
    layout = w.layouts[row]
    array = w.arrays[row]
    if not is_due(w, layout, array, target, number):
        return False
    if layout["family"] != MIRRORED:
        return True
    first = array["first_member"]
    good = w.good[first : first + array["drives"]]
    count = rebuild(layout, good, target["member"] - first, number, w.accesses)
    for i in range(count):
        access = w.accesses[i]
        if access["op"] == READ and access["drive"] == member - first:
            return True
    return False
