"""The progress of a command, as a bar on standard error that is removed at the end.

If standard error is no terminal, there is no bar. A message about the compilation of the kernel,
which takes a while and is done once, is printed in this case too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import ParamSpec, Protocol, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from raidsim import progress

P = ParamSpec("P")
T = TypeVar("T")


class PointProgress(Protocol):
    """The progress of a run at its present point."""

    @property
    def point_index(self) -> int:
        """Number of the point, from 0."""

    @property
    def points(self) -> int:
        """The number of points of the run."""

    @property
    def label(self) -> str:
        """The load and its intensity."""

    @property
    def fraction(self) -> float:
        """The completed share of the point, 0 to 1."""

    @property
    def iops(self) -> float:
        """IO/s so far."""


class JobProgress(Protocol):
    """The progress of a validation or a fit after each of its runs."""

    @property
    def done(self) -> int:
        """Runs that are done."""

    @property
    def total(self) -> int:
        """Runs in all."""

    @property
    def label(self) -> str:
        """The run that ended last."""


def shown(call: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Make a call, and show what it waits for if that takes long."""
    with Bar():
        return call(*given, **named)


class _Left(ProgressColumn):
    """The time to go of runs that are counted, once some have ended."""

    max_refresh = 0.5  # s

    def render(self, task: Task) -> Text:
        """Return the progress in words; empty if runs are not counted."""
        left = task.time_remaining
        if not task.fields.get("counted") or left is None or not task.completed:
            return Text()
        return Text(f"{timedelta(seconds=int(left))} to go")


class Bar:
    """A progress bar; use it as a context manager.

    Parameters
    ----------
    first
        What is done first, until something says more.
    console
        Where to draw; None for standard error.
    """

    def __init__(self, first: str = "starting", *, console: Console | None = None) -> None:
        self._first = first
        self._console = console or Console(file=sys.stderr, highlight=False)
        self._told = progress.told(self.wait)
        self._fractions: dict[int, float] = {}
        self._task: TaskID | None = None
        self._said: set[str] = set()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[count]}", markup=False),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeElapsedColumn(),
            _Left(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )

    def __enter__(self) -> Bar:
        self._told.__enter__()
        self._progress.start()
        self._task = self._progress.add_task(self._first, total=None, count="", rate="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()
        self._told.__exit__(kind, error, traceback)

    def on_point(self, at: PointProgress) -> None:
        """Show the progress of a run; points may run side by side."""
        self._fractions[at.point_index] = min(max(at.fraction, 0.0), 1.0)
        rate = f"{at.iops:,.0f} IO/s" if at.iops > 0 else ""
        count = f"{min(at.point_index + 1, at.points)} of {at.points}"
        self._show(at.label, sum(self._fractions.values()), at.points, count, rate)

    def on_job(self, at: JobProgress) -> None:
        """Show the progress of a validation or a fit."""
        words = f"{at.done:,} of {at.total:,} runs"
        self._show(at.label, at.done, at.total, words, "", counted=True)

    def on_share(self, label: str, share: float) -> None:
        """Show what is done now, and which share of all is done, 0 to 1."""
        self._show(label, share, 1.0, f"{100 * share:.0f} %", "")

    def wait(self, what: str) -> None:
        """Say what takes long before anything moves; without a terminal each thing once."""
        if self._console.is_terminal:
            self._show(what, 0, None, "", "")
        elif what not in self._said:
            self._said.add(what)
            self._console.print(Text(what))

    def say(self, text: object) -> None:
        """Say something that stays, above the bar."""
        self._console.print(Text(str(text)), soft_wrap=True)

    def _show(
        self,
        label: str,
        done: float,
        total: float | None,
        count: str,
        rate: str,
        *,
        counted: bool = False,
    ) -> None:
        if self._task is None:
            return
        label = label if len(label) <= 40 else f"{label[:39]}…"
        self._progress.update(
            self._task,
            description=label,
            completed=done,
            total=total,
            count=count,
            rate=rate,
            counted=counted,
        )
