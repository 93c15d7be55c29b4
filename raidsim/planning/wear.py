"""The life of drives at the written amount, while the load grows and further arrays share it.

Rated writes are counted here in years of the load of today: a drive that is rated for six of them
lasts less than six years if the load grows. In year y (from y-1 to y) the first arrays carry
``arrays[0] / arrays[y]`` of the load, since all arrays carry the same. After the horizon the load
grows further, and no array is added.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from raidsim.planning.choice import Numbers
from raidsim.planning.need import Need


def lasting(rated: Numbers | float, arrays: Sequence[Numbers | float], need: Need) -> Numbers:
    """Years until the drives of the first arrays are worn out; inf if they never are.

    Parameters
    ----------
    rated
        Years until the rated bytes of a drive are written by the load of today.
    arrays
        Of each year of the horizon how many arrays there are, from what is bought at first on.
    need
        Says how the load grows.
    """
    left = np.asarray(rated, float)
    found, over = np.zeros_like(left), np.zeros(left.shape, bool)
    for year in range(1, len(arrays)):
        share = np.asarray(arrays[0]) / np.asarray(arrays[year])
        written = share * _written(need, year - 1, year)
        ends = ~over & (left < written)
        found = np.where(ends, _until(need, year - 1, left / share), found)
        over = over | ends
        left = left - np.where(over, 0.0, written)
    share = np.asarray(arrays[0]) / np.asarray(arrays[-1])
    return np.asarray(np.where(over, found, _until(need, len(arrays) - 1, left / share)))


def replaced(rated: float | None, arrays: Sequence[int], need: Need) -> float:
    """Return the number of times that a drive is worn out in the horizon, summed over arrays.

    Times the drives of an array that is the number of drives that are bought again. Drives of
    further arrays are new when these are bought. What is worn out at the end is not replaced.

    Parameters
    ----------
    rated, arrays, need
        As :func:`lasting` has them; ``rated`` None: nothing wears out.
    """
    if rated is None:
        return 0.0
    years = range(1, len(arrays))
    written = [arrays[0] / arrays[year] * _written(need, year - 1, year) for year in years]
    total = 0.0
    for bought in years:
        # What growth adds in the first year is there from the start.
        new = arrays[bought] - (arrays[bought - 1] if bought > 1 else 0)
        total += new * max(math.ceil(sum(written[bought - 1 :]) / rated - 1e-9) - 1, 0)
    return total


def _written(need: Need, start: float, end: float) -> float:
    """Return the writes of the whole load between two times, in years of today's load."""
    grows = math.log(need.load_after(1))
    if grows == 0:
        return end - start
    return (need.load_after(end) - need.load_after(start)) / grows


def _until(need: Need, start: float, amount: Numbers) -> Numbers:
    """Return the time at which ``amount`` has been written since ``start``; inf if never."""
    grows = math.log(need.load_after(1))
    if grows == 0:
        return np.asarray(start + amount)
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = np.log(need.load_after(start) + amount * grows) / grows
    return np.asarray(np.where(np.isnan(reached), np.inf, reached))
