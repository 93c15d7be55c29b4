"""A SimPy environment whose step lets the kernel run.

Before SimPy takes its next event, the kernel runs up to that event's time, or up to the
first completion that a process waits for, which then becomes SimPy's next event. At
equal times SimPy goes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heappush
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import simpy
from simpy.core import SimTime
from simpy.events import NORMAL

from raidsim.assembly.heat import STANDARD_AIR, Air
from raidsim.control.air import read_air
from raidsim.control.arguments import Arguments, is_time
from raidsim.control.clock import NS_PER_S, last_before, to_ns, to_seconds
from raidsim.control.power import Power
from raidsim.errors import quote
from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.observe import observe
from raidsim.result import Limit, PowerCut, StationUse
from raidsim.scenario.arrays import HOST
from raidsim.system.system import SaturationError, System

if TYPE_CHECKING:
    from raidsim.control.volume import Volume

STATUS = {t.DONE: "done", t.FAILED: "failed", t.TIMED_OUT: "timed out"}
LATEST_START = 3e9  # s


class EndlessLoadError(RuntimeError):
    """``run()`` was asked to wait for the end of something that has no end."""


class Completion(NamedTuple):
    """How an awaited I/O ended.

    Attributes
    ----------
    status
        "done", "failed" (the drive answered with an error) or "timed out".
    issued, completed
        Simulated times, s.
    latency
        Time from issue to completion, s; exact to the ns however late it is.
    """

    status: str
    issued: float
    completed: float
    latency: float

    @property
    def ok(self) -> bool:
        """Whether the data was read or written."""
        return self.status == "done"


class Environment(simpy.Environment):
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
        super().__init__(start)
        self.system = System(self.seed)
        self._waiting: dict[int, simpy.Event] = {}
        self._endless: dict[int, str] = {}  # loads that never end by themselves: ticket, name
        self._tickets = 0
        self._taken: dict[str, int] = {}
        self._heated: list[Callable[[Air], None]] = []
        self._power = Power(self)
        self.air = STANDARD_AIR
        self.sync()
        window.reset(self.system)

    def run(self, until: SimTime | simpy.Event | None = None) -> Any:
        """Run until a time (s) or an event, or until nothing is left to happen.

        Without ``until`` it returns when SimPy has no event left, no load is under way and
        the drives have come to rest; ``now`` is that time.

        Raises
        ------
        EndlessLoadError
            If only loads without an end would go on.
        InputError
            If ``until`` is no number.
        SaturationError
            If an open load asks for more than the system can do, and the backlog grows
            beyond all bounds.
        """
        if until is not None and not isinstance(until, simpy.Event):
            check = Arguments("Environment.run()")
            if not is_time(until):
                cause = f"{quote(until)} is neither a time nor an event"
                check.wrong("until", cause, "give a number of seconds, or an event")
            check.raise_if_wrong()
        return super().run(until)

    def schedule(self, event: simpy.Event, priority: Any = NORMAL, delay: SimTime = 0) -> None:
        """Let an event happen after a delay, s.

        Raises
        ------
        InputError
            If the delay is no number.
        """
        # A number of NumPy's own narrower types would narrow the clock that it is added to.
        seconds = float(delay)
        if math.isnan(seconds):
            check = Arguments("Environment")
            check.wrong("delay", "nan is not a time", "give a number of seconds")
            check.raise_if_wrong()
        super().schedule(event, priority, seconds)

    def step(self) -> None:
        """Let the kernel run up to SimPy's next event, then process that event.

        Raises
        ------
        EndlessLoadError
            If nothing is left to stop at, and a load goes on for ever.
        """
        until = self.peek()
        if until > self._now:  # up to now, the kernel has run already
            self._run_kernel(until)
        super().step()

    def _run_kernel(self, until: float) -> None:
        unbounded = until == math.inf
        if unbounded and self._endless and len(self._waiting) == len(self._endless):
            names = ", ".join(dict.fromkeys(self._endless.values()))
            raise EndlessLoadError(
                f"run() would never return: nothing is left but a load without an end ({names});"
                " run(until=...) a time or an event that comes, or give the load a limit,"
                " or stop() it"
            )
        try:
            reason = self.system.run(last_before(until))
        except SaturationError:
            self._now = max(self._now, to_seconds(self.system.now))
            raise
        if reason == t.RETURN_AWAITED:
            self._collect()
        elif unbounded:
            self._now = max(self._now, to_seconds(self.system.now))

    def _collect(self) -> None:
        """Turn the kernel's completion records into SimPy events at their times."""
        for record in self.system.awaited():
            self._end(*record)

    def _end(self, ticket: int, time: int, issued: int, status: int) -> None:
        """Let what was issued at one time of the kernel's end at another, which is not before now.

        In the kernel's time, in which no completion lies before its issue: of two processes that
        act within one ns, SimPy may have the first one between two of the kernel's ns.
        """
        event = self._waiting.pop(ticket)
        completed = max(time / NS_PER_S, self._now)
        event._ok = True
        event._value = Completion(
            STATUS[status], issued / NS_PER_S, completed, (time - issued) / NS_PER_S
        )
        heappush(self._queue, (completed, NORMAL, next(self._eid), event))

    # -- figures of the whole system ----------------------------------------------------

    def reset_window(self) -> None:
        """Begin to measure anew: rates, latencies and use of stations count from now on."""
        self.sync()
        window.reset(self.system)

    @property
    def window(self) -> float:
        """Length of the window so far, s."""
        self.sync()
        return observe.span(self.system) / NS_PER_S

    @property
    def stations(self) -> list[StationUse]:
        """Use of every station that worked in the window."""
        self.sync()
        window.settle_areas(self.system)
        return observe.stations(self.system)

    @property
    def limited_by(self) -> Limit | None:
        """The busiest station in the window; None if none has worked."""
        return observe.limit(self.stations, self.system.volume_of)

    # -- changes while it runs --------------------------------------------------------------

    def set_air(self, ambient: str | None = None, airflow: str | None = None) -> None:
        """Let all drives stand in other air from now on: the room warms up, a fan fails.

        Parameters
        ----------
        ambient
            Temperature of the air at the drives, such as "35 C"; None leaves it.
        airflow
            Share of the airflow for which the server is released, such as "20 %"; None leaves it.

        Raises
        ------
        InputError
            If a text is no such quantity.
        """
        self.let_stand_in(read_air("Environment.set_air()", ambient, airflow, self.air))

    def let_stand_in(self, air: Air) -> None:
        """Let all drives stand in this air from now on, as :meth:`set_air` does."""
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

    @property
    def power(self) -> str:
        """The power: "on", "off", or "coming" from :meth:`restore_power` until loads go on."""
        return self._power.state

    # -- for hosts, volumes and loads -----------------------------------------------------

    def when_on(self, start: Callable[[], None]) -> None:
        """Let something begin now, or when the power is back."""
        self._power.when_on(start)

    def has_volume(self, volume: Volume) -> None:
        """Take a volume and its name in; a power cut is about it too."""
        self._power.volumes.append(volume)
        self.unique(volume.name)

    def fail(self, awaited: list[tuple[int, int]]) -> None:
        """End I/Os as failed, now: tickets and times of issue (ns)."""
        for ticket, issued in awaited:
            self._end(ticket, self.system.now, issued, t.FAILED)

    def sync(self) -> None:
        """Bring the kernel's clock to SimPy's time, before something happens at it."""
        self.system.advance_clock(to_ns(self._now))

    def tell_of_air(self, stand_in: Callable[[Air], None]) -> Air:
        """Let a volume know of other air; the air that there is now."""
        self._heated.append(stand_in)
        return self.air

    def ticket(self, event: simpy.Event) -> int:
        """A number under which the kernel reports the completion that ``event`` stands for."""
        self._tickets = number = self._tickets + 1
        self._waiting[number] = event
        return number

    def expect_no_end(self, ticket: int, name: str) -> None:
        """The load with this ticket will not end by itself."""
        self._endless[ticket] = name

    def expect_an_end(self, ticket: int) -> None:
        """The load with this ticket has been told to stop."""
        self._endless.pop(ticket, None)

    def collect(self) -> None:
        """Take what the kernel has reported outside of a run."""
        if self.system.state["awaited"] > 0:
            self._collect()

    def is_taken(self, name: Any) -> bool:
        """Whether something in this environment has the name."""
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
