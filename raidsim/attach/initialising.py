"""Writes the zeros of initialisations to the drives, as far as each initialisation has come."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidsim.attach.members import Members
from raidsim.control import Hybrid, Volume
from raidsim.control.operation import Operation
from raidsim.layout.address import held, place
from raidsim.layout.tables import DATA, NEAR

Rows = tuple[int, int]
"""The first row of strips, and the one behind the last."""


@dataclass
class _Followed:
    """An initialisation, and up to which row each of its ranges was zeroed, by the first row."""

    operation: Operation
    zeroed: dict[int, int] = field(default_factory=dict)


class Initialising:
    """The initialisations of a volume: nothing of a row is left that they are through with.

    Parameters
    ----------
    volume
        The volume.
    members
        Its bytes.
    """

    def __init__(self, volume: Volume | Hybrid, members: Members) -> None:
        self._operations = volume.operations
        self._members = members
        self._seen = 0
        self._followed: list[_Followed] = []

    def follow(self) -> list[Rows]:
        """Zero what has been written since the last time; which rows that were.

        Raises
        ------
        OSError
            If the host cannot change its files: it is tried again the next time.
        """
        if self._seen < len(self._operations):
            new = self._operations[self._seen :]
            self._seen = len(self._operations)
            for one in new:
                if one.kind == "initialisation":
                    _begin_to_clear(self._members)
                    self._followed.append(_Followed(one))
        if not self._followed:
            return []
        found: list[Rows] = []
        for under_way in self._followed:
            for first, end in under_way.operation.rows_done:
                begin = under_way.zeroed.get(first, first)
                if begin < end:
                    clear_rows(self._members, begin, end)
                    under_way.zeroed[first] = end
                    found.append((begin, end))
        self._followed = [each for each in self._followed if not each.operation.is_over]
        return found


def _begin_to_clear(members: Members) -> None:
    """Rows are about to be cleared, wherever."""
    if members.keeper is not None:
        members.keeper.mark(0, members.written.size)


def clear_rows(members: Members, first: int, end: int) -> None:
    """Let these rows be zero, parity and copies with them: of drives that can be relied on.

    Raises
    ------
    OSError
        If the host cannot change its files.
    """
    begin, stop = first * members.strip, end * members.strip
    if members.layout["copies"] > 1 and members.layout["spread"] != NEAR:
        _clear_copies(members, begin, stop)
    for drive, file in enumerate(members.drives):
        file.clear(begin, min(stop, members.good[drive]))


def _clear_copies(members: Members, begin: int, end: int) -> None:
    """Let the copies be zero, in other rows, of what drives have within these bytes."""
    for drive, file in enumerate(members.drives):
        for low, high in list(file.extents(begin, min(end, members.good[drive]))):
            for row in range(low // members.strip, -(-high // members.strip)):
                role, _, address = held(members.layout, drive, row)
                for copy in range(members.layout["copies"] if role == DATA else 0):
                    other, at = place(members.layout, address, copy)
                    if members.is_good(other, at):
                        members.drives[other].clear(at, at + members.strip)
