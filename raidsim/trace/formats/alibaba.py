"""Alibaba block traces of 2020: ``device,R|W,offset,length,us``.

Times are microseconds since 1970, addresses and lengths bytes. There are no response times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import Column, Layout, Table

NAME = "alibaba"
TITLE = "Alibaba block trace (2020)"
TICKS = 10**6
TAKES = ()
EPOCH = 0

LINE = re.compile(rb"\d+,[RW],\d+,\d+,\d{15,16}")
LAYOUT = Layout(
    (
        Column("device", "key"),
        Column("opcode", "word", words={"r": READ, "w": WRITE}),
        Column("offset", "whole"),
        Column("length", "whole"),
        Column("timestamp", "whole"),
    ),
    aside=lambda line: "header" if line.lower().startswith("device_id,") else None,
)


def recognises(head: Head) -> bool:
    """Return whether the second of five columns is R or W, and the last a time in us since 1970."""
    return head.all_are(LINE)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    table = Table(LAYOUT, scan.source.path)
    scan.volumes = table.names["device"]
    for rows in table.rows(scan.source, scan.counts):
        yield scan.requests(
            rows.lines,
            tick=rows["timestamp"],
            op=rows["opcode"],
            volume=rows["device"],
            offset=rows["offset"],
            size=rows["length"],
        )


START = 1_577_808_000_000_000
"""Time of the first request that is written: the last day of 2019, as in the original."""


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces; volumes are numbered."""
    for block in blocks:
        taken = page.taken(block)
        page.without_response(taken)
        rows = zip(
            taken["volume"].tolist(),
            taken["op"].tolist(),
            taken["offset"].tolist(),
            taken["size"].tolist(),
            (ticks(taken["time"], TICKS) + START).tolist(),
            strict=True,
        )
        yield "".join(
            f"{volume},{'W' if op else 'R'},{offset},{size},{time}\n"
            for volume, op, offset, size, time in rows
        ).encode()
