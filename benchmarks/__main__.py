"""Run the benchmarks: a table on standard output, the same figures in ``out/bench.json``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console

from benchmarks import (
    ageing,
    arrays,
    awaited,
    caches,
    disks,
    drives,
    length,
    memory,
    network,
    rebuilds,
    replay,
    report,
    start,
    studies,
    traces,
)
from benchmarks.measuring import ROOT, Settings, Tell
from raidsim.report.console import ReportConsole

BENCHMARKS: dict[str, ModuleType] = {
    b.NAME: b
    for b in (
        drives,
        disks,
        arrays,
        caches,
        rebuilds,
        replay,
        ageing,
        network,
        awaited,
        length,
        memory,
        start,
        studies,
        traces,
    )
}


def main(arguments: list[str] | None = None) -> None:
    """Measure what is asked for, print it and write it."""
    asked = parse(arguments)
    settings = Settings(quick=asked.quick, long=asked.long)
    figures: dict[str, Any] = {}
    ratios: dict[str, float] = {}
    blocks: list[list[tuple[str, str]]] = []
    errors = Console(stderr=True, highlight=False)
    with errors.status("starting") as status:
        for name in asked.only or BENCHMARKS:
            benchmark = BENCHMARKS[name]
            figures[name], found = benchmark.run(settings, teller(errors, status.update, name))
            ratios |= found
            blocks.append(benchmark.lines(figures[name]))
    if drives.NAME in figures and network.NAME in figures:
        ratios["database_32_to_plain_simpy"] = (
            figures[drives.NAME][1]["per_cpu_second"]
            / figures[network.NAME]["plain_simpy"]["per_cpu_second"]
        )
    report.write(asked.json, report.document(settings, figures, ratios))
    ReportConsole(sys.stdout).print(report.table(settings, blocks))
    errors.print(f"written: {asked.json}")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument(
        "--only",
        action="append",
        choices=list(BENCHMARKS),
        metavar="NAME",
        help=f"one of {', '.join(BENCHMARKS)}; may be given several times",
    )
    parser.add_argument("--quick", action="store_true", help="small numbers, one repeat")
    parser.add_argument("--long", action="store_true", help="also 10^8 I/Os, once")
    parser.add_argument("--json", type=Path, default=ROOT / "out" / "bench.json", metavar="FILE",
                        help="where the figures go (out/bench.json)")  # fmt: skip
    return parser.parse_args(arguments)


def teller(console: Console, update: Tell, name: str) -> Tell:
    """Show what is being measured: on a terminal in place, else line by line."""

    def tell(what: str) -> None:
        text = f"{name}: {what}"
        if console.is_terminal:
            update(text)
        else:
            console.print(text)

    return tell


if __name__ == "__main__":
    main()
