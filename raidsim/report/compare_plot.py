"""The curves of several systems over each other, and their states side by side.

A system has a colour. Bars are 95 % intervals over its runs, or of its one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from raidsim.report import compare_words as say
from raidsim.report.panels import LIGHT, Palette, from_zero, legend, paint, plain_label
from raidsim.report.plot import Picture, drawing, encoded
from raidsim.studies.comparison import STATES, Comparison, Line

INCHES = (5.2, 3.7)
Draw = Callable[[Axes, Palette], None]


@dataclass(frozen=True)
class Panel:
    """One panel: what it shows, and what draws it."""

    title: str
    draw: Draw


def render(comparison: Comparison, suffix: str) -> bytes:
    """Draw a comparison as ".png" or ".svg"; equal for equal comparisons."""
    with drawing():
        return encoded(_figure(comparison), suffix, "raidsim-compare")


def figure(comparison: Comparison) -> Figure:
    """Draw the same as a figure that notebooks show."""
    with drawing():
        return _figure(comparison)


def panels(comparison: Comparison) -> list[Panel]:
    """Throughput and latencies of each load, then its states."""
    found = []
    loads = list(dict.fromkeys(line.load for line in comparison.lines))
    for load in loads:
        prefix = f"{load}: " if len(loads) > 1 else ""
        for title, names in (
            ("throughput", ("iops",)),
            ("read latency", ("read latency", "read latency p99")),
            ("write latency", ("write latency", "write latency p99")),
        ):
            lines = [[one for one in comparison.lines if (one.load, one.name) == (load, name)
                      and one.x is not None] for name in names]  # fmt: skip
            if lines[0]:
                draw = partial(_draw_curves, comparison=comparison, curves=lines)
                found.append(Panel(prefix + title, draw))
        states = [one for one in comparison.states if (one.load, one.name) == (load, "iops")]
        if states:
            draw = partial(_draw_states, comparison=comparison, lines=states)
            found.append(Panel(f"{prefix}throughput by state", draw))
    return found


def title(comparison: Comparison) -> str:
    """Return in a line what is compared: "A some-array, B another"."""
    named = zip(say.letters(comparison), comparison.names, strict=True)
    return ", ".join(mark if mark == name else f"{mark} {name}" for mark, name in named)


def _figure(comparison: Comparison) -> Figure:
    every = panels(comparison)
    rows = max(-(-len(every) // 2), 1)
    drawn = Picture(figsize=(2 * INCHES[0], 0.6 + rows * INCHES[1]), layout="constrained")
    drawn.suptitle(title(comparison), fontsize=12, fontweight="bold")
    parts = drawn.subfigures(rows, 2, squeeze=False)
    for number, panel in enumerate(every):
        part: SubFigure = parts[number // 2][number % 2]
        part.suptitle(panel.title, fontsize=9.5, color=LIGHT.muted)
        panel.draw(part.subplots(), LIGHT)
    return drawn


def _draw_curves(
    axes: Axes, colours: Palette, *, comparison: Comparison, curves: Sequence[Sequence[Line]]
) -> None:
    """Draw a figure of every system against the load; a second one dashed."""
    marks, drawn = say.letters(comparison), [0.0]
    for number in range(len(comparison.names)):
        colour = colours.stages[number % len(colours.stages)]
        for order, lines in enumerate(curves):
            known = [line for line in lines if line.values[number] is not None]
            if not known:
                continue
            x = [line.x or 0.0 for line in known]
            y = [line.values[number] or 0.0 for line in known]
            below = [_distance(line.values[number], line.lows[number]) for line in known]
            above = [_distance(line.highs[number], line.values[number]) for line in known]
            drawn += [*y, *(a + b for a, b in zip(y, above, strict=True))]
            axes.errorbar(
                x,
                y,
                yerr=[below, above],
                color=colour,
                marker="s" if order else "o",
                linestyle="--" if order else "-",
                markerfacecolor=colours.paper if order else colour,
                capsize=2,
                label=None if order else marks[number],
            )
    if len(curves) > 1 and curves[1]:
        axes.plot([], [], color=colours.muted, linestyle="--", label="99 %")
    first = curves[0][0]
    _axis(axes, colours, [line.x or 0.0 for line in curves[0]], first.at)
    axes.set_ylabel("throughput, IO/s" if first.name == "iops" else f"latency, {first.unit}")
    least = min((value for value in drawn if value > 0), default=1.0)
    if first.name != "iops" and 20 * least < max(drawn):
        _logarithmic(axes, least, max(drawn))
    else:
        from_zero(axes, max(drawn))
    legend(axes, colours)


def _draw_states(
    axes: Axes, colours: Palette, *, comparison: Comparison, lines: Sequence[Line]
) -> None:
    """Draw the throughput of every system in each state, side by side."""
    by_state = {line.at: line for line in lines}
    states = [state for state in STATES if state in by_state]
    width = 0.8 / len(comparison.names)
    marks, top = say.letters(comparison), 0.0
    for number in range(len(comparison.names)):
        heights = [by_state[state].values[number] or 0.0 for state in states]
        highs = [_distance(by_state[s].highs[number], by_state[s].values[number]) for s in states]
        lows = [_distance(by_state[s].values[number], by_state[s].lows[number]) for s in states]
        places = [place - 0.4 + width * (number + 0.5) for place in range(len(states))]
        top = max([top, *(a + b for a, b in zip(heights, highs, strict=True))])
        axes.bar(
            places,
            heights,
            width=width * 0.92,
            yerr=[lows, highs],
            color=colours.stages[number % len(colours.stages)],
            ecolor=colours.ink,
            capsize=2,
            linewidth=0,
            label=marks[number],
        )
    axes.set_xticks(range(len(states)), states)
    axes.set_ylabel("throughput, IO/s")
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    paint(axes, colours)
    from_zero(axes, top)
    legend(axes, colours)


def _axis(axes: Axes, colours: Palette, x: Sequence[float], at: str) -> None:
    """Doublings for outstanding I/Os, from zero for rates."""
    if at.endswith("outstanding"):
        axes.set_xscale("log", base=2)
        axes.set_xlim(min(x) / 1.25, max(x) * 1.25)
        axes.set_xticks(sorted(set(x)) if len(set(x)) <= 11 else sorted(set(x))[::2])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlabel("outstanding I/Os per worker")
    else:
        axes.set_xlim(0, max(x) * 1.05)
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlabel("offered load, IO/s")
    axes.xaxis.set_major_formatter(FuncFormatter(plain_label))
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    paint(axes, colours)


def _logarithmic(axes: Axes, least: float, most: float) -> None:
    """A vertical axis for values that lie far apart."""
    axes.set_yscale("log")
    axes.set_ylim(least / 1.3, most * 1.3)
    subs = (1, 2, 5) if most < 1e4 * least else (1,)
    axes.yaxis.set_major_locator(LogLocator(10, subs=subs))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(plain_label))


def _distance(high: float | None, low: float | None) -> float:
    return 0.0 if high is None or low is None else max(high - low, 0.0)


def described(panel: Panel, comparison: Comparison) -> str:
    """A panel in words, for those who cannot see it."""
    return f"{say.words(panel.title)} of {', '.join(comparison.names)}"
