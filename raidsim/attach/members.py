"""The content of the drives of a volume: data, copies and parity, in sparse files.

The places are those of :mod:`raidsim.layout`, which the simulation also uses. A read takes bytes
from drives that can be relied on, and computes those of a lost drive from the others. So wrong
parity, or a wrong place, gives wrong bytes, as in a real server.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from raidsim.attach.sparse import Sparse
from raidsim.layout import gf
from raidsim.layout.address import held, parity_place, place
from raidsim.layout.parity import parity_held, q_exponent
from raidsim.layout.tables import DATA, NEAR, PARITY, UNUSED, P, Q
from raidsim.store.stripe import Stripe, products

MARKS = 2**20  # most parts of a volume of which it is noted whether something was written
LEAST_PART = 64 * 2**10  # bytes


class DataLost(Exception):
    """The request needs bytes that no drive holds any more."""


class Content(Protocol):
    """The bytes of a volume."""

    written: Written

    def read(self, address: int, length: int) -> bytes:
        """Bytes of the volume."""

    def write(self, address: int, data: bytes, *, torn: bool = False) -> None:
        """Put bytes there; ``torn``: redundancy stays as it was."""

    def flush(self) -> None:
        """Let the host put all of it onto its own disk."""

    def close(self) -> None:
        """Give the files back."""


class Keeper(Protocol):
    """A keeper of the superblocks of members."""

    def mark(self, address: int, length: int) -> None:
        """Note that bytes of the volume are about to be written."""

    def changed(self, members: Members) -> None:
        """Drives have failed, or come back, or were rebuilt further."""

    def end(self, torn: Iterable[tuple[int, int]]) -> None:
        """The members are closed; these spans and rows do not agree."""


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


class Flat:
    """The bytes of a volume that is one drive, or of which no drive is looked at alone."""

    def __init__(self, drive: Sparse) -> None:
        self.drive = drive
        self.written = Written(drive.size)

    def read(self, address: int, length: int) -> bytes:
        """Bytes of the volume."""
        if not self.written.any_in(address, length):
            return bytes(length)
        return self.drive.read(address, length)

    def write(self, address: int, data: bytes, *, torn: bool = False) -> None:  # noqa: ARG002
        """Put bytes there."""
        self.written.mark(address, len(data))
        self.drive.write(address, data)

    def flush(self) -> None:
        """Let the host put all of it onto its own disk."""
        self.drive.flush()

    def close(self) -> None:
        """Give the file back."""
        self.drive.close()


class Piece(NamedTuple):
    """Bytes of one strip, of a request that begins ``at`` bytes before them."""

    address: int
    length: int
    at: int


class Members:
    """The bytes of an array.

    Parameters
    ----------
    layout
        Its row of LAYOUTS.
    drives
        What each drive holds; whole strips of as many rows as the array has.

    Attributes
    ----------
    good
        Bytes of each drive that can be relied on, from its start, as plans have it.
    keeper
        What keeps the superblocks of members in a folder; None for members that have none.
    """

    def __init__(self, layout: np.void, drives: Sequence[Sparse]) -> None:
        # The functions of raidsim.layout read the fields one by one: that is fastest from a dict.
        self.layout: Any = {name: int(layout[name]) for name in layout.dtype.names or ()}
        self.drives = list(drives)
        self.strip: int = self.layout["strip"]
        self.whole: int = self.strip * self.layout["rows"]
        self.good = [self.whole] * len(drives)
        self.written = Written(self.layout["size"])
        self.keeper: Keeper | None = None
        self._parities = range(P, P + self.layout["parity"])
        self._has_parity = self.layout["family"] == PARITY

    # -- requests ----------------------------------------------------------------------------

    def read(self, address: int, length: int) -> bytes:
        """Bytes of the volume.

        Raises
        ------
        DataLost
            If no drive tells them any more.
        OSError
            If the host cannot read its files.
        """
        if not self.written.any_in(address, length):
            return bytes(length)
        parts = [self._read(one.address, one.length) for one in self._pieces(address, length)]
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def write(self, address: int, data: bytes, *, torn: bool = False) -> None:
        """Put bytes there, with copies and parity.

        Parameters
        ----------
        torn
            Only the data (of a mirror, only the first copy) comes onto the drives, as when the
            power goes before the rest.

        Raises
        ------
        DataLost
            If it cannot be kept, since too many drives are gone.
        OSError
            If the host cannot write its files.
        """
        self.written.mark(address, len(data))
        if self.keeper is not None:
            self.keeper.mark(address, len(data))
        view = memoryview(data)
        for one in self._pieces(address, len(data)):
            part = view[one.at : one.at + one.length]
            if self._has_parity:
                self._write_with_parity(one.address, part, torn)
            else:
                self._write_copies(one.address, part, torn)

    def _pieces(self, address: int, length: int) -> Iterator[Piece]:
        at, end = address, address + length
        while at < end:
            stop = min(at - at % self.strip + self.strip, end)
            yield Piece(at, stop - at, at - address)
            at = stop

    def is_good(self, drive: int, offset: int) -> bool:
        """Return whether the strip of a drive that has this byte can be relied on."""
        return bool(offset - offset % self.strip + self.strip <= self.good[drive])

    def _read(self, address: int, length: int) -> bytes:
        for copy in range(self.layout["copies"]):
            drive, offset = place(self.layout, address, copy)
            if self.is_good(drive, offset):
                return self.drives[drive].read(offset, length)
        if self._has_parity:
            drive, offset = place(self.layout, address, 0)
            return self._solved(drive, offset, length).tobytes()
        raise DataLost(f"no drive has the {length} bytes at {address}")

    def _write_copies(self, address: int, part: memoryview, torn: bool) -> None:
        places = (place(self.layout, address, copy) for copy in range(self.layout["copies"]))
        copies = [(drive, offset) for drive, offset in places if self.is_good(drive, offset)]
        if not copies:
            raise DataLost(f"no drive takes the bytes at {address}")
        for number, (drive, offset) in enumerate(copies[:1] if torn else copies):
            try:
                self.drives[drive].write(offset, part)
            except OSError:
                self._be_alike(copies, number, len(part))
                raise

    def _be_alike(self, copies: Sequence[tuple[int, int]], number: int, length: int) -> None:
        """Let all copies agree, of which that of a number got a part of what is new, or none."""
        drive, offset = copies[min(number + 1, len(copies) - 1)]
        there = self.drives[drive].read(offset, length)
        for other, at in copies[: number + 1]:
            # Where the failed write got no room, this gets none, and nothing was changed.
            with contextlib.suppress(OSError):
                self.drives[other].write(at, there)

    def _write_with_parity(self, address: int, part: memoryview, torn: bool) -> None:
        """Change data and parity by what is new of the data."""
        drive, offset = place(self.layout, address, 0)
        there = self.is_good(drive, offset)
        if torn:
            if there:
                self.drives[drive].write(offset, part)
            return
        new = np.frombuffer(part, np.uint8)
        before = self._read(address, len(part))
        change = np.frombuffer(before, np.uint8) ^ new
        changes: list[
            tuple[int, int, bytes, bytes | memoryview]
        ] = []  # what was there, and will be
        if there:
            changes.append((drive, offset, before, part))
        for role in self._parities:
            parity, at = parity_place(self.layout, address, role)
            if not self.is_good(parity, at):
                continue
            delta = change
            if role == Q:
                stripe = offset // self.strip
                data = self._number(address)
                delta = products(gf.power(q_exponent(self.layout, stripe, data)))[change]
            old = self.drives[parity].read(at, len(part))
            changes.append((parity, at, old, (np.frombuffer(old, np.uint8) ^ delta).tobytes()))
        if not changes:
            raise DataLost(f"no drive takes the bytes at {address}")
        self._change(changes)

    def _change(self, changes: Sequence[tuple[int, int, bytes, bytes | memoryview]]) -> None:
        """Write data that belongs together: drives, offsets, old data, new data.

        If the host has no room for all of it, nothing is changed.
        """
        for number, (drive, offset, _, data) in enumerate(changes):
            try:
                self.drives[drive].write(offset, data)
            except OSError:
                for other, at, before, _ in changes[: number + 1]:
                    # Where the failed write got no room, this gets none, and nothing was changed.
                    with contextlib.suppress(OSError):
                        self.drives[other].write(at, before)
                raise

    def by_stripe(self, address: int, data: bytes) -> Iterator[tuple[int, bytes, tuple[int, int]]]:
        """Bytes of a volume in parts that lie in one strip: address, bytes, span and row."""
        n: int = self.layout["span_drives"]
        for one in self._pieces(address, len(data)):
            drive, offset = place(self.layout, one.address, 0)
            stripe = (drive // n, offset // self.strip)
            yield one.address, data[one.at : one.at + one.length], stripe

    def _number(self, address: int) -> int:
        """Return the number, from 0 on, of the data strip in its stripe at a volume address."""
        spans, unit = self.layout["spans"], self.layout["unit"]
        inner = address if spans == 1 else address // unit // spans * unit + address % unit
        return int(inner // self.strip % self.layout["data"])

    # -- what is computed from other drives ----------------------------------------------------

    def _solved(self, drive: int, offset: int, length: int) -> NDArray[np.uint8]:
        """Return the bytes of a drive within one strip, computed from the rest of its span."""
        n: int = self.layout["span_drives"]
        row, first = offset // self.strip, drive // n * n
        columns = Stripe(self.layout | {"strip": length}, row)
        for other in range(first, first + n):
            if other == drive or not self.is_good(other, offset):
                continue
            role, i = parity_held(self.layout, row, other - first)
            content = np.frombuffer(self.drives[other].read(offset, length), np.uint8)
            columns.learn(role, i, 0, content)
        columns.solve()
        role, i = parity_held(self.layout, row, drive - first)
        needed = columns.data_known if role >= P else columns.data_known[i]
        if not needed.all():
            raise DataLost(f"row {row} of drive {drive} cannot be computed")
        found = columns.parity_of(columns.data)[role - P] if role >= P else columns.data[i]
        return np.asarray(found)

    def restored(self, drive: int, row: int) -> bytes | None:
        """Return the bytes of a strip, from the other drives; None if it has no data of the volume.

        Raises
        ------
        DataLost
            If they do not tell.
        """
        role, _, address = held(self.layout, drive, row)
        if role == UNUSED:
            return None
        offset = row * self.strip
        if self._has_parity:
            return self._solved(drive, offset, self.strip).tobytes()
        for copy in range(self.layout["copies"]):
            other, at = place(self.layout, address, copy)
            if other != drive and self.is_good(other, at):
                return self.drives[other].read(at, self.strip)
        raise DataLost(f"row {row} of drive {drive} has no other copy")

    # -- drives that fail and come back --------------------------------------------------------

    def now_good(self, good: Sequence[int]) -> list[int]:
        """Record how much of each drive is good now, and fill parts that have become good.

        A part that has become good has been rebuilt: its bytes are computed from the drives that
        were good before. If these cannot give them, a drive that was away is back with its content.

        Returns
        -------
        list
            Drives that the host could not fill, as when its disk is full: they are not good.
        """
        full = []
        for drive, now in enumerate(good):
            before = self.good[drive]
            if now <= before:
                self.good[drive] = now
        for drive, now in enumerate(good):
            if now > self.good[drive]:
                try:
                    self._fill(drive, self.good[drive], min(now, self.whole))
                except OSError:
                    full.append(drive)
        self.good = [0 if drive in full else now for drive, now in enumerate(good)]
        if self.keeper is not None:
            self.keeper.changed(self)
        return full

    def _fill(self, drive: int, begin: int, end: int) -> None:
        """Restore the rows of a drive within these bytes, as far as others have something there."""
        rows = self._rows_with_data(drive, begin, end)
        filled = set()
        try:
            for row in rows:
                content = self.restored(drive, row)
                if content is not None:
                    self.drives[drive].write(row * self.strip, content)
                    filled.add(row)
        except DataLost:
            return
        if filled or not rows:
            self._clear_but(drive, begin, end, filled)

    def _rows_with_data(self, drive: int, begin: int, end: int) -> list[int]:
        """Rows of a drive within these bytes of which other drives hold something."""
        if not self._has_parity:
            every = range(begin // self.strip, end // self.strip)
            if len(every) * self.strip <= self.written.bytes:
                return [row for row in every if self._is_written(drive, row)]
            return sorted(set(self._copies_on(drive, begin, end)))
        n: int = self.layout["span_drives"]
        first = drive // n * n
        rows: set[int] = set()
        for other in range(first, first + n):
            if other != drive:
                for low, high in self.drives[other].extents(begin, end):
                    rows.update(range(low // self.strip, -(-high // self.strip)))
        return sorted(rows)

    def _copies_on(self, drive: int, begin: int, end: int) -> Iterator[int]:
        """Rows of a drive within these bytes with a copy of what the volume has."""
        for low, high in self.written.parts():
            for address in range(low - low % self.strip, min(high, self.written.size), self.strip):
                for copy in range(self.layout["copies"]):
                    which, offset = place(self.layout, address, copy)
                    if which == drive and begin <= offset < end:
                        yield offset // self.strip

    def _is_written(self, drive: int, row: int) -> bool:
        """Return whether bytes of a drive's row hold data of the volume; parity is none."""
        role, _, address = held(self.layout, drive, row)
        return role == DATA and self.written.any_in(address, self.strip)

    def _clear_but(self, drive: int, begin: int, end: int, rows: set[int]) -> None:
        """Let a drive hold nothing within these bytes but in some rows."""
        at = begin
        for row in sorted(rows):
            self.drives[drive].clear(at, row * self.strip)
            at = (row + 1) * self.strip
        self.drives[drive].clear(at, end)

    def rows_in_use(self) -> list[int]:
        """Rows of the drives in which something was ever written, or should have been."""
        rows: set[int] = set()
        for drive, good in enumerate(self.good):
            if not good:
                continue
            for begin, end in self.drives[drive].extents(0, self.whole):
                found = range(begin // self.strip, -(-end // self.strip))
                rows.update(found)
                if self.layout["copies"] > 1:
                    rows.update(*(self._rows_of_copies(drive, row) for row in found))
        return sorted(rows)

    def _rows_of_copies(self, drive: int, row: int) -> list[int]:
        """Rows in which the copies of a strip lie, on whatever drives."""
        role, _, address = held(self.layout, drive, row)
        if role != DATA:
            return []
        places = (place(self.layout, address, copy) for copy in range(self.layout["copies"]))
        return [offset // self.strip for _, offset in places]

    # -- initialisations -----------------------------------------------------------------------

    def begin_to_clear(self) -> None:
        """Rows are about to be cleared, wherever."""
        if self.keeper is not None:
            self.keeper.mark(0, self.written.size)

    def clear_rows(self, first: int, end: int) -> None:
        """Let these rows be zero, parity and copies with them: of drives that can be relied on.

        Raises
        ------
        OSError
            If the host cannot change its files.
        """
        begin, stop = first * self.strip, end * self.strip
        if self.layout["copies"] > 1 and self.layout["spread"] != NEAR:
            self._clear_copies(begin, stop)
        for drive, file in enumerate(self.drives):
            file.clear(begin, min(stop, self.good[drive]))

    def _clear_copies(self, begin: int, end: int) -> None:
        """Let the copies be zero, in other rows, of what drives have within these bytes."""
        for drive, file in enumerate(self.drives):
            for low, high in list(file.extents(begin, min(end, self.good[drive]))):
                for row in range(low // self.strip, -(-high // self.strip)):
                    role, _, address = held(self.layout, drive, row)
                    for copy in range(self.layout["copies"] if role == DATA else 0):
                        other, at = place(self.layout, address, copy)
                        if self.is_good(other, at):
                            self.drives[other].clear(at, at + self.strip)

    # -- redundancy that does not agree --------------------------------------------------------

    def make_consistent(self, stripes: Iterable[tuple[int, int]]) -> None:
        """Let parity and copies of these stripes agree with the data: span and row."""
        n: int = self.layout["span_drives"]
        for span, row in stripes:
            for drive in range(span * n, span * n + n):
                if not self.is_good(drive, row * self.strip):
                    continue
                role, copy, _ = held(self.layout, drive, row)
                if role >= P or copy > 0:
                    try:
                        content = self.restored(drive, row)
                    except DataLost:
                        continue
                    if content is not None:
                        self.drives[drive].write(row * self.strip, content)

    def inconsistent(self, stripes: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return drive and row of each strip in these stripes that contradicts the others."""
        n: int = self.layout["span_drives"]
        wrong = []
        for span, row in stripes:
            for drive in range(span * n, span * n + n):
                content = self.restored(drive, row)
                if content not in (None, self.drives[drive].read(row * self.strip, self.strip)):
                    wrong.append((drive, row))
        return wrong

    def flush(self) -> None:
        """Let the host put all of it onto its own disk."""
        for drive in self.drives:
            drive.flush()

    def close(self) -> None:
        """Give the files back."""
        for drive in self.drives:
            drive.close()
