"""`flatfile.html` of vdbench: a line of column names, and a row for each interval and each run.

    13:49:01.260  rd1        1  50.0000  30.0000 ...
    13:50:00.270  rd1  avg_2-60 50.0000  50.0169 ...

Columns are recognised by their names, which differ by version (5.04 also has `timestamp`,
`read_max` and others). Runs on file systems have other columns. ``n/a`` stands for a value that is
not known, or not the same in all workloads of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from os import PathLike

from raidsim.errors import Problem, quote, refuse
from raidsim.measured import vdbench
from raidsim.measured.job import MeasuredJob
from raidsim.measured.said import RATE_HELD, Remark, Said
from raidsim.measured.text_file import lines_of, read_text
from raidsim.measured.vdbench import Figures, Report, number
from raidsim.units import MIB

NAME = "vdbench-flat"
WORDS = "flatfile.html of vdbench"
RANK = 0
_NEEDED = {"run", "interval", "rate", "mb/sec"}
_MEASURED = (
    "rate", "mb/sec", "read%", "bytes/io", "resp", "read_resp", "write_resp", "resp_max",
    "resp_std", "queue_depth", "read_max", "read_resp_max", "read_std", "read_resp_std",
    "write_max", "write_resp_max", "write_std", "write_resp_std",
)  # fmt: skip
"""Columns with what was measured; those behind `queue_depth` are called after the version."""

_REMEDY = "give flatfile.html as vdbench wrote it"
_GIB = 2**30
_FILES = "files were opened and closed, and may have been created: only reads and writes are played"
_LUNS = "is all SDs together, and `range` is not in the file"
_HITS = "a share of the accesses is to hit a cache, which raidsim does not play"


def recognises(head: str, name: str) -> bool:
    """Return whether a text begins as a flat file does."""
    del name
    return any(_columns(line) for line in head.split("\n"))


def read(name: str | PathLike[str]) -> Report:
    """The runs of a flat file.

    Raises
    ------
    InputError
        It cannot be read, is larger than 32 MiB, or has no line of column names, or no run.
    """
    return parse(read_text(name, vdbench.MOST_BYTES, "flat file"), str(name))


def parse(text: str, name: str) -> Report:
    """The runs in a text; `name` is what messages call it."""
    return _Reader(name).read(text)


def _columns(line: str) -> list[str]:
    """The names in a line of them; none in other lines."""
    words = line.lower().split()
    return words if words[:1] == ["tod"] and set(words) >= _NEEDED else []


@dataclass(frozen=True)
class _Row:
    """A row with its place: its text, for there are many, and where to look in it."""

    line: int
    run: str
    interval: str
    text: str
    columns: Mapping[str, int]  # places by the names of columns, in lower case

    def word(self, name: str) -> str:
        """The value of a column, or nothing."""
        return self.text.split()[self.columns[name]] if name in self.columns else ""

    def number(self, name: str) -> float | None:
        return number(self.word(name))

    def numbers(self, names: Iterable[str]) -> list[float | None]:
        """The values of several columns, in their order."""
        words = self.text.split()
        places = (self.columns.get(name) for name in names)
        return [None if place is None else number(words[place]) for place in places]


class _Reader:
    """One flat file while it is read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.remarks: list[Problem] = []
        self.columns: dict[str, int] = {}
        self.passed = 0

    def read(self, text: str) -> Report:
        runs = list(_runs(self._rows(text)))
        if not self.columns:
            cause = "is empty" if not text.strip() else "has no line of column names (tod Run ...)"
            refuse(self.name, cause, _REMEDY)
        if len(runs) > vdbench.MOST_RUNS:
            refuse(self.name, f"holds more than {vdbench.MOST_RUNS} runs")
        jobs: list[MeasuredJob] = []
        group = count()
        for rows in runs:
            if vdbench.is_formatting(rows[0].run):
                cause = f"run {rows[0].run} is left out: it prepares what later runs use"
                self._remark(rows[0].line, cause)
                continue
            job = self._job(rows, next(group))
            if job is not None:
                jobs.append(job)
        nothing = Problem(self.name, None, None, "holds no run", _REMEDY)
        return vdbench.report_of(self.name, jobs, self.remarks, self.passed, nothing, RANK)

    def _rows(self, text: str) -> Iterator[_Row]:
        for line, one in lines_of(text):
            names = _columns(one)
            if names:
                self.columns = {name: place for place, name in enumerate(names)}
            elif self.columns and vdbench.clock(one.lstrip()) is not None:
                words = one.split()
                if len(words) == len(self.columns):
                    run, interval = (words[self.columns[name]] for name in ("run", "interval"))
                    yield _Row(line, run, interval, one.strip(), self.columns)
                    continue
                told = f"where {len(self.columns)} have names"
                self._passed(line, f"is left out: {len(words)} values, {told}")
            elif one.strip() and not one.lstrip().startswith(("*", "<")):
                self._passed(line, f"is left out, because it is not a row: {quote(one.strip())}")

    def _passed(self, line: int, cause: str) -> None:
        self.passed += 1
        if self.passed <= vdbench.MOST_REMARKS:
            self._remark(line, cause)

    def _remark(self, line: int, cause: str) -> None:
        self.remarks.append(Problem(self.name, line, None, cause))

    def _job(self, rows: Sequence[_Row], group: int) -> MeasuredJob | None:
        last = rows[-1]
        among = vdbench.averages(last.interval)
        inside = [row for row in rows if vdbench.averages(row.interval) is None]
        first = among[0] if among else 2
        counted = [row for row in inside if (number(row.interval) or 0) >= first]
        notes: tuple[str, ...] = ()
        refused: tuple[Remark, ...] = ()
        seconds = _seconds(inside, first)
        if among is None:
            found = self._mean(counted)
            if found is not None:
                notes = (
                    f"the file has no row of averages for it: averaged over intervals"
                    f" {counted[0].interval} to {counted[-1].interval}",
                )
        else:
            found = self._figures(last)
        ended = among[1] < among[0] if among else not counted
        if found is None and not ended:
            self._remark(last.line, f"run {quote(last.run)} has no rates, and is left out")
            return None
        found = found or Figures(0.0, 0.0, 0.0)
        if ended:
            refused = (vdbench.nothing_measured(last.run, last.interval),)
        rate = vdbench.requested_rate(last.number("reqrate"))
        return MeasuredJob(
            last.run,
            group,
            0,
            _shown(last, rate),
            vdbench.directions(found, seconds),
            said=_said(last, found, rate, refused),
            together=vdbench.together(found),
            remarks=notes,
        )

    def _mean(self, rows: Sequence[_Row]) -> Figures | None:
        found = [one for row in rows if (one := self._figures(row)) is not None]
        return vdbench.mean_of(found) if found else None

    def _figures(self, row: _Row) -> Figures | None:
        """Return the measured figures of a row; None if it has no rates."""
        rate, moved, read, size, *rest = row.numbers(_MEASURED)
        if rate is None or moved is None or rate < 0 or moved < 0:
            return None
        if "read_rate" in row.columns:  # of a file system
            reads, writes = row.number("read_rate") or 0.0, row.number("write_rate") or 0.0
            rate = reads + writes
            read = 100 * reads / rate if rate else 0.0
        if read is None or not 0 <= read <= 100:
            return None
        resp, read_resp, write_resp, most, deviation, depth, *apart = rest
        of_reads = (apart[0] or apart[1], apart[2] or apart[3])
        of_writes = (apart[4] or apart[5], apart[6] or apart[7])
        return Figures(
            rate,
            moved,
            read,
            resp,
            read_resp,
            write_resp,
            most,
            of_reads[0],
            of_writes[0],
            deviation,
            of_reads[1],
            of_writes[1],
            depth,
            size or (moved * MIB / rate if rate else None),
        )


