"""JSON with the line of every value, which the decoder of Python does not give.

Some tools write warnings before the JSON, or several documents one after the other. Both are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json.decoder import JSONDecodeError
from json.decoder import scanstring as _scanstring  # type: ignore[attr-defined]
from typing import Any

from raidsim.errors import quote
from raidsim.importing.model import Fact, Place

DEEPEST = 64
MOST_VALUES = 500_000
"""No inventory has so many; each takes some hundred bytes of memory."""

_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?\d{1,400}(?:\.\d+)?(?:[eE][-+]?\d{1,4})?")
_WORDS = {"true": True, "false": False, "null": None}


class Table(dict[str, Any]):
    """An object of JSON that knows its lines."""

    def __init__(self, file: str, line: int) -> None:
        super().__init__()
        self.place = Place(file, line)
        self.lines: dict[str, int] = {}

    def at(self, key: str) -> Place:
        """Return the place of a key in the file."""
        return Place(self.place.file, self.lines.get(key, self.place.line))

    def text(self, *keys: str) -> Fact[str] | None:
        """The first of these keys that has a text, without blanks around it."""
        for key in keys:
            value = self.get(key)
            if isinstance(value, str) and value.strip():
                return Fact(" ".join(value.split()), self.at(key))
        return None

    def number(self, *keys: str) -> Fact[float] | None:
        """The first of these keys that has a number, be it written as a text."""
        for key in keys:
            value = as_number(self.get(key))
            if value is not None:
                return Fact(value, self.at(key))
        return None

    def whole(self, *keys: str) -> Fact[int] | None:
        """The first of these keys with a number, which no fraction is expected of."""
        found = self.number(*keys)
        return None if found is None else Fact(int(found.value), found.place)

    def table(self, key: str) -> Table | None:
        """A table in it."""
        value = self.get(key)
        return value if isinstance(value, Table) else None

    def tables(self, key: str) -> list[Table]:
        """Tables in a list in it; of one table, itself."""
        value = self.get(key)
        return tables_of(value)


def tables_of(value: Any) -> list[Table]:
    """The tables of a list, or the one that it is."""
    if isinstance(value, Table):
        return [value]
    return [one for one in value if isinstance(one, Table)] if isinstance(value, list) else []


def as_number(value: Any) -> float | None:
    """A number, or a text that is one; None if it is neither, or not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str):
        text = value.strip().replace(",", "")
        if not _NUMBER.fullmatch(text):
            return None
        value = text
    try:
        number = float(value)
        return (
            int(value)
            if isinstance(value, str) and value.lstrip("-").isdigit()
            else (value if isinstance(value, int) and abs(value) < 2**80 else number)
            if abs(number) < 1e30
            else None
        )
    except (ValueError, OverflowError):
        return None


