"""Recordings of nmon: transfers and KB of each disk, snapshot by snapshot.

Partitions and md arrays are listed beside their disks; only the disks are used. AIX gives the
number of reads among the transfers. Linux does not, so there reads and writes are assumed to have
the same size.
"""

from __future__ import annotations

import re

from raidsim.importing.model import Found
from raidsim.importing.source import Source
from raidsim.importing.statistics import Averages, decimal

NAME = "nmon"

_SNAPSHOT = re.compile(r"T\d{4,}")


def recognises(source: Source) -> bool:
    """Its first lines, or the titles of its tables of disks."""
    if source.is_json:
        return False
    begins = any(re.match(r"AAA,(progname|version|host|interval),", line) for line in source.head)
    return begins or any(re.match(r"DISK(READ|WRITE|XFER)\d*,Disk ", line) for line in source.head)


def read(source: Source) -> Found:
    """Read the averages of all disks over all snapshots."""
    found = Found()
    names: dict[str, list[str]] = {}
    values: dict[tuple[str, str], dict[str, float]] = {}
    where: dict[str, int] = {}
    for number, line in source.numbered():
        match = re.match(r"(DISKREAD|DISKWRITE|DISKXFER|DISKRXFER)(\d*),([^,]*),?(.*)$", line)
        if match is None:
            continue
        kind, table, second, rest = match[1], match[1] + match[2], match[3], match[4].split(",")
        if not _SNAPSHOT.fullmatch(second):
            names[table] = [name.strip() for name in rest]
            for name in names[table]:
                where.setdefault(name, number)
            continue
        titles = names.get(table)
        if titles is None:
            found.remark(source.at(number), kind, "values without titles above them are left out")
            continue
        for name, cell in zip(titles, rest, strict=False):
            if (value := decimal(cell)) is not None:
                values.setdefault((second, name), {})[kind] = value
    averages = Averages()
    has_reads = any("DISKRXFER" in one for one in values.values())
    note = "nmon does not count reads and writes separately: both are taken to have the same size"
    averages.note = "" if has_reads else note
    for (_, name), one in values.items():
        if not {"DISKREAD", "DISKWRITE", "DISKXFER"} <= one.keys():
            continue
        read_bytes, written = one["DISKREAD"] * 1024, one["DISKWRITE"] * 1024
        share = read_bytes / (read_bytes + written) if read_bytes + written > 0 else 0.0
        reads = min(one.get("DISKRXFER", one["DISKXFER"] * share), one["DISKXFER"])
        place = source.at(where[name])
        averages.add(name, place, reads, one["DISKXFER"] - reads, read_bytes, written)
    if not has_reads and averages.sums:
        found.remark(source.at(1), None, note)
    found.activities += averages.activities()
    if not found.activities:
        cause = "holds no snapshots of disks"
        raise source.at(1).refusal(None, cause, "record with nmon -f, disks included")
    return found
