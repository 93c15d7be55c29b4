"""Logs of fio with the jobs that they belong to, or as separate measurements.

A log has no options. Its name gives the job: it begins with the value of `write_lat_log` (or
`write_bw_log`, `write_iops_log`, `write_hist_log`), or with the job's name. Its number counts the
processes of all jobs of a run. A log adds percentiles that the result does not have. With a job
file instead of a result, the log is the whole measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from os import PathLike
from pathlib import PurePath

from raidsim.errors import Problem, quote, refuse
from raidsim.fio import values
from raidsim.fio.job_file import FileJob
from raidsim.fio.log_reader import Logged, log_name, read_any
from raidsim.measured.job import (
    DIRECTIONS,
    LATENCIES,
    NOTHING,
    Direction,
    Distribution,
    Measured,
    MeasuredJob,
    add_jobs,
)
from raidsim.measured.said import Remark, Said, Size

OPTIONS = {
    "lat": "write_lat_log", "clat": "write_lat_log", "slat": "write_lat_log",
    "clat_hist": "write_hist_log", "bw": "write_bw_log", "iops": "write_iops_log",
}  # fmt: skip
MOST_SIZES = 16
SAME = 1.001  # counts of a log and of the result that differ by less are of the same run
NO_OPTIONS = "a log has no options of its job"


@dataclass(frozen=True)
class _Owner:
    """A job that logs may be of: where it stands, and the numbers of its processes."""

    file: int
    job: int
    measured: MeasuredJob
    threads: range


def with_options(results: Sequence[Measured], jobs: Sequence[FileJob], name: str) -> list[Measured]:
    """Results of old versions, which have no options of their jobs, with those of a job file."""
    by_name = {job.name: job for job in jobs}
    made, names = [], []
    for measured in results:
        found = []
        for job in measured.jobs:
            if not job.options and job.name in by_name:
                names.append(job.name)
                found.append(replace(job, options=by_name[job.name].options))
            else:
                found.append(job)
        made.append(replace(measured, jobs=tuple(found)))
    cause = f"gives the options of {', '.join(names[:8])}{' ...' if len(names) > 8 else ''}"
    if not names:
        cause = "adds nothing: no job of this name lacks its options in the results"
    made[0] = replace(made[0], remarks=(*made[0].remarks, Problem(name, None, None, cause)))
    return made


def of_job_file(name: str, jobs: Sequence[FileJob]) -> Measured:
    """The jobs of a job file, of which nothing is measured yet."""
    nothing = dict.fromkeys(DIRECTIONS, NOTHING)
    found = tuple(MeasuredJob(job.name, job.group, 0, job.options, nothing) for job in jobs)
    return Measured(name, "job file of fio", found)


def with_logs(
    results: Sequence[Measured],
    logs: Sequence[str | PathLike[str]],
    version: int | None = None,
) -> list[Measured]:
    """Results with what their logs add; logs are results of their own where there are no others.

    Parameters
    ----------
    version
        Of the fio that wrote the logs, if that was said; else that of the results.

    Raises
    ------
    InputError
        A log cannot be read, or it is not clear of which job it is.
    """
    if not results:
        return [
            _alone(list(group)) for group in _groups([read_any(n, version=version) for n in logs])
        ]
    owners = list(_owners(results))
    mine: dict[tuple[int, int], list[Logged]] = {}
    for name in logs:
        owner = _owner_of(str(name), owners)
        found = read_any(name, version=version or _version(results[owner.file]))
        mine.setdefault((owner.file, owner.job), []).append(found)
    made = []
    for file, measured in enumerate(results):
        jobs, remarks = list(measured.jobs), list(measured.remarks)
        for number, job in enumerate(jobs):
            if (file, number) in mine:
                jobs[number] = _joined(job, mine[file, number], remarks)
        made.append(replace(measured, jobs=tuple(jobs), remarks=tuple(remarks)))
    return made


def _owners(results: Sequence[Measured]) -> Iterator[_Owner]:
    for file, measured in enumerate(results):
        first = count(1)
        for number, job in enumerate(measured.jobs):
            try:
                processes = values.count(job.options.get("numjobs", "1"), 1, 65536)
            except values.Unreadable:
                processes = 1
            threads = [next(first) for _ in range(max(processes, job.records))]
            yield _Owner(file, number, job, range(threads[0], threads[-1] + 1))


def _version(measured: Measured) -> int | None:
    """2 or 3, as the result says; None of a job file."""
    text = measured.version.removeprefix("fio-")
    return int(text[0]) if text[:1] in ("2", "3") else None


def _owner_of(name: str, owners: Sequence[_Owner]) -> _Owner:
    """The job that a log is of, by its name."""
    log = log_name(name)
    if log is None:
        refuse(name, "has a name that does not show that it is a log of fio")
    found = [one for one in owners if _prefix(one.measured, log.what) == log.prefix]
    if len(found) > 1 and log.thread is not None:
        found = [one for one in found if log.thread in one.threads]
    if not found and len(owners) == 1 and OPTIONS[log.what] not in owners[0].measured.options:
        found = list(owners)  # renamed, or written by raidsim, which writes no such option
    if len(found) != 1:
        cause = "could be of several jobs" if found else "is not a log of one of these jobs"
        remedy = f"a log is called as {OPTIONS[log.what]} of its job says"
        refuse(name, cause, f"{remedy}; give it with the result of that job")
    return found[0]


def _prefix(job: MeasuredJob, what: str) -> str | None:
    """Return the beginning of the names of a job's logs."""
    given = job.options.get(OPTIONS[what])
    if given is None:
        return None
    return PurePath(given).name if given.strip() not in ("", "1") else job.name


