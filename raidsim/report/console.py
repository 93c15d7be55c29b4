"""Where reports are printed: a terminal in colour, anything else in plain lines."""

from __future__ import annotations

from typing import Any, TextIO

from rich.console import Console

UNBOUNDED = 10_000
"""Columns of an output that has no width of its own, such as a pipe."""


class ReportConsole(Console):
    """Console for a stream; in one that is no terminal lines are as long as they need to be."""

    def __init__(self, file: TextIO) -> None:
        super().__init__(file=file, highlight=False, emoji=False)
        if not self.is_terminal:
            self.width = UNBOUNDED

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as Rich does, but leave no blanks at the ends of plain lines."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        lines = captured.get().split("\n")
        self.file.write("\n".join(line.rstrip() for line in lines))
