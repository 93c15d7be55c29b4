"""Power goes, and comes back: what of the tables outlasts it.

What is under way anywhere - in queues, at servers, in buffers, on the agenda - is gone:
:data:`VOLATILE` names every field that says so, and what it is in a system that was just switched
on. All other fields are what was built, what was counted, or what is on a medium: they stay. So
does what a protected cache holds for its drives: :func:`cut` puts its dirty lines back in order.

Verbs: :func:`cut` the power, :func:`drives_ready` when the drives have spun up, :func:`resume` the
loads when the hosts have.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from raidsim.build import replacement
from raidsim.build.cache_lines import arrange, rows_of
from raidsim.build.hybrid_power import is_hybrid, map_of, restore
from raidsim.build.system import System
from raidsim.build.window import settle_areas, settle_dirt, settle_promises
from raidsim.kernel import agenda, destage, heat, load
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE, ERRAND_HOST
from raidsim.kernel.cache_tables import LINE
from raidsim.kernel.sweep_tables import COPY, WORKING

VOLATILE: dict[str, dict[str, int]] = {
    "state": {"events": 0, "vacant": 0, "agenda": t.NONE, "agenda_end": 0, "ticking": 0},
    "stations": {
        "busy": 0, "head": t.NONE, "tail": t.NONE, "waiting": 0, "direction": t.NO_DIRECTION,
    },
    "streams": {"in_flight": 0, "scheduled": 0},
    "cores": {"work": 0},
    "arrays": {"tick": 0, "turn": 0},
    "members": {"in_flight": 0, "end": 0},
    "locks": {"held": 0, "head": t.NONE, "tail": t.NONE},
    "trails": {"next": 0, "run": 0, "frontier": 0, "used": 0},
    "drives": {"unsafe": 0},
    "ssds": {
        "in_hand": 0, "buffered": 0, "gathered": 0, "gathered_moved": 0, "covered": 0,
        "rest": t.NONE, "moving_unit": 0, "moving_units": 0, "blocked_head": t.NONE,
        "blocked_tail": t.NONE, "held_unit": -1, "tick": 0,
    },
    "segments": {
        "last_unit": -1, "next_unit": -1, "frontier": -1, "used": -1, "run": 0, "in_flight": 0,
    },
    "slots": {"page": -1, "state": t.SLOT_EMPTY, "waiters": 0},
    "disks": {
        "heading": 1, "waiting": 0, "cylinder": 0, "head": 0, "moving": 0, "command": t.NONE,
        "op": 0, "active": t.NONE, "offset": 0, "length": 0,
        "stop": 0, "rest": 0, "tick": 0, "ahead": 0,
        "ahead_from": 0, "ahead_since": 0, "ahead_counted": 0, "ahead_until": 0,
        "ahead_track": 0, "ahead_passed": 0, "dirty": 0, "taken": 0, "blocked_head": t.NONE,
        "blocked_tail": t.NONE,
    },
    "tasks": {
        "command": 0, "op": 0, "offset": 0, "length": 0, "cylinder": 0, "head": 0, "angle": 0,
        "queued": 0, "order": 0,
    },
    "extents": {"start": 0, "end": 0, "used": 0},
    "caches": {
        "elevator": 0, "tasks": 0, "blocked_head": t.NONE, "blocked_tail": t.NONE, "armed": 0,
        "flushing": 0, "written": 0,
    },
    "hybrids": {
        "moving": 0, "tick": 0, "run_volume": t.NONE, "open": t.NONE, "open_bytes": 0, "stripes": 0,
    },
}  # fmt: skip
"""Fields that a power cut resets, with what they are after it, by table."""

OWNED = (("disks", "arm_job"), ("caches", "flusher"))
"""Where the jobs stand that belong to a part of the hardware for good."""


@dataclass
class Outage:
    """What is to be known while the power is off.

    Attributes
    ----------
    awaited
        Ticket and time of issue (ns) of I/Os that a process waits for: they have failed.
    streams
        Loads that go on later: stream, and how many of its I/Os it had under way or scheduled.
    """

    awaited: list[tuple[int, int]] = field(default_factory=list)
    streams: dict[int, int] = field(default_factory=dict)
    idle: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))


def cut(system: System, keeping: Container[int], before: Outage | None = None) -> Outage:
    """Cut the power now.

    Parameters
    ----------
    keeping
        Rows of caches that outlast it.
    before
        The outage that the system was just coming back from.
    """
    world = system.world
    now = system.now
    settle_areas(system)
    settle_promises(system)
    settle_dirt(system)
    heat.advance(world, now)
    ending = _ending(system)
    outage = Outage(_fail_requests(system), _stop_streams(system), world.heats["idle"].copy())
    if before is not None:
        outage.streams = before.streams | outage.streams
        outage.idle[: len(before.idle)] = np.maximum(before.idle, outage.idle[: len(before.idle)])
    world.heats["idle"] = 0.0
    _leave_stations(system)
    _rewind_sweeps(system)
    maps = {
        row: map_of(system, row) for row in range(system.count("caches")) if is_hybrid(system, row)
    }
    for row in range(system.count("caches")):
        if row not in maps:
            _reset_cache(system, row, row in keeping)
    for table, fields in VOLATILE.items():
        rows = getattr(world, table)[: system.count(table) if table != "state" else 1]
        for name, value in fields.items():
            rows[name] = value
    for row, known in maps.items():
        restore(system, row, known)
    world.cores["looked"][: system.count("cores")] = now
    world.cores["busy_until"][: system.count("cores")] = now
    _free_jobs(system)
    system.drives_off = system.hosts_off = True
    for stream in ending:
        system.stop(stream)
    return outage


def drives_ready(system: System, outage: Outage) -> None:
    """Drives take commands again: controllers write what they hold, and go on with their work."""
    system.drives_off = False
    heat.advance(system.world, system.now)
    system.world.heats["idle"][: len(outage.idle)] = outage.idle
    for cache in system.world.caches[: system.count("caches")]:
        if cache["dirty"] > 0:
            cache["flushing"] = int(cache["errand"] == ERRAND_DESTAGE)
            system.have_room(int(cache["most_tasks"]))
            destage.work(system.world, cache)
    _resume_sweeps(system, on_controllers=True)


def resume(system: System, outage: Outage) -> None:
    """The hosts are up again: their loads go on as if what came in between had not been asked.

    Closed loads issue as many I/Os as they had under way, random arrivals begin anew; what a
    table of arrivals has for the time of the outage counts as failed.
    """
    system.hosts_off = False
    _resume_sweeps(system, on_controllers=False)
    for stream, slots in outage.streams.items():
        row = system.world.streams[stream]
        if row["ended"]:
            continue
        system.have_room(slots)
        if row["mode"] == t.CLOSED:
            time = load.next_on(row, system.now)
            for _ in range(slots):
                load.schedule_issue(system.world, stream, time)
        else:
            _skip_arrivals(system, stream)
            load.schedule_arrival(system.world, stream)
        if row["scheduled"] == 0:
            system.stop(stream)


# -- background work ---------------------------------------------------------------------------


def _rewind_sweeps(system: System) -> None:
    """What background work had begun and not ended is to be done again."""
    world = system.world
    workers = world.workers[: system.count("workers")]
    world.jobs["slot"][workers[workers != t.NONE]] = WORKING
    for sweep in world.sweeps[: system.count("sweeps")]:
        if sweep["ended"] != t.NONE:
            continue
        sweep["begun"] = sweep["locked"] = sweep["retired"]
        sweep["next"] = sweep["frontier"]
        if sweep["next"] % sweep["stride"] >= sweep["block"]:  # a sample leaves out what follows
            sweep["next"] += sweep["stride"] - sweep["next"] % sweep["stride"]
        if sweep["kind"] == COPY:
            layout = world.layouts[world.volumes[sweep["volume"]]["array"]]
            world.members[sweep["member"]]["copied"] = sweep["frontier"] * layout["strip"]


def _resume_sweeps(system: System, on_controllers: bool) -> None:
    """Background work goes on: that of controllers, or that of hosts."""
    world = system.world
    for row in range(system.count("sweeps")):
        sweep = world.sweeps[row]
        controlled = world.volumes[sweep["volume"]]["controller"] != t.NONE
        if sweep["ended"] != t.NONE or controlled != on_controllers:
            continue
        first = int(sweep["first_worker"])
        for worker in world.workers[first : first + int(sweep["workers"])]:
            if worker != t.NONE:
                agenda.put(world, int(worker), t.STAGE_SWEEP)


# -- requests, loads and jobs ------------------------------------------------------------------


def _fail_requests(system: System) -> list[tuple[int, int]]:
    """Count what is in flight as failed; ticket and time of issue of those that are awaited."""
    world = system.world
    streams = world.streams[: system.count("streams")]
    streams["failed"] += streams["in_flight"]
    streams["last"][streams["in_flight"] > 0] = system.now
    system.state["completed"] += int(streams["in_flight"].sum())
    jobs = world.jobs
    requests = (jobs["stage"] != t.STAGE_FREE) & (jobs["parent"] == t.NONE)
    requests &= (jobs["errand"] == t.NONE) | (jobs["errand"] == ERRAND_HOST)
    requests &= (jobs["serial"] != t.NONE) & (jobs["abandoned"] == 0) & (jobs["ticket"] != t.NONE)
    found = jobs[requests]
    return [(int(job["ticket"]), int(job["issued"])) for job in found[np.argsort(found["serial"])]]


def _ending(system: System) -> list[int]:
    """Loads that issue no more, and whose last I/Os are under way: these were their last."""
    streams = system.world.streams[: system.count("streams")]
    found = (streams["ended"] == 1) & (streams["mode"] != t.MANUAL) & (streams["in_flight"] > 0)
    return [int(stream) for stream in np.flatnonzero(found)]


def _stop_streams(system: System) -> dict[int, int]:
    """Void what loads have scheduled; how many slots each had that goes on later."""
    streams = system.world.streams[: system.count("streams")]
    slots = streams["in_flight"] + streams["scheduled"]
    going = (streams["ended"] == 0) & (streams["mode"] != t.MANUAL) & (slots > 0)
    streams["mark"][going] += 1
    return {int(stream): int(slots[stream]) for stream in np.flatnonzero(going)}


def _skip_arrivals(system: System, stream: int) -> None:
    """Let an open load go on from now."""
    row = system.world.streams[stream]
    passed = system.now - int(row["start"])
    if row["mode"] == t.POISSON:
        if row["burst_off"]:
            period = int(row["burst_on"] + row["burst_off"])
            on = int(row["burst_on"])
            passed = passed // period * on + min(passed % period, on)
        row["clock"] = passed
        return
    first, count = int(row["first_arrival"]), int(row["arrivals"])
    times = system.world.arrivals[first : first + count]
    missed = max(int(np.searchsorted(times, passed)) - int(row["issued"]), 0)
    for name in ("issued", "failed"):
        row[name] += missed
    system.state["requests"] += missed


def _free_jobs(system: System) -> None:
    """All jobs are free, but for those that belong to a part of the hardware."""
    jobs, state = system.world.jobs, system.state
    kept = np.zeros(len(jobs), bool)
    for table, owner in OWNED:
        kept[getattr(system.world, table)[owner][: system.count(table)]] = True
    workers = system.world.workers[: system.count("workers")]
    kept[workers[workers != t.NONE]] = True
    jobs["mark"] += 1  # nothing that was scheduled for a job is about it any more
    jobs["serving"] = 0
    jobs["next"] = t.NONE
    jobs["pending"] = 0  # the commands of those that are kept are gone too
    jobs["later"] = t.NONE
    free = np.flatnonzero(~kept)
    jobs["stage"][free] = t.STAGE_FREE
    jobs["next"][free[:-1]] = free[1:]
    state["free_job"] = free[0]
    state["free_jobs"] = len(free)


def _leave_stations(system: System) -> None:
    """Whoever waits at a station or is served there leaves it: Little's law still holds of it."""
    world, now = system.world, system.now
    stations = world.stations[: system.count("stations")]
    jobs = world.jobs
    at = jobs[jobs["serving"] == 1]
    np.add.at(stations["served"], at["station"], now - (at["finish"] - at["service"]))
    for where in np.flatnonzero(stations["waiting"]):
        index = int(stations[where]["head"])
        while index != t.NONE:
            stations[where]["waited"] += now - jobs[index]["queued"]
            index = int(jobs[index]["next"])
    for disk in world.disks[: system.count("disks")]:
        tasks = world.tasks[disk["first_task"] : disk["first_task"] + disk["waiting"]]
        stations[disk["arm"]]["waited"] += (now - tasks["queued"]).sum()
    stations["finishes"] += stations["busy"] + stations["waiting"]
    stations["starts"] += stations["waiting"]


# -- caches ------------------------------------------------------------------------------------


def _reset_cache(system: System, row: int, keeps: bool) -> None:
    """Empty the cache of a controller, but for dirty lines that it keeps.

    What was on its way to the drives is dirty again, but for what waits for a lost array.
    """
    lines = rows_of(system, row)
    if not keeps:
        lines[:] = np.zeros(1, LINE)
    free = lines["pinned"] == 0
    lines["dirty"][free] |= lines["busy"][free]
    lines["busy"][free] = 0
    lines["destages"] = lines["pinned"]
    lines["valid"] = lines["dirty"] | lines["busy"]
    lines["coming"] = 0
    lines["waiters"] = t.NONE
    lines[lines["valid"] == 0] = np.zeros(1, LINE)
    replacement.forget(system, row)
    arrange(system, row, clean=[])
