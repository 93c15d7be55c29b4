"""Machines that booted: when they were ready, as a curve."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from raidsim.report.panels import Palette, legend, paint
from raidsim.result import Point


def draw_ready(axes: Axes, groups: Sequence[Point], colours: Palette) -> None:
    """Draw the share of machines that was ready against time: all of them, and each group.

    Dashed lines mark what happened meanwhile.
    """
    uses = [(point.load, point.machines) for point in groups if point.machines is not None]
    every = [time for _, use in uses for time in use.ready_s]
    if len(uses) > 1:
        for number, (name, use) in enumerate(uses):
            colour = colours.stages[(number + 1) % len(colours.stages)]
            _step(axes, use.ready_s, colour, 1.0, f"{name}, {use.count}")
    _step(axes, every, colours.throughput, 1.9, f"all {len(every)} machines")
    axes.set_ylabel("machines that are ready, %")
    axes.set_xlabel("time since they were switched on, s")
    axes.set_ylim(0, 104)
    last = max((time for time in every if time is not None), default=1.0)
    axes.set_xlim(0, last * 1.03)
    course = groups[0].course
    for mark in sorted({event.time_s for event in course.events}) if course else ():
        if mark <= last:
            axes.axvline(mark, color=colours.muted, linewidth=0.7, dashes=(3, 3), zorder=0)
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    axes.xaxis.set_major_locator(MaxNLocator(12))
    axes.yaxis.set_major_locator(MaxNLocator(10))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    paint(axes, colours)
    legend(axes, colours)


def _step(axes: Axes, ready: Sequence[float | None], colour: str, width: float, label: str) -> None:
    times = sorted(time for time in ready if time is not None)
    shares = [100 * (number + 1) / len(ready) for number in range(len(times))]
    axes.plot(
        [0.0, *times], [0.0, *shares],
        color=colour, linewidth=width, drawstyle="steps-post", label=label,
    )  # fmt: skip
