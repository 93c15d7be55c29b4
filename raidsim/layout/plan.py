"""What a request of bytes reads and writes on the drives, in phases.

:func:`pieces` lists it strip by strip, each with its role and address. :func:`merge` of
:mod:`raidsim.layout.accesses` then makes one access of neighbours on a drive. :func:`plan` does
both. Reads have one phase. Writes have one, or two if old data is read first: all reads of the
request, then all its writes. Accesses are in order of phase.

Health is ``good``, see :mod:`raidsim.layout.address`. The part of a drive that is not good is
neither read nor written: a rebuild brings it up to date.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.accesses import merge, start_at_phase_0
from raidsim.layout.address import is_good, place
from raidsim.layout.nested import span_share, spans_touched
from raidsim.layout.plan_copies import copies_pieces
from raidsim.layout.plan_pages import RUNS, read_rows, write_rows
from raidsim.layout.plan_parity import read_stripe, write_stripe
from raidsim.layout.tables import LOST, MIRRORED, PARITY, READ, WRITE


def pieces(
    layout: np.void,
    good: NDArray[np.int64],
    policy: int,
    prefer: int,
    op: int,
    address: int,
    length: int,
    accesses: NDArray[np.void],
) -> int:
    """List the accesses of a request, strip by strip; return how many, or LOST.

    Parameters
    ----------
    layout
        LAYOUT record.
    good
        Bytes of each drive that can be relied on.
    policy
        FEWEST device accesses, or NO_MODIFY or NO_RECONSTRUCT.
    prefer
        Copy that mirrored reads take if it is good.
    op
        READ or WRITE.
    address, length
        Bytes in the volume; at least one, none beyond its end.
    accesses
        ACCESS table to fill, of :func:`bound` records.
    """
    count = 0
    touched = spans_touched(layout, address, length)
    phases = 2 if op == WRITE and layout["family"] == PARITY else 1
    for phase in range(phases):
        for turn in range(touched):
            span, begin, end = span_share(layout, address, length, turn)
            if layout["family"] == PARITY:
                count = parity_pieces(
                    layout, good, policy, op, phase, span, begin, end, accesses, count
                )
            else:
                count = copies_pieces(layout, good, prefer, op, span, begin, end, accesses, count)
            if count == LOST:
                return LOST
    if count <= accesses.shape[0]:
        start_at_phase_0(accesses, count)
    return count


def parity_pieces(
    layout: np.void,
    good: NDArray[np.int64],
    policy: int,
    op: int,
    phase: int,
    span: int,
    begin: int,
    end: int,
    accesses: NDArray[np.void],
    count: int,
) -> int:
    """Add the pieces of one phase of ``begin`` to ``end`` (bytes in ``span``), or return LOST.

    Of each stripe as a whole, or row by row where parity is kept in rows of pages.
    """
    width = layout["data"] * layout["strip"]
    rows = layout["page"] > 0
    for stripe in range(begin // width, (end - 1) // width + 1):
        low = max(begin - stripe * width, 0)
        high = min(end - stripe * width, width)
        if op == READ:
            if rows:
                count = read_rows(layout, good, span, stripe, low, high, accesses, count)
            else:
                count = read_stripe(layout, good, span, stripe, low, high, accesses, count)
        elif rows:
            count = write_rows(
                layout, good, policy, phase, span, stripe, low, high, accesses, count
            )
        else:
            count = write_stripe(
                layout, good, policy, phase, span, stripe, low, high, accesses, count
            )
        if count == LOST:
            return LOST
    return count


def plan(
    layout: np.void,
    good: NDArray[np.int64],
    policy: int,
    prefer: int,
    op: int,
    address: int,
    length: int,
    accesses: NDArray[np.void],
) -> int:
    """List the device accesses of a request, neighbours merged; return how many, or LOST.

    Parameters are those of :func:`pieces`. A table that is too short is not merged and the
    count that would have been needed is returned.
    """
    count = pieces(layout, good, policy, prefer, op, address, length, accesses)
    if count == LOST or count > accesses.shape[0]:
        return count
    return merge(accesses, count)


def redirect(layout: np.void, good: NDArray[np.int64], access: np.void, copy: int) -> bool:
    """Let a read of mirrored data, not yet merged, take another copy; False if it is not good."""
    if layout["family"] != MIRRORED or access["op"] != READ:
        return False
    drive, offset = place(layout, access["address"], copy)
    if not is_good(layout, good, drive, offset // layout["strip"]):
        return False
    access["drive"] = drive
    access["offset"] = offset
    access["copy"] = copy
    return True


def bound(layout: np.void, op: int, length: int) -> int:
    """Return the most accesses that a request of ``length`` bytes can need, in any state.

    Without parity: each strip (each copy of it) once. With parity, per stripe: reads of at
    most k + m drives, writes of what is written and of m parity strips; of a layout with pages
    each of these for every run of rows.
    """
    size: int = layout["strip"]
    strips = (length + size - 2) // size + 1
    copies: int = layout["copies"]
    if layout["family"] != PARITY:
        return strips * copies if op == WRITE else strips
    k: int = layout["data"]
    m: int = layout["parity"]
    spans: int = layout["spans"]
    # One in a span for each whole stripe in the request, and one more at each end.
    stripes = min(length // (k * size) + 2 * min(spans, strips), strips)
    if op == READ:
        return stripes * (k + m)
    if layout["page"] > 0:
        return stripes * RUNS * 2 * (k + m)
    return stripes * (k + m) + strips + stripes * m
