"""From the card of a solid state drive to the row of its SLC cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from raidsim.cards import Card
from raidsim.errors import Problem
from raidsim.kernel import tables as t
from raidsim.units import NS_PER_S

if TYPE_CHECKING:
    from raidsim.system.system import System

MOST_UNITS = 2**31 - 1  # mapping units of a drive, whose numbers the ring of the cache holds
LITTLE = 0.001  # of its size: what may be in or out of a full cache at a time
FOLDS_OF_A_DIE = (
    4  # under way at a time: no die waits while others of a fold are sensed or transferred
)
NEEDED = tuple(
    f"slc.{key}"
    for key in ("size", "bits_per_cell", "program_time", "read_time", "when_full", "idle_after")
)


def has_cache(card: Card) -> bool:
    """Return whether the drive has an SLC cache."""
    return card.has("slc.size")


def add(system: System, name: str, card: Card) -> int:
    """Add the SLC cache of a drive on which nothing was ever written; its row, or NONE."""
    if not has_cache(card):
        return t.NONE
    channels = card.integer("flash.channels")
    dies = card.integer("flash.dies_per_channel") // card.integer("flash.dies_in_step")
    unit = card.integer("flash.page") * card.integer("flash.planes")
    most = size_of(card, 1.0)
    waits = card.word("slc.when_full") == "fold"
    units = -(-most // card.integer("mapping.unit")) + unit
    # What is folded takes room in the write buffer: it leaves half of that to the host.
    depth = min(FOLDS_OF_A_DIE * channels * dies, card.integer("buffer.size") // (2 * unit))
    system.need_margin(depth + 1)
    row = system.add_row(
        "slcs",
        program_time=round(card.number("slc.program_time") * NS_PER_S),
        read_time=round(card.number("slc.read_time") * NS_PER_S),
        pages_per_block=_pages(card),
        depth=depth * unit,
        waits=waits,
        idle_after=round(card.number("slc.idle_after") * NS_PER_S),
        clock=system.add_station(f"{name}: idle time", "idle time", servers=t.UNLIMITED),
        first_unit=system.append("slc_units", units),
        units=units,
    )
    set_size(system, row, card, 1.0)
    return row


def _pages(card: Card) -> int:
    """Pages of a block that holds one bit a cell."""
    return max(card.integer("flash.pages_per_block") // card.integer("slc.bits_per_cell"), 1)


def size_of(card: Card, free: float) -> int:
    """Bytes that fit into the cache when this share of the capacity holds no data.

    A cell that could hold b bits holds one: so b bytes of free capacity make one of the cache.
    """
    unit = card.integer("flash.page") * card.integer("flash.planes")
    room = int(card.integer("capacity.user") * free) // card.integer("slc.bits_per_cell")
    more = card.integer("slc.dynamic_size") if card.has("slc.dynamic_size") else 0
    size = card.integer("slc.size") + min(more, room)
    return size // unit * unit


def set_size(system: System, row: int, card: Card, free: float) -> None:
    """Give a cache the size that it has when this share of the capacity holds no data."""
    size = size_of(card, free)
    waits = card.word("slc.when_full") == "fold"
    system.set_row("slcs", row, size=size, fold_from=size if waits else t.NEVER)


def prepare(system: System, row: int, card: Card, *, filled: float, written: int) -> None:
    """Give a cache its past, when ``filled`` of the capacity holds data.

    Loads wrote ``written`` bytes of it over and over until now: the cache holds as much of them as
    fits. They have their places in the page map already, so folding them takes only time.
    """
    set_size(system, row, card, 1.0 - filled)
    slc = system.world.slcs[row]
    unit = card.integer("flash.page") * card.integer("flash.planes")
    slc["held"] = min(int(slc["size"]), written // unit * unit)


def renew(system: System, row: int, card: Card) -> None:
    """Let a cache be that of a drive on which nothing was ever written."""
    set_size(system, row, card, 1.0)
    slc = system.world.slcs[row]
    slc["held"] = slc["valid"] = 0
    slc["mapped"] = slc["seen"] = slc["taken"]


def trim(system: System, row: int, first: int, end: int) -> None:
    """Forget the mapping units from ``first`` up to ``end`` of the drive that are in the cache."""
    slc = system.world.slcs[row]
    begin, rows = int(slc["first_unit"]), int(slc["units"])
    ring = system.world.slc_units["unit"][begin : begin + rows]
    there = (int(slc["mapped"]) + np.arange(int(slc["taken"]) - int(slc["mapped"]))) % rows
    units = ring[there]
    ring[there[(first <= units) & (units < end)]] = t.NONE


def problems(card: Card) -> list[Problem]:
    """Yield what does not fit together among the values of the cache."""
    found = []
    unit = card.integer("flash.page") * card.integer("flash.planes")
    missing = [key for key in NEEDED if not card.has(key)]
    if missing and len(missing) < len(NEEDED):
        whole = f"an SLC cache has all of {', '.join(NEEDED)}"
        found += [card.problem(key, "is missing", whole) for key in missing]
    elif has_cache(card) and size_of(card, 0.0) < 2 * unit and size_of(card, 1.0) < 2 * unit:
        cause = f"holds less than two program units ({2 * unit} bytes)"
        found.append(card.problem("slc.size", cause, "give more, or leave the section out"))
    if has_cache(card) and not found:
        least = -(-card.integer("capacity.user") // MOST_UNITS)
        if card.integer("mapping.unit") < least:
            cause = f"makes more mapping units than a drive with an SLC cache has ({MOST_UNITS})"
            found.append(card.problem("mapping.unit", cause, f"give {least} bytes at least"))
    return found
