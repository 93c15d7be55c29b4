"""The superblock of Linux md, metadata 0.90, as bytes: at the end of a member, in 1,024 words.

Words and their places are those of ``struct mdp_superblock_s`` (Linux, include/uapi/linux/raid/
md_p.h), as a little-endian computer writes them. It has no name, no UUID of a member, and no word
for the progress of a member's rebuild. Sizes are in KiB, so a member has less than 4 TiB.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import ClassVar, Final

from raidsim.attach.superblock import (
    CLEAN,
    FAULTY,
    LENGTH,
    MAGIC,
    SECTOR,
    SPARE,
    NoSuperblock,
    Superblock,
)

MOST_DRIVES: Final = 27
MOST_SECTORS: Final = 2 * (2**32 - 1)  # of a member
UNIT: Final = 128  # sectors: the superblock begins at a multiple of it, and has that much room

_WORDS: Final = struct.Struct("<1024I")
_MINOR: Final = 90

# Words.
_UUID: Final = (5, 13, 14, 15)
_CREATED, _LEVEL, _SIZE, _COUNT, _DRIVES = 6, 7, 8, 9, 10
_UPDATED, _STATE, _ACTIVE, _WORKING, _FAILED, _SPARES, _CHECK = range(32, 39)
_EVENTS, _CHECKED_EVENTS, _RESYNC = 39, 41, 43  # the first two have two words
_LAYOUT, _CHUNK = 64, 65
_DISKS, _DISK, _THIS = 128, 32, 992  # the first of all, words of each, the member's own

# States of the array and of a disk.
_IS_CLEAN, _HAS_BITMAP = 1 << 0, 1 << 8
_IS_FAULTY, _IS_ACTIVE, _IS_IN_SYNC, _IS_REMOVED = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_NO_RESYNC: Final = 2**32 - 1


@dataclass
class Superblock0(Superblock):
    """The superblock of a member in metadata 0.90: values of it and of its array."""

    METADATA: ClassVar[str] = "0.90"
    TELLS_REBUILT: ClassVar[bool] = False

    @property
    def end(self) -> int:
        """See :class:`Superblock`."""
        return self.place + UNIT

    @property
    def bitmap_uuid(self) -> bytes:
        """See :class:`Superblock`; its words are numbers here, as the computer writes them."""
        return struct.pack("<4I", *struct.unpack(">4I", self.array))

    def pack(self) -> bytes:
        """See :class:`Superblock`."""
        words = [0] * 1024
        words[:4] = MAGIC, 0, _MINOR, 0
        for at, word in zip(_UUID, struct.unpack(">4I", self.array), strict=True):
            words[at] = word
        active = [role for role in self.roles if role < self.drives]
        words[_CREATED], words[_UPDATED] = self.created, self.updated
        words[_LEVEL] = self.level & 0xFFFFFFFF
        words[_SIZE], words[_COUNT], words[_DRIVES] = self.size // 2, len(active), self.drives
        words[_STATE] = _IS_CLEAN * (self.resync == CLEAN) | _HAS_BITMAP * (self.bitmap is not None)
        spares = self.roles.count(SPARE)
        words[_ACTIVE], words[_WORKING] = len(active), len(active) + spares
        words[_FAILED], words[_SPARES] = self.roles.count(FAULTY), spares
        for at in (_EVENTS, _CHECKED_EVENTS):
            words[at : at + 2] = self.events & 0xFFFFFFFF, self.events >> 32
        words[_RESYNC] = _NO_RESYNC if self.resync == CLEAN else min(self.resync, _NO_RESYNC - 1)
        words[_LAYOUT], words[_CHUNK] = self.layout, self.chunk * SECTOR
        for number, role in enumerate(self.roles):
            at = _DISKS + number * _DISK
            words[at : at + _DISK] = _disk(number, role)
        words[_THIS : _THIS + _DISK] = _disk(self.number, self.role)
        words[_CHECK] = _sum(words)
        return _WORDS.pack(*words)


def _disk(number: int, role: int) -> list[int]:
    """The words of one disk."""
    state = _IS_ACTIVE | _IS_IN_SYNC
    if role == FAULTY:
        state = _IS_FAULTY | _IS_REMOVED
    elif role == SPARE:
        state = 0
    place = number if role in (FAULTY, SPARE) else role
    return [number, 0, 0, place, state] + [0] * (_DISK - 5)


def _sum(words: list[int]) -> int:
    """Sum of all words but the check sum's own, with what is carried added to it."""
    total = sum(words) - words[_CHECK]
    return ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF


def place_for(sectors: int) -> int:
    """Sector of the superblock on a member whose data takes so many."""
    return -(-sectors // UNIT) * UNIT


def place_on(sectors: int) -> int:
    """Sector of the superblock on a member of so many."""
    return sectors // UNIT * UNIT - UNIT


def parse_0(data: bytes, place: int) -> Superblock0:
    """The superblock that these 4,096 bytes at a sector of a member are.

    Raises
    ------
    NoSuperblock
        If they are none, are damaged, or say something that is not known here.
    """
    if len(data) < LENGTH or data[:8] != struct.pack("<II", MAGIC, 0):
        raise NoSuperblock("there is no superblock of md, metadata 0.90")
    words = list(_WORDS.unpack(data))
    if words[2] != _MINOR:
        raise NoSuperblock(
            "it is being reshaped" if words[2] == _MINOR + 1 else "its metadata is not 0.90"
        )
    if words[_CHECK] != _sum(words):
        raise NoSuperblock("its check sum is wrong")
    drives = words[_DRIVES]
    if not 0 < drives <= MOST_DRIVES:
        raise NoSuperblock(f"it has {drives} drives, where metadata 0.90 has up to {MOST_DRIVES}")
    roles = [_role(words, _DISKS + number * _DISK) for number in range(MOST_DRIVES)]
    number = min(words[_THIS], MOST_DRIVES - 1)
    array = struct.pack(">4I", *(words[at] for at in _UUID))
    resync = 0
    if words[_STATE] & _IS_CLEAN:
        resync = CLEAN
    elif words[_EVENTS : _EVENTS + 2] == words[_CHECKED_EVENTS : _CHECKED_EVENTS + 2]:
        resync = words[_RESYNC]
    return Superblock0(
        array=array,
        member=array[:12] + number.to_bytes(4, "little"),
        name="",
        level=words[_LEVEL] - 2**32 if words[_LEVEL] >> 31 else words[_LEVEL],
        layout=words[_LAYOUT],
        size=2 * words[_SIZE],
        chunk=words[_CHUNK] // SECTOR,
        drives=drives,
        number=number,
        roles=roles,
        data_offset=0,
        data_size=place,
        place=place,
        created=words[_CREATED],
        updated=words[_UPDATED],
        events=words[_EVENTS] | words[_EVENTS + 1] << 32,
        resync=resync,
        bitmap=LENGTH // SECTOR if words[_STATE] & _HAS_BITMAP else None,
    )


def _role(words: list[int], at: int) -> int:
    """Return the role of a disk from its words: its place in the array, FAULTY or SPARE."""
    place, state = words[at + 3], words[at + 4]
    if state & (_IS_FAULTY | _IS_REMOVED):
        return FAULTY
    return place if state & _IS_IN_SYNC else SPARE
