"""A scenario at its hardest point in other states: a drive missing, and during a rebuild."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from raidsim.layout.address import whole_drive
from raidsim.risk import rebuild
from raidsim.risk.under_load import hardest
from raidsim.scenario import Scenario, VolumeSpec
from raidsim.system.tables import SaturationError

IOS = 20_000
"""I/Os, about, over which a rebuild is measured; no shorter and no longer than this, s:"""

SECONDS = (0.5, 120.0)

LONGER = 1.2
"""The sample lasts longer than it is measured, or a part would be without a rebuild."""

PLACES = 4 * 16 * 2**20
"""Bytes of a drive that are rebuilt meanwhile at least, in four places spread over it."""


def why_not(scenario: Scenario) -> str:
    """Return the reason why the states of a scenario cannot be compared; empty if they can."""
    if scenario.events or scenario.machines:
        return "events or machines say what happens"
    if not scenario.loads:
        return "there is no load"
    if any(load.arrivals or load.trace or load.has_end for load in scenario.loads):
        return "its loads have an end"
    if not any(_is_redundant(scenario)):
        return "no drive may fail"
    if any(volume.failed for volume in scenario.volumes):
        return "it begins degraded"
    return ""


def at_hardest(scenario: Scenario) -> Scenario:
    """The scenario with the loads of the point at which most is outstanding or offered."""
    point = hardest(scenario)
    changes: dict[str, Any] = {}
    for number, load in enumerate(scenario.loads):
        key = "rate" if load.outstanding is None else "outstanding"
        value = load.intensities[min(point, len(load.intensities) - 1)]
        changes[f"load[{number}].{key}"] = f"{value:.12g} IO/s" if key == "rate" else int(value)
        if load.within is not None:
            changes |= {f"load[{number}].within": None, f"load[{number}].within_percentile": None}
    return scenario.with_(changes)


def degraded(scenario: Scenario, *_: object) -> Scenario:
    """The scenario with the first drive of every array that survives it missing."""
    return scenario.with_(_missing(scenario))


def rebuilding(scenario: Scenario, iops: float, takes: Mapping[str, float]) -> Scenario:
    """The scenario while that drive is rebuilt, for as long as enough I/Os take at ``iops`` IO/s.

    ``takes``: seconds of the whole rebuild under the loads, by volume, as far as they are known.

    What is rebuilt meanwhile is a sample from all over the drive: the first rows are those that
    the loads use, if they do not use all.
    """
    least, most = SECONDS
    seconds = IOS / iops if iops > 0 else most
    changes: dict[str, Any] = {}
    wholes = {}
    for number, (volume, survives) in enumerate(
        zip(scenario.volumes, _is_redundant(scenario), strict=True)
    ):
        if survives and volume.layout is not None:
            whole = int(whole_drive(volume.layout))
            known = takes.get(volume.name)
            wholes[number] = _whole_rebuild(scenario, volume) if known is None else known
            seconds = max(seconds, wholes[number] * PLACES / whole)
    seconds = min(max(seconds, least), most)
    for number, whole_takes in wholes.items():
        share = min(LONGER * seconds / whole_takes, 1.0) if whole_takes > 0 else 1.0
        changes[f"volume[{number}].rebuild_sample"] = f"{max(100 * share, 0.001):.6g} %"
    events = [
        {"kind": "rebuild", "at": "0 s", "volume": volume.name, "drive": 0}
        for volume, survives in zip(scenario.volumes, _is_redundant(scenario), strict=True)
        if survives
    ]
    changes |= {"event": events, "measure.duration": f"{seconds:.3g} s"}
    return scenario.with_({**_missing(scenario), **changes})


def _whole_rebuild(scenario: Scenario, volume: VolumeSpec) -> float:
    """Seconds that the rebuild of a drive takes under the loads; inf if it does not come on."""
    try:
        return rebuild.simulated(scenario, volume, intensity=0)
    except SaturationError:
        return math.inf


OTHERS: Mapping[str, Callable[[Scenario, float, Mapping[str, float]], Scenario]] = {
    "degraded": degraded,
    "rebuilding": rebuilding,
}
"""By state the function that makes its scenario of the healthy one, its IO/s, and the seconds of
rebuilds that are known."""


def _missing(scenario: Scenario) -> dict[str, Any]:
    return {
        f"volume[{number}].failed": [0]
        for number, survives in enumerate(_is_redundant(scenario))
        if survives
    }


def _is_redundant(scenario: Scenario) -> list[bool]:
    return [volume.failures_tolerated > 0 for volume in scenario.volumes]
