"""Background work on an array: from the request to the kernel's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from raidsim.assembly.array import LOCKS
from raidsim.assembly.volume_rows import drives_of, member_of
from raidsim.cards import Card
from raidsim.kernel import operation_tables as s
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_OPERATION
from raidsim.layout.address import addresses_of_a_check
from raidsim.layout.tables import PARITY
from raidsim.scenario import VolumeSpec
from raidsim.system.system import System
from raidsim.units import NS_PER_S

ON_READ_ERROR = {"stop": s.STOP, "puncture": s.PUNCTURE}
LEAST_BLOCK = 16 * 2**20  # bytes of a drive that a sample takes in sequence
MOST_BLOCKS = 64  # places of a drive that a sample looks at
LEAST_PLACES = 8  # of them that are left, where a sample is made smaller
SPARE_DEFECTS = 64  # rows for those that rebuilds will mark


@dataclass(frozen=True)
class Pace:
    """The pace of background work.

    ``rate``: share of the time while hosts have work. ``size``: bytes of each drive that a worker
    takes at a time. ``depth``: workers. ``limit``: bytes per second, of what md counts, or None.
    ``sample``: share of the rows that are simulated. ``puncture``: OPERATIONS'.
    """

    rate: float
    size: int
    depth: int
    puncture: int
    sample: float = 1.0
    limit: float | None = None


def pace(card: Card, volume: VolumeSpec) -> Pace:
    """The pace that a controller or host and a volume on it ask for."""
    rate = volume.rebuild_rate
    return Pace(
        rate=card.number("rebuild.rate") if rate is None else rate,
        size=card.integer("rebuild.size"),
        depth=card.integer("rebuild.depth"),
        puncture=ON_READ_ERROR[card.word("rebuild.on_read_error")],
        sample=volume.rebuild_sample,
        limit=volume.rebuild_limit,
    )


@dataclass(frozen=True)
class Progress:
    """The progress of an operation: rows of strips done and to do, and the errors it met."""

    done: int
    rows: int
    frontier: int
    found: int
    repaired: int
    punctured: int
    lost: bool
    stopped: bool
    seconds: float


def add_operation(
    system: System,
    volume: int,
    kind: int,
    how: Pace,
    rows: tuple[int, int],
    *,
    member: int = 0,
    targets: Sequence[tuple[int, int]] = (),
    copy: int = t.NONE,
    ticket: int = t.NONE,
) -> int:
    """Begin to go through rows [first, end) of strips of an array; the operation's row.

    While the power is off it waits: its controller or host begins when the power is back.

    Parameters
    ----------
    member
        Number of the drive that is rebuilt or copied.
    targets
        Of a rebuild that fills several drives: their numbers, and the rows that each has already.
    copy
        Row of the drive that it is copied to.
    ticket
        The ticket that reports its end.
    """
    layout = system.world.layouts[system.world.volumes[volume]["array"]]
    strip, drives = int(layout["strip"]), int(layout["drives"])
    if kind == s.REBUILD:
        targets = targets or [(member, 0)]
        member = targets[0][0]
    depth = how.depth
    first, end = rows
    chunk, block, stride = _steps(layout, kind, how, rows)
    _make_room(system, volume, chunk, drives, len(targets))
    _look_again(system, volume)
    if copy != t.NONE:
        system.set_row("members", member_of(system, volume, member), copy=copy, copied=0)
    first_worker = system.append("workers", depth)
    first_target = _add_targets(system, volume, targets)
    row = system.append("operations")
    least = 0
    if how.limit is not None:
        at_once = chunk * strip * depth * _counted(system, volume, kind)
        least = round(at_once / how.limit * NS_PER_S)
    system.set_row(
        "operations",
        row,
        volume=volume,
        kind=kind,
        member=member_of(system, volume, member),
        first_target=first_target,
        targets=len(targets),
        first=first,
        next=first,
        end=end,
        chunk=chunk,
        block=block,
        stride=stride,
        first_worker=first_worker,
        workers=depth,
        working=depth,
        frontier=first,
        share=how.rate,
        least=least,
        due=system.now,
        clock=_clock(system, volume),
        puncture=how.puncture,
        started=system.now,
        ended=t.NONE,
        ticket=ticket,
    )
    for worker in range(first_worker, first_worker + depth):
        system.world.workers[worker] = _worker(system, volume, row)
    if system.has_power(volume):
        system.begin_operation(row, depth)
    return row


def _counted(system: System, volume: int, kind: int) -> float:
    """Bytes that a limit counts for each byte of a drive that an operation goes through."""
    array = system.world.volumes[volume]
    if array["controller"] != t.NONE or kind == s.REBUILD:
        return 1.0
    return addresses_of_a_check(system.world.layouts[array["array"]])


def _steps(layout: np.void, kind: int, how: Pace, rows: tuple[int, int]) -> tuple[int, int, int]:
    """Rows that a worker goes through at a time, and the sample, as :func:`sampled` gives it."""
    first, end = rows
    strip = int(layout["strip"])
    chunk = max(how.size // strip, 1)
    block, stride = sampled(end - first, strip, how.sample)
    if kind in (s.REBUILD, s.COPY) and layout["family"] == PARITY:
        spans = int(layout["spans"])
        chunk = max(min(chunk, LOCKS // 4 // (how.depth * spans)), 1)
        block, stride = _apart(block, stride, chunk * how.depth, spans)
    if first > 0:  # a part of the array: all of it
        block = stride = end
    return chunk, block, stride


def _add_targets(system: System, volume: int, targets: Sequence[tuple[int, int]]) -> int:
    """Add the drives that a rebuild fills; the first of their rows, 0 if there are none."""
    if not targets:
        return 0
    first_target = system.append("targets", len(targets))
    for row, (number, has) in enumerate(targets, first_target):
        filled = member_of(system, volume, number)
        system.set_row("targets", row, member=filled, first=has, lost=0)
    return first_target


def _worker(system: System, volume: int, operation: int) -> int:
    """Take a job that goes through rows for an operation."""
    return system.take_job(
        t.STAGE_WAITING,
        row=operation,
        errand=ERRAND_OPERATION,
        volume=volume,
        stream=t.NONE,
        priority=0,
        parts=0,
        op=t.WRITE,
    )


def sampled(rows: int, strip: int, share: float) -> tuple[int, int]:
    """Rows in sequence, and rows from one such sequence to the next, for a sample of a share."""
    wanted = round(rows * share)
    if wanted >= rows:
        return rows, rows
    block = max(LEAST_BLOCK // strip, wanted // MOST_BLOCKS, 1)
    count = max(wanted // block, 1)
    stride = rows // count
    return (rows, rows) if block >= stride else (block, stride)


def _apart(block: int, stride: int, at_once: int, spans: int) -> tuple[int, int]:
    """A sample whose blocks are no multiple of the number of stripe locks apart, nor nearly so.

    The ``at_once`` rows that the workers have in hand may lie in several blocks. If two of them
    had one lock, a worker would wait for another one, as it does not where all rows are rebuilt.
    """

    def meet(blocks: int) -> bool:
        stripes = blocks * stride * spans
        return min(stripes % LOCKS, -stripes % LOCKS) < at_once * spans

    while block < stride and any(meet(n) for n in range(1, at_once // block + 2)):
        stride -= 1
    return block, stride


def simulated(rows: int, block: int, stride: int) -> int:
    """Rows of [0, rows) that a sample takes."""
    return rows // stride * block + min(rows % stride, block)


def thin(system: System, row: int, wanted: float) -> int | None:
    """Let about so many further rows be simulated, spread over all that are left.

    Returns how many will be; None where they cannot be fewer than those of the present sample.
    """
    one = system.world.operations[row]
    block, stride = int(one["block"]), int(one["stride"])
    left = int(one["end"] - one["next"])
    if block >= stride or left <= 0:
        return None
    layout = system.world.layouts[system.world.volumes[one["volume"]]["array"]]
    strip = int(layout["strip"])
    least = LEAST_PLACES * max(LEAST_BLOCK // strip, 1)
    fewer, apart = sampled(left, strip, max(wanted, least) / left)
    if one["kind"] in (s.REBUILD, s.COPY) and layout["family"] == PARITY:
        at_once = int(one["chunk"] * one["workers"])
        fewer, apart = _apart(fewer, apart, at_once, int(layout["spans"]))
    if fewer * stride >= block * apart:
        return None
    begin = int(one["next"])
    if begin % apart >= fewer:
        begin += apart - begin % apart
    system.set_row("operations", row, block=fewer, stride=apart, next=begin)
    in_hand = int((one["begun"] - one["retired"]) * one["chunk"])
    return in_hand + simulated(int(one["end"]), fewer, apart) - simulated(begin, fewer, apart)


def density(system: System, row: int) -> float:
    """Share of the rows that an operation simulates at its present place."""
    one = system.world.operations[row]
    return min(int(one["block"]) / max(int(one["stride"]), 1), 1.0)


def progress(system: System, row: int) -> Progress:
    """Return the progress of an operation."""
    one = system.world.operations[row]
    total = int(one["end"] - one["first"])
    if one["block"] < one["stride"]:
        total = simulated(total, int(one["block"]), int(one["stride"]))
    end = int(one["ended"]) if one["ended"] != t.NONE else system.now
    return Progress(
        done=int(one["rows"]),
        rows=total,
        frontier=int(one["frontier"]),
        found=int(one["found"]),
        repaired=int(one["repaired"]),
        punctured=int(one["punctured"]),
        lost=bool(one["lost"]),
        stopped=bool(one["stopped"]),
        seconds=(end - int(one["started"])) / NS_PER_S,
    )


def lost_targets(system: System, row: int) -> list[bool]:
    """Return whether a rebuild has lost each of the drives that it fills."""
    one = system.world.operations[row]
    first = int(one["first_target"])
    return [bool(lost) for lost in system.world.targets["lost"][first : first + one["targets"]]]


def pause(system: System, row: int) -> None:
    """Let an operation begin nothing more until it is resumed."""
    system.set_row("operations", row, paused=1)


def resume(system: System, row: int) -> None:
    """Let an operation that is paused go on: at once, or when there is power."""
    if system.has_power(int(system.world.operations[row]["volume"])):
        system.resume_operation(row)
    else:
        system.set_row("operations", row, paused=0)


def stop(system: System, row: int, *, lost: bool = False) -> None:
    """Let an operation end with what it has under way; ``lost``: since it can't go on."""
    system.set_row("operations", row, stopped=1)
    if lost:
        system.set_row("operations", row, lost=1)
    resume(system, row)


