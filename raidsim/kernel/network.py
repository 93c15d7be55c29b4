"""Plain networks of stations: a request visits the steps of a route, one after the other.

A step is one station, or a fork to several and a join. Service times are drawn when the request
arrives, from the step's key by the number of the visit, or taken from a table. These networks have
closed forms, and a SimPy model of a few lines does the same. They are used to test the kernel. No
scenario has one; ``benchmarks/stations.py`` builds them.

Verbs: :func:`enter` starts the next step, :func:`advance` follows a finished step, :func:`join` a
finished branch.
"""

from __future__ import annotations

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.jobs import release, take_child
from raidsim.kernel.random import exponential, uniform
from raidsim.kernel.station import arrive, round_ns
from raidsim.kernel.tables import (
    LAW_CONSTANT,
    LAW_EXPONENTIAL,
    LAW_UNIFORM,
    STAGE_BRANCH,
    STAGE_ROUTE,
)


@routine
def draw_service(w, step):
    """Service time of the next visit to ``step``, ns."""
    n = step["visits"]
    step["visits"] = n + 1
    mean = step["mean"]
    if step["law"] == LAW_CONSTANT:
        return round_ns(mean)
    if step["law"] == LAW_EXPONENTIAL:
        return round_ns(mean * exponential(step["key"], n))
    if step["law"] == LAW_UNIFORM:
        return round_ns(2.0 * mean * uniform(step["key"], n))
    return w.given[step["first_given"] + n]


@routine
def enter(w, index):
    """Start the next step of request ``index``; False when its route is at an end."""
    job = w.jobs[index]
    volume = w.volumes[job["volume"]]
    if job["step"] >= volume["steps"]:
        return False
    step = w.steps[volume["first_step"] + job["step"]]
    # Reads and writes have different directions, so half-duplex stations turn around.
    job["direction"] = job["op"]
    if step["branches"] == 1:
        job["stage"] = STAGE_ROUTE
        arrive(w, step["station"], index, draw_service(w, step))
        return True
    job["pending"] = step["branches"]
    for branch in range(step["branches"]):
        child = take_child(w, STAGE_BRANCH, index)
        w.jobs[child]["direction"] = job["op"]
        arrive(w, step["station"] + branch, child, draw_service(w, step))
    return True


@handler
def advance(w, index):
    """A step is done: go to the next; False at the end of the route."""
    w.jobs[index]["step"] += 1
    return enter(w, index)


@handler
def join(w, index):
    """A branch is done; the request that it is a part of, which goes on with the last one."""
    parent = w.jobs[index]["parent"]
    release(w, index)
    w.jobs[parent]["pending"] -= 1
    return parent
