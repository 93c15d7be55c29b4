"""A trace as a picture: rate over time, addresses, sizes, hot blocks, cache, latency."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator
from numpy.typing import NDArray

from raidsim.report.panels import LIGHT, Palette, legend, paint, plain_label
from raidsim.report.plot import Picture, drawing, encoded
from raidsim.report.trace_words import amount, size
from raidsim.trace.info import CourseInfo, TraceInfo

PANEL_INCHES = (5.2, 3.4)
MOST_BARS = 14
ROOM = 1.18  # above the highest bar, for the legend
TIME_UNITS = ((7200.0, 3600.0, "h"), (600.0, 60.0, "min"), (1.0, 1.0, "s"), (0.0, 1e-3, "ms"))
BYTE_UNITS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))


def render(info: TraceInfo, suffix: str) -> bytes:
    """The picture as a file, ".png" or ".svg"; the same figures give the same bytes."""
    with drawing():
        return encoded(_figure(info), suffix)


def figure(info: TraceInfo) -> Figure:
    """The picture as a figure that notebooks show."""
    with drawing():
        return _figure(info)


def _figure(info: TraceInfo) -> Figure:
    drawn_panels = panels(info)
    rows = -(-len(drawn_panels) // 2)
    drawn = Picture(
        figsize=(2 * PANEL_INCHES[0], 0.5 + rows * PANEL_INCHES[1]), layout="constrained"
    )
    drawn.suptitle(info.path.rpartition("/")[2], fontsize=12, fontweight="bold")
    axes = drawn.subplots(rows, 2, squeeze=False).ravel()
    for one, (_, draw) in zip(axes, drawn_panels, strict=False):
        draw(one, info, LIGHT)
    for one in axes[len(drawn_panels) :]:
        one.set_axis_off()
    return drawn


Draw = Callable[[Axes, TraceInfo, Palette], None]


def panels(info: TraceInfo) -> list[tuple[str, Draw]]:
    """The panels that a trace has something for, with what each shows."""
    found: list[tuple[str, Draw]] = [("Arrivals over time", draw_rate)]
    if info.sizes:
        found += [
            ("Sizes of reads and writes", draw_sizes),
            ("Where reads and writes begin", draw_addresses),
            ("Share of the accesses of the hottest blocks", draw_hot),
            ("Misses of an LRU cache by its size", draw_caches),
        ]
    if info.latency:
        found.append(("Latency in the trace", draw_latency))
    return found


def draw_rate(axes: Axes, info: TraceInfo, colours: Palette) -> None:
    """Arrivals over time."""
    unit, name = next((unit, name) for most, unit, name in TIME_UNITS if info.span >= most)
    # The last stretch ends with the trace, so that its rate is not too low.
    edges = _edges(info.course, info.span)
    rates = np.array(info.course.counts) / np.maximum(np.diff(edges), 1e-12)
    if info.span <= 0:
        rates = np.array(info.course.counts, float)
    axes.stairs(rates, edges / unit, fill=True, color=colours.throughput, alpha=0.75)
    if info.rate is not None:
        axes.axhline(info.rate, color=colours.ink, linewidth=1, linestyle="--", label="mean")
        legend(axes, colours)
    axes.set_xlabel(f"time, {name}")
    axes.set_ylabel("arrivals, IO/s" if info.span > 0 else "arrivals, all at once")
    axes.set_xlim(0, max(float(edges[-1]) / unit, 1e-12))
    axes.set_ylim(0, ROOM * max(float(rates.max(initial=0)), 1e-12))
    _finish(axes, colours)


def draw_sizes(axes: Axes, info: TraceInfo, colours: Palette) -> None:
    """Sizes, as shares of all reads and writes."""
    total = info.ops["read"] + info.ops["write"]
    shown = sorted(info.sizes[:MOST_BARS], key=lambda one: one.size)
    x = np.arange(len(shown))
    reads = np.array([100 * one.requests * one.read_share / total for one in shown])
    writes = np.array([100 * one.requests * (1 - one.read_share) / total for one in shown])
    axes.bar(x, reads, color=colours.read, label="reads")
    axes.bar(x, writes, bottom=reads, color=colours.write, label="writes")
    axes.set_xticks(x, [size(one.size) for one in shown], rotation=45, ha="right")
    more = len(info.sizes) - len(shown)
    axes.set_xlabel("size" + (f" ({more:,} more sizes are not shown)" if more else ""))
    axes.set_ylabel("share of reads and writes, %")
    axes.set_ylim(0, ROOM * float((reads + writes).max()))
    legend(axes, colours)
    _finish(axes, colours)


def draw_addresses(axes: Axes, info: TraceInfo, colours: Palette) -> None:
    """Draw where reads and writes begin, as shares of them."""
    divisor, name = next((u, n) for u, n in BYTE_UNITS if info.end >= u or u == 1)
    counts = np.array(info.addresses.counts, float)
    edges = _edges(info.addresses, max(info.end, 1))
    shares = 100 * counts / max(counts.sum(), 1)
    axes.stairs(shares, edges / divisor, fill=True, color=colours.throughput, alpha=0.75)
    axes.set_xlabel(f"address, {name}" + (", all volumes" if len(info.volumes) > 1 else ""))
    axes.set_ylabel(f"share of reads and writes\nin each {amount(info.addresses.width)}, %")
    axes.set_xlim(0, float(edges[-1]) / divisor)
    axes.set_ylim(0)
    _finish(axes, colours)


def draw_hot(axes: Axes, info: TraceInfo, colours: Palette) -> None:
    """Accesses by the hottest blocks."""
    x = [100 * share for share in (0.0, *info.hot, 1.0)]
    y = [100 * share for share in (0.0, *info.hot.values(), 1.0)]
    axes.plot(x, y, color=colours.throughput, marker="o", label="the trace")
    axes.plot(
        [0, 100], [0, 100], color=colours.muted, linestyle="--", linewidth=1, label="all alike"
    )
    axes.set_xlabel("share of the touched blocks, the hottest first, %")
    axes.set_ylabel("share of their accesses, %")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 102)
    legend(axes, colours)
    _finish(axes, colours)


def draw_caches(axes: Axes, info: TraceInfo, colours: Palette) -> None:
    """Misses of LRU caches."""
    x = [one.size for one in info.caches]
    axes.plot(
        x, [100 * one.miss_ratio for one in info.caches], color=colours.throughput, marker="."
    )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: amount(value)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="x", rotation=30)
    axes.set_xlabel(f"size of an LRU cache (blocks of {amount(info.block)})")
    axes.set_ylabel("misses, % of accesses to blocks")
    axes.set_ylim(0, 102)
    _finish(axes, colours)


def draw_latency(axes: Axes, info: TraceInfo, colours: Palette) -> None:
    """Distribution of the response times."""
    shades = {"read": colours.read, "write": colours.write}
    for name, one in info.latency.items():
        times = [time * 1000 for time in one.percentiles.values()]
        colour = shades.get(name, colours.muted)
        axes.plot(
            times,
            [100 * share for share in one.percentiles],
            color=colour,
            marker=".",
            label=f"{name}s",
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("latency, ms")
    axes.set_ylabel("share of I/Os within it, %")
    axes.set_ylim(0, 102)
    legend(axes, colours)
    _finish(axes, colours)


def _edges(course: CourseInfo, end: float) -> NDArray[np.float64]:
    edges = np.arange(len(course.counts) + 1, dtype=np.float64) * course.width
    if edges[-2] < end < edges[-1]:
        edges[-1] = end
    return edges


def _finish(axes: Axes, colours: Palette) -> None:
    axes.grid(axis="y", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    axes.yaxis.set_major_formatter(FuncFormatter(plain_label))
    paint(axes, colours)
