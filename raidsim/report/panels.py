"""The panels of the plots: throughput, latency, and where the time goes.

Each function draws one panel into matplotlib axes that its caller owns, in the
colours that it is given, with the unit on every axis.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from raidsim.report import numbers, unknowns, within
from raidsim.report.curves import (
    QUANTILE_LABELS,
    Curve,
    latency_unit,
    stage_groups,
    stage_time,
    throughput_range,
)
from raidsim.result import Highest, Point

AXIS_LABELS = {
    "outstanding": "outstanding I/Os per worker",
    "rate": "offered load, IO/s",
    "step": "step of the sweep",
}


CROWDED = 1.4  # ratio of outstanding I/Os whose ticks would run into each other


@dataclass(frozen=True)
class Palette:
    """Colours of a figure, as matplotlib takes them."""

    ink: str = "#1c2733"
    faint: str = "#d5dbe1"
    muted: str = "#5b6875"
    paper: str = "#ffffff"
    throughput: str = "#2f6fb2"
    read: str = "#0b7a75"
    write: str = "#c2571a"
    stages: tuple[str, ...] = (
        "#2f6fb2",
        "#c2571a",
        "#0b7a75",
        "#8b5fbf",
        "#b08900",
        "#b03a5b",
        "#4f7d3a",
        "#6b7785",
    )


LIGHT = Palette()


def draw_throughput(axes: Axes, curve: Curve, colours: Palette, interval: str) -> None:
    """Draw IO/s with its interval against the load; MB/s on the right where it is proportional."""
    x = list(curve.x)
    means = [point.iops.mean for point in curve.points]
    below, above = zip(*(throughput_range(point) for point in curve.points), strict=True)
    axes.errorbar(
        x,
        means,
        yerr=[below, above],
        color=colours.throughput,
        marker="o",
        capsize=3,
        label=f"completed, with {interval} interval",
    )
    band = _draw_band(axes, curve, "iops", 1.0, colours.throughput)
    if curve.axis == "rate" and len(x) > 1:
        axes.plot(
            x, curve.offered, color=colours.muted, linestyle="--", linewidth=1, label="offered"
        )
    states = [_state(point) for point in curve.points]
    for state, marker in (("not converged", "o"), ("saturated", "s")):
        marked = [number for number, found in enumerate(states) if found == state]
        if marked:
            axes.plot(
                [x[number] for number in marked],
                [means[number] for number in marked],
                linestyle="none",
                marker=marker,
                markersize=9,
                markerfacecolor="none",
                markeredgecolor=colours.write,
                label=_label(state, [curve.points[number] for number in marked]),
            )
    axes.set_ylabel("throughput, IO/s")
    _finish(axes, curve, colours)
    from_zero(axes, max([*band, *(a + b for a, b in zip(means, above, strict=True))]))
    legend(axes, colours)
    _add_mbps(axes, curve, colours)


def _draw_band(axes: Axes, curve: Curve, name: str, scale: float, colour: str) -> list[float]:
    """Draw where nine in ten of the draws have a figure, if draws were made; the ends of it."""
    if len(curve.unknowns) != len(curve.points):
        return []
    found = [unknowns.named(point, name) for point in curve.unknowns]
    spans = [
        (x, one.low * scale, one.high * scale)
        for x, one in zip(curve.x, found, strict=True)
        if one is not None and one.low is not None and one.high is not None
    ]
    if not spans:
        return []
    x, low, high = (list(column) for column in zip(*spans, strict=True))
    label = unknowns.MEAN_BAND if "latency" in name else unknowns.BAND
    if any(text == label for text in axes.get_legend_handles_labels()[1]):
        label = "_" + label  # said once
    if len(x) == 1:  # a band has no width over one point
        axes.vlines(x, low, high, color=colour, alpha=0.25, linewidth=9, label=label, zorder=1)
    else:
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0, label=label)
    return [*low, *high]


def _state(point: Point) -> str:
    """Return the mark of a point, if it has any."""
    if point.saturated:
        return "saturated"
    return "" if point.converged else "not converged"


def _label(state: str, points: Sequence[Point]) -> str:
    """Return the meaning of the marks; of saturated points also the highest carried rate."""
    found = {numbers.count(p.carried.rate * p.workers) for p in points if p.carried is not None}
    return f"{state}, {found.pop()} IO/s are carried" if len(found) == 1 else state


def draw_latency(axes: Axes, curve: Curve, colours: Palette) -> None:
    """Draw mean and p99 of reads and writes; on a log scale where they span a factor of 20.

    Of a saturated point there is none to draw: it grows for as long as is measured.
    """
    unit, scale = latency_unit(curve.points)
    drawn: list[float] = []
    for kind in curve.kinds:
        for field, dashes, marker in (("mean", "-", "o"), ("p99", "--", "s")):
            values = [
                getattr(latency, field)
                if (latency := point.latency_ms.get(kind)) and not point.saturated
                else None
                for point in curve.points
            ]
            measured = [value * scale for value in values if value is not None]
            if not measured:
                continue
            drawn += measured
            axes.plot(
                list(curve.x),
                [float("nan") if value is None else value * scale for value in values],
                linestyle=dashes,
                marker=marker,
                markerfacecolor=getattr(colours, kind) if field == "mean" else colours.paper,
                color=getattr(colours, kind),
                label=f"{kind} {QUANTILE_LABELS[field]}",
            )
        if drawn:
            name, colour = f"{kind} latency", getattr(colours, kind)
            drawn += [end for end in _draw_band(axes, curve, name, scale, colour) if end > 0]
    if curve.highest is not None:
        drawn += _draw_bound(axes, curve, curve.highest, scale, colours)
    axes.set_ylabel(f"latency, {unit}")
    _finish(axes, curve, colours)
    if drawn:
        legend(axes, colours)
    if drawn and 0 < 20 * min(drawn) < max(drawn):
        axes.set_yscale("log")
        axes.set_ylim(min(drawn) / 1.3, max(drawn) * 1.3)
        decades = math.log10(max(drawn) / min(drawn))
        axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5) if decades < 4 else (1,)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(plain_label))
    else:
        from_zero(axes, max(drawn, default=0.0))


def _draw_bound(
    axes: Axes, curve: Curve, found: Highest, scale: float, colours: Palette
) -> list[float]:
    """Draw the latency that was asked for, and what was held against it; all that was drawn."""
    values = [point.within_ms for point in curve.points]
    measured = [value * scale for value in values if value is not None]
    if measured and (found.percentile is not None or len(curve.kinds) > 1):
        axes.plot(
            list(curve.x),
            [float("nan") if value is None else value * scale for value in values],
            linestyle=":",
            marker=".",
            color=colours.ink,
            label=f"all {within.judged(found)}",
        )
    limit = found.within_ms * scale
    axes.axhline(limit, color=colours.throughput, linewidth=1, label=within.bound(found))
    return [*measured, limit]


def draw_stages(axes: Axes, curve: Curve, colours: Palette, *, shares: bool) -> None:
    """Draw the mean time per I/O by kind of station: served in full colour, waiting pale above it.

    Parameters
    ----------
    shares
        False: in us or ms. True: as percent of all the time at stations.
    """
    unit, scale = latency_unit(curve.points)
    groups = stage_groups(curve.points, len(colours.stages))
    totals = [stage_time(point, point.stages) for point in curve.points]
    places = list(range(len(curve.points)))
    bottoms = [0.0] * len(places)
    for colour, (name, kinds) in zip(colours.stages, groups.items(), strict=False):
        for field, opacity in (("served", 1.0), ("waiting", 0.4)):
            times = [
                sum(getattr(p.stages[kind], field) for kind in kinds if kind in p.stages)
                for p in curve.points
            ]
            heights = [
                (100 * time / total if total else 0.0) if shares else time * scale
                for time, total in zip(times, totals, strict=True)
            ]
            axes.bar(
                places,
                heights,
                bottom=bottoms,
                width=0.72,
                color=colour,
                alpha=opacity,
                linewidth=0,
                label=f"{name}, {field}" if any(heights) else None,
            )
            bottoms = [a + b for a, b in zip(bottoms, heights, strict=True)]
    axes.set_xticks(places, [plain_label(x) for x in curve.x])
    axes.set_xlim(-0.6, len(places) - 0.4)
    axes.set_xlabel(AXIS_LABELS[curve.axis])
    axes.set_ylabel("share of the time, %" if shares else f"mean time per I/O, {unit}")
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    from_zero(axes, 100 / 1.08 if shares else max(bottoms, default=0.0))
    paint(axes, colours)


def _finish(axes: Axes, curve: Curve, colours: Palette) -> None:
    """Give the horizontal axis its scale and everything its colours."""
    _scale_x(axes, curve)
    shared = curve.axis == "rate" and any(point.workers > 1 for point in curve.points)
    axes.set_xlabel(AXIS_LABELS[curve.axis] + (" of each worker" if shared else ""))
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    paint(axes, colours)


def from_zero(axes: Axes, top: float) -> None:
    """Let the vertical axis begin at zero and end a little above ``top``."""
    axes.set_ylim(0, top * 1.08 if top > 0 else 1)
    axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_major_formatter(FuncFormatter(plain_label))


def legend(axes: Axes, colours: Palette, columns: int | None = None) -> None:
    """Name the curves above the panel, where no curve can run: in one line, if there is room.

    ``columns``: how many names stand side by side, in panels that are narrower than others.
    """
    several = 4 if len(axes.get_legend_handles_labels()[1]) <= 4 else 3
    axes.legend(
        labelcolor=colours.ink,
        loc="lower left",
        bbox_to_anchor=(-0.02, 0.99),
        ncols=columns or several,
        fontsize=8,
        handlelength=1.8,
        handletextpad=0.4,
        columnspacing=1.0,
    )


def paint(axes: Axes, colours: Palette) -> None:
    """Colour spines, ticks and labels of axes."""
    for spine in axes.spines.values():
        spine.set_color(colours.muted)
    axes.tick_params(colors=colours.muted, labelcolor=colours.ink)
    axes.xaxis.label.set_color(colours.ink)
    axes.yaxis.label.set_color(colours.ink)


def _scale_x(axes: Axes, curve: Curve) -> None:
    """Doublings for outstanding I/Os, from zero for rates, whole steps else."""
    x = curve.x
    if curve.axis == "outstanding" and min(x) > 0:
        axes.set_xscale("log", base=2)
        axes.set_xlim(min(x) / 1.25, max(x) * 1.25)
        axes.set_xticks(_ticks(x))
        axes.xaxis.set_minor_locator(NullLocator())
    elif curve.axis == "rate":
        axes.set_xlim(0, max(x) * 1.05 or 1)
        axes.xaxis.set_major_locator(MaxNLocator(6))
    else:
        axes.set_xlim(min(x) - 0.5, max(x) + 0.5)
        axes.set_xticks(sorted(set(x))[:: 1 + len(set(x)) // 12])
    axes.xaxis.set_major_formatter(FuncFormatter(plain_label))


def _ticks(x: Sequence[float]) -> list[float]:
    """Ticks at the measured numbers, or at powers of two where those would be crowded."""
    values = sorted(set(x))
    crowded = any(b < CROWDED * a for a, b in pairwise(values))
    if len(values) <= 11 and not crowded:
        return values
    powers = [2.0**n for n in range(64) if min(x) <= 2.0**n <= max(x)]
    return powers[:: 1 + len(powers) // 12] or [values[0], values[-1]]


def _add_mbps(axes: Axes, curve: Curve, colours: Palette) -> None:
    """Mark MB/s on the right, if one factor leads from IO/s to it at every point."""
    ratios = [point.mbps / point.iops.mean for point in curve.points if point.iops.mean > 0]
    if not ratios or min(ratios) <= 0 or max(ratios) > 1.005 * min(ratios):
        return
    factor = sum(ratios) / len(ratios)
    right = axes.secondary_yaxis(
        "right",
        functions=(lambda iops: np.multiply(iops, factor), lambda mb: np.divide(mb, factor)),
        color=colours.muted,
    )
    right.yaxis.set_major_locator(MaxNLocator(6))
    right.yaxis.set_major_formatter(FuncFormatter(plain_label))
    right.tick_params(labelcolor=colours.ink)
    right.set_ylabel("MB/s (2^20 bytes)", color=colours.ink)


def plain_label(value: float, _: int | None = None) -> str:
    """Tick label without exponents: 120,000 or 0.25."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"
