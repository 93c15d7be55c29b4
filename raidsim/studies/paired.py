"""The difference of two systems in a figure, from runs of both with the same random numbers.

Run i of one system has the seed of run i of the other, so both are asked for the same I/Os, and
chance mostly affects both in the same way. Runs of different seeds are independent of each other.
So the differences d_i are independent too, and their mean has Student's interval with n - 1 degrees
of freedom:

    mean(d) -+ t(0.975, n - 1) * s(d) / sqrt(n)

The ratio is computed with logarithms: exp of the mean of log(y_i / x_i), and of the ends of its
interval. (A. M. Law, "Simulation Modeling and Analysis", chapters 10.2 and 11.2.) Results that were
read, of one run each, are not paired: their own intervals are combined as independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Difference:
    """A figure of one system against that of another; ends are None where one run says nothing.

    Attributes
    ----------
    ratio, ratio_low, ratio_high : of the one to the other.
    change, change_low, change_high : the one less the other, in the unit of the figure.
    pairs : of runs, that it rests on; 0 where runs were not paired.
    """

    ratio: float
    ratio_low: float | None
    ratio_high: float | None
    change: float
    change_low: float | None
    change_high: float | None
    pairs: int

    @property
    def is_seen(self) -> bool:
        """Whether the interval of the ratio leaves 1 out."""
        low, high = self.ratio_low, self.ratio_high
        return low is not None and high is not None and not low <= 1 <= high


def paired(one: Sequence[float | None], other: Sequence[float | None]) -> Difference | None:
    """Return the difference of ``one`` to ``other`` over pairs of runs, with its interval.

    Parameters
    ----------
    one, other
        The figure in each run, of the same seeds in the same order; None where a run has none.

    Returns
    -------
    None if no run has it above zero in both.
    """
    pairs = [
        (y, x)
        for y, x in zip(one, other, strict=True)
        if y is not None and x is not None and y > 0 and x > 0
    ]
    if not pairs:
        return None
    logs, changes = [math.log(y / x) for y, x in pairs], [y - x for y, x in pairs]
    ratio, change = math.exp(fmean(logs)), fmean(changes)
    if len(pairs) == 1:
        return Difference(ratio, None, None, change, None, None, 1)
    by_log, by_change = (_half(values) for values in (logs, changes))
    return Difference(
        ratio,
        ratio * math.exp(-by_log),
        ratio * math.exp(by_log),
        change,
        change - by_change,
        change + by_change,
        len(pairs),
    )


def independent(
    one: tuple[float, float | None, float | None],
    other: tuple[float, float | None, float | None],
) -> Difference | None:
    """Return the difference of ``one`` to ``other``: means, each with its own interval.

    Relative widths of independent figures add up as squares (the delta method).
    """
    y, x = one[0], other[0]
    if y <= 0 or x <= 0:
        return None
    widths = [_relative(each) for each in (one, other)]
    if None in widths:
        return Difference(y / x, None, None, y - x, None, None, 0)
    z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    sigma = [(width or 0.0) / z for width in widths]
    by_log = z * math.hypot(*sigma)
    by_change = z * math.hypot(sigma[0] * y, sigma[1] * x)
    ratio = y / x
    return Difference(
        ratio,
        ratio * math.exp(-by_log),
        ratio * math.exp(by_log),
        y - x,
        y - x - by_change,
        y - x + by_change,
        0,
    )


def _half(values: Sequence[float]) -> float:
    """Half the width of Student's interval of the mean."""
    from scipy.stats import t  # noqa: PLC0415  (slow to load)

    freedom = len(values) - 1
    return float(t.ppf(0.5 + CONFIDENCE / 2, freedom)) * stdev(values) / math.sqrt(len(values))


def _relative(figure: tuple[float, float | None, float | None]) -> float | None:
    mean, low, high = figure
    return None if low is None or high is None else (high - low) / 2 / mean
