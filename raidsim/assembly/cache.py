"""From the card of a controller to the tables of its cache."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly import replacement
from raidsim.assembly.drives import kind_of
from raidsim.cards import Card
from raidsim.kernel import cache_tables as c
from raidsim.kernel import destage
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.scenario import ControllerSpec, HybridSpec, VolumeSpec
from raidsim.scenario.arrays import writes_back
from raidsim.system.system import System
from raidsim.units import KIB, NS_PER_S

BUCKETS = 4
"""For each line: most strips that are looked for are not there, and an empty bucket says so."""

LARGEST_LINE = 256 * KIB
"""Bytes. A line tells 64 parts of itself apart: in one so long they are 4 KiB, a page of hosts."""

READ_MODES = {"none": c.NO_READ_AHEAD, "ahead": c.READ_AHEAD, "adaptive": c.ADAPTIVE}


def add_cache(system: System, name: str, card: Card) -> int:
    """Add an empty cache, with as many lines as it has of the smallest strips; its row."""
    size = card.integer("cache.size")
    lines = max(size // card.integer("strip.smallest"), 1)
    buckets = BUCKETS << (lines - 1).bit_length()
    first_line = system.append("lines", lines)
    rows = system.world.lines[first_line : first_line + lines]
    rows["chain"] = np.arange(first_line + 1, first_line + lines + 1)
    rows["chain"][-1] = t.NONE
    first_bucket = system.append("buckets_of_lines", buckets)
    # The head, one for each line, and one to note the way to a place in the list.
    pointers = (lines + 2) * c.LEVELS
    first_tower = system.append("towers", pointers)
    system.world.towers[first_tower : first_tower + pointers] = t.NONE
    memory = card.number("cache.copy_time_per_byte") * NS_PER_S
    keep = memory
    if card.has("cache.keep_time_per_byte"):
        keep = card.number("cache.keep_time_per_byte") * NS_PER_S
    row = system.append("caches")
    system.set_row(
        "caches",
        row,
        size=size,
        high=card.number("cache.high_mark") * size,
        low=card.number("cache.low_mark") * size,
        first_line=first_line,
        lines=lines,
        free=first_line,
        first_bucket=first_bucket,
        buckets=buckets,
        **replacement.fields(system, card.word("cache.replacement"), lines),
        first_tower=first_tower,
        destage_size=card.integer("cache.destage_size"),
        copy=system.add_station(f"{name}: cache memory", "cache memory"),
        copy_ns=memory,
        keep_ns=keep,
        direct_ns=memory * card.integer("cache.direct_passes"),
        lookup_time=round(card.number("cache.lookup_time") * NS_PER_S),
        line_time=round(card.number("cache.line_time") * NS_PER_S),
        dirty_time=round(card.number("cache.dirty_time") * NS_PER_S),
        flush_time=round(card.number("cache.flush_time") * NS_PER_S),
        flusher=system.take_job(t.STAGE_CACHE_FLUSH, row=row),
        clock=system.add_station(f"{name}: flush time", "flush time", servers=t.UNLIMITED),
        read_ahead=card.integer("cache.read_ahead"),
        errand=ERRAND_DESTAGE,
        again=t.STAGE_INSERT,
    )
    return row


def line_size(card: Card | None, strip: int) -> int:
    """Bytes of a line for a volume of such strips, or a hybrid of such blocks.

    A strip; but no line is smaller than a smallest strip, or the lines would run out before the
    bytes do: single drives have no strips that the controller's card speaks of. A longer strip
    than ``LARGEST_LINE`` has several lines, or more would be destaged than was written.
    """
    if card is None or not card.has("cache.size"):
        return strip
    return max(min(strip, LARGEST_LINE), card.integer("strip.smallest"))


def serve(
    system: System, controller: int, card: Card | None, volume: VolumeSpec, line: int
) -> None:
    """Let a controller's cache, if there is one, work for the drives of one more volume.

    ``line`` is what :func:`line_size` says of that volume.
    """
    if card is None or not card.has("cache.size"):
        return
    row = system.world.caches[system.world.controllers[controller]["cache"]]
    row["most_tasks"] += destages_to(volume, card)
    system.need_margin(int(row["most_tasks"]) + int(row["read_ahead"]) // line)


def destages_to(volume: VolumeSpec, card: Card | None) -> int:
    """Return the number of writes that a controller destages to a volume at a time.

    Disks of every level have as many to sort: of a write to a mirror each copy has one, and one
    to parity is of the drive that holds the data and of those that hold its parity.
    """
    if card is None or not card.has("cache.size"):
        return 0
    if not kind_of(volume.card).seeks:
        return card.integer("cache.flash_destage_depth") * volume.drives
    together = volume.failures_tolerated + 1
    return max(card.integer("cache.destage_depth") * volume.drives // together, 1)


def modes(
    system: System,
    write: str,
    read_ahead: str,
    io: str,
    spec: ControllerSpec | None,
    destages: int,
    lanes: int = 1,
    lane_size: int = 0,
) -> dict[str, int]:
    """Return, for ARRAY, the use of the controller's cache by a volume with these modes.

    ``destages`` is how many commands go on to it at a time. ``lanes`` are the parts of it that its
    cache destages to side by side, each of ``lane_size`` bytes: the drives of a JBOD; all else is
    one part, whose size does not matter.
    """
    if spec is None or not spec.card.has("cache.size"):
        return {}
    ahead = read_mode(read_ahead, spec.card)
    trails = system.append("trails", c.TRAILS) if ahead != c.NO_READ_AHEAD else 0
    return {
        "first_lane": system.append("lanes", lanes),
        "lanes": lanes,
        "lane_size": lane_size,
        "write_back": int(writes_back(write, spec.battery)),
        "most_destages": destages,
        "cached": int(io == "cached"),
        "read_ahead": ahead,
        "first_trail": trails,
    }


def read_mode(read_ahead: str, card: Card) -> int:
    """Return the number of a read mode as ARRAY has it: which reads are followed by a fetch."""
    ahead = READ_MODES[read_ahead]
    if ahead == c.READ_AHEAD and card.flag("cache.detects_streams"):
        return c.ADAPTIVE
    return ahead


def write_mode(volume: VolumeSpec | HybridSpec) -> str:
    """Return the setting of a volume or a hybrid for writes in the controller's cache."""
    return volume.buffer if isinstance(volume, HybridSpec) else volume.write


def change_battery(system: System, volume: VolumeSpec | HybridSpec, row: int, battery: str) -> None:
    """Let the cache of a controller serve volume ``row`` as this state of its battery allows.

    What is dirty when it falls to write-through goes to the drives now.
    """
    place = system.world.volumes[row]
    back = writes_back(write_mode(volume), battery)
    system.world.arrays[place["array"]]["write_back"] = int(back)
    cache = system.world.caches[system.world.controllers[place["controller"]]["cache"]]
    if not back and cache["dirty"] > 0:
        destage.begin_through(cache)


def chains(
    places: NDArray[np.int64], number: NDArray[np.int64], heads: NDArray[np.int32]
) -> NDArray[np.int64]:
    """The next line in the bucket of each, which are empty so far; the last ones become heads."""
    order = np.argsort(places, kind="stable")
    chain = np.full(len(places), t.NONE, np.int64)
    alike = places[order][1:] == places[order][:-1]
    chain[order[1:][alike]] = number[order[:-1][alike]]
    heads[places[order]] = number[order]  # of those in one bucket the last one stays
    return chain
