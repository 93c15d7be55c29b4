"""How many runs a study needs, and how long they take: said before and while the first ones run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from raidsim import units
from raidsim.workers.engine import processors

MANY = 100
"""Runs from which on their number is said before anything else is done."""

FIRST = 3
"""Runs of each worker after which it is said how long all take."""

LONG = 60.0
"""Seconds from which on it is said how long all runs take."""


@dataclass(frozen=True)
class Expected:
    """The runs that a study still has to make.

    Attributes
    ----------
    runs : how many.
    known : variants whose results were stored before.
    seconds : how long all of them take, going by the first ones; None before these.
    """

    runs: int
    known: int = 0
    seconds: float | None = None

    def __str__(self) -> str:
        """Return it as a sentence."""
        if self.seconds is not None:
            length = _duration(self.seconds)
            return f"{self.runs:,} runs take about {length}, judging by the first ones"
        if not self.runs:
            return f"nothing is left to run: all {self.known:,} results are known from before"
        known = f" ({self.known:,} more are known from before)" if self.known else ""
        return f"{self.runs:,} runs{known}; Ctrl-C ends them, and keeps what is finished"


OnExpected = Callable[[Expected], None]


class Forecast:
    """Says how much a study has left to do, and how long that takes once some runs have ended.

    Parameters
    ----------
    workers
        How many run at a time; None for one per processor. On a cluster, whose number is not
        known here, no time is given.
    tell
        Called at most twice; None for never.
    """

    def __init__(self, workers: int | None, cluster: str | None, tell: OnExpected | None) -> None:
        self.tell = tell
        self.workers = 0 if cluster is not None else workers or processors()
        self.runs = 0
        self.known = 0
        self.times: list[float] = []

    def begin(self, runs: int, known: int) -> None:
        """Say how many runs are left of a large study, if some results are known from before."""
        self.runs, self.known = runs, known
        if known and runs + known >= MANY:
            self._say(Expected(runs, known))

    def _say(self, expected: Expected) -> None:
        if self.tell is not None:
            self.tell(expected)

    def add(self, seconds: float) -> None:
        """Take the time of a run that has ended; say how long all take, if that is long.

        By their median: the very first run may compile the kernel, which takes minutes.
        """
        first = FIRST * self.workers
        if len(self.times) >= first:
            return
        self.times.append(seconds)
        if len(self.times) < first:
            return
        each = median(self.times) / min(self.workers, self.runs)
        if each * self.runs >= LONG:
            self._say(Expected(self.runs, self.known, each * self.runs))


def _duration(seconds: float) -> str:
    """A length of time in two digits: 90 s, 25 min, 7.5 h, 12 days."""
    for unit, length in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{units.plain(seconds / length, 2)} {unit}"
    return f"{seconds:.0f} s"
