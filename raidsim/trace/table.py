"""Texts with one request a line: the form of a cell, and cells of many lines at a time.

A format defines its columns. Regular lines are read together by fast code. Each other line is read
separately by slower code, which accepts blanks, quotes, signs and exponents too, and reports
errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

import numpy as np

from raidsim.errors import one_line, quote
from raidsim.trace.counts import Counts
from raidsim.trace.digits import (
    MOST_DIGITS,
    PADDING,
    POWERS,
    Characters,
    Places,
    Truths,
    packed_word,
)
from raidsim.trace.names import LONGEST, Names
from raidsim.trace.stream import Source

Kind = Literal["whole", "fixed", "hex", "word", "key"]

MISSING = -1
"""What stands for a cell that is empty, where it may be."""

LARGEST = 2**63 - 1
_WHOLE = re.compile(r"\+?\d{1,400}(?:\.0*)?", re.ASCII)
_HEX = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,400}")
_DECIMAL = re.compile(r"[+-]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][+-]?\d{1,9})?", re.ASCII)


@dataclass(frozen=True)
class Column:
    """The content of a column.

    Attributes
    ----------
    name : by which the format asks for it.
    kind : "whole" number; "fixed", a decimal number; "hex"; "word", one of some; "key", a name.
    digits : of a fixed number, how many behind the point are kept: it is multiplied by ten to the
        power of that.
    words : of a word, what stands for each one; small letters.
    may_be_empty : whether an empty cell is `MISSING`, rather than not understood.
    """

    name: str
    kind: Kind
    digits: int = 0
    words: Mapping[str, int] = field(default_factory=dict)
    may_be_empty: bool = False


@dataclass(frozen=True)
class Layout:
    """Columns of a format in order, None for one that nothing is taken of.

    Attributes
    ----------
    columns : the columns.
    separator : what stands between them; None for any number of blanks and tabs.
    more : whether a line may have more columns behind them.
    aside : the kind of a line that is no request but is known, else None.
    cells : the cells of a line that is not as others, where more than separators make them.
    """

    columns: tuple[Column | None, ...]
    separator: str | None = ","
    more: bool = False
    aside: Callable[[str], str | None] | None = None
    cells: Callable[[str], Sequence[str]] | None = None


@dataclass(frozen=True)
class Rows:
    """Cells of some lines, in the order of the lines.

    Attributes
    ----------
    lines : number of each line, from 1.
    cells : by the name of the column.
    """

    lines: Places
    cells: dict[str, Places]

    def __getitem__(self, name: str) -> Places:
        return self.cells[name]

    def __len__(self) -> int:
        return len(self.lines)

    def only(self, wanted: Truths) -> Rows:
        """Some of them."""
        if wanted.all():
            return self
        cells = {name: values[wanted] for name, values in self.cells.items()}
        return Rows(self.lines[wanted], cells)


class Table:
    """A trace whose lines are rows of a table.

    Parameters
    ----------
    layout
        What the columns are.
    path
        The trace, for messages.
    """

    def __init__(self, layout: Layout, path: str) -> None:
        self.layout = layout
        self.names = {
            column.name: Names(path) for column in layout.columns if column and column.kind == "key"
        }
        self._words = {
            column.name: {packed_word(word.encode()): value for word, value in column.words.items()}
            for column in layout.columns
            if column is not None and column.kind == "word"
        }

    def rows(self, source: Source, counts: Counts, skip: int = 0) -> Iterator[Rows]:
        """All lines of a source but the first `skip`; what is no row is counted."""
        for text in source.lines(counts):
            first = counts.lines + 1
            found = self.read(text, first, counts, skip)
            skip = max(0, skip - (counts.lines + 1 - first))
            if len(found):
                yield found

    def read(self, text: bytes, first: int, counts: Counts, skip: int = 0) -> Rows:
        """The rows of some whole lines, of which the first has this number."""
        characters = Characters(text)
        ends = np.flatnonzero(characters.bytes[PADDING : PADDING + len(text)] == ord("\n"))
        ends += PADDING
        counts.lines += len(ends)
        starts = np.concatenate(([PADDING], ends + 1))[: len(ends)]
        if skip:
            starts, ends, first = starts[skip:], ends[skip:], first + skip
        regular, cell_starts, cell_ends = self._split(characters, starts, ends)
        cells: dict[str, Places] = {}
        good = np.ones(len(cell_starts), bool)
        for place, column in enumerate(self.layout.columns):
            if column is not None:
                cells[column.name] = self._column(
                    column, characters, cell_starts[:, place], cell_ends[:, place], good
                )
        for column in self.layout.columns:
            if column is not None and column.kind == "key":
                self._name(column.name, characters, cell_starts, cell_ends, cells, good)
        if len(good) == len(starts) and good.all():
            return Rows(np.arange(first, first + len(starts)), cells)
        return self._mended(characters, starts, ends, first, regular, cells, good, counts)

    def _name(
        self,
        name: str,
        characters: Characters,
        starts: Places,
        ends: Places,
        cells: dict[str, Places],
        good: Truths,
    ) -> None:
        """Give the names of a column numbers: of good rows only, for others may be anything."""
        names = [column.name if column else None for column in self.layout.columns]
        place = names.index(name)
        rows = np.flatnonzero(good)
        begin, end = starts[rows, place], ends[rows, place]
        keys = characters.keys(begin, end)
        found = self.names[name].numbers(
            keys, lambda at: one_line(characters.text(int(begin[at]), int(end[at])))
        )
        cells[name] = np.zeros(len(good), np.int64)
        cells[name][rows] = found

    # ---- the fast way

    def _split(
        self, characters: Characters, starts: Places, ends: Places
    ) -> tuple[Truths, Places, Places]:
        """Return the lines with the right number of cells, and the places of these."""
        if self.layout.separator is None:
            return self._tokens(characters, starts, ends)
        text = characters.bytes
        wanted = len(self.layout.columns)
        here = slice(int(starts[0]) if len(starts) else 0, int(ends[-1]) + 1 if len(ends) else 0)
        part = text[here]
        at = np.flatnonzero((part == ord(self.layout.separator)) | (part == ord("\n")))
        at += here.start
        last = np.flatnonzero(text[at] == ord("\n"))
        number = np.diff(last, prepend=-1)
        regular = number >= wanted if self.layout.more else number == wanted
        begin = last[regular] - number[regular] + 1  # of the separators of a line, the first
        cell_ends = at[begin[:, None] + np.arange(wanted)]
        cell_starts = np.empty_like(cell_ends)
        cell_starts[:, 0] = starts[regular]
        cell_starts[:, 1:] = cell_ends[:, :-1] + 1
        returns = text[cell_ends[:, -1] - 1] == ord("\r")
        if returns.any():
            cell_ends[:, -1] -= returns & (cell_ends[:, -1] > cell_starts[:, -1])
        if (part == ord(" ")).any():
            cell_starts += (text[cell_starts] == ord(" ")) & (cell_starts < cell_ends)
            cell_ends -= (text[cell_ends - 1] == ord(" ")) & (cell_starts < cell_ends)
        return regular, cell_starts, cell_ends

    def _tokens(
        self, characters: Characters, starts: Places, ends: Places
    ) -> tuple[Truths, Places, Places]:
        """Return the same as the function above, for lines with blanks between cells."""
        wanted = len(self.layout.columns)
        begin, end = int(starts[0]) if len(starts) else 0, int(ends[-1]) + 1 if len(ends) else 0
        blank = characters.bytes[begin:end] <= ord(" ")
        edges = np.flatnonzero(np.diff(blank, prepend=True))
        token_starts, token_ends = edges[::2] + begin, edges[1::2] + begin
        first = np.searchsorted(token_starts, starts)
        number = np.searchsorted(token_starts, ends) - first
        regular = number >= wanted if self.layout.more else number == wanted
        places = first[regular][:, None] + np.arange(wanted)
        return regular, token_starts[places], token_ends[places]

    def _column(
        self, column: Column, characters: Characters, start: Places, end: Places, good: Truths
    ) -> Places:
        """The values of a column; `good` loses the rows whose cell is not as it should be."""
        match column.kind:
            case "whole":
                values, fine = characters.whole(start, end)
            case "fixed":
                values, fine = characters.fixed(start, end, column.digits)
            case "word":
                packed = characters.words(start, end)
                values, fine = np.zeros(len(packed), np.int64), np.zeros(len(packed), bool)
                for word, value in self._words[column.name].items():
                    this = packed == np.uint64(word)
                    values[this] = value
                    fine |= this
            case "key":
                length = end - start
                values, fine = length, (length > 0) & (length <= LONGEST)
            case "hex":
                values, fine = characters.hexadecimal(start, end)
        if column.may_be_empty:
            empty = start == end
            values = np.where(empty, MISSING, values)
            fine |= empty
        good &= fine
        return values

    # ---- the slow way

    def _mended(
        self,
        characters: Characters,
        starts: Places,
        ends: Places,
        first: int,
        regular: Truths,
        cells: dict[str, Places],
        good: Truths,
        counts: Counts,
    ) -> Rows:
        """All rows, where some have to be read one by one."""
        fast = np.flatnonzero(regular)
        slow = np.ones(len(starts), bool)
        slow[fast[good]] = False
        lines: list[int] = []
        found: list[list[int]] = []
        for at in np.flatnonzero(slow):
            line = characters.text(int(starts[at]), int(ends[at])).strip()
            if not line:
                continue
            kind = self.layout.aside(line) if self.layout.aside else None
            if kind is not None:
                counts.pass_over(kind)
                continue
            try:
                found.append(self.row(line))
                lines.append(int(at))
            except ValueError as error:
                counts.refuse(first + int(at), one_line(str(error)))
        where = np.concatenate((fast[good], np.array(lines, np.int64)))
        order = np.argsort(where, kind="stable")
        slow_cells = np.array(found, np.int64).reshape(len(found), len(cells))
        merged = {
            column.name: np.concatenate((cells[column.name][good], slow_cells[:, place]))[order]
            for place, column in enumerate(c for c in self.layout.columns if c is not None)
        }
        return Rows(first + where[order], merged)

    def row(self, line: str) -> list[int]:
        """The cells of one line.

        Raises
        ------
        ValueError
            It is no row; the message says why.
        """
        cells = self._cells(line)
        wanted = len(self.layout.columns)
        if len(cells) < wanted or (len(cells) > wanted and not self.layout.more):
            least = "at least " if self.layout.more else ""
            raise ValueError(f"has {len(cells)} columns, not {least}{wanted}: {quote(line)}")
        taken = [
            (column, cell)
            for column, cell in zip(self.layout.columns, cells, strict=False)
            if column is not None
        ]
        found = [0 if column.kind == "key" else self._cell(column, cell) for column, cell in taken]
        for place, (column, cell) in enumerate(taken):
            if column.kind == "key":  # last: the name of a line that is none is not kept
                found[place] = self._cell(column, cell)
        return found

    def _cells(self, line: str) -> Sequence[str]:
        if self.layout.cells is not None:
            return self.layout.cells(line)
        if self.layout.separator is None:
            return line.split()
        cells = line.split(self.layout.separator)
        return [cell.strip().strip('"').strip() for cell in cells]

    def _cell(self, column: Column, cell: str) -> int:
        if not cell:
            if column.may_be_empty:
                return MISSING
            raise ValueError(f"{column.name} is empty")
        if column.kind == "word":
            value = column.words.get(cell.lower())
            if value is None:
                known = ", ".join(column.words)
                raise ValueError(f"{column.name} is {quote(cell)}, which is none of {known}")
            return value
        if column.kind == "key":
            if len(cell) > LONGEST:
                raise ValueError(f"{column.name} has more than {LONGEST} characters")
            return self.names[column.name].number(one_line(cell))
        return number(cell, column)


def number(cell: str, column: Column) -> int:
    """The number in a cell, by Python's own arithmetic.

    Raises
    ------
    ValueError
        It is none, negative, or too large.
    """
    value: int | Decimal | None = None
    if column.kind == "hex":
        value = int(cell, 16) if _HEX.fullmatch(cell) else None
    elif _WHOLE.fullmatch(cell):
        value = int(cell.partition(".")[0]) * int(POWERS[column.digits])
    elif _DECIMAL.fullmatch(cell):
        exact = Decimal(cell)
        if exact.adjusted() > MOST_DIGITS:
            raise ValueError(f"{column.name} is {quote(cell)}, which is too large for a trace")
        value = exact.scaleb(column.digits) if exact.adjusted() > -100 else exact
    if value is None:
        raise ValueError(f"{column.name} is {quote(cell)}, which is not a number")
    if value < 0:
        raise ValueError(f"{column.name} is {quote(cell)}, which is negative")
    if value > LARGEST:
        raise ValueError(f"{column.name} is {quote(cell)}, which is too large for a trace")
    if column.kind == "whole" and value != int(value):
        raise ValueError(f"{column.name} is {quote(cell)}, which is not a whole number")
    return round(value)
