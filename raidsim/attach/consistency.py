"""Whether parity and copies of an array agree with its data, and how they come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from raidsim.attach.content import DataLost
from raidsim.attach.members import Members
from raidsim.layout.address import held, place
from raidsim.layout.tables import DATA, P


def stripes_in_use(members: Members) -> Iterator[tuple[int, int]]:
    """Span and row of the stripes in which something was ever written, or should have been."""
    spans = len(members.drives) // int(members.layout["span_drives"])
    for row in rows_in_use(members):
        for span in range(spans):
            yield span, row


def rows_in_use(members: Members) -> list[int]:
    """Rows of the drives in which something was ever written, or should have been."""
    rows: set[int] = set()
    for drive, good in enumerate(members.good):
        if not good:
            continue
        for begin, end in members.drives[drive].extents(0, members.whole):
            found = range(begin // members.strip, -(-end // members.strip))
            rows.update(found)
            if members.layout["copies"] > 1:
                rows.update(*(_rows_of_copies(members, drive, row) for row in found))
    return sorted(rows)


def _rows_of_copies(members: Members, drive: int, row: int) -> list[int]:
    """Rows in which the copies of a strip lie, on whatever drives."""
    role, _, address = held(members.layout, drive, row)
    if role != DATA:
        return []
    places = (place(members.layout, address, copy) for copy in range(members.layout["copies"]))
    return [offset // members.strip for _, offset in places]


def make_consistent(members: Members, stripes: Iterable[tuple[int, int]]) -> None:
    """Let parity and copies of these stripes agree with the data.

    Parameters
    ----------
    stripes
        Span and row of each.

    Raises
    ------
    OSError
        If the host cannot write its files.
    """
    for drive, row in _strips_of(members, stripes):
        if not members.is_good(drive, row * members.strip):
            continue
        role, copy, _ = held(members.layout, drive, row)
        if role >= P or copy > 0:
            try:
                content = members.restored(drive, row)
            except DataLost:
                continue
            if content is not None:
                members.drives[drive].write(row * members.strip, content)


def inconsistent(members: Members, stripes: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return drive and row of each strip in these stripes that contradicts the others.

    Parameters
    ----------
    stripes
        Span and row of each.

    Raises
    ------
    DataLost
        If too many drives are gone for there to be others.
    """
    wrong = []
    for drive, row in _strips_of(members, stripes):
        content = members.restored(drive, row)
        there = members.drives[drive].read(row * members.strip, members.strip)
        if content not in (None, there):
            wrong.append((drive, row))
    return wrong


def _strips_of(members: Members, stripes: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Drive and row of each strip of stripes that are given by span and row."""
    n: int = members.layout["span_drives"]
    for span, row in stripes:
        for drive in range(span * n, span * n + n):
            yield drive, row
