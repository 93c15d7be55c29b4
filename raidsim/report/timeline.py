"""The course of a scenario with events as a picture, one panel below the other over time.

The panels show throughput and mean latency, the temperature of the drives if it changed, the dirty
bytes of caches if there are any, and the progress of operations. The lowest panel shows the events:
a mark for a moment, a bar for a period. Times in which a drive throttled are shaded.

Of an operation that was sampled the axis tells the real time, where there is one: see
:mod:`raidsim.report.real_time`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from raidsim.report.course import shade_throttled
from raidsim.report.panels import Palette, legend, paint
from raidsim.report.phases import duration, unit_of
from raidsim.report.real_time import MOVED, Clock, clock_of
from raidsim.result import Course, Moment, OperationUse, Point
from raidsim.units import MIB

MOST_POINTS = 150  # of a curve: more would show noise
PANEL_INCHES = 1.75
LANE_INCHES = 0.24
EDGE_INCHES = 0.75
MOST_LANES = 16
SPAN_OF_LOG = 20.0
STRETCHED = "time; grey: the real time of work of which only a part was simulated"


@dataclass(frozen=True)
class Lane:
    """Something that happened: from when to when (equal if at once), s."""

    text: str
    start: float
    end: float
    is_operation: bool = False


@dataclass(frozen=True)
class _Panel:
    """A quantity over time: its curves by name."""

    label: str
    curves: dict[str, list[float]]
    colour: int
    log: bool = False
    top: float | None = None
    is_state: bool = False  # at moments, and not over the time between them


def height(point: Point) -> float:
    """Inches that the picture of a course needs."""
    assert point.course is not None
    panels = len(_panels(_thinned(point.course.timeline)))
    lanes = min(len(lanes_of(point.course)), MOST_LANES)
    return EDGE_INCHES + panels * PANEL_INCHES + lanes * LANE_INCHES


def draw_timeline(
    figure: Figure | SubFigure, point: Point, colours: Palette, *, steady: bool = False
) -> None:
    """Draw the course of a point into a figure of its own.

    ``steady``: its loads go on for as long as one likes, so that time may be stretched.
    """
    course = point.course
    assert course is not None
    moments = _thinned(course.timeline)
    end = course.timeline[-1].time_s
    unit, scale = unit_of(end)
    clock = clock_of(course) if steady else None
    panels = _panels(moments)
    lanes = lanes_of(course)[:MOST_LANES]
    heights = [PANEL_INCHES] * len(panels) + [max(len(lanes), 1) * LANE_INCHES]
    every = figure.subplots(
        len(heights), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    times = [0.0, *(one.time_s / scale for one in moments)]
    for axes, panel in zip(every, panels, strict=False):
        _draw_panel(axes, panel, times, colours)
    _draw_lanes(every[-1], lanes, end / scale, scale, colours)
    every[-1].set_xlabel(f"time, {unit}" if clock is None else STRETCHED)
    for number, axes in enumerate(every[:-1]):
        shade_throttled(axes, point.series, scale, colours, named=number == 0)
    for axes, panel in zip(every, panels, strict=False):
        if panel.curves:
            legend(axes, colours)
    marks = sorted({event.time_s / scale for event in course.events})
    for axes in every:
        axes.set_xlim(0, end / scale)
        axes.xaxis.set_major_locator(MaxNLocator(10))
        if clock is not None:
            _stretch(axes, clock, scale, colours)
        for mark in marks if len(marks) <= 4 * MOST_LANES else ():
            axes.axvline(mark, color=colours.muted, linewidth=0.7, dashes=(3, 3), zorder=0)
        axes.set_facecolor("none")
        paint(axes, colours)
        if axes is not every[-1]:
            axes.tick_params(labelbottom=False)


def _stretch(axes: Axes, clock: Clock, scale: float, colours: Palette) -> None:
    """Write real times below the curves, and shade where more went by than was simulated."""
    ticks = clock.ticks()
    axes.set_xticks([place / scale for place, _ in ticks], [words for _, words in ticks])
    axes.fmt_xdata = lambda place: duration(clock.real_of(place * scale))
    for start, stop in clock.sections:
        axes.axvspan(start / scale, stop / scale, color=colours.faint, alpha=0.35, linewidth=0)


def lanes_of(course: Course) -> list[Lane]:
    """Return the events in the order of their beginnings, with their ends if they lasted."""
    found: list[Lane] = []
    end = course.timeline[-1].time_s if course.timeline else 0.0
    for number, event in enumerate(course.events):
        if event.kind.endswith("-end") or event.kind == "operation":
            continue
        over = [one for one in course.events[number + 1 :] if one.kind == f"{event.kind}-end"]
        until = over[0].time_s if over else event.time_s
        text = event.text.removesuffix(" begins")
        if not any(one.title == text for one in course.operations):  # that has a bar
            found.append(Lane(text, event.time_s, until))
    for one in course.operations:
        stop = one.started_s + one.simulated_seconds
        found.append(Lane(_words(one), one.started_s, min(stop, end), is_operation=True))
    return sorted(found, key=lambda lane: lane.start)


def _words(one: OperationUse) -> str:
    took = "" if one.seconds is None else f", {duration(one.seconds)}"
    sampled = one.seconds is not None and one.simulated_seconds < 0.99 * one.seconds
    why = f", since {one.why}" if one.why else ""
    return f"{one.title}: {one.state}{took}{' in all' if sampled else ''}{why}"


def _thinned(timeline: Sequence[Moment]) -> list[Moment]:
    """A timeline over longer steps, so that a curve has no more than ``MOST_POINTS`` points."""
    step = math.ceil(len(timeline) / MOST_POINTS)
    if step <= 1:
        return list(timeline)
    begin, found = 0.0, []
    for number in range(0, max(len(timeline) - step // 2, 1), step):
        is_last = number + step + step // 2 >= len(timeline)
        part = timeline[number:] if is_last else timeline[number : number + step]
        found.append(_joined(part, begin))
        begin = part[-1].time_s
    return found


def _joined(part: Sequence[Moment], begin: float) -> Moment:
    """Several moments, one after the other, as one."""
    starts = [begin, *(one.time_s for one in part[:-1])]
    spans = [one.time_s - start for one, start in zip(part, starts, strict=True)]
    ios = [one.iops * span for one, span in zip(part, spans, strict=True)]
    size = sum(one.mbps * span for one, span in zip(part, spans, strict=True))
    waited = sum((one.latency_ms or 0.0) * n for one, n in zip(part, ios, strict=True))
    last = part[-1]
    return Moment(
        time_s=last.time_s,
        iops=sum(ios) / sum(spans),
        mbps=size / sum(spans),
        latency_ms=waited / sum(ios) if sum(ios) > 0 else None,
        temperature_c=last.temperature_c,
        dirty=last.dirty,
        progress=last.progress,
    )


def _panels(moments: Sequence[Moment]) -> list[_Panel]:
    """The panels that there is something to show in."""
    rates = [one.iops for one in moments]
    latencies = [math.nan if one.latency_ms is None else one.latency_ms for one in moments]
    known = [value for value in latencies if not math.isnan(value)]
    log = bool(known) and max(known) > SPAN_OF_LOG * min(known) > 0
    panels = []
    if any(rates):
        panels = [
            _Panel("IO/s", {"throughput": rates}, 0),
            _Panel("latency, ms", {"mean latency": latencies}, 1, log=log),
        ]
    warm = _curves(moments, lambda one: one.temperature_c)
    if any(max(values) - min(values) >= MOVED for values in warm.values()):
        panels.append(_Panel("temperature, C", warm, 2, is_state=True))
    dirty = _curves(moments, lambda one: {name: size / MIB for name, size in one.dirty.items()})
    if any(any(values) for values in dirty.values()):
        named = {f"dirty in {name}": values for name, values in dirty.items() if any(values)}
        panels.append(_Panel("cache, MiB", named, 3, is_state=True))
    done = _curves(moments, lambda one: {k: 100 * v for k, v in one.progress.items()}, math.nan)
    if done:
        panels.append(_Panel("done, %", done, 4, top=100, is_state=True))
    return panels


def _curves(
    moments: Sequence[Moment], of: Callable[[Moment], dict[str, float]], absent: float = 0.0
) -> dict[str, list[float]]:
    """By name what each moment says; what is not there at a time is `absent`."""
    names = dict.fromkeys(name for one in moments for name in of(one))
    return {name: [of(one).get(name, absent) for one in moments] for name in names}


def _draw_panel(axes: Axes, panel: _Panel, times: list[float], colours: Palette) -> None:
    fixed = (colours.throughput, colours.write, colours.read)
    for number, (name, values) in enumerate(panel.curves.items()):
        place = panel.colour + number
        first = panel.colour < len(fixed) and number == 0
        colour = fixed[panel.colour] if first else colours.stages[place % len(colours.stages)]
        axes.plot(
            times, [values[0], *values], color=colour, linewidth=1.3,
            drawstyle="default" if panel.is_state else "steps-pre", label=name,
        )  # fmt: skip
    drawn = [value for values in panel.curves.values() for value in values if not math.isnan(value)]
    axes.set_ylabel(panel.label)
    if panel.log:
        axes.set_yscale("log")
        low, high = min(value for value in drawn if value > 0), max(drawn)
        axes.set_ylim(low / 1.3, high * 1.3)
        decades = math.log10(high / low)
        axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 3) if decades < 4 else (1,)))
        axes.yaxis.set_minor_locator(NullLocator())
    elif panel.label.startswith("temperature"):
        margin = 0.08 * max(max(drawn) - min(drawn), 1.0)
        axes.set_ylim(min(drawn) - margin, max(drawn) + margin)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    else:
        axes.set_ylim(0, panel.top or max(drawn, default=0.0) * 1.12 or 1)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)


def _draw_lanes(
    axes: Axes, lanes: Sequence[Lane], end: float, scale: float, colours: Palette
) -> None:
    """One row for each thing that happened, with its words beside it."""
    axes.set_ylim(max(len(lanes), 1) - 0.4, -0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    for row, lane in enumerate(lanes):
        start, stop = lane.start / scale, lane.end / scale
        colour = colours.read if lane.is_operation else colours.write
        if stop - start > 0.004 * end:
            axes.barh(row, stop - start, left=start, height=0.62, color=colour, alpha=0.55)
        else:
            axes.plot([start], [row], marker="D", markersize=4.5, color=colour, clip_on=False)
        for x, text, side in _beside(start, stop, end, lane.text):
            axes.text(x, row, text, ha=side, va="center", fontsize=8, color=colours.ink)


def _beside(start: float, stop: float, end: float, text: str) -> Iterator[tuple[float, str, str]]:
    """Yield the place of the words of a lane: behind it if there is room, else before or on it."""
    room = 0.0095 * end * len(text)  # about what a letter takes of the axis
    gap = 0.008 * end
    if stop + gap + room <= end:
        yield stop + gap, text, "left"
    elif start - gap - room >= 0:
        yield start - gap, text, "right"
    else:
        yield start + gap, text, "left"
