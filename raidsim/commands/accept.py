"""The command ``raidsim accept``: what to measure when a system is delivered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    DOES_NOT_HOLD,
    Overrides,
    ScenarioName,
    Seed,
    WithUnknowns,
    number_of_draws,
    stdout,
    target_of,
)
from raidsim.errors import InputError, Problem

if TYPE_CHECKING:
    from raidsim.report.output import Target

app = typer.Typer(rich_markup_mode=None)


@app.command("accept", cls=WithUnknowns)
def accept_command(
    scenario: ScenarioName,
    folder: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write job files and README there."),
    ],
    overrides: Overrides = None,
    seed: Seed = None,
    unknowns: Annotated[
        int,
        typer.Option(
            metavar="[N]",
            help="Draws of card values for the ranges: N, by default 64.",
            show_default=False,
        ),
    ] = -1,
) -> None:
    """Write fio jobs to run on delivery, and the range in which each figure must lie."""
    from raidsim import scenario as scenarios
    from raidsim.report import acceptance as report
    from raidsim.report import output
    from raidsim.report.progress import Bar, shown

    loaded = shown(scenarios.load, scenario, overrides=overrides or [], seed=seed)
    place = output.Folder("--output", folder)
    place.check([])

    from raidsim.acceptance import draw_up
    from raidsim.report import json_file

    count = number_of_draws(unknowns)
    if count == 0:
        cause = "is 0, and the ranges are made from draws"
        raise InputError([Problem(None, None, "--unknowns", cause, "give 10 or more")])
    with Bar() as bar:
        drawn = draw_up(loaded, count, on_point=bar.on_point, on_progress=bar.on_job)
    texts = {
        **drawn.files,
        "README.md": report.readme(drawn.expected, sorted(drawn.files)),
    }
    contents: dict[Target, bytes] = {
        place.file(name): text.encode() for name, text in sorted(texts.items())
    }
    contents[place.file(report.EXPECTED)] = json_file.render(drawn.expected.to_dict())
    place.make()
    earlier = _earlier_files(Path(folder), report.EXPECTED, report.PREPARE) - set(texts)
    output.write(contents)
    for name in earlier:
        (Path(folder) / name).unlink(missing_ok=True)
    report.print_expected(drawn.expected, folder, len(contents), stdout())
    if earlier:
        removed = ", ".join(sorted(earlier))
        typer.echo(f"removed, since it belongs to the acceptance that was there before: {removed}")


def _earlier_files(folder: Path, expected: str, prepare: str) -> set[str]:
    """Job files of an earlier acceptance that are there: its steps would run them as well."""
    from raidsim.acceptance import read_expected

    try:
        jobs = read_expected(folder / expected).jobs
    except InputError:
        return set()  # none is there, or one that does not say which files it has
    names = {prepare, *(job.file for job in jobs)}
    return {one for one in names if Path(one).name == one and (folder / one).is_file()}


def is_expectations(name: str) -> bool:
    """Return whether a path is that of expectations, rather than of a scenario."""
    if not name.endswith(".json"):
        return False
    from raidsim.acceptance import is_expected

    return is_expected(name)


def judge_delivery(
    expectations: str,
    results: list[str],
    form: str | None,
    json: str | None,
    others: Mapping[str, object],
) -> None:
    """Hold results against what ``raidsim accept`` has written, and exit with 1 if they fail.

    ``others`` are options that say nothing here: None if they were not given.
    """
    from raidsim.acceptance import read_expected, verdict_of
    from raidsim.judge import read_results
    from raidsim.report import acceptance as report
    from raidsim.report import output

    if given := [option for option, value in others.items() if value is not None]:
        cause = "has no effect beside a file of expectations"
        raise InputError([Problem(None, None, option, cause, "leave it out") for option in given])
    to_json = target_of("--json", json, stdout=True)
    output.check([to_json] if to_json else [], inputs=[expectations, *results])
    expected = read_expected(expectations)
    verdict = verdict_of(expected, read_results(results, form))
    report.deliver(verdict, to_json, stdout())
    if not verdict.passed:
        raise typer.Exit(DOES_NOT_HOLD)
