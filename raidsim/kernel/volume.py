"""Volumes: a request becomes device I/Os, phase by phase.

The one kind so far is a single drive: one phase with one device I/O at the same
address. A phase starts when the last child of the one before has come back; a request
whose phases are all done goes back to the host.

Verbs: :func:`device_ios` says how many device I/Os a request costs, :func:`enter` starts
its present phase, :func:`child_done` takes a device I/O back.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.jobs import release, take_child
from raidsim.kernel.ssd import command
from raidsim.kernel.tables import DONE, STAGE_COMMAND_ARRIVED


@handler
def device_ios(w, index):
    """Number of device I/Os of request ``index``."""
    return 1


@handler
def enter(w, index):
    """Start the present phase of request ``index``."""
    job = w.jobs[index]
    job["pending"] = 1
    child = take_child(w, STAGE_COMMAND_ARRIVED, index)
    below = w.jobs[child]
    below["drive"] = w.volumes[job["volume"]]["drive"]
    below["offset"] = job["offset"]
    below["length"] = job["length"]
    command(w, child)


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
