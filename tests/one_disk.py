"""A disk that does what it is told, for tests: a card made up so that its figures are round.

Seeks of 0.8 + 9 sqrt(x) ms over a share x of the stroke, 7200 revolutions a minute, one head,
one zone, tracks of 4 MiB; no time in controller and host, hardly any on the link, no
read-ahead, no write cache, first come first served. Tests change what they are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from drive_times import Done, OneDrive
from watching import begin, build, scenario

from raidsim.control.model import BuiltSystem
from raidsim.kernel import tables as t

MODEL = "nl-sas-2tb"
PLAIN: dict[str, Any] = {
    "capacity.user": "2000 GB",
    "capacity.sector": "512 B",
    "capacity.physical_sector": "512 B",
    "link.interface": "sas",
    "link.time_per_byte": "0.001 us/KiB",
    "command.latency": "0 us",
    "command.time": "0 us",
    "command.write_time": "0 us",
    "command.max_transfer": "1024 KiB",
    "command.queue_depth": 256,
    "command.queues_uncached_writes": True,
    "queue.discipline": "fifo",
    "queue.ageing": 0,
    "queue.window": 1024,
    "queue.choose_time": "0 ms",
    "spindle.speed": "7200 rpm",
    "geometry.heads": 1,
    "geometry.zones": 1,
    "geometry.track_outer": "4 MiB",
    "geometry.track_inner": "4 MiB",
    "geometry.head_switch": "0 ms",
    "buffer.size": "64 MiB",
    "read_ahead.segments": 0,
    "read_ahead.depth": "0 KiB",
    "read_ahead.minimum": "0 KiB",
    "read_ahead.until": "depth",
    "write_cache.enabled": False,
    "write_cache.size": "4 MiB",
    "write_cache.entries": 64,
}
for _op in ("read", "write"):
    PLAIN |= {f"seek.{_op}_single": "0.8 ms", f"seek.{_op}_average": "5.6 ms"}
    PLAIN |= {f"seek.{_op}_full": "9.8 ms"}
NO_SEEK = {
    f"seek__{op}_{which}": "0 ms"
    for op in ("read", "write")
    for which in ("single", "average", "full")
}
NO_HOST = {
    f"{step}.{part}": "0 us"
    for step in ("submit", "complete")
    for part in ("io_time", "device_io_time", "page_time", "write_time")
} | {"submit.wake_time": "0 us"}


class OneDisk(OneDrive):
    """The disk above, in a host that takes no time; changes as for :class:`OneDrive`."""

    model = MODEL
    table = "disks"
    on_card = PLAIN
    on_host = NO_HOST

    def until(self, time: int) -> dict[int, Done]:
        """Run to a time, ns; what came back on the way."""
        back: dict[int, Done] = {}
        while self.system.run(horizon=time) == t.RETURN_AWAITED:
            for ticket, now, issued, status in self.system.awaited():
                back[ticket] = Done(issued, now, status)
        self.system.advance_clock(time)
        return back

    def replay(self, requests: Sequence[tuple[int, int, int, int]]) -> list[int]:
        """Serve requests (time, op, offset, length); when each was back, ns."""
        back: dict[int, Done] = {}
        tickets = []
        for time, op, offset, length in requests:
            back |= self.until(time)
            tickets.append(self.start(op, offset, length))
        while self.system.run() == t.RETURN_AWAITED:
            for ticket, now, issued, status in self.system.awaited():
                back[ticket] = Done(issued, now, status)
        assert all(done.status == t.DONE for done in back.values())
        return [back[ticket].completed for ticket in tickets]

    def instants(self) -> Iterator[int]:
        """Go from instant to instant until nothing is left to happen; each time, ns."""
        while self.system.state["events"] > 0:
            time = self.system.next_time
            self.until(time)
            yield time


SMALL: dict[str, Any] = {
    # 1 GB on four surfaces, six zones: few tracks, all kinds of boundaries. Skews are no whole
    # numbers of sectors: no two sectors come by at the same instant. 10,000 rpm: 6 ms.
    "capacity__user": "1 GB",
    "link__time_per_byte": "3 us/KiB",
    "command__latency": "20 us",
    "command__time": "50 us",
    "command__write_time": "13 us",
    "spindle__speed": "10000 rpm",
    "geometry__heads": 4,
    "geometry__zones": 6,
    "geometry__track_outer": "301 KiB",
    "geometry__track_inner": "150 KiB",
    "geometry__head_switch": "0.717 ms",
    "seek__read_single": "0.5 ms",
    "seek__read_average": "4.1 ms",
    "seek__read_full": "8 ms",
    "seek__write_single": "0.913 ms",
    "seek__write_average": "4.7 ms",
    "seek__write_full": "8.8 ms",
}
"""Changes that make of the plain disk a small one with all that a disk has but its caches."""


def loaded(*loads: dict[str, Any], seed: int = 1, **changes: Any) -> BuiltSystem:
    """Return the disk above under loads that have begun; reads of one sector by default."""
    values = PLAIN | {key.replace("__", "."): value for key, value in changes.items()}
    words = [{"size": "512 B", "align": "512 B"} | load for load in loads]
    built = build(scenario(*words, seed=seed, drive=values, host=NO_HOST, model=MODEL))
    begin(built)
    return built
