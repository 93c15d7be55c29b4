"""The command ``raidsim leave-out``: how far figures of a document are known without it."""

# ruff: noqa: PLC0415 - imports of weight are inside of the commands, as in raidsim.cli

from __future__ import annotations

import sys
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None)


@app.command("leave-out")
def leave_out_command(
    selection: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOCUMENT|CLAIM",
            show_default=False,
            help="Only these: part of a document's name, a claim, or the beginning of one.",
        ),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")
    ] = None,
) -> None:
    """Predict the figures of each document by cards that it was not used for."""
    from raidsim.calibrate.left_out import leave_out, to_dict
    from raidsim.kernel import is_compiled
    from raidsim.report import json_file, output
    from raidsim.report.console import ReportConsole
    from raidsim.report.left_out import left_out_table
    from raidsim.report.output import Target
    from raidsim.report.progress import Bar

    target = None if json is None else Target("--json", json, (), True)
    output.check([] if target is None else [target])
    compiled = is_compiled()
    with Bar() as bar:
        found = leave_out(selection or [], bar.on_job, processes=compiled)
    if target is not None:
        output.write({target: json_file.render(to_dict(found))})
    if target is None or not target.to_stdout:
        ReportConsole(sys.stdout).print(left_out_table(to_dict(found)))
