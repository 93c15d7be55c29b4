"""A system: the tables of one environment, with names, and the way into the kernel.

All code that builds or observes the kernel uses a :class:`System`. Its rows and their memory are in
:mod:`raidsim.system.tables`, the requests of traces in :mod:`raidsim.system.feeds`. Here stations
and streams are added, the kernel is entered, and its counts are returned. Times in this interface
are integer nanoseconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from raidsim.cards import Card
from raidsim.kernel import engine, entries, event_list, is_compiled
from raidsim.kernel import tables as t
from raidsim.result import owner_and_part
from raidsim.scenario import Requests
from raidsim.system import ticks
from raidsim.system.feeds import Feeds
from raidsim.system.memory import rows_for
from raidsim.system.tables import Tables


class StationName(NamedTuple):
    """The name of a station in reports; a system has thousands, one for each die."""

    name: str
    kind: str

    @property
    def owner(self) -> str:
        """The owner of the station: a drive, a controller, a volume."""
        return owner_and_part(self.name)[0]


@lru_cache(maxsize=4096)
def numbered(name: str, kind: str, count: int) -> tuple[StationName, ...]:
    """Names of stations in a row. Drives have hundreds, called alike in each point of a run."""
    return tuple(StationName(f"{name} {i}", kind) for i in range(count))


def stream_key(seed: int, *names: object) -> np.uint64:
    """64-bit key of a random stream, from the seed and the stream's name."""
    text = "\x1f".join([str(seed), *map(str, names)])
    return np.uint64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))


