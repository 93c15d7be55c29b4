"""What a verdict counts for: whether it shows how far a simulation can be trusted.

Most verdicts do. Three kinds are separate: those that could hardly have been different, those that
chance may change, and those that a publication excludes. They are shown with the others, and hold
or do not. The share of claims that hold, and the errors, are given without them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from raidsim.result import Result
from raidsim.validate.claims import Claim, Measurement, Performance
from raidsim.validate.jobs import Job
from raidsim.validate.verdict import Verdict, curve_of, points_of

Standing = Literal["counts", "determined", "far", "lacks", "undecided", "contradicted"]
STANDINGS: tuple[Standing, ...] = get_args(Standing)

FAR = 0.15
"""Share by which a bound is passed that tests nothing."""

MEANING: dict[Standing, str] = {
    "counts": "tests the simulation",
    "determined": "true by construction: both runs are the same, or the run was fitted to it",
    "far": "a bound passed by more than 15 %",
    "lacks": "holds, though the model has no such effect",
    "undecided": "another seed may change the verdict",
    "contradicted": "contradicted by other published figures",
}

Mark = tuple[tuple[float, float], ...]
"""What tells one run from another: rate and throughput of each of its loads, to the last bit."""


def standing(verdict: Verdict) -> Standing:
    """Return the standing of a verdict; if several reasons apply, that of the first."""
    claim = verdict.claim
    if claim.contradicts is not None:
        return "contradicted"
    if claim.lacks and verdict.holds:
        return "lacks"
    if verdict.determined and verdict.holds:
        return "determined"
    if verdict.holds and _is_far(claim, verdict.simulated):
        return "far"
    return "counts" if verdict.is_decided else "undecided"


def counting(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts that test the simulation."""
    return [verdict for verdict in verdicts if standing(verdict) == "counts"]


def _is_far(claim: Claim, simulated: float | None) -> bool:
    if simulated is None or isinstance(claim.published, tuple) or not claim.published:
        return False
    ratio = simulated / claim.published
    if claim.relation == "at_least":
        return ratio > 1 + FAR
    return claim.relation == "at_most" and ratio < 1 / (1 + FAR)


def determined(
    verdicts: Sequence[Verdict], results: Mapping[Job, Result], fitted: Sequence[Claim]
) -> tuple[Verdict, ...]:
    """Return the verdicts, each with the reason why it could not have been another, if so.

    Parameters
    ----------
    verdicts
        What was judged.
    results
        The runs of all claims.
    fitted
        Claims for calibration, whether they were asked for or not; runs of theirs that were not
        simulated here are not known.
    """
    seen = {
        mark
        for claim in fitted
        for job in claim.jobs()
        if job in results and (mark := _mark(results[job]))
    }
    return tuple(replace(one, determined=_reason(one, results, seen)) for one in verdicts)


def _reason(verdict: Verdict, results: Mapping[Job, Result], fitted: set[Mark]) -> str:
    claim = verdict.claim
    if not isinstance(claim.subject, Performance) or verdict.simulated is None:
        return ""
    run, against = claim.subject.run, claim.subject.against
    if against is not None and _equal(run, against, results):
        return "both runs are the same to the last bit"
    if claim.role == "prediction" and claim.subject.shape is None:
        marks = [_mark(results[job]) for job in claim.jobs()]
        if marks and all(mark and mark in fitted for mark in marks):
            return "its runs are, to the last bit, runs that were fitted to"
    return ""


def _equal(run: Measurement, against: Measurement, results: Mapping[Job, Result]) -> bool:
    if run.base is not None or against.base is not None:
        return False
    curve = curve_of(run, results)
    return curve is not None and curve == curve_of(against, results)


def _mark(result: Result) -> Mark:
    return tuple((point.iops.mean, point.mbps) for point in points_of(result))
