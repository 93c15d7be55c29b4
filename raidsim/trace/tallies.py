"""Counts made while a trace is read: each tally has bounded memory for any length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.trace.request import READ, WRITE, Requests

MOST_BINS = 4096
MOST_SIZES = 4096
POWERS = 32  # of two, up to 2 GiB
RECENT = 32
MOST_OUTSTANDING = 1 << 22
WINDOWS = (0.01, 0.1, 1.0, 10.0, 60.0)
"""Lengths of the windows, in s, over which arrivals are counted."""

BINS_PER_OCTAVE = 64
OCTAVES = 48
LEAST_TIME = 1e-9


class Course:
    """Counts by a value that has no known limit: bins become twice as wide when it grows."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.counts: NDArray[np.float64] = np.zeros(MOST_BINS)
        self.last = 0.0

    def add(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> None:
        """Count some values, none of which is negative."""
        if not len(values):
            return
        self.last = max(self.last, float(values.max()))
        while self.last >= self.width * MOST_BINS:
            self.width *= 2
            self.counts[: MOST_BINS // 2] = self.counts.reshape(-1, 2).sum(axis=1)
            self.counts[MOST_BINS // 2 :] = 0
        bins = (values / self.width).astype(np.int64)
        self.counts += np.bincount(np.minimum(bins, MOST_BINS - 1), weights, MOST_BINS)

    def whole(self) -> NDArray[np.float64]:
        """The counts up to the largest value."""
        return self.counts[: int(self.last / self.width) + 1]


class Window:
    """Arrivals in windows of one length: the most, and how much they vary."""

    def __init__(self, length: float) -> None:
        self.length = length
        self.most = 0
        self.most_at = 0.0
        self._current = 0
        self._in_current = 0
        self._squares = 0.0
        self._sum = 0

    def add(self, times: NDArray[np.float64]) -> None:
        """Count arrivals, which come in order."""
        windows, counts = np.unique((times / self.length).astype(np.int64), return_counts=True)
        if not len(windows):
            return
        if windows[0] == self._current:
            counts[0] += self._in_current
        else:
            self._close(self._current, self._in_current)
        self._current, self._in_current = int(windows[-1]), int(counts[-1])
        if len(windows) > 1:
            place = int(counts[:-1].argmax())
            self._squares += float((counts[:-1].astype(float) ** 2).sum())
            self._sum += int(counts[:-1].sum())
            self._peak(int(windows[place]), int(counts[place]))

    def _close(self, window: int, count: int) -> None:
        self._squares += float(count) ** 2
        self._sum += count
        self._peak(window, count)

    def _peak(self, window: int, count: int) -> None:
        if count > self.most:
            self.most, self.most_at = count, window * self.length

    def dispersion(self) -> float | None:
        """Variance of the counts over their mean: 1 for arrivals by chance (Poisson), 0 for even.

        None where the trace has fewer than ten windows. The last window, which is cut off, is left
        out.
        """
        windows = self._current
        if windows < 10 or not self._sum:
            return None
        mean = self._sum / windows
        return (self._squares / windows - mean**2) / mean

    def finish(self) -> None:
        """Take the last window for the peak."""
        self._peak(self._current, self._in_current)


class Sizes:
    """Sizes of reads and writes: how many of each are reads, go on from others, and begin where.

    ``found`` has reads, writes, and both that go on from another one; ``begins`` has how many begin
    at multiples of each power of two, and not of the next one.
    """

    def __init__(self) -> None:
        self.found: dict[int, NDArray[np.int64]] = {}
        self.begins: dict[int, NDArray[np.int64]] = {}
        self.rounded = False

    def add(self, data: Requests, sequential: NDArray[np.bool_]) -> None:
        """Count some reads and writes."""
        power = _powers(data["offset"], data["size"])
        size = _rounded(data["size"]) if self.rounded else data["size"]
        sizes, back = np.unique(size, return_inverse=True)
        kinds = (data["op"] == WRITE) + 2 * sequential
        for one, counts in zip(sizes.tolist(), _counted(back, kinds, 4, len(sizes)), strict=True):
            _put(self.found, one, counts)
        for one, counts in zip(
            sizes.tolist(), _counted(back, power, POWERS, len(sizes)), strict=True
        ):
            _put(self.begins, one, counts)
        if len(self.found) > MOST_SIZES:
            self.rounded = True
            self.found, self.begins = _merged(self.found), _merged(self.begins)


def _counted(row: Any, column: Any, columns: int, rows: int) -> NDArray[np.int64]:
    """Return the number of times that each pair of row and column occurs."""
    counts = np.bincount(row * columns + column, minlength=columns * rows)
    return counts.reshape(rows, columns)


def _put(found: dict[int, NDArray[np.int64]], size: int, counts: NDArray[np.int64]) -> None:
    known = found.get(size)
    found[size] = counts.copy() if known is None else known + counts


def _merged(found: dict[int, NDArray[np.int64]]) -> dict[int, NDArray[np.int64]]:
    merged: dict[int, NDArray[np.int64]] = {}
    keys = _rounded(np.array(list(found), np.int64)).tolist()
    for key, counts in zip(keys, found.values(), strict=True):
        _put(merged, key, counts)
    return merged


def _powers(offset: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Logarithm of the largest power of two at a multiple of which each request begins.

    It is at most the size, rounded up to a power of two: of larger ones chance would have a part.
    """
    most = np.left_shift(1, np.frexp(np.maximum(size, 1) - 1)[1].astype(np.int64))
    bits = offset | most
    power: NDArray[np.int64] = np.frexp(bits & -bits)[1].astype(np.int64) - 1
    return np.minimum(power, POWERS - 1)


def _rounded(size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sizes rounded up to one of 16 an octave, so that there are some hundred of them."""
    step = 2.0 ** np.maximum(np.floor(np.log2(np.maximum(size, 1))) - 4, 0)
    rounded: NDArray[np.int64] = (np.ceil(size / step) * step).astype(np.int64)
    return rounded


class Sequence:
    """Which requests begin where one of the last 32 on the same volume ended."""

    def __init__(self) -> None:
        self._tail: Requests | None = None
        self.behind_last = 0
        self.behind_recent = 0
        self.requests = 0

    def add(self, requests: Requests) -> NDArray[np.bool_]:
        """Count some reads and writes; says for each whether it goes on from another."""
        new = len(requests)
        fields = requests[["volume", "offset", "size"]]
        every = fields if self._tail is None else np.concatenate((self._tail, fields))
        order = np.argsort(every["volume"], kind="stable")
        volume, offset = every["volume"][order], every["offset"][order]
        end = offset + every["size"][order]
        recent = np.zeros(len(every), bool)
        for lag in range(1, min(RECENT, len(every) - 1) + 1):
            goes_on = (offset[lag:] == end[:-lag]) & (volume[lag:] == volume[:-lag])
            recent[lag:] |= goes_on
            if lag == 1:
                last = np.zeros(len(every), bool)
                last[1:] = goes_on
        found = np.zeros(len(every), bool)
        found[order] = recent
        found = found[len(every) - new :]
        self.behind_recent += int(found.sum())
        if len(every) > 1:
            self.behind_last += int(last[order >= len(every) - new].sum())
        self.requests += new
        # Of each volume the last 32 are kept; from the end of a volume on, by its next border.
        borders = np.append(np.flatnonzero(volume[1:] != volume[:-1]) + 1, len(volume))
        to_end = borders[np.searchsorted(borders, np.arange(len(volume)), side="right")]
        kept = order[to_end - np.arange(len(volume)) <= RECENT]
        self._tail = every[np.sort(kept)]
        return found


class Outstanding:
    """The number of requests that were under way when another one arrived."""

    def __init__(self) -> None:
        self._ends: NDArray[np.float64] = np.empty(0)
        self.most = 0
        self.cut = False
        self._sum = 0.0
        self._seen = 0

    def add(self, requests: Requests) -> None:
        """Count requests that have a response time; others are left out."""
        requests = requests[~np.isnan(requests["response"])]
        if not len(requests):
            return
        time = requests["time"]
        before = len(self._ends)
        ends = np.sort(np.concatenate((self._ends, time + requests["response"])))
        done = np.searchsorted(ends, time, side="right")
        under_way = before + np.arange(1, len(time) + 1) - done
        self.most = max(self.most, int(under_way.max()))
        self._sum += float(under_way.sum() - len(time))
        self._seen += len(time)
        self._ends = ends[np.searchsorted(ends, time[-1], side="right") :]
        if len(self._ends) > MOST_OUTSTANDING:
            self._ends, self.cut = self._ends[:MOST_OUTSTANDING], True

    @property
    def found(self) -> float | None:
        """Requests that one finds under way when it comes, on average."""
        return self._sum / self._seen if self._seen else None


class Times:
    """Response times: mean, largest, and percentiles within 0.6 %."""

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros(OCTAVES * BINS_PER_OCTAVE, np.int64)
        self.sum = 0.0
        self.most = 0.0

    def add(self, times: NDArray[np.float64]) -> None:
        """Count some times, in s."""
        if not len(times):
            return
        self.sum += float(times.sum())
        self.most = max(self.most, float(times.max()))
        bins = np.log2(np.maximum(times, LEAST_TIME) / LEAST_TIME) * BINS_PER_OCTAVE
        self.counts += np.bincount(
            np.clip(bins.astype(np.int64), 0, len(self.counts) - 1), minlength=len(self.counts)
        )

    @property
    def number(self) -> int:
        """The number of blocks."""
        return int(self.counts.sum())

    def percentile(self, share: float) -> float:
        """The time that so large a share of all is at or below: the middle of its bin, in s."""
        place = int(np.searchsorted(np.cumsum(self.counts), share * self.number))
        middle = LEAST_TIME * 2 ** ((min(place, len(self.counts) - 1) + 0.5) / BINS_PER_OCTAVE)
        return float(min(middle, self.most))


@dataclass
class Gaps:
    """Times between arrivals."""

    number: int = 0
    sum: float = 0.0
    squares: float = 0.0
    last: float | None = None

    def add(self, times: NDArray[np.float64]) -> None:
        """Count the gaps between arrivals, which come in order."""
        gaps = np.diff(times) if self.last is None else np.diff(times, prepend=self.last)
        self.last = float(times[-1])
        self.number += len(gaps)
        self.sum += float(gaps.sum())
        self.squares += float((gaps**2).sum())

    @property
    def variation(self) -> float | None:
        """Variance over the square of the mean: 1 for arrivals by chance, 0 for even ones."""
        if self.number < 2 or self.sum <= 0:
            return None
        mean = self.sum / self.number
        return self.squares / self.number / mean**2 - 1


class ByVolume:
    """Requests, bytes and the highest address of each volume."""

    def __init__(self) -> None:
        self.counts: NDArray[np.int64] = np.zeros((0, 3), np.int64)  # all, reads, writes
        self.bytes: NDArray[Any] = np.zeros((0, 2), object)  # of reads, of writes: of any length
        self.ends: NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, requests: Requests) -> None:
        """Count some requests."""
        volume = requests["volume"]
        number = max(int(volume.max()) + 1, len(self.ends))
        if number > len(self.ends):
            more = number - len(self.ends)
            self.counts = np.concatenate((self.counts, np.zeros((more, 3), np.int64)))
            self.bytes = np.concatenate((self.bytes, np.zeros((more, 2), object)))
            self.ends = np.concatenate((self.ends, np.zeros(more, np.int64)))
        self.counts[:, 0] += np.bincount(volume, minlength=number)
        for place, kind in enumerate((READ, WRITE)):
            these = requests["op"] == kind
            found, size = volume[these], requests["size"][these]
            self.counts[:, place + 1] += np.bincount(found, minlength=number)
            # Sums of floating point are exact below 2^53: MiB and what is left are added apart.
            whole = np.bincount(found, size >> 20, number)
            rest = np.bincount(found, size & (2**20 - 1), number)
            for one in np.flatnonzero(whole + rest):
                self.bytes[one, place] += (int(whole[one]) << 20) + int(rest[one])
        np.maximum.at(self.ends, volume, requests["offset"] + requests["size"])
