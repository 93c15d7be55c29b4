"""Published against simulated, drawn as SVG: the same verdicts give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from raidsim.validate.verdict import Verdict

COLOURS = {"calibration": "#2f6fb2", "prediction": "#c2571a"}
INK, FAINT = "#1c2733", "#d5dbe1"
KINDS = ("rate", "throughput", "latency")


def figures_svg(document: str, verdicts: Sequence[Verdict]) -> str:
    """Draw the figures of a document: published across, simulated up, one panel per unit."""
    chosen = _figures(document, verdicts)
    kinds = [kind for kind in KINDS if any(_panel(v) == kind for v in chosen)]
    with mpl.rc_context():
        _settings()
        figure = Figure(figsize=(4.2 * max(len(kinds), 1), 4.0), layout="constrained")
        axes = figure.subplots(1, max(len(kinds), 1), squeeze=False)[0]
        for panel, kind in zip(axes, kinds, strict=False):
            _draw_figures(panel, [v for v in chosen if _panel(v) == kind])
            panel.set_title(kind)
        return _svg(figure, f"figures {document}")


def errors_svg(document: str, verdicts: Sequence[Verdict]) -> str:
    """Draw the share of a document's figures whose error is at most so large, by role."""
    chosen = _figures(document, verdicts)
    with mpl.rc_context():
        _settings()
        figure = Figure(figsize=(5.4, 3.4), layout="constrained")
        axes = figure.subplots()
        for role, colour in COLOURS.items():
            errors = sorted(abs(v.error or 0.0) for v in chosen if v.claim.role == role)
            if errors:
                share = np.arange(1, len(errors) + 1) / len(errors)
                label = f"{role}, {len(errors)} figures"
                axes.step(np.array(errors) * 100, share * 100, color=colour, label=label)
                axes.plot(np.array(errors) * 100, share * 100, ".", color=colour)
        axes.set_xlabel("error beyond the rounding in print, %")
        axes.set_ylabel("share of the figures, %")
        axes.set_ylim(0, 102)
        axes.set_xlim(left=0)
        axes.grid(color=FAINT)
        if chosen:
            axes.legend(loc="lower right")
        return _svg(figure, f"errors {document}")


def _figures(document: str, verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [
        verdict
        for verdict in verdicts
        if verdict.claim.document == document
        and verdict.claim.counts_in_errors
        and verdict.simulated is not None
    ]


def _panel(verdict: Verdict) -> str:
    return verdict.claim.kind if verdict.claim.unit != "1" else ""


def _draw_figures(axes: Axes, verdicts: Sequence[Verdict]) -> None:
    for role, colour in COLOURS.items():
        mine = [v for v in verdicts if v.claim.role == role]
        if mine:
            published = [float(np.mean(v.claim.published)) for v in mine]
            simulated = [v.simulated or np.nan for v in mine]
            axes.loglog(published, simulated, "o", mfc="none", color=colour, label=role)
    ends = np.array([*axes.get_xlim(), *axes.get_ylim()])
    line = np.array([ends.min(), ends.max()])
    axes.plot(line, line, color=INK, lw=1)
    axes.fill_between(line, line * 0.95, line * 1.05, color=FAINT, lw=0, zorder=0)
    axes.set_xlabel(f"published, {verdicts[0].claim.unit} (grey: within 5 %)")
    axes.set_ylabel(f"simulated, {verdicts[0].claim.unit}")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if ends.max() < 30 * ends.min() else (1,)))
        axis.set_major_formatter(FuncFormatter(_plain))
        axis.set_minor_formatter(NullFormatter())
    axes.legend(loc="upper left")


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
            "legend.frameon": False,
            "svg.fonttype": "none",
        }
    )


def _svg(figure: Figure, salt: str) -> str:
    """Return a figure as an ``<svg>`` element whose ids differ from those of other figures."""
    mpl.rcParams["svg.hashsalt"] = salt
    FigureCanvasSVG(figure)
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]
