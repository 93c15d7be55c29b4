"""A trace as one HTML file that opens offline."""

from __future__ import annotations

from functools import partial

from matplotlib.figure import Figure

from raidsim.report.embedded import PALETTE, drawn
from raidsim.report.pages import filled
from raidsim.report.trace_plot import PANEL_INCHES, Draw, panels
from raidsim.report.trace_words import facts, sections
from raidsim.trace.info import TraceInfo
from raidsim.version import __version__


def render(info: TraceInfo, title: str) -> bytes:
    """Write the page of a trace: UTF-8, self-contained, the same for the same figures."""
    pictures = [
        (label, drawn(partial(_draw, draw=draw, info=info), f"panel-{number}", label, PANEL_INCHES))
        for number, (label, draw) in enumerate(panels(info))
    ]
    return filled(
        "trace_page.html.j2",
        title=info.path.rpartition("/")[2],
        lead=title,
        facts=facts(info),
        pictures=pictures,
        sections=sections(info),
        remarks=info.remarks,
        version=__version__,
    )


def _draw(figure: Figure, draw: Draw, info: TraceInfo) -> None:
    draw(figure.subplots(), info, PALETTE)
