"""Runs of designs: the figures that a plan needs from a result, and the number of runs at a time.

Runs are identified by the tables of their scenarios. Hot spares, chassis and prices have no effect
on the load and are not in these tables, so designs that differ in nothing else share a run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from raidsim import units
from raidsim.errors import InputError, TableOverflowError
from raidsim.kernel import is_compiled
from raidsim.planning.design import Data, scenario_of
from raidsim.planning.kept import Kept
from raidsim.planning.need import Latency, Need
from raidsim.result import Course, DriveUse, OperationUse, Phase, Point
from raidsim.running import measure_points
from raidsim.scenario import Scenario
from raidsim.studies.study import content_key
from raidsim.system.tables import SaturationError
from raidsim.workers.engine import Progress, execute

DONE, SATURATED, REFUSED = "done", "saturated", "refused"

REBUILDING = "rebuilding"
"""Health of a volume of which a drive is rebuilt."""

CARRIED = 0.97
"""Share of the rate that is asked for that has to come out."""

CHANCE = 0.1
"""Share of the arrivals that may be missing in a short window, where its interval says so."""

MOST_IOS, LONGEST = 6_000_000, 24 * 3600.0
"""I/Os, and seconds that are simulated, after which a run is ended though a cache still fills.

A cache of 8 GiB before disks is full after some hundred thousand to two million I/Os.
"""

DRAINED_IOS = 600_000
"""I/Os after which such a run is ended that only has to tell whether a design keeps its limits.

A cache has drained by then, though what reads find in it may go on filling.
"""

REBUILT = 0.25
"""Share of its sample that a rebuild has to have done for its time to be told from it.

A drive that is rebuilt beside a load gets on in steps of some MiB, and a step says little.
"""

LONGER = 25
"""How many times as long a rebuild is watched that had not come so far."""


@dataclass(frozen=True)
class Measured:
    """The result of a run of a design.

    Attributes
    ----------
    status : "done", "saturated" or "refused".
    reason : why it was refused; or what was not carried.
    latency : of reads and writes each, s: fields "mean", "p50" and so on; of the slowest load.
    carried : share of the requested rate that was completed; 1 for closed loads, and if no more is
        missing than chance explains in a window as short as this.
    iops : completed I/Os per second.
    limit : the busiest part, in words, and its ``utilisation``.
    watts : mean power of all drives; None if a card does not give it.
    years : until the rated bytes of the drive with the most writes are written, if the load stays
        as it is; None for ever.
    failed : I/Os that ended in an error.
    rebuild : seconds of the rebuild of a drive, of runs with one.
    rebuilt : share of its sample that the rebuild had done; 1 of runs without one.
    unsettled : parts that still filled when the run was ended, in words; empty if none did.
    late : whether it is a longer run, instead of one that had ended too early.
    """

    status: str
    reason: str = ""
    latency: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    carried: float = 0.0
    iops: float = 0.0
    limit: str = ""
    utilisation: float = 0.0
    watts: float | None = None
    years: float | None = None
    failed: int = 0
    rebuild: float | None = None
    rebuilt: float = 1.0
    unsettled: str = ""
    late: bool = False

    @property
    def carries(self) -> bool:
        """Whether all that is asked for comes out, without errors."""
        return self.status == DONE and self.carried >= CARRIED and not self.failed

    @property
    def ended_early(self) -> bool:
        """Whether a longer run could give another answer.

        A rate that is not carried while caches still accept writes is not carried later either.
        """
        return self.carries and (bool(self.unsettled) or self.rebuilt < REBUILT)

    @property
    def may_drain(self) -> bool:
        """Whether a longer run may be better, since a cache had not settled."""
        return self.status == DONE and bool(self.unsettled) and not self.failed

    def worst(self, figure: str) -> tuple[float, str] | None:
        """The slower of reads and writes in a figure, s, and which it is; None if unmeasured."""
        found = [(one[figure], kind) for kind, one in self.latency.items() if figure in one]
        return max(found) if found else None

    def over(self, limits: Sequence[Latency]) -> float:
        """By how many times the limits are exceeded that it is farthest from keeping.

        At most 1 where all are kept. What was not measured counts as kept; a load that is not
        carried has no latency, and counts by what is missing of it.
        """
        if self.status == REFUSED:
            return float("inf")
        if not self.carries:
            return max(1 / max(self.carried, 1e-3), 1.001)
        found = [(self.worst(one.figure), one.within) for one in limits]
        return max((worst[0] / within for worst, within in found if worst), default=0.0)


def measured(scenario: Scenario) -> Measured:
    """Run a scenario and keep what a plan needs of it."""
    try:
        points, _ = measure_points(scenario)
    except InputError as error:
        return Measured(REFUSED, "; ".join(problem.cause for problem in error.problems))
    except (SaturationError, TableOverflowError) as error:
        return Measured(SATURATED, str(error))
    return of_points(scenario, points)


def of_points(scenario: Scenario, points: Sequence[Point]) -> Measured:
    """Return the figures of a run's points that a plan needs."""
    asked = sum(point.workers * point.rate for point in points if point.rate)
    rates = [point.iops for point in points]
    came = sum(rate.mean for rate in rates)
    # Arrivals are random: a short window may hold fewer of them than usual.
    likely = sum(min(rate.high or rate.mean, rate.mean / (1 - CHANCE)) for rate in rates)
    carried = came / asked if likely < asked else 1.0
    saturated = any(point.saturated for point in points)
    limits = [point.limited_by for point in points if point.limited_by is not None]
    busiest = max(limits, key=lambda one: one.utilisation, default=None)
    drives = _drives(scenario, points)
    powers = [drive.power_w for drive in drives]
    lives = [drive.years_to_rated for drive in drives if drive.years_to_rated is not None]
    return Measured(
        status=SATURATED if saturated else DONE,
        reason=f"of {asked:,.0f} IO/s {came:,.0f} come out" if saturated else "",
        latency={} if saturated else _latencies(points),
        carried=carried,
        iops=came,
        limit="" if busiest is None else busiest.kind,
        utilisation=0.0 if busiest is None else busiest.utilisation,
        watts=None if not powers or None in powers else sum(w for w in powers if w is not None),
        years=min(lives, default=None),
        failed=sum(point.counts.failed for point in points),
        rebuild=_rebuild(points),
        rebuilt=min((use.progress for use in _rebuilds(points)), default=1.0),
        unsettled=_unsettled(points),
    )


