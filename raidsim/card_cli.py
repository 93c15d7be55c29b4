"""The commands ``raidsim card ...``: cards from data sheets."""

# ruff: noqa: PLC0415 - imports of weight are inside of the commands, as in raidsim.cli

from __future__ import annotations

import sys
from typing import Annotated

import typer

MISSED = 1
"""Exit status if a rated figure is missed."""

app = typer.Typer(
    name="card",
    help="Cards from data sheets: values that make the simulation say what a sheet prints.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("fit")
def fit_command(
    card: Annotated[
        str, typer.Argument(metavar="CARD", show_default=False, help="A card with [rated].")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing, only say what would be.")
    ] = False,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output."),
    ] = None,
) -> None:
    """Solve the values of a card for the figures that its data sheet prints."""
    from raidsim.calibrate.card_fit import fit_card
    from raidsim.report import json_file, output
    from raidsim.report.card_fit import print_fit
    from raidsim.report.console import ReportConsole
    from raidsim.report.output import Target
    from raidsim.report.progress import Bar

    target = json and Target("--json", json, stdout=True)
    output.check([target] if target else [])
    with Bar() as bar:
        found = fit_card(card, write=not dry_run, on_progress=bar.on_job, on_estimate=bar.say)
    try:
        if target:
            output.write({target: json_file.render(found.to_dict())})
    finally:
        if not (target and target.to_stdout):
            print_fit(found, ReportConsole(sys.stdout))
    if not found.all_met:
        raise typer.Exit(MISSED)
