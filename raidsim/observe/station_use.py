"""The work of stations in the window: which the I/Os of a load visit, and how busy each was."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from raidsim.assembly import mapping
from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import below, drives_of, threads_of
from raidsim.kernel import tables as t
from raidsim.observe.figures import span
from raidsim.result import Stage, StationUse
from raidsim.system.system import System
from raidsim.units import NS_PER_MS

HOST_KIND = "host CPU"
SLOT_KIND = "command slot"
HELD_KINDS = (SLOT_KIND, mapping.LOOK_UP, mapping.CHANGE)
CONTROLLER_STATIONS = ("commands", "to_host", "to_controller", "replies")


def stations_of(system: System, streams: Sequence[int]) -> tuple[set[int], list[int]]:
    """The stations that the I/Os of these streams visit, and all streams on the same volumes."""
    world = system.world
    rows = world.streams[list(streams)]
    found: set[int] = set()
    for process in set(rows["process"].tolist()):
        found |= {int(world.processes[process][end]) for end in ("submit", "complete")}
    volumes = set(rows["volume"].tolist())
    for volume in volumes:
        found |= set(volume_stations(system, volume))
    every = world.streams["volume"][: system.count("streams")].tolist()
    return found, [stream for stream, volume in enumerate(every) if volume in volumes]


def volume_stations(system: System, volume: int) -> list[int]:
    """The stations of a volume: of its drives and all that leads to them, or of its route."""
    world = system.world
    row = world.volumes[volume]
    if row["kind"] == t.VOLUME_ROUTE:
        steps = world.steps[row["first_step"] : row["first_step"] + row["steps"]]
        return [
            station
            for step in steps
            for station in range(step["station"], step["station"] + step["branches"])
        ]
    parts = below(system, volume)
    found = [station for part in parts for station in volume_stations(system, part)]
    found += [
        station for drive in drives_of(system, volume) for station in drive_stations(system, drive)
    ]
    if row["kind"] == t.VOLUME_ARRAY and not parts:
        array = world.arrays[row["array"]]
        found += threads_of(array)
        if array["shared"] != t.NONE:
            found.append(int(array["shared"]))
    if row["controller"] != t.NONE:
        controller = world.controllers[row["controller"]]
        found += [int(controller[name]) for name in CONTROLLER_STATIONS]
        if controller["cache"] != t.NONE:
            found.append(int(world.caches[controller["cache"]]["copy"]))
    return list(dict.fromkeys(found))


def drive_stations(system: System, index: int) -> list[int]:
    """The stations of a drive, and of the shared links on its way up."""
    world = system.world
    drive = world.drives[index]
    found = [int(drive["latency_station"])]
    if drive["slots"] != t.NONE:
        found.append(int(drive["slots"]))
    hops = world.hops[drive["first_hop"] : drive["first_hop"] + drive["hops"]]
    found += [int(hop[way]) for hop in hops for way in ("up", "down")]
    return [*found, *kind_at(system, index).stations(system, index)]


def worked(rows: Any) -> Any:
    """Return the time for which the servers of stations did needed work, ns.

    A disk reads ahead while no command wants its arm, and stops at once when one does. As long as
    nobody asks for this data, the time does not count: it delays no command.
    """
    return rows["busy_area"] - np.maximum(rows["unasked"], 0)


def uses(system: System, chosen: Collection[int] | None = None) -> list[StationUse]:
    """Every station (of ``chosen``) used in the window; ``servers`` 0 means a pure delay."""
    passed = span(system)
    if passed == 0:
        return []
    row = system.world.stations[: len(system.names)]
    seen = (row["arrivals"] != 0) | (row["busy_area"] != 0)
    busy = worked(row).tolist()  # as whole columns, which takes a tenth of the time
    queue, servers = row["queue_area"].tolist(), row["servers"].tolist()
    used = []
    for index in np.flatnonzero(seen).tolist():
        if chosen is not None and index not in chosen:
            continue
        of = system.halted.get(index, servers[index])
        delay = of >= t.UNLIMITED
        name = system.names[index]
        used.append(
            StationUse(
                name=name.name,
                kind=name.kind,
                servers=0 if delay else of,
                # Times of read-ahead are rounded: a few ns more may come out than passed.
                utilisation=0.0 if delay else min(busy[index] / passed / of, 1.0),
                queue=queue[index] / passed,
            )
        )
    return used


def stages(system: System, streams: Sequence[int]) -> dict[str, Stage]:
    """Time waited and served by kind of station, per completed I/O of the host.

    All work that an I/O causes counts: the commands of an array, and the work after its answer. A
    station serves all loads alike, so its time is the mean over all of them. This holds for the
    completion of a host; submission is that of these streams' own processes. A command slot, or a
    place for a look-up in a map, is held while the stations behind it work and its job waits for
    them; only the wait for the slot or place counts for itself.
    """
    world = system.world
    own = stations_of(system, streams)[0]
    done = _ios_by_station(system)
    indices = sorted(own)
    rows = world.stations[indices]
    waited: dict[str, float] = {}
    served: dict[str, float] = {}
    serving = (rows["served"] - np.maximum(rows["unasked"], 0)).tolist()
    for index, arrivals, waits, serves in zip(
        indices, rows["arrivals"].tolist(), rows["waited"].tolist(), serving, strict=True
    ):
        kind = system.names[index].kind
        ios = _ios_of_cpu(system, streams, index) if kind == HOST_KIND else done.get(index, 0)
        if ios == 0 or arrivals == 0:
            continue
        work = 0 if kind in HELD_KINDS else serves
        waited[kind] = waited.get(kind, 0.0) + waits / ios / NS_PER_MS
        served[kind] = served.get(kind, 0.0) + work / ios / NS_PER_MS
    return {
        kind: Stage(waited[kind], served[kind])
        for kind in waited
        if served[kind] > 0 or waited[kind] > 0
    }


def _ios_of_cpu(system: System, streams: Sequence[int], station: int) -> int:
    """I/Os in the window of these streams and all others that use a station of a host's CPU."""
    rows = system.world.streams[: system.count("streams")]
    processes = system.world.processes[rows["process"]]
    using = (processes["submit"] == station) | (processes["complete"] == station)
    using[list(streams)] = True
    return int(rows["window_ios"][using].sum())


def _ios_by_station(system: System) -> dict[int, int]:
    """I/Os of the window, of all streams on the volumes that a station belongs to."""
    volumes = system.world.streams["volume"][: system.count("streams")]
    ios = system.world.streams["window_ios"][: system.count("streams")].sum(axis=1)
    done: dict[int, int] = {}
    for volume in set(volumes.tolist()):
        of_volume = int(ios[volumes == volume].sum())
        for station in set(volume_stations(system, volume)):
            done[station] = done.get(station, 0) + of_volume
    return done
