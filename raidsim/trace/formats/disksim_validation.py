"""DiskSim's validation traces: ``R|W Hit|Miss sector sectors response-us gap-us``.

They were measured with one request outstanding at a time: the next one comes the gap after the
completion of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import READ, WRITE, Requests
from raidsim.trace.table import Column, Layout, Table

NAME = "disksim-validation"
TITLE = "DiskSim validation trace"
TICKS = 10**9
TAKES = ("sector",)

LINE = re.compile(rb"[RW]\s+(?:Hit|Miss)\s+\d+\s+\d+\s+\d+(?:\.\d+)?\s+\d+(?:\.\d+)?")
LAYOUT = Layout(
    (
        Column("type", "word", words={"r": READ, "w": WRITE}),
        Column("cache", "word", words={"hit": 1, "miss": 0}),
        Column("sector", "whole"),
        Column("sectors", "whole"),
        Column("response time", "fixed", digits=3),
        Column("gap", "fixed", digits=3),
    ),
    separator=None,
)
LONGEST = 10**17  # ns; times are added up


def recognises(head: Head) -> bool:
    """Return whether lines have Hit or Miss in the second column."""
    return head.all_are(LINE)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    table = Table(LAYOUT, scan.source.path)
    volume = scan.volumes.number("0")
    now = 0
    for rows in table.rows(scan.source, scan.counts):
        response, gap = rows["response time"], rows["gap"]
        possible = (response < LONGEST // len(rows)) & (gap < LONGEST // len(rows))
        for line in rows.lines[~possible]:
            scan.counts.refuse(int(line), "its times are too long for a trace")
        rows = rows.only(possible)  # noqa: PLW2901 - the others are counted
        response, gap = rows["response time"], rows["gap"]
        if not len(rows):
            continue
        after = now + np.cumsum(response + gap)
        found = scan.requests(
            rows.lines,
            tick=np.concatenate(([now], after[:-1])),
            op=rows["type"],
            volume=volume,
            offset=scan.in_bytes(rows["sector"]),
            size=scan.in_bytes(rows["sectors"]),
            response=response / TICKS,
        )
        now = int(after[-1])
        if now > 2 * LONGEST:
            scan.counts.cut_short = (
                f"its times add up to more than any trace takes, at line {int(rows.lines[-1])}"
            )
            yield found
            return
        yield found
    if scan.counts.not_understood:
        scan.counts.note(
            "Times are added up from line to line, so that a line that was not understood makes all"
            " later ones earlier"
        )
