"""Sweeps in which more outstanding I/Os give a lower rate: found, and explained.

By the utilisation law, X = U / D: a station with utilisation U that takes the time D for each I/O
completes X = U / D I/Os a second. A point may have a lower rate than a point with fewer outstanding
I/Os, although no station is less busy. Then D has grown, and the kind of station where it has grown
enough shows where the throughput is lost. If it has grown nowhere, stations are idle while I/Os
wait for each other.

If the drives of a point move more data for each write than those of the other point, this is not
counted: the difference is in what was written before, not in the number of outstanding I/Os.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidsim import units
from raidsim.result import Point

ENOUGH = 0.5  # share of the fall that longer work must explain
MOVES_MORE = 1.25  # write amplification over that of another point, from which pasts differ


def with_reasons(points: Sequence[Point]) -> list[Point]:
    """Points, of which those that carry less than one with fewer outstanding I/Os say why."""
    best: dict[str, Point] = {}  # of each load: what carries most so far
    found = []
    for point in points:
        before = best.get(point.load)
        if before is not None and _is_fall(before, point):
            told = [*point.warnings, _reason(before, point)]
            found.append(replace(point, warnings=told))
        else:
            found.append(point)
        if before is None or point.iops.mean > before.iops.mean:
            best[point.load] = point
    return found


def _is_fall(before: Point, after: Point) -> bool:
    """Return whether a deeper point carries less than an earlier one, beyond both intervals."""
    if before.outstanding is None or after.outstanding is None:
        return False
    if before.iops.low is None or after.iops.high is None:
        return False
    return before.outstanding < after.outstanding and after.iops.high < before.iops.low


def _reason(before: Point, after: Point) -> str:
    if moved := _moved(before, after):
        return moved
    what = (
        f"more outstanding I/Os carry less: {after.iops.mean:,.0f} IO/s,"
        f" where {before.outstanding} outstanding carry {before.iops.mean:,.0f}"
    )
    grown = _grown(before, after)
    if grown is None:
        return f"{what}; no part works longer for an I/O: I/Os wait for each other"
    was, now = before.stages[grown].served, after.stages[grown].served
    longer = f"{units.plain(now, 3)} ms of the {grown}'s time instead of {units.plain(was, 3)} ms"
    return f"{what}; an I/O takes {longer}"


def _moved(before: Point, after: Point) -> str:
    """Words for a drive that collects garbage in one of two points, and less or none in the other.

    That of steady drives is alike, however many I/Os are outstanding.
    """
    was = {drive.name: drive.write_amplification for drive in before.drives}
    for drive in after.drives:
        earlier, now = was.get(drive.name), drive.write_amplification
        if earlier and now and now > MOVES_MORE * earlier:
            return (
                f"{drive.name} collects garbage in this window (write amplification {now:.2f}), and"
                f" less or none yet with {before.outstanding} outstanding ({earlier:.2f}), so they"
                ' cannot be compared; with state = "steady" they can'
            )
    return ""


def _grown(before: Point, after: Point) -> str | None:
    """The kind of station whose work for an I/O has grown enough to explain the fall.

    That of the busiest station if it has, else the one at which it has grown most.
    """
    least = 1 + ENOUGH * (before.iops.mean / after.iops.mean - 1)
    growth = {
        kind: after.stages[kind].served - before.stages[kind].served
        for kind in after.stages.keys() & before.stages.keys()
        if after.stages[kind].served > least * before.stages[kind].served
    }
    limit = after.limited_by
    if limit is not None and limit.kind in growth:
        return limit.kind
    return max(sorted(growth), key=growth.__getitem__, default=None)
