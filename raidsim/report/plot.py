"""A run as a picture: throughput and latency against the load, a row of panels per load.

Drawn with matplotlib's Agg and SVG writers, without pyplot and without the user's
settings, so that the same result gives the same bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
from matplotlib.figure import Figure

from raidsim.report.course import course_of, draw_course
from raidsim.report.panels import LIGHT, draw_latency, draw_throughput
from raidsim.report.summary import air_sentence, confidence, load_sentence, title
from raidsim.report.sweeps import Sweep, offered, sweeps
from raidsim.result import Result

PANEL_INCHES = (5.2, 3.7)
COURSE_INCHES = 4.6
PNG_DPI = 150


def render(result: Result, suffix: str) -> bytes:
    """Draw every load of a result, one row of two panels each, and its course over time.

    Parameters
    ----------
    result
        Sweeps or single points of one or more loads.
    suffix
        ".png" or ".svg".

    Returns
    -------
    bytes
        The file's content; equal for equal results.
    """
    rows = sweeps(result)
    courses = [point for sweep in rows if (point := course_of(sweep)) is not None]
    with drawing():
        width, height = PANEL_INCHES
        heights = [height] * max(len(rows), 1) + [COURSE_INCHES] * len(courses)
        figure = Figure(figsize=(2 * width, 0.5 + sum(heights)), layout="constrained")
        figure.suptitle(title(result.scenario), fontsize=12, fontweight="bold")
        parts = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        for part, point in zip(parts[len(heights) - len(courses) :], courses, strict=True):
            words = f"{point.load}, {offered(point)}: over time, {air_sentence(result.scenario)}"
            part.suptitle(words, fontsize=9.5, color=LIGHT.muted)
            draw_course(part, point, LIGHT)
        for part, sweep in zip(parts, rows, strict=False):
            part.suptitle(heading(sweep, result), fontsize=9.5, color=LIGHT.muted)
            throughput_axes, latency_axes = part.subplots(1, 2)
            draw_throughput(throughput_axes, sweep, LIGHT, confidence(result.scenario))
            draw_latency(latency_axes, sweep, LIGHT)
        return save_svg(figure, "raidsim") if suffix == ".svg" else _save_png(figure)


def heading(sweep: Sweep, result: Result) -> str:
    """Name of the load and what it is, as a line above its panels."""
    sentence = load_sentence(result.scenario, sweep.load)
    return f"{sweep.load}: {sentence}" if sentence else sweep.load


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


def save_svg(figure: Figure, salt: str) -> bytes:
    """Write a figure as SVG that depends on nothing but the figure and ``salt``."""
    mpl.rcParams["svg.hashsalt"] = salt
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def _save_png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": "raidsim"})
    return buffer.getvalue()
