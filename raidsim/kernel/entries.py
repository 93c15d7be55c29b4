"""What the control plane asks of the kernel between two calls of :func:`raidsim.kernel.engine.run`.

Each function here changes the tables at the present time, and returns at once: events that follow
from it happen in the next call of the event loop.
"""

from __future__ import annotations

from raidsim.kernel import agenda, engine, heat, load, operation, station
from raidsim.kernel.jit import by_reference, entry
from raidsim.kernel.tables import RETURN_IDLE, RETURN_ROOM, STAGE_OPERATION


@entry
def begin(w, s):
    """Start stream ``s`` at the present time."""
    w = by_reference(w)
    load.begin(w, s)


@entry
def stop(w, s):
    """Let stream ``s`` issue no more; what is in flight completes."""
    w = by_reference(w)
    stream = w.streams[s]
    stream["ended"] = 1
    stream["mark"] += 1
    stream["scheduled"] = 0
    stream["held"] = 0
    engine.end_stream(w, s)


@entry
def deliver(w, now, s, op, offset, length, priority, ticket, timeout):
    """Start one I/O of manual stream ``s`` at time ``now``; its completion carries ``ticket``.

    Returns RETURN_ROOM, and does nothing, if a table needs more rows first.
    """
    w = by_reference(w)
    state = w.state[0]
    if engine.is_short_of_room(w):
        return RETURN_ROOM
    state["now"] = max(state["now"], now)
    stream = w.streams[s]
    stream["timeout"] = timeout
    stream["priority"] = priority
    index = load.request(w, s, stream, op, offset, length)
    w.jobs[index]["ticket"] = ticket
    engine.dispatch(w, index)
    return RETURN_IDLE


@entry
def next_completion(w):
    """Take one completion record: (how many are left, ticket, time, issued, status)."""
    w = by_reference(w)
    state = w.state[0]
    state["awaited"] -= 1
    record = w.completions[state["told"]]
    state["told"] = state["told"] + 1 if state["awaited"] > 0 else 0
    return state["awaited"], record["ticket"], record["time"], record["issued"], record["status"]


@entry
def begin_operation(w, s, workers):
    """Start operation ``s``: these many jobs that are its workers begin with their first rows."""
    w = by_reference(w)
    row = w.operations[s]
    for i in range(row["first_worker"], row["first_worker"] + workers):
        agenda.put(w, w.workers[i], STAGE_OPERATION)


@entry
def resume_operation(w, s):
    """Let an operation that is paused go on."""
    w = by_reference(w)
    operation.wake(w, w.operations[s])


@entry
def set_speed(w, where, speed):
    """Run station ``where`` at ``speed`` (1 = as built) from now on."""
    w = by_reference(w)
    station.set_speed(w, where, speed)


@entry
def set_air(w, index, ambient, conductance):
    """Put drive ``index`` of ``heats`` into other air (C, W/K from case to air) from now on."""
    w = by_reference(w)
    heat.set_air(w, index, ambient, conductance)


@entry
def fill_samples(w):
    """Take the readings of drives at rest that are due before the present time."""
    w = by_reference(w)
    heat.sample_until(w, w.state[0]["now"] - 1)
