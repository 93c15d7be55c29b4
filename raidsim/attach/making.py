"""New members of Linux md in files, as ``mdadm --create --assume-clean`` leaves them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from raidsim.attach.superblock import LENGTH, PLACE, SECTOR, Bitmap, Superblock
from raidsim.attach.superblock_0 import MOST_DRIVES, MOST_SECTORS, UNIT, Superblock0, place_for
from raidsim.errors import InputError, Problem

METADATA: Final = "--metadata"
STEP: Final = 2048  # sectors: data begins at a multiple of it
BITMAP_AFTER: Final = LENGTH // SECTOR  # sectors from the superblock to the bitmap


@dataclass(frozen=True)
class NewArray:
    """An array that is to be made.

    Attributes
    ----------
    name
        What it is called.
    level, layout, chunk
        As md numbers them; the chunk in sectors.
    sectors
        That it uses of each member.
    covered
        Sectors that its bitmap is about.
    bitmap_chunk
        Bytes that a bit of the bitmap stands for; None for no bitmap.
    old
        Whether it gets metadata 0.90 in place of 1.2.
    """

    name: str
    level: int
    layout: int
    chunk: int
    sectors: int
    covered: int = 0
    bitmap_chunk: int | None = None
    old: bool = False


def create(new: NewArray, paths: Sequence[Path]) -> None:
    """Make the files of all members: all of their data is zero.

    Raises
    ------
    InputError
        If metadata 0.90 is asked for, and has no words for the array.
    """
    array = uuid.uuid4().bytes
    bitmap = None
    if new.bitmap_chunk is not None:
        bitmap = Bitmap(array, 1, new.bitmap_chunk, new.covered)
    room = len(bitmap.pack()) // SECTOR if bitmap else 0
    begin = 0 if new.old else -(-(PLACE + BITMAP_AFTER + room) // STEP) * STEP
    place = place_for(new.sectors) if new.old else PLACE
    now = int(time.time())
    if new.old:
        _check_old(new, len(paths), room)
    for number, path in enumerate(paths):
        block = (Superblock0 if new.old else Superblock)(
            array=array,
            member=uuid.uuid4().bytes,
            name=f"raidsim:{new.name}",
            level=new.level,
            layout=new.layout,
            size=new.sectors,
            chunk=new.chunk,
            drives=len(paths),
            number=number,
            roles=list(range(len(paths))),
            data_offset=begin,
            data_size=new.sectors,
            place=place,
            created=now,
            updated=now,
            events=1,
            bitmap=BITMAP_AFTER if bitmap else None,
        )
        new_file(path, block.end * SECTOR)
        with path.open("r+b") as file:
            file.seek(block.place * SECTOR)
            file.write(block.pack())
            if bitmap is not None:
                file.seek((block.place + BITMAP_AFTER) * SECTOR)
                file.write(replace(bitmap, array=block.bitmap_uuid).pack())


def new_file(path: Path, size: int) -> None:
    """A file of so many bytes that takes no room."""
    with path.open("wb") as file:
        file.truncate(size)


def _check_old(new: NewArray, drives: int, bitmap: int) -> None:
    """Refuse an array that metadata 0.90 has no words for."""
    wrong = []
    if drives > MOST_DRIVES:
        wrong.append(f"metadata 0.90 has up to {MOST_DRIVES} drives, and {new.name} has {drives}")
    if new.sectors > MOST_SECTORS or new.sectors % 2:
        cause = "metadata 0.90 has drives of whole KiB, below 4 TiB, and those of"
        wrong.append(f"{cause} {new.name} have {new.sectors * SECTOR} bytes")
    if BITMAP_AFTER + bitmap > UNIT:
        wrong.append(f"the bitmap of {new.name} is larger than metadata 0.90 has room for")
    if wrong:
        remedy = "leave the option out"
        raise InputError([Problem(None, None, METADATA, cause, remedy) for cause in wrong])
