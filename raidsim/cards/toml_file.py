"""Reading a TOML file so that all of its errors can be reported at once.

tomllib stops at the first error. Here the statement with the error is reported and replaced by
blanks, and the rest is read again. So both errors are reported if a quote is missing in one line
and a key is repeated in another.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from raidsim import schemas
from raidsim.cards.toml_lines import DEEPEST, Index, KeyPath, index
from raidsim.errors import Problem, quote, refuse
from raidsim.named_file import read_bytes

LARGEST_FILE = 4 * 2**20
"""Bytes; whatever is larger was not written as a description of hardware or load."""

TOO_DEEP = "is nested too deeply"
NOT_SO_DEEP = f"no key of a description has {DEEPEST} steps"

_MOST_ERRORS = 20
_LONGEST_KEY = 100  # as messages show it
_LONG_KEY = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)"""
    f"{{{DEEPEST - 1}}}"
)
_WHERE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass
class TomlFile:
    """The data of a file, the line of every path, and the errors of its TOML.

    Attributes
    ----------
    name : the file as messages name it.
    text : its content, if it is known.
    data : what could be read.
    problems : errors of TOML itself.
    broken : paths whose value could not be read; they are not missing.
    complete : False if so much was lost that checks of the content would mislead.
    """

    name: str
    text: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    broken: set[KeyPath] = field(default_factory=set)
    complete: bool = True

    @cached_property
    def places(self) -> Index:
        """Where everything is, which only a message wants to know."""
        return index(self.text)

    def line(self, path: KeyPath) -> int | None:
        """Line on which a path (or the table around it) stands."""
        return self.places.line(path)

    def copied(self) -> TomlFile:
        """The same file, with data of its own to be changed."""
        return replace(
            self,
            data=copied(self.data),
            problems=list(self.problems),
            broken=set(self.broken),
        )

    def bring_up_to_date(self, kind: str) -> None:
        """Take the schema number out of the data, and make them what the present schema has.

        Raises
        ------
        InputError : the number cannot be read by this version.
        """
        line = partial(self.line, (schemas.KEY,))
        self.data = schemas.up_to_date(kind, self.data, self.name, line)


def read_text(path: Path, shown: str) -> str:
    """Text of a file.

    Raises
    ------
    InputError : no such file, a folder, no permission, too large, not UTF-8 text.
    """
    raw = read_bytes(path, LARGEST_FILE + 1, shown=shown, if_folder="name a .toml file in it")
    if len(raw) > LARGEST_FILE:
        refuse(shown, f"is larger than {LARGEST_FILE // 2**20} MiB: not a description in TOML")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        cause = f"is not UTF-8 text (byte 0x{raw[error.start]:02x})"
        refuse(shown, cause, "save it as UTF-8", line=line)
    text = text.replace("\r\n", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        refuse(shown, "contains NUL bytes: not a text file", line=line)
    return text


def parse(text: str, name: str) -> TomlFile:
    r"""Read TOML text (line ends ``\\n``); errors are collected, none is raised."""
    file = TomlFile(name, text)
    lines = text.split("\n")
    # Keys of thousands of steps would keep tomllib busy for ever.
    deep = _LONG_KEY.search(text) is not None and file.places.too_deep is not None
    while not deep and len(file.problems) < _MOST_ERRORS:
        try:
            file.data = tomllib.loads("\n".join(lines))
        except RecursionError:
            deep = True
        except ValueError as error:
            if not _set_aside(file, lines, str(error)):
                break
        else:
            deep = is_deep(file.data)
            if not deep:
                return file
    if deep:
        file.problems.append(Problem(name, file.places.too_deep, None, TOO_DEEP, NOT_SO_DEEP))
    file.complete = False
    return file


def copied(data: Any) -> Any:
    """Data of TOML with tables and lists of its own: the values in them are never changed."""
    if isinstance(data, dict):
        return {key: copied(value) for key, value in data.items()}
    if isinstance(data, list):
        return [copied(value) for value in data]
    return data


def is_deep(data: object) -> bool:
    """Return whether tables and lists nest deeper than any description does."""
    level = [data]
    for _ in range(DEEPEST):
        level = [
            item
            for value in level
            if isinstance(value, dict | list)
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return False
    return True


def _set_aside(file: TomlFile, lines: list[str], message: str) -> bool:
    """Report an error of tomllib and blank out its statement; False if that cannot be done."""
    where = _WHERE.search(message)
    if where is None:  # e.g. an integer too long to convert: tomllib says no place
        number = _find_bad_number(file.places, lines)
    else:
        number = int(where[1]) if where[1] else _last_line(lines)
    cause = message[: where.start()] if where else message
    statement = file.places.statement_at(number) if number is not None else None
    if statement is None:
        file.problems.append(Problem(file.name, number, None, cause))
        return False
    file.problems.append(_syntax_problem(file, statement.first, number, statement.path, cause))
    lines[statement.first - 1 : statement.last] = [""] * (statement.last - statement.first + 1)
    if statement.header:
        file.complete = False  # what follows would land in the wrong table
    file.broken.add(statement.path)
    return True


def _syntax_problem(
    file: TomlFile, first: int, number: int | None, path: KeyPath, cause: str
) -> Problem:
    key = show(path, file.places.single()) or None
    if cause.startswith(
        ("Cannot overwrite", "Cannot declare", "Cannot mutate", "Duplicate inline")
    ):
        earlier = file.places.line(path)
        if earlier is not None and earlier < first:
            return Problem(
                file.name, first, key, f"is already given on line {earlier}", "keep one of the two"
            )
        return Problem(file.name, first, key, "is given twice", "keep one of the two")
    remedy = None
    if cause.startswith(("Invalid value", "Expected newline or end")):
        remedy = 'write a text or a quantity in quotes, e.g. size = "8 KiB"'
    elif cause.startswith("Exceeds the limit"):
        cause = "is a number of thousands of digits"
    return Problem(file.name, number, key, _lower(cause), remedy)


def _find_bad_number(places: Index, lines: list[str]) -> int | None:
    """First line of the statement that tomllib cannot convert."""
    for statement in places.statements:
        try:
            tomllib.loads("\n".join(lines[statement.first - 1 : statement.last]))
        except tomllib.TOMLDecodeError:
            continue
        except ValueError:
            return statement.first
    return None


def _last_line(lines: list[str]) -> int:
    return max((n for n, line in enumerate(lines, start=1) if line.strip()), default=1)


def _lower(cause: str) -> str:
    return cause[:1].lower() + cause[1:]


def show(path: KeyPath, single: frozenset[str] = frozenset()) -> str:
    """A path as text: ``load[1].size``; the index is left out for lists named in `single`."""
    parts: list[str] = []
    for before, key in zip(itertools.chain([None], path), path, strict=False):
        if isinstance(key, int):
            if len(parts) != 1 or before not in single:
                parts[-1:] = [f"{parts[-1]}[{key}]"] if parts else [f"[{key}]"]
        else:
            plain = all(c.isalnum() or c in "_-" for c in key) and key
            parts.append(key if plain and len(key) <= _LONGEST_KEY else quote(key, _LONGEST_KEY))
    return ".".join(parts)
