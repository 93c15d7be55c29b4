"""The lines of a controller's cache, changed from outside the kernel.

Rare, large changes affect many lines at once: an array that is lost, a controller that stops. They
change fields of lines with NumPy, and :func:`arrange` then rebuilds the cache: its index, its lists
and its sums. Parts of lines that belong to a task under way stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.cache import chains
from raidsim.intervene.window import settle_dirt
from raidsim.kernel import cache_tables as c
from raidsim.kernel import destage
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.kernel.cache import bucket, grain_of, mask
from raidsim.kernel.replacement.tables import QUEUES
from raidsim.system.system import System

Range = tuple[int, int]
"""First byte of a volume, and how many bytes."""

UNDER_WAY = (t.STAGE_PLAN, t.STAGE_WAITING, t.STAGE_SPREAD, t.STAGE_PARITY, t.STAGE_ENDED)
"""Stages of a task."""


def rows_of(system: System, cache: int) -> np.ndarray:
    """The LINE rows of a cache, as a view."""
    row = system.world.caches[cache]
    first = int(row["first_line"])
    view: np.ndarray = system.world.lines[first : first + int(row["lines"])]
    return view


def chosen(system: System, cache: int, volumes: Iterable[int]) -> NDArray[np.bool_]:
    """Return flags, one a line: it holds data of these volumes that their drives do not have."""
    lines = rows_of(system, cache)
    unclean = (lines["dirty"] | lines["busy"]) != 0
    mine: NDArray[np.bool_] = unclean & np.isin(lines["volume"], list(volumes))
    return mine


def under_way(system: System, cache: int, volumes: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """Masks and numbers, line by line, of what destages under way have of these volumes."""
    masks = np.zeros(len(rows_of(system, cache)), np.int64)
    tasks = np.zeros(len(masks), np.int64)
    jobs = system.world.jobs
    found = (jobs["errand"] == ERRAND_DESTAGE) & (jobs["parent"] == t.NONE)
    found &= (jobs["stream"] == t.NONE) & np.isin(jobs["stage"], UNDER_WAY)
    found &= np.isin(jobs["volume"], list(volumes))
    for job in jobs[found]:
        start, end = int(job["offset"]), int(job["offset"] + job["length"])
        for line, grains in parts(system, cache, int(job["volume"]), start, end):
            masks[line] |= grains
            tasks[line] += 1
    return masks, tasks


def parts(
    system: System, cache: int, volume: int, start: int, end: int
) -> Iterable[tuple[int, int]]:
    """The lines that bytes [start, end) of a volume touch, and a mask of their grains."""
    lines = rows_of(system, cache)
    strips = lines["strip"]
    mine = np.flatnonzero((lines["volume"] == volume) & in_use(lines))
    if len(mine) == 0:
        return
    size = int(lines["size"][mine[0]])  # of a block of a hybrid, or of a line of its controller
    first, last = start // size, (end - 1) // size
    for line in mine[(strips[mine] >= first) & (strips[mine] <= last)].tolist():
        base = int(strips[line]) * size
        yield line, mask(size, max(start - base, 0), min(end - base, size))


def in_use(lines: np.ndarray) -> NDArray[np.bool_]:
    """Return flags, one a line: it holds data and is not clean."""
    used: NDArray[np.bool_] = (lines["dirty"] | lines["busy"] | lines["coming"]) != 0
    return used


def unsaved(system: System, cache: int) -> NDArray[np.int64]:
    """Masks, line by line, of what the drives do not have: dirty, pinned or on its way."""
    rows = rows_of(system, cache)
    held, _ = under_way(system, cache, np.unique(rows["volume"]).tolist())
    pinned = rows["pinned"] == 1
    held[pinned] = rows["busy"][pinned]
    held |= rows["dirty"]
    return held


def ranges(
    system: System, cache: int, lines: NDArray[np.bool_], held: NDArray[np.int64] | None = None
) -> dict[int, list[Range]]:
    """The data of these lines that the drives do not have: by volume, in order, joined.

    In grains, of which a line has up to 64. ``held`` has the masks if they are not those of
    :func:`unsaved`.
    """
    rows = rows_of(system, cache)
    held = unsaved(system, cache) if held is None else held
    found: dict[int, list[Range]] = {}
    for line in sorted(np.flatnonzero(lines).tolist(), key=lambda one: int(rows["key"][one])):
        row = rows[line]
        volume, size = int(row["volume"]), int(row["size"])
        whole = int(system.world.volumes[volume]["size"])
        grain = grain_of(size)
        base = int(row["strip"]) * size
        mine = found.setdefault(volume, [])
        for low, high in _runs(int(held[line])):
            start, end = base + low * grain, min(base + min(high * grain, size), whole)
            if mine and sum(mine[-1]) == start:
                mine[-1] = (mine[-1][0], end - mine[-1][0])
            elif start < end:
                mine.append((start, end - start))
    return {volume: mine for volume, mine in found.items() if mine}


def _runs(mask: int) -> list[tuple[int, int]]:
    """Runs of one bits: first bit, and the one behind the last."""
    bits = mask & (2**c.GRAINS - 1)
    runs = []
    low = 0
    while bits >> low:
        low += ((bits >> low) & -(bits >> low)).bit_length() - 1
        rest = bits >> low
        length = (~rest & (rest + 1)).bit_length() - 1
        runs.append((low, low + length))
        low += length
    return runs


def clean_lines(system: System, cache: int) -> list[int]:
    """The clean lines, of each queue the newest first."""
    row = system.world.caches[cache]
    first = int(row["first_line"])
    found = []
    for newest in row["newest"].tolist():
        index = newest
        while index != t.NONE:
            found.append(index - first)
            index = int(system.world.lines[index]["older"])
    return found


def arrange(system: System, cache: int, clean: Sequence[int]) -> None:
    """Put a cache together anew, from the fields of its lines.

    Parameters
    ----------
    clean
        The clean lines that stay in it, of each queue the newest first; counted from its first
        line on.
    """
    settle_dirt(system)
    row = system.world.caches[cache]
    lines = rows_of(system, cache)
    first = int(row["first_line"])
    order = np.array(clean, np.int64)
    used = in_use(lines)
    used[order] = True
    size = lines["size"]
    unclean = (lines["dirty"] | lines["busy"]) != 0
    row["used"] = size[used].sum()
    row["held"] = [size[used & (lines["queue"] == queue)].sum() for queue in range(QUEUES)]
    row["clean"] = size[order].sum()
    row["dirty"] = size[unclean].sum()
    _count_by_array(system, cache, lines["volume"][unclean], size[unclean])
    row["pinned"] = size[lines["pinned"] == 1].sum()
    lines["height"] = 0
    head = int(row["first_tower"])
    system.world.towers[head : head + (len(lines) + 2) * c.LEVELS] = t.NONE
    enter(system, cache, first + np.flatnonzero(used), first + np.flatnonzero(~used))
    rank(system, cache, first + order[::-1])
    enlist(system, cache, first + np.flatnonzero(lines["dirty"] != 0))
    if row["errand"] == ERRAND_DESTAGE:
        _make_ready(system, cache)


def _count_by_array(
    system: System, cache: int, volumes: NDArray[np.int64], sizes: NDArray[np.int64]
) -> None:
    """Dirty bytes of each array behind a controller's cache, and what destages their drives take.

    Parameters
    ----------
    volumes, sizes
        Of each dirty line: its volume's row, and its bytes.
    """
    world, row = system.world, system.world.caches[cache]
    if row["errand"] != ERRAND_DESTAGE:
        return
    rows = world.volumes["array"][volumes_of(system, cache)]
    world.arrays["dirty"][rows] = 0
    np.add.at(world.arrays["dirty"], world.volumes["array"][volumes], sizes)
    with_dirt = rows[world.arrays["dirty"][rows] > 0]
    row["wanted"] = world.arrays["most_destages"][with_dirt].sum()


def enter(system: System, cache: int, held: NDArray[np.int64], free: NDArray[np.int64]) -> None:
    """Chain lines in use into their buckets (:func:`raidsim.kernel.cache.bucket`), others as free.

    Lines are numbered as in their table, here and below.
    """
    row, lines = system.world.caches[cache], system.world.lines
    place = int(row["first_bucket"])
    heads = system.world.buckets_of_lines[place : place + int(row["buckets"])]
    heads[:] = t.NONE
    row["free"] = _chained(lines["chain"], free)
    if len(held):
        places = bucket(row, lines["volume"][held], lines["strip"][held]) - place
        lines["chain"][held] = chains(places, held, heads)


def rank(system: System, cache: int, clean: NDArray[np.int64]) -> None:
    """Make the queues of clean lines, which are given with the newest of each at the end.

    A hand goes on from the oldest one if the line is gone at which it was.
    """
    row, lines = system.world.caches[cache], system.world.lines
    for queue in range(QUEUES):
        mine = clean[lines["queue"][clean] == queue]
        row["oldest"][queue] = _chained(lines["newer"], mine)
        row["newest"][queue] = _chained(lines["older"], mine[::-1])
    if row["hand"] not in clean:
        row["hand"] = t.NONE


def volumes_of(system: System, cache: int) -> NDArray[np.int64]:
    """Rows of the volumes behind a controller's cache."""
    world = system.world
    volumes = world.volumes[: system.count("volumes")]
    behind = np.flatnonzero((volumes["kind"] == t.VOLUME_ARRAY) & (volumes["controller"] != t.NONE))
    found: NDArray[np.int64] = behind[
        world.controllers["cache"][volumes["controller"][behind]] == cache
    ]
    return found