def set_rate(system: System, row: int, rate: float) -> None:
    """Let an operation work for another share of the time."""
    system.set_row("operations", row, share=rate)


def add_defects(system: System, drive: int, offsets: Sequence[int], length: int) -> None:
    """Let ``length`` bytes of a drive be unreadable at each of these addresses."""
    for offset in offsets:
        used = int(system.state["defects"])
        _room_for_defects(system, used + 1)
        system.set_row("defects", used, drive=drive, offset=offset, length=length, punctured=0)
        system.set_row("defects", used, passed=0)
        system.state["defects"] = used + 1
        system.world.drives[drive]["defects"] += 1


def cure_all(system: System, drive: int) -> None:
    """A new drive has no bad sectors."""
    rows = system.world.defects[: int(system.state["defects"])]
    rows["drive"][rows["drive"] == drive] = t.NONE
    system.world.drives[drive]["defects"] = 0


def _look_again(system: System, volume: int) -> None:
    """Let this operation count the unrestored errors again that an earlier one has passed."""
    rows = system.world.defects[: int(system.state["defects"])]
    rows["passed"][np.isin(rows["drive"], drives_of(system, volume))] = 0


def _clock(system: System, volume: int) -> int:
    """The station where workers on a volume pause: one for all operations over it."""
    operations = system.world.operations[: system.count("operations") - 1]
    before = operations["clock"][operations["volume"] == volume]
    if len(before):
        return int(before[0])
    return system.add_station("background work: pauses", "pause", servers=t.UNLIMITED)


