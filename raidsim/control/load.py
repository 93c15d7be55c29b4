"""Loads that a SimPy model starts and stops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import simpy

from raidsim.build import observe
from raidsim.build.load import add_stream
from raidsim.control.arguments import plain
from raidsim.control.measured import Measured
from raidsim.errors import InputError, Problem
from raidsim.scenario import LoadSpec, from_data

if TYPE_CHECKING:
    from raidsim.control.volume import Volume


class Load:
    """A load in the vocabulary of a scenario's ``[[load]]`` table, at one intensity.

        Load(read="67 %", size="8 KiB", align="4 KiB", outstanding=32,
             area={"size": "32 GiB"}, limit={"time": "10 s"})

    Quantities are texts with units, as in the file; docs/reference/scenario.md has all keys.
    A load may be started several times, on one volume or on several. Mistakes are found
    when it is started, because what is right depends on the volume.

    Parameters
    ----------
    keys
        The keys of the table, but for ``volume``.
    """

    def __init__(self, **keys: Any) -> None:
        self.keys = {key: plain(value) for key, value in keys.items()}

    def __repr__(self) -> str:
        return f"Load({', '.join(f'{key}={value!r}' for key, value in self.keys.items())})"

    def spec(self, volume: Volume) -> LoadSpec:
        """The checked load on ``volume``: plain numbers in s, bytes and shares.

        Raises
        ------
        InputError
            With every problem of the load.
        """
        found = [] if "volume" not in self.keys else [_NO_VOLUME]
        keys = {key: value for key, value in self.keys.items() if key != "volume"}
        for key in ("outstanding", "rate"):
            if isinstance(keys.get(key), list) and len(keys[key]) > 1:
                cause = "is a sweep, and a model starts a load at one intensity"
                found.append(Problem("Load()", None, f"load.{key}", cause, "give one value"))
                keys[key] = keys[key][:1]
        if keys.pop("within", None) is not None:
            cause = "is searched for by raidsim run, and a model starts a load at one intensity"
            found.append(Problem("Load()", None, "load.within", cause, "leave it out"))
        try:
            spec = from_data({**volume.data(), "load": [keys]}, "Load()").loads[0]
        except InputError as error:
            raise InputError([*found, *error.problems]) from None
        if found:
            raise InputError(found)
        return spec


_NO_VOLUME = Problem(
    "Load()", None, "load.volume", "is decided by start()", "leave it out, and volume.start(load)"
)


class RunningLoad(Measured, simpy.Event):
    """A load under way. It is an event: ``yield load`` waits for its end.

    The end is when it has reached its limit, or was stopped, and its last I/O is back. The
    event's value is the load itself.

    Attributes
    ----------
    name
        Volume and load, e.g. "data/backup"; "data/backup (2)" when it is started again.
    volume
        The volume it runs on.
    spec
        What it does: plain numbers in s, bytes and shares.
    """

    def __init__(self, volume: Volume, spec: LoadSpec) -> None:
        super().__init__(volume.env)
        self.volume = volume
        self.spec = spec
        env = volume.env
        self.system = system = env.system
        self.name = env.unique(f"{volume.name}/{spec.name}")
        env.sync()
        # Each worker's random numbers come from its name: what else is in the
        # environment, and what was started first, does not matter.
        names = [f"{self.name} {worker + 1}" for worker in range(spec.workers)]
        self.streams = [
            add_stream(
                system,
                spec,
                worker,
                volume=volume.row,
                process=volume.host.add_process(name),
                name=name,
            )
            for worker, name in enumerate(names)
        ]
        volume.make_room(max(size for size, _ in spec.sizes))
        limits = (spec.limit.time, spec.limit.ios, spec.limit.bytes, spec.arrivals)
        endless = all(limit is None for limit in limits)
        parts = [simpy.Event(env) for _ in self.streams]
        self._tickets = [env.ticket(part) for part in parts]
        for ticket, stream in zip(self._tickets, self.streams, strict=True):
            system.world.streams[stream]["ticket"] = ticket
            if endless:
                env.expect_no_end(ticket, self.name)
        simpy.AllOf(env, parts).callbacks.append(self._end)
        env.when_on(self._begin)

    def __repr__(self) -> str:
        return f"<RunningLoad {self.name}, {'over' if self.triggered else 'under way'}>"

    def _begin(self) -> None:
        for stream in self.streams:
            if self.system.world.streams[stream]["ended"]:
                continue
            self.system.begin(stream)
            if self.system.world.streams[stream]["scheduled"] == 0:
                # Its first I/O would come after its end.
                self.system.stop(stream)
        self.volume.env.collect()

    def stop(self) -> None:
        """Issue no more; the event happens when the I/Os in flight are back."""
        env = self.volume.env
        env.sync()
        for ticket, stream in zip(self._tickets, self.streams, strict=True):
            env.expect_an_end(ticket)
            self.system.stop(stream)
        env.collect()

    @property
    def iops(self) -> float:
        """Completed I/Os per second, since it began or since the window was opened.

        Once the load is over, it is the rate up to its last completion.
        """
        return self._rates()[0]

    @property
    def mbps(self) -> float:
        """MB/s of 2**20 bytes over the same time as :attr:`iops`."""
        return self._rates()[1]

    def _rates(self) -> tuple[float, float]:
        self.volume.env.sync()
        return observe.rates(self.system, self.streams)

    def _end(self, _: simpy.Event) -> None:
        self.succeed(self)
