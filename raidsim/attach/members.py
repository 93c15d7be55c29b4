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

from raidsim.attach.content import DataLost
from raidsim.attach.sparse import Sparse
from raidsim.attach.written import Written
from raidsim.layout import gf
from raidsim.layout.address import held, parity_place, place
from raidsim.layout.parity import parity_held, q_exponent
from raidsim.layout.tables import PARITY, UNUSED, P, Q
from raidsim.store.stripe import Stripe, products


class Keeper(Protocol):
    """A keeper of the superblocks of members."""

    def mark(self, address: int, length: int) -> None:
        """Note that bytes of the volume are about to be written."""

    def changed(self, members: Members) -> None:
        """Drives have failed, or come back, or were rebuilt further."""

    def end(self, torn: Iterable[tuple[int, int]]) -> None:
        """The members are closed; these spans and rows do not agree."""


class Piece(NamedTuple):
    """Bytes of one strip, of a request that begins ``at`` bytes before them."""

    address: int
    length: int
    at: int


Change = tuple[int, int, bytes, bytes | memoryview]
"""Drive, offset there, and its bytes: what they were, and what they are to be."""


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
        self.has_parity = self.layout["family"] == PARITY

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
            if self.has_parity:
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
        if self.has_parity:
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
        changes: list[Change] = []
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

    def _change(self, changes: Sequence[Change]) -> None:
        """Write data that belongs together.

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
        if self.has_parity:
            return self._solved(drive, offset, self.strip).tobytes()
        for copy in range(self.layout["copies"]):
            other, at = place(self.layout, address, copy)
            if other != drive and self.is_good(other, at):
                return self.drives[other].read(at, self.strip)
        raise DataLost(f"row {row} of drive {drive} has no other copy")

    # -- files ---------------------------------------------------------------------------------

    def flush(self) -> None:
        """Let the host put all of it onto its own disk."""
        for drive in self.drives:
            drive.flush()

    def close(self) -> None:
        """Give the files back."""
        for drive in self.drives:
            drive.close()
