"""Stations that stop: jobs stay there until the station continues, or until others take the jobs.

A job that was being served returns to the front of the queue, and needs its whole service again.
The interrupted visit counts as one with a shorter service, so that the two accounts of a station
(areas over time, sums over jobs) still agree.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from raidsim.kernel import station as visits
from raidsim.system.system import System


def halt(system: System, stations: Iterable[int]) -> None:
    """Let stations serve nobody from now on; those that are halted already stay so."""
    world = system.world
    for where in dict.fromkeys(stations):
        if where in system.halted:
            continue
        station = world.stations[where]
        begun = _in_service(system, where)
        waiting = [_leave(system, where) for _ in range(int(station["waiting"]))]
        for index in begun:
            _cut_short(system, where, index)
        system.halted[where] = int(station["servers"])
        station["servers"] = 0
        for index in [*begun, *waiting]:
            _arrive(system, where, index)


def go_on(system: System, stations: Iterable[int]) -> None:
    """Let halted stations serve again, those who wait first."""
    for where in dict.fromkeys(stations):
        if where in system.halted:
            jobs = drain(system, where)
            system.world.stations[where]["servers"] = system.halted.pop(where)
            for index in jobs:
                _arrive(system, where, index)


def drain(system: System, where: int) -> list[int]:
    """Take all jobs out of the queue of a station, in order."""
    return [_leave(system, where) for _ in range(int(system.world.stations[where]["waiting"]))]


def send(system: System, where: int, index: int) -> None:
    """Let a job that was drained ask another station for the same service."""
    _arrive(system, where, index)


def _in_service(system: System, where: int) -> list[int]:
    """The jobs that a station works on, in the order in which they came."""
    jobs = system.world.jobs
    found = np.flatnonzero((jobs["serving"] == 1) & (jobs["station"] == where))
    return sorted(found.tolist(), key=lambda index: (int(jobs["queued"][index]), index))


def _cut_short(system: System, where: int, index: int) -> None:
    """Let a job leave the server that it has; it asks for all of its service again."""
    station = system.world.stations[where]
    job = system.world.jobs[index]
    visits.account(station, system.now)
    left = int(job["finish"]) - system.now
    station["busy"] -= 1
    station["finishes"] += 1
    station["served"] += int(job["service"]) - left
    job["serving"] = 0
    job["mark"] += 1
    job["service"] = round(int(job["service"]) * float(station["speed"]))


def _leave(system: System, where: int) -> int:
    """Take the first job out of a queue, as if it had been served in no time."""
    station = system.world.stations[where]
    visits.account(station, system.now)
    index = int(visits.unqueue_first(system.world, station))
    station["starts"] += 1
    station["finishes"] += 1
    station["waited"] += system.now - int(system.world.jobs[index]["queued"])
    return index


def _arrive(system: System, where: int, index: int) -> None:
    """A job joins a station, with the service that it asked for before."""
    system.have_room()
    with np.errstate(over="ignore"):
        visits.arrive(system.world, where, index, int(system.world.jobs[index]["service"]))
