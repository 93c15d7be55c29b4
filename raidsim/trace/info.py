"""Figures of a trace, computed in one pass, with bounded memory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.trace import tallies
from raidsim.trace.counts import Counts
from raidsim.trace.request import OPS, READ, WRITE, Requests
from raidsim.trace.reuse import BLOCK, LONGEST, Follower, Reuse

SCHEMA = "raidsim.trace-info/1"
PERCENTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999)
HOTTEST = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MOST_COURSE = 512
NEARLY_ALL = 0.95


@dataclass(frozen=True)
class VolumeInfo:
    """The requests to one volume.

    Attributes
    ----------
    name : as the trace calls it.
    requests : of all kinds.
    read_share : of reads among reads and writes, or None if there are neither.
    bytes_read, bytes_written : by reads, and by writes.
    end : where the last request on it ends, in bytes: it is no smaller than that.
    """

    name: str
    requests: int
    read_share: float | None
    bytes_read: int
    bytes_written: int
    end: int


@dataclass(frozen=True)
class Peak:
    """Arrivals over windows of one length.

    Attributes
    ----------
    window : length of the windows, in s.
    rate : in the window with the most arrivals, 1/s.
    at : when that window begins, in s.
    dispersion : variance of the counts over their mean: 1 for arrivals by chance, more for bursts;
        None where there are fewer than ten windows.
    """

    window: float
    rate: float
    at: float
    dispersion: float | None


@dataclass(frozen=True)
class SizeInfo:
    """Reads and writes of one size.

    Attributes
    ----------
    size : in bytes.
    requests : how many.
    read_share : of reads among them.
    sequential_share : of them, those that go on where one of the last 32 ended.
    align : bytes; the largest power of two, not above the size rounded up to one, at multiples of
        which nearly all (19 in 20) begin.
    """

    size: int
    requests: int
    read_share: float
    sequential_share: float
    align: int = 1


@dataclass(frozen=True)
class LatencyInfo:
    """Response times of one kind of request, in s.

    Attributes
    ----------
    requests : that have one.
    mean, most : of all.
    percentiles : by their share, 0 to 1; within 0.6 %.
    """

    requests: int
    mean: float
    most: float
    percentiles: dict[float, float]


@dataclass(frozen=True)
class CacheInfo:
    """The misses of an LRU cache of one size.

    Attributes
    ----------
    size : in bytes.
    miss_ratio : share of the accesses to blocks, by reads and by writes, that it would miss.
    """

    size: int
    miss_ratio: float


@dataclass(frozen=True)
class CourseInfo:
    """Counts in stretches of equal width.

    Attributes
    ----------
    width : of a stretch: s of time, or bytes of address.
    counts : requests in each, from 0 on.
    """

    width: float
    counts: tuple[int, ...]


@dataclass(frozen=True)
class TraceInfo:
    """The analysis of a trace. Times are s, sizes bytes, rates 1/s, shares 0 to 1.

    Attributes
    ----------
    path, format : the file, and the name of its format.
    requests : all that were read.
    ops : how many of them read, write, trim and flush.
    begins : when the first request came, as ISO 8601, if the trace has a calendar (UTC).
    span : from the first arrival to the last.
    rate : arrivals a second over the span; None if that is 0.
    gap_variation : variance of the times between arrivals over their squared mean.
    peaks : arrivals over windows of several lengths.
    course : arrivals over time.
    read_share, read_byte_share : of reads among reads and writes, by number and by bytes.
    bytes_read, bytes_written : by reads, and by writes.
    mean_size : of reads and writes.
    sizes : of reads and writes, the most frequent first; `sizes_rounded` if there were so many
        that they had to be rounded up.
    sequential_share : reads and writes that begin where one of the last 32 of their volume ended.
    consecutive_share : those that begin where the last one of their volume ended.
    addresses : requests by the address where they begin, over all volumes.
    end : the highest address at which one ends.
    footprint : distinct blocks of `block` bytes that were read or written, in bytes.
    footprint_exact : whether that was counted; else it is estimated from `sampled` of the blocks.
    hot : shares of the blocks touched, those accessed most, with their shares of the accesses.
    outstanding_found, outstanding_most : requests under way when one comes, without it, on average
        and with it, at most; None where there are no response times.
    latency : by operation, those that have response times.
    caches : LRU caches of several sizes, of blocks of `block` bytes; reads and writes count alike.
    volumes : those with the most requests first.
    remarks : what was not as it should be in the file, and what else there is to know.
    """

    path: str
    format: str
    requests: int
    ops: dict[str, int]
    begins: str | None
    span: float
    rate: float | None
    gap_variation: float | None
    peaks: tuple[Peak, ...]
    course: CourseInfo
    read_share: float | None
    read_byte_share: float | None
    bytes_read: int
    bytes_written: int
    mean_size: float | None
    sizes: tuple[SizeInfo, ...]
    sizes_rounded: bool
    sequential_share: float | None
    consecutive_share: float | None
    addresses: CourseInfo
    end: int
    block: int
    footprint: int
    footprint_exact: bool
    sampled: float
    hot: dict[float, float]
    outstanding_found: float | None
    outstanding_most: int | None
    latency: dict[str, LatencyInfo]
    caches: tuple[CacheInfo, ...]
    volumes: tuple[VolumeInfo, ...]
    counts: Counts
    remarks: tuple[str, ...]
    reuse: Reuse = dataclasses.field(repr=False, compare=False)

    def miss_ratio(self, size: int) -> float:
        """Share of the accesses that an LRU cache of so many bytes would miss, 0 to 1."""
        return self.reuse.miss_ratio(size // self.block)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dicts, lists and numbers, for JSON."""
        fields = {
            field.name: _plain(getattr(self, field.name))
            for field in dataclasses.fields(self)
            if field.name != "reuse"
        }
        return {"schema": SCHEMA} | fields


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return value


