"""The superblock and the bitmap of Linux md, metadata 1.x, as bytes.

Fields and their places are those of ``struct mdp_superblock_1`` (Linux, include/uapi/linux/raid/
md_p.h) and ``struct bitmap_super_s`` (drivers/md/md-bitmap.h). All integers are little-endian.
Sizes and places are in sectors of 512 bytes, except the chunk of the bitmap, which is in bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Final

SECTOR: Final = 512
MAGIC: Final = 0xA92B4EFC
BITMAP_MAGIC: Final = 0x6D746962  # "bitm"
CLEAN: Final = 2**64 - 1  # no resync is to be done
PLACE: Final = 8  # sector of the superblock of metadata 1.2
LENGTH: Final = 4096  # bytes that a superblock may take
MOST_ROLES: Final = (LENGTH - 256) // 2

# Features.
HAS_BITMAP: Final = 1 << 0
IS_REBUILT: Final = 1 << 1  # only up to recovery_offset
RESHAPES: Final = 1 << 2
KNOWN: Final = HAS_BITMAP | IS_REBUILT | 1 << 12  # and the layout of RAID 0 is given

# Roles.
FAULTY: Final = 0xFFFE
SPARE: Final = 0xFFFF

_HEAD: Final = struct.Struct("<IIII16s32sQiIQIIi")
_PLACE: Final = struct.Struct("<QQQQII16sBBHI")
_STATE: Final = struct.Struct("<QQQII")
_HEAD_AT, _PLACE_AT, _STATE_AT, _CHECK_AT, _ROLES_AT = 0, 128, 192, 216, 256
_BITMAP: Final = struct.Struct("<II16sQQQIIIIII")
BITMAP_HEAD: Final = 256  # bytes before the bits
BITMAP_CHUNK_AT: Final = 52  # offset of its chunk in its head


class NoSuperblock(ValueError):
    """There is no superblock, or not one that can be used; the text says why."""


@dataclass
class Superblock:
    """The superblock of a member: the values that describe it and its array.

    Attributes
    ----------
    array, member
        UUIDs, 16 bytes.
    name
        Of the array.
    created, updated
        Seconds since 1970.
    level, layout
        As md numbers them: level -1 is linear, layout is that of the level.
    size
        Sectors of each member that the array uses.
    chunk
        Sectors; 0 where there are none.
    drives
        Members that the array has when it is whole.
    data_offset, data_size, place
        Sectors of the member: where its data begins, how much it is, where this superblock is.
    number
        Of this member in ``roles``.
    events
        How often the array was changed: members that have fewer are out of date.
    resync
        Up to where redundancy agrees, sectors; CLEAN for everywhere.
    rebuilt
        Up to where this member is good, sectors; None for everywhere.
    bitmap
        Sectors from this superblock to the bitmap; None if there is none.
    roles
        What each member is: its place in the array, FAULTY or SPARE.
    """

    array: bytes
    member: bytes
    name: str
    level: int
    layout: int
    size: int
    chunk: int
    drives: int
    number: int
    roles: list[int]
    data_offset: int
    data_size: int
    place: int = PLACE
    created: int = 0
    updated: int = 0
    events: int = 0
    resync: int = CLEAN
    rebuilt: int | None = None
    bitmap: int | None = None
    features: int = field(default=0)

    METADATA: ClassVar[str] = "1.2"
    TELLS_REBUILT: ClassVar[bool] = True
    """Whether it has a word for how far a member is rebuilt."""

    @property
    def end(self) -> int:
        """Sectors that a member takes at least."""
        return self.data_offset + self.data_size

    @property
    def bitmap_uuid(self) -> bytes:
        """The UUID of the array as its bitmap has it: without it a kernel refuses the array."""
        return self.array

    @property
    def role(self) -> int:
        """The role of this member, according to its superblock."""
        return self.roles[self.number] if self.number < len(self.roles) else SPARE

    def pack(self) -> bytes:
        """The superblock as it stands on a member, 4,096 bytes."""
        features = self.features & ~(HAS_BITMAP | IS_REBUILT)
        features |= HAS_BITMAP if self.bitmap is not None else 0
        features |= IS_REBUILT if self.rebuilt is not None else 0
        data = bytearray(LENGTH)
        name = self.name.encode()[:32]
        _HEAD.pack_into(
            data, _HEAD_AT, MAGIC, 1, features, 0, self.array, name, self.created, self.level,
            self.layout, self.size, self.chunk, self.drives, self.bitmap or 0,
        )  # fmt: skip
        _PLACE.pack_into(
            data, _PLACE_AT, self.data_offset, self.data_size, self.place, self.rebuilt or 0,
            self.number, 0, self.member, 0, 0, 0, 0,
        )  # fmt: skip
        _STATE.pack_into(
            data, _STATE_AT, self.updated, self.events, self.resync, 0, len(self.roles)
        )
        struct.pack_into(f"<{len(self.roles)}H", data, _ROLES_AT, *self.roles)
        struct.pack_into("<I", data, _CHECK_AT, check_sum(data, len(self.roles)))
        return bytes(data)


def check_sum(data: bytes | bytearray, roles: int) -> int:
    """Sum of all words of 32 bits but the check sum's own, with what is carried added to it."""
    used = bytearray(data[: _ROLES_AT + 2 * roles])
    struct.pack_into("<I", used, _CHECK_AT, 0)
    used += bytes(-len(used) % 4)
    total: int = sum(struct.unpack(f"<{len(used) // 4}I", used))
    return ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF


