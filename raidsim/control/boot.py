"""A scenario with machines: all of them are switched on, and it ends when the last one is ready.

Loads of the scenario run meanwhile, as a background. Everything is measured from the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import simpy

from raidsim.build import observe, wear, window
from raidsim.build.scenario import Machine
from raidsim.build.system import System
from raidsim.control.environment import Environment
from raidsim.control.machine import Group
from raidsim.kernel import tables as t
from raidsim.result import Interval, Latency, MachineUse, Point
from raidsim.scenario import Scenario

STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # s, of the curve
MOST_STEPS = 250
LOOK = 1.0  # s of simulated time between two looks at the progress

Tell = Callable[[str, float], None]


class Boot:
    """All machines of a scenario in a system that is built.

    Parameters
    ----------
    scenario
        With its groups of machines.
    machine
        The system built from it.
    """

    def __init__(self, scenario: Scenario, machine: Machine) -> None:
        if machine.host is None:
            raise AssertionError("a system that was built from a scenario has its host")
        self.scenario = scenario
        self.machine = machine
        self.groups = {
            spec.name: Group(
                machine.system, spec, machine.volumes, machine.host.add_process(spec.name)
            )
            for spec in scenario.machines
        }

    def run(self, tell: Tell | None = None) -> bool:
        """Switch all on and go on until all are ready, or until the longest time; whether they are.

        ``tell`` is called from time to time with what is going on and how far it is, 0 to 1.
        """
        env = Environment.around(self.machine.system)
        for streams in self.machine.streams.values():
            for stream in streams:
                self.machine.system.begin(stream)
        cores = simpy.Resource(env, self.scenario.host.card.integer("cpu.cores"))
        booting = [process for one in self.groups.values() for process in one.start(env, cores)]
        if tell is not None:
            env.process(self._look(env, tell))
        over = env.all_of(booting)
        env.run(env.any_of([over, env.timeout(self.scenario.measure.max_time)]))
        env.sync()
        return over.processed

    def points(self) -> list[Point]:
        """What came of each group."""
        window.settle_areas(self.machine.system)
        return [_point(self.machine.system, group) for group in self.groups.values()]

    def _look(self, env: Environment, tell: Tell) -> Generator[simpy.Event, Any, None]:
        every = [group.ready for group in self.groups.values()]
        while True:
            ready = sum(time is not None for group in every for time in group)
            total = sum(map(len, every))
            tell(f"{ready} of {total} machines ready", ready / total)
            yield env.timeout(LOOK)


def _point(system: System, group: Group) -> Point:
    """One group as a point of the result."""
    streams = group.streams
    spec = group.spec
    passed = observe.span(system) / observe.NS_PER_S
    latencies: dict[str, Latency | None] = {"read": None, "write": None}
    warnings = []
    if streams:
        for kind, op in (("read", t.READ), ("write", t.WRITE)):
            latencies[kind] = observe.latency(system, streams, op)
            warnings += observe.uncertain_percentiles(system, streams, op, kind)
    rows = system.world.streams[streams]
    rate = int(rows["window_ios"].sum()) / passed if passed else 0.0
    used = observe.stations(system, observe.stations_of(system, streams)[0]) if streams else []
    ready = sum(time is not None for time in group.ready)
    if ready < spec.count:
        warnings.append(
            f"{spec.count - ready} of {spec.count} machines were not ready after {passed:g} s"
            " (measure.max_time)"
        )
    return Point(
        load=spec.name,
        outstanding=None,
        rate=None,
        workers=spec.count,
        iops=Interval(rate, None, None),
        mbps=int(rows["window_bytes"].sum()) / observe.MIB / passed if passed else 0.0,
        latency_ms=latencies,
        limited_by=observe.limit(used, system.volume_of),
        stages=observe.stages(system, streams) if streams else {},
        stations=used,
        counts=observe.counts(system, streams),
        window_s=passed,
        warmup_s=0.0,
        converged=ready == spec.count,
        warnings=warnings,
        drives=wear.drives(system, streams) if streams else [],
        machines=_use(group),
    )


def _use(group: Group) -> MachineUse:
    ready = [time for time in group.ready if time is not None]
    last = max(ready, default=None)
    return MachineUse(
        count=group.spec.count,
        ready_s=group.ready,
        mean_s=sum(ready) / len(ready) if len(ready) == group.spec.count else None,
        last_s=last,
        share_by_s=[] if last is None else _shares(group.ready, last),
    )


def _shares(ready: list[float | None], last: float) -> list[tuple[float, float]]:
    """Share of machines that were ready at the steps of a curve up to the last one's time."""
    step = next((one for one in STEPS if last / one <= MOST_STEPS), STEPS[-1])
    times = [number * step for number in range(math.ceil(last / step) + 1)]
    return [
        (time, sum(one is not None and one <= time for one in ready) / len(ready)) for time in times
    ]
