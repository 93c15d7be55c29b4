"""Plans of RAID 5 and 6 page by page, as Linux md makes them.

md updates parity in rows of pages, one page of each drive (a *stripe head*,
``drivers/md/raid5.c``), and chooses the method for each row separately. So a write that begins in
the middle of one strip and ends in the middle of another one does not access the pages between.
Whole pages are read and written. A page that is written in part counts as one that must be read.

For each row the reads of each method are counted (``handle_stripe_dirtying``):

    =================  =========================================================
    method             reads
    =================  =========================================================
    read-modify-write  data pages that are written, P and Q
    reconstruct-write  data pages that are not wholly written
    =================  =========================================================

A page on a lost drive cannot be read, and counts as twice the number of drives. The method with
fewer reads is taken; of equal ones the one that computes parity anew. If even this method needs a
lost page, all surviving pages of the row are read, P and Q included (``need_this_block``), as for
the read of a lost page. The same is done for a write with two drives lost, if P, Q or the written
page is on one of them. Lost parity changes nothing else: its row is read as if it were written.

Rows with the same method have one access to each drive. A write has at most five runs of rows in a
stripe: they are divided where it begins and ends, and at the pages that it covers in part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.plan_parity import (
    high_in_strip,
    is_data_good,
    is_intact,
    lost_data,
    low_in_strip,
    put_data,
    put_parity,
    surviving_parity,
)
from raidsim.layout.tables import (
    DIRECT,
    FULL_STRIPE,
    LOST,
    MODIFY,
    NO_MODIFY,
    NO_RECONSTRUCT,
    READ,
    RECONSTRUCT,
    RECONSTRUCT_WRITE,
    WRITE,
)

RUNS = 5
"""Runs of rows of one stripe that a write can have."""


def page_below(layout: np.void, offset: int) -> int:
    """Return the first byte of the page that holds byte ``offset`` of a strip."""
    page: int = layout["page"]
    return offset // page * page


def page_above(layout: np.void, offset: int) -> int:
    """Return the end of the page in which ``offset`` bytes of a strip end, in bytes."""
    page: int = layout["page"]
    size: int = layout["strip"]
    return min((offset + page - 1) // page * page, size)


def next_cut(layout: np.void, low: int, begin: int, end: int) -> int:
    """Return the end of the run of rows that begins at byte ``low`` of the strips, in bytes."""
    size: int = layout["strip"]
    first = low_in_strip(layout, begin // size, begin)
    last = high_in_strip(layout, (end - 1) // size, end)
    found = size
    cut = page_below(layout, first)
    if low < cut < found:
        found = cut
    cut = page_above(layout, first)
    if low < cut < found:
        found = cut
    cut = page_below(layout, last)
    if low < cut < found:
        found = cut
    cut = page_above(layout, last)
    if low < cut < found:
        found = cut
    return found


def is_written(layout: np.void, i: int, low: int, high: int, begin: int, end: int) -> bool:
    """Return whether a write of [begin, end) has bytes of strip ``i`` in rows [low, high)."""
    return bool(low_in_strip(layout, i, begin) < high and high_in_strip(layout, i, end) > low)


def is_covered(layout: np.void, i: int, low: int, high: int, begin: int, end: int) -> bool:
    """Return whether it has all bytes of strip ``i`` in these rows."""
    return bool(low_in_strip(layout, i, begin) <= low and high_in_strip(layout, i, end) >= high)


def rows_method(
    layout: np.void,
    good: NDArray[np.int64],
    intact: bool,
    policy: int,
    span: int,
    stripe: int,
    low: int,
    high: int,
    begin: int,
    end: int,
) -> int:
    """Return the method by which rows [low, high) of a stripe are written, or LOST.

    ``intact`` says that no strip of the stripe is lost; so nothing is asked of its drives.
    """
    k: int = layout["data"]
    m: int = layout["parity"]
    never = 2 * (k + m)
    modify = 0
    anew = 0
    lost = 0
    lost_written = 0
    lost_in_part = 0
    for i in range(k):
        written = is_written(layout, i, low, high, begin, end)
        covered = written and is_covered(layout, i, low, high, begin, end)
        cost = 1
        if not intact and not is_data_good(layout, good, span, stripe, i):
            cost = never
            lost += 1
            if written:
                lost_written += 1
                if not covered:
                    lost_in_part += 1
        if written:
            modify += cost
        if not covered:
            anew += cost
    survivors = m if intact else surviving_parity(layout, good, span, stripe)
    if lost > survivors:
        return LOST if lost_written > 0 else DIRECT
    modify += survivors + (m - survivors) * never
    failed = lost + m - survivors
    if anew == 0:
        return FULL_STRIPE
    if lost_in_part > 0 or (failed >= 2 and (survivors < m or lost_written > 0)):
        return RECONSTRUCT
    by_change = modify < anew
    if policy == NO_MODIFY:
        by_change = False
    elif policy == NO_RECONSTRUCT:
        by_change = modify < never
    if by_change:
        return MODIFY if modify < never else RECONSTRUCT
    return RECONSTRUCT_WRITE if anew < never else RECONSTRUCT


def write_rows(
    layout: np.void,
    good: NDArray[np.int64],
    policy: int,
    phase: int,
    span: int,
    stripe: int,
    begin: int,
    end: int,
    accesses: NDArray[np.void],
    count: int,
) -> int:
    """Add the reads (phase 0) or writes (phase 1) of a write; return how many, or LOST.

    ``begin`` and ``end`` are bytes in the data of the stripe.
    """
    size: int = layout["strip"]
    k: int = layout["data"]
    intact = is_intact(layout, good, span, stripe)
    first = begin // size
    last = (end - 1) // size
    low = 0
    if first == last:
        low = page_below(layout, begin - first * size)
    while low < size:
        high = next_cut(layout, low, begin, end)
        touched = False
        for i in range(first, last + 1):
            if is_written(layout, i, low, high, begin, end):
                touched = True
        if touched:
            method = rows_method(layout, good, intact, policy, span, stripe, low, high, begin, end)
            if method == LOST:
                return LOST
            for i in range(k):
                if not intact and not is_data_good(layout, good, span, stripe, i):
                    continue
                written = is_written(layout, i, low, high, begin, end)
                wanted = written
                if phase == 0:
                    covered = is_covered(layout, i, low, high, begin, end)
                    wanted = method == RECONSTRUCT
                    wanted = wanted or (method == MODIFY and written)
                    wanted = wanted or (method == RECONSTRUCT_WRITE and not covered)
                    wanted = wanted or (method == DIRECT and written and not covered)
                if wanted:
                    op = READ if phase == 0 else WRITE
                    count = put_data(
                        layout, accesses, count, phase, op, span, stripe, i, low, high, method
                    )
            if phase == 1 and method != DIRECT:
                count = put_parity(
                    layout, good, accesses, count, 1, WRITE, span, stripe, low, high, 2, method
                )
            elif phase == 0 and (method == MODIFY or method == RECONSTRUCT):
                count = put_parity(
                    layout, good, accesses, count, 0, READ, span, stripe, low, high, 2, method
                )
        low = high
    return count


def read_rows(
    layout: np.void,
    good: NDArray[np.int64],
    span: int,
    stripe: int,
    begin: int,
    end: int,
    accesses: NDArray[np.void],
    count: int,
) -> int:
    """Add the reads of bytes ``begin`` to ``end`` of a stripe's data; return how many, or LOST.

    While a drive is lost, what is read is whole pages; all pages of a row in which a lost one is
    wanted.
    """
    size: int = layout["strip"]
    k: int = layout["data"]
    first = begin // size
    last = (end - 1) // size
    if is_intact(layout, good, span, stripe):
        for i in range(first, last + 1):
            start = low_in_strip(layout, i, begin)
            stop = high_in_strip(layout, i, end)
            count = put_data(layout, accesses, count, 0, READ, span, stripe, i, start, stop, DIRECT)
        return count
    # Rows that have to be computed: one run that covers all lost pages that are wanted.
    low = size
    high = 0
    for i in range(first, last + 1):
        if not is_data_good(layout, good, span, stripe, i):
            low = min(low, page_below(layout, low_in_strip(layout, i, begin)))
            high = max(high, page_above(layout, high_in_strip(layout, i, end)))
    if high > 0:
        lost = lost_data(layout, good, span, stripe)
        if lost > surviving_parity(layout, good, span, stripe):
            return LOST
    for i in range(k):
        if not is_data_good(layout, good, span, stripe, i):
            continue
        start = low
        stop = high
        if first <= i <= last:
            start = low_in_strip(layout, i, begin)
            stop = high_in_strip(layout, i, end)
            start = page_below(layout, start)
            stop = page_above(layout, stop)
            if high > 0:
                start = min(start, low)
                stop = max(stop, high)
        method = RECONSTRUCT if high > 0 else DIRECT
        count = put_data(layout, accesses, count, 0, READ, span, stripe, i, start, stop, method)
    if high > 0:
        count = put_parity(
            layout, good, accesses, count, 0, READ, span, stripe, low, high, 2, RECONSTRUCT
        )
    return count
