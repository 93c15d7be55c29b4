"""RAID 1, 1E and 10: every strip in k copies on k of N drives (forms of Linux md's RAID 10).

- near: the copies follow one another: copy c of strip s is the (s k + c)-th strip, counted
  along the rows. N = k is RAID 1, N a multiple of k is RAID 10 on fixed sets of drives, any
  other N is RAID 1E "adjacent".
- offset: a row of N strips, then the same row k - 1 times more, each turned by one drive.
  k = 2 is RAID 1E "offset".
- far: the drives are cut into k sections; the first holds all strips like RAID 0, each
  further one the same, turned by one drive.
- offset-sets, far-sets: the same, but turned within sets of k drives; what is left over of N
  belongs to the last set. So dm-raid (LVM) lays offset and far copies.
"""

from __future__ import annotations

import numpy as np

from raidsim.layout.tables import (
    FAR,
    FAR_SETS,
    MIRRORED,
    NEAR,
    OFFSET,
    OFFSET_SETS,
    Level,
)

LEVELS = {
    "1": Level(MIRRORED, 2),
    "1e": Level(MIRRORED, 2),
    "10": Level(MIRRORED, 2, nested=True),
}
SPREADS = {
    "near": NEAR,
    "offset": OFFSET,
    "far": FAR,
    "offset-sets": OFFSET_SETS,
    "far-sets": FAR_SETS,
}


def turned(layout: np.void, drive: int, step: int) -> int:
    """Return the drive that is ``step`` drives on from ``drive``, in its set if there are sets."""
    n: int = layout["span_drives"]
    k: int = layout["copies"]
    if layout["spread"] == OFFSET or layout["spread"] == FAR:
        return (drive + step + k * n) % n
    last = n // k - 1
    number = min(drive // k, last)
    size = n - last * k if number == last else k
    return number * k + (drive - number * k + step + k * size) % size


def mirrored_place(layout: np.void, strip: int, copy: int) -> tuple[int, int]:
    """Return drive and row of ``copy`` of logical ``strip``."""
    n: int = layout["span_drives"]
    k: int = layout["copies"]
    if layout["spread"] == NEAR:
        position = strip * k + copy
        return position % n, position // n
    drive = turned(layout, strip % n, copy)
    if layout["spread"] == OFFSET or layout["spread"] == OFFSET_SETS:
        return drive, strip // n * k + copy
    section: int = layout["section"]
    return drive, copy * section + strip // n


def mirrored_held(layout: np.void, drive: int, row: int) -> tuple[int, int]:
    """Return logical strip and copy number of the data in ``row`` of ``drive``.

    The strip may be behind the end of the volume: then the row is not used.
    """
    n: int = layout["span_drives"]
    k: int = layout["copies"]
    if layout["spread"] == NEAR:
        position = row * n + drive
        return position // k, position % k
    if layout["spread"] == OFFSET or layout["spread"] == OFFSET_SETS:
        copy = row % k
        line = row // k
    else:
        section: int = layout["section"]
        copy = row // section
        line = row % section
    return line * n + turned(layout, drive, -copy), copy


def mirrored_strips(layout: np.void) -> int:
    """Return the number of data strips that a span holds."""
    rows: int = layout["rows"]
    n: int = layout["span_drives"]
    k: int = layout["copies"]
    if layout["spread"] == NEAR:
        return rows * n // k
    return rows // k * n
