"""Where work is done, as a picture of an array shows it."""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.assembly.volume_rows import engines_of
from raidsim.control import Volume
from raidsim.control.present import rows_of_drives
from raidsim.kernel import tables as t
from raidsim.observe import station_use
from raidsim.observe.station_use import CONTROLLER_STATIONS
from raidsim.system.system import System

HOST, CONTROLLER, CACHE, PARITY, LINK, DRIVE = (
    "host", "controller", "cache", "parity", "link", "drive",
)  # fmt: skip
"""Everything that a request may pass."""


@dataclass(frozen=True)
class Place:
    """Where a station stands: one of the words above, and the number of its drive if it has one."""

    kind: str
    drive: int | None = None


ELSEWHERE = Place(HOST)


def places(system: System, volume: Volume) -> dict[int, Place]:
    """Return the place of each station on a request's way in a volume; others are on the host."""
    world = system.world
    found: dict[int, Place] = {}
    for number, drive in enumerate(rows_of_drives(system, volume)):
        shared = set(_hops(system, drive))
        for station in station_use.drive_stations(system, drive):
            found[station] = Place(LINK) if station in shared else Place(DRIVE, number)
    row = world.volumes[volume.row]
    if row["controller"] != t.NONE:
        controller = world.controllers[row["controller"]]
        found |= {int(controller[name]): Place(CONTROLLER) for name in CONTROLLER_STATIONS}
        if controller["cache"] != t.NONE:
            cache = world.caches[controller["cache"]]
            found |= {int(cache[name]): Place(CACHE) for name in ("copy", "clock")}
    found |= {station: Place(PARITY) for station in engines_of(system, volume.row)}
    if row["kind"] == t.VOLUME_ARRAY and world.arrays[row["array"]]["shared"] != t.NONE:
        found[int(world.arrays[row["array"]]["shared"])] = Place(HOST)
    return found


def _hops(system: System, drive: int) -> list[int]:
    """Stations of the shared links on the way up from a drive."""
    row = system.world.drives[drive]
    hops = system.world.hops[row["first_hop"] : row["first_hop"] + row["hops"]]
    return [int(hop[way]) for hop in hops for way in ("up", "down")]


def busiest_of_host(system: System, places: dict[int, Place], busy: dict[int, float]) -> float:
    """Share of the time that the busiest of the host's processors worked."""
    found = [
        busy.get(station, 0.0)
        for station, name in enumerate(system.names)
        if name.kind == station_use.HOST_KIND and places.get(station, ELSEWHERE) == ELSEWHERE
    ]
    return min(max(found, default=0.0), 1.0)
