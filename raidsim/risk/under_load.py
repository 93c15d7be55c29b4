"""The rebuild of a drive while the scenario's own loads run, and the rate for a rebuild in a day.

A rebuild at a low rate takes about the time of one at 100 %, divided by the rate. The part that it
leaves to hosts changes this a little. So the rate for a given time is found from two simulations in
few steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from raidsim.intervene import operation
from raidsim.risk import rebuild
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.system.tables import SaturationError

DAY = 86_400.0
"""Seconds within which a rebuild is wanted."""

TRIES = 3
"""Simulations after the one at 100 % that the rate is looked for in."""


@dataclass(frozen=True)
class UnderLoad:
    """A rebuild while loads run.

    Attributes
    ----------
    point : number of the point of the sweep whose loads run.
    rate : share of its time that the rebuild works.
    seconds : that it takes; inf if it does not come on, as with open loads that are more than the
        system does while a drive is missing.
    at_full : seconds that it takes at a rate of 100 %; None where it takes no day as it is.
    enough : the least rate, in whole percents, that keeps a day; None if there is none, or where it
        takes no day as it is.
    """

    point: int
    rate: float
    seconds: float
    at_full: float | None = None
    enough: float | None = None


def rebuild_under_load(
    scenario: Scenario, volume: VolumeSpec, least: float = 0.0
) -> UnderLoad | None:
    """Rebuild under the loads of the hardest point of the sweep; None if nothing can be said.

    That is so without loads, and with given arrivals or traces, which end. ``least``: seconds that
    it takes on idle drives; by chance a sample under load is faster.
    """
    if not scenario.loads or any(load.arrivals or load.trace for load in scenario.loads):
        return None
    point = hardest(scenario)
    controller = scenario.controller(volume)
    card = scenario.host.card if controller is None else controller.card
    rate = operation.pace(card, volume).rate

    def takes(rate: float) -> float:
        return max(rebuild.simulated(scenario, volume, intensity=point, rate=rate), least)

    try:
        seconds = takes(rate)
        if seconds <= DAY:
            return UnderLoad(point, rate, seconds)
        at_full = takes(1.0) if rate < 1 else seconds
        enough = _least_rate(takes, at_full) if at_full <= DAY else None
    except SaturationError:
        return UnderLoad(point, rate, math.inf)
    return UnderLoad(point, rate, seconds, at_full, enough)


def hardest(scenario: Scenario) -> int:
    """Number of the point of the sweep at which most is outstanding, or offered."""

    def asks(point: int) -> float:
        sweeps = [load.intensities for load in scenario.loads if load.intensities]
        return sum(values[min(point, len(values) - 1)] for values in sweeps)

    return max(range(scenario.points), key=asks)


def _least_rate(takes: Callable[[float], float], at_full: float) -> float:
    """The least rate in whole percents with which a rebuild takes no more than a day."""
    enough, work = 1.0, at_full
    for _ in range(TRIES):
        rate = max(math.ceil(work / DAY * 100), 1) / 100
        if rate >= enough:
            break
        seconds = takes(rate)
        if seconds <= DAY:
            return rate
        work = max(seconds * rate, (rate + 0.01) * DAY)
    return enough