def _drives(scenario: Scenario, points: Sequence[Point]) -> list[DriveUse]:
    """The drives of all volumes: a point has those of the volume that its load is on."""
    on = {load.name: load.volume for load in scenario.loads}
    of_volumes = {on[point.load]: point.drives for point in points}
    return [drive for drives in of_volumes.values() for drive in drives]


def _unsettled(points: Sequence[Point]) -> str:
    """Return in words what had not settled when it was measured; empty if all had."""
    return next((words for point in points for words in point.unsettled), "")


def _latencies(points: Sequence[Point]) -> dict[str, dict[str, float]]:
    """The latencies of the slowest load, s: for reads and for writes, by name."""
    found: dict[str, dict[str, float]] = {}
    for point in points:
        kinds = point.latency_ms
        if point.course is not None:
            kinds = _bad_phase(point.course).latency_ms
        for kind, latency in kinds.items():
            if latency is None or kind not in ("read", "write"):
                continue
            of_kind = found.setdefault(kind, {})
            for name in ("mean", "p50", "p95", "p99", "p999"):
                value = getattr(latency, name)
                if value is not None:
                    of_kind[name] = max(of_kind.get(name, 0.0), value / 1000)
    return found


def _bad_phase(course: Course) -> Phase:
    """While the rebuild goes on: it may be over before the run is, and all drives are there again.

    Of a rebuild that does not begin it is all that is after the failure.
    """
    under_way = [one for one in course.phases if REBUILDING in one.health.values()]
    return (under_way or course.phases)[-1]


def _rebuild(points: Sequence[Point]) -> float | None:
    times = [use.seconds for use in _rebuilds(points) if use.seconds is not None]
    return max(times, default=None)


def _rebuilds(points: Sequence[Point]) -> list[OperationUse]:
    return [
        use
        for point in points
        if point.course is not None
        for use in point.course.operations
        if use.kind == "rebuild"
    ]


def longer(data: Data, *, watched: bool = True, most: int | None = None) -> Data:
    """Tables of a run that goes on until caches have settled, and a rebuild has come far enough.

    ``watched``: it had not come so far, so it is watched for longer. ``most``: I/Os, if fewer
    than usual.
    """
    most_ios = MOST_IOS if most is None else min(most, MOST_IOS)
    measure = {**data["measure"], "max_ios": most_ios, "max_time": f"{LONGEST:g} s"}
    if watched and "duration" in measure:
        seconds = LONGER * units.parse(measure["duration"], "time")
        measure["duration"] = f"{seconds:.6g} s"
    return {**data, "measure": measure}


