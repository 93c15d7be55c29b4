"""Cost per I/O and peak memory as a run gets longer: neither may grow.

Each length runs in a fresh process, Database with 32 outstanding I/Os.
"""

from __future__ import annotations

import sys
from statistics import median
from typing import Any

from benchmarks.drives import LOADS, more, running
from benchmarks.measuring import Settings, Tell, fresh, mark, peak_memory, spend

NAME = "length"
LENGTHS = (10**5, 10**6, 10**7)
QUICK_LENGTHS = (10**3, 10**4)
LONG = 10**8  # takes about a minute: measured once
OUTSTANDING = 32


def lengths(settings: Settings) -> tuple[int, ...]:
    """Numbers of I/Os."""
    if settings.quick:
        return QUICK_LENGTHS
    return (*LENGTHS, LONG) if settings.long else LENGTHS


def run(settings: Settings, tell: Tell) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure each length in fresh processes."""
    costs: list[dict[str, Any]] = []
    for ios in lengths(settings):
        repeats = 1 if ios >= LONG else min(settings.repeats, 3)
        found = []
        for repeat in range(repeats):
            tell(f"{ios:,} I/Os in a fresh process, {repeat + 1} of {repeats}")
            found.append(fresh("-m", "benchmarks.length", str(ios))[1])
        cost: dict[str, Any] = {
            key: median(f[key] for f in found)
            for key in ("ns_per_io", "cpu_ns_per_io", "peak_memory")
        }
        costs.append({"ios": ios, "repeats": repeats, **cost})
    first, last = costs[0], costs[-1]
    growth = last["peak_memory"] - first["peak_memory"]
    figures = {"load": "Database", "outstanding": OUTSTANDING, "costs": costs}
    figures["memory_growth"] = growth
    return figures, {
        "cost_per_io_longest_to_shortest": last["cpu_ns_per_io"] / first["cpu_ns_per_io"],
        "peak_memory_longest_to_shortest": last["peak_memory"] / first["peak_memory"],
    }


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the table."""
    table = [
        (
            f"{f['ios']:,} I/Os, {figures['outstanding']} outstanding",
            f"{f['ns_per_io']:.0f} ns each ({f['cpu_ns_per_io']:.0f} ns of CPU),"
            f" peak memory {f['peak_memory'] / 2**20:.1f} MiB",
        )
        for f in figures["costs"]
    ]
    growth = figures["memory_growth"] / 2**20
    return [*table, ("Peak memory, longest minus shortest", f"{growth:+.1f} MiB")]


def one_length(ios: int) -> None:
    """In a fresh process: run so many I/Os and tell what they cost."""
    system = running(LOADS["Database"], OUTSTANDING)
    spent = spend(lambda: more(system, ios))
    mark(
        "done",
        ns_per_io=spent.wall / ios * 1e9,
        cpu_ns_per_io=spent.cpu / ios * 1e9,
        peak_memory=peak_memory(),
    )


if __name__ == "__main__":
    one_length(int(sys.argv[1]))
