"""Virtual machines that boot: SimPy processes that compute, wait, read and write.

A machine goes through a number of equal bursts. In each burst it takes a core of the host for its
share of the CPU time, and waits for its share of the time that is neither CPU nor storage. Then it
issues the burst's reads and writes, a number of each outstanding at a time, until all are done.
When it has been idle for long enough after its last burst, it is ready.

The I/Os of a burst are a closed load that ends. The kernel carries them out, and SimPy only gets
their end: a boot storm of a million I/Os costs as many events as there are bursts.

A power cut ends the boot of a machine at any point, and its outstanding I/Os fail. When the power
is back it boots again from the start.

CPU and waiting time of a machine are those of the group times a factor of the machine,

    exp(s z - s^2 / 2),  s^2 = ln(1 + spread^2),  z standard normal

whose mean is 1 and whose standard deviation is the spread. It follows from the seed, the group's
name and the machine's number: the same machine has the same factor on any storage.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import simpy

from raidsim.assembly.load import need_room, share_of
from raidsim.control.environment import Environment
from raidsim.kernel.load_tables import CLOSED
from raidsim.scenario import MachineSpec, Requests
from raidsim.scenario.machine_spec import disk_of
from raidsim.system.system import System, stream_key

Steps = Generator[simpy.Event, Any, None]


@dataclass(frozen=True)
class Work:
    """A stream of a machine, and how many I/Os it makes in all."""

    stream: int
    ios: int


class MachineGroup:
    """The machines of one ``[[machine]]`` table.

    Parameters
    ----------
    system
        Where their streams are made.
    spec
        What they do.
    volumes
        Rows of the volumes by name.
    process
        Row of the host's process that submits their I/Os.

    Attributes
    ----------
    streams
        All their streams; they are measured as one.
    ready
        When each machine was ready, s since all were switched on first; None for one that is not.
    """

    def __init__(
        self, system: System, spec: MachineSpec, volumes: Mapping[str, int], process: int
    ) -> None:
        self.system = system
        self.spec = spec
        self.streams: list[int] = []
        self.ready: list[float | None] = [None] * spec.count
        self._process = process
        self._origin: float | None = None  # when they were switched on first, s
        self._work = [self._work_of(number, volumes) for number in range(spec.count)]

    def start(self, env: Environment, cores: simpy.Resource) -> list[simpy.Process]:
        """Switch all machines on; their processes."""
        if self._origin is None:
            self._origin = env.now
        return [env.process(self._boot(env, cores, n)) for n in range(self.spec.count)]

    def stop(self) -> None:
        """Let no machine issue any more, and none be ready: they are switched off."""
        for stream in self.streams:
            self.system.stop(stream)
        self.ready = [None] * self.spec.count

    def factor(self, number: int) -> float:
        """Return the factor by which a machine computes and waits longer than the mean."""
        variance = math.log1p(self.spec.spread**2)
        key = stream_key(self.system.seed, self.spec.name, number, "spread")
        z = float(np.random.default_rng(int(key)).standard_normal())
        return math.exp(math.sqrt(variance) * z - variance / 2)

    # -- one machine ------------------------------------------------------------------------

    def _boot(self, env: Environment, cores: simpy.Resource, number: int) -> Steps:
        """One machine from power-on until it is ready, or until it is switched off."""
        with suppress(simpy.Interrupt):
            yield from self._work_through(env, cores, number)

    def _work_through(self, env: Environment, cores: simpy.Resource, number: int) -> Steps:
        spec = self.spec
        factor = self.factor(number)
        compute = spec.compute * factor / spec.bursts
        wait = spec.wait * factor / spec.bursts
        yield env.timeout(number * spec.every)
        for burst in range(spec.bursts):
            if compute > 0:
                with cores.request() as core:
                    yield core
                    yield env.timeout(compute)
            if wait > 0:
                yield env.timeout(wait)
            # Reads and writes are under way side by side; the burst ends with the last.
            yield env.all_of([self._begin(env, work, burst) for work in self._work[number]])
        yield env.timeout(spec.idle_after)
        assert self._origin is not None
        self.ready[number] = env.now - self._origin

    def _begin(self, env: Environment, work: Work, burst: int) -> simpy.Event:
        """Begin the I/Os of a burst; the event happens when all of them are back."""
        ended = simpy.Event(env)
        ios = share_of(work.ios, self.spec.bursts, burst)
        if ios == 0:
            return ended.succeed()
        env.sync()
        row = self.system.world.streams[work.stream]
        row["stop_ios"] = row["issued"] + ios
        row["ended"] = 0
        row["outstanding"] = min(self.spec.outstanding, ios)
        row["ticket"] = env.ticket(ended)
        self.system.begin(work.stream)
        return ended

    # -- its streams ------------------------------------------------------------------------

    def _work_of(self, number: int, volumes: Mapping[str, int]) -> list[Work]:
        spec = self.spec
        row = volumes[spec.volume]
        grain = max(spec.read_size, spec.write_size)
        capacity = int(self.system.world.volumes[row]["size"])
        disk = disk_of(spec.area, capacity, spec.count, number, grain)
        work = []
        if spec.reads:
            where = row, *disk
            if spec.image is not None:
                image = spec.image
                row = volumes[image.volume]
                rest = int(self.system.world.volumes[row]["size"]) - image.offset
                where = row, image.offset, rest if image.size is None else image.size
            work.append(self._add(number, "reads", spec.read_size, spec.reads, where))
        if spec.own_reads:
            where = volumes[spec.volume], *disk
            work.append(self._add(number, "own", spec.read_size, spec.own_reads, where))
        if spec.writes:
            where = volumes[spec.volume], *disk
            work.append(self._add(number, "writes", spec.write_size, spec.writes, where))
        return work

    def _add(
        self, number: int, kind: str, size: int, ios: int, where: tuple[int, int, int]
    ) -> Work:
        volume, offset, room = where
        account = None
        if self.streams:
            account = int(self.system.world.streams["account"][self.streams[0]])
        stream = self.system.add_stream(
            f"{self.spec.name}/{number}/{kind}",
            [Requests(size, 1.0, 0.0 if kind == "writes" else 1.0, self.spec.random)],
            account=account,
            mode=CLOSED,
            outstanding=self.spec.outstanding,
            volume=volume,
            process=self._process,
            area_offset=offset,
            area_size=room,
            align=size,
            stop_ios=0,
        )
        self.streams.append(stream)
        need_room(self.system, volume, size)
        return Work(stream, ios)
