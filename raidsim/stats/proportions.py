"""Confidence interval of a probability that was counted, or estimated with weights.

Counted: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in
the case of the binomial", Biometrika 26 (1934); never too narrow. For none in n trials the upper
end is 1 - (alpha/2)^(1/n), about 3.7/n at 95 %. If only an upper bound is needed, this is 3/n (rule
of three).

Weighted (importance sampling): normal interval of the mean of the weights, limited to 0 to 1; for a
thousand trials and more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Estimate:
    """A probability with its interval.

    Attributes
    ----------
    mean : the estimate.
    low, high : confidence limits; of none found, 0 and the rule of three.
    found : trials in which it happened.
    trials : how many there were.
    """

    mean: float
    low: float
    high: float
    found: int
    trials: int

    def __str__(self) -> str:
        if self.found == 0:
            return f"0 of {self.trials:,}: below {self.high:.2g}"
        return f"{self.mean:.3g} ({self.low:.3g} to {self.high:.3g})"


def counted(found: int, trials: int, confidence: float = 0.95) -> Estimate:
    """The probability of what happened in ``found`` of ``trials`` independent trials.

    Raises
    ------
    ValueError
        There are no trials, or fewer than were found.
    """
    if not 0 <= found <= trials or trials < 1:
        raise ValueError(f"{found} of {trials} is not a proportion")
    tail = (1 - confidence) / 2
    if found == 0:
        return Estimate(0.0, 0.0, min(-math.log(1 - confidence) / trials, 1.0), 0, trials)
    from scipy.special import betaincinv  # noqa: PLC0415  (SciPy is slow to load)

    low = float(betaincinv(found, trials - found + 1, tail))
    high = 1.0
    if found < trials:
        high = float(betaincinv(found + 1, trials - found, 1 - tail))
    return Estimate(found / trials, low, high, found, trials)


def weighted(weights: NDArray[np.float64], confidence: float = 0.95) -> Estimate:
    """The mean of one weight per trial, 0 where it did not happen.

    Where it never happened the rule of three is given, as if nothing had been weighted; weights
    are made so that it happens.
    """
    trials, found = len(weights), int(np.count_nonzero(weights))
    if found == 0:
        return counted(0, trials, confidence)
    mean = float(weights.mean())
    error = float(weights.std(ddof=1)) / math.sqrt(trials) if trials > 1 else math.inf
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * error
    return Estimate(mean, max(mean - half, 0.0), min(mean + half, 1.0), found, trials)