def until_settled(scenario: Scenario) -> Scenario:
    """A scenario whose points go on until caches have settled, unless that takes too long."""
    bounds = {"max_ios": MOST_IOS, "max_time": LONGEST}
    measure = scenario.measure.model_copy(update=bounds)
    return scenario.model_copy(update={"measure": measure})


OnRuns = Callable[[Progress], None]


@dataclass
class Runner:
    """Runs scenarios, each once.

    Attributes
    ----------
    need : what they are of.
    workers : how many at a time; None for one per processor.
    cluster : address of the scheduler of a Dask cluster that runs them; None for this computer.
    kept : where runs are looked for, and put.
    on_progress : told whenever one has ended.
    count : of the runs so far; ``again``: of those, that were kept from before.
    """

    need: Need
    workers: int | None = None
    cluster: str | None = None
    kept: Kept = field(default_factory=lambda: Kept(None))
    on_progress: OnRuns | None = None
    known: dict[str, Measured] = field(default_factory=dict)
    count: int = 0
    again: int = 0

    def run(self, asked: Sequence[Data]) -> list[Measured]:
        """Return the results of all of them, in their order."""
        keys = [key_of(data) for data in asked]
        new: dict[str, Scenario] = {}
        for key, data in zip(keys, asked, strict=True):
            if key in self.known or key in new:
                continue
            try:
                new[key] = scenario_of(data, self.need)
            except InputError as error:
                causes = "; ".join(problem.cause for problem in error.problems)
                self.known[key] = Measured(REFUSED, causes)
        for key, found in zip(new, self.scenarios(list(new.values())), strict=True):
            self.known[key] = found
        return [self.known[key] for key in keys]

    def settled(
        self, asked: Sequence[Data], limits: Sequence[Latency] | None = None
    ) -> list[Measured]:
        """The result of each, with longer runs instead of those that ended too early.

        ``limits``: runs that miss one of them while a cache drains ended too early as well.
        """
        found = self.run(asked) if limits is None else self.drained(asked, limits)
        early = [place for place, one in enumerate(found) if one.ended_early]
        again = [longer(asked[n], watched=found[n].rebuilt < REBUILT) for n in early]
        for place, one in zip(early, self.run(again), strict=True):
            found[place] = replace(one, late=True)
        return found

    def drained(
        self, asked: Sequence[Data], limits: Sequence[Latency], over: float = 1.0
    ) -> list[Measured]:
        """The results, with longer runs instead of those that miss a limit too early.

        A cache in front of disks begins full. The disks are busy until it has drained to its final
        level, so a short run gives too low a result for a load that they can carry. ``over``: how
        many times a limit may be exceeded all the same.
        """
        found = self.run(asked)
        early = [n for n, one in enumerate(found) if one.may_drain and one.over(limits) > over]
        again = [longer(asked[n], watched=False, most=DRAINED_IOS) for n in early]
        for n, one in zip(early, self.run(again), strict=True):
            found[n] = replace(one, late=not one.unsettled)
        return found

    def scenarios(self, asked: Sequence[Scenario]) -> list[Measured]:
        """Return the results of these scenarios; those in the store are not run again."""
        keys = [""] * len(asked)
        before: dict[str, dict[str, Any]] = {}
        if self.kept.path is not None:
            keys = [content_key(scenario) for scenario in asked]
            before = self.kept.get(keys)
        found = {place: Measured(**before[key]) for place, key in enumerate(keys) if key in before}
        wanted = [place for place in range(len(asked)) if place not in found]
        self.count += len(asked)
        self.again += len(found)

        def keep(place: int, made: Measured) -> None:
            found[wanted[place]] = made
            self.kept.put(keys[wanted[place]], made)

        if wanted and self.cluster is None and not is_compiled():
            # Processes that start together before the kernel is compiled would each compile it.
            keep(0, measured(asked[wanted[0]]))
            wanted.pop(0)
        if wanted:
            execute(
                [asked[place] for place in wanted],
                measured,
                workers=self.workers,
                cluster=self.cluster,
                on_progress=self.on_progress,
                on_row=keep,
                processes=True,
            )
        return [found[place] for place in range(len(asked))]


def key_of(data: Mapping[str, Any]) -> str:
    """Return a key that is equal for equal tables."""
    return json.dumps(data, sort_keys=True)
