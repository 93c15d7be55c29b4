"""Least squares in the logarithms of the values, by SciPy.

The squares are those of emphasised residuals (see :class:`Trial`): the worst claims lead.

Every run of a fit has the seed of its scenario, so that a small change of a value is not
drowned in noise (common random numbers); derivatives are differences over a step of a few
per cent, wider than what noise is left.

A round starts at the values as cards would hold them, and the next at the rounded values that
came of it, until a round gains less than ``GAIN``. So where a fit ends, another one starts and
gains nothing: running it again changes nothing.

Values that claims leave open, alone or in exchange for each other, stay near where a round
started: each step away costs a little (``HOLD``), and moves happen for a gain only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from raidsim.calibrate.problem import FitProblem, Trial, Vector
from raidsim.validate.execute import OnProgress, Progress

STEP = 0.04
"""Relative change over which derivatives are taken."""

GAIN = 0.02
"""Relative gain in cost below which a round changes nothing."""

HOLD = 0.2
"""Residual that a change of a value by a factor of e counts as, beside those of the claims."""

ROUNDS = 5
STEPS_PER_ROUND = 8
DETERMINED = math.log(2)
"""Least change of a logarithm that must not pass unnoticed: a factor of two."""


@dataclass(frozen=True)
class Fit:
    """Where a fit started and ended.

    ``jacobian`` is at the end, claims by parameters: change of the residual for a change of the
    logarithm of the value. ``uncertainty`` is the change of a value's logarithm, all others
    following, that moves the residuals by 1 in all; infinite where claims say nothing.
    """

    before: Trial
    after: Trial
    jacobian: Vector
    uncertainty: tuple[float, ...]
    settled: bool

    @property
    def improved(self) -> bool:
        """Whether there are new values."""
        return self.after.values != self.before.values


class _Search:
    """Evaluates trials for the optimizer and tells how far it is."""

    def __init__(self, problem: FitProblem, on_progress: OnProgress | None) -> None:
        self.problem = problem
        self.on_progress = on_progress
        self.known: dict[tuple[float, ...], Trial] = {}

    def trials(self, points: Sequence[Vector], what: str) -> list[Trial]:
        """Return trials at points in logarithms; what was tried before is not run again."""
        wanted = [tuple(float(math.exp(x)) for x in point) for point in points]
        new = [values for values in dict.fromkeys(wanted) if values not in self.known]
        if new:
            for trial in self.problem.try_all(new, self._telling(what)):
                self.known[trial.values] = trial
        return [self.known[values] for values in wanted]

    def at(self, values: Sequence[float]) -> Trial:
        """Return the trial at values in base units, exactly these."""
        key = tuple(values)
        if key not in self.known:
            (self.known[key],) = self.problem.try_all([key], self._telling("check"))
        return self.known[key]

    def _telling(self, what: str) -> OnProgress | None:
        on_progress = self.on_progress
        if on_progress is None:
            return None

        def tell(progress: Progress) -> None:
            on_progress(Progress(progress.done, progress.total, f"{what}: {progress.label}"))

        return tell


def fit(
    problem: FitProblem,
    *,
    starts: int = 1,
    on_progress: OnProgress | None = None,
) -> Fit:
    """Return the values that fit the claims best.

    Parameters
    ----------
    problem
        Claims and parameters.
    starts
        Starting points: the values as they are, then others up to a factor of two away, always
        the same ones. The best end counts.
    """
    search = _Search(problem, on_progress)
    before = search.at([p.value for p in problem.parameters])
    best = before
    for number in range(starts):
        start = before if number == 0 else search.at(_elsewhere(problem, number))
        best = min(best, _round(search, start), key=lambda trial: trial.cost)
    settled = False
    if best is before or best.cost >= before.cost * (1 - GAIN):
        best, settled = before, True
    for _ in range(ROUNDS):
        if settled:
            break
        following = _round(search, best)
        settled = following.cost >= best.cost * (1 - GAIN)
        best = best if settled else following
    jacobian = _jacobian(search, best)
    return Fit(before, best, jacobian, _uncertainty(jacobian), settled)


def _round(search: _Search, start: Trial) -> Trial:
    """Return the trial at the rounded values to which least squares leads from `start`."""
    from scipy.optimize import least_squares  # noqa: PLC0415  (takes a while to load)

    parameters = search.problem.parameters
    x0 = np.log(start.values)
    first = _jacobian(search, start)
    free = np.array([_counts(column) for column in first.T])
    if not free.any():
        return start
    low = np.log([p.low for p in parameters])[free]
    high = np.log([p.high for p in parameters])[free]

    def whole(x: Vector) -> Vector:
        point = x0.copy()
        point[free] = x
        return point

    def residuals(x: Vector) -> Vector:
        point = whole(x)
        trial = start if np.array_equal(point, x0) else search.trials([point], "fit")[0]
        return np.append(trial.emphasised, HOLD * (x - x0[free]))

    def jacobian(x: Vector) -> Vector:
        point = whole(x)
        trial = start if np.array_equal(point, x0) else search.trials([point], "fit")[0]
        at = first if np.array_equal(point, x0) else _differences(search, point, trial)
        slope = 2.0 * np.abs(trial.residuals)  # of the emphasis
        return np.vstack([slope[:, None] * at[:, free], HOLD * np.eye(int(free.sum()))])

    # Strictly inside the bounds, as the method wants it.
    inside = np.clip(x0[free], low + 1e-9, high - 1e-9)
    found = least_squares(
        residuals,
        inside,
        jac=jacobian,
        bounds=(low, high),
        x_scale="jac",
        ftol=GAIN / 4,
        xtol=1e-3,
        max_nfev=STEPS_PER_ROUND,
    )
    values = np.exp(whole(found.x))
    return search.at([p.rounded(v) for p, v in zip(parameters, values, strict=True)])


def _jacobian(search: _Search, trial: Trial) -> Vector:
    return _differences(search, np.log(trial.values), trial)


def _differences(search: _Search, point: Vector, centre: Trial | None = None) -> Vector:
    """Return the derivatives at a point in logarithms: one step each, away from a near bound."""
    parameters = search.problem.parameters
    room = np.log([p.high for p in parameters]) - point
    steps = np.where(room > STEP, STEP, -STEP)
    if centre is None:
        (centre,) = search.trials([point], "fit")
    moved = search.trials(list(point + np.diag(steps)), "derivatives")
    columns = [
        (trial.residuals - centre.residuals) / step
        for trial, step in zip(moved, steps, strict=True)
    ]
    return np.array(columns).T


def _counts(column: Vector) -> bool:
    """Whether claims notice a factor of two in one value."""
    return float(np.linalg.norm(column)) * DETERMINED >= 1


def _uncertainty(jacobian: Vector) -> tuple[float, ...]:
    """Return the uncertainty of each parameter, all others following."""
    counting = [i for i, column in enumerate(jacobian.T) if _counts(column)]
    uncertainty = [math.inf] * jacobian.shape[1]
    if counting:
        inverse = np.linalg.pinv(jacobian[:, counting])
        for i, row in zip(counting, inverse, strict=True):
            uncertainty[i] = float(np.linalg.norm(row))
    return tuple(uncertainty)


def _elsewhere(problem: FitProblem, number: int) -> list[float]:
    """Return another starting point, always the same for its number."""
    generator = np.random.Generator(np.random.Philox(key=number))
    factors = 2.0 ** generator.uniform(-1, 1, len(problem.parameters))
    return [
        p.rounded(min(max(p.value * factor, p.low), p.high))
        for p, factor in zip(problem.parameters, factors, strict=True)
    ]
