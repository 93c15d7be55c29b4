"""The effect of a load on the drives: write amplification, wear, and data at risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import drives_of
from raidsim.cards import Card
from raidsim.intervene.window import settle_promises
from raidsim.kernel import operation_tables as s
from raidsim.kernel import tables as t
from raidsim.observe import thermal
from raidsim.observe.figures import span
from raidsim.result import DriveUse
from raidsim.system.system import System

DAY = 86_400e9  # ns
DAYS_OF_A_YEAR = 365
TERA = 1e12


def drives(system: System, streams: Sequence[int]) -> list[DriveUse]:
    """The use of every drive of these streams over the window."""
    return [use_of(system, drive) for drive in thermal.drives_under(system, streams)]


def use_of(system: System, index: int) -> DriveUse:
    """The use of one drive: power and heat, wear, and bytes at risk."""
    settle_promises(system)
    name = thermal.name_of(system, index)
    card = system.cards[index]
    drive = system.world.drives[index]
    passed = max(span(system), 1)
    written = system.since("drives", index, "host_written") / passed * DAY
    worn = kind_at(system, index).wear(system, index)
    filled = index in _filled(system)
    cycles = None if worn is None or filled else worn.programmed / passed * DAY * DAYS_OF_A_YEAR
    return replace(
        thermal.use(system, index),
        volume=system.volume_of.get(name, name),
        write_amplification=None if worn is None else worn.amplification,
        written_per_day_tb=written / TERA,
        drive_writes_per_day=None if filled else written / int(drive["size"]),
        rated_writes_per_day=_number(card, "endurance.dwpd"),
        cycles_per_year=cycles,
        years_to_rated=(None if filled else _years(_number(card, "endurance.written"), written)),
        unsafe_mean=system.since("drives", index, "unsafe_area") / passed,
        unsafe_peak=int(drive["unsafe_peak"]),
        protected=bool(drive["protected"]),
        filled=filled,
    )


def _filled(system: System) -> set[int]:
    """Drives that were written by background work in this window, which it does once and no more.

    Those that a rebuild restores or a copy fills, and all of an array that is initialised.
    """
    world, begins = system.world, int(system.state["slice_origin"])
    found: set[int] = set()
    for one in world.operations:
        if t.NONE < one["ended"] < begins:
            continue
        if one["kind"] == s.REBUILD:
            first = int(one["first_target"])
            rows = world.targets["member"][first : first + int(one["targets"])]
            found |= {int(world.members["drive"][row]) for row in rows}
        elif one["kind"] == s.COPY:
            member = world.members[one["member"]]
            found.add(int(member["drive"] if member["copy"] == t.NONE else member["copy"]))
        elif one["kind"] == s.WRITE_ALL:
            found |= set(drives_of(system, int(one["volume"])))
    return found


def warnings(system: System, streams: Sequence[int]) -> list[str]:
    """Return the reasons why figures depend on the length of this window, one for each volume."""
    found: dict[str, str] = {}
    scattered = any(_scatters(system, stream) for stream in streams)
    for drive in thermal.drives_under(system, streams):
        name = thermal.name_of(system, drive)
        if why := kind_at(system, drive).unsteady(system, drive, scattered=scattered):
            words = f"{name} is not steady: {why} in this window; a longer one has other rates"
            found.setdefault(system.volume_of.get(name, name), words)
    return list(found.values())


def _scatters(system: System, stream: int) -> bool:
    """Return whether a stream writes at random addresses."""
    row = system.world.streams[stream]
    first, count = int(row["first_size"]), int(row["sizes"])
    sizes = system.world.sizes[first : first + count]
    return bool(((sizes["read_share"] < 1) & (sizes["random_share"] > 0)).any())


def _years(rated: float | None, written_per_day: float) -> float | None:
    if rated is None or written_per_day == 0:
        return None
    return rated / written_per_day / DAYS_OF_A_YEAR


def _number(card: Card, name: str) -> float | None:
    return card.number(name) if card.has(name) else None
