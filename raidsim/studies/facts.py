"""Figures of a system that do not depend on a run: capacity, drives, power, rebuild, risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from raidsim.observe import inventory
from raidsim.observe.waterfall import waterfalls
from raidsim.result import Point, Result
from raidsim.risk.assess import MISSION, Risk, is_simulated
from raidsim.risk.groups import tolerated_still
from raidsim.risk.markov import YEAR
from raidsim.scenario import Scenario
from raidsim.studies.comparison import Fact

TERA = 1e12
HOUR = 3600.0


def facts_of(
    scenarios: Sequence[Scenario],
    hardest: Sequence[Point | None],
    risks: Sequence[Sequence[Risk]] = (),
) -> list[Fact]:
    """The facts of each system; ``hardest`` is a point of each with the most outstanding.

    ``risks`` are those of the volumes of each, or none if they were not assessed.
    """
    found = [
        _fact("usable capacity", "TB", scenarios, usable),
        _fact("room for files", "TB", scenarios, _files),
        _fact("drives, with spares", "", scenarios, _drives),
        _fact("drives that may fail", "", scenarios, _tolerated),
        _fact("power, idle", "W", scenarios, lambda one: _watts(one, "idle")),
        _fact("power, at most", "W", scenarios, lambda one: _watts(one, "active")),
    ]
    if risks:
        years = MISSION / YEAR
        idle = (_longest(one, each) for one, each in zip(scenarios, risks, strict=True))
        loaded = (_loaded(one, each) for one, each in zip(scenarios, risks, strict=True))
        found += [
            Fact("rebuild, idle", "h", tuple(idle)),
            Fact("rebuild, under load", "h", tuple(loaded)),
            Fact(f"loses any data in {years:g} years", "%", tuple(map(_chance, risks))),
        ]
    found += [
        Fact("write amplification", "", tuple(map(_amplification, hardest))),
        Fact("drive writes a day", "", tuple(map(_writes, hardest))),
        Fact("years to the rated writes", "years", tuple(map(_years, hardest))),
    ]
    return [fact for fact in found if any(value is not None for value in fact.values)]


def facts_of_results(results: Sequence[Result]) -> list[Fact]:
    """Return the facts of systems in their results."""
    return [
        Fact("usable capacity", "TB",
             tuple(sum(v.usable_bytes for v in one.volumes) / TERA for one in results)),
        Fact("drives", "", tuple(float(sum(v.drives for v in one.volumes)) for one in results)),
        Fact("power, idle", "W", tuple(one.power_w.idle for one in results)),
        Fact("power, at most", "W", tuple(one.power_w.active for one in results)),
    ]  # fmt: skip


def _fact(
    name: str, unit: str, scenarios: Sequence[Scenario], of: Callable[[Scenario], float | None]
) -> Fact:
    return Fact(name, unit, tuple(of(one) for one in scenarios))


def usable(scenario: Scenario) -> float:
    """Capacity that hosts see, TB: of hybrids, and of volumes that are no part of one."""
    parts = {name for one in scenario.hybrids for name in (one.front, one.back)}
    seen = [one.capacity for one in scenario.volumes if one.name not in parts]
    return (sum(seen) + sum(one.capacity for one in scenario.hybrids)) / TERA


def _files(scenario: Scenario) -> float | None:
    if scenario.hybrids:
        return None
    return sum(one["files"] for one in waterfalls(scenario)) / TERA


def _drives(scenario: Scenario) -> float:
    return float(sum(one.drives + one.spares for one in scenario.volumes))


def _tolerated(scenario: Scenario) -> float:
    """Drives that may fail, whichever they are, beside those that have failed before."""
    return float(min(tolerated_still(one) for one in scenario.volumes))


def _watts(scenario: Scenario, when: str) -> float:
    return float(getattr(inventory.system_power(scenario), when))


def _longest(scenario: Scenario, risks: Sequence[Risk]) -> float | None:
    """Hours of the longest rebuild on idle drives."""
    times = [
        risk.rebuild / HOUR
        for volume, risk in zip(scenario.volumes, risks, strict=True)
        if is_simulated(volume)
    ]
    return max(times, default=None)


def _loaded(scenario: Scenario, risks: Sequence[Risk]) -> float | None:
    """Hours of the longest rebuild under the loads of the scenario; inf if it does not come on."""
    times = [risk.under_load.seconds / HOUR for risk in risks if risk.under_load is not None]
    return max(times, default=None) if len(times) == _simulated(scenario) else None


def _simulated(scenario: Scenario) -> int:
    return sum(is_simulated(volume) for volume in scenario.volumes)


def _chance(risks: Sequence[Risk]) -> float:
    """Chance in percent that any volume loses any data; rebuilds take what they do under load."""
    found = [(risk.loaded or risk).any for risk in risks]
    if max(found) >= 1:
        return 100.0
    return -100 * math.expm1(sum(math.log1p(-one) for one in found))


def _amplification(point: Point | None) -> float | None:
    known = [] if point is None else [one.write_amplification for one in point.drives]
    return max((one for one in known if one is not None), default=None)


def _writes(point: Point | None) -> float | None:
    rated = [] if point is None else [d for d in point.drives if d.rated_writes_per_day is not None]
    known = [one.drive_writes_per_day for one in rated]
    return max((one for one in known if one is not None), default=None)


def _years(point: Point | None) -> float | None:
    known = [] if point is None else [one.years_to_rated for one in point.drives]
    return min((one for one in known if one is not None), default=None)
