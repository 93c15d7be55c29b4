"""What commands have in common: arguments and options, and where output goes."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer._click import Context

    from raidsim.errors import InputError
    from raidsim.report.console import ReportConsole
    from raidsim.report.output import Target

DONE, DOES_NOT_HOLD, INPUT_WRONG, BUG, INTERRUPTED = 0, 1, 2, 70, 130
TERMINATED = 143

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
Seed = Annotated[int | None, typer.Option(metavar="N", help="Seed instead of the scenario's.")]
JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")
]
HtmlFile = Annotated[
    str | None,
    typer.Option("--html", metavar="FILE", help="Write one HTML page that opens offline."),
]

StoreFile = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="SQLite file that keeps results; results in it are not run again.",
    ),
]
WorkerCount = Annotated[
    int | None,
    typer.Option("--workers", min=1, metavar="N", help="Processes; by default one per processor."),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Run on a Dask cluster: its scheduler."),
]
Selection = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DOCUMENT|CLAIM",
        show_default=False,
        help="Only these: part of a document's name, a claim, or the beginning of one.",
    ),
]
SelectionOrSystem = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DOCUMENT|CLAIM|SCENARIO",
        show_default=False,
        help="Only these: part of a document's name, a claim, or the beginning of one; or the file"
        " of a scenario, for the claims about its parts.",
    ),
]
ClaimsFolder = Annotated[
    str | None,
    typer.Option("--claims", metavar="FOLDER", help="Files of claims instead of raidsim's own."),
]
PAGES = (".html", ".htm")
PICTURES = (".png", ".svg")
"""How the names of files end that a kind of output is written to."""

UNKNOWNS = "--unknowns"
_ARGUMENTS = {"systems": "SYSTEM"}
"""What has no name of an option: it stands on the command line as it is."""


_USAGE = cast("type[Exception]", typer.BadParameter.__mro__[1])
"""What the library raises for all that can be wrong with a command line; it has no public name."""
_EXTRA = r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)"
_NO_COMMAND = r"No such command '(.*?)'(?:\. Did you mean (.*)\?)?"


class Commands(TyperGroup):
    """Commands that refuse what is wrong with a command line as files are refused: in one line."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read what stands before the name of a command.

        Raises
        ------
        InputError
            There is no such option, or it has a value that it can't have.
        """
        with _in_one_line(self):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Context) -> Any:
        """Run the command that was named.

        Raises
        ------
        InputError
            There is no such command or option, something is missing or too much, or an option or
            an argument has a value that it can't have.
        """
        with _in_one_line(self):
            return super().invoke(ctx)


@contextmanager
def _in_one_line(group: TyperGroup) -> Iterator[None]:
    """Refuse what is wrong with a command line by an InputError."""
    try:
        yield
    except _USAGE as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # which is help, and not wrong
            raise
        raise _refusal(error, group) from None


def _wanted(option: str, group: TyperGroup) -> set[str]:
    """Return the placeholders of an option's value in the help of the commands that have it."""
    found: set[str] = set()
    for command in group.commands.values():
        if isinstance(command, TyperGroup):
            found |= _wanted(option, command)
        for one in command.params:
            if option in one.opts and one.metavar:
                help_line = str(getattr(one, "help", "") or "")
                found.add(one.metavar + (", or -" if "- is standard output" in help_line else ""))
    return found


