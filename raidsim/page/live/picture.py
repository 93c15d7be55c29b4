"""The present content of the rows of an array's drives: data, copies, parity; lost or torn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from raidsim.control import Volume
from raidsim.layout.address import is_good
from raidsim.layout.tables import CONCATENATED
from raidsim.report.layout_drawing import KINDS, cell_of, rows_shown
from raidsim.system.system import System

MOST_ROWS = 16
AROUND = 2
"""Rows above and below those of a request."""
TORN = "torn: drives hold data that was written at different times"


def picture(
    system: System,
    volume: Volume,
    rows: Sequence[int] | None = None,
    torn: Collection[tuple[int, int]] = (),
) -> dict[str, Any]:
    """Rows of strips, drive by drive.

    Parameters
    ----------
    rows
        Which; None for the first ones, as many as show how parity and copies wander.
    torn
        Span and row of stripes that are not consistent.
    """
    layout = volume.spec.layout
    if layout is None or layout["family"] == CONCATENATED:
        return {"rows": [], "kinds": {}}
    drives, strip = int(layout["drives"]), int(layout["strip"])
    spares = len(system.spares.get(volume.row, ()))
    array = system.world.arrays[system.world.volumes[volume.row]["array"]]
    first = int(array["first_member"])
    failed = set(volume.failed)
    good = system.world.good[first : first + drives]
    size = int(layout["span_drives"])
    shown = rows_shown(layout) if rows is None else list(rows)
    found = []
    kinds = set()
    for row in shown[:MOST_ROWS]:
        cells = []
        for drive in range(drives + spares):
            gone = drive in failed or (drive < drives and not is_good(layout, good, drive, row))
            cell = cell_of(layout, drive, row)
            is_torn = drive < drives and (drive // size, row) in torn
            kinds |= {cell.kind, *(["lost"] if gone else []), *(["torn"] if is_torn else [])}
            cells.append({"kind": cell.kind, "text": cell.text, "lost": gone, "torn": is_torn})
        found.append({"row": row, "offset": row * strip, "cells": cells})
    words = {kind: text for kind, text in {**KINDS, "torn": TORN}.items() if kind in kinds}
    return {"rows": found, "strip": strip, "all": int(layout["rows"]), "kinds": words}


def around(volume: Volume, rows: Collection[int], reach: int = AROUND) -> list[int]:
    """The given rows, with ``reach`` rows above and below each."""
    layout = volume.spec.layout
    if layout is None:
        return []
    near = {near for row in rows for near in range(row - reach, row + reach + 1)}
    return sorted(row for row in near if 0 <= row < int(layout["rows"]))[:MOST_ROWS]
