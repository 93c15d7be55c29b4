"""Queues of jobs: each job has the number of the next one, and the owner the first and the last.

The owner is any row with the fields ``first_waiting`` and ``last_waiting``: a station, a lock, a
cache, a drive whose buffer is full, the agenda. A job is in one queue at a time.

Verbs: :func:`append` a job, :func:`put_first`, :func:`take_first`.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.tables import NONE


@handler
def append(w, owner, index):
    """Put job ``index`` behind all others."""
    w.jobs[index]["next"] = NONE
    if owner["first_waiting"] == NONE:
        owner["first_waiting"] = index
    else:
        w.jobs[owner["last_waiting"]]["next"] = index
    owner["last_waiting"] = index


@handler
def put_first(w, owner, index):
    """Put job ``index`` in front of all others."""
    w.jobs[index]["next"] = owner["first_waiting"]
    if owner["first_waiting"] == NONE:
        owner["last_waiting"] = index
    owner["first_waiting"] = index


@handler
def take_first(w, owner):
    """Take the first job out of a queue that has one; its index."""
    index = owner["first_waiting"]
    job = w.jobs[index]
    owner["first_waiting"] = job["next"]
    job["next"] = NONE
    return index
