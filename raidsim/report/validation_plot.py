"""Published against simulated, drawn as SVG: the same verdicts give the same bytes.

The mouse pointer shows the figures of a point (:mod:`raidsim.report.readings`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from raidsim.report import readings
from raidsim.report.panels import LIGHT
from raidsim.report.plot import save_svg
from raidsim.validate.verdict import Verdict

COLOURS = {"calibration": LIGHT.throughput, "prediction": LIGHT.write}
FORMULA = "#8a94a0"
COMPARISON = "ratio of two measurements"
MARGINS = {"left": 0.24, "right": 0.93, "bottom": 0.12, "top": 0.93}
"""Shares of a picture, from its left and its lower edge."""
PANELS = ("rate", "throughput", "latency", "boot, %", "boot, s", COMPARISON)
"""Pictures of a document: one for each kind of figure, of a boot for each of its units."""
LEAST_FIGURES = 3
NEAR = 0.05
FARTHEST = 1.0  # errors beyond it are drawn there


def figures_svgs(document: str, verdicts: Sequence[Verdict]) -> list[str]:
    """Draw the figures of a document, published across and simulated up: a picture per unit."""
    chosen = _figures(document, verdicts)
    found = []
    for panel in PANELS:
        mine = [v for v in chosen if _panel(v) == panel]
        if len(mine) >= LEAST_FIGURES:
            with mpl.rc_context():
                _settings()
                figure, axes = empty_panel()
                _draw_figures(axes, mine)
                axes.set_title(panel)
                found.append(_svg(figure, f"figures {document} {panel}"))
    return found


def errors_svg(document: str, verdicts: Sequence[Verdict]) -> str:
    """Draw the share of a document's figures whose error is at most so large, by role."""
    chosen = _figures(document, verdicts)
    curves = [
        (role, colour, [v.error for v in chosen if v.claim.role == role and v.error is not None])
        for role, colour in COLOURS.items()
    ]
    return _shares(curves, f"errors {document}")


def formula_svg(verdicts: Iterable[Verdict]) -> str:
    """Draw the errors of the simulation and of the planning formula, over the same figures."""
    spoken = [
        v for v in verdicts if v.planned is not None and v.error is not None
        if v.claim.counts_in_errors
    ]  # fmt: skip
    curves = [
        ("simulation", COLOURS["prediction"], [v.error for v in spoken if v.error is not None]),
        ("planning formula", FORMULA, [v.planned.error for v in spoken if v.planned is not None]),
    ]
    return _shares(curves, "errors of the formula")


def _shares(curves: Sequence[tuple[str, str, Sequence[float]]], salt: str) -> str:
    """Draw which share of some errors is at most so large."""
    with mpl.rc_context():
        _settings()
        figure, axes = empty_panel()
        for name, colour, values in curves:
            errors = np.sort(np.abs(values))
            if len(errors):
                share = np.arange(1, len(errors) + 1) / len(errors) * 100
                errors = np.minimum(errors, FARTHEST) * 100
                label = f"{name}, {len(errors)} figures"
                axes.step(np.append(0, errors), np.append(0, share), color=colour, where="post")
                axes.plot(errors, share, ".", color=colour, label=label)
        axes.set_title("how many are how far off")
        beyond = " (100: or more)" if _any_far(curves) else ""
        axes.set_xlabel(f"error beyond the rounding in print, %{beyond}")
        axes.set_ylabel("share of the figures, %")
        axes.set_ylim(0, 102)
        axes.set_xlim(left=0)
        axes.grid(color=LIGHT.faint)
        if any(len(values) for _, _, values in curves):
            axes.legend(loc="lower right")
        return _svg(figure, salt)


def empty_panel() -> tuple[Figure, Axes]:
    """A figure with one panel, whose margins have room for its words and its longest numbers.

    Fixed: to find them for each picture takes as long as to draw it.
    """
    figure = Figure(figsize=(4.6, 4.2))
    return figure, figure.subplots(gridspec_kw=MARGINS)


def _any_far(curves: Sequence[tuple[str, str, Sequence[float]]]) -> bool:
    return any(abs(value) > FARTHEST for _, _, values in curves for value in values)


def _figures(document: str, verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [
        verdict
        for verdict in verdicts
        if verdict.claim.document == document
        and verdict.claim.counts_in_errors
        and verdict.simulated is not None
    ]


def _panel(verdict: Verdict) -> str:
    claim = verdict.claim
    if claim.unit == "1":
        return COMPARISON
    return f"{claim.kind}, {claim.unit}" if claim.kind == "boot" else claim.kind


def _draw_figures(axes: Axes, verdicts: Sequence[Verdict]) -> None:
    for role, colour in COLOURS.items():
        mine = [v for v in verdicts if v.claim.role == role]
        if mine:
            published = [float(np.mean(v.claim.published)) for v in mine]
            simulated = [v.simulated or np.nan for v in mine]
            axes.loglog(published, simulated, "o", mfc="none", color=colour, label=role)
    spoken = [v for v in verdicts if v.planned is not None]
    ends = np.array([*axes.get_xlim(), *axes.get_ylim()])
    if spoken:
        published = [float(np.mean(v.claim.published)) for v in spoken]
        planned = [v.planned.value for v in spoken if v.planned is not None]
        label = "planning formula"
        axes.loglog(published, planned, "x", color=FORMULA, alpha=0.6, label=label, zorder=1)
        ends = np.array([*axes.get_xlim(), *axes.get_ylim()])
    line = np.array([ends.min(), ends.max()])
    axes.plot(line, line, color=LIGHT.ink, lw=1)
    axes.fill_between(line, line * (1 - NEAR), line * (1 + NEAR), color=LIGHT.faint, lw=0, zorder=0)
    unit = "" if verdicts[0].claim.unit == "1" else f", {verdicts[0].claim.unit}"
    axes.set_xlabel(f"published{unit} (grey: within {NEAR * 100:.0f} %)")
    axes.set_ylabel(f"simulated{unit}")
    decades = math.floor(math.log10(ends.max())) - math.ceil(math.log10(ends.min())) + 1
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2 else (1,)))
        axis.set_major_formatter(FuncFormatter(_plain))
        axis.set_minor_formatter(NullFormatter())
    axes.legend(loc="lower right")


def _plain(value: float, _position: int | None = None) -> str:
    return f"{value:,.10g}"


def _settings() -> None:
    mpl.rcdefaults()
    mpl.rcParams.update(
        {
            "font.family": "DejaVu Sans",
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlelocation": "left",
            "axes.axisbelow": True,
            "axes.titlesize": 10,
            "axes.edgecolor": LIGHT.muted,
            "axes.labelcolor": LIGHT.ink,
            "text.color": LIGHT.ink,
            "xtick.color": LIGHT.muted,
            "xtick.labelcolor": LIGHT.ink,
            "ytick.color": LIGHT.muted,
            "ytick.labelcolor": LIGHT.ink,
            "grid.linewidth": 0.8,
            "legend.frameon": False,
            "svg.fonttype": "none",
        }
    )


def _svg(figure: Figure, salt: str) -> str:
    """Return a figure as an ``<svg>`` element whose ids differ from those of other figures."""
    text = save_svg(figure, salt).decode("utf-8")
    shapes = readings.of(figure)
    return text[text.index("<svg") :].rstrip().removesuffix("</svg>") + shapes + "</svg>\n"
