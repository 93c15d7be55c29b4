"""Requests of a trace replayed in a second: a P3700 800 GB, from a file of MSR Cambridge.

Reads of 4 KiB at random, at their times. Reading the file is measured by itself too, and so is the
same load where the kernel draws it: what is left is what the way from the file to the kernel costs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Settings, Tell, fresh, mark, peak_memory, spend
from raidsim.control.model import build
from raidsim.scenario import from_data
from raidsim.system.system import System
from raidsim.trace import open_trace

NAME = "replay"
REQUESTS = 2_000_000
QUICK_REQUESTS = 20_000
RATE = 100_000.0  # a second
AREA = 32 * 2**30
HARDWARE: dict[str, Any] = {
    "host": {"model": "fujitsu-rx2540-m1"},
    "volume": [{"drive": "intel-p3700-800gb", "state": "filled"}],
}


def write(path: Path, requests: int) -> None:
    """A trace of so many reads at random times and places."""
    rng = np.random.default_rng(1)
    with path.open("w", encoding="ascii") as file:
        ticks = 128_166_372_003_061_629
        for first in range(0, requests, 100_000):
            count = min(100_000, requests - first)
            times = ticks + np.cumsum(rng.exponential(1e7 / RATE, count)).astype(np.int64)
            ticks = int(times[-1])
            places = rng.integers(0, AREA // 4096, count) * 4096
            file.writelines(
                f"{time},host,0,Read,{place},4096,1000\n"
                for time, place in zip(times.tolist(), places.tolist(), strict=True)
            )


def started(load: dict[str, Any]) -> System:
    """A system whose load has begun."""
    built = build(from_data({**HARDWARE, "load": [load]}))
    for stream in built.streams["load"]:
        built.system.begin(stream)
    built.system.run(budget=1000)  # the kernel is compiled, and its queues are filled
    return built.system


def run(settings: Settings, tell: Tell) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure reading, replaying and drawing, each in this process, and the memory in others."""
    requests = settings.size(REQUESTS, QUICK_REQUESTS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        tell(f"{requests:,} requests are written")
        write(path, requests)
        tell("reading")
        reading = spend(lambda: sum(len(block) for block in open_trace(path).blocks()))
        tell("replaying")
        system = started({"trace": {"file": str(path)}})
        replaying = spend(system.run)
        tell("the same load, drawn by the kernel")
        drawn = started(
            {
                "read": "100 %", "size": "4 KiB", "area": {"size": "32 GiB"},
                "rate": f"{RATE:g} IO/s", "limit": {"ios": requests},
            }
        )  # fmt: skip
        drawing = spend(drawn.run)
        tell("memory, in fresh processes")
        few, many = (fresh("-m", "benchmarks.replay", str(path), share)[1] for share in "01")
    figures = {
        "requests": requests,
        "reading": reading.per(requests),
        "replaying": replaying.per(requests),
        "drawing": drawing.per(requests),
        "peak_memory": many["peak_memory"],
        "memory_of_the_trace": many["peak_memory"] - few["peak_memory"],
    }
    return figures, {"replay_to_drawn": drawing.wall / replaying.wall}


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [
        (
            f"{figures['requests']:,} requests of a trace, {words}",
            f"{figures[key]['per_second'] / 1e6:.2f} million a second"
            f" ({figures[key]['per_cpu_second'] / 1e6:.2f} per CPU second)",
        )
        for key, words in (
            ("reading", "read"),
            ("replaying", "read and replayed by one P3700"),
            ("drawing", "drawn by the kernel instead"),
        )
    ] + [
        (
            "memory of a replay",
            f"peak {figures['peak_memory'] / 2**20:,.0f} MiB,"
            f" of which {figures['memory_of_the_trace'] / 2**20:,.1f} MiB for the whole trace",
        )
    ]


def one_replay(path: str, whole: str) -> None:
    """In a fresh process: replay all of a trace, or its first second, and tell the peak."""
    trace: dict[str, Any] = {"file": path} | ({} if whole == "1" else {"slice": ["0 s", "0.1 s"]})
    started({"trace": trace}).run()
    mark("done", peak_memory=peak_memory())


if __name__ == "__main__":
    one_replay(*sys.argv[1:])
