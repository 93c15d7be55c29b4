"""Which parts of a volume were ever written: the other ones read as zeros."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MARKS = 2**20  # most parts of a volume of which it is noted whether something was written
LEAST_PART = 64 * 2**10  # bytes


class Written:
    """In which parts of a volume something was written; the other ones read as zeros."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.part = LEAST_PART
        while self.part * MARKS < size:
            self.part *= 2
        self._marks = bytearray(-(-size // self.part))  # searched faster than an array of NumPy

    def mark(self, address: int, length: int) -> None:
        """Something was written there."""
        first, end = address // self.part, -(-(address + length) // self.part)
        self._marks[first:end] = b"\1" * (end - first)

    def mark_all(self) -> None:
        """Something may be anywhere."""
        self._marks[:] = b"\1" * len(self._marks)

    @property
    def bytes(self) -> int:
        """Bytes of the parts in which something may be."""
        return self._marks.count(1) * self.part

    def parts(self) -> list[tuple[int, int]]:
        """Return begin and end, in bytes, of each part that may hold written data."""
        return [(int(n) * self.part, int(n + 1) * self.part) for n in np.flatnonzero(self._seen())]

    def any_in(self, address: int, length: int) -> bool:
        """Return whether something may be in these bytes."""
        first, end = address // self.part, -(-(address + length) // self.part)
        return self._marks.find(1, first, end) >= 0

    def extents(self, address: int, length: int, most: int) -> list[tuple[int, bool]]:
        """Lengths of what follows from ``address`` on, and whether something was written there.

        At most so many, the last of which may end before the range does.
        """
        end = address + length
        first = address // self.part
        marks = self._seen()[first : -(-end // self.part)]
        edges = np.flatnonzero(marks[1:] != marks[:-1]) + 1
        bounds = [address, *((first + edges) * self.part).tolist(), end]
        kinds = [bool(marks[0]), *(bool(marks[edge]) for edge in edges)]
        pairs = zip(bounds[:-1], bounds[1:], kinds, strict=True)
        return [(after - before, kind) for before, after, kind in pairs][:most]

    def _seen(self) -> NDArray[np.uint8]:
        """The marks as an array; it is not to outlive the call that asks for it."""
        return np.frombuffer(self._marks, np.uint8)
