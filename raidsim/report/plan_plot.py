"""The front of a plan as a picture: power and latency against cost, and what makes up the cost."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_lowercase

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from raidsim.planning.outcome import Candidate, Plan
from raidsim.report.panels import LIGHT, Palette, legend, paint
from raidsim.report.plot import Picture, drawing, encoded

PANEL_INCHES = (4.4, 3.8)
ROOM = 1.12
"""Length of an axis over the largest value: a mark and its letter are within the frame."""

Draw = Callable[[Axes, Plan, Palette], None]


def render(plan: Plan, suffix: str) -> bytes:
    """Draw the front: ".png" or ".svg"."""
    with drawing():
        return encoded(_figure(plan), suffix)


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


def draw_latency(axes: Axes, plan: Plan, colours: Palette) -> None:
    """Latency against cost."""
    ms = [1000 * one.mean for one in plan.front]
    unit, scale = ("us", 1000.0) if max(ms, default=1.0) < 1 else ("ms", 1.0)
    _points(axes, plan, colours, [scale * one for one in ms])
    axes.set_ylabel(f"mean latency, of what is slower, {unit}")


def draw_bill(axes: Axes, plan: Plan, colours: Palette) -> None:
    """Draw the cost of each design by purpose; without prices its drives, first and at last."""
    rows = range(len(plan.front))
    for number, (name, values) in enumerate(_bill(plan)):
        before = [sum(each[row] for _, each in list(_bill(plan))[:number]) for row in rows]
        axes.barh(rows, values, left=before, color=colours.stages[number], label=name, height=0.6)
    names = [f"{one.number}  {_letter(row)}" for row, one in enumerate(plan.front)]
    axes.set_yticks(list(rows), names)
    axes.invert_yaxis()
    axes.set_xlabel(_cost_words(plan))
    axes.grid(axis="x", color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    _thousands(axes)
    paint(axes, colours)
    if plan.front:
        legend(axes, colours, columns=2)


def _bill(plan: Plan) -> list[tuple[str, list[float]]]:
    """Parts of the cost with their values, design by design."""
    bills = [one.cost for one in plan.front if one.cost is not None]
    if len(bills) < len(plan.front):
        first = [float(one.drives) for one in plan.front]
        later = [float(one.last_drives - one.drives) for one in plan.front]
        return [("bought at first", first), ("for growth", later)]
    return [
        ("bought at first", [one.purchase for one in bills]),
        ("for growth", [one.growth for one in bills]),
        ("energy", [one.energy for one in bills]),
        ("drives that are replaced", [one.replacements for one in bills]),
    ]


PANELS: tuple[tuple[str, Draw], ...] = (
    ("Power against cost", draw_power),
    ("Latency against cost", draw_latency),
    ("What each costs", draw_bill),
)


def _points(axes: Axes, plan: Plan, colours: Palette, values: list[float]) -> None:
    costs = [_cost(one) for one in plan.front]
    axes.plot(costs, values, "o", color=colours.throughput)
    for row, (cost, value) in enumerate(zip(costs, values, strict=True)):
        axes.annotate(
            _letter(row), (cost, value), xytext=(4, 3), textcoords="offset points",
            fontsize=8, color=colours.ink,
        )  # fmt: skip
    axes.set_xlabel(_cost_words(plan))
    axes.margins(x=0.2)
    axes.set_ylim(0, ROOM * max(values, default=1.0) or 1.0)
    axes.grid(color=colours.faint, linewidth=0.8)
    axes.set_facecolor("none")
    _thousands(axes)
    paint(axes, colours)
    if not plan.front:
        axes.text(0.5, 0.5, "no design", ha="center", transform=axes.transAxes)


def _letter(row: int) -> str:
    """Short name of a design in the picture, by its place on the front: a to z, then a2."""
    return ascii_lowercase[row % 26] + (str(row // 26 + 1) if row >= 26 else "")


def _thousands(axes: Axes) -> None:
    """Mark thousands of the amounts along the axis."""
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_major_locator(MaxNLocator(5))
