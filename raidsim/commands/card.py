"""The commands ``raidsim card ...``: cards from data sheets."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from raidsim.commands.options import JsonFile, target_of

MISSED = 1
"""Exit status if a rated figure is missed."""

app = typer.Typer(
    name="card",
    help="Make cards with which a simulation gives the figures of a data sheet.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("new")
def new_command(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", show_default=False, help="ssd, hdd, controller or host."),
    ],
    name: Annotated[
        str, typer.Argument(metavar="NAME", show_default=False, help="The name of the card.")
    ],
    like: Annotated[
        str | None,
        typer.Option(
            metavar="CARD",
            help="The card of a similar part; the new card has its values until you give others.",
        ),
    ] = None,
    maker: Annotated[str, typer.Option(metavar="TEXT", help="Maker of the part.")] = "",
    year: Annotated[int | None, typer.Option(metavar="YEAR", help="Year of its launch.")] = None,
    cells: Annotated[
        str, typer.Option(metavar="slc|mlc|tlc|qlc", help="Cells of the flash: 1 to 4 bits.")
    ] = "",
    interface: Annotated[
        str, typer.Option(metavar="sata|sas|nvme", help="Interface of a drive: chooses its base.")
    ] = "",
    rpm: Annotated[
        int | None,
        typer.Option(metavar="RPM", help="Speed of a disk: chooses its base, with --interface."),
    ] = None,
    slc_cache: Annotated[
        bool,
        typer.Option("--slc-cache", help="The drive has an SLC cache, as most client drives."),
    ] = False,
    no_dram: Annotated[
        bool,
        typer.Option("--no-dram", help="The drive has no DRAM: its map is on flash."),
    ] = False,
    output_file: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file instead of NAME.toml."
        ),
    ] = None,
) -> None:
    """Write a card to fill in from a data sheet."""
    from pathlib import Path

    from raidsim import cards
    from raidsim.cards.bases import chosen_base, stores_in_flash, warnings
    from raidsim.cards.stub import inherits, stub
    from raidsim.errors import InputError, Problem
    from raidsim.report import output
    from raidsim.report.output import Target

    base = None if like is None else cards.load(like)
    dram = False if no_dram else None if base else True  # of a base that nobody chose
    remarks: list[str] = []
    if interface or slc_cache or rpm is not None:
        base, why = chosen_base(
            kind,
            interface,
            base,
            cells=cells,
            year=year,
            slc_cache=slc_cache,
            maker=maker,
            rpm=rpm,
        )
        remarks.append(why)
        like = base.name
    if base is not None and kind == base.kind and stores_in_flash(kind):
        has = slc_cache if interface else None
        remarks += warnings(base, cells=cells, year=year, slc_cache=has)
    place = Path(output_file or f"{name}.toml")
    text = stub(
        kind,
        name,
        base,
        place=place,
        like_name=like or "",
        maker=maker,
        year=year,
        cells=cells,
        slc_cache=slc_cache,
        dram=dram,
        rpm=rpm,
        remarks=remarks,
    )
    target = Target("--output", str(place), (".toml",))
    output.check([target])
    if place.exists():
        cause, remedy = "is there already", "choose another name, or change that one"
        raise InputError([Problem(str(place), None, "--output", cause, remedy)])
    output.write({target: text.encode()})
    typer.echo(f"Wrote {place}: fill in [rated], then raidsim card fit {shlex.quote(str(place))}.")
    for remark in remarks:
        typer.echo(remark)
    if base is not None:
        typer.echo(inherits(base, maker))
    else:
        typer.echo(
            "Without --like or --interface, lines that begin with # and have no [[ are to be"
            " filled in too, but for those that [rated] makes needless."
        )


@app.command("disksim")
def disksim_command(
    card: Annotated[
        str,
        typer.Argument(metavar="CARD", show_default=False, help="Card of a measured disk."),
    ],
    folder: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FOLDER", help="Write them there; otherwise here."),
    ] = ".",
) -> None:
    """Write a measured disk as DiskSim's files: specification, model, seek curve."""
    from raidsim import cards
    from raidsim.disksim import files_of
    from raidsim.report import output
    from raidsim.report.output import Folder

    chosen = Folder("--output", folder)
    chosen.check([])
    found = cards.load(card)
    texts = files_of(found, found.name)
    targets = {chosen.file(name): text.encode() for name, text in texts.items()}
    output.check(list(targets))
    output.write(targets)
    typer.echo(f"Wrote {', '.join(texts)}.")


@app.command("fit")
def fit_command(
    card: Annotated[
        str, typer.Argument(metavar="CARD", show_default=False, help="A card with [rated].")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing, only show the result.")
    ] = False,
    slopes: Annotated[
        bool,
        typer.Option("--slopes", help="Fit nothing: compute sensitivities and errors again."),
    ] = False,
    json: JsonFile = None,
) -> None:
    """Find the values of a card that give the figures of its data sheet."""
    from raidsim.calibrate.card_fit import fit_card
    from raidsim.report import json_file, output
    from raidsim.report.card_fit import print_fit
    from raidsim.report.console import ReportConsole
    from raidsim.report.progress import Bar

    target = target_of("--json", json, stdout=True)
    output.check([target] if target else [], inputs=[card])
    with Bar() as bar:
        found = fit_card(
            card,
            write=not dry_run,
            move=not slopes,
            on_progress=bar.on_job,
            on_estimate=bar.say,
        )
    contents = {target: json_file.render(found.to_dict())} if target else {}
    output.deliver(contents, lambda: print_fit(found, ReportConsole(sys.stdout)))
    if not found.all_met:
        raise typer.Exit(MISSED)
