"""The best possible rates and latencies of a design, as bounds without a run.

The utilisation law: a station that is busy for D seconds for each I/O completes no more than 1 / D
of them a second (P. J. Denning, J. P. Buzen, "The operational analysis of queueing network models",
ACM Computing Surveys 10, 1978). D is taken as small as the simulation could make it:

- a random read costs one command to one drive, unless a cache may hold its data;
- a write costs a command for each copy, or for data and each parity. Under parity in write-through
  mode the old data and parity, or the rest of the stripe, are read as well. Writes that gather in a
  cache cost less, by as much as could be combined there;
- sequential I/Os only cost bytes, since commands may be merged;
- an arm takes the nearest of all commands that its drive sorts, each from the middle of the stroke.
  Behind a cache that writes back in the order of addresses, writes have no seek at all;
- flash is programmed once, without garbage collection, and all dies are busy;
- a core of the host submits for each process, others complete.

Loads that prefer places (hot, zones, zipf, an area) may find all of them in a cache. :data:`SLACK`
allows for chance in a short run. So a design that is removed would not have passed a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np

from raidsim.assembly.seeks import positioning
from raidsim.cards import Card
from raidsim.observe.traffic import mean_size
from raidsim.planning.choice import ARRAYS, DRIVE, HOSTS, PLACE, SHAPE, Numbers, Place, Shape, Space
from raidsim.planning.need import Need
from raidsim.scenario.load_spec import LoadSpec
from raidsim.topology.lanes import bandwidth, is_half_duplex

SLACK = 0.1
"""Share by which a bound has to be passed before a design falls."""


@dataclass(frozen=True)
class Mix:
    """The I/Os of a load: I/Os per second, and of an average one its shares and bytes."""

    rate: float
    reads: float
    random: float
    size: float
    scattered: bool  # over all places alike
    workers: int

    @classmethod
    def of(cls, load: LoadSpec) -> Mix | None:
        """The mix of a load; None of one that says nothing before it runs (a trace)."""
        if load.trace is not None or not load.sizes:
            return None
        size = mean_size(load)
        scattered = load.hot is None and load.zones is None and load.zipf is None
        scattered = scattered and load.area.size is None
        rate = load.workers * load.rate[0] if load.rate else 0.0
        return cls(rate, load.read_share, load.random_share, size, scattered, load.workers)


@dataclass(frozen=True)
class Bounds:
    """Bounds of all designs of a space.

    Attributes
    ----------
    rate : how many times the load of today they carry at most.
    latency : least mean latency of reads, s.
    """

    need: Need
    space: Space
    known: dict[tuple[str, int], Arm | Flash] = field(default_factory=dict)

    def times(self, drive: Card, place: Place) -> Arm | Flash:
        """Least times of a drive at a place."""
        queue = 0
        if drive.kind != "ssd":
            queue = min(drive.integer("queue.window"), drive.integer("command.queue_depth"))
            if place.card is not None:
                queue = min(queue, place.card.integer("drives.queue_depth"))
        key = str(drive.path), max(queue, 1)
        if key not in self.known:
            near = self.mixes is None or not all(mix.scattered for mix in self.mixes)
            self.known[key] = (
                Flash.of(drive) if drive.kind == "ssd" else Arm.of(drive, key[1], near=near)
            )
        return self.known[key]

    @cached_property
    def mixes(self) -> list[Mix] | None:
        """The loads; None if one of them says nothing before it runs, and nothing is bounded."""
        found = [Mix.of(load) for load in self.need.specs]
        if any(load.after is not None for load in self.need.specs):
            return None
        return None if None in found else [one for one in found if one is not None]

    @cached_property
    def rate(self) -> Numbers:
        """The highest multiple of today's load that is carried; inf where nothing is known."""
        if self.mixes is None or not self.need.is_open:
            return np.full((1,) * 7, np.inf)
        busy = np.maximum(self._of_drives(self.mixes), self._of_controllers(self.mixes))
        busy = np.maximum(busy, self._of_hosts(self.mixes))
        with np.errstate(divide="ignore"):
            return np.asarray((1 + SLACK) / busy)

    @cached_property
    def latency(self) -> Numbers:
        """Least mean latency of reads, s; 0 where nothing is known."""
        if self.mixes is None:
            return np.zeros((1,) * 7)
        reading = [mix for mix in self.mixes if mix.reads * mix.random > 0.5 * mix.reads > 0]
        times = np.zeros((len(self.space.drives), len(self.space.places)))
        if len(reading) == len(self.mixes):
            for d, drive in enumerate(self.space.drives):
                for p, place in enumerate(self.space.places):
                    times[d, p] = min(
                        mix.random
                        * (1 - self._held(place, drive, mix))
                        * self.times(drive, place).reading(mix.size)
                        for mix in reading
                    )
        return np.asarray(self.space.along(times, DRIVE, PLACE) * (1 - SLACK))

    # ---- service demands: busy share of a station at the load of today

    def _held(self, place: Place, drive: Card, mix: Mix) -> float:
        """Share of the random accesses that caches may answer, or gather."""
        if not mix.scattered:
            return 1.0
        caches = place.card.number("cache.size") if place.card and place.has_cache else 0.0
        most = max(shape.drives for shape in self.space.shapes)
        caches += most * drive.number("buffer.size")
        return min(2 * caches / self.need.needed.capacity, 1.0)

    def _of_drives(self, mixes: Sequence[Mix]) -> Numbers:
        space = self.space
        found = np.zeros((len(space.drives), len(space.shapes), len(space.places)))
        for d, drive in enumerate(space.drives):
            for p, place in enumerate(space.places):
                hits = [self._held(place, drive, mix) for mix in mixes]
                times = self.times(drive, place)
                for s, shape in enumerate(space.shapes):
                    asked = [
                        _commands(mix, shape, place, hit, self._row(shape))
                        for mix, hit in zip(mixes, hits, strict=True)
                    ]
                    found[d, s, p] = times.busy(_added(asked)) / shape.drives
        return space.along(found, DRIVE, SHAPE, PLACE) / space.along(space.arrays, ARRAYS)

    def _row(self, shape: Shape) -> float:
        """Bytes of data in a row of strips, of the largest strips."""
        return float(max(self.space.strips) * max(shape.data_of_span, 1))

    def _of_controllers(self, mixes: Sequence[Mix]) -> Numbers:
        found = []
        for place in self.space.places:
            card = place.card
            if card is None:
                found.append(0.0)
                continue
            read, write = card.number("command.time"), card.number("command.write_time")
            core = sum(mix.rate * mix.random * (read + (1 - mix.reads) * write) for mix in mixes)
            core /= card.integer("command.cores")
            link = bandwidth(card.word("link.speed"), card.integer("link.lanes"))
            found.append(max(core, *(_bytes(mixes, reads) / link for reads in (True, False))))
        return self.space.along(found, PLACE)

    def _of_hosts(self, mixes: Sequence[Mix]) -> Numbers:
        processes, interrupts = [], []
        for card in self.space.hosts:
            submit = card.number("submit.io_time")
            complete = card.number("complete.io_time") / card.integer("interrupts.cores")
            processes.append(max(mix.rate / mix.workers * submit for mix in mixes))
            interrupts.append(sum(mix.rate for mix in mixes) * complete)
        # Arrays have a share of the load each, and processes of their own.
        each = self.space.along(processes, HOSTS) / self.space.along(self.space.arrays, ARRAYS)
        return np.asarray(np.maximum(each, self.space.along(interrupts, HOSTS)))


