"""Columns that are named, with their units: their places in a table, and requests from them.

``time [us]`` is a complete name. ``time=Timestamp [us]`` means the column called Timestamp, and
``size=4 [B]`` the fourth one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.errors import InputError, Problem, one_line, quote
from raidsim.trace.reading import Scan
from raidsim.trace.request import FLUSH, READ, TRIM, WRITE, Requests
from raidsim.trace.table import MISSING, Column, Layout, Rows, Table

FIELDS = ("time", "op", "offset", "size", "volume", "response")
NEEDED = ("time", "op", "offset", "size")
TIMES = {"ns": 0, "us": 3, "ms": 6, "s": 9}
"""Units of times: of how many digits of ns they are."""

FILETIME = "100 ns"
OP_WORDS = {
    "r": READ, "rd": READ, "read": READ,
    "w": WRITE, "wr": WRITE, "write": WRITE,
    "d": TRIM, "trim": TRIM, "discard": TRIM, "unmap": TRIM,
    "f": FLUSH, "flush": FLUSH, "sync": FLUSH,
}  # fmt: skip
OPS = {"read": READ, "write": WRITE, "trim": TRIM, "flush": FLUSH}
SECTORS = {"sector": 512, "sectors": 512}

HEADING = re.compile(r"(time|op|offset|size|volume|response)(?: ?\[([^\]]*)\])?")
GIVEN = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*(?:\[([^\]]*)\])?\s*")
HOW = 'write --columns "time=NAME [us], op=NAME, offset=NAME [B], size=NAME [B]"'


@dataclass(frozen=True)
class Taken:
    """The place of a field in a line, and its unit.

    Attributes
    ----------
    place : of the column, from 0.
    ticks : of a time: units of it in a second.
    digits : of a time: digits behind the point that are kept.
    factor : of a size: bytes of its unit.
    words : of an operation: the texts of each.
    """

    place: int
    ticks: int = 10**9
    digits: int = 0
    factor: int = 1
    words: Mapping[str, int] | None = None


def of_header(names: Sequence[str]) -> dict[str, Taken] | None:
    """Return the places of fields by a header that gives all of them, else None."""
    taken: dict[str, Taken] = {}
    for place, name in enumerate(names):
        match = HEADING.fullmatch(name)
        if match is None or match[1] in taken:
            return None
        try:
            taken[match[1]] = _taken(match[1], place, match[2])
        except ValueError:
            return None
    return taken if set(NEEDED) <= set(taken) else None


def of_columns(given: tuple[str, ...], names: Sequence[str]) -> tuple[dict[str, Taken], bool]:
    """Return the places of fields by the user's words, and whether there is a header.

    Raises
    ------
    InputError
        Something of it is wrong.
    """
    problems: list[Problem] = []
    taken: dict[str, Taken] = {}
    by_name = False

    def wrong(cause: str, remedy: str | None = None) -> None:
        problems.append(Problem(None, None, "--columns", cause, remedy))

    for text in given:
        match = GIVEN.fullmatch(text)
        if match is None or match[1] not in FIELDS:
            wrong(f"{quote(text)} is not one of {', '.join(FIELDS)}, with its column", HOW)
            continue
        field, name, unit = match[1], match[2].strip('"'), match[3]
        if field in taken:
            wrong(f"{field} is given twice")
        if name in names:
            place, by_name = names.index(name), True
        elif name.isdecimal() and len(name) < 7 and 1 <= int(name) <= len(names):
            place = int(name) - 1
        else:
            there = one_line(", ".join(names[:20]))[:300]
            wrong(f"there is no column {quote(name)}", f"the first line has these columns: {there}")
            continue
        try:
            taken[field] = _taken(field, place, unit)
        except ValueError as error:
            wrong(f"{field}: {error}")
    if not problems:
        for field in NEEDED:
            if field not in taken:
                wrong(f"{field} is missing", HOW)
        places = [one.place for one in taken.values()]
        if len(set(places)) < len(places):
            wrong("a column is given twice")
    if problems:
        raise InputError(problems)
    return taken, by_name


def _taken(field: str, place: int, unit: str | None) -> Taken:
    """A field at a place, in the unit given.

    Raises
    ------
    ValueError
        The unit is missing, or none of it.
    """
    unit = None if unit is None else unit.strip()
    if field in {"time", "response"}:
        if unit == FILETIME:
            return Taken(place, ticks=10**7)
        if unit not in TIMES:
            known = ", ".join(TIMES)
            raise ValueError(f"the unit {_named(unit)}; write one of {known} or {FILETIME} in []")
        return Taken(place, digits=TIMES[unit])
    if field in {"offset", "size"}:
        return Taken(place, factor=_factor(unit))
    if field == "op" and unit is not None:
        return Taken(place, words=_words(unit))
    if unit:
        raise ValueError(f"{field} has no unit")
    return Taken(place)


def _named(unit: str | None) -> str:
    return "is missing" if unit is None else f"{quote(unit)} is not known"


def _factor(unit: str | None) -> int:
    if unit in SECTORS:
        return SECTORS[unit]
    try:
        if unit is not None and unit[:1].isdecimal():
            found = int(units.parse(unit, "size"))
        else:
            found = int(units.convert(1, unit or "", "size"))
    except units.QuantityError:
        found = 0
    if found <= 0:
        raise ValueError(f'the unit {_named(unit)}; write B, sectors, KiB or "4 KiB" in []')
    return found


def _words(text: str) -> dict[str, int]:
    """Words of operations, as in "1=read 0=write"."""
    found = {}
    for pair in text.split():
        word, _, op = pair.partition("=")
        if op not in OPS or not 1 <= len(word) <= 8:
            raise ValueError(f"{quote(pair)} is not as in [1=read 0=write]")
        found[word.lower()] = OPS[op]
    return found


def requests_of(rows: Rows, taken: Mapping[str, Taken], table: Table, scan: Scan) -> Requests:
    """The requests of some lines."""
    response = rows.cells.get("response")
    flush = rows["op"] == FLUSH
    absent = ~flush & ((rows["offset"] == MISSING) | (rows["size"] == MISSING))
    for line in rows.lines[absent]:
        scan.counts.refuse(int(line), "offset or size is empty")
    here = ~absent
    seconds = None
    if response is not None:
        per_second = taken["response"].ticks
        seconds = np.where(response == MISSING, np.nan, response / per_second)[here]
    return scan.requests(
        rows.lines[here],
        tick=rows["time"][here],
        op=rows["op"][here],
        volume=_volumes(rows, table, scan)[here],
        offset=_bytes(rows["offset"], taken["offset"].factor, flush)[here],
        size=_bytes(rows["size"], taken["size"].factor, flush)[here],
        response=np.nan if seconds is None else seconds,
    )


def _bytes(cells: NDArray[np.int64], factor: int, flush: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Sizes in bytes; of those too large for 64 bits -1, which no request has."""
    found = np.where(cells <= (2**63 - 1) // factor, cells, 0) * factor
    return np.where(flush, 0, np.where(cells <= (2**63 - 1) // factor, found, -1))


def _volumes(rows: Rows, table: Table, scan: Scan) -> NDArray[np.int64]:
    if "volume" not in rows.cells:
        return np.full(len(rows), scan.volumes.number("0"))
    names, cells = table.names["volume"], rows["volume"]
    return scan.volumes.numbers(cells, lambda at: names.name(int(cells[at])))


def layout_of(taken: Mapping[str, Taken], separator: str) -> Layout:
    """Return the fields to read of a line."""
    columns: list[Column | None] = [None] * (1 + max(one.place for one in taken.values()))
    for name, one in taken.items():
        if name in {"time", "response"}:
            empty = name == "response"
            column = Column(name, "fixed", digits=one.digits, may_be_empty=empty)
        elif name == "op":
            column = Column(name, "word", words=one.words or OP_WORDS)
        elif name == "volume":
            column = Column(name, "key")
        else:
            column = Column(name, "whole", may_be_empty=True)
        columns[one.place] = column
    return Layout(tuple(columns), separator, more=True)
