"""The result of a comparison of systems, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from raidsim.plain_json import finite
from raidsim.result import Result
from raidsim.studies.differences import Setting
from raidsim.studies.paired import Difference
from raidsim.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMA = "raidsim.comparison/1"
SURE = 0.95
"""Share of the draws from which on an order survives what cards do not know."""

STATES = ("healthy", "degraded", "rebuilding")


def letter(number: int) -> str:
    """A, B, C: what the system of a number is called where it has no name."""
    return chr(ord("A") + number) if number < 26 else f"system {number + 1}"


@dataclass(frozen=True)
class RatioInDraws:
    """A ratio in the draws of what cards do not know.

    Attributes
    ----------
    low, high : where nine in ten draws have it.
    ahead : share of the draws in which it is above 1.
    draws : that have the figure of both.
    """

    low: float
    high: float
    ahead: float
    draws: int

    @property
    def survives(self) -> bool:
        """Whether nearly all draws have the two in the same order."""
        return self.ahead >= SURE or self.ahead <= 1 - SURE


@dataclass(frozen=True)
class Line:
    """One figure of all systems at one place.

    Attributes
    ----------
    load : whose; empty for figures of the whole system.
    at : the place, as in "32 outstanding", "1,000 IO/s offered", "degraded".
    x : the same as a number, where it is one.
    name, unit : of the figure.
    values : of each system, the mean over its runs; None where it has none.
    lows, highs : ends of the interval of each value, over the runs or of the one run.
    against : the difference of each system to the first one; None of the first.
    orders : the same in draws, if they were asked for; None of the first.
    """

    load: str
    at: str
    x: float | None
    name: str
    unit: str
    values: tuple[float | None, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]
    against: tuple[Difference | None, ...]
    orders: tuple[RatioInDraws | None, ...] = ()


@dataclass(frozen=True)
class Fact:
    """A figure of a system that does not move with chance.

    Attributes
    ----------
    name, unit : of the figure.
    values : of each system, in that unit; None where it is not known; inf for never.
    """

    name: str
    unit: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Comparison:
    """Systems side by side; the first is what the others are held against.

    Attributes
    ----------
    names : of the systems.
    titles : of their scenarios.
    seeds : of the runs; empty where results were read.
    keys, cards : what differs in the scenarios, and in the cards of like parts.
    lines : figures of each load at each point that all have.
    within : the highest load within a latency, if it was searched for.
    within_words : which latency, as in "2 ms (mean)".
    states : throughput and latency healthy, degraded and rebuilding, at the hardest point.
    facts : capacity, power, rebuild, risk, endurance.
    draws : of what cards do not know; 0 if not asked for.
    remarks : what could not be compared, and why.
    results : of each system, of its first run.
    """

    names: tuple[str, ...]
    titles: tuple[str, ...]
    seeds: tuple[int, ...]
    keys: tuple[Setting, ...]
    cards: tuple[Setting, ...]
    lines: tuple[Line, ...]
    within: tuple[Line, ...]
    within_words: str
    states: tuple[Line, ...]
    facts: tuple[Fact, ...]
    draws: int
    remarks: tuple[str, ...]
    results: tuple[Result, ...] = field(repr=False)

    def line(self, name: str, at: str, load: str | None = None) -> Line:
        """The line of a figure at a place.

        Raises
        ------
        KeyError
            There is none.
        """
        for line in (*self.lines, *self.states, *self.within):
            if line.name == name and line.at == at and load in (None, line.load):
                return line
        raise KeyError(f"{name} at {at}")

    def to_dict(self) -> dict[str, Any]:
        """The documented JSON object; never and not known are null."""
        found = asdict(replace(self, results=()))
        del found["results"]
        plain: dict[str, Any] = finite({"schema": SCHEMA, "raidsim": __version__} | found)
        return plain

    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write it as JSON, as ``raidsim compare --json`` does; return the text without a path.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        from raidsim.report import output  # noqa: PLC0415

        return output.as_json(self.to_dict(), path)

    def plot(self) -> Figure:
        """Draw the curves of all systems over each other, as ``raidsim compare --plot`` does."""
        from raidsim.report import compare_plot  # noqa: PLC0415

        return compare_plot.figure(self)

    def __str__(self) -> str:
        from raidsim.report import compare_text  # noqa: PLC0415

        return compare_text.text(self)
