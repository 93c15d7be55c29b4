"""The command ``raidsim validate``: published figures against simulated ones."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    DOES_NOT_HOLD,
    PAGES,
    ClaimsFolder,
    HtmlFile,
    JsonFile,
    SelectionOrSystem,
    WithUnknownsOfClaims,
    draws,
    folder_of,
    named_as_options,
    stdout,
    target_of,
)

if TYPE_CHECKING:
    from raidsim.report.output import Target

app = typer.Typer(rich_markup_mode=None)


class Role(StrEnum):
    """The permitted use of a claim."""

    calibration = "calibration"
    prediction = "prediction"


@app.command("validate", cls=WithUnknownsOfClaims)
def validate_command(
    selection: SelectionOrSystem = None,
    role: Annotated[
        Role | None, typer.Option(help="Only claims that may be fitted to, or only predictions.")
    ] = None,
    claims: ClaimsFolder = None,
    json: JsonFile = None,
    html: HtmlFile = None,
    unknowns: Annotated[
        int | None,
        typer.Option(
            metavar="[N]",
            help="Show how many published figures lie in the intervals that unknown card values"
            " give: N draws, by default 24.",
        ),
    ] = None,
) -> None:
    """Compare the simulation with published figures, claim by claim."""
    from raidsim.report import output
    from raidsim.report.progress import Bar

    to_json = target_of("--json", json, stdout=True)
    to_html = target_of("--html", html, PAGES)
    output.check((target for target in (to_json, to_html) if target), inputs=selection or [])

    from raidsim.kernel import is_compiled
    from raidsim.validate import validate

    # Processes that start together before the kernel is compiled would each compile it.
    compiled = is_compiled()
    with Bar() as bar, named_as_options(unknowns=unknowns):
        report = validate(
            selection or [],
            role.value if role else None,
            on_progress=bar.on_job,
            processes=compiled,
            unknowns=draws(unknowns),
            folder=folder_of("--claims", claims),
        )

    contents: dict[Target, bytes] = {}
    if to_json:
        from raidsim.report import json_file

        contents[to_json] = json_file.render(report.to_dict())
    if to_html:
        from raidsim.report.validation_page import render

        with Bar() as bar:
            contents[to_html] = render(report, bar.on_job, processes=compiled)

    def show() -> None:
        from raidsim.report.validation_table import everything

        stdout().print(everything(report))

    output.deliver(contents, show)
    if not report.all_hold:
        raise typer.Exit(DOES_NOT_HOLD)