def lanes_of(system: System, cache: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the lanes that a controller's cache destages to, and of the volume of each."""
    volumes = volumes_of(system, cache)
    arrays = system.world.arrays[system.world.volumes["array"][volumes]]
    counts = arrays["lanes"]
    rows = np.repeat(arrays["first_lane"] - counts.cumsum() + counts, counts)
    return rows + np.arange(len(rows)), np.repeat(volumes, counts)


def _make_ready(system: System, cache: int) -> None:
    """Let all lanes of a controller's cache be asked whether they take a destage."""
    row, lanes = system.world.caches[cache], system.world.lanes
    rows, volumes = lanes_of(system, cache)
    lanes["ready"][rows] = 1
    lanes["volume"][rows] = volumes
    row["first_ready"] = _chained(lanes["next"], rows)
    row["last_ready"] = rows[-1] if len(rows) else t.NONE


def enlist(system: System, cache: int, dirty: NDArray[np.int64]) -> None:
    """Make the list of dirty lines of :mod:`raidsim.kernel.destage`."""
    row, lines, towers = system.world.caches[cache], system.world.lines, system.world.towers
    head = int(row["first_tower"])
    towers[head : head + c.LEVELS] = t.NONE
    dirty = dirty[np.argsort(lines["key"][dirty], kind="stable")]
    with np.errstate(over="ignore"):
        heights = np.array([destage.height_of(key) for key in lines["key"][dirty]], np.int64)
    lines["height"][dirty] = heights
    mine = head + (dirty - int(row["first_line"]) + 1) * c.LEVELS
    for level in range(c.LEVELS):
        tall = heights > level
        towers[np.concatenate(([head], mine[tall])) + level] = np.append(dirty[tall], t.NONE)


def _chained(pointers: np.ndarray, order: NDArray[np.int64]) -> int:
    """Let each line point to the next one of an order; the head."""
    pointers[order] = np.append(order[1:], t.NONE)[: len(order)]
    return int(order[0]) if len(order) else t.NONE


def stir(system: System, cache: int) -> None:
    """Let a cache look anew whether a write may go in, and what there is to destage."""
    if system.drives_off:
        return  # it will, once there is power
    row = system.world.caches[cache]
    system.have_room(int(row["most_tasks"]))
    with np.errstate(over="ignore"):
        destage.admit(system.world, row)
        destage.work(system.world, row)
