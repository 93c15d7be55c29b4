"""Whether 95 % intervals hold the long-run mean 95 times in 100, for eleven kinds of systems.

Each system is one point of a scenario. It is run with many seeds, at a precision of 5 % and of 1 %,
and each interval either holds the long-run mean or does not. That mean is known where the load is
open and its own rate is the mean; elsewhere it is the mean of a run so long that its own error
does not matter.

The long-run mean has to be one figure for all runs. An array of disks has another one with each
seed, because the seed draws the angles and the speeds of its disks. So arrays keep their seed, and
with it their disks, and their load gets another name in each run: what a load draws depends on the
seed and on its name.

    python -m benchmarks.coverage [--seeds N] [--only NAME] [--write]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from raidsim.result import Point
from raidsim.running import run
from raidsim.scenario import Scenario, load_text
from raidsim.units import parse

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "background" / "measuring.md"
TABLE = re.compile(r"(?<=<!-- coverage -->\n).*?(?=<!-- end of coverage -->)", re.DOTALL)
PRECISIONS = {"5 %": 1000, "1 %": 400}  # seeds of each
LONG = """
[measure]
min_ios = 20_000
max_ios = 1_000_000_000
max_time = "24 h"
precision = "{precision}"
"""
LONG_PRECISION = "0.1 %"
LONG_PRECISION_OF = {  # of systems whose intervals are narrow
    "RAID 5 of disks, write-back": "0.05 %",
    "search for a latency": "0.02 %",
}
LEAST_TIMES = 5
"""So many times as wide as those of the long runs are the intervals that are held against them: the
error of a long run would count as one of theirs, the same one with every seed."""
LONG_RUN = 1_000_001
MEASURE = '\n[measure]\nmin_ios = {least}\nprecision = "{precision}"\n'
LEAST = 1000
# I/Os in flight at the ends of a batch blur what it holds, and so does what a write-back cache
# takes in at one end and gives up in the next. Where a thousand I/Os are but tens of times as many
# as that, intervals are too wide, and so they are where they hold few collections of garbage. A
# scenario that says nothing takes 50,000.
LEAST_OF = {
    "SSD, closed loop": 50_000,
    "SSD, garbage collection": 50_000,
    "RAID 5 of disks, write-back": 50_000,
    "search for a latency": 20_000,
}

SYSTEMS = {
    "disk, closed loop": """
        [host]
        model = "cisco-ucs-c240-m4"
        [[volume]]
        drive = "cisco-hdd-600gb-15k"
        [[load]]
        read = "70 %"
        size = "8 KiB"
        outstanding = 4
    """,
    "disk, Poisson arrivals": """
        [host]
        model = "cisco-ucs-c240-m4"
        [[volume]]
        drive = "cisco-hdd-600gb-15k"
        [[load]]
        read = "100 %"
        size = "8 KiB"
        rate = "150 IO/s"
    """,
    "SSD, closed loop": """
        [host]
        model = "fujitsu-rx2540-m1"
        [[volume]]
        drive = "intel-p3700-800gb"
        [[load]]
        read = "67 %"
        size = "8 KiB"
        align = "4 KiB"
        area = { size = "32 GiB" }
        outstanding = 16
    """,
    "SSD, Poisson arrivals": """
        [host]
        model = "fujitsu-rx2540-m1"
        [[volume]]
        drive = "intel-p3700-800gb"
        [[load]]
        read = "100 %"
        size = "4 KiB"
        area = { size = "32 GiB" }
        rate = "100 kIO/s"
    """,
    "SSD, garbage collection": """
        [host]
        model = "fujitsu-rx2540-m1"
        [[volume]]
        drive = "intel-p3700-800gb"
        set = { "capacity.user" = "1 GB" }
        [[load]]
        read = "0 %"
        size = "4 KiB"
        outstanding = 32
    """,
    "RAID 5 of disks, write-back": """
        [host]
        model = "cisco-ucs-c240-m4"
        [[controller]]
        model = "cisco-12g-sas-raid-2gb"
        set = { "cache.size" = "16 MiB" }
        [[volume]]
        level = "raid5"
        drives = 4
        drive = "cisco-hdd-600gb-15k"
        strip = "64 KiB"
        write = "back"
        [[load]]
        read = "50 %"
        size = "8 KiB"
        area = { size = "64 GiB" }
        outstanding = 8
    """,
    "RAID 6 on the host, two workers": """
        [host]
        model = "cisco-ucs-c240-m4"
        [[volume]]
        level = "raid6"
        drives = 6
        drive = "cisco-hdd-600gb-15k"
        [[load]]
        read = "67 %"
        size = "8 KiB"
        outstanding = 8
        workers = 2
    """,
    "cached reads, Zipf": """
        [host]
        model = "cisco-ucs-c240-m4"
        [[controller]]
        model = "cisco-12g-sas-raid-2gb"
        set = { "cache.size" = "16 MiB" }
        [[volume]]
        level = "raid10"
        drives = 4
        drive = "cisco-hdd-600gb-15k"
        strip = "64 KiB"
        io = "cached"
        [[load]]
        read = "100 %"
        size = "8 KiB"
        zipf = 0.9
        area = { size = "1 GiB" }
        outstanding = 8
    """,
    "hybrid": """
        [host]
        model = "cisco-ucs-c240-m4"
        [[volume]]
        name = "flash"
        drive = "intel-p3700-800gb"
        [[volume]]
        name = "disks"
        drive = "cisco-hdd-600gb-15k"
        [[hybrid]]
        front = "flash"
        back = "disks"
        size = "4 GiB"
        write = "through"
        warm = {}
        [[load]]
        read = "90 %"
        size = "64 KiB"
        area = { size = "4 GiB" }
        outstanding = 8
    """,
    "bursts": """
        [host]
        model = "cisco-ucs-c240-m4"
        [[volume]]
        drive = "cisco-hdd-600gb-15k"
        [[load]]
        read = "100 %"
        size = "8 KiB"
        outstanding = 4
        burst = { on = "100 ms", off = "100 ms" }
    """,
    "search for a latency": """
        [host]
        model = "fujitsu-rx2540-m1"
        [[volume]]
        drive = "intel-p3700-800gb"
        [[load]]
        read = "100 %"
        size = "4 KiB"
        area = { size = "32 GiB" }
        outstanding = [4, 8, 16, 32, 64]
        within = "125 us"
    """,
}


@dataclass(frozen=True)
class Coverage:
    """Of one system at one precision: how many intervals held the mean, of how many."""

    system: str
    precision: str
    held: int
    below: int  # of those that did not: the interval lies below the mean
    runs: int
    unconverged: int
    width: float  # mean half width, relative


def scenario(system: str, precision: str) -> Scenario:
    """One of the systems, at a precision."""
    least = LEAST_OF.get(system, LEAST)
    return load_text(SYSTEMS[system] + MEASURE.format(precision=precision, least=least))


def drawn(asked: Scenario, number: int) -> Scenario:
    """One of many runs, which differ by chance alone, with one long-run mean for all of them."""
    if all(volume.drives == 1 for volume in asked.volumes):
        return asked.model_copy(update={"seed": number})
    (load,) = asked.loads
    return asked.model_copy(update={"loads": (load.model_copy(update={"name": f"{number}"}),)})


def measured(asked: Scenario, number: int) -> Point:
    """The point that a run reports: of a search the one that it chose."""
    result = run(drawn(asked, number))
    if result.highest is None:
        (point,) = result.points
        return point
    best = [p for p in result.points if p.outstanding == result.highest.outstanding]
    return best[0] if best else result.points[0]


class LongRuns:
    """Long-run means of the points of one system, found when asked for."""

    def __init__(self, system: str) -> None:
        precision = LONG_PRECISION_OF.get(system, LONG_PRECISION)
        self.asked = load_text(SYSTEMS[system] + LONG.format(precision=precision))
        self.found: dict[int | None, float] = {}
        self.precision = parse(precision, "share")

    def mean(self, point: Point) -> float:
        """The mean that the throughput of a point has in the long run."""
        (load,) = self.asked.loads
        if load.rate is not None and load.burst is None:
            return point.rate * point.workers
        if point.outstanding not in self.found:
            asked = self.asked
            if load.within is not None:
                asked = asked.at(load, point.outstanding)
                (load,) = asked.loads
                asked = asked.model_copy(
                    update={"loads": (load.model_copy(update={"within": None}),)}
                )
            self.found[point.outstanding] = measured(asked, LONG_RUN).iops.mean
        return self.found[point.outstanding]


def cover(system: str, precision: str, seeds: int, long_runs: LongRuns) -> Coverage:
    """Run one system with so many seeds."""
    asked = scenario(system, precision)
    held = below = unconverged = counted = 0
    width = 0.0
    for number in range(seeds):
        point = measured(asked, number)
        mean, found = long_runs.mean(point), point.iops
        unconverged += not point.converged
        if found.low is None or found.high is None:
            continue
        counted += 1
        held += found.low <= mean <= found.high
        below += found.high < mean
        width += (found.high - found.low) / 2 / found.mean
    width /= max(counted, 1)
    if counted and width < LEAST_TIMES * long_runs.precision:
        raise ValueError(
            f"{system}: intervals of {width:.2%} are too narrow to be held against long"
            f" runs of {long_runs.precision:.2%}; give it a LONG_PRECISION_OF"
        )
    return Coverage(system, precision, held, below, seeds, unconverged, width)


def cover_all(systems: list[str], seeds: int | None) -> Iterator[Coverage]:
    """Every system at every precision."""
    for system in systems:
        long_runs = LongRuns(system)
        for precision, full in PRECISIONS.items():
            yield cover(system, precision, min(full, seeds or full), long_runs)


HEAD = """\
| system | precision | runs | hold the mean | lie below it | half width | not converged |
|---|---|---|---|---|---|---|
"""
ORDER = [(system, precision) for system in SYSTEMS for precision in PRECISIONS]


def row(one: Coverage) -> str:
    """What was found of one system at one precision, as a row of the table."""
    return (
        f"| {one.system} | {one.precision} | {one.runs:,} | {one.held / one.runs:.1%} |"
        f" {one.below / one.runs:.1%} | {one.width:.2%} | {one.unconverged} |"
    )


def with_row(page: str, one: Coverage) -> str:
    """A page whose table has this row in the place of an older one; all others stay."""
    found = TABLE.search(page)
    assert found is not None
    rows = {key_of(line): line for line in found.group().splitlines()}
    rows[one.system, one.precision] = row(one)
    lines = [rows[key] for key in ORDER if key in rows]
    return TABLE.sub(lambda _: HEAD + "\n".join(lines) + "\n", page)


def key_of(line: str) -> tuple[str, str]:
    """System and precision of a row."""
    _, system, precision, *_ = line.split("|")
    return system.strip(), precision.strip()


def main() -> None:
    """Run it, print a row for each system and precision as it comes, and write it if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--seeds", type=int, help="fewer seeds than 1,000 and 400")
    parser.add_argument("--only", action="append", choices=list(SYSTEMS), metavar="SYSTEM")
    parser.add_argument("--write", action="store_true", help=f"write the rows into {PAGE.name}")
    asked = parser.parse_args()
    print(HEAD, end="")
    for one in cover_all(asked.only or list(SYSTEMS), asked.seeds):
        print(row(one), flush=True)
        if asked.write:  # at once: what stops a later one must not take this one
            PAGE.write_text(with_row(PAGE.read_text("utf-8"), one), "utf-8")


if __name__ == "__main__":
    main()
