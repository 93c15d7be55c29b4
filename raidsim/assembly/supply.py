"""Power at the drives: a drive that has failed, or whose power is cut, draws none.

A failed drive is assumed to be dead or removed, as an administrator would do: it draws nothing
until another one replaces it. Drives behind a lost link continue to turn.
"""

from __future__ import annotations

from raidsim.kernel import heat
from raidsim.system.system import System


def settle(system: System) -> None:
    """Bring the time that each drive had power up to the present."""
    rows = system.rows("drives")
    if not system.drives_off:
        rows["powered_time"] += (system.now - rows["powered_since"]) * rows["powered"]
    rows["powered_since"] = system.now


def switch(system: System, drive: int, on: bool) -> None:
    """Let a drive have power from now on, or none."""
    settle(system)
    system.world.drives[drive]["powered"] = int(on)
    supply_heat(system)


def leave_off(system: System, drive: int) -> None:
    """Let a drive be one that had no power before the run either: it is as warm as its air."""
    switch(system, drive, False)
    rows = system.world.heats[: system.count("heats")]
    for row in rows[rows["drive"] == drive]:
        row["inner"] = row["case"] = row["highest"] = row["window_inner"] = row["ambient"]


def supply_heat(system: System) -> None:
    """Let what drives draw when idle be that of those that have power now."""
    rows = system.world.heats[: system.count("heats")]
    if len(rows) == 0:
        return
    heat.advance(system.world, system.now)
    drives = system.world.drives
    powered = drives["powered"][rows["drive"]] * int(not system.drives_off)
    rows["idle"] = drives["idle_power"][rows["drive"]] * powered


def powered_share(system: System, drive: int) -> float:
    """Share of the window in which a drive had power."""
    settle(system)
    passed = system.now - int(system.state["slice_origin"])
    time = system.since("drives", drive, "powered_time")
    return time / passed if passed > 0 else float(system.world.drives[drive]["powered"])
