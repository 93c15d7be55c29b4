"""Arrays as Linux md numbers them: level, layout and chunk, to a layout of raidsim and back."""

from __future__ import annotations

from typing import Final

import numpy as np

from raidsim.attach.superblock import SECTOR, Superblock
from raidsim.layout.arrange import arrange
from raidsim.layout.tables import (
    CONCATENATED,
    FAR_SETS,
    MIRRORED,
    NEAR,
    OFFSET,
    OFFSET_SETS,
    STRIPED,
)

ROTATIONS: Final = {
    "left-asymmetric": 0,
    "right-asymmetric": 1,
    "left-symmetric": 2,
    "right-symmetric": 3,
    "parity-first": 4,
    "parity-last": 5,
    "zero-restart": 8,
    "n-restart": 9,
    "n-continue": 10,
    "left-asymmetric-6": 16,
    "right-asymmetric-6": 17,
    "left-symmetric-6": 18,
    "right-symmetric-6": 19,
    "parity-first-6": 20,
}
"""md's number of each rotation (Linux, drivers/md/raid5.h)."""

LINEAR: Final = -1
LONGEST_STRIP: Final = 64 * 2**10  # bytes, of what has no chunk
LEVELS: Final = {LINEAR: "jbod", 0: "0", 1: "1", 4: "4", 5: "5", 6: "6", 10: "10"}
_OFFSET_BIT, _SETS_BIT = 1 << 16, 1 << 17


class NotMd(ValueError):
    """md has no such array, or raidsim does not know this one; the text says why."""


def numbers_of(layout: np.void, level: str, rotation: str) -> tuple[int, int, int]:
    """Level, layout and chunk (sectors) that md has for an array of a scenario.

    Of RAID 50 and 60 those of the inner arrays, over which md has a RAID 0.

    Raises
    ------
    NotMd
        If md has none such.
    """
    chunk = int(layout["strip"]) // SECTOR
    if layout["family"] == CONCATENATED:
        return LINEAR, 0, 0
    if layout["family"] == STRIPED:
        return 0, 0, chunk
    if layout["family"] == MIRRORED:
        if level == "raid1":
            return 1, 0, 0
        copies, spread = int(layout["copies"]), int(layout["spread"])
        if layout["spans"] > 1 and (spread != NEAR or layout["span_drives"] != copies):
            raise NotMd("its spans are no mirrors of md")
        if spread == NEAR:
            return 10, 1 << 8 | copies, chunk
        found = copies << 8 | 1
        if spread in (OFFSET, OFFSET_SETS):
            found |= _OFFSET_BIT
        if spread in (OFFSET_SETS, FAR_SETS):
            found |= _SETS_BIT
        return 10, found, chunk
    if layout["spans"] > 1:  # a raid0 of arrays, which have these numbers
        level = f"raid{level[-2]}"
    if level == "raid4":
        return 4, 0, chunk
    if level not in ("raid5", "raid6"):
        raise NotMd(f"md has no {level}")
    return int(level[-1]), ROTATIONS[rotation], chunk


def layout_of(block: Superblock) -> np.void:
    """The layout of the array that a member belongs to.

    Raises
    ------
    NotMd
        If it is one that is not known here.
    """
    level = LEVELS.get(block.level)
    if level is None:
        raise NotMd(f"level {block.level} is not known")
    size = (block.size or block.data_size) * SECTOR
    strip = block.chunk * SECTOR
    if level in ("1", "jbod"):
        strip = LONGEST_STRIP
        while size % strip:
            strip //= 2
    try:
        if level in ("5", "6"):
            names = [name for name, number in ROTATIONS.items() if number == block.layout]
            if not names:
                raise NotMd(f"layout {block.layout} of level {level} is not known")
            return arrange(level, block.drives, strip, size, rotation=names[0])
        if level == "10":
            return _mirrored(block, strip, size)
        return arrange(level, block.drives, strip, size)
    except ValueError as error:
        raise NotMd(str(error)) from None


def _mirrored(block: Superblock, strip: int, size: int) -> np.void:
    near, far = block.layout & 0xFF, block.layout >> 8 & 0xFF
    sets = bool(block.layout & _SETS_BIT)
    if block.layout >> 18 or (near > 1 and far > 1):
        raise NotMd(f"layout {block.layout:#x} of level 10 is not known")
    spread = "near"
    if far > 1:
        spread = "offset" if block.layout & _OFFSET_BIT else "far"
        spread += "-sets" if sets else ""
    copies = max(near, far)
    return arrange("10", block.drives, strip, size, spread=spread, copies=copies)
