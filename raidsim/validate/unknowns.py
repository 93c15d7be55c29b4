"""Intervals of claims' figures: from the unknown values of cards, and from repeated measurements.

The runs of a claim are repeated in draws of all cards, as short runs. Each draw has the same cards
for all runs, so that a ratio of two runs takes account of what both have in common. The figure of
the full run is changed by the ratio of the draw to the unchanged cards. Nine in ten of the draws
are within its interval. The interval is widened by the error of the models and by the uncertainty
of measurements: a repeated measurement does not give the same figure.

A printed figure is covered if any value that its rounding allows is within the interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from raidsim.errors import InputError
from raidsim.result import Result
from raidsim.result.facts import SystemPower
from raidsim.running import measure_points
from raidsim.scenario import load
from raidsim.studies.short import shortened
from raidsim.system.tables import SaturationError
from raidsim.unknowns import spread
from raidsim.unknowns.draws import Draws
from raidsim.validate.claims import Claim, Performance, origins
from raidsim.validate.jobs import Job, distinct
from raidsim.validate.metrics import PERCENTILES
from raidsim.validate.standing import counting
from raidsim.validate.systems import Systems, results_of
from raidsim.validate.verdict import Spread, Verdict, number_of
from raidsim.workers.engine import OnProgress, execute

DRAWS = 24
"""Draws of a validation: the ends of an interval lie between the two outermost on each side."""

MOST = 1000

IOS = 4_000
"""I/Os of a short run, at least: some 3 % of noise, of which draws of the same seed share part."""

SEED = 1

SCATTER = 0.02
"""Standard deviation, relative, of a measurement that is made again.

Load generators on one machine repeat figures to 1 to 3 %: what a drive was used for before, where
on it the file lies, temperatures, and a mean over 30 s to some minutes. A ratio has it twice.
"""


@dataclass(frozen=True)
class Cover:
    """The shares of some claims inside their intervals.

    Attributes
    ----------
    group, name : "all", or "document" or "kind" and which.
    figures : claims with an interval.
    covered : of these, those whose interval holds the printed figure.
    above : of the others, those whose printed figure lies above it.
    median_half_width : relative.
    """

    group: str
    name: str
    figures: int
    covered: int
    above: int
    median_half_width: float

    @property
    def share(self) -> float:
        """Share of the printed figures that are covered."""
        return self.covered / self.figures

    def to_dict(self) -> dict[str, str | int | float]:
        """Return the values as plain data, as the JSON of a validation has them."""
        return {
            "group": self.group,
            "name": self.name,
            "figures": self.figures,
            "covered": self.covered,
            "share": self.share,
            "above": self.above,
            "median_half_width": self.median_half_width,
        }


@dataclass(frozen=True)
class DrawnJob:
    """A merged job in one draw; draw 0 has the cards as they are."""

    job: Job
    number: int
    draws: int

    def __str__(self) -> str:
        """Return a label for a progress bar."""
        return f"{self.job}, draw {self.number}"


def wanted(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims that intervals are about: figures, and predictions where there are any."""
    figures = [claim for claim in claims if claim.counts_in_errors]
    return [claim for claim in figures if claim.role == "prediction"] or figures


def spreads(
    verdicts: Sequence[Verdict],
    count: int,
    systems: Systems,
    *,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    processes: bool = False,
) -> dict[str, Spread]:
    """Return the intervals of the figures of claims, by the names of the claims.

    Parameters
    ----------
    verdicts
        Of all claims that were run; :func:`wanted` says which of them get an interval.
    count
        Draws.
    systems
        The scenarios behind the jobs.
    workers, on_progress, processes
        As :func:`raidsim.workers.engine.execute` has them.
    """
    claims = {claim.id: claim for claim in wanted([one.claim for one in verdicts])}
    chosen = [one for one in verdicts if one.claim.id in claims and one.simulated]
    jobs = distinct(job for one in chosen for job in one.claim.jobs())
    runs = systems.merged(jobs)
    variants = [DrawnJob(one.job, number, count) for one in runs for number in range(count + 1)]
    rows = execute(variants, drawn, workers=workers, on_progress=on_progress, processes=processes)
    results: list[dict[Job, Result]] = []
    for number in range(count + 1):
        own = rows[number :: count + 1]
        there = [(one, row) for one, row in zip(runs, own, strict=True) if row is not None]
        results.append(results_of([one for one, _ in there], [row for _, row in there]))
    found = {one.claim.id: spread_of(one, results) for one in chosen}
    return {name: one for name, one in found.items() if one is not None}


