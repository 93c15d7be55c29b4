"""What blktrace itself writes, and ``blkparse -d`` merges: records of 48 bytes with a payload.

magic and version, sequence (4 bytes each), ns, sector (8), bytes, action, pid, device, cpu (4),
error, length of the payload (2), in the byte order of the computer that wrote them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.errors import refuse
from raidsim.trace import events
from raidsim.trace.page import Page
from raidsim.trace.reading import Head, Scan
from raidsim.trace.request import FLUSH, READ, TRIM, WRITE, Requests

NAME = "blktrace"
TITLE = "blktrace, binary"
TICKS = 10**9
TAKES = ("action",)

MAGIC, VERSION = 0x65617400, 7
FIELDS = [
    ("magic", "u4"), ("sequence", "u4"), ("time", "u8"), ("sector", "u8"), ("bytes", "u4"),
    ("action", "u4"), ("pid", "u4"), ("device", "u4"), ("cpu", "u4"), ("error", "u2"),
    ("payload", "u2"),
]  # fmt: skip
SIZE = 48
SECTOR = 512
MOST_SECTORS = 2**53

C_READ, C_WRITE, C_FLUSH, C_PACKET, C_NOTIFY, C_DISCARD = 1, 2, 4, 1 << 9, 1 << 10, 1 << 13
ACTIONS = {
    1: "Q (asked for)", 2: "M (merged behind)", 3: "F (merged in front)", 4: "G (got a request)",
    5: "S (slept)", 6: "R (requeued)", 7: "D (issued to the device)", 8: "C (completed)",
    9: "P (plugged)", 10: "U (unplugged)", 11: "UT (unplugged by a timer)", 12: "I (inserted)",
    13: "X (split)", 14: "B (bounced)", 15: "A (remapped)", 16: "abort", 17: "data of a driver",
}  # fmt: skip
TAKEN = (events.QUEUED, events.ISSUED, events.COMPLETED, events.REQUEUED, events.SPLIT)
PER_CPU = re.compile(r"(.*\.blktrace\.)(\d+)")


def recognises(head: Head) -> bool:
    """Return whether it begins with the magic number, in either order of bytes."""
    return _order(head.data) is not None


def read(scan: Scan) -> Iterator[Requests]:
    """Requests in the order of time."""
    _say_of_others(scan)
    yield from events.requests(_events(scan), scan)
    remaps = scan.counts.passed_over.get(f"event {ACTIONS[15]}", 0)
    events.stacked(remaps, scan)


def _order(data: bytes) -> str | None:
    for order in "<>":
        if len(data) >= 4 and struct.unpack(f"{order}I", data[:4])[0] == MAGIC | VERSION:
            return order
    return None


def _say_of_others(scan: Scan) -> None:
    """Say that each CPU has a file of its own, if there are others beside this one."""
    match = PER_CPU.fullmatch(Path(scan.source.path).name)
    if match is None:
        return
    folder = Path(scan.source.path).parent
    others = sum(
        bool((found := PER_CPU.fullmatch(path.name)) and found[1] == match[1])
        for path in folder.iterdir()
    )
    if others > 1:
        scan.counts.note(
            f"This file has the records of one CPU, and there are {others - 1} files of other CPUs"
            f" beside it: merge them with"
            f" blkparse -i {match[1].removesuffix('.blktrace.')} -d merged.bin"
        )


def _events(scan: Scan) -> Iterator[events.Events]:
    order = _order(scan.source.head())
    if order is None:
        refuse(scan.source.path, "does not begin with a record of blktrace, version 7")
    record = np.dtype([(name, order + kind) for name, kind in FIELDS])
    length_at = struct.Struct(f"{order}H")
    magic = struct.pack(f"{order}I", MAGIC | VERSION)
    left, before = b"", 0
    for piece in scan.source.pieces(scan.counts):
        data = left + piece
        places, end = _places(data, length_at, magic, scan, before)
        if places:
            yield _taken(data, places, record, scan)
        left = data[end:]
        before += end
    if left and not scan.counts.cut_short:
        scan.counts.cut_short = f"a record at byte {before:,} is incomplete"


def _places(
    data: bytes, length_at: struct.Struct, magic: bytes, scan: Scan, before: int
) -> tuple[list[int], int]:
    """Return the offsets of whole records, and that of the first incomplete one, in bytes."""
    places: list[int] = []
    place, unpack = 0, length_at.unpack_from
    while place + SIZE <= len(data):
        if data[place : place + 4] != magic:
            scan.counts.refuse(
                scan.counts.lines + len(places) + 1,
                f"has no magic number, at byte {before + place:,}",
            )
            found = data.find(magic, place + 1)
            if found < 0:
                return places, max(place + 1, len(data) - 3)
            place = found
            continue
        size = SIZE + unpack(data, place + 46)[0]
        if place + size > len(data):
            break
        places.append(place)
        place += size
    return places, place


def _taken(data: bytes, places: list[int], record: np.dtype[Any], scan: Scan) -> events.Events:
    """The events of some records that requests are made of."""
    at = np.array(places)
    every = np.frombuffer(data, np.uint8)
    records = np.ascontiguousarray(every[at[:, None] + np.arange(SIZE)]).view(record)[:, 0]
    lines = scan.counts.lines + 1 + np.arange(len(records))
    scan.counts.lines += len(records)
    action = (records["action"] & 0xFF).astype(np.int64)
    category = records["action"] >> 16
    notes = category & C_NOTIFY != 0
    scan.counts.pass_over("note of blktrace", int(notes.sum()))
    packets = ~notes & (category & C_PACKET != 0)
    scan.counts.pass_over("packet command, not a read or write of a sector", int(packets.sum()))
    rest = ~notes & ~packets
    for other in np.unique(action[rest & ~np.isin(action, TAKEN)]):
        kind = f"event {ACTIONS.get(int(other), f'of number {other}')}"
        scan.counts.pass_over(kind, int((action[rest] == other).sum()))
    op = _operation(category, records["bytes"])
    none = rest & np.isin(action, TAKEN) & (op < 0)
    scan.counts.pass_over("event of neither a read nor a write", int(none.sum()))
    far = rest & np.isin(action, TAKEN) & ~none & (records["sector"] > MOST_SECTORS)
    far |= rest & np.isin(action, TAKEN) & (records["time"] > 2**62)
    for line in lines[far]:
        scan.counts.refuse(int(line), "has a sector or a time that no disk has")
    here = rest & np.isin(action, TAKEN) & ~none & ~far
    failed = here & (action == events.COMPLETED) & (records["error"] != 0)
    if failed.any():
        scan.counts.pass_over("completion with an error, counted as one", int(failed.sum()))
    found = np.empty(int(here.sum()), events.EVENT)
    found["tick"] = records["time"][here]
    found["what"] = action[here]
    found["op"] = op[here]
    devices = records["device"][here].astype(np.int64)
    found["device"] = scan.volumes.numbers(
        devices, lambda place: f"{devices[place] >> 20},{devices[place] & 0xFFFFF}"
    )
    found["offset"] = records["sector"][here].astype(np.int64) * SECTOR
    found["size"] = records["bytes"][here]
    found["line"] = lines[here]
    for place in np.flatnonzero(found["what"] == events.SPLIT):
        found["size"][place] = _second(
            data, int(at[here][place]), int(records["payload"][here][place])
        )
    return found


def _second(data: bytes, place: int, length: int) -> int:
    """Return the byte at which the second part of a split begins: big-endian in blktrace."""
    if length < 8:
        return 0
    (sector,) = struct.unpack_from(">Q", data, place + SIZE)
    return int(sector) * SECTOR if sector <= MOST_SECTORS else 0


def _operation(category: NDArray[Any], size: NDArray[Any]) -> NDArray[np.int64]:
    """Return the operation of each event; -1 if none."""
    op = np.full(len(category), -1, np.int64)
    op[category & C_FLUSH != 0] = FLUSH
    op[category & C_READ != 0] = READ
    op[category & C_WRITE != 0] = WRITE
    op[(category & C_WRITE != 0) & (category & C_FLUSH != 0) & (size == 0)] = FLUSH
    op[category & C_DISCARD != 0] = TRIM
    return op


CATEGORIES = {READ: C_READ, WRITE: C_WRITE, TRIM: C_WRITE | C_DISCARD, FLUSH: C_FLUSH}
DEVICE = re.compile(r"(\d{1,3})[,_](\d{1,6})")
Q_CATEGORY, C_CATEGORY = 1 << 4, 1 << 7


def write(blocks: Iterable[Requests], page: Page) -> Iterator[bytes]:
    """The file of some requests, in pieces: events Q and C, little-endian."""
    record = np.dtype([(name, "<" + kind) for name, kind in FIELDS])
    categories = np.array([CATEGORIES[op] for op in range(4)], np.int64)
    sequence = 0
    for found in events.written(blocks, page):
        if not len(found):
            continue
        out = np.zeros(len(found), record)
        out["magic"] = MAGIC | VERSION
        out["sequence"] = (sequence + np.arange(len(found))) % 2**32
        out["time"], out["sector"] = found["tick"], found["offset"] // SECTOR
        out["bytes"] = found["size"]
        mark = np.where(found["what"] == events.QUEUED, Q_CATEGORY, C_CATEGORY)
        out["action"] = found["what"] | ((categories[found["op"]] | mark) << 16)
        out["device"] = [_device(page.name(volume), volume) for volume in found["device"].tolist()]
        sequence += len(found)
        yield out.tobytes()


def _device(name: str, volume: int) -> int:
    """The number of a device: that of its name, or one of a SCSI disk."""
    match = DEVICE.fullmatch(name)
    if match:
        return int(match[1]) << 20 | int(match[2])
    return 8 << 20 | (volume % 2**16) * 16
