"""How tables of an explanation look, and how it writes numbers."""

from __future__ import annotations

from rich.table import Table

from raidsim.report import numbers
from raidsim.report.ruled import ruled


def us(seconds: float) -> str:
    """A time in us, without its unit."""
    return numbers.figure(seconds * 1e6)


def table(*headers: str) -> Table:
    """A table with these headers; the columns of those that begin with > are numbers."""
    lines = max(header.count("\n") for header in headers)
    made = ruled()
    for header in headers:
        text = header.removeprefix(">")
        made.add_column(
            "\n" * (lines - text.count("\n")) + text,
            justify="right" if header.startswith(">") else "left",
            no_wrap=True,
        )
    return made
