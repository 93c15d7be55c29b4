"""The runs of a comparison: every system with the same seeds, and what differs between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from raidsim import units
from raidsim.errors import InputError, Problem
from raidsim.result import Point, Result
from raidsim.risk.assess import Risk, assess_all
from raidsim.risk.under_load import hardest
from raidsim.scenario import Scenario
from raidsim.studies import states as conditions
from raidsim.studies.comparison import Comparison, Fact, Line
from raidsim.studies.costs import Prices, costs_of, left_out, unpriced
from raidsim.studies.differences import card_values, settings
from raidsim.studies.facts import facts_of, usable
from raidsim.studies.orders import in_draws
from raidsim.studies.point_figures import figures_of
from raidsim.studies.searched import searching
from raidsim.studies.side_by_side import figure_lines, points_of, x_of
from raidsim.studies.store import Store
from raidsim.studies.study import Outcome, Variant, run_variants
from raidsim.studies.unknown import draw
from raidsim.workers.engine import OnProgress, Progress, execute


@dataclass(frozen=True)
class Ask:
    """The settings of a comparison."""

    seeds: int
    within: str | None
    percentile: float | None
    draws: int
    states: bool
    risk: bool
    prices: Prices | None
    store: Store | None
    workers: int | None
    cluster: str | None
    on_progress: OnProgress | None


@dataclass
class _Told:
    """Tells how far everything is, over several steps."""

    on_progress: OnProgress | None
    done: int = 0
    total: int = 0

    def step(self, size: int) -> OnProgress | None:
        """Return the receiver of the progress of one step of so many runs."""
        begun, self.done = self.done, self.done + size
        self.total = max(self.total, self.done)
        if self.on_progress is None:
            return None
        tell = self.on_progress
        return lambda at: tell(Progress(begun + at.done, self.total, at.label))


@dataclass
class Compared:
    """One of the systems, with its runs."""

    name: str
    scenario: Scenario
    results: list[Result] = field(default_factory=list)

    def __str__(self) -> str:
        """Return what it is called."""
        return self.name


class Runs:
    """A comparison of scenarios, while it is made."""

    def __init__(self, systems: list[Compared], ask: Ask) -> None:
        self.systems = systems
        self.ask = ask
        self.remarks: list[str] = []
        self.told = _Told(ask.on_progress)
        base = systems[0].scenario.seed
        self.seeds = tuple(base + number for number in range(ask.seeds))

    def comparison(self) -> Comparison:
        """Run everything that was asked for; what differs between the systems."""
        scenarios = [one.scenario for one in self.systems]
        searched, words = self._searched()
        hard = self._states() if self.ask.states else []
        runs = len(self.seeds) * len(self.systems)
        self.told.total = runs * (1 + bool(searched) + len(conditions.OTHERS) * bool(hard))
        self.told.total += self.ask.draws * len(self.systems) * (1 + bool(searched))
        self.told.total += len(self.systems) * self.ask.risk
        for system, found in zip(self.systems, self._run(scenarios), strict=True):
            system.results = [_result(system, one) for one in found]
        risks = self._risks() if self.ask.risk else []
        lines, places = self._lines()
        within = self._within(searched) if searched else []
        return Comparison(
            names=tuple(one.name for one in self.systems),
            titles=tuple(one.title for one in scenarios),
            seeds=self.seeds,
            keys=tuple(settings([one.resolved() for one in scenarios])),
            cards=tuple(card_values(scenarios)),
            lines=tuple(self._with_orders(lines, places, scenarios)),
            within=tuple(self._with_orders(within, [0] * len(within), searched)),
            within_words=words,
            states=tuple(self._of_states(hard, risks)) if hard else (),
            facts=tuple(self._facts(scenarios, risks)),
            draws=self.ask.draws,
            remarks=tuple(dict.fromkeys(self.remarks)),
            results=tuple(one.results[0] for one in self.systems),
        )

    def _run(self, scenarios: Sequence[Scenario]) -> list[list[Outcome]]:
        """Run each scenario with every seed."""
        variants = [Variant(one, {"seed": seed}) for one in scenarios for seed in self.seeds]
        outcomes = run_variants(
            variants, store=self.ask.store, workers=self.ask.workers, cluster=self.ask.cluster,
            on_progress=self.told.step(len(variants)),
        )  # fmt: skip
        count = len(self.seeds)
        return [outcomes[n * count : (n + 1) * count] for n in range(len(scenarios))]

    # -- point by point --------------------------------------------------------------------------

    def _lines(self) -> tuple[list[Line], list[Sequence[int]]]:
        """Every figure of every point that all have; and which point of each system that is."""
        tables = [[points_of(result) for result in one.results] for one in self.systems]
        shared = [key for key in tables[0][0] if all(key in table[0] for table in tables)]
        left = {key[1] for table in tables for key in table[0]} - {key[1] for key in shared}
        if left:
            self.remarks.append(f"not in all systems, and left out: {', '.join(sorted(left))}")
        lines: list[Line] = []
        places: list[Sequence[int]] = []
        for key in shared:
            found = [
                [figures_of(table[key][1]) if key in table else {} for table in runs]
                for runs in tables
            ]
            at = [table[0][key][0] for table in tables]
            self.remarks += [
                f"{system.name} is saturated at {key[1]}: it carries less than is offered"
                for system, table in zip(self.systems, tables, strict=True)
                if table[0][key][1].saturated
            ]
            point = tables[0][0][key][1]
            for line in figure_lines(point.load, key[1], x_of(point), found):
                lines.append(line)
                places.append(at)
        return lines, places

    # -- within a latency ------------------------------------------------------------------------

    def _searched(self) -> tuple[list[Scenario], str]:
        """The scenarios with a search for the highest load within the latency, and it in words."""
        own = self.systems[0].scenario.searched
        if self.ask.within is None and own is None:
            return [], ""
        found = []
        for system in self.systems:
            if self.ask.within is None:
                if system.scenario.searched is None:
                    self.remarks.append(f"{system.name} has no within: it is not searched")
                    return [], ""
                found.append(system.scenario)
                continue
            found.append(
                searching(system.scenario, system.name, self.ask.within, self.ask.percentile)
            )
        load = found[0].searched
        assert load is not None
        share = load.within_percentile
        judged = "mean" if share is None else f"{100 * share:g} % of the I/Os"
        return found, f"{units.text(load.within or 0.0, 'time')} ({judged})"

    def _within(self, searched: Sequence[Scenario]) -> list[Line]:
        """The highest load within the latency, of each system."""
        values: list[list[dict[str, float]]] = []
        of_each = [system.results for system in self.systems]
        if self.ask.within is not None:
            of_each = [
                [_result(system, one) for one in found]
                for system, found in zip(self.systems, self._run(searched), strict=True)
            ]
        for system, results in zip(self.systems, of_each, strict=True):
            values.append([_of_search(result) for result in results])
            highest = results[0].highest
            if highest is not None and highest.iops is None:
                self.remarks.append(
                    f"{system.name}: even the lowest load is not within the latency"
                )
            elif highest is not None and highest.exceeded_at is None:
                said = "within the latency up to the highest load that was tried; it may carry more"
                self.remarks.append(f"{system.name}: {said}")
        load = searched[0].searched
        assert load is not None
        return list(figure_lines(load.name, "within", None, values))

    # -- healthy, degraded, rebuilding -----------------------------------------------------------

    def _states(self) -> list[Scenario]:
        """The scenarios at their hardest points; none where their states cannot be compared."""
        why = [
            f"{one.name}: {reason}"
            for one in self.systems
            if (reason := conditions.why_not(one.scenario))
        ]
        if why:
            self.remarks.append(f"no degraded and rebuilding runs: {'; '.join(why)}")
            return []
        return [conditions.at_hardest(one.scenario) for one in self.systems]

    def _of_states(
        self, hard: Sequence[Scenario], risks: Sequence[Sequence[Risk]]
    ) -> Iterator[Line]:
        """Figures at the hardest point, in each state."""
        rebuilds = [_rebuilds(each) for each in risks] or [{}] * len(hard)
        healthy = [
            [self._hardest(system.scenario, result) for result in system.results]
            for system in self.systems
        ]
        yield from self._state("healthy", healthy)
        for state, changed in conditions.OTHERS.items():
            scenarios = [
                changed(one, points[0][0].iops.mean, takes)
                for one, points, takes in zip(hard, healthy, rebuilds, strict=True)
            ]
            several = self._run(scenarios)
            measured: list[list[list[Point]]] = []
            for system, found in zip(self.systems, several, strict=True):
                reasons = {one.reason for one in found if one.result is None and one.reason}
                self.remarks += [f"{system.name}, {state}: {reason}" for reason in sorted(reasons)]
                measured.append(
                    [one.result.points if one.result is not None else [] for one in found]
                )
            yield from self._state(state, measured)

    def _state(self, state: str, measured: Sequence[Sequence[Sequence[Point]]]) -> Iterator[Line]:
        """The figures of each load in a state."""
        loads = [load.name for load in self.systems[0].scenario.loads]
        for number, load in enumerate(loads):
            found = [
                [
                    figures_of(points[number], of_course=False) if number < len(points) else {}
                    for points in runs
                ]
                for runs in measured
            ]
            yield from figure_lines(load, state, None, found)

    @staticmethod
    def _hardest(scenario: Scenario, result: Result) -> list[Point]:
        """The points of the loads at the hardest intensity; of a search the last that were run."""
        loads = list(dict.fromkeys(point.load for point in result.points))
        number = hardest(scenario)
        by_load = {load: [p for p in result.points if p.load == load] for load in loads}
        return [points[min(number, len(points) - 1)] for points in by_load.values()]

    # -- what cards do not know ------------------------------------------------------------------

    def _with_orders(
        self, lines: Sequence[Line], places: Sequence[Any], scenarios: Sequence[Scenario]
    ) -> list[Line]:
        """Lines with what becomes of them if cards are as they might be."""
        if not self.ask.draws or not lines:
            return list(lines)
        drawn = [
            draw(
                one, self.ask.draws, workers=self.ask.workers,
                on_progress=self.told.step(self.ask.draws),
            )
            for one in scenarios
        ]  # fmt: skip
        found = []
        for line, place in zip(lines, places, strict=True):
            at = [place] * len(drawn) if isinstance(place, int) else place
            orders = [None] + [
                in_draws(drawn[n], at[n], drawn[0], at[0], line.name) for n in range(1, len(drawn))
            ]
            found.append(replace(line, orders=tuple(orders)))
        return found

    # -- facts -----------------------------------------------------------------------------------

    def _risks(self) -> list[list[Risk]]:
        """The risks of the volumes of each system, for which rebuilds are simulated."""
        return execute(
            self.systems,
            lambda one: assess_all(one.scenario),
            workers=self.ask.workers,
            on_progress=self.told.step(len(self.systems)),
        )

    def _facts(self, scenarios: Sequence[Scenario], risks: Sequence[Sequence[Risk]]) -> list[Fact]:
        hardest = [
            self._hardest(one.scenario, one.results[0])[0] if one.results[0].points else None
            for one in self.systems
        ]
        found = facts_of(scenarios, hardest, risks)
        other = [
            one.name
            for one in self.systems
            if [v.card.kind for v in one.scenario.volumes]
            != [v.card.kind for v in scenarios[0].volumes]
        ]
        if other:
            said = "drives of another kind, whose values are not compared"
            self.remarks.append(f"{', '.join(other)}: {said}")
        prices = self.ask.prices
        if prices is not None:
            found += costs_of(scenarios, prices, [usable(one) for one in scenarios])
            self.remarks += left_out(prices)
            if names := unpriced(scenarios, prices):
                self.remarks.append(f"without a price: {', '.join(names)}")
        return found


def _result(system: Compared, outcome: Outcome) -> Result:
    """The result of a run, which there must be."""
    found = outcome.result
    if found is None:
        raise InputError([Problem(system.name, None, None, outcome.reason or "cannot be run")])
    return found


def _of_search(result: Result) -> dict[str, float]:
    found = result.highest
    if found is None or found.iops is None or found.mbps is None:
        return {}
    return {"iops": found.iops.mean, "mbps": found.mbps}


def _rebuilds(risks: Sequence[Risk]) -> dict[str, float]:
    """Seconds that rebuilds under load take, by volume, where they were simulated."""
    loaded = ((risk.volume, risk.under_load) for risk in risks)
    return {volume: found.seconds for volume, found in loaded if found is not None}
