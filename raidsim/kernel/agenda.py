"""The agenda: jobs that something happens to before the clock goes on.

One event may set off several things that are large to begin: a plan, the next one that waits for
a stripe. Whoever sets them off puts a job here, and the engine takes them one by one. So each of
them stands in one place of the compiled code, and finds room in the tables for itself alone.

Verbs: :func:`put` a job with the stage that says what happens to it, :func:`take_next`.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler
from raidsim.kernel.tables import NONE


@handler
def put(w, index, stage):
    """Let ``stage`` happen to job ``index`` still at the present instant."""
    state = w.state[0]
    job = w.jobs[index]
    job["stage"] = stage
    job["next"] = NONE
    if state["agenda"] == NONE:
        state["agenda"] = index
    else:
        w.jobs[state["agenda_end"]]["next"] = index
    state["agenda_end"] = index


@handler
def take_next(w):
    """The first job of the agenda, no longer on it."""
    state = w.state[0]
    index = state["agenda"]
    state["agenda"] = w.jobs[index]["next"]
    w.jobs[index]["next"] = NONE
    return index
