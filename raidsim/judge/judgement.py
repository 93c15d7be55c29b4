"""Results against a scenario: every job is simulated, and differences are explained.

1. Jobs of a group of fio ran side by side, so they are loads of one scenario. The next group is the
   next scenario, and so is each run of another program. Each load has the options of the result
   (`raidsim.judge.loads`).
2. A job agrees if its throughput (at a given rate: its mean latency) is as near to the simulated
   one as nine in ten predictions of raidsim are to the published figure.
3. If it does not agree, each cause that this hardware can have is simulated
   (`raidsim.judge.causes`). The cause nearest to the measurement comes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

from raidsim.errors import InputError, Problem, quote, quoted
from raidsim.fio.playing import Note, Played, described
from raidsim.fio.written import keep
from raidsim.judge.causes import FAST, SLOW, Case, Cause, causes_of
from raidsim.judge.figures import Figure, Simulated, figures, mean_latency
from raidsim.judge.loads import Given, load_of
from raidsim.measured.job import Measured, MeasuredJob
from raidsim.observe.ios import Keeper
from raidsim.running import run_and_keep
from raidsim.scenario import Scenario
from raidsim.version import __version__

SCHEMA = "raidsim.judgement/1"
KNOWN = 0.37
"""Predictions of figures are within that of print in nine cases of ten: docs/validation.md."""

AGREES, NOT_JUDGED = "agrees within what is known", "not judged"
LEAST_EFFECT = 0.02  # less than that is no effect
QUICK_PRECISION, QUICK_IOS = 0.02, 20_000  # of causes: no run is longer than it need be
EVENT_IOS = 20_000  # I/Os, about, over which something that happens is measured
EVENT_S = (0.5, 60.0)

NOTHING_GIVEN = Given()

Tell = Callable[[str, float], None]
"""Told what is simulated now, and which share of all that is done."""


@dataclass(frozen=True)
class TriedCause:
    """A cause, with what would have been measured if it was true.

    Attributes
    ----------
    words : what it is.
    changes : keys of the scenario and their values, with which it was simulated.
    speed : measured over simulated: 1 is as measured.
    agrees : whether what was measured agrees with it; of a bound, whether it is within it.
    is_bound : whether the cause in part would give anything up to this.
    """

    words: str
    changes: dict[str, Any]
    iops: float
    latency_ms: float | None
    speed: float
    agrees: bool
    is_bound: bool = False

    @property
    def distance(self) -> float:
        """The distance from the measurement; a bound that is not exceeded just agrees."""
        far = abs(math.log(self.speed))
        return min(far, math.log(1 + KNOWN)) if self.is_bound and self.agrees else far


@dataclass
class JudgedJob:
    """A measured job beside its simulation.

    Attributes
    ----------
    options : those that say most of it, in a line.
    load : the table of the scenario that it became.
    program : that measured it: "fio", "vdbench" or "Iometer".
    verdict : whether it agrees, is too fast or too slow, or could not be judged.
    speed : measured over simulated throughput, or simulated over measured latency.
    by : what the verdict is about, "throughput" or "latency".
    margin : how far from 1 the speed may be, up or down (as a factor of 1 + margin).
    causes : of what differs, the nearest to what was measured first.
    without_effect : causes that were tried, and do not bring it nearer.
    assumed : what the result does not say of the load, and where it is from.
    """

    file: str
    name: str
    host: str | None
    options: str
    load: dict[str, Any]
    program: str = "fio"
    verdict: str = NOT_JUDGED
    speed: float | None = None
    by: str = "throughput"
    margin: float | None = None
    iops_low: float | None = None
    iops_high: float | None = None
    figures: list[Figure] = field(default_factory=list)
    causes: list[TriedCause] = field(default_factory=list)
    without_effect: list[str] = field(default_factory=list)
    refused: list[Note] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    options_without_effect: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)


@dataclass
class Judgement:
    """All jobs of some results beside a scenario."""

    scenario: str
    files: dict[str, str]  # what measured, with its version, by file
    jobs: list[JudgedJob]
    remarks: list[str]
    raidsim: str = __version__
    schema: str = SCHEMA

    @property
    def all_agree(self) -> bool:
        """Whether every job that could be judged agrees."""
        return all(job.verdict in (AGREES, NOT_JUDGED) for job in self.jobs)

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain dicts, lists and numbers."""
        return {"schema": self.schema} | asdict(self)


