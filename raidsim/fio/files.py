"""Which files the points of a run make, and what they are called, as fio-plot looks for them.

    randread-32-4.json                           a point: rw, iodepth, numjobs
    randread-iodepth-32-numjobs-4_lat.1.log      its I/Os, of the first worker

A point with several loads is one file with several jobs, called after the first. Where points
differ in something else, later ones get a number: ``randread-32-4.2.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from raidsim.fio.job_options import rw_of
from raidsim.fio.logs import logs_of
from raidsim.fio.written import Job, Kept, document
from raidsim.result import Result
from raidsim.scenario import Scenario


@dataclass
class Files:
    """The contents of files by name, and what is to be said of them."""

    contents: dict[str, bytes] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def files_of(scenario: Scenario, result: Result, kept: Mapping[float, Mapping[str, Kept]]) -> Files:
    """The files of a run, one JSON for each point, and logs where the I/Os were kept.

    Parameters
    ----------
    kept
        What was kept of each point, by what it was sorted by, and then by load.
    """
    files = Files()
    loads = {load.name: load for load in scenario.loads}
    points = {name: iter([p for p in result.points if p.load == name]) for name in loads}
    for value in sorted(kept):
        jobs = [
            Job(loads[name], point, one)
            for name, one in kept[value].items()
            if (point := next(points[name], None)) is not None
        ]
        if jobs:
            _add(files, scenario, jobs)
    if not files.contents:
        files.remarks.append("no file of fio is written: no load ran")
    return files


def _add(files: Files, scenario: Scenario, jobs: Sequence[Job]) -> None:
    first = jobs[0]
    rw, depth, workers = rw_of(first.load), first.depth, first.load.workers
    name, number = f"{rw}-{depth}-{workers}", 1
    while (path := f"{name}{f'.{number}' if number > 1 else ''}.json") in files.contents:
        number += 1
    if number > 1:
        files.remarks.append(
            f"{path}: {name}.json is another point with this rw, iodepth and numjobs;"
            " fio-plot does not tell them apart"
        )
    text = json.dumps(document(scenario, jobs), indent=2, allow_nan=False, ensure_ascii=False)
    files.contents[path] = (text + "\n").encode("utf-8")
    left = sum(job.kept.left_out for job in jobs)
    if left:
        listed = sum(job.kept.listed for job in jobs)
        files.remarks.append(
            f"{path}: latencies are those of the first {listed:,} I/Os of the window;"
            f" {left:,} more are counted in IO/s and bytes only"
        )
    thread = 0
    suffix = f"-{number}" if number > 1 else ""
    for job in jobs:
        ios = job.kept.ios
        prefix = f"{rw_of(job.load)}-iodepth-{job.depth}-numjobs-{job.load.workers}{suffix}"
        for worker in range(job.load.workers):
            thread += 1  # fio counts the workers of all jobs
            if ios is not None:
                mine = logs_of(ios.of_worker(worker), job.load.priority)
                files.contents |= {f"{prefix}_{what}.{thread}.log": log for what, log in mine}
