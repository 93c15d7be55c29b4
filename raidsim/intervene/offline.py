"""A volume that is offline as a whole: none of its drives answers, and nothing of it changes.

When it is online again, its drives are unchanged. This is the difference from a drive without which
an array has continued: the data of such a drive is out of date.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.volume_rows import drives_of, survives
from raidsim.kernel import tables as t
from raidsim.system.system import System


@dataclass(frozen=True)
class Before:
    """The earlier state of a volume's drives: rows of failed ones, and the good part of each."""

    failed: set[int]
    good: NDArray[np.int64]


def survives_without(system: System, volume: int, numbers: Iterable[int]) -> bool:
    """Return whether all data could still be read if these drives failed too."""
    rows = drives_of(system, volume)
    field = system.world.drives["failed"]
    before = field[rows].copy()
    field[[rows[number] for number in numbers]] = 1
    answer = survives(system, volume)
    field[rows] = before
    return answer


def take_offline(system: System, volume: int) -> Before:
    """Let no drive of a volume answer, and no request of it be carried out."""
    rows = drives_of(system, volume)
    drives = system.world.drives
    failed = {row for row in rows if drives["failed"][row] == 1}
    drives["failed"][rows] = 1
    good = _good(system, volume)
    before = Before(failed, good.copy())
    good[:] = 0
    _set_offline(system, volume, True)
    return before


def bring_back(system: System, volume: int, before: Before) -> None:
    """Let the drives of a volume be as they were."""
    rows = drives_of(system, volume)
    system.world.drives["failed"][rows] = [row in before.failed for row in rows]
    _good(system, volume)[:] = before.good
    _set_offline(system, volume, False)


def _set_offline(system: System, volume: int, offline: bool) -> None:
    row = system.world.volumes[volume]
    if row["kind"] == t.VOLUME_ARRAY:
        system.set_row("arrays", int(row["array"]), offline=int(offline))


def _good(system: System, volume: int) -> NDArray[np.int64]:
    """Return a view of the good part of each member of an array; none for a single drive."""
    row = system.world.volumes[volume]
    if row["kind"] != t.VOLUME_ARRAY:
        return np.zeros(0, np.int64)
    array = system.world.arrays[row["array"]]
    first = int(array["first_member"])
    view: NDArray[np.int64] = system.world.good[first : first + int(array["drives"])]
    return view
