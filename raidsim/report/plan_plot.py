"""The front of a plan as a picture: cost against power and latency, headroom against growth."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from raidsim.planning.outcome import Candidate, Plan
from raidsim.report.panels import LIGHT, Palette
from raidsim.report.plot import PNG_DPI, Picture, drawing, picture, save_svg

PANEL_INCHES = (4.4, 3.8)

Draw = Callable[[Axes, Plan, Palette], None]


def render(plan: Plan, suffix: str) -> bytes:
    """Draw the front: ".png" or ".svg"."""
    with drawing():
        found = _figure(plan)
        return save_svg(found, "raidsim") if suffix == ".svg" else picture(found, PNG_DPI)


def figure(plan: Plan) -> Figure:
    """Draw the same as a figure that notebooks show."""
    with drawing():
        return _figure(plan)


def _figure(plan: Plan) -> Picture:
    drawn = Picture(figsize=(PANEL_INCHES[0] * len(PANELS), PANEL_INCHES[1]), layout="constrained")
    drawn.suptitle(plan.title, fontsize=12, fontweight="bold")
    for axes, (_, draw) in zip(drawn.subplots(1, len(PANELS)), PANELS, strict=True):
        draw(axes, plan, LIGHT)
    return drawn


def _cost(one: Candidate) -> float:
    return float(one.last_drives) if one.cost is None else one.cost.total


def _cost_words(plan: Plan) -> str:
    return "drives" if plan.currency is None else f"cost, {plan.currency}"


def draw_power(axes: Axes, plan: Plan, colours: Palette) -> None:
    """Power against cost."""
    _points(axes, plan, colours, [one.watts for one in plan.front])
    axes.set_ylabel("mean power under the load, W")
    axes.set_ylim(bottom=0)


def draw_latency(axes: Axes, plan: Plan, colours: Palette) -> None:
    """Latency against cost."""
    _points(axes, plan, colours, [1000 * one.mean for one in plan.front])
    axes.set_ylabel("latency, slower mean of reads and writes, ms")
    if plan.front:
        axes.set_yscale("log")


def draw_growth(axes: Axes, plan: Plan, colours: Palette) -> None:
    """Headroom against cost."""
    _points(axes, plan, colours, [one.headroom for one in plan.front])
    axes.set_ylabel("headroom, times the load")
    axes.set_ylim(bottom=0)
    axes.axhline(1, color=colours.muted, linewidth=0.8)


PANELS: tuple[tuple[str, Draw], ...] = (
    ("Power against cost", draw_power),
    ("Latency against cost", draw_latency),
    ("Headroom against cost", draw_growth),
)


def _points(axes: Axes, plan: Plan, colours: Palette, values: list[float]) -> None:
    costs = [_cost(one) for one in plan.front]
    axes.plot(costs, values, "o", color=colours.throughput)
    seen: dict[tuple[float, float], int] = {}
    for one, x, y in zip(plan.front, costs, values, strict=True):
        place = (round(x, 3), round(y, 6))
        seen[place] = seen.get(place, 0) + 1
        axes.annotate(
            str(one.number), (x, y), xytext=(4, 4 + 9 * (seen[place] - 1)),
            textcoords="offset points", fontsize=7, color=colours.muted,
        )  # fmt: skip
    axes.set_xlabel(_cost_words(plan))
    axes.margins(x=0.2, y=0.15)
    axes.grid(color=colours.faint, linewidth=0.6)
    if not plan.front:
        axes.text(0.5, 0.5, "no design", ha="center", transform=axes.transAxes)
