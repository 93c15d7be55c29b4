"""The command ``raidsim models``: the hardware that there are cards of, and what is open."""

# ruff: noqa: PLC0415 - imports of weight are inside of the commands, as in raidsim.cli

from __future__ import annotations

import sys
from typing import Annotated

import typer


def models_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", show_default=False, help="A model, or the path of a card."),
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="Show what is not known for sure: range and reason.")
    ] = False,
) -> None:
    """List the models of hardware, or show one with its ranges and sources."""
    from raidsim import cards
    from raidsim.errors import InputError, Problem
    from raidsim.report import cards_table
    from raidsim.report.console import ReportConsole

    if name is None and why:
        cause = "is about one model"
        raise InputError(
            [Problem(None, None, "--why", cause, "name it: raidsim models NAME --why")]
        )
    console = ReportConsole(sys.stdout)
    if name is None:
        cards_table.print_catalogue(cards.catalogue(), console)
    else:
        cards_table.print_card(cards.load(name), console, why=why)
