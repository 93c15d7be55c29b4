"""The host: what an I/O costs in CPU time, before it leaves and after it is back.

Each process has two serial stations, submission and completion. Their service times
add up what the I/O needs: a part per host I/O, per device I/O, per page of data (the
memory that is locked and mapped), and more for a write. Clock rate is the speed of the
stations.

Verbs: :func:`submit` takes a fresh request, :func:`complete` one whose data is there.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import STAGE_COMPLETED, STAGE_SUBMITTED, WRITE


@handler
def submit(w, index, process, device_ios):
    """Request ``index`` asks the submission station of ``process`` for its CPU time."""
    job = w.jobs[index]
    pages = (job["length"] + process["page"] - 1) // process["page"]
    cost = process["submit_io"] + process["submit_page"] * pages
    cost += process["submit_device_io"] * device_ios
    if job["op"] == WRITE:
        cost += process["submit_write"]
    job["stage"] = STAGE_SUBMITTED
    arrive(w, process["submit"], index, round_ns(cost))


@handler
def complete(w, index, process, device_ios):
    """Request ``index`` asks the completion station of ``process`` for its CPU time."""
    job = w.jobs[index]
    pages = (job["length"] + process["page"] - 1) // process["page"]
    cost = process["complete_io"] + process["complete_page"] * pages
    cost += process["complete_device_io"] * device_ios
    if job["op"] == WRITE:
        cost += process["complete_write"]
    job["stage"] = STAGE_COMPLETED
    arrive(w, process["complete"], index, round_ns(cost))
