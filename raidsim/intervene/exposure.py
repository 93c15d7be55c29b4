"""Dirty data that a power cut would lose, while the battery of a cache changes its state.

Dirty bytes and their peak are counted over the whole window. The exposed part is counted from one
change of the battery to the next. A cache whose battery never changes needs none of this.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.system.system import System


@dataclass
class Exposure:
    """The cost of a power cut for one cache, over the window so far.

    Attributes
    ----------
    since : its dirty area (byte ns) when it was exposed last; None while it isn't.
    area : exposed dirty bytes over time until then, byte ns.
    peak : the most that was exposed, until then.
    dirty_peak : the most that was dirty at all, until then.
    """

    since: float | None = None
    area: float = 0.0
    peak: int = 0
    dirty_peak: int = 0


def expose(system: System, cache: int, exposed: bool) -> None:
    """Let what is dirty in a cache be exposed from now on, or not; its area is up to date."""
    row = system.world.caches[cache]
    mine = system.exposures.setdefault(cache, Exposure())
    mine.area, mine.peak, mine.dirty_peak = measured(system, cache)
    mine.since = float(row["dirty_area"]) if exposed else None
    row["dirty_peak"] = row["dirty"]


def measured(system: System, cache: int) -> tuple[float, int, int]:
    """Exposed area (byte ns) and peak of a cache in the window, and the peak of all that was dirty.

    Its dirty area is up to date.
    """
    row = system.world.caches[cache]
    mine = system.exposures[cache]
    peak = int(row["dirty_peak"])
    dirty_peak = max(mine.dirty_peak, peak)
    if mine.since is None:
        return mine.area, mine.peak, dirty_peak
    return mine.area + float(row["dirty_area"]) - mine.since, max(mine.peak, peak), dirty_peak


def reset(system: System) -> None:
    """Open a new window; dirty areas are up to date."""
    for cache, mine in system.exposures.items():
        area = float(system.world.caches[cache]["dirty_area"])
        system.exposures[cache] = Exposure(None if mine.since is None else area)
