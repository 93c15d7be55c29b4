"""One point of a scenario, measured roughly: for the knobs of the page."""

from __future__ import annotations

from typing import Any

from raidsim.scenario import Scenario

PRECISION = 0.05
MIN_IOS = 10_000
MAX_IOS = 1_000_000


def is_followed(scenario: Scenario) -> bool:
    """Return whether it runs through events or boots, and so has no points of a steady state."""
    return bool(scenario.events or scenario.machines)


def changes(scenario: Scenario, number: int | None) -> dict[str, Any]:
    """Return the changes for a rough measurement of one point, or of all with None.

    As :meth:`raidsim.Scenario.with_` takes it. A latency that is to be kept within is not looked
    for: the point says what the latency is.
    """
    wanted: dict[str, Any] = {}
    for place, load in enumerate(scenario.loads):
        at = f"load[{place}]"
        if number is not None and len(load.intensities) > 1:
            key = "rate" if load.outstanding is None else "outstanding"
            wanted[f"{at}.{key}"] = scenario.written["load"][place][key][number]
        if load.within is not None:
            wanted |= {f"{at}.within": None, f"{at}.within_percentile": None}
    measure = scenario.measure
    if measure.precision < PRECISION:
        wanted["measure.precision"] = f"{PRECISION:.0%}".replace("%", " %")
    if measure.min_ios > MIN_IOS:
        wanted["measure.min_ios"] = MIN_IOS
    if measure.max_ios > MAX_IOS:
        wanted["measure.max_ios"] = MAX_IOS
    return wanted
