"""What ``iostat -x`` prints, as text or JSON: rates and sizes of reads and writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from raidsim.importing.json_text import Table
from raidsim.importing.model import Found, Place
from raidsim.importing.source import Source
from raidsim.importing.statistics import Averages, decimal

NAME = "iostat"

_BYTES = {"kB/s": 1024.0, "KB/s": 1024.0, "MB/s": 2.0**20, "sec/s": 512.0, "B/s": 1.0}


def recognises(source: Source) -> bool:
    """A table with columns of reads and writes of devices, or the JSON of it."""
    if source.is_json:
        return any(list(_json_reports(value)) for value in source.json.values)
    return any(_columns(line) is not None for line in source.head)


def read(source: Source) -> Found:
    """Read the averages of all devices: without the first report if there are further ones."""
    found = Found()
    reports = list(_of_json(source) if source.is_json else _of_text(source))
    averages = Averages()
    used = reports[1:] if len(reports) > 1 else reports
    averages.note = (
        f"mean of {len(used)} reports; the first one, since boot, is left out"
        if len(reports) > 1 else "since the system was booted"
    )  # fmt: skip
    if len(reports) == 1:
        cause = "only one report: the mean since the system was booted"
        found.remark(source.at(1), None, cause, "iostat -x 60 2 also reports the last minute")
    for report in used:
        for name, place, row in report:
            _add(averages, name, place, row)
    found.activities += averages.activities()
    return found


def _columns(line: str) -> list[str] | None:
    words = line.split()
    if not words or words[0].rstrip(":") != "Device":
        return None
    return words if "r/s" in words and "w/s" in words else None


def _of_text(source: Source) -> Iterator[list[tuple[str, Place, Mapping[str, Any]]]]:
    columns: list[str] | None = None
    report: list[tuple[str, Place, Mapping[str, Any]]] = []
    for number, line in source.numbered():
        if (heads := _columns(line)) is not None:
            if report:
                yield report
            columns, report = heads, []
        elif not line.strip() or line.startswith("avg-cpu"):
            columns = None if line.startswith("avg-cpu") else columns
        elif columns is not None:
            cells = line.split()
            if len(cells) == len(columns):
                row = dict(zip(columns[1:], cells[1:], strict=True))
                report.append((cells[0], source.at(number), row))
    if report:
        yield report


def _json_reports(value: Any) -> Iterator[list[Table]]:
    if isinstance(value, Table):
        for host in (value.table("sysstat") or value).tables("hosts"):
            for statistic in host.tables("statistics"):
                rows = [one for one in statistic.tables("disk") if "r/s" in one]
                if rows:
                    yield rows
    elif isinstance(value, list):
        rows = [one for one in value if isinstance(one, Table) and "r_s" in one and "device" in one]
        if rows:  # as jc converts the text
            yield rows


def _of_json(source: Source) -> Iterator[list[tuple[str, Place, Mapping[str, Any]]]]:
    for value in source.json.values:
        for rows in _json_reports(value):
            yield [
                (
                    str(row.get("disk_device", row.get("device", ""))), row.place,
                    {_column(key): one for key, one in row.items()},
                )
                for row in rows
            ]  # fmt: skip


def _column(key: str) -> str:
    """The column of a key: jc writes rkb_s for rkB/s."""
    return re.sub(r"_s$", "/s", key).replace("kb/s", "kB/s")


def _add(averages: Averages, name: str, place: Place, row: Mapping[str, Any]) -> None:
    reads, writes = decimal(row.get("r/s")), decimal(row.get("w/s"))
    if reads is None or writes is None:
        return
    taken: list[float] = []
    for side in ("r", "w"):
        for unit, factor in _BYTES.items():
            if (rate := decimal(row.get(side + unit))) is not None:
                taken.append(rate * factor)
                break
        else:
            return
    others = (decimal(row.get(column)) or 0.0 for column in ("f/s", "d/s"))
    averages.add(name, place, reads, writes, *taken, *others)
