"""CSV whose columns are named, with their units: in its header, or by the user.

``time [us],op,volume,offset [sectors],size [B],response [ms]`` is a complete header. For another
CSV `columns` gives the columns: ``time=Timestamp [us]``, ``op=Type [1=read 0=write]``, ``offset=LBA
[sectors]``, ``size=4 [B]``; a number is the place of a column, from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from raidsim.errors import InputError, Problem
from raidsim.trace.named import HOW, layout_of, of_columns, of_header, requests_of
from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import Requests
from raidsim.trace.table import MISSING, Table

NAME = "csv"
TITLE = "CSV with named columns"
TICKS = 10**9
TAKES = ("columns",)

SEPARATORS = ",;\t"


def recognises(head: Head) -> bool:
    """Return whether the header says of each field what it is, with its unit."""
    lines = head.lines(1)
    return bool(lines) and of_header(_names(_text(lines[0]))) is not None


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file.

    Raises
    ------
    InputError
        Its header does not say what each column is.
    """
    head = scan.source.head()
    first = next((line for line in head.split(b"\n") if line.strip()), b"")
    header = _text(first)
    separator = _separator(header)
    names = _names(header)
    if scan.options.columns:
        taken, has_header = of_columns(scan.options.columns, names)
    else:
        found = of_header(names)
        if found is None:
            cause = "its header is incomplete"
            raise InputError([Problem(scan.source.path, 1, None, cause, HOW)])
        taken, has_header = found, True
    skip = 0
    if has_header:
        skip = head[: head.index(first)].count(b"\n") + 1
        scan.counts.pass_over("header")
    scan.ticks = taken["time"].ticks
    table = Table(layout_of(taken, separator), scan.source.path)
    for rows in table.rows(scan.source, scan.counts, skip):
        yield requests_of(rows, taken, table, scan)


def _text(line: bytes) -> str:
    return line.decode("utf-8-sig", errors="replace").strip()


def _separator(header: str) -> str:
    return max(SEPARATORS, key=header.count)


def _names(header: str) -> list[str]:
    return [name.strip().strip('"').strip() for name in header.split(_separator(header))]


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
