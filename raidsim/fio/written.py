"""The points of a run as JSON of fio 3: the output of `--output-format=json+`, key by key.

Values that raidsim does not have (page faults, context switches, fio's own CPU time) are zero;
docs/how-to/fio.md lists them. Nothing is invented: latencies are those of the simulated I/Os.
Values for which fio has no key are under the key ``raidsim``.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from raidsim.errors import InputError, Problem, quote
from raidsim.fio import measures
from raidsim.fio.job_options import options_of
from raidsim.kernel.tables import READ, WRITE
from raidsim.observe.ios import Ios
from raidsim.result import Point
from raidsim.scenario import LoadSpec, Scenario
from raidsim.version import __version__

LIKE = "fio-3.33"
VERSION = f"{LIKE}-raidsim-{__version__}"
NOTE = "simulated by raidsim, not measured by fio; the form is that of fio 3.33"
EPOCH = "SOURCE_DATE_EPOCH"
LAST_SECOND = 253_402_300_799  # of the year 9999, the last that a date can have
NEVER = 2**31 - 1  # what fio prints for the time that is left of a job that is over


@dataclass(frozen=True)
class Kept:
    """The part of the I/Os of a load at one point that files of fio need.

    Attributes
    ----------
    measured : what a job of fio has of them: sections, and shares by latency and depth.
    depth : the most I/Os that a worker had outstanding.
    seconds : how long the load ran.
    listed : I/Os that these figures rest on.
    left_out : others that completed in the window, of which only the number is known.
    ios : the I/Os themselves, if logs are wanted.
    """

    measured: dict[str, Any]
    depth: int
    seconds: float
    listed: int
    left_out: int
    ios: Ios | None


def keep(ios: Ios) -> Kept:
    """Make of the I/Os of a load what its JSON needs, and forget them."""
    found = measures.depths(ios)
    count = len(ios.op)
    measured = {
        "read": measures.section(ios, READ),
        "write": measures.section(ios, WRITE),
        "iodepth_level": measures.depth_shares(found),
        "iodepth_submit": measures.batch_shares(count),
        "iodepth_complete": measures.batch_shares(count),
        **measures.latency_shares(ios),
    }
    return Kept(measured, int(max(found, default=0)), ios.seconds, count, ios.left_out, None)


def keep_all(ios: Ios) -> Kept:
    """Make what :func:`keep` makes, and keep the I/Os themselves for logs."""
    return replace(keep(ios), ios=ios)


@dataclass(frozen=True)
class Job:
    """One load at one point: what was asked, what came of it, and the I/Os."""

    load: LoadSpec
    point: Point
    kept: Kept

    @property
    def depth(self) -> int:
        """I/Os outstanding of each worker; of an open load the most that were."""
        return self.point.outstanding or max(self.kept.depth, 1)


def document(scenario: Scenario, jobs: Sequence[Job]) -> dict[str, Any]:
    """The JSON object of one point, with a job for each load."""
    now = time_of_writing()
    described = [_job(scenario, job) for job in jobs]
    return {
        "fio version": VERSION,
        "timestamp": int(now.timestamp()),
        "timestamp_ms": int(now.timestamp() * 1000),
        "time": now.strftime("%a %b %d %H:%M:%S %Y"),
        "global options": {
            "ioengine": "libaio",
            "direct": "1",
            "group_reporting": "1",
            "randseed": str(scenario.seed),
        },
        "jobs": [one for one, _ in described],
        "disk_util": [],
        "raidsim": {
            "version": __version__,
            "note": NOTE,
            "scenario": scenario.title,
            "jobs": {job.load.name: _said(job, remarks)
                     for job, (_, remarks) in zip(jobs, described, strict=True)},
        },
    }  # fmt: skip


def _job(scenario: Scenario, job: Job) -> tuple[dict[str, Any], list[str]]:
    """A job of fio, and what its options cannot say."""
    load, kept = job.load, job.kept
    options, remarks = options_of(load, job.depth, job.point.rate, _capacity(scenario, load))
    measured = dict(kept.measured)
    depths = {name: measured.pop(name) for name in measured.copy() if name.startswith("iodepth")}
    shares = {name: measured.pop(name) for name in measured.copy() if name.startswith("latency")}
    target, percentile = load.within or 0.0, load.within_percentile
    return {
        "jobname": load.name,
        "groupid": _group(scenario, load),
        "error": 0,
        "eta": NEVER,
        "elapsed": int(kept.seconds) + 1,
        "job options": options,
        **measured,
        "trim": measures.nothing(),
        "sync": {"total_ios": 0, "lat_ns": measures.nothing()["slat_ns"]},
        "job_runtime": round(kept.seconds * 1000) * load.workers,
        "usr_cpu": 0.0,
        "sys_cpu": 0.0,
        "ctx": 0,
        "majf": 0,
        "minf": 0,
        **depths,
        **shares,
        "latency_depth": job.depth,
        "latency_target": round(target * 1e6),
        "latency_percentile": 100.0 if percentile is None else 100 * percentile,
        "latency_window": 0,
    }, remarks


def _group(scenario: Scenario, load: LoadSpec) -> int:
    """Return the number of a load's group of fio; loads of one group ran side by side."""
    return next(number for number, loads in enumerate(scenario.groups) if load in loads)


def _said(job: Job, remarks: Sequence[str]) -> Mapping[str, Any]:
    """Return the information of raidsim on a point for which fio has no keys."""
    iops = job.point.iops
    return {
        "iops": {"mean": iops.mean, "low": iops.low, "high": iops.high},
        "converged": job.point.converged,
        "saturated": job.point.saturated,
        "warnings": job.point.warnings,
        "options_that_differ": list(remarks),
        "ios_that_latencies_leave_out": job.kept.left_out,
    }


def _capacity(scenario: Scenario, load: LoadSpec) -> int:
    hybrid = scenario.hybrid(load.volume)
    return hybrid.capacity if hybrid else scenario.volume(load.volume or "").capacity


def time_of_writing() -> datetime:
    """The present time, or that of ``SOURCE_DATE_EPOCH`` (seconds), with which bytes are repeated.

    Raises
    ------
    InputError
        The variable holds something else than seconds from 1970 to the end of the year 9999.
    """
    given = os.environ.get(EPOCH, "")
    if not given:
        return datetime.fromtimestamp(time.time(), UTC)
    if not re.fullmatch("[0-9]{1,12}", given) or int(given) > LAST_SECOND:
        remedy = f"give seconds since 1970, {LAST_SECOND} at most, or unset it"
        raise InputError([Problem(None, None, EPOCH, f"{quote(given)} is not a time", remedy)])
    return datetime.fromtimestamp(int(given), UTC)
