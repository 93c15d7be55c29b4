"""Times of a drive and its host by arithmetic, as whole ns; and a drive to hold to them.

Nothing here knows how the kernel works: a time is what the card says, times what is moved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from watching import build, scenario

from raidsim.cards import Card
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import MANUAL
from raidsim.scenario import Requests

KIB = 1024
US = 1_000  # ns
MS = 1_000 * US


def ns(seconds: float) -> int:
    """A time in s to the nearest whole ns."""
    return floor(seconds * 1e9 + 0.5)


class Times:
    """What each step takes, in ns, by the cards of drive and host; ``length`` in bytes."""

    def __init__(self, drive: Card, host: Card) -> None:
        self.drive = drive
        self.host = host

    def submit(self, op: int, length: int, commands: int = 1) -> int:
        return self._cpu("submit", op, length, commands)

    def complete(self, op: int, length: int, commands: int = 1) -> int:
        return self._cpu("complete", op, length, commands)

    def _cpu(self, step: str, op: int, length: int, commands: int) -> int:
        pages = -(-length // self.host.integer("page.size"))
        time = self.host.number(f"{step}.io_time")
        time += self.host.number(f"{step}.page_time") * pages
        time += self.host.number(f"{step}.device_io_time") * commands
        if step == "submit":
            time += self.host.number("submit.wake_time")  # of a process that waited
        if op == t.WRITE:
            time += self.host.number(f"{step}.write_time")
        return ns(time)

    def around(self, op: int, length: int, commands: int = 1) -> int:
        """All that a request takes beside the drive's work: CPU, and the command's way."""
        cpu = self.submit(op, length, commands) + self.complete(op, length, commands)
        return cpu + 2 * self.half_latency

    @property
    def half_latency(self) -> int:
        return ns(self.drive.number("command.latency") / 2)

    @property
    def front_end(self) -> int:
        return ns(self.drive.number("front_end.command_time"))

    @property
    def map_update(self) -> int:
        return ns(self.drive.number("front_end.write_time"))

    @property
    def turnaround(self) -> int:
        return ns(self.drive.number("data_path.turnaround"))

    @property
    def read(self) -> int:
        return ns(self.drive.number("flash.read_time"))

    @property
    def program(self) -> int:
        return ns(self.drive.number("flash.program_time"))

    def link(self, length: int) -> int:
        return ns(self.drive.number("link.time_per_byte") * length)

    def path_read(self, length: int) -> int:
        return ns(self.drive.number("data_path.read_time_per_byte") * length)

    def path_write(self, length: int) -> int:
        return ns(self.drive.number("data_path.write_time_per_byte") * length)

    def path_flush(self, length: int) -> int:
        """All channels are fed in step: the path is held for the time of them all together."""
        channels = self.drive.integer("flash.channels")
        return ns(self.drive.number("flash.channel_write_time_per_byte") / channels * length)

    def channel_read(self, offset: int, length: int) -> int:
        """Whole ECC frames cross the channel."""
        frame = self.drive.integer("flash.frame")
        frames = -(-(offset + length) // frame) - offset // frame
        return ns(self.drive.number("flash.channel_read_time_per_byte") * frames * frame)

    def channel_write(self, length: int) -> int:
        return ns(self.drive.number("flash.channel_write_time_per_byte") * length)

    def page_read(self, offset: int, length: int) -> int:
        """A read of one flash page or less, from die to host."""
        moved = self.channel_read(offset, length) + self.path_read(length) + self.link(length)
        return self.read + moved


@dataclass(frozen=True)
class Done:
    """An I/O that was awaited; times in ns."""

    issued: int
    completed: int
    status: int

    @property
    def latency(self) -> int:
        return self.completed - self.issued


class OneDrive:
    """A P3700 in a server, with other values on its card, that does what it is told.

    ``changes`` are keys of the card with dots as double underscores: flash__read_time="60 us".
    """

    model = "intel-p3700-800gb"
    table = "ssds"
    on_card: Mapping[str, Any] = {}
    on_host: Mapping[str, Any] = {}

    def __init__(self, *, drives: int = 1, **changes: Any) -> None:
        values = dict(self.on_card)
        values |= {key.replace("__", "."): value for key, value in changes.items()}
        spec = scenario(
            {"size": "1 MiB"},
            drive=values,
            host=dict(self.on_host),
            drives=drives,
            model=self.model,
        )
        self.built = build(spec)
        self.system = self.built.system
        self.card = spec.volumes[0].card
        self.times = Times(self.card, spec.host.card)
        self._streams = [
            self.system.add_stream(
                f"by hand {volume}", [Requests(512)], mode=MANUAL, volume=volume, process=0
            )
            for volume in range(drives)
        ]
        self._tickets = 0

    @property
    def row(self) -> Any:
        """The row of its mechanics or flash."""
        return getattr(self.system.world, self.table)[0]

    @property
    def front(self) -> Any:
        """The DRIVE row."""
        return self.system.world.drives[0]

    @property
    def unit(self) -> int:
        """Bytes that are programmed together."""
        return int(self.row["page"] * self.row["planes"])

    def start(
        self, op: int, offset: int, length: int, volume: int = 0, at: int | None = None
    ) -> int:
        """Issue an I/O now, or at a time (ns) to come; its ticket."""
        self._tickets += 1
        stream = self._streams[volume]
        request = (op, offset, length, 0, self._tickets, t.NEVER)
        self.system.deliver(self.system.now if at is None else at, stream, *request)
        return self._tickets

    def wait(self, *tickets: int) -> list[Done]:
        """Run until these I/Os are back."""
        found: dict[int, Done] = {}
        while not found.keys() >= set(tickets):
            assert self.system.run() == t.RETURN_AWAITED
            for ticket, time, issued, status in self.system.awaited():
                found[ticket] = Done(issued, time, status)
        return [found[ticket] for ticket in tickets]

    def do(self, op: int, offset: int, length: int, volume: int = 0) -> int:
        """One I/O from now to its end: its latency, ns."""
        (done,) = self.wait(self.start(op, offset, length, volume))
        assert done.status == t.DONE
        return done.latency

    def reads(self, offset: int, length: int, volume: int = 0) -> int:
        return self.do(t.READ, offset, length, volume)

    def writes(self, offset: int, length: int) -> int:
        return self.do(t.WRITE, offset, length)

    def rest(self) -> int:
        """Let the drive finish what it does on its own; the time, ns."""
        assert self.system.run() == t.RETURN_IDLE
        return self.system.now

    def visits(self, kind: str, volume: int = 0) -> NDArray[np.int64]:
        """How many jobs came to each station of a kind, in order."""
        names = self.system.names
        owner = list(self.built.volumes)[volume]
        rows = [n for n, s in enumerate(names) if s.kind == kind and s.name.startswith(f"{owner}:")]
        return self.system.world.stations["arrivals"][rows]

    def served(self, kind: str) -> int:
        """Work done at all stations of a kind, ns."""
        rows = [n for n, s in enumerate(self.system.names) if s.kind == kind]
        return int(self.system.world.stations["served"][rows].sum())


def pipeline(times: Sequence[int], pages: int) -> int:
    """``pages`` like pages through stations one after the other: the slowest sets the pace."""
    return sum(times) + (pages - 1) * max(times)