class System(Tables):
    """The tables of one environment with what they are of, and the kernel that runs on them.

    Parameters
    ----------
    seed
        Seed of every random stream; each takes its own key from (seed, its name).
    """

    def __init__(self, seed: int = 1) -> None:
        super().__init__()
        self.seed = seed
        self.names: list[StationName] = []
        self.cards: dict[int, Card] = {}  # of each drive
        self.volume_of: dict[str, str] = {}  # names: of each drive of an array
        self.spares: dict[int, list[int]] = {}  # rows of the hot spares of each array
        self.bays: dict[int, list[int]] = {}  # rows of all its drives, whatever their present use
        self.shared: dict[Any, NDArray[np.int64]] = {}  # leaves of the pasts that drives share
        self.writers: dict[Any, Any] = {}  # to drives before the run, by streams and areas
        self.exposures: dict[int, Any] = {}  # Exposure of caches whose batteries may change
        self.halted: dict[int, int] = {}  # stopped stations: their servers otherwise
        self.feeds = Feeds(self)  # of the streams that replay a trace
        self.is_only_weighed = False  # nothing will run: maps have their room, and no past
        self.drives_off = False  # no drive or controller has power
        self.hosts_off = False  # no host has booted
        self.interrupted: frozenset[int] = frozenset()  # streams that go on when hosts are up
        self.at_reset: dict[str, NDArray[Any]] = {}  # tables as they were when the window opened

    def close(self) -> None:
        """Give back the memory of all tables: nothing can be asked of it any more.

        An environment and its parts know each other. Without this their tables, hundreds of MB of a
        large system, would wait for Python's search for such circles, which runs after so many new
        objects, not bytes.
        """
        super().close()
        self.feeds.close()
        self.at_reset, self.shared, self.exposures, self.writers = {}, {}, {}, {}

    def have_room(self, jobs: int = 0) -> None:
        """Make room now for what is set off outside of a run: as much as an event, or ``jobs``.

        Streams that are short of requests of their traces get some.
        """
        super().have_room(jobs)
        if self.state["hungry"]:
            self.feeds.fill()

    # -- parts ----------------------------------------------------------------------

    def add_station(
        self,
        name: str,
        kind: str,
        servers: int = 1,
        discipline: int = t.FIFO,
        turnaround: int = 0,
        speed: float = 1.0,
    ) -> int:
        """Add a station; its index. ``turnaround`` in ns, paid at each change of direction."""
        index = self.append("stations")
        row = self.world.stations[index]
        row["servers"] = servers
        row["discipline"] = discipline
        row["turnaround"] = turnaround
        row["speed"] = speed
        row["changed"] = self.now
        self.names.append(StationName(name, kind))
        return index

    def add_stations(self, name: str, kind: str, count: int, discipline: int = t.FIFO) -> int:
        """Add ``count`` stations of one server, in a row; index of the first."""
        first = self.append("stations", count)
        rows = self.world.stations[first : first + count]
        rows["servers"] = 1
        rows["discipline"] = discipline
        rows["speed"] = 1.0
        rows["changed"] = self.now
        self.names += numbered(name, kind, count)
        return first

    def add_stream(
        self,
        name: str,
        sizes: Sequence[Requests],
        *,
        zones: Sequence[tuple[float, float]] = (),
        account: int | None = None,
        **fields: Any,
    ) -> int:
        """Add a stream of I/Os of these sizes; its index.

        Parameters
        ----------
        zones
            Shares of its area, in order, and of its random accesses; none if all is equal.
        account
            That of an earlier stream with which it is measured as one; None for its own.
        fields
            Of its row in `streams`.
        """
        first = self.append("sizes", len(sizes))
        total = sum(size.share for size in sizes)
        up_to = 0.0
        for row, size in enumerate(sizes, first):
            up_to += size.share / total
            self._tables["sizes"][row] = (size.bytes, up_to, size.read, size.trim, size.random)
        self._tables["sizes"][first + len(sizes) - 1]["up_to"] = 2.0
        first_zone = self.append("load_zones", len(zones)) if zones else 0
        for row, so_far in enumerate(np.cumsum(zones, axis=0), first_zone):
            self._tables["load_zones"][row] = tuple(so_far)
        if zones:
            self._tables["load_zones"][first_zone + len(zones) - 1] = (1.0, 1.0)
        if account is None:
            account = self.append("latencies")
            self.append("slices")
        self.append("progress")
        defaults: dict[str, Any] = {
            "first_size": first,
            "sizes": len(sizes),
            "first_zone": first_zone,
            "zones": len(zones),
            "area_size": max(size.bytes for size in sizes),
            "account": account,
        }
        index = self.add_row("streams", **(defaults | fields))
        row = self.world.streams[index]
        for purpose in ("where", "random", "op", "size", "gap", "think"):
            row["key_" + purpose] = stream_key(self.seed, name, purpose)
        return index

    def log_ios(self, most: int) -> None:
        """Keep what each I/O was that completes from now on, up to so many in a window."""
        self._replace("ios", rows_for(self._tables, "ios", most, most), 0)
        self.state["logged"] = 0

    def since(self, table: str, index: int, field: str) -> float:
        """Return the increase of a row's field since the window opened."""
        before = self.at_reset.get(table)
        start = before[index][field] if before is not None and index < len(before) else 0
        return float(self._tables[table][index][field] - start)

    def accounts(self, streams: Sequence[int]) -> list[int]:
        """Rows of latencies and slices that the I/Os of these streams are counted in."""
        return sorted(set(self.world.streams["account"][list(streams)].tolist()))

    # -- running --------------------------------------------------------------------

    @property
    def now(self) -> int:
        """Present time, ns."""
        return int(self.state["now"])

    @property
    def next_time(self) -> int:
        """When the next event happens, ns; there must be one."""
        return int(event_list.next_time(self.world))

    def begin(self, stream: int) -> None:
        """Start a stream at the present time."""
        outstanding = int(self.world.streams[stream]["outstanding"])
        self.have_room(outstanding)
        entries.begin(self.world, stream)

    def stop(self, stream: int) -> None:
        """Let a stream issue no more."""
        self.have_room()
        entries.stop(self.world, stream)

    def deliver(self, now: int, stream: int, *request: int) -> None:
        """Start one I/O of a manual stream at ``now``.

        ``request`` is op, offset, length, priority, ticket and timeout.
        """
        while entries.deliver(self.world, now, stream, *request) == t.RETURN_ROOM:
            self.have_room()

    def begin_operation(self, operation: int, workers: int) -> None:
        """Start background work with so many workers."""
        self.have_room()
        entries.begin_operation(self.world, operation, workers)

    def resume_operation(self, operation: int) -> None:
        """Let background work that is paused go on."""
        self.have_room()
        entries.resume_operation(self.world, operation)

    def awaited(self) -> Iterator[tuple[int, int, int, int]]:
        """Take the completions that were waited for: (ticket, time, issued, status), ns."""
        left = 1
        while left > 0:
            left, ticket, time, issued, status = entries.next_completion(self.world)
            yield ticket, time, issued, status

    def are_over(self, streams: Sequence[int]) -> bool:
        """Return whether nothing more will come of these streams."""
        rows = self.world.streams[list(streams)]
        if any(self.world.streams[one]["ended"] == 0 for one in self.interrupted & set(streams)):
            return False
        return not (rows["in_flight"].any() or rows["scheduled"].any())

    def set_speed(self, station: int, speed: float) -> None:
        """Run a station at ``speed`` times its built speed from now on."""
        self.have_room(int(self.world.stations[station]["busy"]))
        factor = 1.0
        for row in self.world.heats[: self.count("heats")]:
            if row["path"] == station:
                row["built_speed"] = speed
                factor = float(row["factor"])
        for cpu in self.world.cpus[: self.count("cpus")]:
            if station in self._users(cpu):
                factor = float(cpu["speed"])
        entries.set_speed(self.world, station, float(speed) * factor)

    def _users(self, cpu: np.void) -> Iterator[int]:
        """The stations that share the cores of a host."""
        row = int(cpu["first"])
        while row != t.NONE:
            user = self.world.cpu_users[row]
            yield int(user["station"])
            row = int(user["next"])

    def set_air(self, heat: int, ambient: float, conductance: float) -> None:
        """Let a drive stand in other air from now on: C, and W/K from its case to the air."""
        self.have_room()
        entries.set_air(self.world, heat, float(ambient), float(conductance))

    def fill_samples(self) -> None:
        """Take the readings that are due of drives at rest."""
        entries.fill_samples(self.world)

    def run(self, horizon: int = t.NEVER, budget: int = t.NEVER) -> int:
        """Run to ``horizon`` ns or ``budget`` completions; why it came back (RETURN_*).

        Raises
        ------
        SaturationError
            If the number of I/Os under way grows beyond all bounds.
        Stopped
            If all runs of this process have been told to stop.
        """
        run = self._entry()
        while True:
            reason: int = run(self.world, horizon, budget, ticks.count())
            if reason == t.RETURN_TICK:
                ticks.go_on()
            elif reason == t.RETURN_ROOM:
                self.have_room()
            else:
                if reason == t.RETURN_IDLE:
                    self._check_idle()
                return reason

    def _entry(self) -> Callable[..., int]:
        """The entry point for this system; one for all, if that needs no compiling."""
        only_flash = self.count("disks") == self.count("arrays") == 0
        return engine.run if not only_flash or is_compiled() else engine.run_flash

    def _check_idle(self) -> None:
        """Nothing is left to happen: then nothing may be under way, but at what is halted."""
        stuck = int(self.world.streams["in_flight"][: self.count("streams")].sum())
        if stuck and not self.halted:
            raise AssertionError(f"{stuck} I/Os are under way and nothing moves them")

    def has_power(self, volume: int) -> bool:
        """Return whether the controller or host that does a volume's background work is up."""
        controlled = self.world.volumes[volume]["controller"] != t.NONE
        return not (self.drives_off if controlled else self.hosts_off)

    def advance_clock(self, time: int) -> None:
        """Let the clock pass an interval without events; never backwards."""
        if time > self.now:
            self.state["now"] = time
