"""The RAID plan of one request: its commands, drive by drive, and what they contain.

Commands and times are those of the kernel. :mod:`raidsim.layout` says what is stored at their
addresses, and by which method a stripe is read or written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from raidsim.explain.trace import Visit
from raidsim.explain.types import Array, Command, Phase, Piece, Task
from raidsim.kernel import array_tables as a
from raidsim.kernel import tables as t
from raidsim.layout import plan
from raidsim.layout import tables as lay
from raidsim.layout.address import held
from raidsim.observe.thermal import name_of
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.system.system import System
from raidsim.units import NS_PER_S

LOST = "it needs data that no drive holds any more"
OPS = {t.READ: "read", t.WRITE: "write", t.FLUSH: "flush"}
CAUSES = {
    a.ERRAND_HOST: "request",
    a.ERRAND_DESTAGE: "destage",
    a.ERRAND_FETCH: "read-ahead",
    a.ERRAND_BITMAP: "bitmap of write intents",
    a.ERRAND_LOG: "log of partial parity",
}
NOTES = (a.ERRAND_BITMAP, a.ERRAND_LOG)
"""Tasks that write what is noted of other writes, beside the data of the volume."""
METHODS = {
    (t.READ, lay.RECONSTRUCT): "degraded: computed from the survivors",
    (t.WRITE, lay.FULL_STRIPE): "full stripe",
    (t.WRITE, lay.MODIFY): "read-modify-write",
    (t.WRITE, lay.RECONSTRUCT_WRITE): "reconstruct-write",
    (t.WRITE, lay.RECONSTRUCT): "reconstruct-write, degraded",
    (t.WRITE, lay.DIRECT): "degraded: no parity is left",
}
"""How the bytes of a stripe with parity come about, in words; what is not here goes as it is."""


def describe(system: System, scenario: Scenario, spec: VolumeSpec) -> Array:
    """The array that a volume is."""
    layout = system.world.layouts[0]
    return Array(
        spec=spec,
        controller=scenario.controller(spec),
        spans=int(layout["spans"]),
        copies=int(layout["copies"]),
        parity=int(layout["parity"]),
        behind_one_another=bool(layout["family"] == lay.CONCATENATED),
    )


def tasks(system: System, visits: list[Visit]) -> Iterator[Task]:
    """The tasks that became commands, in the order in which they began."""
    found: dict[tuple[int, ...], list[tuple[Visit, int]]] = {}
    for visit, ends in _pairs(visits):
        found.setdefault((visit.parent, *visit.task), []).append((visit, ends))
    number = 0
    for (_, errand, offset, length), commands in found.items():
        methods = {}
        if errand not in NOTES:
            op = commands[-1][0].op
            found_methods = stripe_methods(system, 0, op, offset, length)
            methods = {where: METHODS.get((op, one), "") for where, one in found_methods.items()}
        phases: list[Phase] = []
        for phase in sorted({visit.phase for visit, _ in commands}):
            own = []
            for visit, ends in commands:
                if visit.phase == phase:
                    number += 1
                    one = _command(system, number, visit, ends, methods)
                    own.append(one if errand not in NOTES else replace(one, pieces=()))
            phases.append(Phase(len(phases) + 1, tuple(own)))
        yield Task(CAUSES[errand], offset, length, tuple(phases))


def _pairs(visits: list[Visit]) -> Iterator[tuple[Visit, int]]:
    """The commands with the times at which they are back, in the order in which they began.

    A drive that is sent no flush returns from one without a command, which is left out.
    """
    under_way: dict[int, int] = {}
    begun: list[Visit] = []
    back: dict[int, int] = {}
    for visit in visits:
        if visit.stage == t.STAGE_COMMAND_ARRIVED:
            under_way[visit.job] = len(begun)
            begun.append(visit)
        elif visit.stage == t.STAGE_RETURNED and visit.job in under_way:
            # A row of the table of jobs may hold another command later.
            back[under_way.pop(visit.job)] = visit.ends
    for number, visit in enumerate(begun):
        yield visit, back[number]


def stripe_methods(
    system: System, row: int, op: int, offset: int, length: int
) -> dict[tuple[int, int], int]:
    """Return the method of each stripe, by span and stripe, for a task of the array in a row.

    Arrays without parity have none.
    """
    world = system.world
    array, layout = world.arrays[row], world.layouts[row]
    if array["family"] != lay.PARITY:
        return {}
    accesses = np.zeros(plan.bound(layout, op, length), lay.ACCESS)
    first = int(array["first_member"])
    good = world.good[first : first + int(array["drives"])]
    count = plan.pieces(layout, good, array["policy"], 0, op, offset, length, accesses)
    drives, strip = int(layout["span_drives"]), int(layout["strip"])
    return {
        (int(access["drive"]) // drives, int(access["offset"]) // strip): int(access["method"])
        for access in accesses[: max(count, 0)]
    }


def _command(
    system: System, number: int, visit: Visit, ends: int, methods: dict[tuple[int, int], str]
) -> Command:
    return Command(
        number=number,
        drive=name_of(system, int(system.world.members["drive"][visit.member])),
        offset=visit.offset,
        length=visit.length,
        begins=visit.begins / NS_PER_S,
        ends=ends / NS_PER_S,
        op=OPS[visit.op],
        member=visit.member,
        pieces=tuple(_pieces(system.world.layouts[0], visit, methods)),
    )


def _pieces(layout: Any, visit: Visit, methods: dict[tuple[int, int], str]) -> Iterator[Piece]:
    """Yield the content of a command, strip by strip."""
    size = int(layout["strip"])
    span = visit.member // int(layout["span_drives"])
    start, end = visit.offset, visit.offset + visit.length
    while start < end:
        row = start // size
        stop = min((row + 1) * size, end)
        role, copy, address = held(layout, visit.member, row)
        yield Piece(
            stripe=row,
            span=span,
            role=role,
            copy=copy,
            strip=address // size,
            offset=start,
            length=stop - start,
            method=methods.get((span, row), ""),
        )
        start = stop
