"""Networks of stations: classes of requests that follow a route, open or closed.

A route is a list of steps, done one after the other. A step is a visit to one station, or a
fork: one branch at each of several stations at once, and a join that waits for the last. The
n-th visit to a step takes the n-th of its given service times, counted in the order in which
requests reach it; the branches of a fork take consecutive ones.

- Open class: the n-th request comes at the n-th arrival time, whatever the network does.
- Closed class: N requests go round for ever. All come at time 0; who is through comes again
  after the think time. The number present (thinking included) is N at every time. Its mean
  response obeys the interactive response time law R = N / X - Z (E. D. Lazowska et al.,
  "Quantitative System Performance", 1984, section 3.4).
- Patience: a request that is not through after so long has timed out then; its work goes on.

At time 0 classes of a lower priority number come first, then in the order of their adding.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import simpy

from oracle.station import FIFO, Station

DONE = "done"
TIMED_OUT = "timed out"


@dataclass(frozen=True)
class Fork:
    """One branch at each of these stations, with the n-th service time for the n-th branch."""

    stations: tuple[Station, ...]
    times: Sequence[int]  # ns


def Visit(station: Station, times: Sequence[int]) -> Fork:  # noqa: N802
    """A visit to one station is a fork with one branch."""
    return Fork((station,), times)


@dataclass(frozen=True)
class Outcome:
    """One request that is through: its class, when it came and ended (ns), and how."""

    name: str
    came: int
    ended: int
    status: str = DONE


@dataclass
class _Class:
    name: str
    route: Sequence[Fork]
    visits: list[Any]  # a counter per step
    priority: int
    direction: int
    patience: int | None
    population: int = 0
    think: int = 0
    arrivals: Sequence[int] = ()


class OracleNetwork:
    """Stations and classes; `run` gives the requests in the order in which they were through."""

    def __init__(self) -> None:
        self.env = simpy.Environment(initial_time=0)
        self.outcomes: list[Outcome] = []
        self.stations: list[Station] = []
        self._classes: list[_Class] = []
        self._enough: simpy.Event = self.env.event()
        self._wanted = 0

    def station(self, servers: int = 1, order: str = FIFO, turnaround: int = 0) -> Station:
        """Add a station; `turnaround` in ns for each change of direction."""
        self.stations.append(Station(self.env, servers, order, turnaround))
        return self.stations[-1]

    def open(
        self,
        name: str,
        arrivals: Sequence[int],
        route: Sequence[Fork],
        priority: int = 0,
        direction: int = 0,
        patience: int | None = None,
    ) -> None:
        """Add requests that come at the given times (ns)."""
        counters = [count() for _ in route]
        self._classes.append(
            _Class(name, route, counters, priority, direction, patience, arrivals=arrivals)
        )

    def closed(
        self,
        name: str,
        population: int,
        route: Sequence[Fork],
        think: int = 0,
        priority: int = 0,
        direction: int = 0,
    ) -> None:
        """Add `population` requests that go round, `think` ns between two rounds."""
        counters = [count() for _ in route]
        self._classes.append(
            _Class(name, route, counters, priority, direction, None, population, think)
        )

    def run(self, requests: int) -> list[Outcome]:
        """Run until so many requests are through (done or timed out)."""
        self._wanted = requests
        for kind in sorted(self._classes, key=lambda kind: kind.priority):
            for _ in range(kind.population):
                self.env.process(self._go_round(kind))
            if kind.arrivals:
                self.env.process(self._come(kind))
        self.env.run(until=self._enough)
        return self.outcomes

    def instants(self) -> list[int]:
        """Times at which something comes from outside or a service ends: two alike are a tie."""
        arrivals = [time for kind in self._classes for time in kind.arrivals]
        ends = [s.left for station in self.stations for s in station.stays if s.left is not None]
        return arrivals + ends

    def _come(self, kind: _Class) -> Generator[Any, Any, None]:
        for time in kind.arrivals:
            yield self.env.timeout(time - self.env.now)
            self.env.process(self._request(kind))

    def _go_round(self, kind: _Class) -> Generator[Any, Any, None]:
        while True:
            yield self.env.process(self._request(kind))
            yield self.env.timeout(kind.think)

    def _request(self, kind: _Class) -> Generator[Any, Any, None]:
        came = self.env.now
        work = self.env.process(self._follow(kind))
        if kind.patience is None:
            yield work
        else:
            yield work | self.env.timeout(kind.patience)
        status = TIMED_OUT if work.is_alive else DONE
        self.outcomes.append(Outcome(kind.name, came, self.env.now, status))
        if len(self.outcomes) == self._wanted:
            self._enough.succeed()

    def _follow(self, kind: _Class) -> Generator[Any, Any, None]:
        for step, visits in zip(kind.route, kind.visits, strict=True):
            branches = [
                self.env.process(
                    station.visit(step.times[next(visits)], kind.priority, kind.direction)
                )
                for station in step.stations
            ]
            yield self.env.all_of(branches)
