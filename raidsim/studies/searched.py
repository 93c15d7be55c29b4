"""A scenario in which the highest load within a latency is searched for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raidsim.errors import InputError, Problem
from raidsim.scenario import Scenario

SWEEP = [2**n for n in range(11)]
"""Outstanding I/Os over which a load is searched for what is within a latency: 1 to 1024."""

DOUBLINGS = 6
"""How often the highest rate of an open load is doubled, at most, in a search."""


def searching(scenario: Scenario, name: str, within: str, percentile: float | None) -> Scenario:
    """A scenario with a search of the load that it searches, or the first, beyond its sweep.

    Parameters
    ----------
    name
        Of the scenario, for messages.
    within
        The latency, with its unit.
    percentile
        Share of the I/Os that must be within it, 0 to 1; None: their mean must be.

    Raises
    ------
    InputError
        It has no load, or none that can be searched.
    """
    if not scenario.loads:
        cause = "has no load that could be searched"
        raise InputError([Problem(name, None, "within", cause)])
    searched = scenario.searched
    number = 0 if searched is None else scenario.loads.index(searched)
    load = scenario.loads[number]
    changes: dict[str, Any] = {f"load[{number}].within": within}
    changes[f"load[{number}].within_percentile"] = (
        None if percentile is None else f"{100 * percentile:g} %"
    )
    for other, each in enumerate(scenario.loads):
        if other != number and len(each.intensities) > 1:
            key = "rate" if each.outstanding is None else "outstanding"
            changes[f"load[{other}].{key}"] = max(each.intensities)
    if load.outstanding is not None:
        most = max(*load.outstanding, SWEEP[-1])
        steps = {int(n) for n in load.outstanding} | {n for n in SWEEP if n <= most}
        changes[f"load[{number}].outstanding"] = sorted(steps)
    elif load.rate is not None:
        further = [max(load.rate) * 2**n for n in range(1, DOUBLINGS + 1)]
        rates = sorted({*load.rate, *further})
        changes[f"load[{number}].rate"] = [f"{rate:.12g} IO/s" for rate in rates]
    try:
        return scenario.with_(changes)
    except InputError as error:
        raise InputError(replace(one, file=name) for one in error.problems) from None
