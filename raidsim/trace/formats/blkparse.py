"""Text that blkparse writes: ``maj,min cpu seq s.ns pid ACTION RWBS sector + sectors [...]``.

Sectors are 512 bytes whatever the drive's are. A remap (A) says that a request to a partition
became one to the disk; the Q behind it has the disk's sector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from raidsim.trace import events
from raidsim.trace.names import Names
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import FLUSH, READ, TRIM, WRITE, Requests
from raidsim.trace.table import Column, Layout, Rows, Table

NAME = "blkparse"
TITLE = "text of blkparse"
TICKS = 10**9
TAKES = ("action",)

START = r"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d{9}\s+\d+\s+"
LINE = re.compile(START.encode() + rb"[A-Za-z]{1,2}\b.*")
EVENT = re.compile(START + r"([A-Za-z]{1,2})\b\s*(.*)")
SUMMARY = re.compile(
    r"CPU\d* ?\(|Total ?\(|Reads |Writes |Read |Write |PC |Skips|Events \(|Throughput|IO unplugs"
    r"|Input file|Discards|Flush"
)
ACTIONS = {
    "Q": events.QUEUED,
    "D": events.ISSUED,
    "C": events.COMPLETED,
    "R": events.REQUEUED,
    "X": events.SPLIT,
}
KINDS = {
    "A": "event A (remapped)",
    "B": "event B (bounced)",
    "F": "event F (merged in front)",
    "G": "event G (got a request)",
    "I": "event I (inserted)",
    "M": "event M (merged behind)",
    "P": "event P (plugged)",
    "S": "event S (slept)",
    "T": "event T (unplugged by a timer)",
    "U": "event U (unplugged)",
    "UT": "event UT (unplugged by a timer)",
    "m": "message",
}
PACKET = "packet command, not a read or write of a sector"
NO_DATA = "event of neither a read nor a write"
SECTOR = 512
MOST_SECTORS = 2**53


def recognises(head: Head) -> bool:
    """Return whether lines are events with a device, a CPU and a time in ns."""
    return head.all_are(LINE)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of time."""
    table = Table(LAYOUT, scan.source.path)
    scan.volumes = table.names["device"]
    yield from events.requests(_events(table, scan), scan)
    events.stacked(scan.counts.passed_over.get(KINDS["A"], 0), scan)


def _events(table: Table, scan: Scan) -> Iterator[events.Events]:
    for rows in table.rows(scan.source, scan.counts):
        what = _by_name(rows["action"], table.names["action"], lambda name: ACTIONS.get(name, 0))
        for number in np.unique(rows["action"][what == events.OTHER]):
            name = table.names["action"].name(int(number))
            kind = KINDS.get(name, f"event {name[:10]}")
            scan.counts.pass_over(kind, int((rows["action"] == number).sum()))
        op = _by_name(rows["RWBS"], table.names["RWBS"], operation)
        too_far = (rows["sector"] > MOST_SECTORS) | (rows["sectors"] > MOST_SECTORS)
        for line in rows.lines[too_far]:
            scan.counts.refuse(int(line), "has a sector beyond the end of any disk")
        none = (op < 0) & (what != events.OTHER) & ~too_far
        scan.counts.pass_over(NO_DATA, int(none.sum()))
        yield _taken(rows, what, op, (what != events.OTHER) & ~too_far & ~none)


def _taken(
    rows: Rows, what: NDArray[np.int64], op: NDArray[np.int64], here: NDArray[np.bool_]
) -> events.Events:
    found = np.empty(int(here.sum()), events.EVENT)
    found["tick"] = rows["time"][here]
    found["what"] = what[here]
    found["device"] = rows["device"][here]
    found["offset"] = rows["sector"][here] * SECTOR
    found["size"] = rows["sectors"][here] * SECTOR
    found["line"] = rows.lines[here]
    # A write of nothing, with a flush before it, is a flush.
    found["op"] = np.where((found["size"] == 0) & (op[here] == WRITE), FLUSH, op[here])
    return found


def _by_name(numbers: NDArray[np.int64], names: Names, meaning: object) -> NDArray[np.int64]:
    values = np.array([meaning(name) for name in names.all] or [0], np.int64)  # type: ignore[operator]
    return values[numbers] if len(numbers) else np.empty(0, np.int64)


def operation(rwbs: str) -> int:
    """Return the operation that the letters of an event stand for; -1 if none.

    F in front is a flush before the data, behind a write through (FUA); N is none; A, S, M and
    others say how.
    """
    flush = rwbs.startswith("F")
    letters = rwbs[1:] if flush else rwbs
    if "D" in letters[:1] or letters[:1] == "E":
        return TRIM
    if letters[:1] == "W":
        return WRITE
    if letters[:1] == "R":
        return READ
    return FLUSH if flush else -1


def _aside(line: str) -> str | None:
    """The kind of a line that is known and has no sectors."""
    match = EVENT.match(line)
    if match is None:
        return "line of the summary" if SUMMARY.match(line) else None
    action, rest = match[1], match[2]
    if action not in ACTIONS:
        return KINDS.get(action, f"event {action}") if action in KINDS else None
    words = rest.split()
    if len(words) >= 3 and words[1].isdecimal() and words[2].startswith("("):
        return PACKET
    if words and operation(words[0]) < 0:
        return NO_DATA
    if words and _is_flush(words) and action not in {"Q", "D"}:
        return f"{KINDS.get(action, f'event {action}')} of a flush"
    return None


def _is_flush(words: list[str]) -> bool:
    return words[0].startswith("F") and (len(words) < 3 or words[2] not in {"+", "/"})


def _cells(line: str) -> Sequence[str]:
    """The cells of an event; a flush has no sectors."""
    words = line.split()
    if len(words) >= 7 and _is_flush(words[6:]):
        return [*words[:7], "0", "+", "0"]
    return words


LAYOUT = Layout(
    (
        Column("device", "key"),
        None,
        None,
        Column("time", "fixed", digits=9),
        None,
        Column("action", "key"),
        Column("RWBS", "key"),
        Column("sector", "whole"),
        Column("sign", "word", words={"+": 0, "/": 1}),
        Column("sectors", "whole"),
    ),
    separator=None,
    more=True,
    aside=_aside,
    cells=_cells,
)
