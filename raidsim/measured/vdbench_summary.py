"""`summary.html` and `totals.html` of vdbench, and what it prints: runs with two lines of headers.

    13:49:00.013 Starting RD=rd1; I/O rate: 50; elapsed=60; For loops: threads=2

    Apr 08, 2016  interval        i/o   MB/sec   bytes   read     resp ...
                                 rate  1024**2     i/o    pct     time ...
    13:50:00.270  avg_2-60      50.02     0.20    4096  75.91    5.395 ...

The n-th name of the second line and the one above it are the name of a column. Of a load these
files say less than `flatfile.html`: what loops change, and the size and the reads on average.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike

from raidsim.errors import Problem, quote, refuse
from raidsim.measured import vdbench
from raidsim.measured.job import MeasuredJob
from raidsim.measured.said import RATE_HELD, Remark, Said, Size
from raidsim.measured.text_file import lines_of, read_text
from raidsim.measured.vdbench import Figures, Head, Report, number
from raidsim.units import MIB

NAME = "vdbench-summary"
WORDS = "summary.html or totals.html of vdbench"
RANK_SUMMARY, RANK_TOTALS = 1, 2
_REMEDY = "give summary.html or totals.html as vdbench wrote it"
_ROUNDED = 0.006  # MB/sec have two digits behind the point; the bytes of an I/O are exact
_TAG = re.compile(r"<[^<>]{0,400}>")
_KNOWN = re.compile(
    r"Link to |Copy of |Run totals|Vdbench |Copyright |For documentation|\*|"
    r"\d\d:\d\d:\d\d\S* +(Vdbench execution completed|All slaves|Starting slave|input argument)"
)
_FILE_SYSTEM = re.compile(r"\.Interval\.")
_ROW = re.compile(r"\s*(\d\d:\d\d:\d\d(?:\.\d+)?)\s+(\d{1,9}|\w{3}_\d{1,9}-\d{1,9})(?:\s+(\S.*)|$)")
_NAMES = {
    "i/o rate": "rate", "mb/sec 1024**2": "mb_per_s", "bytes i/o": "bytes_per_io",
    "read pct": "read", "resp time": "resp", "read resp": "read_resp", "write resp": "write_resp",
    "resp max": "most", "read max": "read_most", "write max": "write_most",
    "resp stddev": "deviation", "queue depth": "queue_depth",
}  # fmt: skip
"""Columns that are read, by their two words: the others are about the CPU."""


def recognises(head: str, name: str) -> bool:
    """Return whether a text begins as a summary, as totals or as what vdbench prints."""
    del name
    lines = head.split("\n")
    begun = any(vdbench.head_of(line) for line in lines)
    named = any(line.startswith("Vdbench summary report") for line in lines)
    headers = any(_is_header(line) or _FILE_SYSTEM.search(line) for line in lines)
    return named or (begun and headers)


def read(name: str | PathLike[str]) -> Report:
    """The runs of a summary.

    Raises
    ------
    InputError
        It cannot be read, is larger than 32 MiB, or holds no run with figures.
    """
    return parse(read_text(name, vdbench.MOST_BYTES, "summary"), str(name))


def parse(text: str, name: str) -> Report:
    """The runs in a text; `name` is what messages call it."""
    return _Reader(name).read(text)


def _is_header(line: str) -> bool:
    words = line.lower().split()
    return "interval" in words and "i/o" in words and "mb/sec" in words


@dataclass
class _Run:
    """A run while its rows are read."""

    head: Head
    line: int
    rows: list[tuple[str, str, Figures]] = field(default_factory=list)
    of_files: bool = False


class _Reader:
    """One summary while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.remarks: list[Problem] = []
        self.runs: list[_Run] = []
        self.columns: list[str] = []
        self.first_line: list[str] = []
        self.of_files = False
        self.passed = 0

    def read(self, text: str) -> Report:
        for line, one in lines_of(text):
            self._line(line, _TAG.sub("", one).rstrip())
            if len(self.runs) > vdbench.MOST_RUNS:
                refuse(self.name, f"holds more than {vdbench.MOST_RUNS} runs")
        if not self.runs:
            cause = "is empty" if not text.strip() else "holds no run (Starting RD=...)"
            refuse(self.name, cause, _REMEDY)
        jobs: list[MeasuredJob] = []
        for run in self.runs:
            job = self._job(run, len(jobs))
            if job is not None:
                jobs.append(job)
        rank = RANK_SUMMARY if any(len(run.rows) > 1 for run in self.runs) else RANK_TOTALS
        cause = "holds no run with figures"
        nothing = Problem(self.name, None, None, cause, _REMEDY)
        return vdbench.report_of(self.name, jobs, self.remarks, self.passed, nothing, rank)

    def _line(self, line: int, text: str) -> None:
        head = vdbench.head_of(text)
        if head is not None:
            self.runs.append(_Run(head, line, of_files=self.of_files))
        elif _is_header(text):
            words = text.lower().split()
            self.first_line = words[words.index("interval") + 1 :]
            self.columns = []
            self._of_files(False)
        elif _FILE_SYSTEM.search(text):
            self.first_line, self.columns = [], []
            self._of_files(True)
        elif self.first_line and text.split()[:1] == ["rate"]:
            pairs = zip(self.first_line, text.lower().split(), strict=False)
            self.columns = [" ".join(pair) for pair in pairs]
            self.first_line = []
        elif match := _ROW.match(text):
            self._row(line, match[1], match[2], match[3] or "")
        elif not self.of_files and text.strip() and self.runs and not _KNOWN.match(text):
            self._passed(line, f"is left out, because it is not a row: {quote(text.strip())}")

    def _of_files(self, of_files: bool) -> None:
        self.of_files = of_files
        if self.runs and not self.runs[-1].rows:
            self.runs[-1].of_files = of_files

    def _row(self, line: int, time: str, interval: str, text: str) -> None:
        if not self.runs or self.of_files or interval.lower().startswith(("std_", "max_")):
            return
        values = text.split()
        if not self.columns or len(values) != len(self.columns):
            names = f"where {len(self.columns)} have names" if self.columns else "without names"
            self._passed(line, f"is left out: {len(values)} values, {names}")
            return
        found = {
            _NAMES[name]: number(value)
            for name, value in zip(self.columns, values, strict=True)
            if name in _NAMES
        }
        needed = ("rate", "mb_per_s", "read")
        if any((found.get(name) is None) or (found[name] or 0.0) < 0 for name in needed):
            self._passed(line, "is left out: it has no i/o rate, MB/sec or read pct")
            return
        moved, size = found["mb_per_s"] or 0.0, found.get("bytes_per_io")
        exact = (found["rate"] or 0.0) * (size or 0.0) / MIB
        if size and abs(exact - moved) <= _ROUNDED:
            found["mb_per_s"] = exact
        figures = Figures(**found)  # type: ignore[arg-type]
        self.runs[-1].rows.append((time, interval, figures))

    def _passed(self, line: int, cause: str) -> None:
        self.passed += 1
        if self.passed <= vdbench.MOST_REMARKS:
            self.remarks.append(Problem(self.name, line, None, cause))

    def _job(self, run: _Run, group: int) -> MeasuredJob | None:
        name, place = run.head.name, run.line
        if vdbench.is_formatting(name):
            cause = f"run {name} is left out: it prepares what later runs use"
            self.remarks.append(Problem(self.name, place, None, cause))
            return None
        if run.of_files:
            cause = f"run {name} is left out: it is one of a file system"
            remedy = "give its flatfile.html"
            self.remarks.append(Problem(self.name, place, None, cause, remedy))
            return None
        if not run.rows:
            cause = f"run {name} is left out: it has no figures"
            self.remarks.append(Problem(self.name, place, None, cause))
            return None
        notes: tuple[str, ...] = ()
        refused: tuple[Remark, ...] = ()
        _, last, found = run.rows[-1]
        among = vdbench.averages(last)
        first = among[0] if among else 2
        inside = [row for row in run.rows if vdbench.averages(row[1]) is None]
        counted = [row for row in inside if (number(row[1]) or 0) >= first]
        if among[1] < among[0] if among else not counted:
            refused = (vdbench.nothing_measured(name, last),)
        elif among is None:
            found = vdbench.mean_of([row[2] for row in counted])
            notes = (
                f"the file has no row of averages for it: averaged over intervals"
                f" {counted[0][1]} to {counted[-1][1]}",
            )
        rate = vdbench.requested_rate(number(run.head.said.get("iorate")))
        return MeasuredJob(
            name,
            group,
            0,
            _shown(run.head.said, rate),
            vdbench.directions(found, _seconds(inside, counted, run.head, among)),
            said=_said(run.head.said, found, rate, refused),
            together=vdbench.together(found),
            remarks=notes,
        )


