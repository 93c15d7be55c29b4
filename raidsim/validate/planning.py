"""The usual planning formula for an array: for comparison with the simulation.

Planners multiply the rate of one drive by the number of drives, and divide by the cost of a write
(SNIA Dictionary, "small write penalty"). They use this penalty for any number of drives, though
RAID 5 of three and RAID 6 of five need less:

    random        drives x one / (read share + write share x penalty)
                  penalty: 1 RAID 0 and JBOD, 2 RAID 1, 1E, 10, 4 RAID 5, 50, 6 RAID 6, 60
    sequential    drives at work x one: all of them for reads; for writes those that hold data,
                  without parity, or half of them where there are copies

"One" is the simulated rate of one such drive: under the same load, in the same host, alone, without
a controller and its cache, at the most outstanding I/Os of the scenario. So the formula has every
advantage: only its own steps are compared with the published figure. It contains no queue, cache,
link, processor or latency, and says nothing about these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from raidsim.errors import InputError
from raidsim.result import Result
from raidsim.scenario import Scenario
from raidsim.validate.claims import Claim, Measurement, Performance
from raidsim.validate.jobs import Job
from raidsim.validate.metrics import METRICS
from raidsim.validate.systems import Systems
from raidsim.validate.verdict import Planned, error_of, holds, points_of

PENALTY = {
    "single": 1, "jbod": 1, "raid0": 1, "raid1": 2, "raid1e": 2, "raid10": 2,
    "raid5": 4, "raid50": 4, "raid6": 6, "raid60": 6,
}  # fmt: skip
"""Commands for a small write, by level."""

PARITY = {"raid5": 1, "raid50": 1, "raid6": 2, "raid60": 2}
"""Drives of a span whose capacity holds parity."""

MIRRORED = ("raid1", "raid1e", "raid10")

PLANNED = ("iops", "mbps")
"""Metrics that the formula is about."""

ALONE = (
    "volume.level=single", "volume.drives=1", "volume.controller=host", "volume.behind=[]",
    "volume.write=through", "volume.read_ahead=none", "volume.io=direct",
    "volume.intent=none", "volume.spares=0",
    "load.workers=1", "load.partitions=false", "measure.precision=5 %", "measure.min_ios=2000",
)  # fmt: skip
"""Overrides that leave one drive, on the host itself, to one worker; a planner knows it roughly."""


SHARED_OUT = ("volume.spans=", "volume.spread=")
"""Overrides that are wrong for one drive, whatever they say."""


@dataclass(frozen=True)
class Array:
    """The facts of an array in the formula; ``spans`` of RAID 50 and 60."""

    level: str
    drives: int
    spans: int = 1

    def random(self, reads: float) -> float:
        """Return its small random accesses over those of one drive; ``reads`` is a share."""
        return self.drives / (reads + (1 - reads) * PENALTY[self.level])

    def sequential(self, reads: float) -> float:
        """Return its sequential accesses over those of one drive; ``reads`` is a share, 0 to 1."""
        parity = self.spans * PARITY.get(self.level, 0)
        writing = self.drives / 2 if self.level in MIRRORED else self.drives - parity
        return 1 / (reads / self.drives + (1 - reads) / writing)


@dataclass(frozen=True)
class _Term:
    """What the planning formula needs: the array, the run of one drive, and a factor."""

    array: Array
    one: Job
    factor: float


_Terms = tuple[_Term, ...]


class Planner:
    """The planning formula for claims about arrays.

    Parameters
    ----------
    systems
        The scenarios behind the claims.
    """

    def __init__(self, systems: Systems) -> None:
        self._systems = systems

    def jobs(self, claim: Claim) -> tuple[Job, ...]:
        """Return the runs of one drive that the formula needs for a claim."""
        over, under = self._sides(claim)
        return tuple(term.one for terms in (*over, *under) for term in terms)

    def judge(self, claim: Claim, results: Mapping[Job, Result]) -> Planned | None:
        """Return the formula's figure for a claim, judged; None if the formula has none."""
        over, under = self._sides(claim)
        if not over or not isinstance(claim.subject, Performance):
            return None
        metric = METRICS[claim.subject.run.metric]
        means = []
        for terms in (*over, *under):
            ones = [metric.of(points_of(results[term.one]), None) for term in terms]
            if not all(ones):
                return None
            parts = [one * term.factor for one, term in zip(ones, terms, strict=True) if one]
            means.append(sum(parts) / len(parts))
        value = math.prod(means[: len(over)]) / math.prod(means[len(over) :])
        error = error_of(claim, value)
        return Planned(value, error, holds(claim, value, error))

    def _sides(self, claim: Claim) -> tuple[list[_Terms], list[_Terms]]:
        """Return numerator and denominator of a claim; none if the formula does not apply.

        It has none of single drives, latencies and shapes, of what is no plain array, and of two
        runs that differ only in what the formula does not know, such as a cache.
        """
        subject = claim.subject
        if not isinstance(subject, Performance) or subject.shape is not None:
            return [], []
        if subject.run.metric not in PLANNED:
            return [], []
        run, against = subject.run, subject.against
        pairs = [(run, run.base), (against, against.base if against else None), (run, against)]
        above = [run, against.base if against else None]
        below = [run.base, against]
        planned = {one: self._terms(one) for one in (*above, *below) if one is not None}
        if not all(planned.values()):
            return [], []
        if all(term.array.drives == 1 for terms in planned.values() for term in terms):
            return [], []
        for one, other in pairs:
            if one is None or other is None:
                continue
            if self._meaning(planned[one]) == self._meaning(planned[other]):
                return [], []
        return [planned[one] for one in above if one], [planned[one] for one in below if one]

    def _meaning(self, terms: Sequence[_Term]) -> list[tuple[str, Array]]:
        return [(self._systems.meaning_of(term.one), term.array) for term in terms]

    def _terms(self, measurement: Measurement) -> _Terms:
        """Return the terms of the formula for each of a measurement's one or two curves."""
        found = []
        for run in measurement.runs():
            overrides = run[0].overrides
            try:
                scenario = self._systems.of(measurement.scenario, overrides)
                most = most_outstanding(self._systems.of(measurement.scenario))
                array = array_of(scenario)
                if array is None or most is None:
                    return ()
                one = Job(measurement.scenario, alone(overrides), most)
                self._systems.of(one.scenario, one.overrides)
            except InputError:
                return ()  # running it says what is wrong; or its file asks what one drive cannot
            load = scenario.loads[0]
            factor = (
                array.random(load.read_share)
                if load.random_share
                else array.sequential(load.read_share)
            )
            found.append(_Term(array, one, factor))
        return tuple(found)


def alone(overrides: tuple[str, ...]) -> tuple[str, ...]:
    """Return overrides that leave one drive of an array to itself."""
    return tuple(one for one in overrides if not one.startswith(SHARED_OUT)) + ALONE


def array_of(scenario: Scenario) -> Array | None:
    """Return the array of a scenario as the formula knows it.

    None where the formula says nothing: several volumes or loads, hybrids, failed drives, accesses
    that are neither all random nor all sequential.
    """
    if scenario.hybrids or scenario.machines or scenario.events:
        return None
    if len(scenario.volumes) != 1 or len(scenario.loads) != 1:
        return None
    volume, load = scenario.volumes[0], scenario.loads[0]
    if volume.failed or load.random_share not in (0.0, 1.0):
        return None
    spans = 1 if volume.layout is None else int(volume.layout["spans"])
    return Array(volume.level, volume.drives, spans)


def most_outstanding(scenario: Scenario) -> int | None:
    """Return the most I/Os outstanding in the sweeps of a scenario as its file has them."""
    return max((max(load.outstanding) for load in scenario.loads if load.outstanding), default=None)
