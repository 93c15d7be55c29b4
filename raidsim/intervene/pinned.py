"""Dirty data of a lost array: it is pinned until it is imported or discarded.

A controller keeps acknowledged data. While the array is away, the lines stay in the cache, and
their room is not used for others. When the array is back, they are *imported* (written to the
drives) or *discarded* (lost, and counted).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from raidsim.intervene.cache_lines import (
    Range,
    arrange,
    chosen,
    clean_lines,
    parts,
    ranges,
    rows_of,
    stir,
    under_way,
    unsaved,
)
from raidsim.kernel import destage
from raidsim.kernel import tables as t
from raidsim.system.system import System


def cache_of(system: System, volume: int) -> int:
    """Row of the cache that a volume's controller has, or NONE."""
    controller = int(system.world.volumes[volume]["controller"])
    return t.NONE if controller == t.NONE else int(system.world.controllers[controller]["cache"])


def pinned(system: System, cache: int, volumes: Collection[int]) -> dict[int, int]:
    """Bytes of each of these volumes that are pinned; none for volumes of which nothing is."""
    if system.world.caches[cache]["pinned"] == 0:
        return {}
    lines = chosen(system, cache, volumes) & (rows_of(system, cache)["pinned"] == 1)
    return {
        volume: sum(length for _, length in found)
        for volume, found in ranges(system, cache, lines).items()
    }


def pin(system: System, volume: int) -> None:
    """The array of a volume is lost: its writes go through, and its dirty lines stay."""
    cache = cache_of(system, volume)
    system.world.arrays[system.world.volumes[volume]["array"]]["write_back"] = 0
    if cache == t.NONE:
        return
    lines = rows_of(system, cache)
    mine = chosen(system, cache, [volume]) & (lines["pinned"] == 0)
    lines["pinned"][mine] = 1
    lines["busy"][mine] |= lines["dirty"][mine]
    lines["dirty"][mine] = 0
    lines["destages"][mine] += 1  # never clean, whatever is under way
    arrange(system, cache, clean_lines(system, cache))
    stir(system, cache)


def import_lines(system: System, volume: int) -> None:
    """The array of a volume is back: all that was pinned of it goes to the drives, now."""
    cache = cache_of(system, volume)
    lines = rows_of(system, cache)
    mine = chosen(system, cache, [volume]) & (lines["pinned"] == 1)
    masks, tasks = under_way(system, cache, [volume])
    lines["dirty"][mine] |= lines["busy"][mine] & ~masks[mine]
    _leave_to_tasks(lines, mine, masks, tasks)
    arrange(system, cache, clean_lines(system, cache))
    destage.begin_flush(system.world.caches[cache])
    stir(system, cache)


def discard(
    system: System, cache: int, volumes: Collection[int], all_dirty: bool = False
) -> dict[int, list[Range]]:
    """Drop the pinned data of these volumes, or all dirty data; the bytes lost, by volume.

    A task under way to the drives continues. Its data counts as lost, since its progress is
    unknown. Data that a host will write again, because it has got no answer, is not lost.
    """
    lines = rows_of(system, cache)
    mine = chosen(system, cache, volumes)
    if not all_dirty:
        mine &= lines["pinned"] == 1
    held = unsaved(system, cache)
    for line, mask in _unanswered(system, cache, volumes):
        held[line] &= ~mask
    lost = ranges(system, cache, mine, held)
    masks, tasks = under_way(system, cache, volumes)
    clean = clean_lines(system, cache)
    lines["valid"][mine] &= ~(lines["dirty"][mine] | lines["busy"][mine])
    lines["dirty"][mine] = 0
    _leave_to_tasks(lines, mine, masks, tasks)
    arrange(system, cache, clean)
    stir(system, cache)
    return lost


def _leave_to_tasks(
    lines: np.ndarray, mine: np.ndarray, masks: np.ndarray, tasks: np.ndarray
) -> None:
    """Of these lines, keep as busy only what a task under way has a part of."""
    lines["busy"][mine] &= masks[mine]
    lines["destages"][mine] = tasks[mine]
    lines["pinned"][mine] = 0


def _unanswered(system: System, cache: int, volumes: Collection[int]) -> list[tuple[int, int]]:
    """Lines and masks of writes that are in the cache, and whose hosts don't know it yet."""
    jobs = system.world.jobs
    found = np.isin(jobs["stage"], (t.STAGE_CACHE_LINES, t.STAGE_CONTROLLER_ANSWERED))
    found &= jobs["op"] == t.WRITE
    found &= np.isin(jobs["volume"], list(volumes))
    return [
        part
        for job in jobs[found]
        for part in parts(
            system,
            cache,
            int(job["volume"]),
            int(job["offset"]),
            int(job["offset"] + job["length"]),
        )
    ]
