"""From the card of a hard disk to its rows in the kernel's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from raidsim import units
from raidsim.assembly import shingles, surface
from raidsim.assembly.disk_cache import Deferral, cache_size, deferral
from raidsim.assembly.seeks import curve, head_switch_ns
from raidsim.cards import Card
from raidsim.cards.surface import data_sectors
from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t
from raidsim.kernel.random import uniform
from raidsim.system.system import System, stream_key
from raidsim.units import NS_PER_S

LONGEST_WRITE = 1 << 20  # bytes to which cached writes that continue each other grow
DISCIPLINES = {
    "fifo": t.DISCIPLINE_FIFO,
    "sstf": t.DISCIPLINE_SSTF,
    "look": t.DISCIPLINE_LOOK,
    "sptf": t.DISCIPLINE_SPTF,
}


AHEAD = {
    "stream": t.AHEAD_STREAM,
    "depth": t.AHEAD_DEPTH,
    "track": t.AHEAD_TRACK,
    "cylinder": t.AHEAD_CYLINDER,
    "next-track": t.AHEAD_NEXT_TRACK,
}
OVERHEADS = tuple(
    f"overhead.{op}_{hit}_after_{before}"
    for op in ("read", "write")
    for hit in ("miss", "hit")
    for before in ("read", "write")
)
"""Times of the controller by kind of command, in the order of the table's field."""


@dataclass(frozen=True)
class Spindle:
    """The rotation of one disk, relative to others of its model.

    Nothing synchronises the spindles of an array: each has its own angle when the run begins, and
    its own speed within the tolerance of the model. So they drift past each other.
    """

    shift: float = 0.0  # of its angles, share of a revolution
    speed: float = 1.0  # relative to the card's


def spindle(system: System, name: str, card: Card) -> Spindle:
    """The spindle of a disk in an array, drawn from the seed and the disk's name."""
    key = stream_key(system.seed, name, "spindle")
    # The generator's integers wrap around, of which NumPy warns where it is interpreted.
    with np.errstate(over="ignore"):
        shift, drawn = float(uniform(key, 0)), float(uniform(key, 1))
    return Spindle(shift, 1.0 + card.number("spindle.tolerance") * (2.0 * drawn - 1.0))


def add(
    system: System,
    name: str,
    card: Card,
    *,
    drive: int,
    link_to_host: int,
    link_to_drive: int,
    turning: Spindle = Spindle(),
) -> int:
    """Add what is behind the link of drive ``drive``; its row in ``disks``."""
    cylinders = surface.cylinders(card)
    found = surface.rows(card, turning.speed, turning.shift)
    first_zone = add_zones(system, found)
    first_seek, seeks = add_seeks(system, card, cylinders)
    controller = system.add_station(f"{name}: controller", "disk controller")
    arm = system.add_station(f"{name}: arm", "disk arm")
    entries = card.integer("write_cache.entries") if cache_size(card) > 0 else 0
    window = min(card.integer("command.queue_depth"), card.integer("queue.window"))
    deferred = deferral(card, entries)
    tasks = window + 1 + (0 if deferred else entries)
    holds = card.integer("read_ahead.depth") > 0 or card.has("read_ahead.segment")
    extents = card.integer("read_ahead.segments") if holds else 0
    first_extent = system.append("extents", extents)
    first_task = system.append("tasks", tasks)
    first_deferred = add_deferred(system, entries) if deferred else 0
    system.need_margin(entries)
    row = system.add_row(
        "disks",
        drive=drive,
        controller=controller,
        arm=arm,
        link_to_host=link_to_host,
        link_to_drive=link_to_drive,
        size=card.integer("capacity.user"),
        sector=card.integer("capacity.sector"),
        physical_sector=card.integer("capacity.physical_sector"),
        revolution=surface.revolution(card, turning.speed),
        cylinders=cylinders,
        first_zone=first_zone,
        zones=len(found),
        zone=first_zone,
        first_seek=first_seek,
        seeks=seeks,
        first_task=first_task,
        tasks=tasks,
        first_extent=first_extent,
        extents=extents,
        entries=entries,
        first_deferred=first_deferred,
        **_of_commands(card),
        **_of_the_arm(card, cylinders),
        **_of_the_read_ahead(card),
        **_of_the_write_cache(card, deferred),
    )
    # The arm chooses last in its instant: a command that comes at the same time is seen.
    job = system.take_job(t.STAGE_DISK_ARM, drive=drive, row=row, priority=t.LAST)
    system.set_row("disks", row, arm_job=job)
    if shingles.is_shingled(card):
        shingles.add(system, name, card, disk=row, drive=drive, tasks=tasks)
    return row


