"""A system: the tables of one environment, with names, growing as parts are added.

All code that builds or observes the kernel uses a :class:`System`. It owns the
:data:`~raidsim.kernel.world.World`, appends rows (tables double when full), enters the kernel and
returns its counts. Times in this interface are integer nanoseconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from raidsim.cards import Card
from raidsim.errors import InputError, Problem
from raidsim.kernel import engine, event_list, is_compiled
from raidsim.kernel import tables as t
from raidsim.kernel.ftl import LEAF
from raidsim.kernel.jobs import take
from raidsim.kernel.world import TABLES, World
from raidsim.records import empty
from raidsim.result import owner_and_part
from raidsim.scenario import Requests
from raidsim.system import ticks
from raidsim.system.memory import rows_for, taken_by

FIRST_JOBS = 256
SLACK = 64  # rows more than the parts ask for: what any event needs of its own
MOST_JOBS = 1 << 21
SMALL = 16 * 1024  # bytes that a table has at least, once it grows
GROWTH_OF_LEAVES = 4


class SaturationError(Exception):
    """More I/Os are under way than any real queue holds: the load exceeds the system."""


class Feed(Protocol):
    """Where the requests of a stream that replays a trace come from."""

    def take(self, rows: int, begun: int) -> NDArray[Any]:
        """The next ``rows`` requests, fewer only at the end, as `requests` has them.

        ``begun`` is how many of those before the stream has issued.
        """


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


class System:
    """Tables of one environment and the names of their rows.

    Parameters
    ----------
    seed
        Seed of every random stream; each takes its own key from (seed, its name).
    """

    def __init__(self, seed: int = 1) -> None:
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
        self.feeds: dict[int, Feed] = {}  # of the streams that replay a trace
        self.is_only_weighed = False  # nothing will run: maps have their room, and no past
        self.drives_off = False  # no drive or controller has power
        self.hosts_off = False  # no host has booted
        self.interrupted: frozenset[int] = frozenset()  # streams that go on when hosts are up
        self.at_reset: dict[str, NDArray[Any]] = {}  # tables as they were when the window opened
        self._counts = {"state": 1}
        self._tables = {name: empty(table, table.memory.rows) for name, table in TABLES.items()}
        TABLES["state"].begin(self.state)
        for table in ("soon_keys", "soon_events"):
            self.append(table, t.SOON)
        self.state["margin"] = SLACK
        # The leaf of all drives that nothing was written to.
        self._tables["leaves"] = np.full(LEAF, t.NONE, TABLES["leaves"].type)
        self._more_jobs(FIRST_JOBS)
        self.world = World(**self._tables)

    def close(self) -> None:
        """Give back the memory of all tables: nothing can be asked of it any more.

        An environment and its parts know each other. Without this their tables, hundreds of MB of a
        large system, would wait for Python's search for such circles, which runs after so many new
        objects, not bytes.
        """
        del self.world
        self._tables, self.at_reset, self.shared = {}, {}, {}
        self.exposures, self.feeds, self.writers = {}, {}, {}

    # -- tables ---------------------------------------------------------------------

    def _replace(self, table: str, rows: int, kept: int) -> None:
        """Give a table memory for so many rows; what was in the first ``kept`` is there again."""
        new, old = empty(TABLES[table], rows), self._tables[table]
        if kept:  # as bytes: numpy copies records field by field, which takes twenty times as long
            new.view(np.uint8).reshape(-1)[: kept * old[:1].nbytes] = (
                old[:kept].view(np.uint8).reshape(-1)
            )
        self._tables[table] = new
        self.world = World(**self._tables)

    def append(self, table: str, rows: int = 1) -> int:
        """Index of the first of ``rows`` new rows of a table, as its declaration has them begin."""
        first = self.count(table)
        self.make_room(table, rows)
        TABLES[table].begin(self._tables[table][first : first + rows])
        self._counts[table] = first + rows
        return first

    def make_room(self, table: str, rows: int) -> None:
        """Let a table have memory for ``rows`` more, which need not be copied as they come."""
        have, needed = len(self._tables[table]), self.count(table) + rows
        if needed > have:
            small = SMALL // TABLES[table].row_bytes
            wished = max(2 * have, needed, small)
            self._replace(table, rows_for(self._tables, table, needed, wished), have)

    @property
    def memory(self) -> int:
        """Bytes that its tables take now."""
        return taken_by(self._tables)

    def count(self, table: str) -> int:
        """Rows of a table in use."""
        return self._counts.get(table, 0)

    def rows(self, table: str) -> NDArray[Any]:
        """The rows of a table that are in use."""
        used: NDArray[Any] = self._tables[table][: self.count(table)]
        return used

    def _more_jobs(self, rows: int) -> None:
        old = self._tables["jobs"]
        if len(old) + rows > MOST_JOBS:
            raise SaturationError(
                f"more than {len(old)} I/Os and pages are under way and their number grows: "
                "the load asks for more than the system can do"
            )
        self._replace("jobs", len(old) + rows, len(old))
        following = self._tables["jobs"]["next"]
        state = self.state
        fresh = np.arange(len(old), len(old) + rows)
        following[fresh[:-1]] = fresh[1:]
        following[fresh[-1]] = state["free_job"]
        state["free_job"] = fresh[0]
        state["free_jobs"] += rows

    def take_job(self, stage: int, **fields: Any) -> int:
        """A job that its owner keeps for good, with these fields; its index."""
        self.have_room()
        index = int(take(self.world, stage, t.NONE))
        self.set_row("jobs", index, **fields)
        return index

    def need_margin(self, jobs: int) -> None:
        """Make sure that one event may take ``jobs`` jobs, and schedule and tell as many.

        Raises
        ------
        InputError
            They are more than one event may take.
        """
        if jobs > MOST_JOBS:
            cause = f"an I/O would set off {jobs} commands and pages at a time, over {MOST_JOBS}"
            remedy = "give smaller requests and strips, or fewer outstanding"
            raise InputError([Problem(None, None, None, cause, remedy)])
        state = self.state
        state["margin"] = max(int(state["margin"]), jobs + SLACK)

    def need_accesses(self, accesses: int) -> None:
        """Make sure that the plan of one task may list so many accesses."""
        if accesses > len(self._tables["accesses"]):
            self._replace("accesses", rows_for(self._tables, "accesses", accesses, accesses), 0)

    def have_room(self, jobs: int = 0) -> None:
        """Make room now for what is set off outside of a run: as much as an event, or ``jobs``."""
        if jobs:
            self.need_margin(jobs)
        state = self.state
        margin = int(state["margin"])
        while state["free_jobs"] < margin:
            self._more_jobs(max(len(self._tables["jobs"]), margin))
        for table, used in (
            ("heap", int(state["events"])),
            ("completions", int(state["told"] + state["awaited"])),
        ):
            have = len(self._tables[table])
            if used > have - margin:
                self._replace(table, 2 * have + margin, have)
        self._have_margin_of_leaves()
        if state["hungry"]:
            self._feed()

    def add_feed(self, stream: int, feed: Feed, rows: int) -> None:
        """Let a stream replay what ``feed`` gives, ``rows`` of which are there at a time."""
        first = self.append("requests", rows)
        self.set_row("streams", stream, traced=1, first_request=first, requests=rows)
        self.feeds[stream] = feed
        self._feed()

    def _feed(self) -> None:
        """Give the streams that replay a trace as many of its requests as there is room for."""
        for stream, feed in self.feeds.items():
            row = self.world.streams[stream]
            if row["complete"]:
                continue
            given, ring = int(row["given"]), int(row["requests"])
            room = ring - (given - int(row["issued"]))
            found = feed.take(room, int(row["issued"]))
            places = int(row["first_request"]) + (given + np.arange(len(found))) % ring
            self._tables["requests"][places] = found
            row["given"] = given + len(found)
            row["complete"] = len(found) < room
        self.state["hungry"] = 0

    def skip_requests(self, stream: int, passed: int) -> Iterator[int]:
        """Yield the requests of each part of a trace before ``passed`` ns of its stream.

        The caller counts each part as issued before it asks for the next.
        """
        row = self.world.streams[stream]
        while True:
            issued, given, ring = (int(row[name]) for name in ("issued", "given", "requests"))
            places = int(row["first_request"]) + np.arange(issued, given) % ring
            rows = self.world.requests[places]
            missed = int(np.searchsorted(rows["time"], passed))
            row["flushes"] += int((rows["op"][:missed] == t.FLUSH).sum())
            yield missed
            if missed < len(rows) or row["complete"]:
                return
            self._feed()

    def have_leaves(self, leaves: int, wished: int = 0) -> None:
        """Make room now for so many more leaves of the maps of flash drives, or those wished."""
        have, used = len(self._tables["leaves"]), int(self.state["leaves"])
        needed = (used + leaves) * LEAF
        if needed > have:
            wish = max((used + wished) * LEAF, needed) if wished else max(2 * have, needed)
            rows = rows_for(self._tables, "leaves", needed, wish)
            self._replace("leaves", rows, used * LEAF)

    def _have_margin_of_leaves(self) -> None:
        """Make room for what one event may need, and, as far as that is not much, for all.

        A list takes a leaf of its own for each that it shares, once.
        """
        margin = int(self.state["leaf_margin"])
        used = int(self.state["leaves"])
        if (used + margin) * LEAF > len(self._tables["leaves"]):
            shared = int(np.count_nonzero(self.rows("pages") < 0))
            enough = (GROWTH_OF_LEAVES - 1) * used
            self.have_leaves(margin, wished=margin + min(shared, enough))

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

    def add_row(self, table: str, **fields: Any) -> int:
        """Add one row to a table with these fields; its index."""
        index = self.append(table)
        self.set_row(table, index, **fields)
        return index

    def set_row(self, table: str, index: int, **fields: Any) -> None:
        """Set fields of a row of a table."""
        row = self._tables[table][index]
        for name, value in fields.items():
            row[name] = value

    def add_given(self, table: str, times: Iterable[int]) -> int:
        """Append times (ns) to ``given`` or ``arrivals``; index of the first."""
        values = np.asarray(list(times), np.int64)
        first = self.append(table, len(values))
        self._tables[table][first : first + len(values)] = values
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

    def writes_at_random(self, stream: int) -> bool:
        """Return whether some of its I/Os are random writes."""
        return bool((self.sizes_that_write(stream)["random_share"] > 0.0).any())

    def sizes_that_write(self, stream: int) -> NDArray[Any]:
        """Rows of `sizes` of which some I/Os are writes."""
        sizes = self.sizes_of(stream)
        found: NDArray[Any] = sizes[sizes["read_share"] + sizes["trim_share"] < 1.0]
        return found

    def sizes_of_writes(self, stream: int) -> NDArray[Any]:
        """Rows of `sizes` as its writes and trims have them: a size that reads more counts less."""
        sizes = self.sizes_of(stream).copy()
        reads = sizes["read_share"]
        if (reads != reads[0]).any():
            shares = np.diff(np.minimum(sizes["up_to"], 1.0), prepend=0.0) * (1.0 - reads)
            sizes = sizes[shares > 0]
            sizes["up_to"] = np.cumsum(shares[shares > 0]) / shares.sum()
            sizes["up_to"][-1] = 2.0
        changes = 1.0 - sizes["read_share"]
        sizes["trim_share"] /= np.where(changes > 0, changes, 1.0)
        sizes["read_share"] = 0.0
        return sizes

    def sizes_of(self, stream: int) -> NDArray[Any]:
        """Rows of `sizes` of the I/Os of a stream."""
        row = self.world.streams[stream]
        sizes: NDArray[Any] = self.world.sizes[row["first_size"] :][: row["sizes"]]
        return sizes

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
    def state(self) -> Any:
        """The one row of STATE."""
        return self._tables["state"][0]

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
        engine.begin(self.world, stream)

    def stop(self, stream: int) -> None:
        """Let a stream issue no more."""
        self.have_room()
        engine.stop(self.world, stream)

    def deliver(self, now: int, stream: int, *request: int) -> None:
        """Start one I/O of a manual stream at ``now``.

        ``request`` is op, offset, length, priority, ticket and timeout.
        """
        while engine.deliver(self.world, now, stream, *request) == t.RETURN_ROOM:
            self.have_room()

    def begin_operation(self, operation: int, workers: int) -> None:
        """Start background work with so many workers."""
        self.have_room()
        engine.begin_operation(self.world, operation, workers)

    def resume_operation(self, operation: int) -> None:
        """Let background work that is paused go on."""
        self.have_room()
        engine.resume_operation(self.world, operation)

    def awaited(self) -> Iterator[tuple[int, int, int, int]]:
        """Take the completions that were waited for: (ticket, time, issued, status), ns."""
        left = 1
        while left > 0:
            left, ticket, time, issued, status = engine.next_completion(self.world)
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
        engine.set_speed(self.world, station, float(speed) * factor)

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
        engine.set_air(self.world, heat, float(ambient), float(conductance))

    def fill_samples(self) -> None:
        """Take the readings that are due of drives at rest."""
        engine.fill_samples(self.world)

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
