"""The progress of a fit, and its remaining time: one count over all of its runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from raidsim.workers.engine import OnProgress, Progress

if TYPE_CHECKING:
    from raidsim.calibrate.problem import FitProblem, Trial

STEPS, DERIVATIVES = 6, 2
"""Steps that a descent takes, typically, and how many of them with derivatives."""

LONG = 3600.0
"""Seconds from which on a fit says that it is a long one."""


@dataclass(frozen=True)
class Estimate:
    """An estimate of a fit: runs in all, and seconds if all take as long as the first."""

    parameters: int
    claims: int
    runs: int
    seconds: float
    starts: int

    def __str__(self) -> str:
        """Return the progress as a sentence."""
        what = f"{_count(self.parameters, 'value')}, {_count(self.claims, 'claim')}"
        what += f": about {self.runs:,} runs"
        text = f"{what}, {_duration(self.seconds)}"
        if self.seconds >= LONG and self.starts > 1:
            text += f"; --starts 1 takes {_duration(self.seconds / self.starts)}"
        return text


OnEstimate = Callable[[Estimate], None]


class Meter:
    """Counts the runs of a fit.

    Parameters
    ----------
    on_progress
        Called after every run, with the number of runs so far and the number expected in all.
    on_estimate
        Called once, when the first trial is done.
    """

    def __init__(
        self,
        on_progress: OnProgress | None = None,
        on_estimate: OnEstimate | None = None,
    ) -> None:
        self.on_progress = on_progress
        self.on_estimate = on_estimate
        self.done = 0
        self.expected = 0
        self.times: list[float] = []

    def watch(self, what: str) -> OnProgress:
        """Return the function that reports progress after every run of the next trials."""
        before = self.done

        def tell(progress: Progress) -> None:
            self.times.append(time.monotonic())
            self.done = before + progress.done
            self.expected = max(self.expected, before + progress.total)
            if self.on_progress is not None:
                label = f"{what}: {progress.label}"
                self.on_progress(Progress(self.done, self.expected, label))

        return tell

    def estimate(self, problem: FitProblem, first: Trial, starts: int) -> None:
        """Say what the fit will take, going by its first trial.

        Its first run is left out: the kernel may have been compiled meanwhile.
        """
        own = [job for job in problem.jobs if problem.moves(job)]
        telling = sum(problem.moves(job) for job in first.telling())
        descent = len(own) + telling * (STEPS + DERIVATIVES * len(problem.parameters))
        runs = self.done + (starts + 1) * descent
        each = (self.times[-1] - self.times[0]) / max(len(self.times) - 1, 1) if self.times else 0
        self.expected = max(runs, self.expected)
        if self.on_estimate is not None:
            found = Estimate(
                len(problem.parameters),
                len(problem.claims),
                runs,
                each * (runs - self.done),
                starts,
            )
            self.on_estimate(found)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(round(seconds, -1), 10):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
