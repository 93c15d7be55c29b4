"""Counter-based random numbers: the n-th draw of a key is a pure function of both.

No generator has a state, so no draw depends on any other: a load that issues more
reads does not change where another writes, and the n-th I/O of a stream goes to the
same place at every speed of the drive (common random numbers). The mixing function is
the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014) applied to key + n * golden ratio.
"""

from __future__ import annotations

import math

import numpy as np

from raidsim.kernel.jit import handler

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_1 = np.uint64(30)
SHIFT_2 = np.uint64(27)
SHIFT_3 = np.uint64(31)
TO_53_BITS = np.uint64(11)
UNIT = 2.0**-53


@handler
def bits(key, n):
    """The n-th 53 random bits of ``key``."""
    z = key + np.uint64(n) * GOLDEN
    z = (z ^ (z >> SHIFT_1)) * MIX_1
    z = (z ^ (z >> SHIFT_2)) * MIX_2
    z = z ^ (z >> SHIFT_3)
    return z >> TO_53_BITS


@handler
def uniform(key, n):
    """The n-th number of ``key``, uniform on [0, 1)."""
    return float(bits(key, n)) * UNIT


@handler
def exponential(key, n):
    """The n-th number of ``key``, exponential with mean 1."""
    return -math.log1p(-uniform(key, n))
