"""The form of DiskSim's parameter files: blocks of ``name = value``, lists, and other files.

    disksim_disk NAME {                    a block of a type, with a name
       Model = source atlas_III.model,     what another file holds
       Segment size (in blks) = 64,        names have spaces and brackets
       slips = [ 272037, 1464716 ]         a list
    }                                      # a comment to the end of the line

The parts about instances, and about connections of components, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from raidsim.cards.toml_file import read_text
from raidsim.errors import InputError, Problem, quote

Value = "int | float | str | list[Value] | Block"

DEEPEST = 20
MOST_FILES = 20
_TOKEN = re.compile(r"[{}\[\],=]|[^\s{}\[\],=]+")
_PASSED_OVER = {"instantiate", "topology"}


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def refusal(self, key: str | None, cause: str, remedy: str | None = None) -> InputError:
        """The error that says what is wrong there."""
        return InputError([Problem(self.file, self.line, key, cause, remedy)])


@dataclass
class Block:
    """``kind name { ... }``; a block that is a value may have no name.

    ``entries`` are in the order of the file; ``places`` says where each stands.
    """

    kind: str
    name: str
    place: Place
    entries: dict[str, object] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def at(self, key: str) -> Place:
        """Return the place of a value in the file, or of its block if the value is not given."""
        return self.places.get(key, self.place)


@dataclass(frozen=True)
class _Token:
    text: str
    place: Place


def read_file(path: Path, shown: str) -> list[Block]:
    """The blocks of a file, those of files that it includes among them.

    Raises
    ------
    InputError
        It cannot be read, or is no such file; with the line.
    """
    return _Reader().blocks(path, shown)


class _Reader:
    """Reads a file and those that it names, each seen from its own folder."""

    def __init__(self) -> None:
        self.open: list[Path] = []
        self.files = 0

    def blocks(self, path: Path, shown: str, place: Place | None = None) -> list[Block]:
        here = place or Place(shown, 1)
        self.files += 1
        if path in self.open or self.files > MOST_FILES:
            raise here.refusal(None, f"{quote(shown)} includes itself, or too many files")
        try:
            text = read_text(path, shown)
        except InputError as error:
            if place is None:
                raise
            raise place.refusal(None, "; ".join(map(str, error.problems))) from None
        self.open.append(path)
        found = _File(self, path, shown, text).blocks()
        self.open.pop()
        return found


class _File:
    """The tokens of one file, taken one by one."""

    def __init__(self, reader: _Reader, path: Path, shown: str, text: str) -> None:
        self.reader = reader
        self.path = path
        self.shown = shown
        self.tokens = [
            _Token(match[0], Place(shown, number))
            for number, line in enumerate(text.split("\n"), 1)
            for match in _TOKEN.finditer(line.partition("#")[0])
        ]
        self.next = 0

    def look(self, ahead: int = 0) -> str:
        """A token that is to come; empty at the end."""
        at = self.next + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> _Token:
        """The next token, which must be ``expected`` if that is given."""
        if self.next == len(self.tokens):
            line = self.tokens[-1].place if self.tokens else Place(self.shown, 1)
            raise line.refusal(None, "the file ends within a block", "is it whole?")
        token = self.tokens[self.next]
        if expected is not None and token.text != expected:
            raise token.place.refusal(None, f"{quote(token.text)} stands where {expected} would")
        self.next += 1
        return token

    def blocks(self) -> list[Block]:
        """All blocks of the file."""
        found: list[Block] = []
        while self.look():
            token = self.take()
            if token.text == "source":
                found += self.included()
            elif token.text in _PASSED_OVER:
                self.pass_over(token)
            elif self.look() == "{":
                found.append(self.block(token, "", 0))
            elif self.look(1) == "{":
                found.append(self.block(token, self.take().text, 0))
            else:
                cause = f"{quote(token.text)} begins no block"
                raise token.place.refusal(None, cause, "a block is: type NAME { key = value, ... }")
        return found

    def included(self) -> list[Block]:
        """The blocks of the file whose name comes next."""
        name = self.take()
        shown = str(Path(self.shown).parent / name.text)
        return self.reader.blocks(self.path.parent / name.text, shown, name.place)

    def pass_over(self, token: _Token) -> None:
        """``instantiate [...] as NAME`` or ``topology TYPE NAME [ ... ]``."""
        if token.text == "instantiate":
            while self.take().text != "as":
                pass
            self.take()
            return
        while self.take().text != "[":
            pass
        depth = 1
        while depth:
            depth += {"[": 1, "]": -1}.get(self.take().text, 0)

    def block(self, kind: _Token, name: str, depth: int) -> Block:
        """The entries of a block, up to its closing brace."""
        if depth > DEEPEST:
            raise kind.place.refusal(None, "blocks nest deeper than any description does")
        found = Block(kind.text, name, kind.place)
        self.take("{")
        while self.look() != "}":
            words = [self.take()]
            while self.look() not in ("=", ""):
                words.append(self.take())
                if words[-1].text in ("{", "}", "[", "]", ","):
                    raise words[-1].place.refusal(None, "a name without = stands here")
            self.take("=")
            key = " ".join(word.text for word in words)
            if key in found.entries:
                raise words[0].place.refusal(key, "is given twice", "keep one of the two")
            found.entries[key] = self.value(depth)
            found.places[key] = words[0].place
            if self.look() == ",":
                self.take()
        self.take("}")
        return found

    def value(self, depth: int) -> object:
        """Return the value of a name."""
        if self.look() == "[":
            return self.list(depth)
        token = self.take()
        if token.text == "source":
            blocks = self.included()
            if len(blocks) != 1:
                cause = f"holds {len(blocks)} blocks where one is expected"
                raise token.place.refusal(None, cause)
            return blocks[0]
        if self.look() == "{":
            return self.block(token, "", depth + 1)
        if token.text in ("{", "}", "]", ",", "="):
            raise token.place.refusal(None, f"{quote(token.text)} stands where a value would")
        return _plain(token.text)

    def list(self, depth: int) -> list[object]:
        """The values between brackets."""
        opened = self.take("[")
        if depth > DEEPEST:
            raise opened.place.refusal(None, "lists nest deeper than any description does")
        found: list[object] = []
        while self.look() != "]":
            found.append(self.value(depth + 1))
            if self.look() == ",":
                self.take()
        self.take("]")
        return found


def _plain(text: str) -> int | float | str:
    """A number if it is one, else the word."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        return value if abs(value) < 1e300 else text
    return text