def _of_commands(card: Card) -> dict[str, Any]:
    """Return the times of a command without the arm, and those between buffer and link."""
    times, by_hit = command_times(card)
    return {
        "command_time": times,
        "completion_time": round(card.number("overhead.read_completion") * NS_PER_S),
        "by_hit": by_hit,
        "link_ns": card.number("link.time_per_byte") * NS_PER_S,
        "early_seek": card.flag("command.early_seek"),
        "watermark": card.number("buffer.read_watermark"),
        "unit": card.integer("buffer.read_unit"),
    }


def _of_the_arm(card: Card, cylinders: int) -> dict[str, Any]:
    """Return the times in which the arm moves, and the rule by which it takes the next command."""
    curves = [curve(card, op, cylinders) for op in ("read", "write")]
    return {
        "heads": card.integer("geometry.heads"),
        "head_switch": [head_switch_ns(card, op) for op in ("read", "write")],
        "zero_latency": [card.flag(f"access.zero_latency_{op}s") for op in ("read", "write")],
        "seek_fixed": [one.fixed for one in curves],
        "seek_settle": [one.settle for one in curves],
        "seek_root": [one.root for one in curves],
        "seek_linear": [one.linear for one in curves],
        "discipline": DISCIPLINES[card.word("queue.discipline")],
        "ageing": card.number("queue.ageing"),
        "passes": card.number("queue.passes"),
        "choosing": round(card.number("queue.choose_time") * NS_PER_S),
    }


def _of_the_read_ahead(card: Card) -> dict[str, Any]:
    """The segments of the buffer that hold what was read, and how far the disk reads on."""
    return {
        "segment": segment_of(card),
        "ahead_rule": AHEAD[card.word("read_ahead.until")],
        "resumes": card.flag("read_ahead.on_hit"),
        "from_landing": card.flag("read_ahead.from_landing"),
        "depth": card.integer("read_ahead.depth"),
        "minimum": card.integer("read_ahead.minimum"),
    }


def _of_the_write_cache(card: Card, deferred: Deferral | None) -> dict[str, Any]:
    """Return the size of the write cache, and the time for which commands go before it."""
    return {
        "shares": card.flag("write_cache.shares_segments"),
        "dirty_hits": card.flag("write_cache.read_hits"),
        "cached": cache_size(card) > 0,
        "cache": cache_size(card),
        "defers": deferred.entries if deferred else t.NONE,
        "defers_bytes": deferred.size if deferred else 0,
        "aims": deferred.aims if deferred else 0,
        "turns": deferred.turns if deferred else 0,
        "longest_write": shingles.longest(card, LONGEST_WRITE),
    }


def add_deferred(system: System, entries: int) -> int:
    """Add room for so many cached writes that commands go before; its first row in ``deferred``."""
    first_task = system.append("tasks", entries)
    first = system.append("deferred", entries)
    system.rows("deferred")[first:]["task"] = np.arange(first_task, first_task + entries)
    return first


def add_zones(system: System, found: Sequence[surface.Row]) -> int:
    """Add the rows of a disk's zones; the first of them."""
    first = system.append("zones", len(found))
    for number, row in enumerate(found, first):
        system.set_row("zones", number, **vars(row))
    return first


def add_seeks(system: System, card: Card, cylinders: int) -> tuple[int, int]:
    """Add the points of a measured seek curve: first row and how many; NONE and 0 without one.

    The curve goes on level below its first point and beyond its last one.
    """
    points = card.seek_points
    if points is None:
        return t.NONE, 0
    distance = [*points.distance]
    times = np.array([points.read, points.write]) * NS_PER_S
    if distance[0] > 1:
        distance.insert(0, 1)
        times = np.column_stack([times[:, 0], times])
    farthest = max(cylinders, distance[-1] + 1)
    distance.append(farthest)
    times = np.column_stack([times, times[:, -1]])
    first = system.append("seeks", len(distance))
    for number, one in enumerate(distance):
        system.set_row("seeks", first + number, distance=one, time=times[:, number])
    return first, len(distance)


def command_times(card: Card) -> tuple[list[int], bool]:
    """ns of the controller by kind of command, as the table has them; whether a hit matters."""
    if not card.has(OVERHEADS[0]):
        time = round(card.number("command.time") * NS_PER_S)
        return [time] * 4 + [time + round(card.number("command.write_time") * NS_PER_S)] * 4, False
    times = [round(card.number(name) * NS_PER_S) for name in OVERHEADS]
    return times, times[0:2] != times[2:4] or times[4:6] != times[6:8]


def segment_of(card: Card) -> int:
    """Bytes of a segment of the buffer."""
    key = "read_ahead.segment"
    return card.integer(key if card.has(key) else "read_ahead.depth")


