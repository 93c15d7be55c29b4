"""The ``raidsim`` command: reads what was typed, calls the library, prints what came of it.

Every import of weight is inside the command that needs it, so that ``raidsim --help``
is immediate. Exit status: 0 done, 1 a claim does not hold, a result does not agree or a load is
saturated, 2 the input is wrong, 130 interrupted by Ctrl-C.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from raidsim import card_cli, left_out_cli, trace_cli
from raidsim.errors import InputError, SchemaWarning, TableOverflowError
from raidsim.result import Interrupted
from raidsim.version import __version__

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    from raidsim.fio.written import Kept
    from raidsim.observe.ios import Keeper
    from raidsim.report.console import ReportConsole
    from raidsim.report.output import Folder, Target
    from raidsim.result import Result
    from raidsim.scenario import Scenario

DONE, DOES_NOT_HOLD, INPUT_WRONG, BUG, INTERRUPTED = 0, 1, 2, 70, 130
REPORT = f"This is a bug in raidsim {__version__}: please report "

app = typer.Typer(
    name="raidsim",
    help="Simulates storage: what a measurement of these drives under this load would say,"
    " and what limits it.",
    epilog="Exit status: 0 done, 1 a claim does not hold, a result does not agree or a load is"
    " saturated, 2 the input is wrong, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for group in (card_cli, left_out_cli, trace_cli):
    app.add_typer(group.app)


class Role(StrEnum):
    """What a claim may be used for."""

    calibration = "calibration"
    prediction = "prediction"


class Op(StrEnum):
    """What a request does."""

    read = "read"
    write = "write"


ScenarioName = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="Path of a scenario file, or the name of one.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a key of the scenario, as in load.outstanding=32. May be repeated.",
    ),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed, in place of the scenario's.")]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")
]
HtmlFile = Annotated[
    str | None,
    typer.Option("--html", metavar="FILE", help="Write one HTML page that opens offline."),
]


ClaimsFolder = Annotated[
    str | None,
    typer.Option("--claims", metavar="FOLDER", help="Files of claims, in place of raidsim's own."),
]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"raidsim {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Take the options that stand before the command."""


@app.command("run")
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
        typer.Option(
            "--fio", metavar="FOLDER", help="Write each point as JSON of fio, as fio-plot reads it."
        ),
    ] = None,
    fio_logs: Annotated[
        bool, typer.Option("--fio-logs", help="Write fio's logs of each I/O there as well.")
    ] = False,
) -> None:
    """Simulate a scenario: throughput, latency and what limits."""
    from raidsim import scenario as scenarios
    from raidsim.report import output, progress, table
    from raidsim.report.contents import contents_of

    targets = {
        "json": _target("--json", json, stdout=True),
        "csv": _target("--csv", csv),
        "html": _target("--html", html, (".html", ".htm")),
        "plot": _target("--plot", plot, (".png", ".svg")),
    }
    loaded = progress.shown(scenarios.load, scenario, overrides=overrides or [], seed=seed)
    output.check((t for t in targets.values() if t), inputs=[loaded.path])
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
    except Interrupted as end:
        result = end.result

    contents = contents_of(result, targets)
    if folder is not None and keeper is not None:
        contents |= _fio_files(folder, loaded, result, keeper)
    try:
        output.write(contents)
    finally:  # a full disk does not take the figures from the user
        if not any(target.to_stdout for target in contents):
            table.print_result(result, _stdout())
    if result.interrupted:
        typer.echo("The points that were finished are kept.", err=True)
        raise typer.Exit(INTERRUPTED)
    if not result.is_carried:
        raise typer.Exit(DOES_NOT_HOLD)


@app.command("validate")
def validate_command(
    selection: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DOCUMENT|CLAIM",
            show_default=False,
            help="Only these: part of a document's name, a claim, or the beginning of one.",
        ),
    ] = None,
    role: Annotated[
        Role | None, typer.Option(help="Only claims that were fitted to, or only those predicted.")
    ] = None,
    claims: ClaimsFolder = None,
    json: JsonFile = None,
    html: HtmlFile = None,
) -> None:
    """Compare the simulation with published figures, claim by claim."""
    from raidsim.report import output
    from raidsim.report.progress import Bar

    to_json = _target("--json", json, stdout=True)
    to_html = _target("--html", html, (".html", ".htm"))
    output.check(target for target in (to_json, to_html) if target)

    from raidsim.kernel import is_compiled
    from raidsim.validate import validate

    # Processes that start together before the kernel is compiled would each compile it.
    compiled = is_compiled()
    with Bar() as bar:
        report = validate(
            selection or [],
            role.value if role else None,
            on_progress=bar.on_job,
            processes=compiled,
            folder=_folder(claims),
        )

    contents: dict[Target, bytes] = {}
    if to_json:
        from raidsim.report import json_file

        contents[to_json] = json_file.render(report.to_dict())
    if to_html:
        from raidsim.validate.page import render

        contents[to_html] = render(report).encode("utf-8")
    try:
        output.write(contents)
    finally:
        if not (to_json and to_json.to_stdout):
            from raidsim.validate.tables import everything

            _stdout().print(everything(report))
    if not report.all_hold:
        raise typer.Exit(DOES_NOT_HOLD)