def judge(
    scenario: Scenario,
    results: Sequence[Measured],
    volume: str | None = None,
    tell: Tell | None = None,
    given: Given = NOTHING_GIVEN,
) -> Judgement:
    """Set the jobs of results beside their simulation on a scenario's volume.

    Parameters
    ----------
    volume
        Name of the volume or hybrid that was measured; None for the only one, or the one that all
        of the scenario's loads are on.
    given
        What is said of loads that the results themselves do not describe.

    Raises
    ------
    InputError
        There is no such volume, or it is not clear which; or none of the jobs can be played.
    """
    target = target_of(scenario, volume)
    groups = [
        (measured, list(jobs))
        for measured in results
        for _, jobs in groupby(measured.jobs, lambda job: (job.host, job.group))
    ]
    found: list[JudgedJob] = []
    for number, (measured, jobs) in enumerate(groups):
        share = (number / len(groups), 1 / len(groups))
        found += _Group(scenario, target, measured, jobs, share, tell, given).judge()
    if all(job.verdict == NOT_JUDGED for job in found):
        raise InputError(
            [
                Problem(job.file, None, f"{job.name}: {note.option}", note.meaning)
                for job in found
                for note in job.refused
            ]
        )
    return Judgement(
        scenario.title,
        {measured.file: measured.version for measured in results},
        found,
        [
            *(str(remark) for measured in results for remark in measured.remarks),
            *_unused(given, found),
        ],
    )


def _unused(given: Given, found: Sequence[JudgedJob]) -> Iterator[str]:
    """Yield the options about loads that no load has used."""
    taken = " ".join(words for job in found for words in job.assumed)
    for name, value in (("--random", given.random), ("--outstanding", given.outstanding)):
        if value is not None and name not in taken:
            yield f"{name} has no effect: the results give it for all judged loads"


def target_of(scenario: Scenario, given: str | None) -> str:
    """The volume or hybrid that results are about.

    Raises
    ------
    InputError
        There is none of the name that is given, or without one there are several.
    """
    parts = {spec.front for spec in scenario.hybrids} | {spec.back for spec in scenario.hybrids}
    names = [spec.name for spec in scenario.volumes] + [spec.name for spec in scenario.hybrids]
    tops = [name for name in names if name not in parts]
    used = {load.volume or names[0] for load in scenario.loads}
    if given is None and len(used) == 1:
        return used.pop()
    if given is None and len(tops) == 1:
        return tops[0]
    if given is not None and given in names:
        return given
    known = f"name one of {quoted(names)}"
    cause = (
        "it is not clear which volume" if given is None else f"there is no volume {quote(given)}"
    )
    raise InputError([Problem(scenario.path, None, "--volume", cause, known)])


