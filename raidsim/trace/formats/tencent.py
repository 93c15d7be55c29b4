"""Tencent CBS of 2018: ``s,offset,size,0|1,volume``.

Addresses and sizes are in sectors of 512 bytes; 1 is a write. The clock has whole seconds, so
requests are spread evenly over each second: their times within it are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import Column, Layout, Table

NAME = "tencent"
TITLE = "Tencent CBS (2018)"
TICKS = 1
TAKES = ("sector",)
EPOCH = 0
WHOLE_SECONDS = True

# Five whole numbers may be many things. The one trace of this format is of the first ten days of
# October 2018, and these seconds, with a 0 or 1 in the fourth column, are nothing else.
LINE = re.compile(rb"153[89]\d{6},\d+,\d+,[01],\d+")
LAYOUT = Layout(
    (
        Column("timestamp", "whole"),
        Column("offset", "whole"),
        Column("size", "whole"),
        Column("IO type", "word", words={"0": READ, "1": WRITE}),
        Column("volume", "key"),
    ),
    aside=lambda line: "header" if line.lower().startswith("timestamp,") else None,
)


def recognises(head: Head) -> bool:
    """Return whether lines are of October 2018, with 0 or 1 as the fourth of five whole numbers."""
    return head.all_are(LINE, most_others=0.02)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    scan.counts.note(
        "The clock of the trace has whole seconds: arrivals are spread evenly over each, so bursts"
        " within a second, and the queues that they cause, cannot be seen in it"
    )
    table = Table(LAYOUT, scan.source.path)
    scan.volumes = table.names["volume"]
    for rows in table.rows(scan.source, scan.counts):
        yield scan.requests(
            rows.lines,
            tick=rows["timestamp"],
            op=rows["IO type"],
            volume=rows["volume"],
            offset=scan.in_bytes(rows["offset"]),
            size=scan.in_bytes(rows["size"]),
        )
