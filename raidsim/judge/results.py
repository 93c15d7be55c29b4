"""Result files of any supported program: recognised, read, and joined.

A format is a module with a `NAME`, `WORDS` for people, `recognises(head, name)` and `read(name)`;
they are all in one list here. A file has a format if it can be no other, or if the user names it.
Files that belong together are then joined: logs of fio with their jobs, histograms with their runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from raidsim.errors import InputError, Problem, quote, refuse, suggest
from raidsim.fio import logs_joined
from raidsim.fio.job_file import FileJob, read_jobs
from raidsim.fio.log_reader import log_name
from raidsim.fio.reader import read_result
from raidsim.measured import (
    iometer,
    vdbench,
    vdbench_flat,
    vdbench_histogram,
    vdbench_summary,
)
from raidsim.measured.job import Measured
from raidsim.measured.text_file import decoded
from raidsim.named_file import read_bytes

HEAD = 64 * 1024  # bytes of a file by which it is recognised
FIO, FIO_JOBS, FIO_LOG = "fio", "fio-jobs", "fio-log"
FIO_2_LOG, FIO_3_LOG = "fio-2-log", "fio-3-log"


@dataclass(frozen=True)
class Format:
    """A form in which results are written.

    Attributes
    ----------
    name : for `--format`.
    words : what such a file is.
    recognises : whether a file can be nothing else, by its beginning and its name.
    read : makes something of it, which :func:`read_results` puts together.
    """

    name: str
    words: str
    recognises: Callable[[str, str], bool]
    read: Callable[[str], Any]


def _is_fio(head: str, name: str) -> bool:
    del name
    return '"fio version"' in head or head.lstrip().startswith("{")


def _is_jobs(head: str, name: str) -> bool:
    del name
    lines = (line.strip() for line in head.split("\n"))
    first = next((line for line in lines if line and line[0] not in ";#"), "")
    return first.startswith("[") and "]" in first and "{" not in first


def _is_log(head: str, name: str) -> bool:
    first = next((line.strip() for line in head.split("\n") if line.strip()), "")
    cells = [cell.strip() for cell in first.rstrip(",").split(",")]
    return log_name(name) is not None and len(cells) >= 4 and all(map(str.isdecimal, cells[:4]))


def _never(head: str, name: str) -> bool:
    del head, name
    return False


@dataclass(frozen=True)
class _Log:
    """A log that is read when it is known of which job it is."""

    file: str


FORMATS = (
    Format(FIO, "JSON of fio", _is_fio, read_result),
    Format(FIO_JOBS, "a job file of fio", _is_jobs, read_jobs),
    Format(FIO_LOG, "a log of fio", _is_log, _Log),
    Format(FIO_2_LOG, "a log of fio 2, whose latencies are us", _never, _Log),
    Format(FIO_3_LOG, "a log of fio 3, whose latencies are ns", _never, _Log),
    *(
        Format(one.NAME, one.WORDS, one.recognises, one.read)
        for one in (vdbench_flat, vdbench_summary, vdbench_histogram, iometer)
    ),
)
NAMES = tuple(one.name for one in FORMATS)
_VERSIONS = {FIO_2_LOG: 2, FIO_3_LOG: 3}

OTHER_OUTPUT = re.compile(r"^(?:\S.*: \(g=\d+\): rw=\w+, bs=|\d+;fio-\d)", re.MULTILINE)
"""How the normal and the terse output of fio begin."""


def read_results(names: Sequence[str | PathLike[str]], named: str | None = None) -> list[Measured]:
    """Read files of results, each of a format that it can only be of, and join what belongs.

    Parameters
    ----------
    names
        Of the files.
    named
        The format of all of them, one of `NAMES`; None to recognise each.

    Raises
    ------
    InputError
        A file cannot be read, has no known format or could be of several, or says nothing
        of what was measured.
    """
    if named is not None and named not in NAMES:
        remedy = suggest(named, NAMES) or f"give one of {', '.join(NAMES)}"
        cause = f"there is no format {quote(named)}"
        raise InputError([Problem(None, None, "--format", cause, remedy)])
    found: dict[str, list[tuple[str, Any]]] = {one.name: [] for one in FORMATS}
    for name in dict.fromkeys(map(str, names)):
        form = _named(named) if named else _format_of(name)
        found[form.name].append((name, form.read(name)))
    return [*_of_fio(found, _VERSIONS.get(named or "")), *_of_vdbench(found), *_all(found, iometer)]


def _named(name: str) -> Format:
    return next(one for one in FORMATS if one.name == name)


def _format_of(name: str) -> Format:
    """The only format that a file can be of."""
    head = decoded(read_bytes(name, HEAD, if_folder="name files in it"))
    found = [one for one in FORMATS if one.recognises(head, name)]
    if not found:
        if not head.strip():
            refuse(name, "is empty")
        if OTHER_OUTPUT.search(head):
            remedy = "let fio write JSON: --output-format=json (or normal,json for both)"
            refuse(name, "is text output of fio, which says too little about its job", remedy)
        known = ", ".join(one.words for one in FORMATS if one.recognises is not _never)
        cause = f"is not a result that can be judged: {known}"
        refuse(name, cause, "if it is one of them, say which: --format NAME")
    if len(found) > 1:
        words = " or ".join(one.words for one in found)
        refuse(name, f"could be {words}", f"say which: --format {found[0].name}, for example")
    return found[0]


def _all(found: dict[str, list[tuple[str, Any]]], form: Any) -> list[Any]:
    return [one for _, one in found[form.NAME]]


def _of_fio(found: dict[str, list[tuple[str, Any]]], version: int | None) -> list[Measured]:
    """Results, job files and logs of fio."""
    results: list[Measured] = [one for _, one in found[FIO]]
    job_files: list[tuple[str, list[FileJob]]] = found[FIO_JOBS]
    logs = [one.file for form in (FIO_LOG, FIO_2_LOG, FIO_3_LOG) for _, one in found[form]]
    for name, jobs in job_files:
        if results:
            results = logs_joined.with_options(results, jobs, name)
        elif not logs:
            cause = "has the options of fio, but no measurements"
            refuse(name, cause, "give it with the result, or the logs, of its jobs")
    if not results:
        results = [logs_joined.of_job_file(name, jobs) for name, jobs in job_files]
    return logs_joined.with_logs(results, logs, version) if logs else results


def _of_vdbench(found: dict[str, list[tuple[str, Any]]]) -> list[Measured]:
    """Reports of vdbench, with their histograms."""
    reports: list[vdbench.Report] = [*_all(found, vdbench_flat), *_all(found, vdbench_summary)]
    histograms: list[vdbench.Histograms] = _all(found, vdbench_histogram)
    folders = {one.folder for one in reports}
    for one in histograms:
        if one.folder not in folders:
            cause = "has no throughput"
            refuse(one.file, cause, "give it with flatfile.html (or summary.html) of its runs")
    return list(vdbench.joined(reports, histograms))
