"""fio's logs of I/Os that it can play again (`write_iolog`), versions 2 and 3.

Version 3: ``us FILE action [offset length]``. Version 2: ``FILE action [offset length]``, where
``FILE wait us 0`` lets time go on, from the wait before. The name of a file may contain blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from raidsim.errors import refuse
from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import FLUSH, READ, TRIM, WRITE, Requests
from raidsim.trace.table import Column, Layout, Rows, Table

NAME = "iolog"
TITLE = "fio iolog"
TICKS = 10**6
TAKES = ()

HEADER = re.compile(rb"fio version (\d+) iolog\s*")
WAIT = 10
WORDS = {
    "read": READ,
    "write": WRITE,
    "trim": TRIM,
    "sync": FLUSH,
    "datasync": FLUSH,
    "syncfs": FLUSH,
    "wait": WAIT,
}
FILE_ACTIONS = ("add", "open", "close")
SHORTEST_WAIT = 100  # us: fio leaves out what is shorter
MOST_TIME = 2**60


def recognises(head: Head) -> bool:
    """Return whether its first line says so."""
    return head.begins_with(HEADER)


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    path = scan.source.path
    lines = Head(scan.source.head(), whole=True).lines(1)
    header = HEADER.fullmatch(lines[0]) if lines else None
    if header is None:
        refuse(path, "does not begin with the line of an iolog of fio", line=1)
    version = int(header[1][:6])
    if version not in {2, 3}:
        refuse(path, f"is an iolog of version {version}; versions 2 and 3 are read", line=1)
    added: dict[str, int] = {}
    table = Table(_layout(version, added), path)
    now = 0
    waits = 0
    for rows in table.rows(scan.source, scan.counts):
        if version == 2:
            waits += int((rows["action"] == WAIT).sum())
            rows, now = _timed(rows, now, scan)  # noqa: PLW2901 - the same rows, with their times
        waiting = rows["action"] == WAIT
        scan.counts.pass_over("wait", int(waiting.sum()))
        yield _requests(rows.only(~waiting), table, scan)
    if version == 2 and not waits:
        scan.counts.note(
            "There are no waits in it, so arrival times of requests are not known: all are at 0 s"
        )
    for name, number in added.items():
        if number > 1:
            scan.counts.note(
                f"{name} was added {number} times: the logs of several jobs are in this file, one"
                " among the other" + (", and their waits cannot be distinguished" * (version == 2))
            )


def _requests(rows: Rows, table: Table, scan: Scan) -> Requests:
    files = rows["file"]
    return scan.requests(
        rows.lines,
        tick=rows["time"],
        op=rows["action"],
        volume=scan.volumes.numbers(files, lambda at: table.names["file"].name(int(files[at]))),
        offset=rows["offset"],
        size=rows["length"],
    )


def _timed(rows: Rows, now: int, scan: Scan) -> tuple[Rows, int]:
    """Rows of version 2 with the time that the waits before them add up to."""
    waiting = rows["action"] == WAIT
    short = waiting & (rows["offset"] < SHORTEST_WAIT)
    scan.counts.pass_over("wait of less than 100 us, which fio leaves out too", int(short.sum()))
    long_ = waiting & (rows["offset"] > MOST_TIME // (len(rows) + 1))
    for line in rows.lines[long_]:
        scan.counts.refuse(int(line), "is a wait that is too long for a trace")
    rows = rows.only(~short & ~long_)
    waiting = rows["action"] == WAIT
    times = now + np.cumsum(np.where(waiting, rows["offset"], 0))
    times = np.minimum(times, MOST_TIME)
    last = int(times[-1]) if len(times) else now
    return Rows(rows.lines, rows.cells | {"time": times}), last


def _layout(version: int, added: dict[str, int]) -> Layout:
    columns: list[Column | None] = [
        Column("file", "key"),
        Column("action", "word", words=WORDS),
        Column("offset", "whole"),
        Column("length", "whole"),
    ]
    if version == 3:
        columns.insert(0, Column("time", "whole"))
    first = version - 2  # where the name of the file begins

    def aside(line: str) -> str | None:
        if HEADER.fullmatch(line.encode(errors="replace")):
            return "header"
        words = line.split()
        if len(words) >= first + 2 and words[-1] in FILE_ACTIONS:
            if words[-1] == "add":
                name = " ".join(words[first:-1])
                if len(added) < 1000 or name in added:
                    added[name] = added.get(name, 0) + 1
            return f"file: {words[-1]}"
        return None

    def cells(line: str) -> Sequence[str]:
        words = line.split()
        if words[-1] in WORDS:  # an action that needs no offset
            words += ["0", "0"]
        if len(words) < first + 4:
            return words
        return [*words[:first], " ".join(words[first:-3]), *words[-3:]]

    return Layout(tuple(columns), separator=None, aside=aside, cells=cells)


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces, as version 3; a volume is a file."""
    yield from written(blocks, page, 3)


def written(blocks: Iterable[Requests], page: Page, version: int) -> Iterator[bytes]:
    """The file of some requests, in either version. Version 2 has no time shorter than 100 us."""
    yield f"fio version {version} iolog\n".encode()
    actions = ("read", "write", "trim", "sync")
    opened: set[int] = set()
    now = last = 0
    if version == 2:
        page.remark("fio leaves out waits of less than 100 us: so times are rounded by as much")
    for block in blocks:
        taken = page.taken(block, range(len(actions)))
        page.without_response(taken)
        lines = []
        rows = zip(
            ticks(taken["time"], TICKS).tolist(),
            taken["op"].tolist(),
            taken["volume"].tolist(),
            taken["offset"].tolist(),
            taken["size"].tolist(),
            strict=True,
        )
        for time, op, volume, offset, size in rows:
            at = f"{time} " if version == 3 else ""
            name = page.name(volume)
            if volume not in opened:
                opened.add(volume)
                lines += [f"{at}{name} add\n", f"{at}{name} open\n"]
            if version == 2 and time - now >= SHORTEST_WAIT:
                lines.append(f"{name} wait {time - now} 0\n")
                now = time
            lines.append(f"{at}{name} {actions[op]} {offset} {size}\n")
            last = time
        yield "".join(lines).encode()
    at = f"{last} " if version == 3 else ""
    yield "".join(f"{at}{page.name(volume)} close\n" for volume in sorted(opened)).encode()
