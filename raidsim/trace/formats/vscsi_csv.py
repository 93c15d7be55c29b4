"""VMware's vSCSI traces as CSV: a first line ``#Vscsi Cmd Trace.``, a second one of names.

``serial,length,segments,read|write,block,us``: lengths are bytes, addresses blocks of 512 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import Column, Layout, Table

NAME = "vscsi-csv"
TITLE = "VMware vSCSI trace (CSV)"
TICKS = 10**6
TAKES = ("sector",)

FIRST = "#vscsi cmd trace"
LAYOUT = Layout(
    (
        None,
        Column("length", "whole"),
        None,
        Column("command", "word", words={"read": READ, "write": WRITE}),
        Column("block", "whole"),
        Column("time", "whole"),
    ),
    aside=lambda line: "header" if line.startswith("#") else _other(line),
    more=True,
)


def _other(line: str) -> str | None:
    """The kind of a line of another command than read and write."""
    cells = line.split(",")
    if (
        len(cells) >= 6
        and cells[0].isdecimal()
        and cells[3].strip().lower() not in {"read", "write"}
    ):
        return f"command {cells[3].strip()[:20]}"
    return None


def recognises(head: Head) -> bool:
    """Return whether its first line says so."""
    lines = head.lines(1)
    return bool(lines) and lines[0].decode(errors="replace").lower().startswith(FIRST)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    table = Table(LAYOUT, scan.source.path)
    volume = scan.volumes.number("0")
    for rows in table.rows(scan.source, scan.counts):
        yield scan.requests(
            rows.lines,
            tick=rows["time"],
            op=rows["command"],
            volume=volume,
            offset=scan.in_bytes(rows["block"]),
            size=rows["length"],
        )
