"""TRIM: data that a volume no longer needs, as reported to its drives.

An array reports only whole strips to a drive, and only whole stripes if there is parity: parity
must continue to agree with the data that is kept.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import drives_of
from raidsim.kernel import tables as t
from raidsim.layout.address import held, whole_drive
from raidsim.layout.tables import FAR, FAR_SETS, MIRRORED, OFFSET, OFFSET_SETS, PARITY, UNUSED
from raidsim.system.system import System


def trim(system: System, volume: int, offset: int, length: int) -> None:
    """Tell the drives of a volume that they need not keep these bytes; hard disks do not care."""
    row = system.world.volumes[volume]
    end = offset + length
    if row["kind"] == t.VOLUME_SINGLE:
        drive = int(row["drive"])
        kind_at(system, drive).trim(system, drive, offset, end, end == int(row["size"]))
        return
    layout = system.world.layouts[row["array"]]
    strip, whole = int(layout["strip"]), int(whole_drive(layout))
    for member, drive in enumerate(drives_of(system, volume)):
        if system.world.drives[drive]["failed"] == 1:
            continue
        for first, last in rows_within(layout, member, offset, end):
            begin, stop = first * strip, last * strip
            kind_at(system, drive).trim(system, drive, begin, stop, stop == whole)


def rows_within(layout: np.void, drive: int, begin: int, end: int) -> list[tuple[int, int]]:
    """Rows of a drive that hold nothing but bytes ``begin`` to ``end`` of the volume: from, up to.

    Addresses grow along a drive, in each of its sections where copies are spread far, and but for
    the order within the rows of one line where they are offset: so the rows are found by bisection.
    """
    strip = int(layout["strip"])
    if layout["family"] == PARITY:
        stripe = int(layout["data"]) * strip
        begin, end = -(-begin // stripe) * stripe, end // stripe * stripe
    spread = int(layout["spread"]) if layout["family"] == MIRRORED else None
    copies = int(layout["copies"])
    line = copies if spread in (OFFSET, OFFSET_SETS) else 1
    sections, rows = 1, int(layout["rows"])
    if spread in (FAR, FAR_SETS):
        sections, rows = copies, int(layout["section"])

    def address(row: int) -> int:
        role, _, found = held(layout, drive, row)
        return int(layout["size"] if role == UNUSED else found)

    def lowest(number: int) -> int:
        return min(map(address, range(number * line, (number + 1) * line)))

    def highest(number: int) -> int:
        return max(map(address, range(number * line, (number + 1) * line)))

    found: list[tuple[int, int]] = []
    for section in range(sections):
        lines = range(section * rows // line, (section + 1) * rows // line)
        first = lines.start + bisect_left(lines, begin, key=lowest)
        last = lines.start + bisect_left(lines, end - strip + 1, key=highest)
        if first < last:
            found.append((first * line, last * line))
        # Of the line before and the one behind, some rows may lie inside.
        found += [
            (row, row + 1)
            for number in sorted({first - 1, last})
            if number in lines and not first <= number < last
            for row in range(number * line, (number + 1) * line)
            if begin <= address(row) <= end - strip
        ]
    return sorted(found)
