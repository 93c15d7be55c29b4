"""A claim: one published statement, and the measurements that it compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from raidsim.errors import InputError, Problem
from raidsim.validate.jobs import Job, Latency
from raidsim.validate.metrics import METRICS

Relation = Literal[
    "value", "about", "range", "at_least", "at_most", "ratio", "order", "equal", "shape"
]
Role = Literal["calibration", "prediction"]
Reduction = Literal["at", "max", "mean", "each", "within"]

How = Literal["same", "inverse", "product", "quotient", "no_less", "no_more"]
"""How a figure is related to others in print (`Contradicts`)."""

NONE: Mapping[Job, tuple[str, ...]] = MappingProxyType({})

RELATIONS_WITH_ERROR: frozenset[Relation] = frozenset({"value", "about", "ratio"})
"""Relations whose error enters the statistics: a figure stands on the other side."""


@dataclass(frozen=True)
class Measurement:
    """One metric of one scenario: at one intensity, the highest or mean of several, or a curve.

    ``intensities`` are numbers of outstanding I/Os, ascending; (None,) leaves the scenario's own.
    With the reduction "within" it is the metric at the highest load within ``latency``. With
    ``also``, further overrides, each figure is the mean of two runs: without them and with them.
    ``moment`` is where the course of machines is read: a time in s, or a share. With ``base`` the
    number is the quotient of the two measurements, an effect, which another may be compared with.
    """

    scenario: str
    overrides: tuple[str, ...]
    metric: str
    intensities: tuple[int | None, ...]
    reduction: Reduction
    latency: Latency | None = None
    also: tuple[str, ...] = ()
    moment: float | None = None
    base: Measurement | None = None

    def jobs(self) -> tuple[Job, ...]:
        """Return the runs that this needs: a search, or one for each intensity."""
        own = tuple(job for run in self.runs() for job in run)
        return own if self.base is None else own + self.base.jobs()

    def runs(self) -> tuple[tuple[Job, ...], ...]:
        """Return the runs of each of the one or two curves that are averaged."""
        if self.latency is not None:
            return ((self._whole(self.overrides),),)
        return tuple(
            tuple(Job(self.scenario, overrides, at) for at in self.intensities)
            for overrides in self._both()
        )

    def commands(self, widened: Mapping[Job, tuple[str, ...]] = NONE) -> list[list[str]]:
        """Return the ``raidsim run`` command lines that measure the same.

        ``widened`` has the further overrides of jobs that were run with them in the end.
        """
        own = []
        for overrides, run in zip(self._both(), self.runs(), strict=True):
            more = next((widened[job] for job in run if job in widened), ())
            own.append(self._whole((*overrides, *more)).command())
        return own if self.base is None else own + self.base.commands(widened)

    def _both(self) -> tuple[tuple[str, ...], ...]:
        """The overrides of each curve."""
        if not self.also:
            return (self.overrides,)
        return (self.overrides, (*self.overrides, *self.also))

    def _whole(self, overrides: tuple[str, ...]) -> Job:
        """Everything in one run."""
        given = tuple(at for at in self.intensities if at is not None)
        alone = len(given) == 1 and self.latency is None
        return Job(self.scenario, overrides, given[0] if alone else given or None, self.latency)


@dataclass(frozen=True)
class Shape:
    """The shape of a curve over the intensities of its measurement.

    ``rises``: no point lies below an earlier one, and the last lies above the first.
    ``level``: all points equal the first.
    ``lowest``: no point lies below the one at intensity ``at``.
    """

    kind: Literal["rises", "level", "lowest"]
    at: int | None = None


@dataclass(frozen=True)
class Performance:
    """The comparison of a claim about behaviour: a run, perhaps with another or a shape."""

    run: Measurement
    against: Measurement | None = None
    shape: Shape | None = None

    def measurements(self) -> tuple[Measurement, ...]:
        """Return the one or two measurements."""
        return (self.run,) if self.against is None else (self.run, self.against)


@dataclass(frozen=True)
class CardValue:
    """The comparison of a catalogue claim with a value on a card.

    With ``of``, the name of another card, it is relative to the same value there.
    """

    card: str
    key: str
    of: str | None = None


@dataclass(frozen=True)
class ScenarioValue:
    """The comparison of a catalogue claim with a fact of a scenario, without a run."""

    scenario: str
    overrides: tuple[str, ...]
    fact: str


@dataclass(frozen=True)
class Contradicts:
    """Which claims of the same document leave no room for a claim, and how they are related to it.

    The figure ought to be that of the other claim ("same"), one over it ("inverse"), the "product"
    or "quotient" of two, or "no_less" or "no_more" than that of the other; each ``times`` a number.
    """

    claims: tuple[str, ...]
    kind: How
    times: float
    why: str


BASIS, ELSEWHERE = "documents that models were made from", "measured elsewhere"
"""What a document is to the models: what they were made from, or what they are tried on."""


def _no_line() -> None:
    """A claim that is from no file."""


@dataclass(frozen=True)
class Claim:
    """One published statement.

    ``published`` is the printed figure in ``unit``, or [low, high] of a range; for an order it is
    the least ratio of the first run to the other, for equalities and shapes 1. ``rounding`` is
    the step to which it is rounded in print, ``tolerance`` the relative error beyond that
    rounding up to which the claim holds. ``title`` is that of the document, and
    ``is_basis`` whether models were made from it; others were measured elsewhere. Figures with
    the same ``system`` in a document count as one in statistics of errors. ``printed`` is the
    number as it stands in print, where ``published`` is it in another unit. ``lacks`` says why the
    model has no such effect, though the claim may hold; ``contradicts`` what else is in print.
    ``structure`` names the choice of structure that was read off the claim, which no fit makes.
    """

    id: str
    document: str
    section: str
    relation: Relation
    role: Role
    published: float | tuple[float, float]
    rounding: float
    tolerance: float
    why: str
    subject: Performance | CardValue | ScenarioValue
    unit: str
    title: str = ""
    is_basis: bool = False
    printed: float | None = None
    lacks: str = ""
    structure: str = ""
    contradicts: Contradicts | None = None
    note: str = ""
    explanation: str = ""
    path: Path | None = None
    find_line: Callable[[], int | None] = field(default=_no_line, compare=False, repr=False)
    system: str = ""

    @property
    def line(self) -> int | None:
        """Line of the file on which it stands, which only a message wants to know."""
        return self.find_line()

    @property
    def origin(self) -> str:
        """The relation of its document to the models, in words."""
        return BASIS if self.is_basis else ELSEWHERE

    @property
    def kind(self) -> str:
        """Kind of claim: "catalogue", or what the metric measures (rate, throughput, latency)."""
        if not isinstance(self.subject, Performance):
            return "catalogue"
        return METRICS[self.subject.run.metric].kind

    @property
    def counts_in_errors(self) -> bool:
        """Whether the error enters the error statistics (a figure that was simulated)."""
        return self.relation in RELATIONS_WITH_ERROR and isinstance(self.subject, Performance)

    @property
    def interval(self) -> tuple[float, float]:
        """The simulated numbers that count as no error; a bound has an infinite end."""
        half = self.rounding / 2
        if isinstance(self.published, tuple):
            return self.published[0] - half, self.published[1] + half
        low, high = self.published - half, self.published + half
        rising = self.relation == "shape" and (
            isinstance(self.subject, Performance)
            and self.subject.shape is not None
            and self.subject.shape.kind != "level"
        )
        if self.relation in ("at_least", "order") or rising:
            return low, float("inf")
        if self.relation == "at_most":
            return float("-inf"), high
        return low, high

    def jobs(self) -> tuple[Job, ...]:
        """Return the runs that this claim needs."""
        if not isinstance(self.subject, Performance):
            return ()
        return tuple(job for one in self.subject.measurements() for job in one.jobs())

    def located(self, problem: Problem) -> Problem:
        """Return a problem of what the claim names, with the claim's own place.

        What is in a line of another file, a scenario's or a card's, stays there.
        """
        if problem.line is not None:
            return problem
        file = "set" if problem.file == "--set" else problem.file
        key = ": ".join(part for part in (self.id, file, problem.key) if part)
        return replace(problem, file=str(self.path), line=self.line, key=key)


def origins(claims: Iterable[Claim]) -> list[str]:
    """Return the origins of claims, to be told apart; none if all have the same."""
    found = sorted({claim.origin for claim in claims})
    return found if len(found) > 1 else []


def check_each(claims: Iterable[Claim], check: Callable[[Claim], object]) -> None:
    """Check claims; raise InputError with what is wrong, each problem at the first claim with it.

    Parameters
    ----------
    claims
        Which to check.
    check
        Raises InputError.
    """
    problems: dict[Problem, Problem] = {}
    for claim in claims:
        try:
            check(claim)
        except InputError as error:
            for problem in error.problems:
                problems.setdefault(problem, claim.located(problem))
    if problems:
        raise InputError(dict.fromkeys(problems.values()))
