"""Residuals of the calibration claims, for given values of the parameters.

A residual is the distance of a simulated number from the printed one, in units of the tolerance: -1
and 1 are the ends of the interval in which the claim holds. For figures it is the logarithm of
their ratio, so that twice and half are equally far. Bounds, orders and shapes have a residual only
if they are missed.

No run is made twice: results are kept as long as a fit lasts, so runs that do not depend on the
parameters are made once. A trial near another one (for a derivative, for a neighbour) only makes
the informative runs: for a highest figure, the intensity of the highest figure; for a bound that
holds, none. The other results are taken from the other trial.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from raidsim.calibrate.parameters import Parameter, fit_together
from raidsim.cards import Card
from raidsim.errors import InputError, Problem
from raidsim.result import Result
from raidsim.validate.catalogue import read_card
from raidsim.validate.claims import Claim, Measurement, Performance, check_each
from raidsim.validate.jobs import Job, Simulate, distinct
from raidsim.validate.verdict import Verdict, curve_of, judge
from raidsim.workers.engine import OnProgress, execute

Vector = NDArray[np.float64]

STRICTEST = 0.01
"""Tolerance that a bound without any gets as the unit of its residual: what a run knows."""

MISSING = 10.0
"""Residual of a claim for which nothing was measured."""

GIVEN_UP = 4.0
"""Emphasised residual from which on a claim is given up: its cost grows with the logarithm.

That is twice what is allowed. Documents contradict themselves and misprint; one claim that
nothing can meet must not take all the others with it.
"""


@dataclass(frozen=True)
class Trial:
    """The claims judged at given values; ``results`` by the jobs of the claims."""

    values: tuple[float, ...]
    verdicts: tuple[Verdict, ...]
    residuals: Vector
    results: Mapping[Job, Result]

    @property
    def emphasised(self) -> Vector:
        """The residuals times their size: what the least squares are taken of.

        The promise is one of each claim, not of their mean, so a claim that is missed must
        outweigh many that are slightly off. -1 and 1 stay the ends of what is allowed.
        """
        return self.residuals * np.abs(self.residuals)

    @property
    def costs(self) -> Vector:
        """The cost of each claim: half the square of its emphasised residual, damped (Cauchy)."""
        return 0.5 * GIVEN_UP**2 * np.log1p((self.emphasised / GIVEN_UP) ** 2)

    @property
    def cost(self) -> float:
        """The cost of all claims together."""
        return float(self.costs.sum())

    @property
    def open_cost(self) -> float:
        """The cost of the claims that are not given up; of all of them if all are."""
        hoped = np.abs(self.emphasised) <= GIVEN_UP
        return float(self.costs[hoped].sum()) if hoped.any() else self.cost

    @property
    def figures(self) -> Vector:
        """The simulated numbers; NaN where there are none."""
        return np.array([math.nan if v.simulated is None else v.simulated for v in self.verdicts])

    def telling(self) -> set[Job]:
        """Return the jobs on which the residuals depend, to the first order."""
        return {job for verdict in self.verdicts for job in _telling(verdict, self.results)}


class FitProblem:
    """The claims that the parameters are fitted to, and the runs that those need.

    Parameters
    ----------
    claims
        What is fitted to; :func:`claims_about` chooses it. A prediction among them is refused.
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
        if predicted := [claim for claim in claims if claim.role != "calibration"]:
            raise InputError(
                Problem(
                    str(claim.path), claim.line, claim.id,
                    "is a prediction, to which nothing may be fitted",
                    "leave it out",
                )
                for claim in predicted
            )  # fmt: skip
        self.parameters = list(parameters)
        self.simulate = simulate
        self.workers = workers
        self.runs = 0
        self.claims = list(claims)
        self.jobs = distinct(job for claim in self.claims for job in claim.jobs())
        self._known: dict[Job, Result] = {}
        if not self.claims:
            names = ", ".join(sorted({parameter.card.name for parameter in parameters}))
            cause = f"no calibration claim is about {names}"
            raise InputError([Problem(None, None, None, cause, "add claims in validation/")])

    def try_all(
        self,
        points: Sequence[Sequence[float]],
        on_progress: OnProgress | None = None,
        *,
        beside: Trial | None = None,
    ) -> list[Trial]:
        """Judge the claims at several sets of values (base units), all runs side by side.

        ``beside`` is a trial nearby: then only the informative runs of that trial are made.
        """
        telling = None if beside is None else beside.telling()
        jobs = [job for job in self.jobs if telling is None or job in telling]
        whole = {
            tuple(point)
            for point in points
            # What is wrong with the cards as they are is said when they are first run.
            if not self._known or fit_together(self.parameters, point)
        }
        changed = [
            {job: self._changed(job, point) for job in jobs if tuple(point) in whole}
            for point in points
        ]
        needed = distinct(trial for one in changed for trial in one.values())
        new = [job for job in needed if job not in self._known]
        rows = execute(
            new,
            self.simulate,
            workers=self.workers,
            on_progress=on_progress,
            first=lambda job: -job.width,  # the widest takes longest
        )
        self._known |= zip(new, rows, strict=True)
        self.runs += len(new)
        return [
            self._trial(point, {job: self._known[one[job]] for job in one}, beside)
            if tuple(point) in whole
            else self._impossible(point)
            for point, one in zip(points, changed, strict=True)
        ]

    def moves(self, job: Job) -> bool:
        """Return whether a job runs with one of the parameters."""
        cards = [card for _, card in places_of(job.scenario, job.overrides)]
        return any(parameter.is_on(card) for parameter in self.parameters for card in cards)

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

    def _trial(
        self, values: Sequence[float], results: Mapping[Job, Result], beside: Trial | None
    ) -> Trial:
        if beside is None:
            verdicts = tuple(judge(claim, results, read_card) for claim in self.claims)
        else:
            verdicts = tuple(_judge_beside(one, beside.results, results) for one in beside.verdicts)
        residuals = np.array([residual(verdict) for verdict in verdicts])
        kept = {} if beside is None else beside.results
        return Trial(tuple(values), verdicts, residuals, {**kept, **results})

    def _impossible(self, values: Sequence[float]) -> Trial:
        """Judge values that no card can have together: nothing was measured."""
        verdicts = tuple(Verdict(claim, None, None, holds=False) for claim in self.claims)
        return Trial(tuple(values), verdicts, np.full(len(verdicts), MISSING), {})


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