@dataclass
class Json:
    """The documents of a text.

    Attributes
    ----------
    values : one for each.
    skipped : lines that are no JSON: the number of each, and what stands there.
    repeated : keys that a table has twice with different values: the place, and the key.
    """

    values: list[Any]
    skipped: list[tuple[int, str]]
    repeated: list[tuple[Place, str]]


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = text
        self.count = 0
        self.line = 1
        self.seen = 0  # up to here lines are counted
        self.repeated: list[tuple[Place, str]] = []

    def line_at(self, position: int) -> int:
        self.line += self.text.count("\n", self.seen, position)
        self.seen = position
        return self.line

    def wrong(self, position: int, cause: str) -> Any:
        raise _WrongError(self.line_at(max(position, self.seen)), cause)

    def skip(self, position: int) -> int:
        return _BLANK.match(self.text, position).end()  # type: ignore[union-attr]

    def value(self, position: int, depth: int) -> tuple[Any, int]:
        self.count += 1
        if self.count > MOST_VALUES:
            self.wrong(position, f"has more than {MOST_VALUES:,} values: no inventory has so many")
        if depth > DEEPEST:
            self.wrong(position, "is nested too deeply")
        character = self.text[position : position + 1]
        if character == "{":
            return self.table(position, depth)
        if character == "[":
            return self.list(position, depth)
        if character == '"':
            try:
                text, end = _scanstring(self.text, position + 1, False)
                return str(text), int(end)
            except JSONDecodeError:
                self.wrong(position, "a text has no end")
        for word, value in _WORDS.items():
            if self.text.startswith(word, position):
                return value, position + len(word)
        match = _NUMBER.match(self.text, position)
        if match is None:
            self.wrong(position, f"{quote(self.text[position : position + 20])} is not JSON")
            raise AssertionError
        shown = match[0]
        return int(shown) if shown.lstrip("-").isdigit() else float(shown), match.end()

    def table(self, position: int, depth: int) -> tuple[Table, int]:
        found = Table(self.file, self.line_at(position))
        position = self.skip(position + 1)
        while self.text[position : position + 1] != "}":
            if self.text[position : position + 1] != '"':
                self.wrong(position, "a key in quotes is missing; the file may be cut off")
            line = self.line_at(position)
            try:
                key, position = _scanstring(self.text, position + 1, False)
            except JSONDecodeError:
                self.wrong(position, "a key has no end")
            position = self.skip(position)
            if self.text[position : position + 1] != ":":
                self.wrong(position, f"there is no colon after {quote(key)}")
            value, position = self.value(self.skip(position + 1), depth + 1)
            if key in found and found[key] != value:
                self.repeated.append((Place(self.file, line), key))
            found[key] = value
            found.lines[key] = line
            position = self.comma(position, "}")
        return found, position + 1

    def list(self, position: int, depth: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        position = self.skip(position + 1)
        while self.text[position : position + 1] != "]":
            value, position = self.value(position, depth + 1)
            found.append(value)
            position = self.comma(position, "]")
        return found, position + 1

    def comma(self, position: int, end: str) -> int:
        """Behind the comma, or at the end; tools forget neither, but some write one too many."""
        position = self.skip(position)
        character = self.text[position : position + 1]
        if character == ",":
            return self.skip(position + 1)
        if character != end:
            self.wrong(position, f"{quote(end)} is missing; the file may be cut off")
        return position


class _WrongError(Exception):
    def __init__(self, line: int, cause: str) -> None:
        super().__init__(cause)
        self.line = line
        self.cause = cause


def looks_like_json(text: str) -> bool:
    """Return whether a line of the first hundred begins as JSON does."""
    for line in _lines(text, 100):
        if (start := line.lstrip()[:1]) in {"{", "["} and not _is_text(line.lstrip()):
            return start == "{" or line.lstrip()[1:].lstrip()[:1] in {"{", "", "]"}
    return False


def _is_text(line: str) -> bool:
    """Return whether it begins a section of a job file, and no list."""
    return re.match(r"\[\s*[A-Za-z][^{\"]*\]", line) is not None


def _lines(text: str, most: int) -> Iterator[str]:
    start = 0
    for _ in range(most):
        end = text.find("\n", start)
        yield text[start : end if end >= 0 else start + 2000]
        if end < 0:
            return
        start = end + 1


def read_json(text: str, file: str) -> Json:
    """All documents of a text, and the lines that belong to none.

    Raises
    ------
    InputError
        A document is broken: with the line.
    """
    reader = _Reader(text, file)
    values: list[Any] = []
    skipped: list[tuple[int, str]] = []
    position = reader.skip(0)
    try:
        while position < len(text):
            if text[position] in "{[" and (
                values or looks_like_json(text[position : position + 4000])
            ):
                value, position = reader.value(position, 0)
                values.append(value)
            else:
                end = text.find("\n", position)
                end = len(text) if end < 0 else end
                line = text[position:end].strip()
                if line and line.strip(","):
                    skipped.append((reader.line_at(position), line))
                position = end
            position = reader.skip(position)
    except _WrongError as wrong:
        raise Place(file, wrong.line).refusal(None, wrong.cause) from None
    return Json(values, skipped, reader.repeated)
