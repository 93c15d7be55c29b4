"""The command ``raidsim plan``: from what is needed to the designs that are worth buying."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    DOES_NOT_HOLD,
    ClusterAddress,
    HtmlFile,
    JsonFile,
    StoreFile,
    WorkerCount,
    named_as_options,
    stdout,
    targets_of,
)

if TYPE_CHECKING:
    from raidsim.planning.outcome import Plan
    from raidsim.report.output import Folder, Target

app = typer.Typer(rich_markup_mode=None)


@app.command("plan")
def plan_command(
    need: Annotated[
        str,
        typer.Argument(
            metavar="NEED", help="Path of the file of a need, or the name of an included one."
        ),
    ],
    prices: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Prices instead of those that the need names."),
    ] = None,
    why: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DESIGN",
            help="Say why a design was dropped: its number, or words such as level=raid5,drives=6."
            " May be repeated.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Write a scenario for each design."),
    ] = None,
    json: JsonFile = None,
    html: HtmlFile = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the front: .png or .svg.")
    ] = None,
    runs: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="N", help="Coarse runs, at most.")
    ] = 1000,
    unknowns: Annotated[
        int,
        typer.Option(
            min=0,
            max=10_000,
            metavar="N",
            help="Draws of unknown card values for each of the cheapest designs: 10 or more, or"
            " 0 for none.",
        ),
    ] = 12,
    workers: WorkerCount = None,
    cluster: ClusterAddress = None,
    store: StoreFile = None,
) -> None:
    """Find the designs that meet a need and that no other design beats in every aim."""
    from raidsim.report import output as files
    from raidsim.report import plan_text
    from raidsim.report.progress import Bar

    targets = targets_of(json, html, plot)
    given = [target for target in targets.values() if target is not None]
    files.check(given, inputs=[need, prices, store])
    folder = None if output is None else files.Folder("--output", output)
    if folder is not None:
        folder.check(given)

    from raidsim.planning.planner import plan

    if why:
        _refuse_unknown(need, prices, why)
    with Bar() as bar, named_as_options(unknowns=unknowns):
        found = plan(
            need,
            prices=prices,
            runs=runs,
            unknowns=unknowns,
            workers=workers,
            cluster=cluster,
            store=store,
            on_progress=bar.on_job,
        )
    with named_as_options(why=why):
        told = [found.why(one) for one in why or []]

    def show() -> None:
        for part in plan_text.parts(found):
            stdout().print(part)
        for text in told:
            stdout().print(f"\n{text}", markup=False, soft_wrap=True)

    files.deliver(_contents(found, targets, folder), show)
    if output is not None:
        _tell_of_earlier_plans(found, Path(output))
    if not found.front:
        raise typer.Exit(DOES_NOT_HOLD)


def _refuse_unknown(need: str, prices: str | None, why: list[str]) -> None:
    """Refuse designs that the need does not have, before anything runs."""
    from raidsim.planning.need import read_need
    from raidsim.planning.planner import prices_of
    from raidsim.planning.why import refuse_unknown

    read = read_need(need)
    refuse_unknown(read, why, prices_of(prices, read))


def _contents(
    found: Plan, targets: dict[str, Target | None], folder: Folder | None
) -> dict[Target, bytes]:
    """What goes into each file, and into the folder of scenarios."""
    from raidsim.report import plan_files

    contents: dict[Target, bytes] = {}
    if target := targets["json"]:
        contents[target] = plan_files.json_of(found)
    if target := targets["html"]:
        contents[target] = plan_files.html_of(found)
    if target := targets["plot"]:
        contents[target] = plan_files.picture_of(found, target.suffix)
    if folder is not None:
        folder.make()
        contents |= {folder.file(name): data for name, data in plan_files.scenarios(found).items()}
    return contents


def _tell_of_earlier_plans(found: Plan, folder: Path) -> None:
    """Say on standard error which scenarios in the folder an earlier plan has left."""
    from raidsim.report import plan_files

    others = plan_files.of_earlier_plans(folder, plan_files.scenarios(found))
    if others:
        typer.echo(f"of an earlier plan, and not of this one: {', '.join(others)}", err=True)
