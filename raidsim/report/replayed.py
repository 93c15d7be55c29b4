"""The picture of a trace that was replayed: throughput and response times, stretch by stretch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from raidsim.report.curves import KINDS, Curve
from raidsim.report.panels import Palette, legend, paint
from raidsim.report.phases import unit_of
from raidsim.result import Point, Replayed

INCHES = 4.6
LEAST_STRETCHES = 3  # fewer are no curve
SPAN_OF_LOG = 20.0


def replayed(curve: Curve) -> list[Point]:
    """The points of a load with enough stretches for a picture."""
    return [
        point
        for point in curve.points
        if point.trace is not None and len(point.trace.stretches) >= LEAST_STRETCHES
    ]


def draw_replayed(figure: Figure | SubFigure, point: Point, colours: Palette) -> None:
    """Draw throughput and response times of a replay over time into a figure of its own."""
    assert point.trace is not None
    found = point.trace
    unit, scale = unit_of(found.stretches[-1].end_s)
    rate_axes, latency_axes = figure.subplots(2, 1, sharex=True)
    edges = [one.start_s / scale for one in found.stretches]
    edges.append(found.stretches[-1].end_s / scale)
    rates = [one.iops for one in found.stretches]
    rate_axes.stairs(rates, edges, baseline=None, color=colours.throughput, label="throughput")
    rate_axes.set_ylabel("IO/s")
    rate_axes.set_ylim(bottom=0)
    values: list[float] = []
    for number, kind in enumerate(KINDS):
        colour = colours.stages[number]
        for figures, style, label in _curves(found, kind):
            latency_axes.stairs(
                figures, edges, baseline=None, color=colour, linestyle=style, label=label
            )
            values += [one for one in figures if one > 0]
    if values and max(values) > SPAN_OF_LOG * min(values):
        latency_axes.set_yscale("log")
        latency_axes.yaxis.set_major_locator(LogLocator(10, subs=(1, 3)))
        latency_axes.yaxis.set_minor_locator(NullLocator())
    latency_axes.set_ylabel("latency, ms")
    latency_axes.set_xlabel(f"time since the start of the replay, {unit}")
    latency_axes.set_xlim(0, edges[-1])
    for axes in (rate_axes, latency_axes):
        axes.grid(axis="y", color=colours.faint, linewidth=0.8)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
        axes.set_facecolor("none")
        paint(axes, colours)
        legend(axes, colours)


def _curves(found: Replayed, kind: str) -> Iterator[tuple[Sequence[float], str, str]]:
    """Mean and p99 of one kind of I/O by stretch, where anything was measured."""
    latencies = [one.latency_ms.get(kind) for one in found.stretches]
    means = [math.nan if one is None else one.mean for one in latencies]
    tails = [math.nan if one is None or one.p99 is None else one.p99 for one in latencies]
    if not all(map(math.isnan, means)):
        yield means, "-", f"{kind}, mean"
    if not all(map(math.isnan, tails)):
        yield tails, ":", f"{kind}, p99"
