"""What fio says of I/Os, from the I/Os themselves: latencies, bandwidth, and queue depths.

fio's three latencies are parts of one another: submission (`slat`), from the issue until the
CPU time of the submission is spent; completion (`clat`), from then on until the I/O is back; and
their sum, `lat`, which is what raidsim calls latency.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raidsim.fio import bins
from raidsim.observe.ios import Ios
from raidsim.units import KIB, NS_PER_S

NS_PER_MS = 1_000_000
SAMPLE_NS = 500 * NS_PER_MS  # fio's bwavgtime and iopsavgtime
DIGITS = 6  # behind the point, as fio prints them
DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")
BATCHES = ("0", "4", "8", "16", "32", "64", ">=64")
_EDGES = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
_EDGES_MS = (*_EDGES, 2000)


def section(ios: Ios, op: int) -> dict[str, Any]:
    """Return the section ``read`` or ``write`` of a job of fio."""
    mine = ios.op == op
    count, size, seconds = ios.ios[op], ios.bytes[op], ios.seconds
    done = count > 0 and seconds > 0
    rate, iops = (size / seconds, count / seconds) if done else (0.0, 0.0)
    issued, submitted, completed = ios.issued[mine], ios.submitted[mine], ios.completed[mine]
    return {
        "io_bytes": size,
        "io_kbytes": size // KIB,
        "bw_bytes": int(rate),
        "bw": int(rate / KIB),
        "iops": round(iops, DIGITS),
        "runtime": round(seconds * 1000) if done else 0,
        "total_ios": count,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": spread(submitted - issued),
        "clat_ns": distribution(completed - submitted),
        "lat_ns": distribution(completed - issued),
        **_samples(completed, ios.length[mine], _covered(ios), rate / KIB),
    }


def nothing() -> dict[str, Any]:
    """The section of what was not done: trims."""
    zero = np.zeros(0, np.int64)
    ios = Ios(zero, zero, zero, zero, zero, zero, zero, (0, 0), (0, 0), 0, 0.0)
    return section(ios, 0)


def spread(times: NDArray[np.int64]) -> dict[str, Any]:
    """Least, most, mean and deviation of times in ns."""
    if len(times) == 0:
        return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    deviation = float(np.std(times, ddof=1)) if len(times) > 1 else 0.0
    return {
        "min": int(times.min()),
        "max": int(times.max()),
        "mean": round(float(times.mean()), DIGITS),
        "stddev": round(deviation, DIGITS),
        "N": len(times),
    }


def distribution(times: NDArray[np.int64]) -> dict[str, Any]:
    """Return :func:`spread`, with percentiles and bins as of `json+` if there are times."""
    found = spread(times)
    if len(times):
        counts = bins.counts_of(times)
        at = bins.percentiles(counts, bins.PERCENTILES)
        found["percentile"] = {f"{one:.6f}": value for one, value in at.items()}
        found["bins"] = {str(middle): count for middle, count in counts.items()}
    return found


def latency_shares(ios: Ios) -> dict[str, dict[str, float]]:
    """Shares of the I/Os, in %, by completion latency: ``latency_ns``, ``_us`` and ``_ms``."""
    times = ios.completed - ios.submitted
    total = max(len(times), 1)
    found: dict[str, dict[str, float]] = {}
    for name, unit, edges in (
        ("latency_ns", 1, _EDGES),
        ("latency_us", 1000, _EDGES),
        ("latency_ms", NS_PER_MS, _EDGES_MS),
    ):
        highest = np.inf if edges is _EDGES_MS else 1000
        whole = times // unit
        inside = whole[(whole < highest) & ((times >= unit) | (unit == 1))]
        counts = np.bincount(np.searchsorted(edges, inside, side="right"), minlength=len(edges) + 1)
        names = [str(edge) for edge in edges]
        if edges is _EDGES_MS:
            names.append(">=2000")
        found[name] = {
            label: round(100 * int(count) / total, DIGITS)
            for label, count in zip(names, counts.tolist(), strict=False)
        }
    return found


def depths(ios: Ios) -> NDArray[np.int64]:
    """Return the number of I/Os that a worker had outstanding after each issue.

    What was not completed in the window is not known. So the last I/Os are left out: as many as
    were issued within the longest latency before the last completion.
    """
    found = []
    for worker in np.unique(ios.worker):
        mine = ios.worker == worker
        issued, completed = np.sort(ios.issued[mine]), np.sort(ios.completed[mine])
        longest = int((ios.completed[mine] - ios.issued[mine]).max())
        depth = np.arange(1, len(issued) + 1) - np.searchsorted(completed, issued, side="right")
        certain = issued <= completed[-1] - longest
        begun = certain & (issued >= 0)
        found.append(depth[begun] if begun.any() else depth[-1:])
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def depth_shares(found: NDArray[np.int64]) -> dict[str, float]:
    """fio's ``iodepth_level``: shares of the I/Os, in %; ``4`` stands for 4 to 7 outstanding."""
    places = np.minimum(np.log2(np.maximum(found, 1)).astype(int), len(DEPTHS) - 1)
    counts = np.bincount(places, minlength=len(DEPTHS)).tolist()
    total = max(len(found), 1)
    return {
        name: round(100 * count / total, DIGITS) for name, count in zip(DEPTHS, counts, strict=True)
    }


def batch_shares(ios: int) -> Mapping[str, float]:
    """fio's ``iodepth_submit`` and ``_complete``: simulated I/Os come and go one at a time."""
    return {name: 100.0 if name == "4" and ios else 0.0 for name in BATCHES}


def _covered(ios: Ios) -> int:
    """Up to when the I/Os of the window are listed, ns."""
    if ios.left_out and len(ios.completed):
        return int(ios.completed[-1])
    return ios.span


def _samples(
    completed: NDArray[np.int64], length: NDArray[np.int64], covered: int, rate: float
) -> dict[str, Any]:
    """Bandwidth (KiB/s) and IO/s over every 500 ms, as fio samples them; zeros in short runs."""
    samples = covered // SAMPLE_NS if len(completed) else 0
    inside = completed < samples * SAMPLE_NS
    places = completed[inside] // SAMPLE_NS
    per_s = NS_PER_S / SAMPLE_NS
    bandwidth = np.bincount(places, length[inside], minlength=samples)[:samples] * per_s / KIB
    rates = np.bincount(places, minlength=samples)[:samples] * per_s
    if samples == 0:
        bandwidth = rates = np.zeros(1)

    def deviation(values: NDArray[np.floating[Any]]) -> float:
        return round(float(np.std(values, ddof=1)), DIGITS) if len(values) > 1 else 0.0

    mean = float(bandwidth.mean())
    return {
        "bw_min": int(bandwidth.min()),
        "bw_max": int(bandwidth.max()),
        "bw_agg": round(min(100 * mean / rate, 100.0), DIGITS) if rate else 0.0,
        "bw_mean": round(mean, DIGITS),
        "bw_dev": deviation(bandwidth),
        "bw_samples": int(samples),
        "iops_min": int(rates.min()),
        "iops_max": int(rates.max()),
        "iops_mean": round(float(rates.mean()), DIGITS),
        "iops_stddev": deviation(rates),
        "iops_samples": int(samples),
    }
