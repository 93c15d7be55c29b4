"""What ``sar -d`` and ``sadf -j -- -d`` print: transfers of each device, reads and writes together.

They do not give the number of reads, only the bytes that were read. So reads and writes are assumed
to have the same size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from raidsim.importing.json_text import Table
from raidsim.importing.model import Found
from raidsim.importing.source import Source
from raidsim.importing.statistics import Averages, decimal

NAME = "sar"

_SECTOR = 512.0
_NOTE = "sar does not count reads and writes separately: both are taken to have the same size"


def recognises(source: Source) -> bool:
    """A table of devices with transfers, or the JSON of it."""
    if source.is_json:
        return any(True for value in source.json.values for _ in _rows(value))
    return any(_columns(line) is not None for line in source.head)


def read(source: Source) -> Found:
    """Read the averages of all devices."""
    found = Found()
    averages = Averages(_NOTE)
    if source.is_json:
        for value in source.json.values:
            for row in _rows(value):
                name = str(row.get("disk-device", row.get("dev", "")))
                _add(averages, name, row.place, dict(row))
    else:
        _of_text(source, averages)
    found.remark(source.at(1), None, _NOTE)
    found.activities += averages.activities()
    return found


def _columns(line: str) -> tuple[int, list[str]] | None:
    """Return the index of the first column behind the time, and the names of all columns."""
    cells = line.split()
    if "DEV" not in cells or "tps" not in cells:
        return None
    start = cells.index("DEV")
    return start, cells[start:]


def _of_text(source: Source, averages: Averages) -> None:
    columns: tuple[int, list[str]] | None = None
    final: dict[str, tuple[int, dict[str, Any]]] = {}
    rows: list[tuple[str, int, dict[str, Any]]] = []
    for number, line in source.numbered():
        if (heads := _columns(line)) is not None:
            columns = heads
            continue
        cells = line.split()
        if columns is None or not cells:
            continue
        names = columns[1]
        is_final = cells[0].startswith(("Average", "Mittelwert", "Moyenne", "Media"))
        if len(cells) < len(names):
            continue
        cells = cells[len(cells) - len(names) :]
        row = dict(zip(names, cells, strict=True))
        if decimal(row["tps"]) is None:
            continue
        if is_final:
            final[cells[0]] = number, row
        else:
            rows.append((cells[0], number, row))
    for name, (number, row) in final.items():
        _add(averages, name, source.at(number), row)
    for name, number, row in rows if not final else []:
        _add(averages, name, source.at(number), row)


def _rows(value: Any) -> Iterator[Table]:
    if not isinstance(value, Table):
        return
    for host in (value.table("sysstat") or value).tables("hosts"):
        for statistic in host.tables("statistics"):
            for row in statistic.tables("disk"):
                if "tps" in row and "r/s" not in row:
                    yield row


def _add(averages: Averages, name: str, place: Any, row: dict[str, Any]) -> None:
    transfers = decimal(row.get("tps"))
    read = _rate(row, ("rkB/s", "rkB", "rkB_s"), ("rd_sec/s", "rd_sec"))
    written = _rate(row, ("wkB/s", "wkB", "wkB_s"), ("wr_sec/s", "wr_sec"))
    if transfers is None or read is None or written is None:
        return
    share = read / (read + written) if read + written > 0 else 0.0
    averages.add(_name(name), place, transfers * share, transfers * (1 - share), read, written)


def _rate(
    row: dict[str, Any], kibibytes: tuple[str, ...], sectors: tuple[str, ...]
) -> float | None:
    for keys, factor in ((kibibytes, 1024.0), (sectors, _SECTOR)):
        for key in keys:
            if (value := decimal(row.get(key))) is not None:
                return value * factor
    return None


def _name(text: str) -> str:
    """A device by its numbers: dev8-16 is sdb, as the kernel numbers SCSI disks."""
    match = re.fullmatch(r"dev(\d{1,3})-(\d{1,5})", text)
    if match is None or match[1] != "8":
        return text
    disk, part = divmod(int(match[2]), 16)
    if disk > 25:
        return text
    return f"sd{chr(ord('a') + disk)}{part or ''}"
