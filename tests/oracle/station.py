"""A station: c servers, one queue, an order of service, and turnaround if it is half duplex.

Invariants, for every station at every time:

- never a server idle while somebody waits (work conservation);
- a service once begun runs to its end (no pre-emption);
- a server that becomes free takes the next of those who are waiting before anybody who comes
  after that, even at the same instant.

Waiting plus serving is the number present, so that over a run in which all who came have left
the area under the number present equals the sum of the times spent: Little's law with T cancelled,
L = lambda W (J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9
(1961), pp. 383-387). `Station.area_waiting` and `area_serving` are these areas.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import simpy

FIFO = "first in, first out"
LIFO = "last in, first out"
PRIORITY = "lowest number first, then first in, first out"


@dataclass
class Stay:
    """One visit: when it came, began to be served, and left (ns); None is not yet."""

    came: int
    began: int | None = None
    left: int | None = None


class Station:
    """A station in a SimPy environment whose time is whole nanoseconds."""

    def __init__(
        self, env: simpy.Environment, servers: int = 1, order: str = FIFO, turnaround: int = 0
    ) -> None:
        self.env = env
        self.servers = simpy.PriorityResource(env, capacity=servers)
        self.order = order
        self.turnaround = turnaround
        self.direction: int | None = None  # of the last transfer
        self.stays: list[Stay] = []

    def rank(self, priority: int) -> int:
        """Place in the queue of who comes now: the lowest rank is served next.

        SimPy's resource serves equal ranks in the order of their requests.
        """
        if self.order == PRIORITY:
            return priority
        if self.order == LIFO:
            return -len(self.stays)
        return 0

    def visit(self, service: int, priority: int, direction: int) -> Generator[Any, Any, None]:
        """Wait for a server, be served for `service` ns, leave."""
        stay = Stay(came=self.env.now)
        rank = self.rank(priority)
        self.stays.append(stay)
        with self.servers.request(priority=rank) as server:
            yield server
            stay.began = self.env.now
            yield self.env.timeout(service + self.turn(direction))
            stay.left = self.env.now

    def turn(self, direction: int) -> int:
        """Time that a change of direction costs; the very first transfer finds it right."""
        changes = self.direction is not None and self.direction != direction
        self.direction = direction
        return self.turnaround if changes else 0

    def area_waiting(self, until: int) -> int:
        """Integral of the number waiting from 0 to `until`, ns."""
        began = (until if s.began is None else s.began for s in self.stays)
        return sum(min(b, until) - s.came for b, s in zip(began, self.stays, strict=True))

    def area_serving(self, until: int) -> int:
        """Integral of the number of busy servers from 0 to `until`, ns."""
        return sum(
            (until if s.left is None else min(s.left, until)) - s.began
            for s in self.stays
            if s.began is not None
        )
