"""The output of ``raidsim accept``, and of ``raidsim judge`` about a delivery."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from raidsim.acceptance.expected import Expected, ExpectedFigure
from raidsim.acceptance.jobs import RAMP_S, RUN_S, WORN_RAMP_S
from raidsim.acceptance.verdict import PASSED, TOO_FAST, JudgedDelivery, Verdict
from raidsim.report import json_file, numbers, output
from raidsim.report.output import Target
from raidsim.report.ruled import ruled
from raidsim.report.unknowns import rounded

EXPECTED = "expected.json"
PREPARE = "prepare.fio"
STYLES = {PASSED: "green", TOO_FAST: "yellow"}
WORDS = {
    "iops": "throughput",
    "read iops": "throughput, reads",
    "write iops": "throughput, writes",
    "read latency": "read latency, mean",
    "read latency p99": "read latency, 99 %",
    "write latency": "write latency, mean",
    "write latency p99": "write latency, 99 %",
}
PAGE = """\
# Acceptance of: {title}

What to measure with fio 3 on the delivered system, and the range that each figure must show. The
{jobs} job files take {least} to {most} minutes.

**The jobs may overwrite what is on the device. Run them before there is data on it.**

## 1. Name the device

```sh
{names}
```

## 2. Prepare it

{steps}
- Let arrays finish their initialisation, and set caches and policies as the scenario has them.

## 3. Measure

```sh
mkdir -p results
for job in [0-9]*.fio; do
    fio --output-format=json+ --output="results/${{job%.fio}}.json" "$job"
done
```

## 4. Judge

```sh
raidsim judge {expected} results/*.json
```

The exit status is 0 if every job was measured and every figure is in its range, else 1.

## What must be shown

| job | figure | expected | from | to |
|---|---|---:|---:|---:|
{ranges}

The ranges rest on {draws} draws of all that data sheets leave open, and on what models leave out.
{coverage} of the draws are in all of them at once; for that, the intervals of single figures were
stretched {factor}-fold."""


def readme(expected: Expected, files: Sequence[str]) -> str:
    """The steps of an acceptance, as a page in Markdown."""
    jobs = sum(name != PREPARE for name in files)
    names = (f"export {name}=/dev/...    # {volume}" for name, volume in expected.devices.items())
    steps = expected.preparation or ["What was written before changes nothing here."]
    page = PAGE.format(
        title=expected.title,
        jobs=jobs,
        least=f"{(RUN_S + RAMP_S) * jobs / 60:.0f}",
        most=f"{(RUN_S + WORN_RAMP_S) * jobs / 60:.0f}",
        names="\n".join(names),
        steps="\n".join(f"- {step}" for step in steps),
        expected=EXPECTED,
        ranges="\n".join(_rows(expected)),
        draws=expected.draws,
        coverage=numbers.percent(expected.coverage),
        factor=f"{expected.factor:.2g}",
    )
    remarks = [f"- {remark}" for remark in expected.remarks]
    if remarks:
        remarks = ["", "Not quite as in the scenario:", "", *remarks]
    return "\n".join([page, *remarks, ""])


def _rows(expected: Expected) -> Iterator[str]:
    """The ranges as rows of a table."""
    for job in expected.jobs:
        for number, figure in enumerate(job.figures):
            name = "" if number else job.name
            values = " | ".join(_value(figure, x) for x in (figure.value, figure.low, figure.high))
            yield f"| {name} | {WORDS[figure.name]}, {figure.unit} | {values} |"


def _value(figure: ExpectedFigure, value: float) -> str:
    return numbers.count(value) if figure.unit == "IO/s" else rounded(value)


def print_expected(expected: Expected, folder: str, files: int, console: Console) -> None:
    """Say what was written, and what the system must show."""
    console.print(Text(expected.title, style="bold"), soft_wrap=True)
    console.print()
    table = ruled(3)
    for header in ("job", "figure", "unit"):
        table.add_column(header, no_wrap=True)
    for header in ("expected", "must be in"):
        table.add_column(header, justify="right", no_wrap=True)
    for job in expected.jobs:
        for number, figure in enumerate(job.figures):
            ends = f"{_value(figure, figure.low)} to {_value(figure, figure.high)}"
            name = "" if number else job.name
            table.add_row(name, WORDS[figure.name], figure.unit, _value(figure, figure.value), ends)
    console.print(table)
    console.print()
    console.print(
        f"{numbers.percent(expected.coverage)} of {expected.draws} draws of what the cards do not"
        " know are in all ranges at once",
        soft_wrap=True,
    )
    for remark in expected.remarks:
        console.print(Text(f"not quite as in the scenario: {remark}"), soft_wrap=True)
    console.print(Text(f"{files} files are in {folder}: begin with README.md"), soft_wrap=True)


def deliver(verdict: Verdict, target: Target | None, console: Console) -> None:
    """Write a verdict as JSON, if it is wanted, and print it unless that went to the console."""
    contents = {target: json_file.render(verdict.to_dict())} if target else {}
    output.deliver(contents, lambda: print_verdict(verdict, console))


def print_verdict(verdict: Verdict, console: Console) -> None:
    """Print every job with what was measured, and whether the delivery passed."""
    table = ruled(3)
    for header in ("job", "figure", "unit"):
        table.add_column(header, no_wrap=True)
    for header in ("measured", "must be in"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("")
    for job in verdict.jobs:
        _add(table, job)
    console.print(table)
    console.print()
    for job in verdict.jobs:
        if job.why:
            console.print(Text(f"{job.name}: {job.verdict}: {job.why}"), soft_wrap=True)
    for remark in verdict.remarks:
        console.print(Text(remark), soft_wrap=True)
    if any(one.verdict == TOO_FAST for job in verdict.jobs for one in job.figures):
        console.print(
            "faster than expected: was the device prepared, is a cache in between, is it the one"
            " that was ordered?",
            soft_wrap=True,
        )
    failed = [job.name for job in verdict.jobs if job.verdict != PASSED]
    if failed:
        words = f"FAILED: {len(failed)} of {len(verdict.jobs)} jobs ({', '.join(failed)})"
    else:
        words = f"PASSED: all of {len(verdict.jobs)} jobs"
    console.print(Text(words, style="bold"), soft_wrap=True)


def _add(table: Table, job: JudgedDelivery) -> None:
    for number, figure in enumerate(job.figures):
        expected = figure.expected
        measured = numbers.NOT_MEASURED
        if figure.measured is not None:
            measured = _value(expected, figure.measured)
        table.add_row(
            "" if number else job.name,
            WORDS[expected.name],
            expected.unit,
            measured,
            f"{_value(expected, expected.low)} to {_value(expected, expected.high)}",
            Text(figure.verdict, style=STYLES.get(figure.verdict, "red")),
        )
