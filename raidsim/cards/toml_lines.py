"""The line of each key in a TOML text.

:mod:`tomllib` gives the values; this scanner gives the places. It goes through a text statement by
statement and only follows strings, comments and brackets. It never raises: :mod:`tomllib` reports
everything that is not well formed.

A key path is the tuple of keys and list indices that leads to a value, for instance ``("load", 0,
"sizes", 1, "share")``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]
"""The keys and indices that lead to a value, from the outermost table on."""

DEEPEST = 30
"""Steps of a path from which on it is no part of any description."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SPACES = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
_OTHER = re.compile(r"[^\n,\]}#]*")  # a number, a date, a word
_STRINGS = {
    '"': re.compile(r'"(?:[^"\\\n]+|\\.)*"?', re.DOTALL),
    "'": re.compile(r"'[^'\n]*'?"),
    '"""': re.compile(r'"""(?:[^"\\]+|\\.|"(?!""))*"*', re.DOTALL),
    "'''": re.compile(r"'''(?:[^']+|'(?!''))*'*"),
}
"""Strings, by how they begin; one that is not closed ends with its line, or the text."""


@dataclass
class Statement:
    """One header or one ``key = value`` of a text: lines `first` to `last`, both included."""

    first: int
    last: int
    path: KeyPath
    header: bool


@dataclass
class Index:
    """Where everything is: the statements, and the first line of every path.

    ``too_deep`` is the line of the first path of so many steps that nothing of it is kept.
    """

    statements: list[Statement] = field(default_factory=list)
    lines: dict[KeyPath, int] = field(default_factory=dict)
    too_deep: int | None = None

    def line(self, path: KeyPath) -> int | None:
        """Line of a path, or of the nearest table around it that has one."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None

    def single(self) -> frozenset[str]:
        """Lists of tables at the top that hold one table: messages need no index for it."""
        names = {path[0] for path in self.lines if len(path) == 2 and path[1] == 0}
        return frozenset(str(name) for name in names if (name, 1) not in self.lines)

    def statement_at(self, line: int) -> Statement | None:
        """The statement that covers a line."""
        return next((s for s in self.statements if s.first <= line <= s.last), None)


def index(text: str) -> Index:
    r"""Index a TOML text (line ends are ``\\n``), well formed or not."""
    return _Scanner(text).run()


class _Scanner:
    """Position in the text, the line it is on, and the table that is open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.found = Index()
        self.table: KeyPath = ()
        self.lists: dict[KeyPath, int] = {}  # last index of each [[list of tables]]

    def run(self) -> Index:
        while self._skip_blank():
            first = self.line
            header = self._peek() == "["
            path = self._header() if header else self._assignment()
            self._to_line_end()
            self.found.statements.append(Statement(first, self.line, path, header))
        return self.found

    # ---- statements

    def _header(self) -> KeyPath:
        many = self.text.startswith("[[", self.at)
        self._step(2 if many else 1)
        keys = self._dotted_key()
        self._step(2 if many else 1)
        path = self._resolve(keys[:-1]) + keys[-1:]
        if many and keys:
            self.found.lines.setdefault(path, self.line)
            self.lists[path] = self.lists.get(path, -1) + 1
            path += (self.lists[path],)
        self._note(path)
        self.table = path
        return path

    def _assignment(self) -> KeyPath:
        path = self.table + self._dotted_key()
        self._note(path)
        self._past(_SPACES)
        if self._peek() == "=":
            self._step()
            self._value(path)
        return path

    def _resolve(self, keys: KeyPath) -> KeyPath:
        """The path of a header's outer tables: of a list of tables the last one is meant."""
        path: KeyPath = ()
        for key in keys:
            path += (key,)
            if path in self.lists:
                path += (self.lists[path],)
        return path

    def _note(self, path: KeyPath) -> None:
        if len(path) >= DEEPEST:
            self._is_too_deep()
            return
        for end in range(1, len(path) + 1):
            self.found.lines.setdefault(path[:end], self.line)

    # ---- keys and values

    def _dotted_key(self) -> KeyPath:
        keys: list[str] = []
        while True:
            self._past(_SPACES)
            character = self._peek()
            if character in ('"', "'"):
                start = self.at
                self._string()
                keys.append(_unquote(self.text[start : self.at]))
            elif match := _BARE.match(self.text, self.at):
                keys.append(match.group())
                self.at = match.end()
            else:
                return tuple(keys)
            if len(keys) >= DEEPEST:
                self._is_too_deep()
                self._to_line_end()
                return tuple(keys)
            self._past(_SPACES)
            if self._peek() != ".":
                return tuple(keys)
            self._step()

    def _value(self, path: KeyPath) -> None:
        self._past(_SPACES)
        character = self._peek()
        if character in ('"', "'"):
            self._string()
        elif character in ("[", "{") and len(path) >= DEEPEST:
            self._is_too_deep()
            self._to_line_end()
        elif character == "[":
            self._list(path)
        elif character == "{":
            self._inline_table(path)
        else:
            self._past(_OTHER)

    def _list(self, path: KeyPath) -> None:
        self._step()
        for position in _count():
            if not self._skip_blank() or self._peek() == "]":
                break
            before = self.at
            self._note((*path, position))
            self._value((*path, position))
            if not self._skip_blank():
                break
            if self._peek() == ",":
                self._step()
            elif self._peek() == "]" or self.at == before:
                break
        if self._peek() == "]":
            self._step()

    def _inline_table(self, path: KeyPath) -> None:
        """Keys of an inline table; line ends in it are an error that costs one statement only."""
        self._step()
        while self._skip_blank():
            keys = self._dotted_key()
            if keys:
                self._note(path + keys)
            self._past(_SPACES)
            if self._peek() == "=":
                self._step()
                self._value(path + keys)
            self._past(_SPACES)
            if self._peek() != ",":
                break
            self._step()
        self._skip_blank()
        if self._peek() == "}":
            self._step()

    def _string(self) -> None:
        quote = self._peek()
        several_lines = self.text.startswith(quote * 3, self.at)
        self._past(_STRINGS[quote * 3 if several_lines else quote])

    # ---- characters

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _step(self, count: int = 1) -> None:
        """Move past characters that are no line ends."""
        self.at = min(self.at + count, len(self.text))

    def _past(self, pattern: re.Pattern[str]) -> None:
        """Move past what a pattern matches here, which may be nothing."""
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.line += self.text.count("\n", self.at, match.end())
            self.at = match.end()

    def _skip_blank(self) -> bool:
        """Move to the next thing that is no space, line end or comment; False at the end."""
        self._past(_BLANK)
        return self.at < len(self.text)

    def _is_too_deep(self) -> None:
        if self.found.too_deep is None:
            self.found.too_deep = self.line

    def _to_line_end(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end


def _unquote(written: str) -> str:
    """The key that a quoted key stands for."""
    try:
        return str(tomllib.loads(f"key = {written}")["key"])
    except ValueError:
        return written.strip("\"'")


def _count() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1
