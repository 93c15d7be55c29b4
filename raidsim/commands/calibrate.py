"""The command ``raidsim calibrate``: fits a card to claims, or to results of fio."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from raidsim.commands.options import (
    DOES_NOT_HOLD,
    ClaimsFolder,
    JsonFile,
    folder_of,
    stdout,
    target_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from raidsim.calibrate.learned import OwnResults
    from raidsim.cards import Card
    from raidsim.report.output import Target
    from raidsim.scenario import Scenario

app = typer.Typer(rich_markup_mode=None)


FioResults = Annotated[
    list[str] | None,
    typer.Option(
        "--fio", metavar="RESULT", help="Results that you measured; may be repeated (JSON of fio)."
    ),
]
MeasuredVolume = Annotated[
    str | None,
    typer.Option(
        "--volume", metavar="NAME", help="--fio: the measured volume, if there are several."
    ),
]
CARD = ".toml"
LearnedCard = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="With --fio: the file for the card of the drive, or a folder for the cards of all"
        " parts.",
    ),
]
ALONE = """
schema = 1
title = "{name}, alone"
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
level = "single"
drives = 1
drive = "{path}"
[[load]]
name = "reads"
read = "100 %"
random = "100 %"
size = "4 KiB"
outstanding = [1]
"""
"""The scenario of a card of a drive that was measured, if none is given."""


@app.command("calibrate")
def calibrate_command(
    card: Annotated[
        str, typer.Argument(metavar="CARD", help="A card; with --fio a card or a scenario.")
    ],
    jointly: Annotated[
        list[str] | None,
        typer.Option(metavar="CARD", help="Fit this card at the same time. May be repeated."),
    ] = None,
    claims: ClaimsFolder = None,
    starts: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Starting points; 1 is quick.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the result of a fit, and write nothing.")
    ] = False,
    slopes: Annotated[
        bool,
        typer.Option("--slopes", help="Fit nothing: compute sensitivities and errors again."),
    ] = False,
    fio: FioResults = None,
    volume: MeasuredVolume = None,
    output_file: LearnedCard = None,
    json: JsonFile = None,
) -> None:
    """Fit a card to its calibration claims, or to results of fio, and write it."""
    _refuse_what_says_nothing(
        learns=fio is not None,
        of_results={"--volume": volume, "--output": output_file},
        of_claims={
            "--jointly": jointly, "--claims": claims, "--starts": starts,
            "--dry-run": dry_run or None, "--slopes": slopes or None,
        },
    )  # fmt: skip
    if fio is not None:
        _learn_from_fio(card, fio, volume, output_file, json)
        return
    from raidsim.calibrate import STARTS, calibrate
    from raidsim.report import output
    from raidsim.report.progress import Bar

    to_json = target_of("--json", json, stdout=True)
    output.check([to_json] if to_json else [], inputs=[card, *(jointly or [])])

    with Bar() as bar:
        report = calibrate(
            card,
            jointly or [],
            starts=starts or STARTS,
            write=not dry_run,
            move=not slopes,
            on_progress=bar.on_job,
            on_estimate=bar.say,
            folder=folder_of("--claims", claims),
        )
    contents = {}
    if to_json:
        from raidsim.report import json_file

        contents[to_json] = json_file.render(report.to_dict())

    def show() -> None:
        from raidsim.report.calibration import everything

        stdout().print(everything(report))

    output.deliver(contents, show)
    if not report.all_hold:
        raise typer.Exit(DOES_NOT_HOLD)


def _refuse_what_says_nothing(
    *, learns: bool, of_results: Mapping[str, object], of_claims: Mapping[str, object]
) -> None:
    """Refuse options of calibrate that say nothing: a fit to claims has others than one to results.

    ``of_results`` and ``of_claims`` are options of the two, with None for what was not given.
    """
    from raidsim.errors import InputError, Problem

    others, cause = (
        (of_claims, "has no effect beside --fio")
        if learns
        else (of_results, "has no effect without --fio")
    )
    remedy = "leave it out" if learns else "give the results that you measured"
    if given := [option for option, value in others.items() if value is not None]:
        raise InputError([Problem(None, None, option, cause, remedy) for option in given])


def _learn_from_fio(
    name: str, files: list[str], volume: str | None, output_file: str | None, json: str | None
) -> None:
    """Condition what a scenario's cards leave open by measurements, and write the drive's card."""
    from raidsim.calibrate.learned_card import measured_cards
    from raidsim.calibrate.own_results import learn
    from raidsim.judge import read_results
    from raidsim.report import json_file, output
    from raidsim.report.console import ReportConsole
    from raidsim.report.learned import print_learned, print_written
    from raidsim.report.progress import Bar

    scenario = _measured_system(name)
    results = read_results(files)
    to_json = target_of("--json", json, stdout=True)
    folder, card = None, None
    if output_file is not None and (Path(output_file).is_dir() or not Path(output_file).suffix):
        folder = output.Folder("--output", output_file)
    else:
        card = target_of("--output", output_file, (CARD,))
    asked = [one for one in (to_json, card) if one]
    if folder is not None:
        folder.check(asked)
    output.check(asked, inputs=[scenario.path, *files])
    with Bar() as bar:
        found = learn(scenario, results, volume, bar.on_share)
    parts = measured_cards(scenario, found, volume)
    written: dict[str, Card] = {}
    if card:
        written = {card.path: parts[0]}
    elif folder is not None:
        folder.make()
        written = {folder.file(f"{one.name}-measured{CARD}").path: one for one in parts}
    output.write(_texts(written, found))
    contents = {to_json: json_file.render(found.to_dict())} if to_json else {}
    console = ReportConsole(sys.stdout)
    output.deliver(contents, lambda: print_learned(found, console))
    if written and not (to_json and to_json.to_stdout):
        print_written(found, written, parts, console)
    if not all(one.agrees for one in found.figures):
        raise typer.Exit(DOES_NOT_HOLD)


def _texts(written: Mapping[str, Card], found: OwnResults) -> dict[Target, bytes]:
    """The cards to write, each as a card that can be read from its place."""
    from raidsim.calibrate.learned_card import card_text, check_text
    from raidsim.report.output import Target

    contents = {}
    for path, card in written.items():
        text = card_text(card, found, Path(path))
        check_text(text, Path(path))
        contents[Target("--output", path)] = text.encode()
    return contents


def _measured_system(name: str) -> Scenario:
    """The scenario of a name or path; of a card of a drive that drive alone on a server."""
    from raidsim import cards
    from raidsim import scenario as scenarios
    from raidsim.cards.attributes import DRIVE_KINDS
    from raidsim.errors import InputError

    try:
        card = cards.load(name)
    except InputError:
        return scenarios.load(name)
    if card.kind not in DRIVE_KINDS:
        return scenarios.load(name)
    text = ALONE.format(name=card.name, path=card.path.resolve())
    return scenarios.Scenario.from_text(text)
