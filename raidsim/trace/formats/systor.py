"""SYSTOR '17: ``Timestamp,Response,IOType,LUN,Offset,Size`` below a header of these names.

Times are seconds since 1970, response times seconds, addresses and sizes bytes. A response time
may be blank. A row with a blank type is neither a read nor a write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import isnan

import numpy as np

from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import MISSING, Column, Layout, Table

NAME = "systor"
TITLE = "SYSTOR '17 (VDI)"
TICKS = 10**9
TAKES = ()
EPOCH = 0

HEADER = re.compile(rb"\s*timestamp,response,iotype,lun,offset,size\s*", re.IGNORECASE)
LAYOUT = Layout(
    (
        Column("timestamp", "fixed", digits=9),
        Column("response", "fixed", digits=9, may_be_empty=True),
        Column("type", "word", words={"r": READ, "w": WRITE}, may_be_empty=True),
        Column("LUN", "key"),
        Column("offset", "whole", may_be_empty=True),
        Column("size", "whole", may_be_empty=True),
    ),
    aside=lambda line: "header" if HEADER.fullmatch(line.encode()) else None,
)


def recognises(head: Head) -> bool:
    """Return whether it begins with the header."""
    return head.begins_with(HEADER)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    table = Table(LAYOUT, scan.source.path)
    scan.volumes = table.names["LUN"]
    for rows in table.rows(scan.source, scan.counts):
        blank = rows["type"] == MISSING
        scan.counts.pass_over("row without a type", int(blank.sum()))
        absent = ~blank & ((rows["offset"] == MISSING) | (rows["size"] == MISSING))
        for line in rows.lines[absent]:
            scan.counts.refuse(int(line), "offset or size is empty")
        here = ~blank & ~absent
        response = rows["response"][here]
        yield scan.requests(
            rows.lines[here],
            tick=rows["timestamp"][here],
            op=rows["type"][here],
            volume=rows["LUN"][here],
            offset=rows["offset"][here],
            size=rows["size"][here],
            response=np.where(response == MISSING, np.nan, response / TICKS),
        )


START = 1_456_095_600
"""Second of the first request that is written: in February 2016, as in the original."""


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces; a response time that is not known is left empty."""
    yield b"Timestamp,Response,IOType,LUN,Offset,Size\n"
    for block in blocks:
        taken = page.taken(block)
        rows = zip(
            ticks(taken["time"], TICKS).tolist(),
            taken["response"].tolist(),
            taken["op"].tolist(),
            (page.name(int(volume)) for volume in taken["volume"]),
            taken["offset"].tolist(),
            taken["size"].tolist(),
            strict=True,
        )
        yield "".join(
            f"{START + time // TICKS}.{time % TICKS:09d},"
            f"{'' if isnan(response) else format(response, '.9f')},"
            f"{'W' if op else 'R'},{name},{offset},{size}\n"
            for time, response, op, name, offset, size in rows
        ).encode()
