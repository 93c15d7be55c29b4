"""The drives of a volume, as a model changes and reads them."""

from __future__ import annotations

from typing import Any

from raidsim.assembly import heat, supply
from raidsim.assembly.drives import kind_at
from raidsim.assembly.heat import Air
from raidsim.assembly.volume_rows import drives_of, member_of, reliable, survives, take_back
from raidsim.cards import Card
from raidsim.control.arguments import Arguments
from raidsim.control.environment import Environment
from raidsim.intervene import operation
from raidsim.kernel import tables as t
from raidsim.layout.address import whole_drive
from raidsim.observe import station_use, thermal, wear
from raidsim.result import DriveUse

HOW_HOT = list(thermal.STATES.values())  # from not at all to heavily


class Drives:
    """The drives of one volume, numbered from 0, and its hot spares.

    A spare that takes the place of a drive takes its number too.

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
        self.spares = env.system.spares.get(volume, [])
        self.replaced: dict[int, int] = {}  # rows of drives whose place a spare has taken
        rows = [heat.of_drive(env.system, drive) for drive in (*self.rows, *self.spares)]
        self.heats = [row for row in rows if row is not None]

    @property
    def rows(self) -> list[int]:
        """Rows of the drives, as they stand for the volume now."""
        return drives_of(self.system, self.volume)

    @property
    def is_array(self) -> bool:
        """Whether there is a plan that leaves out what is lost."""
        return bool(self.system.world.volumes[self.volume]["kind"] == t.VOLUME_ARRAY)

    def check(self, check: Arguments, drive: Any) -> int:
        """The number of one of the drives."""
        number = check.whole("drive", drive, 0, len(self.rows) - 1)
        check.raise_if_wrong()
        return number

    def fail(self, number: int) -> None:
        """Let a drive answer every command with an error: an array then leaves it out."""
        self.system.world.drives[self.rows[number]]["failed"] = 1

    def lose_power(self, number: int) -> None:
        """Let a drive draw no power: it is dead, or pulled."""
        supply.switch(self.system, self.rows[number], False)

    def is_failed(self, number: int) -> bool:
        """Return whether a drive answers with errors."""
        return bool(self.system.world.drives[self.rows[number]]["failed"])

    def is_whole(self, number: int) -> bool:
        """Return whether all that a drive holds can be relied on."""
        if self.is_failed(number):
            return False
        if not self.is_array:
            return True
        layout, good = reliable(self.system, self.volume)
        return bool(good[number] >= whole_drive(layout))

    def distrust(self, number: int) -> None:
        """Rely on nothing that a drive of an array holds."""
        self.system.world.good[member_of(self.system, self.volume, number)] = 0

    def take_spare(self, number: int) -> bool:
        """Let a hot spare stand in for a drive; False if there is none left."""
        if not self.spares:
            return False
        self.replaced.setdefault(number, self.rows[number])
        self._stand_in_for(number, self.spares.pop(0))
        return True

    def _stand_in_for(self, number: int, row: int) -> None:
        member = member_of(self.system, self.volume, number)
        self.system.world.members[member]["drive"] = row
        self.distrust(number)

    def renew(self, row: int) -> None:
        """Put a new drive in the place of one that has failed: nothing was ever written to it."""
        drive = self.system.world.drives[row]
        drive["failed"] = 0
        drive["delay"] = 0
        drive["serial"] -= 1
        supply.switch(self.system, row, True)
        operation.cure_all(self.system, row)
        kind_at(self.system, row).renew(self.system, row)

    def give_back(self, number: int, spare: int) -> None:
        """A drive has been copied back: the spare that stood in for it is one again."""
        self.replaced.pop(number, None)
        self.spares.append(spare)
        self.renew(spare)

    def add_spare(self, number: int) -> None:
        """A new drive comes in for one whose place a spare has taken for good: it is a spare."""
        row = self.replaced.pop(number)
        self.spares.append(row)
        self.renew(row)

    def leave_spare(self, number: int) -> None:
        """The spare that stood in for a drive has failed too: the drive has its own place again."""
        member = member_of(self.system, self.volume, number)
        self.system.world.members[member]["drive"] = self.replaced.pop(number)

    def repair(self, number: int) -> None:
        """Let a drive work again, with its data as it was."""
        self.system.world.drives[self.rows[number]]["failed"] = 0
        supply.switch(self.system, self.rows[number], True)
        take_back(self.system, self.volume, number)

    def end_copy(self, number: int) -> None:
        """A drive is no longer copied to another one."""
        member = member_of(self.system, self.volume, number)
        self.system.set_row("members", member, copy=t.NONE, copied=0)

    @property
    def failed(self) -> list[int]:
        """Numbers of those that answer with errors."""
        drives = self.system.world.drives
        return [number for number, row in enumerate(self.rows) if drives[row]["failed"] == 1]

    @property
    def health(self) -> str:
        """Whether the volume's data can be read from the drives that work."""
        if not survives(self.system, self.volume):
            return "failed"
        whole = all(self.is_whole(number) for number in range(len(self.rows)))
        return "optimal" if whole else "degraded"

    def stations(self, number: int) -> set[int]:
        """The stations of one drive."""
        return set(station_use.drive_stations(self.system, self.rows[number]))

    def stand_in(self, air: Air) -> None:
        """Let all of them stand in some air."""
        for row in self.heats:
            conductance = heat.conductance(self.card, air.airflow)
            self.system.set_air(row, air.ambient, conductance)

    @property
    def temperature(self) -> float | None:
        """The highest reported temperature, C; None if the card does not give thermal values."""
        heats = self.system.world.heats
        readings = [heat.thermal_state(self.system, heats[row]).inner for row in self.heats]
        return max(readings, default=None)

    @property
    def power(self) -> float | None:
        """Mean power of all of them over the window, W; None if the card does not tell."""
        found = [thermal.use(self.system, row).power_w for row in self.rows]
        known = [power for power in found if power is not None]
        return sum(known) if known and len(known) == len(found) else None

    @property
    def throttled(self) -> str:
        """The state of the drive that throttles most: "lightly", "heavily", or "" for none."""
        states = [thermal.STATES[int(self.system.world.heats[row]["state"])] for row in self.heats]
        return max(states, key=HOW_HOT.index, default="")

    @property
    def uses(self) -> list[DriveUse]:
        """Power, heat and wear of each over the window, and what a power cut would cost."""
        return [wear.use_of(self.system, row) for row in self.rows]
