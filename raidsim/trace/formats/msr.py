"""MSR Cambridge: ``filetime,host,disk,Read|Write,offset,size,response``.

Times and response times are in units of 100 ns; the first counts from 1601. Addresses and sizes
are bytes. Each host has its own numbers of disks, so a volume is named by both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import MISSING, Column, Layout, Table

NAME = "msr"
TITLE = "MSR Cambridge CSV"
TICKS = 10_000_000
TAKES = ()
EPOCH = -11_644_473_600

LINE = re.compile(rb"\d{17,18},[^,\s]+,\d+,(?:read|write),\d+,\d+,\d*\s*", re.IGNORECASE)
HEADER = re.compile(r"timestamp,host", re.IGNORECASE)


def _aside(line: str) -> str | None:
    return "header" if HEADER.match(line) else None


LAYOUT = Layout(
    (
        Column("timestamp", "whole"),
        Column("host", "key"),
        Column("disk", "key"),
        Column("type", "word", words={"read": READ, "write": WRITE}),
        Column("offset", "whole"),
        Column("size", "whole"),
        Column("response time", "whole", may_be_empty=True),
    ),
    aside=_aside,
)


def recognises(head: Head) -> bool:
    """Return whether lines begin with a time since 1601, and have Read or Write fourth."""
    return head.all_are(LINE)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    table = Table(LAYOUT, scan.source.path)
    hosts, disks = table.names["host"], table.names["disk"]

    def name(host: int, disk: int) -> str:
        return f"{hosts.name(host)}.{disks.name(disk)}"

    for rows in table.rows(scan.source, scan.counts):
        response = rows["response time"]
        yield scan.requests(
            rows.lines,
            tick=rows["timestamp"],
            op=rows["type"],
            volume=scan.volumes.pairs(rows["host"], rows["disk"], name),
            offset=rows["offset"],
            size=rows["size"],
            response=np.where(response == MISSING, np.nan, response / TICKS),
        )


START = 128_166_372_000_000_000
"""Time of the first request that is written: in February 2007, when the originals were made."""


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces; a response time that is not known is left empty."""
    for block in blocks:
        taken = page.taken(block)
        response = np.where(np.isnan(taken["response"]), MISSING, taken["response"] * TICKS)
        names = [page.name(int(volume)).rpartition(".") for volume in taken["volume"]]
        if (response == MISSING).any():
            page.remark("Response times that are not known are left empty")
        rows = zip(
            (ticks(taken["time"], TICKS) + START).tolist(),
            names,
            taken["op"].tolist(),
            taken["offset"].tolist(),
            taken["size"].tolist(),
            np.rint(response).astype(np.int64).tolist(),
            strict=True,
        )
        yield "".join(
            f"{time},{host or disk},{disk if host else 0},{'Write' if op else 'Read'},{offset},"
            f"{size},{'' if latency == MISSING else latency}\n"
            for time, (host, _, disk), op, offset, size, latency in rows
        ).encode()
