"""The ``raidsim`` command: reads what was typed, calls the library, prints what came of it.

Every import of weight is inside the command that needs it, so that ``raidsim --help``
is immediate. Exit status: 0 done, 1 done, and what was asked about does not hold, 2 the input is
wrong, 70 a bug, 130 interrupted by Ctrl-C; docs/reference/commands.md says it command by command.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from raidsim import (
    accept_cli,
    array_cli,
    attach_cli,
    card_cli,
    check_cli,
    collector,
    compare_cli,
    draw_cli,
    left_out_cli,
    lesson_cli,
    models_cli,
    plan_cli,
    run_cli,
    serve_cli,
    sweep_cli,
    trace_cli,
    waits,
)
from raidsim.cli_options import (
    BUG,
    DOES_NOT_HOLD,
    DONE,
    INPUT_WRONG,
    INTERRUPTED,
    ClaimsFolder,
    Commands,
    HtmlFile,
    JsonFile,
    Overrides,
    ScenarioName,
    Seed,
    SelectionOrSystem,
    WithUnknowns,
    WithUnknownsOfClaims,
    draws,
    folder_of,
    named_as_options,
    quantity_of,
    stdout,
    target_of,
)
from raidsim.errors import InputError, SchemaWarning, TableOverflowError
from raidsim.version import __version__

if TYPE_CHECKING:
    from types import FrameType

    from raidsim.report.output import Target

REPORT = f"This is a bug in raidsim {__version__}: please report "

app = typer.Typer(
    name="raidsim",
    cls=Commands,
    help="Simulates storage: what a measurement of these drives under this load would say,"
    " and what limits it.",
    epilog="Exit status: 0 done; 1 done, and a claim does not hold (validate, calibrate), a result"
    " does not agree (judge), a load is saturated (run), a figure is missed (card fit), no design"
    " meets the need (plan), a check has failed (crash-test), parity or copies do not agree (array"
    " scrub) or something is found that is as severe as --fail-on says (check); 2 the input is"
    " wrong; 70 a bug in raidsim; 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("run", cls=WithUnknowns)(run_cli.run_command)
for group in (
    sweep_cli,
    compare_cli,
    accept_cli,
    array_cli,
    attach_cli,
    card_cli,
    check_cli,
    draw_cli,
    left_out_cli,
    lesson_cli,
    serve_cli,
    trace_cli,
    plan_cli,
):
    app.add_typer(group.app)


class Role(StrEnum):
    """What a claim may be used for."""

    calibration = "calibration"
    prediction = "prediction"


class Op(StrEnum):
    """What a request does."""

    read = "read"
    write = "write"


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


@app.command("validate", cls=WithUnknownsOfClaims)
def validate_command(
    selection: SelectionOrSystem = None,
    role: Annotated[
        Role | None, typer.Option(help="Only claims that were fitted to, or only those predicted.")
    ] = None,
    claims: ClaimsFolder = None,
    json: JsonFile = None,
    html: HtmlFile = None,
    unknowns: Annotated[
        int | None,
        typer.Option(
            metavar="[N]",
            help="Say how many printed figures lie within what cards leave open: N draws, or 24.",
        ),
    ] = None,
) -> None:
    """Compare the simulation with published figures, claim by claim."""
    from raidsim.report import output
    from raidsim.report.progress import Bar

    to_json = target_of("--json", json, stdout=True)
    to_html = target_of("--html", html, (".html", ".htm"))
    output.check((target for target in (to_json, to_html) if target), inputs=selection or [])

    from raidsim.kernel import is_compiled
    from raidsim.validate import validate

    # Processes that start together before the kernel is compiled would each compile it.
    compiled = is_compiled()
    with Bar() as bar, named_as_options(unknowns=unknowns):
        report = validate(
            selection or [],
            role.value if role else None,
            on_progress=bar.on_job,
            processes=compiled,
            unknowns=draws(unknowns),
            folder=folder_of("--claims", claims),
        )

    contents: dict[Target, bytes] = {}
    if to_json:
        from raidsim.report import json_file

        contents[to_json] = json_file.render(report.to_dict())
    if to_html:
        from raidsim.validate.page import render

        with Bar() as bar:
            page = render(report, bar.on_job, processes=compiled)
        contents[to_html] = page.encode("utf-8")

    def show() -> None:
        from raidsim.validate.tables import everything

        stdout().print(everything(report))

    output.deliver(contents, show)
    if not report.all_hold:
        raise typer.Exit(DOES_NOT_HOLD)


@app.command("judge")
def judge_command(
    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO", help="A scenario, or the expectations that raidsim accept wrote."
        ),
    ],
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

    if accept_cli.is_expectations(scenario):
        accept_cli.judge_delivery(
            scenario, results, form, json,
            {"--volume": volume, "--random": random, "--outstanding": outstanding,
             "--set": overrides or None, "--seed": seed},
        )  # fmt: skip
        return
    to_json = target_of("--json", json, stdout=True)
    loaded = scenarios.load(scenario, overrides=overrides or [], seed=seed)

    from raidsim.judge import Given, judge, read_results

    given, measured = Given.of_texts(random, outstanding), read_results(results, form)
    output.check([to_json] if to_json else [], inputs=[loaded.path, *results])
    with Bar() as bar:
        judgement = judge(loaded, measured, volume, bar.on_share, given)
    report.deliver(judgement, to_json, stdout())
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
        typer.Option(
            "--format", metavar="NAME", help="The format of the files, where it is not recognised."
        ),
    ] = None,
    array: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this array or device. May be repeated."),
    ] = None,
    group: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Which group of jobs, if several run in turn."),
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


@app.command("calibrate")
def calibrate_command(
    card: Annotated[str, typer.Argument(metavar="CARD", help="A card; with --fio or a scenario.")],
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
    slopes: Annotated[
        bool, typer.Option("--slopes", help="Move nothing: take sensitivities and errors anew.")
    ] = False,
    fio: models_cli.FioResults = None,
    volume: models_cli.MeasuredVolume = None,
    output_file: models_cli.LearnedCard = None,
    json: JsonFile = None,
) -> None:
    """Fit a card to its calibration claims, or to results of fio, and write it."""
    models_cli.refuse_what_says_nothing(
        learns=fio is not None,
        of_results={"--volume": volume, "--output": output_file},
        of_claims={
            "--jointly": jointly, "--claims": claims, "--starts": starts,
            "--dry-run": dry_run or None, "--slopes": slopes or None,
        },
    )  # fmt: skip
    if fio is not None:
        models_cli.learn_from_fio(card, fio, volume, output_file, json)
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
    output.deliver(contents, lambda: stdout().print(report))
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
    explain_text.print_explanation(explanation, stdout())


app.command("models")(models_cli.models_command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with the arguments given, or with those typed, and exit.

    Wrong input ends in one message per problem on standard error and status 2; Ctrl-C in
    status 130. A reader that goes away (``| head``) ends the command quietly.
    """
    if hasattr(signal, "SIGPIPE") and arguments is None:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # an ASCII terminal shows ? rather than failing
            stream.reconfigure(errors="replace")
    collector.run_seldom()
    status = _status(arguments)
    if status == INTERRUPTED and waits.is_making():  # a compiler, which can't be stopped
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def _replace_closed_streams() -> None:
    """Let what goes to a standard stream that the shell has closed (``>&-``) go nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


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
