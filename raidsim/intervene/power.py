"""Power goes off and comes back: which parts of the tables survive.

Everything under way is lost: in queues, at servers, in buffers, on the agenda. The fields that are
declared as volatile (:mod:`raidsim.records`) get their values in a system that was just switched
on. All other fields stay: built structure, counts, and data on a medium. The data that a protected
cache holds for its drives also stays: :func:`cut` puts its dirty lines back in order.

Verbs: :func:`cut` the power, :func:`drives_ready` when the drives have spun up, :func:`resume` the
loads when the hosts are ready.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

import numpy as np

from raidsim.assembly import replacement, supply
from raidsim.intervene.cache_lines import arrange, rows_of
from raidsim.intervene.hybrid_power import is_hybrid, map_of, restore
from raidsim.intervene.window import settle_areas, settle_dirt, settle_promises
from raidsim.kernel import agenda, band_rewrites, destage, heat, load
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE, ERRAND_HOST
from raidsim.kernel.deferred import waiting_tasks
from raidsim.kernel.load_tables import CLOSED, MANUAL, RATE
from raidsim.kernel.operation_tables import COPY, WORKING
from raidsim.kernel.world import TABLES
from raidsim.system.system import System

OWNED = (("disks", "arm_job"), ("shingles", "timer_job"), ("caches", "flusher"))
"""Where the jobs stand that belong to a part of the hardware for good."""


@dataclass
class Outage:
    """The facts to keep while the power is off.

    Attributes
    ----------
    awaited
        Ticket and time of issue (ns) of I/Os that a process waits for: they have failed.
    streams
        Loads that go on later: stream, and how many of its I/Os it had under way, scheduled, or
        held back until a flush was done.
    """

    awaited: list[tuple[int, int]] = field(default_factory=list)
    streams: dict[int, int] = field(default_factory=dict)


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
    supply.settle(system)
    heat.advance(world, now)
    ending = _ending(system)
    outage = Outage(_fail_requests(system), _stop_streams(system))
    if before is not None:
        outage.streams = before.streams | outage.streams
    system.interrupted = frozenset(outage.streams)
    _leave_stations(system)
    _rewind_operations(system)
    maps = {
        row: map_of(system, row) for row in range(system.count("caches")) if is_hybrid(system, row)
    }
    for row in range(system.count("caches")):
        if row not in maps:
            _reset_cache(system, row, row in keeping)
    for table in TABLES.values():
        if not table.memory.apart:
            table.switch_off(system.rows(table.name))
    for row, known in maps.items():
        restore(system, row, known)
    world.cores["looked"][: system.count("cores")] = now
    world.cores["busy_until"][: system.count("cores")] = now
    _free_jobs(system)
    system.drives_off = system.hosts_off = True
    supply.supply_heat(system)
    for stream in ending:
        system.stop(stream)
    return outage


def drives_ready(system: System) -> None:
    """Drives take commands again: controllers write what they hold, and go on with their work."""
    supply.settle(system)
    system.drives_off = False
    supply.supply_heat(system)
    for cache in system.world.caches[: system.count("caches")]:
        if cache["dirty"] > 0:
            if cache["errand"] == ERRAND_DESTAGE:
                destage.begin_flush(cache)
            system.have_room(int(cache["most_tasks"]))
            destage.work(system.world, cache)
    for row in system.world.shingles[: system.count("shingles")]:
        row["heard"] = system.now
        band_rewrites.rest(system.world, row)
    _resume_operations(system, on_controllers=True)


def resume(system: System, outage: Outage) -> None:
    """The hosts are up again: their loads go on as if what came in between had not been asked.

    Closed loads issue as many I/Os as they had under way, random arrivals begin anew; what a
    table of arrivals or a trace has for the time of the outage counts as failed.
    """
    system.hosts_off = False
    system.interrupted = frozenset()
    _resume_operations(system, on_controllers=False)
    for stream, slots in outage.streams.items():
        row = system.world.streams[stream]
        if row["ended"]:
            continue
        system.have_room(slots)
        if row["mode"] == CLOSED:
            time = load.next_on(row, system.now)
            for _ in range(slots):
                load.schedule_issue(system.world, stream, time)
        else:
            _skip_arrivals(system, stream)
            load.schedule_arrival(system.world, stream)
        if row["scheduled"] == 0:
            system.stop(stream)


# -- background work ---------------------------------------------------------------------------


def _rewind_operations(system: System) -> None:
    """Set background work back to the start of the part that had not ended."""
    world = system.world
    workers = world.workers[: system.count("workers")]
    world.jobs["worker"][workers[workers != t.NONE]] = WORKING
    for operation in world.operations[: system.count("operations")]:
        if operation["ended"] != t.NONE:
            continue
        operation["begun"] = operation["locked"] = operation["retired"]
        operation["next"] = operation["frontier"]
        # A sample leaves out what follows its block.
        if operation["next"] % operation["stride"] >= operation["block"]:
            operation["next"] += operation["stride"] - operation["next"] % operation["stride"]
        if operation["kind"] == COPY:
            layout = world.layouts[world.volumes[operation["volume"]]["array"]]
            world.members[operation["member"]]["copied"] = operation["frontier"] * layout["strip"]


def _resume_operations(system: System, on_controllers: bool) -> None:
    """Background work goes on: that of controllers, or that of hosts."""
    world = system.world
    for row in range(system.count("operations")):
        operation = world.operations[row]
        controlled = world.volumes[operation["volume"]]["controller"] != t.NONE
        if operation["ended"] != t.NONE or controlled != on_controllers:
            continue
        first = int(operation["first_worker"])
        for worker in world.workers[first : first + int(operation["workers"])]:
            if worker != t.NONE:
                agenda.put(world, int(worker), t.STAGE_OPERATION)


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
    found = (streams["ended"] == 1) & (streams["mode"] != MANUAL) & (streams["in_flight"] > 0)
    return [int(stream) for stream in np.flatnonzero(found)]


def _stop_streams(system: System) -> dict[int, int]:
    """Void what loads have scheduled or hold; how many slots each had that goes on later."""
    streams = system.world.streams[: system.count("streams")]
    slots = streams["in_flight"] + streams["scheduled"] + streams["held"]
    going = (streams["ended"] == 0) & (streams["mode"] != MANUAL) & (slots > 0)
    streams["mark"][going] += 1
    return {int(stream): int(slots[stream]) for stream in np.flatnonzero(going)}


def _skip_arrivals(system: System, stream: int) -> None:
    """Let an open load go on from now."""
    row = system.world.streams[stream]
    passed = system.now - int(row["start"])
    if row["mode"] == RATE:
        if row["burst_off"]:
            period = int(row["burst_on"] + row["burst_off"])
            on = int(row["burst_on"])
            passed = passed // period * on + min(passed % period, on)
        row["clock"] = passed
        return
    if row["traced"]:
        for missed in system.feeds.skip(stream, passed):
            row["issued"] += missed
            row["failed"] += missed
            system.state["requests"] += missed
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
    # Other stations serve the jobs that hold a server here: a command slot, a place for a look-up.
    holders = stations["busy"] - np.bincount(at["station"], minlength=len(stations))
    stations["served"] += now * holders - stations["held_since"]
    for where in np.flatnonzero(stations["waiting"]):
        index = int(stations[where]["first_waiting"])
        while index != t.NONE:
            stations[where]["waited"] += now - jobs[index]["queued"]
            index = int(jobs[index]["next"])
    left = stations["waiting"].copy()
    for disk in world.disks[: system.count("disks")]:
        tasks = waiting_tasks(world, disk)
        stations[disk["arm"]]["waited"] += (now - tasks["queued"]).sum()
        left[disk["arm"]] = 0  # an access counts as an arrival at the arm when it begins
    stations["finishes"] += stations["busy"] + left
    stations["starts"] += left


# -- caches ------------------------------------------------------------------------------------


def _reset_cache(system: System, row: int, keeps: bool) -> None:
    """Empty the cache of a controller, but for dirty lines that it keeps.

    What was on its way to the drives is dirty again, but for what waits for a lost array.
    """
    lines = rows_of(system, row)
    if not keeps:
        lines[:] = np.zeros(1, lines.dtype)
    free = lines["pinned"] == 0
    lines["dirty"][free] |= lines["busy"][free]
    lines["busy"][free] = 0
    lines["destages"] = lines["pinned"]
    lines["valid"] = lines["dirty"] | lines["busy"]
    lines["coming"] = 0
    lines["waiters"] = t.NONE
    lines[lines["valid"] == 0] = np.zeros(1, lines.dtype)
    replacement.forget(system, row)
    arrange(system, row, clean=[])
