"""The command ``raidsim explain``: one request, followed step by step."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from raidsim.commands.options import (
    Overrides,
    ScenarioName,
    stdout,
)

app = typer.Typer(rich_markup_mode=None)


class Op(StrEnum):
    """The operation of a request."""

    read = "read"
    write = "write"


@app.command("explain")
def explain_command(
    scenario: ScenarioName,
    op: Annotated[Op, typer.Argument(metavar="read|write", help="What the request does.")],
    offset: Annotated[
        str,
        typer.Argument(
            metavar="OFFSET", help='Address of the first byte: a number, or a text such as "4 KiB".'
        ),
    ],
    length: Annotated[
        str, typer.Argument(metavar="LENGTH", help='Size: in bytes, or a text such as "64 KiB".')
    ],
    volume: Annotated[
        str | None, typer.Option(metavar="NAME", help="The volume, if there are several.")
    ] = None,
    overrides: Overrides = None,
) -> None:
    """Follow one request through an idle system, step by step and page by page."""
    from raidsim import scenario as scenarios
    from raidsim.report.progress import Bar

    loaded = scenarios.load(scenario, overrides=overrides or [])

    from raidsim.explain.explain import explain
    from raidsim.report import explain_text

    with Bar():
        explanation = explain(loaded, op.value, offset, length, volume)
    explain_text.print_explanation(explanation, stdout())
