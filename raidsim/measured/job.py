"""The measurements in a file of results, in one system of units: ns, bytes and seconds.

Latencies have fio's names, since fio has three of them. The response time of other programs is the
total, ``lat``. Records of the same job may be added up (`numjobs` without `group_reporting`): this
is possible for counts, rates, means and deviations, but for percentiles only if there are bins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from raidsim.errors import Problem
from raidsim.measured.counts import percentiles
from raidsim.measured.said import Said

LATENCIES = ("lat", "clat", "slat")
"""fio's latencies: total, completion (without submission), submission."""

DIRECTIONS = ("read", "write", "trim")

AT_ONCE = 1.25
"""Times the I/Os that a job keeps under way, which results may give: their times are rounded."""

SHORT_S = 5.0
"""Seconds below which a measurement may not have settled."""


@dataclass(frozen=True)
class Distribution:
    """Latencies of one kind, in ns; None for what the file does not say.

    Attributes
    ----------
    samples : I/Os that it rests on.
    percentiles : by percent, as the file has them or as its bins give them.
    bins : I/Os by the middle of a bin of fio's histogram.
    within : shares of the I/Os that took no longer than so many ns, from a histogram whose bins
        are too wide for percentiles.
    """

    mean: float | None
    least: float | None = None
    most: float | None = None
    deviation: float | None = None
    samples: int | None = None
    percentiles: Mapping[float, float] = field(default_factory=dict)
    bins: Mapping[int, int] | None = None
    within: Mapping[float, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Direction:
    """The reads, writes or trims of a job.

    Attributes
    ----------
    ios, bytes : how many, and what they moved; None where the file has rates only.
    iops, bytes_per_s : rates as the file has them.
    seconds : how long these I/Os ran; None if the file does not say.
    latencies : those that the file has, by fio's names.
    """

    ios: int | None
    bytes: int | None
    iops: float
    bytes_per_s: float
    seconds: float | None
    latencies: Mapping[str, Distribution] = field(default_factory=dict)


@dataclass(frozen=True)
class MeasuredJob:
    """A job as it was measured, all its processes together.

    Attributes
    ----------
    name : of the job.
    host : of a client, or None.
    error : number of the error that ended it; 0 for none.
    options : of a job of fio, with the global ones that it does not have itself, or the load
        columns of another program; names and values as in the file.
    said : the load in numbers, if the options are not those of fio.
    together : latencies of reads and writes together, if the file does not have them separately.
    records : how many of the file were added up.
    grouped : whether fio had added up its processes before (`group_reporting`).
    remarks : further remarks about the measurement, in whole sentences.
    """

    name: str
    group: int
    error: int
    options: Mapping[str, str]
    directions: Mapping[str, Direction]
    host: str | None = None
    records: int = 1
    grouped: bool = False
    said: Said | None = None
    together: Mapping[str, Distribution] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def iops(self) -> float:
        """IO/s of reads and writes."""
        return sum(self.directions[name].iops for name in ("read", "write"))

    @property
    def bytes_per_s(self) -> float:
        """B/s of reads and writes."""
        return sum(self.directions[name].bytes_per_s for name in ("read", "write"))

    def contradictions(self, most: int) -> Iterator[str]:
        """Rates and latencies that cannot both be right, by Little's law, in whole sentences.

        The rate of a kind of I/O times its mean latency is the mean number under way, and the job
        keeps ``most`` at most. Reads and writes are tested apart, as they may follow one another.
        """
        for name in ("read", "write"):
            one = self.directions[name]
            kinds = (one.latencies[kind].mean for kind in ("lat", "clat") if kind in one.latencies)
            mean = next((each for each in kinds if each is not None), 0.0)
            at_once = one.iops * mean * 1e-9
            if at_once > AT_ONCE * most:
                yield (
                    f"the measured rate and mean latency of {name}s cannot both be right: they give"
                    f" {at_once:,.{0 if at_once >= 100 else 1}f} {name}s under way (Little's law),"
                    f" and the job keeps {most:,} at most"
                )

    @property
    def too_short(self) -> str:
        """A remark if it was measured for a few seconds only; empty if not, or if nobody says."""
        seconds = max((one.seconds or 0.0 for one in self.directions.values()), default=0.0)
        if not 0 < seconds < SHORT_S:
            return ""
        return f"measured over {seconds:.3g} s only: it may not have settled"


@dataclass(frozen=True)
class Measured:
    """A file of results.

    Attributes
    ----------
    file : as messages name it.
    version : of the program that measured, as the file has it, or its name.
    program : its name: "fio", "vdbench" or "Iometer".
    is_simulated : whether raidsim wrote it.
    remarks : what was not understood, or left out, place by place.
    """

    file: str
    version: str
    jobs: tuple[MeasuredJob, ...]
    program: str = "fio"
    is_simulated: bool = False
    remarks: tuple[Problem, ...] = ()


NOTHING = Direction(0, 0, 0.0, 0.0, 0.0)
"""The figures of a direction in which there were no I/Os."""


def add_jobs(jobs: Sequence[MeasuredJob]) -> tuple[MeasuredJob, str | None]:
    """Several records of one job as one, and in words what could not be added."""
    first = jobs[0]
    if len(jobs) == 1:
        return first, None
    lost: set[str] = set()
    directions = {
        name: _add_directions([job.directions[name] for job in jobs], lost) for name in DIRECTIONS
    }
    job = MeasuredJob(
        first.name,
        first.group,
        next((job.error for job in jobs if job.error), 0),
        first.options,
        directions,
        first.host,
        records=len(jobs),
    )
    if not lost:
        return job, None
    return job, (
        f"percentiles of its {len(jobs)} processes cannot be added up: run fio with"
        " group_reporting=1, or with --output-format=json+"
    )


def _add_directions(parts: Sequence[Direction], lost: set[str]) -> Direction:
    active = [part for part in parts if part.iops > 0 or part.bytes]
    ios = [part.ios for part in parts]
    return Direction(
        ios=None if None in ios else sum(one or 0 for one in ios),
        bytes=sum(part.bytes or 0 for part in parts),
        iops=sum(part.iops for part in parts),
        bytes_per_s=sum(part.bytes_per_s for part in parts),
        seconds=max(part.seconds or 0.0 for part in parts),
        latencies={
            name: _add([(part.latencies[name], _weight(part)) for part in active], lost)
            for name in LATENCIES
            if active and all(name in part.latencies for part in active)
        },
    )


def _weight(part: Direction) -> float:
    """I/Os of a part; old files tell them by their rate only."""
    return part.iops * (part.seconds or 0.0) if part.ios is None else part.ios


def _add(parts: Sequence[tuple[Distribution, float]], lost: set[str]) -> Distribution:
    """Distributions as one, each with the number of its I/Os."""
    if len(parts) == 1:
        return parts[0][0]
    total = sum(weight for _, weight in parts)
    each = [(one, weight / total) for one, weight in parts] if total else []
    means = [one.mean for one, _ in each]
    mean = deviation = None
    if each and None not in means:
        mean = math.fsum((one.mean or 0.0) * share for one, share in each)
        if all(one.deviation is not None for one, _ in each):
            squares = (
                (one.deviation or 0.0) ** 2 + ((one.mean or 0.0) - mean) ** 2 for one, _ in each
            )
            deviation = math.sqrt(
                math.fsum(s * share for s, (_, share) in zip(squares, each, strict=True))
            )
    least = [one.least for one, _ in parts if one.least is not None]
    most = [one.most for one, _ in parts if one.most is not None]
    counts = [one.samples for one, _ in parts]
    added: dict[int, int] = {}
    if all(one.bins is not None for one, _ in parts):
        for one, _ in parts:
            for middle, count in (one.bins or {}).items():
                added[middle] = added.get(middle, 0) + count
    wanted = sorted({percent for one, _ in parts for percent in one.percentiles})
    found: Mapping[float, float] = {}
    if wanted and added:
        found = percentiles(added, wanted)
    elif wanted:
        lost.add("percentiles")
    return Distribution(
        mean,
        min(least, default=None),
        max(most, default=None),
        deviation,
        None if None in counts else sum(one or 0 for one in counts),
        found,
        added or None,
    )
