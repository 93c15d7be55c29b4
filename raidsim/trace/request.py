"""The elements of a trace: requests as rows of an array, from any format."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

READ, WRITE, TRIM, FLUSH = 0, 1, 2, 3
OPS = ("read", "write", "trim", "flush")
"""What a request does, by the number that stands for it."""

REQUEST = np.dtype(
    [
        ("time", "f8"),  # s since the first request of the trace, by the trace's own clock
        ("op", "i1"),  # as OPS
        ("volume", "i4"),  # index into the names of volumes
        ("offset", "i8"),  # bytes
        ("size", "i8"),  # bytes; 0 for a flush
        ("response", "f8"),  # s; NaN where the trace has none
    ]
)

TIMED = np.dtype(
    [
        ("tick", "i8"),  # in the unit of the format: exact, and as far from zero as it may be
        ("op", "i1"),
        ("volume", "i4"),
        ("offset", "i8"),
        ("size", "i8"),
        ("response", "f8"),
    ]
)
"""A request as a format gives it: its time is not yet counted from the first."""

Requests = NDArray[Any]
"""An array of REQUEST or of TIMED."""

MOST_BYTES = 2**62
"""No request ends behind this."""
