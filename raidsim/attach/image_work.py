"""What ``raidsim array`` does with images of members."""

from __future__ import annotations

import os
import sys
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from raidsim import units
from raidsim.attach.consistency import (
    inconsistent,
    make_consistent,
    rows_in_use,
    stripes_in_use,
)
from raidsim.attach.content import DataLost
from raidsim.attach.images import Array, open_array
from raidsim.attach.md import LEVELS
from raidsim.attach.members import Members
from raidsim.attach.nested import Nested, Striped, only_one
from raidsim.attach.superblock import CLEAN, SECTOR, Superblock
from raidsim.errors import InputError, Problem

PIECE: Final = 4 * 2**20  # bytes that are read at a time
MOST_SHOWN: Final = 10  # rows that are named


def size_of(option: str, text: str) -> int:
    """The bytes that an option asks for.

    Raises
    ------
    InputError
        If it is no size.
    """
    try:
        return int(units.parse(text, "size"))
    except ValueError as error:
        raise InputError([Problem(None, None, option, str(error), None)]) from None


def words_of(array: Array | Nested) -> str:
    """An array and its members in words, a line each."""
    if isinstance(array, Nested):
        return _words_of_arrays(array)
    block = array.block
    level = LEVELS.get(block.level, str(block.level))
    name = level if not level.isdigit() else f"RAID {level}"
    members = open_array(array)
    size = int(members.layout["size"])
    members.close()
    missing = array.missing
    health = "all members are there"
    if missing:
        gone = ", ".join(map(str, missing))
        health = f"without drive{'s'[: len(missing) > 1]} {gone}"
    chunk = f", chunk {block.chunk // 2} KiB" if block.chunk else ""
    lines = [
        f"{block.name or 'array'}: {name} of {block.drives} drives, {size} bytes{chunk}",
        f"  metadata {_metadata(block)},"
        f" UUID {uuid.UUID(bytes=block.array)}, {block.events} events, {_when(block.updated)}",
        f"  {'clean' if array.is_clean else 'was not closed: redundancy may not agree'}; {health}",
    ]
    for image in array.images:
        what = f"drive {image.slot}" if image.slot is not None else image.state
        lines.append(f"  {image.path.name}: {what}, data from sector {image.block.data_offset} on")
    return "\n".join(lines)


def _words_of_arrays(nested: Nested) -> str:
    block = nested.block
    lines = [
        f"{block.name or 'array'}: RAID 0 of {block.drives} arrays, {nested.size} bytes,"
        f" chunk {block.chunk // 2} KiB",
        f"  metadata {_metadata(block)}, UUID {uuid.UUID(bytes=block.array)}",
    ]
    for number, (folder, array) in enumerate(zip(nested.folders, nested.arrays, strict=True)):
        lines.append(f"  {folder.name}: member {number}, data from sector {block.data_offset} on")
        lines += [f"    {line}" for line in words_of(array).splitlines()]
    return "\n".join(lines)


def _metadata(block: Superblock) -> str:
    return "0.90" if block.METADATA == "0.90" else "1.x"


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def copy(array: Array | Nested, out: str, offset: int, length: int | None) -> None:
    """Write bytes of an array to a new file, or to standard output.

    Raises
    ------
    InputError
        If they are not in the array, no member tells them, or the file is there already.
    """
    members: Striped | Members
    if isinstance(array, Nested):
        members, size = Striped(array), array.size
    else:
        members = open_array(array)
        size = int(members.layout["size"])
    try:
        length = size - offset if length is None else length
        if offset + length > size or length < 0:
            cause = f"{length} bytes from {offset} on end beyond the array"
            raise InputError([Problem(None, None, "--length", cause, f"it has {size} bytes")])
        with _new(out) as file:
            try:
                for at in range(offset, offset + length, PIECE):
                    file.write(members.read(at, min(PIECE, offset + length - at)))
            except DataLost as error:
                cause = f"{error}: too many members are missing"
                raise InputError([Problem(None, None, None, cause, None)]) from None
    finally:
        members.close()


def _new(out: str) -> BinaryIO:
    if out == "-":
        return os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    try:
        return Path(out).open("xb")
    except OSError as error:
        cause = f'"{out}" cannot be made: {error.strerror}'
        raise InputError(
            [Problem(None, None, "--out", cause, "give the name of a new file")]
        ) from None


def scrub(array: Array | Nested, *, repair: bool) -> tuple[str, bool]:
    """Compare everything that was ever written; what came of it, and whether all agrees.

    Of an array of arrays, each of those.

    Raises
    ------
    InputError
        If members are missing, so that there is nothing to compare with.
    """
    if isinstance(array, Nested):
        found = [scrub(one, repair=repair) for one in array.arrays]
        pairs = zip(array.folders, found, strict=True)
        lines = [f"{folder.name}: {words}" for folder, (words, _) in pairs]
        return "\n".join(lines), all(agrees for _, agrees in found)
    if array.missing:
        gone = ", ".join(map(str, array.missing))
        cause = f"nothing can be compared without drive {gone}"
        raise InputError([Problem(None, None, None, cause, "reconstruct it first")])
    members = open_array(array, write=repair)
    try:
        wrong: dict[tuple[int, int], None] = {}
        rows = 0
        for stripe in stripes_in_use(members):
            rows += 1
            if inconsistent(members, [stripe]):
                wrong[stripe] = None
        if repair:
            make_consistent(members, wrong)
            members.flush()
    finally:
        members.close()
    if not wrong:
        return f"{rows} rows were written to, and all of them agree", True
    shown = ", ".join(str(row) for _, row in list(wrong)[:MOST_SHOWN])
    more = ", ..." if len(wrong) > MOST_SHOWN else ""
    done = "; they agree now, by the data that there is" if repair else ""
    return f"{len(wrong)} of {rows} rows do not agree: {shown}{more}{done}", repair


def reconstruct(array: Array | Nested, drive: int, out: str) -> None:
    """Write what a missing drive held, with a superblock, to a new file.

    Raises
    ------
    InputError
        If the drive is there, cannot be computed, or the file is there already.
    """
    array = only_one(array, "give the folder of the array that lacks the drive")
    if drive not in array.missing:
        there = array.missing or "none"
        cause = f"drive {drive} is not missing"
        raise InputError([Problem(None, None, "--drive", cause, f"missing: {there}")])
    members = open_array(array)
    block = array.block
    number = next((n for n, role in enumerate(block.roles) if role == drive), len(block.roles))
    roles = [*block.roles, *([0xFFFF] * (number + 1 - len(block.roles)))]
    roles[number] = drive
    fresh = replace(
        block, member=uuid.uuid4().bytes, number=number, roles=roles, resync=CLEAN, bitmap=None
    )
    try:
        with _new(out) as file:
            file.truncate(block.end * SECTOR)
            file.seek(block.place * SECTOR)
            file.write(fresh.pack())
            for row in rows_in_use(members):
                content = members.restored(drive, row)
                if content is not None:
                    file.seek(block.data_offset * SECTOR + row * members.strip)
                    file.write(content)
    except DataLost as error:
        Path(out).unlink(missing_ok=True)
        cause = f"{error}: too many members are missing"
        raise InputError([Problem(None, None, None, cause, None)]) from None
    finally:
        members.close()
