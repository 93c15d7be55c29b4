"""The form of the tables of reports: a rule under their headers, and no frame."""

from __future__ import annotations

from rich import box
from rich.table import Table

# A space between columns, and a rule below the header only.
RULED = box.Box("    \n    \n ── \n    \n    \n    \n    \n    \n")


def ruled(gap: int = 2) -> Table:
    """An empty table, its columns ``gap`` spaces apart."""
    return Table(box=RULED, show_edge=False, pad_edge=False, padding=(0, gap - 1, 0, 0))


def titled(title: str) -> Table:
    """An empty table below a title, its columns apart by a space on both sides."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1),
    )
