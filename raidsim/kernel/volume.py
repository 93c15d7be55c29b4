"""Volumes: a request becomes device I/Os, phase by phase.

The one kind so far is a single drive: one phase with a device I/O at the same address,
or several if the request is longer than the drive's longest command. A phase starts
when the last child of the one before has come back; a request whose phases are all done
goes back to the host.

Verbs: :func:`device_ios` says how many device I/Os a request costs, :func:`enter` starts
its present phase, :func:`child_done` takes a device I/O back.
"""

from __future__ import annotations

from raidsim.kernel.drive import send
from raidsim.kernel.jit import handler
from raidsim.kernel.jobs import release, take_child
from raidsim.kernel.tables import DONE, STAGE_SLOT


@handler
def device_ios(w, index):
    """Number of device I/Os of request ``index``."""
    job = w.jobs[index]
    longest = w.drives[w.volumes[job["volume"]]["drive"]]["max_transfer"]
    return (job["length"] + longest - 1) // longest


@handler
def enter(w, index):
    """Start the present phase of request ``index``."""
    job = w.jobs[index]
    drive = w.volumes[job["volume"]]["drive"]
    longest = w.drives[drive]["max_transfer"]
    start = job["offset"]
    end = start + job["length"]
    while start < end:
        stop = min(start + longest, end)
        child = take_child(w, STAGE_SLOT, index)
        job["pending"] += 1
        below = w.jobs[child]
        below["drive"] = drive
        below["offset"] = start
        below["length"] = stop - start
        send(w, child)
        start = stop


@handler
def child_done(w, index):
    """Device I/O ``index`` is back: True when that was the last one of the last phase."""
    child = w.jobs[index]
    parent = child["parent"]
    job = w.jobs[parent]
    if child["status"] != DONE and job["status"] == DONE:
        job["status"] = child["status"]
    release(w, index)
    job["pending"] -= 1
    return job["pending"] == 0