def _refusal(error: Any, group: TyperGroup) -> InputError:
    """Return in words what is wrong with a command line."""
    from raidsim.errors import InputError, Problem

    remedy = f"{error.ctx.command_path} -h says what it takes" if error.ctx else None
    place = None
    kind, message = type(error).__name__, error.message.rstrip(".")
    extra, command = (re.fullmatch(one, message, re.DOTALL) for one in (_EXTRA, _NO_COMMAND))
    if kind == "MissingParameter" and error.param is not None:
        place, cause = _named(error), "is missing"
    elif kind == "NoSuchOption":
        place, cause = _short(error.option_name), "is not an option here"
        if error.possibilities:
            remedy = f"did you mean {' or '.join(sorted(error.possibilities))}?"
    elif kind == "BadOptionUsage":
        place = _short(error.option_name)
        cause = "needs a value" if "requires" in message else "takes no value"
        wanted = _wanted(error.option_name, group)
        if "requires" in message and len(wanted) == 1:  # which command it is isn't known here
            remedy = f"write {place} {wanted.pop()}"
    elif extra:
        place, cause = _short(extra[1]), "is more than the command takes"
    elif command:
        place, cause = _short(command[1]), "is not a command"
        like = (command[2] or "").replace("'", "")
        remedy = f"did you mean {like}?" if like else f"{error.ctx.command_path} -h has all"
    elif said := _said_of_value(error):
        place, (cause, remedy) = _named(error), said
    else:
        place = _named(error) if getattr(error, "param", None) is not None else None
        cause = _short(message[:1].lower() + message[1:], 1000)
    return InputError([Problem(None, None, place, cause, remedy)])


def _short(text: str, limit: int = 60) -> str:
    """Return the typed text, shortened to ``limit`` characters for a message."""
    from raidsim.errors import one_line

    return one_line(text if len(text) <= limit else f"{text[: limit - 4]} ...")


def _named(error: typer.BadParameter) -> str:
    """The name of the option or argument that an error is about, as it is typed."""
    return "" if error.param is None else error.param.get_error_hint().replace("'", "").rstrip(".")


def _said_of_value(error: Any) -> tuple[str, str | None] | None:
    """The error of a value, and a correct form; None if the library gives no kind of error."""
    from raidsim.errors import one_line, quote

    errors = getattr(error.__cause__, "errors", None)
    found = errors() if errors else []
    if getattr(error, "param", None) is None or not found:
        return None
    kind, value, bounds = found[0]["type"], str(found[0]["input"]), found[0].get("ctx", {})
    shown = one_line(value) if kind.endswith("_than_equal") else quote(value)
    said, remedy = {
        "int_parsing": ("is not a whole number", None),
        "int_parsing_size": ("is not a whole number", "give one of fewer digits"),
        "float_parsing": ("is not a number", None),
        "greater_than_equal": ("is too small", f"give {bounds.get('ge')} or more"),
        "less_than_equal": ("is too large", f"give {bounds.get('le')} or less"),
    }.get(kind, (None, None))
    if kind == "value_error":
        _, is_not_one_of, known = str(bounds.get("error")).rpartition("is not one of ")
        if is_not_one_of:
            said, remedy = "is not known", "give one of " + known.rstrip(".").replace("'", '"')
    return None if said is None else (f"{shown} {said}", remedy)


class WithUnknowns(TyperCommand):
    """A command whose option ``--unknowns`` may stand without its number."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Give the option the number that stands for the usual one, where none is given.

        Raises
        ------
        InputError
            The number that is given is not above zero.
        """
        given: list[str] = []
        in_doubt: str | None = None  # what follows the option, and may be meant as its number
        for place, word in enumerate(args):
            given.append(word)
            option, equals, number = word.partition("=")
            if option != UNKNOWNS:
                continue
            following = number if equals else "".join(args[place + 1 : place + 2])
            if not re.fullmatch(r"-?\d+", following):
                given += [] if equals else ["-1"]
                in_doubt = in_doubt or following
            elif re.fullmatch(r"-\d{1,99}|0{1,99}", following):
                with named_as_options(unknowns=following):
                    raise self.refusal(int(following))
        try:
            return super().parse_args(ctx, given)
        except Exception as error:  # one of the library that typer brings along
            if in_doubt and "unexpected extra argument" in str(error):
                with named_as_options(unknowns=in_doubt):
                    raise self.refusal(in_doubt) from None
            raise

    def refusal(self, number: object) -> InputError:
        """Return the message for a number of draws that this command does not take."""
        from raidsim.studies import unknown

        return unknown.refusal(number)


