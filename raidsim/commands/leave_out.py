"""The command ``raidsim leave-out``: the error of a document's figures if cards do not use it."""

from __future__ import annotations

import typer

from raidsim.commands.options import JsonFile, Selection, stdout, target_of

app = typer.Typer(rich_markup_mode=None)


@app.command("leave-out")
def leave_out_command(
    selection: Selection = None,
    json: JsonFile = None,
) -> None:
    """Predict the figures of each document with cards that were made without it."""
    from raidsim.calibrate.left_out import leave_out, to_dict
    from raidsim.kernel import is_compiled
    from raidsim.report import json_file, output
    from raidsim.report.left_out import left_out_table
    from raidsim.report.progress import Bar

    target = target_of("--json", json, stdout=True)
    output.check([] if target is None else [target])
    compiled = is_compiled()
    with Bar() as bar:
        found = leave_out(selection or [], bar.on_job, processes=compiled)
    contents = {} if target is None else {target: json_file.render(to_dict(found))}
    output.deliver(contents, lambda: stdout().print(left_out_table(to_dict(found))))