def _runs(rows: Iterator[_Row]) -> Iterator[list[_Row]]:
    """Rows of one run each: a run ends with its averages, and intervals begin at 1 again."""
    run: list[_Row] = []
    for row in rows:
        if run and (row.run != run[-1].run or _begins(run[-1], row)):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _begins(before: _Row, row: _Row) -> bool:
    if vdbench.averages(before.interval):
        return True
    last, now = number(before.interval), number(row.interval)
    return last is not None and now is not None and now <= last


def _seconds(rows: Sequence[_Row], first: int) -> float | None:
    """From the end of the interval before the first that counts to the end of the last."""
    before = [row for row in rows if (number(row.interval) or 0) < first]
    if not before or before[-1] is rows[-1]:
        return None
    times = [vdbench.clock(row.word("tod")) for row in (before[-1], rows[-1])]
    return vdbench.span(times[0], times[1])


def _shown(row: _Row, rate: float | None) -> dict[str, str]:
    """Return the requested load of a row, for the heading."""
    names = ("xfersize", "threads", "rdpct", "seekpct")
    shown = {name: row.word(name) for name in names if name in row.columns}
    for name, value in shown.items():
        found = number(value)
        shown[name] = value if found is None else f"{found:g}"
    return shown | {"iorate": "max" if rate is None else f"{rate:g}"}


