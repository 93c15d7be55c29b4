"""Drives of a RAID 50 or 60 as files: a RAID 0 of Linux md over arrays of md.

Each span is a separate array in a separate folder: ``span-0/drive-0`` and so on, with the drive
numbers of the simulation. The content of a span is a member of the outer RAID 0: a superblock at 4
KiB, and then the span's part of the volume. So the first rows of the drives of a span hold this
superblock with its parity, and the rows of the simulation follow. The first rows are a whole number
of cycles of the parity rotation, so that parity is on the same drives as in the simulation.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from raidsim.attach.content import DataLost
from raidsim.attach.images import find
from raidsim.attach.keeper import Keeper
from raidsim.attach.making import METADATA, NewArray, create
from raidsim.attach.members import Members
from raidsim.attach.nested import NEW_NAME, outer_superblock
from raidsim.attach.reopening import check_same, keeper_of, reopened
from raidsim.attach.superblock import PLACE, SECTOR, NoSuperblock, Superblock
from raidsim.errors import InputError, Problem
from raidsim.layout.address import place
from raidsim.layout.tables import Q_LAST

LOG = logging.getLogger("raidsim.attach")

LEAST_BEFORE: Final = 64 * 2**10  # bytes of a span before its part of the volume
STRIPED: Final = 0  # md's level of the outer array


def spans_in(folder: Path, new: NewArray, layout: np.void) -> Members:
    """The drives of such a volume in files: those that are there, or new ones.

    Parameters
    ----------
    folder
        The volume's.
    new
        What one span would be, if it held the volume's part alone.
    layout
        Of the whole volume.

    Raises
    ------
    InputError
        If metadata 0.90 is asked for, or the files are of another array.
    """
    if new.old:
        cause = f"{new.name} is an array of arrays, and those get metadata 1.2"
        raise InputError([Problem(None, None, METADATA, cause, "leave the option out")])
    spans, n = int(layout["spans"]), int(layout["span_drives"])
    strip, stripe = int(layout["strip"]), int(layout["strip"]) * int(layout["data"])
    turn = n - 1 if layout["rotation"] >= Q_LAST else n  # rows after which parity is as before
    before = -(-LEAST_BEFORE // (turn * stripe)) * turn
    sectors = new.sectors + before * strip // SECTOR
    inner = replace(new, sectors=sectors, covered=sectors)
    names = [[f"drive-{span * n + number}" for number in range(n)] for span in range(spans)]
    folders = [folder / f"{NEW_NAME}{span}" for span in range(spans)]
    outer = Superblock(
        array=uuid.uuid4().bytes,
        member=b"",
        name=f"raidsim:{new.name}",
        level=STRIPED,
        layout=0,
        size=0,
        chunk=int(layout["unit"]) // SECTOR,
        drives=spans,
        number=0,
        roles=list(range(spans)),
        data_offset=before * stripe // SECTOR,
        data_size=int(layout["span_size"]) // SECTOR,
        events=1,
    )
    named = [replace(inner, name=f"{new.name}-{number}") for number in range(spans)]
    is_new = not any(folder.iterdir())
    if is_new:
        for number, path in enumerate(folders):
            path.mkdir()
            create(
                replace(inner, name=f"{new.name}-{number}"), [path / name for name in names[number]]
            )
    arrays, keepers = [], []
    for number, path in enumerate(folders):
        array = find(path)
        check_same(path, array, named[number], n, None)
        arrays.append(reopened(path, array, names[number]))
        if is_new:
            block = replace(outer, number=number, member=uuid.uuid4().bytes)
            block.created = block.updated = array.block.created
            arrays[number].write(PLACE * SECTOR, block.pack())
        else:
            _check_outer(path, arrays[number], outer, number)
        keepers.append(keeper_of(path, array, names[number], sectors))
    drives = [
        drive.part(before * strip, sectors * SECTOR - before * strip)
        for array in arrays
        for drive in array.drives
    ]
    members = Members(layout, drives)
    members.good = [members.whole if good else 0 for array in arrays for good in array.good]
    if not is_new:
        members.written.mark_all()
    members.keeper = SpanKeepers(members, arrays, keepers, before * strip)
    return members


def _check_outer(folder: Path, array: Members, wanted: Superblock, number: int) -> None:
    """Refuse a span that is not this member of such an outer array."""
    try:
        found = outer_superblock(array)
    except DataLost:  # too many of its drives are gone: the volume has failed
        return
    except NoSuperblock as error:
        cause = f"holds no member of the outer array: {error}"
        raise InputError([Problem(str(folder), None, None, cause, None)]) from None
    pairs = [
        ("level of the outer array", found.level, wanted.level),
        ("chunk of the outer array in sectors", found.chunk, wanted.chunk),
        ("arrays of the outer array", found.drives, wanted.drives),
        ("where data begins, sector", found.data_offset, wanted.data_offset),
        ("sectors of data", found.data_size, wanted.data_size),
        ("place in the outer array", found.role, number),
    ]
    problems = [
        Problem(str(folder), None, None, f"{name}: {have}, where {want} is expected", None)
        for name, have, want in pairs
        if have != want
    ]
    if problems:
        raise InputError(problems)


class SpanKeepers:
    """A keeper of the superblocks of the members of all spans.

    Parameters
    ----------
    members
        The drives, as the simulation has them.
    arrays
        Each span with the rows before those of the simulation.
    keepers
        Theirs.
    before
        Bytes of each drive in those rows.
    """

    def __init__(
        self, members: Members, arrays: Sequence[Members], keepers: Sequence[Keeper], before: int
    ) -> None:
        self._layout, self._strip = members.layout, members.strip
        self._arrays = arrays
        self._keepers = keepers
        self._before = before
        for array, keeper in zip(arrays, keepers, strict=True):
            keeper.knows(array)
            keeper.begin()

    def mark(self, address: int, length: int) -> None:
        """Note that bytes of the volume are about to be written."""
        if all(keeper.bitmap is None for keeper in self._keepers):
            return
        n, strip = self._layout["span_drives"], self._strip
        rows: dict[int, tuple[int, int]] = {}
        for at in range(address - address % strip, address + length, strip):
            drive, offset = place(self._layout, at, 0)
            first, last = rows.get(drive // n, (offset, offset))
            rows[drive // n] = min(first, offset), max(last, offset)
        for span, (first, last) in rows.items():
            begin, end = first - first % strip, last - last % strip + strip - 1
            self._keepers[span].mark_between(self._before + begin, self._before + end)

    def changed(self, members: Members) -> None:
        """Drives have failed, or come back, or were rebuilt further."""
        n = members.layout["span_drives"]
        for span, (array, keeper) in enumerate(zip(self._arrays, self._keepers, strict=True)):
            good = members.good[span * n : span * n + n]
            self._restore_first_rows(array, good, span * n)
            keeper.now_good(
                [self._before + one if one else 0 for one in good], members.whole + self._before
            )

    def _restore_first_rows(self, array: Members, good: Sequence[int], first: int) -> None:
        """Let a drive that was away hold its part of the outer superblock again."""
        for number, now in enumerate(good):
            if not now or array.good[number]:
                array.good[number] = array.whole if now else 0
                continue
            try:
                for row in range(self._before // array.strip):
                    content = array.restored(number, row)
                    if content is not None:
                        array.drives[number].write(row * array.strip, content)
            except (DataLost, OSError) as error:
                LOG.error(
                    "drive %d lacks the superblock of the outer array: %s", first + number, error
                )
                continue
            array.good[number] = array.whole

    def end(self, torn: Iterable[tuple[int, int]]) -> None:
        """The members are closed; these spans and rows do not agree."""
        shift = self._before // self._arrays[0].strip
        stripes = list(torn)
        for span, (array, keeper) in enumerate(zip(self._arrays, self._keepers, strict=True)):
            keeper.end((0, row + shift) for which, row in stripes if which == span)
            array.close()
