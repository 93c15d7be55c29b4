"""What the kernel does for one request: every visit to a station, and its meaning.

The kernel simulates one event at a time, and each start of a service at a station is noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from raidsim.assembly.drives import kind_at
from raidsim.explain.disks import Access, accesses
from raidsim.explain.types import Command, Page, Program, Sense, Step
from raidsim.kernel import flash
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_PART
from raidsim.system.system import System
from raidsim.units import NS_PER_S

SHARED_LINK = "shared link"  # kind of station
SHARED_DOWN = -1  # stages beside those of the kernel: on the way to a drive,
SHARED_UP = -2  # and from there
STEPS = {
    t.STAGE_SUBMITTED: "host submits",
    t.STAGE_CONTROLLER_COMMAND: "controller takes the command",
    t.STAGE_CACHE_COPY: "memory of the cache",
    t.STAGE_CACHE_LINES: "lines of the cache become dirty",
    t.STAGE_CONTROLLER_LINK: "link between host and controller",
    t.STAGE_SHARED_LINES: "cores share lines of the array",
    t.STAGE_SPREAD: "commands are issued",
    SHARED_DOWN: "shared links to the drives",
    t.STAGE_COMMAND_ARRIVED: "command to the drive",
    t.STAGE_COMMAND_DECODED: "front end decodes",
    t.STAGE_MAP_SENSED: "dies read the map",
    t.STAGE_MAP_READ: "channels: the map to the drive's memory",
    t.STAGE_SENSED: "dies read",
    t.STAGE_CHANNEL_READ: "channels to the drive's memory",
    t.STAGE_PATH_READ: "data path to the host",
    t.STAGE_LINK_READ: "link to the host",
    t.STAGE_LINK_WRITE: "link to the drive",
    t.STAGE_PATH_WRITE: "data path into the buffer",
    t.STAGE_DISK_DECODED: "controller decodes",
    t.STAGE_DISK_LINK_WRITE: "link to the drive",
    t.STAGE_DISK_CHOOSING: "drive chooses what comes next",
    t.STAGE_DISK_RISING: "arm positions, and reads until data can leave",
    t.STAGE_DISK_LINK_READ: "link to the host",
    t.STAGE_DISK_ARM: "arm finishes",
    t.STAGE_RETURNED: "completion entry to the host",
    SHARED_UP: "shared links from the drives",
    t.STAGE_PARITY: "parity is computed",
    t.STAGE_CONTROLLER_ANSWERED: "controller answers",
    t.STAGE_COMPLETED: "host completes",
    t.STAGE_REST: "links: the rest of the data, behind its first part",
    t.STAGE_MAPPED: "front end updates the map",
    t.STAGE_FLUSH_PATH: "data path out of the buffer",
    t.STAGE_FLUSH_CHANNEL: "channels to the dies",
    t.STAGE_PROGRAMMED: "dies program",
    t.STAGE_CACHE_FLUSH: "dirty data waits for more to come",
}
"""The stages of a request in words, in the order of the road."""
IN_ARRAYS = {
    t.STAGE_COMMAND_ARRIVED: "commands to the drives",
    t.STAGE_COMMAND_DECODED: "drives decode",
    t.STAGE_PATH_READ: "data path out of the drives",
    t.STAGE_LINK_READ: "links from the drives",
    t.STAGE_LINK_WRITE: "links to the drives",
    t.STAGE_PATH_WRITE: "data path into the drives' buffers",
    t.STAGE_DISK_DECODED: "drives decode",
    t.STAGE_DISK_LINK_WRITE: "links to the drives",
    t.STAGE_DISK_CHOOSING: "drives choose what comes next",
    t.STAGE_DISK_RISING: "arms position, and read until data can leave",
    t.STAGE_DISK_LINK_READ: "links from the drives",
    t.STAGE_DISK_ARM: "arms finish",
    t.STAGE_RETURNED: "completions from the drives",
}
"""Other words for stages between a controller, or the host, and the drives of an array."""
OF_THE_MAP = (t.STAGE_MAP_SENSED, t.STAGE_MAP_READ)
BACKGROUND = (
    t.STAGE_REST,
    t.STAGE_MAPPED,
    t.STAGE_FLUSH_PATH,
    t.STAGE_FLUSH_CHANNEL,
    t.STAGE_PROGRAMMED,
    t.STAGE_CACHE_FLUSH,
)


@dataclass(frozen=True)
class Visit:
    """One job at one station."""

    job: int
    parent: int
    stage: int
    station: int
    offset: int
    length: int
    queued: int  # ns
    begins: int
    ends: int
    op: int
    member: int
    phase: int
    task: tuple[int, int, int]  # of a command of an array: what it is for, offset and length


class Beginnings:
    """Which jobs a server has taken since somebody looked last; at first all that are served."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._marks = system.world.jobs["mark"][:0]

    def take(self) -> list[int]:
        """Rows of these jobs."""
        jobs = self._system.world.jobs
        before = np.full(len(jobs), -1, np.int32)
        before[: len(self._marks)] = self._marks
        self._marks = jobs["mark"].copy()
        # A job's mark changes when a server takes it.
        begun = np.flatnonzero((self._marks != before) & (jobs["serving"] == 1))
        return [int(index) for index in begun]


