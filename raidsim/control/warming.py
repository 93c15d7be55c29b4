"""Drives that begin as warm as a load makes them in the long run (`air.start = "warm"`)."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from raidsim.assembly import heat
from raidsim.control.model import build
from raidsim.kernel import tables as t
from raidsim.observe import throttling
from raidsim.scenario import Scenario
from raidsim.system.system import System
from raidsim.system.tables import SaturationError
from raidsim.units import NS_PER_S

TRIAL_NS: Final = 1_000_000_000  # of the load, to see which power it takes


def warm_drives(system: System, scenario: Scenario, intensity: int = 0) -> None:
    """Let the drives of a system begin as warm, and throttling, as trials of its loads say.

    The trials are thrown away. Each simulates a second; drives that throttle take another one.

    Parameters
    ----------
    system
        That of the scenario, before anything has happened.
    intensity
        Which of the intensities of the loads.
    """
    states = [t.COOL] * system.count("heats")
    powers = _trial(scenario, intensity, states)
    while (found := _harder(system, states, powers)) != states:
        states = found
        powers = _trial(scenario, intensity, states)
    for index, (state, power) in enumerate(zip(states, powers, strict=True)):
        throttling.begin_warm(system, index, state, power)


def _harder(system: System, states: list[int], powers: list[float]) -> list[int]:
    return [
        throttling.harder(system, index, state, power)
        for index, (state, power) in enumerate(zip(states, powers, strict=True))
    ]


def _trial(scenario: Scenario, intensity: int, states: list[int]) -> list[float]:
    """Return the power of drives, in W, while they throttle at these degrees."""
    trial = build(scenario, intensity)
    system = trial.system
    for index, state in enumerate(states):
        throttling.pin(system, index, state)
    for streams in trial.streams.values():
        for stream in streams:
            system.begin(stream)
    with suppress(SaturationError):  # then it is the drives' power under all they can do
        while system.run(TRIAL_NS) == t.RETURN_AWAITED:
            list(system.awaited())
    system.advance_clock(TRIAL_NS)
    rows = system.world.heats[: len(states)]
    return [heat.thermal_state(system, row).energy / (system.now / NS_PER_S) for row in rows]
