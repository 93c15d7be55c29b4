"""One conversion between SimPy's float seconds and the kernel's whole nanoseconds.

``to_seconds`` is strictly increasing up to 2**53 ns (104 days), so comparing there and
back is safe; converting by multiplication is not (3 in 1000 horizons would step back).
"""

from __future__ import annotations

import math

from raidsim.kernel.tables import NEVER

NS_PER_S = 1_000_000_000
LATEST = 2**53  # ns


def to_seconds(ns: int) -> float:
    """The kernel's time in SimPy's unit."""
    return ns / NS_PER_S


def to_ns(seconds: float) -> int:
    """SimPy's time in the kernel's unit, to the nearest ns."""
    return round(seconds * NS_PER_S)


def last_before(seconds: float) -> int:
    """The last ns that lies strictly before a time of SimPy's."""
    if math.isinf(seconds) or seconds * NS_PER_S >= LATEST:
        return NEVER
    ns = math.ceil(seconds * NS_PER_S)
    while to_seconds(ns) >= seconds:
        ns -= 1
    return ns
