"""Write amplification of uniform random writes over a whole drive, in closed form.

With large blocks, and collection of the block with the fewest valid units, A follows from the spare
area: 1 + spare = alpha, A = alpha / (alpha + W0(-alpha e^-alpha)), W0 the Lambert function
(P. Desnoyers, SYSTOR 2012). The inverse is found by halving intervals.
"""

from __future__ import annotations

import math


def amplification(spare: float) -> float:
    """Write amplification of uniform random writes over a whole drive with large blocks."""
    alpha = 1 + spare
    return alpha / (alpha + lambert(-alpha * math.exp(-alpha)))


def lambert(x: float) -> float:
    """Return W0(x), the solution w >= -1 of w e^w = x, for -1/e <= x <= 0."""
    low, high = -1.0, 0.0
    for _ in range(100):
        middle = (low + high) / 2
        if middle * math.exp(middle) < x:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def spare_for(wanted: float) -> float:
    """Return the spare area, as a share of the capacity, that has a write amplification."""
    low, high = 0.001, 10.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        if amplification(middle) > wanted:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)
