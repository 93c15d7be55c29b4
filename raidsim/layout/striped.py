"""RAID 0: strip after strip around the drives.

drive = strip mod N        row = strip // N
"""

from __future__ import annotations

import numpy as np

from raidsim.layout.tables import STRIPED, Level

LEVELS = {"0": Level(STRIPED, 1)}


def striped_place(layout: np.void, strip: int) -> tuple[int, int]:
    """Return drive and row of logical ``strip``."""
    n: int = layout["span_drives"]
    return strip % n, strip // n


def striped_held(layout: np.void, drive: int, row: int) -> int:
    """Return the logical strip that lies in ``row`` of ``drive``."""
    n: int = layout["span_drives"]
    return row * n + drive
