"""Zipf-distributed ranks without a table, for any number of blocks.

Rejection-inversion after W. Hörmann and G. Derflinger, "Rejection-inversion to generate
variates from monotone discrete distributions", ACM TOMACS 6(3), 1996. P(rank k) is
proportional to k**-s for k = 1 .. n.
"""

from __future__ import annotations

import math

from raidsim.kernel.jit import handler, routine
from raidsim.kernel.random import uniform

TRIES = 64  # draws set aside for one rank; more than two are rare
LARGEST = 2**62  # product of a rank and a step


@handler
def integral(x, s):
    """H(x), the integral of x**-s."""
    log_x = math.log(x)
    t = (1.0 - s) * log_x
    if abs(t) > 1e-8:
        return math.expm1(t) / t * log_x
    return log_x * (1.0 + t / 2.0)


@handler
def inverse(y, s):
    """The x with H(x) = y."""
    t = max(y * (1.0 - s), -1.0)
    if abs(t) > 1e-8:
        return math.exp(math.log1p(t) / t * y)
    return math.exp(y * (1.0 - t / 2.0))


@routine
def rank(key, n, count, s):
    """The n-th rank of ``key``: 0 (most frequent) .. count - 1, with exponent ``s``."""
    low = integral(1.5, s) - 1.0
    high = integral(count + 0.5, s)
    squeeze = 2.0 - inverse(integral(2.5, s) - 2.0**-s, s)
    for attempt in range(TRIES):
        u = high + uniform(key, n * TRIES + attempt) * (low - high)
        x = inverse(u, s)
        k = min(max(int(x + 0.5), 1), count)
        if k - x <= squeeze or u >= integral(k + 0.5, s) - float(k) ** -s:
            return k - 1
    return 0


@handler
def scatter(rank, count):
    """Return the block of a rank: popular blocks are spread over the area, one to one."""
    if count < 2:
        return 0
    # An odd step near count / golden ratio visits every block once if it is coprime to count.
    # With very many blocks the step is smaller: rank * step must not overflow.
    step = min(int(count * 0.6180339887498949), LARGEST // count) | 1
    while gcd(step, count) != 1:
        step += 2
    return (rank % count) * (step % count) % count


@handler
def gcd(a, b):
    """Greatest common divisor."""
    while b:
        a, b = b, a % b
    return a
