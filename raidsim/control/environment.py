"""A SimPy environment whose step lets the kernel run.

Before SimPy takes its next event, the kernel runs up to that event's time, or up to the
first completion that a process waits for, which then becomes SimPy's next event. At
equal times SimPy goes first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from heapq import heappush

import simpy
from simpy.events import NORMAL

from raidsim.build.system import System
from raidsim.control.clock import last_before, to_ns, to_seconds
from raidsim.kernel import tables as t

STATUS = {t.DONE: "done", t.FAILED: "failed", t.TIMED_OUT: "timed out"}


class EndlessLoadError(RuntimeError):
    """``run()`` was asked to wait for the end of something that has no end."""


@dataclass(frozen=True, slots=True)
class Completion:
    """How an awaited I/O ended.

    Attributes
    ----------
    status
        "done", "failed" (the drive answered with an error) or "timed out".
    issued, completed
        Simulated times, s.
    """

    status: str
    issued: float
    completed: float

    @property
    def ok(self) -> bool:
        """Whether the data was read or written."""
        return self.status == "done"

    @property
    def latency(self) -> float:
        """Time from issue to completion, s."""
        return self.completed - self.issued


class Environment(simpy.Environment):
    """A ``simpy.Environment`` with storage in it.

    Parameters
    ----------
    initial_time
        Start of simulated time, s.
    seed
        Seed of all loads in this environment.
    """

    def __init__(self, initial_time: float = 0.0, *, seed: int = 1) -> None:
        if not (0 <= initial_time < math.inf):
            raise ValueError(f"initial_time must be a finite time from 0 s on, not {initial_time}")
        super().__init__(initial_time)
        self.system = System(seed)
        self.system.advance_clock(to_ns(initial_time))
        self._waiting: dict[int, simpy.Event] = {}
        self._endless: set[int] = set()  # tickets of loads that never end by themselves
        self._tickets = 0

    def step(self) -> None:
        """Let the kernel run up to SimPy's next event, then process that event.

        Raises
        ------
        EndlessLoadError
            If nothing is left to stop at, and a load goes on for ever.
        """
        self._run_kernel()
        super().step()

    def _run_kernel(self) -> None:
        until = self.peek()
        bounded = not math.isinf(until)
        if not bounded and len(self._waiting) == len(self._endless) and self._runs_for_ever():
            raise EndlessLoadError(
                "run() would never return: a load without a limit is running; give run() a time"
                " or an event, or give the load a limit, or stop() it"
            )
        reason = self.system.run(last_before(until))
        if reason == t.RETURN_AWAITED:
            self._collect()
        elif not bounded:
            self._now = max(self._now, to_seconds(self.system.now))

    def _runs_for_ever(self) -> bool:
        rows = self.system.world.streams[: self.system.count("streams")]
        unlimited = (
            (rows["stop_ios"] == t.NEVER)
            & (rows["stop_bytes"] == t.NEVER)
            & (rows["stop_time"] == t.NEVER)
            & ((rows["mode"] == t.CLOSED) | (rows["mode"] == t.POISSON))
        )
        return bool((unlimited & (rows["ended"] == 0) & (rows["mark"] > 0)).any())

    def _collect(self) -> None:
        """Turn the kernel's completion records into SimPy events at their times."""
        system = self.system
        for ticket, time, issued, status in system.awaited():
            event = self._waiting.pop(ticket)
            if self._endless:
                self._endless.discard(ticket)
            completed = max(to_seconds(time), self._now)
            event._ok = True
            event._value = Completion(STATUS[status], to_seconds(issued), completed)
            heappush(self._queue, (completed, NORMAL, next(self._eid), event))

    # -- for volumes and loads ------------------------------------------------------------

    def sync(self) -> None:
        """Bring the kernel's clock to SimPy's time, before something is started at it."""
        self.system.advance_clock(to_ns(self._now))

    def ticket(self, event: simpy.Event, *, endless: bool = False) -> int:
        """A number under which the kernel reports the completion that ``event`` stands for."""
        self._tickets += 1
        self._waiting[self._tickets] = event
        if endless:
            self._endless.add(self._tickets)
        return self._tickets

    def endless_no_more(self, ticket: int) -> None:
        """A load that had no end has been told to stop."""
        self._endless.discard(ticket)
