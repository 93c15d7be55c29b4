"""Machines that booted: when they were ready, as a line under the table and as a curve."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from raidsim.report import numbers
from raidsim.report.panels import Palette, legend, paint
from raidsim.report.sweeps import Sweep
from raidsim.result import Point, Result

SHARES = (0.5, 0.9, 0.99)


def lines(sweep: Sweep) -> Iterator[str]:
    """What became of a group: when half of it, most of it and the last one were ready."""
    for number, point in enumerate(sweep.points):
        if point.machines is not None:
            where = f"step {number + 1}: " if len(sweep.points) > 1 else ""
            yield where + ready_words(point.machines.ready_s)


def summary(result: Result) -> Iterator[str]:
    """The same for all groups together, if there are several."""
    groups = [point.machines for point in groups_of(result) if point.machines is not None]
    if len(groups) > 1:
        together = [time for group in groups for time in group.ready_s]
        yield f"all {len(together)} machines: {ready_words(together)}"


def ready_words(ready: Sequence[float | None]) -> str:
    """Mean, quantiles and the last of the times at which machines were ready."""
    times = sorted(time for time in ready if time is not None)
    if not times:
        return "no machine was ready"
    parts = [f"mean {seconds(sum(times) / len(times))}"] if len(times) == len(ready) else []
    for share in SHARES:
        place = math.ceil(share * len(ready)) - 1
        if len(ready) > 1 and place < len(times):
            parts.append(f"{100 * share:g} % after {seconds(times[place])}")
    parts.append(f"the last after {seconds(times[-1])}")
    if len(times) < len(ready):
        parts.append(f"{len(ready) - len(times)} of {len(ready)} never")
    return f"ready: {', '.join(parts)}"


def seconds(value: float) -> str:
    """A time in s for people: one decimal from 10 s on."""
    return f"{value:.1f} s" if value >= 9.995 else f"{numbers.figure(value)} s"


def groups_of(result: Result) -> list[Point]:
    """The points of the groups at the first intensity that has any."""
    found: dict[str, Point] = {}
    for point in result.points:
        if point.machines is not None:
            found.setdefault(point.load, point)
    return list(found.values())


def draw_ready(axes: Axes, groups: Sequence[Point], colours: Palette) -> None:
    """Draw the share of machines that was ready against time: all of them, and each group."""
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
