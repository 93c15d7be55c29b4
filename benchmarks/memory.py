"""Peak memory of many flash drives: those with the same past share it.

Each number of drives is built, prepared and run in a fresh process: RAID 0 of P3700 800 GB, two
thirds reads of 4 KiB at random, after the same load has brought the drives to their steady state.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.drives import filled, more
from benchmarks.measuring import Settings, Tell, fresh, mark, peak_memory
from raidsim.control.model import build
from raidsim.scenario import from_data

NAME = "memory"
DRIVES = (1, 100, 1000)
QUICK_DRIVES = (1, 4)
IOS = 200_000  # by the host, on all drives together


def run(settings: Settings, tell: Tell) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Measure each number of drives in a fresh process."""
    ios = settings.size(IOS, 2_000)
    figures: list[dict[str, Any]] = []
    for drives in QUICK_DRIVES if settings.quick else DRIVES:
        tell(f"{drives} drives in a fresh process")
        found = fresh("-m", "benchmarks.memory", str(drives), str(ios))[1]
        figures.append({"drives": drives, "ios": ios, **found})
    first, last = figures[0], figures[-1]
    more_drives = last["drives"] - first["drives"]
    each = (last["peak_memory"] - first["peak_memory"]) / more_drives
    return figures, {"memory_of_a_further_drive_to_that_of_its_map": each / last["map"]}


def lines(figures: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Lines of the table."""
    return [
        (
            f"{f['drives']:,} P3700 under RAID 0, {f['ios']:,} I/Os",
            f"peak memory {f['peak_memory'] / 2**20:,.0f} MiB"
            f" ({f['map'] / 2**20:.1f} MiB are the map of a drive)",
        )
        for f in figures
    ]


def one_number(drives: int, ios: int) -> None:
    """In a fresh process: build so many drives, run so many I/Os, and tell the peak."""
    volume: dict[str, Any] = {"drive": "intel-p3700-800gb"}
    if drives > 1:
        volume |= {"level": "raid0", "drives": drives}
    load = {"read": "67 %", "size": "4 KiB", "outstanding": 2 * drives}
    data = {"host": {"model": "fujitsu-rx2540-m1"}, "volume": [volume], "load": [load]}
    system = filled(build(from_data(data)), 2 * drives)
    more(system, ios)
    row = system.world.ftls[0]
    entries = int(row["units"]) + int(row["blocks"]) * int(row["block_units"])
    mark("done", peak_memory=peak_memory(), map=4 * entries)


if __name__ == "__main__":
    one_number(*map(int, sys.argv[1:]))
