"""The page map of a drive: its size, and what was written to the drive before the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.kernel import ageing, load_tables
from raidsim.kernel import tables as t
from raidsim.kernel.ftl import LEAF
from raidsim.kernel.ftl_tables import RESERVE
from raidsim.scenario import Requests
from raidsim.system.sizes import sizes_of_writes, writes_at_random
from raidsim.system.system import System, stream_key

TARGET_UNITS = 2**19  # logical units of a scaled map
GROUP = 256  # neighbouring units that stay distinct
BLOCK_UNITS = 2048  # many requests must fit into a block, as on the drive
LEAST_SPARE_BLOCKS = 16
KEPT_BLOCKS = 2  # unused on average: half of two open blocks, of one being collected, of a free one
LEAST_KEPT = 4
STEADY = 0.01  # change of write amplification from one window to the next
AGEING = 0.01  # the same of what is dead in blocks that were never collected, of the spare area
LEAST_WINDOWS = 3
MOST_WINDOWS = 60
ROUNDS = 16  # turns of each stream in a window
LISTS = ("map", "owner")  # that consist of leaves
UNWRITTEN = 0  # leaf of all of which nothing was ever written
PAST = 0  # seed of the writes before the run
HISTORY = 2**40  # number of the first I/O before the run: those in the run are other ones


@dataclass(frozen=True)
class Shape:
    """The size of a map: logical units, the units that each represents, and the blocks on flash."""

    units: int
    scale: int
    block_units: int
    blocks: int


def shape(
    units: int, spare: float, *, block_units: int | None = None, target: int | None = None
) -> Shape:
    """The map of a drive of so many mapping units with this ratio of spare area.

    Large drives are scaled down; ``block_units`` None takes the usual size, or less on a
    drive that would else have too few spare blocks.
    """
    scale = max(1, round(units / (target or TARGET_UNITS)))
    if scale > 1:
        units = -(-units // (scale * GROUP)) * GROUP
    if block_units is None:
        block_units = BLOCK_UNITS
        while block_units > 1 and units * spare < LEAST_SPARE_BLOCKS * block_units:
            block_units //= 2
    # Two blocks are open and one is collected or free, however little spare area there is. They are
    # a vanishing part of a large drive's blocks, but not of those of its scaled map: on top, then.
    blocks = round(units * (1 + spare) / block_units)
    least = -(-units // block_units) + LEAST_KEPT
    blocks = blocks + KEPT_BLOCKS if scale > 1 else max(blocks, least)
    return Shape(units, scale, block_units, blocks)


def add(system: System, made: Shape) -> int:
    """Add the map of a drive on which nothing was ever written; its row in ``ftls``."""
    units, size, blocks = made.units, made.block_units, made.blocks
    maps, owners = -(-units // LEAF), -(-blocks * size // LEAF)
    which = system.add_row(
        "ftls",
        scale=made.scale,
        group=GROUP,
        units=units,
        first_map=system.append("pages", maps),
        block_units=size,
        blocks=blocks,
        first_block=system.append("blocks", blocks),
        first_owner=system.append("pages", owners),
        first_bucket=system.append("buckets", 2 * (size + 1)),
    )
    first = int(system.world.ftls[which]["first_map"])
    system.world.pages[first : first + maps + owners] = ~UNWRITTEN
    state = system.state
    state["leaf_margin"] = max(int(state["leaf_margin"]), maps + owners)
    renew(system, which)
    return which


def renew(system: System, which: int) -> None:
    """Let map ``which`` be that of a drive on which nothing was ever written."""
    tables = tables_of(system, which)
    for name in LISTS:
        _share(system, which, name, np.full(_leaves(system, which, name), UNWRITTEN))
    tables["buckets"][:] = t.NONE
    free = tables["blocks"]
    free[:] = 0
    free["after"] = np.arange(1, len(free) + 1)
    free["after"][-1] = t.NONE
    free["before"] = t.NONE
    row = system.world.ftls[which]
    size = int(row["block_units"])
    for name in KEPT:
        row[name] = 0
    system.set_row(
        "ftls",
        which,
        lowest=size,
        free_head=1,  # the first one is open
        free=len(free) - 1,
        frontier=(0, t.NONE),
        room=(size, 0),
        victim=t.NONE,
        last_unit=t.NONE,
    )


def tables_of(system: System, which: int) -> dict[str, Any]:
    """The parts of the tables that belong to map ``which``."""
    row, world = system.world.ftls[which], system.world
    spans = {
        "blocks": (row["first_block"], row["blocks"]),
        "buckets": (row["first_bucket"], 2 * (row["block_units"] + 1)),
    }
    return {
        table: getattr(world, table)[int(first) : int(first) + int(rows)]
        for table, (first, rows) in spans.items()
    }


def list_of(system: System, which: int, name: str) -> NDArray[np.int32]:
    """A copy of the whole list ``"map"`` (places of units) or ``"owner"`` (units of places)."""
    row = system.world.ftls[which]
    entries = int(row["units"]) if name == "map" else int(row["blocks"]) * int(row["block_units"])
    pages = _pages(system, which, name)
    found: NDArray[np.int32] = _as_leaves(system)[np.where(pages < 0, ~pages, pages)]
    return found.reshape(-1)[:entries]


def _leaves(system: System, which: int, name: str) -> int:
    row = system.world.ftls[which]
    entries = int(row["units"]) if name == "map" else int(row["blocks"]) * int(row["block_units"])
    return -(-entries // LEAF)


def _pages(system: System, which: int, name: str) -> NDArray[np.int32]:
    first = int(system.world.ftls[which]["first_" + name])
    pages: NDArray[np.int32] = system.world.pages[first : first + _leaves(system, which, name)]
    return pages


def _as_leaves(system: System) -> NDArray[np.int32]:
    leaves: NDArray[np.int32] = system.world.leaves
    return leaves[: len(leaves) // LEAF * LEAF].reshape(-1, LEAF)


def _share(system: System, which: int, name: str, shared: NDArray[np.int64]) -> None:
    """Let a list be what these shared leaves hold; leaves of its own that it has are kept."""
    pages, leaves = _pages(system, which, name), _as_leaves(system)
    own = pages >= 0
    leaves[pages[own]] = leaves[shared[own]]
    pages[~own] = ~shared[~own]


def _keep(system: System, entries: NDArray[np.int32]) -> NDArray[np.int64]:
    """Keep a list in leaves to be shared; which ones."""
    count = -(-len(entries) // LEAF)
    system.have_leaves(count)
    first = int(system.state["leaves"])
    system.state["leaves"] = first + count
    system.world.leaves[first * LEAF : first * LEAF + len(entries)] = entries
    system.world.leaves[first * LEAF + len(entries) : (first + count) * LEAF] = t.NONE
    return np.arange(first, first + count)


def trim(system: System, which: int, first: int, end: int) -> None:
    """Forget the mapping units from ``first`` up to ``end`` of the drive.

    The last group of a scaled map also represents units beyond the drive: NEVER as ``end`` includes
    them.
    """
    _have_leaves(system, which)
    ageing.trim(system.world, which, first, end)


def fill(system: System, which: int, first: int, end: int) -> None:
    """Write the logical units from ``first`` up to ``end`` once, in sequence, without time."""
    _have_leaves(system, which)
    ageing.fill(system.world, which, first, end)


def overwrite(system: System, which: int, unit: int, stream: int, first: int, count: int) -> None:
    """Write where I/Os ``first`` to ``first + count`` of a stream go, in units of so many bytes."""
    _have_leaves(system, which)
    ageing.overwrite(system.world, which, unit, stream, first, count)


def _have_leaves(system: System, which: int) -> None:
    """Let each leaf of a map that is shared find room for a copy."""
    shared = sum(int(np.count_nonzero(_pages(system, which, name) < 0)) for name in LISTS)
    system.have_leaves(shared)


# -- writes before the run --------------------------------------------------------------------

KEPT = (
    "lowest", "free_head", "free", "frontier", "place", "room", "victim", "scan",
    "pace", "owed", "last_unit", "appended",
    "written", "moved", "erased",
)  # fmt: skip
"""Fields of FTL that change: where the map writes next, and what it has counted."""


AreaOf = Callable[[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Writer:
    """One stream that wrote before the run: its row, sizes, zones, and its area in bytes."""

    stream: bytes
    sizes: bytes
    zones: bytes
    area: int


def prepare(
    system: System,
    which: int,
    *,
    unit: int,
    filled: float,
    streams: Sequence[int] = (),
    area_of: AreaOf | None = None,
) -> None:
    """Give a fresh map its past: a sequential fill, then what these streams write at random.

    Parameters
    ----------
    unit
        Mapping unit in bytes.
    filled
        Share of the capacity that holds data; the rest was never written, or trimmed.
    streams
        Those of them that write at random do so, without time, until the write
        amplification is steady.
    area_of
        Which bytes of the drive (offset, size) the area of a stream (offset, size) is; None
        for the same ones.
    """
    row = system.world.ftls[which]
    made = Shape(*(int(row[name]) for name in ("units", "scale", "block_units", "blocks")))
    key = (made, unit, round(filled * made.units), _writers(system, streams, area_of))
    unshared = [name for name in LISTS if (*key, name) not in system.shared]
    leaves = sum(_leaves(system, which, name) for name in unshared)
    system.have_leaves(leaves)
    if system.is_only_weighed:
        system.state["leaves"] += leaves
        system.shared |= {(*key, name): np.zeros(0, np.int64) for name in unshared}
        return
    past = _past(*key)
    for name in LISTS:
        if (*key, name) not in system.shared:
            system.shared[*key, name] = _keep(system, past[name])
        _share(system, which, name, system.shared[*key, name])
    for table, part in tables_of(system, which).items():
        part[:] = past[table]
    for name in KEPT:
        row[name] = past["row"][name]


def _writers(system: System, streams: Sequence[int], area_of: AreaOf | None) -> tuple[Writer, ...]:
    """The streams that wrote to a drive at random, in their order.

    Their writes have separate random numbers, which do not depend on the names of the streams and
    the seed. So drives with equal writes have one past, which is computed once for all runs. No
    figure depends on the places of single units in a steady map.

    Members of an array usually have the same streams, so the result is kept with the system.
    """
    table = system.world.streams
    areas = [(int(table["area_offset"][s]), int(table["area_size"][s])) for s in streams]
    if area_of is not None:
        areas = [area_of(*area) for area in areas]
    key = (*streams, *areas)
    if key not in system.writers:
        found: list[Writer] = []
        for s, area in zip(streams, areas, strict=True):
            if area[1] > 0 and writes_at_random(system, s):
                found.append(_writer(system, s, len(found), area))
        system.writers[key] = tuple(found)
    known: tuple[Writer, ...] = system.writers[key]
    return known


def _writer(system: System, s: int, number: int, area: tuple[int, int]) -> Writer:
    """Stream ``s`` as it wrote to an area of a drive, as the writer of this ``number``."""
    stream = system.world.streams[s]
    wanted = np.zeros(1, load_tables.STREAMS.type)
    for name in _PLACES:
        wanted[name] = stream[name]
    for name in _KEYS:
        wanted[name] = stream_key(PAST, number, name)
    wanted["area_offset"], wanted["area_size"] = area
    zones = system.world.load_zones[int(stream["first_zone"]) :][: int(stream["zones"])]
    return Writer(
        wanted.tobytes(),
        sizes_of_writes(system, s).tobytes(),
        zones.tobytes(),
        int(wanted["area_size"][0]),
    )


_PLACES = ("zones", "align", "zipf", "once")
_KEYS = ("key_where", "key_random", "key_size", "key_op")
"""Fields of `streams` that decide where it writes, and what it trims."""


@lru_cache(maxsize=16)
def _past(made: Shape, unit: int, filled: int, writers: tuple[Writer, ...]) -> dict[str, Any]:
    """Tables of a map with this past: the same for every point of a sweep."""
    system = System()
    which = add(system, made)
    fill(system, which, 0, filled)
    rows = []
    for writer in writers:
        sizes = np.frombuffer(writer.sizes, load_tables.SIZES.type)
        s = system.add_stream("writer", [Requests(int(size["bytes"])) for size in sizes])
        stream = np.frombuffer(writer.stream, load_tables.STREAMS.type)[0].copy()
        first = stream["first_size"] = system.world.streams[s]["first_size"]
        system.world.sizes[first : first + len(sizes)] = sizes
        stream["sizes"] = len(sizes)
        zones = np.frombuffer(writer.zones, load_tables.LOAD_ZONES.type)
        first = stream["first_zone"] = system.append("load_zones", len(zones)) if len(zones) else 0
        system.world.load_zones[first : first + len(zones)] = zones
        system.world.streams[s] = stream
        rows.append(s)
    if writers:
        area = sum(writer.area for writer in writers) // (unit * made.scale)
        spare = made.blocks * made.block_units - made.units
        _overwrite(system, which, unit, rows, max(min(area, made.units), spare, 1))
    kept = {table: part.copy() for table, part in tables_of(system, which).items()}
    kept |= {name: list_of(system, which, name) for name in LISTS}
    return kept | {"row": system.world.ftls[which].copy()}


def _overwrite(system: System, which: int, unit: int, streams: list[int], window: int) -> None:
    """Let the streams write windows of so many units until the amplification is steady.

    Where most writes go to a small area it stays low for long, since the blocks of that area die
    whole. Meanwhile what few writes make elsewhere fills the spare area with dead units, bit by
    bit, in blocks that are not worth collecting yet. It is not steady before that has ended, nor
    while writes take more free blocks than die: on a drive with enough of them, as many die.
    """
    _have_leaves(system, which)  # once for all windows: what has its leaf by then needs no other
    row = system.world.ftls[which]
    number, before = HISTORY, 0.0
    blocks = system.world.blocks[row["first_block"] :][: row["blocks"]]
    filled, erases = blocks["valid"] > 0, blocks["erases"].copy()
    spare = max(int(row["blocks"]) * int(row["block_units"]) - int(row["units"]), 1)
    dead, free = 0, int(row["free"])
    for count in range(MOST_WINDOWS):
        written, moved = int(row["written"]), int(row["moved"])
        while int(row["written"]) - written < window:
            ios = max(window // (ROUNDS * len(streams)) // _units_of_an_io(system, unit), 1)
            for s in streams:
                ageing.overwrite(system.world, which, unit, s, number, ios)
            number += ios
        amplification = 1 + (int(row["moved"]) - moved) / (int(row["written"]) - written)
        change = abs(amplification - before) / amplification
        left = filled & (blocks["erases"] == erases)
        dead, dead_before = int((row["block_units"] - blocks["valid"])[left].sum()), dead
        ages = abs(dead - dead_before) > AGEING * spare
        free, free_before = int(row["free"]), free
        fills = RESERVE <= free < free_before
        if count + 1 >= LEAST_WINDOWS and not fills and change < STEADY and not ages:
            break
        before = amplification


def _units_of_an_io(system: System, unit: int) -> int:
    largest = int(system.world.sizes["bytes"][: system.count("sizes")].max())
    return -(-largest // unit)