def measure(
    path: str,
    format_name: str,
    blocks: Iterable[Requests],
    names: Callable[[], tuple[str, ...]],
    counts: Callable[[], Counts],
    most_followed: int | None = None,
    begins: Callable[[], datetime | None] = lambda: None,
) -> TraceInfo:
    """The figures of a trace.

    Parameters
    ----------
    blocks
        Its requests, in the order of time.
    names, counts
        What gives the names of its volumes and what reading it has met, when all is read.
    most_followed
        Blocks of 4 KiB up to which the miss-ratio curve is exact; None: the usual number.
    begins
        What says when the first request came, when all is read.
    """
    meter = _Meter() if most_followed is None else _Meter(most_followed)
    for block in blocks:
        meter.add(block)
    return meter.info(path, format_name, names(), counts(), begins())


class _Meter:
    """All tallies together."""

    def __init__(self, *most_followed: int) -> None:
        self._ops = np.zeros(len(OPS), np.int64)
        self._span = 0.0
        self._windows = [tallies.Window(length) for length in tallies.WINDOWS]
        self._course = tallies.Course(0.001)
        self._addresses = tallies.Course(float(BLOCK))
        self._gaps = tallies.Gaps()
        self._sizes = tallies.Sizes()
        self._sequence = tallies.Sequence()
        self._outstanding = tallies.Outstanding()
        self._times = {op: tallies.Times() for op in range(len(OPS))}
        self._volumes = tallies.ByVolume()
        self._follower = Follower(*most_followed)

    def add(self, requests: Requests) -> None:
        """Count some requests."""
        if not len(requests):
            return
        time, op = requests["time"], requests["op"]
        self._ops += np.bincount(op, minlength=len(OPS))
        self._span = float(time[-1])
        for window in self._windows:
            window.add(time)
        self._course.add(time)
        self._gaps.add(time)
        self._volumes.add(requests)
        self._outstanding.add(requests)
        for kind, times in self._times.items():
            response = requests["response"][op == kind]
            times.add(response[~np.isnan(response)])
        data = requests[(op == READ) | (op == WRITE)]
        if len(data):
            self._addresses.add(data["offset"].astype(float))
            sequential = self._sequence.add(data)
            self._sizes.add(data, sequential)
            self._follower.add(data["volume"], data["offset"], data["size"])

    def info(
        self,
        path: str,
        format_name: str,
        names: tuple[str, ...],
        counts: Counts,
        begins: datetime | None,
    ) -> TraceInfo:
        """The figures."""
        for window in self._windows:
            window.finish()
        reads, writes = int(self._ops[READ]), int(self._ops[WRITE])
        data = reads + writes
        read_bytes, written = (int(one) for one in self._volumes.bytes.sum(axis=0))
        reuse = self._follower.result()
        outstanding = self._outstanding
        return TraceInfo(
            path=path,
            format=format_name,
            requests=int(self._ops.sum()),
            ops={name: int(self._ops[op]) for op, name in enumerate(OPS)},
            begins=None if begins is None else begins.isoformat(timespec="microseconds"),
            span=self._span,
            rate=(int(self._ops.sum()) - 1) / self._span if self._span > 0 else None,
            gap_variation=self._gaps.variation,
            peaks=self._peaks(),
            course=_course(self._course),
            read_share=_ratio(reads, data),
            read_byte_share=_ratio(read_bytes, read_bytes + written),
            bytes_read=read_bytes,
            bytes_written=written,
            mean_size=_ratio(read_bytes + written, data),
            sizes=_sizes(self._sizes),
            sizes_rounded=self._sizes.rounded,
            sequential_share=_ratio(self._sequence.behind_recent, data),
            consecutive_share=_ratio(self._sequence.behind_last, data),
            addresses=_course(self._addresses),
            end=int(self._volumes.ends.max(initial=0)),
            block=BLOCK,
            footprint=reuse.blocks * BLOCK,
            footprint_exact=reuse.exact,
            sampled=reuse.share,
            hot={share: reuse.hot_share(share) for share in HOTTEST} if data else {},
            outstanding_found=outstanding.found,
            outstanding_most=outstanding.most if outstanding.found is not None else None,
            latency={OPS[op]: _latency(times) for op, times in self._times.items() if times.number},
            caches=_caches(reuse) if data else (),
            volumes=self._by_volume(names),
            counts=counts,
            remarks=tuple(counts.sentences() + self._remarks(reuse)),
            reuse=reuse,
        )

    def _peaks(self) -> tuple[Peak, ...]:
        """Over all windows that are not longer than the trace."""
        return tuple(
            Peak(window.length, window.most / window.length, window.most_at, window.dispersion())
            for window in self._windows
            if window.length <= self._span
        )

    def _by_volume(self, names: tuple[str, ...]) -> tuple[VolumeInfo, ...]:
        found = self._volumes
        order = np.argsort(-found.counts[:, 0], kind="stable")
        return tuple(
            VolumeInfo(
                name=names[place] if place < len(names) else str(place),
                requests=int(found.counts[place, 0]),
                read_share=_ratio(int(found.counts[place, 1]), int(found.counts[place, 1:].sum())),
                bytes_read=int(found.bytes[place, 0]),
                bytes_written=int(found.bytes[place, 1]),
                end=int(found.ends[place]),
            )
            for place in order.tolist()
            if found.counts[place, 0]
        )

    def _remarks(self, reuse: Reuse) -> list[str]:
        said = []
        if not reuse.exact:
            said.append(
                f"Footprint, hot share and cache sizes are estimated from {reuse.share:.3%} of the"
                f" blocks of {BLOCK // 1024} KiB (SHARDS)."
            )
        if self._follower.cut:
            said.append(
                f"Of {self._follower.cut:,} requests only the first {LONGEST * BLOCK >> 20} MiB"
                " count for footprint, hot share and cache sizes."
            )
        if self._sizes.rounded:
            said.append("There are too many different sizes: they were rounded up, by at most 7 %.")
        if self._outstanding.cut:
            said.append("Too many requests were outstanding at a time: not all were counted.")
        return said


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _course(course: tallies.Course) -> CourseInfo:
    counts = course.whole()
    joined = max(1, math.ceil(len(counts) / MOST_COURSE))
    padded = np.concatenate((counts, np.zeros(-len(counts) % joined)))
    found = padded.reshape(-1, joined).sum(axis=1)
    return CourseInfo(course.width * joined, tuple(int(one) for one in found))


