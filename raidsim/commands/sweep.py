"""The command ``raidsim sweep``: a scenario with all values of some keys."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    PICTURES,
    ClusterAddress,
    JsonFile,
    Overrides,
    Seed,
    StoreFile,
    WorkerCount,
    folder_of,
    kept_in,
    named_as_options,
    stdout,
    target_of,
)
from raidsim.errors import InputError, Problem

if TYPE_CHECKING:
    from raidsim.report.output import Target
    from raidsim.studies.sweep import Asked, Sweep

app = typer.Typer(rich_markup_mode=None)


@app.command("sweep")
def sweep_command(
    scenario: Annotated[
        str,
        typer.Argument(metavar="SCENARIO|STUDY", help="A scenario, or the file of a study."),
    ],
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="Key and values: volume.drives=4..24:4, or volume.level=raid5,raid6. May be"
            " repeated.",
        ),
    ] = None,
    sample: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=LOW..HIGH",
            help="Draw values of a range: load.outstanding=1..256 log.",
        ),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Number of draws.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help='Run only the variants for which this is true, such as "volume.drives >= 6".',
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Number of seeds for each variant.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE", help="Precision of the throughput, such as '5 %', with few I/Os."
        ),
    ] = None,
    overrides: Overrides = None,
    seed: Seed = None,
    store: StoreFile = None,
    workers: WorkerCount = None,
    cluster: ClusterAddress = None,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")
    ] = None,
    json: JsonFile = None,
    parquet: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the table as Parquet.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the table; FILE ends in .png or .svg.")
    ] = None,
    x: Annotated[
        str | None,
        typer.Option("--x", metavar="COLUMN", help="Column on the horizontal axis of the picture."),
    ] = None,
    y: Annotated[
        str,
        typer.Option(
            "--y", metavar="COLUMN", help="Column on its vertical axis, which --effects explains."
        ),
    ] = "iops",
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="Draw a line for each value of this key."),
    ] = None,
    effects: Annotated[
        bool, typer.Option("--effects", help="Show which keys matter, by share of the variance.")
    ] = False,
) -> None:
    """Run a scenario once for each combination of values of some keys, and compare the results."""
    from raidsim.report import output
    from raidsim.report.link_findings import cannot_be_built
    from raidsim.report.progress import Bar
    from raidsim.report.sweep_table import sweep_table
    from raidsim.studies.store import default_path
    from raidsim.studies.sweep import opened

    targets = {
        "csv": target_of("--csv", csv),
        "json": target_of("--json", json, stdout=True),
        "parquet": target_of("--parquet", parquet),
        "plot": target_of("--plot", plot, PICTURES),
    }
    asked = _asked(
        scenario, vary or [], sample or [], samples, where, seeds, precision, overrides or [], seed
    )
    needs_plot = {"--x": x, "--by": by} if plot is None else {}
    vain = [(option, "--plot") for option, value in needs_plot.items() if value is not None]
    if samples is not None and not asked.drawn:
        vain.append(("--samples", "--sample"))
    _refuse_without_effect(vain)
    wanted = {"--x": x, "--by": by, "--y": y if plot is not None or effects else None}
    asked.check_columns({option: name for option, name in wanted.items() if name is not None})
    output.check((one for one in targets.values() if one), inputs=[scenario, store])
    kept = folder_of("--store", store, "file") or default_path()
    options = named_as_options(
        precision=precision, vary=vary or (), samples=samples or 0, seeds=seeds
    )
    with kept_in(kept), opened(kept) as base, Bar() as bar, options:
        found = asked.run(
            base, workers=workers, cluster=cluster, on_progress=bar.on_job, on_expected=bar.say
        )

    _tell_what_was_known(found)
    contents = _contents(found, targets, x, y, by)
    console = stdout()

    def show() -> None:
        console.print(sweep_table(found))
        if store is not None:
            console.print(f"\nkept in {kept}")

    output.deliver(contents, show)
    for finding in cannot_be_built(asked.scenario):
        typer.echo(f"the scenario as it is: {finding}", err=True)
    if effects:
        _explain(found, y, quiet=any(target.to_stdout for target in contents))


def _asked(
    scenario: str, vary: list[str], sample: list[str], samples: int | None, where: str | None,
    seeds: int | None, precision: str | None, overrides: list[str], seed: int | None,
) -> Asked:  # fmt: skip
    """Return the requested sweep, from a study file, from options, or from both."""
    from dataclasses import replace

    from raidsim import scenario as scenarios
    from raidsim.report import progress
    from raidsim.studies.study_file import is_study, read_study
    from raidsim.studies.sweep import Asked
    from raidsim.studies.vary import between, parse_axis

    command = shlex.join(["raidsim", *sys.argv[1:]])
    if is_study(scenario):
        asked = read_study(scenario, command)
        if overrides or seed is not None:
            base = scenarios.changed(asked.scenario, overrides, seed)
            asked = replace(asked, scenario=base)
    else:
        loaded = progress.shown(scenarios.load, scenario, overrides=overrides, seed=seed)
        asked = Asked(loaded, [], command=command)
    return replace(
        asked,
        axes=[*asked.axes, *(parse_axis(one) for one in vary)],
        drawn=[*asked.drawn, *(between(one) for one in sample)],
        samples=samples or asked.samples,
        where=where or asked.where,
        seeds=seeds or asked.seeds,
        precision=precision or asked.precision,
    )


def _refuse_without_effect(vain: list[tuple[str, str]]) -> None:
    """Refuse options that do nothing, each with the option that it needs, if there are any."""
    if vain:
        raise InputError(
            Problem(None, None, option, f"has no effect without {other}", "leave it out")
            for option, other in vain
        )


def _tell_what_was_known(found: Sweep) -> None:
    """Say on standard error how many variants the store had already."""
    again = sum(one.again for one in found.outcomes)
    if again:
        typer.echo(f"{again:,} of {len(found.outcomes):,} variants had been run before.", err=True)


def _explain(found: Sweep, y: str, *, quiet: bool) -> None:
    """Print which key matters; if ``quiet``, only refuse what can't be explained."""
    from raidsim.report.sweep_table import effects_table

    with named_as_options(effects=True):
        explained = found.effects(y)
    if not quiet:
        console = stdout()
        console.print()
        console.print(effects_table(explained))


def _contents(
    found: Sweep, targets: dict[str, Target | None], x: str | None, y: str, by: str | None
) -> dict[Target, bytes]:
    """Return the content of each file."""
    from raidsim.report import sweep_files, sweep_plot

    made: dict[Target, bytes] = {}
    for form, render in sweep_files.RENDER.items():
        target = targets[form]
        if target is not None:
            made[target] = render(found)
    picture = targets["plot"]
    if picture is not None:
        made[picture] = sweep_plot.render(found, picture.suffix, x, y, by)
    return made
