"""One request on its way through a working array, from the kernel's own events.

As :mod:`raidsim.explain` does it in an idle system, the kernel simulates one event at a time, and
each start of a service at a station is noted. Here other requests are under way too, so each visit
is assigned to its request. All computed values come from the kernel. Only the parts of an access of
an arm (seek, rotation, transfer) are computed again, with the kernel's own functions, for the place
where the arm was.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from raidsim.control import Environment, Volume
from raidsim.control.present import rows_of_drives
from raidsim.explain import disks
from raidsim.explain.arrays import stripe_methods
from raidsim.explain.trace import SHARED_DOWN, SHARED_UP, Beginnings, Visit, visit_of
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE, ERRAND_OPERATION, ERRAND_REPAIR
from raidsim.layout.address import held
from raidsim.layout.tables import DATA, DIRECT
from raidsim.page.live.places import DRIVE, ELSEWHERE, LINK, Place, places

MOST_EVENTS = 20_000
"""Events of the kernel for which a request is waited for, and again for which it is followed."""
LONGEST_WAIT = 30.0
"""Simulated seconds for which a request is waited for."""
LONGEST = 1.5
"""Seconds of this computer for the same."""
MOST_OTHERS = 400
"""Work of others on drives that is told of."""
MOST_PIECES = 64
MOST_LEVELS = 1000
"""Changes of queues and caches that are told of."""
ARMS = (t.STAGE_DISK_CHOOSING, t.STAGE_DISK_RISING, t.STAGE_DISK_ARM)
LINKS = (
    t.STAGE_LINK_READ,
    t.STAGE_LINK_WRITE,
    t.STAGE_DISK_LINK_READ,
    t.STAGE_DISK_LINK_WRITE,
    SHARED_DOWN,
    SHARED_UP,
)
OTHERS = {ERRAND_DESTAGE: "destage", ERRAND_OPERATION: "rebuild", ERRAND_REPAIR: "repair"}


@dataclass(frozen=True)
class Strip:
    """A strip that a command touches. ``number`` is that in the volume; of parity it is -1."""

    row: int
    span: int
    role: int
    copy: int
    number: int
    method: int


@dataclass(frozen=True)
class Command:
    """A command to a drive, as it was made for the request."""

    drive: int
    op: int
    phase: int
    offset: int
    length: int
    strips: tuple[Strip, ...]


@dataclass
class Step:
    """Work for the request at one place: times in ns of the simulation.

    ``moves`` and ``rotates`` are parts of what an arm does, ns; None where no arm moves.
    """

    stage: int
    place: Place
    begins: int
    ends: int
    waits: int  # ns before it, in which nothing was done that it had to wait for
    command: Command | None
    times: int = 1
    moves: float | None = None
    rotates: float | None = None
    failed: bool = False  # the drive answers with an error


@dataclass(frozen=True)
class Other:
    """Work of a drive for another request meanwhile."""

    drive: int
    begins: int
    ends: int
    why: str  # "request", "destage", "rebuild", "repair" or "drive": its own cache


@dataclass(frozen=True)
class Level:
    """From a time (ns) on: commands that each drive has to do, and dirty bytes of the cache."""

    time: int
    queues: tuple[int, ...]
    dirty: int


@dataclass
class Followed:
    """A request from its issue to its answer; times in ns."""

    op: int
    offset: int
    length: int
    issued: int
    answered: int = -1
    status: int = t.DONE
    steps: list[Step] = field(default_factory=list)
    others: list[Other] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)

    @property
    def commands(self) -> list[Command]:
        """Its commands to drives, in the order in which they began."""
        found = [step.command for step in self.steps if step.command is not None]
        return list(dict.fromkeys(found))


class _Patience:
    """True until so many events have happened, or so much time of this computer has passed."""

    def __init__(self) -> None:
        self._left = MOST_EVENTS
        self._ends = time.monotonic() + LONGEST

    def __bool__(self) -> bool:
        self._left -= 1
        return self._left >= 0 and (self._left % 64 > 0 or time.monotonic() < self._ends)


class Follower:
    """Takes requests of a volume through the kernel, event by event."""

    def __init__(self, env: Environment, volume: Volume) -> None:
        self.env = env
        self.system = env.system
        self.volume = volume

    def next(self, op: int | None) -> Followed | None:
        """Follow the next request that a load makes of the volume; None if none comes soon.

        Parameters
        ----------
        op
            READ or WRITE; None for either.
        """
        watch = _Watch(self)
        end, patience = self.env.now + LONGEST_WAIT, _Patience()
        known, made = watch.requests(), self._made
        while patience and self.env.take_one(end):
            if self._made == made:
                continue
            fresh, made = watch.requests(), self._made
            for index, serial in fresh.items():
                if known.get(index) != serial and watch.asks_for(index, op):
                    return watch.follow(index)
            known = fresh
        return None

    @property
    def _made(self) -> int:
        """Requests that were ever made."""
        return int(self.system.state["requests"])

    def ask(self, op: int, offset: int, length: int) -> Followed | None:
        """Make a request, and follow it."""
        watch = _Watch(self)
        known = watch.requests()
        (self.volume.read if op == t.READ else self.volume.write)(offset, length)
        found = [one for one, serial in watch.requests().items() if known.get(one) != serial]
        return watch.follow(found[0]) if found else None


class _Watch:
    """The records kept while one request is followed."""

    def __init__(self, follower: Follower) -> None:
        self.env = follower.env
        self.system = system = follower.system
        self.volume = follower.volume
        self.places = places(system, follower.volume)
        self.drives = {row: n for n, row in enumerate(rows_of_drives(system, follower.volume))}
        disks_of = system.world.disks[: system.count("disks")]
        self.arms = {int(disk["arm_job"]): row for row, disk in enumerate(disks_of)}
        self._choices: dict[int, Visit] = {}  # of an arm: the choice of what it does next
        controller = int(system.world.volumes[follower.volume.row]["controller"])
        self.cache = t.NONE
        if controller != t.NONE:
            self.cache = int(system.world.controllers[controller]["cache"])
        self.arrays = int(system.world.volumes[follower.volume.row]["array"])
        self.beginnings = Beginnings(system)
        self.heads = self._heads()
        self.index = self.serial = t.NONE
        self.found: Followed | None = None
        self.others: list[Other] = []
        self._steps: dict[tuple[Any, ...], Step] = {}
        self._commands: dict[tuple[int, ...], Command] = {}
        self._methods: dict[tuple[int, ...], dict[tuple[int, int], int]] = {}
        self._last: dict[Command, int] = {}  # when a command was last done somewhere, ns

    # -- requests ---------------------------------------------------------------------------

    def requests(self) -> dict[int, int]:
        """Requests of hosts on the volume that are under way: rows and serial numbers."""
        jobs = self.system.world.jobs
        chosen = (jobs["stage"] != t.STAGE_FREE) & (jobs["parent"] == t.NONE)
        chosen &= (jobs["serial"] != t.NONE) & (jobs["volume"] == self.volume.row)
        rows = chosen.nonzero()[0]
        return {int(row): int(jobs[row]["serial"]) for row in rows}

    def asks_for(self, index: int, op: int | None) -> bool:
        """Return whether a request reads, or writes, as is asked for."""
        found = int(self.system.world.jobs[index]["op"])
        return found in (t.READ, t.WRITE) and op in (None, found)

    def follow(self, index: int) -> Followed | None:
        """Take a request to its answer; None if it has none within the bounds."""
        job = self.system.world.jobs[index]
        self.index, self.serial = index, int(job["serial"])
        self.found = Followed(
            int(job["op"]), int(job["offset"]), int(job["length"]), int(job["issued"])
        )
        self.beginnings = Beginnings(self.system)  # its first visit has begun already
        self.heads = self._heads()
        self.look()
        patience = _Patience()
        while patience:
            status = int(self.system.world.jobs[index]["status"])
            if not self.env.take_one(self.env.now + LONGEST_WAIT):
                return None
            if not self._is_own(index):
                self.found.answered, self.found.status = self.system.now, status
                self.look()
                self.found.steps = sorted(self._steps.values(), key=lambda s: (s.begins, s.ends))
                mine = [one for one in self.others if one.ends > self.found.issued]
                self.found.others = mine[-MOST_OTHERS:]
                return self.found
            self.look()
        return None

    def _is_own(self, root: int) -> bool:
        job = self.system.world.jobs[root]
        under_way = job["stage"] != t.STAGE_FREE
        return bool(root == self.index and under_way and job["serial"] == self.serial)

    # -- visits -----------------------------------------------------------------------------

    def look(self) -> None:
        """Note what has begun since the last look, and what has changed."""
        self._look_at_levels()
        heads, self.heads = self.heads, self._heads()
        for index in self.beginnings.take():
            visit = visit_of(self.system, index)
            on_behalf = index
            if visit.stage == t.STAGE_DISK_CHOOSING:
                self._choices[index] = visit  # for whom, is known when it is over
                continue
            if index in self.arms:
                on_behalf = int(self.system.world.disks[self.arms[index]]["command"])
                if index in self._choices:
                    self._note_or_other(self._choices.pop(index), on_behalf, heads)
            self._note_or_other(visit, on_behalf, heads)

    def _note_or_other(self, visit: Visit, on_behalf: int, heads: list[tuple[int, int]]) -> None:
        place = self.places.get(visit.station, ELSEWHERE)
        chain = list(self._chain(on_behalf))
        if self.found is not None and chain and self._is_own(chain[-1]):
            self._note(visit, place, chain, heads)
        elif place.kind == DRIVE and visit.stage in (*ARMS, t.STAGE_SENSED, t.STAGE_PROGRAMMED):
            self._note_other(visit, place, chain)

    def _look_at_levels(self) -> None:
        if self.found is None or len(self.found.levels) >= MOST_LEVELS:
            return
        world = self.system.world
        place = world.volumes[self.volume.row]
        queues: tuple[int, ...] = ()
        if place["kind"] == t.VOLUME_ARRAY:
            array = world.arrays[place["array"]]
            first = int(array["first_member"])
            rows = world.members[first : first + int(array["drives"])]
            queues = tuple(rows["in_flight"].tolist())
        dirty = 0 if self.cache == t.NONE else int(world.caches[self.cache]["dirty"])
        levels = self.found.levels
        if not levels or (levels[-1].queues, levels[-1].dirty) != (queues, dirty):
            levels.append(Level(self.system.now, queues, dirty))

    def _heads(self) -> list[tuple[int, int]]:
        """Cylinder and head where each arm is."""
        rows = self.system.world.disks[: self.system.count("disks")]
        return list(zip(rows["cylinder"].tolist(), rows["head"].tolist(), strict=True))

    def _chain(self, index: int) -> Iterator[int]:
        """A job, and what it is a part of, up to the request or task that is no part."""
        while index != t.NONE:
            yield index
            index = int(self.system.world.jobs[index]["parent"])

    def _note_other(self, visit: Visit, place: Place, chain: list[int]) -> None:
        why = "drive"
        if chain and place.drive is not None:
            errand = int(self.system.world.jobs[chain[-1]]["errand"])
            why = OTHERS.get(errand, "request")
        if place.drive is not None:
            self.others.append(Other(place.drive, visit.begins, visit.ends, why))

    def _note(
        self, visit: Visit, place: Place, chain: list[int], heads: list[tuple[int, int]]
    ) -> None:
        command = self._command(chain) if place.kind in (DRIVE, LINK) else None
        if command is not None and visit.stage == t.STAGE_DISK_ARM and command.op == t.READ:
            return  # the arm reads the rest of what is on its way already
        if command is not None and visit.stage == t.STAGE_DISK_CHOOSING:
            # A command may come while the arm chooses already, and be the one that is taken.
            came = self._last.get(command, visit.begins)
            visit = replace(visit, begins=max(visit.begins, came))
        if command is not None and visit.stage in LINKS:
            place = Place(LINK, command.drive)
        key = (visit.stage, place, command or visit.job)
        step = self._steps.get(key)
        if step is not None and command is None and visit.begins > step.ends:
            self._steps[(*key, step.begins)] = step  # it comes there once more
            step = None
        if step is not None:
            step.begins, step.ends = min(step.begins, visit.begins), max(step.ends, visit.ends)
            step.times += 1
        else:
            since = self._done_before(command, visit.begins)
            if command is not None:
                since = self._last.get(command, since)
            waits = max(visit.begins - since, 0)
            step = Step(visit.stage, place, visit.begins, visit.ends, waits, command)
            self._steps[key] = step
            if visit.stage == t.STAGE_RETURNED:
                step.failed = bool(self.system.world.jobs[visit.job]["status"] != t.DONE)
            if visit.job in self.arms and visit.stage != t.STAGE_DISK_CHOOSING:
                self._split(step, self.arms[visit.job], heads)
        if command is not None:
            self._last[command] = max(self._last.get(command, 0), visit.ends)

    def _done_before(self, command: Command | None, begins: int) -> int:
        """Return the time at which all is done that a step, or a command's phase, waits for."""
        before = [
            step.ends
            for step in self._steps.values()
            if step.ends <= begins
            and (command is None or step.command is None or step.command.phase < command.phase)
        ]
        return max(before, default=begins)

    def _split(self, step: Step, row: int, heads: list[tuple[int, int]]) -> None:
        """Return the parts of an access that are seek and rotation."""
        disk = self.system.world.disks[row]
        offset, op = int(disk["offset"]), int(disk["op"])
        moves, rotates = disks.parts(self.system, disk, heads[row], op, offset, step.begins)
        if moves + rotates <= step.ends - step.begins:  # else it had begun to read already
            step.moves, step.rotates = moves, rotates

    # -- commands ---------------------------------------------------------------------------

    def _command(self, chain: list[int]) -> Command | None:
        """The command to a drive that a visit belongs to."""
        jobs = self.system.world.jobs
        below = [one for one in chain if jobs[one]["errand"] == t.NONE]
        if not below:
            return None
        index = below[-1]
        job = jobs[index]
        names = ("drive", "op", "phase", "offset", "length", "parent")
        key = (index, *(int(job[name]) for name in names))
        if key not in self._commands:
            self._commands[key] = Command(
                drive=self.drives.get(int(job["drive"]), 0),
                op=int(job["op"]),
                phase=int(job["phase"]),
                offset=int(job["offset"]),
                length=int(job["length"]),
                strips=tuple(self._strips(job)) if job["parent"] != t.NONE else (),
            )
        return self._commands[key]

    def _strips(self, job: Any) -> Iterator[Strip]:
        """The strips that a command of an array touches."""
        world = self.system.world
        array, layout = world.arrays[self.arrays], world.layouts[self.arrays]
        size = int(layout["strip"])
        member = int(job["member"] - array["first_member"])
        span = member // int(layout["span_drives"])
        methods = self._methods_of(int(job["parent"]))
        first, end = int(job["offset"]) // size, int(job["offset"] + job["length"] - 1) // size
        for row in range(first, min(end + 1, first + MOST_PIECES)):
            role, copy, address = (int(one) for one in held(layout, member, row))
            number = address // size if role == DATA else -1
            yield Strip(row, span, role, copy, number, methods.get((span, row), DIRECT))

    def _methods_of(self, task: int) -> dict[tuple[int, int], int]:
        job = self.system.world.jobs[task]
        what = tuple(int(job[name]) for name in ("op", "offset", "length"))
        array = self.system.world.arrays[self.arrays]
        first = int(array["first_member"])
        good = self.system.world.good[first : first + int(array["drives"])]
        key = (*what, *good.tolist())  # it is planned anew when a drive fails meanwhile
        if key not in self._methods:
            self._methods[key] = stripe_methods(self.system, self.arrays, *what)
        return self._methods[key]
