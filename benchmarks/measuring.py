"""Time and memory: medians of repeats, and what a fresh process needs.

Two clocks: wall time is what people wait for; CPU time is what a quiet computer would make
them wait for, since the kernel runs on one core.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Settings:
    """How thorough to be.

    Attributes
    ----------
    quick
        Small numbers and one repeat: shows that it works, not how fast.
    long
        Also what takes minutes.
    """

    quick: bool = False
    long: bool = False

    @property
    def repeats(self) -> int:
        """How often each figure is measured; the median counts."""
        return 1 if self.quick else 5

    def size(self, full: int, quick: int) -> int:
        """Amount of work: the full one, or the quick one."""
        return quick if self.quick else full


Tell = Callable[[str], None]  # says what is being measured


@dataclass(frozen=True)
class Spent:
    """Seconds of wall time and of CPU time."""

    wall: float
    cpu: float

    def per(self, work: int) -> dict[str, float]:
        """Return how much of ``work`` is done per second: by the wall clock, and per CPU second."""
        return {"per_second": work / self.wall, "per_cpu_second": work / self.cpu}

    def seconds(self) -> dict[str, float]:
        """Both as plain data."""
        return asdict(self)


def spend(work: Callable[[], object]) -> Spent:
    """Time that one call takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def middle(spent: Sequence[Spent]) -> Spent:
    """Medians over repeats."""
    return Spent(median(s.wall for s in spent), median(s.cpu for s in spent))


def repeated(work: Callable[[], object], repeats: int) -> Spent:
    """Medians over repeated calls."""
    return middle([spend(work) for _ in range(repeats)])


# -- fresh processes ---------------------------------------------------------------------


def mark(name: str, **figures: Any) -> None:
    """In a fresh process: tell the parent that a place is reached, and figures found there."""
    print(json.dumps({"mark": name, "cpu": time.process_time(), **figures}), flush=True)


def fresh(*arguments: str, cache: Path | None = None) -> tuple[dict[str, Spent], dict[str, Any]]:
    """Run Python with these arguments in a fresh process.

    Parameters
    ----------
    cache
        Folder for compiled code; None for the usual one.

    Returns
    -------
    tuple
        Time from the start of the process to each :func:`mark` and to ``"end"``, and all
        figures that the marks carried.
    """
    settings = dict(os.environ)
    # Who installs raidsim has its byte code kept; without that each start compiles all of it anew.
    settings.pop("PYTHONDONTWRITEBYTECODE", None)
    if cache is not None:
        settings["RAIDSIM_CACHE"] = str(cache)
    before = _children_cpu()
    start = time.perf_counter()
    places: dict[str, Spent] = {}
    figures: dict[str, Any] = {}
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=settings, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith('{"mark"'):
                found = json.loads(line)
                wall = time.perf_counter() - start
                places[found.pop("mark")] = Spent(wall, found.pop("cpu"))
                figures |= found
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} ended with status {process.returncode}")
    places["end"] = Spent(time.perf_counter() - start, _children_cpu() - before)
    return places, figures


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_memory() -> int:
    """Most memory that this process has had, bytes.

    On Linux ``ru_maxrss`` of a child begins with what its parent had when it started it,
    so the kernel's own mark of this process comes first.
    """
    if STATUS.exists():
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
