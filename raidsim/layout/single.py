"""JBOD: drives one after the other, each full before the next begins.

drive = strip // rows        row = strip % rows
"""

from __future__ import annotations

import numpy as np

from raidsim.layout.tables import CONCATENATED, Level

LEVELS = {"jbod": Level(CONCATENATED, 1)}


def concatenated_place(layout: np.void, strip: int) -> tuple[int, int]:
    """Return drive and row of logical ``strip``."""
    rows: int = layout["rows"]
    return strip // rows, strip % rows


def concatenated_held(layout: np.void, drive: int, row: int) -> int:
    """Return the logical strip that lies in ``row`` of ``drive``."""
    rows: int = layout["rows"]
    return drive * rows + row
