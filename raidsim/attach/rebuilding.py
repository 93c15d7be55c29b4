"""What the drives of an array hold once some have failed, come back, or were rebuilt further."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from raidsim.attach.content import DataLost
from raidsim.attach.members import Members
from raidsim.layout.address import held, place
from raidsim.layout.tables import DATA


def now_good(members: Members, good: Sequence[int]) -> list[int]:
    """Record how many bytes of each drive are good now, and fill what has become good.

    A part that has become good has been rebuilt: its bytes are computed from the drives that
    were good before. If these cannot give them, a drive that was away is back with its content.

    Returns
    -------
    list
        Drives that the host could not fill, as when its disk is full: they are not good.
    """
    full = []
    for drive, now in enumerate(good):
        before = members.good[drive]
        if now <= before:
            members.good[drive] = now
    for drive, now in enumerate(good):
        if now > members.good[drive]:
            try:
                _fill(members, drive, members.good[drive], min(now, members.whole))
            except OSError:
                full.append(drive)
    members.good = [0 if drive in full else now for drive, now in enumerate(good)]
    if members.keeper is not None:
        members.keeper.changed(members)
    return full


def _fill(members: Members, drive: int, begin: int, end: int) -> None:
    """Restore the rows of a drive within these bytes, as far as others have something there."""
    rows = _rows_with_data(members, drive, begin, end)
    filled = set()
    try:
        for row in rows:
            content = members.restored(drive, row)
            if content is not None:
                members.drives[drive].write(row * members.strip, content)
                filled.add(row)
    except DataLost:
        return
    if filled or not rows:
        _clear_but(members, drive, begin, end, filled)


def _rows_with_data(members: Members, drive: int, begin: int, end: int) -> list[int]:
    """Rows of a drive within these bytes of which other drives hold something."""
    if not members.has_parity:
        every = range(begin // members.strip, end // members.strip)
        if len(every) * members.strip <= members.written.bytes:
            return [row for row in every if _is_written(members, drive, row)]
        return sorted(set(_copies_on(members, drive, begin, end)))
    n: int = members.layout["span_drives"]
    first = drive // n * n
    rows: set[int] = set()
    for other in range(first, first + n):
        if other != drive:
            for low, high in members.drives[other].extents(begin, end):
                rows.update(range(low // members.strip, -(-high // members.strip)))
    return sorted(rows)


def _copies_on(members: Members, drive: int, begin: int, end: int) -> Iterator[int]:
    """Rows of a drive within these bytes with a copy of what the volume has."""
    for low, high in members.written.parts():
        begin_of_strip, stop = low - low % members.strip, min(high, members.written.size)
        for address in range(begin_of_strip, stop, members.strip):
            for copy in range(members.layout["copies"]):
                which, offset = place(members.layout, address, copy)
                if which == drive and begin <= offset < end:
                    yield offset // members.strip


def _is_written(members: Members, drive: int, row: int) -> bool:
    """Return whether bytes of a drive's row hold data of the volume; parity is none."""
    role, _, address = held(members.layout, drive, row)
    return role == DATA and members.written.any_in(address, members.strip)


def _clear_but(members: Members, drive: int, begin: int, end: int, rows: set[int]) -> None:
    """Let a drive hold nothing within these bytes but in some rows."""
    at = begin
    for row in sorted(rows):
        members.drives[drive].clear(at, row * members.strip)
        at = (row + 1) * members.strip
    members.drives[drive].clear(at, end)
