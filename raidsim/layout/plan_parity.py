"""Plans of RAID 5 and 6, stripe by stripe.

Reads take data as it is. For a lost strip, they take all surviving data of the stripe over its
bytes, and as many parity strips as data strips are lost.

Writes update every surviving parity strip with one of these methods. w is the number of written and
k that of all data strips of the stripe, m that of surviving parity strips, l that of lost data
strips:

    ==================  ===================================  =================
    method              reads                                possible
    ==================  ===================================  =================
    full stripe         none                                 all is written
    read-modify-write   w old data, m parity                 no written is lost
    reconstruct-write   data that is not wholly written      no such is lost
    the same, degraded  k - l data and l parity, all there   always
    ==================  ===================================  =================

The method with the fewest reads is taken (all write the same); of equal ones the one that computes
parity anew, as Linux md does. A policy forbids read-modify-write or reconstruct-write. It has no
effect if the other method is impossible.

The changed bytes of parity are taken as one run: those of the written bytes if they are in one
strip, the whole strip otherwise. So each drive has one access per stripe and phase. ``address`` of
a parity access is that of the first data strip of the stripe plus the offset in the strip.

If more data strips are lost than parity strips survive, nothing can be computed from this stripe.
Surviving strips are read and written as they are, and parity is not changed: whatever the rebuild
writes into the lost strips then makes the stripe consistent again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.accesses import put
from raidsim.layout.address import is_good
from raidsim.layout.nested import span_held
from raidsim.layout.parity import data_place, p_place, q_place
from raidsim.layout.tables import (
    DATA,
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
    P,
    Q,
)


def is_data_good(layout: np.void, good: NDArray[np.int64], span: int, stripe: int, i: int) -> bool:
    """Return whether data strip ``i`` of a stripe can be relied on."""
    n: int = layout["span_drives"]
    return is_good(layout, good, span * n + data_place(layout, stripe, i), stripe)


def is_parity_good(
    layout: np.void, good: NDArray[np.int64], span: int, stripe: int, role: int
) -> bool:
    """Return whether P or Q of a stripe is there and can be relied on."""
    n: int = layout["span_drives"]
    if role == P:
        return is_good(layout, good, span * n + p_place(layout, stripe), stripe)
    if layout["parity"] < 2:
        return False
    return is_good(layout, good, span * n + q_place(layout, stripe), stripe)


def is_intact(layout: np.void, good: NDArray[np.int64], span: int, stripe: int) -> bool:
    """Return whether all strips of a stripe are good: then it need not be asked of each."""
    n: int = layout["span_drives"]
    for drive in range(span * n, (span + 1) * n):
        if not is_good(layout, good, drive, stripe):
            return False
    return True


def lost_data(layout: np.void, good: NDArray[np.int64], span: int, stripe: int) -> int:
    """Return the number of lost data strips of a stripe."""
    k: int = layout["data"]
    lost = 0
    for i in range(k):
        if not is_data_good(layout, good, span, stripe, i):
            lost += 1
    return lost


def surviving_parity(layout: np.void, good: NDArray[np.int64], span: int, stripe: int) -> int:
    """Return the number of parity strips of a stripe that can be relied on."""
    found = 0
    for role in range(P, Q + 1):
        if is_parity_good(layout, good, span, stripe, role):
            found += 1
    return found


def low_in_strip(layout: np.void, i: int, begin: int) -> int:
    """Return the byte of strip ``i`` at which a request from ``begin`` (in the stripe) starts."""
    size: int = layout["strip"]
    return max(begin - i * size, 0)


def high_in_strip(layout: np.void, i: int, end: int) -> int:
    """Return the byte of strip ``i`` at which a request up to ``end`` (in the stripe) stops."""
    size: int = layout["strip"]
    return min(end - i * size, size)


def put_data(
    layout: np.void,
    accesses: NDArray[np.void],
    count: int,
    phase: int,
    op: int,
    span: int,
    stripe: int,
    i: int,
    low: int,
    high: int,
    method: int,
) -> int:
    """Add an access to bytes ``low`` to ``high`` of data strip ``i``; nothing if there are none."""
    if high <= low:
        return count
    size: int = layout["strip"]
    k: int = layout["data"]
    n: int = layout["span_drives"]
    drive = span * n + data_place(layout, stripe, i)
    address = span_held(layout, span, (stripe * k + i) * size + low)
    offset = stripe * size + low
    return put(accesses, count, phase, drive, op, offset, high - low, DATA, 0, address, method)


def put_parity_strip(
    layout: np.void,
    accesses: NDArray[np.void],
    count: int,
    phase: int,
    op: int,
    span: int,
    stripe: int,
    role: int,
    low: int,
    high: int,
    method: int,
) -> int:
    """Add an access to bytes ``low`` to ``high`` of P or Q (``role``) of a stripe."""
    size: int = layout["strip"]
    k: int = layout["data"]
    n: int = layout["span_drives"]
    place = p_place(layout, stripe) if role == P else q_place(layout, stripe)
    drive = span * n + place
    address = span_held(layout, span, stripe * k * size) + low
    offset = stripe * size + low
    return put(accesses, count, phase, drive, op, offset, high - low, role, 0, address, method)


def put_parity(
    layout: np.void,
    good: NDArray[np.int64],
    accesses: NDArray[np.void],
    count: int,
    phase: int,
    op: int,
    span: int,
    stripe: int,
    low: int,
    high: int,
    most: int,
    method: int,
) -> int:
    """Add accesses to ``low`` to ``high`` of surviving parity: P, then Q, at ``most`` so many."""
    for role in range(P, Q + 1):
        if most > 0 and is_parity_good(layout, good, span, stripe, role):
            count = put_parity_strip(
                layout, accesses, count, phase, op, span, stripe, role, low, high, method
            )
            most -= 1
    return count


def read_stripe(
    layout: np.void,
    good: NDArray[np.int64],
    span: int,
    stripe: int,
    begin: int,
    end: int,
    accesses: NDArray[np.void],
    count: int,
) -> int:
    """Add the reads of bytes ``begin`` to ``end`` of a stripe's data; return how many, or LOST."""
    size: int = layout["strip"]
    k: int = layout["data"]
    first = begin // size
    last = (end - 1) // size
    intact = is_intact(layout, good, span, stripe)
    # Bytes of the strips that have to be computed: one run that covers all lost ones.
    low = size
    high = 0
    for i in range(first, last + 1):
        if not intact and not is_data_good(layout, good, span, stripe, i):
            low = min(low, low_in_strip(layout, i, begin))
            high = max(high, high_in_strip(layout, i, end))
    if high == 0:
        for i in range(first, last + 1):
            start = low_in_strip(layout, i, begin)
            stop = high_in_strip(layout, i, end)
            count = put_data(layout, accesses, count, 0, READ, span, stripe, i, start, stop, DIRECT)
        return count
    lost = lost_data(layout, good, span, stripe)
    if lost > surviving_parity(layout, good, span, stripe):
        return LOST
    for i in range(k):
        if not is_data_good(layout, good, span, stripe, i):
            continue
        start = low
        stop = high
        if first <= i <= last:
            start = min(start, low_in_strip(layout, i, begin))
            stop = max(stop, high_in_strip(layout, i, end))
        count = put_data(
            layout, accesses, count, 0, READ, span, stripe, i, start, stop, RECONSTRUCT
        )
    return put_parity(
        layout, good, accesses, count, 0, READ, span, stripe, low, high, lost, RECONSTRUCT
    )