def _seconds(
    inside: Sequence[tuple[str, str, Figures]],
    counted: Sequence[tuple[str, str, Figures]],
    head: Head,
    among: tuple[int, int] | None,
) -> float | None:
    """Return the measured seconds: by its rows, else the part of the run that averages are of."""
    before = inside[: len(inside) - len(counted)]
    if before and counted:
        return vdbench.span(vdbench.clock(before[-1][0]), vdbench.clock(counted[-1][0]))
    elapsed, (first, last) = number(head.said.get("elapsed")), among or (1, 1)
    return None if elapsed is None else elapsed * (last - first + 1) / max(last, 1)


def _shown(said: Mapping[str, str], rate: float | None) -> dict[str, str]:
    names = ("xfersize", "threads", "rdpct", "seekpct")
    shown = {name: said[name] for name in names if name in said}
    return shown | {"iorate": "max" if rate is None else f"{rate:g}"}


def _said(
    said: Mapping[str, str], found: Figures, rate: float | None, refused: tuple[Remark, ...]
) -> Said:
    """The load of a run, as far as these files say it."""
    why: dict[str, str] = {}
    assumed: list[str] = []
    mean = found.bytes_per_io
    sizes: tuple[Size, ...] = ()
    if "xfersize" in said:
        sizes, reason = vdbench.sizes_of(vdbench.size(said["xfersize"]), mean)
        if reason:
            why["sizes"] = reason
    elif mean and mean % vdbench.SECTOR == 0:
        sizes = (Size(int(mean)),)
        assumed.append(f"all I/Os have {mean:g} bytes, which is their average (bytes i/o)")
    else:
        why["sizes"] = "xfersize is not in the file, which has the average only"
    held = rate is not None and found.rate >= RATE_HELD * rate
    threads = number(said.get("threads"))
    outstanding, reason = vdbench.threads_of(threads, found.queue_depth, held)
    if reason:
        why["outstanding"] = reason
    if held:
        assumed.append(vdbench.ARRIVALS)
    read = number(said.get("rdpct"))
    seek = number(said.get("seekpct"))
    if seek is None:
        why["random"] = "seekpct is not in the file (in flatfile.html it is)"
    return Said(
        read=(found.read if read is None else read) / 100,
        random=None if seek is None else min(max(seek, 0.0), 100.0) / 100,
        sizes=sizes,
        mean_size=mean,
        outstanding=outstanding,
        rate=rate,
        may_be_cached=True,
        why=why,
        assumed=tuple(assumed),
        remarks=(vdbench.CACHED,),
        refused=refused,
    )
