"""Least squares in the logarithms of the values, by SciPy, from several starts.

The squares are those of emphasised residuals (see :class:`Trial`): the worst claims have the most
weight, and claims that no values can meet lose their weight (a Cauchy loss).

Every run of a fit has the seed of its scenario, so that noise does not hide a small change of a
value (common random numbers). Derivatives are differences over a step of a few per cent, larger
than the remaining noise. On its way a descent makes only the runs that are informative; every
accepted point was judged by all of them.

A descent starts at the values as cards would hold them, and ends at rounded ones. A pass makes one
descent from the values of the cards and one from each other start. These starts are points drawn
once from the ranges of the values (a value with few choices stays, and is fitted at the end). The
pass ends at the best result, and the next pass begins there. The fit ends when a pass gains less
than ``GAIN``, or gains it only with claims that no longer hold. So a second fit repeats this last
pass and gains nothing: running it again changes nothing.

Values that the claims do not determine, alone or in combination, stay near the start of a pass:
each step away costs a little (``Parameter.hold``), so a value only moves if there is a gain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from raidsim.calibrate.meter import Meter
from raidsim.calibrate.parameters import Parameter, fit_together
from raidsim.calibrate.problem import GIVEN_UP, FitProblem, Trial, Vector

STEP = 0.04
"""Relative change over which derivatives are taken."""

GAIN = 0.1
"""Relative gain below which a pass changes nothing: 2.5 % of the residuals that lead.

