"""The agenda: jobs to which something happens before the clock advances.

One event may cause several large operations: a plan, the next job that waits for a stripe. Their
callers put a job here, and the engine takes the jobs one by one. So each operation is in one place
of the compiled code, and only needs room in the tables for itself.

Verbs: :func:`put` a job with the stage that says what happens to it, :func:`take_next`;
:func:`is_empty`.
"""

from __future__ import annotations

from raidsim.kernel import queue
from raidsim.kernel.jit import handler
from raidsim.kernel.tables import NONE


@handler
def put(w, index, stage):
    """Let ``stage`` happen to job ``index`` still at the present instant."""
    w.jobs[index]["stage"] = stage
    queue.append(w, w.state[0], index)


@handler
def take_next(w):
    """The first job of the agenda, no longer on it."""
    return queue.take_first(w, w.state[0])


@handler
def is_empty(state):
    """Return whether nothing is left to happen at the present instant."""
    return state["first_waiting"] == NONE
