"""Write amplification of uniform random writes over a whole drive, in closed form.

Assumptions: blocks are large, and the block with the fewest valid units is collected. Then the
write amplification A follows from the spare area: with alpha = 1 + spare, A = alpha / (alpha +
W0(-alpha e^-alpha)), W0 the Lambert function (P. Desnoyers, SYSTOR 2012). The share of a collected
block that is still valid is (A - 1) / A = e^(-alpha / A). This gives the inverse.
"""

from __future__ import annotations

import math


def amplification(spare: float) -> float:
    """Write amplification of uniform random writes over a whole drive with large blocks.

    The inverse of :func:`spare_for` by Newton's method, from below, where that is convex: SciPy's
    Lambert function takes longer to be imported than a check of a scenario takes.
    """
    found, step = max(0.5 / spare, 1 + math.exp(-1 - spare)), 1.0
    if found == 1:
        return 1.0  # it moves less than any number can say
    while step > 1e-12 * found:
        slope = -math.log1p(-1 / found) - 1 / (found - 1)
        step = -(spare_for(found) - spare) / slope
        found += step
    return found


def spare_for(wanted: float) -> float:
    """Return the spare area, as a share of the capacity, for a write amplification above 1."""
    return -wanted * math.log1p(-1 / wanted) - 1
