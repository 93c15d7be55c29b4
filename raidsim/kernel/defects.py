"""Latent sector errors: bytes of a drive that cannot be read until they are written again.

A command that reads one takes the drive's recovery time, in which the drive repeats the read and
does nothing else. Then it returns without data. A write to the place repairs it: the drive uses a
spare sector.

Verbs: :func:`find` the first in a range, :func:`meet` them in a command, :func:`cure` by a write,
:func:`mark` a new one.
"""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel.array_tables import ERRAND_OPERATION
from raidsim.kernel.jit import routine
from raidsim.kernel.tables import NONE, UNREADABLE


@routine
def find(w, drive, start, end):
    """First defect of a drive in bytes [start, end), or NONE."""
    found = NONE
    for i in range(w.state[0]["defects"]):
        row = w.defects[i]
        if row["drive"] == drive and row["offset"] < end and start < row["offset"] + row["length"]:
            if found == NONE or row["offset"] < w.defects[found]["offset"]:
                found = i
    return found


@routine
def meet(w, index):
    """Command ``index`` reads: if it meets a defect, that is all it will find."""
    job = w.jobs[index]
    end = job["offset"] + job["length"]
    start = job["offset"]
    found = find(w, job["drive"], start, end)
    in_operation = job["parent"] != NONE and w.jobs[job["parent"]]["errand"] == ERRAND_OPERATION
    while in_operation and found != NONE and w.defects[found]["passed"] == 1:
        start = w.defects[found]["offset"] + w.defects[found]["length"]
        found = find(w, job["drive"], start, end) if start < end else NONE
    if found != NONE:
        job["status"] = UNREADABLE
        job["offset"] = max(w.defects[found]["offset"], start)
        job["length"] = 0


@routine
def cure(w, index):
    """Command ``index`` has written: what it covers can be read again."""
    job = w.jobs[index]
    drive = w.drives[job["drive"]]
    start = job["offset"]
    end = start + job["length"]
    in_operation = job["parent"] != NONE and w.jobs[job["parent"]]["errand"] == ERRAND_OPERATION
    for i in range(w.state[0]["defects"]):
        row = w.defects[i]
        if row["drive"] != job["drive"] or (in_operation and row["punctured"] == 1):
            continue
        last = row["offset"] + row["length"]
        if start <= row["offset"] and last <= end:
            row["drive"] = NONE
            drive["defects"] -= 1
        elif row["offset"] < start < last <= end:
            row["length"] = start - row["offset"]
        elif start <= row["offset"] < end < last:
            row["offset"] = end
            row["length"] = last - end


@routine
def mark(w, drive, offset, length):
    """Mark bytes of a drive as unreadable."""
    state = w.state[0]
    place = NONE
    for i in range(state["defects"]):
        if w.defects[i]["drive"] == NONE:
            place = i
    if place == NONE:
        place = state["defects"]
        if place == len(w.defects):
            raise TableOverflowError("defects")
        state["defects"] += 1
    row = w.defects[place]
    row["drive"] = drive
    row["offset"] = offset
    row["length"] = length
    row["punctured"] = 1
    row["passed"] = 0
    w.drives[drive]["defects"] += 1
