"""Event Tracing for Windows as text (SNIA's traces of servers): DiskRead and DiskWrite rows.

A header between BeginHeader and EndHeader gives the columns of each kind of event; a file may have
several headers. Times are us, addresses and sizes are bytes in hexadecimal. An event is recorded at
the end of its I/O, so the I/O was issued ElapsedTime earlier.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from raidsim.errors import one_line, quote
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import FLUSH, READ, WRITE, Requests
from raidsim.trace.table import Column, number

NAME = "etw"
TITLE = "Event Tracing for Windows (CSV)"
TICKS = 10**6
TAKES = ()

OPS = {"DiskRead": READ, "DiskWrite": WRITE, "DiskFlush": FLUSH}
TIME = Column("TimeStamp", "whole")
OFFSET = Column("ByteOffset", "hex")
SIZE = Column("IOSize", "hex")
ELAPSED = Column("ElapsedTime", "whole")
NEEDED = {"TimeStamp", "DiskNum"}
DATA = {"ByteOffset", "IOSize"}
MOST_NAMES = 1000
MOST_TIME = 2**60  # us; one is taken off the other


def recognises(head: Head) -> bool:
    """Return whether it begins with BeginHeader, and names the columns of DiskRead or DiskWrite."""
    lines = head.lines(400)
    return b"BeginHeader" in lines[:5] and any(
        line.startswith((b"DiskRead,", b"DiskWrite,")) for line in lines
    )


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    scan.counts.note(
        "Events are noted when I/Os end: a request came at its TimeStamp less its ElapsedTime"
    )
    reader = _Reader(scan)
    for text in scan.source.lines(scan.counts):
        found = []
        for line in text.split(b"\n")[:-1]:
            scan.counts.lines += 1
            try:
                row = reader.row(line.decode("utf-8", errors="replace"))
            except ValueError as error:
                scan.counts.refuse(scan.counts.lines, one_line(str(error)))
            else:
                if row is not None:
                    found.append((scan.counts.lines, *row))
        if found:
            line_, tick, op, volume, offset, size, response = np.array(found, np.int64).T
            yield scan.requests(
                line_, tick=tick, op=op, volume=volume, offset=offset, size=size,
                response=np.where(response < 0, np.nan, response / TICKS),
            )  # fmt: skip


class _Reader:
    """Goes through the lines, and knows the columns of the last header."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._columns: dict[str, dict[str, int]] = {}
        self._in_header = False

    def row(self, line: str) -> tuple[int, ...] | None:
        """Time, operation, volume, offset, size and response of a line, if it is of an I/O.

        Raises
        ------
        ValueError
            It is not understood.
        """
        cells = [cell.strip() for cell in line.split(",")]
        kind, count = cells[0], self._scan.counts.pass_over
        if not line.strip():
            return None
        if kind in {"BeginHeader", "EndHeader"}:
            self._in_header = kind == "BeginHeader"
            count("line of a header")
            return None
        if self._in_header:
            if len(self._columns) < MOST_NAMES:
                self._columns[kind] = {name: place for place, name in enumerate(cells)}
            count("line of a header")
            return None
        if kind not in OPS:
            if kind in self._columns or len(cells) > 1:
                count(f"event {kind[:40]}" if kind in self._columns else "event of another kind")
                return None
            raise ValueError(f"is not an event: {quote(line.strip())}")
        columns = self._columns.get(kind)
        needed = NEEDED | (DATA if OPS[kind] != FLUSH else set())
        if columns is None or not needed <= set(columns):
            raise ValueError(f"no header says where {', '.join(sorted(needed))} of {kind} are")
        if len(cells) <= max(columns[name] for name in needed):
            raise ValueError(f"has {len(cells)} columns, too few for {kind}")
        return self._taken(OPS[kind], cells, columns)

    def _taken(self, op: int, cells: list[str], columns: dict[str, int]) -> tuple[int, ...]:
        def cell(column: Column) -> int:
            return number(cells[columns[column.name]], column)

        time, elapsed = cell(TIME), -1
        if "ElapsedTime" in columns and columns["ElapsedTime"] < len(cells):
            elapsed = cell(ELAPSED)
        if max(time, elapsed) > MOST_TIME:
            raise ValueError("has a time that is too long for a trace")
        offset, size = (0, 0) if op == FLUSH else (cell(OFFSET), cell(SIZE))
        volume = self._scan.volumes.number(one_line(cells[columns["DiskNum"]]))
        return time - max(elapsed, 0), op, volume, offset, size, elapsed
