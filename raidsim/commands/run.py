"""The command ``raidsim run``: a scenario is simulated, and its files are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    DOES_NOT_HOLD,
    INTERRUPTED,
    PAGES,
    PICTURES,
    HtmlFile,
    JsonFile,
    Overrides,
    ScenarioName,
    Seed,
    WithUnknowns,
    number_of_draws,
    stdout,
    target_of,
)
from raidsim.errors import InputError
from raidsim.result import Interrupted

if TYPE_CHECKING:
    from raidsim.fio.written import Kept
    from raidsim.observe.ios import Keeper
    from raidsim.report.output import Folder, Target
    from raidsim.result import Result
    from raidsim.scenario import Scenario

app = typer.Typer(rich_markup_mode=None)


@app.command("run", cls=WithUnknowns)
def run_command(
    scenario: ScenarioName,
    overrides: Overrides = None,
    seed: Seed = None,
    json: JsonFile = None,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write CSV, a row per point.")
    ] = None,
    html: HtmlFile = None,
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="FILE", help="Draw the result; FILE ends in .png or .svg."),
    ] = None,
    fio: Annotated[
        str | None,
        typer.Option("--fio", metavar="FOLDER", help="Write each point as a result of fio (JSON)."),
    ] = None,
    fio_logs: Annotated[
        bool,
        typer.Option("--fio-logs", help="Write fio's logs of each I/O to the folder of --fio."),
    ] = False,
    unknowns: Annotated[
        int | None,
        typer.Option(
            metavar="[N]",
            help="Show how far figures move with other plausible card values: N draws, by"
            " default 64.",
        ),
    ] = None,
    experiment: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the most useful measurement as a job of fio."),
    ] = None,
) -> None:
    """Simulate a scenario: throughput, latency and the limiting part."""
    from raidsim import scenario as scenarios
    from raidsim.report import output, progress, table
    from raidsim.report.contents import contents_of
    from raidsim.report.link_findings import cannot_be_built

    targets = {
        "json": target_of("--json", json, stdout=True),
        "csv": target_of("--csv", csv),
        "html": target_of("--html", html, PAGES),
        "plot": target_of("--plot", plot, PICTURES),
    }
    job = target_of("--experiment", experiment, (".fio",))
    if job is not None:
        targets["experiment"] = job
        unknowns = -1 if unknowns is None else unknowns
    count = 0
    loaded = progress.shown(scenarios.load, scenario, overrides=overrides or [], seed=seed)
    output.check((t for t in targets.values() if t), inputs=[loaded.path])
    if unknowns is not None:
        count = number_of_draws(unknowns)
    folder = _fio_folder(fio, fio_logs)
    keeper: Keeper[Kept] | None = None
    if folder is not None:
        from raidsim.fio.written import keep, keep_all
        from raidsim.observe.ios import Keeper

        folder.check(t for t in targets.values() if t)
        keeper = Keeper(keep_all if fio_logs else keep)

    from raidsim.running import run

    try:
        if keeper is None:
            result = run(loaded, progress=True)
        else:
            from raidsim.running import run_and_keep

            result = run_and_keep(loaded, keeper, progress=True)
        if unknowns is not None:
            from raidsim.studies.unknown import with_unknowns

            with progress.Bar() as bar:
                result = with_unknowns(result, loaded, count, on_progress=bar.on_job)
    except Interrupted as end:
        result = end.result

    contents = contents_of(result, targets)
    if folder is not None and keeper is not None:
        contents |= _fio_files(folder, loaded, result, keeper)
    output.deliver(contents, lambda: table.print_result(result, stdout()))
    for finding in cannot_be_built(loaded):
        typer.echo(str(finding), err=True)
    if result.interrupted:
        typer.echo("The points that were finished are kept.", err=True)
        raise typer.Exit(INTERRUPTED)
    if not result.is_carried:
        raise typer.Exit(DOES_NOT_HOLD)


def _fio_folder(path: str | None, logs: bool) -> Folder | None:
    """Return the folder for files of fio; None if none are requested."""
    from raidsim.errors import Problem
    from raidsim.report.output import Folder

    if path is None and logs:
        cause = "there is no folder for the logs"
        raise InputError([Problem(None, None, "--fio-logs", cause, "give --fio FOLDER as well")])
    if path is None:
        return None
    from raidsim.fio.written import time_of_writing

    time_of_writing()  # refused now, and not once everything has been simulated
    return Folder("--fio", path)


def _fio_files(
    folder: Folder, scenario: Scenario, result: Result, keeper: Keeper[Kept]
) -> dict[Target, bytes]:
    """The files of fio of a run; the folder for them is there then."""
    from raidsim.fio.files import files_of

    files = files_of(scenario, result, keeper.found)
    for remark in files.remarks:
        typer.echo(f"--fio: {remark}", err=True)
    if files.contents:
        folder.make()
    return {folder.file(name): data for name, data in files.contents.items()}
