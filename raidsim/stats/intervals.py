"""Confidence interval of the mean of one correlated series: lowest frequencies, adjusted as Skart.

Consecutive values of a simulation are similar, so a plain Student interval over them is far too
narrow. The error of the mean of n values depends on their slow variations:

1. The series is decomposed into cosines, c_j = sqrt(2 / n) sum x_i cos(pi j (i + 1/2) / n). If slow
   variations are equally strong, each of the lowest cosines gives the variance of the mean, c_j**2
   / n. Begin with at most 63 of them. Together they are the slow part of the series. It is
   determined by k values, one more than there are cosines. While von Neumann's ratio of successive
   differences finds these values correlated at the 20 % level (either way), some frequencies are
   stronger than others: take fewer by sqrt 2, down to 9. With r = 1 - sum (Y_j+1 - Y_j)**2 / (2 sum
   (Y_j - mean)**2), independent values give r a mean of 0 and a variance of (k - 2) / (k**2 - 1).
2. A passed test is no proof. So the variance of the mean, which is the mean of c_j**2 / n, is
   multiplied by (1 + phi) / (1 - phi). phi is the lag-1 autocorrelation of the remaining slow part
   (+ 1 / k for its bias), limited to 0 to 0.8.
3. Student's t with k - 1 degrees of freedom is corrected for the skewness of the slow part (queues
   are skewed: sometimes a long one), which makes the interval asymmetric: G(t) = (cbrt(1 + 6 b (t -
   b)) - 1) / (2 b),  b = skewness / (6 sqrt k).

Means of batches are the usual slow part. But a batch begins and ends somewhere within a periodic
effect (garbage collection, I/Os in flight): if it has too much of it, its neighbour has too little.
This evens out over the window, but not over the batches: their intervals were up to three times too
wide. Fast variations add hardly anything to cosines that have few periods in the window.

Sources: step 1, U. K. Mueller, "A theory of robust long-run variance estimation", J. Econometrics
141 (2007), and E. Lazarus, D. J. Lewis, J. H. Stock, M. W. Watson, "HAR inference: recommendations
for practice", J. Business & Economic Statistics 36 (2018): equally weighted cosines with Student's
t; the test and how it is repeated, G. S. Fishman, "Grouping observations in digital simulation",
Management Science 24 (1978), for batches; steps 2 and 3, A. Tafazzoli, N. M. Steiger, J. R. Wilson,
"N-Skart: a nonsequential skewness- and autocorrelation-adjusted batch-means procedure for
simulation analysis", IEEE Trans. Automatic Control 56 (2011); G is R. Willink's (2005).

`tests/test_stats_coverage.py` tests the coverage. Cut the warm-up first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

MOST_VALUES = 64  # of the slow part: one more than its frequencies
LEAST_VALUES = 10
_TEST_Z = 1.2815515655446004  # normal quantile: 20 % two-sided
_MOST_PHI = 0.8


@dataclass(frozen=True)
class MeanInterval:
    """A mean and its confidence interval, in the unit of the series.

    `low` and `high` are None when the series is too short to give them.
    """

    mean: float
    low: float | None
    high: float | None
    frequencies: int  # that the interval rests on; 0 when there is none
    even: bool  # these are equally strong, by the test; else the interval leans on the correction

    @property
    def precision(self) -> float | None:
        """Half the width of the interval as a share of the mean; None when there is none."""
        if self.low is None or self.high is None:
            return None
        half = (self.high - self.low) / 2
        if half == 0.0:
            return 0.0
        return half / abs(self.mean) if self.mean else math.inf


def mean_interval(
    series: Sequence[float] | NDArray[np.float64], confidence: float = 0.95
) -> MeanInterval:
    """Return the mean of a series with its confidence interval.

    Parameters
    ----------
    series
        Observations over equal spans of time or of I/Os, in order, in any unit, warm-up cut off.
        Single observations, or means of equally many.
    confidence
        Nominal coverage, 0 < confidence < 1.

    Returns
    -------
    MeanInterval
        The mean is that of the whole series. There is no interval for fewer than ten observations.

    Raises
    ------
    ValueError
        If the series is empty or holds a value that is not finite, or if the confidence is not
        between 0 and 1.
    """
    values = np.asarray(series, dtype=np.float64)
    if len(values) == 0:
        raise ValueError("no mean of an empty series")
    if not np.isfinite(values).all():
        raise ValueError("the series holds a value that is not finite")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
    mean = float(values.mean())
    if len(values) < LEAST_VALUES:
        return MeanInterval(mean, None, None, frequencies=0, even=False)
    count = min(len(values), MOST_VALUES)
    spread = float(np.abs(values - mean).max())
    if spread <= 1e-12 * abs(mean):  # constant but for rounding
        return MeanInterval(mean, mean, mean, frequencies=count - 1, even=True)

    # In units of the spread: nothing below depends on whether times come in seconds or in ns.
    cosines = _cosines((values - mean) / spread, count)
    slow, even = _slow_part(cosines, len(values))
    while not even and len(slow) > LEAST_VALUES:
        fewer = max(int(len(slow) / math.sqrt(2.0)), LEAST_VALUES)
        slow, even = _slow_part(cosines[:fewer], len(values))
    low, high = _adjusted_student(slow, confidence)
    return MeanInterval(
        mean, mean + spread * low, mean + spread * high, frequencies=len(slow) - 1, even=even
    )


def _cosines(values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return the lowest ``count`` of the c_j of a series, from c_0 on.

    They come from the Fourier transform of the series followed by its mirror image.
    """
    n = len(values)
    both = np.fft.rfft(np.concatenate((values, values[::-1])))[:count]
    turned = (both * np.exp(-0.5j * math.pi * np.arange(count) / n)).real
    cosines: NDArray[np.float64] = turned / math.sqrt(2.0 * n)
    return cosines


