"""Whether fio measures of an attached volume what ``raidsim run`` says of the same scenario.

    python -m benchmarks.agreement [--only WORD] [--requests N]

Each case attaches a volume at a speed slow enough that what the computer adds is little, lets fio
ask for 8 KiB at random, 67 % reads, and divides what fio saw of each request by that speed. Needs
fio with its engine ``nbd``. All cases together take about half an hour.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import raidsim
from raidsim.scenario import Scenario

TEXT = """
schema = 1
title = "agreement"
[host]
model = "{host}"
[[volume]]
drive = "{drive}"
level = "{level}"
drives = {drives}
{more}
[[load]]
read = "67 %"
size = "8 KiB"
area = {{ offset = "0 B", size = "8 GiB" }}
outstanding = {outstanding}
"""
DISKS = ("fujitsu-rx300-s4", "seagate-st373455ss", "raid5", 4, 'disk_cache = "off"')
FLASH = ("fujitsu-rx2540-m1", "intel-p3700-800gb", "raid1", 2, "")


class Case(NamedTuple):
    """A volume, a load, and how slowly time goes."""

    name: str
    system: tuple[str, str, str, int, str]
    outstanding: int
    speed: float
    requests: int


CASES = (
    Case("RAID 5 of 4 disks", DISKS, 1, 0.1, 6_000),
    Case("RAID 5 of 4 disks", DISKS, 16, 0.1, 25_000),
    Case("NVMe mirror", FLASH, 1, 0.001, 6_000),
    Case("NVMe mirror", FLASH, 16, 0.0005, 30_000),
)


def scenario_of(case: Case) -> str:
    """Its scenario, as text."""
    host, drive, level, drives, more = case.system
    return TEXT.format(
        host=host, drive=drive, level=level, drives=drives, more=more, outstanding=case.outstanding
    )


def measured(case: Case, folder: Path) -> tuple[dict[int, np.ndarray], float, str]:
    """Latencies in simulated ms by direction (0 reads), simulated IO/s, and the server's log."""
    (folder / "scenario.toml").write_text(scenario_of(case))
    attach = [sys.executable, "-m", "raidsim", "attach", "scenario.toml", "--socket", "nbd"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen([*attach, "--speed", str(case.speed)], cwd=folder, stderr=log) as server,
    ):
        try:
            while not (folder / "nbd").exists():
                time.sleep(0.1)
            fio = [
                "fio",
                "--name=t",
                "--ioengine=nbd",
                f"--uri=nbd+unix:///data?socket={folder}/nbd",
            ]
            fio += ["--rw=randrw", "--rwmixread=67", "--bs=8k", "--size=8g", "--norandommap"]
            fio += [f"--iodepth={case.outstanding}", f"--number_ios={case.requests}"]
            fio += ["--write_lat_log=seen", "--log_offset=0", "--output=fio.txt"]
            subprocess.run(fio, cwd=folder, check=True)
        finally:
            server.send_signal(signal.SIGTERM)
    rows = np.loadtxt(folder / "seen_clat.1.log", delimiter=",", usecols=(0, 1, 2))
    rows = rows[len(rows) // 10 :]  # until the queues are as they stay
    seconds = (rows[-1, 0] - rows[0, 0]) / 1000
    latencies = {way: rows[rows[:, 2] == way, 1] / 1e6 * case.speed for way in (0, 1)}
    return latencies, len(rows) / seconds / case.speed, (folder / "log").read_text()


def compare(case: Case) -> None:
    """Print one case: each figure, that of the run, and how far they are apart."""
    with tempfile.TemporaryDirectory() as name:
        latencies, rate, log = measured(case, Path(name))
    (point,) = raidsim.run(Scenario.from_text(scenario_of(case)), progress=False).points
    figures = [("IO/s", rate, point.iops.mean)]
    for way, direction in enumerate(("read", "write")):
        seen, run = latencies[way], point.latency_ms[direction]
        figures.append((f"{direction} mean", float(seen.mean()), run.mean))
        figures.append((f"{direction} p50", float(np.quantile(seen, 0.5)), run.p50))
        figures.append((f"{direction} p99", float(np.quantile(seen, 0.99)), run.p99))
    print(f"\n{case.name}, {case.outstanding} outstanding, speed {case.speed:g},", end=" ")
    print(f"{case.requests} requests; load of the computer {os.getloadavg()[0]:.1f}")
    for what, found, run in figures:
        print(f"  {what:10} {found:10.4g} {run:10.4g} {100 * (found / run - 1):+6.1f} %")
    *lines, last = log.splitlines()
    print(f"  {sum(' ms late' in line for line in lines)} lines in the log tell of late answers")
    print(f"  {last}")
    sys.stdout.flush()


def main() -> None:
    """Run the cases that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in their name")
    parser.add_argument("--requests", type=int, metavar="N", help="in place of each case's own")
    parser.add_argument("--speed", type=float, metavar="X", help="in place of each case's own")
    asked = parser.parse_args()
    for case in CASES:
        if asked.only in f"{case.name}, {case.outstanding}":
            requests, speed = asked.requests or case.requests, asked.speed or case.speed
            compare(case._replace(requests=requests, speed=speed))


if __name__ == "__main__":
    main()
