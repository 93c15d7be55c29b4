"""Fujitsu K5 cloud of 2018: ``id,s.us,R|W,offset,length``, times from the start, in bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import Column, Layout, Table

NAME = "k5"
TITLE = "Fujitsu K5 cloud (2018)"
TICKS = 10**9
TAKES = ()

LINE = re.compile(rb"\d+,\d+\.\d+,[RW],\d+,\d+")
LAYOUT = Layout(
    (
        Column("id", "key"),
        Column("timestamp", "fixed", digits=9),
        Column("type", "word", words={"r": READ, "w": WRITE}),
        Column("offset", "whole"),
        Column("length", "whole"),
    ),
    aside=lambda line: "header" if line.lower().startswith("id,") else None,
)


def recognises(head: Head) -> bool:
    """Return whether the third of five columns is R or W, and the second a decimal number."""
    return head.all_are(LINE)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    table = Table(LAYOUT, scan.source.path)
    scan.volumes = table.names["id"]
    for rows in table.rows(scan.source, scan.counts):
        yield scan.requests(
            rows.lines,
            tick=rows["timestamp"],
            op=rows["type"],
            volume=rows["id"],
            offset=rows["offset"],
            size=rows["length"],
        )


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces; volumes are numbered."""
    for block in blocks:
        taken = page.taken(block)
        page.without_response(taken)
        rows = zip(
            taken["volume"].tolist(),
            ticks(taken["time"], TICKS).tolist(),
            taken["op"].tolist(),
            taken["offset"].tolist(),
            taken["size"].tolist(),
            strict=True,
        )
        yield "".join(
            f"{volume},{time // TICKS}.{time % TICKS:09d},{'W' if op else 'R'},{offset},{size}\n"
            for volume, time, op, offset, size in rows
        ).encode()
