"""Draw the picture of docs/background/data-loss.md: size of drives, and wear of flash."""

from __future__ import annotations

import math
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from raidsim.report.plot import drawing, save_svg
from raidsim.risk import markov
from raidsim.risk.groups import Redundancy, mirror, whole
from raidsim.risk.hazard import Drives, Repair, Wear, from_afr
from raidsim.risk.lifetimes import simulate
from raidsim.risk.markov import YEAR

COLOURS = ("#1f6fb4", "#d9822b", "#3a8f5c")
AFR, UBER, RATE = 0.0044, 1e-15, 100e6 * 3600  # of a year; per bit; bytes/h of a rebuild
WAITS = 24.0  # h until a drive is replaced
MISSION = 5 * YEAR
SIZES = (0.25, 0.5, 1, 2, 4, 8, 16, 32)  # TB
AGES = (0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6)  # years
LEVELS = {"RAID 5": Redundancy(whole(8, 1), 1, 1), "RAID 10": Redundancy(mirror(2), 4, 1),
          "RAID 6": Redundancy(whole(8, 2), 1, 1)}  # fmt: skip


def one_in(chance: float, _: object = None) -> str:
    """A chance in words: 0.001 is 1 in 1,000."""
    large = round(1 / chance)
    for size, word in ((10**9, "billion"), (10**6, "million")):
        if large >= size:
            return f"1 in {large / size:,.0f} {word}"
    return f"1 in {large:,}"


def draw_sizes(axes: Axes) -> None:
    """Chance of any loss by size of the drives."""
    failure = 1 / from_afr(AFR).scale
    for (level, shape), colour in zip(LEVELS.items(), COLOURS, strict=True):
        chances = []
        for size in SIZES:
            repair = 1 / (WAITS + size * 1e12 / RATE)
            process = markov.chain(shape.group, failure, repair, uber=UBER, drive_bits=size * 8e12)
            one = markov.probability(process, MISSION)
            chances.append(-math.expm1(shape.groups * math.log1p(-one)))
        axes.plot(SIZES, chances, "o-", color=colour, label=level, ms=4)
    axes.set_xscale("log", base=2)
    axes.set_xticks(SIZES, [f"{size:g}" for size in SIZES])
    axes.set_xlabel("TB of a disk")
    axes.set_ylabel("chance of losing data in 5 years")
    axes.set_title("Eight disks", size=9)


def draw_wear(axes: Axes) -> None:
    """Chance of any loss up to an age, of flash that wears and of flash that does not."""
    repair = Repair(1.0, delivery=WAITS)
    unread = markov.unreadable(1e-17, 1.6e12 * 8)
    for level, colour in (("RAID 5", COLOURS[0]), ("RAID 6", COLOURS[2])):
        for wear, line, words in (
            (Wear(MISSION), "o-", "written as rated"),
            (None, "o:", "unworn"),
        ):
            drives = Drives(from_afr(AFR), wear=wear, unread=unread)
            chances = [
                simulate(LEVELS[level], drives, repair, age * YEAR, lifetimes=20_000).any.mean
                for age in AGES
            ]
            axes.plot(AGES, chances, line, color=colour, label=f"{level}, {words}", ms=4)
    axes.set_xlabel("years since they were new")
    axes.set_ylabel("chance of having lost data by then")
    axes.set_title("Eight flash drives", size=9)


def picture() -> Figure:
    """Draw both, side by side."""
    figure = Figure(figsize=(8.4, 3.9), layout="constrained")
    for axes, draw in zip(figure.subplots(1, 2), (draw_sizes, draw_wear), strict=True):
        draw(axes)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(one_in))
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    return figure


if __name__ == "__main__":
    with drawing():
        data = save_svg(picture(), "data-loss")
    Path(__file__).with_name("data-loss.svg").write_bytes(data)
    print("written: data-loss.svg")
