"""The counts of some streams up to a moment, and between two moments.

The kernel counts from the opening of the window on. The counts of a part of the window are the
difference of two tallies, histograms included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.observe import figures
from raidsim.result import Interval, Latency
from raidsim.stats.histogram import BINS
from raidsim.stats.intervals import LEAST_VALUES, mean_interval
from raidsim.system.system import System
from raidsim.units import MIB, NS_PER_MS, NS_PER_S

OPS = {"read": t.READ, "write": t.WRITE}


@dataclass(frozen=True)
class Tally:
    """The counts of some streams at a moment; arrays by kind of I/O, read and write.

    ``time`` and ``passed`` (the sum of latencies) are ns; the histograms may be left out.
    """

    time: int
    ios: NDArray[np.int64]
    bytes: NDArray[np.int64]
    passed: NDArray[np.int64]
    failed: int
    timed_out: int
    histograms: NDArray[np.int64] | None = None


def tally(system: System, streams: Sequence[int], *, histograms: bool = False) -> Tally:
    """The counts of these streams now; of none, zeros."""
    table, rows = system.world.streams, np.array(streams, np.intp)
    counts = None
    if histograms:
        counts = np.zeros((2, BINS), np.int64)
        counts += system.world.latencies[system.accounts(streams), : t.FLUSH].sum(axis=0)
    return Tally(
        time=system.now,
        ios=table["window_ios"][rows].sum(axis=0),
        bytes=table["window_bytes"][rows].sum(axis=0),
        passed=table["window_ns"][rows].sum(axis=0),
        failed=int(table["failed"][rows].sum()),
        timed_out=int(table["timed_out"][rows].sum()),
        histograms=counts,
    )


def rates(before: Tally, after: Tally) -> tuple[float, float]:
    """IO/s and MB/s (2**20) between two moments."""
    seconds = (after.time - before.time) / NS_PER_S
    if seconds <= 0:
        return 0.0, 0.0
    ios = int(after.ios.sum() - before.ios.sum())
    size = int(after.bytes.sum() - before.bytes.sum())
    return ios / seconds, size / MIB / seconds


def mean_latency(before: Tally, after: Tally) -> float | None:
    """Mean response time of reads and writes between two moments, ms; None if there were none."""
    ios = int(after.ios.sum() - before.ios.sum())
    passed = int(after.passed.sum() - before.passed.sum())
    return passed / ios / NS_PER_MS if ios else None


def latencies(before: Tally, after: Tally) -> dict[str, Latency | None]:
    """Response times between two moments by kind of I/O, in ms."""
    if before.histograms is None or after.histograms is None:
        raise AssertionError("the histograms were left out")
    counts = after.histograms - before.histograms
    return {
        kind: figures.latency_of(
            int(after.ios[op] - before.ios[op]),
            int(after.passed[op] - before.passed[op]),
            counts[op],
        )
        for kind, op in OPS.items()
    }


def interval(
    system: System, streams: Sequence[int], start: int, end: int, rate: float, confidence: float
) -> Interval:
    """A rate with its interval by the series between two times (ns), if that is long enough."""
    nothing = Interval(rate, None, None)
    if not streams:
        return nothing
    series, width = window.series(system, list(streams))
    origin = int(system.state["slice_origin"])
    first, last = -int(-(start - origin) // width), int((end - origin) // width)
    part = series[first:last]
    if len(part) < LEAST_VALUES or not part.any():
        return nothing
    found = mean_interval(part, confidence)
    if found.low is None or found.high is None or found.low <= 0:
        return nothing  # a rate in transition has no mean to be near to
    return Interval(rate, rate * found.low / found.mean, rate * found.high / found.mean)
