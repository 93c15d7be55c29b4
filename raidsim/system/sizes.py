"""The sizes of the I/Os of a stream, as rows of the table `sizes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from raidsim.system.tables import Tables


def sizes_of(tables: Tables, stream: int) -> NDArray[Any]:
    """Rows of `sizes` of all I/Os of a stream."""
    row = tables.world.streams[stream]
    sizes: NDArray[Any] = tables.world.sizes[row["first_size"] :][: row["sizes"]]
    return sizes


def sizes_that_write(tables: Tables, stream: int) -> NDArray[Any]:
    """Rows of `sizes` of the I/Os of a stream of which some are writes."""
    sizes = sizes_of(tables, stream)
    found: NDArray[Any] = sizes[sizes["read_share"] + sizes["trim_share"] < 1.0]
    return found


def sizes_of_writes(tables: Tables, stream: int) -> NDArray[Any]:
    """Rows of `sizes` as the writes and trims of a stream have them.

    A size of which more I/Os are reads counts for less.
    """
    sizes = sizes_of(tables, stream).copy()
    reads = sizes["read_share"]
    if (reads != reads[0]).any():
        shares = np.diff(np.minimum(sizes["up_to"], 1.0), prepend=0.0) * (1.0 - reads)
        sizes = sizes[shares > 0]
        sizes["up_to"] = np.cumsum(shares[shares > 0]) / shares.sum()
        sizes["up_to"][-1] = 2.0
    changes = 1.0 - sizes["read_share"]
    sizes["trim_share"] /= np.where(changes > 0, changes, 1.0)
    sizes["read_share"] = 0.0
    return sizes


def writes_at_random(tables: Tables, stream: int) -> bool:
    """Return whether some I/Os of a stream are random writes."""
    return bool((sizes_that_write(tables, stream)["random_share"] > 0.0).any())
