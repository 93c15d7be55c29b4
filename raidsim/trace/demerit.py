"""The distance between two samples of response times: the demerit figure of disk models."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from raidsim.errors import InputError, Problem


def demerit(measured: ArrayLike, simulated: ArrayLike) -> float:
    """Distance of two samples of response times, as a share of the measured mean.

    That is the root mean square of the horizontal distance between the two cumulative
    distributions, over the mean of the measured times (Ruemmler and Wilkes, 1994). Of samples of
    equal size that is the distance of the sorted times, one from one; of others that of the
    quantiles, exactly: both distributions are steps, and between two steps of either nothing
    changes.

    Parameters
    ----------
    measured, simulated
        Response times, in the same unit, in any order.

    Returns
    -------
    The distance, without unit: 0.06 is a demerit of 6 %.

    Raises
    ------
    InputError
        A sample is empty, has a value that is not finite, or the measured mean is 0.
    """
    samples = []
    for name, given in (("measured", measured), ("simulated", simulated)):
        sample = np.sort(np.asarray(given, float).ravel())
        if not len(sample):
            raise InputError([Problem(None, None, f"demerit(): {name}", "has no times")])
        if not np.isfinite(sample).all():
            raise InputError([Problem(None, None, f"demerit(): {name}", "has times not finite")])
        samples.append(sample)
    one, other = samples
    mean = float(one.mean())
    if mean <= 0:
        raise InputError([Problem(None, None, "demerit(): measured", "has a mean of 0")])
    # Borders of the quantiles of both as whole numbers, out of len(one) * len(other).
    total = len(one) * len(other)
    borders = np.union1d(np.arange(len(one) + 1) * len(other), np.arange(len(other) + 1) * len(one))
    start, width = borders[:-1], np.diff(borders)
    distance = one[start // len(other)] - other[start // len(one)]
    return math.sqrt(float((distance**2 * (width / total)).sum())) / mean
