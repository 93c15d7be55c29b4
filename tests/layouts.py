"""Arrays of every level for the tests of layouts, and how they are printed.

Small strips, so that requests straddle them; the numbers are bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from raidsim.layout.address import held, whole_drive
from raidsim.layout.arrange import LEVELS, arrange
from raidsim.layout.mirrored import SPREADS
from raidsim.layout.parity import ROTATIONS
from raidsim.layout.tables import DATA, UNUSED, P, Q

STRIP = 8
PAGE = 2
MOST_DRIVES = 12


OF_RAID_5 = [name for name in ROTATIONS if not name.endswith("-6")]
"""Rotations that need no Q."""

SPECIAL = {"jbod", "0", "1", "1e", "10", "5", "6", "50", "60"}
"""Levels that can be laid out in several ways, see below."""


def choices(drives: int) -> Iterator[tuple[str, dict[str, object]]]:
    """Every level, with every way of laying it out, that so many drives can form."""
    yield "jbod", {}
    yield "0", {}
    if drives >= 2:
        yield "1", {}
        for spread in SPREADS:
            yield "1e", {"spread": spread}
            yield "10", {"spread": spread, "copies": min(drives, 3)}
        if drives % 2 == 0:
            yield "10", {}
    if drives % 3 == 0:
        yield "10", {"copies": 3}
    if drives >= 3:
        for rotation in ROTATIONS:
            if drives not in (4, 5) and (rotation.startswith("parity") or rotation.endswith("-6")):
                continue  # a few drives show what there is
            if rotation in OF_RAID_5:
                yield "5", {"rotation": rotation}
            yield "6", {"rotation": rotation}
        for level in ("5", "6") if drives in (3, 4, 7) else ():
            yield level, {"page": PAGE}
    if drives >= 6 and drives % 2 == 0:
        for level in ("50", "60"):
            yield level, {}
            yield level, {"unit": STRIP, "rotation": "n-continue"}
    if drives >= 9 and drives % 3 == 0:
        yield "60", {"spans": 3, "unit": 2 * STRIP}
    for level, kind in LEVELS.items():
        if level not in SPECIAL and drives >= kind.least_drives and not kind.nested:
            yield level, {}


def array(level: str, drives: int, options: dict[str, object], rows: int = 10) -> np.void:
    return arrange(level, drives, STRIP, rows * STRIP + 3, **options)  # type: ignore[arg-type]


def every_array(rows: int = 10) -> Iterator[np.void]:
    """All choices with 1 to 12 drives."""
    for drives in range(1, MOST_DRIVES + 1):
        for level, options in choices(drives):
            yield array(level, drives, options, rows)


def whole(layout: np.void) -> np.ndarray:
    """Health of an array none of whose drives has failed."""
    return np.full(layout["drives"], whole_drive(layout), np.int64)


def without(layout: np.void, *failed: int) -> np.ndarray:
    """Health of an array with failed drives."""
    good = whole(layout)
    good[list(failed)] = 0
    return good


def printed(layout: np.void, rows: int | None = None) -> str:
    """Number of the data strip, P, Q or - for every drive, row by row."""
    lines = []
    for row in range(layout["rows"] if rows is None else rows):
        line = []
        for drive in range(layout["drives"]):
            role, _, address = held(layout, drive, row)
            data = str(address // layout["strip"])
            line.append({UNUSED: "-", DATA: data, P: "P", Q: "Q"}[role])
        lines.append(" ".join(line))
    return " / ".join(lines)
