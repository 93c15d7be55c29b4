"""The agenda: jobs that something happens to before the clock goes on.

One event may set off several things that are large to begin: a plan, the next one that waits for
a stripe. Whoever sets them off puts a job here, and the engine takes them one by one. So each of
them stands in one place of the compiled code, and finds room in the tables for itself alone.

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
    """Whether nothing is left to happen at the present instant."""
    return state["first_waiting"] == NONE
