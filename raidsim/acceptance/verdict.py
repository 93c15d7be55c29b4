"""Compares the measurements of a delivery with the expected ranges: passed or not, job by job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from typing import Any

from raidsim.acceptance.asked import NO_OPTIONS, different, not_told
from raidsim.acceptance.expected import Expected, ExpectedFigure, ExpectedJob
from raidsim.acceptance.jobs import word_of
from raidsim.measured.job import Measured, MeasuredJob
from raidsim.units import NS_PER_MS
from raidsim.version import __version__

SCHEMA = "raidsim.acceptance-verdict/1"
PASSED, TOO_SLOW, TOO_FAST = "passed", "too slow", "faster than expected"
NOT_MEASURED = "not measured"
OTHERWISE = "measured otherwise"
PERCENTS = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p999": 99.9}


@dataclass(frozen=True)
class JudgedFigure:
    """A figure that was expected, with what was measured; None where the result has none."""

    expected: ExpectedFigure
    measured: float | None
    verdict: str


@dataclass(frozen=True)
class JudgedDelivery:
    """A job that was expected, and what came of it.

    Attributes
    ----------
    verdict : the worst of those of its figures.
    why : what keeps it, or its options, from being compared, if anything does.
    """

    name: str
    file: str
    verdict: str
    why: str
    figures: tuple[JudgedFigure, ...]


@dataclass(frozen=True)
class Verdict:
    """The result of an acceptance.

    Attributes
    ----------
    remarks : what else there is to say of the results.
    """

    title: str
    coverage: float
    jobs: tuple[JudgedDelivery, ...]
    remarks: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether every job was measured, and every figure is in its range."""
        return all(job.verdict == PASSED for job in self.jobs)

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON object."""
        return {"schema": SCHEMA, "raidsim": __version__, "passed": self.passed} | asdict(self)


def verdict_of(expected: Expected, results: Sequence[Measured]) -> Verdict:
    """Hold results against what was expected; jobs are known by their names."""
    by_name: dict[str, list[tuple[str, MeasuredJob]]] = {}
    names = {job.name for job in expected.jobs}
    for measured in results:
        for job in measured.jobs:
            name = _name(measured, job, names)
            one = _without_search(job) if measured.is_simulated else job
            by_name.setdefault(name, []).append((measured.file, one))
    judged = tuple(_judged(job, by_name.pop(job.name, [])) for job in expected.jobs)
    doubtful = _doubtful(expected, results, names)
    remarks = (*not_told(expected), *doubtful, *_remarks(results, by_name))
    return Verdict(expected.title, expected.coverage, judged, remarks)


def _name(measured: Measured, job: MeasuredJob, names: Set[str]) -> str:
    """The name that a job has among those asked for.

    ``raidsim run --fio`` names a job by its load alone, so that a delivery can be rehearsed.
    """
    asked = f"{word_of(job.name)}-{job.options.get('iodepth')}"
    return asked if measured.is_simulated and asked in names else job.name


def _without_search(job: MeasuredJob) -> MeasuredJob:
    """A simulated job at its own depth: `raidsim run` names a latency, and lowers no depth."""
    options = {key: text for key, text in job.options.items() if key != "latency_target"}
    return replace(job, options=options)


def _doubtful(expected: Expected, results: Sequence[Measured], names: Set[str]) -> Iterator[str]:
    """What makes measurements doubtful: they lasted a few seconds, or cannot be right."""
    asked = {job.name: job.options for job in expected.jobs}
    for measured in results:
        for job in measured.jobs:
            name = _name(measured, job, names)
            if name not in asked or job.error:
                continue
            if job.too_short:
                yield f"{measured.file}: {name}: {job.too_short}"
            depth, jobs = (_most(key, asked[name], job.options) for key in ("iodepth", "numjobs"))
            for text in job.contradictions(depth * jobs):
                yield f"{measured.file}: {name}: {text}"


def _most(key: str, *options: Mapping[str, str]) -> int:
    """The largest number among a job's options as asked for and as measured: it may differ."""
    return max([1, *(int(text) for one in options if (text := one.get(key, "")).isdecimal())])


def _remarks(
    results: Sequence[Measured], others: Mapping[str, Sequence[tuple[str, MeasuredJob]]]
) -> Iterator[str]:
    for measured in results:
        if measured.is_simulated:
            yield f"{measured.file}: raidsim itself wrote the result"
        yield from map(str, measured.remarks)
    for name, found in others.items():
        for file, _ in found:
            yield f"{file}: job {name} is none that was expected, and is left out"


def _judged(job: ExpectedJob, found: Sequence[tuple[str, MeasuredJob]]) -> JudgedDelivery:
    if not found:
        return _unknown(job, NOT_MEASURED, f"no result has a job {job.name}: run fio {job.file}")
    if len(found) > 1:
        files = ", ".join(file for file, _ in found)
        why = f"{len(found)} results have it ({files}): give one of them"
        return _unknown(job, OTHERWISE, why)
    measured = found[0][1]
    if measured.error:
        return _unknown(job, NOT_MEASURED, f"fio ended it with error {measured.error}")
    if otherwise := list(different(job, measured)):
        return _unknown(job, OTHERWISE, "; ".join(otherwise))
    figures = tuple(_figure(one, measured) for one in job.figures)
    why = "" if measured.options else NO_OPTIONS
    return JudgedDelivery(job.name, job.file, _worst(figures), why, figures)


def _unknown(job: ExpectedJob, verdict: str, why: str) -> JudgedDelivery:
    figures = tuple(JudgedFigure(one, None, NOT_MEASURED) for one in job.figures)
    return JudgedDelivery(job.name, job.file, verdict, why, figures)


def _figure(expected: ExpectedFigure, job: MeasuredJob) -> JudgedFigure:
    measured = _measured(expected.name, job)
    if measured is None:
        return JudgedFigure(expected, None, NOT_MEASURED)
    is_rate = expected.name.endswith("iops")
    if measured < expected.low:
        return JudgedFigure(expected, measured, TOO_SLOW if is_rate else TOO_FAST)
    if measured > expected.high:
        return JudgedFigure(expected, measured, TOO_FAST if is_rate else TOO_SLOW)
    return JudgedFigure(expected, measured, PASSED)


def _measured(name: str, job: MeasuredJob) -> float | None:
    """A figure of a job: its rate in IO/s, or a latency in ms."""
    if name == "iops":
        return job.iops
    if name in ("read iops", "write iops"):
        return job.directions[name.removesuffix(" iops")].iops
    direction, _, quantile = name.partition(" latency")
    latencies = job.directions[direction].latencies
    if quantile == "":
        found = latencies.get("lat") or latencies.get("clat")
        return None if found is None or found.mean is None else found.mean / NS_PER_MS
    percent = PERCENTS[quantile.strip()]
    for kind in ("lat", "clat"):
        one = latencies.get(kind)
        value = None if one is None else one.percentiles.get(percent)
        if value is not None:
            return value / NS_PER_MS
    return None


def _worst(figures: Sequence[JudgedFigure]) -> str:
    verdicts = {one.verdict for one in figures}
    return next((one for one in (TOO_SLOW, NOT_MEASURED, TOO_FAST) if one in verdicts), PASSED)
