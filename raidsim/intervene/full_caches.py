"""A write-back cache that would take minutes to fill, filled at once.

As long as a cache accepts more than its drives write, hosts are answered at the speed of the cache.
Their rate in the long run can only be measured when the dirty data has reached its limit. Nothing
that matters happens in between, so this time is skipped: the writes that the cache would have kept
are drawn from the same loads, and put into it.

The elevators of the cache determine which writes it keeps. Each elevator goes upwards through the
addresses of its lane (:mod:`raidsim.kernel.destage`) and begins again at the start, as fast as the
lane is written to. Directly behind the elevator nothing is dirty. Directly ahead of it all data is
dirty that was written since its last pass, one round ago. So a write is kept with a probability
that is the share of the round since the elevator's last pass of its address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from raidsim import progress
from raidsim.intervene.cache_lines import lanes_of
from raidsim.intervene.window import settle_dirt
from raidsim.kernel import cache_past, destage
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.kernel.cache import key_of
from raidsim.system.sizes import sizes_that_write
from raidsim.system.system import System, stream_key

HISTORY: Final = 2**41
"""Number of the first I/O before the window: those that are measured are other ones, and so are
those that drives were aged with (:mod:`raidsim.assembly.ftl`)."""
AT_A_TIME: Final = 2**16  # writes drawn
MOST_DRAWN: Final = 2**26
"""Writes after which a cache is as full as it will be: loads that come back to the same places
may have fewer of them than it has room for."""

Writes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Arrays with an entry for each write: row of the volume, first byte, the byte behind its last."""


class Filler:
    """Fills the caches of a run at once: each of them only one time.

    Attributes
    ----------
    filled
        Rows of those that were.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.filled: set[int] = set()

    def fill(self, caches: Sequence[int], streams: Sequence[int]) -> bool:
        """Fill those that can be filled with what streams write; whether there were any."""
        found = [
            cache
            for cache in caches
            if cache not in self.filled and can_be_filled(self.system, cache, streams)
        ]
        for cache in found:
            fill(self.system, cache, streams)
        self.filled |= {*found}
        return bool(found)


def can_be_filled(system: System, cache: int, streams: Sequence[int]) -> bool:
    """Return whether all that these streams write into a cache goes to random places.

    What is written in sequence is destaged in another order, and not kept for long.
    """
    if system.world.caches[cache]["errand"] != ERRAND_DESTAGE:
        return False
    mine = _into(system, cache, streams)
    return bool(mine) and all(is_random(system, stream) for stream in mine)


def fill(system: System, cache: int, streams: Sequence[int], most: int | None = None) -> None:
    """Let a cache hold as much that is dirty as it may, of what these streams write.

    Parameters
    ----------
    cache
        Row of one that :func:`can_be_filled`.
    streams
        Of which those that write into it count, each by the writes it has done in this window.
    most
        Bytes that may be dirty, if that is fewer than the cache allows.
    """
    settle_dirt(system)
    limit = int(system.world.caches["high"][cache]) if most is None else most
    mine = _into(system, cache, streams)
    done = system.world.streams["window_ios"][mine, t.WRITE].astype(float)
    shares = done / done.sum() if done.any() else np.full(len(mine), 1 / len(mine))
    draws = np.random.default_rng(int(stream_key(system.seed, "full cache", int(cache))))
    follow = [HISTORY] * len(mine)
    known: NDArray[np.int64] | None = None
    for _ in range(MOST_DRAWN // AT_A_TIME):
        progress.go_on()
        volumes, starts, ends = _drawn(system, mine, shares, follow, draws)
        keys = _keys(system, volumes, starts)
        if known is None:  # where writes go, in the order of the elevator
            known = np.sort(keys)
        stays = draws.random(len(keys)) < _behind(system, cache, known, keys)
        kept = int(stays.sum())
        before = int(system.world.caches["dirty"][cache])
        put = cache_past.put(system.world, cache, volumes[stays], starts[stays], ends[stays], limit)
        if put < kept or system.world.caches["dirty"][cache] == before:
            return


def _into(system: System, cache: int, streams: Sequence[int]) -> list[int]:
    return [
        stream
        for stream in streams
        if len(sizes_that_write(system, stream)) and _goes_into(system, cache, stream)
    ]


def _goes_into(system: System, cache: int, stream: int) -> bool:
    """Return whether the writes of a stream are answered once they are in a cache."""
    volume = system.world.volumes[system.world.streams["volume"][stream]]
    if volume["kind"] != t.VOLUME_ARRAY or volume["controller"] == t.NONE:
        return False
    array = system.world.arrays[volume["array"]]
    holds = system.world.controllers["cache"][volume["controller"]] == cache
    return bool(holds and array["write_back"] == 1 and array["offline"] == 0)


def is_random(system: System, stream: int) -> bool:
    """Return whether all writes of a stream go to random places, for any number of I/Os."""
    return are_random(system, stream, sizes_that_write(system, stream))


def are_random(system: System, stream: int, sizes: NDArray[Any]) -> bool:
    """Return whether all I/Os of these sizes of a stream go to random places, however many."""
    row = system.world.streams[stream]
    return bool((sizes["random_share"] >= 1.0).all()) and not row["traced"] and not row["once"]


def _drawn(
    system: System,
    streams: Sequence[int],
    shares: NDArray[np.float64],
    follow: list[int],
    draws: np.random.Generator,
) -> Writes:
    """The next writes of streams, mixed as they are; ``follow`` has the numbers of their I/Os."""
    volumes, starts, ends = [], [], []
    for place, (stream, count) in enumerate(
        zip(streams, np.rint(shares * AT_A_TIME).astype(int).tolist(), strict=True)
    ):
        first, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
        if count:
            follow[place] = cache_past.draw(system.world, stream, follow[place], first, end)
        volumes.append(np.full(count, system.world.streams["volume"][stream], np.int64))
        starts.append(first)
        ends.append(end)
    order = draws.permutation(sum(map(len, starts)))
    return (
        np.concatenate(volumes)[order],
        np.concatenate(starts)[order],
        np.concatenate(ends)[order],
    )


def _keys(
    system: System, volumes: NDArray[np.int64], starts: NDArray[np.int64]
) -> NDArray[np.int64]:
    lines = system.world.arrays["line"][system.world.volumes["array"][volumes]]
    keys: NDArray[np.int64] = key_of(volumes, starts // lines)
    return keys


def _behind(
    system: System, cache: int, known: NDArray[np.int64], keys: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Share of a round since the elevators were at these keys last; ``known`` are keys in order.

    Each lane has an elevator, which goes through its own keys.
    """
    found = np.zeros(len(keys))
    for begin, end, lane in _lanes(system, cache):
        mine = (keys >= begin) & (keys < end)
        first, last = np.searchsorted(known, (begin, end))
        count = max(int(last - first), 1)
        here = np.clip(np.searchsorted(known, system.world.lanes["elevator"][lane]), first, last)
        places = np.searchsorted(known, keys[mine])
        found[mine] = 1.0 - ((places - here) / count) % 1.0
    return found


def _lanes(system: System, cache: int) -> Iterator[tuple[int, int, int]]:
    """The least key, the one behind the last, and the row of each lane behind a cache."""
    world = system.world
    for row, volume in zip(*lanes_of(system, cache), strict=True):
        array = world.arrays[world.volumes["array"][volume]]
        number = row - array["first_lane"]
        begin = destage.lane_begin(array, volume, number)
        yield int(begin), int(destage.lane_begin(array, volume, number + 1)), int(row)
