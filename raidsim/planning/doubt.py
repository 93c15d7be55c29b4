"""How certain it is that a design meets the need, given the unknown values of cards.

Each draw of the unknown values is run healthy, with a drive missing, and during a rebuild, if the
design is near a limit in that state. The draw meets the need if all limits are met.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from raidsim.planning.checked import degraded_of, lasts, rebuilding_throughout
from raidsim.planning.choice import Design
from raidsim.planning.design import scenario_of
from raidsim.planning.need import Need
from raidsim.planning.outcome import Candidate, State
from raidsim.planning.runs import REBUILDING, Measured, Runner, until_settled
from raidsim.result.draws import Experiment
from raidsim.scenario import Scenario
from raidsim.studies.measurements import measurement_of
from raidsim.studies.short import shortened
from raidsim.studies.unknown import DRAW_SEED, MOST
from raidsim.unknowns.draws import Draws
from raidsim.unknowns.shares import shares
from raidsim.unknowns.spread import FEWEST

IOS = 2500
"""I/Os of the run of a draw, after its caches have settled."""

CLOSE = 0.1
"""Relative difference of cost up to which two designs are a close choice."""

HEALTHY, DEGRADED = "healthy", "degraded"

CLEAR = 0.25
"""Share of its limits up to which a design is taken to keep them whatever its cards leave open."""

COMPARED = 2
"""Designs, the cheapest ones, that are drawn in any case, so that they can be compared."""

UNSETTLED = (0.1, 0.9)
"""Shares of the draws between which it is open which of two designs is ahead."""

__all__ = ["FEWEST", "MOST", "weigh"]


def weigh(
    front: Sequence[Candidate],
    designs: Sequence[Design],
    need: Need,
    runner: Runner,
    count: int,
    most: int,
) -> tuple[list[Candidate], str]:
    """Return the designs with their chances, and what would settle a close choice, in words.

    Parameters
    ----------
    front, designs
        What they came to, and what they are, the cheapest first.
    need, runner
        What they have to meet, and what runs them.
    count
        Draws; 0 for none.
    most
        Designs that are drawn, the first ones.
    """
    drawn = list(front[:most]) if count else []
    if not drawn:
        return list(front), ""
    draws = Draws(count, DRAW_SEED)
    states = [
        _states(one, design, need, runner, compared=place < COMPARED)
        for place, (one, design) in enumerate(zip(drawn, designs, strict=False))
    ]
    asked = [
        draws.scenario(scenario, number)
        for of in states
        for number in range(1, count + 1)
        for scenario in of.values()
    ]
    rows = iter(runner.scenarios(asked))
    found, ran = [], []
    for one, of in zip(drawn, states, strict=True):
        runs: list[dict[str, Measured]] = [
            {state: next(rows) for state in of} for _ in range(count)
        ]
        met = [{state: _meets(run[state], state, one, need) for state in of} for run in runs]
        chance = sum(all(draw.values()) for draw in met) / count
        worst = min(of, key=lambda state: sum(draw[state] for draw in met), default=None)
        experiment = None
        if worst is not None:
            figure = _logs([_figure(run[worst], worst, need) for run in runs])
            experiment = _experiment(draws, [of[worst]], figure)
        found.append(replace(one, chance=chance, draws=count, experiment=experiment))
        ran.append(runs)
    return [*found, *front[most:]], _settled(found, states, ran, draws)


def _states(
    one: Candidate, design: Design, need: Need, runner: Runner, *, compared: bool
) -> dict[str, Scenario]:
    """The scenarios of a design in every state that has limits of which it is not clear."""
    assert one.scenario is not None
    found = {}
    worn = 0.0 if one.years is None else need.endurance / one.years
    load = 1 / one.headroom  # of the highest that it carries
    if compared or max(one.healthy.over, worn, load) > CLEAR:
        found[HEALTHY] = _patient(one.healthy, _bare(one.scenario))
    limited = {state: bool(need.limits(state)) for state in (DEGRADED, REBUILDING)}
    if one.degraded is not None and limited[DEGRADED] and max(one.degraded.over, load) > CLEAR:
        missing = _bare(scenario_of(degraded_of(design, need), need))
        found[DEGRADED] = _patient(one.degraded, missing)
    if one.rebuilding is not None and (limited[REBUILDING] or _rebuild_is_limited(need)):
        over = max(one.rebuilding.over, load)
        if one.rebuild is not None and _rebuild_is_limited(need):
            over = max(over, one.rebuild / (need.needed.rebuild or math.inf))
        if over > CLEAR:
            (tables,) = rebuilding_throughout([design], need, runner)  # known from before
            found[REBUILDING] = _patient(one.rebuilding, scenario_of(tables, need))
    return found


def _patient(state: State, scenario: Scenario) -> Scenario:
    """A scenario until caches have settled, if they do that late: in a longer run of the design."""
    return until_settled(scenario) if state.late and not state.unsettled else scenario


def _rebuild_is_limited(need: Need) -> bool:
    return need.needed.rebuild is not None and need.needed.rebuild_while != "idle"


def _meets(row: Measured, state: str, one: Candidate, need: Need) -> bool:
    """Return whether a run of a design keeps the limits of its state."""
    if (state == HEALTHY or need.limits(state)) and row.over(need.limits(state)) > 1:
        return False
    if state == HEALTHY:
        years = lasts(row, one.arrays, need)
        return years is None or years >= need.endurance
    if state == REBUILDING and _rebuild_is_limited(need):
        return row.rebuild is not None and row.rebuild <= (need.needed.rebuild or math.inf)
    return True


def _bare(scenario: Scenario) -> Scenario:
    short = shortened(scenario, IOS)
    measure = short.measure.model_copy(update={"min_ios": IOS})
    return short.model_copy(update={"measure": measure})


def _figure(row: Measured, state: str, need: Need) -> float:
    """Return the figure that decides about the limits: a rebuild time, or else a latency, s."""
    if state == REBUILDING and _rebuild_is_limited(need):
        return math.nan if row.rebuild is None else row.rebuild
    return _slow(row)


def _slow(row: Measured) -> float:
    """The slower mean of reads and writes, s; NaN where nothing was measured."""
    worst = row.worst("mean")
    return worst[0] if worst else math.nan


def _logs(values: Sequence[float]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(np.array(values)))


def _experiment(
    draws: Draws, scenarios: Sequence[Scenario], figure: NDArray[np.float64]
) -> Experiment | None:
    """The measurement that shows the value which is behind most of what a figure varies by."""
    inputs = {key: one for scenario in scenarios for key, one in draws.inputs(scenario).items()}
    table = {key: column for scenario in scenarios for key, column in draws.table(scenario).items()}
    keys = list(inputs)
    if not keys:
        return None
    found = shares(np.column_stack([table[key] for key in keys]), figure)
    if not found:
        return None
    unknown, card = inputs[keys[found[0][0]]]
    return measurement_of(scenarios[0], card, unknown)


def _settled(
    drawn: Sequence[Candidate],
    states: Sequence[dict[str, Scenario]],
    ran: Sequence[Sequence[dict[str, Measured]]],
    draws: Draws,
) -> str:
    """Return the measurement that would decide between the two cheapest designs, if close."""
    if len(drawn) < COMPARED:
        return ""
    first, second = drawn[:COMPARED]
    prices = [one.cost.total if one.cost else float(one.last_drives) for one in (first, second)]
    if prices[1] > prices[0] * (1 + CLOSE):
        return ""
    slow = [_logs([_slow(run[HEALTHY]) for run in runs]) for runs in ran[:COMPARED]]
    ratios = slow[1] - slow[0]
    present = ratios[np.isfinite(ratios)]
    if len(present) == 0:
        return ""
    ahead = float((present > 0).mean())
    same = "cost about the same" if first.cost else "take about as many drives"
    between = f"{first.number} and {second.number} {same}, and {first.number} is"
    share = f"{between} quicker in {100 * ahead:.0f} % of the draws"
    if not UNSETTLED[0] < ahead < UNSETTLED[1]:
        return share
    told = _experiment(draws, [of[HEALTHY] for of in states[:COMPARED]], ratios)
    if told is None:
        return f"{share}; no one value decides it"
    return f"{share}; {told.text} would settle most of it ({told.card}: {told.value})"
