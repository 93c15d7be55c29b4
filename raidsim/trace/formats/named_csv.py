"""CSV whose columns are named, with their units: in its header, or by who reads it.

``time [us],op,volume,offset [sectors],size [B],response [ms]`` is a header that says all. Of
another CSV `columns` say what is what: ``time=Timestamp [us]``, ``op=Type [1=read 0=write]``,
``offset=LBA [sectors]``, ``size=4 [B]``; a number is the place of a column, from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.errors import InputError, Problem, quote
from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Head, Reading
from raidsim.trace.request import FLUSH, READ, TRIM, WRITE, Requests
from raidsim.trace.table import MISSING, Column, Layout, Rows, Table

NAME = "csv"
TITLE = "CSV with named columns"
TICKS = 10**9

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
SEPARATORS = ",;\t"

HEADING = re.compile(r"(time|op|offset|size|volume|response)(?: ?\[([^\]]*)\])?")
GIVEN = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*(?:\[([^\]]*)\])?\s*")
HOW = 'write --columns "time=NAME [us], op=NAME, offset=NAME [B], size=NAME [B]"'


@dataclass(frozen=True)
class Taken:
    """Where a field stands in a line, and in which unit.

    Attributes
    ----------
    place : of the column, from 0.
    ticks : of a time: units of it in a second.
    digits : of a time: digits behind the point that are kept.
    factor : of a size: bytes of its unit.
    words : of an operation: what stands for each.
    """

    place: int
    ticks: int = 10**9
    digits: int = 0
    factor: int = 1
    words: Mapping[str, int] | None = None


def recognises(head: Head) -> bool:
    """Whether the header says of each field what it is, with its unit."""
    lines = head.lines(1)
    return bool(lines) and _of_header(_text(lines[0])) is not None


def read(reading: Reading) -> Iterator[Requests]:
    """Requests in the order of the file."""
    head = reading.source.head()
    first = next((line for line in head.split(b"\n") if line.strip()), b"")
    header = _text(first)
    separator = max(SEPARATORS, key=header.count)
    if reading.options.columns:
        taken, has_header = _of_columns(reading.options.columns, header, separator)
    else:
        found = _of_header(header)
        if found is None:
            raise InputError(
                [Problem(reading.source.path, 1, None, "its header does not say all", HOW)]
            )
        taken, has_header = found, True
    skip = 0
    if has_header:
        skip = head[: head.index(first)].count(b"\n") + 1
        reading.counts.pass_over("header")
    reading.ticks = taken["time"].ticks
    table = Table(_layout(taken, separator), reading.source.path)
    for rows in table.rows(reading.source, reading.counts, skip):
        yield _requests(rows, taken, table, reading)


def _requests(rows: Rows, taken: Mapping[str, Taken], table: Table, reading: Reading) -> Requests:
    """The requests of some lines."""
    response = rows.cells.get("response")
    flush = rows["op"] == FLUSH
    absent = ~flush & ((rows["offset"] == MISSING) | (rows["size"] == MISSING))
    for line in rows.lines[absent]:
        reading.counts.refuse(int(line), "offset or size is empty")
    here = ~absent
    seconds = None
    if response is not None:
        per_second = taken["response"].ticks
        seconds = np.where(response == MISSING, np.nan, response / per_second)[here]
    return reading.requests(
        rows.lines[here],
        tick=rows["time"][here],
        op=rows["op"][here],
        volume=_volumes(rows, table, reading)[here],
        offset=_bytes(rows["offset"], taken["offset"].factor, flush)[here],
        size=_bytes(rows["size"], taken["size"].factor, flush)[here],
        response=np.nan if seconds is None else seconds,
    )


def _bytes(cells: NDArray[np.int64], factor: int, flush: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Sizes in bytes; of those too large for 64 bits -1, which no request has."""
    found = np.where(cells <= (2**63 - 1) // factor, cells, 0) * factor
    return np.where(flush, 0, np.where(cells <= (2**63 - 1) // factor, found, -1))


def _volumes(rows: Rows, table: Table, reading: Reading) -> NDArray[np.int64]:
    if "volume" not in rows.cells:
        return np.full(len(rows), reading.volumes.number("0"))
    names, cells = table.names["volume"], rows["volume"]
    return reading.volumes.numbers(cells, lambda at: names.name(int(cells[at])))


def _layout(taken: Mapping[str, Taken], separator: str) -> Layout:
    """What is to be read of a line."""
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


def _text(line: bytes) -> str:
    return line.decode("utf-8-sig", errors="replace").strip()


def _names(header: str, separator: str) -> list[str]:
    return [name.strip().strip('"').strip() for name in header.split(separator)]


def _of_header(header: str) -> dict[str, Taken] | None:
    """What stands where by a header that says everything, else None."""
    separator = max(SEPARATORS, key=header.count)
    taken: dict[str, Taken] = {}
    for place, name in enumerate(_names(header, separator)):
        match = HEADING.fullmatch(name)
        if match is None or match[1] in taken:
            return None
        try:
            taken[match[1]] = _taken(match[1], place, match[2])
        except ValueError:
            return None
    return taken if set(NEEDED) <= set(taken) else None


def _of_columns(
    given: tuple[str, ...], header: str, separator: str
) -> tuple[dict[str, Taken], bool]:
    """What stands where by what the user says, and whether the first line is a header.

    Raises
    ------
    InputError
        Something of it is wrong.
    """
    names = _names(header, separator)
    problems: list[Problem] = []
    taken: dict[str, Taken] = {}
    by_name = False

    def wrong(cause: str, remedy: str | None = None) -> None:
        problems.append(Problem(None, None, "--columns", cause, remedy))

    for text in given:
        match = GIVEN.fullmatch(text)
        if match is None or match[1] not in FIELDS:
            wrong(f"{quote(text)} is none of {', '.join(FIELDS)}, with what stands for it", HOW)
            continue
        field, name, unit = match[1], match[2].strip('"'), match[3]
        if field in taken:
            wrong(f"{field} is given twice")
        if name in names:
            place, by_name = names.index(name), True
        elif name.isdecimal() and 1 <= int(name[:6]) <= len(names):
            place = int(name) - 1
        else:
            there = ", ".join(names[:20])
            wrong(f"there is no column {quote(name)}", f"the first line has: {there}"[:300])
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


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces: times in ns, addresses and sizes in bytes."""
    yield b"time [ns],op,volume,offset [B],size [B],response [ns]\n"
    names = ("read", "write", "trim", "flush")
    for block in blocks:
        taken = page.taken(block, range(len(names)))
        response = np.where(np.isnan(taken["response"]), MISSING, taken["response"] * TICKS)
        rows = zip(
            ticks(taken["time"], TICKS).tolist(),
            taken["op"].tolist(),
            taken["volume"].tolist(),
            taken["offset"].tolist(),
            taken["size"].tolist(),
            np.rint(response).astype(np.int64).tolist(),
            strict=True,
        )
        yield "".join(
            f"{time},{names[op]},{page.name(volume)},{offset},{size},"
            f"{'' if latency == MISSING else latency}\n"
            for time, op, volume, offset, size, latency in rows
        ).encode()
