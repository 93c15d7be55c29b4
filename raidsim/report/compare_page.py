"""A comparison as one HTML file that opens offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure

from raidsim.report import compare_words as say
from raidsim.report.compare_plot import INCHES, Panel, described, panels, title
from raidsim.report.compare_text import blocks, notes, state_blocks
from raidsim.report.embedded import PALETTE, drawn
from raidsim.report.numbers import NOT_MEASURED
from raidsim.report.pages import filled
from raidsim.studies.comparison import Comparison, Line
from raidsim.version import __version__


@dataclass(frozen=True)
class Table:
    """A table of the page: its title, heads and rows."""

    title: str
    headers: list[str]
    rows: list[list[str]]


def render(comparison: Comparison) -> bytes:
    """Write the page of a comparison: UTF-8, self-contained, equal for equal comparisons."""
    pictures = [
        (panel.title,
         drawn(partial(_draw, panel=panel), f"panel-{number}", described(panel, comparison),
               INCHES))
        for number, panel in enumerate(panels(comparison))
    ]  # fmt: skip
    return filled(
        "compare_page.html.j2",
        title=title(comparison),
        sentences=list(say.sentences(comparison)),
        systems=list(zip(say.letters(comparison), say.named(comparison), strict=True)),
        pictures=pictures,
        settings=_settings(comparison),
        facts=_facts(comparison),
        tables=list(_tables(comparison)),
        notes=notes(comparison),
        version=__version__,
    )


def _draw(figure: Figure, panel: Panel) -> None:
    panel.draw(figure.subplots(), PALETTE)


def _settings(comparison: Comparison) -> Table:
    rows = []
    for one in (*comparison.keys, *comparison.cards):
        name = f"{one.where}: {one.key}" if one.where else one.key
        rows.append([name, *(NOT_MEASURED if each is None else each for each in one.values)])
    return Table("What differs", ["", *say.letters(comparison)], rows)


def _facts(comparison: Comparison) -> Table:
    rows = [
        [one.name, say.fact_unit(one), *(say.fact(one, n) for n in range(len(comparison.names)))]
        for one in comparison.facts
    ]
    return Table("The systems", ["", "unit", *say.letters(comparison)], rows)


def _tables(comparison: Comparison) -> list[Table]:
    found = []
    if comparison.within:
        heading = f"The highest load within {comparison.within_words}"
        rows = [[say.heading(line), *_cells(comparison, line)] for line in comparison.within]
        found.append(Table(heading, _heads(comparison, comparison.within), rows))
    for heading, lines in (*blocks(comparison), *state_blocks(comparison)):
        rows = [[line.at, *_cells(comparison, line)] for line in lines]
        found.append(Table(heading, _heads(comparison, lines), rows))
    return found


def _heads(comparison: Comparison, lines: Sequence[Line]) -> list[str]:
    base, *others = say.letters(comparison)
    heads = ["", base, *others, *(f"{name} / {base}" for name in others)]
    if any(line.orders for line in lines):
        heads += [f"{name} / {base} in draws" for name in others]
    return heads


def _cells(comparison: Comparison, line: Line) -> list[str]:
    others = range(1, len(comparison.names))
    cells = [say.value(line, number) for number in range(len(comparison.names))]
    cells += [say.ratio(line.against[number]) for number in others]
    if line.orders:
        cells += [say.order(line.orders[number]) for number in others]
    return cells
