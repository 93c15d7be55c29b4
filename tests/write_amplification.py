"""Write amplification in closed form.

P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012: uniform random
writes, alpha = physical over logical capacity, n pages a block.
"""

from __future__ import annotations

import math

from scipy.special import lambertw


def lambert(x: float) -> float:
    return float(lambertw(x).real)


def greedy(alpha: float, n: int) -> float:
    """Write amplification if the block with the fewest valid pages is collected."""
    c = 1 + 1 / (2 * n)
    valid = 0.5 - n / alpha * lambert(-c * alpha * math.exp(-c * alpha))
    return n / (n - valid + 1)


def very_large_blocks(alpha: float) -> float:
    """The same for blocks so large that all are collected equally full, or in turn."""
    return alpha / (alpha + lambert(-alpha * math.exp(-alpha)))
