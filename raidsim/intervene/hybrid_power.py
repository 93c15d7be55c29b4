"""The state of a hybrid after a power cut: its map is kept in the front, beside the blocks.

Data that was under way is not there. An expected grain is missing, and a grain that was being
written back is still dirty. An unanswered write may have marked its block as dirty. Then the front
is valid, with the old bytes or the new ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly import replacement
from raidsim.intervene.cache_lines import enlist, enter, rank, stir
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_WRITE_BACK
from raidsim.kernel.hybrid_tables import MODE_TIER, NOTHING_LOST
from raidsim.kernel.replacement.tables import QUEUES
from raidsim.system.system import System


class Map(NamedTuple):
    """Lines that are in use, and those of them that may be evicted, the oldest of a queue first."""

    held: NDArray[np.int64]
    clean: NDArray[np.int64]


def is_hybrid(system: System, cache: int) -> bool:
    """Return whether a row of CACHE holds the blocks of a hybrid."""
    return bool(system.world.caches[cache]["errand"] == ERRAND_WRITE_BACK)


def map_of(system: System, cache: int) -> Map:
    """The map of a hybrid whose blocks this row of CACHE holds."""
    row, lines = system.world.caches[cache], system.world.lines
    first = int(row["first_bucket"])
    found = [np.zeros(0, np.int64)]
    here = system.world.buckets_of_lines[first : first + int(row["buckets"])].astype(np.int64)
    while len(here := here[here != t.NONE]):
        found.append(here)
        here = lines["chain"][here]
    base, newer = int(row["first_line"]), lines["newer"]
    follow = newer[base : int(row["fresh"])].tolist()
    clean = []
    for oldest in row["oldest"].tolist():
        index = oldest
        while index != t.NONE:
            clean.append(index)
            index = follow[index - base]
    return Map(np.sort(np.concatenate(found)), np.array(clean, np.int64))


def restore(system: System, cache: int, known: Map) -> None:
    """Put the map of a hybrid in order, as it is read from the front after power-on."""
    world = system.world
    row, lines = world.caches[cache], world.lines
    first, end = int(row["first_line"]), int(row["fresh"])
    size = int(row["size"]) // max(int(row["lines"]), 1)
    lines["dirty"][known.held] |= lines["busy"][known.held]
    lines["valid"][known.held] |= lines["dirty"][known.held]
    for name in ("busy", "coming", "destages", "height"):
        lines[name][first:end] = 0
    lines["waiters"][first:end] = t.NONE
    held = known.held[lines["valid"][known.held] != 0]
    dirty = held[lines["dirty"][held] != 0]
    order = known.clean[np.isin(known.clean, held)]
    clean = np.concatenate((np.setdiff1d(held, np.concatenate((dirty, order))), order))
    enter(system, cache, held, np.setdiff1d(np.arange(first, end), held))
    row["used"], row["dirty"] = len(held) * size, len(dirty) * size
    row["clean"] = len(clean) * size
    row["held"] = np.bincount(lines["queue"][held], minlength=QUEUES) * size
    rank(system, cache, clean)
    if not _is_tier(system, cache):
        enlist(system, cache, dirty)


def use_front(system: System, cache: int, hybrid: int, copies: int, empty: bool) -> None:
    """Use a front again that had been given up: a new one, or what it held alone is there."""
    known = map_of(system, cache)
    if empty:
        for name in ("valid", "dirty", "busy"):
            system.world.lines[name][known.held] = 0
        replacement.forget(system, cache)
    restore(system, cache, known)
    tier = _is_tier(system, cache)
    system.set_row("hybrids", hybrid, lost=NOTHING_LOST, moves=copies if tier else 0)
    system.set_row("caches", cache, most_tasks=0 if tier else copies)
    if not tier:
        stir(system, cache)


def _is_tier(system: System, cache: int) -> bool:
    hybrids = system.world.hybrids[: system.count("hybrids")]
    return bool((hybrids["mode"][hybrids["cache"] == cache] == MODE_TIER).any())
