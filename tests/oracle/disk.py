"""A hard disk the plain way: all its tracks in a list, its parts as SimPy processes.

Platter: zones of equally many cylinders from the outer edge inwards; the bytes of a track fall
evenly from zone to zone, in whole sectors. Bytes run along a track, then down the heads of the
cylinder, then on to the next cylinder; each track begins later round the platter than the one
before: by the head switch on the same cylinder, by the longer single-cylinder seek on the next.

Disk: a number of commands are worked on at a time, the others wait their turn. They pass a
controller and, for writes, the link; then they wait for the arm. The arm takes them by one of
four disciplines, seeks, waits for the first byte to come by (the spindle is at angle 0 at time
0) and transfers. What a read has found leaves on the link so that both end together. A write
waits for the arm from its first frame of 8 KiB on, or later if the medium would be faster than
the link: all of its data has come before the last of it is due. With a
write cache, writes are answered when their data is in it, and wait for the arm there; room is
handed out first come, first served. A write that begins or ends inside a physical sector takes
whole revolutions more, one as a rule.

No read-ahead. Times are ns, sizes bytes. Written from the description of the disk, not from
its kernel: slow and plain is the point.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import simpy

from raidsim.cards import Card

READ, WRITE = 0, 1
FRAME = 8192  # bytes that are on the link before anything of them is passed on
LONGEST_WRITE = 1 << 20  # bytes to which cached writes that continue each other grow
JUST_MISSED = 1000.0  # ns: a byte this little past the head is still caught


@dataclass(frozen=True)
class Track:
    """One track: its first byte, its size, where it is, and when its first byte comes by."""

    first: int
    size: int
    cylinder: int
    head: int
    angle: float


@dataclass
class Platter:
    """All tracks of a disk, by its card."""

    card: Card
    tracks: list[Track] = field(default_factory=list)

    def __post_init__(self) -> None:
        whole = self.card.integer
        sector, heads = whole("capacity.physical_sector"), whole("geometry.heads")
        sizes = [
            max(round(size / sector), 1) * sector
            for size in np.linspace(
                whole("geometry.track_outer"),
                whole("geometry.track_inner"),
                whole("geometry.zones"),
            )
        ]
        each = math.ceil(whole("capacity.user") / (heads * sum(sizes)))
        switch = self.card.number("geometry.head_switch") * 1e9
        step = 1e9 * max(self.card.number(f"seek.{op}_single") for op in ("read", "write"))
        first, angle = 0, 0.0
        for cylinder in range(each * len(sizes)):
            size = sizes[cylinder // each]
            order = range(heads) if cylinder % 2 == 0 else reversed(range(heads))
            for place, head in enumerate(order):
                self.tracks.append(Track(first, size, cylinder, head, angle % self.turn))
                first += size
                angle += switch if place + 1 < heads else step

    @property
    def turn(self) -> int:
        """One revolution."""
        return round(1e9 / self.card.number("spindle.speed"))

    @property
    def cylinders(self) -> int:
        return self.tracks[-1].cylinder + 1

    @cached_property
    def _firsts(self) -> list[int]:
        return [track.first for track in self.tracks]

    def number(self, offset: int) -> int:
        """Index of the track that holds a byte."""
        return bisect_right(self._firsts, offset) - 1

    def track(self, offset: int) -> Track:
        """The track that holds a byte."""
        return self.tracks[self.number(offset)]

    def angle(self, offset: int) -> float:
        """When a byte comes by, after the index mark."""
        track = self.track(offset)
        return (track.angle + (offset - track.first) / track.size * self.turn) % self.turn

    def transfer(self, offset: int, length: int) -> float:
        """From the first byte under the head to the last one past it."""
        number, end, time = self.number(offset), offset + length, 0.0
        while True:
            track = self.tracks[number]
            stop = min(track.first + track.size, end)
            time += (stop - offset) / track.size * self.turn
            if stop == end:
                return time
            offset = stop
            number += 1
            time += (self.tracks[number].angle - track.angle) % self.turn

    def seek(self, op: int, distance: int) -> float:
        """By the card: fixed + settle + root sqrt(d - 1) + linear (d - 1), its average, its end."""
        if distance == 0:
            return 0.0
        name = ("read", "write")[op]
        single, average, full = (
            self.card.number(f"seek.{name}_{which}") * 1e9
            for which in ("single", "average", "full")
        )
        stroke = max(self.cylinders - 2, 1)
        settle = self.card.number("seek.settle") * (average - single)
        # Half of settling is over 10 cylinders on. Its mean over the density 2 (1 - x) as a sum.
        shares = (np.arange(100_000 if settle else 1) + 0.5) / 100_000
        settled = shares * stroke / (shares * stroke + 10)
        mean = float(np.mean(2 * (1 - shares) * settled))
        # Share x of the stroke: E[x] = 1/3, E[sqrt x] = 8/15, and both terms are whole at x = 1.
        root, linear = np.linalg.solve(
            [[1.0, 1.0], [8 / 15, 1 / 3]],
            [full - single - settle * stroke / (stroke + 10), average - single - settle * mean],
        )
        x = (distance - 1) / stroke
        stopped = settle * (distance - 1) / (distance - 1 + 10)
        return single + stopped + float(root) * math.sqrt(x) + float(linear) * x


@dataclass(eq=False)
class Access:
    """Something for the arm to do; ``done`` is None for a write that is answered already."""

    op: int
    offset: int
    length: int
    came: int
    done: simpy.Event | None


class OracleDisk:
    """A disk without read-ahead, by its card."""

    def __init__(self, card: Card, platter: Platter | None = None) -> None:
        self.card = card
        self.platter = platter or Platter(card)
        self.env = simpy.Environment()
        queues = card.flag("write_cache.enabled") or card.flag("command.queues_uncached_writes")
        depth = min(card.integer("command.queue_depth"), card.integer("queue.window"))
        self.slots = simpy.Resource(self.env, depth if queues else 1)
        self.controller = simpy.Resource(self.env)
        self.to_drive = simpy.Resource(self.env)
        self.to_host = self.to_drive
        if card.word("link.interface") != "sata":
            self.to_host = simpy.Resource(self.env)
        self.waiting: list[Access] = []
        self.in_hand: Access | None = None
        self.order: list[tuple[int, int]] = []  # op and offset of the accesses begun
        self.cylinder, self.head, self.heading = 0, 0, 1
        self.behind: tuple[int, int] | None = None  # where an access would follow on
        self.turn = 0  # cached writes since a command, while commands waited
        self.bell = self.env.event()
        self.entries = self.bytes = 0  # of the write cache, reserved
        self.blocked: list[tuple[int, simpy.Event]] = []
        self.unsafe = self.unsafe_peak = 0
        self.env.process(self._arm())

    def run(self, requests: Sequence[tuple[int, int, int, int]]) -> list[int]:
        """Serve (time, op, offset, length); when each was over at the host."""
        ends = [0] * len(requests)
        for number, request in enumerate(requests):
            self.env.process(self._request(number, ends, *request))
        self.env.run()
        return ends

    # -- the road of a command ---------------------------------------------------------------

    def _request(
        self, number: int, ends: list[int], time: int, op: int, offset: int, length: int
    ) -> Generator[Any, Any, None]:
        env, half = self.env, self._ns("command.latency") // 2
        yield env.timeout(time)
        with self.slots.request() as slot:
            yield slot
            yield env.timeout(half)
            extra = self._ns("command.write_time") if op == WRITE else 0
            yield from self._use(self.controller, self._ns("command.time") + extra)
            yield from (self._read if op == READ else self._write)(offset, length)
            yield env.timeout(half)
            ends[number] = env.now

    def _read(self, offset: int, length: int) -> Generator[Any, Any, None]:
        cached = [a for a in [*self.waiting, self.in_hand] if a and a.op == WRITE and not a.done]
        if not any(a.offset <= offset and offset + length <= a.offset + a.length for a in cached):
            yield self._wait_for_arm(READ, offset, length)
        yield from self._use(self.to_host, self._link(length))

    def _write(self, offset: int, length: int) -> Generator[Any, Any, None]:
        card = self.card
        cached = card.flag("write_cache.enabled") and length <= card.integer("write_cache.size")
        if cached:
            yield self._room(length)
        if cached:
            yield from self._use(self.to_drive, self._link(length))
            self._cache(offset, length)
        else:
            yield from self._first_part(offset, length)
            yield self._wait_for_arm(WRITE, offset, length)

    def _first_part(self, offset: int, length: int) -> Generator[Any, Any, None]:
        """Let enough data come for the arm to begin; the rest follows on the link meanwhile."""
        whole = self._link(length)
        medium = round(self.platter.transfer(offset, length))
        first = min(max(self._link(FRAME), whole - medium), whole)
        with self.to_drive.request() as turn:
            if first < whole:
                self.env.process(self._use(self.to_drive, whole - first))
            yield turn
            yield self.env.timeout(first)

    def _use(self, resource: simpy.Resource, time: int) -> Generator[Any, Any, None]:
        with resource.request() as turn:
            yield turn
            yield self.env.timeout(time)

    def _link(self, length: int) -> int:
        return round(self.card.number("link.time_per_byte") * 1e9 * length)

    def _ns(self, key: str) -> int:
        return round(self.card.number(key) * 1e9)

    # -- the write cache ---------------------------------------------------------------------

    def _room(self, length: int) -> simpy.Event:
        event = self.env.event()
        self.blocked.append((length, event))
        self._admit()
        return event

    def _admit(self) -> None:
        card = self.card
        while self.blocked:
            length, event = self.blocked[0]
            if self.entries >= card.integer("write_cache.entries"):
                return
            if self.bytes + length > card.integer("write_cache.size"):
                return
            self.blocked.pop(0)
            self.entries += 1
            self.bytes += length
            event.succeed()

    def _cache(self, offset: int, length: int) -> None:
        held = [a for a in self.waiting if a.op == WRITE and a.done is None]
        end = offset + length
        same = [a for a in held if a.offset <= offset and end <= a.offset + a.length]
        before = [
            a for a in held if a.offset + a.length == offset and end - a.offset <= LONGEST_WRITE
        ]
        if same:
            self.bytes -= length
            self.entries -= 1
        else:
            self.unsafe += length
            self.unsafe_peak = max(self.unsafe_peak, self.unsafe)
            if before:
                before[0].length += length
                self.entries -= 1
            else:
                self._wait_for_arm(WRITE, offset, length, answered=True)
        self._admit()

    # -- the arm -----------------------------------------------------------------------------

    def _wait_for_arm(
        self, op: int, offset: int, length: int, *, answered: bool = False
    ) -> simpy.Event:
        done = self.env.event()
        self.waiting.append(Access(op, offset, length, self.env.now, None if answered else done))
        if not self.bell.triggered:
            self.bell.succeed()
        return done

    def _arm(self) -> Generator[Any, Any, None]:
        while True:
            if not self.waiting:
                self.bell = self.env.event()
                yield self.bell
            pause = self._ns("queue.choose_time")
            if pause and not any((a.op, a.offset) == self.behind for a in self._of_turn()):
                yield self.env.timeout(pause)
            access = self._choose()
            self.waiting.remove(access)
            passes_commands = access.done is None and any(a.done for a in self.waiting)
            self.turn = self.turn + 1 if passes_commands else 0
            self.in_hand = access
            self.order.append((access.op, access.offset))
            yield from self._do(access)
            self.in_hand = None
            self.behind = (access.op, access.offset + access.length)
            if access.op == WRITE and access.done is None:
                self.entries -= 1
                self.bytes -= access.length
                self.unsafe -= access.length
                self._admit()

    def _do(self, access: Access) -> Generator[Any, Any, None]:
        platter, env = self.platter, self.env
        lead = self._lead(access)
        transfer = platter.transfer(access.offset, access.length)
        last = platter.track(access.offset + access.length - 1)
        self.cylinder, self.head = last.cylinder, last.head
        ends = env.now + lead + transfer
        if access.op == READ:
            leaves = max(ends - access.length * self.card.number("link.time_per_byte") * 1e9,
                         env.now + lead)  # fmt: skip
            yield env.timeout(round(leaves) - env.now)
            assert access.done is not None
            access.done.succeed()
        elif any(
            edge % self.card.integer("capacity.physical_sector")
            for edge in (access.offset, access.offset + access.length)
        ):
            ends += math.ceil(transfer / platter.turn) * platter.turn
        yield env.timeout(round(ends) - env.now)
        if access.op == WRITE and access.done is not None:
            access.done.succeed()

    def _move(self, access: Access) -> float:
        to = self.platter.track(access.offset)
        seek = self.platter.seek(access.op, abs(to.cylinder - self.cylinder))
        write = access.op == WRITE and self.card.has("geometry.write_head_switch")
        switch = self.card.number(f"geometry.{'write_' if write else ''}head_switch") * 1e9
        return seek if to.head == self.head else max(seek, switch)

    def _lead(self, access: Access) -> float:
        move, turn = self._move(access), self.platter.turn
        wait = (self.platter.angle(access.offset) - self.env.now - move) % turn
        return move + (wait - turn if wait > turn - JUST_MISSED else wait)

    def _of_turn(self) -> list[Access]:
        """Commands or cached writes, whichever come next; all of them if neither goes first."""
        commands = [a for a in self.waiting if a.done is not None]
        cached = [a for a in self.waiting if a.done is None]
        if not self.card.has("write_cache.reads_first") or not commands or not cached:
            return self.waiting
        share = self.card.number("write_cache.reads_first")
        full = self.entries >= share * self.card.integer("write_cache.entries")
        full |= self.bytes >= share * self.card.integer("write_cache.size")
        has_aims = self.card.has("write_cache.aims")
        most = self.card.integer("write_cache.aims") if has_aims else 1
        begins = (full or self.blocked) and self.turn == 0
        return cached if begins or 0 < self.turn < most else commands

    def _first_of_run(self, access: Access) -> Access:
        """The first of the accesses that may be next and continue one another up to this one."""
        for other in self._of_turn():
            if other.op == access.op and other.offset + other.length == access.offset:
                return self._first_of_run(other)
        return access

    def _choose(self) -> Access:
        def distance(a: Access) -> int:
            return self.platter.track(a.offset).cylinder - self.cylinder

        # The list is in order of coming, and min() takes the first of equals.
        keys: dict[str, Callable[[Access], float]] = {
            "fifo": lambda _: 0.0,
            "sstf": lambda a: abs(distance(a)),
            "sptf": lambda a: (
                self._lead(a) - self.card.number("queue.ageing") * (self.env.now - a.came)
            ),
        }
        discipline = self.card.word("queue.discipline")
        waiting = self._of_turn()
        if self.card.has("write_cache.aims") and all(a.done is None for a in waiting):
            # Of two equally far the one further out; on one cylinder the next to the arm's place.
            near = sorted(waiting, key=lambda a: a.offset)
            below = [a for a in near if distance(a) < 0][::-1]
            near = below + [a for a in near if distance(a) >= 0]
            waiting = sorted(near, key=lambda a: abs(distance(a)))
            waiting = waiting[: self.card.integer("write_cache.aims")]
        if discipline == "sptf":
            firsts = [a for a in waiting if self._first_of_run(a) is a]
            if not firsts:  # only of some of many cached writes
                return self._first_of_run(min(waiting, key=keys[discipline]))
            waiting = firsts
        if discipline != "look":
            return min(waiting, key=keys[discipline])
        ahead = [a for a in waiting if distance(a) * self.heading >= 0]
        if not ahead:
            self.heading = -self.heading
            ahead = waiting
        return min(ahead, key=lambda a: abs(distance(a)))
