"""Levels that a run fills before it is steady: the content of caches, and the dirty part of it.

While a cache accepts more writes than its drives do, the throughput is constant, and far above its
value with a full cache. So the level itself must be watched. A record keeps levels at equal
distances of time; when it is full, every second one is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import below, drives_of
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.kernel.cache import LEAST_GRAIN
from raidsim.kernel.cache_tables import GRAINS
from raidsim.system.system import System

FIRST_STEP_NS = 20_000
MOST_KEPT = 128
LINES = 4096
"""Lines of a cache whose contents are looked at: it may have a million."""
FOUND = 0.01
"""Share of its places that reads may find in a cache: less is not looked at."""
FULL = 0.98
"""Share of its bound from which on a cache is full: its lines come and go."""


@dataclass(frozen=True)
class Level:
    """The sum of one field over some rows of a table.

    Attributes
    ----------
    bound
        What it cannot exceed, in the same unit; None if that is not known.
    words
        What it is, for messages.
    matters
        Whether figures change with it. Lines that fill with what nothing comes back to do not.
    """

    table: str
    field: str
    rows: Sequence[int]
    bound: float | None
    words: str
    matters: bool = True

    @property
    def is_dirty(self) -> bool:
        """Whether this is what is dirty in a write-back cache."""
        return (self.table, self.field) == ("caches", "dirty")

    def reader(self, world: Any) -> Callable[[], float]:
        """Return a function that reads it now, while the tables stay where they are.

        Hundreds of readings are taken of each point, so that what is the same for all of them is
        looked up once.
        """
        column = getattr(world, self.table)[self.field]
        if len(self.rows) == 1:  # without an array of its own, which takes ten times as long
            return partial(column.item, self.rows[0])
        rows = np.array(self.rows)
        return lambda: np.add.reduce(column[rows])


@dataclass(frozen=True)
class Held(Level):
    """Bytes of a cache that reads find, told from some of its lines.

    A line is taken whole, and filled part by part as it is read and written: so reads find more
    and more long after all lines are taken.

    Attributes
    ----------
    share
        How many of the lines these are.
    cache
        Row of the cache.
    """

    share: float = 1.0
    cache: int = 0

    def reader(self, world: Any) -> Callable[[], float]:
        """As that of every level."""
        assert isinstance(self.rows, range)
        lines = world.lines[self.rows.start : self.rows.stop : self.rows.step]
        valid, sizes = lines[self.field], lines["size"]

        def read() -> float:
            masks = np.ascontiguousarray(valid).view(np.uint64)
            grains = np.bitwise_count(masks).astype(np.int64)
            return float(grains @ np.maximum(sizes // GRAINS, LEAST_GRAIN) / self.share)

        return read


@dataclass(frozen=True)
class Owned(Level):
    """Bytes that are dirty in a cache of one volume, told from some of its lines.

    Volumes share the room of a cache. It may be full, and yet the one with the slower drives has
    more and more of it, until all write at its pace.

    Attributes
    ----------
    share
        How many of the lines these are.
    volume
        Whose they are.
    """

    share: float = 1.0
    volume: int = 0

    def reader(self, world: Any) -> Callable[[], float]:
        """As that of every level."""
        assert isinstance(self.rows, range)
        lines = world.lines[self.rows.start : self.rows.stop : self.rows.step]
        owner, dirty, sizes = lines["volume"], lines["dirty"], lines["size"]

        def read() -> float:
            mine = (owner == self.volume) & (dirty != 0)
            return float(sizes[mine].sum() / self.share)

        return read


class Record:
    """Levels over time, from the present time on.

    Parameters
    ----------
    expected
        About how long it will be kept, ns. Readings that it would drop before half of that is
        over are not taken in the first place.

    Attributes
    ----------
    due
        When the next reading is to be taken, ns; NEVER if there is nothing to read.
    """

    def __init__(self, system: System, levels: Sequence[Level], expected: float = 0.0) -> None:
        self.system = system
        self.levels = levels
        self.step = FIRST_STEP_NS
        while MOST_KEPT * self.step <= expected / 2:
            self.step *= 2
        self.origin = system.now
        self.kept: list[list[float]] = []
        self.due = self.origin + self.step if levels else t.NEVER
        self._world: Any = None
        self._readers: list[Callable[[], float]] = []

    def take(self) -> None:
        """Take the reading that is due."""
        world = self.system.world
        if world is not self._world:  # a table has grown
            self._world = world
            self._readers = [one.reader(world) for one in self.levels]
        self.kept.append([float(read()) for read in self._readers])
        if len(self.kept) >= MOST_KEPT:
            self.kept = self.kept[1::2]
            self.step *= 2
        self.due = self.origin + (len(self.kept) + 1) * self.step

    def series(self, level: Level) -> NDArray[np.float64]:
        """The readings of one level, in order."""
        place = self.levels.index(level)
        return np.array([reading[place] for reading in self.kept])


def of_volume(system: System, volume: int) -> list[Level]:
    """The levels that the I/Os of a volume fill, and that set its pace once they are full.

    The front of a hybrid may take hours to fill, and says so itself (raidsim.observe.hybrid_use).
    """
    found = []
    for cache in sorted(_caches(system, volume)):
        row = system.world.caches[cache]
        name = "the cache of " + system.names[int(row["copy"])].owner
        size, high = float(row["size"]), float(row["high"])
        matters = _comes_back(system, volume, cache)
        found += [
            Level("caches", "used", (cache,), size, f"what {name} holds", matters),
            Level("caches", "dirty", (cache,), high, f"what is dirty in {name}"),
        ]
        found += _held(system, volume, cache, f"what reads find in {name}")
        found += _owned(system, volume, cache, high, name)
    if not _is_written(system):
        return found
    shingled = tuple(sorted(_shingled(system, drives_of(system, volume))))
    if shingled:
        rows = system.world.shingles[[*shingled]]
        words = "what the maps of the drives' media caches hold"
        found.append(Level("shingles", "kept", shingled, float(rows["most_records"].sum()), words))
        words = "what the drives' media caches hold"
        found.append(Level("shingles", "used", shingled, float(rows["media_cache"].sum()), words))
    found += _write_buffers(system, drives_of(system, volume))
    return found


def _caches(system: System, volume: int) -> set[int]:
    """Rows of the caches of the controllers that a volume, or what it is made of, is on."""
    found = set()
    for part in (volume, *below(system, volume)):
        controller = int(system.world.volumes[part]["controller"])
        if controller != t.NONE:
            cache = int(system.world.controllers[controller]["cache"])
            if cache != t.NONE and system.world.caches[cache]["errand"] == ERRAND_DESTAGE:
                found.add(cache)
    return found


def _is_written(system: System) -> bool:
    """Return whether drives are ever written to.

    Where all loads read, they are not: what they have promised to write is nothing, however often
    that is read off. But a hybrid writes to its front what it reads from its back, and a trace may
    write later.
    """
    sizes = system.rows("sizes")
    writes = (sizes["read_share"] < 1) | (sizes["trim_share"] > 0)
    return bool(writes.any() or system.feeds) or system.count("hybrids") > 0


def _comes_back(system: System, volume: int, cache: int) -> bool:
    """Return whether I/Os of a volume may find data in a cache that other I/Os have left there.

    If they cannot, the number of its used lines has no effect: a clean one is evicted at once, and
    takes no longer than an unused one.
    """
    size = int(system.world.caches[cache]["size"])
    streams = system.world.streams[: system.count("streams")]
    return any(
        stream["zones"] > 0
        or stream["zipf"] > 0
        or stream["area_size"] <= 0  # a trace, whose places are not known here
        or size >= FOUND * stream["area_size"]
        for stream in streams[streams["volume"] == volume]
    )


def _held(system: System, volume: int, cache: int, words: str) -> list[Held]:
    """The data that reads of a volume find in a cache; nothing if that is nearly nothing."""
    world, row = system.world, system.world.caches[cache]
    areas = set()
    gathers = False  # reads come back to some places more often than to others
    for stream in world.streams[: system.count("streams")]:
        sizes = world.sizes[stream["first_size"] : stream["first_size"] + stream["sizes"]]
        if stream["volume"] == volume and stream["area_size"] > 0 and sizes["read_share"].any():
            gathers = gathers or stream["zones"] > 0 or stream["zipf"] > 0
            areas.add((int(stream["area_offset"]), int(stream["area_size"])))
    total = sum(size for _, size in areas)
    if not total or (row["size"] < FOUND * total and not gathers):
        return []
    lines, count = _lines(system, cache), int(row["lines"])
    bound = float(min(int(row["size"]), total))
    return [Held("lines", "valid", lines, bound, words, True, len(lines) / count, cache)]


def _owned(system: System, volume: int, cache: int, bound: float, name: str) -> list[Owned]:
    """Return the volume's part of the dirty data in a cache that others write to as well."""
    streams = system.world.streams[: system.count("streams")]
    sizes = system.world.sizes
    writing = {
        int(one["volume"])
        for one in streams
        if (sizes["read_share"][one["first_size"] : one["first_size"] + one["sizes"]] < 1).any()
        and cache in _caches(system, int(one["volume"]))
    }
    if volume not in writing or len(writing) < 2:
        return []
    lines = _lines(system, cache)
    words = f"how volumes share what is dirty in {name}"
    own = Owned("lines", "dirty", lines, bound, words)
    row = system.world.caches[cache]
    return [replace(own, share=len(lines) / int(row["lines"]), volume=volume)]


def _lines(system: System, cache: int) -> range:
    """Some of the lines of a cache, at equal distances."""
    row = system.world.caches[cache]
    first, count = int(row["first_line"]), int(row["lines"])
    return range(first, first + count, -(-count // LINES))


def _shingled(system: System, drives: Collection[int]) -> list[int]:
    """Rows of the media caches of some drives."""
    found = [kind_at(system, drive).media_cache(system, drive) for drive in drives]
    return [row for row in found if row is not None]


def _write_buffers(system: System, drives: Collection[int]) -> list[Level]:
    """Return the content of the write buffers of some drives, those of a kind together."""
    found: dict[tuple[str, str], list[tuple[int, int | None]]] = {}
    for drive in sorted(drives):
        promised = kind_at(system, drive).promised(system, drive)
        if promised is not None:
            table, field, row, most = promised
            found.setdefault((table, field), []).append((row, most))
    words = "what the drives have promised to write"
    levels = []
    for (table, field), parts in found.items():
        bounds = [most for _, most in parts if most is not None]
        bound = float(sum(bounds)) if len(bounds) == len(parts) else None
        levels.append(Level(table, field, tuple(sorted(row for row, _ in parts)), bound, words))
    return levels
