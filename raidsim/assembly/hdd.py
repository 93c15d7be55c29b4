"""From the card of a hard disk to its rows in the kernel's tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from raidsim import units
from raidsim.assembly import shingles
from raidsim.assembly.disk_cache import cache_size
from raidsim.cards import Card
from raidsim.errors import InputError
from raidsim.kernel import tables as t
from raidsim.kernel.random import uniform
from raidsim.system.system import System, stream_key

GIGA = 1e9
LONGEST_WRITE = 1 << 20  # bytes to which cached writes that continue each other grow
DISCIPLINES = {
    "fifo": t.DISCIPLINE_FIFO,
    "sstf": t.DISCIPLINE_SSTF,
    "look": t.DISCIPLINE_LOOK,
    "sptf": t.DISCIPLINE_SPTF,
}


@dataclass(frozen=True)
class SeekCurve:
    """Seek time over d > 0 cylinders: fixed + root sqrt(d - 1) + linear (d - 1), in ns."""

    fixed: float
    root: float
    linear: float

    def time(self, distance: int) -> float:
        """ns over ``distance`` cylinders."""
        if distance == 0:
            return 0.0
        return self.fixed + self.root * math.sqrt(distance - 1) + self.linear * (distance - 1)


def seek_curve(single: float, average: float, full: float, cylinders: int) -> SeekCurve:
    """The curve through a single-cylinder and a full-stroke seek, with a given average.

    Between independent uniform cylinders the distance x (share of the stroke) has the density
    2 (1 - x), so E[x] = 1/3 and E[sqrt x] = 8/15: with root' and linear' over the full stroke,
    root' + linear' = full - single and 8/15 root' + 1/3 linear' = average - single. Times in ns.
    """
    root = 5 * (average - single) - 5 / 3 * (full - single)
    stroke = max(cylinders - 2, 1)
    return SeekCurve(single, root / math.sqrt(stroke), (full - single - root) / stroke)


@dataclass(frozen=True)
class Geometry:
    """Zones of a disk, outer to inner: bytes of a track, cylinders; and the skews in ns."""

    heads: int
    tracks: tuple[int, ...]  # bytes of a track, by zone
    cylinders: int  # of each zone
    revolution: int  # ns
    track_skew: float
    cylinder_skew: float

    @property
    def capacity(self) -> int:
        """Bytes of all zones."""
        return self.heads * self.cylinders * sum(self.tracks)


def geometry(card: Card, speed: float = 1.0) -> Geometry:
    """Zones of equally many cylinders, as many as the capacity needs.

    The bytes of a track fall evenly from the outer to the inner zone. Skews cover the head
    switch, and the longer of the single-cylinder seeks of reads and writes.
    """
    zones = card.integer("geometry.zones")
    sector = card.integer("capacity.physical_sector")
    outer, inner = card.integer("geometry.track_outer"), card.integer("geometry.track_inner")
    tracks = tuple(
        max(round(size / sector), 1) * sector for size in np.linspace(outer, inner, zones)
    )
    heads = card.integer("geometry.heads")
    size = card.integer("capacity.user") + shingles.media_cache(card)
    cylinders = -(-size // (heads * sum(tracks)))
    single = max(card.number("seek.read_single"), card.number("seek.write_single"))
    return Geometry(
        heads,
        tracks,
        cylinders,
        round(GIGA / card.number("spindle.speed") / speed),
        card.number("geometry.head_switch") * GIGA,
        single * GIGA,
    )


def curve(card: Card, op: str, cylinders: int) -> SeekCurve:
    """Seek curve of a card before reads or writes."""
    single, average, full = (
        card.number(f"seek.{op}_{which}") * GIGA for which in ("single", "average", "full")
    )
    return seek_curve(single, average, full, cylinders)


@dataclass(frozen=True)
class Spindle:
    """How the platter of one disk turns beside others of its model.

    Nothing synchronises the spindles of an array: each has its own angle when the run begins, and
    its own speed within the tolerance of the model. So they drift past each other.
    """

    phase: float = 0.0  # share of a revolution
    speed: float = 1.0  # relative to the card's


def spindle(system: System, name: str, card: Card) -> Spindle:
    """The spindle of a disk in an array, drawn from the seed and the disk's name."""
    key = stream_key(system.seed, name, "spindle")
    # The generator's integers wrap around, of which NumPy warns where it is interpreted.
    with np.errstate(over="ignore"):
        phase, drawn = float(uniform(key, 0)), float(uniform(key, 1))
    return Spindle(phase, 1.0 + card.number("spindle.tolerance") * (2.0 * drawn - 1.0))


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
    shape = geometry(card, turning.speed)
    cylinders = shape.cylinders * len(shape.tracks)
    first_zone = add_zones(system, shape, turning.phase, -shingles.media_cache(card))
    controller = system.add_station(f"{name}: controller", "disk controller")
    arm = system.add_station(f"{name}: arm", "disk arm")
    cached = cache_size(card) > 0
    entries = card.integer("write_cache.entries") if cached else 0
    window = min(card.integer("command.queue_depth"), card.integer("queue.window"))
    tasks = window + entries + 1
    depth = card.integer("read_ahead.depth")
    extents = card.integer("read_ahead.segments") if depth else 0
    curves = [curve(card, op, cylinders) for op in ("read", "write")]
    first_extent = system.append("extents", extents)
    first_task = system.append("tasks", tasks)
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
        command_time=round(card.number("command.time") * GIGA),
        write_time=round(card.number("command.write_time") * GIGA),
        link_ns=card.number("link.time_per_byte") * GIGA,
        revolution=shape.revolution,
        heads=shape.heads,
        cylinders=cylinders,
        first_zone=first_zone,
        zones=len(shape.tracks),
        head_switch=card.number("geometry.head_switch") * GIGA,
        track_skew=shape.track_skew,
        cylinder_skew=shape.cylinder_skew,
        seek_fixed=[one.fixed for one in curves],
        seek_root=[one.root for one in curves],
        seek_linear=[one.linear for one in curves],
        discipline=DISCIPLINES[card.word("queue.discipline")],
        ageing=card.number("queue.ageing"),
        first_task=first_task,
        tasks=tasks,
        first_extent=first_extent,
        extents=extents,
        depth=depth,
        minimum=card.integer("read_ahead.minimum"),
        cached=cached,
        cache=cache_size(card),
        entries=entries,
        longest_write=shingles.longest(card, LONGEST_WRITE),
    )
    # The arm chooses last in its instant: a command that comes at the same time is seen.
    job = system.take_job(t.STAGE_DISK_ARM, drive=drive, row=row, priority=t.LAST)
    system.set_row("disks", row, arm_job=job)
    if shingles.is_shingled(card):
        shingles.add(system, name, card, disk=row, drive=drive, tasks=tasks)
    return row