def write_method(
    layout: np.void,
    good: NDArray[np.int64],
    intact: bool,
    policy: int,
    span: int,
    stripe: int,
    begin: int,
    end: int,
) -> int:
    """Return the method of a write of bytes ``begin`` to ``end`` of a stripe's data, or LOST."""
    size: int = layout["strip"]
    k: int = layout["data"]
    first = begin // size
    last = (end - 1) // size
    survivors = layout["parity"] if intact else surviving_parity(layout, good, span, stripe)
    lost = 0
    lost_written = 0
    lost_rest = 0  # lost and not wholly written
    rest = 0  # not wholly written and there to be read
    for i in range(k):
        written = first <= i <= last
        # In one strip, parity changes under the written bytes only: they are all of it.
        whole = written and (
            first == last
            or (low_in_strip(layout, i, begin) == 0 and high_in_strip(layout, i, end) == size)
        )
        if intact or is_data_good(layout, good, span, stripe, i):
            if not whole:
                rest += 1
        else:
            lost += 1
            if written:
                lost_written += 1
            if not whole:
                lost_rest += 1
    if lost > survivors:
        return LOST if lost_written > 0 else DIRECT
    if survivors == 0:
        return DIRECT
    anew = RECONSTRUCT_WRITE
    reads = rest
    if lost_rest > 0:
        anew = RECONSTRUCT
        reads = k
    elif rest == 0:
        return FULL_STRIPE
    if lost_written > 0 or policy == NO_MODIFY:
        return anew
    if policy == NO_RECONSTRUCT or last - first + 1 + survivors < reads:
        return MODIFY
    return anew


def write_stripe(
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
    """Add the reads (phase 0) or writes (phase 1) of a write; return how many, or LOST."""
    size: int = layout["strip"]
    k: int = layout["data"]
    first = begin // size
    last = (end - 1) // size
    intact = is_intact(layout, good, span, stripe)
    method = write_method(layout, good, intact, policy, span, stripe, begin, end)
    if method == LOST:
        return LOST
    # Bytes of the parity strips that change.
    low = 0
    high = size
    if first == last:
        low = low_in_strip(layout, first, begin)
        high = high_in_strip(layout, first, end)
    if phase == 1:
        for i in range(first, last + 1):
            if intact or is_data_good(layout, good, span, stripe, i):
                start = low_in_strip(layout, i, begin)
                stop = high_in_strip(layout, i, end)
                count = put_data(
                    layout, accesses, count, 1, WRITE, span, stripe, i, start, stop, method
                )
        if method == DIRECT:
            return count
        return put_parity(
            layout, good, accesses, count, 1, WRITE, span, stripe, low, high, 2, method
        )
    if method == DIRECT or method == FULL_STRIPE:
        return count
    for i in range(k):
        if not intact and not is_data_good(layout, good, span, stripe, i):
            continue
        written = first <= i <= last
        start = low
        stop = high
        if written:
            start = low_in_strip(layout, i, begin)
            stop = high_in_strip(layout, i, end)
        if method == RECONSTRUCT_WRITE and written:
            # The rest of a strip is before the request or behind it, never both.
            count = put_data(layout, accesses, count, 0, READ, span, stripe, i, low, start, method)
            start = stop
            stop = high
        elif method == RECONSTRUCT:
            start = low
            stop = high
        elif method == MODIFY and not written:
            stop = start
        count = put_data(layout, accesses, count, 0, READ, span, stripe, i, start, stop, method)
    most = 0
    if method == MODIFY:
        most = 2
    elif method == RECONSTRUCT:
        most = lost_data(layout, good, span, stripe)
    return put_parity(layout, good, accesses, count, 0, READ, span, stripe, low, high, most, method)
