"""From the figures of draws to an interval around the figure of a full run.

Draws are short runs. Each is divided by the short run of the cards as they are, under the same
random numbers, and that ratio moves the figure of the full run: what short runs have in common,
an end of the warm-up or a rare event more or less, is not taken for what cards do not know.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LOW, HIGH = 0.05, 0.95
"""The ends of an interval: nine in ten of the draws lie between."""

FEWEST = 10
"""Draws that an interval must rest on."""


def around(
    value: float, first: float | None, draws: Sequence[float | None]
) -> NDArray[np.float64] | None:
    """Return the figure of a full run as each draw would have it; NaN where a draw has none.

    Parameters
    ----------
    value
        Of the full run.
    first
        Of the short run of the cards as they are.
    draws
        Of the short runs of the draws; None where there was none.

    Returns
    -------
    None where nothing can be compared: without a figure of the cards as they are, or where that
    is zero.
    """
    if first is None or not np.isfinite(first) or first == 0 or not np.isfinite(value):
        return None
    found = np.array([np.nan if one is None else one for one in draws], float)
    return value * found / first


def ends(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the 5th and the 95th percentile of what draws gave; None of fewer than ten.

    The percentiles are median-unbiased ones: between the draws beside them, as far as in the
    median over many samples of that size.
    """
    present = values[np.isfinite(values)]
    if present.size < FEWEST:
        return None
    low, high = np.quantile(present, [LOW, HIGH], method="median_unbiased")
    return float(low), float(high)


def share_ahead(ratios: NDArray[np.float64]) -> float | None:
    """Return in which share of the draws a ratio is above one; a tie counts half."""
    present = ratios[np.isfinite(ratios)]
    if present.size == 0:
        return None
    ahead = np.count_nonzero(present > 1) + 0.5 * np.count_nonzero(present == 1)
    return float(ahead / present.size)
