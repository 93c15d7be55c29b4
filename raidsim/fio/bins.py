"""The histogram of fio (`stat.c`): groups of 64 bins, each group as wide as all before it together.

The first two groups have bins of one; in each later group bins are twice as wide as in the one
before, so a bin is never wider than 1/64 of what is in it. What fio prints of a bin is its middle.
fio 3 counts ns in 29 groups, fio 2 us in 19; a histogram log may have every 2, 4, 8 ... bins
added up (``log_hist_coarseness``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from raidsim.measured.counts import percentiles

__all__ = ["counts_of", "index_of", "low_of", "middle_of", "percentiles"]

BITS = 6
PER_GROUP = 1 << BITS
GROUPS_NS = 29  # fio 3
GROUPS_US = 19  # fio 2
BINS_NS = GROUPS_NS * PER_GROUP
BINS_US = GROUPS_US * PER_GROUP

PERCENTILES = (
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95,
    99.99,
)  # fmt: skip
"""Percentiles that fio prints if nobody asks for others, in %."""


def index_of(times: NDArray[np.int64], bins: int = BINS_NS) -> NDArray[np.int64]:
    """The bin of each time, in the unit of the histogram; what is too long is in the last one."""
    values = np.maximum(times, 0)
    top = np.frexp(np.maximum(values, 1).astype(float))[1] - 1  # the highest bit that is set
    dropped = np.maximum(top - BITS, 0)
    index = ((dropped + 1) << BITS) + ((PER_GROUP - 1) & (values >> dropped))
    found: NDArray[np.int64] = np.where(top <= BITS, values, np.minimum(index, bins - 1))
    return found


def low_of(index: int) -> int:
    """The least time of a bin; of the number behind the last one, where that ends."""
    if index < 2 * PER_GROUP:
        return index
    dropped = (index >> BITS) - 1
    return (PER_GROUP + index % PER_GROUP) << dropped


def middle_of(index: int) -> int:
    """Return the number that fio prints for a bin: its middle, or the time itself in small bins."""
    if index < 2 * PER_GROUP:
        return index
    return low_of(index) + (1 << (index >> BITS) - 1 >> 1)


def counts_of(times: NDArray[np.int64]) -> dict[int, int]:
    """Return the number of times in each bin that has any, by the bin's middle."""
    numbers, counts = np.unique(index_of(times), return_counts=True)
    return {middle_of(int(index)): int(count) for index, count in zip(numbers, counts, strict=True)}
