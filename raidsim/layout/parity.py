"""RAID 5 and 6: each stripe has one or two parity strips, which wander over the drives.

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
    ============================  ===========  =================================

Q follows P, except in N-continue, where it precedes P. The three DDF forms (SNIA Common RAID
Disk Data Format 2.0; Linux md calls them ROTATING_...) differ from md's own in Q: md counts
exponents over data drives from the drive after Q on, DDF takes the number of the drive. With
one parity strip they are right-asymmetric, left-asymmetric and left-symmetric.
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
    RIGHT_ASYMMETRIC,
    RIGHT_SYMMETRIC,
    ZERO_RESTART,
    Level,
    P,
    Q,
)

LEVELS = {
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
}


def p_place(layout: np.void, stripe: int) -> int:
    """Return the drive, within its span, that holds P of ``stripe``."""
    n: int = layout["span_drives"]
    rotation = layout["rotation"]
    if rotation == RIGHT_ASYMMETRIC or rotation == RIGHT_SYMMETRIC or rotation == ZERO_RESTART:
        return stripe % n
    if rotation == N_RESTART and layout["parity"] == 2:
        return n - 1 - (stripe + 1) % n
    return n - 1 - stripe % n


def q_place(layout: np.void, stripe: int) -> int:
    """Return the drive, within its span, that holds Q of ``stripe`` (RAID 6)."""
    n: int = layout["span_drives"]
    step = n - 1 if layout["rotation"] == N_CONTINUE else 1
    return (p_place(layout, stripe) + step) % n


def is_symmetric(layout: np.void) -> bool:
    """Whether data goes on behind the parity instead of starting anew on the first drive."""
    rotation = layout["rotation"]
    return bool(rotation == LEFT_SYMMETRIC or rotation == RIGHT_SYMMETRIC or rotation == N_CONTINUE)


def data_place(layout: np.void, stripe: int, i: int) -> int:
    """Return the drive, within its span, of data strip ``i`` of ``stripe``."""
    n: int = layout["span_drives"]
    p = p_place(layout, stripe)
    if is_symmetric(layout):
        if layout["parity"] == 2 and layout["rotation"] != N_CONTINUE:
            return (p + 2 + i) % n
        return (p + 1 + i) % n
    if layout["parity"] == 1:
        return i + 1 if i >= p else i
    if p == n - 1:  # Q has come around to the first drive
        return i + 1
    return i + 2 if i >= p else i


def parity_held(layout: np.void, stripe: int, drive: int) -> tuple[int, int]:
    """Return role and number within the stripe of what ``drive`` of a span holds there."""
    n: int = layout["span_drives"]
    p = p_place(layout, stripe)
    if drive == p:
        return P, 0
    if layout["parity"] == 2 and drive == q_place(layout, stripe):
        return Q, 0
    if is_symmetric(layout):
        return DATA, (drive - data_place(layout, stripe, 0) + n) % n
    if drive < p:
        q_first = layout["parity"] == 2 and p == n - 1
        return DATA, drive - 1 if q_first else drive
    parity: int = layout["parity"]
    return DATA, drive - parity


def q_exponent(layout: np.void, stripe: int, i: int) -> int:
    """Return e: data strip ``i`` of ``stripe`` enters Q times g^e."""
    n: int = layout["span_drives"]
    place = data_place(layout, stripe, i)
    rotation = layout["rotation"]
    if rotation == ZERO_RESTART or rotation == N_RESTART or rotation == N_CONTINUE:
        return place
    return (place - q_place(layout, stripe) - 1 + n) % n


def parity_strips(layout: np.void) -> int:
    """Return how many strips of data a span holds."""
    rows: int = layout["rows"]
    k: int = layout["data"]
    return rows * k
