"""Keeps the metadata of members in files up to date during use: superblocks and bitmap."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from raidsim.attach.members import Members
from raidsim.attach.superblock import (
    BITMAP_HEAD,
    CLEAN,
    FAULTY,
    SECTOR,
    SPARE,
    Bitmap,
    Superblock,
    bits_of,
)


class Keeper:
    """A keeper of the records that stand before the data on the members of one array.

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
        self.now_good(members.good, members.whole)

    def now_good(self, bytes_good: Sequence[int], whole: int) -> None:
        """Take note of how many bytes of each drive can be relied on, of so many in all."""
        good = [one > 0 for one in bytes_good]
        complete = [one >= whole for one in bytes_good]
        told = [block.rebuilt is None for block in self.blocks]
        if good == self._good and complete == told:
            return
        self._good = good
        for block, one in zip(self.blocks, bytes_good, strict=True):
            block.rebuilt = None if one in (0, whole) else one // SECTOR
        self._write(resync=0)

    def mark(self, address: int, length: int) -> None:
        """Set the bits of what is about to be written."""
        if self.bitmap is None:
            return
        first, last = address, address + length - 1
        if self._stripe:
            first = first // self._stripe * self._strip
            last = last // self._stripe * self._strip + self._strip - 1
        self.mark_between(first, last)

    def mark_between(self, first: int, last: int) -> None:
        """Set the bits from a byte to another one of what bits are about: members, or the array."""
        if self.bitmap is None:
            return
        numbers = range(first // self.bitmap.chunk, last // self.bitmap.chunk + 1)
        fresh = [number for number in numbers if number not in self.bitmap.marked]
        if fresh:
            self._write_bits(fresh, fresh[0] // 8, fresh[-1] // 8 + 1)
            self.bitmap.marked.update(fresh)

    def end(self, torn: Iterable[tuple[int, int]]) -> None:
        """The members are closed: redundancy agrees, but in these spans and rows."""
        rows = [row for _, row in torn]
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
        """Return whether a member is good as a whole, or superblocks can say how far it is good."""
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
