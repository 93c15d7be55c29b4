"""The pool of jobs: requests, commands and pages are all rows of one table."""

from __future__ import annotations

from raidsim.errors import TableOverflowError
from raidsim.kernel.jit import handler
from raidsim.kernel.tables import DONE, FUA_NONE, NO_DIRECTION, NONE, STAGE_FREE


@handler
def take(w, stage, parent):
    """Index of a fresh job in ``stage`` under ``parent`` (or NONE).

    The engine makes sure before each event that enough jobs are free.

    Raises
    ------
    TableOverflowError
        If none is.
    """
    state = w.state[0]
    index = state["free_job"]
    if index == NONE:
        raise TableOverflowError("jobs")
    job = w.jobs[index]
    state["free_job"] = job["next"]
    state["free_jobs"] -= 1
    job["next"] = NONE
    job["parent"] = parent
    job["pending"] = 0
    job["stage"] = stage
    job["station"] = NONE
    job["status"] = DONE
    job["direction"] = NO_DIRECTION
    job["priority"] = 0
    job["fua"] = FUA_NONE
    job["serial"] = NONE
    job["errand"] = NONE
    job["locked"] = 0
    job["waited"] = 0
    return index


@handler
def take_internal(w, stage, row, drive, op):
    """A fresh job of what ``drive`` does of its own accord, as a move or an erase; its index.

    No command waits for it. ``row`` is that of the drive among those of its kind.
    """
    index = take(w, stage, NONE)
    job = w.jobs[index]
    job["drive"] = drive["drive"]
    job["row"] = row
    job["op"] = op
    return index


@handler
def take_child(w, stage, parent):
    """A fresh job that carries on the work of ``parent``: same drive, kind and priority."""
    index = take(w, stage, parent)
    job = w.jobs[index]
    above = w.jobs[parent]
    job["stream"] = above["stream"]
    job["volume"] = above["volume"]
    job["drive"] = above["drive"]
    job["row"] = above["row"]
    job["op"] = above["op"]
    job["priority"] = above["priority"]
    job["fua"] = above["fua"]
    return index


@handler
def release(w, index):
    """Give a job back; every event still scheduled for it becomes void."""
    state = w.state[0]
    job = w.jobs[index]
    job["stage"] = STAGE_FREE
    job["mark"] += 1
    job["next"] = state["free_job"]
    state["free_job"] = index
    state["free_jobs"] += 1
