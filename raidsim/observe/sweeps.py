"""How long the destages of a controller's cache take to go once over its disks.

They go from low addresses to high ones, and begin again. A rebuild beside them is fast while they
are near the place where it is, and slow while they are far away, since every seek is short or long
accordingly. A sample of a rebuild goes over the whole drive too. If it takes about as long for that
as the destages do, it stays near them, or far from them, all the time.
"""

from __future__ import annotations

from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import drives_of
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.system.system import System

FEW, MANY = 0.3, 3.0
"""Sweeps of the destages during a sample: between these they may go along with each other."""


def cache_of(system: System, volume: int) -> int:
    """The row of the cache in front of the disks of a volume; NONE if there is none."""
    controller = int(system.world.volumes[volume]["controller"])
    seeks = any(kind_at(system, drive).seeks for drive in drives_of(system, volume))
    if controller == t.NONE or not seeks:
        return t.NONE
    return int(system.world.controllers[controller]["cache"])


def destaged(system: System, cache: int) -> int:
    """Bytes that the destages of a cache have taken up to now; 0 without one."""
    return 0 if cache == t.NONE else int(system.world.caches[cache]["destaged"])


def seconds(system: System, cache: int, rate: float) -> float:
    """How long they take to go over the disks once, s, at a rate in bytes/s; 0 if there are none.

    Before the first time is over, twice what is dirty tells how much that is.
    """
    if cache == t.NONE or rate <= 0:
        return 0.0
    row = system.world.caches[cache]
    if row["errand"] != ERRAND_DESTAGE:
        return 0.0
    return float(row["sweep"] or 2 * row["dirty"]) / rate


def go_along(sample: float, sweep: float) -> bool:
    """Whether a sample that takes so long may stay near destages with such a sweep, both in s."""
    return sweep > 0 and FEW * sweep < sample < MANY * sweep