def claims_about(claims: Sequence[Claim], parameters: Sequence[Parameter]) -> list[Claim]:
    """Return the calibration claims about systems with one of the parameters.

    No value is fitted to claims from which a choice of structure was made, or to claims that
    another publication contradicts.
    """
    asked = [
        claim
        for claim in claims
        if claim.role == "calibration" and not (claim.structure or claim.contradicts)
    ]
    check_each(asked, lambda claim: any(_is_about(claim, one) for one in parameters))
    return [claim for claim in asked if any(_is_about(claim, one) for one in parameters)]


def about_card(claim: Claim, parameters: Sequence[Parameter], card: Card) -> bool:
    """Return whether a claim is about a system in which one of the parameters of a card counts."""
    return any(_is_about(claim, one) for one in parameters if one.card.name == card.name)


def _is_about(claim: Claim, parameter: Parameter) -> bool:
    return isinstance(claim.subject, Performance) and any(
        parameter.is_on(card)
        for one in claim.subject.measurements()
        for _, card in places_of(one.scenario, one.overrides)
    )


def _telling(verdict: Verdict, results: Mapping[Job, Result]) -> Sequence[Job]:
    """Return the jobs on which the residual of a claim depends, to the first order."""
    if not all(map(math.isfinite, verdict.claim.interval)) and verdict.error == 0:
        return ()  # a bound or shape that is kept
    return _deciding(verdict, results)


def _deciding(verdict: Verdict, results: Mapping[Job, Result]) -> Sequence[Job]:
    """Return the jobs on which the simulated number of a claim depends, to the first order."""
    subject = verdict.claim.subject
    if not isinstance(subject, Performance):
        return ()
    if subject.shape is not None or verdict.simulated is None:
        return verdict.claim.jobs()
    return [job for one in subject.measurements() for job in _highest(one, results)]


def _judge_beside(
    verdict: Verdict, there: Mapping[Job, Result], here: Mapping[Job, Result]
) -> Verdict:
    """Judge a claim at a trial beside the one of a verdict, by what was run ``here``.

    Of a highest figure that is the intensity at which it was highest there: the others were not
    run here, and on a level curve what they gave there would hide every loss.
    """
    claim, subject = verdict.claim, verdict.claim.subject
    if any(job not in here for job in _deciding(verdict, there)):
        return verdict  # a bound or shape that was kept
    if not isinstance(subject, Performance) or verdict.simulated is None:
        return judge(claim, here, read_card)
    if subject.shape is not None:
        return judge(claim, here, read_card)
    against = None if subject.against is None else _at_highest(subject.against, there)
    alone = replace(claim, subject=Performance(_at_highest(subject.run, there), against))
    return replace(judge(alone, here, read_card), claim=claim)


def _at_highest(measurement: Measurement, results: Mapping[Job, Result]) -> Measurement:
    """Return a measurement of a highest figure as one at the intensity at which it is highest."""
    base = None if measurement.base is None else _at_highest(measurement.base, results)
    measurement = replace(measurement, base=base)
    curve = curve_of(replace(measurement, base=None), results)
    if measurement.reduction != "max" or curve is None:
        return measurement
    highest = measurement.intensities[curve.index(max(curve))]
    return replace(measurement, intensities=(highest,), reduction="at")


def _highest(measurement: Measurement, results: Mapping[Job, Result]) -> list[Job]:
    """Return the jobs that a highest figure depends on; of other figures all of them."""
    alone = replace(measurement, base=None)
    curve = curve_of(alone, results)
    if measurement.reduction == "max" and curve is not None:
        highest = curve.index(max(curve))
        found = [run[highest] for run in alone.runs()]
    else:
        found = list(alone.jobs())
    return found + ([] if measurement.base is None else _highest(measurement.base, results))


@cache
def places_of(scenario: str, overrides: tuple[str, ...]) -> tuple[tuple[str, Card], ...]:
    """Return the cards of a scenario: pairs of a place, such as "volume[0]", and the card there."""
    from raidsim.scenario import load  # noqa: PLC0415  (only a fit needs it here)

    loaded = load(scenario, overrides=overrides)
    controllers = ((f"controller[{i}]", one.card) for i, one in enumerate(loaded.controllers))
    volumes = ((f"volume[{i}]", one.card) for i, one in enumerate(loaded.volumes))
    return (("host", loaded.host.card), *controllers, *volumes)
