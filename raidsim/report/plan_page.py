"""A plan as one HTML file that opens offline."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure

from raidsim.planning.outcome import Plan
from raidsim.report import plan_text, toml_text
from raidsim.report.embedded import PALETTE, drawn
from raidsim.report.pages import filled
from raidsim.report.plan_plot import PANEL_INCHES, PANELS, Draw
from raidsim.version import __version__


@dataclass(frozen=True)
class Section:
    """A table with a title, and a note below it; ``words`` if its last column is a text."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    note: str = ""
    words: bool = False


def render(plan: Plan) -> bytes:
    """Write the page of a plan: UTF-8, self-contained, equal for equal plans."""
    pictures = [
        (label, drawn(partial(_draw, draw=draw, plan=plan), f"plan-{n}", label, PANEL_INCHES))
        for n, (label, draw) in enumerate(PANELS)
    ]
    many = f"{len(plan.front)} of {plan.designs:,} designs are worth buying"
    return filled(
        "plan_page.html.j2",
        title=plan.title,
        lead=many if plan.front else f"None of {plan.designs:,} designs meets the need",
        asked=[*plan.asked, *([f"prices: {plan.prices}"] if plan.prices else [])],
        pictures=pictures if plan.front else [],
        sections=list(_sections(plan)),
        remarks=list(plan_text.sentences(plan)),
        scenarios=[
            (str(one.number), toml_text.render(one.scenario.source.file.data))
            for one in plan.front
            if one.scenario is not None
        ],
        version=__version__,
    )


def _sections(plan: Plan) -> list[Section]:
    found = []
    if plan.front:
        rows = [plan_text.cells(one, plan) for one in plan.front]
        found.append(Section("Their figures", plan_text.headers(plan), rows))
        named = [[str(one.number), one.label] for one in plan.front]
        found.append(Section("What they are", ["design", "what it is"], named, words=True))
    stages = [
        [one.name, f"{one.came:,}", f"{one.left:,}", f"{one.runs:,}", plan_text.reasons(one)]
        for one in plan.funnel
    ]
    heads = ["stage", "designs", "left", "runs", "dropped because of"]
    found.append(Section("From all designs", heads, stages, words=True))
    return found


def _draw(figure: Figure, draw: Draw, plan: Plan) -> None:
    draw(figure.subplots(), plan, PALETTE)
