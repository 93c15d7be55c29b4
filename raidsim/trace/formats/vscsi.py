"""VMware's vSCSI traces (vscsiStats), binary: versions 1 and 2, little-endian.

Version 1 has records of 32 bytes: serial, length, segments (4 bytes each), command, version (2),
address, time (8). Version 2 has 40: command, version, serial, length, segments, address, time,
response time. Times are us, lengths bytes; addresses count blocks of 512 bytes. The higher byte
of `version` is the version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.errors import refuse
from raidsim.trace.page import Page, ticks
from raidsim.trace.reading import SECTOR, Head, Scan
from raidsim.trace.request import READ, WRITE, Requests

NAME = "vscsi"
TITLE = "VMware vSCSI trace"
TICKS = 10**6
TAKES = ("sector",)

RECORDS = {
    1: np.dtype(
        [("serial", "<u4"), ("length", "<u4"), ("segments", "<u4"), ("command", "<u2"),
         ("version", "<u2"), ("block", "<u8"), ("time", "<u8")]
    ),
    2: np.dtype(
        [("command", "<u2"), ("version", "<u2"), ("serial", "<u4"), ("length", "<u4"),
         ("segments", "<u4"), ("block", "<u8"), ("time", "<u8"), ("response", "<u8")]
    ),
}  # fmt: skip
COMMANDS = {
    0x08: READ, 0x28: READ, 0x88: READ, 0xA8: READ,
    0x0A: WRITE, 0x2A: WRITE, 0x8A: WRITE, 0xAA: WRITE,
}  # fmt: skip
"""READ and WRITE (6), (10), (16) and (12); all other commands carry no data of the disk."""
LEAST = 2  # records that have to say the version, so that it is no chance
MOST_TIME = 2**62


def recognises(head: Head) -> bool:
    """Return whether all records have one version, and some read or write."""
    return _version(head.data) is not None


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of the file."""
    version = _version(scan.source.head())
    if version is None:
        refuse(scan.source.path, "does not begin with records of a vSCSI trace of version 1 or 2")
    record = RECORDS[version]
    scan.volumes.number("0")
    left = b""
    for piece in scan.source.pieces(scan.counts):
        data = left + piece
        whole = len(data) // record.itemsize
        left = data[whole * record.itemsize :]
        if whole:
            yield _requests(np.frombuffer(data, record, whole), version, scan)
    if left and not scan.counts.cut_short:
        scan.counts.cut_short = (
            f"record {scan.counts.lines + 1} has {len(left)} of {record.itemsize} bytes"
        )


def _requests(records: NDArray[Any], version: int, scan: Scan) -> Requests:
    """The requests among some records."""
    lines = np.arange(len(records)) + scan.counts.lines + 1
    scan.counts.lines += len(records)
    others = records["version"] >> 8 != version
    for line in lines[others]:
        scan.counts.refuse(int(line), f"is not a record of version {version}")
    large = ~others & ((records["block"] > MOST_TIME) | (records["time"] > MOST_TIME))
    for line in lines[large]:
        scan.counts.refuse(int(line), "has an address or a time that is too large for a trace")
    command = records["command"]
    is_io = np.isin(command, list(COMMANDS))
    for other in np.unique(command[~others & ~large & ~is_io]):
        number = int((command[~others & ~large] == other).sum())
        scan.counts.pass_over(f"command {other:#04x}, no read or write", number)
    here = ~others & ~large & is_io
    taken = records[here]
    ops = np.zeros(2**16, np.int8)
    ops[list(COMMANDS)] = list(COMMANDS.values())
    response: Any = np.nan
    if version == 2:
        response = taken["response"].astype(np.float64) / TICKS
    return scan.requests(
        lines[here],
        tick=taken["time"].astype(np.int64),
        op=ops[taken["command"]],
        volume=0,
        offset=scan.in_bytes(taken["block"].astype(np.int64)),
        size=taken["length"].astype(np.int64),
        response=response,
    )


def _version(data: bytes) -> int | None:
    """The version that all records say, if they are such."""
    found = []
    for version, record in RECORDS.items():
        records = np.frombuffer(data, record, len(data) // record.itemsize)
        if len(records) < LEAST or not np.isin(records["command"], list(COMMANDS)).any():
            continue
        # One damaged record does not make it another format.
        if (records["version"][:LEAST] >> 8 == version).all() and (
            records["version"] >> 8 == version
        ).mean() >= 0.9:
            found.append(version)
    return found[0] if len(found) == 1 else None


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces: of version 2 if the first has a response time."""
    version, serial = 0, 0
    for block in blocks:
        taken = page.taken(block, sectors=False)
        fits = (taken["offset"] % SECTOR == 0) & (taken["size"] < 2**32)
        page.leave_out("not at multiples of 512 bytes, or of 4 GiB and more", int((~fits).sum()))
        taken = taken[fits]
        if not len(taken):
            continue
        unknown = np.isnan(taken["response"])
        version = version or (1 if unknown[0] else 2)
        if version == 1:
            page.without_response(taken)
        elif unknown.any():
            page.remark("Response times that are not known are written as 0")
        out = np.zeros(len(taken), RECORDS[version])
        large = taken["offset"] // SECTOR >= 2**32
        out["command"] = np.where(taken["op"] == READ, 0x28, 0x2A) + 0x60 * large
        out["version"] = version << 8
        out["serial"] = (serial + np.arange(len(taken))) % 2**32
        out["segments"] = 1
        out["length"] = taken["size"]
        out["block"] = taken["offset"] // SECTOR
        out["time"] = ticks(taken["time"], TICKS)
        if version == 2:
            out["response"] = ticks(np.nan_to_num(taken["response"]), TICKS)
        serial += len(taken)
        yield out.tobytes()
