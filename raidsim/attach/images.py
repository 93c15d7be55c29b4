"""Images of the members of a Linux md array, as files: found, assembled, opened.

Files that are opened for reading are never written to. The member with the newest metadata says
which members are missing, out of date or faulty. These count as failed drives.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from raidsim.attach.md import NotMd, layout_of
from raidsim.attach.members import Members
from raidsim.attach.sparse import Sparse
from raidsim.attach.superblock import (
    CLEAN,
    LENGTH,
    MAGIC,
    SECTOR,
    NoSuperblock,
    Superblock,
    parse,
    places,
)
from raidsim.attach.superblock_0 import parse_0, place_on
from raidsim.errors import InputError, Problem

LEAST = 64 * 2**10  # bytes of a file that may be a member
MOST_FILES = 1024


@dataclass
class Image:
    """A file that is a member.

    Attributes
    ----------
    state
        "good", or why it is not used.
    slot
        Which drive of the array it is; None for none.
    """

    path: Path
    block: Superblock
    state: str = "good"
    slot: int | None = None


@dataclass
class Array:
    """An array whose members are files.

    Attributes
    ----------
    block
        The superblock of the freshest member.
    images
        All that belong to it, in the order of their names.
    drives
        The image of each drive; None where there is none that can be used.
    """

    block: Superblock
    images: list[Image]
    drives: list[Image | None]

    @property
    def is_clean(self) -> bool:
        """Whether redundancy agrees everywhere, by the account of the members."""
        return self.block.resync == CLEAN

    @property
    def missing(self) -> list[int]:
        """Drives that there is no image of."""
        return [number for number, image in enumerate(self.drives) if image is None]


def read_superblock(path: Path) -> Superblock:
    """The superblock of an image, wherever metadata 1.x or 0.90 has it.

    Raises
    ------
    NoSuperblock
        If there is none.
    OSError
        If the file cannot be read.
    """
    with path.open("rb") as file:

        def read(at: int, length: int) -> bytes:
            file.seek(at)
            return file.read(length)

        return superblock_in(path.stat().st_size, read)


def superblock_in(size: int, read: Callable[[int, int], bytes]) -> Superblock:
    """The superblock of a member of so many bytes, wherever metadata 1.x or 0.90 has it.

    Parameters
    ----------
    read
        Bytes of the member: from which on, and how many.

    Raises
    ------
    NoSuperblock
        If there is none.
    """
    if size < LEAST:
        raise NoSuperblock("is too small for a member")
    why = NoSuperblock("there is no superblock of md, metadata 1.x or 0.90")
    for place in (*places(size // SECTOR), place_on(size // SECTOR)):
        data = read(place * SECTOR, LENGTH).ljust(LENGTH, b"\0")
        if data[:4] != MAGIC.to_bytes(4, "little"):
            continue
        try:
            block = parse(data) if data[4] else parse_0(data, place)
        except NoSuperblock as error:
            why = error
            continue
        if block.place != place:
            why = NoSuperblock(f"its superblock says that it is at sector {block.place}")
            continue
        if (block.data_offset + (block.size or block.data_size)) * SECTOR > size:
            why = NoSuperblock("is shorter than its superblock says")
            continue
        return block
    raise why


def find(folder: Path) -> Array:
    """The array whose members are in a folder.

    Raises
    ------
    InputError
        If there is none, several, or one that is not known here, with what each file lacks.
    """
    if not folder.is_dir():
        raise wrong(folder, "is not a folder", "give one that holds images of members")
    problems, images = [], []
    for path in sorted(one for one in folder.iterdir() if one.is_file())[:MOST_FILES]:
        try:
            images.append(Image(path, read_superblock(path)))
        except (NoSuperblock, OSError) as error:
            problems.append(Problem(str(path), None, None, str(error), None))
    arrays = {image.block.array for image in images}
    if not arrays:
        raise InputError(problems or [Problem(str(folder), None, None, "is empty", None)])
    if len(arrays) > 1:
        cause = f"holds members of {len(arrays)} arrays"
        raise wrong(folder, cause, "keep those of one in it")
    return _put_together(images)


def _put_together(images: list[Image]) -> Array:
    fresh = max(images, key=lambda image: image.block.events).block
    drives: list[Image | None] = [None] * fresh.drives
    for image in images:
        block = image.block
        role = fresh.roles[block.number] if block.number < len(fresh.roles) else 0xFFFF
        if block.events + 1 < fresh.events:  # md lets one event pass
            image.state = f"is out of date: {block.events} events, where others have {fresh.events}"
        elif role >= fresh.drives:
            image.state = "is a spare, or faulty by the account of the others"
        elif block.rebuilt is not None:
            image.state = f"is rebuilt up to sector {block.rebuilt} only"
        elif drives[role] is not None:
            image.state = f"is drive {role}, as another file is"
        else:
            image.slot = role
            drives[role] = image
    return Array(fresh, images, drives)


def open_array(array: Array, *, write: bool = False) -> Members:
    """The bytes of an array; missing drives are empty and count as failed.

    Raises
    ------
    InputError
        If it is an array that is not known here.
    OSError
        If a file cannot be opened.
    """
    try:
        layout = layout_of(array.block)
    except NotMd as error:
        first = array.images[0].path
        raise InputError([Problem(str(first), None, None, str(error), None)]) from None
    whole = int(layout["strip"]) * int(layout["rows"])
    drives = []
    for image in array.drives:
        if image is None:
            drives.append(Sparse.nameless(whole))
        else:
            flags = os.O_RDWR if write else os.O_RDONLY
            descriptor = os.open(image.path, flags | os.O_CLOEXEC)
            drives.append(Sparse(descriptor, whole, image.block.data_offset * SECTOR))
    members = Members(layout, drives)
    members.good = [0 if image is None else whole for image in array.drives]
    members.written.mark_all()
    return members


def wrong(path: Path, cause: str, remedy: str | None = None) -> InputError:
    """Return the message about a folder that cannot be used."""
    return InputError([Problem(str(path), None, None, cause, remedy)])
