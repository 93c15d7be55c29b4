"""Drives of a volume as files in a folder, laid out as Linux md lays out its members.

An array gets metadata 1.2: a superblock at 4 KiB of each file, behind it the bitmap if the volume
has one (``intent = "bitmap"``), and the data from a whole MiB on; or metadata 0.90, whose
superblock stands behind the data. So mdadm can examine the files, and put them together. While
they are in use they say that redundancy may not agree; only a clean end takes that back. A single
drive is a file of its bytes alone.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import quote

from raidsim.attach.images import Array, find, open_array
from raidsim.attach.md import NotMd, numbers_of
from raidsim.attach.members import Flat, Members
from raidsim.attach.sparse import Sparse
from raidsim.attach.superblock import (
    BITMAP_HEAD,
    CLEAN,
    FAULTY,
    LENGTH,
    PLACE,
    SECTOR,
    SPARE,
    Bitmap,
    Superblock,
    bits_of,
)
from raidsim.attach.superblock_0 import MOST_DRIVES, MOST_SECTORS, UNIT, Superblock0, place_for
from raidsim.control import Volume
from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t

OPTION: Final = "--members"
METADATA: Final = "--metadata"
STEP: Final = 2048  # sectors: data begins at a multiple of it
BITMAP_AFTER: Final = LENGTH // SECTOR  # sectors from the superblock to the bitmap


class Keeper:
    """What stands before the data on the members of one array, kept true.

    Parameters
    ----------
    paths
        Files of the drives, in order.
    blocks
        Their superblocks.
    bitmap
        The bitmap, if there is one.
    """

    def __init__(self, paths: list[Path], blocks: list[Superblock], bitmap: Bitmap | None) -> None:
        self.blocks = blocks
        self.bitmap = bitmap
        self._files = [os.open(path, os.O_RDWR | os.O_CLOEXEC) for path in paths]
        self._events = max(block.events for block in blocks)
        self._good = [True] * len(paths)
        self._stripe = 0  # bytes of data in a stripe with parity: then bits are about members
        self._strip = 1

    def knows(self, members: Members) -> None:
        """Take note of what is on the members at the beginning."""
        self._strip = members.strip
        if self.blocks[0].level in (4, 5, 6):
            self._stripe = members.layout["data"] * members.strip
        self._good = [good > 0 for good in members.good]

    def begin(self) -> None:
        """From now on redundancy may not agree."""
        self._write(resync=0)

    def changed(self, members: Members) -> None:
        """Take note of drives that failed or came back."""
        good = [one > 0 for one in members.good]
        whole = [one >= members.whole for one in members.good]
        told = [block.rebuilt is None for block in self.blocks]
        if good == self._good and whole == told:
            return
        self._good = good
        for block, one in zip(self.blocks, members.good, strict=True):
            block.rebuilt = None if one in (0, members.whole) else one // SECTOR
        self._write(resync=0)

    def mark(self, address: int, length: int) -> None:
        """Set the bits of what is about to be written."""
        if self.bitmap is None:
            return
        first, last = address, address + length - 1
        if self._stripe:
            first = first // self._stripe * self._strip
            last = last // self._stripe * self._strip + self._strip - 1
        numbers = range(first // self.bitmap.chunk, last // self.bitmap.chunk + 1)
        fresh = [number for number in numbers if number not in self.bitmap.marked]
        if fresh:
            self._write_bits(fresh, fresh[0] // 8, fresh[-1] // 8 + 1)
            self.bitmap.marked.update(fresh)

    def end(self, torn: Iterable[int]) -> None:
        """The members are closed: redundancy agrees, but in these rows."""
        rows = list(torn)
        if self.bitmap is not None:
            if self._stripe:
                self.bitmap.marked = {row * self._strip // self.bitmap.chunk for row in rows}
            elif not rows:
                self.bitmap.marked.clear()
        self._write(resync=0 if rows else CLEAN)
        for file in self._files:
            os.fsync(file)
            os.close(file)

    def _write(self, resync: int) -> None:
        self._events += 1
        roles = [
            FAULTY if not good else number if self._is_told(block) else SPARE
            for number, (block, good) in enumerate(zip(self.blocks, self._good, strict=True))
        ]
        for file, block, good in zip(self._files, self.blocks, self._good, strict=True):
            if not good:
                continue  # nothing is written to a drive that has failed: it is out of date
            block.roles, block.resync, block.events = roles, resync, self._events
            block.updated = int(time.time())
            _put(file, block.pack(), block.place * SECTOR)
            if self.bitmap is not None:
                self.bitmap.events = self._events
                _put(file, self.bitmap.pack(), self._bitmap_at(block))

    @staticmethod
    def _is_told(block: Superblock) -> bool:
        """Whether the superblocks can say how far a member is good, or it is good as a whole."""
        return block.TELLS_REBUILT or block.rebuilt is None

    def _write_bits(self, fresh: list[int], first: int, end: int) -> None:
        """Write these bytes of the bits, with those set that are fresh."""
        assert self.bitmap is not None
        data = bits_of({*self.bitmap.marked, *fresh}, first, end - first)
        for file, block, good in zip(self._files, self.blocks, self._good, strict=True):
            if good:
                _put(file, data, self._bitmap_at(block) + BITMAP_HEAD + first)

    @staticmethod
    def _bitmap_at(block: Superblock) -> int:
        return (block.place + (block.bitmap or 0)) * SECTOR


def _put(file: int, data: bytes, at: int) -> None:
    written = 0
    while written < len(data):
        written += os.pwrite(file, data[written:], at + written)


def folder_of(above: Path, volume: str) -> Path:
    """The folder of a volume: its name, with whatever could lead elsewhere written in %."""
    name = quote(volume, safe=" ()+,=@")
    return above / (name.replace(".", "%2E") if name.strip(".") == "" else name)


def members_in(above: Path, volume: Volume, metadata: str | None = None) -> Flat | Members:
    """The drives of a volume in files: those that are there, or new ones.

    Drives whose files are missing or out of date have failed: the caller lets them fail in the
    simulation, too.

    Parameters
    ----------
    above
        The folder that has a folder for each volume.
    volume
        The volume.
    metadata
        Of the superblocks: "1.2" or "0.90"; None for those that are there, or else 1.2.

    Raises
    ------
    InputError
        If the files are of another array, or md has none like this one.
    OSError
        If the host gives no such files.
    """
    folder = folder_of(above, volume.name)
    folder.mkdir(parents=True, exist_ok=True)
    place = volume.system.world.volumes[volume.row]
    if volume.spec.layout is None or place["kind"] != t.VOLUME_ARRAY:
        return Flat(_whole_file(folder / "drive-0", volume.capacity))
    layout = volume.system.world.layouts[place["array"]]
    try:
        numbers = numbers_of(layout, volume.spec.level, volume.spec.rotation)
    except NotMd as error:
        remedy = "leave the option out"
        if int(layout["spans"]) > 1:
            remedy += ", or make each of those arrays a volume"
        problem = Problem(None, None, OPTION, f"{volume.name}: {error}", remedy)
        raise InputError([problem]) from None
    if not any(folder.iterdir()):
        _create(folder, volume, numbers, old=metadata == Superblock0.METADATA)
    array = find(folder)
    _check_same(
        folder, array, volume, (*numbers, int(layout["rows"]) * int(layout["strip"])), metadata
    )
    members = open_array(array, write=True)
    if not array.is_clean:
        n = members.layout["span_drives"]
        spots = [(s, r) for r in members.rows_in_use() for s in range(len(members.drives) // n)]
        members.make_consistent(spots)
    for number, image in enumerate(array.drives):
        if image is None:
            path = folder / f"drive-{number}"
            _new_file(path, _size(array.block))
            members.drives[number].close()
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            members.drives[number] = Sparse(
                descriptor, members.whole, array.block.data_offset * SECTOR
            )
    keeper = _keeper(folder, array, int(layout["size"]) // SECTOR)
    keeper.knows(members)
    keeper.begin()
    members.keeper = keeper
    return members


def _whole_file(path: Path, size: int) -> Sparse:
    if not path.exists():
        _new_file(path, size)
    if path.stat().st_size != size:
        cause = f"has {path.stat().st_size} bytes, and the drive {size}"
        raise InputError([Problem(str(path), None, None, cause, "give another folder")])
    return Sparse(os.open(path, os.O_RDWR | os.O_CLOEXEC), size)


def _new_file(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def _size(block: Superblock) -> int:
    """Bytes of a file of a member."""
    return block.end * SECTOR


def _create(folder: Path, volume: Volume, numbers: tuple[int, int, int], *, old: bool) -> None:
    """New members, as ``mdadm --create --assume-clean`` leaves them: all of it is zero."""
    spec = volume.spec
    shape = volume.system.world.layouts[volume.system.world.volumes[volume.row]["array"]]
    sectors = int(shape["strip"]) * int(shape["rows"]) // SECTOR
    level, way, chunk = numbers
    bitmap = None
    array = uuid.uuid4().bytes
    if spec.intent == "bitmap" and level in (1, 4, 5, 6, 10):
        covered = int(shape["size"]) // SECTOR if level == 10 else sectors
        bitmap = Bitmap(array, 1, spec.bitmap_chunk, covered)
    room = len(bitmap.pack()) // SECTOR if bitmap else 0
    begin = 0 if old else -(-(PLACE + BITMAP_AFTER + room) // STEP) * STEP
    place = place_for(sectors) if old else PLACE
    now = int(time.time())
    count = int(shape["drives"])
    if old:
        _check_old(volume, count, sectors, room)
    for number in range(count):
        block = (Superblock0 if old else Superblock)(
            array=array,
            member=uuid.uuid4().bytes,
            name=f"raidsim:{volume.name}",
            level=level,
            layout=way,
            size=sectors,
            chunk=chunk,
            drives=count,
            number=number,
            roles=list(range(count)),
            data_offset=begin,
            data_size=sectors,
            place=place,
            created=now,
            updated=now,
            events=1,
            bitmap=BITMAP_AFTER if bitmap else None,
        )
        path = folder / f"drive-{number}"
        _new_file(path, _size(block))
        with path.open("r+b") as file:
            file.seek(block.place * SECTOR)
            file.write(block.pack())
            if bitmap is not None:
                file.seek((block.place + BITMAP_AFTER) * SECTOR)
                file.write(replace(bitmap, array=block.bitmap_uuid).pack())


def _check_old(volume: Volume, drives: int, sectors: int, bitmap: int) -> None:
    """Refuse an array that metadata 0.90 has no words for."""
    wrong = []
    if drives > MOST_DRIVES:
        wrong.append(
            f"metadata 0.90 has up to {MOST_DRIVES} drives, and {volume.name} has {drives}"
        )
    if sectors > MOST_SECTORS or sectors % 2:
        cause = "metadata 0.90 has drives of whole KiB, below 4 TiB, and those of"
        wrong.append(f"{cause} {volume.name} have {sectors * SECTOR} bytes")
    if BITMAP_AFTER + bitmap > UNIT:
        wrong.append(f"the bitmap of {volume.name} is larger than metadata 0.90 has room for")
    if wrong:
        remedy = "leave the option out"
        raise InputError([Problem(None, None, METADATA, cause, remedy) for cause in wrong])


def _check_same(
    folder: Path,
    array: Array,
    volume: Volume,
    numbers: tuple[int, int, int, int],
    metadata: str | None,
) -> None:
    """Refuse members of an array that is not the scenario's."""
    block = array.block
    level, way, chunk, whole = numbers
    found: tuple[object, ...] = (
        block.level, block.layout, block.chunk, block.drives, block.size * SECTOR, block.METADATA,
    )  # fmt: skip
    wanted = (level, way, chunk, int(volume.spec.drives), whole, metadata or block.METADATA)
    names = ("level", "layout", "chunk in sectors", "drives", "bytes of each drive", "metadata")
    problems = [
        Problem(str(folder), None, None, f"{name}: {have}, and {volume.name} has {want}", None)
        for name, have, want in zip(names, found, wanted, strict=True)
        if have != want
    ]
    if problems:
        raise InputError(problems)


def _keeper(folder: Path, array: Array, sectors: int) -> Keeper:
    """The keeper of members that are there; a drive that is missing gets a new superblock."""
    paths, blocks = [], []
    for number, image in enumerate(array.drives):
        if image is not None:
            paths.append(image.path)
            blocks.append(image.block)
            continue
        paths.append(folder / f"drive-{number}")
        fresh = array.block
        blocks.append(replace(fresh, member=uuid.uuid4().bytes, number=number))
    bitmap = None
    if array.block.bitmap is not None:
        covered = sectors if array.block.level == 10 else array.block.size
        chunk = _bitmap_chunk(array.images[0].path, array.block)
        bitmap = Bitmap(array.block.bitmap_uuid, array.block.events, chunk, covered)
    return Keeper(paths, blocks, bitmap)


def _bitmap_chunk(path: Path, block: Superblock) -> int:
    with path.open("rb") as file:
        file.seek((block.place + (block.bitmap or 0)) * SECTOR + 52)
        return int.from_bytes(file.read(4), "little")
