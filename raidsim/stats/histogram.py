"""Log-linear histogram of times in whole nanoseconds: bins, percentiles, exceedances.

Below 1024 ns every nanosecond has its own bin. Above, each power of two is cut into 1024
equal bins, so a bin is never wider than 1/1024 (under 0.1 %) of the times in it. The last bin
ends at 2**48 ns (78 hours) and also takes whatever is longer.

    number of bins = 1024 + 38 * 1024        powers 2**10 ... 2**47

This layout is the binary format of a float64 read as an integer: 11 bits of exponent, then 52
of mantissa. Keeping the upper 10 bits of the mantissa leaves exactly "which power of two, which
of its 1024 parts". `bin_of` is that shift: one conversion and one subtraction, under a
nanosecond when compiled. It is called once per I/O.

`bin_of`, `bin_low` and `bin_width` are plain Python on integers, which Numba can compile and
this module does not import; histograms merge by adding their counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SUB_BITS = 10
SUB = 1 << SUB_BITS  # bins per power of two
LIMIT = 1 << 48  # ns; longer times are counted in the last bin
BINS = (48 - SUB_BITS + 1) * SUB

# Fewer samples beyond a quantile than this: it is not shown; fewer than that: a warning says so.
MIN_EXCEEDANCES = 10
FEW_EXCEEDANCES = 100

_SHIFT = 52 - SUB_BITS  # bits of a float64's mantissa that lie inside a bin
_OFFSET = ((1023 + SUB_BITS) << SUB_BITS) - SUB  # 1023: the exponent bias of a float64


def bin_of(ns: int) -> int:
    """Return the bin, 0 .. BINS - 1, that counts a time of `ns` nanoseconds.

    Monotone in `ns`. Times below 0 or from `LIMIT` on fall into the first and the last bin, so
    that the index is valid whatever is asked.
    """
    if ns < SUB:
        return max(ns, 0)
    if ns >= LIMIT:
        return BINS - 1
    return int(np.float64(ns).view(np.int64) >> _SHIFT) - _OFFSET


def bins_of(ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bins of many times at once, as `bin_of` does for one."""
    long = np.clip(ns, SUB, LIMIT - 1).astype(np.float64).view(np.int64) >> _SHIFT
    found: NDArray[np.int64] = np.where(ns < SUB, np.maximum(ns, 0), long - _OFFSET)
    return found


def demerit(measured: NDArray[np.int64], simulated: NDArray[np.int64], mean: float) -> float | None:
    """Return the distance of two distributions of response times, over the mean of the first.

    The root mean square of the horizontal distance between the two cumulative curves (Ruemmler
    and Wilkes, "An introduction to disk drive modeling", 1994). A bin counts with its middle, so
    the error is below 0.1 % of the times.

    Parameters
    ----------
    measured, simulated
        Samples per bin, shape (BINS,), in any numbers.
    mean
        Of the measured times, in ns.

    Returns
    -------
    float or None
        0 for equal distributions; None if one of them is empty.
    """
    total = _total(measured), _total(simulated)
    if not all(total) or mean <= 0:
        return None
    curves = []
    for counts, samples in zip((measured, simulated), total, strict=True):
        used = np.flatnonzero(counts)
        times = np.array([bin_low(int(b)) + (bin_width(int(b)) - 1) / 2 for b in used])
        curves.append((np.cumsum(counts[used]) / samples, times))
    edges = np.union1d(curves[0][0], curves[1][0])
    middle = edges - np.diff(edges, prepend=0.0) / 2
    apart = [times[np.searchsorted(shares, middle)] for shares, times in curves]
    return float(np.sqrt(np.sum(np.diff(edges, prepend=0.0) * (apart[0] - apart[1]) ** 2)) / mean)


def bin_low(b: int) -> int:
    """Return the least time in bin `b`, in ns."""
    if b < SUB:
        return b
    return (SUB + b % SUB) << (b // SUB - 1)


def bin_width(b: int) -> int:
    """Return the width of bin `b` in whole nanoseconds: it holds `low <= ns < low + width`."""
    if b < SUB:
        return 1
    return 1 << (b // SUB - 1)


def exceedances(counts: NDArray[np.int64], qs: Sequence[float]) -> list[int]:
    """Return the number of samples beyond each quantile.

    Parameters
    ----------
    counts
        Samples per bin, shape (BINS,).
    qs
        Quantiles, each 0 <= q <= 1.

    Raises
    ------
    ValueError
        If a quantile is outside 0 .. 1 or `counts` has another shape.
    """
    total = _total(counts)
    return [total - _rank(q, total) for q in qs]


def percentiles(counts: NDArray[np.int64], qs: Sequence[float]) -> list[float | None]:
    """Return the quantiles `qs` of the counted times, in ns.

    The q-quantile of n samples is the ceil(q n)-th smallest; within its bin the samples are
    taken as evenly spread, so the error is below 0.1 %. It is None when fewer than
    `MIN_EXCEEDANCES` samples lie beyond it.

    Parameters
    ----------
    counts
        Samples per bin, shape (BINS,).
    qs
        Quantiles, each 0 <= q <= 1, in any order.

    Raises
    ------
    ValueError
        If a quantile is outside 0 .. 1 or `counts` has another shape.
    """
    total = _total(counts)
    cumulated = np.cumsum(counts)
    found: list[float | None] = []
    for q in qs:
        rank = _rank(q, total)
        if total - rank < MIN_EXCEEDANCES:
            found.append(None)
            continue
        b = int(np.searchsorted(cumulated, rank))
        inside = int(counts[b])
        before = int(cumulated[b]) - inside
        part = (rank - before - 0.5) / inside
        # The largest integer in the bin is low + width - 1: bins of width 1 are exact.
        found.append(bin_low(b) + (bin_width(b) - 1) * part)
    return found


def _total(counts: NDArray[np.int64]) -> int:
    if counts.shape != (BINS,):
        raise ValueError(f"a histogram has shape ({BINS},), not {counts.shape}")
    return int(counts.sum())


def _rank(q: float, total: int) -> int:
    """Return the rank of the `q`-quantile among `total` sorted samples, counted from 1."""
    if not 0.0 <= q <= 1.0:
        raise ValueError(f"a quantile lies between 0 and 1, not {q}")
    # 0.07 * 100 is 7.000000000000001 in floats: forgive the rounding before taking the ceiling.
    return min(max(1, math.ceil(q * total * (1 - 1e-12))), total)
