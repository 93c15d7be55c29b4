"""From a trace to the requests of a stream, block by block, while the kernel replays them.

Times are counted from the start of the stream. Addresses are within the volume of the load. Sizes
and addresses are whole sectors. Requests that cannot be replayed exactly as in the trace are
counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.assembly.drives import kind_at
from raidsim.assembly.volume_rows import below, drives_of
from raidsim.kernel import load_tables
from raidsim.kernel import tables as t
from raidsim.layout.tables import PARITY
from raidsim.scenario import LoadSpec
from raidsim.scenario.replays import opened, plan, stretch_of
from raidsim.stats.histogram import BINS, bins_of
from raidsim.system.system import System
from raidsim.trace.request import FLUSH, READ, TRIM, WRITE, Requests
from raidsim.trace.survey import chosen
from raidsim.units import NS_PER_S

ROWS = 65_536
"""Requests that the kernel has at a time: 2 MiB, and a few milliseconds of its work."""

OPS = np.array([t.READ, t.WRITE, t.TRIM, t.FLUSH], np.int32)
assert (READ, WRITE, TRIM, FLUSH) == (0, 1, 2, 3)


@dataclass
class Changes:
    """The number of requests that are not replayed, or that differ from the trace."""

    rounded: int = 0  # to whole sectors
    moved: int = 0  # since they lay beyond the volume

    def add(self, other: Changes) -> None:
        """Count those of others too."""
        self.rounded += other.rounded
        self.moved += other.moved


class Measured:
    """Response times in the trace, of those requests that were replayed.

    Attributes
    ----------
    histograms : by READ and WRITE.
    passed : their sums, ns.
    """

    def __init__(self) -> None:
        self.histograms = np.zeros((2, BINS), np.int64)
        self.passed = np.zeros(2, np.int64)

    def add(self, op: NDArray[np.int32], response: NDArray[np.float64]) -> None:
        """Count the I/Os that have a response time."""
        for kind in (t.READ, t.WRITE):
            times = response[(op == kind) & ~np.isnan(response)]
            ns = np.rint(times * NS_PER_S).astype(np.int64)
            self.passed[kind] += ns.sum()
            self.histograms[kind] += np.bincount(bins_of(ns), minlength=BINS)


@dataclass(frozen=True)
class Part:
    """Some requests as the kernel has them, their response times in s, and what was changed."""

    rows: NDArray[np.void]
    response: NDArray[np.float64]
    changes: Changes


class Ahead:
    """Parts of a trace, the next of which are made while the kernel goes through those before.

    The kernel lets other threads work meanwhile. No more wait than it takes at a time.
    """

    def __init__(self, parts: Iterator[Part]) -> None:
        self.parts = parts
        self.maker = ThreadPoolExecutor(1, thread_name_prefix="trace")
        self.coming = self.maker.submit(self._make)

    def take(self) -> list[Part]:
        """The next parts; none at the end of the trace."""
        found = self.coming.result()
        if found:
            self.coming = self.maker.submit(self._make)
        return found

    def _make(self) -> list[Part]:
        found: list[Part] = []
        while sum(len(part.rows) for part in found) < ROWS:
            part = next(self.parts, None)
            if part is None:
                break
            found.append(part)
        return found


class TraceFeed:
    """The requests of one load that replays a trace.

    Parameters
    ----------
    load
        The load, which has a trace.
    capacity
        Bytes of the volume that it runs on.
    sector
        Bytes that this volume is addressed in.
    flushes, trims
        Whether the volume takes them.
    """

    def __init__(
        self, load: LoadSpec, capacity: int, sector: int, *, flushes: bool, trims: bool
    ) -> None:
        assert load.trace is not None
        self.replay = replay = load.trace
        self.plan = found = plan(replay)
        self.capacity = capacity // sector * sector
        self.sector = sector
        self.takes_flushes = flushes
        self.takes_trims = trims
        self.changes = Changes()
        self.measured = Measured()
        self.origin = stretch_of(replay)[0]
        self.scale = min(self.capacity / found.size, 1.0) if replay.beyond == "scale" else 1.0
        self.starts = np.zeros(max(found.starts) + 1, np.int64)
        for volume, start in found.starts.items():
            self.starts[volume] = start
        self.end = self.origin  # of the last request, in the time of the trace, s
        trace = opened(replay)
        self.format = trace.format
        self.parts = Ahead(self._made(chosen(trace, replay.volumes, *stretch_of(replay))))
        self.ready: deque[tuple[NDArray[np.void], NDArray[np.float64]]] = deque()
        self.given: deque[tuple[NDArray[np.int32], NDArray[np.float64]]] = deque()
        self.begun = 0  # requests whose response times are in `measured`

    def take(self, rows: int, begun: int) -> NDArray[np.void]:
        """The next requests: see :class:`raidsim.system.feeds.Feed`."""
        self.count(begun)
        found: list[NDArray[np.void]] = []
        left = rows
        while left > 0:
            if not self.ready:
                parts = self.parts.take()
                if not parts:
                    break
                for part in parts:
                    self.changes.add(part.changes)
                    self.ready.append((part.rows, part.response))
                continue
            made, response = self.ready.popleft()
            if len(made) > left:
                self.ready.appendleft((made[left:], response[left:]))
                made, response = made[:left], response[:left]
            self.given.append((made["op"].copy(), response))
            found.append(made)
            left -= len(made)
        return np.concatenate(found) if found else np.zeros(0, load_tables.REQUESTS.type)

    def count(self, begun: int) -> None:
        """Count the response times of the first ``begun`` requests."""
        left = begun - self.begun
        self.begun = begun
        while left > 0:
            op, response = self.given.popleft()
            if len(op) > left:
                self.given.appendleft((op[left:], response[left:]))
                op, response = op[:left], response[:left]
            self.measured.add(op, response)
            left -= len(op)

    def _made(self, blocks: Iterator[Requests]) -> Iterator[Part]:
        """Blocks of the trace as the kernel has them."""
        for block in map(self._played, blocks):
            changes = Changes()
            made = np.zeros(len(block), load_tables.REQUESTS.type)
            made["op"] = OPS[block["op"]]
            made["time"] = np.rint(self._times(block) / self.replay.speed * NS_PER_S)
            made["offset"], made["length"] = self._places(block, changes)
            yield Part(made, block["response"].copy(), changes)

    def _played(self, block: Requests) -> Requests:
        """The requests of a block that can be replayed."""
        flushes = block["op"] == FLUSH
        trims = block["op"] == TRIM
        left_out = ~flushes & (block["size"] <= 0)
        if not self.takes_trims:
            left_out |= trims
        if not self.takes_flushes:
            left_out |= flushes
        return block[~left_out] if left_out.any() else block

    def _times(self, block: Requests) -> NDArray[np.float64]:
        """Return the times that the kernel waits for before each request, s of the trace."""
        if self.replay.replay == "timed":
            times: NDArray[np.float64] = block["time"] - self.origin
            return times
        if self.replay.replay == "closed":
            return np.zeros(len(block))
        if not len(block):
            return np.zeros(0)
        ends = block["time"] + np.nan_to_num(block["response"])
        before = np.concatenate(([self.end], ends[:-1]))
        self.end = float(ends[-1])
        gaps: NDArray[np.float64] = np.maximum(block["time"] - before, 0.0)
        return gaps

    def _places(
        self, block: Requests, changes: Changes
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First byte and length of each request in the volume, in whole sectors."""
        sector, capacity = self.sector, self.capacity
        flushes = block["op"] == FLUSH
        first = np.where(flushes, 0, block["offset"] + self.starts[block["volume"]])
        size = np.where(flushes, 0, block["size"])
        align = _alignments(first, size, sector)
        if self.scale < 1.0:
            changes.moved += int((first + size > capacity).sum())
            first = (first * self.scale).astype(np.int64) // align * align
        whole = first // sector * sector
        length = -(-(first + size) // sector) * sector - whole
        changes.rounded += int(((whole != first) | (length != size)).sum())
        over = whole + length > capacity
        if over.any():
            if self.replay.beyond == "wrap":
                changes.moved += int(over.sum())
            whole = np.where(over, whole % capacity // align * align, whole)
            whole = np.minimum(whole, capacity - length)  # none begins here and ends at the start
        return whole, length


def _alignments(
    first: NDArray[np.int64], size: NDArray[np.int64], sector: int
) -> NDArray[np.int64]:
    """The alignment of each request, up to its size rounded up to a power of two.

    If requests are moved to other addresses, their alignment must stay: otherwise a request on
    whole units of a map, or on whole strips, would be on parts of two.
    """
    powers = 2 ** np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64)
    lowest_bits = np.where(first == 0, powers, first & -first)
    found: NDArray[np.int64] = np.maximum(np.minimum(lowest_bits, powers), sector)
    return found


def add_feed(system: System, stream: int, load: LoadSpec, volume: int) -> None:
    """Let a stream replay the trace of its load, on the row ``volume``."""
    cards = [system.cards[drive] for drive in drives_of(system, volume)]
    sector = max(card.integer("capacity.sector") for card in cards)
    capacity = int(system.world.volumes[volume]["size"])
    is_hybrid = bool(below(system, volume))
    feed = TraceFeed(
        load, capacity, sector, flushes=not is_hybrid, trims=_takes_trims(system, volume)
    )
    system.feeds.add(stream, feed, ROWS)


def _takes_trims(system: System, volume: int) -> bool:
    """Return whether trims reach the drives of a volume (`raidsim.scenario.arrays.stops_trims`)."""
    row = system.world.volumes[volume]
    if row["controller"] != t.NONE or below(system, volume):
        return False
    if row["kind"] == t.VOLUME_ARRAY and system.world.layouts[row["array"]]["family"] == PARITY:
        return False
    return all(kind_at(system, drive).keeps_map for drive in drives_of(system, volume))
