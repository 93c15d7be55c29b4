"""The runs that claims need: each distinct scenario, overrides and intensities once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from raidsim.result import Result


@dataclass(frozen=True)
class Latency:
    """A latency to stay within: on average, or for a share of the I/Os; texts as in a scenario."""

    within: str
    percentile: str | None = None


@dataclass(frozen=True)
class Job:
    """One simulation: a scenario by name, overrides as on the command line, and how hard.

    ``outstanding`` is I/Os outstanding per worker; None leaves what the scenario says. With
    ``latency`` it is the sweep that is searched for the highest load within that.
    """

    scenario: str
    overrides: tuple[str, ...] = ()
    outstanding: int | tuple[int, ...] | None = None
    latency: Latency | None = None

    @property
    def width(self) -> int:
        """The most I/Os outstanding per worker; 0 where the scenario says it."""
        if isinstance(self.outstanding, tuple):
            return max(self.outstanding)
        return self.outstanding or 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of outstanding I/Os per worker; none where the scenario says it."""
        if isinstance(self.outstanding, tuple):
            return self.outstanding
        return () if self.outstanding is None else (self.outstanding,)

    def all_overrides(self) -> list[str]:
        """Return the overrides including intensity and latency."""
        found = list(self.overrides)
        if isinstance(self.outstanding, tuple):
            found.append(f"load.outstanding={list(self.outstanding)}")
        elif self.outstanding is not None:
            found.append(f"load.outstanding={self.outstanding}")
        if self.latency is not None:
            found.append(f"load.within={self.latency.within}")
            if self.latency.percentile is not None:
                found.append(f"load.within_percentile={self.latency.percentile}")
        return found

    def __str__(self) -> str:
        """Return a short label for a progress bar."""
        if self.latency is not None:
            return f"{self.scenario} within {self.latency.within}"
        if self.outstanding is None:
            return self.scenario
        if isinstance(self.outstanding, int):
            return f"{self.scenario} at {self.outstanding}"
        low, high = min(self.outstanding), max(self.outstanding)
        return f"{self.scenario} at {low}" + (f" to {high}" if high > low else "")

    def command(self) -> list[str]:
        """Return the ``raidsim run`` words that do the same."""
        words = ["raidsim", "run", self.scenario]
        for override in self.all_overrides():
            words += ["--set", override]
        return words


Simulate = Callable[[Job], Result]
"""What runs a job."""


def simulate(job: Job) -> Result:
    """Run one job in the simulator."""
    return _run(job, explained=True)


def simulate_for_claims(job: Job) -> Result:
    """Run one job for the figures that claims are about.

    The use of hundreds of stations at each point would be gathered, and carried from process to
    process, for nobody.
    """
    return _run(job, explained=False)


def _run(job: Job, *, explained: bool) -> Result:
    from raidsim.running import run_for_answer  # noqa: PLC0415  (loads the kernel)
    from raidsim.scenario import load  # noqa: PLC0415

    scenario = load(job.scenario, overrides=job.all_overrides())
    return run_for_answer(scenario, explained=explained)


def get_ready() -> None:
    """Load all that the first run of a process takes."""
    import raidsim.running  # noqa: F401, PLC0415  (loads the kernel)
    from raidsim.kernel import is_compiled  # noqa: PLC0415

    is_compiled()


def distinct(jobs: Iterable[Job]) -> list[Job]:
    """Return every job once, in the order of its first appearance."""
    return list(dict.fromkeys(jobs))
