"""Confidence interval of the mean of one correlated series: batch means, adjusted as in Skart.

Values of a simulation follow one another and resemble one another, so a plain Student interval
over them is far too narrow. The series is therefore averaged in batches:

1. Begin with at most 64 batches. While von Neumann's ratio of successive differences finds the
   batch means correlated at the 20 % level (either way: a closed load's throughput alternates),
   make the batches longer by sqrt 2, down to 10 batches.
   With r = 1 - sum (Y_j+1 - Y_j)**2 / (2 sum (Y_j - mean)**2), independent batches give r
   a mean of 0 and a variance of (k - 2) / (k**2 - 1); k is the number of batches.
2. A test passed is no proof of independence, so the variance of the mean, s**2 / k, is
   multiplied by (1 + phi) / (1 - phi), where phi is the lag-1 autocorrelation that is left
   (+ 1 / k for its bias), kept within 0 to 0.8.
3. Student's t with k - 1 degrees of freedom is corrected for the skewness of the batch means
   (queues are skewed: now and then a long one), which makes the interval asymmetric:
   G(t) = (cbrt(1 + 6 b (t - b)) - 1) / (2 b),  b = skewness / (6 sqrt k).

Sources: step 1, G. S. Fishman, "Grouping observations in digital simulation", Management
Science 24 (1978), pp. 510-521; steps 2 and 3, A. Tafazzoli, N. M. Steiger, J. R. Wilson, "N-Skart:
a nonsequential skewness- and autocorrelation-adjusted batch-means procedure for simulation
analysis", IEEE Trans. Automatic Control 56 (2011); G is R. Willink's (2005).

Coverage is proved in `tests/test_stats_coverage.py`. Cut the warm-up first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_BATCHES = 64
LEAST_BATCHES = 10
_TEST_Z = 1.2815515655446004  # normal quantile: 20 % two-sided
_MOST_PHI = 0.8


@dataclass(frozen=True)
class BatchMeans:
    """A mean and its confidence interval, in the unit of the series.

    `low` and `high` are None when the series is too short to give them.
    """

    mean: float
    low: float | None
    high: float | None
    batches: int  # that the interval rests on; 0 when there is none
    independent: bool  # the test was passed; else the interval leans on the correction

    @property
    def precision(self) -> float | None:
        """Half the width of the interval as a share of the mean; None when there is none."""
        if self.low is None or self.high is None:
            return None
        half = (self.high - self.low) / 2
        if half == 0.0:
            return 0.0
        return half / abs(self.mean) if self.mean else math.inf


def batch_means(
    series: Sequence[float] | NDArray[np.float64], confidence: float = 0.95
) -> BatchMeans:
    """Return the mean of a series with its confidence interval.

    Parameters
    ----------
    series
        Observations over equal spans of time or of I/Os, in order, in any unit, warm-up cut off.
        Single observations or means of equally many: what is not yet batched enough is batched.
    confidence
        Nominal coverage, 0 < confidence < 1.

    Returns
    -------
    BatchMeans
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
    if len(values) < LEAST_BATCHES:
        return BatchMeans(mean, None, None, batches=0, independent=False)
    spread = float(np.abs(values - mean).max())
    if spread <= 1e-12 * abs(mean):  # constant but for rounding
        return BatchMeans(
            mean, mean, mean, batches=min(len(values), MOST_BATCHES), independent=True
        )

    # In units of the spread: nothing below depends on whether times come in seconds or in ns.
    values = (values - mean) / spread
    size = -(-len(values) // MOST_BATCHES)
    away, independent = _batch(values, size)
    while not independent:
        longer = math.ceil(size * math.sqrt(2.0))
        if len(values) // longer < LEAST_BATCHES:
            break
        size = longer
        away, independent = _batch(values, size)
    low, high = _adjusted_student(away, confidence)
    return BatchMeans(
        mean, mean + spread * low, mean + spread * high, len(away), independent=independent
    )


def _batch(values: NDArray[np.float64], size: int) -> tuple[NDArray[np.float64], bool]:
    """Return the batch means less their mean, and whether they pass as independent.

    What does not fill a batch is dropped at the start, where the warm-up was.
    """
    k = len(values) // size
    means = values[len(values) - k * size :].reshape(k, size).mean(axis=1)
    away = means - means.mean()
    if np.abs(away).max() <= 1e-12:
        return np.zeros(k), True  # what varies is periodic and cancels in every batch
    r = 1.0 - float(np.square(np.diff(away)).sum()) / (2.0 * float(away @ away))
    return away, abs(r) <= _TEST_Z * math.sqrt((k - 2) / (k * k - 1))


def _adjusted_student(away: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return the ends of the interval, relative to the mean, from centred batch means."""
    from scipy.special import stdtrit  # noqa: PLC0415  (`raidsim --help` must not load SciPy)

    k = len(away)
    squares = float(away @ away)
    if squares == 0.0:
        return 0.0, 0.0
    phi = float(away[1:] @ away[:-1]) / squares + 1.0 / k
    phi = min(max(phi, 0.0), _MOST_PHI)
    error = math.sqrt(squares / (k - 1) / k * (1.0 + phi) / (1.0 - phi))
    third = float((away**3).mean()) / (squares / k) ** 1.5
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
