"""Tables on terminals that are too narrow: divided into parts, so that no text is cut.

Each part has the first column, which names the rows, and as many other columns as fit. Texts that
may wrap do so between words; figures are never divided. If not even one column fits, lines are
longer than the terminal, which wraps them.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Column, Table

WIDE = 10_000
LEAST_WITH_TWO = 3  # columns of a table in which the second may be a label, too


@dataclass(frozen=True)
class Room:
    """The width that a column needs, and the width that it would have with enough room."""

    least: int
    most: int


def parts_of(table: Table, console: Console) -> Iterator[tuple[Table, int]]:
    """The parts of a table, and how wide each has to be printed: one part where all has room."""
    if len(table.columns) == 0 or _width(table, console) <= console.width:
        yield table, console.width
        return
    room = [_room(column, console) for column in table.columns]
    beside = _width(table, console) - sum(one.most for one in room)
    beside = -(-beside // len(room))  # of each column, its share of the frame
    labels = _labels(table)
    chosen: list[list[int]] = [[*labels]]
    for place in range(len(labels), len(room)):
        used = [*chosen[-1], place]
        full = sum(room[one].least + beside for one in used) > console.width
        if full and len(chosen[-1]) > len(labels):
            chosen.append([*labels])
        chosen[-1].append(place)
    for number, places in enumerate(chosen):
        part = copy(table)
        part.title = table.title if number == 0 else None
        part.caption = table.caption if number == len(chosen) - 1 else None
        widths = _widths([room[one] for one in places], console.width - beside * len(places))
        part.columns = [
            replace(table.columns[one], width=width, no_wrap=not may_wrap(table.columns[one]))
            for one, width in zip(places, widths, strict=True)
        ]
        for at, column in enumerate(part.columns):
            column._index = at
            if not column.no_wrap:
                column.overflow = "fold"
        yield part, max(console.width, _width(part, console))


def _labels(table: Table) -> list[int]:
    """The columns that say what a row is of: the first, and the second if it has no header."""
    if len(table.columns) < LEAST_WITH_TWO:
        return [0]
    second = table.columns[1]
    return [0, 1] if may_wrap(second) and str(second.header).strip() == "" else [0]


def _widths(room: list[Room], width: int) -> list[int]:
    """Return the widths of columns: room beyond their needs goes to the narrowest first."""
    found = [one.least for one in room]
    for _ in range(width - sum(found)):
        short = [at for at, one in enumerate(room) if found[at] < one.most]
        if not short:
            break
        found[min(short, key=found.__getitem__)] += 1
    return found


def may_wrap(column: Column) -> bool:
    """Return whether a column holds texts and no figures, which stand at its right edge."""
    return column.justify != "right"


def _width(table: Table, console: Console) -> int:
    """Return the width of a table with enough room."""
    return console.measure(table, options=console.options.update(width=WIDE)).maximum


def _room(column: Column, console: Console) -> Room:
    options = console.options.update(width=WIDE)
    cells = [column.header, *column.cells]
    found = [console.measure(cell, options=options) for cell in cells]
    most = least = max(one.maximum for one in found)
    if may_wrap(column):
        indents = [len(str(cell)) - len(str(cell).lstrip(" ")) for cell in cells]
        least = max(one.minimum + more for one, more in zip(found, indents, strict=True))
    least = max(least, min(column.min_width or 0, most))
    return Room(least, most)
