"""Loads that a SimPy model starts and stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import simpy

from raidsim.assembly.load import add_streams
from raidsim.control.arguments import Arguments
from raidsim.control.environment import Environment
from raidsim.control.host import Host
from raidsim.control.measured import Measured
from raidsim.errors import InputError
from raidsim.observe import figures
from raidsim.scenario import HybridSpec, LoadSpec, VolumeSpec, check_load, load_on
from raidsim.scenario.plain import plain


class Loaded(Protocol):
    """A volume, as the loads on it see it."""

    env: Environment
    host: Host
    name: str
    row: int

    @property
    def addressed(self) -> VolumeSpec | HybridSpec:
        """The volume that a load on it is checked against."""

    def make_room(self, length: int) -> None:
        """Tell the kernel how many jobs one event of an I/O of ``length`` bytes may make."""


class Load:
    """A load in the vocabulary of a scenario's ``[[load]]`` table, at one intensity.

        Load(read="67 %", size="8 KiB", align="4 KiB", outstanding=32,
             area={"size": "32 GiB"}, limit={"time": "10 s"})

    The arguments are keys of that table, with its meanings, defaults and checks:
    docs/reference/scenario.md. Quantities are texts with units, counts are numbers. It never
    changes, and may be started several times, on one volume or on several. Whether it fits a
    volume is found when it is started there.

    Parameters
    ----------
    read
        Share of reads, such as "67 %".
    trim
        Share of trims, such as "10 %": what neither reads nor trims is written.
    random
        Share of random accesses; the others continue where the last one of their worker ended.
    size
        Request size, such as "8 KiB"; give it, or ``sizes``.
    sizes
        A mix of request sizes: {"size": "4 KiB", "share": "60 %"} and so on, 100 % in all; with
        "read" and "random" where a size has shares of its own.
    outstanding
        Of a closed load: I/Os outstanding per worker. Give this, ``rate``, ``arrivals`` or
        ``trace``.
    rate
        Of an open load: arrivals at this mean rate, such as "1000 IO/s".
    arrivals
        Of an open load: the times of all arrivals, such as ["0 s", "10 ms"].
    trace
        A trace that is replayed, {"file": "usr_0.csv.gz", "replay": "timed"}: it says what the
        requests are and when they come, so that no other key may say it too.
    name
        What reports and messages call it; it also seeds its random numbers.
    align
        Requests start at multiples of this; None for the request size, of a mix the largest.
    area
        Part of the volume that is accessed, {"offset": "1 GiB", "size": "32 GiB"}; None for all.
    workers
        Processes, each with its own outstanding I/Os (or rate) and its own CPU time.
    partitions
        Whether each worker has an equal part of the volume to itself, in which ``area`` lies.
    burst
        It issues only in the first part of each period: {"on": "1 s", "off": "9 s"}.
    think
        Of a closed load: time from a completion to the next issue in its place.
    think_distribution
        How the think time varies around its mean: "constant" or "exponential".
    hot
        A share of the area gets a share of the random accesses:
        {"area": "10 %", "accesses": "90 %"}.
    zipf
        Exponent of a Zipf distribution of random accesses over the aligned blocks.
    zones
        Parts of the area, in order, with their shares of the random accesses:
        [{"area": "20 %", "accesses": "80 %"}, {"area": "80 %", "accesses": "20 %"}].
    once
        Random accesses come to no place again before each worker was at all places of the area.
    flush_every
        Of a closed load: after so many writes a worker's next request is a flush; 0 for none.
        No other request of the worker begins until the flush is back, as a process waits in
        fsync.
    fua
        Whether writes are answered once they are on the medium (force unit access).
    rate_distribution
        How the times between arrivals at a rate vary: "exponential" (Poisson) or "constant".
    priority
        0 (first) to 3 (last): which command a drive's front end takes first.
    timeout
        An I/O that takes longer counts as timed out; "none" for no such time.
    limit
        Where it ends, at the first that is reached: {"time": "10 s", "ios": 1000,
        "bytes": "1 GiB"}; None for no end.

    Attributes
    ----------
    keys
        The arguments that are not at their defaults, as the table would have them.

    Raises
    ------
    InputError
        With every mistake of the arguments.
    """

    def __init__(
        self,
        *,
        read: str | None = None,
        trim: str = "0 %",
        random: str = "100 %",
        size: str | None = None,
        sizes: Sequence[Mapping[str, str]] | None = None,
        outstanding: int | None = None,
        rate: str | None = None,
        arrivals: Sequence[str] | None = None,
        trace: Mapping[str, Any] | None = None,
        name: str = "load",
        align: str | None = None,
        area: Mapping[str, str] | None = None,
        workers: int = 1,
        partitions: bool = False,
        burst: Mapping[str, str] | None = None,
        think: str = "0 us",
        think_distribution: str = "constant",
        hot: Mapping[str, str] | None = None,
        zipf: float | None = None,
        zones: Sequence[Mapping[str, str]] | None = None,
        once: bool = False,
        rate_distribution: str = "exponential",
        flush_every: int = 0,
        fua: bool = False,
        priority: int = 0,
        timeout: str = "none",
        limit: Mapping[str, str | int] | None = None,
    ) -> None:
        given: dict[str, Any] = {
            "name": name, "read": read, "trim": trim, "random": random, "size": size,
            "sizes": sizes, "align": align, "area": area, "workers": workers,
            "partitions": partitions,
            "outstanding": outstanding, "rate": rate, "arrivals": arrivals, "trace": trace,
            "burst": burst, "think": think, "think_distribution": think_distribution, "hot": hot,
            "zipf": zipf, "zones": zones, "once": once, "rate_distribution": rate_distribution,
            "flush_every": flush_every, "fua": fua, "priority": priority, "timeout": timeout,
            "limit": limit,
        }  # fmt: skip
        check = Arguments("Load()")
        needed = {key for key, field in LoadSpec.model_fields.items() if field.is_required()}
        self.keys = {
            key: plain(value)
            for key, value in check.given("load", given, _ABSENT, needed).items()
            if not _is_default(key, value)
        }
        for key in ("outstanding", "rate"):
            if isinstance(self.keys.get(key), list) and len(self.keys[key]) > 1:
                cause = "is a sweep, and a model starts a load at one intensity"
                check.wrong(f"load.{key}", cause, "give one value")
                self.keys[key] = self.keys[key][:1]
        none = {problem.key for problem in check.problems}
        try:
            check_load(self.keys, check.call)
        except InputError as error:
            check.problems += [problem for problem in error.problems if problem.key not in none]
        check.raise_if_wrong()

    def __repr__(self) -> str:
        return f"Load({', '.join(f'{key}={value!r}' for key, value in self.keys.items())})"

    def spec(self, volume: Loaded) -> LoadSpec:
        """The checked load on ``volume``: plain numbers in s, bytes and shares.

        Raises
        ------
        InputError
            With every problem of the load on this volume.
        """
        return load_on(self.keys, volume.addressed)


_ABSENT = (
    "read", "size", "sizes", "zones", "align", "area", "outstanding", "rate", "arrivals", "trace",
    "burst", "hot", "zipf", "limit",
)  # fmt: skip
"""Keys of a [[load]] that mean something by being left out."""


def _is_default(key: str, value: Any) -> bool:
    """Return whether a value is the one that a load without this key has."""
    default = LoadSpec.model_fields[key].default
    return type(value) is type(default) and bool(value == default)


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

    def __init__(self, volume: Loaded, spec: LoadSpec) -> None:
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
        self.streams = add_streams(
            system,
            spec,
            volume=volume.row,
            processes=[volume.host.add_process(name) for name in names],
            names=names,
        )
        volume.make_room(max(one.size for one in spec.sizes))
        endless = not spec.has_end
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
        return figures.rates(self.system, self.streams)

    def _end(self, _: simpy.Event) -> None:
        self.succeed(self)
