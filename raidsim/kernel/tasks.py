"""Tasks that no host waits for: the own work of a cache, a hybrid or software RAID.

Verbs: :func:`add_task`.
"""

from __future__ import annotations

from raidsim.kernel import agenda
from raidsim.kernel.jit import handler
from raidsim.kernel.jobs import take
from raidsim.kernel.tables import NONE, STAGE_PLAN, STAGE_WAITING


@handler
def add_task(w, errand, volume, op, offset, length):
    """Carry out a task that no host waits for; its job."""
    index = take(w, STAGE_WAITING, NONE)
    job = w.jobs[index]
    job["errand"] = errand
    job["volume"] = volume
    job["stream"] = NONE
    job["op"] = op
    job["offset"] = offset
    job["length"] = length
    job["parts"] = 0
    agenda.put(w, index, STAGE_PLAN)
    return index