@app.command("judge")
def judge_command(
    scenario: ScenarioName,
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT",
            show_default=False,
            help="Results of fio (JSON, logs), vdbench (its .html) or Iometer (.csv).",
        ),
    ],
    volume: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The volume that was measured, if there are several."),
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", metavar="NAME", help="Form of the results.")
    ] = None,
    random: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Of random accesses, if results lack it.")
    ] = None,
    outstanding: Annotated[
        int | None, typer.Option(min=1, max=65536, metavar="N", help="I/Os, if results lack it.")
    ] = None,
    overrides: Overrides = None,
    seed: Seed = None,
    json: JsonFile = None,
) -> None:
    """Put measured results beside a scenario, and simulate what may explain a difference."""
    from raidsim import scenario as scenarios
    from raidsim.report import judgement as report
    from raidsim.report import output
    from raidsim.report.progress import Bar

    to_json = _target("--json", json, stdout=True)
    loaded = scenarios.load(scenario, overrides=overrides or [], seed=seed)

    from raidsim.judge import Given, judge, read_results

    given, measured = Given.of_texts(random, outstanding), read_results(results, form)
    output.check([to_json] if to_json else [], inputs=[loaded.path, *results])
    with Bar() as bar:
        judgement = judge(loaded, measured, volume, bar.on_share, given)
    report.deliver(judgement, to_json, _stdout())
    if not judgement.all_agree:
        raise typer.Exit(DOES_NOT_HOLD)


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
        typer.Option("--output", "-o", metavar="FILE", help="Write there, not to standard output."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="What the files are, if it is not told."),
    ] = None,
    array: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this array or device. May be repeated."),
    ] = None,
    phase: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Which, if the jobs of a file run in several."),
    ] = None,
    capacity: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help='Of the volume, as in "800 GB": for sizes in percent.'),
    ] = None,
    outstanding: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="I/Os at a time, for statistics: they do not tell."),
    ] = None,
    at_rate: Annotated[
        bool, typer.Option("--at-rate", help="Or the rate that statistics tell, whatever is open.")
    ] = False,
    random: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Random accesses, as in '80 %', for statistics."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which one of the statistics is meant.")
    ] = None,
) -> None:
    """Write a scenario of what inventories, job files and statistics of other tools say."""
    from raidsim.importing.importer import import_files
    from raidsim.importing.wishes import Wishes
    from raidsim.report import output as written

    target = _target("--output", output, (".toml",))
    written.check([target] if target else [], inputs=files)
    wishes = Wishes(
        phase=phase,
        capacity=_quantity("--capacity", capacity, "capacity"),
        outstanding=outstanding,
        at_rate=at_rate,
        random=_quantity("--random", random, "share"),
        device=device,
    )
    made = import_files(files, form=form, arrays=array or [], wishes=wishes)
    for line in (*made.remarks, *(f"guess: {guess}" for guess in made.guesses)):
        typer.echo(f"{line}", err=True)
    if target:
        written.write({target: made.text.encode()})
    else:
        typer.echo(made.text, nl=False)


def _quantity(option: str, text: str | None, dimension: str) -> float | None:
    """The value of an option with a unit."""
    from raidsim import units
    from raidsim.errors import Problem

    if text is None:
        return None
    try:
        return units.parse(text, dimension)
    except units.QuantityError as error:
        raise InputError([Problem(None, None, option, error.cause, error.remedy)]) from None


@app.command("calibrate")
def calibrate_command(
    card: Annotated[str, typer.Argument(metavar="CARD", help="A model, or the path of a card.")],
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
        bool, typer.Option("--dry-run", help="Show what a fit finds, and write nothing.")
    ] = False,
    json: JsonFile = None,
) -> None:
    """Fit a card to its calibration claims, and write it back."""
    from raidsim.calibrate import STARTS, calibrate
    from raidsim.report import output
    from raidsim.report.progress import Bar

    to_json = _target("--json", json, stdout=True)
    output.check([to_json] if to_json else [])

    with Bar() as bar:
        report = calibrate(
            card,
            jointly or [],
            starts=starts or STARTS,
            write=not dry_run,
            on_progress=bar.on_job,
            on_estimate=bar.say,
            folder=_folder(claims),
        )
    try:
        if to_json:
            from raidsim.report import json_file

            output.write({to_json: json_file.render(report.to_dict())})
    finally:
        if not (to_json and to_json.to_stdout):
            _stdout().print(report)
    if not report.all_hold:
        raise typer.Exit(DOES_NOT_HOLD)


