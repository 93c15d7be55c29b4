"""What a load means to the drives: write amplification, wear, and what a power cut would cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raidsim.build import thermal
from raidsim.build.observe import span
from raidsim.build.system import System
from raidsim.build.window import settle_promises
from raidsim.cards import Card
from raidsim.kernel import tables as t
from raidsim.result import DriveUse

DAY = 86_400e9  # ns
DAYS_OF_A_YEAR = 365
TERA = 1e12


def drives(system: System, streams: Sequence[int]) -> list[DriveUse]:
    """The use of every drive of these streams over the window."""
    return [use_of(system, drive) for drive in thermal.drives_of(system, streams)]


def use_of(system: System, index: int) -> DriveUse:
    """The use of one drive: power and heat, wear, and bytes at risk."""
    settle_promises(system)
    name = thermal.name_of(system, index)
    card = system.cards[index]
    drive = system.world.drives[index]
    passed = max(span(system), 1)
    written = since(system, "drives", index, "host_written") / passed * DAY
    amplification = cycles = None
    if drive["kind"] == t.DRIVE_SSD:
        row = int(drive["row"])
        stored = since(system, "ssds", row, "stored")
        ssd = system.world.ssds[row]
        # A part of a mapping unit costs a whole one, whose rest is read and programmed again.
        written_units = since(system, "ftls", int(ssd["ftl"]), "written")
        moved = since(system, "ssds", row, "moved")
        if ssd["slc"] != t.NONE:  # what goes through an SLC cache is programmed twice
            slc = int(ssd["slc"])
            written_units += since(system, "slcs", slc, "taken") - since(
                system, "slcs", slc, "mapped"
            )
            moved += since(system, "slcs", slc, "folded")
        units = written_units * int(ssd["unit"])
        if stored > 0:
            amplification = (max(units, stored) + moved) / stored
        flash = int(drive["size"]) * (1 + card.number("flash.spare"))
        whole = stored + since(system, "ssds", row, "filled")
        programmed = since(system, "ssds", row, "programmed") + max(units - whole, 0)
        cycles = programmed / flash / passed * DAY * DAYS_OF_A_YEAR
    return replace(
        thermal.use(system, index),
        volume=system.volume_of.get(name, name),
        write_amplification=amplification,
        written_per_day_tb=written / TERA,
        drive_writes_per_day=written / int(drive["size"]),
        rated_writes_per_day=_number(card, "endurance.dwpd"),
        cycles_per_year=cycles,
        years_to_rated=_years(_number(card, "endurance.written"), written),
        unsafe_mean=since(system, "drives", index, "unsafe_area") / passed,
        unsafe_peak=int(drive["unsafe_peak"]),
        protected=bool(drive["protected"]),
    )


def _years(rated: float | None, written_per_day: float) -> float | None:
    if rated is None or written_per_day == 0:
        return None
    return rated / written_per_day / DAYS_OF_A_YEAR


def _number(card: Card, name: str) -> float | None:
    return card.number(name) if card.has(name) else None


def since(system: System, table: str, index: int, field: str) -> float:
    """What was counted since the window opened."""
    before = system.at_reset.get(table)
    start = before[index][field] if before is not None and index < len(before) else 0
    return float(getattr(system.world, table)[index][field] - start)