def measured_problems(card: Card) -> Iterator[Problem]:
    """Yield what does not fit together between a measured surface and the rest of the card."""
    given = [name for name in OVERHEADS if card.has(name)]
    if given and len(given) < len(OVERHEADS):
        missing = next(name for name in OVERHEADS if name not in given)
        yield card.problem(missing, "is missing", "give all eight kinds of overhead, or none")
    if card.surface is None:
        return
    if card.has("smr.band"):
        yield card.problem("smr.band", "is given beside a measured surface", "leave one out")
    heads, sector = card.integer("geometry.heads"), card.integer("capacity.sector")
    for number, zone in enumerate(card.surface.zones):
        if data_sectors(card.surface, zone, heads) <= 0:
            cause = "has no room for data: spares and empty space take all of it"
            yield card.problem(f"surface.zone[{number}]", cause)
            return
        tracks = zone.cylinders * heads
        places = tracks if card.surface.sparing == "tracks" else tracks * zone.sectors
        if max(chain(zone.slips, *zone.remaps), default=0) >= places:
            cause = f"has a slip or a remap beyond its end, which is {places:,}"
            yield card.problem(f"surface.zone[{number}]", cause)
            return
    room = card.surface.sectors(heads) * sector
    if card.integer("capacity.user") > room:
        shown = units.text(room, "capacity")
        cause = f"is more than the zones hold with {heads} heads ({shown})"
        yield card.problem("capacity.user", cause, "give the sectors of the disk, times their size")


def check(card: Card) -> None:
    """Refuse a card whose values do not fit together."""
    problems = [
        *_geometry_problems(card),
        *_seek_problems(card),
        *_buffer_problems(card),
        *_write_problems(card),
        *shingles.problems(card, _taken_of_buffer(card)),
        *measured_problems(card),
    ]
    if problems:
        raise InputError(problems)


def _geometry_problems(card: Card) -> Iterator[Problem]:
    """Tracks are longer the farther out they are, and physical sectors hold whole ones."""
    if card.integer("geometry.track_inner") > card.integer("geometry.track_outer"):
        cause = "is more than geometry.track_outer"
        remedy = "outer tracks are longer: give at most as much"
        yield card.problem("geometry.track_inner", cause, remedy)
    sector, physical = card.integer("capacity.sector"), card.integer("capacity.physical_sector")
    if physical % sector:
        cause = f"is not a multiple of capacity.sector ({sector} bytes)"
        remedy = f"{sector} or a multiple of it"
        yield card.problem("capacity.physical_sector", cause, remedy)


def _seek_problems(card: Card) -> Iterator[Problem]:
    """A seek takes longer the farther it goes."""
    for op in ("read", "write"):
        key = f"seek.{op}_average"
        single, average, full = (
            card.number(f"seek.{op}_{which}") for which in ("single", "average", "full")
        )
        if not single <= average <= full:
            cause = f"does not lie between seek.{op}_single and seek.{op}_full"
            yield card.problem(key, cause, "a seek takes longer the farther it goes")
        elif card.seek_points is None:
            cylinders = surface.cylinders(card)
            seek = curve(card, op, cylinders)
            times = [seek.time(int(d)) for d in np.geomspace(1, cylinders, 64)]
            if any(a > b * (1 + 1e-9) for a, b in pairwise(times)):
                cause = "gives no seek curve that rises all the way to the full stroke"
                remedy = "typically 0.45 to 0.62 of the way from single to full"
                yield card.problem(key, cause, remedy)


def _taken_of_buffer(card: Card) -> int:
    """Bytes of the buffer that segments of reads and the write cache take together."""
    segments, depth = card.integer("read_ahead.segments"), card.integer("read_ahead.depth")
    ahead = segments * segment_of(card) if depth else 0
    # A persistent cache is on flash or on the medium, and takes nothing of the buffer.
    cache = card.integer("write_cache.size") if card.flag("write_cache.enabled") else 0
    return ahead if card.flag("write_cache.shares_segments") else ahead + cache


def _buffer_problems(card: Card) -> Iterator[Problem]:
    """The buffer has room for all that is kept in it."""
    taken = _taken_of_buffer(card)
    if taken > card.integer("buffer.size"):
        cause = "holds less than all read-ahead segments and the write cache together"
        remedy = f"give at least {units.text(taken, 'size')}, or fewer or smaller segments"
        yield card.problem("buffer.size", cause, remedy)


def _write_problems(card: Card) -> Iterator[Problem]:
    """Reads go first only where writes wait, and where the firmware chooses by time."""
    key = "write_cache.reads_first"
    if not card.has(key):
        return
    if shingles.is_shingled(card):
        cause = "has no effect if a media cache takes all writes"
        yield card.problem(key, cause, "leave out this or smr.band")
    if card.word("queue.discipline") != "sptf":
        cause = "is for disks that choose by the shortest positioning time"
        remedy = 'leave it out, or set queue.discipline = "sptf"'
        yield card.problem(key, cause, remedy)