@app.command("explain")
def explain_command(
    scenario: ScenarioName,
    op: Annotated[Op, typer.Argument(metavar="read|write", help="What the request does.")],
    offset: Annotated[
        str, typer.Argument(metavar="OFFSET", help='Its first byte: bytes, or as in "4 KiB".')
    ],
    length: Annotated[
        str, typer.Argument(metavar="LENGTH", help='Its size: bytes, or as in "64 KiB".')
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
    explain_text.print_explanation(explanation, _stdout())


@app.command("models")
def models_command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", show_default=False, help="A model, or the path of a card."),
    ] = None,
) -> None:
    """List the models of hardware, or show one with its sources."""
    from raidsim import cards
    from raidsim.report import cards_table

    if name is None:
        cards_table.print_catalogue(cards.catalogue(), _stdout())
    else:
        cards_table.print_card(cards.load(name), _stdout())


@app.command("check")
def check_command(scenario: ScenarioName, overrides: Overrides = None) -> None:
    """Show what a scenario holds, how likely it loses data, and what is wrong or risky in it."""
    from raidsim import scenario as scenarios
    from raidsim.report.progress import Bar, shown

    loaded = shown(scenarios.load, scenario, overrides=overrides or [])

    from raidsim.report import check_text
    from raidsim.risk.assess import assess_all

    with Bar():
        risks = assess_all(loaded)
    check_text.print_check(loaded, risks, _stdout())


def _target(
    option: str, path: str | None, suffixes: tuple[str, ...] = (), *, stdout: bool = False
) -> Target | None:
    from raidsim.report.output import Target

    return None if path is None else Target(option, path, suffixes, stdout)


def _fio_folder(path: str | None, logs: bool) -> Folder | None:
    """Where files of fio go, if any are wanted."""
    from raidsim.errors import Problem
    from raidsim.report.output import Folder

    if path is None and logs:
        cause = "there is no folder for the logs"
        raise InputError([Problem(None, None, "--fio-logs", cause, "give --fio FOLDER as well")])
    return None if path is None else Folder("--fio", path)


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


def _folder(path: str | None) -> Path | None:
    from pathlib import Path

    return None if path is None else Path(path)


def _stdout() -> ReportConsole:
    from raidsim.report.console import ReportConsole

    return ReportConsole(sys.stdout)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with the arguments given, or with those typed, and exit.

    Wrong input ends in one message per problem on standard error and status 2; Ctrl-C in
    status 130. A reader that goes away (``| head``) ends the command quietly.
    """
    if hasattr(signal, "SIGPIPE") and arguments is None:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # an ASCII terminal shows ? rather than failing
            stream.reconfigure(errors="replace")
    sys.exit(_status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    """Exit status of a command line."""
    pressed: list[int] = []  # Ctrl-C, of which a library in the middle of compiling may make more

    def press(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, press)
    try:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", SchemaWarning)
                warnings.showwarning = partial(_show_warning, warnings.showwarning)
                app(args=arguments, prog_name="raidsim")
        except SystemExit as end:
            sys.stdout.flush()
            if end.code == INTERRUPTED:  # typer has taken the interrupt
                raise KeyboardInterrupt from None
            return end.code if isinstance(end.code, int) else DONE
    except InputError as error:
        return _fail(str(error))
    except TableOverflowError as error:
        typer.echo(f"internal error: {error}. {REPORT}this line and the command.", err=True)
        return BUG
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        return INTERRUPTED
    except OSError as error:
        where = error.filename or "standard output"
        return _fail(f"{where}: {error.strerror or error}")
    except Exception:  # noqa: BLE001 - the last resort, which says that this is not the user's fault
        if pressed:
            typer.echo("Interrupted.", err=True)
            return INTERRUPTED
        traceback.print_exc()
        typer.echo(f"{REPORT}the lines above.", err=True)
        return BUG
    finally:
        if signal.getsignal(signal.SIGINT) is press:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    return DONE


def _show_warning(
    usual: Callable[..., None], message: Warning | str, kind: type[Warning], *place: Any
) -> None:
    """Say in a line what was changed in a file of an older schema; others are shown as ever."""
    if issubclass(kind, SchemaWarning):
        typer.echo(str(message), err=True)
    else:
        usual(message, kind, *place)


def _fail(message: str) -> int:
    typer.echo(message, err=True)
    return INPUT_WRONG
