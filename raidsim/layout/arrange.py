"""From words to a layout: level, drives and strip become a LAYOUT record.

Levels: jbod, 0, 1, 1e, 4, 5, 6, 10, 50 and 60. Python only; all else in this package compiles.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from raidsim.layout.mirrored import LEVELS as MIRRORED_LEVELS
from raidsim.layout.mirrored import SPREADS, mirrored_strips
from raidsim.layout.parity import LEVELS as PARITY_LEVELS
from raidsim.layout.parity import ROTATIONS, parity_strips
from raidsim.layout.single import LEVELS as SINGLE_LEVELS
from raidsim.layout.striped import LEVELS as STRIPED_LEVELS
from raidsim.layout.tables import (
    CONCATENATED,
    FEWEST,
    LAYOUT,
    MIRRORED,
    NEAR,
    NO_MODIFY,
    NO_RECONSTRUCT,
    PARITY,
    Q_LAST,
    STRIPED,
    Level,
)

POLICIES = {"fewest": FEWEST, "no-modify": NO_MODIFY, "no-reconstruct": NO_RECONSTRUCT}
T = TypeVar("T")

MOST_BYTES = 2**63 - 1
"""Bytes that all drives of an array may have: addresses are numbers of 64 bits with a sign."""


def _all_strips(layout: np.void) -> int:
    """Return the number of strips of a span: without copies and parity all of them hold data."""
    return int(layout["rows"] * layout["span_drives"])


STRIPS = {
    CONCATENATED: _all_strips,
    STRIPED: _all_strips,
    MIRRORED: mirrored_strips,
    PARITY: parity_strips,
}
"""How many strips of data a span holds, by family."""


def _order(name: str) -> float:
    """JBOD, then by number; 1E comes after 1."""
    return float(name.replace("e", ".5")) if name[0].isdigit() else -1.0


_found: dict[str, Level] = SINGLE_LEVELS | STRIPED_LEVELS | MIRRORED_LEVELS | PARITY_LEVELS
LEVELS = {name: _found[name] for name in sorted(_found, key=_order)}
"""Every level, by its number; each is a row of its family's file."""

WORDS = {name if name == "jbod" else f"raid{name}": name for name in LEVELS}
"""What people write, and the level that they mean: raid5 is 5."""

BY_WORD = {word: LEVELS[name] for word, name in WORDS.items()}
"""The same levels, by what people write."""


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
    page: int = 0,
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
        Where copies lie, one of SPREADS: near, offset, far and so on. RAID 10 is then one array
        over all drives, as Linux md has it, and the drives need not be a multiple of the copies.
    rotation
        How parity wanders, one of ROTATIONS.
    page
        Bytes of a page, if parity is brought up to date row by row of pages, as Linux md does it
        (:mod:`raidsim.layout.plan_pages`); 0: strip by strip. The strip is a multiple of it.

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
    if turn >= Q_LAST and kind.parity != 2:
        msg = f"rotation {rotation}: it is one of RAID 6, which has Q, and this is RAID {level}"
        raise ValueError(msg)
    if page and strip % page:
        msg = f"a strip of {strip} bytes: it has to be a multiple of the page of {page} bytes"
        raise ValueError(msg)
    copies = _copies(level, kind, drives, copies)
    parts = _spans(level, kind, drives, spans, copies, spread)
    rows = drive_bytes // strip
    if rows == 0:
        raise ValueError(_holds_nothing(drive_bytes, strip))
    if drives * drive_bytes > MOST_BYTES:
        msg = f"{drives} drives of {drive_bytes} bytes have more than {MOST_BYTES} bytes"
        raise ValueError(msg)
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
    layout["rotation"] = turn if kind.rotation is None else kind.rotation
    layout["page"] = page if kind.family == PARITY else 0
    layout["copies"] = copies
    layout["spread"] = NEAR if level == "1" else lie
    layout["section"] = rows // copies
    span_size = int(STRIPS[kind.family](layout)) * strip
    if parts > 1:
        span_size -= span_size % step
    layout["span_size"] = span_size
    layout["size"] = span_size * parts
    if span_size == 0:
        raise ValueError(_holds_nothing(drive_bytes, strip))
    return layout


def _holds_nothing(drive_bytes: int, strip: int) -> str:
    return f"drives of {drive_bytes} bytes hold no data in strips of {strip} bytes"


def _some(number: int, one: str, several: str) -> str:
    return f"one {one}" if number == 1 else f"{number} {several}"


def _known(what: str, name: str, names: dict[str, T]) -> T:
    if name not in names:
        msg = f"{what} {name!r} is not known: there are {', '.join(names)}"
        raise ValueError(msg)
    return names[name]


def _copies(level: str, kind: Level, drives: int, copies: int) -> int:
    """Return the number of copies of each strip."""
    if kind.family != MIRRORED:
        return 1
    if level == "1":
        copies = drives
    if not 2 <= copies <= max(drives, kind.least_drives):
        msg = (
            f"RAID {level} of one drive: it needs at least 2"
            if drives == 1
            else f"{_some(copies, 'copy', 'copies')} on {drives} drives:"
            f" RAID {level} keeps at least 2, and not more than one on each drive"
        )
        raise ValueError(msg)
    return copies


def _spans(
    level: str, kind: Level, drives: int, spans: int | None, copies: int, spread: str | None
) -> int:
    """Return the number of spans, each of which has drives enough."""
    parts = _meant_spans(level, kind, drives, spans, copies, spread)
    if drives % parts or drives // parts < kind.least_drives:
        of = f"RAID {level} of {_some(drives, 'drive', 'drives')}"
        msg = (
            f"{of}: it needs at least {kind.least_drives}"
            if parts == 1
            else f"{of} in {parts} spans: each needs the same number of drives,"
            f" at least {kind.least_drives}; give {_near(drives, parts, kind.least_drives)}"
        )
        raise ValueError(msg)
    return parts


def _near(drives: int, parts: int, least: int) -> str:
    """Say how many drives near a number can be parted equally, with at least so many in each."""
    each = drives // parts
    fitting = sorted({max(each, least) * parts, max(each + 1, least) * parts} - {drives})
    return " or ".join(str(one) for one in fitting)


def _meant_spans(
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
        msg = (
            f"RAID 10 of {_some(drives, 'drive', 'drives')}: not a multiple of its {copies} copies;"
            f" give {_near(drives, copies, 1)}, or a spread"
        )
        raise ValueError(msg)
    return drives // copies
