"""The course of a run: throughput and temperature over time, one panel below the other.

Drawn for the point of a load at which a drive's temperature changed most, if it changed
by ``WORTH_SHOWING`` or the drive throttled: most runs are too short for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from raidsim.report.curves import Curve
from raidsim.report.panels import Palette, legend, paint
from raidsim.result import DriveUse, Point, Sample

WORTH_SHOWING = 2.0  # K
LONG = 600.0  # s, from which the axis counts minutes
SHADES = {"lightly": 0.13, "heavily": 0.34}
DASHES = {"lightly": (5, 2), "heavily": (1, 1.5)}


def course_of(curve: Curve) -> Point | None:
    """The point of a load whose course over time is worth a picture; None if there is none."""
    shown = [
        point
        for point in curve.points
        if point.series and point.course is None and _moved(point) > 0
    ]
    return max(shown, key=_moved, default=None)


def _moved(point: Point) -> float:
    """Largest change of a drive's temperature, K; 0 if that is nothing to show."""
    throttled = any(drive.throttled for drive in point.drives)
    changes = [_change(drive) for drive in point.drives]
    largest = max(changes, default=0.0)
    return largest if throttled or largest >= WORTH_SHOWING else 0.0


def _change(drive: DriveUse) -> float:
    found = drive.temperature_c
    return 0.0 if found is None else found.highest - min(found.start, found.end)


def draw_course(figure: Figure | SubFigure, point: Point, colours: Palette) -> None:
    """Draw throughput above and temperatures below; throttled times are shaded in both."""
    above, below = figure.subplots(2, 1, sharex=True)
    scale, unit = (60.0, "min") if point.series[-1].time_s > LONG else (1.0, "s")
    times = [sample.time_s / scale for sample in point.series]
    rates = [sample.mbps for sample in point.series]
    above.plot(
        [0.0, *times],
        [rates[0], *rates],
        color=colours.throughput,
        linewidth=1.2,
        drawstyle="steps-pre",
        label=f"{point.load}, mean of every {_distance(point.series):g} s",
    )
    above.set_ylim(0, max(rates) * 1.12 or 1)
    above.set_ylabel("throughput, MB/s (2^20 bytes)")
    above.tick_params(labelbottom=False)
    _draw_temperatures(below, times, point, colours)
    below.set_xlabel(f"time, {unit}")
    shade_throttled(above, point.series, scale, colours)
    shade_throttled(below, point.series, scale, colours, named=False)
    for axes in (above, below):
        axes.set_xlim(0, times[-1])
        axes.grid(axis="y", color=colours.faint, linewidth=0.8)
        axes.set_facecolor("none")
        axes.xaxis.set_major_locator(MaxNLocator(10))
        axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
        paint(axes, colours)
    for axes in (above, below):
        legend(axes, colours)


def shade_throttled(
    axes: Axes, series: list[Sample], scale: float, colours: Palette, *, named: bool = True
) -> None:
    """Shade the times in which a drive throttled, and name the shades if that is to be.

    ``scale`` is how many seconds the unit of the axis has.
    """
    stretches = list(_throttled(series, scale))
    for words, begin, end in stretches:
        axes.axvspan(begin, end, color=colours.write, alpha=SHADES[words], linewidth=0)
    for words in dict.fromkeys(words for words, _, _ in stretches) if named else ():
        axes.fill_between(
            [], [], color=colours.write, alpha=SHADES[words], linewidth=0,
            label=f"throttled {words}",
        )  # fmt: skip


def _draw_temperatures(axes: Axes, times: list[float], point: Point, colours: Palette) -> None:
    """The temperatures that the drives of each volume report, and where they throttle.

    Of several drives the hottest has a line, and a band reaches from the coolest to the hottest
    at each time.
    """
    drawn: list[float] = []
    limits: dict[tuple[str, float], None] = {}
    moments = [0.0, *times]
    volumes: dict[str, list[tuple[float, str, list[float]]]] = {}
    for drive in point.drives:
        if drive.temperature_c is None:
            continue
        values = [sample.temperature_c[drive.name] for sample in point.series]
        course = [drive.temperature_c.start, *values]
        volumes.setdefault(drive.volume, []).append((max(course), drive.name, course))
        drawn += course
        limits |= dict.fromkeys(drive.throttles_from_c.items())
    for number, courses in enumerate(volumes.values()):
        colour = colours.read if number == 0 else colours.stages[number % len(colours.stages)]
        _, name, hottest = max(courses, key=lambda course: course[0])
        if len(courses) > 1:
            every = list(zip(*(course for _, _, course in courses), strict=True))
            axes.fill_between(
                moments, [min(at) for at in every], [max(at) for at in every],
                color=colour, alpha=0.3, linewidth=0, label=f"all {len(courses)} drives",
            )  # fmt: skip
            name = f"{name}, the hottest"
        axes.plot(moments, hottest, color=colour, linewidth=1.4, label=name)
    near = max(drawn) + max(max(drawn) - min(drawn), 5.0) / 2
    for words, limit in limits:
        if limit <= near:  # one far above says nothing and would flatten the curve
            drawn.append(limit)
            axes.axhline(
                limit,
                color=colours.write,
                linewidth=1.1,
                dashes=DASHES[words],
                label=f"throttles {words} from {limit:g} C",
            )
    margin = 0.08 * max(max(drawn) - min(drawn), 1.0)
    axes.set_ylim(min(drawn) - margin, max(drawn) + margin)
    axes.set_ylabel("temperature, C")


def _distance(series: list[Sample]) -> float:
    """Time from one sample to the next, s."""
    return float(f"{(series[-1].time_s - series[0].time_s) / (len(series) - 1):.3g}")


def _throttled(series: list[Sample], scale: float) -> Iterator[tuple[str, float, float]]:
    """Stretches of time in which a drive throttled: how, from when, until when."""
    begin = 0.0
    for words, samples in groupby(series, _state):
        end = list(samples)[-1].time_s / scale
        if words:
            yield words, begin, end
        begin = end


def _state(sample: Sample) -> str:
    """Return the throttling of the drive that throttled most."""
    states = sample.throttled.values()
    return next((words for words in ("heavily", "lightly") if words in states), "")
