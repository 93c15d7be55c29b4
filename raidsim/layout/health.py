"""Which failures an array survives.

The number of tolerated failures is for any drives. :func:`survives` is for given drives, which may
be more: a RAID 10 of four pairs survives up to four.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.address import is_good, strip_place
from raidsim.layout.tables import MIRRORED, PARITY


def failures_tolerated(layout: np.void) -> int:
    """Return the number of drives that may fail without loss of data, for any choice of drives."""
    if layout["family"] == PARITY:
        return int(layout["parity"])
    return int(layout["copies"]) - 1


def survives(layout: np.void, good: NDArray[np.int64]) -> bool:
    """Return whether all data can still be read without the drives that are not wholly good."""
    n: int = layout["span_drives"]
    last = layout["rows"] - 1
    if layout["family"] == PARITY:
        for span in range(layout["spans"]):
            lost = 0
            for drive in range(span * n, span * n + n):
                if not is_good(layout, good, drive, last):
                    lost += 1
            if lost > layout["parity"]:
                return False
        return True
    if layout["family"] != MIRRORED:
        for drive in range(layout["drives"]):
            if not is_good(layout, good, drive, last):
                return False
        return True
    # Where copies lie repeats after as many strips as there are drives.
    strips = min(n, layout["span_size"] // layout["strip"])
    for span in range(layout["spans"]):
        for strip in range(strips):
            found = False
            for copy in range(layout["copies"]):
                drive, _ = strip_place(layout, strip, copy)
                if is_good(layout, good, span * n + drive, last):
                    found = True
            if not found:
                return False
    return True


def has_more_than_its_data(layout: np.void, failed: Collection[int]) -> bool:
    """Return whether drives that have not failed hold parity or copies that can be compared.

    So it is in a span of parity that lacks fewer drives than it has parity, and where two copies
    of a strip are left.
    """
    n: int = layout["span_drives"]
    whole: list[list[int]] = [
        [drive for drive in range(n) if span * n + drive not in failed]
        for span in range(layout["spans"])
    ]
    if layout["family"] == PARITY:
        return any(n - len(left) < layout["parity"] for left in whole)
    if layout["family"] != MIRRORED:
        return False
    strips = min(n, layout["span_size"] // layout["strip"])
    places = [
        {int(strip_place(layout, strip, copy)[0]) for copy in range(layout["copies"])}
        for strip in range(strips)
    ]
    return any(len(place.intersection(left)) > 1 for left in whole for place in places)