class WithUnknownsOfClaims(WithUnknowns):
    """The same of published figures, which have bounds of their own."""

    def refusal(self, number: object) -> InputError:
        """Return the message for a number of draws that this command does not take."""
        from raidsim.studies import unknown
        from raidsim.validate.unknowns import DRAWS, MOST

        return unknown.refusal(number, DRAWS, MOST)


def draws(unknowns: int | None) -> int | bool:
    """The number of draws that was asked for: True for the usual one, False for none."""
    return False if unknowns is None else True if unknowns == -1 else unknowns


def number_of_draws(unknowns: int | None) -> int:
    """The number of draws that was asked for; 0 for none.

    Raises
    ------
    InputError
        It is too small or too large.
    """
    from raidsim.studies import unknown

    with named_as_options(unknowns=unknowns):
        return unknown.number_of_draws(draws(unknowns))


@contextmanager
def named_as_options(**given: object) -> Iterator[None]:
    """Let messages about arguments of a function name the options that these were given by.

    Parameters
    ----------
    given
        What the options have, by the name of the argument; None for what was not given.
    """
    from dataclasses import replace

    from raidsim.errors import InputError

    names = {
        name: _ARGUMENTS.get(name, f"--{name}")
        for name, value in given.items()
        if value is not None
    }
    try:
        yield
    except InputError as error:
        # Of a function, whose name ends in (), or of no place at all: files name their own.
        raise InputError(
            replace(one, file=None, key=names[one.key])
            if one.key in names and (one.file is None or one.file.endswith("()"))
            else one
            for one in error.problems
        ) from None


def target_of(
    option: str, path: str | None, suffixes: tuple[str, ...] = (), *, stdout: bool = False
) -> Target | None:
    """The file that an option asks for, if it does.

    Parameters
    ----------
    suffixes
        How its name may end; without any, as it likes.
    stdout
        Whether ``-`` stands for standard output.
    """
    from raidsim.report.output import Target

    return None if path is None else Target(option, path, suffixes, stdout)


def targets_of(json: str | None, html: str | None, plot: str | None) -> dict[str, Target | None]:
    """The files that ``--json``, ``--html`` and ``--plot`` ask for, by the name of the option."""
    return {
        "json": target_of("--json", json, stdout=True),
        "html": target_of("--html", html, PAGES),
        "plot": target_of("--plot", plot, PICTURES),
    }


def stdout() -> ReportConsole:
    """Standard output, for tables."""
    from raidsim.report.console import ReportConsole

    return ReportConsole(sys.stdout)


def quantity_of(option: str, text: str | None, dimension: str) -> float | None:
    """The value of an option with a unit, in base units, if it was given.

    Raises
    ------
    InputError
        It is no quantity of this dimension.
    """
    from raidsim import units
    from raidsim.errors import InputError, Problem

    if text is None:
        return None
    try:
        return units.parse(text, dimension)
    except units.QuantityError as error:
        raise InputError([Problem(None, None, option, error.cause, error.remedy)]) from None


@contextmanager
def kept_in(path: Path | str) -> Iterator[None]:
    """Say where what was finished is kept, if Ctrl-C comes meanwhile."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"What was finished is kept in {path}: the same command goes on.", err=True)
        raise typer.Exit(INTERRUPTED) from None


def folder_of(option: str, path: str | None, what: str = "folder") -> Path | None:
    """A folder, or what else, that an option names, if it does.

    Raises
    ------
    InputError
        The name is empty, which would be the folder that one is in.
    """
    from pathlib import Path

    from raidsim.errors import InputError, Problem

    if path == "":
        cause, remedy = f"is not a valid name of a {what}", f"name a {what}"
        raise InputError([Problem(None, None, option, cause, remedy)])
    return None if path is None else Path(path)