@dataclass(frozen=True)
class Commands:
    """The commands to all drives of an array together, per second.

    ``sorted`` are random writes that come in the order of addresses.
    """

    reads: float
    writes: float
    sorted: float
    read_bytes: float
    written_bytes: float


def _bytes(mixes: Sequence[Mix], reads: bool) -> float:
    return sum(mix.rate * mix.size * (mix.reads if reads else 1 - mix.reads) for mix in mixes)


def _commands(mix: Mix, shape: Shape, place: Place, held: float, row: float) -> Commands:
    """The least that a load asks of the drives of an array."""
    reads = mix.rate * mix.reads * mix.random * (1 - held)
    writing = mix.rate * (1 - mix.reads)
    back = place.write == "back"
    # Of a row, so many requests may meet in a cache, and are carried out together.
    meet = min(held * max(row / mix.size, 1.0), 1.0)
    alone = writing * mix.random * (1 - meet)
    data = shape.data_of_span
    more = shape.parity / data if shape.parity else shape.copies - 1
    whole = mix.size >= row
    if shape.parity and not whole:
        writes = alone * (1 + shape.parity)
        # The old data and parity are read, or all that the request leaves of the row.
        strips = max(mix.size / (row / data), 1.0)
        old = 0.0 if back else alone * min(1 + shape.parity, max(data - strips, 0.0))
    else:
        writes, old = alone * shape.copies, 0.0
    sequential = mix.rate * mix.size * (1 - mix.random)
    return Commands(
        reads=reads + old,
        writes=0.0 if back else writes,
        sorted=writes if back else 0.0,
        read_bytes=reads * mix.size + sequential * mix.reads,
        written_bytes=alone * mix.size * (1 + more) + sequential * (1 - mix.reads) * (1 + more),
    )