class _Group:
    """Jobs that ran side by side, as loads of one scenario."""

    def __init__(
        self,
        scenario: Scenario,
        target: str,
        measured: Measured,
        jobs: Sequence[MeasuredJob],
        share: tuple[float, float],
        tell: Tell | None,
        given: Given,
    ) -> None:
        self.scenario = scenario
        self.given = given
        self.target = target
        self.measured = measured
        self.jobs = jobs
        self.share = share
        self.tell = tell

    def judge(self) -> list[JudgedJob]:
        """Return the judgement of each of its jobs."""
        plays = [load_of(job, self.scenario, self.target, self.given) for job in self.jobs]
        found = [self._begun(job, played) for job, played in zip(self.jobs, plays, strict=True)]
        chosen = [n for n, (played, job) in enumerate(zip(plays, self.jobs, strict=True))
                  if not played.refused and self._measured_something(job, found[n])]  # fmt: skip
        if not chosen:
            return found
        tables = [{"name": f"job{n + 1}", "volume": self.target} | plays[n].table for n in chosen]
        try:
            scenario = self.scenario.with_({"load": tables, "event": None, "machine": None})
            base = self._run(scenario, "as the options say", 0.0)
        except InputError as error:
            for n in chosen:
                found[n].refused.append(Note("load", "", str(error)))
            return found
        for place, n in enumerate(chosen):
            case = Case(scenario, place, plays[n])
            self._compare(found[n], self.jobs[n], case, base[place])
            if len(chosen) < len(self.jobs):
                found[n].warnings.append("other jobs ran beside it that are not simulated")
        return found

    def _begun(self, job: MeasuredJob, played: Played) -> JudgedJob:
        """A job of which nothing is known yet but what it was to do."""
        return JudgedJob(
            self.measured.file,
            job.name,
            job.host,
            described(job.options) if job.said is None else _words(job.options),
            played.table,
            self.measured.program,
            refused=played.refused,
            notes=played.notes,
            options_without_effect=sorted(played.without_effect),
            warnings=list(job.remarks),
            assumed=played.assumed,
        )

    @staticmethod
    def _measured_something(job: MeasuredJob, found: JudgedJob) -> bool:
        if job.error:
            found.refused.append(Note("error", str(job.error), "fio ended the job with an error"))
        elif job.iops == 0:
            found.refused.append(Note("iops", "0", "nothing was measured"))
        return not found.refused

    def _compare(
        self, found: JudgedJob, job: MeasuredJob, case: Case, simulated: Simulated
    ) -> None:
        """Set figures side by side, and look for causes if they differ."""
        synchronous = case.played.is_synchronous
        found.figures = figures(job, simulated, is_synchronous=synchronous)
        found.by = "latency" if case.played.is_at_rate else "throughput"
        point = simulated.point
        found.iops_low, found.iops_high = point.iops.low, point.iops.high
        found.margin = KNOWN + _half_width(simulated)
        found.warnings += [*contradictions(job, found.load), *self._warnings(job, simulated)]
        found.speed = speed_of(job, simulated, case.played)
        if found.speed is None:
            found.refused.append(
                Note(
                    "latency", "", "a job with a given rate is judged by it, and this one has none"
                )
            )
            return
        found.verdict = _verdict(found.speed, found.margin)
        if found.verdict in (FAST, SLOW):
            self._explain(found, job, case, simulated)
        elif found.by == "throughput":
            found.warnings += _beside(found)

    def _warnings(self, job: MeasuredJob, simulated: Simulated) -> Iterator[str]:
        point = simulated.point
        if job.too_short:
            yield job.too_short
        hosts = {one.host for one in self.measured.jobs}
        if len(hosts) > 1:
            yield f"{len(hosts)} clients ran at the same time: each is simulated alone"
        if self.measured.is_simulated:
            yield "raidsim itself wrote the result"
        if not point.converged:
            yield f"simulated: {'; '.join(point.warnings) or 'not converged'}"

    def _explain(
        self, found: JudgedJob, job: MeasuredJob, case: Case, simulated: Simulated
    ) -> None:
        """Simulate every cause that there may be, and keep those that bring it nearer."""
        causes = causes_of(case, found.verdict)
        faster = found.verdict == FAST
        for number, cause in enumerate(causes):
            try:
                tried = self._run(
                    case.scenario.with_(self._changes(cause, simulated)),
                    cause.words,
                    number / len(causes),
                )[case.number]
            except InputError as error:
                found.without_effect.append(f"{cause.words}: not simulated, {error}")
                continue
            speed = speed_of(job, tried, case.played)
            base = found.speed
            if speed is None or base is None:
                continue
            moved = base / speed - 1 if faster else speed / base - 1
            throttles = any((drive.throttled or 0) > 0 for drive in tried.point.drives)
            if moved < LEAST_EFFECT or (cause.needs_throttling and not throttles):
                found.without_effect.append(cause.words)
                continue
            mean = mean_latency(job, tried, is_synchronous=case.played.is_synchronous)
            found.causes.append(
                TriedCause(
                    cause.words,
                    dict(cause.changes),
                    tried.point.iops.mean,
                    None if mean is None else mean.simulated,
                    speed,
                    _verdict(speed, KNOWN + _half_width(tried))
                    in ((AGREES, SLOW) if cause.is_bound else (AGREES,)),
                    cause.is_bound,
                )
            )
        found.causes.sort(key=lambda cause: cause.distance)

    def _changes(self, cause: Cause, simulated: Simulated) -> dict[str, Any]:
        """Return the changes of a cause, and a shorter measurement than that of the judged job."""
        measure = self.scenario.measure
        quick = {
            "measure.precision": f"{100 * max(measure.precision, QUICK_PRECISION):g} %",
            "measure.min_ios": min(measure.min_ios, QUICK_IOS),
        }
        changes = quick | dict(cause.changes)
        if cause.is_event:
            least, most = EVENT_S
            seconds = min(max(EVENT_IOS / simulated.point.iops.mean, least), most)
            changes["measure.duration"] = f"{seconds:.3g} s"
        return changes

    def _run(self, scenario: Scenario, words: str, done: float) -> list[Simulated]:
        """Simulate a scenario of one point: what became of each load."""
        if self.tell is not None:
            start, length = self.share
            self.tell(words, start + length * done)
        return simulated_loads(scenario)


