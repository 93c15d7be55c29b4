"""A scenario as text: tables of lines, each with a comment that says where it is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import tomlkit

from raidsim.errors import one_line

GUESS = "guess: "
IN_PART = ("(a guess", "no card for")
"""What the source of a line has if it is a guess in part: the nearest card is one."""
WIDTH = 44


@dataclass
class Table:
    """A table of a scenario.

    Attributes
    ----------
    head : as it is written in the file, such as ``[[volume]]``.
    lines : key, value, and its source: a place, a reason, or a guess (``guess: ...``).
    above : comments before the table.
    of : the volume or controller that it is about, which guesses name.
    """

    head: str
    lines: list[tuple[str, Any, str]] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    of: str = ""

    def put(self, key: str, value: Any, source: object) -> None:
        """Add a line, unless there is no value."""
        if value is not None:
            self.lines.append((key, value, str(source)))

    def guess(self, key: str, value: Any, why: str) -> None:
        """Add a line that no file says."""
        self.put(key, value, GUESS + why)

    @property
    def guesses(self) -> list[str]:
        """Its lines that are guesses, in part or as a whole, as they are printed."""
        name = (f"{self.of}: " if self.of else "") + (self.head.strip("[]") or "scenario")
        return [
            f"{name}.{key} = {value_text(value)}: {source.removeprefix(GUESS)}"
            for key, value, source in self.lines
            if source.startswith(GUESS) or any(word in source for word in IN_PART)
        ]

    def render(self) -> str:
        """The table as text."""
        texts = [f"# {one_line(text)}" for text in self.above]
        texts += [self.head] if self.head else []
        for key, value, source in self.lines:
            line = f"{key} = {value_text(value)}"
            texts.append(f"{line:<{WIDTH}} # {one_line(source)}" if source else line)
        return "\n".join(texts) + "\n"


def value_text(value: Any) -> str:
    """A value as TOML has it, on one line."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key} = {value_text(one)}" for key, one in value.items())
        return "{ " + inside + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(value_text(one) for one in value) + "]"
    return str(tomlkit.item(value).as_string())
