"""Further seeds for claims whose result may depend on chance: which claims, how many, the verdict.

The noise of a number is half its interval, some two standard deviations. The distance is that
between the number and the point where the verdict changes. If it is less than three times the
noise, the claim is run with two further seeds, and if it is less than once the noise, with four.
The claim is decided only if all give the same verdict, so nothing is run after one that differs.
Figures without noise, such as the courses of machines that boot, have no further seeds.

Of the highest rate of a curve only those points are run with other seeds that could be the highest.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from raidsim.result import Result
from raidsim.validate.claims import Claim, Measurement, Performance
from raidsim.validate.jobs import Job
from raidsim.validate.systems import MergedJob, Systems
from raidsim.validate.verdict import Verdict, curve_of, half_width, number_of

NEAR, VERY_NEAR = 1.5, 0.5
"""Times its noise up to which a number is near where its verdict turns: 3 and 1 deviations."""

FEW, MANY = 2, 4
"""Further seeds for what is near, and for what is very near."""

FAR = 3.0
"""Half intervals, of two points each, by which another seed does not bring one above the other."""

RATES = ("iops", "mbps")
"""Metrics whose noise is that of the interval of a point."""


def seeds_for(verdict: Verdict) -> int:
    """Return the number of further seeds that a verdict needs."""
    margin, noise = verdict.margin, verdict.noise
    if margin is None or noise is None or verdict.determined or margin >= NEAR * noise:
        return 0
    return MANY if margin < VERY_NEAR * noise else FEW


@dataclass(frozen=True)
class Seeds:
    """Claims with as many further seeds as each needs.

    ``known``: results with the seed of the scenario, which tell where a curve is highest.
    """

    numbers: Mapping[str, int]
    claims: Sequence[Claim]
    systems: Systems
    widened: Mapping[Job, tuple[str, ...]]
    known: Mapping[Job, Result] = field(default_factory=dict)

    def merged(self, known: Container[Job] = ()) -> list[MergedJob]:
        """Return the runs to simulate in addition to known ones, each distinct run once."""
        return self.systems.merged(job for job in self._jobs() if job not in known)

    def judge(
        self, verdicts: Iterable[Verdict], results: Mapping[Job, Result]
    ) -> tuple[Verdict, ...]:
        """Return the verdicts with the numbers of the further seeds."""
        return tuple(
            replace(verdict, seeds=self._numbers_of(verdict.claim, results))
            if verdict.claim.id in self.numbers
            else verdict
            for verdict in verdicts
        )

    def _numbers_of(self, claim: Claim, results: Mapping[Job, Result]) -> tuple[float, ...]:
        found = []
        for number in range(self.numbers.get(claim.id, 0)):
            subject = self._with_seed(claim, number)
            value = number_of(claim, subject, results)
            if value is not None:
                found.append(value)
        return tuple(found)

    def _jobs(self) -> Iterable[Job]:
        for claim in self.claims:
            for number in range(self.numbers[claim.id]):
                for one in self._with_seed(claim, number).measurements():
                    yield from one.jobs()

    def _with_seed(self, claim: Claim, number: int) -> Performance:
        subject = claim.subject
        assert isinstance(subject, Performance)
        return replace(
            subject,
            run=self._seeded(subject.run, number),
            against=None if subject.against is None else self._seeded(subject.against, number),
        )

    def _seeded(self, run: Measurement, number: int) -> Measurement:
        first = self.systems.of(run.scenario, run.overrides).seed
        longer = next((self.widened[job] for job in run.jobs() if job in self.widened), ())
        return replace(
            run,
            overrides=(*run.overrides, *longer, f"seed={first + number + 1}"),
            intensities=could_be_highest(run, self.known),
            base=None if run.base is None else self._seeded(run.base, number),
        )


def could_be_highest(run: Measurement, known: Mapping[Job, Result]) -> tuple[int | None, ...]:
    """Return the intensities of a measurement that its figure may come from with another seed."""
    every = run.intensities
    if run.reduction != "max" or run.metric not in RATES:
        return every
    if not all(job in known for one in run.runs() for job in one):
        return every
    curve = curve_of(replace(run, base=None), known)
    halves = [half_width(run, place, known) for place in range(len(every))]
    if curve is None or None in halves:
        return every
    offs = [FAR * half for half in halves if half is not None]
    least = max(value * (1 - off) for value, off in zip(curve, offs, strict=True))
    ends = [value * (1 + off) for value, off in zip(curve, offs, strict=True)]
    return tuple(one for one, end in zip(every, ends, strict=True) if end >= least)


def more_seeds(
    verdicts: Iterable[Verdict],
    systems: Systems,
    most: int = MANY,
    known: Mapping[Job, Result] | None = None,
) -> Seeds:
    """Return the further seeds, up to ``most``, of each claim that needs them.

    What those that were run have turned needs no more. ``known``: the results with one seed.
    """
    chosen = [one for one in verdicts if seeds_for(one) and not (one.seeds and not one.is_decided)]
    widened = {job: more for one in chosen for job, more in one.widened.items()}
    numbers = {one.claim.id: min(seeds_for(one), most) for one in chosen}
    return Seeds(numbers, [one.claim for one in chosen], systems, widened, known or {})
