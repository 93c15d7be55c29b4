"""The user's measurements narrow the ranges of the unknown values of a scenario's cards.

Every job of the results becomes a load on the scenario's volume, as in ``raidsim judge``, and gives
one figure: measured over simulated speed. (Throughput and latency of a closed load are one figure,
by Little's law.) The prior of all values of the scenario's cards (:mod:`raidsim.cards.posterior`)
is conditioned by these figures. The most probable values minimise

    (y - f(x))' S^-1 (y - f(x)) + (x - m)' P^-1 (x - m)

by Gauss and Newton's steps. f is simulated, m and P are the mean and covariance of the prior, x are
the logarithms of the values (the values themselves if they may be 0). Slopes of f are differences
of runs with the same seed. The step is half of a value's uncertainty, so that noise and the steps
of counts have little effect.

A value counts as measured if it moved or its range got narrower. Only all values together are most
probable: a figure that several values may explain moves each of them a little, and makes hardly any
range narrower. If the values that moved without getting narrower were reset, the rest would no
longer fit. So all values that moved noticeably are kept, and the rest is reset. The speeds "after"
are simulated with exactly these values, which the new card contains.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from raidsim import units
from raidsim.calibrate.learned import HIGH_END, LOW_END, Learned, OwnResults, Told, key_of
from raidsim.cards import Card
from raidsim.cards.posterior import (
    ALIKE,
    FIGURE,
    NORMAL_95,
    Posterior,
    Vector,
    conditioned,
    posterior,
)
from raidsim.errors import InputError, Problem
from raidsim.fio.playing import Played
from raidsim.judge import Given
from raidsim.judge.figures import Figure
from raidsim.judge.judgement import (
    compared_by,
    contradictions,
    simulated_loads,
    speed_by,
    target_of,
)
from raidsim.judge.loads import load_of
from raidsim.measured.job import Measured, MeasuredJob
from raidsim.scenario import Scenario
from raidsim.workers.engine import execute

ROUNDS = 3
HALVINGS = 3
STEP = 0.5
"""Standard deviations over which slopes are taken."""

LEAST_EFFECT = 0.005
"""Relative change of a speed over such a step below which a value counts as without effect."""

LITTLE = 0.01
"""Relative change of a speed over a deviation below which slopes are taken only once."""

LEARNED = 0.9
"""Share of its deviation below which a value counts as learned of."""

MOVED = 0.25
"""Deviations by which a value must move to count as learned of: less is no news of it."""

WITHOUT_EFFECT = ("power.", "reliability.", "heat.", "throttle.", "recovery.", "rebuild.")
"""Values that no measurement of speed tells of."""

DIGITS, MOST_WHOLE = 4, 10**15
"""Digits that a card states of what was learned, and numbers above which no int is written."""

QUICK = {"measure.precision": "1 %", "measure.min_ios": 20_000}

Tell = Callable[[str, float], None]
"""Told what is simulated now, and which share of all that is done."""


@dataclass(frozen=True)
class _Group:
    """Jobs that ran side by side: the scenario of their loads, and their names."""

    scenario: Scenario
    jobs: tuple[MeasuredJob, ...]
    plays: tuple[Played, ...]
    names: tuple[str, ...]


def learn(
    scenario: Scenario,
    results: Sequence[Measured],
    volume: str | None = None,
    tell: Tell | None = None,
) -> OwnResults:
    """Return the values of a scenario's cards as results narrow them.

    Parameters
    ----------
    volume
        The measured volume; None for the only volume.
    tell
        Called before every run.

    Raises
    ------
    InputError
        It is not clear which volume was measured, or no job can be simulated.
    """
    groups, left_out = _groups(scenario, results, volume)
    search = _Search(_Unknowns(_cards(scenario)), groups, tell)
    found = search.learned(scenario.title, tuple(left_out))
    return replace(found, warnings=tuple(_warnings(groups, results)))


def drive_of(scenario: Scenario, volume: str | None = None) -> Card:
    """Return the card of the drives that were measured; of a hybrid those in front."""
    target = target_of(scenario, volume)
    while (hybrid := scenario.hybrid(target)) is not None:
        target = hybrid.front
    return scenario.volume(target).card


def _groups(
    scenario: Scenario, results: Sequence[Measured], volume: str | None
) -> tuple[list[_Group], list[str]]:
    target = target_of(scenario, volume)
    groups: list[_Group] = []
    left_out: list[str] = []
    given = Given(may_be_asked=False)
    for measured in results:
        stem = measured.file.rsplit("/", 1)[-1]
        for _, side_by_side in itertools.groupby(measured.jobs, lambda job: (job.host, job.group)):
            good: list[tuple[MeasuredJob, Played]] = []
            for job in side_by_side:
                played = load_of(job, scenario, target, given)
                if why := _why_left_out(job, played):
                    left_out.append(f"{measured.file}: {job.name}: {why}")
                else:
                    good.append((job, played))
            if not good:
                continue
            loads = [
                {"name": f"job{n}", "volume": target} | played.table
                for n, (_, played) in enumerate(good, start=1)
            ]
            changes = {"load": loads, "event": None, "machine": None} | QUICK
            jobs, plays = zip(*good, strict=True)
            names = tuple(f"{stem}: {job.name}" for job in jobs)
            groups.append(_Group(scenario.with_(changes), jobs, plays, names))
    if not groups:
        reasons = left_out or ["the results hold no job"]
        raise InputError([Problem(scenario.path, None, None, one) for one in reasons])
    return groups, left_out


def _warnings(groups: Sequence[_Group], results: Sequence[Measured]) -> Iterator[str]:
    """What makes results doubtful, in the words of ``raidsim judge``."""
    for group in groups:
        for job, played, name in zip(group.jobs, group.plays, group.names, strict=True):
            for text in (*job.remarks, job.too_short, *contradictions(job, played.table)):
                if text:
                    yield f"{name}: {text}"
    for measured in results:
        if measured.is_simulated:
            yield f"{measured.file}: raidsim itself wrote the result"


def _why_left_out(job: MeasuredJob, played: Played) -> str:
    """Return the reason why nothing is learned from a job, in words; empty if something is."""
    if played.refused:
        return played.refused[0].meaning
    if job.error:
        return "fio ended the job with an error"
    return "nothing was measured" if job.iops == 0 else ""


def _cards(scenario: Scenario) -> dict[str, tuple[Card, list[str]]]:
    """The cards of a scenario by name, each with the places that have it."""
    places = [("host", scenario.host.card)]
    places += [(f"controller[{i}]", one.card) for i, one in enumerate(scenario.controllers)]
    places += [(f"volume[{i}]", one.card) for i, one in enumerate(scenario.volumes)]
    found: dict[str, tuple[Card, list[str]]] = {}
    for place, card in places:
        found.setdefault(card.name, (card, []))[1].append(place)
    return found


class _Unknowns:
    """The unknown values of several cards, one after the other: logarithms, or values."""

    def __init__(self, cards: Mapping[str, tuple[Card, list[str]]]) -> None:
        self.cards = list(cards.values())
        self.known: list[Posterior] = [posterior(card) for card, _ in self.cards]
        pairs = [
            (n, i)
            for n, known in enumerate(self.known)
            for i, name in enumerate(known.names)
            if not name.startswith(WITHOUT_EFFECT)
        ]
        self.pairs = pairs
        size = len(pairs)
        self.mean = np.array([self.known[n].mean[i] for n, i in pairs])
        self.prior = np.zeros((size, size))
        for a, (n, i) in enumerate(pairs):
            for b, (m, j) in enumerate(pairs):
                if n == m:
                    self.prior[a, b] = self.known[n].covariance[i, j]

    def _all(self, name: str) -> Vector:
        return np.array([getattr(self.known[n], name)[i] for n, i in self.pairs])

    @cached_property
    def linear(self) -> Vector:
        """Which are values, and not logarithms."""
        return self._all("linear")

    def clipped(self, x: Vector) -> Vector:
        """Return a point within the plausible ranges."""
        low, high = self._all("low"), self._all("high")
        with np.errstate(divide="ignore"):
            low = np.where(self.linear, low, np.log(low))
            high = np.where(self.linear, high, np.log(high))
        found: Vector = np.clip(x, low, high)
        return found

    def value(self, k: int, x: float) -> float:
        """Return the value (base units) that a run has."""
        n, i = self.pairs[k]
        value = x if self.known[n].linear[i] else math.exp(x)
        value = min(max(value, float(self.known[n].low[i])), float(self.known[n].high[i]))
        return float(round(value)) if self.known[n].whole[i] else value

    def changes(self, x: Vector) -> dict[str, str]:
        """Return the keys of a scenario that set a point; those that stay are left out."""
        found: dict[str, str] = {}
        for k, (n, i) in enumerate(self.pairs):
            if x[k] == self.mean[k]:
                continue
            card, places = self.cards[n]
            name = self.known[n].names[i]
            text = _written(card, name, self.value(k, float(x[k])))
            found |= {f"{place}.set.{name}": text for place in places}
        return found


def stated(card: Card, name: str, value: float) -> tuple[float | int, str]:
    """Return a value (base units) as a card states it, a number of four digits, and its unit."""
    attribute = card.about.by_name[name]
    unit = card.sources[name].unit if value else attribute.unit
    if attribute.dimension in ("size", "capacity"):
        unit = "B"  # four digits of any other unit may be no whole number of bytes
    near = float(f"{units.in_unit(value, unit, attribute.dimension):.{DIGITS}g}")
    return (int(near) if near == int(near) and abs(near) < MOST_WHOLE else near), unit


def _written(card: Card, name: str, value: float) -> str:
    """Return a value as a scenario has it: what is simulated is what a card can state."""
    number, unit = stated(card, name, value)
    return f"{number!r} {unit}" if unit != "1" else f"{number!r}"


class _Search:
    """Simulates the jobs at points, and moves to the most probable one."""

    def __init__(self, unknowns: _Unknowns, groups: Sequence[_Group], tell: Tell | None) -> None:
        self.unknowns = unknowns
        self.groups = groups
        self.tell = tell
        self.lock = Lock()  # several threads tell, and count
        self.runs = 0
        # The first round takes the slopes of all values, the others those of a third, about.
        self.expected = len(groups) * len(unknowns.pairs) * 2

    def speeds(self, x: Vector, what: str) -> Vector | None:
        """Logarithms of measured over simulated speed; None where no card could be so."""
        found = self.compared(x, what)
        return None if found is None else np.array([one for one, _ in found])

    def compared(self, x: Vector, what: str) -> list[tuple[float, Figure | None]] | None:
        """The same, each with the figure that tells it."""
        found: list[tuple[float, Figure | None]] = []
        for group in self.groups:
            with self.lock:
                if self.tell is not None:
                    self.tell(what, min(self.runs / self.expected, 0.99))
                self.runs += 1
            try:
                loads = simulated_loads(group.scenario.with_(self.unknowns.changes(x)))
            except InputError:
                if np.array_equal(x, self.unknowns.mean):
                    raise
                return None
            for job, played, one in zip(group.jobs, group.plays, loads, strict=True):
                figure = compared_by(job, one, played)
                speed = speed_by(figure, played)
                found.append((math.log(speed) if speed else math.nan, figure))
        return found

    def slopes(self, x: Vector, here: Vector, moving: Sequence[int]) -> Vector:
        """Change of the logarithm of each simulated speed by each value."""
        found = np.zeros((len(here), len(x)))
        for k, column in zip(
            moving, execute(moving, lambda k: self._slope(x, here, k)), strict=True
        ):
            found[:, k] = column
        return found

    def _slope(self, x: Vector, here: Vector, k: int) -> Vector:
        """Change of the logarithm of each simulated speed by value ``k``."""
        unknowns = self.unknowns
        reach = STEP * math.sqrt(unknowns.prior[k, k])
        for step in (reach, -reach, 2 * reach):
            there = x.copy()
            there[k] = unknowns.clipped(there + step * np.eye(len(x))[k])[k]
            if unknowns.value(k, there[k]) == unknowns.value(k, x[k]):
                continue
            beside = self.speeds(there, self._name(k))
            if beside is None:
                continue
            change = here - beside  # of the simulated speed
            by = self._distance(k, x[k], there[k])
            return np.where(np.abs(change) >= LEAST_EFFECT, change / by, 0.0)
        return np.zeros(len(here))

    def _distance(self, k: int, here: float, there: float) -> float:
        """Return the distance that a value has moved, after rounding as in a run."""
        a, b = self.unknowns.value(k, here), self.unknowns.value(k, there)
        return b - a if self.unknowns.linear[k] else math.log(b / a)

    def _name(self, k: int) -> str:
        n, i = self.unknowns.pairs[k]
        return f"{self.unknowns.cards[n][0].name}: {self.unknowns.known[n].names[i]}"

    def learned(self, title: str, left_out: tuple[str, ...]) -> OwnResults:
        """Move, and say what was learned."""
        start = self.speeds(self.unknowns.mean, "as the cards are")
        assert start is not None
        judged = np.isfinite(start)
        x, slopes = self._most_probable(start, judged)
        covariance = conditioned(self.unknowns.prior, slopes[judged], _errors(slopes[judged]))
        x, told, ends = self._kept(x, covariance)
        return OwnResults(
            title,
            self._values(x, covariance, slopes, told),
            tuple(
                Told(name, math.exp(before), math.exp(after), figure)
                for name, before, (after, figure) in zip(self._names(), start, ends, strict=True)
            ),
            left_out,
            self.runs,
        )

    def _most_probable(self, start: Vector, judged: Vector) -> tuple[Vector, Vector]:
        """Move to the most probable values: these, and the last slopes of all speeds.

        ``start`` are the speeds with the cards as they are, ``judged`` says which there are.
        """
        unknowns, prior, mean = self.unknowns, self.unknowns.prior, self.unknowns.mean
        x, here = mean.copy(), start
        moving = list(range(len(mean)))
        slopes = np.zeros((len(start), len(mean)))
        for _ in range(ROUNDS):
            slopes[:, moving] = self.slopes(x, here, moving)[:, moving]
            errors = _errors(slopes[judged])
            j = slopes[judged]
            gain = prior @ j.T @ np.linalg.inv(j @ prior @ j.T + errors)
            target = mean + gain @ (here[judged] + j @ (x - mean))
            step = unknowns.clipped(target) - x
            better = self._better(x, here, step, judged, errors)
            # Of what has little effect slopes are not taken again.
            effects = np.max(np.abs(slopes), axis=0) * np.sqrt(np.diag(prior))
            moving = [k for k in moving if effects[k] >= LITTLE]
            if better is None:
                break
            settled = float(np.max(np.abs(better[1] - here))) < LEAST_EFFECT
            x, here = better
            if settled:
                break
        return x, slopes

    def _kept(
        self, x: Vector, covariance: Vector
    ) -> tuple[Vector, NDArray[np.bool_], list[tuple[float, Figure | None]]]:
        """Put back what nothing was learned of: values, which were learned, speeds with them."""
        told = self._told(x, covariance)
        kept = np.where(told, x, self.unknowns.mean)
        ends = self.compared(kept, "with what was learned")
        if ends is None:  # no card could have them without the rest
            told, kept = x != self.unknowns.mean, x
            ends = self.compared(kept, "with all that moved")
        assert ends is not None
        return kept, told, ends

    def _names(self) -> list[str]:
        return [name for group in self.groups for name in group.names]

    def _better(
        self, x: Vector, here: Vector, step: Vector, judged: Vector, errors: Vector
    ) -> tuple[Vector, Vector] | None:
        """The end of a step, or of a shorter one, if that is more probable."""
        cost = self._cost(x, here[judged], errors)
        for _ in range(HALVINGS):
            there = self.unknowns.clipped(x + step)
            speeds = self.speeds(there, "nearer to what was measured")
            if speeds is not None and self._cost(there, speeds[judged], errors) < cost:
                return there, speeds
            step = step / 2
        return None

    def _cost(self, x: Vector, speeds: Vector, errors: Vector) -> float:
        away = x - self.unknowns.mean
        return float(
            speeds @ np.linalg.solve(errors, speeds)
            + away @ np.linalg.lstsq(self.unknowns.prior, away, rcond=None)[0]
        )

    def _told(self, x: Vector, covariance: Vector) -> NDArray[np.bool_]:
        """Return flags, one a value: the figures moved it by more than chance, or narrowed it."""
        before, after = (np.sqrt(np.diag(one)) for one in (self.unknowns.prior, covariance))
        moved = np.abs(x - self.unknowns.mean) > MOVED * before
        found: NDArray[np.bool_] = moved | (after < LEARNED * before)
        return found

    def _values(
        self, x: Vector, covariance: Vector, slopes: Vector, told: NDArray[np.bool_]
    ) -> tuple[Learned, ...]:
        unknowns = self.unknowns
        found = []
        names = self._names()
        for k, (n, i) in enumerate(unknowns.pairs):
            known, (card, _) = unknowns.known[n], unknowns.cards[n]
            stays = x[k] == unknowns.mean[k]
            before = card.number(known.names[i])
            value = before if stays else unknowns.value(k, float(x[k]))
            reach = NORMAL_95 * math.sqrt(covariance[k, k])
            ends = [x[k] - reach, x[k] + reach]
            low, high = (
                min(max(end if known.linear[i] else math.exp(end), known.low[i]), known.high[i])
                for end in ends
            )
            per_cent = value if known.linear[i] else 1.0  # of the value, where slopes are of it
            by_figure = {
                key_of(name): float(slope) * per_cent
                for name, slope in zip(names, slopes[:, k], strict=True)
                if slope != 0
            }
            found.append(
                Learned(
                    card,
                    known.names[i],
                    before,
                    known.interval(known.names[i]),
                    value,
                    (min(float(low), value), max(float(high), value)),
                    by_figure,
                    bool(told[k]),
                    _end(value, known, i),
                )
            )
        return tuple(sorted(found, key=lambda one: not one.is_told))


def _end(value: float, known: Posterior, i: int) -> str | None:
    """Return at which end of its plausible range a value is; None if it is inside."""
    low, high = float(known.low[i]), float(known.high[i])
    near = 0.5 * 10.0 ** (1 - DIGITS)  # cards state so many digits
    if math.isclose(value, high, rel_tol=near):
        return HIGH_END
    return LOW_END if math.isclose(value, low, rel_tol=near) else None


def _errors(slopes: Vector) -> Vector:
    """Covariance of the errors of measured figures: as of those that a card is fitted to."""
    sizes = np.linalg.norm(slopes, axis=1)
    kinds = slopes / np.where(sizes > 0, sizes, 1.0)[:, None]
    shape = ALIKE * (kinds @ kinds.T)
    np.fill_diagonal(shape, 1.0)
    return FIGURE**2 * shape
