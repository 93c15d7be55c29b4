"""Simulated I/Os per second of wall time: a disk that orders its queue by positioning time."""

from __future__ import annotations

from typing import Any

from benchmarks.drives import more
from benchmarks.measuring import Settings, Tell, repeated
from raidsim.build.scenario import build
from raidsim.build.system import System
from raidsim.scenario import from_data

NAME = "disks"
DRIVE = "nl-sas-2tb"
OUTSTANDING = (1, 32, 256)
IOS = 400_000


def running(outstanding: int) -> System:
    """Random reads of 4 KiB on a disk that takes them all into its queue, which is full."""
    machine = build(
        from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1"},
                "volume": [
                    {
                        "drive": DRIVE,
                        "set": {
                            "queue.discipline": "sptf",
                            "command.queue_depth": 256,
                            "queue.window": 256,
                        },
                    }
                ],
                "load": [{"read": "100 %", "size": "4 KiB", "outstanding": outstanding}],
            }
        )
    )
    for streams in machine.streams.values():
        for stream in streams:
            machine.system.begin(stream)
    more(machine.system, 20 * outstanding + 2_000)
    return machine.system


def run(settings: Settings, tell: Tell) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Measure each number of outstanding I/Os."""
    ios = settings.size(IOS, 2_000)
    figures: list[dict[str, Any]] = []
    for outstanding in OUTSTANDING:
        tell(f"shortest positioning time first, {outstanding} outstanding")
        system = running(outstanding)
        handled = int(system.state["handled"])
        spent = repeated(lambda system=system: more(system, ios), settings.repeats)
        events = int(system.state["handled"]) - handled
        figures.append(
            {
                "drive": DRIVE,
                "outstanding": outstanding,
                "ios": ios,
                "events_per_io": events / (ios * settings.repeats),
                **spent.per(ios),
            }
        )
    few, many = (f["per_cpu_second"] for f in figures[1:])
    return figures, {"disk_32_to_256_outstanding": few / many}


def lines(figures: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [
        (
            f"Disk by positioning time, {f['outstanding']} outstanding",
            f"{f['per_second'] / 1e6:.2f} million I/Os a second"
            f" ({f['per_cpu_second'] / 1e6:.2f} per CPU second,"
            f" {f['events_per_io']:.1f} events each)",
        )
        for f in figures
    ]
