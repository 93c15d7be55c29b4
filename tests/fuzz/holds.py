"""What holds of a model at any time, and once everything that broke is mended and at rest."""

from __future__ import annotations

import numpy as np
from caches import check as check_lines

from raidsim.control.clock import to_ns
from raidsim.errors import InputError
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.layout.tables import MIRRORED, PARITY
from tests.fuzz import Fault
from tests.fuzz.model import MIB, RandomModel

LINES = 512
"""Of caches whose lists are gone through: larger ones would take long."""


def at_any_time(m: RandomModel) -> None:
    """Clocks agree, accounts balance, what has come back came after it was issued."""
    system, now = m.env.system, m.env.now
    if system.now > to_ns(now) + 1:
        raise Fault(f"the kernel is at {system.now} ns, SimPy at {now} s")
    for event in m.awaited:
        if not event.triggered:
            continue
        done = event.value
        if not (done.issued <= done.completed and done.latency >= 0):
            raise Fault(f"completed before it was issued: {done}")
        if done.status not in ("done", "failed", "timed out"):
            raise Fault(f"no such status: {done}")
    rows = system.world.streams[: system.count("streams")]
    ended = rows["completed"] + rows["failed"] + rows["timed_out"]
    if (rows["issued"] != ended + rows["in_flight"]).any() or (rows["in_flight"] < 0).any():
        raise Fault(f"an account does not balance: {rows[rows['issued'] != ended]}")
    caches = system.world.caches[: system.count("caches")]
    for name in ("used", "clean", "dirty", "pinned", "tasks"):
        if (caches[name] < 0).any():
            raise Fault(f"a cache has {caches[name]} {name}")
    if (caches["used"] > caches["size"]).any():
        raise Fault(f"a cache of {caches['size']} B holds {caches['used']} B")
    check_lines(system, largest=LINES)
    of_arrays = system.world.arrays["dirty"][: system.count("arrays")]
    of_controllers = caches["dirty"][caches["errand"] == ERRAND_DESTAGE]
    if (of_arrays < 0).any() or of_arrays.sum() != of_controllers.sum():
        raise Fault(f"arrays have {of_arrays} dirty B, caches of controllers {of_controllers}")


def bring_back(m: RandomModel) -> None:
    """Mend all but drives, let all that waits go on, and let everything come to rest."""
    env = m.env
    m.note("-- everything is mended")
    if env.power == "off":
        env.restore_power()
    env.run(until=env.now + 100.0 if _is_calm(m) else env.now + 0.2)
    for link in m.links:
        link.restore()
    for load in m.loads:
        load.stop()
    for _ in m.controllers:
        for controller in m.controllers:
            if controller.state == "failed":
                controller.repair()
            elif controller.state == "failed over":
                controller.fail_back()
    for volume in m.volumes:
        for operation in volume.operations:
            operation.resume()
    env.run(until=env.now + 100.0)
    for controller in m.controllers:
        if controller.pinned:
            controller.discard_cache()
    m.note("-- everything comes to rest")
    env.run()
    at_any_time(m)


def _is_calm(m: RandomModel) -> bool:
    """Whether no load without an end would go on for long."""
    return all(load.spec.has_end or load.triggered for load in m.loads)


def at_rest(m: RandomModel) -> None:
    """Nothing is under way, nothing is held, nobody waits."""
    world, system = m.env.system.world, m.env.system
    if m.env.power != "on":
        raise Fault(f"the power is {m.env.power}")
    for event in (*m.awaited, *m.loads, *m.others):
        if not event.processed:
            raise Fault(f"never comes back: {event}")
    for volume in m.volumes:
        for operation in volume.operations:
            if not operation.processed or operation.state not in ("done", "stopped", "failed"):
                raise Fault(f"never ends: {operation!r}")
    streams = world.streams[: system.count("streams")]
    if streams["in_flight"].any() or streams["scheduled"].any():
        raise Fault(f"I/Os are in flight: {streams[['in_flight', 'scheduled']]}")
    if (world.locks["held"][: system.count("locks")] != 0).any():
        raise Fault(f"locks are held: {np.flatnonzero(world.locks['held'])}")
    if (world.locks["first_waiting"][: system.count("locks")] != t.NONE).any():
        raise Fault("somebody waits for a lock")
    members = world.members[: system.count("members")]
    if members["in_flight"].any():
        raise Fault(f"commands to drives are in flight: {members['in_flight']}")
    _stations(m)
    _jobs(m)
    caches = world.caches[: system.count("caches")]
    # What nothing restores can't be brought up to date: it waits for somebody to discard it.
    if caches["tasks"].any() or (caches["pinned"].any() and not m.has_defects):
        raise Fault(f"a cache has tasks {caches['tasks']}, pinned {caches['pinned']}")
    if (caches["first_waiting"] != t.NONE).any():
        raise Fault("a write waits for room in a cache")


