"""What the reports of vdbench have in common: its words, its units, and runs that belong together.

``MB/sec`` is 2**20 bytes, response times are ms. The first interval of a run is not in its
averages: the row ``avg_2-60`` has the averages of the intervals 2 to 60. `threads` is a number for
each storage definition (SD).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from raidsim.errors import InputError, Problem, quote
from raidsim.measured.job import NOTHING, Direction, Distribution, Measured, MeasuredJob
from raidsim.measured.said import Remark, Size
from raidsim.units import MIB, NS_PER_MS

PROGRAM = "vdbench"
MOST_BYTES = 32 * 2**20  # a day of intervals of a second
MOST_RUNS = 10_000
MOST_REMARKS = 20
SECTOR = 512
DAY = 86_400.0
_MAXIMA = {9_999_988, 9_999_977, 9_999_966, 999_988, 999_977, 999_966}
"""What stands for ``iorate=max`` and ``curve`` where a rate is printed, by version."""
_ALIKE = 1.001  # sizes that differ by less are one: an average is printed in whole bytes
_MORE_THAN_THREADS = 1.05
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d(?:\.\d+)?)")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([kmgt]?)", re.IGNORECASE)
_AVERAGES = re.compile(r"avg_(\d+)-(\d+)", re.IGNORECASE)
_STARTING = re.compile(r"Starting RD=([^;<\s]+)([^<]*)")
_FORMATTING = re.compile(r"format_for_|SD_format|prepare_", re.IGNORECASE)
CACHED = Remark(
    "openflags",
    "the file does not say whether the page cache of the host was passed by (o_direct);"
    " raidsim has none",
)
ARRIVALS = "I/Os arrive as if by chance (Poisson), as vdbench's do unless it is told otherwise"


@dataclass(frozen=True)
class Head:
    """The line with which a report begins a run.

    Attributes
    ----------
    name : of the run.
    said : parameters of the run by their names: ``iorate``, ``elapsed``, those of `forxxx` loops.
    """

    name: str
    said: Mapping[str, str]


def head_of(line: str) -> Head | None:
    """The beginning of a run, or None if a line is none."""
    match = _STARTING.search(line)
    if match is None:
        return None
    said = {}
    for part in match[2].replace("For loops:", ";").split(";"):
        name, colon, value = part.strip().partition(": ")
        if colon and name.lower().endswith("rate"):
            said["iorate"] = value.strip()
        for key, _, text in (one.partition("=") for one in re.split(r"[\s,]+", part)):
            if text:
                said[key.strip()] = text.strip().rstrip(".")
    return Head(match[1], said)


def is_formatting(name: str) -> bool:
    """Return whether a run only creates files, or writes a volume once, before measuring runs."""
    return _FORMATTING.match(name) is not None


def number(text: str | None) -> float | None:
    """A number of a report; None for ``n/a`` and ``NaN``."""
    try:
        found = float((text or "").replace(",", ""))
    except ValueError:
        return None
    return found if math.isfinite(found) and abs(found) < 1e15 else None


def size(text: str | None) -> float | None:
    """Bytes: ``4k`` are 4,096."""
    match = _SIZE.fullmatch(text or "")
    if match is None:
        return None
    power = " kmgt".index(match[2].lower() or " ")
    return float(match[1]) * 1024.0**power


def averages(text: str) -> tuple[int, int] | None:
    """First and last interval of a row of averages; None for a row of another kind."""
    match = _AVERAGES.fullmatch(text)
    return None if match is None or len(text) > 40 else (int(match[1]), int(match[2]))


def clock(text: str) -> float | None:
    """The time of day of a row, in seconds."""
    match = _TIME.match(text)
    return None if match is None else 3600 * int(match[1]) + 60 * int(match[2]) + float(match[3])


def span(first: float | None, last: float | None) -> float | None:
    """Seconds from one time of day to another, over midnight too."""
    if first is None or last is None:
        return None
    return (last - first) % DAY or None


@dataclass(frozen=True)
class Figures:
    """The averages of a run, in the units of vdbench: IO/s, MB of 2**20 bytes, %, ms."""

    rate: float
    mb_per_s: float
    read: float
    resp: float | None = None
    read_resp: float | None = None
    write_resp: float | None = None
    most: float | None = None
    read_most: float | None = None
    write_most: float | None = None
    deviation: float | None = None
    read_deviation: float | None = None
    write_deviation: float | None = None
    queue_depth: float | None = None
    bytes_per_io: float | None = None


def mean_of(rows: Sequence[Figures]) -> Figures:
    """The averages over intervals that are all as long, for a run that has no row of them."""
    rate = math.fsum(row.rate for row in rows) / len(rows)
    reads = [row.rate * row.read / 100 for row in rows]
    writes = [row.rate - one for row, one in zip(rows, reads, strict=True)]
    moved = math.fsum(row.mb_per_s for row in rows) / len(rows)
    depths = [row.queue_depth for row in rows if row.queue_depth is not None]
    return Figures(
        rate=rate,
        mb_per_s=moved,
        read=100 * math.fsum(reads) / (rate * len(rows)) if rate else 0.0,
        resp=_weighted([row.resp for row in rows], [row.rate for row in rows]),
        read_resp=_weighted([row.read_resp for row in rows], reads),
        write_resp=_weighted([row.write_resp for row in rows], writes),
        most=max((row.most for row in rows if row.most is not None), default=None),
        queue_depth=math.fsum(depths) / len(depths) if depths else None,
        bytes_per_io=_weighted([row.bytes_per_io for row in rows], [row.rate for row in rows]),
    )


def _weighted(values: Sequence[float | None], weights: Sequence[float]) -> float | None:
    parts = [(v, w) for v, w in zip(values, weights, strict=True) if v is not None and w > 0]
    total = math.fsum(w for _, w in parts)
    return math.fsum(v * w for v, w in parts) / total if total else None


def directions(found: Figures, seconds: float | None) -> dict[str, Direction]:
    """Reads and writes of a run; how many bytes of each kind is told by their share only."""
    shares = {"read": found.read / 100, "write": 1 - found.read / 100}
    times = {
        "read": (found.read_resp, found.read_most, found.read_deviation),
        "write": (found.write_resp, found.write_most, found.write_deviation),
    }
    made = {"trim": NOTHING}
    for name, share in shares.items():
        mean, most, deviation = times[name]
        alone = share > 0.999  # then what is said of all I/Os is said of these
        latency = _latency(
            found.resp if mean is None and alone else mean,
            found.most if most is None and alone else most,
            found.deviation if deviation is None and alone else deviation,
        )
        made[name] = Direction(
            None,
            None,
            found.rate * share,
            found.mb_per_s * MIB * share,
            seconds,
            {"lat": latency} if latency and share > 0 and found.rate > 0 else {},
        )
    return made


def together(found: Figures) -> dict[str, Distribution]:
    """The response time of all I/Os, where reads and writes have none of their own."""
    latency = _latency(found.resp, found.most, found.deviation)
    apart = found.read_resp is not None and found.write_resp is not None
    return {"lat": latency} if latency and not apart else {}


def _latency(
    mean: float | None, most: float | None, deviation: float | None
) -> Distribution | None:
    if mean is None:
        return None
    return Distribution(
        mean * NS_PER_MS,
        most=None if most is None else most * NS_PER_MS,
        deviation=None if deviation is None else deviation * NS_PER_MS,
    )


def requested_rate(rate: float | None) -> float | None:
    """IO/s that were asked for; None for as many as there can be."""
    return None if rate is None or rate <= 0 or round(rate) in _MAXIMA else rate


def sizes_of(asked: float | None, found: float | None) -> tuple[tuple[Size, ...], str | None]:
    """The size of the I/Os, if all have one, or why it is not known.

    Parameters
    ----------
    asked
        ``xfersize``, of which vdbench prints the first of a mix.
    found
        Bytes of an I/O on average.
    """
    if asked is None or asked < SECTOR or asked % SECTOR:
        return (), "xfersize is not in the file: workloads had several"
    if found and not 1 / _ALIKE <= found / asked <= _ALIKE:
        return (), f"xfersize is {asked:g}, and an I/O had {found:g} bytes on average: it is a mix"
    return (Size(int(asked)),), None


def threads_of(
    threads: float | None, depth: float | None, is_at_rate: bool
) -> tuple[int | None, str | None]:
    """I/Os outstanding of a run that is as fast as it can be, or why they are not known."""
    seen = "" if depth is None else f"; {depth:.1f} I/Os were outstanding on average"
    if threads is None or threads < 1 or threads % 1:
        return None, f"the number of threads is not in the file{seen}"
    if not is_at_rate and depth is not None and depth > threads * _MORE_THAN_THREADS + 0.1:
        return None, f"threads={threads:.0f} is that of each SD{seen}, so there were several"
    return int(threads), None


@dataclass(frozen=True)
class Report:
    """A report of vdbench.

    Attributes
    ----------
    rank : of reports of the same runs that with the lowest says most.
    """

    measured: Measured
    rank: int

    @property
    def folder(self) -> Path:
        """Where it lies: reports of the same runs lie together."""
        return Path(self.measured.file).parent


def report_of(
    name: str,
    jobs: Sequence[MeasuredJob],
    remarks: Sequence[Problem],
    passed: int,
    nothing: Problem,
    rank: int,
) -> Report:
    """Read the runs of a file.

    Parameters
    ----------
    passed
        Lines that were passed over, of which only the first are among the remarks.
    nothing
        What is said of a file without runs.

    Raises
    ------
    InputError
        There is no run.
    """
    said = list(remarks)
    if passed > MOST_REMARKS:
        more = f"{passed - MOST_REMARKS:,} more lines like these"
        said.append(Problem(name, None, None, more))
    if not jobs:
        raise InputError([*said, nothing])
    return Report(Measured(name, PROGRAM, tuple(jobs), program=PROGRAM, remarks=tuple(said)), rank)


@dataclass(frozen=True)
class Histograms:
    """Histograms of response times by run, in the order of the file: reads, writes, or both."""

    file: str
    runs: tuple[tuple[str, Mapping[str, Distribution]], ...]
    remarks: tuple[Problem, ...] = ()

    @property
    def folder(self) -> Path:
        """Where the file lies, beside the reports of its runs."""
        return Path(self.file).parent


def joined(reports: Sequence[Report], histograms: Sequence[Histograms]) -> Iterator[Measured]:
    """Reports of one folder as one, which tell of the same runs, with their histograms.

    A run is taken from the report that says most of it.
    """
    for folder in dict.fromkeys(one.folder for one in reports):
        here = sorted((one for one in reports if one.folder == folder), key=lambda one: one.rank)
        seen: dict[tuple[str, int], str] = {}
        for report in here:
            measured = _without(report.measured, seen)
            for histogram in histograms:
                if histogram.folder == folder and report is here[0]:
                    measured = _with(measured, histogram)
            if measured.jobs or measured.remarks:
                yield measured


def _without(measured: Measured, seen: dict[tuple[str, int], str]) -> Measured:
    """A report without the runs that were in another one, and those are noted."""
    jobs, again, numbers = [], set(), Counter[str]()
    for job in measured.jobs:
        numbers[job.name] += 1
        key = (job.name, numbers[job.name])
        if key in seen:
            again.add(seen[key])
        else:
            seen[key] = measured.file
            jobs.append(job)
    remarks = list(measured.remarks)
    for other in sorted(again):
        cause = f"runs that are also in {other} are skipped: that file says more"
        remarks.append(Problem(measured.file, None, None, cause))
    return replace(measured, jobs=tuple(jobs), remarks=tuple(remarks))


def _with(measured: Measured, histograms: Histograms) -> Measured:
    """Runs with their histograms: of runs of one name the first belongs to the first."""
    left = list(histograms.runs)
    remarks = list(histograms.remarks)
    jobs = []
    for job in measured.jobs:
        place = next((n for n, (name, _) in enumerate(left) if name == job.name), None)
        if place is None:
            cause = f"holds no histogram of the run {quote(job.name)}"
            remarks.append(Problem(histograms.file, None, None, cause))
            jobs.append(job)
            continue
        jobs.append(_with_bins(job, left.pop(place)[1]))
    remarks += [
        Problem(histograms.file, None, None, f"the histogram of {quote(name)} belongs to no run")
        for name, found in left
        if found
    ]
    return replace(measured, jobs=tuple(jobs), remarks=(*measured.remarks, *remarks))


def _with_bins(job: MeasuredJob, found: Mapping[str, Distribution]) -> MeasuredJob:
    parts = dict(job.directions)
    for name in ("read", "write"):
        if name in found and parts[name].iops > 0:
            mine = parts[name].latencies.get("lat", Distribution(None))
            one = replace(mine, samples=found[name].samples, within=found[name].within)
            parts[name] = replace(parts[name], latencies={"lat": one})
    both = job.together
    apart = all(name in found for name in ("read", "write") if parts[name].iops > 0)
    if "both" in found and not apart:
        mine = both.get("lat", Distribution(None))
        whole = replace(mine, samples=found["both"].samples, within=found["both"].within)
        both = {"lat": whole}
    return replace(job, directions=parts, together=both)


def nothing_measured(name: str, interval: str) -> Remark:
    """Return the remark that a run has no averages, and why."""
    return Remark(interval, f"run {name} ended in its first interval, which is in no average")
