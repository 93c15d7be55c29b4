"""Events of an array, and the steps of a request, in words for those who watch."""

from __future__ import annotations

from typing import Any

from raidsim import units
from raidsim.control import Volume
from raidsim.explain.trace import IN_ARRAYS, STEPS
from raidsim.kernel import tables as t
from raidsim.layout.tables import (
    DATA,
    FULL_STRIPE,
    MIRRORED,
    MODIFY,
    PARITY,
    RECONSTRUCT,
    RECONSTRUCT_WRITE,
    P,
)
from raidsim.page.live import places
from raidsim.page.live.following import Command, Followed, Step, Strip
from raidsim.result.cuts import VolumeCut

WAYS = {
    FULL_STRIPE: "full stripe: parity is computed from the new data alone",
    MODIFY: "read-modify-write: the new parity is computed from old data and old parity",
    RECONSTRUCT_WRITE: "reconstruct-write: the rest of the stripe is read for the new parity",
    RECONSTRUCT: "degraded: missing data is computed from the other drives",
}


# -- requests ---------------------------------------------------------------------------------


def title_of(found: Followed, strip: int | None) -> str:
    """A request: "Write of 8 KiB to strip 12"."""
    what = "Write" if found.op == t.WRITE else "Read"
    where = f"at byte {found.offset:,}"
    if strip:
        first, last = found.offset // strip, (found.offset + found.length - 1) // strip
        where = f"strip {first:,}" if first == last else f"strips {first:,} to {last:,}"
    return f"{what} of {size(found.length)}, {where}"


def summary_of(found: Followed) -> str:
    """Return the end of a request in a sentence or two."""
    took = time((found.answered - found.issued) / 1e9)
    if found.status != t.DONE:
        return f"It failed after {took}: the remaining drives do not hold the data that it needs."
    commands = found.commands
    if not commands:
        where = "the controller's cache" if _passed(found, places.CACHE) else "memory"
        if found.op == t.WRITE:
            return f"Answered after {took} from {where}. The drives get it later."
        return f"Answered after {took} from {where}: no drive was asked."
    phases = sorted({one.phase for one in commands})
    parts = []
    for phase in phases:
        mine = [one for one in commands if one.phase == phase]
        reads = sum(one.op == t.READ for one in mine)
        parts += [_times(reads, "read")] if reads else []
        parts += [_times(len(mine) - reads, "write")] if len(mine) > reads else []
    methods = {strip.method for one in commands for strip in one.strips}
    way = next((WAYS[method] for method in WAYS if method in methods), "")
    way = f" ({way})" if way and not (found.op == t.READ and RECONSTRUCT not in methods) else ""
    again = ""
    if any(step.failed for step in found.steps):
        again = " A drive answered with an error, so it was planned again."
    return f"Answered after {took}: {', then '.join(parts)}{way}.{again}"


def _passed(found: Followed, kind: str) -> bool:
    return any(step.place.kind == kind for step in found.steps)


def _times(number: int, what: str) -> str:
    return f"{number} {what} of a drive" if number == 1 else f"{number} {what}s of drives"


def words_of(step: Step, op: int) -> str:
    """A step of a request, as a sentence."""
    command = step.command
    if command is None:
        return _above_drives(step, op)
    drive = f"Drive {command.drive}"
    what = carried(command, op)
    if step.place.kind == places.LINK:
        way = "from" if command.op == t.READ else "to"
        return f"The link carries {what} {way} drive {command.drive}."
    verb = "reads" if command.op == t.READ else "writes"
    if step.moves is not None and step.rotates is not None:
        rest = step.ends - step.begins - step.moves - step.rotates
        parts = [
            f"{time(part / 1e9)} {name}"
            for part, name in (
                (step.moves, "to move the arm"),
                (step.rotates, "until the sector comes by"),
                (rest, "to transfer"),
            )
            if part >= 1000
        ]
        return f"{drive} {verb} {what}: {', '.join(parts)}."
    told = {
        t.STAGE_COMMAND_ARRIVED: f"The command for {what} goes to drive {command.drive}.",
        t.STAGE_COMMAND_DECODED: f"{drive} takes the command: {verb} {what}.",
        t.STAGE_DISK_DECODED: f"{drive} takes the command: {verb} {what}.",
        t.STAGE_DISK_CHOOSING: f"{drive} chooses its next command.",
        t.STAGE_DISK_RISING: f"{drive} reads {what}.",
        t.STAGE_DISK_ARM: f"{drive} {verb} {what}.",
        t.STAGE_SENSED: f"Flash of drive {command.drive} is read: {what}.",
        t.STAGE_PATH_WRITE: f"The buffer of drive {command.drive} takes {what}.",
        t.STAGE_RETURNED: f"{drive} answers with an error."
        if step.failed
        else f"{drive} is done with {what}.",
    }.get(step.stage)
    return told or f"{drive}: {(STEPS | IN_ARRAYS).get(step.stage, 'works')}."


