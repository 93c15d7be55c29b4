"""Traces: lines of a text that are read in a CPU second, and requests that are measured."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Settings, Tell, repeated
from raidsim import Trace
from raidsim.trace import REQUEST, open_trace, write
from raidsim.trace.request import Requests

NAME = "traces"
LINES = 2_000_000
AT_A_TIME = 50_000


def run(settings: Settings, tell: Tell) -> tuple[dict[str, Any], dict[str, float]]:
    """Measure reading a trace of MSR Cambridge, its figures, and what Python's csv takes for it."""
    lines = settings.size(LINES, 5_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        tell(f"writing {lines:,} lines")
        write(path, _requests(lines), "msr", ["usr.0"])
        tell("reading")
        read = repeated(lambda: _read(path), settings.repeats)
        tell("figures")
        info = repeated(lambda: Trace.read(path).info(), settings.repeats)
        tell("csv.reader")
        plain = repeated(lambda: _plain(path), settings.repeats)
    figures = {
        "lines": lines,
        "read": read.per(lines) | read.seconds(),
        "info": info.per(lines) | info.seconds(),
        "csv_reader": plain.per(lines) | plain.seconds(),
    }
    return figures, {"trace_lines_to_csv_reader": plain.cpu / read.cpu}


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the table."""
    number = f"{figures['lines']:,} lines of a trace"
    return [
        (f"{number}: {what}", f"{figures[key]['wall']:.2f} s ({figures[key]['cpu']:.2f} s of CPU)")
        for key, what in (
            ("read", "read"),
            ("info", "read, and all figures"),
            ("csv_reader", "as integers by Python's csv"),
        )
    ]


def _requests(number: int) -> Iterator[Requests]:
    r = np.random.default_rng(1)
    for start in range(0, number, AT_A_TIME):
        made = np.empty(min(AT_A_TIME, number - start), REQUEST)
        made["time"] = (start + np.arange(len(made))) * 1e-4
        made["op"] = r.random(len(made)) < 0.3
        made["volume"] = 0
        made["offset"] = r.integers(0, 2**27, len(made)) * 512
        made["size"] = r.integers(1, 129, len(made)) * 512
        made["response"] = r.integers(100, 10**6, len(made)) * 1e-7
        yield made


def _read(path: Path) -> int:
    return sum(len(block) for block in open_trace(path).blocks())


def _plain(path: Path) -> int:
    """The same columns as Python integers, without a check and without an array."""
    total = 0
    with path.open(encoding="ascii", newline="") as file:
        for row in csv.reader(file):
            time, offset, size, response = int(row[0]), int(row[4]), int(row[5]), int(row[6])
            total += (time + offset + size + response) * (row[3] == "Read")
    return total
