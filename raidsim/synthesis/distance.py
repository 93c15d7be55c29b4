"""The distance of a fitted load's simulated result from that of another one, such as a replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from raidsim.errors import InputError
from raidsim.result import Latency, Point, Result
from raidsim.running import run
from raidsim.scenario import Scenario

FIGURES = ("mean", "p50", "p95", "p99")


@dataclass(frozen=True)
class Difference:
    """One figure of the two results.

    Attributes
    ----------
    name : of the figure.
    unit : of both values.
    replayed, fitted : under the one load, and under the other.
    """

    name: str
    unit: str
    replayed: float
    fitted: float

    @property
    def ratio(self) -> float | None:
        """The fitted over the replayed one."""
        return self.fitted / self.replayed if self.replayed else None


def run_both(
    scenario: Scenario,
    fitted: Mapping[str, Any],
    replayed: Mapping[str, Any],
    run_scenario: Callable[[Scenario], Result] = run,
) -> list[Difference]:
    """Run a scenario under two loads, each in place of its own, and put the results side by side.

    A replay is measured from its first request to its last. The fitted load is then measured over
    as many: what a cache has taken up, or a front, depends on how long it had for it.

    Parameters
    ----------
    scenario
        Its hardware is what both run on.
    fitted, replayed
        Tables of `[[load]]`: what :func:`raidsim.synthesis.fit.fit` gives, and the replay of the
        trace that it was fitted to.
    run_scenario
        What runs a scenario.

    Raises
    ------
    InputError
        One of the loads does not fit the scenario.
    """
    on = {"volume": scenario.loads[0].volume} if scenario.loads else {}
    first = run_scenario(_under(scenario, on | dict(replayed))).points[0]
    table = on | dict(fitted) | _as_long_as(first)
    return differences(first, run_scenario(_under(scenario, table)).points[0])


def _as_long_as(point: Point) -> dict[str, Any]:
    """Return an end after as many reads and writes as a replay had; none for other loads."""
    if point.trace is None:
        return {}
    others = (point.latency_ms.get(kind) for kind in ("trim", "flush"))
    ios = point.trace.issued - sum(one.samples for one in others if one is not None)
    return {"limit": {"ios": max(ios, 1)}}


def _under(scenario: Scenario, load: Mapping[str, Any]) -> Scenario:
    """The hardware of a scenario under one load; what does not fit is told of its file."""
    try:
        return scenario.with_("load", [dict(load)])
    except InputError as error:
        raise InputError([replace(one, file=scenario.path) for one in error.problems]) from None


def differences(replayed: Point, fitted: Point) -> list[Difference]:
    """The figures that two points have both."""
    found = [
        Difference("throughput", "IO/s", replayed.iops.mean, fitted.iops.mean),
        Difference("throughput", "MB/s", replayed.mbps, fitted.mbps),
    ]
    for kind in ("read", "write"):
        one, other = replayed.latency_ms.get(kind), fitted.latency_ms.get(kind)
        if one is None or other is None:
            continue
        for figure in FIGURES:
            values = _value(one, figure), _value(other, figure)
            if values[0] is not None and values[1] is not None:
                found.append(Difference(f"{kind} latency, {figure}", "ms", values[0], values[1]))
    return found


def _value(latency: Latency, figure: str) -> float | None:
    value: float | None = getattr(latency, figure)
    return value
