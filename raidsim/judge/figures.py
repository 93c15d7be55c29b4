"""Figures of the same kind side by side: measured, and simulated.

fio has up to three latencies. The total is compared if the file has it, else the completion
latency. For synchronous engines fio's completion latency is the total.

Histograms of other programs have bins that are too wide for percentiles. For these, the share of
I/Os up to the end of a bin is compared, for the bins in which half of the I/Os, 90 %, 99 % and so
on are reached.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from raidsim.fio import bins
from raidsim.fio.written import Kept
from raidsim.measured.job import Direction, Distribution, MeasuredJob
from raidsim.result import Point
from raidsim.stats.histogram import MIN_EXCEEDANCES
from raidsim.units import NS_PER_MS

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
WORDS = {"lat": "total", "clat": "completion", "slat": "submission"}
DIRECTIONS = ("read", "write")
MB, MIB = 1e6, 2**20
_ALL = 0.01  # a share of the I/Os of which less is unknown


@dataclass(frozen=True)
class Simulated:
    """A load at one point, with what its I/Os were."""

    point: Point
    kept: Kept


@dataclass(frozen=True)
class Figure:
    """One figure, measured and simulated; None for what is not known of it.

    Attributes
    ----------
    name : in words, as in "read latency (total), 99 %".
    unit : of both values.
    """

    name: str
    unit: str
    measured: float | None
    simulated: float | None

    @property
    def ratio(self) -> float | None:
        """Measured over simulated."""
        if self.measured is None or not self.simulated:
            return None
        return self.measured / self.simulated


def figures(job: MeasuredJob, found: Simulated, *, is_synchronous: bool) -> list[Figure]:
    """All figures that a job and its simulation both have."""
    point = found.point
    rate = job.bytes_per_s or None  # 0 means not given, since there were I/Os
    moved = point.mbps * MIB
    return [
        Figure("throughput", "IO/s", job.iops, point.iops.mean),
        Figure("throughput", "MB/s", rate and rate / MB, moved / MB),
        Figure("throughput", "MiB/s", rate and rate / MIB, moved / MIB),
        *(
            figure
            for name in DIRECTIONS
            for figure in _latencies(name, job.directions[name], found.kept, is_synchronous)
        ),
        *_together(job, found.kept),
    ]


def mean_latency(job: MeasuredJob, found: Simulated, *, is_synchronous: bool) -> Figure | None:
    """The mean latency of reads and writes together, by the I/Os of each; None if not there."""
    parts = [
        (figure, job.directions[name].iops)
        for name in DIRECTIONS
        for figure in _latencies(name, job.directions[name], found.kept, is_synchronous)
        if figure.name.endswith("mean")
    ]
    total = sum(rate for _, rate in parts)
    if total < (1 - _ALL) * job.iops:  # not of reads and writes apart
        return next((one for one in _together(job, found.kept) if one.name.endswith("mean")), None)
    if total == 0 or any(one.measured is None or one.simulated is None for one, _ in parts):
        return None
    means = [
        sum((getattr(one, side) or 0.0) * rate for one, rate in parts) / total
        for side in ("measured", "simulated")
    ]
    return Figure("latency, mean", "ms", *means)


def _latencies(
    name: str, direction: Direction, kept: Kept, is_synchronous: bool
) -> Iterator[Figure]:
    """Mean and percentiles of reads or writes, each of a latency that the file has."""
    ours = kept.measured[name]
    of_mean = next((one for one in ("lat", "clat", "slat") if one in direction.latencies), None)
    if of_mean is None or direction.iops == 0:
        return

    def same(kind: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = ours[
            "lat_ns" if is_synchronous and kind == "clat" else f"{kind}_ns"
        ]
        return found

    measured = direction.latencies[of_mean].mean
    simulated = same(of_mean)
    yield Figure(
        f"{name} latency ({WORDS[of_mean]}), mean",
        "ms",
        None if measured is None else measured / NS_PER_MS,
        simulated["mean"] / NS_PER_MS if simulated["N"] else None,
    )
    within = direction.latencies[of_mean].within
    if within:
        counts = _counts(simulated)
        yield from _within(
            f"{name} latency ({WORDS[of_mean]})", direction.latencies[of_mean], counts
        )
    kinds = [one for one in ("lat", "clat") if _has_percentiles(direction.latencies.get(one))]
    for kind in kinds[:1]:
        theirs = direction.latencies[kind].percentiles
        samples = direction.latencies[kind].samples or direction.ios or math.inf
        wanted = [one for one in PERCENTILES if one in theirs]
        counts = _counts(same(kind))
        values = bins.percentiles(counts, wanted)
        for percent in wanted:
            figure = Figure(
                f"{name} latency ({WORDS[kind]}), {percent:g} %",
                "ms",
                theirs[percent] / NS_PER_MS if _is_known(percent, samples) else None,
                values[percent] / NS_PER_MS if _is_known(percent, same(kind)["N"]) else None,
            )
            if figure.measured is not None or figure.simulated is not None:
                yield figure


def _counts(section: Mapping[str, Any]) -> dict[int, int]:
    """Simulated I/Os by the middle of their bin, in ns."""
    return {int(value): count for value, count in section.get("bins", {}).items()}


def _together(job: MeasuredJob, kept: Kept) -> Iterator[Figure]:
    """Yield figures that are known of reads and writes together only."""
    measured = job.together.get("lat")
    parts = [kept.measured[name]["lat_ns"] for name in DIRECTIONS]
    count = sum(one["N"] for one in parts)
    if measured is None or not count:
        return
    mean = sum(one["mean"] * one["N"] for one in parts) / count
    if measured.mean is not None:
        yield Figure("latency (total), mean", "ms", measured.mean / NS_PER_MS, mean / NS_PER_MS)
    counts: dict[int, int] = {}
    for one in parts:
        for middle, ios in _counts(one).items():
            counts[middle] = counts.get(middle, 0) + ios
    yield from _within("latency (total)", measured, counts)


def _within(name: str, measured: Distribution, counts: Mapping[int, int]) -> Iterator[Figure]:
    """Shares of the I/Os that took no longer than the ends of some bins."""
    total = sum(counts.values())
    ends = sorted(measured.within)
    reached = [
        next((end for end in ends if measured.within[end] >= percent / 100), None)
        for percent in PERCENTILES
        if measured.samples is None or _is_known(percent, measured.samples)
    ]
    for end in dict.fromkeys(one for one in reached if one is not None):
        inside = sum(ios for middle, ios in counts.items() if middle <= end)
        share = 100 * inside / total if total else None
        words = f"{name} within {end / NS_PER_MS:g} ms"
        yield Figure(words, "% of I/Os", 100 * measured.within[end], share)


def _is_known(percent: float, samples: float) -> bool:
    """Return whether enough I/Os lie beyond a percentile for it to say anything."""
    return samples * (1 - percent / 100) >= MIN_EXCEEDANCES


def _has_percentiles(distribution: Distribution | None) -> bool:
    return distribution is not None and bool(distribution.percentiles)
