"""Which values the claims determine: each alone, and which can be exchanged for each other.

The slopes of the residuals at the end of a fit are a matrix J: a row for each claim, a column for
the logarithm of each value. A value is not determined, even alone, if a factor of two in it has no
noticeable effect on the claims: |J e| ln 2 < 1, where e is its unit vector. The other values may
still be undetermined in combination. Such a combination is a right singular vector v of J for which
a factor of two along it has no noticeable effect: |J v| ln 2 < 1. Then one value can be exchanged
for others in the proportion that v gives.

The posterior of a linear model says how well one value is known while all others may change too. In
this model residuals have a standard deviation of 1. The logarithm of each value has a standard
deviation of half its range, so no value moves beyond its range. These ranges are necessary: without
them, a value with hardly any effect on the claims would make other values count as unknown that the
claims determine exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from raidsim.calibrate.fit import DETERMINED, noticed
from raidsim.calibrate.problem import Vector

PART = 0.25
"""Share of the largest component of a combination from which on a value is said to belong to it."""


@dataclass(frozen=True)
class Exchange:
    """Values that claims know in combination only.

    ``shares`` maps the number of a parameter to its relative change, the largest being 1: values
    that change by v_i * x per cent together pass the claims by. ``noticed`` is by what the
    residuals change in all for x = 1 %.
    """

    shares: dict[int, float]
    noticed: float


def uncertainties(slopes: Vector, scales: Vector) -> tuple[float, ...]:
    """Return of each value the change of its logarithm that moves the residuals by 1 in all.

    All other values follow as well as they can within their ranges; infinite where claims say
    nothing.

    Parameters
    ----------
    slopes
        Of the residuals, claims by logarithms of values.
    scales
        Half of each range, as a difference of logarithms.
    """
    counting = [i for i, counts in enumerate(noticed(slopes)) if counts]
    found = [math.inf] * slopes.shape[1]
    if counting:
        known = slopes[:, counting].T @ slopes[:, counting] + np.diag(scales[counting] ** -2.0)
        spreads = np.sqrt(np.diag(np.linalg.inv(known)))
        for i, spread in zip(counting, spreads, strict=True):
            found[i] = float(spread)
    return tuple(found)


def exchanges(slopes: Vector) -> tuple[Exchange, ...]:
    """Return the combinations of values that the claims leave open, the most open one first."""
    counting = [i for i, counts in enumerate(noticed(slopes)) if counts]
    if len(counting) < 2:
        return ()
    _, sizes, rows = np.linalg.svd(slopes[:, counting], full_matrices=True)
    sizes = np.append(sizes, np.zeros(len(rows) - len(sizes)))
    found = []
    for size, row in sorted(zip(sizes, rows, strict=True), key=lambda pair: float(pair[0])):
        if size * DETERMINED >= 1:
            break
        largest = float(row[np.argmax(np.abs(row))])
        shares = {
            i: float(part) / largest
            for i, part in zip(counting, row, strict=True)
            if abs(part / largest) >= PART
        }
        found.append(Exchange(shares, float(size) / abs(largest) * 0.01))
    return tuple(found)
