"""RAID 4, 5 and 6: each stripe has one or two parity strips, which may wander over the drives.

N drives, stripe s, data strip i of the stripe; P is the exclusive or of the data, Q the sum
of g^e D_i in GF(2^8) (:mod:`raidsim.layout.gf`).

    ============================  ===========  =================================
    rotation                      drive of P   drive of data strip i
    ============================  ===========  =================================
    left-asymmetric               N-1 - s%N    i, skipping parity
    right-asymmetric              s%N          i, skipping parity
    left-symmetric                N-1 - s%N    i-th after the last parity strip
    right-symmetric               s%N          i-th after the last parity strip
    DDF zero-restart              s%N          as right-asymmetric
    DDF N-restart                 N-1-(s+1)%N  as left-asymmetric
    DDF N-continue                N-1 - s%N    i-th after P
    parity-first                  0            i, skipping parity
    parity-last (RAID 4)          behind data  i
    ============================  ===========  =================================

Q follows P, except in N-continue, where it precedes P. The rotations of RAID 6 whose name ends in
-6 have Q on the last drive, and P and data on the others as RAID 5 of N-1 drives has them: a
RAID 5 becomes one by a further drive. The three DDF forms (SNIA Common RAID Disk Data Format 2.0;
Linux md calls them ROTATING_...) differ from md's own in Q: md counts exponents over data drives
from the drive after Q on, DDF takes the number of the drive. With one parity strip they are
right-asymmetric, left-asymmetric and left-symmetric.
"""

from __future__ import annotations

import numpy as np

from raidsim.layout.tables import (
    DATA,
    LEFT_ASYMMETRIC,
    LEFT_SYMMETRIC,
    N_CONTINUE,
    N_RESTART,
    PARITY,
    PARITY_FIRST,
    PARITY_LAST,
    Q_LAST,
    RIGHT_ASYMMETRIC,
    RIGHT_SYMMETRIC,
    ZERO_RESTART,
    Level,
    P,
    Q,
)

LEVELS = {
    "4": Level(PARITY, 3, parity=1, rotation=PARITY_LAST),
    "5": Level(PARITY, 3, parity=1),
    "6": Level(PARITY, 3, parity=2),
    "50": Level(PARITY, 3, parity=1, nested=True),
    "60": Level(PARITY, 3, parity=2, nested=True),
}
ROTATIONS = {
    "left-asymmetric": LEFT_ASYMMETRIC,
    "right-asymmetric": RIGHT_ASYMMETRIC,
    "left-symmetric": LEFT_SYMMETRIC,
    "right-symmetric": RIGHT_SYMMETRIC,
    "zero-restart": ZERO_RESTART,
    "n-restart": N_RESTART,
    "n-continue": N_CONTINUE,
    "parity-first": PARITY_FIRST,
    "parity-last": PARITY_LAST,
    "left-asymmetric-6": Q_LAST + LEFT_ASYMMETRIC,
    "right-asymmetric-6": Q_LAST + RIGHT_ASYMMETRIC,
    "left-symmetric-6": Q_LAST + LEFT_SYMMETRIC,
    "right-symmetric-6": Q_LAST + RIGHT_SYMMETRIC,
    "parity-first-6": Q_LAST + PARITY_FIRST,
}


def way_of(layout: np.void) -> int:
    """Return the rotation, whether or not Q is last."""
    rotation: int = layout["rotation"]
    return rotation % Q_LAST


def turning(layout: np.void) -> int:
    """Return over how many drives of a span P and data wander: all but a Q that is last."""
    n: int = layout["span_drives"]
    return n - 1 if layout["rotation"] >= Q_LAST else n


def p_place(layout: np.void, stripe: int) -> int:
    """Return the drive, within its span, that holds P of ``stripe``."""
    n = turning(layout)
    rotation = way_of(layout)
    if rotation == RIGHT_ASYMMETRIC or rotation == RIGHT_SYMMETRIC or rotation == ZERO_RESTART:
        return stripe % n
    if rotation == N_RESTART and layout["parity"] == 2:
        return n - 1 - (stripe + 1) % n
    if rotation == PARITY_FIRST:
        return 0
    if rotation == PARITY_LAST:
        parity: int = layout["parity"]
        return n - parity
    return n - 1 - stripe % n


def q_place(layout: np.void, stripe: int) -> int:
    """Return the drive, within its span, that holds Q of ``stripe`` (RAID 6)."""
    n: int = layout["span_drives"]
    if layout["rotation"] >= Q_LAST:
        return n - 1
    step = n - 1 if layout["rotation"] == N_CONTINUE else 1
    return (p_place(layout, stripe) + step) % n


def is_symmetric(layout: np.void) -> bool:
    """Return whether data goes on behind the parity instead of starting anew on the first drive."""
    rotation = way_of(layout)
    return bool(rotation == LEFT_SYMMETRIC or rotation == RIGHT_SYMMETRIC or rotation == N_CONTINUE)


def together(layout: np.void) -> int:
    """Return the number of parity strips that are adjacent and rotate together."""
    parity: int = layout["parity"]
    return 1 if layout["rotation"] >= Q_LAST else parity


def data_place(layout: np.void, stripe: int, i: int) -> int:
    """Return the drive, within its span, of data strip ``i`` of ``stripe``."""
    n = turning(layout)
    p = p_place(layout, stripe)
    beside = together(layout)
    if is_symmetric(layout):
        place = p + 1 + i
        if beside == 2 and layout["rotation"] != N_CONTINUE:
            place += 1
        return place - n if place >= n else place
    if beside == 1:
        return i + 1 if i >= p else i
    if p == n - 1:  # Q has come around to the first drive
        return i + 1
    return i + 2 if i >= p else i


def parity_held(layout: np.void, stripe: int, drive: int) -> tuple[int, int]:
    """Return role and number within the stripe of what ``drive`` of a span holds there."""
    n = turning(layout)
    p = p_place(layout, stripe)
    if drive == p:
        return P, 0
    if layout["parity"] == 2 and drive == q_place(layout, stripe):
        return Q, 0
    if is_symmetric(layout):
        return DATA, (drive - data_place(layout, stripe, 0) + n) % n
    beside = together(layout)
    if drive < p:
        q_first = beside == 2 and p == n - 1
        return DATA, drive - 1 if q_first else drive
    return DATA, drive - beside


def q_exponent(layout: np.void, stripe: int, i: int) -> int:
    """Return e: data strip ``i`` of ``stripe`` enters Q times g^e."""
    n: int = layout["span_drives"]
    place = data_place(layout, stripe, i)
    rotation = layout["rotation"]
    if rotation == ZERO_RESTART or rotation == N_RESTART or rotation == N_CONTINUE:
        return place
    q = q_place(layout, stripe)
    behind = (place - q - 1 + n) % n
    return behind - int((p_place(layout, stripe) - q - 1 + n) % n < behind)


def parity_strips(layout: np.void) -> int:
    """Return the number of data strips that a span holds."""
    rows: int = layout["rows"]
    k: int = layout["data"]
    return rows * k
