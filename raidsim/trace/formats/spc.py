"""SPC, as the UMass repository has it: ``ASU,LBA,size,r|w,time[,...]``.

Times are seconds from the start. An address counts blocks of 512 bytes, a size bytes. Each
ASU (application storage unit) is a separate volume. Further columns are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import SECTOR, Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import Column, Layout, Table

NAME = "spc"
TITLE = "SPC trace (UMass)"
TICKS = 10**9
TAKES = ("sector",)

LINE = re.compile(rb"\d+\s*,\s*\d+\s*,\s*\d+\s*,\s*[rRwW]\s*,\s*\d+(?:\.\d*)?\s*(?:,.*)?")
LAYOUT = Layout(
    (
        Column("ASU", "key"),
        Column("LBA", "whole"),
        Column("size", "whole"),
        Column("opcode", "word", words={"r": READ, "w": WRITE}),
        Column("time", "fixed", digits=9),
    ),
    more=True,
)


def recognises(head: Head) -> bool:
    """Return whether the fourth of five columns, or more, is r or w, and all others are numbers."""
    return head.all_are(LINE)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    scan.counts.note(
        "Addresses are taken as blocks of 512 bytes, as the specification has it; some public"
        " converters write bytes"
        if scan.sector == 512
        else f"Addresses are taken as blocks of {scan.sector} bytes"
    )
    table = Table(LAYOUT, scan.source.path)
    scan.volumes = table.names["ASU"]
    for rows in table.rows(scan.source, scan.counts):
        yield scan.requests(
            rows.lines,
            tick=rows["time"],
            op=rows["opcode"],
            volume=rows["ASU"],
            offset=scan.in_bytes(rows["LBA"]),
            size=rows["size"],
        )


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces; volumes are numbered."""
    for block in blocks:
        taken = page.taken(block)
        page.without_response(taken)
        whole = taken["offset"] % SECTOR == 0
        page.leave_out("not at multiples of 512 bytes", int((~whole).sum()))
        taken = taken[whole]
        rows = zip(
            taken["volume"].tolist(),
            (taken["offset"] // SECTOR).tolist(),
            taken["size"].tolist(),
            taken["op"].tolist(),
            ticks(taken["time"], TICKS).tolist(),
            strict=True,
        )
        yield "".join(
            f"{volume},{block},{size},{'w' if op else 'r'},{time // TICKS}.{time % TICKS:09d}\n"
            for volume, block, size, op, time in rows
        ).encode()
