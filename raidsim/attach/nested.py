"""Arrays whose members are arrays: md's RAID 0 over RAID 5 or 6, or over other levels.

A folder contains a folder for each inner array. The content of an inner array is a member of the
outer one. The superblock of this member is read through the inner array, so it is readable when
some of the drives are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from raidsim.attach.content import DataLost
from raidsim.attach.images import Array, find, open_array, superblock_in, wrong
from raidsim.attach.members import Members
from raidsim.attach.superblock import SECTOR, NoSuperblock, Superblock

NEW_NAME: Final = "span-"  # of the folders of new inner arrays, with a number behind it


def outer_superblock(inner: Members) -> Superblock:
    """The superblock of the outer array that an inner one holds.

    Raises
    ------
    NoSuperblock
        If it holds none.
    DataLost
        If too many drives of the inner array are missing.
    """
    return superblock_in(int(inner.layout["size"]), inner.read)


@dataclass
class Nested:
    """A RAID 0 whose members are arrays.

    Attributes
    ----------
    block
        A superblock of the outer array.
    folders
        Of the inner arrays, in the order of the outer one.
    arrays
        The inner arrays, in that order.
    """

    block: Superblock
    folders: list[Path]
    arrays: list[Array]

    @property
    def size(self) -> int:
        """Bytes of the outer array."""
        chunk = self.block.chunk
        return self.block.data_size // chunk * chunk * SECTOR * self.block.drives


class Striped:
    """The bytes of such an array."""

    def __init__(self, nested: Nested) -> None:
        self.size = nested.size
        self._chunk = nested.block.chunk * SECTOR
        self._first = nested.block.data_offset * SECTOR
        self._inner = [open_array(array) for array in nested.arrays]

    def read(self, address: int, length: int) -> bytes:
        """Bytes of the array.

        Raises
        ------
        DataLost
            If no drive tells them any more.
        """
        parts, end, count = [], address + length, len(self._inner)
        while address < end:
            number, within = divmod(address, self._chunk)
            piece = min(self._chunk - within, end - address)
            at = self._first + number // count * self._chunk + within
            parts.append(self._inner[number % count].read(at, piece))
            address += piece
        return b"".join(parts)

    def close(self) -> None:
        """Give the files back."""
        for one in self._inner:
            one.close()


def find_any(folder: Path) -> Array | Nested:
    """The array whose members are in a folder, or in its folders.

    Raises
    ------
    InputError
        If there is none, several, or one that is not known here.
    """
    inner = sorted(one for one in folder.iterdir() if one.is_dir()) if folder.is_dir() else []
    if not inner:
        return find(folder)
    if any(one.is_file() for one in folder.iterdir()):
        raise wrong(folder, "holds files and folders", "keep members alone in it, or arrays alone")
    return _put_together(folder, inner)


def _put_together(folder: Path, inner: list[Path]) -> Nested:
    arrays = [find(one) for one in inner]
    blocks: list[Superblock | None] = []
    for path, array in zip(inner, arrays, strict=True):
        members = open_array(array)
        try:
            blocks.append(outer_superblock(members))
        except DataLost:
            blocks.append(None)
        except NoSuperblock as error:
            raise wrong(path, f"holds no member of an outer array: {error}") from None
        finally:
            members.close()
    there = [block for block in blocks if block is not None]
    if not there:
        raise wrong(folder, "has too many members missing in each of its arrays")
    block = max(there, key=lambda one: one.events)
    if len({one.array for one in there}) > 1:
        raise wrong(folder, "holds members of several outer arrays", "keep those of one in it")
    if block.level != 0 or not block.chunk:
        raise wrong(folder, f"is an array of arrays of level {block.level}, and RAID 0 is known")
    if len({(one.data_offset, one.data_size) for one in there}) > 1:
        raise wrong(folder, "has inner arrays of several sizes, which is not known here")
    if len(inner) != block.drives:
        raise wrong(folder, f"has {len(inner)} arrays, where the outer one has {block.drives}")
    places: list[int | None] = [None if one is None else one.role for one in blocks]
    free = [place for place in range(block.drives) if place not in places]
    order = [free.pop(0) if place is None else place for place in places]
    if sorted(order) != list(range(block.drives)):
        raise wrong(folder, "has arrays that do not go together in the outer one")
    at = [order.index(place) for place in range(block.drives)]
    return Nested(block, [inner[n] for n in at], [arrays[n] for n in at])


def only_one(array: Array | Nested, why: str) -> Array:
    """The array, if it is none of arrays.

    Raises
    ------
    InputError
        If it is.
    """
    if isinstance(array, Nested):
        raise wrong(array.folders[0].parent, "is an array of arrays", why)
    return array
