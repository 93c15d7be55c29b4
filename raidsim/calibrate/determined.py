"""Which values the claims determine: each alone, and which can be exchanged for each other.

The slopes of the residuals at the end of a fit are a matrix J, claims by logarithms of values.
A value is not determined alone if a factor of two in it passes all claims by: |J e| ln 2 < 1. Of
those that are, a combination v (a right singular vector of J) is not if a factor of two along it
does: |J v| ln 2 < 1. Then one value can be exchanged for others in the proportion that v says.

How well a value is known while the others follow is the posterior of a linear model whose
residuals have a deviation of 1 and whose logarithms one of half their range: no value can
follow further than its range. Without that, a value that claims tell 1:1 would count as unknown
as soon as they do not tell another one, which hardly moves them, at all.
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
