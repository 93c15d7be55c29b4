"""A back that is written as a log: writes of a hybrid go to the next place in full stripes.

Writes gather in an open stripe, whatever their addresses are, and go to the disks together, one
full stripe behind the other. If no stripe is under way, a partly filled one is written. So at low
load no write waits, and at high load stripes are full. The first write of a stripe carries it; the
others end with it.

The places of the data are not recorded: reads go to their addresses as always, since for random
reads the distance is the same. The log begins behind the addresses of the hybrid. At the end of the
back it begins again; cleaning of stripes is left out.

Verbs: :func:`gather` a write, :func:`ended` takes a stripe back; both say which write must carry a
stripe to the disks now.
"""

from __future__ import annotations

from raidsim.kernel import agenda
from raidsim.kernel.jit import routine
from raidsim.kernel.tables import NONE, STAGE_ENDED

ALONE = -2  # waiters of a write that carries a stripe without others


@routine
def gather(w, hybrid, index):
    """Put a write (or NONE) into the open stripe; the one that carries it now, or NONE."""
    if index != NONE:
        w.jobs[index]["next"] = hybrid["open"]
        hybrid["open"] = index
        hybrid["open_bytes"] += w.jobs[index]["length"]
    carrier = hybrid["open"]
    full = hybrid["open_bytes"] >= hybrid["stripe"]
    if carrier == NONE or not (full or hybrid["stripes"] == 0):
        return NONE
    job = w.jobs[carrier]
    length = (hybrid["open_bytes"] + hybrid["stripe"] - 1) // hybrid["stripe"] * hybrid["stripe"]
    if hybrid["log_head"] + length > hybrid["log_end"]:
        hybrid["log_head"] = hybrid["log_first"]
    job["offset"] = hybrid["log_head"]
    job["length"] = length
    job["waiters"] = job["next"] if job["next"] != NONE else ALONE
    job["next"] = NONE
    hybrid["log_head"] += length
    hybrid["open"] = NONE
    hybrid["open_bytes"] = 0
    hybrid["stripes"] += 1
    return carrier


@routine
def ended(w, hybrid, index):
    """A stripe is written: so is what others put into it. Which write carries the next, or NONE."""
    job = w.jobs[index]
    other = job["waiters"]
    job["waiters"] = NONE
    hybrid["stripes"] -= 1
    while other != NONE and other != ALONE:
        following = w.jobs[other]["next"]
        w.jobs[other]["status"] = job["status"]
        agenda.put(w, other, STAGE_ENDED)
        other = following
    return gather(w, hybrid, NONE)
