"""Draw the pictures of docs/background/disks.md: what simulated disks do, beside their cards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from raidsim.assembly.surface import Geometry, geometry
from raidsim.cards import Card
from raidsim.control.model import BuiltSystem, build
from raidsim.kernel import tables as t
from raidsim.kernel.load_tables import MANUAL
from raidsim.report.plot import drawing, save_svg
from raidsim.scenario import Requests, Scenario, from_data
from raidsim.system.system import System

COLOURS = ("#1f6fb4", "#d9822b", "#3a8f5c", "#8a5bb0", "#b23b4e")
SEEKS = ("fujitsu-hdd-sas2-15k-146gb", "cisco-hdd-1200gb-10k", "wd-wd1600aajs")
RATES = (
    "cisco-hdd-10tb",
    "fujitsu-hdd-sas2-15k-146gb",
    "cisco-hdd-1200gb-10k",
    "nl-sas-2tb",
    "wd-wd1600aajs",
)
QUEUED = "fujitsu-hdd-sas2-15k-146gb"
DISCIPLINES = ("sptf", "look", "sstf", "fifo")
OUTSTANDING = (1, 2, 4, 8, 16, 32, 64, 128)
ANGLES = 180
SECTOR = 4096  # whole sectors on every card
MS = 1e6  # ns
NO_HOST = {
    f"{step}.{part}": "0 us"
    for step in ("submit", "complete")
    for part in ("io_time", "page_time", "device_io_time", "write_time")
}


def scenario(model: str, load: dict[str, Any], changes: dict[str, Any] | None = None) -> Scenario:
    """One load on one drive, in a host that takes no time."""
    common = {"name": "load", "read": "100 %", "outstanding": 1, "size": "4 KiB"}
    return from_data(
        {
            "host": {"model": "fujitsu-rx2540-m1", "set": NO_HOST},
            "volume": [{"drive": model, "set": changes or {}}],
            "load": [common | load],
        }
    )


def rate(machine: BuiltSystem, warm: int, ios: int) -> float:
    """IO/s of the load, after some to warm up."""
    system = machine.system
    system.begin(machine.streams["load"][0])
    system.run(budget=warm)
    began = system.now
    system.run(budget=warm + ios)
    return ios / (system.now - began) * 1e9


# -- the seek curve ------------------------------------------------------------------------------


def read(system: System, stream: int, offset: int) -> int:
    """Read a sector; how long it takes, ns."""
    system.deliver(system.now, stream, t.READ, offset, SECTOR, 0, 1, t.NEVER)
    system.run()
    ((_, time, issued, _),) = system.awaited()
    system.run()
    return time - issued


def place(shape: Geometry, cylinder: int) -> int:
    """First byte of a cylinder."""
    before = sum(
        min(max(cylinder - zone * shape.cylinders, 0), shape.cylinders) * track
        for zone, track in enumerate(shape.tracks)
    )
    return before * shape.heads


def seeks(model: str) -> tuple[Card, list[float], list[float]]:
    """Shares of the stroke, and ms of the seeks from the outer edge, as reads show them."""
    spec = scenario(model, {}, {"read_ahead.segments": 0, "read_ahead.depth": "0 KiB"})
    card = spec.volumes[0].card
    shape = geometry(card)
    system = build(spec).system
    stream = system.add_stream("by hand", [Requests(SECTOR)], mode=MANUAL, volume=0, process=0)
    fixed = card.number("command.latency") + card.number("command.time")
    cylinders = shape.cylinders * len(shape.tracks)
    shares, times = [], []
    near = np.geomspace(1, cylinders / 10, 8).astype(int)
    far = np.linspace(cylinders / 10, cylinders - 2, 12).astype(int)
    for distance in np.unique([*near, *far]).tolist():
        start, track = place(shape, distance), shape.tracks[distance // shape.cylinders]
        taken = []
        for angle in range(ANGLES):
            read(system, stream, 0)
            target = start + track * angle // ANGLES
            taken.append(read(system, stream, target // SECTOR * SECTOR))
        # Of targets all round the track, the one that comes by just when the arm is there.
        passing = SECTOR / track / card.number("spindle.speed")
        shares.append(distance / (cylinders - 1))
        times.append(min(taken) / MS - 1e3 * (fixed + passing))
    return card, shares, times


def draw_seeks(axes: Axes) -> None:
    """Measured points, and what the card says."""
    for model, colour in zip(SEEKS, COLOURS, strict=False):
        card, shares, times = seeks(model)
        axes.plot(shares, times, ".-", color=colour, label=model, lw=1, ms=5)
        single, average, full = (
            1e3 * card.number(f"seek.read_{which}") for which in ("single", "average", "full")
        )
        axes.plot([0, 1], [single, full], "o", mfc="none", ms=9, color=colour)
        axes.axhline(average, color=colour, lw=0.9, ls=":")
    axes.set_xlabel("distance, share of all cylinders")
    axes.set_ylabel("seek before a read, ms")
    axes.set_ylim(bottom=0)
    axes.set_title("Seeks (rings and dotted lines: single, full and average of the card)", size=9)


# -- zones ---------------------------------------------------------------------------------------


def draw_zones(axes: Axes) -> None:
    """Rate of sequential reads at places all over the drive."""
    shares = np.linspace(0, 0.985, 65)
    for model, colour in zip(RATES, COLOURS, strict=True):
        size = scenario(model, {}).volumes[0].card.integer("capacity.user")
        rates = []
        for share in shares:
            offset = int(size * share) // SECTOR * SECTOR
            area = {"offset": f"{offset} B", "size": "rest"}
            load = {"random": "0 %", "size": "256 KiB", "align": "4 KiB", "area": area}
            rates.append(rate(build(scenario(model, load)), 8, 400) * 2**18 / 1e6)
        axes.plot(100 * shares, rates, color=colour, label=model, drawstyle="steps-mid", lw=1.3)
    axes.set_xlabel("place on the drive, % of its capacity")
    axes.set_ylabel("MB/s of 10^6 bytes")
    axes.set_ylim(bottom=0)
    axes.set_title("Sequential reads, one outstanding", size=9)


# -- the queue -----------------------------------------------------------------------------------


def draw_queue(axes: Axes) -> None:
    """IO/s of random reads by outstanding I/Os, one line per discipline."""
    for discipline, colour in zip(DISCIPLINES, COLOURS, strict=False):
        changes = {"queue.discipline": discipline, "queue.window": 256, "queue.ageing": 0}
        changes |= {"command.queue_depth": 256}
        loads = [{"size": "8 KiB", "outstanding": q} for q in OUTSTANDING]
        machines = [build(scenario(QUEUED, load, changes)) for load in loads]
        rates = [rate(machine, 2_000, 40_000) for machine in machines]
        axes.plot(OUTSTANDING, rates, "o-", color=colour, label=discipline)
    axes.set_xscale("log", base=2)
    axes.set_xticks(OUTSTANDING, [str(q) for q in OUTSTANDING])
    axes.set_xlabel("outstanding I/Os")
    axes.set_ylabel("IO/s")
    axes.set_ylim(bottom=0)
    axes.set_title(f"Random reads of 8 KiB on the whole drive: {QUEUED}", size=9)


PICTURES: dict[str, Callable[[Axes], None]] = {
    "disk-seeks": draw_seeks,
    "disk-zones": draw_zones,
    "disk-queue": draw_queue,
}


def picture(name: str) -> Figure:
    """Draw one of the pictures."""
    figure = Figure(figsize=(6.4, 3.9), layout="constrained")
    axes = figure.subplots()
    PICTURES[name](axes)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure


if __name__ == "__main__":
    for name in PICTURES:
        with drawing():
            Path(__file__).with_name(f"{name}.svg").write_bytes(save_svg(picture(name), name))
        print(f"written: {name}.svg")