def spread_of(verdict: Verdict, results: Sequence[Mapping[Job, Result]]) -> Spread | None:
    """Return the interval of a claim's figure; None with too few draws that have it.

    ``results`` are those of the draws, first the one of the cards as they are.
    """
    claim, figure = verdict.claim, verdict.simulated
    assert figure is not None
    first, *others = [_figure(claim, found) for found in results]
    as_drawn = _is_percentile(claim)
    moved = spread.around(figure, first, others, as_drawn=as_drawn)
    ends = None if moved is None else spread.ends(moved)
    if ends is None or moved is None:
        return None
    if as_drawn:
        ends = spread.holding(figure, ends)
    scatter = SCATTER * math.sqrt(2 if _is_ratio(claim) else 1)
    return interval(claim, figure, ends, scatter, int(np.isfinite(moved).sum()))


def interval(
    claim: Claim, figure: float, ends: tuple[float, float], scatter: float, draws: int
) -> Spread:
    """Return the interval of a figure between the ends of its draws, widened by a scatter.

    Beside that of a measurement it is what models leave out (`raidsim.unknowns.spread.MODEL`).
    """
    low, high = spread.widened(figure, ends, math.hypot(scatter, spread.MODEL))
    bottom, top = claim.interval
    return Spread(
        low, high, (high - low) / 2 / abs(figure), bool(low <= top and bottom <= high), draws
    )


def covers(verdicts: Sequence[Verdict]) -> list[Cover]:
    """Return the coverage of intervals: over all claims that have one, by document, by kind.

    Beside all stand those that test the simulation (`raidsim.validate.standing`), and those of each
    origin where there are both.
    """
    having = [one for one in verdicts if one.spread is not None]
    if not having:
        return []
    groups = {("all", "all figures"): having}
    if testing := counting(having):  # neither true by construction nor excluded by print itself
        groups["all", "that test the simulation"] = testing
    for origin in origins(one.claim for one in having):
        groups["all", origin] = [one for one in having if one.claim.origin == origin]
    for one in having:
        groups.setdefault(("document", one.claim.document), []).append(one)
    for one in having:
        kind = "ratio" if _is_ratio(one.claim) else one.claim.kind
        groups.setdefault(("kind", kind), []).append(one)
    return [_cover(group, name, inside) for (group, name), inside in groups.items()]


def _cover(group: str, name: str, verdicts: Sequence[Verdict]) -> Cover:
    pairs = [(one.claim, one.spread) for one in verdicts if one.spread is not None]
    return Cover(
        group,
        name,
        figures=len(pairs),
        covered=sum(one.covered for _, one in pairs),
        above=sum(claim.interval[0] > one.high for claim, one in pairs),
        median_half_width=float(np.median([one.half_width for _, one in pairs])),
    )


def _is_ratio(claim: Claim) -> bool:
    return isinstance(claim.subject, Performance) and claim.subject.against is not None


def _is_percentile(claim: Claim) -> bool:
    """Whether a claim is about a percentile of latency itself, not about its ratio to another."""
    subject = claim.subject
    if not isinstance(subject, Performance) or subject.against is not None:
        return False
    return subject.run.metric in PERCENTILES and subject.shape is None


def _figure(claim: Claim, results: Mapping[Job, Result]) -> float | None:
    """The figure of a claim in one draw; None if a run of it could not be made."""
    if not isinstance(claim.subject, Performance):
        return None
    if any(job not in results for job in claim.jobs()):
        return None
    return number_of(claim, claim.subject, results)


# ---- one run of a draw, perhaps in a process of its own


def drawn(one: DrawnJob) -> Result | None:
    """Run a job in a draw; None where that draw of it cannot be run."""
    scenario = _draws(one.draws).scenario(_scenario(one.job), one.number)
    try:
        points, highest = measure_points(scenario)
    except (InputError, SaturationError):
        if one.number == 0:
            raise
        return None
    bare = [
        replace(point, stages={}, stations=[], series=[], drives=[_bare(d) for d in point.drives])
        for point in points
    ]
    nothing = SystemPower(0.0, 0.0, [])
    loads = {"load": scenario.resolved()["load"]}  # which loads follow others counts for a figure
    return Result("", 0, loads, {}, [], [], nothing, bare, highest)


def _bare(drive: Any) -> Any:
    return replace(drive, throttles_from_c={})


@cache
def _draws(count: int) -> Draws:
    return Draws(count, SEED)


@cache
def _scenario(job: Job) -> Any:
    return shortened(load(job.scenario, overrides=job.all_overrides()), IOS)
