"""From the card of a drive to its row in ``heats``, and what can be read from there.

A drive's temperature is simulated if its card has all of ``HEAT`` and ``ENERGY``; it
throttles if the card has ``throttle.light_at`` and what belongs to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from raidsim.cards import Card
from raidsim.cards.attributes import ENERGY, HEAT
from raidsim.errors import InputError
from raidsim.kernel import heat as kernel
from raidsim.kernel import tables as t
from raidsim.kernel.heat_tables import READINGS
from raidsim.system.system import System
from raidsim.units import NS_PER_S

LIGHT = ("throttle.light_at", "throttle.light_speed", "throttle.hysteresis")
HEAVY = ("throttle.heavy_at", "throttle.heavy_speed")
FORCED = 0.8
"""Forced convection grows with this power of the air speed.

The Nusselt number of turbulent flow along a plate or through a channel is proportional to
Re^0.8 (Dittus and Boelter, 1930; the plate: Incropera and DeWitt, "Fundamentals of Heat and
Mass Transfer", on external flow).
"""


@dataclass(frozen=True)
class Air:
    """The air around a drive: its temperature in C, and the share of the rated airflow."""

    ambient: float = 25.0
    airflow: float = 1.0


STANDARD_AIR = Air()


@dataclass(frozen=True)
class ThermalState:
    """A drive at one moment: temperatures in C, energy in J and times in s since the start."""

    inner: float
    case: float
    energy: float
    light: float
    heavy: float


def is_known(card: Card) -> bool:
    """Return whether the card says all that the temperature depends on."""
    return all(map(card.has, (*HEAT, *ENERGY)))


def check(card: Card) -> None:
    """Refuse a card that says only a part of what heat or throttling takes.

    Raises
    ------
    InputError
        With what is missing.
    """
    problems = [
        card.problem(key, f"is missing beside {given[0]}", "give all or none")
        for group in (HEAT, LIGHT, HEAVY)
        if (given := [key for key in group if card.has(key)])
        for key in group
        if not card.has(key)
    ]
    for low, high, words in (
        ("throttle.light_at", "throttle.heavy_at", "throttle heavily only when hotter"),
        ("heat.air_resistance", "heat.still_resistance", "moving air cools better"),
    ):
        if card.has(low) and card.has(high) and card.number(high) < card.number(low):
            problems.append(card.problem(high, f"is less than {low}", words))
    if card.has(HEAVY[0]) and not card.has(LIGHT[0]):
        problems.append(card.problem(LIGHT[0], f"is missing beside {HEAVY[0]}"))
    if problems:
        raise InputError(problems)


def conductance(card: Card, airflow: float) -> float:
    """W/K from the case to the air: natural convection, and what the airflow adds."""
    still = 1 / card.number("heat.still_resistance")
    full = 1 / card.number("heat.air_resistance")
    return still + (full - still) * float(airflow**FORCED)


def resistance(card: Card, airflow: float) -> float:
    """K/W from the inner parts to the air."""
    return card.number("heat.inner_resistance") + 1 / conductance(card, airflow)


def add(system: System, card: Card, drive: int, air: Air) -> int:
    """Add the temperatures of a drive, in equilibrium when idle; its row in ``heats``."""
    front = system.world.drives[drive]
    front["heated"] = 1
    path = int(system.world.ssds[front["row"]]["path"])
    settle(system)
    index = system.append("heats")
    system.append("samples")
    system.set_row(
        "heats",
        index,
        drive=drive,
        row=front["row"],
        path=path,
        inner_capacity=card.number("heat.inner_capacity"),
        inner_resistance=card.number("heat.inner_resistance"),
        case_capacity=card.number("heat.case_capacity"),
        ambient=air.ambient,
        conductance=conductance(card, air.airflow),
        idle=card.number("power.idle"),
        most=card.number("power.active"),
        read_energy=card.number("power.read_energy"),
        write_energy=card.number("power.write_energy"),
        built_speed=1.0,
        factor=1.0,
        **_throttling(card),
    )
    row = system.world.heats[index]
    row["case"] = air.ambient + row["idle"] / row["conductance"]
    row["inner"] = row["case"] + row["idle"] * row["inner_resistance"]
    system.state["heats"] = index + 1
    if system.state["samples"] == 0:
        _begin_samples(system)
    open_window(system, index)
    return index


def _throttling(card: Card) -> dict[str, float]:
    """Thresholds and speeds; a drive that never throttles has infinite thresholds."""
    names = ("light_at", "heavy_at", "light_speed", "heavy_speed", "hysteresis")
    found = {"light_at": math.inf, "heavy_at": math.inf, "light_speed": 1.0, "heavy_speed": 1.0}
    for name in names:
        if card.has(f"throttle.{name}"):
            found[name] = card.number(f"throttle.{name}")
    return found


def settle(system: System) -> None:
    """Bring the temperatures of drives at rest up to now, before another one joins them."""
    if system.count("heats") == 0:
        system.state["heated"] = system.now
    else:
        row = system.world.heats[0]
        system.set_air(0, float(row["ambient"]), float(row["conductance"]))


def of_drive(system: System, drive: int) -> int | None:
    """Number of the row in ``heats`` of a drive; None if it has no temperature."""
    rows = system.world.heats["drive"][: system.count("heats")].tolist()
    return rows.index(drive) if drive in rows else None


def thermal_state(system: System, row: Any) -> ThermalState:
    """A drive at the present time. Looking changes nothing: the kernel's next step is as long."""
    # After a last tick the temperatures may be ahead of the clock, which it did not move.
    passed = max(system.now - int(system.state["heated"]), 0)
    drive = system.world.ssds[row["row"]]
    inner, case, seconds = float(row["inner"]), float(row["case"]), passed / NS_PER_S
    energy = 0.0
    if passed > 0:
        energy = float(row["idle"]) * seconds
        energy += float(row["read_energy"]) * int(drive["flash_read"] - row["counted_read"])
        energy += float(row["write_energy"]) * int(drive["programmed"] - row["counted_written"])
        energy = min(energy, float(row["most"]) * seconds)
        inner, case = map(float, kernel.step(row, energy / seconds, seconds))
    return ThermalState(
        inner,
        case,
        float(row["energy"]) + energy,
        (int(row["light"]) + passed * int(row["state"] == t.THROTTLED_LIGHTLY)) / NS_PER_S,
        (int(row["heavy"]) + passed * int(row["state"] == t.THROTTLED_HEAVILY)) / NS_PER_S,
    )


def reset(system: System) -> None:
    """Begin a new window: readings, highest temperatures and means count from now on."""
    if system.count("heats") > 0:
        _begin_samples(system)
    for index in range(system.count("heats")):
        open_window(system, index)


def _begin_samples(system: System) -> None:
    """Make now the moment of the first reading."""
    state = system.state
    state["stride"] = 1
    state["first_tick"] = system.now // kernel.TICK
    state["samples"] = 1
    system.world.moments[0] = system.now
    system.world.progress[:] = 0


def open_window(system: System, index: int) -> None:
    """Note where a drive stands at the start of the window, as the first reading too."""
    row = system.world.heats[index]
    found = thermal_state(system, row)
    row["highest"] = row["window_inner"] = found.inner
    row["window_begin"] = system.now
    row["window_energy"] = found.energy
    row["window_light"] = round(found.light * NS_PER_S)
    row["window_heavy"] = round(found.heavy * NS_PER_S)
    fields = (found.inner, found.case, found.energy, row["window_light"], row["window_heavy"])
    system.world.samples[index, :] = np.array(fields, READINGS.type)
