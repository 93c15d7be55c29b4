"""Where reports are printed: a terminal in colour, anything else in plain lines."""

from __future__ import annotations

from typing import Any, TextIO

from rich.console import Console, Group
from rich.table import Table

from raidsim.report.narrow import parts_of

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
            self._print_narrow(objects, options)
            return
        with self.capture() as captured:
            super().print(*objects, **options)
        lines = captured.get().split("\n")
        self.file.write("\n".join(line.rstrip() for line in lines))

    def _print_narrow(self, objects: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Print to a terminal, tables that are too wide for it in parts."""
        for one in objects:
            if isinstance(one, Group):
                self._print_narrow(tuple(one.renderables), options)
            elif isinstance(one, Table):
                for number, (part, width) in enumerate(parts_of(one, self)):
                    if number > 0:
                        super().print()
                    self._print_at(width, part, options)
            else:
                super().print(one, **options)
        if not objects:
            super().print(**options)

    def _print_at(self, width: int, part: Table, options: dict[str, Any]) -> None:
        """Print lines of this width, which may be longer than those of the terminal."""
        own = self._width
        self.width = width
        try:
            super().print(part, **options | {"crop": False})
        finally:
            self._width = own
