"""The command ``raidsim import``: files of other tools as a scenario."""

from __future__ import annotations

from typing import Annotated

import typer

from raidsim.commands.options import (
    quantity_of,
    target_of,
)

app = typer.Typer(rich_markup_mode=None)


@app.command("import")
def import_command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE", show_default=False, help="Files that other tools wrote, or folders."
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file instead of standard output."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="NAME", help="The format of the files, if it is not recognised."
        ),
    ] = None,
    array: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this array or device. May be repeated."),
    ] = None,
    group: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Group of jobs, if several run one after the other."),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help='Capacity of the volume, such as "800 GB", for sizes in percent.'
        ),
    ] = None,
    outstanding: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Outstanding I/Os, for statistics."),
    ] = None,
    at_rate: Annotated[
        bool,
        typer.Option("--at-rate", help="Make an open load at the rate of the statistics instead."),
    ] = False,
    random: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE", help="Share of random accesses, such as '80 %', for statistics."
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="NAME", help="The device of the statistics to use.")
    ] = None,
) -> None:
    """Write a scenario from inventories, job files and statistics of other tools."""
    from raidsim.importing.importer import import_files
    from raidsim.importing.wishes import Wishes
    from raidsim.report import output as written

    target = target_of("--output", output, (".toml",))
    written.check([target] if target else [], inputs=files)
    wishes = Wishes(
        group=group,
        capacity=quantity_of("--capacity", capacity, "capacity"),
        outstanding=outstanding,
        at_rate=at_rate,
        random=quantity_of("--random", random, "share"),
        device=device,
    )
    made = import_files(files, form=form, arrays=array or [], wishes=wishes)
    for line in (*made.remarks, *(f"guess: {guess}" for guess in made.guesses)):
        typer.echo(f"{line}", err=True)
    if target:
        written.write({target: made.text.encode()})
    else:
        typer.echo(made.text, nl=False)
