"""Residuals of the calibration claims, for given values of the parameters.

A residual is the distance of a simulated number from the printed one, in units of what is
allowed: -1 and 1 are the ends of the interval in which the claim holds. For figures it is the
logarithm of their ratio, so that twice and half are equally far; bounds, orders and shapes
have a residual only where they are missed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from raidsim.calibrate.parameters import Parameter
from raidsim.cards import Card
from raidsim.errors import InputError, Problem
from raidsim.result import Result
from raidsim.validate.catalogue import read_card
from raidsim.validate.claims import Claim, Performance
from raidsim.validate.execute import OnProgress, Simulate, execute
from raidsim.validate.jobs import Job, distinct
from raidsim.validate.verdict import Verdict, judge

Vector = NDArray[np.float64]

STRICTEST = 0.01
"""Tolerance that a bound without any gets as the unit of its residual: what a run knows."""

MISSING = 10.0
"""Residual of a claim for which nothing was measured."""


@dataclass(frozen=True)
class Trial:
    """The claims judged at given values."""

    values: tuple[float, ...]
    verdicts: tuple[Verdict, ...]
    residuals: Vector

    @property
    def emphasised(self) -> Vector:
        """The residuals times their size: what the least squares are taken of.

        The promise is one of each claim, not of their mean, so a claim that is missed must
        outweigh many that are slightly off. -1 and 1 stay the ends of what is allowed.
        """
        return self.residuals * np.abs(self.residuals)

    @property
    def cost(self) -> float:
        """Half the sum of the squares of the emphasised residuals."""
        return float(0.5 * self.emphasised @ self.emphasised)


class FitProblem:
    """The claims that the parameters are fitted to, and the runs that those need.

    Parameters
    ----------
    claims
        Claims to choose from: only calibration claims about systems with one of the cards of
        the parameters are used.
    parameters
        Values that may move.
    simulate
        What runs a job.
    workers
        Threads; None for one per processor.
    """

    def __init__(
        self,
        claims: Sequence[Claim],
        parameters: Sequence[Parameter],
        simulate: Simulate,
        workers: int | None = None,
    ) -> None:
        self.parameters = list(parameters)
        self.simulate = simulate
        self.workers = workers
        self.trials = 0
        self.claims = [claim for claim in claims if _may_fit(claim, self.parameters)]
        self.jobs = distinct(job for claim in self.claims for job in claim.jobs())
        if not self.claims:
            names = ", ".join(sorted({parameter.card.name for parameter in parameters}))
            cause = f"no calibration claim is about {names}"
            raise InputError([Problem(None, None, None, cause, "add claims in validation/")])

    def try_all(
        self, points: Sequence[Sequence[float]], on_progress: OnProgress | None = None
    ) -> list[Trial]:
        """Judge the claims at several sets of values (base units), all runs side by side."""
        changed = [{job: self._changed(job, point) for job in self.jobs} for point in points]
        needed = distinct(trial for one in changed for trial in one.values())
        results = execute(needed, self.simulate, workers=self.workers, on_progress=on_progress)
        self.trials += len(points)
        return [
            self._trial(point, {job: results[trial] for job, trial in one.items()})
            for point, one in zip(points, changed, strict=True)
        ]

    def _changed(self, job: Job, values: Sequence[float]) -> Job:
        """Return the job with the values in place of those of the cards."""
        places = places_of(job.scenario, job.overrides)
        setting = [
            parameter.override(place, value)
            for parameter, value in zip(self.parameters, values, strict=True)
            for place, card in places
            if parameter.is_on(card)
        ]
        return replace(job, overrides=(*job.overrides, *setting))

    def _trial(self, values: Sequence[float], results: Mapping[Job, Result]) -> Trial:
        verdicts = tuple(judge(claim, results, read_card) for claim in self.claims)
        return Trial(tuple(values), verdicts, np.array([residual(v) for v in verdicts]))


def residual(verdict: Verdict) -> float:
    """Return the residual of a verdict, in units of what its claim allows."""
    claim, simulated = verdict.claim, verdict.simulated
    if simulated is None or verdict.error is None:
        return MISSING
    low, high = claim.interval
    if not (math.isfinite(low) and math.isfinite(high)):
        return verdict.error / max(claim.tolerance, STRICTEST)
    centre = (low + high) / 2
    allowed = (high - low) / (2 * centre) + max(claim.tolerance, STRICTEST)
    return math.log(max(simulated, 1e-300) / centre) / math.log1p(allowed)


@cache
def places_of(scenario: str, overrides: tuple[str, ...]) -> tuple[tuple[str, Card], ...]:
    """Return where a scenario has which card: pairs of a place such as "volume[0]" and the card."""
    from raidsim.scenario import load  # noqa: PLC0415  (only a fit needs it here)

    loaded = load(scenario, overrides=overrides)
    controllers = ((f"controller[{i}]", one.card) for i, one in enumerate(loaded.controllers))
    volumes = ((f"volume[{i}]", one.card) for i, one in enumerate(loaded.volumes))
    return (("host", loaded.host.card), *controllers, *volumes)


def _may_fit(claim: Claim, parameters: Sequence[Parameter]) -> bool:
    """Whether a claim may be fitted to, and is about a system with one of the parameters."""
    if claim.role != "calibration" or not isinstance(claim.subject, Performance):
        return False
    return any(
        parameter.is_on(card)
        for one in claim.subject.measurements()
        for _, card in places_of(one.scenario, one.overrides)
        for parameter in parameters
    )
