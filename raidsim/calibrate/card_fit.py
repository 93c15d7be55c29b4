"""``raidsim card fit``: solves the values of a card from the figures that its sheet prints.

1. A figure that a sheet prints directly (capacity, watts, seek times) becomes the value of the
   card. So does a value that follows from it by a rule (:mod:`raidsim.calibrate.printed`).
2. Each value that may change begins where a closed form puts it
   (:mod:`raidsim.calibrate.first_guess`), if this brings a figure nearer. Otherwise it begins at
   its present value.
3. Least squares do the rest, with a simulated measurement of each figure
   (:mod:`raidsim.calibrate.rated_runs`).

A value may change if the card itself gives it, and its source is ``calibrated``, or ``assumed``
with a ``range``. A value that the figures do not determine stays where it was.
"""

from __future__ import annotations

import itertools
import math
import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from raidsim import cards, units
from raidsim.calibrate import card_file, rated_runs, rated_scenario
from raidsim.calibrate.conflicts import Conflict, conflicts
from raidsim.calibrate.first_guess import first_guess, within
from raidsim.calibrate.fit import Fit, fit
from raidsim.calibrate.meter import Meter, OnEstimate
from raidsim.calibrate.parameters import Parameter, free_parameters
from raidsim.calibrate.printed import FITTED, TOGETHER, Taken, is_replaceable, take
from raidsim.calibrate.problem import FitProblem
from raidsim.calibrate.rated_runs import PREFIX, Unfitted
from raidsim.calibrate.report import Fitted, Traded, fitted, traded
from raidsim.cards import Card
from raidsim.cards.arithmetic import Contradiction, contradictions, flash_capacity
from raidsim.cards.rated import FIGURES, TOLERANCE, RatedPerformance, page_of
from raidsim.errors import InputError, Problem
from raidsim.validate.jobs import Simulate, simulate
from raidsim.validate.verdict import Verdict
from raidsim.workers.engine import OnProgress, Progress

SCHEMA = "raidsim.card-fit/1"

ENOUGH = (0.02 / TOLERANCE) ** 4 / 2
"""Cost per figure at which a fit ends: that of a miss of 2 % where 5 % are allowed."""

COUNTED = (
    "flash.dies_per_channel",
    "buffer.size",
    "mapping.memory",
    "mapping.look_ups",
    "mapping.changes",
)
"""Values with a range that are not fitted: they follow from others, or no printed figure tells."""

OF_CLASS = ("flash.read_time",)
"""Values that are those of a class: a fit moves them as far as figures ask for, and no further.

What is usual is as good as a figure: half of the range away counts as a residual of 1.
"""


@dataclass(frozen=True)
class Missed:
    """A rated figure against its simulation; numbers are in the unit of the sheet."""

    figure: RatedPerformance
    before: float | None
    after: float | None

    @property
    def miss(self) -> float | None:
        """The error of the simulation, relative to the printed figure."""
        return None if self.after is None else self.after / self.figure.written - 1

    @property
    def is_met(self) -> bool:
        """Whether it is within its tolerance."""
        return self.miss is not None and abs(self.miss) <= self.figure.tolerance


@dataclass(frozen=True)
class CardFit:
    """The result of a fit to rated figures."""

    card: Card
    figures: tuple[Missed, ...]
    values: tuple[Fitted, ...]
    taken: tuple[Taken, ...]
    unfitted: tuple[Unfitted, ...]
    traded: tuple[Traded, ...]
    contradictions: tuple[Contradiction, ...]
    conflicts: tuple[Conflict, ...]
    settled: bool
    runs: int
    changed: bool
    written: bool

    @property
    def all_met(self) -> bool:
        """Whether no rated figure is missed by more than its tolerance."""
        return all(one.is_met for one in self.figures)

    def to_dict(self) -> dict[str, Any]:
        """Return all values as plain dicts, lists and numbers."""
        return {
            "schema": SCHEMA,
            "card": self.card.name,
            "host": _host(self.card),
            "figures": [
                {
                    "name": one.figure.name,
                    "load": one.figure.load,
                    "state": one.figure.state,
                    "printed": one.figure.written,
                    "unit": one.figure.unit,
                    "simulated_before": one.before,
                    "simulated": one.after,
                    "miss": one.miss,
                    "tolerance": one.figure.tolerance,
                    "met": one.is_met,
                }
                for one in self.figures
            ],
            "values": [
                {
                    "name": one.parameter.name,
                    "unit": one.parameter.unit,
                    "before": one.before,
                    "after": one.after,
                    "range": sorted(
                        one.parameter.shown(end) for end in (one.parameter.low, one.parameter.high)
                    ),
                    "at_bound": one.at_bound,
                    "determined": one.determined,
                    "uncertainty": one.uncertainty if one.noticed else None,
                    "determined_by": [name.removeprefix(PREFIX) for name in one.claims],
                }
                for one in self.values
            ],
            "taken": [
                {"name": one.name, "figure": one.figure, "before": one.before, "after": one.after}
                for one in self.taken
            ],
            "not_fitted": [{"name": one.name, "why": one.why} for one in self.unfitted],
            "contradictions": [
                {"figures": list(one.names), "text": one.text, "by": one.by}
                for one in self.contradictions
            ],
            "conflicts": [
                {
                    "figure": self.figures[one.missed].figure.name,
                    "with": None if one.other is None else self.figures[one.other].figure.name,
                    "by": one.by if one.other is not None else None,
                    "at_bounds": [self.values[i].parameter.name for i in one.values],
                    "alone": one.alone,
                }
                for one in self.conflicts
            ],
            "exchanged": [
                [{"name": value.name, "share": share} for value, share in one.shares]
                for one in self.traded
            ],
            "runs": self.runs,
            "settled": self.settled,
            "written": self.written,
        }


