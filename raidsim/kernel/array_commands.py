"""Commands to the drives of an array, from the plan of their task until they are back.

They are a list behind their task (``later``), phase by phase, until they are sent.

Verbs: :func:`add_command` to a task, :func:`drop_commands` that are not sent after all,
:func:`taken_back` counts one that has come back.
"""

from __future__ import annotations

from raidsim.kernel.array_tables import ERRAND_OPERATION
from raidsim.kernel.jit import handler
from raidsim.kernel.jobs import release, take_child
from raidsim.kernel.tables import NONE, STAGE_SLOT


@handler
def add_command(w, index, row, drive, op, phase, start, end, last):
    """Make a command about bytes [start, end) of a drive, behind the last one that there is."""
    child = take_child(w, STAGE_SLOT, index)
    below = w.jobs[child]
    below["drive"] = drive
    below["serial"] = w.drives[drive]["serial"]
    below["member"] = row
    below["op"] = op
    below["phase"] = phase
    below["offset"] = start
    below["length"] = end - start
    below["hop"] = 0
    below["carries"] = NONE
    w.members[row]["in_flight"] += 1
    if w.jobs[index]["errand"] != ERRAND_OPERATION:
        w.arrays[w.volumes[w.jobs[index]["volume"]]["array"]]["others"] += 1
    if last == NONE:
        w.jobs[index]["later"] = child
    else:
        w.jobs[last]["next"] = child
    return child


@handler
def taken_back(w, job, child):
    """A command of task ``job`` is back, or is not sent after all."""
    w.members[child["member"]]["in_flight"] -= 1
    if job["errand"] != ERRAND_OPERATION:
        w.arrays[w.volumes[job["volume"]]["array"]]["others"] -= 1


@handler
def drop_commands(w, array, index):
    """The commands of a task that are still to be sent are not sent."""
    job = w.jobs[index]
    while job["later"] != NONE:
        child = job["later"]
        below = w.jobs[child]
        job["later"] = below["next"]
        taken_back(w, job, below)
        release(w, child)
