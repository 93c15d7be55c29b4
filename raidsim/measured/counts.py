"""Percentiles of times that are counted in bins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def percentiles(bins: Mapping[int, int], wanted: Sequence[float]) -> dict[float, int]:
    """Percentiles (in %) as fio takes them from its bins: the middle of the one it falls into.

    Parameters
    ----------
    bins
        I/Os by the middle of their bin, in ns.
    """
    if not bins:
        return dict.fromkeys(wanted, 0)
    values = sorted(bins)
    reached = np.cumsum([bins[value] for value in values])
    ranks = np.asarray(wanted) / 100 * reached[-1]
    places = np.minimum(np.searchsorted(reached, ranks - 1e-9), len(values) - 1)
    return {one: values[place] for one, place in zip(wanted, places.tolist(), strict=True)}
