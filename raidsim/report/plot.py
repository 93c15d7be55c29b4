"""A run as a picture: throughput and latency against the load, a row of panels per load.

A scenario with events is drawn over time.

Drawn with matplotlib's Agg and SVG writers, without pyplot and without the user's
settings, so that the same result gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import matplotlib as mpl
from matplotlib.figure import Figure, SubFigure

from raidsim.report import machines, one_point, replayed, timeline
from raidsim.report.course import course_of, draw_course
from raidsim.report.curves import Curve, curves, offered
from raidsim.report.panels import LIGHT, draw_latency, draw_throughput
from raidsim.report.phases import courses
from raidsim.report.ready import draw_ready
from raidsim.report.real_time import is_steady
from raidsim.report.summary import air_sentence, confidence, load_sentence, title
from raidsim.result import Point, Result

PANEL_INCHES = (5.2, 3.7)
COURSE_INCHES = 4.6
PNG_DPI = 150
SCREEN_DPI = 90


def render(result: Result, suffix: str) -> bytes:
    """Draw every load of a result, one row of two panels each, and its course over time.

    Parameters
    ----------
    result
        Curves or single points of one or more loads.
    suffix
        ".png" or ".svg".

    Returns
    -------
    bytes
        The file's content; equal for equal results.
    """
    with drawing():
        return encoded(_figure(result), suffix)


def figure(result: Result) -> Figure:
    """Draw the same as a figure that notebooks show."""
    with drawing():
        return _figure(result)


class Picture(Figure):
    """A figure that a notebook shows without pyplot."""

    def _repr_png_(self) -> bytes:
        with drawing():
            return picture(self, SCREEN_DPI)


def _figure(result: Result) -> Figure:
    blocks = list(_blocks(result))
    heights = [block.height for block in blocks]
    size = (2 * PANEL_INCHES[0], 0.5 + sum(heights))
    drawn = Picture(figsize=size, layout="constrained")
    words = title(result.scenario) + (" (interrupted)" if result.interrupted else "")
    drawn.suptitle(words, fontsize=12, fontweight="bold")
    parts = drawn.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for part, block in zip(parts, blocks, strict=True):
        part.suptitle(block.heading, fontsize=9.5, color=LIGHT.muted)
        block.draw(part)
    return drawn


@dataclass(frozen=True)
class _Block:
    """A part of the picture, as wide as it is."""

    heading: str
    height: float  # inches
    draw: Callable[[SubFigure], None]


def _blocks(result: Result) -> Iterator[_Block]:
    """The curves of all loads, then all courses over time; of one course only that."""
    every = curves(result)
    rows = [curve for curve in every if curve.points[0].machines is None]
    for curve in rows:
        over_time = courses(curve.points) or replayed.replayed(curve)
        if len(curve.points) > 1 or not over_time:
            words = heading(curve, result)
            if one_point.is_one(curve):
                words += f"\n{one_point.headline(curve)}"
            yield _Block(words, PANEL_INCHES[1], _pair(curve, result))
    for curve in every:
        for point in courses(curve.points):
            words = heading(curve, result)
            words += f"; {offered(point)}" if point.workers else ""
            yield _Block(words, timeline.height(point), _over_time(point, result))
        for point in replayed.replayed(curve):
            words = f"{heading(curve, result)}; {offered(point)}: over time"
            yield _Block(words, replayed.INCHES, _stretches(point))
        warmed = course_of(curve)
        if warmed is not None and curve in rows:
            words = f"{warmed.load}, {offered(warmed)}: over time, {air_sentence(result.scenario)}"
            yield _Block(words, COURSE_INCHES, partial(draw_course, point=warmed, colours=LIGHT))
    if booted := machines.groups_of(result):
        yield _Block("machines that boot", COURSE_INCHES, _ready(booted))


def _ready(booted: list[Point]) -> Callable[[SubFigure], None]:
    def draw(part: SubFigure) -> None:
        draw_ready(part.subplots(), booted, LIGHT)

    return draw


def _pair(curve: Curve, result: Result) -> Callable[[SubFigure], None]:
    def draw(part: SubFigure) -> None:
        left, right = part.subplots(1, 2)
        if one_point.is_one(curve):
            one_point.draw_percentiles(left, curve, LIGHT)
            one_point.draw_times(right, curve, LIGHT)
        else:
            draw_throughput(left, curve, LIGHT, confidence(result.scenario))
            draw_latency(right, curve, LIGHT)

    return draw


def _stretches(point: Point) -> Callable[[SubFigure], None]:
    return partial(replayed.draw_replayed, point=point, colours=LIGHT)


def _over_time(point: Point, result: Result) -> Callable[[SubFigure], None]:
    steady = is_steady(result.scenario)
    return partial(timeline.draw_timeline, point=point, colours=LIGHT, steady=steady)


def heading(curve: Curve, result: Result) -> str:
    """Name of the load and what it is, as a line above its panels."""
    sentence = load_sentence(result.scenario, curve.load)
    return f"{curve.load}: {sentence}" if sentence else curve.load


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's own defaults and these few settings, whatever the user's are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": ["DejaVu Sans", "sans-serif"],
                "font.size": 9,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.axisbelow": True,
                "lines.linewidth": 1.7,
                "lines.markersize": 4.5,
                "legend.frameon": False,
                "svg.fonttype": "none",
                "text.parse_math": False,
            }
        )
        yield


def encoded(figure: Figure, suffix: str, salt: str = "raidsim") -> bytes:
    """Encode a figure as the content of a file, ".png" or ".svg"; ``salt`` is that of the SVG."""
    return save_svg(figure, salt) if suffix == ".svg" else picture(figure, PNG_DPI)


def save_svg(figure: Figure, salt: str) -> bytes:
    """Write a figure as SVG that depends on nothing but the figure and ``salt``."""
    mpl.rcParams["svg.hashsalt"] = salt
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def picture(figure: Figure, dpi: int) -> bytes:
    """Write a figure as PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": "raidsim"})
    return buffer.getvalue()