def follow(system: System) -> list[Visit]:
    """Let the kernel on by one event at a time; every visit to a station as it begins."""
    visits: list[Visit] = []
    beginnings = Beginnings(system)
    reason = t.RETURN_BUDGET
    while True:
        visits += [visit_of(system, index) for index in beginnings.take()]
        if reason == t.RETURN_IDLE:
            return visits
        reason = system.run(budget=0)  # a budget that is met after any event


def visit_of(system: System, index: int) -> Visit:
    """The visit of a job to the station that serves it now."""
    job = system.world.jobs[index]
    stage, station = int(job["stage"]), int(job["station"])
    if system.names[station].kind == SHARED_LINK:
        stage = SHARED_DOWN if stage == t.STAGE_COMMAND_ARRIVED else SHARED_UP
    end = int(job["finish"])
    task = (0, 0, 0)
    if stage == t.STAGE_COMMAND_ARRIVED:
        parent = root = system.world.jobs[job["parent"]]
        if root["errand"] == ERRAND_PART:
            root = system.world.jobs[root["parent"]]
        task = (int(root["errand"]), int(parent["offset"]), int(parent["length"]))
    return Visit(
        job=index,
        parent=int(job["parent"]),
        stage=stage,
        station=station,
        offset=int(job["offset"]),
        length=int(job["length"]),
        queued=int(job["queued"]),
        begins=end - int(job["service"]),
        ends=end,
        op=int(job["op"]),
        member=int(job["member"]),
        phase=int(job["phase"]),
        task=task,
    )


