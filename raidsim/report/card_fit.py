"""What ``raidsim card fit`` prints: rated figures against the simulation, and values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim import units
from raidsim.calibrate.rated_runs import PREFIX
from raidsim.calibrate.rated_scenario import HOST_WORDS
from raidsim.report.ruled import ruled

if TYPE_CHECKING:
    from raidsim.calibrate.card_fit import CardFit
    from raidsim.calibrate.conflicts import Conflict

MOST = 2  # figures that a value is said to be determined by


def print_fit(found: CardFit, console: Console) -> None:
    """Print the rated figures, the values, and what stays open."""
    console.print(Text.assemble((found.card.name, "bold"), f": {found.card.title}"))
    console.print(Text(_how(found)), soft_wrap=not console.is_terminal)
    console.print()
    console.print(_figures(found))
    console.print()
    if found.taken:
        console.print(_taken(found))
        console.print()
    if found.values:
        console.print(_values(found))
        console.print()
    for line in (*_open(found), _sentence(found)):
        console.print(Text(line), soft_wrap=not console.is_terminal)


def _how(found: CardFit) -> str:
    """Say what was beside the hardware when it was measured."""
    if found.card.kind == "host":
        return "Measured with a drive that takes next to no time."
    what = "Measured with drives behind it that take next to no time, on"
    return f"{what if found.card.kind == 'controller' else 'Measured alone on'} {HOST_WORDS}."


def _table(*headers: str) -> Table:
    table = ruled()
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def _figures(found: CardFit) -> Table:
    table = _table("rated figure", "printed", "unit", "before", "simulated", "miss", "load")
    for column in (1, 3, 4, 5):
        table.columns[column].justify = "right"
    for one in found.figures:
        miss = "none" if one.miss is None else f"{100 * one.miss:+.1f} %"
        table.add_row(
            one.figure.name,
            _number(one.figure.written),
            one.figure.unit,
            _number(one.before),
            _number(one.after),
            Text(miss, style="" if one.is_met else "bold red"),
            f"{one.figure.load}, {one.figure.state}",
        )
    return table


def _taken(found: CardFit) -> Table:
    table = _table("value as printed", "before", "now", "unit", "figure")
    by_name = found.card.about.by_name
    figures = {} if found.card.rated is None else found.card.rated.figures
    for one in found.taken:
        dimension = by_name[one.name].dimension
        unit = (
            figures[one.figure].unit if one.figure in figures else found.card.sources[one.name].unit
        )
        before, after = (
            "none" if value is None else f"{units.in_unit(float(value), unit, dimension):.6g}"
            for value in (one.before, one.after)
        )
        table.add_row(one.name, before, after, "" if unit == "1" else unit, one.figure)
    for column in (1, 2):
        table.columns[column].justify = "right"
    return table


def _values(found: CardFit) -> Table:
    table = _table("value", "before", "after", "unit", "range", "known to", "determined by")
    for column in (1, 2, 4, 5):
        table.columns[column].justify = "right"
    for one in found.values:
        ends = sorted(one.parameter.shown(end) for end in (one.parameter.low, one.parameter.high))
        known = f"±{100 * one.uncertainty:.2g} %" if one.determined else "not determined"
        names = ", ".join(name.removeprefix(PREFIX) for name in one.claims[:MOST])
        table.add_row(
            one.parameter.name,
            units.plain(one.before, 6),
            units.plain(one.after, 6),
            one.parameter.unit,
            f"{units.plain(ends[0], 4)} to {units.plain(ends[1], 4)}",
            known,
            "; ".join(part for part in ("at its bound" if one.at_bound else "", names) if part),
        )
    return table


def _open(found: CardFit) -> list[str]:
    lines = [f"Contradiction: {one}." for one in found.contradictions]
    lines += [_conflict(found, one) for one in found.conflicts]
    lines += [f"Not fitted to {one.name}: {one.why}." for one in found.unfitted]
    traded = [one for exchange in found.traded for one, _ in exchange.shares]
    alone = [
        one.parameter.name
        for one in found.values
        if not one.determined and not any(one.parameter is other for other in traded)
    ]
    if alone:
        lines.append(f"Not determined by any figure: {', '.join(alone)}.")
    lines += [
        f"No figure changes if these change together, so only their combination is known: {one}."
        for one in found.traded
    ]
    return lines


def _conflict(found: CardFit, one: Conflict) -> str:
    """Say why a figure is missed."""
    missed = found.figures[one.missed]
    names = ", ".join(found.values[i].parameter.name for i in one.values)
    bounds = f"; {names} would have to leave the range" if names else ""
    if one.alone:
        why = bounds.removeprefix("; ") or "no value that may move changes it enough"
        return f"Missed: {missed.figure.name}: {why}."
    if one.other is not None:
        other = found.figures[one.other].figure
        return (
            f"Missed: {missed.figure.name} and {other.name} cannot both be met: with"
            f" {missed.figure.name} as printed, {other.name} would be off by"
            f" {100 * one.by:+.0f} %{bounds}."
        )
    return f"Missed: {missed.figure.name} can be met, but not together with all others{bounds}."


def _sentence(found: CardFit) -> str:
    met = sum(one.is_met for one in found.figures)
    if found.written:
        what = f"wrote {found.card.path.name}"
    elif found.changed:
        what = f"nothing was written; {found.card.path.name} would change"
    else:
        what = "nothing to improve: the card stays as it is"
    unsettled = "" if found.settled else "; another fit may still gain, run it again"
    return f"{met} of {len(found.figures)} rated figures are met; {what}{unsettled}."


def _number(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
