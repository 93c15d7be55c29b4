"""An array of drives that holds bytes: read, write, fail, replace, rebuild."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.layout.accesses import merge
from raidsim.layout.address import held, whole_drive
from raidsim.layout.nested import span_held, span_place
from raidsim.layout.plan import bound, pieces
from raidsim.layout.rebuild import rebuild, rebuild_bound
from raidsim.layout.tables import (
    ACCESS,
    DATA,
    FEWEST,
    LOST,
    PARITY,
    READ,
    UNUSED,
    WRITE,
    P,
)
from raidsim.store.stripe import Bytes, Stripe

# What is left on a failed drive and in a new one: nothing that could pass for data.
GARBAGE = 0xA5


class DataLost(Exception):
    """The request needs bytes that no drive holds any more."""


class WrongPlan(Exception):
    """A plan does not give what it is for."""


class Store:
    """A volume over drives in memory, laid out as a LAYOUT record says.

    Strips that are lost in a failure fail from then on, reads and writes, also when all
    drives have been replaced: nothing tells their bytes any more.
    """

    def __init__(self, layout: np.void, policy: int = FEWEST) -> None:
        self.layout = layout
        self.policy = policy
        self.prefer = 0
        self.size = int(layout["size"])
        self.strip = int(layout["strip"])
        self.drives = [np.zeros(whole_drive(layout), np.uint8) for _ in range(layout["drives"])]
        self.good: NDArray[np.int64] = np.full(len(self.drives), whole_drive(layout), np.int64)
        self.present = [True] * len(self.drives)
        self.lost: set[int] = set()  # first addresses of lost strips

    # ------------------------------------------------------------ requests

    def read(self, address: int, length: int) -> Bytes:
        """Return ``length`` bytes at ``address``.

        Raises
        ------
        DataLost
            One of them is lost.
        WrongPlan
            What the plan reads does not tell all bytes.
        """
        self._refuse_lost(address, length)
        table, listed = self._plan(READ, address, length)
        seen = self._carry_out_reads(table, listed)
        result = np.zeros(length, np.uint8)
        known = np.zeros(length, np.bool_)
        stripes = self._stripes(seen)
        for stripe in stripes.values():
            stripe.solve()
        if self.layout["family"] != PARITY:
            for piece, content in seen:
                everywhere = np.ones(len(content), np.bool_)
                _give(result, known, int(piece["address"]) - address, content, everywhere)
        for (span, number), stripe in stripes.items():
            for i, there in enumerate(stripe.data_known):
                inner = (number * len(stripe.data) + i) * self.strip
                first = span_held(self.layout, span, inner)
                _give(result, known, first - address, stripe.data[i], there)
        if not known.all():
            msg = f"read of {length} bytes at {address}: bytes are missing"
            raise WrongPlan(msg)
        return result

    def write(self, address: int, content: Bytes) -> None:
        """Write bytes at ``address``.

        Raises
        ------
        DataLost
            A strip is lost; nothing is written.
        WrongPlan
            What the plan reads does not tell the new parity.
        """
        length = len(content)
        self._refuse_lost(address, length)
        table, listed = self._plan(WRITE, address, length)
        last = int(listed[-1]["phase"])
        old = self._stripes(self._carry_out_reads(table, listed)) if last > 0 else {}
        new = self._new_stripes(listed, address, content)
        parity = {}
        for key, stripe in new.items():
            before = old.get(key) or Stripe(self.layout, key[1])
            parity[key] = before.updated_parity(stripe)
        contents = []
        for piece in listed:
            if piece["op"] != WRITE:
                continue
            size = int(piece["length"])
            if piece["role"] == DATA:
                contents.append((piece, self._content(piece, address, content, old)))
                continue
            low = int(piece["offset"]) % self.strip
            values, known = parity[self._stripe_of(piece)]
            which = int(piece["role"]) - P
            if not known[which, low : low + size].all():
                msg = f"write of {length} bytes at {address}: parity can't be computed"
                raise WrongPlan(msg)
            contents.append((piece, values[which, low : low + size]))
        self._write_phase(table, contents, last)

    def _content(
        self,
        piece: np.void,
        address: int,
        content: Bytes,
        old: dict[tuple[int, int], Stripe],
    ) -> Bytes:
        """Return the bytes that a write of ``content`` puts into a piece; pages may be more."""
        place, size = int(piece["address"]), int(piece["length"])
        first, last = max(place, address), min(place + size, address + len(content))
        result = np.zeros(size, np.uint8)
        if last - first < size:
            low, number = int(piece["offset"]) % self.strip, self._number(place)
            before = old[self._stripe_of(piece)]
            known = before.data_known[number, low : low + size].copy()
            known[first - place : last - place] = True
            if not known.all():
                msg = f"{size} bytes at {place} are written, and not all of them are known"
                raise WrongPlan(msg)
            result[:] = before.data[number, low : low + size]
        result[first - place : last - place] = content[first - address : last - address]
        return result

    # ------------------------------------------------------------ drives

    def fail(self, drive: int) -> None:
        """Lose a drive and all that is on it."""
        self.drives[drive][:] = GARBAGE
        self.good[drive] = 0
        self.present[drive] = False
        table = np.zeros(bound(self.layout, READ, self.strip), ACCESS)
        for first in range(0, self.size, self.strip):
            count = pieces(self.layout, self.good, self.policy, 0, READ, first, self.strip, table)
            if count == LOST:
                self.lost.add(first)

    def replace(self, drive: int) -> None:
        """Put a new drive in the place of a failed one; its rebuild has yet to be done.

        Raises
        ------
        ValueError
            The drive has not failed.
        """
        if self.present[drive]:
            msg = f"drive {drive} has not failed"
            raise ValueError(msg)
        self.present[drive] = True

    def rebuild(self, drive: int, rows: int | None = None) -> None:
        """Restore the next ``rows`` strips of a replaced drive, or all that are left.

        A strip that nothing tells any more is filled with zeros; what of it is data stays lost.

        Raises
        ------
        ValueError
            The drive has not been replaced.
        """
        if not self.present[drive]:
            msg = f"drive {drive} has to be replaced before its rebuild"
            raise ValueError(msg)
        row = int(self.good[drive]) // self.strip
        end = int(self.layout["rows"])
        if rows is not None:
            end = min(end, row + rows)
        for number in range(row, end):
            self._rebuild_row(drive, number)
            self.good[drive] = (number + 1) * self.strip

    def inconsistent(self) -> list[tuple[int, int]]:
        """Return drive and row of each strip of whole drives that differs from its rebuild."""
        wrong = []
        for drive in np.flatnonzero(self.good == whole_drive(self.layout)):
            for row in range(self.layout["rows"]):
                content = self._restored(int(drive), row)
                there = self.drives[drive][row * self.strip : (row + 1) * self.strip]
                if content is not None and not np.array_equal(content, there):
                    wrong.append((int(drive), row))
        return wrong

    # ------------------------------------------------------------ plans

    def _refuse_lost(self, address: int, length: int) -> None:
        if length < 1 or address < 0 or address + length > self.size:
            msg = f"{length} bytes at {address}: the volume has {self.size}"
            raise ValueError(msg)
        first = address - address % self.strip
        for strip in range(first, address + length, self.strip):
            if strip in self.lost:
                msg = f"the strip at {strip} is lost"
                raise DataLost(msg)

    def _plan(
        self, op: int, address: int, length: int
    ) -> tuple[NDArray[np.void], NDArray[np.void]]:
        """Return the merged accesses of a request, and the pieces that they consist of."""
        table = np.zeros(bound(self.layout, op, length), ACCESS)
        count = pieces(self.layout, self.good, self.policy, self.prefer, op, address, length, table)
        if count == LOST:
            msg = f"no plan for {length} bytes at {address}"
            raise DataLost(msg)
        if count > len(table):
            msg = f"{count} accesses where the bound says {len(table)}"
            raise WrongPlan(msg)
        listed = table[:count].copy()
        return table[: merge(table, count)], listed

    def _carry_out_reads(
        self, table: NDArray[np.void], listed: NDArray[np.void]
    ) -> list[tuple[np.void, Bytes]]:
        """Carry out the reads of a plan, all in its first phase; return pieces and content."""
        taken = [
            (access, self.drives[access["drive"]][_bytes(access)].copy())
            for access in table
            if access["phase"] == 0 and access["op"] == READ
        ]
        return [
            (piece, _part(piece, taken))
            for piece in listed
            if piece["phase"] == 0 and piece["op"] == READ
        ]

    def _write_phase(
        self, table: NDArray[np.void], contents: list[tuple[np.void, Bytes]], phase: int
    ) -> None:
        """Carry out the writes of a phase; each access has to be made up of pieces."""
        for access in table:
            if access["phase"] != phase or access["op"] != WRITE:
                continue
            content = np.zeros(access["length"], np.uint8)
            times = np.zeros(access["length"], np.int64)
            for piece, part in contents:
                start = int(piece["offset"] - access["offset"])
                inside = 0 <= start < access["length"]
                if piece["drive"] == access["drive"] and inside:
                    content[start : start + len(part)] = part
                    times[start : start + len(part)] += 1
            if not (times == 1).all():
                msg = f"drive {access['drive']} is written other bytes than the pieces have"
                raise WrongPlan(msg)
            self.drives[access["drive"]][_bytes(access)] = content

    def _rebuild_row(self, drive: int, row: int) -> None:
        content = self._restored(drive, row)
        if content is None:
            content = np.zeros(self.strip, np.uint8)
        self.drives[drive][row * self.strip : (row + 1) * self.strip] = content

    def _restored(self, drive: int, row: int) -> Bytes | None:
        """Return the content of a strip as the other drives give it; None if they cannot."""
        role, _, address = held(self.layout, drive, row)
        table = np.zeros(rebuild_bound(self.layout), ACCESS)
        count = rebuild(self.layout, self.good, drive, row, table)
        if count == LOST or role == UNUSED:
            return None
        seen = self._carry_out_reads(table[:count], table[:count])
        if self.layout["family"] != PARITY:
            return seen[0][1]
        (stripe,) = self._stripes(seen).values()
        stripe.solve()
        if not stripe.data_known.all():
            msg = f"row {row} of drive {drive}: its rebuild does not read enough"
            raise WrongPlan(msg)
        if role >= P:
            content: Bytes = stripe.parity_of(stripe.data)[role - P]
            return content
        data: Bytes = stripe.data[self._number(address)]
        return data

    # ------------------------------------------------------------ stripes

    def _stripe_of(self, piece: np.void) -> tuple[int, int]:
        """Return span and stripe that a piece of RAID 5 or 6 belongs to."""
        span = int(piece["drive"]) // int(self.layout["span_drives"])
        return span, int(piece["offset"]) // self.strip

    def _number(self, address: int) -> int:
        """Return the number, from 0 on, of the data strip in its stripe at a volume address."""
        _, inner = span_place(self.layout, address)
        return int(inner // self.strip % self.layout["data"])

    def _stripes(self, seen: list[tuple[np.void, Bytes]]) -> dict[tuple[int, int], Stripe]:
        """Return the stripes that pieces belong to, by span and stripe."""
        found: dict[tuple[int, int], Stripe] = {}
        if self.layout["family"] != PARITY:
            return found
        for piece, content in seen:
            key = self._stripe_of(piece)
            stripe = found.setdefault(key, Stripe(self.layout, key[1]))
            i = self._number(int(piece["address"])) if piece["role"] == DATA else 0
            stripe.learn(int(piece["role"]), i, int(piece["offset"]) % self.strip, content)
        return found

    def _new_stripes(
        self, listed: NDArray[np.void], address: int, content: Bytes
    ) -> dict[tuple[int, int], Stripe]:
        """Return the new data of the stripes whose parity is written, lost strips included."""
        new = {
            self._stripe_of(piece): Stripe(self.layout, self._stripe_of(piece)[1])
            for piece in listed
            if piece["op"] == WRITE and piece["role"] >= P
        }
        at = address
        while at < address + len(content):
            end = min(at - at % self.strip + self.strip, address + len(content))
            span, inner = span_place(self.layout, at)
            key = (int(span), int(inner // self.strip // self.layout["data"]))
            if key in new:
                part = content[at - address : end - address]
                new[key].learn(DATA, self._number(at), at % self.strip, part)
            at = end
        return new


def _give(
    result: Bytes, known: NDArray[np.bool_], at: int, content: Bytes, there: NDArray[np.bool_]
) -> None:
    """Put what is ``there`` of a content that begins at byte ``at`` of a result into it."""
    low = max(at, 0)
    high = min(at + len(content), len(result))
    if low < high:
        part = there[low - at : high - at]
        result[low:high][part] = content[low - at : high - at][part]
        known[low:high] |= part


def _bytes(access: np.void) -> slice:
    """Return the bytes of its drive that an access covers."""
    return slice(int(access["offset"]), int(access["offset"] + access["length"]))


def _part(piece: np.void, taken: list[tuple[np.void, Bytes]]) -> Bytes:
    """Return the bytes of a piece out of those that accesses have read."""
    for access, content in taken:
        start = int(piece["offset"] - access["offset"])
        if access["drive"] == piece["drive"] and 0 <= start < len(content):
            part = content[start : start + int(piece["length"])]
            if len(part) == piece["length"]:
                return part
    msg = f"no access reads the piece at {piece['offset']} of drive {piece['drive']}"
    raise WrongPlan(msg)