def read_seeks(path: Path, shown: str, place: Place) -> list[tuple[int, float]]:
    """The points of a seek curve: cylinders and ms, one a line, behind a line with their number.

    Raises
    ------
    InputError
        It cannot be read, or is no curve: distances rise, and times are from 0 to 1e6 ms.
    """
    try:
        lines = read_text(path, shown).split("\n")
    except InputError as error:
        raise place.refusal(None, "; ".join(map(str, error.problems))) from None
    found: list[tuple[int, float]] = []
    problems = []
    for number, line in enumerate(lines, 1):
        words = line.replace(",", " ").split()
        if not words or (number == 1 and not words[0][0].isdigit()):
            continue
        try:
            distance, time = int(words[0]), float(words[1])
        except (ValueError, IndexError):
            problems.append(Problem(shown, number, None, "is not a distance and a time in ms"))
            continue
        if distance == 0 and not found:
            continue
        if not 0 <= time < 1e6 or distance <= (found[-1][0] if found else 0):
            cause = "does not continue the previous line"
            problems.append(Problem(shown, number, None, cause, "distances rise; times are in ms"))
        else:
            found.append((distance, time))
    if problems:
        raise InputError(problems[:20])
    if not found:
        raise InputError([Problem(shown, None, None, "holds no points of a seek curve")])
    return found
