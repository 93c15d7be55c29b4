"""A validation on the terminal: the share that holds, by document and role, and the misses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from raidsim.report.ruled import titled
from raidsim.validate.report import ValidationReport
from raidsim.validate.summary import AgainstFormula, Row
from raidsim.validate.verdict import Verdict
from raidsim.validate.words import (
    UNEXPLAINED,
    commands_of,
    figures_text,
    percent,
    role_text,
    skill_text,
)

FEW = 12
"""Claims up to which each is shown, with its figures and how to see its runs again."""


def everything(report: ValidationReport) -> Group:
    """Return the tables, and each claim that does not hold."""
    parts: list[RenderableType] = [summary_table(report.summary)]
    parts += ["", tests_table(report.summary)]
    if report.comparisons:
        parts += ["", comparison_table(report.comparisons)]
        parts += [Text(skill(one)) for one in report.comparisons]
    if report.covers:
        parts += ["", cover_table(report)]
    few = len(report.verdicts) <= FEW
    if report.failed:
        parts += ["", Text("Claims that do not hold, the largest error first", style="bold")]
        parts += list(_each(report.failed, few))
    if few and (held := [verdict for verdict in report.verdicts if verdict.holds]):
        parts += ["", Text("Claims that hold", style="bold"), *_each(held, few)]
    if report.untested:
        parts += ["", Text(untested_text(report.untested))]
    return Group(*parts)


def untested_text(cards: Sequence[str]) -> str:
    """Say that nothing was printed of some parts of a system."""
    return (
        f"No claim is about {', '.join(cards)}: what is simulated of that rests on the card alone"
        " (raidsim models NAME)."
    )


def summary_table(rows: Sequence[Row]) -> Table:
    """Return coverage and errors: documents by role, then all of a role, then all."""
    table = _table("Claims, and errors of those with a figure")
    for column in ("claims", "covered", "hold", "", "figures", "median", "90 %", "worst"):
        table.add_column(column, justify="right")
    document = ""
    for row in rows:
        if row.group == "document and role":
            if row.name != document:
                table.add_row(Text(row.name, style="bold"))
                document = row.name
            table.add_row(f"  {row.role}", *_cells(row))
    catalogue = [row for row in rows if row.group == "kind" and row.name == "catalogue"]
    totals = [row for row in rows if row.group in ("all", "role")]
    if totals:
        table.add_section()
    for row in sorted(totals, key=lambda one: one.group == "all"):
        table.add_row(f"all of {row.name}" if row.group == "role" else row.name, *_cells(row))
    for row in catalogue:
        table.add_row("catalogue, outside errors", *_cells(row)[:4])
    return table


def tests_table(rows: Sequence[Row]) -> Table:
    """Return the table of claims that test the simulation, with their plain errors."""
    table = _table("Claims that test the simulation, and simulated over published, less 1")
    for column in ("test it", "hold", "", "figures", "median", "90 %", "worst", "too high"):
        table.add_column(column, justify="right")
    groups = ("document and role", "origin and role", "role", "all")
    chosen = [row for row in rows if row.group in groups]
    for row in sorted(chosen, key=lambda one: min(groups.index(one.group), 2)):
        tests, hold = row.tests
        name = f"{row.name}, {row.role}" if row.role else row.name
        plain = row.plain
        table.add_row(
            f"all of {name}" if row.group == "role" else name,
            str(tests),
            str(hold),
            percent(hold / tests if tests else None, digits=0),
            str(plain.figures),
            *(percent(one) for one in (plain.median, plain.p90, plain.worst)),
            percent(plain.too_high, digits=0),
        )
    return table


def skill(one: AgainstFormula) -> str:
    """Return in words whether the simulation says more than the planning formula."""
    apart = one.apart
    return skill_text(one.name, apart.simulation, apart.formula, apart.chance, one.claims)


def comparison_table(comparisons: Iterable[AgainstFormula]) -> Table:
    """Return simulation against planning formula."""
    table = _table("Claims about arrays: the simulation, and the usual planning formula")
    for column in ("claims", "hold", "", "figures", "median", "90 %", "worst"):
        table.add_column(column, justify="right")
    for one in comparisons:
        table.add_row(Text(one.name, style="bold"))
        for name, errors in (("simulation", one.simulation), ("formula", one.formula)):
            table.add_row(
                f"  {name}",
                str(one.claims),
                str(errors.hold),
                percent(errors.hold / one.claims, digits=0),
                str(one.figures),
                *(percent(error) for error in (errors.median, errors.p90, errors.worst)),
            )
    return table


def cover_table(report: ValidationReport) -> Table:
    """Return the table of how many printed figures lie inside intervals of unknown values."""
    table = _table(f"Printed figures, and intervals of nine in ten of {report.draws} draws")
    for column in ("figures", "covered", "", "above", "below", "half width, median"):
        table.add_column(column, justify="right")
    for cover in report.covers:
        table.add_row(
            cover.name if cover.group == "all" else f"  {cover.name}",
            str(cover.figures),
            str(cover.covered),
            percent(cover.share, digits=0),
            str(cover.above),
            str(cover.figures - cover.covered - cover.above),
            percent(cover.median_half_width),
        )
    return table


def _table(title: str) -> Table:
    table = titled(title)
    table.add_column("")
    return table


def _cells(row: Row) -> list[str]:
    return [
        str(row.claims),
        percent(row.coverage, digits=0),
        str(row.hold),
        percent(row.share, digits=0),
        str(row.figures),
        *(percent(error) for error in (row.median, row.p90, row.worst)),
    ]


def _each(verdicts: Sequence[Verdict], commands: bool) -> Iterable[RenderableType]:
    """Each claim with its figures; of one that does not hold the best explanation."""
    for verdict in verdicts:
        claim = verdict.claim
        yield Text.assemble((claim.id, "bold"), f"  {role_text(claim)}: {figures_text(verdict)}")
        if not verdict.holds:
            yield Padding(Text(claim.explanation or UNEXPLAINED), (0, 0, 0, 4))
        if commands:
            for command in commands_of(verdict):
                yield Padding(Text(command), (0, 0, 0, 4))
