"""The command ``raidsim models``: the models of hardware, and one of them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None)


@app.command("models")
def models_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", show_default=False, help="A model, or the path of a card."),
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Show the range of each uncertain value, and the reason.")
    ] = False,
) -> None:
    """List the models of hardware, or show one with its ranges and sources."""
    from raidsim import cards
    from raidsim.cards.attributes import DRIVE_KINDS
    from raidsim.errors import InputError, Problem
    from raidsim.report import cards_table
    from raidsim.report.console import ReportConsole

    if name is None and why:
        cause = "needs the name of a model"
        raise InputError(
            [Problem(None, None, "--why", cause, "name it: raidsim models NAME --why")]
        )
    console = ReportConsole(sys.stdout)
    if name is None:
        cards_table.print_catalogue(cards.catalogue(), console)
    else:
        card = cards.load(name)
        cards_table.print_card(card, console, why=why)
        if name.endswith(".toml") and card.kind in DRIVE_KINDS:
            from raidsim.assembly.drives import kind_of

            kind_of(card).check(card)
