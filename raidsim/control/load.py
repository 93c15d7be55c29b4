"""Loads that a SimPy model starts and stops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import simpy

from raidsim.build import observe, window
from raidsim.build.load import add_stream
from raidsim.errors import InputError, Problem
from raidsim.kernel import tables as t
from raidsim.result import Counts, Latency, Stage, StationUse
from raidsim.scenario import LoadSpec, from_data

if TYPE_CHECKING:
    from raidsim.control.volume import Volume

OPS = {"read": t.READ, "write": t.WRITE}


class Load:
    """A load in the vocabulary of a scenario's ``[[load]]`` table, at one intensity.

        Load(read="67 %", size="8 KiB", align="4 KiB", outstanding=32,
             area={"size": "32 GiB"}, limit={"time": "10 s"})

    Quantities are texts with units, as in the file. Mistakes are found when the load is
    started on a volume.
    """

    def __init__(self, **keys: Any) -> None:
        self.keys = keys

    def spec(self, volume: Volume) -> LoadSpec:
        """The checked load on ``volume``.

        Raises
        ------
        InputError
            With every problem of the load.
        """
        data = {
            "host": {"model": volume.host.card.name},
            "volume": [{"name": volume.name, "drive": volume.model, "set": volume.changes}],
            "load": [{"volume": volume.name} | self.keys],
        }
        spec = from_data(data, "Load").loads[0]
        for key in ("outstanding", "rate"):
            sweep = getattr(spec, key)
            if sweep is not None and len(sweep) > 1:
                problem = Problem("Load", None, key, "is a sweep", "one value: a model starts one")
                raise InputError([problem])
        return spec


class RunningLoad(simpy.Event):
    """A load under way; the event happens when the load has ended and its last I/O is back."""

    def __init__(self, volume: Volume, spec: LoadSpec) -> None:
        super().__init__(volume.env)
        self.volume = volume
        self.spec = spec
        env = volume.env
        env.sync()
        system = env.system
        number = system.count("streams")
        self.streams = [
            add_stream(
                system,
                spec,
                worker,
                volume=volume.row,
                process=volume.host.add_process(f"{volume.name}/{spec.name} {worker + 1}"),
                name=f"{volume.name}/{spec.name}/{number}/{worker}",
            )
            for worker in range(spec.workers)
        ]
        limits = (spec.limit.time, spec.limit.ios, spec.limit.bytes, spec.arrivals)
        endless = all(limit is None for limit in limits)
        parts = [simpy.Event(env) for _ in self.streams]
        for part, stream in zip(parts, self.streams, strict=True):
            system.world.streams[stream]["ticket"] = env.ticket(part, endless=endless)
        simpy.AllOf(env, parts).callbacks.append(lambda _: self.succeed(self))
        for stream in self.streams:
            system.begin(stream)

    def stop(self) -> None:
        """Issue no more; the event happens when the I/Os in flight are back."""
        self.volume.env.sync()
        for stream in self.streams:
            self.volume.env.endless_no_more(
                int(self.volume.env.system.world.streams[stream]["ticket"])
            )
            self.volume.env.system.stop(stream)

    def reset(self) -> None:
        """Open a new window for all that is measured in this environment."""
        self.volume.env.sync()
        window.reset(self.volume.env.system)

    @property
    def iops(self) -> float:
        """Completed I/Os per second since the window was opened."""
        self.volume.env.sync()
        return observe.rates(self.volume.env.system, self.streams)[0]

    @property
    def mbps(self) -> float:
        """MB/s of 2**20 bytes since the window was opened."""
        self.volume.env.sync()
        return observe.rates(self.volume.env.system, self.streams)[1]

    def latency(self, op: str) -> Latency | None:
        """Response times of "read" or "write" I/Os in the window, ms; None if there were none."""
        return observe.latency(self.volume.env.system, self.streams, OPS[op])

    @property
    def counts(self) -> Counts:
        """The account of this load's I/Os since it was started."""
        return observe.counts(self.volume.env.system, self.streams)

    @property
    def stages(self) -> dict[str, Stage]:
        """Time waited and served by kind of station, per I/O of this load, ms."""
        return observe.stages(self.volume.env.system, self.streams)

    @property
    def stations(self) -> list[StationUse]:
        """Use of every station in the window."""
        self.volume.env.sync()
        window.settle_areas(self.volume.env.system)
        return observe.stations(self.volume.env.system)