def simulated_loads(scenario: Scenario) -> list[Simulated]:
    """Simulate a scenario of one point: what became of each load."""
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    (kept,) = keeper.found.values()
    points = {point.load: point for point in result.points}
    return [Simulated(points[load.name], kept[load.name]) for load in scenario.loads]


def _half_width(simulated: Simulated) -> float:
    """Half the interval of the simulated throughput, relative; 0 where there is none."""
    iops = simulated.point.iops
    if iops.low is None or iops.high is None or iops.mean == 0:
        return 0.0
    return (iops.high - iops.low) / 2 / iops.mean


def speed_of(job: MeasuredJob, simulated: Simulated, played: Played) -> float | None:
    """Return measured over simulated speed: by throughput, or by latency at a given rate."""
    return speed_by(compared_by(job, simulated, played), played)


def compared_by(job: MeasuredJob, simulated: Simulated, played: Played) -> Figure | None:
    """The figure that says how fast it was: throughput, at a given rate latency."""
    if not played.is_at_rate:
        return Figure("throughput", "IO/s", job.iops, simulated.point.iops.mean)
    return mean_latency(job, simulated, is_synchronous=played.is_synchronous)


def speed_by(figure: Figure | None, played: Played) -> float | None:
    """Return the measured over the simulated speed, by the figure that decides."""
    if figure is None or not figure.measured or not figure.simulated:
        return None
    ratio = figure.measured / figure.simulated
    return 1 / ratio if played.is_at_rate else ratio


def contradictions(job: MeasuredJob, load: Mapping[str, Any]) -> Iterator[str]:
    """Rates and latencies of a job that cannot both be right, with the load that it was."""
    if "outstanding" in load:
        yield from job.contradictions(load["outstanding"] * load.get("workers", 1))


def _beside(found: JudgedJob) -> Iterator[str]:
    """Mean latencies that do not agree where the throughput does: of reads, or of writes."""
    for figure in found.figures:
        if not figure.name.endswith(", mean") or figure.ratio is None or found.margin is None:
            continue
        if _verdict(figure.ratio, found.margin) != AGREES:
            yield (
                f"the throughput agrees, but not this: {figure.name} is"
                f" {figure.ratio:.2f} times the simulated one"
            )


def _words(options: Mapping[str, str]) -> str:
    """Return the load as a result describes it, in a line."""
    return ", ".join(f"{name}={value}" for name, value in options.items())


def _verdict(speed: float, margin: float) -> str:
    if speed > 1 + margin:
        return FAST
    return SLOW if speed < 1 / (1 + margin) else AGREES
