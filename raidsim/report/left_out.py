"""Documents left out, as a table."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from raidsim.report.ruled import titled


def left_out_table(found: dict[str, Any]) -> Table:
    """Return the errors of each document's figures, predicted without it (`raidsim leave-out`)."""
    table = titled("Figures of documents, by cards that the document was not used for")
    table.add_column("")
    for column in ("values", "figures", "median", "90 %", "worst", "too high"):
        table.add_column(column, justify="right")
    for one in found["documents"]:
        table.add_row(one["name"], str(len(one["replaced"])))
        for role in ("calibration", "prediction"):
            _row(table, f"  {role}", one[role])
    table.add_section()
    for role in ("calibration", "prediction"):
        _row(table, f"all of {role}", found["all"][role])
    return table


def _row(table: Table, name: str, errors: dict[str, Any]) -> None:
    if errors["figures"]:
        shares = (errors[key] for key in ("median_error", "p90_error", "worst_error", "too_high"))
        table.add_row(name, "", str(errors["figures"]), *(f"{100 * x:.1f} %" for x in shares))
