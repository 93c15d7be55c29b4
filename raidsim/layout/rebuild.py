"""The reads that restore one strip of a drive that has been replaced.

A copy is read from another copy. A strip of a stripe of k data and m parity strips is computed from
k others: data first, then P, then Q. A layout with pages reads all surviving strips, as Linux md
does (``drivers/md/raid5.c``, ``need_this_block``: a stripe that is synced is read whole).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.accesses import put, put_direct
from raidsim.layout.address import held, is_good, place
from raidsim.layout.nested import span_place
from raidsim.layout.parity import data_place
from raidsim.layout.plan_parity import is_data_good, is_parity_good, put_data, put_parity_strip
from raidsim.layout.tables import DATA, LOST, PARITY, READ, RECONSTRUCT, UNUSED, WRITE, P, Q


def rebuild(
    layout: np.void,
    good: NDArray[np.int64],
    drive: int,
    row: int,
    accesses: NDArray[np.void],
) -> int:
    """List the accesses that restore ``row`` of ``drive``: reads, then one write; or LOST.

    Nothing for a row that the volume does not use. The strip itself is never read, good or not,
    so this also repairs a sector that can't be read. ``accesses`` takes :func:`rebuild_bound`
    records. A lost row can only be given new content; once all rows of its stripe have some,
    the stripe is consistent again, see :mod:`raidsim.layout.plan_parity`.
    """
    role, copy, address = held(layout, drive, row)
    if role == UNUSED:
        return 0
    size: int = layout["strip"]
    if layout["family"] == PARITY:
        count = stripe_sources(layout, good, drive, row, address, role, accesses)
        if count == LOST:
            return LOST
        return put(
            accesses,
            count,
            1,
            drive,
            WRITE,
            row * size,
            size,
            role,
            0,
            address,
            RECONSTRUCT,
        )
    copies: int = layout["copies"]
    for turn in range(1, copies):
        other = (copy + turn) % copies
        source, offset = place(layout, address, other)
        if is_good(layout, good, source, offset // size):
            count = put_direct(accesses, 0, 0, source, READ, offset, size, other, address)
            return put_direct(accesses, count, 1, drive, WRITE, row * size, size, copy, address)
    return LOST


def stripe_sources(
    layout: np.void,
    good: NDArray[np.int64],
    drive: int,
    stripe: int,
    address: int,
    role: int,
    accesses: NDArray[np.void],
) -> int:
    """Add the reads that give a strip of a stripe; return how many, or LOST."""
    size: int = layout["strip"]
    k: int = layout["data"]
    n: int = layout["span_drives"]
    span, _ = span_place(layout, address)
    count = 0
    for i in range(k):
        itself = role == DATA and span * n + data_place(layout, stripe, i) == drive
        if not itself and is_data_good(layout, good, span, stripe, i):
            count = put_data(
                layout, accesses, count, 0, READ, span, stripe, i, 0, size, RECONSTRUCT
            )
    missing = k - count
    everything = layout["page"] > 0
    for other in range(P, Q + 1):
        if (
            (missing > 0 or everything)
            and other != role
            and is_parity_good(layout, good, span, stripe, other)
        ):
            count = put_parity_strip(
                layout, accesses, count, 0, READ, span, stripe, other, 0, size, RECONSTRUCT
            )
            missing -= 1
    return LOST if missing > 0 else count


def rebuild_bound(layout: np.void) -> int:
    """Return the most accesses that the rebuild of a strip can need."""
    k: int = layout["data"]
    m: int = layout["parity"]
    return k + max(m, 1)
