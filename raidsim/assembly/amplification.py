"""Write amplification of uniform random writes over a whole drive, in closed form.

With large blocks, and collection of the block with the fewest valid units, A follows from the spare
area: 1 + spare = alpha, A = alpha / (alpha + W0(-alpha e^-alpha)), W0 the Lambert function
(P. Desnoyers, SYSTOR 2012). So a share (A - 1) / A = e^(-alpha / A) of a block that is collected is
still valid, which gives the inverse.
"""

from __future__ import annotations

import math


def amplification(spare: float) -> float:
    """Write amplification of uniform random writes over a whole drive with large blocks."""
    from scipy.special import lambertw  # noqa: PLC0415  (few need it, and SciPy takes its time)

    alpha = 1 + spare
    return float(alpha / (alpha + lambertw(-alpha * math.exp(-alpha)).real))


def spare_for(wanted: float) -> float:
    """Return the spare area, as a share of the capacity, for a write amplification above 1."""
    return wanted * math.log(wanted / (wanted - 1)) - 1
