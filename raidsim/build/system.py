"""A system: the tables of one environment, with names, growing as parts are added.

Everything that builds or observes the kernel does so through a :class:`System`. It owns
the :class:`~raidsim.kernel.tables.World`, appends rows (tables double when full), enters
the kernel and hands back what it counted. Times at this face are integer nanoseconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.build import breath
from raidsim.build.memory import rows_for
from raidsim.cards import Card
from raidsim.errors import InputError, Problem
from raidsim.kernel import engine
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ARRAY, CONTROLLER, HOP, LOCK, MEMBER
from raidsim.kernel.cache_tables import CACHE, LINE, TRAIL
from raidsim.kernel.disk_tables import DISK, EXTENT, TASK, ZONE
from raidsim.kernel.ftl import LEAF
from raidsim.kernel.ftl_tables import BLOCK, FTL
from raidsim.kernel.heat_tables import HEAT, SAMPLE, SAMPLES
from raidsim.kernel.hybrid_tables import HYBRID
from raidsim.kernel.jobs import take
from raidsim.kernel.replacement.tables import GHOST, HISTORY
from raidsim.kernel.sweep_tables import DEFECT, SWEEP
from raidsim.layout.tables import ACCESS, LAYOUT
from raidsim.stats.histogram import BINS

FIRST_JOBS = 256
FIRST_EVENTS = 512
FIRST_COMPLETIONS = 1024
SLACK = 64  # rows more than the parts ask for: what any event needs of its own
FIRST_SLICE_NS = 1_000  # throughput slices start this fine, and widen as needed
MOST_JOBS = 1 << 21


class SaturationError(Exception):
    """More I/Os are under way than any real queue holds: the load exceeds the system."""


@dataclass(frozen=True)
class StationName:
    """What a station is called in reports."""

    name: str
    kind: str


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
        self.bays: dict[int, list[int]] = {}  # rows of all its drives, whatever they stand for now
        self.shared: dict[Any, NDArray[np.int64]] = {}  # leaves of the pasts that drives share
        self.exposures: dict[int, Any] = {}  # Exposure of caches whose batteries may change
        self.halted: dict[int, int] = {}  # stations that serve nobody: servers that they have else
        self.drives_off = False  # no drive or controller has power
        self.hosts_off = False  # no host has booted
        self.at_reset: dict[str, NDArray[Any]] = {}  # tables as they were when the window opened
        self._counts: dict[str, int] = {}
        self._tables: dict[str, NDArray[Any]] = {
            "state": np.zeros(1, t.STATE),
            "heap": np.zeros(FIRST_EVENTS, t.EVENT),
            "jobs": np.zeros(0, t.JOB),
            "stations": np.zeros(4, t.STATION),
            "streams": np.zeros(1, t.STREAM),
            "sizes": np.zeros(1, t.SIZE),
            "arrivals": np.zeros(1, np.int64),
            "processes": np.zeros(1, t.PROCESS),
            "cores": np.zeros(1, t.CORE),
            "volumes": np.zeros(1, t.VOLUME),
            "steps": np.zeros(1, t.STEP),
            "given": np.zeros(1, np.int64),
            "arrays": np.zeros(1, ARRAY),
            "layouts": np.zeros(1, LAYOUT),
            "members": np.zeros(1, MEMBER),
            "good": np.zeros(1, np.int64),
            "locks": np.zeros(1, LOCK),
            "marks": np.zeros(1, np.int64),
            "accesses": np.zeros(64, ACCESS),
            "controllers": np.zeros(1, CONTROLLER),
            "caches": np.zeros(1, CACHE),
            "lines": np.zeros(1, LINE),
            "buckets_of_lines": np.zeros(1, np.int32),
            "histories": np.zeros(1, HISTORY),
            "ghosts": np.zeros(1, GHOST),
            "towers": np.zeros(1, np.int32),
            "trails": np.zeros(1, TRAIL),
            "hybrids": np.zeros(1, HYBRID),
            "traces": np.zeros(1, np.int32),
            "hops": np.zeros(1, HOP),
            "sweeps": np.zeros(1, SWEEP),
            "workers": np.zeros(1, np.int64),
            "defects": np.zeros(1, DEFECT),
            "drives": np.zeros(1, t.DRIVE),
            "ssds": np.zeros(1, t.SSD),
            "disks": np.zeros(1, DISK),
            "zones": np.zeros(1, ZONE),
            "tasks": np.zeros(1, TASK),
            "extents": np.zeros(1, EXTENT),
            "ftls": np.zeros(1, FTL),
            "pages": np.zeros(1, np.int32),
            "leaves": np.zeros(LEAF, np.int32),
            "blocks": np.zeros(1, BLOCK),
            "buckets": np.zeros(1, np.int32),
            "segments": np.zeros(1, t.SEGMENT),
            "slots": np.zeros(1, t.SLOT),
            "heats": np.zeros(1, HEAT),
            "samples": np.zeros((1, SAMPLES), SAMPLE),
            "moments": np.zeros(SAMPLES, np.int64),
            "progress": np.zeros((1, SAMPLES, 2), np.int64),
            "latencies": np.zeros((1, 2, BINS), np.int64),
            "slices": np.zeros((1, t.SLICES), np.int64),
            "completions": np.zeros(FIRST_COMPLETIONS, t.COMPLETION),
        }
        state = self._tables["state"][0]
        state["free_job"] = state["agenda"] = t.NONE
        state["margin"] = SLACK
        state["slice_width"] = FIRST_SLICE_NS
        state["stride"] = 1
        state["leaves"] = 1
        self._tables["leaves"][:] = t.NONE  # the leaf of all drives that nothing was written to
        self._more_jobs(FIRST_JOBS)
        self.world = t.World(**self._tables)

    # -- tables ---------------------------------------------------------------------

    def _remake(self) -> None:
        self.world = t.World(**self._tables)

    def append(self, table: str, rows: int = 1) -> int:
        """Index of the first of ``rows`` new zeroed rows of a table."""
        first = self._counts.get(table, 0)
        old = self._tables[table]
        if first + rows > len(old):
            length = rows_for(self._tables, table, first + rows, max(2 * len(old), first + rows))
            new = np.zeros((length, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            self._tables[table] = new
            self._remake()
        self._counts[table] = first + rows
        return first

    def count(self, table: str) -> int:
        """Rows of a table in use."""
        return self._counts.get(table, 0)

    def _more_jobs(self, rows: int) -> None:
        old = self._tables["jobs"]
        if len(old) + rows > MOST_JOBS:
            raise SaturationError(
                f"more than {len(old)} I/Os and pages are under way and their number grows: "
                "the load asks for more than the system can do"
            )
        new = np.zeros(len(old) + rows, t.JOB)
        new[: len(old)] = old
        state = self._tables["state"][0]
        fresh = np.arange(len(old), len(old) + rows)
        new["next"][fresh[:-1]] = fresh[1:]
        new["next"][fresh[-1]] = state["free_job"]
        state["free_job"] = fresh[0]
        state["free_jobs"] += rows
        self._tables["jobs"] = new
        self._remake()

    def take_job(self, stage: int, **fields: Any) -> int:
        """A job that its owner keeps for good, with these fields; its index."""
        self.have_room()
        index = int(take(self.world, stage, t.NONE))
        self.set_row("jobs", index, **fields)
        return index

    def need_margin(self, jobs: int) -> None:
        """Make sure that one event may take ``jobs`` jobs, and schedule and tell as many."""
        if jobs > MOST_JOBS:
            cause = f"an I/O would set off {jobs} commands and pages at a time, over {MOST_JOBS}"
            remedy = "give smaller requests and strips, or fewer outstanding"
            raise InputError([Problem(None, None, None, cause, remedy)])
        state = self.state
        state["margin"] = max(int(state["margin"]), jobs + SLACK)

    def need_accesses(self, accesses: int) -> None:
        """Make sure that the plan of one task may list so many accesses."""
        if accesses > len(self._tables["accesses"]):
            rows = rows_for(self._tables, "accesses", accesses, accesses)
            self._tables["accesses"] = np.zeros(rows, ACCESS)
            self._remake()

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
            old = self._tables[table]
            if used > len(old) - margin:
                self._tables[table] = np.zeros(2 * len(old) + margin, old.dtype)
                self._tables[table][: len(old)] = old
                self._remake()
        self.have_leaves(int(state["leaf_margin"]))

    def have_leaves(self, leaves: int) -> None:
        """Make room now for so many more leaves of the maps of flash drives."""
        old = self._tables["leaves"]
        used = int(self.state["leaves"])
        if (used + leaves) * LEAF > len(old):
            wished = max(2 * len(old), (used + leaves) * LEAF)
            rows = rows_for(self._tables, "leaves", (used + leaves) * LEAF, wished)
            self._tables["leaves"] = np.zeros(rows, np.int32)
            self._tables["leaves"][: used * LEAF] = old[: used * LEAF]
            self._remake()

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
        row["direction"] = t.NO_DIRECTION
        row["head"] = row["tail"] = t.NONE
        row["turnaround"] = turnaround
        row["speed"] = speed
        row["changed"] = self.now
        self.names.append(StationName(name, kind))
        return index

    def add_stations(self, name: str, kind: str, count: int) -> int:
        """Add ``count`` stations of one server, in a row; index of the first."""
        indices = [self.add_station(f"{name} {i}", kind) for i in range(count)]
        return indices[0]

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
        sizes: Sequence[tuple[int, float]],
        *,
        account: int | None = None,
        **fields: Any,
    ) -> int:
        """Add a stream of I/Os with ``sizes`` [(bytes, share)] and STREAM ``fields``; its index.

        ``account`` is that of an earlier stream with which it is measured as one; None for its own.
        """
        first = self.append("sizes", len(sizes))
        total = sum(share for _, share in sizes)
        up_to = 0.0
        for row, (size, share) in enumerate(sizes, first):
            up_to += share / total
            self._tables["sizes"][row]["bytes"] = size
            self._tables["sizes"][row]["up_to"] = up_to
        self._tables["sizes"][first + len(sizes) - 1]["up_to"] = 2.0
        if account is None:
            account = self.append("latencies")
            self.append("slices")
        self.append("progress")
        defaults: dict[str, Any] = {
            "first_size": first,
            "sizes": len(sizes),
            "align": 1,
            "area_size": max(size for size, _ in sizes),
            "read_share": 1.0,
            "random_share": 1.0,
            "gap": 1.0,
            "timeout": t.NEVER,
            "stop_time": t.NEVER,
            "stop_ios": t.NEVER,
            "stop_bytes": t.NEVER,
            "ticket": t.NONE,
            "account": account,
        }
        index = self.add_row("streams", **(defaults | fields))
        row = self.world.streams[index]
        for purpose in ("where", "random", "op", "size", "gap", "think"):
            row["key_" + purpose] = stream_key(self.seed, name, purpose)
        return index

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

    def begin_sweep(self, sweep: int, workers: int) -> None:
        """Start background work with so many workers."""
        self.have_room()
        engine.begin_sweep(self.world, sweep, workers)

    def resume_sweep(self, sweep: int) -> None:
        """Let background work that is paused go on."""
        self.have_room()
        engine.resume_sweep(self.world, sweep)

    def awaited(self) -> Iterator[tuple[int, int, int, int]]:
        """Take the completions that were waited for: (ticket, time, issued, status), ns."""
        left = 1
        while left > 0:
            left, ticket, time, issued, status = engine.next_completion(self.world)
            yield ticket, time, issued, status

    def are_over(self, streams: Sequence[int]) -> bool:
        """Whether nothing more will come of these streams."""
        rows = self.world.streams[list(streams)]
        return not (rows["in_flight"].any() or rows["scheduled"].any())

    def set_speed(self, station: int, speed: float) -> None:
        """Run a station at ``speed`` times its built speed from now on."""
        self.have_room(int(self.world.stations[station]["busy"]))
        factor = 1.0
        for row in self.world.heats[: self.count("heats")]:
            if row["path"] == station:
                row["built_speed"] = speed
                factor = float(row["factor"])
        engine.set_speed(self.world, station, float(speed) * factor)

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
        while True:
            reason: int = engine.run(self.world, horizon, budget, breath.ticks())
            if reason == t.RETURN_BREATH:
                breath.take()
            elif reason == t.RETURN_ROOM:
                self.have_room()
            else:
                if reason == t.RETURN_IDLE:
                    self._check_idle()
                return reason

    def _check_idle(self) -> None:
        """Nothing is left to happen: then nothing may be under way, but at what is halted."""
        stuck = int(self.world.streams["in_flight"][: self.count("streams")].sum())
        if stuck and not self.halted:
            raise AssertionError(f"{stuck} I/Os are under way and nothing moves them")

    def has_power(self, volume: int) -> bool:
        """Whether that which does the background work of a volume is up: controller or host."""
        controlled = self.world.volumes[volume]["controller"] != t.NONE
        return not (self.drives_off if controlled else self.hosts_off)

    def advance_clock(self, time: int) -> None:
        """Let the clock pass an interval without events; never backwards."""
        if time > self.now:
            self.state["now"] = time
