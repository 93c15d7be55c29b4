"""Acknowledged data that a power cut at this moment would lose, read from the kernel's tables.

- Dirty lines of controllers' caches are acknowledged data that the drives do not have. They are
  kept if the cache is protected, else lost.
- Writes that hard disks have acknowledged from their volatile buffers are lost too. Their places
  are in the queues of the arms. For flash drives without capacitors only the number of bytes is
  known. In an array some of these bytes are copies and parity; the share of the host's data is that
  of whole stripes.
- A task whose write phase is under way has changed some of its drives and not others. The stripe is
  torn: its parity (or the copies of a mirror) do not agree. A controller whose cache survives the
  cut, and an array with a journal, still have the data of stripes under update, and write it again
  when power is back. With a log of partial parity, parity is made to agree with the data on the
  drives, and a strip of a lost drive is computed from it, unless the strip itself was being
  written. If buffers of the other drives lost data of the same stripe, the strip also counts as
  lost, since it may be the one that was written. Without any of these, it is not known which strip
  is right.

A torn stripe corrupts data that nobody wrote to: the data of a lost drive is computed from strips
of two states. This is the write hole. In a degraded array this is an immediate loss. In a whole
array the loss happens when the next drive fails, unless a resync makes parity right before.

Columns are bytes of a strip: of a small write only the part of the stripe is torn that it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly import intent
from raidsim.assembly.drives import kind_at
from raidsim.assembly.drives.kind import LANDED, WAITING
from raidsim.assembly.volume_rows import below, drives_of
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_BITMAP, ERRAND_LOG, ERRAND_OPERATION, ERRAND_REPAIR
from raidsim.kernel.cache import find, grain_of, mask
from raidsim.kernel.cache_tables import GRAINS
from raidsim.layout.accesses import merge
from raidsim.layout.address import held, is_good, place, whole_drive
from raidsim.layout.plan import bound, pieces
from raidsim.layout.tables import ACCESS, DATA, LOST, MIRRORED, PARITY, UNUSED, WRITE, P
from raidsim.result.cuts import Hole, VolumeCut
from raidsim.system.system import System

Ranges = list[tuple[int, int]]
"""First bytes and ends, in order, none touching another."""


NO_WRITES = (ERRAND_BITMAP, ERRAND_LOG, ERRAND_OPERATION, ERRAND_REPAIR)
"""Errands of tasks that bring no new data to the drives."""

REPLAYED = ("journal", "ppl")
"""What is noted so that a resync goes through the stripes under update alone."""


class Spot(NamedTuple):
    """Columns [low, high) of a stripe, or of one strip of a mirror."""

    span: int
    row: int
    low: int
    high: int


def volume_cut(
    system: System, name: str, volume: int, *, keeps: bool, noted: str = "none"
) -> VolumeCut:
    """Return the effect that a power cut at this instant would have on a volume.

    Parameters
    ----------
    keeps
        Whether the cache of its controller outlasts the cut.
    noted
        What is noted of writes before they are carried out, as ``intent`` of a volume.
    """
    dirty = dirty_ranges(system, volume)
    lost = [] if keeps else list(dirty)
    unplaced, stripes = 0, Stripes()
    if not below(system, volume):  # for a hybrid, the volumes below give the losses of drives
        cached = list(unwritten(system, volume))
        unplaced = sum(unplaced_bytes(system, drive) for drive in drives_of(system, volume))
        if system.world.volumes[volume]["kind"] == t.VOLUME_ARRAY:
            unplaced = 0 if noted == "journal" else _of_the_host(system, volume, unplaced)
            stripes = _stripes(system, volume, cached, keeps=keeps, noted=noted)
            lost += stripes.lost
        else:
            lost += [(start, end) for _, start, end in cached]
    lost = union(lost)
    return VolumeCut(
        volume=name,
        in_flight=in_flight(system, volume),
        lost_bytes=_size(lost) + unplaced,
        lost=[(start, end - start) for start, end in lost],
        unplaced_bytes=unplaced,
        kept_bytes=_size(dirty) if keeps else 0,
        finished=len({(spot.span, spot.row) for spot in stripes.finished}),
        inconsistent=sorted({(spot.span, spot.row) for spot in stripes.torn}),
        write_hole=stripes.holes,
        resync=stripes.resync,
        resync_rows=stripes.rows,
    )


@dataclass(frozen=True)
class Stripes:
    """The state of the stripes of an array after a cut.

    Attributes
    ----------
    lost
        Bytes of the volume that nothing holds any more.
    torn
        Where parity or copies do not agree.
    finished
        Where they are made to agree from what is noted, or from a cache that outlasts the cut.
    holes
        What the loss of one more drive would corrupt.
    resync, rows
        What has to be gone through once power is back, and which rows of it.
    """

    lost: Ranges = field(default_factory=list)
    torn: Set[Spot] = frozenset()
    finished: Set[Spot] = frozenset()
    holes: list[Hole] = field(default_factory=list)
    resync: str = "none"
    rows: Ranges = field(default_factory=list)


def _stripes(
    system: System,
    volume: int,
    cached: list[tuple[int, int, int]],
    *,
    keeps: bool,
    noted: str,
) -> Stripes:
    """Return the stripes after a cut, if the drives have not written their data in ``cached``."""
    place = system.world.volumes[volume]
    array = int(place["array"])
    layout, good = system.world.layouts[array], _standing(system, array)
    under_way = dict(torn_spots(system, volume))
    lost, from_drives = _of_drives(layout, cached)
    torn: set[Spot] = set()
    finished: set[Spot] = set()
    if noted == "journal":  # what the drives had not written is in the journal still
        lost, finished = Ranges(), from_drives.union(under_way)
    elif noted == "ppl":
        finished = from_drives.union(under_way)
        for spot in from_drives:  # which strip was written is not followed to the buffers
            lost += [(start, end) for _, start, end in _unreadable(layout, good, spot)]
        for spot, written in under_way.items():
            for _, start, end in _unreadable(layout, good, spot):
                lost += _common((start, end), written)
    elif keeps:
        torn, finished = from_drives, set(under_way)
    else:
        torn = from_drives.union(under_way)
    for spot in torn:
        lost += [(start, end) for _, start, end in _unreadable(layout, good, spot)]
    if noted in REPLAYED:
        resync, rows = (noted, _rows(finished)) if finished else ("none", [])
    elif place["controller"] != t.NONE:
        resync, rows = _check(layout, needed=bool(torn) or not keeps)
    else:
        resync, rows = _resync(system, array, torn)
    return Stripes(lost, torn, finished, list(_holes(layout, good, torn)), resync, rows)


# -- acknowledged, and not on the medium -----------------------------------------------------


def dirty_ranges(system: System, volume: int) -> Ranges:
    """Return the ranges of a volume in its controller's cache that the drives do not have."""
    world = system.world
    place = world.volumes[volume]
    if place["controller"] == t.NONE or world.controllers[place["controller"]]["cache"] == t.NONE:
        return []
    cache = world.caches[world.controllers[place["controller"]]["cache"]]
    lines = world.lines[cache["first_line"] : cache["first_line"] + cache["lines"]]
    masks = lines["dirty"] | lines["busy"]
    chosen = (masks != 0) & (lines["volume"] == volume)
    size = int(world.arrays[place["array"]]["line"])
    grain = grain_of(size)
    bits = np.arange(GRAINS)
    there = (masks[chosen][:, None] >> bits) & 1 == 1
    first = lines["strip"][chosen][:, None] * size
    starts = first + bits * grain
    ends = np.minimum(starts + grain, np.minimum(first + size, place["size"]))
    return merged(starts[there], ends[there])


