"""The drives of a volume, as a model changes and reads them."""

from __future__ import annotations

from typing import Any

from raidsim.build import heat, observe, thermal, wear
from raidsim.build.array import drives_of, survives, take_back
from raidsim.build.heat import Air
from raidsim.cards import Card
from raidsim.control.arguments import Arguments
from raidsim.control.environment import Environment
from raidsim.result import DriveUse

HOW_HOT = list(thermal.STATES.values())  # from not at all to heavily


class Drives:
    """The drives of one volume, numbered from 0.

    Parameters
    ----------
    env
        The environment.
    volume
        Row of the volume.
    card
        Card of the drives.
    """

    def __init__(self, env: Environment, volume: int, card: Card) -> None:
        self.env = env
        self.system = env.system
        self.volume = volume
        self.card = card
        self.rows = drives_of(env.system, volume)
        rows = [heat.of_drive(env.system, drive) for drive in self.rows]
        self.heats = [row for row in rows if row is not None]

    def check(self, check: Arguments, drive: Any) -> int:
        """The number of one of the drives."""
        number = check.whole("drive", drive, 0, len(self.rows) - 1)
        check.raise_if_wrong()
        return number

    def fail(self, number: int) -> None:
        """Let a drive answer every command with an error: an array then leaves it out."""
        self.system.world.drives[self.rows[number]]["failed"] = 1

    def repair(self, number: int) -> None:
        """Let a drive work again, with its data as it was."""
        self.system.world.drives[self.rows[number]]["failed"] = 0
        take_back(self.system, self.volume, number)

    @property
    def failed(self) -> list[int]:
        """Numbers of those that answer with errors."""
        drives = self.system.world.drives
        return [number for number, row in enumerate(self.rows) if drives[row]["failed"] == 1]

    @property
    def health(self) -> str:
        """Whether the volume's data can be read from the drives that work."""
        if not self.failed:
            return "optimal"
        return "degraded" if survives(self.system, self.volume) else "failed"

    def stations(self, number: int) -> set[int]:
        """The stations of one drive."""
        return set(observe.drive_stations(self.system, self.rows[number]))

    def stand_in(self, air: Air) -> None:
        """Let all of them stand in some air."""
        for row in self.heats:
            conductance = heat.conductance(self.card, air.airflow)
            self.system.set_air(row, air.ambient, conductance)

    @property
    def temperature(self) -> float | None:
        """What the hottest reports, C; None if the card does not say how it warms."""
        heats = self.system.world.heats
        readings = [heat.reading(self.system, heats[row]).inner for row in self.heats]
        return max(readings, default=None)

    @property
    def power(self) -> float | None:
        """Mean power of all of them over the window, W; None if the card does not tell."""
        found = [thermal.use(self.system, row).power_w for row in self.rows]
        known = [power for power in found if power is not None]
        return sum(known) if known and len(known) == len(found) else None

    @property
    def throttled(self) -> str:
        """How the one that throttles most does: "lightly", "heavily", or "" for none."""
        states = [thermal.STATES[int(self.system.world.heats[row]["state"])] for row in self.heats]
        return max(states, key=HOW_HOT.index, default="")

    @property
    def uses(self) -> list[DriveUse]:
        """Power, heat and wear of each over the window, and what a power cut would cost."""
        return [wear.use_of(self.system, row) for row in self.rows]
