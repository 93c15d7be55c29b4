"""Drives that throttle: how they begin a run warm, and whether a measurement is steady.

A drive with constant power P reaches T = ambient + P R, with R the resistance from its inside to
the air. Its throttling at this power is permanent if it would be the same at T. If not, it
alternates: it throttles until it is cool enough, warms again, and so on, in periods of seconds to
minutes. A measurement of a part of such a period is not its mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from raidsim.assembly import heat
from raidsim.kernel import tables as t
from raidsim.system.system import System
from raidsim.units import NS_PER_S

LEAST_PERIODS = 10
TURNS_PER_PERIOD = 2
NOWHERE = 1e9  # C


def resistance(row: Any) -> float:
    """K/W from the inside of a drive to the air."""
    return float(row["inner_resistance"] + 1 / row["conductance"])


def pin(system: System, index: int, state: int) -> None:
    """Let a drive throttle so, however warm it is."""
    row = system.world.heats[index]
    row["light_at"] = -NOWHERE if state != t.COOL else NOWHERE
    row["heavy_at"] = -NOWHERE if state == t.THROTTLED_HEAVILY else NOWHERE
    _put(system, row, state)


def harder(system: System, index: int, state: int, power: float) -> int:
    """Return the degree of throttling that a drive with ``power`` W in ``state`` changes to."""
    row = system.world.heats[index]
    steady = row["ambient"] + power * resistance(row)
    if state == t.COOL and steady >= row["light_at"]:
        return t.THROTTLED_LIGHTLY
    if state == t.THROTTLED_LIGHTLY and steady >= row["heavy_at"]:
        return t.THROTTLED_HEAVILY
    return state


def begin_warm(system: System, index: int, state: int, power: float) -> None:
    """Put a drive where it comes to under a load that goes on and on.

    Parameters
    ----------
    state
        How far it throttles to become no hotter.
    power
        W that it takes then.
    """
    row = system.world.heats[index]
    if not _stays(row, state, power):
        # It turns between this state and the one before it, about in the middle of its hysteresis.
        upper = row["light_at"] if state == t.THROTTLED_LIGHTLY else row["heavy_at"]
        middle = float(upper - row["hysteresis"] / 2)
        power = max((middle - float(row["ambient"])) / resistance(row), float(row["idle"]))
        state -= 1
    row["case"] = row["ambient"] + power / row["conductance"]
    row["inner"] = row["case"] + power * row["inner_resistance"]
    _put(system, row, state)
    heat.open_window(system, index)


def _put(system: System, row: Any, state: int) -> None:
    row["state"] = state
    speeds = {t.THROTTLED_LIGHTLY: "light_speed", t.THROTTLED_HEAVILY: "heavy_speed"}
    row["factor"] = float(row[speeds[state]]) if state in speeds else 1.0
    system.set_speed(int(row["path"]), float(row["built_speed"]))


def _stays(row: Any, state: int, power: float) -> bool:
    """Return whether a drive that takes ``power`` W goes on throttling as it does."""
    steady = float(row["ambient"] + power * resistance(row))
    if state == t.COOL:
        return steady < float(row["light_at"])
    if state == t.THROTTLED_LIGHTLY:
        return float(row["light_at"] - row["hysteresis"]) <= steady < float(row["heavy_at"])
    return steady >= float(row["heavy_at"] - row["hysteresis"])


def turning(system: System, drives: Iterable[int]) -> list[int]:
    """Rows of the temperatures of those drives whose throttling is not for good."""
    found = []
    for drive in drives:
        index = heat.of_drive(system, drive)
        if index is not None and _is_turning(system, index):
            found.append(index)
    return found


def _is_turning(system: System, index: int) -> bool:
    if turns(system, index) > 0:
        return True
    row = system.world.heats[index]
    seconds = (system.now - int(row["window_begin"])) / NS_PER_S
    if seconds <= 0:
        return False
    power = (heat.thermal_state(system, row).energy - float(row["window_energy"])) / seconds
    return not _stays(row, int(row["state"]), power)


def turns(system: System, index: int) -> int:
    """Return the number of changes of throttling in the window, by the drive's readings."""
    readings = system.world.samples[index, : int(system.state["samples"])]
    passed = np.diff(system.world.moments[: len(readings)])
    light, heavy = np.diff(readings["light"]), np.diff(readings["heavy"])
    states = np.where(2 * heavy > passed, t.THROTTLED_HEAVILY, t.COOL)
    states[(2 * light > passed) & (states == t.COOL)] = t.THROTTLED_LIGHTLY
    states = np.append(states, system.world.heats[index]["state"])
    return int(np.count_nonzero(np.diff(states)))


def periods(system: System, index: int) -> float:
    """Periods of its throttling that a drive has gone through in the window."""
    return turns(system, index) / TURNS_PER_PERIOD
