"""A small array the plain way: drives, stripe locks and CPU are SimPy resources.

Levels 0, 1 and 5 (left-symmetric, as Linux md lays it out), over drives that take one command at a
time. A request passes the CPU, becomes commands, and is over when all of them are. RAID 5 is
written stripe by stripe, under a lock each, in one of these ways:

- a stripe that is wholly written: data and parity, computed from the data;
- read-modify-write: old data and old parity are read first;
- reconstruct-write: what the stripe holds beside the new data is read first.

The way with the fewest reads is taken; of equals the one that needs no old parity. Parity changes
under the bytes that are written if they lie in one strip, else over the whole strip. Bytes of a
failed drive are computed from the same bytes of all others. What is under way has the CPU before
requests that are fresh.

Times are ns, sizes bytes. Nothing here knows the kernel or its layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy

READ, WRITE = 0, 1
UNDER_WAY, FRESH = 0, 1  # whose turn it is on the CPU: the lower one's
Extent = tuple[int, int, int]  # drive, first byte, byte after the last
Process = Generator[Any, Any, Any]


@dataclass
class Costs:
    """CPU and parity times, ns."""

    submit: int = 0  # per request
    task: int = 0  # per request or stripe written
    device_io: int = 0  # per command beyond the first
    parity: int = 0  # per byte that is read or written to compute parity


@dataclass(eq=False)
class OracleArray:
    """An array; ``takes`` (drive, length) is how long a command occupies its drive."""

    level: int
    drives: int
    strip: int
    takes: Callable[[int, int], int]
    costs: Costs = field(default_factory=Costs)
    failed: int | None = None

    def __post_init__(self) -> None:
        self.env = simpy.Environment()
        self.cpu = simpy.PriorityResource(self.env)
        self.engine = simpy.Resource(self.env)
        self.slots = [simpy.Resource(self.env) for _ in range(self.drives)]
        self.locks: dict[int, simpy.Resource] = {}
        self.under_way = [0] * self.drives
        self.behind = [0] * self.drives  # address after the last command planned
        self.commands: list[tuple[int, int, int, int]] = []  # drive, op, offset, length
        self.reads = 0  # requests to read, of a mirror
        self.depth = 8  # commands that a stream keeps on one copy

    def run(self, requests: Sequence[tuple[int, int, int, int]]) -> list[int]:
        """Serve (time, op, offset, length); when each was over."""
        ends = [0] * len(requests)
        for number, request in enumerate(requests):
            self.env.process(self._request(number, ends, *request))
        self.env.run()
        return ends

    def _request(
        self, number: int, ends: list[int], time: int, op: int, offset: int, length: int
    ) -> Process:
        yield self.env.timeout(time)
        yield from self._on_cpu(self.costs.submit, turn=FRESH)
        yield self.env.timeout(0)  # the next fresh one, if there is nothing else, has begun
        if self.level == 5 and op == WRITE:
            stripes = self._by_stripe(offset, offset + length)
            yield self.env.all_of([self.env.process(self._write_stripe(*s)) for s in stripes])
        elif self.level == 5:
            yield from self._read_parity(offset, offset + length)
        else:
            yield from self._task([self._plain(op, offset, offset + length)], op)
        ends[number] = self.env.now

    # -- what is common to all ---------------------------------------------------------------

    def _use(self, resource: simpy.Resource, time: int) -> Process:
        if time > 0:
            with resource.request() as turn:
                yield turn
                yield self.env.timeout(time)

    def _on_cpu(self, time: int, turn: int = UNDER_WAY) -> Process:
        if time > 0:
            with self.cpu.request(priority=turn) as asked:
                yield asked
                yield self.env.timeout(time)

    def _task(self, phases: Sequence[list[Extent]], last_op: int, computed: int = 0) -> Process:
        """Commands phase by phase: reads, and in the last phase what ``last_op`` says."""
        count = sum(map(len, phases))
        for drive, _, end in (extent for phase in phases for extent in phase):
            self.under_way[drive] += 1
            self.behind[drive] = end
        yield from self._on_cpu(self.costs.task + self.costs.device_io * (count - 1))
        for phase in phases:
            op = last_op if phase is phases[-1] else READ
            if op == WRITE:
                yield from self._use(self.engine, computed * self.costs.parity)
            commands = [self.env.process(self._command(op, *extent)) for extent in phase]
            yield self.env.all_of(commands)
        if last_op == READ:
            yield from self._use(self.engine, computed * self.costs.parity)

    def _command(self, op: int, drive: int, start: int, end: int) -> Process:
        self.commands.append((drive, op, start, end - start))
        yield from self._use(self.slots[drive], self.takes(drive, end - start))
        self.under_way[drive] -= 1

    def _strips(self, start: int, end: int) -> Iterable[tuple[int, int, int]]:
        """Strips that a run of bytes touches: number, and from where to where in it."""
        for number in range(start // self.strip, (end - 1) // self.strip + 1):
            first = number * self.strip
            yield number, max(start - first, 0), min(end - first, self.strip)

    # -- RAID 0 and 1 ------------------------------------------------------------------------

    def _plain(self, op: int, start: int, end: int) -> list[Extent]:
        if self.level == 1 and op == WRITE:
            return [(drive, start, end) for drive in range(self.drives) if drive != self.failed]
        found = []
        if self.level == 1:
            for number, low, high in self._strips(start, end):
                first = number * self.strip
                drive = self._copy(first + low)
                self.behind[drive] = first + high
                found.append((drive, first + low, first + high))
            self.reads += 1
            return joined(found)
        for number, low, high in self._strips(start, end):
            row = number // self.drives * self.strip
            found.append((number % self.drives, row + low, row + high))
        return joined(found)

    def _copy(self, start: int) -> int:
        """A stream stays, on one of the copies in turn; else the shortest queue, or the first."""
        order = [(self.reads + turn) % self.drives for turn in range(self.drives)]
        alive = [drive for drive in order if drive != self.failed]
        for drive in alive:
            if self.behind[drive] == start and self.under_way[drive] < self.depth:
                return drive
        return min(alive, key=lambda d: (self.under_way[d], d))

    # -- RAID 5 ------------------------------------------------------------------------------

    @property
    def data(self) -> int:
        return self.drives - 1

    def _parity_drive(self, stripe: int) -> int:
        return self.drives - 1 - stripe % self.drives

    def _data_drive(self, stripe: int, i: int) -> int:
        return (self._parity_drive(stripe) + 1 + i) % self.drives

    def _by_stripe(self, start: int, end: int) -> list[tuple[int, dict[int, tuple[int, int]]]]:
        """Stripes with the bytes of their data strips that are meant."""
        found: dict[int, dict[int, tuple[int, int]]] = {}
        for number, low, high in self._strips(start, end):
            found.setdefault(number // self.data, {})[number % self.data] = (low, high)
        return list(found.items())

    def _extent(self, stripe: int, drive: int, low: int, high: int) -> Extent:
        return drive, stripe * self.strip + low, stripe * self.strip + high

    def _read_parity(self, start: int, end: int) -> Process:
        extents, computed = [], 0
        for stripe, wanted in self._by_stripe(start, end):
            lost = next((i for i in wanted if self._data_drive(stripe, i) == self.failed), None)
            if lost is None:
                for i, (low, high) in wanted.items():
                    extents.append(self._extent(stripe, self._data_drive(stripe, i), low, high))
                continue
            low, high = wanted[lost]
            for i in range(self.data):
                if i != lost:
                    first, last = wanted.get(i, (low, high))
                    run = min(first, low), max(last, high)
                    extents.append(self._extent(stripe, self._data_drive(stripe, i), *run))
                    computed += run[1] - run[0]
            extents.append(self._extent(stripe, self._parity_drive(stripe), low, high))
            computed += high - low
        yield from self._task([joined(extents)], READ, computed)

    def _write_stripe(self, stripe: int, new: dict[int, tuple[int, int]]) -> Process:
        lock = self.locks.setdefault(stripe, simpy.Resource(self.env))
        with lock.request() as turn:
            yield turn
            reads, computes = self._old(stripe, new)
            writes = [
                self._extent(stripe, self._data_drive(stripe, i), *run)
                for i, run in new.items()
                if self._data_drive(stripe, i) != self.failed
            ]
            computed = sum(high - low for _, low, high in reads + writes) if computes else 0
            if computes:
                run = self._changed(new)
                writes.append(self._extent(stripe, self._parity_drive(stripe), *run))
            phases = [reads, writes] if reads else [writes]
            yield from self._task(phases, WRITE, computed)

    def _changed(self, new: dict[int, tuple[int, int]]) -> tuple[int, int]:
        """Bytes of the parity strip that change."""
        return next(iter(new.values())) if len(new) == 1 else (0, self.strip)

    def _old(self, stripe: int, new: dict[int, tuple[int, int]]) -> tuple[list[Extent], bool]:
        """What is read before a stripe is written, and whether parity is computed at all."""
        parity = self._parity_drive(stripe)
        if parity == self.failed:
            return [], False
        low, high = self._changed(new)
        lost = [i for i in range(self.data) if self._data_drive(stripe, i) == self.failed]
        rest = []  # of the changed bytes, what is not written
        for i in range(self.data):
            first, last = new.get(i, (low, low))
            rest += [
                self._extent(stripe, self._data_drive(stripe, i), *run)
                for run in ((low, min(first, high)), (max(last, low), high))
                if i not in lost and run[0] < run[1]
            ]
        if any(new.get(i) != (low, high) for i in lost):
            # The old bytes of the lost strip are needed: all others tell them, parity too.
            others = [d for d in range(self.drives) if d != self.failed]
            rest = [self._extent(stripe, d, low, high) for d in others]
        modify = [self._extent(stripe, self._data_drive(stripe, i), *new[i]) for i in new]
        modify.append(self._extent(stripe, parity, low, high))
        if not set(lost) & set(new) and len(modify) < len(rest):
            return modify, True
        return rest, True


def joined(extents: Sequence[Extent]) -> list[Extent]:
    """Runs of bytes that touch on a drive are one command."""
    found: list[Extent] = []
    for drive, start, end in extents:
        for place, (other, first, last) in enumerate(found):
            if other == drive and start == last:
                found[place] = (drive, first, end)
                break
        else:
            found.append((drive, start, end))
    return found
