"""Speeds of stations that a model may change: parts of drives, controllers and links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raidsim.control.arguments import Arguments
from raidsim.control.environment import Environment
from raidsim.scenario.plain import plain

SPEEDS = (1e-3, 1e3)
FIXED = {"command latency", "command slot", "disk arm"}
"""Kinds of station that are no device to be made faster or slower."""


def set_speed(
    env: Environment, check: Arguments, stations: Sequence[int], kind: Any, speed: Any
) -> None:
    """Run stations of a kind at ``speed`` times their built speed from now on.

    Parameters
    ----------
    stations
        Rows of the stations of this kind.

    Raises
    ------
    InputError
        With earlier problems too: if there is no station of this kind, or if the speed is out of
        range.
    """
    factor = check.number("speed", speed, *SPEEDS)
    names = env.system.names
    chosen = [index for index in stations if names[index].kind == kind]
    if not chosen or kind in FIXED:
        kinds = sorted({names[index].kind for index in stations} - FIXED)
        check.wrong("kind", f"{plain(kind)!r} is not a kind of station", f"give one of {kinds}")
    check.raise_if_wrong()
    env.sync()
    for index in chosen:
        env.system.set_speed(index, factor)
