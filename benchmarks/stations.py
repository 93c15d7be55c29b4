"""Plain networks of stations: what tests prove the kernel by, and a benchmark measures it by.

The product has no use for them; ``raidsim/kernel/network.py`` says what the kernel does of them.

    net = Network(seed=1)
    cpu = net.station("cpu")
    disk = net.station("disk", servers=2)
    net.closed("jobs", population=5, route=[exponential(cpu, 0.05), exponential(disk, 0.08)])
    net.run(ios=100_000)
    net.throughput("jobs"), net.mean_response("jobs")

Times at this face are float seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.load import to_ns
from raidsim.intervene.window import reset
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import CLOSED, GIVEN, RATE
from raidsim.scenario import Requests
from raidsim.system.system import System, stream_key
from raidsim.units import NS_PER_S


@dataclass(frozen=True)
class Step:
    """One step of a route: stations ``station .. station + branches - 1`` and a service law."""

    station: int
    law: int
    mean: float = 0.0  # s
    branches: int = 1
    given: tuple[float, ...] = ()  # s


def constant(station: int, mean: float) -> Step:
    """A visit that always takes ``mean`` seconds."""
    return Step(station, t.LAW_CONSTANT, mean)


def exponential(station: int, mean: float, branches: int = 1) -> Step:
    """A visit with exponential service; ``branches`` > 1 forks to so many stations and joins."""
    return Step(station, t.LAW_EXPONENTIAL, mean, branches)


def uniform(station: int, mean: float) -> Step:
    """A visit with service uniform on (0, 2 mean)."""
    return Step(station, t.LAW_UNIFORM, mean)


def given(station: int, times: Sequence[float], branches: int = 1) -> Step:
    """The n-th visit takes the n-th of ``times`` seconds."""
    return Step(station, t.LAW_GIVEN, branches=branches, given=tuple(times))


class Network:
    """Stations and classes of requests that visit them."""

    def __init__(self, seed: int = 1) -> None:
        self.system = System(seed)
        self.classes: dict[str, int] = {}
        self._process = self.system.add_row(
            "processes", page=1, submit_core=t.NONE, complete_core=t.NONE
        )

    def station(
        self,
        name: str,
        servers: int = 1,
        discipline: int = t.FIFO,
        turnaround: float = 0.0,
        count: int = 1,
    ) -> int:
        """Add ``count`` like stations in a row; index of the first."""
        indices = [
            self.system.add_station(name, name, servers, discipline, to_ns(turnaround))
            for _ in range(count)
        ]
        return indices[0]

    def _add_class(self, name: str, route: Sequence[Step], read_share: float, **fields: Any) -> int:
        system = self.system
        first = system.append("steps", len(route))
        for row, step in enumerate(route, first):
            record = system.world.steps[row]
            record["station"] = step.station
            record["branches"] = step.branches
            record["law"] = step.law
            record["mean"] = step.mean * NS_PER_S
            record["key"] = stream_key(system.seed, name, "service", row - first)
            if step.given:
                place = system.add_given("given", map(to_ns, step.given))
                system.world.steps[row]["first_given"] = place
            system.need_margin(step.branches)
        volume = system.add_row(
            "volumes", kind=t.VOLUME_ROUTE, first_step=first, steps=len(route), size=1
        )
        requests = [Requests(1, read=read_share)]
        index = system.add_stream(name, requests, volume=volume, process=self._process, **fields)
        self.classes[name] = index
        return index

    def closed(
        self,
        name: str,
        population: int,
        route: Sequence[Step],
        think: float = 0.0,
        exponential_think: bool = True,
        priority: int = 0,
        read_share: float = 1.0,
    ) -> None:
        """``population`` requests go round for ever, with a think time (s) between visits."""
        law = t.LAW_EXPONENTIAL if exponential_think else t.LAW_CONSTANT
        stream = self._add_class(
            name,
            route,
            read_share,
            mode=CLOSED,
            outstanding=population,
            think=to_ns(think),
            think_law=law,
            priority=priority,
        )
        self.system.begin(stream)

    def poisson(
        self,
        name: str,
        rate: float,
        route: Sequence[Step],
        priority: int = 0,
        ios: int | None = None,
        read_share: float = 1.0,
    ) -> None:
        """Requests arrive at ``rate`` per second, independently of each other."""
        stop = t.NEVER if ios is None else ios
        stream = self._add_class(
            name,
            route,
            read_share,
            mode=RATE,
            gap=NS_PER_S / rate,
            gap_law=t.LAW_EXPONENTIAL,
            priority=priority,
            stop_ios=stop,
        )
        self.system.begin(stream)

    def arrivals(
        self,
        name: str,
        times: Sequence[float],
        route: Sequence[Step],
        priority: int = 0,
        timeout: float | None = None,
        read_share: float = 1.0,
    ) -> None:
        """Requests arrive at the given times (s)."""
        first = self.system.add_given("arrivals", map(to_ns, times))
        stream = self._add_class(
            name,
            route,
            read_share,
            mode=GIVEN,
            first_arrival=first,
            arrivals=len(times),
            priority=priority,
            timeout=t.NEVER if timeout is None else to_ns(timeout),
        )
        self.system.begin(stream)

    def run(self, ios: int | None = None, until: float | None = None) -> int:
        """Run until so many requests in all have completed since the start, or until a time (s)."""
        budget = t.NEVER if ios is None else ios
        horizon = t.NEVER if until is None else to_ns(until)
        return self.system.run(horizon, budget)

    def reset(self) -> None:
        """Open a new window: forget what was measured, keep the state of the system."""
        reset(self.system)

    # -- what was measured ------------------------------------------------------------

    def stream(self, name: str) -> Any:
        """The STREAM row of a class."""
        return self.system.world.streams[self.classes[name]]

    def completed(self, name: str) -> int:
        """Requests of a class completed in the window."""
        return int(self.stream(name)["window_ios"].sum())

    def throughput(self, name: str) -> float:
        """Requests per second in the window."""
        passed = self.system.now - int(self.system.state["slice_origin"])
        return self.completed(name) / (passed / NS_PER_S)

    def mean_response(self, name: str) -> float:
        """Mean response time in the window, s."""
        return float(self.stream(name)["window_ns"].sum() / self.completed(name) / NS_PER_S)

    def histogram(self, name: str) -> NDArray[np.int64]:
        """Response times of a class: counts per bin of raidsim.stats.histogram."""
        accounts = self.system.accounts([self.classes[name]])
        counts: NDArray[np.int64] = self.system.world.latencies[accounts, : t.FLUSH].sum(
            axis=(0, 1)
        )
        return counts
