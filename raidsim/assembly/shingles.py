"""From the card of a shingled disk to its media cache and its bands in the kernel's tables."""

from __future__ import annotations

from collections.abc import Iterator

from raidsim import units
from raidsim.cards import Card
from raidsim.errors import Problem
from raidsim.kernel import tables as t
from raidsim.kernel.shingle_tables import RESTING
from raidsim.system.system import System
from raidsim.units import NS_PER_S

STREAMS = 8
"""Streams of writes that fill bands at a time (no data sheet tells); further ones go to the log."""


KEYS = ("smr.band", "smr.media_cache", "smr.records", "smr.idle_after")
"""Values that the card of a shingled disk has, and no other."""


def is_shingled(card: Card) -> bool:
    """Return whether a card is of a shingled disk."""
    return all(card.has(key) for key in KEYS)


def media_cache(card: Card) -> int:
    """Bytes of the media cache, in whole physical sectors; 0 for a conventional disk."""
    if not is_shingled(card):
        return 0
    sector = card.integer("capacity.physical_sector")
    return card.integer("smr.media_cache") // sector * sector


def longest(card: Card, size: int) -> int:
    """Bytes to which cached writes grow that continue each other: ``size``, or a band."""
    return min(size, card.integer("smr.band")) if is_shingled(card) else size


def add(system: System, name: str, card: Card, *, disk: int, drive: int, tasks: int) -> int:
    """Add what is shingled of a disk; its row in ``shingles``.

    ``tasks`` is how many accesses may wait for its arm: each may still need two records, and end a
    stream, when the map has just become full.
    """
    band = card.integer("smr.band")
    most = card.integer("smr.records")
    records = most + 4 * tasks + STREAMS
    timer = system.add_station(f"{name}: idle timer", "idle timer", servers=t.UNLIMITED)
    row = system.add_row(
        "shingles",
        disk=disk,
        timer=timer,
        band=band,
        media_cache=media_cache(card),
        idle_after=round(card.number("smr.idle_after") * NS_PER_S),
        first_band=system.append("bands", -(-card.integer("capacity.user") // band)),
        first_record=system.append("records", records),
        records=records,
        most_records=most,
        first_frontier=system.append("frontiers", STREAMS),
        frontiers=STREAMS,
    )
    job = system.take_job(t.STAGE_DISK_TIMED, drive=drive, row=disk)
    system.set_row("shingles", row, timer_job=job)
    system.set_row("disks", disk, shingles=row)
    return row


def renew(system: System, disk: int) -> None:
    """The disk in row ``disk`` is a new one: nothing was ever written to it."""
    row = int(system.world.disks[disk]["shingles"])
    if row == t.NONE:
        return
    cache = system.world.shingles[row]
    first, size = int(cache["first_band"]), int(system.world.disks[disk]["size"])
    bands = system.world.bands[first : first + -(-size // int(cache["band"]))]
    bands["first"] = bands["last"] = t.NONE
    begin = int(cache["first_frontier"])
    frontiers = system.world.frontiers[begin : begin + int(cache["frontiers"])]
    frontiers["written"] = t.NONE
    frontiers["coming"] = 0
    cache["oldest"] = cache["next"]
    cache["kept"] = cache["used"] = cache["cleaning"] = 0
    cache["phase"] = RESTING
    cache["gather"] = t.NONE


def problems(card: Card, buffered: int) -> Iterator[Problem]:
    """Yield what does not fit together in the shingles of a card with ``buffered`` bytes in use."""
    given = [key for key in KEYS if card.has(key)]
    missing = [key for key in KEYS if not card.has(key)]
    if given and missing:
        remedy = "the card of a shingled disk has all of them, another one none"
        yield card.problem(given[0], f"is given without {', '.join(missing)}", remedy)
    if missing:
        return
    band, sector = card.integer("smr.band"), card.integer("capacity.physical_sector")
    if band % sector:
        yield card.problem(
            "smr.band",
            f"is not a multiple of capacity.physical_sector ({sector} bytes)",
            "round it",
        )
    transfer = card.integer("command.max_transfer")
    if transfer > band:
        yield card.problem(
            "smr.band", "is shorter than command.max_transfer", "bands are of 15 MiB and more"
        )
    if media_cache(card) < 2 * band:
        yield card.problem(
            "smr.media_cache", "holds less than two bands", "disks have some thousand times as much"
        )
    if buffered + band > card.integer("buffer.size"):
        yield card.problem(
            "buffer.size",
            "has no room for a band beside the read-ahead segments and the write cache",
            f"at least {units.text(buffered + band, 'size')}, or fewer or smaller segments",
        )
