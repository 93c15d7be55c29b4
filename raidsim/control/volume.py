"""A volume as a resource of a SimPy model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import simpy

from raidsim.build import ftl, heat, observe, thermal, wear, window
from raidsim.build.heat import Air
from raidsim.build.load import need_room
from raidsim.build.scenario import add_volumes, prepare
from raidsim.control.air import read_air
from raidsim.control.arguments import Arguments, plain
from raidsim.control.clock import duration, to_ns
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.load import Load, RunningLoad
from raidsim.control.measured import Measured
from raidsim.kernel import tables as t
from raidsim.result import DriveUse, StationUse
from raidsim.scenario import from_data

MOST_LENGTH = 64 * 2**20  # bytes of one awaited I/O
LEAST_PRIORITY = 3
MOST_PATIENCE = 1e9  # s
SPEEDS = (1e-3, 1e3)
FIXED = {"command latency", "command slot", "disk arm"}
"""Kinds of station that are no device to be made faster or slower."""


class Volume(Measured):
    """A volume of one drive.

    Parameters
    ----------
    env
        The environment.
    drive
        Name of a drive card (``raidsim models`` lists them), or the path of one.
    host
        The server that the drive is in; its CPUs submit and complete the I/Os.
    name
        What reports and messages call it; None for "volume1" and so on. It also seeds
        the random numbers of its loads: give one to keep them when volumes are added.
    changes
        Other values for the card, as in a scenario: {"flash.read_time": "60 us"}.
    state
        What was done to a solid state drive before: "fresh" nothing, "filled" all was written
        once in sequence, "steady" it was then overwritten at random, mapping unit by mapping
        unit, until the write amplification was steady.
    filled
        Share of the capacity that holds data, from its start, as in a scenario: "50 %".

    Attributes
    ----------
    capacity
        Bytes that can be addressed.
    card
        The drive's card with those values, in SI base units.
    counts, latency
        Of all I/Os of this volume: awaited ones and those of loads.

    Raises
    ------
    InputError
        If there is no such card, or a value does not fit it.
    """

    def __init__(
        self,
        env: Environment,
        drive: str,
        host: Host,
        *,
        name: str | None = None,
        changes: Mapping[str, Any] | None = None,
        state: str = "filled",
        filled: str = "100 %",
    ) -> None:
        check = Arguments("Volume()")
        check.instance("env", env, Environment, "give a raidsim.Environment")
        check.instance("host", host, Host, "give a raidsim.Host")
        table = check.table("changes", changes)
        check.raise_if_wrong()
        if host.env is not env:
            check.wrong("host", "belongs to another environment", "make a Host in this one")
        self.name = env.free_name("volume") if name is None else name
        if env.is_taken(self.name):
            check.wrong("name", f'there is a volume "{self.name}" already', "give another")
        check.raise_if_wrong()
        self.env = env
        self.host = host
        self.model = drive
        self.changes = table
        self._past = {"state": plain(state), "filled": plain(filled)}
        load = {"read": "100 %", "size": "4 KiB", "outstanding": 1}
        scenario = from_data({**self.data(), "load": [load]}, "Volume()")
        self.spec = scenario.volumes[0]
        self.card = self.spec.card
        self.capacity = self.spec.capacity
        self._sector = self.card.integer("capacity.sector")
        self._longest = 0
        env.sync()
        self.system = system = env.system
        first = system.count("stations")
        self.row = add_volumes(system, scenario, env.air)[self.spec.name]
        self._drive = int(system.world.volumes[self.row]["drive"])
        self._age()
        self._stations = range(first, system.count("stations"))
        self._air = env.air
        self._heat = heat.of_drive(system, self._drive)
        env.tell_of_air(self._stand_in)
        self._awaited = system.add_stream(
            self.name,
            [(self._sector, 1.0)],
            mode=t.MANUAL,
            start=system.now,
            volume=self.row,
            process=host.add_process(self.name),
        )
        self.streams = [self._awaited]
        env.unique(self.name)

    def __repr__(self) -> str:
        return f"<Volume {self.name}: {self.model}, {self.capacity / 1e9:g} GB>"

    # -- I/O --------------------------------------------------------------------------------

    def read(
        self, offset: int, length: int, *, priority: int = 0, timeout: float | None = None
    ) -> simpy.Event:
        """Read ``length`` bytes at byte address ``offset``, from now on.

        Parameters
        ----------
        offset, length
            Bytes; multiples of the sector, inside the volume. At most 64 MiB.
        priority
            0 (first) to 3 (last), where a station orders by priority.
        timeout
            Patience in s; after it the I/O counts as timed out, whatever the drive does.

        Returns
        -------
        simpy.Event
            It always succeeds, with a :class:`~raidsim.control.Completion`: see its status.

        Raises
        ------
        InputError
            If the address range is not whole sectors inside the volume.
        """
        return self._start(t.READ, offset, length, priority, timeout)

    def write(
        self, offset: int, length: int, *, priority: int = 0, timeout: float | None = None
    ) -> simpy.Event:
        """Write ``length`` bytes at byte address ``offset``, from now on; as :meth:`read`.

        The event happens when the drive acknowledges the data.
        """
        return self._start(t.WRITE, offset, length, priority, timeout)

    def start(self, load: Load) -> RunningLoad:
        """Start a load now; ``yield`` what it returns to wait for the load's end.

        Raises
        ------
        InputError
            With every problem of the load.
        """
        check = Arguments(f"{self.name}.start()")
        check.instance("load", load, Load, 'give a Load(read="100 %", size="8 KiB", ...)')
        check.raise_if_wrong()
        running = RunningLoad(self, load.spec(self))
        self.streams = [*self.streams, *running.streams]
        return running

    def trim(self, offset: int, length: int) -> None:
        """Tell the drive that it need not keep these bytes: from now on they are spare area.

        It takes no time. Mapping units that are trimmed in part stay. The map of a large drive is
        scaled: there TRIM works in steps of the capacity over about 500, and less than a
        step may do nothing. On hard disks it does nothing at all.

        Raises
        ------
        InputError
            If the address range is not whole sectors inside the volume.
        """
        check = Arguments(f"{self.name}.trim()")
        offset = check.whole("offset", offset, 0, self.capacity - self._sector, self._sector)
        length = check.whole("length", length, self._sector, self.capacity, self._sector)
        if not check.problems and offset + length > self.capacity:
            cause = f"{length} bytes from byte {offset} on end beyond the volume"
            check.wrong("length", cause, f"it has {self.capacity} bytes")
        check.raise_if_wrong()
        self.env.sync()
        drive = self.system.world.drives[self._drive]
        if drive["kind"] == t.DRIVE_SSD:
            ssd = self.system.world.ssds[drive["row"]]
            unit = int(ssd["unit"])
            end = t.NEVER if offset + length == self.capacity else (offset + length) // unit
            ftl.trim(self.system, int(ssd["ftl"]), -(-offset // unit), end)

    # -- changes while it runs --------------------------------------------------------------

    def fail(self) -> None:
        """Let the drive answer every command from now on with an error."""
        self.system.world.drives[self._drive]["failed"] = 1

    def repair(self) -> None:
        """Let a failed drive work again, with its data as it was."""
        self.system.world.drives[self._drive]["failed"] = 0

    @property
    def failed(self) -> bool:
        """Whether the drive answers with errors."""
        return bool(self.system.world.drives[self._drive]["failed"])

    def set_speed(self, kind: str, speed: float) -> None:
        """Run the drive's stations of a kind at ``speed`` times their built speed from now on.

        Parameters
        ----------
        kind
            Of a solid state drive "front end", "data path", "link", "flash channel" or
            "flash die"; of a hard disk "disk controller" or "link". The platter's speed is
            what it is.
        speed
            1 as built; 0.5 takes twice as long, work under way included.

        Raises
        ------
        InputError
            If the drive has no such station, or the speed isn't from 0.001 to 1000.
        """
        check = Arguments(f"{self.name}.set_speed()")
        factor = check.number("speed", speed, *SPEEDS)
        names = self.system.names
        chosen = [index for index in self._stations if names[index].kind == kind]
        if not chosen or kind in FIXED:
            kinds = sorted({names[index].kind for index in self._stations} - FIXED)
            check.wrong("kind", f"{plain(kind)!r} is no kind of station", f"one of {kinds}")
        check.raise_if_wrong()
        self.env.sync()
        for index in chosen:
            self.system.set_speed(index, factor)

    def set_air(self, ambient: str | None = None, airflow: str | None = None) -> None:
        """Let this drive stand in other air from now on: its own fan fails, a cover is missing.

        Parameters
        ----------
        ambient, airflow
            As for :meth:`Environment.set_air`, which changes the air of all drives.

        Raises
        ------
        InputError
            If a text is no such quantity.
        """
        air = read_air(f"{self.name}.set_air()", ambient, airflow, self._air)
        self.env.sync()
        self._stand_in(air)

    def _stand_in(self, air: Air) -> None:
        self._air = air
        if self._heat is not None:
            conductance = heat.conductance(self.card, air.airflow)
            self.system.set_air(self._heat, air.ambient, conductance)

    # -- figures ----------------------------------------------------------------------------

    @property
    def iops(self) -> float:
        """I/Os of this volume completed per second of the window, idle times included."""
        return self._per_second("window_ios")

    @property
    def mbps(self) -> float:
        """MB/s of 2**20 bytes of this volume over the window, idle times included."""
        return self._per_second("window_bytes") / 2**20

    @property
    def temperature(self) -> float | None:
        """What the drive reports now, C; None if its card does not say how it warms."""
        if self._heat is None:
            return None
        self.env.sync()
        return heat.reading(self.system, self.system.world.heats[self._heat]).inner

    @property
    def power(self) -> float | None:
        """Mean power of the drive over the window, W; None if its card does not tell."""
        self.env.sync()
        return thermal.use(self.system, self._drive).power_w

    @property
    def throttled(self) -> str:
        """How the drive protects itself from heat now: "lightly", "heavily", or "" for not."""
        if self._heat is None:
            return ""
        self.env.sync()
        return thermal.STATES[int(self.system.world.heats[self._heat]["state"])]

    @property
    def stations(self) -> list[StationUse]:
        """Use of the drive's stations that worked in the window."""
        self.env.sync()
        window.settle_areas(self.system)
        return observe.stations(self.system, self._stations)

    @property
    def use(self) -> DriveUse:
        """Wear of the drive at the load of the window, and what a power cut would cost."""
        self.env.sync()
        return wear.use_of(self.system, self._drive)

    def _per_second(self, field: str) -> float:
        passed = self.env.window
        total = int(self.system.world.streams[field][self.streams].sum())
        return total / passed if passed > 0 else 0.0

    # -- for loads --------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """Host and volume as a scenario would write them."""
        host = {"model": self.host.model, "set": self.host.changes}
        volume = {"name": plain(self.name), "drive": plain(self.model), "set": self.changes}
        volume |= self._past
        return {"host": host, "volume": [volume]}

    def make_room(self, length: int) -> None:
        """Tell the kernel how many jobs one event of an I/O of ``length`` bytes may make."""
        if length > self._longest:
            self._longest = length
            need_room(self.system, self.row, length)

    def _age(self) -> None:
        """Bring the drive into the state that it begins with."""
        streams = []
        if self.spec.state == "steady":
            unit = int(self.card.number("mapping.unit")) if self.card.kind == "ssd" else 0
            size = int(self.capacity * self.spec.filled) // max(unit, 1) * unit
            if size > 0:
                streams.append(
                    self.system.add_stream(
                        f"{self.name}: before",
                        [(unit, 1.0)],
                        mode=t.MANUAL,
                        volume=self.row,
                        area_size=size,
                        align=unit,
                        read_share=0.0,
                    )
                )
        prepare(self.system, self.spec, self.row, streams)

    def _start(
        self, op: int, offset: int, length: int, priority: int, timeout: float | None
    ) -> simpy.Event:
        if not (
            type(offset) is int
            and type(length) is int
            and type(priority) is int
            and priority == 0
            and timeout is None
            and 0 <= offset <= self.capacity - length
            and 0 < length <= MOST_LENGTH
            and offset % self._sector == 0
            and length % self._sector == 0
        ):
            offset, length, priority, timeout = self._check(op, offset, length, priority, timeout)
        if length > self._longest:
            self.make_room(length)
        env = self.env
        event = simpy.Event(env)
        patience = t.NEVER if timeout is None else duration(timeout)
        env.system.deliver(
            to_ns(env.now), self._awaited, op, offset, length, priority, env.ticket(event), patience
        )
        return event

    def _check(
        self, op: int, offset: Any, length: Any, priority: Any, timeout: Any
    ) -> tuple[int, int, int, float | None]:
        """The arguments of an I/O as plain numbers, or all that is wrong with them."""
        check = Arguments(f"{self.name}.{'read' if op == t.READ else 'write'}()")
        sector = self._sector
        most = min(MOST_LENGTH, self.capacity)
        offset = check.whole("offset", offset, 0, self.capacity - sector, sector)
        length = check.whole("length", length, sector, most, sector)
        if not check.problems and offset + length > self.capacity:
            cause = f"{length} bytes from byte {offset} on end beyond the volume"
            check.wrong("length", cause, f"it has {self.capacity} bytes")
        priority = check.whole("priority", priority, 0, LEAST_PRIORITY)
        if timeout is not None:
            timeout = check.number("timeout", timeout, 1e-9, MOST_PATIENCE, " s")
        check.raise_if_wrong()
        return offset, length, priority, timeout
