"""The environment that a user makes, for the hosts, volumes and loads of a model."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import simpy

from raidsim.assembly.heat import STANDARD_AIR, Air
from raidsim.control.air import read_air
from raidsim.control.arguments import Arguments
from raidsim.control.clock import NS_PER_S
from raidsim.control.kernel_environment import KernelEnvironment
from raidsim.control.power import Power, Powered
from raidsim.intervene import window
from raidsim.observe import figures, limits, station_use
from raidsim.result import Limit, StationUse
from raidsim.result.cuts import PowerCut
from raidsim.scenario.arrays import HOST

LATEST_START = 3e9  # s


class Environment(KernelEnvironment):
    """A ``simpy.Environment`` with storage in it.

    Everything of SimPy's works as ever: processes, resources, conditions, interrupts. Times
    are seconds. ``peek()`` is about SimPy's own events; what goes on inside a volume is none.

    Parameters
    ----------
    initial_time
        Start of simulated time, s.
    seed
        Seed of all loads in this environment. Same program, same seed: same run.

    Raises
    ------
    InputError
        If a value is no number, or out of range.
    """

    def __init__(self, initial_time: float = 0.0, *, seed: int = 1) -> None:
        check = Arguments("Environment()")
        start = check.number("initial_time", initial_time, 0.0, LATEST_START, " s")
        self.seed = check.whole("seed", seed, 0, 2**63 - 1)
        check.raise_if_wrong()
        super().__init__(start, self.seed)
        self._taken: dict[str, int] = {}
        self._heated: list[Callable[[Air], None]] = []
        self._power = Power(self)
        self.air = STANDARD_AIR
        self.sync()
        window.reset(self.system)

    # -- figures of the whole system ----------------------------------------------------

    def reset_window(self) -> None:
        """Begin to measure anew: rates, latencies and use of stations count from now on."""
        self.sync()
        window.reset(self.system)

    @property
    def window(self) -> float:
        """Length of the window so far, s."""
        self.sync()
        return figures.span(self.system) / NS_PER_S

    @property
    def stations(self) -> list[StationUse]:
        """Use of every station that worked in the window."""
        self.sync()
        window.settle_areas(self.system)
        return station_use.uses(self.system)

    @property
    def limited_by(self) -> Limit | None:
        """The busiest station in the window; None if none has worked."""
        return limits.busiest_part(self.stations, self.system.volume_of)

    # -- changes while it runs --------------------------------------------------------------

    def set_air(self, ambient: str | None = None, airflow: str | None = None) -> None:
        """Let all drives stand in other air from now on: the room warms up, a fan fails.

        Parameters
        ----------
        ambient
            Temperature of the air at the drives, such as "35 C"; None leaves it.
        airflow
            Share of the airflow for which the server is approved, such as "20 %"; None leaves it.

        Raises
        ------
        InputError
            If a text is no such quantity.
        """
        self.let_stand_in(read_air("Environment.set_air()", ambient, airflow, self.air))

    def let_stand_in(self, air: Air) -> None:
        """Let all drives stand in this air from now on, as :meth:`set_air` does.

        Raises
        ------
        InputError
            It is no air.
        """
        check = Arguments("Environment.let_stand_in()")
        check.instance("air", air, Air, "call set_air(), which takes texts")
        check.raise_if_wrong()
        self.air = air
        self.sync()
        for stand_in in self._heated:
            stand_in(self.air)

    def cut_power(self) -> PowerCut:
        """Cut the power of everything now: hosts, controllers, drives.

        I/Os under way end as "failed"; what a process asks for until power is back is issued then.

        Returns
        -------
        PowerCut
            What was acknowledged and is lost, which stripes are inconsistent, and what the loss
            of a drive would then corrupt.

        Raises
        ------
        InputError
            If the power is off already.
        """
        return self._power.cut()

    def restore_power(self, boot: float = 0.0) -> simpy.Event:
        """Give power back now.

        Disks spin up; protected caches write to them what they hold; hosts boot, and when both
        are done loads go on, and software RAID begins its resyncs.

        Parameters
        ----------
        boot
            Time that the hosts take to boot, s.

        Returns
        -------
        simpy.Event
            It happens when the loads go on, with a :class:`~raidsim.control.power.PowerOn` as its
            value; if the power is cut again before, after the next :meth:`restore_power`.

        Raises
        ------
        InputError
            If the power is on, or ``boot`` isn't a time from 0 s to 1 h.
        """
        return self._power.restore(boot)

    # -- for hosts, volumes and loads -----------------------------------------------------

    def has_volume(self, volume: Powered) -> None:
        """Take a volume and its name in; a power cut is about it too."""
        self._power.volumes.append(volume)
        self.unique(volume.name)

    def tell_of_air(self, stand_in: Callable[[Air], None]) -> Air:
        """Let a volume know of other air; the air that there is now."""
        self._heated.append(stand_in)
        return self.air

    def is_taken(self, name: Any) -> bool:
        """Return whether something in this environment has the name."""
        return isinstance(name, str) and name in self._taken

    def check_name(self, check: Arguments, kind: str, name: str | None) -> str:
        """The name of a volume, controller or link: that which is given, or a free one."""
        if name is None:
            return self.free_name(kind)
        if self.is_taken(name):
            check.wrong("name", f'something here is called "{name}" already', "give another")
        if kind != "volume" and name == HOST:
            check.wrong("name", f'"{HOST}" stands for the host itself', "give another")
        return name

    def free_name(self, stem: str) -> str:
        """The first of stem1, stem2, ... that nothing has."""
        return next(name for n in count(1) if not self.is_taken(name := f"{stem}{n}"))

    def unique(self, name: str) -> str:
        """Take ``name``, or if it is taken, "name (2)" and so on."""
        times = self._taken[name] = self._taken.get(name, 0) + 1
        return name if times == 1 else f"{name} ({times})"