It is relative to the cost of the claims that are not given up, which must not drown in the others.
"""

ENOUGH = 1e-3
"""Cost per claim at which nothing is left to gain: some fifth of what is allowed."""

PASSES = 5
STEPS, ELSEWHERE = 8, 5
"""Steps of a descent, at most: from the values of the cards, and from another start."""

FRESH = 3
"""Steps from one computation of derivatives to the next; between, steps correct them (Broyden)."""

STARTS = 3
"""Starting points, the values of the cards among them, if nothing else is asked for."""

DRAWS = 1000
"""Points drawn, at most, until enough of them are values that a card can have together."""

DETERMINED = math.log(2)
"""Least change of a logarithm that must not pass unnoticed: a factor of two."""


@dataclass(frozen=True)
class Fit:
    """Where a fit started and ended.

    ``slopes`` are at the end, claims by parameters: change of the residual for a change of the
    logarithm of the value; ``elasticities`` the same of the logarithm of the simulated number.
    ``settled`` says whether another fit would change nothing.
    """

    before: Trial
    after: Trial
    slopes: Vector
    elasticities: Vector
    settled: bool

    @property
    def improved(self) -> bool:
        """Whether there are new values."""
        return self.after.values != self.before.values


class _Search:
    """Makes the trials that a fit asks for; what was tried before is not tried again."""

    def __init__(self, problem: FitProblem, meter: Meter, enough: float) -> None:
        self.problem = problem
        self.enough = enough
        self.parameters: Sequence[Parameter] = problem.parameters
        self.meter = meter
        self.known: dict[tuple[float, ...], Trial] = {}
        self.slopes: dict[tuple[float, ...], tuple[Vector, Vector]] = {}

    def at(self, values: Sequence[float], what: str = "fit") -> Trial:
        """Return the trial at values in base units, exactly these."""
        key = tuple(values)
        if key not in self.known:
            (self.known[key],) = self.problem.try_all([key], self.meter.watch(what))
        return self.known[key]

    def beside(self, trial: Trial, points: Sequence[Sequence[float]], what: str) -> list[Trial]:
        """Return trials near another one, of which only what tells is run."""
        return self.problem.try_all(points, self.meter.watch(what), beside=trial)

    def rounded(self, values: Sequence[float]) -> tuple[float, ...]:
        """Return values as cards would hold them."""
        return tuple(p.rounded(v) for p, v in zip(self.parameters, values, strict=True))

    def possible(self, logarithms: Vector) -> tuple[float, ...]:
        """Return the values that a run can have nearest to a point in logarithms."""
        pairs = zip(self.parameters, logarithms, strict=True)
        return tuple(p.possible(math.exp(float(x))) for p, x in pairs)

    def derivatives(self, trial: Trial) -> tuple[Vector, Vector]:
        """Return slopes and elasticities at a trial, claims by parameters (see :class:`Fit`)."""
        if self.known.get(trial.values) is not trial:
            return self._differences(trial)
        if trial.values not in self.slopes:
            self.slopes[trial.values] = self._differences(trial)
        return self.slopes[trial.values]

    def _differences(self, trial: Trial) -> tuple[Vector, Vector]:
        moved = [
            (*trial.values[:i], p.moved(trial.values[i], STEP), *trial.values[i + 1 :])
            for i, p in enumerate(self.parameters)
        ]
        slopes, elasticities = [], []
        for i, other in enumerate(self.beside(trial, moved, "derivatives")):
            step = math.log(other.values[i] / trial.values[i])
            slopes.append((other.residuals - trial.residuals) / step)
            with np.errstate(divide="ignore", invalid="ignore"):
                change = np.log(other.figures / trial.figures) / step
            elasticities.append(np.where(np.isfinite(change), change, 0.0))
        return np.array(slopes).T, np.array(elasticities).T


def fit(
    problem: FitProblem,
    meter: Meter | None = None,
    *,
    starts: int = STARTS,
    enough: float = ENOUGH,
    move: bool = True,
) -> Fit:
    """Return the values that fit the claims best.

    Parameters
    ----------
    problem
        Claims and parameters.
    meter
        Who is told how far it is, and how long it will take.
    starts
        Starting points: the values as they are, then others from the ranges of the values,
        always the same ones. The best end counts.
    enough
        Cost per claim at which nothing is left to gain.
    move
        Whether values may move; if not, only slopes are taken, at the values as they are.
    """
    meter = meter or Meter()
    search = _Search(problem, meter, enough)
    before = best = search.at([p.value for p in problem.parameters], "start")
    meter.estimate(problem, before, starts)
    settled = not move
    for _ in range(PASSES if move else 0):
        following = _pass(search, best, starts)
        if following is best:
            settled = True
            break
        best = following
    return Fit(before, best, *search.derivatives(best), settled)


def _pass(search: _Search, start: Trial, starts: int) -> Trial:
    """Return the best end of descents from a trial and from the other starting points.

    That is the start itself if none gains enough, or only by claims that held and no longer do.
    """
    ends = [_descent(search, start, start)]
    if starts > 1 and not _is_enough(search, start):
        others = _elsewhere(search, start, starts - 1)
        far = [_squares(search, other, other, ELSEWHERE) for other in others]
        best = min(far, key=lambda trial: trial.cost, default=start)
        if _gain(ends[0], best) > 0:
            # What the claims leave open returns to where it was.
            back = _descent(search, best, start)
            ends.append(best if _gain(back, best) > 0 else back)
    if all(_holding(end) < _holding(start) for end in ends):
        ends += [_between(search, start, end) for end in ends]
    gaining = [end for end in ends if _gain(start, end) > 0 and _holding(end) >= _holding(start)]
    return min(gaining, key=lambda trial: trial.cost, default=start)


def _gain(start: Trial, end: Trial) -> float:
    """Return the reduction of the cost between two trials, less the least that counts."""
    least = max(start.open_cost, ENOUGH * len(start.verdicts))
    return start.cost - end.cost - GAIN * least


def _holding(trial: Trial) -> int:
    """Return the number of claims that hold in a trial."""
    return sum(verdict.holds for verdict in trial.verdicts)


def _between(search: _Search, start: Trial, end: Trial) -> Trial:
    """Return the trial half of the way, in logarithms."""
    middle = (np.log(start.values) + np.log(end.values)) / 2
    return search.at(search.rounded(search.possible(middle)), "check")


def _descent(search: _Search, start: Trial, anchor: Trial) -> Trial:
    """Return the trial at the rounded values to which least squares and neighbours lead.

    ``anchor`` is where values stay near that the claims leave open.
    """
    if _is_enough(search, start) and start is anchor:
        return start
    return _neighbours(search, _squares(search, start, anchor))


def _is_enough(search: _Search, trial: Trial) -> bool:
    return trial.cost <= search.enough * len(trial.verdicts)


def _squares(search: _Search, start: Trial, anchor: Trial, steps: int = STEPS) -> Trial:
    """Return the trial to which least squares lead, or the start if that is no worse."""
    from scipy.optimize import least_squares  # noqa: PLC0415  (takes a while to load)

    x0 = np.log(start.values)
    counting = noticed(search.derivatives(start)[0])
    free = np.array([n and not p.has_few for n, p in zip(counting, search.parameters, strict=True)])
    if not free.any():
        return start
    low = np.log([p.low for p in search.parameters])[free]
    high = np.log([p.high for p in search.parameters])[free]
    hold = np.array([p.hold for p in search.parameters])[free]
    held = np.clip(np.log(anchor.values)[free], low, high)

    def trial(x: Vector) -> Trial:
        point = x0.copy()
        point[free] = x
        if np.array_equal(point, x0):
            return start
        return search.beside(start, [search.possible(point)], "fit")[0]

    def residuals(x: Vector) -> Vector:
        return np.append(trial(x).emphasised, hold * (x - held))

    made: list[tuple[Vector, Trial, Vector]] = []  # where, trial and slopes of the residuals

    def slopes(x: Vector) -> Vector:
        here = trial(x)
        if len(made) % FRESH:
            before, there, at = made[-1]
            step = x - before
            missed = here.residuals - there.residuals - at @ step
            at = at + np.outer(missed, step) / max(float(step @ step), 1e-12)
        else:
            at = search.derivatives(here)[0][:, free]
        made.append((x.copy(), here, at))
        emphasis = 2.0 * np.abs(here.residuals)
        return np.vstack([emphasis[:, None] * at, np.diag(hold)])

    # Strictly inside the bounds, as the method wants it.
    inside = np.clip(x0[free], low + 1e-9, high - 1e-9)
    if np.allclose(inside, x0[free], rtol=0, atol=1e-8):
        x0[free] = inside
    found = least_squares(
        residuals,
        inside,
        jac=slopes,
        bounds=(low, high),
        x_scale="jac",
        loss="cauchy",
        f_scale=GIVEN_UP,
        ftol=1e-3,
        xtol=1e-3,
        max_nfev=steps,
    )
    point = x0.copy()
    point[free] = found.x
    end = search.at(search.rounded(search.possible(point)), "check")
    return end if end.cost < start.cost or start is not anchor else start


def _neighbours(search: _Search, start: Trial) -> Trial:
    """Return the trial that is best among few choices: each step to a better neighbour."""
    few = [i for i, p in enumerate(search.parameters) if p.has_few]
    best = start
    for _ in range(STEPS if few else 0):
        counting = noticed(search.derivatives(best)[0])
        moving = [i for i in few if counting[i]]
        points = [_moved(best, step) for step in _steps(search, best, moving)]
        if not points:
            break
        near = min(search.beside(best, points, "neighbours"), key=lambda trial: trial.cost)
        if _gain(best, near) <= 0:
            break
        judged = search.at(search.rounded(near.values), "check")
        if _gain(best, judged) <= 0:
            break
        best = judged
    return best


def _steps(search: _Search, trial: Trial, moving: Sequence[int]) -> list[dict[int, float]]:
    """Return the steps to neighbours: each value alone, and of two values both by one."""
    choices = {i: search.parameters[i].neighbours(trial.values[i]) for i in moving}
    next_to = {
        i: [v for v in values if abs(v - trial.values[i]) < 1.5 * search.parameters[i].step]
        for i, values in choices.items()
    }
    alone = [{i: value} for i, values in choices.items() for value in values]
    pairs = [
        dict(zip(two, both, strict=True))
        for two in itertools.combinations(moving, 2)
        for both in itertools.product(*(next_to[i] for i in two))
    ]
    return alone + pairs


def _moved(trial: Trial, step: dict[int, float]) -> tuple[float, ...]:
    return tuple(step.get(i, value) for i, value in enumerate(trial.values))


def noticed(slopes: Vector) -> list[bool]:
    """Return for each parameter whether claims notice a factor of two in it alone."""
    return [float(np.linalg.norm(column)) * DETERMINED >= 1 for column in slopes.T]


def _elsewhere(search: _Search, trial: Trial, number: int) -> list[Trial]:
    """Return other starting points: what counts is drawn from its range, always the same."""
    counting = noticed(search.derivatives(trial)[0])
    found: list[Trial] = []
    generator = np.random.Generator(np.random.Philox(key=1))
    for _ in range(DRAWS):
        if len(found) == number:
            break
        shares = generator.uniform(0, 1, len(search.parameters))
        drawn = search.rounded(
            [
                p.low * (p.high / p.low) ** share if counts and not p.has_few else value
                for p, share, counts, value in zip(
                    search.parameters, shares, counting, trial.values, strict=True
                )
            ]
        )
        if fit_together(search.parameters, drawn):
            found.append(search.at(drawn, f"start {len(found) + 2}"))
    return found
