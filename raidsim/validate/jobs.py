"""The runs that claims need: each distinct scenario, overrides and intensity once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """One simulation: a scenario by name, overrides as on the command line, one intensity.

    ``outstanding`` is I/Os outstanding per worker; None leaves what the scenario says.
    """

    scenario: str
    overrides: tuple[str, ...] = ()
    outstanding: int | None = None

    def all_overrides(self) -> list[str]:
        """Return the overrides including the intensity."""
        if self.outstanding is None:
            return list(self.overrides)
        return [*self.overrides, f"load.outstanding={self.outstanding}"]

    def __str__(self) -> str:
        """Return a short label for a progress bar."""
        at = "" if self.outstanding is None else f" at {self.outstanding}"
        return self.scenario + at

    @staticmethod
    def command_of(
        scenario: str, overrides: Iterable[str], intensities: Iterable[int | None]
    ) -> list[str]:
        """Return the ``raidsim run`` words that repeat these intensities of a scenario."""
        words = ["raidsim", "run", scenario]
        for override in overrides:
            words += ["--set", override]
        given = [at for at in intensities if at is not None]
        if given:
            value = str(given[0]) if len(given) == 1 else str(given)
            words += ["--set", f"load.outstanding={value}"]
        return words


def distinct(jobs: Iterable[Job]) -> list[Job]:
    """Return every job once, in the order of its first appearance."""
    return list(dict.fromkeys(jobs))
