"""Shares of a whole that are written with few digits, and still add up to all of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def rounded_shares(
    shares: Sequence[float] | NDArray[np.float64], least: int = 0, steps: int = 10_000
) -> list[float]:
    """Shares that add up to 1, each as near as whole steps allow (largest remainders).

    Parameters
    ----------
    shares
        In any unit.
    least
        Steps that each has at least.
    steps
        How many of them make 1; 10,000 are of 0.01 % each.
    """
    given = np.asarray(shares, float)
    parts = given / given.sum() * steps
    whole = np.maximum(np.floor(parts + 1e-9), least).astype(int)
    order = np.argsort(-(parts - whole), kind="stable")
    left = steps - int(whole.sum())
    for turn in range(abs(left)):
        if left > 0:
            whole[order[turn % len(order)]] += 1
        else:
            whole[int(np.argmax(whole))] -= 1
    return [int(one) / steps for one in whole]
