"""Files whose format is recognised but refused, with the nearest supported alternative.

They are recognised so that no other reader takes them.
"""

from __future__ import annotations

import re
from typing import Any

from raidsim.importing.json_text import Table
from raidsim.importing.model import Found
from raidsim.importing.source import Source

NAME = "refused"

_ZFS = (
    "ZFS is not simulated: it writes whole records to new places, in stripes of varying width,"
    " and RAID-Z has no strips",
    "the nearest are volumes without RAID over its disks (give lsblk -J -O -b or smartctl -j of"
    " them), and for mirrors level raid10",
)
_DRAID = (
    "dRAID is not simulated: its spares are spread over all drives, and so are rebuilds",
    "the nearest is level raid60 (raidz2) or raid50 (raidz1) with spares, over the same drives",
)
_CEPH = (
    "Ceph is not simulated: it spreads objects over servers by a map, and answers over a network",
    "the nearest is one server: give lsblk -J -O -b or smartctl -j of its disks, and its share of"
    " the load",
)
_VSAN = (
    "vSAN is not simulated: it spreads objects over hosts by policies",
    "the nearest is one disk group: a [[hybrid]] of its cache disk and its capacity disks",
)
_RESULTS = (
    "is a result of fio, and no description of hardware or of jobs",
    "raidsim judge puts it beside a scenario; the load is in the job file",
)
_TABLE = "is a table"
_TABLES = (
    ("lsblk", re.compile(r"NAME\s+(KNAME\s+)?MAJ:MIN\s+RM\s"), "lsblk -J -O -b"),
    ("smartctl", re.compile(r"smartctl \d+\.\d+ .*\[.*\] \("), "smartctl -a -j"),
    ("storcli", re.compile(r"CLI Version = \d"), "the same command with J at its end"),
    ("nvme", re.compile(r"Node\s+(Generic\s+)?SN\s+Model\s+Namespace"), "nvme list -o json"),
)


def recognises(source: Source) -> bool:
    """Return whether it is one of those."""
    return _reason(source) is not None


def read(source: Source) -> Found:
    """Refuse it, with the nearest thing that can be said."""
    reason = _reason(source)
    if reason is None:
        raise source.at(None).refusal(None, "is none of the formats that are refused")
    line, (cause, remedy) = reason
    if cause.startswith(_TABLE):  # not used, but no reason to refuse the others beside it
        return Found(remarks=[source.at(line).problem(None, cause, remedy)])
    raise source.at(line).refusal(None, cause, remedy)


def _reason(source: Source) -> tuple[int | None, tuple[str, str]] | None:
    if source.is_json:
        return _of_json(source)
    pool: tuple[int, tuple[str, str]] | None = None
    for number, line in enumerate(source.head, 1):
        if re.match(r"\s+draid[123]?(:\d+\w)+", line) or re.match(r"\s+draid[123]-\d+\s", line):
            return number, _DRAID
        if re.match(r"\s*pool: \S", line) and pool is None:
            pool = number, _ZFS
        for name, pattern, wanted in _TABLES:
            if pattern.match(line):
                cause = f"{_TABLE} of {name} for people, whose columns are cut off"
                return number, (cause, f"give {wanted}")
        if re.match(r"\s*Is SSD: (true|false)", line) and any(
            "VSAN" in one or "In CMMDS" in one for one in source.head
        ):
            return number, _VSAN
        if re.match(r"ID\s+CLASS\s+WEIGHT\s+.*TYPE NAME", line):
            return number, _CEPH
    head = "\n".join(source.head[:6])
    if pool is None and re.search(r"^pool\s+alloc\s+free\s+read\s+write", head, re.MULTILINE):
        return 1, _ZFS
    if pool is None and re.search(r"^NAME\s+SIZE\s+ALLOC\s+FREE\s", head, re.MULTILINE):
        return 1, _ZFS
    return pool


def _of_json(source: Source) -> tuple[int | None, tuple[str, str]] | None:
    for value in source.json.values:
        rows = [value] if isinstance(value, Table) else [
            one for one in value if isinstance(one, Table)
        ] if isinstance(value, list) else []  # fmt: skip
        for row in rows[:5]:
            if _is_pool(row):
                names = source.text[:200_000]
                is_draid = re.search(r"draid[123]?(:\d+\w|-\d)", names) is not None
                return row.place.line, _DRAID if is_draid else _ZFS
            if "fio version" in row:
                return row.place.line, _RESULTS
            if _is_ceph(row):
                return row.place.line, _CEPH
            if "Is SSD" in row or "VSAN UUID" in row or "VSANUUID" in row or "IsSSD" in row:
                return row.place.line, _VSAN
    return None


def _is_pool(row: Table) -> bool:
    pools: Any = row.get("pools")
    version = row.table("output_version")
    command = str(version.get("command", "")) if version is not None else ""
    is_status = command.startswith(("zpool", "zfs"))
    converted = "pool" in row and ("config" in row or "cap_alloc" in row or "alloc" in row)
    shown = isinstance(pools, Table) and any(
        isinstance(one, Table) and ("vdevs" in one or "vdev_tree" in one or "pool_guid" in one)
        for one in pools.values()
    )
    return is_status or converted or shown


def _is_ceph(row: Table) -> bool:
    nodes = row.tables("nodes")
    is_tree = any("crush_weight" in one or one.get("type") == "osd" for one in nodes)
    kinds = ({"osds", "crush_version"}, {"fsid", "osdmap"}, {"epoch", "osds"})
    return is_tree or any(keys <= row.keys() for keys in kinds)
