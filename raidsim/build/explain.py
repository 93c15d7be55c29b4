"""What becomes of one request: the way it takes through an idle system, step by step.

The kernel itself is asked. A system is built as for a run, holds this one request and
nothing else, and is let on by one event at a time; whatever begins at a station is noted.
So the split into commands, the place of a byte on the flash and the times are what a run
does, in the same code, and there is no second map that might say something else.

Sizes and addresses are bytes, times seconds since the host issued the request.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from raidsim import units
from raidsim.build.explain_disk import Access, Disk, accesses
from raidsim.build.host import HostRows
from raidsim.build.inventory import volume_facts
from raidsim.build.load import need_room
from raidsim.build.scenario import add_volumes
from raidsim.build.system import System
from raidsim.errors import InputError, Problem, quote, suggest
from raidsim.kernel import flash
from raidsim.kernel import tables as t
from raidsim.result import VolumeFacts
from raidsim.scenario import Scenario, VolumeSpec

GIGA = 1e9
LONGEST = 64 * 2**20  # bytes of a request
OPS = {"read": t.READ, "write": t.WRITE}
STEPS = {
    t.STAGE_SUBMITTED: "host submits",
    t.STAGE_COMMAND_ARRIVED: "command to the drive",
    t.STAGE_COMMAND_DECODED: "front end decodes",
    t.STAGE_SENSED: "dies read",
    t.STAGE_CHANNEL_READ: "channels to the drive's memory",
    t.STAGE_PATH_READ: "data path to the host",
    t.STAGE_LINK_READ: "link to the host",
    t.STAGE_LINK_WRITE: "link to the drive",
    t.STAGE_PATH_WRITE: "data path into the buffer",
    t.STAGE_DISK_DECODED: "controller decodes",
    t.STAGE_DISK_LINK_WRITE: "link to the drive",
    t.STAGE_DISK_RISING: "arm positions, and reads until data can leave",
    t.STAGE_DISK_LINK_READ: "link to the host",
    t.STAGE_DISK_ARM: "arm finishes",
    t.STAGE_RETURNED: "completion entry to the host",
    t.STAGE_COMPLETED: "host completes",
    t.STAGE_MAPPED: "front end updates the map",
    t.STAGE_FLUSH_PATH: "data path out of the buffer",
    t.STAGE_FLUSH_CHANNEL: "channels to the dies",
    t.STAGE_PROGRAMMED: "dies program",
}
"""The stages of a request in words, in the order of the road."""
BACKGROUND = (t.STAGE_MAPPED, t.STAGE_FLUSH_PATH, t.STAGE_FLUSH_CHANNEL, t.STAGE_PROGRAMMED)


@dataclass(frozen=True)
class Step:
    """One step of the road: from the first time something begins it to the last end."""

    name: str
    station: str  # kind of station
    times: int  # how often it is taken
    begins: float
    ends: float
    background: bool  # the host does not wait for it


@dataclass(frozen=True)
class Page:
    """The part of a flash page that a request touches."""

    number: int  # of the page on the drive
    offset: int
    length: int
    frames: int  # ECC frames that its channel transfers; 0 for a write
    done: float  # at the host (a read), in the buffer (a write)


@dataclass(frozen=True)
class Sense:
    """Pages of one program unit that a die reads at once."""

    part: int  # of its command, from 1: a part begins when the one before is at the host
    channel: int
    die: int  # of the channel
    begins: float
    ends: float
    pages: tuple[Page, ...]

    @property
    def offset(self) -> int:
        """First byte."""
        return self.pages[0].offset

    @property
    def length(self) -> int:
        """Bytes of the request."""
        return sum(page.length for page in self.pages)

    @property
    def frames(self) -> int:
        """ECC frames that cross the channel."""
        return sum(page.frames for page in self.pages)


@dataclass(frozen=True)
class Command:
    """A device I/O. A read has ``senses``, a write has ``pages``."""

    number: int  # from 1
    drive: str  # what its stations are called in results
    offset: int
    length: int
    begins: float
    ends: float
    senses: tuple[Sense, ...]
    pages: tuple[Page, ...]


@dataclass(frozen=True)
class Phase:
    """Device I/Os that go side by side; a phase begins when the one before is complete."""

    number: int  # from 1
    commands: tuple[Command, ...]


@dataclass(frozen=True)
class Program:
    """A program unit that goes to the flash after the write was acknowledged."""

    channel: int
    die: int
    begins: float
    ends: float


@dataclass(frozen=True)
class Flash:
    """The geometry that places pages."""

    channels: int
    dies: int  # per channel: those that work in step count as one
    in_step: int
    page: int
    frame: int
    stripe: int
    program_unit: int


@dataclass(frozen=True)
class Explanation:
    """One request, and all that it causes."""

    volume: str
    model: str  # title of the drive's card
    facts: VolumeFacts
    op: str  # "read" or "write"
    offset: int
    length: int
    latency: float
    steps: tuple[Step, ...]
    phases: tuple[Phase, ...]
    max_transfer: int  # bytes of the longest command
    programs: tuple[Program, ...]
    left: int  # bytes that stay in the write buffer until more come
    accesses: tuple[Access, ...]  # of the arm
    flash: Flash | None  # None for a hard disk
    disk: Disk | None  # None for a solid state drive


@dataclass(frozen=True)
class _Visit:
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


def explain(
    scenario: Scenario, op: str, offset: str | int, length: str | int, volume: str | None = None
) -> Explanation:
    """Follow one request through the idle system of a scenario.

    Parameters
    ----------
    op
        "read" or "write".
    offset, length
        Bytes, as a number or as a quantity such as "4 KiB".
    volume
        Name of the volume; None for the only one.

    Raises
    ------
    InputError
        If there is no such volume, or the address range is not whole sectors inside it.
    """
    spec = _volume(scenario, volume)
    start, size = _range(spec, offset, length)
    system = System(scenario.seed)
    host = HostRows(system, scenario.host)
    row = add_volumes(system, scenario, volumes=[spec])[spec.name]
    host.carry(row)
    process = host.add_process("request")
    stream = system.add_stream("request", [(size, 1.0)], mode=t.MANUAL, volume=row, process=process)
    need_room(system, row, size)
    system.deliver(0, stream, OPS[op], start, size, 0, 1, t.NEVER)
    visits = _follow(system)
    answered = next(time for _, time, _, _ in system.awaited())
    trace = _Trace(system, visits, OPS[op])
    return Explanation(
        volume=spec.name,
        model=spec.card.title,
        facts=volume_facts(spec),
        op=op,
        offset=start,
        length=size,
        latency=answered / GIGA,
        steps=tuple(trace.steps()),
        phases=(Phase(1, tuple(trace.commands())),),
        max_transfer=spec.card.integer("command.max_transfer"),
        programs=tuple(trace.programs()),
        left=int(trace.drive["gathered"]) if trace.is_flash else 0,
        accesses=tuple(trace.accesses()),
        flash=_flash(spec, trace.drive) if trace.is_flash else None,
        disk=None if trace.is_flash else _disk(spec, trace.drive),
    )


def _flash(spec: VolumeSpec, drive: Any) -> Flash:
    return Flash(
        channels=int(drive["channels"]),
        dies=int(drive["dies"]),
        in_step=spec.card.integer("flash.dies_in_step"),
        page=int(drive["page"]),
        frame=int(drive["frame"]),
        stripe=int(drive["stripe"]),
        program_unit=int(drive["page"]) * int(drive["planes"]),
    )


def _disk(spec: VolumeSpec, drive: Any) -> Disk:
    return Disk(
        rpm=60 * spec.card.number("spindle.speed"),
        heads=int(drive["heads"]),
        cylinders=int(drive["cylinders"]),
        zones=int(drive["zones"]),
        discipline=spec.card.word("queue.discipline"),
        cached=bool(drive["cached"]),
    )


def _volume(scenario: Scenario, name: str | None) -> VolumeSpec:
    names = [volume.name for volume in scenario.volumes]
    remedy = f"one of {', '.join(map(quote, names))}"
    if name is None and len(names) > 1:
        cause = f"is missing, and there are {len(names)} volumes"
        raise InputError([Problem(None, None, "--volume", cause, remedy)])
    if name is not None and name not in names:
        cause = f"{quote(name)} is no volume of this scenario"
        raise InputError([Problem(None, None, "--volume", cause, suggest(name, names) or remedy)])
    return scenario.volume(name or names[0])


def _range(volume: VolumeSpec, offset: str | int, length: str | int) -> tuple[int, int]:
    """First byte and number of bytes, or every reason why there is no such range."""
    problems: list[Problem] = []

    def wrong(key: str, cause: str, remedy: str | None) -> None:
        problems.append(Problem(None, None, key, cause, remedy))

    sector = volume.card.integer("capacity.sector")
    numbers = {}
    for key, value in (("OFFSET", offset), ("LENGTH", length)):
        try:
            numbers[key] = _bytes(value)
        except units.QuantityError as error:
            wrong(key, error.cause, error.remedy)
            continue
        if numbers[key] % sector:
            cause = f"{units.text(numbers[key], 'size')} is not whole sectors"
            wrong(key, cause, f"a multiple of {sector} bytes")
    start, size = numbers.get("OFFSET", 0), numbers.get("LENGTH", sector)
    capacity = units.text(volume.capacity, "capacity")
    if not 0 < size <= LONGEST:
        wrong("LENGTH", f"{units.text(size, 'size')}", f"{sector} B to {LONGEST // 2**20} MiB")
    elif start >= volume.capacity:
        wrong("OFFSET", f"lies beyond the volume of {capacity}", None)
    elif start + size > volume.capacity:
        cause = f"the request ends beyond the volume of {capacity}"
        wrong("LENGTH", cause, f"at most {units.text(volume.capacity - start, 'size')} from there")
    if problems:
        raise InputError(problems)
    return start, size


def _bytes(value: str | int) -> int:
    """Bytes of a quantity; a number without a unit counts bytes."""
    if isinstance(value, int) or value.strip().isdecimal():
        value = f"{value} B"
    return int(units.parse(value, "size"))


def _follow(system: System) -> list[_Visit]:
    """Let the kernel on by one event at a time; every visit to a station as it begins."""
    visits: list[_Visit] = []
    marks = system.world.jobs["mark"][:0]
    reason = t.RETURN_BUDGET
    while True:
        jobs = system.world.jobs
        before = np.full(len(jobs), -1, np.int32)
        before[: len(marks)] = marks
        marks = jobs["mark"].copy()
        # A job's mark changes when a server takes it.
        begun = np.flatnonzero((marks != before) & (jobs["serving"] == 1))
        visits += [_visit(int(index), jobs[index]) for index in begun]
        if reason == t.RETURN_IDLE:
            return visits
        reason = system.run(budget=0)  # a budget that is met after any event


def _visit(index: int, job: Any) -> _Visit:
    end = int(job["finish"])
    return _Visit(
        job=index,
        parent=int(job["parent"]),
        stage=int(job["stage"]),
        station=int(job["station"]),
        offset=int(job["offset"]),
        length=int(job["length"]),
        queued=int(job["queued"]),
        begins=end - int(job["service"]),
        ends=end,
    )


class _Trace:
    """The visits of one request, read as commands, pages and program units."""

    def __init__(self, system: System, visits: list[_Visit], op: int) -> None:
        self.system = system
        self.op = op
        self.is_flash = bool(system.world.drives[0]["kind"] == t.DRIVE_SSD)
        self.drive = system.world.ssds[0] if self.is_flash else system.world.disks[0]
        self.by_stage: dict[int, list[_Visit]] = {}
        self.by_parent: dict[tuple[int, int], list[_Visit]] = {}
        for visit in visits:
            self.by_stage.setdefault(visit.stage, []).append(visit)
            self.by_parent.setdefault((visit.stage, visit.parent), []).append(visit)

    def of(self, stage: int) -> list[_Visit]:
        """The visits of a stage, in order of time."""
        return self.by_stage.get(stage, [])

    def below(self, command: int, stage: int) -> list[_Visit]:
        """The visits of a stage on behalf of a command, in order of address."""
        return sorted(self.by_parent.get((stage, command), []), key=lambda visit: visit.offset)

    def steps(self) -> Iterator[Step]:
        """What was done, by stage of the road."""
        for stage, name in STEPS.items():
            if found := self.of(stage):
                yield Step(
                    name=name,
                    station=self.system.names[found[0].station].kind,
                    times=len(found),
                    begins=min(visit.begins for visit in found) / GIGA,
                    ends=max(visit.ends for visit in found) / GIGA,
                    background=self.is_background(stage),
                )

    def is_background(self, stage: int) -> bool:
        """Whether the host does not wait for a stage."""
        if stage == t.STAGE_DISK_ARM:
            return self.op == t.READ or bool(self.drive["cached"])
        return stage in BACKGROUND

    def accesses(self) -> Iterator[Access]:
        """What the arm of a hard disk does: one access for each command, in order of address.

        Cached writes that continue one another are one access.
        """
        if self.is_flash:
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
        """The device I/Os, with what each of them reads or buffers."""
        back = {visit.job: visit for visit in self.of(t.STAGE_RETURNED)}
        for number, visit in enumerate(self.of(t.STAGE_COMMAND_ARRIVED), 1):
            yield Command(
                number=number,
                drive=self.system.names[visit.station].name.partition(":")[0],
                offset=visit.offset,
                length=visit.length,
                begins=visit.begins / GIGA,
                ends=back[visit.job].ends / GIGA,
                senses=tuple(self._senses(visit.job)),
                pages=tuple(self._pages(visit.job, t.STAGE_LINK_WRITE, t.STAGE_PATH_WRITE)),
            )

    def _senses(self, command: int) -> Iterator[Sense]:
        senses = self.below(command, t.STAGE_SENSED)
        pages = list(self._pages(command, t.STAGE_CHANNEL_READ, t.STAGE_LINK_READ))
        # The senses of a part are asked for in one instant.
        parts = sorted({visit.queued for visit in senses})
        for visit in senses:
            end = visit.offset + visit.length
            channel, die = self._place(visit.station)
            yield Sense(
                part=parts.index(visit.queued) + 1,
                channel=channel,
                die=die,
                begins=visit.begins / GIGA,
                ends=visit.ends / GIGA,
                pages=tuple(page for page in pages if visit.offset <= page.offset < end),
            )

    def _pages(self, command: int, first: int, last: int) -> Iterator[Page]:
        done = {visit.offset: visit.ends for visit in self.below(command, last)}
        for visit in self.below(command, first):
            yield Page(
                number=visit.offset // int(self.drive["page"]),
                offset=visit.offset,
                length=visit.length,
                frames=self._frames(visit) if first == t.STAGE_CHANNEL_READ else 0,
                done=done[visit.offset] / GIGA,
            )

    def _frames(self, visit: _Visit) -> int:
        """ECC frames that a page takes on its channel: the kernel's sum, at 1 ns a frame."""
        drive = {"frame": self.drive["frame"], "channel_read_ns": 1 / self.drive["frame"]}
        count = getattr(flash.transfer_frames, "py_func", flash.transfer_frames)
        return int(count(drive, visit.offset, visit.offset + visit.length))

    def programs(self) -> Iterator[Program]:
        """The program units that were flushed."""
        for visit in self.of(t.STAGE_PROGRAMMED):
            channel, die = self._place(visit.station)
            yield Program(channel, die, visit.begins / GIGA, visit.ends / GIGA)

    def _place(self, station: int) -> tuple[int, int]:
        """Channel, and die of the channel, that a station stands for."""
        return divmod(station - int(self.drive["first_die"]), int(self.drive["dies"]))