def parse(data: bytes) -> Superblock:
    """The superblock that these 4,096 bytes are.

    Raises
    ------
    NoSuperblock
        If they are none, are damaged, or say something that is not known here.
    """
    if len(data) < LENGTH or data[:4] != struct.pack("<I", MAGIC):
        raise NoSuperblock("there is no superblock of md, metadata 1.x")
    (
        _, major, features, _, array, name, created, level, layout, size, chunk, drives, bitmap,
    ) = _HEAD.unpack_from(data, _HEAD_AT)  # fmt: skip
    offset, data_size, place, rebuilt, number, _, member, *_ = _PLACE.unpack_from(data, _PLACE_AT)
    updated, events, resync, check, roles = _STATE.unpack_from(data, _STATE_AT)
    if major != 1:
        raise NoSuperblock(f"its metadata is of version {major}, and 1.x can be read")
    if drives > MOST_ROLES:
        raise NoSuperblock(f"it has {drives} drives, where md has up to {MOST_ROLES}")
    if roles > MOST_ROLES or check != check_sum(data, roles):
        raise NoSuperblock("its check sum is wrong")
    if features & ~KNOWN:
        raise NoSuperblock(
            "it is being reshaped" if features & RESHAPES else f"has unknown features {features:#x}"
        )
    return Superblock(
        array=array,
        member=member,
        name=name.rstrip(b"\0").decode(errors="replace"),
        level=level,
        layout=layout,
        size=size,
        chunk=chunk,
        drives=drives,
        number=number,
        roles=list(struct.unpack_from(f"<{roles}H", data, _ROLES_AT)),
        data_offset=offset,
        data_size=data_size,
        place=place,
        created=created & (2**40 - 1),
        updated=updated & (2**40 - 1),
        events=events,
        resync=resync,
        rebuilt=rebuilt if features & IS_REBUILT else None,
        bitmap=bitmap if features & HAS_BITMAP else None,
        features=features,
    )


def places(sectors: int) -> list[int]:
    """Sectors of a member of so many at which a superblock may be: metadata 1.2, 1.1, 1.0."""
    return [PLACE, 0, (sectors - 16) // 8 * 8]


@dataclass
class Bitmap:
    """Which parts of an array were written to and may not agree.

    Attributes
    ----------
    chunk
        Bytes that a bit stands for.
    sectors
        Sectors that all bits together stand for.
    marked
        Numbers of the bits that are set.
    """

    array: bytes
    events: int
    chunk: int
    sectors: int
    marked: set[int] = field(default_factory=set)

    @property
    def bits(self) -> int:
        """The number of bits."""
        return -(-self.sectors * SECTOR // self.chunk)

    def pack(self) -> bytes:
        """The bitmap as it stands on a member: whole sectors."""
        head = _BITMAP.pack(
            BITMAP_MAGIC, 4, self.array, self.events, self.events, self.sectors, 0, self.chunk,
            5, 0, 0, 0,
        )  # fmt: skip
        bits = bytearray(-(-self.bits // 8))
        for number in self.marked:
            bits[number // 8] |= 1 << number % 8
        data = head.ljust(BITMAP_HEAD, b"\0") + bits
        return data + bytes(-len(data) % SECTOR)


def bits_of(numbers: Iterable[int], first: int, length: int) -> bytes:
    """The bitmap of the bits ``numbers``: ``length`` bytes of it, from byte ``first`` on."""
    found = bytearray(length)
    for number in numbers:
        at = number // 8 - first
        if 0 <= at < length:
            found[at] |= 1 << number % 8
    return bytes(found)
