"""The ``raidsim`` command: parses the command line, calls the library, prints the result.

The commands are in :mod:`raidsim.commands`. Exit status: 0 done; 1 done, and the tested condition
does not hold; 2 the input is wrong; 70 a bug; 130 interrupted by Ctrl-C.
docs/reference/commands.md gives it for each command.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from raidsim import progress
from raidsim.commands import (
    accept,
    array,
    attach,
    calibrate,
    card,
    check,
    compare,
    draw,
    explain,
    import_,
    judge,
    leave_out,
    lesson,
    models,
    plan,
    run,
    serve,
    sweep,
    trace,
    validate,
)
from raidsim.commands.options import BUG, DONE, INPUT_WRONG, INTERRUPTED, TERMINATED, Commands
from raidsim.errors import InputError, SchemaWarning, TableOverflowError
from raidsim.version import __version__
from raidsim.workers import garbage_collector

if TYPE_CHECKING:
    from types import FrameType

REPORT = f"This is a bug in raidsim {__version__}: please report "

app = typer.Typer(
    name="raidsim",
    cls=Commands,
    help="Simulates storage: what a measurement of these drives under this load would show,"
    " and what limits it.",
    epilog="Exit status: 0 done; 1 done, and a claim does not hold (validate, calibrate), a result"
    " does not agree (judge), a load is saturated (run), a figure is missed (card fit), no design"
    " meets the need (plan), a check has failed (crash-test), parity or copies do not agree (array"
    " scrub) or something is found that is as severe as --fail-on says (check); 2 the input is"
    " wrong; 70 a bug in raidsim; 130 interrupted; 143 ended by SIGTERM.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for group in (
    run,
    validate,
    judge,
    import_,
    calibrate,
    explain,
    models,
    sweep,
    compare,
    accept,
    array,
    attach,
    card,
    check,
    draw,
    leave_out,
    lesson,
    serve,
    trace,
    plan,
):
    app.add_typer(group.app)


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


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with the arguments given, or with those typed, and exit.

    Wrong input ends in one message per problem on standard error and status 2; Ctrl-C in
    status 130, SIGTERM in 143. A reader that goes away (``| head``) ends the command quietly.
    """
    if hasattr(signal, "SIGPIPE") and arguments is None:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # an ASCII terminal shows ? rather than failing
            stream.reconfigure(errors="replace")
    garbage_collector.run_seldom()
    status = _status(arguments)
    # A compiler cannot be stopped.
    if status in (INTERRUPTED, TERMINATED) and progress.is_making():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    # Python remembers an interrupt of code that was given to `exec` as a text, as dataclasses do
    # when a module is loaded, and would end by SIGINT instead of with the status, although the
    # interrupt was caught. The next such text makes it forget.
    exec("")
    sys.exit(status)


def _replace_closed_streams() -> None:
    """Let what goes to a standard stream that the shell has closed (``>&-``) go nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115


def _status(arguments: Sequence[str] | None) -> int:
    """Exit status of a command line."""
    # Ctrl-C, of which a library in the middle of compiling may make more; or SIGTERM, which a
    # batch system sends when the time of a job is over.
    pressed: list[int] = []

    def press(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTERM and number in pressed:
            return  # `timeout` sends it twice, and the first one is being obeyed
        pressed.append(number)
        signal.default_int_handler(number, frame)

    usual: dict[int, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    ours = [number for number, handler in usual.items() if signal.getsignal(number) is handler]
    for number in ours:
        signal.signal(number, press)
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
        return TERMINATED if signal.SIGTERM in pressed else INTERRUPTED
    except OSError as error:
        where = error.filename or "standard output"
        return _fail(f"{where}: {error.strerror or error}")
    except Exception:  # noqa: BLE001 - the last resort, which says that this is not the user's fault
        if pressed:
            typer.echo("Interrupted.", err=True)
            return TERMINATED if signal.SIGTERM in pressed else INTERRUPTED
        traceback.print_exc()
        typer.echo(f"{REPORT}the lines above.", err=True)
        return BUG
    finally:
        for number in ours:
            if signal.getsignal(number) is press:
                signal.signal(number, usual[number])
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
