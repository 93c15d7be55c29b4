"""Records of layouts and accesses, and the numbers that stand for words in them.

All fields are 64-bit integers: sizes and offsets in bytes, everything else a count or one
of the constants below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Families: how a span places its bytes.
CONCATENATED = 0
STRIPED = 1
MIRRORED = 2
PARITY = 3

# Spread: where the copies of a mirrored strip lie.
NEAR = 0  # side by side (RAID 1, RAID 10, RAID 1E "adjacent")
OFFSET = 1  # in the next row, one drive on (RAID 1E "offset")
FAR = 2  # in another section of the drives, one drive on

# Rotation: how parity wanders from stripe to stripe. The first four are those of Linux md,
# the others the RAID 6 forms of the SNIA disk data format (DDF).
LEFT_ASYMMETRIC = 0
RIGHT_ASYMMETRIC = 1
LEFT_SYMMETRIC = 2
RIGHT_SYMMETRIC = 3
ZERO_RESTART = 4
N_RESTART = 5
N_CONTINUE = 6

# Roles: what the bytes of an access are.
UNUSED = -1
DATA = 0
P = 1
Q = 2

READ = 0
WRITE = 1

# Policies: which way of updating parity a controller does not take where it has the choice.
FEWEST = 0
NO_MODIFY = 1  # never read-modify-write
NO_RECONSTRUCT = 2  # never reconstruct-write

# Methods: how the bytes of an access come about.
DIRECT = 0  # as they are
FULL_STRIPE = 1  # parity of new data alone
MODIFY = 2  # read-modify-write: old data and old parity tell the new parity
RECONSTRUCT_WRITE = 3  # the rest of the stripe is read, and parity computed anew
RECONSTRUCT = 4  # lost data is computed from what survives

# What a plan returns when it needs data that no drive holds any more.
LOST = -1


@dataclass(frozen=True)
class Level:
    """What distinguishes a RAID level: its family, parity strips, least drives of a span.

    ``rotation`` is that of a level whose parity is always placed in one way; None: as asked.
    """

    family: int
    least_drives: int
    parity: int = 0
    nested: bool = False
    rotation: int | None = None


LAYOUT = np.dtype(
    [
        ("family", "i8"),
        ("drives", "i8"),  # in all spans
        ("strip", "i8"),  # bytes
        ("rows", "i8"),  # strips that are used of each drive
        ("spans", "i8"),
        ("span_drives", "i8"),  # drives of one span
        ("unit", "i8"),  # bytes that a span holds before the next span goes on
        ("span_size", "i8"),  # usable bytes of one span
        ("size", "i8"),  # usable bytes
        ("data", "i8"),  # data strips of a stripe (parity), 1 otherwise
        ("parity", "i8"),  # parity strips of a stripe: 0, 1 or 2
        ("rotation", "i8"),
        ("copies", "i8"),  # of each strip; 1 if not mirrored
        ("spread", "i8"),
        ("section", "i8"),  # rows from one copy to the next when spread far
    ]
)

ACCESS = np.dtype(
    [
        ("phase", "i8"),  # starts when all accesses of the phase before are complete
        ("drive", "i8"),
        ("op", "i8"),  # READ or WRITE
        ("offset", "i8"),  # bytes from the start of the drive
        ("length", "i8"),  # bytes
        ("role", "i8"),  # DATA, P or Q
        ("copy", "i8"),  # which copy of mirrored data
        ("address", "i8"),  # in the volume, of the first byte; of parity: see plan_parity
        ("method", "i8"),
    ]
)
