"""Writes the zeros of initialisations to the drives, as far as each initialisation has come."""

from __future__ import annotations

from dataclasses import dataclass, field

from raidsim.attach.members import Members
from raidsim.control import Hybrid, Volume
from raidsim.control.operation import Operation

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
                    self._members.begin_to_clear()
                    self._followed.append(_Followed(one))
        if not self._followed:
            return []
        found: list[Rows] = []
        for under_way in self._followed:
            for first, end in under_way.operation.rows_done:
                begin = under_way.zeroed.get(first, first)
                if begin < end:
                    self._members.clear_rows(begin, end)
                    under_way.zeroed[first] = end
                    found.append((begin, end))
        self._followed = [each for each in self._followed if not each.operation.is_over]
        return found
