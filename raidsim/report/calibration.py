"""A calibration on the terminal: values, residuals, and what the claims cannot determine."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table

from raidsim.calibrate.report import CalibrationReport, Fitted
from raidsim.validate.words import number_text, percent, published_text


def everything(report: CalibrationReport) -> Group:
    """Return the tables, and what is said below them."""
    tables = _parameters_table(report), _residuals_table(report)
    return Group(*tables, *open_ends(report), sentence(report))


def open_ends(report: CalibrationReport) -> list[str]:
    """Return sentences on values that the claims do not determine."""
    found = []
    alone = [one.parameter.name for one in report.undetermined if not _is_traded(one, report)]
    if alone:
        found.append(f"Not determined, whatever the others are: {', '.join(alone)}.")
    found += [
        f"No claim changes if these change together, so only their combination is known: {traded}."
        for traded in report.traded
    ]
    return found


def _is_traded(value: Fitted, report: CalibrationReport) -> bool:
    return any(value.parameter is one for traded in report.traded for one, _ in traded.shares)


def sentence(report: CalibrationReport) -> str:
    """Return the result of the calibration as one line."""
    if report.written:
        what = "wrote " + ", ".join(path.name for path in report.written)
    elif report.changed:
        names = ", ".join(path.name for path in report.changed)
        what = f"nothing was written; {names} would change"
    else:
        what = "nothing to improve: no file was changed"
    held = sum(verdict.holds for verdict in report.after)
    unsettled = "" if report.settled else "; more rounds may still gain, run it again"
    return f"{held} of {len(report.after)} claims hold; {what}{unsettled}."


def _parameters_table(report: CalibrationReport) -> Table:
    table = Table(title="Values fitted", title_justify="left")
    table.add_column("value", overflow="fold")
    for column in ("before", "after"):
        table.add_column(column, justify="right")
    table.add_column("unit")
    table.add_column("known to", justify="right")
    table.add_column("determined by", overflow="fold")
    for one in report.parameters:
        known = f"±{one.uncertainty * 100:.2g} %" if one.determined else "not determined"
        note = "at its bound; " if one.at_bound else ""
        table.add_row(
            one.parameter.name,
            f"{one.before:g}",
            f"{one.after:g}",
            one.parameter.unit,
            known,
            note + ", ".join(one.claims[:2]),
        )
    return table


def _residuals_table(report: CalibrationReport) -> Table:
    table = Table(title="Claims fitted to", title_justify="left")
    table.add_column("claim", overflow="fold")
    for column in ("published", "simulated"):
        table.add_column(column, justify="right")
    table.add_column("unit")
    for column in ("error before", "error"):
        table.add_column(column, justify="right")
    table.add_column("holds")
    for before, after in zip(report.before, report.after, strict=True):
        table.add_row(
            after.claim.id,
            published_text(after.claim),
            number_text(after.simulated),
            "" if after.claim.unit == "1" else after.claim.unit,
            percent(before.error, "+"),
            percent(after.error, "+"),
            "yes" if after.holds else "no",
        )
    return table