def _said(row: _Row, found: Figures, rate: float | None, refused: tuple[Remark, ...]) -> Said:
    """The load of a run."""
    why: dict[str, str] = {}
    remarks = [vdbench.CACHED]
    of_files = "read_rate" in row.columns
    asked = row.number("xfersize")
    if of_files and asked:  # an average, cut to whole bytes
        asked = vdbench.SECTOR * round(asked / vdbench.SECTOR)
    sizes, reason = vdbench.sizes_of(asked, found.bytes_per_io)
    if reason:
        why["sizes"] = reason
    held = rate is not None and found.rate >= RATE_HELD * rate
    assumed = [vdbench.ARRIVALS] if held else []
    threads = row.number("threads")
    outstanding, reason = vdbench.threads_of(threads, found.queue_depth, held)
    if reason:
        why["outstanding"] = reason
    random, reason = _random(row, remarks)
    if reason:
        why["random"] = reason
    read = row.number("rdpct")
    if read is None or not 0 <= read <= 100:
        read = found.read
        if not of_files:
            measured = f"{read:.4g} % of the I/Os are reads, as were measured"
            assumed.append(f"{measured}: rdpct is not in the file")
    if of_files:
        remarks.append(Remark("file system", _FILES))
    hits = [name for name in ("rhpct", "whpct") if (row.number(name) or 0) > 0]
    refused += tuple(Remark(f"{name}={row.number(name):g}", _HITS) for name in hits)
    luns = row.number("lunsize") or 0.0
    if luns > 0:
        why["extent"] = f"lunsize={luns:g} GiB {_LUNS}"
    return Said(
        read=read / 100,
        random=random,
        sizes=sizes,
        mean_size=found.bytes_per_io,
        outstanding=outstanding,
        rate=rate,
        extent=int(luns * _GIB) or None,
        may_be_cached=True,
        why=why,
        assumed=tuple(assumed),
        remarks=tuple(remarks),
        refused=refused,
    )


def _random(row: _Row, remarks: list[Remark]) -> tuple[float | None, str | None]:
    """The share of random accesses, or why the file does not say it."""
    if "seekpct" not in row.columns:
        return None, "the file has no column seekpct"
    seek = row.number("seekpct")
    if seek is None or seek > 100:
        return None, "seekpct is n/a: workloads differ, or read on to the end (seekpct=eof)"
    if seek < 0:
        remarks.append(Remark(f"seekpct={seek:g}", "sequential, as eof and seqnz are"))
    return max(seek, 0.0) / 100, None
