"""Simulated I/Os per second of wall time: a disk that orders its queue by positioning time."""

from __future__ import annotations

from typing import Any

from benchmarks.drives import filled, speed, speed_text
from benchmarks.measuring import Settings, Tell
from raidsim.control.model import build
from raidsim.scenario import from_data
from raidsim.system.system import System

NAME = "disks"
DRIVE = "nl-sas-2tb"
OUTSTANDING = (1, 32, 256)
IOS = 400_000


def running(outstanding: int) -> System:
    """Random reads of 4 KiB on a disk that takes them all into its queue, which is full."""
    built = build(
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
    return filled(built, outstanding)


def run(settings: Settings, tell: Tell) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Measure each number of outstanding I/Os."""
    ios = settings.size(IOS, 2_000)
    figures: list[dict[str, Any]] = []
    for outstanding in OUTSTANDING:
        tell(f"shortest positioning time first, {outstanding} outstanding")
        found = speed(running(outstanding), ios, settings)
        figures.append({"drive": DRIVE, "outstanding": outstanding, **found})
    few, many = (f["per_cpu_second"] for f in figures[1:])
    return figures, {"disk_32_to_256_outstanding": few / many}


def lines(figures: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [
        (f"Disk by positioning time, {f['outstanding']} outstanding", speed_text(f))
        for f in figures
    ]
