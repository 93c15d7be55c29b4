"""Whether fio measures of an attached volume what ``raidsim run`` says of the same scenario.

    python -m benchmarks.agreement [--only WORD] [--requests N]

Each case attaches a volume at a speed slow enough that what the computer adds is little, lets fio
ask for 8 KiB at random, 67 % reads, and multiplies what fio saw of each request by that speed.
Beside it stands what the simulation says of the very same requests: from the simulated instant at
which the server put each in to that of its answer. What fio has more is the computer's: its
sockets, and answers that come late. Runs of several seeds say how far a figure of this many
requests varies by chance. Needs fio with its engine ``nbd``. All cases together take about half an
hour.
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
from raidsim.attach.attached import AttachedSystem
from raidsim.attach.clock import Clock
from raidsim.attach.device import Answer, Device, OnAnswer
from raidsim.attach.protocol import WRITE, Request
from raidsim.attach.serving import Wishes, serve
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


FIGURES = {
    "mean": lambda found: float(found.mean()),
    "p50": lambda found: float(np.quantile(found, 0.5)),
    "p99": lambda found: float(np.quantile(found, 0.99)),
}


def scenario_of(case: Case) -> str:
    """Its scenario, as text."""
    host, drive, level, drives, more = case.system
    return TEXT.format(
        host=host, drive=drive, level=level, drives=drives, more=more, outstanding=case.outstanding
    )


def serve_and_note(speed: float) -> None:
    """Serve the scenario of this folder as ``raidsim attach`` does; note each request.

    Until SIGTERM; then what was noted is in ``noted.npy``: direction (0 reads), and simulated times
    from its arrival to its answer, and from there until the answer went out, s.
    """
    noted = []
    ask = Device.ask

    def noting(device: Device, one: Request, payload: bytes, answer: OnAnswer) -> None:
        began = device.volume.env.now

        def answered(found: Answer) -> None:
            if found.due is not None:
                late = clock().now - found.due
                noted.append((int(one.command == WRITE), found.due - began, late))
            answer(found)

        ask(device, one, payload, answered)

    def clock() -> Clock:
        return systems[0].clock

    systems: list[AttachedSystem] = []
    start = AttachedSystem.start

    def starting(attached: AttachedSystem) -> None:
        systems.append(attached)
        start(attached)

    Device.ask, AttachedSystem.start = noting, starting  # type: ignore[method-assign]
    serve(Wishes("scenario.toml", socket="nbd", speed=speed))
    np.save("noted.npy", np.array(noted))


class Seen(NamedTuple):
    """What a case gave of each request in order, from the first tenth to the last full queue.

    ``fio`` and ``noted`` have latencies in simulated ms by direction (0 reads), ``late`` what
    passed from an answer's instant until it went out.
    """

    fio: dict[int, np.ndarray]
    noted: dict[int, np.ndarray]
    late: np.ndarray
    rate: float
    log: str


def measured(case: Case, folder: Path) -> Seen:
    """Let fio measure, and note what it was served."""
    (folder / "scenario.toml").write_text(scenario_of(case))
    attach = [sys.executable, "-m", "benchmarks.agreement", "--serve", str(case.speed)]
    root = str(Path(__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": f"{root}:{os.environ.get('PYTHONPATH', '')}"}
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(attach, cwd=folder, stderr=log, env=environment) as server,
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
            # A log that grows lets fio wait until nothing is under way.
            fio += [f"--log_entries={case.requests + 1}"]
            subprocess.run(fio, cwd=folder, check=True)
        finally:
            server.send_signal(signal.SIGTERM)
    rows = np.loadtxt(folder / "seen_clat.1.log", delimiter=",", usecols=(0, 1, 2))
    # Until the queues are as they stay, and while they are full: no request follows the last ones.
    kept = slice(case.requests // 10, case.requests - case.outstanding + 1)
    rows = rows[kept]
    seconds = (rows[-1, 0] - rows[0, 0]) / 1000
    latencies = {way: rows[rows[:, 2] == way, 1] / 1e6 * case.speed for way in (0, 1)}
    noted = np.load(folder / "noted.npy")
    noted = noted[kept]
    served = {way: noted[noted[:, 0] == way, 1] * 1000 for way in (0, 1)}
    rate, late = len(rows) / seconds / case.speed, noted[:, 2] * 1000
    return Seen(latencies, served, late, rate, (folder / "log").read_text())


def compare(case: Case, seeds: int) -> None:
    """Print one case: each figure, that of the run, and how far they are apart."""
    with tempfile.TemporaryDirectory() as name:
        seen = measured(case, Path(name))
    points = []
    for seed in range(1, seeds + 1):
        text = scenario_of(case).replace("[host]", f"seed = {seed}\n[host]", 1)
        points += raidsim.run(Scenario.from_text(text), progress=False).points
    figures = [("IO/s", seen.rate, None, [point.iops.mean for point in points])]
    for way, direction in enumerate(("read", "write")):
        runs = [point.latency_ms[direction] for point in points]
        for what, of in FIGURES.items():
            mine = [getattr(run, what) for run in runs]
            row = (f"{direction} {what}", of(seen.fio[way]), of(seen.noted[way]), mine)
            figures.append(row)
    print(f"\n{case.name}, {case.outstanding} outstanding, speed {case.speed:g},", end=" ")
    print(f"{case.requests} requests; load of the computer {os.getloadavg()[0]:.1f}")
    print(f"  {'':10} {'fio':>10} {'served':>10} {'run':>10}  fio-run  served-run  seeds")
    for what, found, served, runs in figures:
        run, spread = float(np.mean(runs)), 200 * np.std(runs) / np.mean(runs)
        told = f"{'':10}" if served is None else f"{served:10.4g}"
        apart = f"{'':9}" if served is None else f"{100 * (served / run - 1):+7.1f} %"
        line = f"  {what:10} {found:10.4g} {told} {run:10.4g} {100 * (found / run - 1):+6.1f} %"
        print(f"{line}   {apart}   +-{spread:.1f} %")
    late = np.quantile(seen.late, (0.5, 0.99))
    print(f"  answers went out {late[0]:.3g} ms of simulated time late (p50), {late[1]:.3g} (p99)")
    *lines, last = seen.log.splitlines()
    print(f"  {sum(' ms late' in line for line in lines)} lines in the log tell of late answers")
    print(f"  {last}")
    sys.stdout.flush()


def main() -> None:
    """Run the cases that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreement")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in their name")
    parser.add_argument("--requests", type=int, metavar="N", help="in place of each case's own")
    parser.add_argument("--speed", type=float, metavar="X", help="in place of each case's own")
    parser.add_argument("--seeds", type=int, default=6, metavar="N", help="runs beside it")
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve is not None:
        serve_and_note(asked.serve)
        return
    for case in CASES:
        if asked.only in f"{case.name}, {case.outstanding}":
            requests, speed = asked.requests or case.requests, asked.speed or case.speed
            compare(case._replace(requests=requests, speed=speed), asked.seeds)


if __name__ == "__main__":
    main()
