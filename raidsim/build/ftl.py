"""The page map of a drive: how large it is, and what the drive was used for before the run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from raidsim.build.system import System
from raidsim.kernel import ageing
from raidsim.kernel import tables as t

TARGET_UNITS = 2**17  # logical units of a scaled map
GROUP = 256  # neighbouring units that stay distinct
BLOCK_UNITS = 128
LEAST_SPARE_BLOCKS = 16
STEADY = 0.01  # change of write amplification from one window to the next
LEAST_WINDOWS = 3
MOST_WINDOWS = 40
HISTORY = 2**40  # number of the first I/O before the run: those in the run are other ones


@dataclass(frozen=True)
class Shape:
    """How large a map is: logical units, what each stands for, and the blocks on flash."""

    units: int
    scale: int
    block_units: int
    blocks: int


def shape(
    units: int, spare: float, *, block_units: int | None = None, target: int = TARGET_UNITS
) -> Shape:
    """The map of a drive of so many mapping units with this ratio of spare area.

    Large drives are scaled down; ``block_units`` None takes the usual size, or less on a
    drive that would else have too few spare blocks.
    """
    scale = max(1, round(units / target))
    if scale > 1:
        units = -(-units // (scale * GROUP)) * GROUP
    if block_units is None:
        block_units = BLOCK_UNITS
        while block_units > 1 and units * spare < LEAST_SPARE_BLOCKS * block_units:
            block_units //= 2
    # What is open or being collected takes two blocks, however little spare area there is.
    needed = -(-units // block_units) + 2
    return Shape(units, scale, block_units, max(round(units * (1 + spare) / block_units), needed))


def add(system: System, made: Shape) -> int:
    """Add the map of a drive on which nothing was ever written; its row in ``ftls``."""
    units, size, blocks = made.units, made.block_units, made.blocks
    first_map = system.append("maps", units)
    first_owner = system.append("owners", blocks * size)
    first_block = system.append("blocks", blocks)
    first_bucket = system.append("buckets", size + 1)
    world = system.world
    world.maps[first_map : first_map + units] = t.NONE
    world.buckets[first_bucket : first_bucket + size + 1] = t.NONE
    free = world.blocks[first_block : first_block + blocks]
    free["after"] = np.arange(1, blocks + 1)
    free["after"][-1] = t.NONE
    free["before"] = t.NONE
    return system.add_row(
        "ftls",
        scale=made.scale,
        group=GROUP,
        units=units,
        first_map=first_map,
        block_units=size,
        blocks=blocks,
        first_block=first_block,
        first_owner=first_owner,
        first_bucket=first_bucket,
        lowest=size,
        free_head=1,  # the first one is open
        free=blocks - 1,
        frontier=0,
        place=0,
        room=size,
        last_unit=t.NONE,
    )


def tables_of(system: System, which: int) -> dict[str, Any]:
    """The parts of the tables that belong to map ``which``."""
    row, world = system.world.ftls[which], system.world
    places = int(row["blocks"]) * int(row["block_units"])
    spans = {
        "maps": (row["first_map"], row["units"]),
        "owners": (row["first_owner"], places),
        "blocks": (row["first_block"], row["blocks"]),
        "buckets": (row["first_bucket"], row["block_units"] + 1),
    }
    return {
        table: getattr(world, table)[int(first) : int(first) + int(rows)]
        for table, (first, rows) in spans.items()
    }
