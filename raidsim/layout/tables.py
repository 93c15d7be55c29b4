"""Records of layouts and accesses, and the numbers that stand for words in them.

All fields are 64-bit integers: sizes and offsets in bytes, everything else a count or one
of the constants below.
"""

from __future__ import annotations

from dataclasses import dataclass

from raidsim.records import Memory, Table, configuration, state

# Families: how a span places its bytes.
CONCATENATED = 0
STRIPED = 1
MIRRORED = 2
PARITY = 3

# Spread: where the copies of a mirrored strip lie.
NEAR = 0  # side by side (RAID 1, RAID 10, RAID 1E "adjacent")
OFFSET = 1  # in the next row, one drive on (RAID 1E "offset")
FAR = 2  # in another section of the drives, one drive on
OFFSET_SETS = 3  # as OFFSET, within sets of as many drives as there are copies
FAR_SETS = 4  # as FAR, within such sets

# Rotation: how parity wanders from stripe to stripe. The first four are those of Linux md,
# the next ones the RAID 6 forms of the SNIA disk data format (DDF). Parity that is first or last
# does not wander. With Q_LAST, Q stays on the last drive, and the others are a RAID 5.
LEFT_ASYMMETRIC = 0
RIGHT_ASYMMETRIC = 1
LEFT_SYMMETRIC = 2
RIGHT_SYMMETRIC = 3
ZERO_RESTART = 4
N_RESTART = 5
N_CONTINUE = 6
PARITY_FIRST = 7
PARITY_LAST = 8
Q_LAST = 16

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
    """The properties of a RAID level: its family, parity strips, least drives of a span.

    ``rotation`` is that of a level whose parity is always placed in one way; None: as requested.
    """

    family: int
    least_drives: int
    parity: int = 0
    nested: bool = False
    rotation: int | None = None


LAYOUTS = Table(
    "layouts",
    "where an array places its bytes, under the number of its row in `arrays`",
    family=configuration("i8", "how a span places its bytes: CONCATENATED, STRIPED, ..."),
    drives=configuration("i8", "in all spans"),
    strip=configuration("i8", "contiguous bytes on a drive", "B"),
    rows=configuration("i8", "strips that are used of each drive"),
    spans=configuration("i8", "arrays that it stripes over"),
    span_drives=configuration("i8", "drives of a span"),
    unit=configuration("i8", "what a span holds before the next span goes on", "B"),
    span_size=configuration("i8", "usable bytes of a span", "B"),
    size=configuration("i8", "usable bytes", "B"),
    data=configuration("i8", "data strips of a stripe with parity, else 1"),
    parity=configuration("i8", "parity strips of a stripe: 0, 1 or 2"),
    rotation=configuration("i8", "how parity wanders: LEFT_SYMMETRIC, ..."),
    copies=configuration("i8", "of each strip; 1 if it is not mirrored"),
    spread=configuration("i8", "where they lie: NEAR, OFFSET, FAR, ..."),
    page=configuration("i8", "rows of so many bytes are planned by themselves; 0: strips", "B"),
    section=configuration("i8", "rows from one copy to the next when spread FAR"),
)
LAYOUT = LAYOUTS.type

ACCESSES = Table(
    "accesses",
    "an access to a drive that the present plan lists",
    Memory(rows=64),
    phase=state("i8", "it starts when all accesses of the phase before are complete"),
    drive=state("i8", "number of the drive in the array"),
    op=state("i8", "READ or WRITE"),
    offset=state("i8", "from the start of the drive", "B"),
    length=state("i8", "bytes from there on", "B"),
    role=state("i8", "DATA, P or Q"),
    copy=state("i8", "which copy of mirrored data"),
    address=state("i8", "in the volume, of its first byte; of parity: see plan_parity", "B"),
    method=state("i8", "how its bytes come about: DIRECT, FULL_STRIPE, ..."),
)
ACCESS = ACCESSES.type
