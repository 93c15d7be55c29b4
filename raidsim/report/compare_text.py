"""A comparison of systems as text: what ``raidsim compare`` prints."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim.report import compare_words as say
from raidsim.report.console import ReportConsole
from raidsim.report.hardware import some
from raidsim.report.numbers import MB_PER_S, NOT_MEASURED
from raidsim.report.ruled import ruled
from raidsim.studies.comparison import Comparison, Line
from raidsim.studies.differences import Setting

MOST_VALUES = 12
"""Values of cards that are listed where not all are asked for."""


def text(comparison: Comparison) -> str:
    """All of a comparison as plain text."""
    written = io.StringIO()
    print_comparison(comparison, ReportConsole(written))
    return written.getvalue()


def print_comparison(comparison: Comparison, console: Console, *, every: bool = False) -> None:
    """Print a comparison; ``every`` lists all percentiles and all values of cards that differ."""
    for mark, name in zip(say.letters(comparison), say.named(comparison), strict=True):
        console.print(Text.assemble((mark, "bold"), f"  {name}"), soft_wrap=True)
    console.print()
    for sentence in say.sentences(comparison):
        console.print(Text(sentence, style="bold"), soft_wrap=True)
    console.print()
    _print_settings(comparison, console, every=every)
    if comparison.facts:
        console.print(_facts(comparison), crop=False)
        console.print()
    if comparison.within:
        console.print(
            _lines(comparison, comparison.within, "the highest load", say.heading), crop=False
        )
        console.print()
    for title, lines in blocks(comparison, every=every):
        console.print(_lines(comparison, lines, title, lambda line: line.at), crop=False)
        console.print()
    for title, lines in state_blocks(comparison, every=every):
        console.print(_lines(comparison, lines, title, lambda line: line.at), crop=False)
        console.print()
    for note in notes(comparison, every=every):
        console.print(Text(note), soft_wrap=True)


def blocks(comparison: Comparison, *, every: bool = False) -> list[tuple[str, list[Line]]]:
    """The lines figure by figure, each figure with a title."""
    return _grouped(comparison.lines, every=every)


def state_blocks(comparison: Comparison, *, every: bool = False) -> list[tuple[str, list[Line]]]:
    """The lines by state (healthy, degraded, rebuilding), figure by figure, each with a title."""
    found = _grouped(comparison.states, every=every)
    return [(f"by state: {title}", lines) for title, lines in found]


def _grouped(lines: Sequence[Line], *, every: bool) -> list[tuple[str, list[Line]]]:
    several = len({line.load for line in lines}) > 1
    groups: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        special = line.name not in say.WORDS and not line.name.startswith("iops from")
        if every or special or line.name in say.SHOWN:
            groups.setdefault((line.load, line.name), []).append(line)
    return [
        (f"{f'{load}: ' if several else ''}{say.heading(found[0])}", found)
        for (load, _), found in groups.items()
    ]


def notes(comparison: Comparison, *, every: bool = False) -> list[str]:
    """Return notes on the basis of the figures, and on the unit MB where it is shown."""
    shown = [*comparison.within, *(comparison.lines if every else ())]
    found = [MB_PER_S] if any(line.unit == "MB/s" for line in shown) else []
    if len(comparison.seeds) > 1:
        found.append(
            "ratios: with 95 % intervals over"
            f" {len(comparison.seeds)} runs of each with the same seeds"
            + ("" if comparison.draws else "; --unknowns adds what models and cards do not know")
        )
    elif comparison.seeds:
        found.append("one run of each: no intervals; ask for more with --seeds")
    if comparison.draws:
        found.append(
            f"draws: the same {comparison.draws} of what cards do not know in all systems; nine in"
            ' ten have the ratio so, and an order "survives" if 19 in 20 have it'
        )
    return [*found, *say.survivors(comparison), *comparison.remarks]


def _print_settings(comparison: Comparison, console: Console, *, every: bool) -> None:
    """Print the differences of scenarios and of cards."""
    rows = [*comparison.keys, *comparison.cards]
    if not rows:
        console.print("The scenarios and their cards are the same.")
        console.print()
        return
    shown = comparison.cards if every else comparison.cards[:MOST_VALUES]
    console.print(_settings(comparison, [*comparison.keys, *shown]), crop=False)
    left = len(comparison.cards) - len(shown)
    if left:
        console.print(f"and {some(left, 'more value')} of cards (--all lists them)")
    console.print()


def _settings(comparison: Comparison, found: Sequence[Setting]) -> Table:
    table = _table("what differs", *say.letters(comparison))
    where = ""
    for one in found:
        if one.where and one.where != where:
            table.add_row(Text(one.where, style="bold"))
            where = one.where
        values = (Text(NOT_MEASURED if each is None else each) for each in one.values)
        table.add_row(Text(f"  {one.key}" if one.where else one.key), *values)
    return table


def _facts(comparison: Comparison) -> Table:
    table = _table("the system", "unit", *say.letters(comparison), right=2)
    for one in comparison.facts:
        cells = (say.fact(one, number) for number in range(len(comparison.names)))
        table.add_row(one.name, say.fact_unit(one), *cells)
    return table


def _lines(
    comparison: Comparison, lines: Sequence[Line], title: str, first: Callable[[Line], str]
) -> Table:
    """A row for each line: values, ratios, and what the draws have of them."""
    names = say.letters(comparison)
    base = names[0]
    others = range(1, len(names))
    drawn = any(line.orders for line in lines)
    heads = [*names, *(f"{names[n]} / {base}" for n in others)]
    heads += [f"{names[n]} / {base} in draws" for n in others if drawn]
    table = _table(title, *heads, right=1)
    for line in lines:
        cells = [say.value(line, number) for number in range(len(names))]
        cells += [say.ratio(line.against[number]) for number in others]
        if drawn:
            cells += [say.order(line.orders[n]) if line.orders else NOT_MEASURED for n in others]
        table.add_row(first(line), *cells)
    return table


def _table(*headers: str, right: int | None = None) -> Table:
    """A table whose columns are set to the right from one of them on."""
    table = ruled(3)
    for number, header in enumerate(headers):
        is_right = right is not None and number >= right
        table.add_column(Text(header), justify="right" if is_right else "left", no_wrap=True)
    return table
