"""The lines that earlier I/Os have left in a cache, put there at once.

A cache of some gigabytes needs hundreds of thousands of I/Os to fill, and reads find more and more
in it until long after that. Its content in the long run depends on the order of the I/Os, and not
on their speed. So earlier I/Os of the same loads are drawn, and the cache keeps what they leave, by
its own policy of replacement. A cache that is written back also begins with as much dirty data as
its low water mark: up to this mark nothing is destaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from raidsim import progress
from raidsim.intervene import full_caches
from raidsim.intervene.full_caches import AT_A_TIME, are_random
from raidsim.kernel import cache_past
from raidsim.kernel import tables as t
from raidsim.kernel.cache_tables import READ_AHEAD
from raidsim.observe import levels
from raidsim.system.sizes import sizes_of, sizes_that_write
from raidsim.system.system import System, stream_key

HISTORY: Final = 2**43
"""Number of the first earlier I/O. Measured I/Os have other numbers, and so have those that fill
caches and bitmaps (:mod:`raidsim.intervene.full_caches`, :mod:`raidsim.intervene.full_bitmaps`)."""
FIRST: Final = 2**14
"""I/Os of the first part of the history. Each further part is as long as all parts before it."""
LONGEST: Final = 2**24  # I/Os: some seconds of computing
OFTEN: Final = 4
"""I/Os for each place that the cache holds: then most lines have their final content."""
CHANCE: Final = 1.0  # standard error
RARE: Final = 20
"""Times the mean time between two writes: practically no pause is as long."""


def caches(system: System, streams: Sequence[int]) -> list[int]:
    """Rows of the caches that can be filled so, of those in which reads find a noticeable share.

    All I/Os of the streams must be random: what is read ahead, or destaged in sequence, depends on
    time. For a hybrid it is not known which I/Os reach the cache.
    """
    volumes = system.world.volumes[system.world.streams["volume"][[*streams]]]
    if not all(are_random(system, one, sizes_of(system, one)) for one in streams):
        return []
    if (volumes["kind"] != t.VOLUME_ARRAY).any():
        return []
    if (system.world.arrays["read_ahead"][volumes["array"]] == READ_AHEAD).any():
        return []
    return sorted({level.cache for level in _held(system, streams)})


def _held(system: System, streams: Sequence[int]) -> list[levels.Held]:
    """Return the data that reads of these streams find in caches."""
    volumes = sorted(set(system.world.streams["volume"][[*streams]].tolist()))
    found = [level for volume in volumes for level in levels.of_volume(system, volume)]
    return [level for level in found if isinstance(level, levels.Held)]


def put(system: System, cache: int, streams: Sequence[int], most: int = LONGEST) -> bool:
    """Let a cache hold what earlier I/Os of these streams have left; whether this is final.

    Parameters
    ----------
    cache
        Row of one of :func:`caches`.
    streams
        Each counts by the I/Os that it has done in this window.
    most
        Number of earlier I/Os at most.
    """
    mine = [stream for stream in streams if _is_behind(system, cache, stream)]
    done = system.world.streams["window_ios"][mine].sum(axis=1).astype(float)
    if not done.any():
        return False
    settled = _keep_everything(system, cache, mine) or _go_through(
        _Past(system, cache, mine, done / done.sum()), min(most, LONGEST)
    )
    if _rises(system, cache, mine):
        low = int(system.world.caches[cache]["low"])
        full_caches.fill(system, cache, mine, low)
    return settled


def _keep_everything(system: System, cache: int, streams: Sequence[int]) -> bool:
    """Let a cache hold all that streams can leave in it, if there is room; whether there is."""
    world, found = system.world, set()
    for stream in streams:
        row = world.streams[stream]
        array = world.arrays[world.volumes["array"][row["volume"]]]
        if array["cached"] or (array["write_back"] and len(sizes_that_write(system, stream))):
            first, end = int(row["area_offset"]), int(row["area_offset"] + row["area_size"])
            found.add((int(row["volume"]), int(array["line"]), first, end, int(array["cached"])))
    room = sum((-(-end // line) - first // line) * line for _, line, first, end, _ in found)
    if room > world.caches["size"][cache]:
        return False
    for volume, line, first, end, cached in sorted(found):
        starts = np.arange(first // line, -(-end // line)) * line
        ends = np.minimum(starts + line, end)
        starts = np.maximum(starts, first)
        kinds = np.full(len(starts), 1 - cached)
        cache_past.leave(world, cache, np.full(len(starts), volume), starts, ends, kinds)
    return True


def _go_through(past: _Past, most: int) -> bool:
    """Go through I/Os until reads find as much as before; False if they still find more."""
    before = past.put(FIRST)
    while 2 * past.length <= most:
        here = past.put(past.length)
        if past.is_long() and past.is_full() and not _differ(before, here):
            return True
        before = here
    return False


class _Past:
    """The I/Os before the run of the streams of a cache.

    Attributes
    ----------
    length
        How many the cache has seen.
    used
        Bytes of the lines that were taken before the last part of them.
    """

    def __init__(
        self, system: System, cache: int, streams: Sequence[int], shares: NDArray[np.float64]
    ) -> None:
        self.system = system
        self.cache = cache
        self.streams = streams
        self.shares = shares
        self.length = 0
        self.follow = [HISTORY] * len(streams)
        self.draws = np.random.default_rng(int(stream_key(system.seed, "kept lines", cache)))
        self.used = -1

    def put(self, ios: int) -> tuple[int, int]:
        """Go through so many more I/Os: the number of reads, and of those found in the cache."""
        self.length += ios
        self.used = int(self.system.world.caches[self.cache]["used"])
        reads = found = 0
        while ios > 0:
            progress.go_on()
            some = min(ios, AT_A_TIME)
            ios -= some
            volumes, starts, ends, writes = self._drawn(some)
            reads += int((writes == 0).sum())
            found += cache_past.leave(self.system.world, self.cache, volumes, starts, ends, writes)
        return reads, found

    def is_long(self) -> bool:
        """Return whether there were enough I/Os for each place that the cache holds."""
        world, rows = self.system.world, self.system.world.streams[[*self.streams]]
        size = rows["window_bytes"].sum() / rows["window_ios"].sum()
        held = max(
            level.reader(world)()
            for level in _held(self.system, self.streams)
            if level.cache == self.cache
        )
        return bool(self.length >= OFTEN * held / size)

    def is_full(self) -> bool:
        """Return whether the cache is full, or the last part took no further lines."""
        row = self.system.world.caches[self.cache]
        return bool(row["used"] >= levels.FULL * row["size"] or row["used"] <= self.used)

    def _drawn(self, ios: int) -> list[NDArray[np.int64]]:
        """Volume, first byte, the byte behind the last, and 1 of a write, of the next I/Os."""
        counts = np.rint(self.shares * ios).astype(int).tolist()
        drawn = np.zeros((4, sum(counts)), np.int64)
        here = 0
        for place, (stream, count) in enumerate(zip(self.streams, counts, strict=True)):
            if count:
                volumes, *arrays = (row[here : here + count] for row in drawn)
                volumes[:] = self.system.world.streams["volume"][stream]
                self.follow[place] = cache_past.draw_all(
                    self.system.world, stream, self.follow[place], *arrays
                )
            here += count
        return [*drawn[:, self.draws.permutation(drawn.shape[1])]]


def _differ(before: tuple[int, int], here: tuple[int, int]) -> bool:
    """Return whether the reads of two parts found different shares, by more than chance."""
    (reads, found), (more, found_more) = before, here
    if not reads or not more:
        return False
    share = (found + found_more) / (reads + more)
    chance = sqrt(share * (1 - share) * (1 / reads + 1 / more))
    return abs(found / reads - found_more / more) > CHANCE * chance


def _rises(system: System, cache: int, streams: Sequence[int]) -> bool:
    """Return whether dirty data reaches the low water mark: no pause is long enough for a flush."""
    world = system.world
    row, rows = world.caches[cache], world.streams[[*streams]]
    written = int(rows["window_ios"][:, t.WRITE].sum())
    passed = system.now - int(system.state["slice_origin"])
    return (
        full_caches.can_be_filled(system, cache, streams)
        and not rows["burst_off"].any()
        and bool(row["dirty"] < row["low"])
        and RARE * passed < int(row["flush_time"]) * written
    )


def _is_behind(system: System, cache: int, stream: int) -> bool:
    """Return whether the volume of a stream is on the controller with a cache."""
    world = system.world
    controller = world.volumes["controller"][world.streams["volume"][stream]]
    return bool(controller != t.NONE and world.controllers["cache"][controller] == cache)
