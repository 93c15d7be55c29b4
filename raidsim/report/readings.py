"""Figures under the mouse pointer: the values of a picture on a page at this place.

Transparent shapes with titles are over a finished figure, and browsers show the titles: a circle
over each point, a strip over each step of curves over time (over all panels that share the axis), a
shape over each bar. No script is needed, and the numbers are in the file as text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter

POINTS_PER_INCH = 72.0  # the unit of matplotlib's SVG
RADIUS = 6.0
CAPS = ("|", "_")


def of(figure: Figure) -> str:
    """The shapes over a figure that has been written as SVG, as an element of that SVG."""
    figure.dpi = POINTS_PER_INCH
    top = figure.bbox.height
    shapes = [*_strips(figure.axes, top), *_bars(figure.axes, top), *_points(figure.axes, top)]
    return f'<g class="readings" fill="transparent">{"".join(shapes)}</g>' if shapes else ""


def _points(every: Sequence[Axes], top: float) -> Iterator[str]:
    """A circle over each point that has a marker."""
    for axes in every:
        for name, line in _marked(axes):
            places = np.column_stack(_data(line))
            for (x, y), (across, up) in zip(places, axes.transData.transform(places), strict=True):
                if math.isfinite(y):
                    words = f"{_across(axes, x)}\n{_named(name, _with_unit(axes, y))}"
                    shape = f'circle cx="{across:.1f}" cy="{top - up:.1f}" r="{RADIUS:g}"'
                    yield _shape(shape, words)


def _bars(every: Sequence[Axes], top: float) -> Iterator[str]:
    """A shape over each bar."""
    for axes in every:
        for bars in axes.containers:
            if not isinstance(bars, BarContainer) or str(bars.get_label()).startswith("_"):
                continue
            lying = bars.orientation == "horizontal"
            for bar in bars.patches:
                value = bar.get_width() if lying else bar.get_height()
                if value:
                    unit = _unit(axes.get_xlabel() if lying else axes.get_ylabel())
                    words = _named(str(bars.get_label()), f"{_number(value)} {unit}".rstrip())
                    whose = _name_of(bar, axes.yaxis if lying else axes.xaxis, lying=lying)
                    yield _shape(_over(bar, top), f"{whose}\n{words}" if whose else words)


def _strips(every: Sequence[Axes], top: float) -> Iterator[str]:
    """A strip over each step of curves over time, from the first to the last panel."""
    seen: set[Axes] = set()
    for axes in every:
        panels = [one for one in every if axes.get_shared_x_axes().joined(axes, one)]
        curves = [(one, line) for one in panels for line in _unmarked(one)]
        if axes in seen or not curves:
            continue
        seen |= set(panels)
        moments = _data(curves[0][1])[0]
        curves = [(one, line) for one, line in curves if len(_data(line)[0]) == len(moments)]
        edges = axes.transData.transform(np.column_stack([moments, np.zeros(len(moments))]))[:, 0]
        shown = [one for one, _ in curves]
        high, low = (max(one.bbox.y1 for one in shown), min(one.bbox.y0 for one in shown))
        for number in range(1, len(moments)):
            words = [_across(axes, moments[number])]
            for one, line in curves:
                value = _data(line)[1][number]
                if math.isfinite(value):
                    words.append(_named(str(line.get_label()), _with_unit(one, value)))
            width = edges[number] - edges[number - 1]
            shape = f'rect x="{edges[number - 1]:.1f}" y="{top - high:.1f}" width="{width:.1f}"'
            yield _shape(f'{shape} height="{high - low:.1f}"', "\n".join(words))


def _marked(axes: Axes) -> Iterator[tuple[str, Line2D]]:
    """Curves whose points have markers, with their names; "" where a curve has none."""
    bars = {
        one.lines[0]: str(one.get_label())
        for one in axes.containers
        if isinstance(one, ErrorbarContainer) and one.lines[0] is not None
    }
    for line in axes.get_lines():
        marker = line.get_marker()
        if marker not in ("", "None", None) and marker not in CAPS and isinstance(marker, str):
            name = bars.get(line, str(line.get_label()))
            # The legend leaves out what begins so; matplotlib's own such names say nothing.
            unnamed = name.startswith(("_child", "_nolegend_"))
            yield "" if unnamed else name.removeprefix("_"), line


def _unmarked(axes: Axes) -> list[Line2D]:
    """Curves with a name and without markers, over more than the two ends of a straight line."""
    return [
        line
        for line in axes.get_lines()
        if line.get_marker() in ("", "None", None)
        and not str(line.get_label()).startswith("_")
        and len(_data(line)[0]) > 2
    ]


def _data(line: Line2D) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def _across(axes: Axes, x: float) -> str:
    """Return the place along the axis: "32 outstanding I/Os per worker", "time: 24.3 s"."""
    siblings = axes.get_shared_x_axes().get_siblings(axes)
    label = next((one.get_xlabel() for one in siblings if one.get_xlabel()), "")
    if axes.fmt_xdata is not None:
        return _named(label.partition(";")[0], str(axes.fmt_xdata(x)))
    words = axes.xaxis.get_major_formatter()
    # Empty between ticks that somebody has put.
    where = (words(x) if isinstance(words, FuncFormatter) else "") or _number(x)
    name, comma, unit = label.partition(" (")[0].rpartition(", ")
    return f"{name}: {where} {unit}" if comma else f"{where} {label}"


def _written(axis: Axis) -> dict[float, str]:
    """Return the labels at the ticks of an axis, if there are any."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return {}
    words = axis.get_major_formatter()
    return {float(place): words(place) for place in axis.get_ticklocs()}


def _name_of(bar: Rectangle, axis: Axis, *, lying: bool) -> str:
    """Return the label of a bar; "" if it has none."""
    low, width = (bar.get_y(), bar.get_height()) if lying else (bar.get_x(), bar.get_width())
    found = [words for place, words in _written(axis).items() if low <= place <= low + width]
    return found[0] if found else ""


def _with_unit(axes: Axes, value: float) -> str:
    return f"{_number(value)} {_unit(axes.get_ylabel())}".rstrip()


def _unit(label: str) -> str:
    """The unit at the end of the label of an axis."""
    return label.rpartition(", ")[2].partition(" (")[0] if label else ""


def _named(name: str, words: str) -> str:
    return f"{name}: {words}" if name else words


def _number(value: float) -> str:
    """Four digits at most, without exponents: 143,153 or 0.02245."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return np.format_float_positional(float(f"{value:.4g}"), trim="-")


def _over(bar: Rectangle, top: float) -> str:
    box = bar.get_window_extent()
    return (
        f'rect x="{box.x0:.1f}" y="{top - box.y1:.1f}" width="{box.width:.1f}"'
        f' height="{box.height:.1f}"'
    )


def _shape(shape: str, words: str) -> str:
    tag = shape.split(maxsplit=1)[0]
    return f"<{shape}><title>{escape(words)}</title></{tag}>"
