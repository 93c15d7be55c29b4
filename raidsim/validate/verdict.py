"""Claim and simulated numbers: the error, and whether the claim holds.

The error is relative and counts from the interval that the publication allows (the rounding of a
figure, the ends of a range, the free side of a bound): zero inside, positive above, negative below.
A claim holds when its error is within its tolerance. For comparisons the number is the ratio of the
two runs; over whole curves it is the worst of all intensities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from raidsim.result import Highest, Point, Result
from raidsim.validate.claims import (
    CardValue,
    Claim,
    Measurement,
    Performance,
    ScenarioValue,
    Shape,
)
from raidsim.validate.facts import read_scenario
from raidsim.validate.jobs import Job
from raidsim.validate.metrics import METRICS

TIE = 0.001
"""Relative difference up to which two runs are a tie: noise could turn their order."""

CardReader = Callable[[CardValue, str], float | None]
"""Value of a card in the asked unit; None if the card lacks it."""


@dataclass(frozen=True)
class Planned:
    """The figure of the planning formula beside the claim's, and its error."""

    value: float
    error: float
    holds: bool


@dataclass(frozen=True)
class Spread:
    """The interval of a claim's figure (`raidsim.validate.unknowns`).

    Attributes
    ----------
    low, high : in the unit of the claim.
    half_width : half of it, relative to the simulated figure.
    covered : whether it holds what print leaves open.
    draws : that have the figure.
    """

    low: float
    high: float
    half_width: float
    covered: bool
    draws: int

    def to_dict(self) -> dict[str, float | bool | int]:
        """Return the values as plain data, as the JSON of a validation has them."""
        return asdict(self)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim. ``simulated`` and ``error`` are None if nothing was measured.

    ``noise`` is half the interval of a ratio of two runs, relative; None where there is none.
    ``planned`` is None where the planning formula says nothing (`raidsim.validate.planning`).
    ``widened`` has further overrides of runs that needed them to converge. ``spread`` is the
    interval of its figure, where that was asked for. ``determined`` says why
    the number could not have been another one, if so; ``seeds`` are the numbers of further seeds.
    """

    claim: Claim
    simulated: float | None
    error: float | None
    holds: bool
    converged: bool = True
    planned: Planned | None = None
    noise: float | None = None
    widened: Mapping[Job, tuple[str, ...]] = field(default_factory=dict, hash=False)
    spread: Spread | None = None
    determined: str = ""
    seeds: tuple[float, ...] = ()

    @property
    def plain(self) -> float | None:
        """Simulated over published, less 1: the error without rounding; None where none counts."""
        published = self.claim.published
        if not self.claim.counts_in_errors or self.simulated is None:
            return None
        return None if isinstance(published, tuple) else self.simulated / published - 1

    @property
    def is_decided(self) -> bool:
        """Whether no other seed turns the verdict.

        Where further seeds were run, all must say the same; where none were, an order must be
        clearer than its noise.
        """
        if self.simulated is None:
            return True
        if any(
            holds(self.claim, one, error_of(self.claim, one)) != self.holds for one in self.seeds
        ):
            return False
        if self.claim.relation != "order" or self.noise is None or self.determined:
            return True
        if self.seeds:
            return True
        return abs(self.simulated / _printed(self.claim, 0) - 1) > self.noise

    @property
    def margin(self) -> float | None:
        """The distance of the number from where the verdict would change, as a share of that."""
        if self.simulated is None or not self.simulated:
            return None
        low, high = self.claim.interval
        if self.claim.relation == "order":
            ends = [_printed(self.claim, 0) * (1 + TIE)]
        else:
            ends = [low - self.claim.tolerance * _printed(self.claim, 0)]
            ends.append(high + self.claim.tolerance * _printed(self.claim, 1))
        return min(
            (abs(self.simulated / end - 1) for end in ends if end > 0 and math.isfinite(end)),
            default=None,
        )


def judge(claim: Claim, results: Mapping[Job, Result], read_card: CardReader) -> Verdict:
    """Compare a claim with the results of its jobs (or with what it quotes)."""
    if isinstance(claim.subject, CardValue):
        simulated = read_card(claim.subject, claim.unit)
    elif isinstance(claim.subject, ScenarioValue):
        simulated = read_scenario(claim.subject, claim.unit)
    else:
        simulated = number_of(claim, claim.subject, results)
    if simulated is None or not math.isfinite(simulated):
        return Verdict(claim, None, None, holds=False)
    error = error_of(claim, simulated)
    converged = all(point.converged for job in claim.jobs() for point in points_of(results[job]))
    noise = noise_of(claim.subject, results) if isinstance(claim.subject, Performance) else None
    held = holds(claim, simulated, error)
    return Verdict(claim, simulated, error, held, converged, noise=noise)


def error_of(claim: Claim, simulated: float) -> float:
    """Return the relative error of a simulated number, from the interval of the claim.

    Of a printed zero, which only a catalogue claim may have, it is the number itself.
    """
    low, high = claim.interval
    if simulated < low:
        return (simulated - low) / abs(_printed(claim, 0))
    if simulated > high:
        return (simulated - high) / abs(_printed(claim, 1))
    return 0.0


def holds(claim: Claim, simulated: float, error: float) -> bool:
    """Return whether the claim holds; an order must be more than a tie."""
    if claim.relation == "order" and simulated <= _printed(claim, 0) * (1 + TIE):
        return False
    return abs(error) <= claim.tolerance


def _printed(claim: Claim, end: int) -> float:
    printed = claim.published[end] if isinstance(claim.published, tuple) else claim.published
    return printed or 1.0


# ---------------------------------------------------------------- the number


def number_of(claim: Claim, subject: Performance, results: Mapping[Job, Result]) -> float | None:
    """Return the number that stands against the published one; None if something is missing."""
    curve = curve_of(subject.run, results)
    other = None if subject.against is None else curve_of(subject.against, results)
    if curve is None or (subject.against is not None and other is None):
        return None
    if other is not None and not all(other):  # nothing is a number of times as much as nothing
        return None
    if subject.shape is not None:
        return shape_ratio(subject.shape, subject.run.intensities, curve)
    if other is None or subject.against is None:
        return _mean(curve) if subject.run.reduction == "mean" else max(curve)
    if subject.run.reduction == "each":
        return worst_ratio(curve, other, one_sided=claim.relation == "order")
    if subject.run.reduction == "mean":
        return _mean([a / b for a, b in zip(curve, other, strict=True)])
    return max(curve) / max(other)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def curve_of(measurement: Measurement, results: Mapping[Job, Result]) -> list[float] | None:
    """Return the metric at each intensity of a measurement; None if any of them has none.

    Of one with a base it is their quotient alone.
    """
    metric = METRICS[measurement.metric]
    curves = []
    for run in measurement.runs():
        values = [metric.of(points_of(results[job]), measurement.moment) for job in run]
        present = [
            value for value in values if value is not None and (value > 0 or metric.may_be_zero)
        ]
        if len(present) < len(values):
            return None
        curves.append(present)
    curve = [_mean(values) for values in zip(*curves, strict=True)]
    if measurement.base is None:
        return curve
    base = curve_of(measurement.base, results)
    return None if base is None else [max(curve) / max(base)]


def noise_of(subject: Performance, results: Mapping[Job, Result]) -> float | None:
    """Return half the interval of a number, relative; None if it is not known.

    It is that of the points that the ratio is made of. That of a latency is taken to be that of
    the throughput, which it is while so many I/Os are outstanding (Little's law).
    """
    run, against = subject.run, subject.against
    if run.reduction == "mean" or subject.shape is not None or run.moment is not None:
        return None
    if against is None:
        return _at_highest(run, results)
    if run.reduction != "each":
        return _both(_at_highest(run, results), _at_highest(against, results))
    curve, other = curve_of(run, results), curve_of(against, results)
    if curve is None or other is None:
        return None
    ratios = [a / b for a, b in zip(curve, other, strict=True)]
    worst = ratios.index(min(ratios))
    return _both(half_width(run, worst, results), half_width(against, worst, results))


def _at_highest(measurement: Measurement, results: Mapping[Job, Result]) -> float | None:
    """Half the interval of the figure of a measurement, relative, with that of its base."""
    own = replace(measurement, base=None)
    curve = curve_of(own, results)
    if curve is None:
        return None
    half = half_width(own, curve.index(max(curve)), results)
    if measurement.base is None:
        return half
    return _both(half, _at_highest(measurement.base, results))


def half_width(run: Measurement, place: int, results: Mapping[Job, Result]) -> float | None:
    """Half the interval of one point of a curve, relative; of the mean of two runs, of both."""
    mean, square = 0.0, 0.0
    for jobs in run.runs():
        for point in points_of(results[jobs[place]]):
            if point.iops.low is None or point.iops.high is None:
                return None
            mean += point.iops.mean
            square += ((point.iops.high - point.iops.low) / 2) ** 2
    return math.sqrt(square) / mean if mean > 0 else None


def _both(one: float | None, other: float | None) -> float | None:
    """Half the interval of the quotient of two figures that know nothing of each other."""
    return None if one is None or other is None else math.hypot(one, other)


def points_of(result: Result) -> list[Point]:
    """Return the points that count: all loads at the intensity that a search came to, or all.

    The load that was searched for has the throughput at the very latency that was asked for.
    """
    found = result.highest
    if found is None:
        return _last_phase(result)
    loads = len({point.load for point in result.points})
    for number, point in enumerate(result.points):
        same = (point.outstanding, point.rate) == (found.outstanding, found.rate)
        if point.load == found.load and same:
            first = number - number % loads
            return [_searched(one, found) for one in result.points[first : first + loads]]
    return []


def _last_phase(result: Result) -> list[Point]:
    """Return the points of loads behind which none begins, where loads follow each other."""
    after = {one["name"]: one.get("after") for one in result.scenario.get("load", [])}
    if not any(after.values()):
        return result.points
    last = {name for name, earlier in after.items() if earlier} - set(after.values())
    return [point for point in result.points if point.load in last]


def _searched(point: Point, found: Highest) -> Point:
    if point.load != found.load or found.iops is None or found.mbps is None:
        return point
    return replace(point, iops=found.iops, mbps=found.mbps)


def worst_ratio(curve: Sequence[float], other: Sequence[float], *, one_sided: bool) -> float:
    """Return the ratio, point by point, that is farthest from 1 (or smallest, if one-sided)."""
    ratios = [a / b for a, b in zip(curve, other, strict=True)]
    return min(ratios) if one_sided else max(ratios, key=lambda ratio: abs(math.log(ratio)))


def shape_ratio(shape: Shape, intensities: Sequence[int | None], curve: Sequence[float]) -> float:
    """Return the ratio that is worst for a shape; 1 or more (``level``: exactly 1) is perfect.

    For ``rises`` that is each point against the highest before it, and 0 if the curve ends no
    higher than it starts.
    """
    if shape.kind == "level":
        return worst_ratio(curve, [curve[0]] * len(curve), one_sided=False)
    if shape.kind == "lowest":
        lowest = curve[intensities.index(shape.at)]
        others = [v for at, v in zip(intensities, curve, strict=True) if at != shape.at]
        return min(others) / lowest
    if curve[-1] <= curve[0]:
        return 0.0
    return min(value / max(curve[: i + 1]) for i, value in enumerate(curve))
