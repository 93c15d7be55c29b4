"""Plans of levels that keep data as it is: JBOD, RAID 0, 1, 1E and 10.

A read takes one copy that is good, a write every one. All accesses are in one phase.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.accesses import put_direct
from raidsim.layout.address import is_good, strip_place
from raidsim.layout.nested import span_held
from raidsim.layout.tables import LOST, READ


def copies_pieces(
    layout: np.void,
    good: NDArray[np.int64],
    prefer: int,
    op: int,
    span: int,
    begin: int,
    end: int,
    accesses: NDArray[np.void],
    count: int,
) -> int:
    """Add the pieces of ``begin`` to ``end`` (bytes in ``span``); return how many, or LOST.

    Reads take copy ``prefer``, or the next one after it that is good.
    """
    size: int = layout["strip"]
    copies: int = layout["copies"]
    base = span * layout["span_drives"]
    for strip in range(begin // size, (end - 1) // size + 1):
        low = max(begin, strip * size)
        high = min(end, strip * size + size)
        address = span_held(layout, span, low)
        found = 0
        for turn in range(copies):
            copy = (prefer + turn) % copies if op == READ else turn
            drive, row = strip_place(layout, strip, copy)
            if not is_good(layout, good, base + drive, row):
                continue
            offset = row * size + low % size
            count = put_direct(
                accesses, count, 0, base + drive, op, offset, high - low, copy, address
            )
            found += 1
            if op == READ:
                break
        if found == 0:
            return LOST
    return count