def _joined(job: MeasuredJob, logs: Sequence[Logged], remarks: list[Problem]) -> MeasuredJob:
    """A job with what its logs add to it."""
    logged = _job_of(job.name, logs)
    if all(one is NOTHING for one in job.directions.values()):
        return replace(job, directions=logged.directions)
    directions = dict(job.directions)
    added: set[str] = set()
    for name in DIRECTIONS:
        there = directions[name]
        latencies = dict(there.latencies)
        for kind, one in logged.directions[name].latencies.items():
            _check(job, there, name, one, logs[0].file)
            before = latencies.get(kind)
            if one.bins and (before is None or before.bins is None):
                latencies[kind] = (
                    one
                    if before is None
                    else replace(
                        before, percentiles=one.percentiles, bins=one.bins, samples=one.samples
                    )
                )
                added.add(kind)
        directions[name] = replace(there, latencies=latencies)
    for log in logs:
        kind = "clat" if log.is_histogram else log.name.what
        if log.is_averages:
            cause = "adds nothing: its rows are averages over intervals (log_avg_msec)"
        elif kind not in LATENCIES:
            cause = "adds nothing: the result has the rates of its job"
        elif kind in added:
            cause = f"gives the distribution of {kind} of job {quote(job.name)}"
        else:
            cause = f"adds nothing: the result has the distribution of {kind}"
        remarks.append(Problem(log.file, None, None, cause))
    return replace(job, directions=directions)


def _check(job: MeasuredJob, there: Direction, name: str, one: Distribution, file: str) -> None:
    """Refuse a log with more I/Os than its job had: it is of another run."""
    samples = one.samples or 0
    if there.ios is not None and samples > there.ios * SAME:
        cause = f"has {samples:,} {name}s, and job {quote(job.name)} had {there.ios:,}"
        refuse(file, cause, "give the logs of the same run")


def _job_of(name: str, logs: Sequence[Logged]) -> MeasuredJob:
    """All that some logs say, process by process, added up."""
    threads: dict[int, list[Logged]] = {}
    for log in logs:
        threads.setdefault(log.name.thread or 0, []).append(log)
    return add_jobs([MeasuredJob(name, 0, 0, {}, _directions(some)) for some in threads.values()])[
        0
    ]


