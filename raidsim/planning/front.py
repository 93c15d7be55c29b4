"""The Pareto front: designs that no other design beats, if differences are large enough to count.

Aims are compared in steps of a few per cent, since neither prices nor figures of runs are known
more precisely. A figure that is more than good enough counts as good enough: :class:`Aims` has
both. Of designs that are alike in every aim, the first in the order of cost, watts and number
stays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NAMES = ("cost", "watts", "latency", "headroom", "loss")
"""The aims, in their order; less is better of all but headroom."""

STEPS = (0.02, 0.05, 0.1, 0.1, 1.0)
"""Relative differences from which on an aim tells two designs apart."""

NO_LOSS = 1e-6
"""A chance that counts as none, unless a need asks for less."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Aims:
    """When an aim is met so well that more does not count.

    Attributes
    ----------
    latency : seconds of a mean.
    headroom : how many times the load of today.
    loss : chance within the horizon.
    """

    latency: float
    headroom: float
    loss: float

    def steps(self, values: Values) -> NDArray[np.int32]:
        """Aims in whole steps, less is better: a row for each design, in the order of NAMES."""
        cost, watts, latency, headroom, loss = np.asarray(values, float).T
        enough = np.column_stack(
            [
                cost,
                watts,
                np.maximum(latency, self.latency),
                1 / np.clip(headroom, 1e-6, self.headroom),
                np.maximum(loss, self.loss),
            ]
        )
        logs = np.log(np.maximum(enough, 1e-300)) / np.log1p(np.array(STEPS))
        return np.asarray(np.floor(logs + 1e-9), np.int32)


def front(steps: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the rows that no other row is as good as in all aims and better in one.

    ``steps`` has a row for each design, less is better; of equal rows the first one stays.
    """
    number = len(steps)
    if number == 0:
        return np.zeros(0, np.int64)
    sequence = np.lexsort(steps.T[::-1])  # stable: of equal rows the first one comes first
    kept: list[int] = []
    best = np.zeros((0, steps.shape[1]), steps.dtype)
    for row in sequence:
        if len(best) and (best <= steps[row]).all(axis=1).any():
            continue
        kept.append(int(row))
        best = np.vstack([best, steps[row]])
    return np.array(sorted(kept), np.int64)


def dominated(steps: NDArray[np.int32], by: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return flags, one a row: a known row is at least as good in every aim."""
    found = np.zeros(len(steps), bool)
    for row in by:
        left = ~found
        found[left] = (steps[left] >= row).all(axis=1)
    return found


def layers(steps: NDArray[np.int32], most: int) -> list[int]:
    """Rows of the front, then those of the front without these, and so on: so many at most."""
    found: list[int] = []
    left = np.arange(len(steps))
    while len(left) and len(found) < most:
        layer = front(steps[left])
        found += [int(left[row]) for row in layer]
        left = np.delete(left, layer)
    return found[:most]


def usual(latency: float | None, headroom: float, loss: float | None) -> Aims:
    """Return the levels at which aims are good enough: a twentieth of a latency, for example."""
    return Aims(
        latency=1e-4 if latency is None else latency / 20,
        headroom=headroom,
        loss=NO_LOSS if loss is None else min(loss / 1000, NO_LOSS),
    )