def _stations(m: RandomModel) -> None:
    system = m.env.system
    rows = system.world.stations[: system.count("stations")]
    for index in np.flatnonzero((rows["waiting"] != 0) | (rows["first_waiting"] != t.NONE)):
        raise Fault(f"{system.names[index]} has {rows[index]['waiting']} that wait")
    for index in np.flatnonzero(rows["busy"]):
        raise Fault(f"{system.names[index]} works at {rows[index]['busy']} for ever")


def _jobs(m: RandomModel) -> None:
    """Every job is free, or one of those that their owners keep."""
    system = m.env.system
    world, state = system.world, system.state
    taken = np.flatnonzero(world.jobs["stage"] != t.STAGE_FREE)
    kept = set(world.workers[: system.count("workers")].tolist())
    kept |= set(world.caches["flusher"][: system.count("caches")].tolist())
    kept |= set(world.disks["arm_job"][: system.count("disks")].tolist())
    lost = [int(index) for index in taken if int(index) not in kept]
    if lost:
        raise Fault(
            f"jobs are never given back: stages {[int(world.jobs[i]['stage']) for i in lost]}"
        )
    seen, index = 0, int(state["free_job"])
    while index != t.NONE and seen <= len(world.jobs):
        seen, index = seen + 1, int(world.jobs[index]["next"])
    if seen != state["free_jobs"] or seen + len(taken) != len(world.jobs):
        raise Fault(f"{seen} jobs are free, {state['free_jobs']} counted, of {len(world.jobs)}")
    if state["first_waiting"] != t.NONE:
        raise Fault("something is on the agenda for ever")


def still_works(m: RandomModel) -> None:
    """What has all its data can be read and written, gone through, and made whole again."""
    m.note("-- everything is asked for once more")
    for volume in m.volumes:
        if volume.health == "failed":
            continue
        _make_whole(m, volume)
        if not volume.above:
            _use(m, volume)
    for hybrid in m.hybrids:
        if hybrid.health == "optimal":
            _use(m, hybrid)
    at_any_time(m)
    at_rest(m)


def _make_whole(m: RandomModel, volume: object) -> None:
    """Rebuild what is missing of an array that has all its data."""
    layout = volume.spec.layout
    begun = []
    for number in range(volume.spec.drives):
        if not volume._drives.is_whole(number):
            if layout is None or layout["family"] not in (MIRRORED, PARITY):
                raise Fault(f"{volume!r} is {volume.health} without drive {number}")
            m.note(f"{volume.name}: rebuild({number})")
            begun.append(volume.rebuild(number))
            m.env.run()
    health = volume.health
    if m.has_defects:
        return
    if any(one.state != "done" for one in begun) or health != "optimal":
        raise Fault(f"after {begun} {volume!r} is {health}")
    calls = ["patrol"] if layout is not None else []
    if layout is not None and layout["family"] in (MIRRORED, PARITY):
        calls += ["check"]
    for call in calls:
        try:
            one = getattr(volume, call)()
        except InputError as error:
            if "is one drive on the host itself" in str(error):
                continue
            raise
        m.env.run()
        if one.state != "done":
            raise Fault(f"{one!r} of a volume that is {health} is {one.state}")


def _use(m: RandomModel, volume: object) -> None:
    """Write and read something."""
    length = volume._sector * 8
    for op, allowed in (("write", ("read-write",)), ("read", ("read-write", "read-only"))):
        if volume.access not in allowed:
            continue
        places = (0, min(3 * MIB, volume.capacity - length) // length * length)
        events = [getattr(volume, op)(place, length) for place in places]
        m.awaited += events
        m.env.run()
        for event in events:
            if not event.processed:
                raise Fault(f"a {op} of {volume!r}, which is {volume.health}, never comes back")
            if not event.value.ok and not m.has_defects:
                raise Fault(f"a {op} of {volume!r}, {volume.health}: {event.value.status}")
