"""What `raidsim judge` prints: measured beside simulated, a verdict, and simulated causes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim.judge.causes import FAST, SLOW
from raidsim.judge.figures import Figure
from raidsim.judge.judgement import AGREES, JudgedJob, Judgement, TriedCause
from raidsim.report import json_file, numbers, output
from raidsim.report.output import Target
from raidsim.report.ruled import ruled

STYLES = {AGREES: "green", FAST: "yellow", SLOW: "yellow"}
MB_PER_S = "MB/s of 10^6 bytes beside MiB/s of 2^20, as fio has them"
PERCENTILES = "a percentile is given where ten I/Os lie beyond it"


def deliver(judgement: Judgement, target: Target | None, console: Console) -> None:
    """Write a judgement as JSON, if it is wanted, and print it unless that went to the console."""
    contents = {target: json_file.render(judgement.to_dict())} if target else {}
    output.deliver(contents, lambda: print_judgement(judgement, console))


def print_judgement(judgement: Judgement, console: Console) -> None:
    """Print every job of the results, then what was passed over in the files."""
    for number, job in enumerate(judgement.jobs):
        if number:
            console.print()
        _print_job(job, judgement, console)
    if judgement.remarks:
        console.print()
    for remark in judgement.remarks:
        console.print(Text(remark), soft_wrap=True)


def _print_job(job: JudgedJob, judgement: Judgement, console: Console) -> None:
    several = len(judgement.files) > 1
    host = f" on {job.host}" if job.host else ""
    heading = Text.assemble((f"{job.name}{host}", "bold"))
    heading.append(f": {job.options}" if job.options else "")
    heading.append(f" ({job.file})" if several else "")
    console.print(heading, soft_wrap=True)
    if job.figures:
        console.print()
        console.print(_figures(job))
    console.print()
    console.print(Text.assemble((f"{job.verdict}", STYLES.get(job.verdict, "yellow")), _why(job)))
    if job.causes:
        console.print()
        console.print(_causes(job))
        console.print()
    for line in _lines(job):
        console.print(Text(line), soft_wrap=True)


def _why(job: JudgedJob) -> str:
    """Return the basis of the verdict."""
    if job.speed is None or job.margin is None:
        return ""
    low, high = 1 / (1 + job.margin), 1 + job.margin
    what = "throughput measured" if job.by == "throughput" else "mean latency simulated"
    other = "simulated" if job.by == "throughput" else "measured"
    return (
        f": {what} is {numbers.percent(job.speed)} of that {other};"
        f" {numbers.percent(low)} to {numbers.percent(high)} agree"
    )


def _figures(job: JudgedJob) -> Table:
    table = ruled()
    table.add_column("")
    for header in ("unit", "measured", "simulated", "measured / simulated"):
        table.add_column(header, justify="left" if header == "unit" else "right", no_wrap=True)
    for figure in job.figures:
        cells = _value(figure, figure.measured), _value(figure, figure.simulated)
        table.add_row(figure.name, figure.unit, *cells, _ratio(figure.ratio))
    return table


def _value(figure: Figure, value: float | None) -> str:
    if value is not None and figure.unit == "IO/s":
        return numbers.count(value)
    return numbers.figure(value)


def _ratio(ratio: float | None) -> str:
    return numbers.NOT_MEASURED if ratio is None else f"{ratio:.2f}"


def _causes(job: JudgedJob) -> Table:
    """The causes that bring the simulation nearer, the nearest first."""
    table = ruled()
    table.add_column(f"{job.verdict}: possible causes, simulated")
    for header in ("IO/s", "mean latency, ms", "measured / simulated", ""):
        table.add_column(header, justify="right" if header else "left", no_wrap=True)
    for cause in job.causes:
        ratio = cause.speed if job.by == "throughput" else 1 / cause.speed
        table.add_row(
            cause.words,
            numbers.count(cause.iops),
            numbers.figure(cause.latency_ms),
            _ratio(ratio),
            _agreement(cause),
        )
    return table


def _agreement(cause: TriedCause) -> str:
    if not cause.agrees:
        return ""
    return "at most: can be" if cause.is_bound else "agrees"


def _lines(job: JudgedJob) -> Iterator[str]:
    """Yield further lines about a job."""
    if any(figure.unit == "MB/s" for figure in job.figures):
        yield MB_PER_S
    if any(figure.name.endswith("%") for figure in job.figures):
        yield PERCENTILES
    if job.verdict in (FAST, SLOW) and not job.causes:
        yield "no simulated cause brings the simulation nearer"
    if job.without_effect:
        yield f"also simulated, but not nearer: {'; '.join(job.without_effect)}"
    yield from job.warnings
    for words in job.assumed:
        yield f"taken: {words}"
    for note in job.refused:
        yield f"not judged: {_option(note.option, note.value)}: {note.meaning}"
    for note in job.notes:
        yield f"not simulated: {_option(note.option, note.value)}: {note.meaning}"
    if job.options_without_effect:
        yield f"without effect on the I/Os: {', '.join(job.options_without_effect)}"


def _option(name: str, value: str) -> str:
    return f"{name}={value}" if value else name
