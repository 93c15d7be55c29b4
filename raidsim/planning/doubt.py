"""How sure it is that a design meets the need, given what cards do not know."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from raidsim.planning.need import Need
from raidsim.planning.outcome import Candidate
from raidsim.planning.runs import Measured, Runner
from raidsim.result_draws import Experiment
from raidsim.scenario import Scenario
from raidsim.studies.short import shortened
from raidsim.studies.unknown import DRAW_SEED, MOST
from raidsim.unknowns.draws import Draws
from raidsim.unknowns.experiments import experiment_for
from raidsim.unknowns.shares import shares
from raidsim.unknowns.spread import FEWEST

IOS = 2500
"""I/Os of the run of a draw."""

CLOSE = 0.1
"""Relative difference of cost up to which two designs are a close choice."""

UNSETTLED = (0.1, 0.9)
"""Shares of the draws between which it is open which of two designs is ahead."""

__all__ = ["FEWEST", "MOST", "weigh"]


def weigh(
    front: Sequence[Candidate], need: Need, runner: Runner, count: int, most: int
) -> tuple[list[Candidate], str]:
    """Return the designs with their chances, and what would settle a close choice, in words.

    Parameters
    ----------
    front
        The designs, the cheapest first.
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
    scenarios = [_bare(one.scenario) for one in drawn]
    asked = [
        draws.scenario(scenario, number) for scenario in scenarios for number in range(1, count + 1)
    ]
    rows = runner.scenarios(asked)
    of = [rows[place * count : (place + 1) * count] for place in range(len(drawn))]
    limits = need.limits("healthy")
    found = []
    for one, scenario, ran in zip(drawn, scenarios, of, strict=True):
        met = [row.over(limits) <= 1 for row in ran]
        experiment = _experiment(draws, [scenario], _logs([_slow(row) for row in ran]))
        found.append(replace(one, chance=sum(met) / count, draws=count, experiment=experiment))
    return [*found, *front[most:]], _settled(found, scenarios, of, draws)


def _bare(scenario: Scenario | None) -> Scenario:
    assert scenario is not None
    short = shortened(scenario, IOS)
    measure = short.measure.model_copy(update={"min_ios": IOS, "max_ios": IOS})
    return short.model_copy(update={"measure": measure})


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
    unsure, card = inputs[keys[found[0][0]]]
    return experiment_for(card, unsure.name)


def _settled(
    drawn: Sequence[Candidate],
    scenarios: Sequence[Scenario],
    of: Sequence[Sequence[Measured]],
    draws: Draws,
) -> str:
    """What would settle which of the two cheapest designs is better, if that is close."""
    if len(drawn) < 2:
        return ""
    first, second = drawn[:2]
    prices = [one.cost.total if one.cost else float(one.last_drives) for one in (first, second)]
    if prices[1] > prices[0] * (1 + CLOSE):
        return ""
    ratios = _logs([_slow(row) for row in of[1]]) - _logs([_slow(row) for row in of[0]])
    present = ratios[np.isfinite(ratios)]
    if len(present) == 0:
        return ""
    ahead = float((present > 0).mean())
    between = f"{first.number} and {second.number} cost about the same, and {first.number} is"
    share = f"{between} quicker in {100 * ahead:.0f} % of the draws"
    if not UNSETTLED[0] < ahead < UNSETTLED[1]:
        return share
    told = _experiment(draws, scenarios[:2], ratios)
    if told is None:
        return f"{share}; no one value decides it"
    return f"{share}; {told.text} would settle most of it ({told.card}: {told.value})"