def grain(system: System, volume: int) -> int:
    """Bytes of the parts by which the cache of its controller knows what the drives have."""
    place = system.world.volumes[volume]
    if place["array"] == t.NONE:
        return 1
    return int(grain_of(int(system.world.arrays[place["array"]]["line"])))


def is_dirty(system: System, volume: int, start: int, end: int) -> bool:
    """Return whether the cache of its controller holds all of these bytes, and the drives do not.

    This is a part of the result of :func:`dirty_ranges`, in a small part of its time.
    """
    world = system.world
    place = world.volumes[volume]
    if place["controller"] == t.NONE or world.controllers[place["controller"]]["cache"] == t.NONE:
        return False
    cache = world.caches[world.controllers[place["controller"]]["cache"]]
    size = int(world.arrays[place["array"]]["line"])
    for strip in range(start // size, (end - 1) // size + 1):
        with np.errstate(over="ignore"):  # of the hash
            index = find(world, cache, volume, strip)
        if index == t.NONE:
            return False
        base = strip * size
        wanted = mask(size, max(start - base, 0), min(end - base, size))
        line = world.lines[index]
        if int(line["dirty"] | line["busy"]) & wanted != wanted:
            return False
    return True


def unwritten(system: System, volume: int) -> Iterator[tuple[int, int, int]]:
    """Writes that a power cut costs drives, answered and not carried out: drive, bytes."""
    for number, drive in enumerate(drives_of(system, volume)):
        for begin, end in kind_at(system, drive).unwritten(system, drive):
            yield number, begin, end


def unplaced_bytes(system: System, drive: int) -> int:
    """Acknowledged bytes in the buffer of a drive that a power cut costs, wherever they belong."""
    return kind_at(system, drive).unplaced(system, drive)


def _of_the_host(system: System, volume: int, unplaced: int) -> int:
    """Return the bytes of hosts in buffers of an array's drives, each counted once.

    Drives share them evenly. So it is the share of the volume in all that the drives which have
    not failed hold of the array: half in a mirror of two, and all of a degraded RAID 5.
    """
    world = system.world
    place = world.volumes[volume]
    layout = world.layouts[place["array"]]
    if layout["family"] not in (MIRRORED, PARITY):
        return unplaced
    failed = world.drives["failed"][drives_of(system, volume)]
    room = max(int((failed == 0).sum()), 1) * int(whole_drive(layout))
    return min(-(-unplaced * int(place["size"]) // room), unplaced)


def in_flight(system: System, volume: int) -> int:
    """I/Os of hosts on a volume that are not answered yet."""
    streams = system.world.streams[: system.count("streams")]
    return int(streams["in_flight"][streams["volume"] == volume].sum())


# -- stripes under update --------------------------------------------------------------------


def torn_spots(system: System, volume: int) -> Iterator[tuple[Spot, tuple[int, int]]]:
    """Parts of stripes of which some drives have what was to be written, and others have not.

    Each with the bytes of the volume that were being written: the first, and the end.
    """
    world = system.world
    array = int(world.volumes[volume]["array"])
    layout = world.layouts[array]
    if layout["family"] not in (MIRRORED, PARITY):
        return
    jobs = world.jobs
    writing = (jobs["stage"] != t.STAGE_FREE) & (jobs["parent"] != t.NONE)
    writing &= (jobs["op"] == WRITE) & (jobs["errand"] == t.NONE)
    commands = np.flatnonzero(writing)
    parents = jobs[jobs["parent"][commands]]
    mine = (parents["errand"] != t.NONE) & (parents["volume"] == volume)
    mine &= ~np.isin(parents["errand"], NO_WRITES)
    mine &= parents["later"] == t.NONE  # its last phase, the one that writes
    commands = commands[mine]
    for task in np.unique(jobs["parent"][commands]):
        listed = _torn(system, array, jobs[task], commands[jobs["parent"][commands] == task])
        start = int(jobs[task]["offset"])
        written = start, start + int(jobs[task]["length"])
        for piece in listed:
            if piece["role"] >= P or layout["family"] == MIRRORED:
                yield _spot(layout, piece["drive"], piece["offset"], piece["length"]), written


def _torn(system: System, array: int, task: Any, commands: NDArray[np.int64]) -> list[np.void]:
    """The pieces that a task writes, if some are on the drives and some are not."""
    world = system.world
    row, layout = world.arrays[array], world.layouts[array]
    good = _good(system, array)
    offset, length = int(task["offset"]), int(task["length"])
    table = np.zeros(bound(layout, WRITE, length), ACCESS)
    count = pieces(layout, good, row["policy"], 0, WRITE, offset, length, table)
    if count == LOST:
        return []
    listed = [piece for piece in table[:count].copy() if piece["op"] == WRITE]
    merged_count = merge(table, count)
    planned = set()
    for access in table[:merged_count]:
        longest = int(world.drives[_drive(system, array, access["drive"])]["max_transfer"])
        if access["op"] == WRITE:
            start, end = int(access["offset"]), int(access["offset"] + access["length"])
            planned |= {
                (int(access["drive"]), at, min(longest, end - at))
                for at in range(start, end, longest)
            }
    states = {}
    for index in commands:
        job = world.jobs[index]
        if job["drive"] != world.members[job["member"]]["drive"]:
            continue  # to the drive that a copy-back fills
        member = int(job["member"] - row["first_member"])
        states[member, int(job["offset"]), int(job["length"])] = _state(system, int(index))
    if states.keys() <= planned:  # else a drive has failed meanwhile, and the state is unknown
        every = [states.get(command, LANDED) for command in planned]
        torn = any(s != WAITING for s in every) and any(s != LANDED for s in every)
        if len(every) < 2 or not torn:
            return []
    return listed


def _state(system: System, index: int) -> int:
    """Return the state of a write command on its drive."""
    world = system.world
    job = world.jobs[index]
    if job["stage"] == t.STAGE_RETURNED:
        return LANDED
    drive = int(job["drive"])
    return kind_at(system, drive).progress(system, drive, index)


# -- what follows ------------------------------------------------------------------------------


def _of_drives(layout: np.void, cached: list[tuple[int, int, int]]) -> tuple[Ranges, set[Spot]]:
    """Return data that drives have not written: ranges of the volume, and inconsistent stripes."""
    strip = int(layout["strip"])
    lost, spots = Ranges(), set()
    for member, first, last in cached:
        for row in range(first // strip, (last - 1) // strip + 1):
            start, end = max(first, row * strip), min(last, (row + 1) * strip)
            role, _, address = held(layout, member, row)
            if role == UNUSED:
                continue
            if role == DATA:
                lost.append((address + start - row * strip, address + end - row * strip))
            if layout["family"] == PARITY:
                spots.add(_spot(layout, member, start, end - start))
            elif layout["family"] == MIRRORED:
                spots |= _copies(layout, address + start - row * strip, end - start)
    return lost, spots


def _copies(layout: np.void, address: int, length: int) -> set[Spot]:
    """Return the spots of all copies of some bytes of a strip; they may be in several rows."""
    places = [place(layout, address, copy) for copy in range(layout["copies"])]
    return {_spot(layout, member, offset, length) for member, offset in places}


def _unreadable(
    layout: np.void, good: NDArray[np.int64], spot: Spot
) -> Iterator[tuple[int, int, int]]:
    """Data of failed drives that only a torn stripe tells: drive, and bytes of the volume."""
    for member, start, end in _data_of(layout, spot):
        if not is_good(layout, good, member, spot.row):
            yield member, start, end


def _holes(layout: np.void, good: NDArray[np.int64], spots: Iterable[Spot]) -> Iterator[Hole]:
    """Yield the ranges that the loss of one more drive would corrupt."""
    found: dict[int, Ranges] = {}
    n = int(layout["span_drives"])
    for spot in spots:
        members = range(spot.span * n, spot.span * n + n)
        gone = sum(not is_good(layout, good, member, spot.row) for member in members)
        if gone >= layout["parity"]:
            continue  # everything would be lost, torn or not
        for member, start, end in _data_of(layout, spot):
            if is_good(layout, good, member, spot.row):
                found.setdefault(member, []).append((start, end))
    for member in sorted(found):
        for start, end in union(found[member]):
            yield Hole(member, start, end - start)


def _data_of(layout: np.void, spot: Spot) -> Iterator[tuple[int, int, int]]:
    """Data in the columns of a stripe with parity: drive, and bytes of the volume."""
    if layout["family"] != PARITY:
        return
    n = int(layout["span_drives"])
    for member in range(spot.span * n, spot.span * n + n):
        role, _, address = held(layout, member, spot.row)
        if role == DATA:
            yield member, int(address) + spot.low, int(address) + spot.high


def _check(layout: np.void, needed: bool) -> tuple[str, Ranges]:
    """Return the work that a controller leaves: nothing, or a consistency check of everything."""
    if not needed or layout["family"] not in (MIRRORED, PARITY):
        return "none", []
    return "check", [(0, int(layout["rows"]))]


def _resync(system: System, array: int, spots: set[Spot]) -> tuple[str, Ranges]:
    """The resync of software RAID, and the rows that it goes through."""
    layout, row = system.world.layouts[array], system.world.arrays[array]
    if layout["family"] not in (MIRRORED, PARITY):
        return "none", []
    # A write may have begun long ago, and a drive may not have carried it out yet.
    rows = union(intent.marked_rows(system, array) + _rows(spots))
    if not rows:
        return "none", []
    if row["chunk"] >= int(layout["rows"]) * int(layout["strip"]):
        return "full", [(0, int(layout["rows"]))]
    return "bitmap", rows


def _rows(spots: Iterable[Spot]) -> Ranges:
    """Rows of these parts of stripes."""
    return union([(spot.row, spot.row + 1) for spot in spots])


def _spot(layout: np.void, member: int, offset: int, length: int) -> Spot:
    """Return the spot of a piece of a strip: span, stripe, and its bytes within the strip."""
    strip = int(layout["strip"])
    low = int(offset) % strip
    span = int(member) // int(layout["span_drives"])
    return Spot(span, int(offset) // strip, low, low + int(length))


def _drive(system: System, array: int, member: int) -> int:
    """Row of a drive of an array."""
    first = int(system.world.arrays[array]["first_member"])
    return int(system.world.members[first + int(member)]["drive"])


def _good(system: System, array: int) -> NDArray[np.int64]:
    """Bytes of each drive of an array that can be relied on, as its plans have it."""
    row = system.world.arrays[array]
    first = int(row["first_member"])
    good: NDArray[np.int64] = system.world.good[first : first + int(row["drives"])]
    return good


def _standing(system: System, array: int) -> NDArray[np.int64]:
    """Return :func:`_good`, with 0 for drives whose failure has not been noticed yet."""
    row = system.world.arrays[array]
    first = int(row["first_member"])
    members = system.world.members[first : first + int(row["drives"])]
    failed = system.world.drives["failed"][members["drive"]]
    return np.where(failed == 1, 0, _good(system, array))


# -- ranges ------------------------------------------------------------------------------------


def merged(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Ranges:
    """The union of ranges, as few as possible, in order."""
    if not len(starts):
        return []
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    reach = np.maximum.accumulate(ends)
    begins = np.flatnonzero(np.concatenate(([True], starts[1:] > reach[:-1])))
    found = zip(starts[begins], np.maximum.reduceat(ends, begins), strict=True)
    return [(int(start), int(end)) for start, end in found]


def _common(one: tuple[int, int], other: tuple[int, int]) -> Ranges:
    """Return the intersection of two ranges: nothing, or one range."""
    start, end = max(one[0], other[0]), min(one[1], other[1])
    return [(start, end)] if start < end else []


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The union of ranges, as few as possible, in order."""
    both = np.array(list(ranges), np.int64).reshape(-1, 2)
    return merged(both[:, 0], both[:, 1])


def _size(ranges: Ranges) -> int:
    return sum(end - start for start, end in ranges)
