"""Members in files, opened for use: checked, made consistent, and completed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from raidsim.attach.consistency import make_consistent, stripes_in_use
from raidsim.attach.images import Array, open_array
from raidsim.attach.keeper import Keeper
from raidsim.attach.making import NewArray, new_file
from raidsim.attach.members import Members
from raidsim.attach.sparse import Sparse
from raidsim.attach.superblock import BITMAP_CHUNK_AT, SECTOR, Bitmap, Superblock
from raidsim.errors import InputError, Problem

OPTION: Final = "--members"


def check_same(
    folder: Path, array: Array, new: NewArray, drives: int, metadata: str | None
) -> None:
    """Refuse members of an array that is not the one which would be made.

    Raises
    ------
    InputError
        With each difference.
    """
    block = array.block
    found: tuple[object, ...] = (
        block.level, block.layout, block.chunk, block.drives, block.size * SECTOR, block.METADATA,
    )  # fmt: skip
    wanted = (
        new.level, new.layout, new.chunk, drives, new.sectors * SECTOR, metadata or block.METADATA,
    )  # fmt: skip
    names = ("level", "layout", "chunk in sectors", "drives", "bytes of each drive", "metadata")
    problems = [
        Problem(str(folder), None, None, f"{name}: {have}, and {new.name} has {want}", None)
        for name, have, want in zip(names, found, wanted, strict=True)
        if have != want
    ]
    if problems:
        raise InputError(problems)


def reopened(folder: Path, array: Array, names: Sequence[str]) -> Members:
    """The bytes of an array to be used: redundancy agrees, and what is missing has a new file.

    Parameters
    ----------
    names
        Of the files of its drives, where there are none.
    """
    members = open_array(array, write=True)
    if not array.is_clean:
        make_consistent(members, stripes_in_use(members))
    for number, image in enumerate(array.drives):
        if image is None:
            path = folder / names[number]
            new_file(path, array.block.end * SECTOR)
            members.drives[number].close()
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            members.drives[number] = Sparse(
                descriptor, members.whole, array.block.data_offset * SECTOR
            )
    return members


def keeper_of(folder: Path, array: Array, names: Sequence[str], covered: int) -> Keeper:
    """The keeper of members that are there; a drive that is missing gets a new superblock.

    Parameters
    ----------
    covered
        Sectors that a bitmap is about.
    """
    paths, blocks = [], []
    for number, image in enumerate(array.drives):
        # A kernel that took in a new drive gave it another number in the list of roles.
        if image is not None:
            paths.append(image.path)
            blocks.append(replace(image.block, number=number))
            continue
        paths.append(folder / names[number])
        blocks.append(replace(array.block, member=uuid.uuid4().bytes, number=number))
    bitmap = None
    if array.block.bitmap is not None:
        path = next(image.path for image in array.drives if image is not None)
        chunk = _bitmap_chunk(path, array.block)
        bitmap = Bitmap(array.block.bitmap_uuid, array.block.events, chunk, covered)
    return Keeper(paths, blocks, bitmap)


def _bitmap_chunk(path: Path, block: Superblock) -> int:
    """Bytes that a bit of the bitmap stands for, by a member's account."""
    with path.open("rb") as file:
        file.seek((block.place + (block.bitmap or 0)) * SECTOR + BITMAP_CHUNK_AT)
        chunk = int.from_bytes(file.read(4), "little")
    if chunk < SECTOR or chunk & (chunk - 1):
        cause = (
            f"its bitmap has chunks of {chunk} bytes, which is not a power of two from {SECTOR} on"
        )
        raise InputError([Problem(str(path), None, None, cause, None)])
    return chunk