class Trace:
    """The visits of one request, read as commands, pages and program units."""

    def __init__(self, system: System, visits: list[Visit], op: int, answered: int) -> None:
        self.system = system
        self.op = op
        self.answered = answered  # ns
        kind = kind_at(system, 0)
        self.is_flash = kind.by_pages
        self.drive = kind.row(system, 0)
        self.by_stage: dict[int, list[Visit]] = {}
        self.by_parent: dict[tuple[int, int], list[Visit]] = {}
        for visit in visits:
            self.by_stage.setdefault(visit.stage, []).append(visit)
            self.by_parent.setdefault((visit.stage, visit.parent), []).append(visit)

    def of(self, stage: int) -> list[Visit]:
        """The visits of a stage, in order of time."""
        return self.by_stage.get(stage, [])

    def below(self, command: int, stage: int) -> list[Visit]:
        """The visits of a stage on behalf of a command, in order of address."""
        return sorted(self.by_parent.get((stage, command), []), key=lambda visit: visit.offset)

    def steps(self) -> Iterator[Step]:
        """Yield the steps by stage of the request's path: before the answer, and after it."""
        in_array = self.system.count("arrays") > 0
        for stage, name in (STEPS | IN_ARRAYS if in_array else STEPS).items():
            before = [visit for visit in self.of(stage) if visit.begins < self.answered]
            after = [visit for visit in self.of(stage) if visit.begins >= self.answered]
            if stage in OF_THE_MAP:
                # Reads wait for them. What writes and destages need comes behind the answer.
                waited_for = [visit for visit in before if visit.parent != t.NONE]
                behind = [visit for visit in before if visit.parent == t.NONE] + after
                if waited_for:
                    yield self._step(name, waited_for, False)
                if behind:
                    yield self._step(name, behind, True)
                continue
            if before and self.is_background(stage):
                yield self._step(name, before + after, True)
                continue
            if before:
                yield self._step(name, before, False)
            if after:
                yield self._step(name, after, True)

    def _step(self, name: str, found: list[Visit], background: bool) -> Step:
        return Step(
            name=name,
            station=self.system.names[found[0].station].kind,
            times=len(found),
            begins=min(visit.begins for visit in found) / NS_PER_S,
            ends=max(visit.ends for visit in found) / NS_PER_S,
            background=background,
        )

    def is_background(self, stage: int) -> bool:
        """Return whether the host does not wait for a stage."""
        if stage == t.STAGE_DISK_ARM and self.op == t.READ:
            return True  # the data leaves while the arm reads the rest
        if stage in (t.STAGE_DISK_ARM, t.STAGE_DISK_CHOOSING):
            return self.op == t.WRITE and bool(self.drive["cached"])
        return stage in BACKGROUND

    def accesses(self) -> Iterator[Access]:
        """The work of the arm of a hard disk: one access for each command, in order of address.

        Cached writes that continue one another are one access. Accesses of a shingled disk are not
        listed: its arm goes to its log, and back when it is idle.
        """
        if self.is_flash or self.drive["shingles"] != t.NONE:
            return iter(())
        begun = self.of(t.STAGE_DISK_RISING if self.op == t.READ else t.STAGE_DISK_ARM)
        ended = self.of(t.STAGE_DISK_ARM)
        commands = self.of(t.STAGE_COMMAND_ARRIVED)
        if not begun:
            return iter(())
        spans = self._shares([(c.offset, c.length) for c in commands], len(begun))
        times = [(b.begins, e.ends) for b, e in zip(begun, ended, strict=True)]
        extents = [(*span, *time) for span, time in zip(spans, times, strict=True)]
        return accesses(self.system, self.drive, self.op, extents)

    def _shares(self, commands: list[tuple[int, int]], parts: int) -> list[tuple[int, int]]:
        """The commands as the arm takes them: the last of ``parts`` holds all that are left."""
        left = commands[parts - 1 :]
        return [*commands[: parts - 1], (left[0][0], sum(length for _, length in left))]

    def commands(self) -> Iterator[Command]:
        """The commands, with what each of them reads or buffers."""
        back = {visit.job: visit for visit in self.of(t.STAGE_RETURNED)}
        for number, visit in enumerate(self.of(t.STAGE_COMMAND_ARRIVED), 1):
            yield Command(
                number=number,
                drive=self.system.names[visit.station].owner,
                offset=visit.offset,
                length=visit.length,
                begins=visit.begins / NS_PER_S,
                ends=back[visit.job].ends / NS_PER_S,
                senses=tuple(self._senses(visit.job)),
                pages=tuple(self._pages(visit.job, t.STAGE_LINK_WRITE, t.STAGE_PATH_WRITE)),
            )

    def _senses(self, command: int) -> Iterator[Sense]:
        senses = self.below(command, t.STAGE_SENSED)
        pages = list(self._pages(command, t.STAGE_CHANNEL_READ, t.STAGE_LINK_READ))
        # The senses of a part are asked for in one instant; in order of the host's addresses.
        parts = sorted({visit.queued for visit in senses})
        senses = sorted(
            senses, key=lambda visit: (visit.queued, flash.address_at(self.drive, visit.offset))
        )
        for visit in senses:
            end = visit.offset + visit.length
            channel, die = self._place(visit.station)
            yield Sense(
                part=parts.index(visit.queued) + 1,
                channel=channel,
                die=die,
                begins=visit.begins / NS_PER_S,
                ends=visit.ends / NS_PER_S,
                pages=tuple(
                    page
                    for page in pages
                    if visit.offset <= flash.place_of(self.drive, page.offset) < end
                ),
            )

    def _pages(self, command: int, first: int, last: int) -> Iterator[Page]:
        done = {visit.offset: visit.ends for visit in self.below(command, last)}
        is_read = first == t.STAGE_CHANNEL_READ
        for visit in self.below(command, first):
            place = flash.place_of(self.drive, visit.offset) if is_read else visit.offset
            yield Page(
                number=place // int(self.drive["page"]),
                offset=visit.offset,
                length=visit.length,
                frames=self._frames(place, visit.length) if is_read else 0,
                done=done[visit.offset] / NS_PER_S,
            )

    def _frames(self, place: int, length: int) -> int:
        """ECC frames that a page takes on its channel: the kernel's sum, at 1 ns a frame."""
        drive = {"frame": self.drive["frame"], "channel_read_ns": 1 / self.drive["frame"]}
        count = getattr(flash.transfer_frames, "__wrapped__", flash.transfer_frames)
        return int(count(drive, place, place + length))

    def programs(self) -> Iterator[Program]:
        """The program units that were flushed."""
        for visit in self.of(t.STAGE_PROGRAMMED):
            channel, die = self._place(visit.station)
            yield Program(channel, die, visit.begins / NS_PER_S, visit.ends / NS_PER_S)

    def _place(self, station: int) -> tuple[int, int]:
        """Channel, and die of the channel, that a station stands for."""
        return divmod(station - int(self.drive["first_die"]), int(self.drive["dies"]))