def _added(asked: Sequence[Commands]) -> Commands:
    if len(asked) == 1:
        return asked[0]
    return Commands(*(sum(getattr(one, of.name) for one in asked) for of in fields(Commands)))


@dataclass(frozen=True)
class Arm:
    """Least times of a disk: to reach a read, a write, a write in order of addresses; per byte."""

    read: float
    write: float
    sorted: float
    byte: float

    @classmethod
    def of(cls, card: Card, queue: int, *, near: bool) -> Arm:
        """Least times of a card; with ``near`` accesses may lie side by side, and need no seek."""
        turn = 1 / card.number("spindle.speed")
        byte = turn / card.number("geometry.track_outer")
        least = turn / (queue + 1)
        keeps = card.flag("write_cache.enabled") or card.number("write_cache.protected_size") > 0
        gathers = keeps or card.has("smr.band")
        read, write = (
            (least, least)
            if near
            else (positioning(card, "read", queue), positioning(card, "write", queue))
        )
        return cls(read, 0.0 if gathers else write, 0.0 if gathers else least, byte)

    def busy(self, asked: Commands) -> float:
        """Busy share of the arm, if one drive did it all."""
        moving = asked.reads * self.read + asked.writes * self.write + asked.sorted * self.sorted
        return moving + (asked.read_bytes + asked.written_bytes) * self.byte

    def reading(self, size: float) -> float:
        """Least time of a random read, s."""
        return self.read + size * self.byte


@dataclass(frozen=True)
class Flash:
    """Least times of a solid state drive, in s: for a command, for bytes, for a page of a die."""

    command: float
    lookup: float
    read: float
    written: float
    link: float
    of_command: int
    half: bool
    sense: float
    dies: int
    program: float

    @classmethod
    def of(cls, card: Card) -> Flash:
        """Least times of a card."""
        at_once = card.number("flash.page") * card.integer("flash.planes")
        gathers = card.has("slc.size") or card.has("slc.dynamic_size")
        return cls(
            command=card.number("front_end.command_time") / card.integer("front_end.cores"),
            lookup=card.number("front_end.read_time") / card.integer("front_end.cores"),
            read=card.number("data_path.read_time_per_byte"),
            written=card.number("data_path.write_time_per_byte"),
            link=card.number("link.time_per_byte"),
            of_command=card.integer("link.command_size"),
            half=is_half_duplex(card.word("link.interface")),
            sense=card.number("flash.read_time"),
            dies=card.integer("flash.channels") * card.integer("flash.dies_per_channel"),
            program=0.0 if gathers else card.number("flash.program_time") / at_once,
        )

    def busy(self, asked: Commands) -> float:
        """Busy share of the busiest part, if one drive did it all."""
        to_host = (asked.read_bytes + asked.reads * self.of_command) * self.link
        to_drive = (asked.written_bytes + asked.writes * self.of_command) * self.link
        dies = asked.reads * self.sense + asked.written_bytes * self.program
        return max(
            (asked.reads + asked.writes) * self.command + asked.reads * self.lookup,
            asked.read_bytes * self.read + asked.written_bytes * self.written,
            to_host + to_drive if self.half else max(to_host, to_drive),
            dies / self.dies,
        )

    def reading(self, size: float) -> float:
        """Least time of a random read, s."""
        return self.sense + size * self.link
