"""The machines of a scenario, which are switched on together, and the results of each group.

They boot as processes of the environment that the volumes are in (`raidsim.control.machine`). So
events of the volumes also affect the boot: a drive fails, a battery has a learn cycle, the power is
cut.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import simpy

from raidsim.control.environment import Environment
from raidsim.control.machine import MachineGroup
from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.observe import figures, limits, station_use, wear
from raidsim.result import Interval, Latency, MachineUse, Point
from raidsim.scenario import MachineSpec
from raidsim.system.system import System
from raidsim.units import MIB, NS_PER_S

STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # s, of the curve
MOST_STEPS = 250


class Boot:
    """All machines of a scenario in an environment; they are switched on by :meth:`start`.

    Parameters
    ----------
    env
        The environment.
    specs
        The groups of machines.
    volumes
        Rows of the volumes by name.
    cores
        Cores of the host, which the machines share to compute.
    add_process
        Gives a group a process of the host: its name to its row.

    Attributes
    ----------
    groups
        The groups by name.
    """

    def __init__(
        self,
        env: Environment,
        specs: Sequence[MachineSpec],
        volumes: Mapping[str, int],
        cores: int,
        add_process: Callable[[str], int],
    ) -> None:
        self.env = env
        self.groups = {
            spec.name: MachineGroup(env.system, spec, volumes, add_process(spec.name))
            for spec in specs
        }
        self._cores = simpy.Resource(env, cores)
        self._booting: list[simpy.Process] = []

    def start(self) -> None:
        """Switch all machines on now; those that boot already go on."""
        if not self.under_way:
            self._booting = [
                one for group in self.groups.values() for one in group.start(self.env, self._cores)
            ]

    def stop(self) -> None:
        """Switch all machines off now; :meth:`start` lets them boot anew, from the beginning."""
        self.env.sync()
        for process in self.under_way:
            process.interrupt()
        self._booting = []
        for group in self.groups.values():
            group.stop()
        self.env.collect()

    @property
    def under_way(self) -> list[simpy.Process]:
        """The machines that are not ready yet; none before they are switched on."""
        return [process for process in self._booting if process.is_alive]

    @property
    def total(self) -> int:
        """The number of machines."""
        return sum(group.spec.count for group in self.groups.values())

    @property
    def ready(self) -> int:
        """The number of machines that are ready."""
        times = [time for group in self.groups.values() for time in group.ready]
        return sum(time is not None for time in times)


def point_of(system: System, group: MachineGroup, bound: str) -> Point:
    """One group as a point of the result; ``bound`` is the key that ended what had no end."""
    window.settle_areas(system)
    streams = group.streams
    spec = group.spec
    passed = figures.span(system) / NS_PER_S
    latencies: dict[str, Latency | None] = {"read": None, "write": None}
    warnings = []
    if streams:
        for kind, op in (("read", t.READ), ("write", t.WRITE)):
            times = figures.times(system, streams, op)
            latencies[kind] = figures.latency(system, streams, op, times)
            warnings += figures.percentiles_of_few(times, op, kind)
    rows = system.world.streams[streams]
    rate = int(rows["window_ios"].sum()) / passed if passed else 0.0
    used = station_use.uses(system, station_use.stations_of(system, streams)[0]) if streams else []
    account = figures.counts(system, streams)
    if account.failed:
        warnings.append("latencies leave out the I/Os that failed")
    ready = sum(time is not None for time in group.ready)
    if ready < spec.count:
        warnings.append(
            f"{spec.count - ready} of {spec.count} machines were not ready after {passed:g} s"
            f" ({bound})"
        )
    return Point(
        load=spec.name,
        outstanding=None,
        rate=None,
        workers=spec.count,
        iops=Interval(rate, None, None),
        mbps=int(rows["window_bytes"].sum()) / MIB / passed if passed else 0.0,
        latency_ms=latencies,
        limited_by=limits.limit_of(system, streams, used),
        stages=station_use.stages(system, streams) if streams else {},
        stations=used,
        counts=account,
        window_s=passed,
        warmup_s=0.0,
        converged=ready == spec.count,
        warnings=warnings,
        drives=wear.drives(system, streams) if streams else [],
        machines=_use(group),
    )


def _use(group: MachineGroup) -> MachineUse:
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