def _slow_part(cosines: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], bool]:
    """Return the sum of the lowest frequencies of ``n`` values, and whether they are even.

    It is told by as many values as there are cosines, at equal distances, and has no mean; n is
    that of the whole series. Values that pass as independent have even frequencies.
    """
    k = len(cosines)
    slow: NDArray[np.float64] = _waves(k) @ cosines[1:] * math.sqrt(2.0 / n)
    squares = float(slow @ slow)
    if np.abs(slow).max() <= 1e-12:
        return np.zeros(k), True  # what varies is fast, and evens out
    r = 1.0 - float(np.square(np.diff(slow)).sum()) / (2.0 * squares)
    return slow, abs(r) <= _TEST_Z * math.sqrt((k - 2) / (k * k - 1))


@cache
def _waves(k: int) -> NDArray[np.float64]:
    """Return the waves of ``k`` - 1 frequencies at ``k`` places: a column for each.

    They are kept, since ``k`` has few values and each interval needs several of them.
    """
    j = np.arange(k)
    waves: NDArray[np.float64] = np.cos(math.pi / k * np.outer(j + 0.5, j[1:]))
    waves.flags.writeable = False
    return waves


def _adjusted_student(slow: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return the ends of the interval, relative to the mean, from the slow part of the series."""
    from scipy.special import stdtrit  # noqa: PLC0415  (`raidsim --help` must not load SciPy)

    k = len(slow)
    squares = float(slow @ slow)
    if squares == 0.0:
        return 0.0, 0.0
    phi = float(slow[1:] @ slow[:-1]) / squares + 1.0 / k
    phi = min(max(phi, 0.0), _MOST_PHI)
    error = math.sqrt(squares / (k - 1) / k * (1.0 + phi) / (1.0 - phi))
    third = float((slow**3).mean()) / (squares / k) ** 1.5
    skewness = third * math.sqrt(k * (k - 1)) / (k - 2)
    b = skewness / (6.0 * math.sqrt(k))
    t = float(stdtrit(k - 1, 0.5 + confidence / 2.0))
    # Below about 20 % of confidence the correction could leave the mean itself outside.
    return min(-error * _willink(t, b), 0.0), max(-error * _willink(-t, b), 0.0)


def _willink(t: float, b: float) -> float:
    """Return Student's `t` transformed for skewness, Willink's G; the identity for b = 0."""
    if abs(b) < 1e-9:
        return t
    return (math.cbrt(1.0 + 6.0 * b * (t - b)) - 1.0) / (2.0 * b)
