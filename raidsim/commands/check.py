"""The command ``raidsim check``: findings about a scenario before it is run, or bought."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    DOES_NOT_HOLD,
    JsonFile,
    Overrides,
    ScenarioName,
    WithUnknowns,
    number_of_draws,
    quantity_of,
    stdout,
    target_of,
)
from raidsim.errors import InputError, Problem

if TYPE_CHECKING:
    from raidsim.risk.assess import Risk
    from raidsim.scenario import Scenario
    from raidsim.studies.risks import RiskUnknowns
    from raidsim.studies.room import Room

app = typer.Typer(rich_markup_mode=None)


class FailOn(StrEnum):
    """From which severity on findings make the exit status 1."""

    critical = "critical"
    warning = "warning"
    info = "info"


@app.command("check", cls=WithUnknowns)
def check_command(
    scenario: ScenarioName,
    overrides: Overrides = None,
    brief: Annotated[
        bool, typer.Option("--brief", help="Findings first, then the main figures of each volume.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="List the values of cards that findings are about.")
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            help="Exit status 1 if anything of this severity, or a higher one, is found.",
        ),
    ] = None,
    file_system: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE", help="Share of a volume that a file system takes; 2 % by default."
        ),
    ] = None,
    unknowns: Annotated[
        int | None,
        typer.Option(
            metavar="[N]",
            help="Show how far the risk moves with other plausible card values: N draws, by"
            " default 64.",
        ),
    ] = None,
    json: JsonFile = None,
) -> None:
    """Show the parts of a scenario, how likely it loses data, and what is wrong or risky in it."""
    from raidsim import scenario as scenarios
    from raidsim.report import output
    from raidsim.report.progress import Bar, shown

    to_json = target_of("--json", json, stdout=True)
    loaded = shown(scenarios.load, scenario, overrides=overrides or [])

    from raidsim.report import check_text
    from raidsim.report.checked import Checked

    check_text.refuse_without_ranges(loaded)
    output.check([to_json] if to_json else [], inputs=[loaded.path])
    share = _share(file_system)
    count = 0
    if unknowns is not None:
        count = number_of_draws(unknowns)

    with Bar("trying rebuilds, idle and under load"):
        room, risks = _room_and_risks(loaded)
    drawn: list[RiskUnknowns] = []
    if count and risks:
        from raidsim.studies.risks import risks_drawn

        with Bar() as bar:
            drawn = risks_drawn(loaded, risks, count, on_progress=bar.on_job)
    found = Checked.of(loaded, risks, room, share, drawn)

    def show() -> None:
        printed = check_text.print_brief if brief else check_text.print_checked
        printed(found, stdout(), every=every)
        if drawn:
            check_text.print_unknowns(drawn, stdout())

    contents = {}
    if to_json:
        from raidsim.report import json_file

        contents[to_json] = json_file.render(found.to_dict())
    output.deliver(contents, show)
    if fail_on is not None:
        from raidsim.report.finding import Severity

        if found.has(Severity(fail_on.value)):
            raise typer.Exit(DOES_NOT_HOLD)


def _room_and_risks(scenario: Scenario) -> tuple[Room, list[Risk]]:
    """The memory of a run, and the risks: none where what a rebuild needs is not there either."""
    from raidsim.risk.assess import assess_all
    from raidsim.studies.room import room_of

    room = room_of(scenario)
    risks: list[Risk] = []
    if room.refused:
        with suppress(InputError):
            risks = assess_all(scenario)
    else:
        risks = assess_all(scenario)
    return room, risks


def _share(text: str | None) -> float:
    """Return the share that a file system takes."""
    from raidsim.observe.waterfall import FILE_SYSTEM

    share = quantity_of("--file-system", text, "share")
    if share is None:
        return FILE_SYSTEM
    if not 0 <= share < 1:
        cause = f"{text} is not a share of a volume"
        raise InputError(
            [Problem(None, None, "--file-system", cause, 'give 0 to 99 %, as in "5 %"')]
        )
    return share
