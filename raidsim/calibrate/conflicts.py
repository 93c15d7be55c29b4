"""Why a fit misses a rated figure: which values are at their bounds, which figure contradicts it.

Near the end of a fit, the logarithms of the simulated figures are taken as linear in those of the
values. The fit has measured these elasticities. The values keep their ranges. Then one of three
statements holds for a figure that is missed:

- No value can change it enough, even alone: each value that would do so is at its bound, or there
  is none.
- It could be met, but not together with one certain other figure. The two contradict each other
  within this model and these ranges. The worst such figure is named, with its value when the missed
  figure is met.
- It could be met together with any other single figure, but not with all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from raidsim.calibrate.fit import Fit
from raidsim.calibrate.parameters import Parameter
from raidsim.calibrate.problem import Vector

NOTICED = 0.02
"""Elasticity below which a value is not said to change a figure."""

NEAR = 1.02
"""Factor within which a value is at its bound."""

FIRST = 1e3
"""How much more a figure weighs that is to be met first."""


@dataclass(frozen=True)
class Conflict:
    """Why figure ``missed`` is missed.

    Attributes
    ----------
    missed : number of the figure.
    other : number of the figure that cannot be met with it; None if there is none.
    by : how far that one is off while the missed one is met, relative.
    values : numbers of the values at their bounds that change it.
    alone : whether no value can bring it to what is printed, even alone.
    """

    missed: int
    other: int | None = None
    by: float = 0.0
    values: tuple[int, ...] = ()
    alone: bool = False


def conflicts(
    fit: Fit, parameters: Sequence[Parameter], misses: Sequence[float], allowed: Sequence[float]
) -> tuple[Conflict, ...]:
    """Return the reason for each figure that is missed by more than is allowed.

    Parameters
    ----------
    fit
        Where the fit ended.
    parameters
        What may move.
    misses
        Of each figure, simulated over printed less 1; NaN where nothing was measured.
    allowed
        Of each figure, by how much it may be off.
    """
    values = np.log(fit.after.values)
    low = np.log([one.low for one in parameters]) - values
    high = np.log([one.high for one in parameters]) - values
    room = np.minimum(low, 0.0), np.maximum(high, 0.0)
    wanted = -np.log1p(np.array(misses))
    found = []
    for i, (miss, most) in enumerate(zip(misses, allowed, strict=True)):
        if math.isnan(miss) or abs(miss) <= most:
            continue
        bound = _bound(fit.elasticities[i], parameters, fit.after.values)
        if abs(_left([i], fit.elasticities, wanted, room)[0]) > math.log1p(most):
            found.append(Conflict(i, values=bound, alone=True))
            continue
        others = [
            (abs(left) / allowed[j], j, left)
            for j in range(len(misses))
            if j != i and not math.isnan(misses[j])
            for left in [_left([i, j], fit.elasticities, wanted, room)[1]]
        ]
        worst = max(others, default=(0.0, i, 0.0))
        if worst[0] > 1:
            found.append(Conflict(i, worst[1], math.expm1(-worst[2]), bound))
        else:
            found.append(Conflict(i, values=bound))
    return tuple(found)


def _left(
    rows: Sequence[int], elasticities: Vector, wanted: Vector, room: tuple[Vector, Vector]
) -> Vector:
    """Return by how much figures still differ, in logarithms, if values move for them alone.

    The first one is met first.
    """
    from scipy.optimize import lsq_linear  # noqa: PLC0415  (takes a while to load)

    slopes, aims = elasticities[list(rows)], wanted[list(rows)]
    weights = np.ones(len(rows))
    weights[0] = FIRST if len(rows) > 1 else 1.0
    low, high = room[0] - 1e-9, room[1] + 1e-9
    found = lsq_linear(slopes * weights[:, None], aims * weights, bounds=(low, high))
    left: Vector = aims - slopes @ found.x
    return left


def _bound(
    elasticities: Vector, parameters: Sequence[Parameter], values: Sequence[float]
) -> tuple[int, ...]:
    """Return the values at their bounds that change a figure."""
    return tuple(
        j
        for j, (one, value) in enumerate(zip(parameters, values, strict=True))
        if abs(elasticities[j]) >= NOTICED and (value <= one.low * NEAR or value >= one.high / NEAR)
    )
