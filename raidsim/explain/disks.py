"""What the arm of a hard disk does for one request: where the data is, and how long it takes.

The kernel's own functions give place and times, as in :mod:`~raidsim.explain.explain`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from raidsim.kernel import mechanics
from raidsim.kernel.tables import READ
from raidsim.system.system import System
from raidsim.units import NS_PER_S


@dataclass(frozen=True)
class Disk:
    """The geometry that places bytes."""

    rpm: float
    heads: int
    cylinders: int
    zones: int
    discipline: str
    cached: bool  # writes are acknowledged from the buffer


@dataclass(frozen=True)
class Access:
    """One access of the arm. Times in s."""

    offset: int
    length: int
    zone: int  # from 1, the outermost
    cylinder: int
    head: int
    angle: float  # degrees from the index mark to its first byte
    track: int  # bytes of a track there
    move: float  # seek or head switch
    rotation: float
    transfer: float  # and what comes with it: track changes, a second turn for parts of sectors
    begins: float
    ends: float


def place(system: System, disk: Any, offset: int) -> tuple[int, int, float]:
    """Cylinder, head and angle (ns) of a byte."""
    cylinder, head, angle = mechanics.locate(system.world, disk, offset)
    return int(cylinder), int(head), float(angle)


def parts(
    system: System, disk: Any, there: tuple[int, int], op: int, offset: int, begins: int
) -> tuple[float, float]:
    """Seek or head switch, and rotation, of an access that begins now: ns.

    Parameters
    ----------
    there : cylinder and head where the arm is.
    begins : when the access does, ns.
    """
    cylinder, head, angle = place(system, disk, offset)
    moving = {name: disk[name] for name in disk.dtype.names}
    moving |= {"cylinder": there[0], "head": there[1]}
    move = float(mechanics.move_time(system.world, moving, op, cylinder, head))
    return move, float(mechanics.wait_time(moving, begins, move, angle))


def accesses(
    system: System, disk: Any, op: int, extents: Sequence[tuple[int, int, int, int]]
) -> Iterator[Access]:
    """The accesses of an arm that starts at cylinder 0 and head 0.

    Parameters
    ----------
    extents : (first byte, bytes, begin and end in ns) of each access, in order.
    """
    there = (0, 0)
    end = -1
    for offset, length, begins, ends in extents:
        cylinder, head, angle = place(system, disk, offset)
        zone = int(mechanics.zone_of(system.world, disk, offset))
        move, rotation = parts(system, disk, there, op, offset, begins)
        if op == READ and offset == end:
            move = rotation = 0.0  # the arm had gone on reading
        end = offset + length
        last, surface, _ = place(system, disk, offset + length - 1)
        there = (last, surface)
        yield Access(
            offset=offset,
            length=length,
            zone=zone - int(disk["first_zone"]) + 1,
            cylinder=cylinder,
            head=head,
            angle=360.0 * angle / float(disk["revolution"]),
            track=int(system.world.zones[zone]["track"]),
            move=move / NS_PER_S,
            rotation=rotation / NS_PER_S,
            transfer=(ends - begins - move - rotation) / NS_PER_S,
            begins=begins / NS_PER_S,
            ends=ends / NS_PER_S,
        )
