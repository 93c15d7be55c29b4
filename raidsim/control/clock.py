"""One conversion between SimPy's float seconds and the kernel's whole nanoseconds.

The kernel's time in seconds is ``ns / 1e9``, correctly rounded. In the other direction, a time of
SimPy becomes the *first* nanosecond that is not before it. The two conversions are exact inverses
up to 2**23 s (97 days), where floats become coarser than nanoseconds. Beyond this, no time is
earlier after a conversion than before it. (Multiplying by 1e9 and rounding down would give an
earlier time in a few cases of a thousand.)
"""

from __future__ import annotations

import math
from fractions import Fraction

from raidsim.errors import InputError, Problem
from raidsim.kernel.tables import NEVER

NS_PER_S = 1_000_000_000  # a whole number: times may be longer than a float is exact
EXACT = 2**51  # ns; up to here the product of a float and 1e9 is less than half a ns off
END = NEVER / NS_PER_S  # s; 146 years


def to_seconds(ns: int) -> float:
    """The kernel's time in SimPy's unit."""
    return ns / NS_PER_S


def to_ns(seconds: float) -> int:
    """The first ns that does not lie before a time of SimPy's.

    Raises
    ------
    InputError
        At times where the kernel's clock has ended.
    """
    if seconds >= END:
        cause = f"the simulated time of {seconds:g} s is beyond what the kernel's clock can count"
        raise InputError([Problem("Environment", None, None, cause, f"stay below {END:.3g} s")])
    ns = round(seconds * NS_PER_S)
    if ns >= EXACT:
        return _exactly(float(seconds))
    if ns / NS_PER_S < seconds:
        return ns + 1
    return ns if (ns - 1) / NS_PER_S < seconds else ns - 1


def _exactly(seconds: float) -> int:
    """As :func:`to_ns`, where floats lie further apart than nanoseconds."""
    # Times nearer to this float than to the one before it become this float.
    edge = (Fraction(math.nextafter(seconds, 0)) + Fraction(seconds)) / 2
    ns = math.ceil(edge * NS_PER_S)
    return ns if to_seconds(ns) >= seconds else ns + 1


def last_before(seconds: float) -> int:
    """The last ns that lies before a time of SimPy's; NEVER if that is beyond the clock."""
    return NEVER if seconds >= END else to_ns(seconds) - 1


def duration(seconds: float) -> int:
    """A length of time in whole ns: the nearest, but at least one, and at most NEVER."""
    return min(max(round(seconds * NS_PER_S), 1), NEVER) if seconds < END else NEVER
