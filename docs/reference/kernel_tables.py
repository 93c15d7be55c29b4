"""The page of the kernel's tables, from their declarations."""

from __future__ import annotations

from raidsim.cards.reference import table
from raidsim.kernel.world import TABLES
from raidsim.records import Column, Field, Table

INTRODUCTION = """\
# Tables of the kernel

For those who read or change the kernel. All that a simulated system is, knows and does is in
these tables. One set of them makes a `World`, and compiled code works on nothing else. Each table
is declared once, in `raidsim/kernel/*tables.py` and `raidsim/layout/tables.py`. From the
declaration come its memory, this page, and what becomes of a field:

| role | what it is | after a power cut | in a new window |
| --- | --- | --- | --- |
| configuration | what was built, or set from outside | stays | stays |
| state | on a medium, or known from elsewhere | stays | stays |
| volatile | what is under way, or in an unprotected buffer | begins anew | stays |
| counter | what has been counted since the start | stays | its growth is the window's |
| window | what is counted from the opening of the window on | stays | begins at zero |

Of tables marked with an asterisk a power cut clears only some rows: those of parts without
protection. Types are NumPy's. Rows refer to each other by number; NONE is -1. What has no unit is a
number, an index or a flag.
"""


def markdown() -> str:
    """All of the page."""
    return "\n".join([INTRODUCTION, *(section(one) for one in TABLES.values())])


def section(one: Table) -> str:
    """Heading, meaning and fields of a table."""
    mark = " *" if one.memory.apart else ""
    if isinstance(one, Column):
        size = f"{one.type.itemsize} bytes each"
    else:
        size = f"{one.type.itemsize} bytes a row"
    rows = [row(name, field) for name, field in one.fields.items()]
    head = f"## {one.name}{mark}\n\nA row: {one.meaning}. {size[0].upper()}{size[1:]}.\n\n"
    return head + table(("field", "type", "unit", "role", "begins as", "meaning"), rows)


def row(name: str, field: Field) -> tuple[str, ...]:
    """What is declared of a field."""
    kind = field.type + "".join(f"[{length}]" for length in field.shape)
    start = f"{field.start:g}" if abs(field.start) < 1e6 else "never"
    return f"`{name}`", kind, field.unit, field.role.value, start, field.meaning