def add_zones(system: System, shape: Geometry, phase: float = 0.0, first: int = 0) -> int:
    """Add the zones of a disk, so that their tracks follow each other with their skews.

    ``first`` is the address of the first byte: below zero where a media cache lies before byte 0.
    """
    first_zone = system.append("zones", len(shape.tracks))
    angle = phase * shape.revolution
    for number, track in enumerate(shape.tracks):
        tracks = shape.heads * shape.cylinders
        system.set_row(
            "zones",
            first_zone + number,
            first=first,
            cylinder=number * shape.cylinders,
            track=track,
            tracks=tracks,
            byte_time=shape.revolution / track,
            angle=angle,
        )
        first += tracks * track
        angle += (tracks - shape.cylinders) * shape.track_skew
        angle += shape.cylinders * shape.cylinder_skew
        angle %= shape.revolution
    return first_zone


def check(card: Card) -> None:
    """Refuse a card whose values do not fit together."""
    problems = []

    def need(holds: bool, key: str, cause: str, remedy: str) -> None:
        if not holds:
            problems.append(card.problem(key, cause, remedy))

    need(
        card.integer("geometry.track_inner") <= card.integer("geometry.track_outer"),
        "geometry.track_inner",
        "is more than geometry.track_outer",
        "outer tracks are longer: give at most as much",
    )
    for op in ("read", "write"):
        single, average, full = (
            card.number(f"seek.{op}_{which}") for which in ("single", "average", "full")
        )
        need(
            single <= average <= full,
            f"seek.{op}_average",
            f"does not lie between seek.{op}_single and seek.{op}_full",
            "a seek takes longer the farther it goes",
        )
        if not single <= average <= full:
            continue
        shape = geometry(card)
        cylinders = shape.cylinders * len(shape.tracks)
        seek = curve(card, op, cylinders)
        times = [seek.time(int(d)) for d in np.geomspace(1, cylinders, 64)]
        need(
            all(a <= b * (1 + 1e-9) for a, b in pairwise(times)),
            f"seek.{op}_average",
            "gives no seek curve that rises all the way to the full stroke",
            "typically 0.45 to 0.62 of the way from single to full",
        )
    sector, physical = card.integer("capacity.sector"), card.integer("capacity.physical_sector")
    need(
        physical % sector == 0,
        "capacity.physical_sector",
        f"is no multiple of capacity.sector ({sector} bytes)",
        f"{sector} or a multiple of it",
    )
    segments, depth = card.integer("read_ahead.segments"), card.integer("read_ahead.depth")
    # A persistent cache is on flash or on the medium, and takes nothing of the buffer.
    cache = card.integer("write_cache.size") if card.flag("write_cache.enabled") else 0
    need(
        segments * depth + cache <= card.integer("buffer.size"),
        "buffer.size",
        "holds less than all read-ahead segments and the write cache together",
        f"at least {units.text(segments * depth + cache, 'size')}, or fewer or smaller segments",
    )
    problems += shingles.problems(card, segments * depth + cache)
    if problems:
        raise InputError(problems)