def _above_drives(step: Step, op: int) -> str:
    told = {
        t.STAGE_SUBMITTED: "The host issues the request.",
        t.STAGE_COMPLETED: "The host has its answer.",
        t.STAGE_CONTROLLER_COMMAND: "The controller takes the command.",
        t.STAGE_CONTROLLER_LINK: "The link between host and controller carries the data.",
        t.STAGE_CACHE_COPY: "The data passes the cache's memory.",
        t.STAGE_CACHE_LINES: "The controller plans the writes to the drives.",
        t.STAGE_SHARED_LINES: "The core fetches a cache line that another core has written.",
        t.STAGE_SPREAD: "The commands to the drives are made.",
        t.STAGE_PARITY: "Parity is computed." if op == t.WRITE else "What is lost is computed.",
        t.STAGE_CONTROLLER_ANSWERED: "The controller answers.",
    }.get(step.stage)
    where = {
        places.HOST: "The host",
        places.CONTROLLER: "The controller",
        places.CACHE: "The cache",
    }
    where |= {places.PARITY: "The parity engine", places.DRIVE: "A drive", places.LINK: "A link"}
    return told or f"{where[step.place.kind]}: {(STEPS | IN_ARRAYS).get(step.stage, 'works')}."


def waits_for(step: Step, *, in_cache: bool) -> str:
    """Return in a sentence what a step waited for; "" if it did not wait."""
    if step.waits == 0:
        return ""
    if step.command is not None:
        number = step.command.drive
        return f"Drive {number} is busy with other work: the command waits."
    if in_cache:
        return "The cache may hold no more dirty data: the write waits for the drives."
    return "The request waits."


def carried(command: Command, op: int) -> str:
    """Return in words what a command of a request reads or writes."""
    if not command.strips:
        return size(command.length)
    if len(command.strips) > 2:
        return f"{len(command.strips)} strips"
    return " and ".join(_strip(one, command.op, op) for one in command.strips)


def _strip(strip: Strip, command: int, op: int) -> str:
    if strip.role == DATA:
        name = f"strip {strip.number:,}" + (f", copy {strip.copy + 1}" if strip.copy else "")
    else:
        name = "parity P" if strip.role == P else "parity Q"
    if op == t.READ:
        return name + (" (to compute lost data)" if strip.method == RECONSTRUCT else "")
    if command == t.WRITE:
        return f"the new {name}" if strip.role != DATA else f"new data of {name}"
    if strip.method == MODIFY:
        return f"the old {name}" if strip.role != DATA else f"old data of {name}"
    return f"{name} (for the new parity)"


# -- what happens -----------------------------------------------------------------------------


def of_failure(volume: Volume, number: int, reads: int | None) -> str:
    """A drive has failed.

    Parameters
    ----------
    reads
        Drives that a read of one of its strips takes from now on; None if it cannot be read.
    """
    if volume.health == "failed":
        return f"Drive {number} failed, and data is lost: no other drive holds it."
    words = f"Drive {number} failed."
    family = None if volume.spec.layout is None else int(volume.spec.layout["family"])
    if family == MIRRORED:
        words += " Its strips are read from their copies."
    elif family == PARITY and reads:
        words += f" Reads of its strips are computed from {reads} others."
    spared = any(one.drive == number and not one.is_over for one in volume.operations)
    return words + (" A hot spare takes its place, and is rebuilt." if spared else "")


def of_cut(cut: VolumeCut, volume: Volume) -> str:
    """Return in words the effect of a power cut on a volume."""
    parts = [_unanswered(cut.in_flight)]
    if cut.kept_bytes:
        parts.append(
            f"The cache keeps {size(cut.kept_bytes)} of data that the drives do not have yet."
        )
    if cut.lost_bytes:
        parts.append(f"{size(cut.lost_bytes)} that were acknowledged are lost.")
    else:
        parts.append("No acknowledged data is lost.")
    torn = len(cut.inconsistent)
    if torn:
        what = "parity" if volume.spec.layout is not None and volume.spec.layout["parity"] else ""
        differ = "parity and data do not agree" if what else "copies differ"
        parts.append(f"{torn} stripe{'s are' if torn > 1 else ' is'} torn: {differ}.")
    if cut.finished:
        parts.append(f"{cut.finished} stripes under update will be finished when power is back.")
    needs = {
        "full": "A resync of everything begins when the host is up.",
        "bitmap": "A resync of the chunks that were written last begins when the host is up.",
        "journal": "The journal is replayed when the host is up.",
        "ppl": "The logs of partial parity are replayed when the host is up.",
        "check": "It is not known which stripes: a consistency check of the whole array is needed.",
    }
    parts.append(needs.get(cut.resync, ""))
    return " ".join(part for part in parts if part)


def _unanswered(number: int) -> str:
    if number == 0:
        return ""
    return f"{number} request{'s were' if number > 1 else ' was'} not answered."


def of_warmth(drive: dict[str, Any], before: str) -> str:
    """A drive throttles otherwise than before."""
    name, now = str(drive["name"]).capitalize(), drive["throttled"]
    warm = f"{drive['temperature']:.0f} C"
    if not now:
        return f"{name} is down to {warm}, and runs at full speed again."
    if before == "heavily":
        return f"{name} is at {warm}, and throttles only {now}."
    return f"{name} is at {warm}, and throttles {now}: its data path runs at {drive['speed']:.0%}."


# -- figures ----------------------------------------------------------------------------------


def size(count: float) -> str:
    """Bytes as strips are counted: 64 KiB."""
    for name in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.3g} {name}" if count < 1000 else f"{count:.0f} {name}"
        count /= 1024
    return f"{units.plain(count, 3)} TiB"


def time(seconds: float) -> str:
    """A time with three digits: 12.3 ms."""
    for name, unit in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        if seconds < 999.5 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 60:.3g} min" if seconds < 3600 else f"{units.plain(seconds / 3600, 3)} h"
