"""From words to a layout: level, drives and strip become a LAYOUT record.

Levels: jbod, 0, 1, 1e, 5, 6, 10, 50 and 60. Python only; all else in this package compiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from raidsim.layout.tables import (
    CONCATENATED,
    FAR,
    FEWEST,
    LAYOUT,
    LEFT_ASYMMETRIC,
    LEFT_SYMMETRIC,
    MIRRORED,
    N_CONTINUE,
    N_RESTART,
    NEAR,
    NO_MODIFY,
    NO_RECONSTRUCT,
    OFFSET,
    PARITY,
    RIGHT_ASYMMETRIC,
    RIGHT_SYMMETRIC,
    STRIPED,
    ZERO_RESTART,
)

ROTATIONS = {
    "left-asymmetric": LEFT_ASYMMETRIC,
    "right-asymmetric": RIGHT_ASYMMETRIC,
    "left-symmetric": LEFT_SYMMETRIC,
    "right-symmetric": RIGHT_SYMMETRIC,
    "zero-restart": ZERO_RESTART,
    "n-restart": N_RESTART,
    "n-continue": N_CONTINUE,
}
POLICIES = {"fewest": FEWEST, "no-modify": NO_MODIFY, "no-reconstruct": NO_RECONSTRUCT}
SPREADS = {"near": NEAR, "offset": OFFSET, "far": FAR}


T = TypeVar("T")


@dataclass(frozen=True)
class Level:
    """What distinguishes a level: its family, parity strips, and least drives of a span."""

    family: int
    least_drives: int
    parity: int = 0
    nested: bool = False


LEVELS = {
    "jbod": Level(CONCATENATED, 1),
    "0": Level(STRIPED, 1),
    "1": Level(MIRRORED, 2),
    "1e": Level(MIRRORED, 2),
    "5": Level(PARITY, 3, parity=1),
    "6": Level(PARITY, 3, parity=2),
    "10": Level(MIRRORED, 2, nested=True),
    "50": Level(PARITY, 3, parity=1, nested=True),
    "60": Level(PARITY, 3, parity=2, nested=True),
}


def arrange(
    level: str,
    drives: int,
    strip: int,
    drive_bytes: int,
    *,
    spans: int | None = None,
    unit: int | None = None,
    copies: int = 2,
    spread: str | None = None,
    rotation: str = "left-symmetric",
) -> np.void:
    """Return the layout of an array of equal drives.

    Parameters
    ----------
    level
        One of LEVELS.
    drives
        Number of drives, in all spans.
    strip
        Bytes that lie together on one drive.
    drive_bytes
        Size of a drive; what is left over beyond whole strips is not used.
    spans
        Arrays under a nested level: by default as many sets of ``copies`` drives as there are
        under RAID 10, and two under RAID 50 and 60.
    unit
        Bytes that a span holds before the next one goes on, a multiple of the strip: by default
        the data of one stripe, and one strip over mirrors.
    copies
        Copies of each strip under RAID 10 and 1E; RAID 1 has one on each drive.
    spread
        Where copies lie: near, offset or far. RAID 10 is then one array over all drives, as
        Linux md has it, and the drives need not be a multiple of the copies.
    rotation
        How parity wanders, one of ROTATIONS.

    Raises
    ------
    ValueError
        What is impossible, with what would be possible.
    """
    kind = _known("level", level, LEVELS)
    turn = _known("rotation", rotation, ROTATIONS)
    lie = _known("spread", spread or "near", SPREADS)
    if strip < 1:
        msg = f"a strip of {strip} bytes: it has to be at least 1"
        raise ValueError(msg)
    if kind.family != MIRRORED:
        copies = 1
    elif level == "1":
        copies, lie = drives, NEAR
    if kind.family == MIRRORED and not 2 <= copies <= max(drives, kind.least_drives):
        msg = f"{copies} copies on {drives} drives: RAID {level} keeps from 2 to one a drive"
        raise ValueError(msg)
    parts = _spans(level, kind, drives, spans, copies, spread)
    if drives % parts or drives // parts < kind.least_drives:
        msg = (
            f"RAID {level} of {drives} drives in {parts} span(s): "
            f"each needs the same number, at least {kind.least_drives}"
        )
        raise ValueError(msg)
    rows = drive_bytes // strip
    data = drives // parts - kind.parity if kind.family == PARITY else 1
    step = strip * data if unit is None else unit
    if step < strip or step % strip:
        msg = f"a unit of {step} bytes: it has to be a multiple of the strip of {strip} bytes"
        raise ValueError(msg)

    layout: np.void = np.zeros(1, LAYOUT)[0]
    layout["family"] = kind.family
    layout["drives"] = drives
    layout["strip"] = strip
    layout["rows"] = rows
    layout["spans"] = parts
    layout["span_drives"] = drives // parts
    layout["unit"] = step
    layout["data"] = data
    layout["parity"] = kind.parity
    layout["rotation"] = turn
    layout["copies"] = copies
    layout["spread"] = lie
    layout["section"] = rows // copies
    span_size = _span_strips(layout) * strip
    if parts > 1:
        span_size -= span_size % step
    layout["span_size"] = span_size
    layout["size"] = span_size * parts
    if span_size == 0:
        msg = f"drives of {drive_bytes} bytes hold no data in strips of {strip} bytes"
        raise ValueError(msg)
    return layout


def _known(what: str, name: str, names: dict[str, T]) -> T:
    if name not in names:
        msg = f"{what} {name!r} is not known: there are {', '.join(names)}"
        raise ValueError(msg)
    return names[name]


def _spans(
    level: str, kind: Level, drives: int, spans: int | None, copies: int, spread: str | None
) -> int:
    """Return the number of spans that is meant."""
    if not kind.nested or (level == "10" and spread is not None):
        if spans not in (None, 1):
            msg = f"RAID {level} has no spans"
            raise ValueError(msg)
        return 1
    if spans is not None:
        if spans < 1:
            msg = f"{spans} spans: there has to be at least one"
            raise ValueError(msg)
        return spans
    if level != "10":
        return 2
    if drives % copies:
        msg = f"RAID 10 of {drives} drives: not a multiple of its {copies} copies; or give a spread"
        raise ValueError(msg)
    return drives // copies


def _span_strips(layout: np.void) -> int:
    """Return how many strips of data a span holds."""
    rows = int(layout["rows"])
    drives = int(layout["span_drives"])
    copies = int(layout["copies"])
    if layout["family"] == PARITY:
        return rows * int(layout["data"])
    if layout["family"] != MIRRORED:
        return rows * drives
    if layout["spread"] == NEAR:
        return rows * drives // copies
    return rows // copies * drives