def fit_card(
    name: str,
    *,
    write: bool = True,
    move: bool = True,
    on_progress: OnProgress | None = None,
    on_estimate: OnEstimate | None = None,
    workers: int | None = None,
    simulate: Simulate = simulate,
) -> CardFit:
    """Solve the values of a card for its rated figures.

    Parameters
    ----------
    name
        Name or path of a card.
    write
        Whether to write values, residuals and sensitivities into it: into a path, and not into a
        card that is named, which comes with raidsim.
    move
        Whether values may move; if not, only residuals and sensitivities are taken anew.
    on_progress, on_estimate
        Called after every run, and once when it is known how many there will be.
    workers
        Threads; None for one per processor.
    simulate
        What runs a job.

    Raises
    ------
    InputError
        The card is wrong, prints nothing, has nothing that may move, or cannot be written.
    """
    card = cards.load(name)
    if write:
        card_file.refuse_named([name])
    if card.rated is None:
        cause = "has no published figures: there is no [rated]"
        raise InputError(
            [Problem(str(card.path), None, "rated", cause, "write what its sheet says")]
        )
    performance, unfitted = rated_runs.entries(card)
    if not performance:
        cause = "there is no [[rated.performance]] that a run can measure"
        raise InputError([Problem(str(card.path), None, "rated", cause, "write one at least")])
    if write:
        card_file.check([card.path])
    taken, card = take(card, performance)
    guess = first_guess(card, performance)
    parameters = _parameters(card)
    with tempfile.TemporaryDirectory(prefix="raidsim-") as folder:
        claims = rated_runs.claims(
            card, performance, Path(folder), {one.name: one.after for one in taken}
        )
        try:
            problem = FitProblem(claims, parameters, simulate, workers)
            meter = Meter(_named(on_progress, folder), on_estimate)
            found = fit_from(problem, guess, meter) if move else fit(problem, meter, move=False)
        except InputError as error:
            moved = {one.name for one in taken} | {one.name for one in parameters}
            told = [_of_the_card(one, card, folder, moved) for one in error.problems]
            raise InputError(dict.fromkeys(told)) from None
    values = fitted(found, parameters)
    old = card.path.read_text(encoding="utf-8")
    new = _text(old, card, taken, values, found)
    if write and new != old:
        card_file.write({card.path: new})
    figures = tuple(
        Missed(one, _printed(one, before), _printed(one, after))
        for one, before, after in zip(
            performance, found.before.verdicts, found.after.verdicts, strict=True
        )
    )
    return CardFit(
        card=card,
        figures=figures,
        values=values,
        taken=taken,
        unfitted=tuple(unfitted),
        traded=traded(found, parameters),
        contradictions=tuple(contradictions(card)),
        conflicts=conflicts(
            found,
            parameters,
            [math.nan if one.miss is None else one.miss for one in figures],
            [one.figure.tolerance for one in figures],
        ),
        settled=found.settled,
        runs=problem.runs,
        changed=new != old,
        written=write and new != old,
    )


def _named(on_progress: OnProgress | None, folder: str) -> OnProgress | None:
    """Name the figure of a run in place of the file of its scenario."""
    if on_progress is None:
        return None

    def tell(progress: Progress) -> None:
        label = progress.label.replace(f"{folder}{os.sep}", "").replace(".toml", "")
        on_progress(replace(progress, label=label))

    return tell


def _host(card: Card) -> dict[str, Any]:
    """Return the host on which the figures of a card are measured."""
    if card.kind == "host":
        return {"model": card.name, "set": {}}
    return {"model": rated_scenario.HOST_CARD, "set": rated_scenario.HOST}


# ---- the fit


