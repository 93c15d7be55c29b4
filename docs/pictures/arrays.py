"""Draw the pictures of docs/background/arrays.md and controllers.md: simulated arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from raidsim.report.plot import drawing, save_svg
from raidsim.running import run
from raidsim.scenario import load

COLOURS = ("#1f6fb4", "#d9822b", "#3a8f5c", "#8a5bb0")
OUTSTANDING = (1, 2, 4, 8, 16, 32, 64, 128)
EIGHT_DISKS = "raid5-disks"  # eight disks of 15,000 rpm, 8 KiB, 67 % read
LEVELS = ("raid0", "raid10", "raid5", "raid6")
MODES = {
    "write-back and disk caches": ("volume.write=back", "volume.disk_cache=on"),
    "write-back": ("volume.write=back",),
    "disk caches": ("volume.write=through", "volume.disk_cache=on"),
    "write-through": ("volume.write=through",),
}


def rates(*changes: str) -> list[float]:
    """IO/s of the eight disks by outstanding I/Os."""
    sweep = f"load.outstanding={list(OUTSTANDING)}"
    described = load(EIGHT_DISKS, overrides=[sweep, "measure.precision=2 %", *changes])
    return [point.iops.mean for point in run(described).points]


def draw_levels(axes: Axes) -> None:
    """Levels, healthy and with a drive missing, without a write cache."""
    for level, colour in zip(LEVELS, COLOURS, strict=True):
        changes = (f"volume.level={level}", "volume.write=through")
        axes.plot(OUTSTANDING, rates(*changes), "o-", color=colour, label=level, ms=4)
        if level != "raid0":
            degraded = rates(*changes, "volume.failed=[0]")
            axes.plot(OUTSTANDING, degraded, "o:", color=colour, label=f"{level}, degraded", ms=4)
    axes.set_title("Eight disks, write-through: 8 KiB, 67 % read, random", size=9)


def draw_write_modes(axes: Axes) -> None:
    """What caches do to a RAID 5."""
    for (mode, changes), colour in zip(MODES.items(), COLOURS, strict=True):
        axes.plot(OUTSTANDING, rates(*changes), "o-", color=colour, label=mode, ms=4)
    axes.set_title("RAID 5 of eight disks: 8 KiB, 67 % read, random", size=9)


PICTURES: dict[str, Callable[[Axes], None]] = {
    "array-levels": draw_levels,
    "array-write-modes": draw_write_modes,
}


def picture(name: str) -> Figure:
    """Draw one of the pictures."""
    figure = Figure(figsize=(6.4, 3.9), layout="constrained")
    axes = figure.subplots()
    PICTURES[name](axes)
    axes.set_xscale("log", base=2)
    axes.set_xticks(OUTSTANDING, [str(q) for q in OUTSTANDING])
    axes.set_xlabel("outstanding I/Os")
    axes.set_ylabel("IO/s")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure


if __name__ == "__main__":
    for name in PICTURES:
        with drawing():
            Path(__file__).with_name(f"{name}.svg").write_bytes(save_svg(picture(name), name))
        print(f"written: {name}.svg")
