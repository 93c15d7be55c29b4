"""The share of each value in the variance of the draws.

There are as many values as draws, or more, and most have no effect. So the values are not all
fitted at once. The value that explains most of the rest is added, as long as it explains more than
the best of so many columns of pure chance would. Then all added values are fitted again. Ranks are
used, so that an effect need not be linear; it must only have one direction. With an input's
coefficient b and its correlation r with the figure, b times r is what the input adds to the
explained variance (Pratt, 1987). These shares add up to the whole, and to 1 if inputs explain
everything. The rest is "the others": effects too small to be distinguished from chance, joint
effects of several values, and the noise of the runs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CHANCE = 0.05
"""Probability with which columns of pure chance would bring forth one that is reported."""

MOST = 6
"""Values that are named at most."""

FEWEST = 12
"""Draws from which on shares are told."""


def shares(inputs: NDArray[np.float64], figure: NDArray[np.float64]) -> list[tuple[int, float]]:
    """Return columns of the inputs with their shares of the variance, the largest first.

    Parameters
    ----------
    inputs
        A row for each draw, a column for each value.
    figure
        What the draws gave; NaN where there was none.
    """
    present = np.isfinite(figure)
    count = int(present.sum())
    if count < FEWEST or inputs.shape[1] == 0:
        return []
    x, moving = _standardised(inputs[present])
    y = _ranked(figure[present])
    if not moving.any() or y.std() == 0:
        return []
    y = y / y.std()
    chosen: list[int] = []
    left = y
    coefficients = np.zeros(0)
    while len(chosen) < min(MOST, count // 4):
        rest = [int(n) for n in np.flatnonzero(moving) if n not in chosen]
        if not rest or left.std() < 1e-9:
            break
        best = max(rest, key=lambda n: abs(float(_partial(x, n, chosen) @ left)))
        direction = _partial(x, best, chosen)
        explained = float(direction @ left) ** 2 / (count * float(left @ left))
        if explained < _least(count, len(chosen), len(rest)):
            break
        chosen.append(best)
        coefficients, *_ = np.linalg.lstsq(x[:, chosen], y, rcond=None)
        left = y - x[:, chosen] @ coefficients
    found = [
        (column, float(coefficients[place] * (x[:, column] @ y) / count))
        for place, column in enumerate(chosen)
    ]
    return sorted(((n, share) for n, share in found if share > 0), key=lambda one: -one[1])


def _partial(x: NDArray[np.float64], column: int, chosen: list[int]) -> NDArray[np.float64]:
    """A column without what the chosen ones say already, of variance 1 (or zeros)."""
    own = x[:, column]
    if chosen:
        fit, *_ = np.linalg.lstsq(x[:, chosen], own, rcond=None)
        own = own - x[:, chosen] @ fit
    size = np.sqrt(np.mean(own**2))
    return own / size if size > 1e-6 else np.zeros_like(own)


def _least(count: int, known: int, columns: int) -> float:
    """The least share of what is left that chance does not explain with the best of columns.

    The square of a correlation of pure chance has a beta distribution.
    """
    from scipy.stats import beta  # noqa: PLC0415  (takes half a second to load)

    freedom = max(count - known - 2, 1)
    alone = 1 - (1 - CHANCE) ** (1 / columns)
    return float(beta.isf(alone, 0.5, freedom / 2))


def _standardised(
    inputs: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Ranks of each column, of mean 0 and variance 1, and which columns move at all."""
    ranks = np.apply_along_axis(_ranked, 0, inputs)
    spread = ranks.std(axis=0)
    return ranks / np.where(spread > 0, spread, 1.0), spread > 0


def _ranked(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normal scores of the ranks, of mean 0: as good as the values where those are normal."""
    from scipy.stats import norm, rankdata  # noqa: PLC0415  (takes half a second to load)

    scores = norm.ppf((rankdata(values) - 0.5) / values.size)
    return np.asarray(scores - scores.mean(), float)