def _sizes(sizes: tallies.Sizes) -> tuple[SizeInfo, ...]:
    found = []
    for size, counts in sizes.found.items():
        total = int(counts.sum())
        found.append(
            SizeInfo(
                size,
                total,
                float(counts[0] + counts[2]) / total,
                float(counts[2:].sum()) / total,
                _align(sizes.begins[size]),
            )
        )
    return tuple(sorted(found, key=lambda one: (-one.requests, one.size)))


def _align(begins: NDArray[np.int64]) -> int:
    """The largest power of two at multiples of which nearly all of some requests begin."""
    at_least = np.cumsum(begins[::-1])[::-1]
    return int(2 ** np.flatnonzero(at_least >= NEARLY_ALL * at_least[0])[-1])


def _latency(times: tallies.Times) -> LatencyInfo:
    return LatencyInfo(
        requests=times.number,
        mean=times.sum / times.number,
        most=times.most,
        percentiles={share: times.percentile(share) for share in PERCENTILES},
    )


def _caches(reuse: Reuse) -> tuple[CacheInfo, ...]:
    """Sizes of two an octave, from what the sample can tell up to all that was touched."""
    least = max(1.0, 16 / reuse.share) if not reuse.exact else 1.0
    sizes = sorted({round(2 ** (half / 2)) for half in range(2 * 62)} | {max(1, reuse.blocks)})
    return tuple(
        CacheInfo(size * BLOCK, reuse.miss_ratio(size))
        for size in sizes
        if least <= size <= max(1, reuse.blocks)
    )
