"""A load at one point: its latency by percentile and the shares of its time.

A panel of values against the load would have one dot, so there is none.
"""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from raidsim.report import numbers
from raidsim.report.curves import (
    QUANTILE_LABELS,
    Curve,
    figures,
    half_width,
    latency_unit,
    offered,
    stage_time,
    station_kinds,
)
from raidsim.report.panels import Palette, legend, paint, plain_label

SPAN_OF_LOG = 20.0


def is_one(curve: Curve) -> bool:
    """Return whether a load has one point, and nothing that is drawn against the load."""
    return len(curve.points) == 1 and not curve.unknowns and curve.highest is None


def headline(curve: Curve) -> str:
    """The point in a line: "32 outstanding: 143,153 IO/s ± 1.1 %, 1118 MB/s"."""
    (point,) = curve.points
    half = half_width(point)
    spread = "" if half is None else f" ± {100 * half:.2g} %"
    rate = f"{numbers.count(point.iops.mean)} IO/s{spread}, {numbers.mbps(point.mbps)} MB/s"
    return f"{offered(point)}: {rate}{', saturated' if point.saturated else ''}"


def draw_percentiles(axes: Axes, curve: Curve, colours: Palette) -> None:
    """Draw the mean and the percentiles of reads and writes; log where they span much.

    Of a saturated point there is none to draw: it grows for as long as is measured.
    """
    (point,) = curve.points
    unit, scale = latency_unit(curve.points)
    drawn: list[float] = []
    for kind in curve.kinds:
        latency = point.latency_ms.get(kind)
        if latency is None or point.saturated:
            continue
        values = [math.nan if one is None else one * scale for one in figures(latency)]
        drawn += [one for one in values if not math.isnan(one)]
        colour = getattr(colours, kind)
        axes.plot([0], values[:1], linestyle="none", marker="D", color=colour, label=f"_{kind}")
        axes.plot(
            range(1, len(values)),
            values[1:],
            marker="o",
            color=colour,
            label=kind,
        )
        for place, one in enumerate(values):
            if not math.isnan(one):
                axes.annotate(
                    numbers.figure(one), (place, one), xytext=(0, 6), textcoords="offset points",
                    ha="center", fontsize=8, color=colours.ink,
                )  # fmt: skip
    axes.set_xticks(range(len(QUANTILE_LABELS)), list(QUANTILE_LABELS.values()))
    axes.set_xlim(-0.5, len(QUANTILE_LABELS) - 0.5)
    axes.set_xlabel("latency; p99 is what 99 % of the I/Os do not exceed")
    axes.fmt_xdata = lambda place: list(QUANTILE_LABELS.values())[round(place)]
    axes.set_ylabel(f"latency, {unit}")
    if drawn and 0 < SPAN_OF_LOG * min(drawn) < max(drawn):
        axes.set_yscale("log")
        axes.set_ylim(min(drawn) / 1.4, max(drawn) * 1.6)
        axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(0, 1.15 * max(drawn, default=1.0) or 1)
        axes.yaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_major_formatter(FuncFormatter(plain_label))
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    paint(axes, colours)
    if drawn:
        legend(axes, colours)
    elif point.saturated:
        words = "saturated: latency grows for as long as is measured"
        axes.text(0.5, 0.5, words, ha="center", transform=axes.transAxes, color=colours.ink)


def draw_times(axes: Axes, curve: Curve, colours: Palette) -> None:
    """Draw the mean time per I/O at each kind of station: served, and waiting pale behind it."""
    (point,) = curve.points
    unit, scale = latency_unit(curve.points)
    total = stage_time(point, point.stages)
    kinds = [kind for kind in station_kinds([point]) if stage_time(point, [kind]) > 0]
    served = [point.stages[kind].served * scale for kind in kinds]
    waiting = [point.stages[kind].waiting * scale for kind in kinds]
    rows = range(len(kinds))
    axes.barh(rows, served, color=colours.throughput, height=0.62, label="served")
    axes.barh(
        rows, waiting, left=served, color=colours.throughput, alpha=0.35, height=0.62,
        label="waiting",
    )  # fmt: skip
    for row, kind in enumerate(kinds):
        share = stage_time(point, [kind]) / total
        axes.annotate(
            numbers.percent(share), (served[row] + waiting[row], row), xytext=(4, 0),
            textcoords="offset points", va="center", fontsize=8, color=colours.ink,
        )  # fmt: skip
    axes.set_yticks(list(rows), kinds)
    axes.invert_yaxis()
    axes.set_xlabel(f"mean time per I/O, {unit}")
    axes.set_xlim(0, 1.14 * max((a + b for a, b in zip(served, waiting, strict=True)), default=1.0))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(FuncFormatter(plain_label))
    axes.grid(axis="x", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    paint(axes, colours)
    if kinds:
        legend(axes, colours)
