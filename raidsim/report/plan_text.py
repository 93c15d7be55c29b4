"""A plan as tables and sentences: what is needed, the funnel, and the designs worth buying."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.planning.outcome import Candidate, Plan, Stage
from raidsim.planning.words import STATES
from raidsim.report import drives, numbers
from raidsim.report.ruled import ruled
from raidsim.units import capacity_for_people

NONE = "-"
NO_MEASURE = 1e6
"""Ratio to a limit that says no more than that it is missed."""

UNSEEN = "; it was not run, so whether it keeps rate and latency is not known"
"""What is said of the nearest design where arithmetic and bounds left none to be run."""


def parts(plan: Plan) -> Iterator[RenderableType]:
    """All of a plan, part by part."""
    yield Text(plan.title, style="bold")
    for line in plan.asked:
        yield Text(f"  {line}")
    if plan.prices is not None:
        yield Text(f"  prices: {plan.prices}")
    yield Text("")
    yield funnel(plan)
    yield Text("")
    if plan.front:
        yield front(plan)
        yield Text("")
        for one in plan.front:
            yield Text(f"{one.number}: {one.label}")
    for line in sentences(plan):
        yield Text(f"- {line}")


def funnel(plan: Plan) -> Table:
    """Return the number of designs that each stage leaves, and why the others were dropped."""
    table = _table("stage", "designs", "left", "runs", "dropped because of")
    for column in (1, 2, 3):
        table.columns[column].justify = "right"
    for stage in plan.funnel:
        runs = f"{stage.runs:,}" if stage.runs else NONE
        table.add_row(stage.name, f"{stage.came:,}", f"{stage.left:,}", runs, reasons(stage))
    return table


def reasons(stage: Stage) -> str:
    """Return the reasons why a stage dropped designs, the most frequent first."""
    ordered = sorted(stage.fell.items(), key=lambda one: -one[1])
    return ", ".join(f"{name} {count:,}" for name, count in ordered) or NONE


HEADERS = (
    "design", "cost", "drives", "usable", "units", "power", "latency", "headroom", "rebuild",
    "any loss", "wear", "outgrown", "meets it", "busiest",
)  # fmt: skip


def front(plan: Plan) -> Table:
    """The designs worth buying, the cheapest first."""
    table = _table(*headers(plan))
    for column in table.columns[:-1]:
        column.justify = "right"
    for one in plan.front:
        table.add_row(*cells(one, plan))
    return table


def headers(plan: Plan) -> list[str]:
    """Heads of the columns; without prices none has a cost."""
    units = {"cost": plan.currency, "latency": _latencies(plan)[0]}
    found = [name for name in HEADERS if name != "cost" or plan.currency is not None]
    return [f"{name}, {units[name]}" if name in units else name for name in found]


def _latencies(plan: Plan) -> tuple[str, dict[int, str]]:
    """The unit of the latencies, and that of each design by its number."""
    unit, written = numbers.in_one_unit([1000 * one.mean for one in plan.front])
    return unit, dict(zip((one.number for one in plan.front), written, strict=True))


def cells(one: Candidate, plan: Plan) -> list[str]:
    """The figures of a design, in the order of the heads."""
    found = [str(one.number)]
    if plan.currency is not None:
        found.append(NONE if one.cost is None else f"{one.cost.total:,.0f}")
    grown = f" to {one.last_drives}" if one.last_drives != one.drives else ""
    found += [
        f"{one.drives}{grown}",
        capacity_for_people(one.usable),
        str(one.rack_units),
        numbers.watts(one.watts),
        _latencies(plan)[1][one.number],
        f"{'at least ' * one.more}{one.headroom:.2g}",
        NONE if one.rebuild is None else hours(one.rebuild),
        chance(one.loss),
        "never" if one.years is None else lifetime(one.years),
        "not in 30 years" if one.breaks is None else f"year {one.breaks.years}: {one.breaks.what}",
        NONE if one.chance is None else f"{100 * one.chance:.0f} %",
        f"{one.limit} {numbers.percent(one.utilisation)}",
    ]
    return found


def hours(seconds: float) -> str:
    """A long time: 12 min, 6.4 h, 3.1 days; "never" is what has no end."""
    if math.isinf(seconds):
        return "never"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def lifetime(years: float) -> str:
    """Return the life of drives: 2.9 years, 11 years, over 100 years."""
    if years > drives.LONG:
        return f"over {drives.LONG} years"
    return f"{years:.1f} years" if years < 9.95 else f"{years:.0f} years"


def chance(share: float) -> str:
    """A small chance: 0.4 %, 1 in 20,000."""
    if share >= 0.001:
        return f"{100 * share:.2g} %"
    return f"1 in {float(f'{1 / share:.3g}'):,.0f}" if share > 1e-12 else "none"


def money(one: Candidate, currency: str | None) -> str:
    """Return the cost of a design by purpose."""
    assert one.cost is not None
    return (
        f"{one.number} costs {one.cost.purchase:,.0f} {currency} at first,"
        f" {one.cost.growth:,.0f} for growth, {one.cost.energy:,.0f} for energy, and"
        f" {one.cost.replacements:,.0f} for replaced drives"
    )


def sentences(plan: Plan) -> Iterator[str]:
    """Yield the sentences of a plan beside its tables."""
    if plan.front and plan.currency is not None:
        yield money(plan.front[0], plan.currency)
    if plan.front:
        yield (
            "latency is the mean of reads or of writes, whichever is longer; headroom: how many"
            " times the load the design carries within the limits; outgrown: the limit that growth"
            " reaches first with the first purchase; meets it: the share of draws of unknown card"
            " values in which the design keeps all limits"
        )
        yield from _states(plan)
        yield from _unsettled(plan)
        never = [str(one.number) for one in plan.front if one.rebuild == math.inf]
        if never:
            yield f"under the load a rebuild does not progress in these designs: {', '.join(never)}"
    for one in plan.front:
        if one.experiment is not None and one.chance is not None and one.chance < 1:
            yield f"{one.number}: to be surer, {one.experiment.text} ({one.experiment.card})"
    if plan.settles:
        yield plan.settles
    if plan.nearest is not None:
        yield "no design meets the need"
        lacks = ", ".join(f"{name} {times(by)}" for name, by in plan.nearest.lacks.items())
        unseen = "" if any(stage.runs for stage in plan.funnel) else UNSEEN
        yield f"the nearest is {plan.nearest.number}: {plan.nearest.label}; {lacks}{unseen}"
    elif not plan.front:
        yield "no design meets the need, and none is near it: no hardware of the choice fits"
    yield from _levers(plan)
    if plan.unpriced:
        many = len(plan.unpriced)
        shown = ", ".join(plan.unpriced[:8]) + (", ..." if many > 8 else "")
        yield f"designs with {many} cards that have no price are left out: {shown}"
    yield from plan.remarks


def _unsettled(plan: Plan) -> Iterator[str]:
    """Yield where the runs of a design were ended before its caches had settled."""
    for one in plan.front:
        for name, words in STATES.items():
            state = getattr(one, name)
            if state is not None and state.unsettled:
                yield (
                    f"{one.number}, {words}: {state.unsettled}; its figures may become worse later"
                )


def _states(plan: Plan) -> Iterator[str]:
    for name, words in (
        ("degraded", "with a drive missing"),
        ("rebuilding", "while one is rebuilt"),
    ):
        states = [(one.number, getattr(one, name)) for one in plan.front]
        means = {
            number: 1000 * max(kind["mean"] for kind in state.latency.values())
            for number, state in states
            if state is not None and state.latency
        }
        unit, written = numbers.in_one_unit(list(means.values()))
        found = [f"{number} {text}" for number, text in zip(means, written, strict=True)]
        if found:
            yield f"latency {words}, {unit}: {', '.join(found)}"
        lost = [str(n) for n, state in states if state is not None and n not in means]
        if lost:
            yield f"{words} these do not carry the load: {', '.join(lost)}"


def _levers(plan: Plan) -> Iterator[str]:
    unit = plan.currency or "drives"
    found = [f"{one.limit} ({one.best:,.0f} {unit})" for one in plan.levers if one.best is not None]
    if not found:
        return
    if plan.front or plan.funnel[1].left:
        yield (
            "the limits that cost most; in brackets the cost of the best design without this limit,"
            f" by arithmetic and bounds alone: {', '.join(found[:4])}"
        )
    else:
        yield (
            "without one of these limits arithmetic and bounds would leave some designs; whether"
            f" runs would keep them is not known. The cheapest: {', '.join(found[:4])}"
        )


def times(ratio: float) -> str:
    """By how much a limit is missed."""
    if ratio > NO_MEASURE:
        return "is missed"
    if ratio < 2:
        return f"is missed by {100 * (ratio - 1):.3g} %"
    return f"is missed by a factor of {units.plain(ratio, 3)}"


def _table(*columns: str) -> Table:
    table = ruled(3)
    for column in columns:
        table.add_column(column)
    return table