def _room_for_defects(system: System, wanted: int) -> None:
    """Keep room for those that there are, and for what rebuilds may mark of them."""
    have = len(system.world.defects)
    if have < 2 * wanted + SPARE_DEFECTS:
        system.append("defects", 2 * wanted + SPARE_DEFECTS)


def _make_room(system: System, volume: int, chunk: int, drives: int, targets: int) -> None:
    """Make sure that a step of a worker finds room for its accesses, commands and pages.

    And that a row which nothing restores finds room for its marks on all ``targets`` drives.
    """
    if targets > 1:
        _room_for_defects(system, targets * int(system.state["defects"]))
    place = system.world.volumes[volume]
    layout = system.world.layouts[place["array"]]
    strip = int(layout["strip"])
    # Reads for one more drive are listed before it is known which of them a row has already.
    each = (chunk + max(targets - 1, 0)) * (int(layout["data"]) + 2)
    mirrored = drives * chunk * 2
    system.need_accesses(max(each, mirrored) + 64)
    drive = system.world.drives[drives_of(system, volume)[0]]
    longest = int(drive["max_transfer"])
    commands = max(each, mirrored) + drives * (chunk * strip // longest + 1)
    pages = min(chunk * strip, longest) // int(drive["grain"]) + 1
    system.need_margin(commands + pages)