def _directions(logs: Sequence[Logged]) -> dict[str, Direction]:
    """Return the figures of the logs of one process: rates are from the most precise log."""
    order = sorted(logs, key=lambda log: (log.is_averages, log.is_histogram))
    found = {}
    for name in DIRECTIONS:
        parts = [log.directions[name] for log in order]
        latencies: dict[str, Distribution] = {}
        for part in parts:
            for kind, one in part.latencies.items():
                latencies.setdefault(kind, one)
        found[name] = Direction(
            next((part.ios for part in parts if part.ios is not None), None),
            next((part.bytes for part in parts if part.bytes), None),
            next((part.iops for part in parts if part.iops), 0.0),
            next((part.bytes_per_s for part in parts if part.bytes_per_s), 0.0),
            max(part.seconds or 0.0 for part in parts),
            latencies,
        )
    return found


def _groups(logs: Sequence[Logged]) -> Iterator[list[Logged]]:
    """Logs of one folder and one beginning are of one job."""
    found: dict[tuple[str, str], list[Logged]] = {}
    for log in logs:
        found.setdefault((str(PurePath(log.file).parent), log.name.prefix), []).append(log)
    yield from found.values()


def _alone(logs: list[Logged]) -> Measured:
    """Logs without a result: the load is what they show of it."""
    prefix = logs[0].name.prefix
    job = _job_of(prefix, logs)
    sizes = _sizes(logs)
    threads = len({log.name.thread for log in logs})
    notes = [f"the load is not in the logs: {NO_OPTIONS}"]
    if all(log.is_averages for log in logs):
        notes.append("latencies are means over intervals, and all intervals have the same weight")
    if job.iops == 0 and job.bytes_per_s > 0:
        remedy = "give the log of IO/s (..._iops.log) too"
        refuse(logs[0].file, "has only the bandwidth, and not the number of I/Os", remedy)
    refused: tuple[Remark, ...] = ()
    if job.iops == 0:
        refused = (Remark("time", "the log covers less than a millisecond: there is no rate"),)
    said = Said(
        read=job.directions["read"].iops / job.iops if job.iops else None,
        sizes=sizes,
        mean_size=job.bytes_per_s / job.iops if job.iops and job.bytes_per_s else None,
        workers=threads,
        why=dict.fromkeys(("random", "outstanding", "sizes", "read"), NO_OPTIONS),
        refused=refused,
    )
    job = replace(job, said=said, remarks=tuple(notes), options=_shown(said, threads))
    files = ", ".join(log.file for log in logs)
    return Measured(files, "logs of fio", (job,))


def _sizes(logs: Sequence[Logged]) -> tuple[Size, ...]:
    """The sizes of the I/Os, each with its share of reads; none if there are too many."""
    best = next((log for log in logs if log.sizes), None)
    if best is None:
        return ()
    same = [log for log in logs if log.name.what == best.name.what]
    counts: dict[int, dict[str, int]] = {}
    for log in same:
        for (kind, size), number in log.sizes.items():
            if size > 0 and kind != "trim":
                mine = counts.setdefault(size, {"read": 0, "write": 0})
                mine[kind] += number
    total = sum(sum(mine.values()) for mine in counts.values())
    if not total or len(counts) > MOST_SIZES or any(size % 512 for size in counts):
        return ()
    return tuple(
        Size(size, sum(mine.values()) / total, mine["read"] / sum(mine.values()))
        for size, mine in sorted(counts.items())
    )


def _shown(said: Said, threads: int) -> Mapping[str, str]:
    """Return the load that the logs show, for the heading."""
    shown = {}
    if said.read is not None:
        shown["reads"] = f"{100 * said.read:.3g} %"
    if len(said.sizes) == 1:
        shown["size"] = str(said.sizes[0].bytes)
    elif said.sizes:
        shown["sizes"] = str(len(said.sizes))
    if threads > 1:
        shown["processes"] = str(threads)
    return shown
