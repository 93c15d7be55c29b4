"""The demands of a trace, found in one pass: amount, duration, addresses, sizes.

A load that replays a trace is planned from these: where its requests end, how long its longest is,
and its reads and writes for the rest of the system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from raidsim.trace.request import FLUSH, READ, REQUEST, TRIM, WRITE, Requests

MOST_SIZES = 4096
"""Request sizes that are told apart; beyond that they count as the next power of two."""


class Source(Protocol):
    """A trace that can be gone through, from its start, as often as is asked."""

    @property
    def volumes(self) -> Sequence[str]:
        """Names of its volumes, as far as they have occurred."""

    def blocks(self) -> Iterator[Requests]:
        """Its requests in the order of their times."""


@dataclass
class SizeCount:
    """Requests of one size: how many read, how many write, how many follow the one before."""

    reads: int = 0
    writes: int = 0
    sequential: int = 0


@dataclass
class Survey:
    """The reads, writes and flushes of some volumes of a trace, within a stretch of it.

    Attributes
    ----------
    reads, writes, flushes, trims : how many of each.
    empty : reads, writes and trims of no bytes, which count nowhere else.
    first, last : times of the first and the last request, s.
    ends : by index of volume, the first byte behind all that is read and written.
    sizes : requests by their size in bytes.
    longest : bytes of the longest.
    alignment : the largest power of two that all offsets and sizes are multiples of, bytes.
    """

    reads: int = 0
    writes: int = 0
    flushes: int = 0
    trims: int = 0
    empty: int = 0
    first: float = 0.0
    last: float = 0.0
    ends: dict[int, int] = field(default_factory=dict)
    sizes: dict[int, SizeCount] = field(default_factory=dict)
    longest: int = 0
    alignment: int = 1

    @property
    def ios(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes

    @property
    def requests(self) -> int:
        """All that a drive may be asked for."""
        return self.ios + self.flushes + self.trims


def chosen(
    trace: Source, names: Sequence[str] | None, start: float, end: float
) -> Iterator[Requests]:
    """The requests of a trace to the volumes ``names``, from time ``start`` to ``end``, in s."""
    for block in trace.blocks():
        if len(block) and block["time"][0] >= end:
            return
        inside = (block["time"] >= start) & (block["time"] < end)
        if names is not None:
            wanted = np.array([name in names for name in trace.volumes], bool)
            inside &= wanted[block["volume"]]
        yield block if inside.all() else block[inside]


def survey(blocks: Iterable[Requests]) -> Survey:
    """Survey requests, of which memory holds one block at a time."""
    found = Survey()
    bits = 0
    behind = np.zeros(0, np.int64)  # by volume: where the last request ended
    begun = False
    for block in blocks:
        assert block.dtype == REQUEST
        if not len(block):
            continue
        if not begun:
            found.first, begun = float(block["time"][0]), True
        found.last = float(block["time"][-1])
        found.flushes += int((block["op"] == FLUSH).sum())
        moving = block["op"] != FLUSH
        ios = block[moving & (block["size"] > 0)]
        found.empty += int(moving.sum()) - len(ios)
        if not len(ios):
            continue
        found.trims += int((ios["op"] == TRIM).sum())
        found.reads += int((ios["op"] == READ).sum())
        found.writes += int((ios["op"] == WRITE).sum())
        found.longest = max(found.longest, int(ios["size"].max()))
        bits |= int(np.bitwise_or.reduce(ios["offset"] | ios["size"]))
        behind = _wide_enough(behind, int(ios["volume"].max()) + 1)
        _count_sizes(found, ios, _follows(ios, behind))
        ends = np.zeros(len(behind), np.int64)
        np.maximum.at(ends, ios["volume"], ios["offset"] + ios["size"])
        for volume in np.flatnonzero(ends):
            found.ends[int(volume)] = max(found.ends.get(int(volume), 0), int(ends[volume]))
    found.alignment = bits & -bits if bits else 1
    return found


def _wide_enough(behind: NDArray[np.int64], volumes: int) -> NDArray[np.int64]:
    if volumes <= len(behind):
        return behind
    return np.concatenate((behind, np.full(volumes - len(behind), -1, np.int64)))


def _follows(ios: Requests, behind: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the requests that begin where the last one of their volume ended; note ends."""
    order = np.argsort(ios["volume"], kind="stable")
    volume, offset = ios["volume"][order], ios["offset"][order]
    end = offset + ios["size"][order]
    before = np.empty(len(ios), np.int64)
    before[1:] = end[:-1]
    new = np.ones(len(ios), bool)
    new[1:] = volume[1:] != volume[:-1]
    before[new] = behind[volume[new]]
    last = np.append(new[1:], True)
    behind[volume[last]] = end[last]
    found = np.empty(len(ios), bool)
    found[order] = offset == before
    return found


def _count_sizes(found: Survey, ios: Requests, follows: NDArray[np.bool_]) -> None:
    sizes, place = np.unique(ios["size"], return_inverse=True)
    reads = np.bincount(place, ios["op"] == READ)
    writes = np.bincount(place, ios["op"] == WRITE)
    sequential = np.bincount(place, follows)
    for size, *counts in zip(sizes.tolist(), reads, writes, sequential, strict=True):
        is_one_too_many = size not in found.sizes and len(found.sizes) >= MOST_SIZES
        counted_as = 1 << (size - 1).bit_length() if is_one_too_many else size
        one = found.sizes.setdefault(counted_as, SizeCount())
        one.reads += int(counts[0])
        one.writes += int(counts[1])
        one.sequential += int(counts[2])
