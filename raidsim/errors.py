"""What is wrong with an input, in words for the person who wrote it.

A loader collects all problems of a file and raises them together, as one :class:`InputError`. A
loader raises no other exception, whatever its input is.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NoReturn


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, where it is, and what would be right.

    Attributes
    ----------
    file : path as the user gave it, ``--set`` for an override, or None.
    line : line in that file, counted from 1, or None where no line is to blame.
    key : the key as the file would write it, e.g. ``load[1].size``, or None.
    cause : what is wrong.
    remedy : what would be right, or None where the cause says it all.
    """

    file: str | None
    line: int | None
    key: str | None
    cause: str
    remedy: str | None = None

    def __str__(self) -> str:
        place = "" if self.file is None else self.file
        if self.line is not None:
            place += f":{self.line}"
        parts = [part for part in (place, self.key, self.cause) if part]
        text = ": ".join(parts) + (f"; {self.remedy}" if self.remedy else "")
        return one_line(text)


class InputError(Exception):
    """The input cannot be used; ``problems`` holds every reason, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


MOST_PROBLEMS = 100
"""What is told of one file: one of another kind has something wrong in every line."""


def the_first(problems: Iterable[Problem], file: str) -> list[Problem]:
    """Return the first hundred problems of a file, and the number of the others."""
    told = list(problems)
    if (more := len(told) - MOST_PROBLEMS) > 0:
        told[MOST_PROBLEMS:] = [Problem(file, None, None, f"and {more} more problems")]
    return told


class SchemaWarning(UserWarning):
    """A file of an older schema was read; the message says what was changed in its data."""


class TableOverflowError(Exception):
    """A table of the kernel has no row left for what needs one: a fault of raidsim's own.

    The run that met it has no result.

    Attributes
    ----------
    table : name of the table.
    """

    def __init__(self, table: str) -> None:
        self.table = table
        super().__init__(table)

    def __str__(self) -> str:
        return f'the kernel\'s table "{self.table}" is full, so the run was ended'


NEAR = 0.65
"""How alike a word has to be to one that is meant (`difflib.SequenceMatcher.ratio`): slips of the
keyboard are, and words that only share some letters, such as "nope" and "copies", are not."""


def suggest(word: str, known: Iterable[str]) -> str | None:
    """``did you mean ...`` for a word that is not among the `known` ones, or None."""
    by_fold = {name.casefold(): name for name in known}
    close = difflib.get_close_matches(word[:200].casefold(), list(by_fold), n=1, cutoff=NEAR)
    return f'did you mean "{by_fold[close[0]]}"?' if close else None


def nearest_name(name: str, known: Collection[str]) -> str:
    """``did you mean ...`` for a name that nothing has, or all that there are."""
    return suggest(name, known) or f"give one of {quoted(known)}"


def nearest_key(key: str, known: Collection[str]) -> str:
    """``did you mean ...`` for a key that no table has, or all that there are."""
    return suggest(key, known) or f"known: {', '.join(known)}"


@contextmanager
def named_as_arguments() -> Iterator[None]:
    """Let messages that name options of commands name the arguments of a function of Python.

    They have the same names: ``--where`` is ``where``.
    """
    try:
        yield
    except InputError as error:
        raise InputError(
            replace(one, file=_argument(one.file), key=_argument(one.key)) for one in error.problems
        ) from None


@contextmanager
def in_file(path: str | None) -> Iterator[None]:
    """Let messages that name no file name this one: a part of it is being worked on."""
    try:
        yield
    except InputError as error:
        raise InputError(
            replace(one, file=path) if one.file is None else one for one in error.problems
        ) from None


def _argument(name: str | None) -> str | None:
    if name is None or not name.startswith("--"):
        return name
    return name.removeprefix("--").replace("-", "_")


def refuse(
    name: str,
    cause: str,
    remedy: str | None = None,
    *,
    line: int | None = None,
    key: str | None = None,
) -> NoReturn:
    """Raise an :class:`InputError` with one problem of a file, or of a line or key in it."""
    raise InputError([Problem(name, line, key, cause, remedy)])


def quote(value: object, limit: int = 60) -> str:
    """A value as it may be shown in a message: quoted if text, and never too long.

    A text that has double quotes itself is shown in single ones: '"8 KiB"', and not ""8 KiB"".
    """
    mark = "'" if isinstance(value, str) and '"' in value and "'" not in value else '"'
    try:
        text = f"{mark}{value}{mark}" if isinstance(value, str) else str(value)
    except ValueError:  # an integer with more digits than Python prints
        text = "a number of thousands of digits"
    if len(text) <= limit:
        return text
    return text[: limit - 4] + " ..." + (mark if isinstance(value, str) else "")


def quoted(names: Iterable[str]) -> str:
    """Names in quotes, with commas."""
    return ", ".join(map(quote, names))


def why(error: Exception) -> str:
    """What the system says of an error, as the end of a message."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return reason[:1].lower() + reason[1:]


def one_line(text: str) -> str:
    """Text with everything unprintable (line ends too) shown escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
