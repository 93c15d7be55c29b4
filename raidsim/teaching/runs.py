"""Runs of the systems of lessons, each one once.

Questions with the same system and the same changes share a run, whatever the lesson or the seed:
a run depends on nothing but the text of its scenario.
"""

from __future__ import annotations

from functools import cache

from raidsim.result import Point
from raidsim.risk.assess import Risk, assess
from raidsim.running import measure_points
from raidsim.scenario import load_text


@cache
def simulate(system: str, *changes: str) -> Point:
    """Simulate a system with some of its keys changed (KEY=VALUE), and return its first point.

    It is that of ``raidsim run``, which also looks for what is carried if that is asked too much.

    Raises
    ------
    InputError
        If the system with these changes is none: a mistake of the lesson.
    """
    points, _ = measure_points(load_text(system, overrides=list(changes)))
    return points[0]


@cache
def check(system: str, *changes: str) -> Risk:
    """Assess the risk of the first volume of a system with some of its keys changed.

    Raises
    ------
    InputError
        As :func:`simulate` does.
    """
    scenario = load_text(system, overrides=list(changes))
    return assess(scenario, scenario.volumes[0])