def _parameters(card: Card) -> list[Parameter]:
    """Return the parameters that least squares may change; dies bound the spare area from above."""
    found = [one for one in free_parameters([card], assumed=True) if one.name not in COUNTED]
    if not found:
        cause, remedy = "no value on it may move", "write a range beside values that no sheet gives"
        raise InputError([Problem(str(card.path), None, None, cause, remedy)])
    found = [
        replace(one, hold=max(2 / math.log(one.high / one.low), one.hold))
        if one.name in OF_CLASS
        else one
        for one in found
    ]
    if not card.has("flash.die_capacity"):
        return found
    most = flash_capacity(card) / card.number("capacity.user") - 1
    return [
        replace(one, high=most, value=min(one.value, most))
        if one.name == "flash.spare" and one.low < most < one.high
        else one
        for one in found
    ]


def fit_from(problem: FitProblem, guess: Mapping[str, float], meter: Meter) -> Fit:
    """Fit from the values of the card, or from the guess if that is nearer to the figures."""
    parameters = problem.parameters
    own = [one.value for one in parameters]
    clipped = within(guess, {one.name: (one.low, one.high) for one in parameters})
    guessed = [one.rounded(clipped.get(one.name, one.value)) for one in parameters]
    first, second = problem.try_all([own, guessed], meter.watch("start"))
    if second.cost < first.cost:
        start = _needed(problem, own, guessed, second.cost, meter)
        problem.parameters = [
            replace(one, value=value) for one, value in zip(parameters, start, strict=True)
        ]
    found = fit(problem, meter, starts=1, enough=ENOUGH)
    problem.parameters = parameters
    return replace(found, before=first)


def _needed(
    problem: FitProblem,
    own: Sequence[float],
    guessed: Sequence[float],
    cost: float,
    meter: Meter,
) -> list[float]:
    """Return the guess, with the card's own value where a guess brings no figure nearer.

    A guess is computed under the assumption that this value alone limits a figure. Most figures are
    limited by one of several values.
    """
    values = list(guessed)
    for together in (1, 2, 1):  # two that compensate each other are reset together
        moved = [place for place, one in enumerate(own) if one != values[place]]
        for places in itertools.combinations(moved, together):
            if any(values[place] == own[place] for place in places):
                continue
            tried = [own[n] if n in places else one for n, one in enumerate(values)]
            (trial,) = problem.try_all([tried], meter.watch("start"))
            if trial.cost <= cost + ENOUGH:
                values = tried
    return values


def _printed(one: RatedPerformance, verdict: Verdict) -> float | None:
    return None if verdict.simulated is None else rated_runs.printed(one, verdict.simulated)


def _of_the_card(problem: Problem, card: Card, folder: str, moved: Collection[str]) -> Problem:
    """Return a problem of a scenario that was made for a rated figure as one of that figure.

    What is wrong with a value that a fit does not move is so for all of them: the card has it, or
    its sheet prints it.
    """
    value = (problem.key or "").removeprefix(f"{card.name}: ")
    assert card.rated is not None
    printed = {FIGURES[name].attribute: name for name in card.rated.figures}
    if value in printed:
        cause = f"as {value}, it {problem.cause}"
        return Problem(str(card.path), None, f"rated.{printed[value]}", cause, problem.remedy)
    if value in card.values and value not in moved:
        return Problem(str(card.path), None, value, problem.cause, problem.remedy)
    if problem.file is None or Path(problem.file).parent != Path(folder):
        return problem
    key = f"rated.{Path(problem.file).stem}"
    cause = f"{problem.key}: {problem.cause}" if problem.key else problem.cause
    return Problem(str(card.path), None, key, cause, problem.remedy)


def _note(card: Card, value: Fitted) -> str | None:
    """Return a new note for a value that a fit has changed, if the old one is no longer true.

    A note that a person wrote stays.
    """
    if value.before == value.after or not is_replaceable(card, value.parameter.name):
        return None
    return FITTED if value.claims else TOGETHER


def _text(
    old: str, card: Card, taken: Sequence[Taken], values: Sequence[Fitted], found: Fit
) -> str:
    """Return the file of the card as the fit says it."""
    assert card.rated is not None
    figures = card.rated.figures
    new = [
        card_file.NewValue(
            one.parameter.name,
            one.after,
            one.claims,
            one.sensitivities,
            source="calibrated" if one.claims else None,
            note=_note(card, one),
        )
        for one in values
    ]
    for one in taken:
        attribute = card.about.by_name[one.name]
        if one.figure not in figures:  # it follows from others
            unit = card.sources[one.name].unit
            number = units.in_unit(one.after, unit, attribute.dimension)
            new.append(card_file.NewValue(one.name, number, (), note=one.note))
            continue
        figure = figures[one.figure]
        unit = figure.unit if attribute.is_number else "1"
        new.append(
            card_file.NewValue(
                one.name, figure.written, (), unit=unit, source="datasheet", note=page_of(figure)
            )
        )
    residuals = {
        verdict.claim.id: verdict.error
        for verdict in found.after.verdicts
        if verdict.error is not None
    }
    kept = {name: one for name, one in card.residuals.items() if not name.startswith(PREFIX)}
    return card_file.rewritten(old, new, {**kept, **residuals})
