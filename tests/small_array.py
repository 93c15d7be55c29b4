"""Arrays of drives of constant service time, for tests: a card made up so that figures are round.

A command occupies its drive, one at a time, for ``LATENCY`` to and fro, the drive's own service
time and what its bytes take on the link at ``BYTE`` ns each. Nothing else of the drive takes time,
so that what is seen is the array's doing. Times are ns, sizes bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from drive_times import Done

from raidsim.assembly.load import need_room
from raidsim.control.model import BuiltSystem, build
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import MANUAL
from raidsim.layout.tables import ACCESS
from raidsim.scenario import Requests, Scenario, from_data

KIB = 1024
US = 1_000
MS = 1_000 * US
STRIP = 16 * KIB
CONTROLLER = str(Path(__file__).with_name("small_controller.toml"))
LINK = {"name": "expander", "speed": "sas-6g", "lanes": 4}
LATENCY = 20 * US
SERVICE = MS
BYTE = 1
TOY: dict[str, Any] = {
    "capacity.user": "1 GB",
    "capacity.sector": "512 B",
    "link.interface": "sas",
    "link.time_per_byte": "1.024 us/KiB",
    "command.latency": "20 us",
    "command.max_transfer": "1024 KiB",
    "command.queue_depth": 1,
    "front_end.command_time": "1000 us",
    "front_end.write_time": "0 us",
    "front_end.cores": 1,
    "data_path.read_time_per_byte": "0 us/KiB",
    "data_path.write_time_per_byte": "0 us/KiB",
    "data_path.turnaround": "0 us",
    "buffer.size": "16 MiB",
    "flash.channels": 1,
    "flash.dies_per_channel": 1,
    "flash.dies_in_step": 1,
    "flash.planes": 1,
    "flash.page": "1024 KiB",
    "flash.pages_per_block": 16,
    "flash.frame": "512 B",
    "flash.stripe": "1048576 KiB",
    "flash.read_time": "0.1 us",
    "flash.program_time": "0.001 ms",
    "flash.erase_time": "0.001 ms",
    "flash.channel_read_time_per_byte": "0 us/KiB",
    "flash.channel_write_time_per_byte": "0 us/KiB",
    "flash.spare": "20 %",
    "mapping.unit": "1024 KiB",
    "read_ahead.depth": "0 KiB",
    "read_ahead.streams": 0,
}
NO_CPU = {
    f"{step}.{part}": "0 us"
    for step in ("submit", "complete")
    for part in ("io_time", "device_io_time", "page_time", "write_time")
} | {
    "submit.wake_time": "0 us",
    "raid.io_time": "0 us",
    "raid.device_io_time": "0 us",
    "raid.parity_time_per_byte": "0 us/KiB",
    "raid.q_time_per_byte": "0 us/KiB",
    "raid.stripe_cache": 0,  # each write of a stripe for itself
}
LEVELS: list[tuple[str, list[int], dict[str, list[Any]]]] = [
    ("jbod", [1, 3], {}),
    ("raid0", [1, 4], {}),
    (
        "raid1",
        [2, 3],
        {"mirror_reads": ["shortest-queue", "nearest-head", "round-robin", "linux-md"]},
    ),
    ("raid1e", [3, 4], {"spread": ["near", "offset"]}),
    ("raid10", [4, 6], {"mirror_reads": ["shortest-queue", "round-robin", "linux-md"]}),
    ("raid10", [3, 5], {"spread": ["near", "offset", "far"]}),
    ("raid10", [6], {"copies": [3]}),
    ("raid5", [3, 4, 6], {"parity_writes": ["fewest", "no-modify", "no-reconstruct"]}),
    ("raid5", [4], {"rotation": ["left-asymmetric", "right-symmetric"]}),
    ("raid6", [4, 5, 7], {"parity_writes": ["fewest", "no-modify", "no-reconstruct"]}),
    ("raid6", [5], {"rotation": ["zero-restart", "n-restart", "n-continue"]}),
    ("raid50", [6, 8], {}),
    ("raid60", [8, 12], {"spans": [2]}),
]
"""Every level with numbers of its drives, and what each of its options may be."""


def takes(length: int, service: int = SERVICE) -> int:
    """How long a command occupies a drive."""
    return LATENCY + service + BYTE * length


def scenario(
    level: str,
    drives: int,
    *loads: dict[str, Any],
    seed: int = 1,
    host: dict[str, Any] | None = None,
    drive: dict[str, Any] | None = None,
    model: str = "intel-p3700-800gb",
    measure: dict[str, Any] | None = None,
    controlled: bool = False,
    controller: str | None = None,
    linked: bool = False,
    **words: Any,
) -> Scenario:
    """Loads on an array; ``words`` are keys of its volume. By default 4 KiB at random, one.

    The array is on the controller beside this file if it is ``controlled``, or on another
    model; its drives are behind an expander if they are ``linked``.
    """
    model_of_controller = controller or (CONTROLLER if controlled else None)
    volume = {"name": "data", "level": level, "drives": drives, "strip": "16 KiB"}
    volume |= {"drive": model, "set": TOY if drive is None else drive, "state": "fresh"} | words
    if linked:
        volume["behind"] = LINK["name"]
    filled = []
    for number, load in enumerate(loads or ({},)):
        full: dict[str, Any] = {"name": f"load {number}", "read": "100 %"}
        if "sizes" not in load:
            full["size"] = "4 KiB"
        if not load.keys() & {"rate", "arrivals", "outstanding"}:
            full["outstanding"] = 1
        filled.append(full | load)
    return from_data(
        {
            "seed": seed,
            "host": {"model": "fujitsu-rx2540-m1", "set": NO_CPU | (host or {})},
            "controller": [{"name": "card", "model": model_of_controller}]
            if model_of_controller
            else [],
            "link": [LINK] if linked else [],
            "volume": [volume],
            "load": filled,
            "measure": measure or {},
        }
    )


class SmallArray:
    """An array that does what it is told; arguments as for :func:`scenario`."""

    def __init__(self, level: str, drives: int, *loads: dict[str, Any], **words: Any) -> None:
        self.spec = scenario(level, drives, *loads, **words)
        self.built: BuiltSystem = build(self.spec)
        self.system = self.built.system
        # Less than a card may say, and the sector buffer would save it now and then.
        self.system.world.ssds["read_time"] = 0
        self.layout = self.spec.volumes[0].layout
        self.stream = self.system.add_stream(
            "by hand", [Requests(512)], mode=MANUAL, volume=0, process=0
        )
        self._tickets = 0
        self.back: dict[int, Done] = {}

    @property
    def array(self) -> Any:
        """The ARRAY row."""
        return self.system.world.arrays[0]

    @property
    def size(self) -> int:
        """Bytes that the host can address."""
        return int(self.system.world.volumes[0]["size"])

    @property
    def good(self) -> np.ndarray:
        """Health of the members."""
        return self.system.world.good[: self.array["drives"]]

    @property
    def members(self) -> np.ndarray:
        return self.system.world.members[: self.array["drives"]]

    @property
    def drives(self) -> np.ndarray:
        """The DRIVE rows, in the order of the members."""
        return self.system.world.drives[: self.array["drives"]]

    def serve_in(self, *times: int) -> None:
        """Give each drive a service time of its own."""
        for row, time in zip(self.system.world.ssds, times, strict=False):
            row["command_time"] = time

    def fail(self, *drives: int) -> None:
        """From now on these answer with an error."""
        for drive in drives:
            self.system.world.drives[drive]["failed"] = 1

    def begin(self) -> None:
        for streams in self.built.streams.values():
            for stream in streams:
                self.system.begin(stream)

    def until(self, time: int) -> None:
        """Run up to and including a time; completions go to ``back``."""
        while self.system.run(horizon=time) == t.RETURN_AWAITED:
            self._take()
        if time < t.NEVER:
            self.system.advance_clock(time)

    def rest(self) -> None:
        """Run until nothing is left to happen."""
        self.until(t.NEVER)

    def _take(self) -> None:
        for ticket, now, issued, status in self.system.awaited():
            self.back[ticket] = Done(issued, now, status)

    def start(self, op: int, offset: int, length: int) -> int:
        """Issue an I/O now; its ticket."""
        need_room(self.system, 0, length)
        self._tickets += 1
        request = (op, offset, length, 0, self._tickets, t.NEVER)
        self.system.deliver(self.system.now, self.stream, *request)
        return self._tickets

    def do(self, op: int, offset: int, length: int) -> Done:
        """One I/O, until nothing is left to happen."""
        ticket = self.start(op, offset, length)
        self.rest()
        return self.back[ticket]

    def replay(self, requests: Sequence[tuple[int, int, int, int]]) -> list[Done]:
        """Serve requests (time, op, offset, length) until all are back."""
        tickets = []
        for time, op, offset, length in requests:
            self.until(time)
            tickets.append(self.start(op, offset, length))
        self.rest()
        return [self.back[ticket] for ticket in tickets]

    def device_ios(self) -> list[int]:
        """Commands that each drive has taken so far."""
        rows = self.drives["latency_station"]
        # To the drive and back: two visits each.
        return (self.system.world.stations["arrivals"][rows] // 2).tolist()

    def assert_at_rest(self) -> None:
        """Nothing is left behind: no request, no command, no lock, no job."""
        world = self.system.world
        streams = world.streams[: self.system.count("streams")]
        assert not streams["in_flight"].any()
        done = streams["completed"] + streams["failed"] + streams["timed_out"]
        assert streams["issued"].tolist() == done.tolist()
        assert not self.members["in_flight"].any()
        assert not world.locks["held"].any()
        assert not world.locks["writes"].any()
        assert (world.locks["first_waiting"][: self.system.count("locks")] == t.NONE).all()
        assert (world.jobs["stage"] == t.STAGE_FREE).all()
        assert self.system.state["free_jobs"] == len(world.jobs)


def table(accesses: int) -> np.ndarray:
    """Room for a plan."""
    return np.zeros(accesses, ACCESS)
