"""Whether the start of a run is over: for every load, every cache and every queue of destages.

Each has a series of its own, and is settled once MSER-5 finds its cut in the first half of it.
A cache at its bound is settled, and so is one whose level hardly moves. A load must have done
enough I/Os to be judged at all, so that a busy load does not end the warm-up of a slow one.

What fills in minutes hardly moves in seconds. So levels are watched while figures are measured,
too: a window in which one of them moved has been warm-up still.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.array import drives_of
from raidsim.assembly.drives import kind_at
from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.observe import levels
from raidsim.observe.levels import Level, Record
from raidsim.stats.warmup import mser5
from raidsim.system.system import System

NS_PER_S = 1e9
PILOT_PER_OUTSTANDING = 20  # I/Os of a load per slot of its own
LEAST_OF_A_LOAD = 400  # I/Os
STILL = 0.01
"""Of itself: a level that moves less between the last two quarters of a run is still.

One that grows steadily from nothing moves by a third.
"""
MOVED = 0.01
"""Of its bound: a level that moves so far between the first and the last third of a window has not
settled, unless it goes up and down so much that chance alone would do it.
"""
BATCHES = 5  # of each of these thirds, which tell how much that is
CHANCE = 3.0  # standard errors


@dataclass(frozen=True)
class Unsettled:
    """What has not settled yet.

    Attributes
    ----------
    loads
        Those whose figures it touches.
    needs
        When it may have, s since the start, as far as can be told; else None.
    """

    loads: frozenset[str]
    words: str
    needs: float | None


class Settling:
    """The start of a run, watched.

    Parameters
    ----------
    streams
        The streams of each load that is under way, by its name.
    writing
        Names of the loads that write. What other loads find dirty in a cache was written before
        they began, and will go to the drives.
    """

    def __init__(
        self, system: System, streams: Mapping[str, Sequence[int]], writing: Set[str]
    ) -> None:
        self.system = system
        self.writing = writing
        self.streams = {name: list(rows) for name, rows in streams.items() if rows}
        self.loads_of: dict[Level, set[str]] = {}
        for name, rows in self.streams.items():
            for volume in sorted(set(system.world.streams["volume"][rows].tolist())):
                for level in levels.of_volume(system, volume):
                    self.loads_of.setdefault(level, set()).add(name)
        self.record = Record(system, list(self.loads_of))

    def unsettled(self) -> list[Unsettled]:
        """What has not settled yet; nothing once the warm-up is over."""
        found = [self._of_load(name, rows) for name, rows in self.streams.items()]
        found += [self._of_level(level, names) for level, names in self.loads_of.items()]
        return [one for one in found if one is not None]

    def watch_window(self) -> None:
        """Watch from now on what is measured."""
        self.record = Record(self.system, [one for one in self.loads_of if one.bound is not None])

    def moving(self) -> list[Unsettled]:
        """What has moved in the window, though it seemed to have settled."""
        return [
            Unsettled(frozenset(self.loads_of[level]), level.words, self._needed(level))
            for level in self.record.levels
            if level.bound is not None and moves(self.record.series(level), level.bound)
        ]

    def swept(self, load: str | None = None) -> float:
        """How often destages have gone over all that is dirty in the window, of the slowest cache.

        Caches with disks behind them count, of a load or of all. Destages go from low addresses to
        high ones, and begin again: nothing is dirty just behind them, and most is just ahead. So a
        whole way is twice as many bytes as are dirty, and what was written into the cache tells
        how far it was.
        """
        ways = [math.inf]
        for level, names in self.loads_of.items():
            if (level.table, level.field) == ("caches", "dirty") and load in {None, *names}:
                dirty = float(self.system.world.caches[level.rows[0]]["dirty"])
                written = self._written_to_disks(names)
                ways += [written / (2 * dirty)] if dirty and written else []
        return min(ways)

    def _written_to_disks(self, names: set[str]) -> float:
        """Bytes that loads have written in the window to volumes of disks that write back."""
        world = self.system.world
        found = 0.0
        for stream in (row for name in names for row in self.streams[name]):
            volume = int(world.streams[stream]["volume"])
            drives = drives_of(self.system, volume)
            back = world.arrays[world.volumes[volume]["array"]]["write_back"]
            if back and any(kind_at(self.system, drive).seeks for drive in drives):
                found += float(world.streams[stream]["window_bytes"][t.WRITE])
        return found

    def _of_load(self, name: str, streams: list[int]) -> Unsettled | None:
        rows = self.system.world.streams[streams]
        least = max(LEAST_OF_A_LOAD, PILOT_PER_OUTSTANDING * int(rows["outstanding"].sum()))
        done = int(rows["window_ios"].sum())
        series, _ = window.series(self.system, streams)
        if done >= least and len(series) and mser5(series).ok:
            return None
        passed = (self.system.now - int(self.system.state["slice_origin"])) / NS_PER_S
        needs = passed * least / done if 0 < done < least else None
        return Unsettled(frozenset([name]), f"the throughput of {name}", needs)

    def _of_level(self, level: Level, names: set[str]) -> Unsettled | None:
        series = self.record.series(level)
        is_of_before = level.field == "dirty" and not names & self.writing
        ended = not is_of_before or (len(series) > 0 and series[-1] == 0)
        if ended and is_settled(series, level.bound):
            return None
        return Unsettled(frozenset(names), level.words, self._needed(level))

    def _needed(self, level: Level) -> float | None:
        """When a level comes to its bound at its present pace, s; None if it does not rise."""
        series = self.record.series(level)
        half = len(series) // 2
        if not half or level.bound is None or series[-1] <= series[-half]:
            return None
        pace = (series[-1] - series[-half]) / (half * self.record.step)
        return float(self.system.now + (level.bound - series[-1]) / pace) / NS_PER_S


def is_settled(series: NDArray[np.float64], bound: float | None) -> bool:
    """Whether a level has come to its bound, or to where it stays."""
    quarter = len(series) // 4
    if quarter == 0:
        return False
    if bound is not None and series[-1] >= levels.FULL * bound:
        return True
    before, last = series[-2 * quarter : -quarter].mean(), series[-quarter:].mean()
    return bool(abs(last - before) <= STILL * abs(last)) or mser5(series).ok


def moves(series: NDArray[np.float64], bound: float) -> bool:
    """Whether a level that is below its bound is somewhere else than it was.

    Small caches go up and down by a quarter of their size, about where they stay. What fills them
    moves all the way, and its batches differ little from what a third of the way is.
    """
    third = len(series) // 3
    if third == 0:
        return False
    ends = series[:third], series[-third:]
    before, last = (float(end.mean()) for end in ends)
    if last >= levels.FULL * bound or abs(last - before) <= MOVED * bound:
        return False
    if third < 2 * BATCHES:
        return True  # too short to tell
    variances = [float(batch_means(end, BATCHES).var(ddof=1)) for end in ends]
    return abs(last - before) > CHANCE * math.sqrt(sum(variances) / BATCHES)


def batch_means(series: NDArray[np.float64], batches: int) -> NDArray[np.float64]:
    """Means of so many equal parts of a series, as far as it goes on from its end."""
    size = len(series) // batches
    found: NDArray[np.float64] = series[-size * batches :].reshape(batches, size).mean(axis=1)
    return found
