"""The command ``raidsim judge``: measured results beside a scenario."""

from __future__ import annotations

from typing import Annotated

import typer

from raidsim.commands import accept
from raidsim.commands.options import (
    DOES_NOT_HOLD,
    JsonFile,
    Overrides,
    Seed,
    stdout,
    target_of,
)

app = typer.Typer(rich_markup_mode=None)


@app.command("judge")
def judge_command(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO", help="A scenario, or the expectations that raidsim accept wrote."
        ),
    ],
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT",
            show_default=False,
            help="Results of fio (JSON, logs), vdbench (its .html) or Iometer (.csv).",
        ),
    ],
    volume: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The volume that was measured, if there are several."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="Format of the results, if it is not recognised."
        ),
    ] = None,
    random: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Share of random accesses, if results do not give it."),
    ] = None,
    outstanding: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65536,
            metavar="N",
            help="Outstanding I/Os of a worker, if results do not give them.",
        ),
    ] = None,
    overrides: Overrides = None,
    seed: Seed = None,
    json: JsonFile = None,
) -> None:
    """Compare measured results with a simulation, and find causes of the difference."""
    from raidsim import scenario as scenarios
    from raidsim.report import judgement as report
    from raidsim.report import output
    from raidsim.report.progress import Bar

    if accept.is_expectations(scenario):
        accept.judge_delivery(
            scenario, results, form, json,
            {"--volume": volume, "--random": random, "--outstanding": outstanding,
             "--set": overrides or None, "--seed": seed},
        )  # fmt: skip
        return
    to_json = target_of("--json", json, stdout=True)
    loaded = scenarios.load(scenario, overrides=overrides or [], seed=seed)

    from raidsim.judge import Given, judge, read_results

    given, measured = Given.of_texts(random, outstanding), read_results(results, form)
    output.check([to_json] if to_json else [], inputs=[loaded.path, *results])
    with Bar() as bar:
        judgement = judge(loaded, measured, volume, bar.on_share, given)
    report.deliver(judgement, to_json, stdout())
    if not judgement.all_agree:
        raise typer.Exit(DOES_NOT_HOLD)
