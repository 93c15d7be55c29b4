"""A SimPy environment whose step lets the kernel run.

Before SimPy takes its next event, the kernel runs up to that event's time, or up to the
first completion that a process waits for, which then becomes SimPy's next event. At
equal times SimPy goes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from heapq import heappush
from typing import Any, NamedTuple

import simpy
from simpy.core import SimTime
from simpy.events import NORMAL

from raidsim.control.arguments import Arguments, is_time
from raidsim.control.clock import END, NS_PER_S, last_before, to_ns, to_seconds
from raidsim.errors import quote
from raidsim.kernel import tables as t
from raidsim.system.system import System
from raidsim.system.tables import SaturationError

STATUS = {t.DONE: "done", t.FAILED: "failed", t.TIMED_OUT: "timed out"}


class EndlessLoadError(RuntimeError):
    """``run()`` was asked to wait for the end of something that has no end."""


class Completion(NamedTuple):
    """The end of an awaited I/O.

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


class KernelEnvironment(simpy.Environment):
    """A ``simpy.Environment`` with the tables of a kernel, and the kernel's clock.

    Parameters
    ----------
    start
        Start of simulated time, s.
    seed
        Seed of all loads.

    Attributes
    ----------
    system
        The kernel's tables.
    """

    def __init__(self, start: float, seed: int) -> None:
        super().__init__(start)
        self.system = System(seed)
        self._supply = "on"
        self._waiting: dict[int, simpy.Event] = {}
        self._endless: dict[int, str] = {}  # loads that never end by themselves: ticket, name
        self._tickets = 0
        self._later: list[Callable[[], None]] = []  # what begins when the power is on

    def run(self, until: SimTime | simpy.Event | None = None) -> Any:
        """Run until a time (s) or an event, or until nothing is left to happen.

        Without ``until`` it returns when SimPy has no event left, no load is under way and
        the drives have come to rest; ``now`` is that time.

        Raises
        ------
        EndlessLoadError
            If only loads without an end would go on.
        InputError
            If ``until`` is no number, or no time that is still to come.
        SaturationError
            If an open load asks for more than the system can do, and the backlog grows
            beyond all bounds.
        """
        if until is not None and not isinstance(until, simpy.Event):
            check = Arguments("Environment.run()")
            if not is_time(until):
                cause = f"{quote(until)} is neither a time nor an event"
                check.wrong("until", cause, "give a number of seconds, or an event")
            elif until <= self._now:
                cause = f"{quote(until)} is not after the present time, {self._now:g} s"
                check.wrong("until", cause, "give a later one")
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
        given: Any = delay
        try:
            seconds = math.nan if isinstance(given, str | bytes) else float(given)
        except (TypeError, ValueError):
            seconds = math.nan
        if math.isnan(seconds):
            check = Arguments("Environment.schedule()")
            check.wrong("delay", f"{quote(delay)} is not a time", "give a number of seconds")
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

    def advance(self, until: float) -> None:
        """Let everything happen up to a time, s, and let it be that time.

        As :meth:`run`, for those who come back again and again in small steps: it costs them no
        event of their own. What the kernel does at that very time has happened, too.

        Raises
        ------
        InputError
            If it is no time.
        SaturationError
            As of :meth:`run`.
        """
        _check_time("Environment.advance()", until)
        while True:
            if self.peek() <= until:
                self.step()
                continue
            if self.system.run(to_ns(until)) != t.RETURN_AWAITED:
                break
            self._collect()
            # The kernel is already at these completions: it need not be run up to them.
            reached = to_seconds(self.system.now)
            while self.peek() <= reached:
                super().step()
        self._now = max(self._now, until)
        self.sync()

    def take_one(self, until: float) -> bool:
        """Do the next single event, of the kernel or of SimPy; False if none is due by then.

        This is for observers of the effect of each kernel event. The time is then that of the
        event. If there was none, the time does not change.

        Parameters
        ----------
        until
            s.

        Raises
        ------
        InputError
            If it is no time.
        SaturationError
            As of :meth:`run`.
        """
        _check_time("Environment.take_one()", until)
        following = self.peek()
        due = min(last_before(following), to_ns(until))
        reason = self.system.run(due, budget=0)  # a budget that is met after any event
        if reason == t.RETURN_AWAITED:
            self._collect()
        if reason in (t.RETURN_AWAITED, t.RETURN_BUDGET):
            self._now = max(self._now, to_seconds(self.system.now))
            return True
        if following > until:
            return False
        self.step()
        return True

    @property
    def next_time(self) -> float:
        """When the next thing happens, be it SimPy's or the kernel's, s; inf if nothing does."""
        state = self.system.state
        if state["first_waiting"] != t.NONE:  # on the kernel's agenda, which is for this instant
            return self.now
        inside = math.inf
        if state["events"] > 0:
            inside = to_seconds(self.system.next_time)
        return min(self.peek(), inside)

    def _run_kernel(self, until: float) -> None:
        unbounded = until == math.inf
        if unbounded and self._endless and len(self._waiting) == len(self._endless):
            names = ", ".join(dict.fromkeys(self._endless.values()))
            raise EndlessLoadError(
                f"run() would never return: only loads without an end are left ({names}); give"
                " run(until=...) a time or an event, give the load a limit, or stop() it"
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
        """End an I/O that was issued at one time of the kernel at another one, not before now.

        The kernel's time is used, in which no completion is before its issue. If two processes act
        within one ns, SimPy may place the first one between two of the kernel's ns.
        """
        event = self._waiting.pop(ticket)
        completed = max(time / NS_PER_S, self._now)
        event._ok = True
        event._value = Completion(
            STATUS[status], issued / NS_PER_S, completed, (time - issued) / NS_PER_S
        )
        heappush(self._queue, (completed, NORMAL, next(self._eid), event))

    # -- for what is in it --------------------------------------------------------------------

    def sync(self) -> None:
        """Bring the kernel's clock to SimPy's time, before something happens at it."""
        self.system.advance_clock(to_ns(self._now))

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

    def fail(self, awaited: list[tuple[int, int]]) -> None:
        """End I/Os as failed, now: tickets and times of issue (ns)."""
        for ticket, issued in awaited:
            self._end(ticket, self.system.now, issued, t.FAILED)

    @property
    def power(self) -> str:
        """The power: "on", "off", or "coming" from its return until loads go on."""
        return self._supply

    def switch(self, supply: str) -> None:
        """Note how the power is from now on."""
        self._supply = supply

    def when_on(self, start: Callable[[], None]) -> None:
        """Let something begin now, or when the power is back."""
        if self.power == "on":
            start()
        else:
            self._later.append(start)

    def begin_what_waited(self) -> None:
        """Let all begin that was put off until the power is back."""
        later, self._later = self._later, []
        for start in later:
            start()


def _check_time(call: str, until: Any) -> None:
    """Refuse what is no time on the kernel's clock."""
    if type(until) is float and 0.0 <= until < END:
        return  # called again and again
    check = Arguments(call)
    check.number("until", until, 0.0, END, " s")
    check.raise_if_wrong()
