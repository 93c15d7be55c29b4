"""Which rows of the kernel's tables belong to a volume: its parts, its drives, and their health.

A volume is one drive, an array, a route through plain stations, or a hybrid of two other volumes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.kernel import array_tables as a
from raidsim.kernel import tables as t
from raidsim.layout import health
from raidsim.layout.address import whole_drive
from raidsim.layout.tables import CONCATENATED, PARITY
from raidsim.system.system import System


def below(system: System, volume: int) -> tuple[int, ...]:
    """Rows of the volumes that a hybrid is made of, the front first; none of any other volume."""
    row = system.world.volumes[volume]
    if row["kind"] != t.VOLUME_ARRAY:
        return ()
    array = system.world.arrays[row["array"]]
    if array["family"] != a.HYBRID:
        return ()
    hybrid = system.world.hybrids[array["hybrid"]]
    return int(hybrid["front"]), int(hybrid["back"])


def engines_of(system: System, volume: int) -> list[int]:
    """Stations of the threads that compute the parity of an array; none of any other volume."""
    row = system.world.volumes[volume]
    if row["kind"] != t.VOLUME_ARRAY:
        return []
    array = system.world.arrays[row["array"]]
    return threads_of(array) if array["family"] == PARITY else []


def threads_of(array: np.void) -> list[int]:
    """Stations of the threads of a row of `arrays`, which has them for each span or for all."""
    firsts = [int(array["engine"]), *([int(array["serial"])] if array["serial_ns"] > 0 else [])]
    return [first + span for first in firsts for span in range(array["engines"])]


def drives_of(system: System, volume: int) -> list[int]:
    """Rows of the drives of a volume, in order; of a hybrid those of its front come first."""
    if parts := below(system, volume):
        return [drive for part in parts for drive in drives_of(system, part)]
    row = system.world.volumes[volume]
    if row["kind"] == t.VOLUME_SINGLE:
        return [int(row["drive"])]
    if row["kind"] != t.VOLUME_ARRAY:
        return []
    array = system.world.arrays[row["array"]]
    first = int(array["first_member"])
    return [int(d) for d in system.world.members["drive"][first : first + int(array["drives"])]]


def member_of(system: System, volume: int, number: int) -> int:
    """Row in `members` and in `good` of a drive of an array."""
    return int(system.world.arrays[system.world.volumes[volume]["array"]]["first_member"]) + number


def take_back(system: System, volume: int, number: int) -> None:
    """All that a drive of a volume holds can be relied on again; a single drive has no plan."""
    row = system.world.volumes[volume]
    if row["kind"] == t.VOLUME_ARRAY:
        system.world.good[member_of(system, volume, number)] = whole_drive(
            system.world.layouts[row["array"]]
        )


def reliable(system: System, volume: int) -> tuple[np.void, NDArray[np.int64]]:
    """Layout of an array, and the bytes of each of its drives that can be relied on."""
    row = int(system.world.volumes[volume]["array"])
    layout: np.void = system.world.layouts[row]
    first, drives = member_of(system, volume, 0), int(layout["drives"])
    good = system.world.good[first : first + drives].copy()
    failed = system.world.drives["failed"][drives_of(system, volume)] == 1
    good[failed] = 0
    return layout, good


def survives(system: System, volume: int) -> bool:
    """Return whether the drives that can be relied on hold all data of a volume."""
    if parts := below(system, volume):
        return all(survives(system, part) for part in parts)
    if system.world.volumes[volume]["kind"] != t.VOLUME_ARRAY:
        return not system.world.drives["failed"][drives_of(system, volume)].any()
    layout, good = reliable(system, volume)
    return health.survives(layout, good)


def member_area(
    system: System, volume: int, member: int, offset: int, size: int
) -> tuple[int, int]:
    """Return offset and size in a member of ``size`` bytes of the volume from ``offset`` on.

    In whole strips, parity and copies included: where data is spread over all members each has
    its share.
    """
    row = system.world.volumes[volume]
    if row["kind"] != t.VOLUME_ARRAY:
        return offset, size
    layout = system.world.layouts[row["array"]]
    strip, whole = int(layout["strip"]), int(whole_drive(layout))
    if layout["family"] == CONCATENATED:
        begin = min(max(offset - member * whole, 0), whole)
        return begin, min(max(offset + size - member * whole, 0), whole) - begin
    used = int(layout["size"])
    begin = offset * whole // used // strip * strip
    end = -(-(offset + size) * whole // used // strip) * strip
    return begin, min(end, whole) - begin
