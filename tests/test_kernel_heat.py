"""A drive warms by what it does, cools by the air, and throttles in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from drive_times import OneDrive
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from watching import begin, build, scenario

from raidsim.assembly import heat
from raidsim.errors import InputError
from raidsim.intervene import window
from raidsim.kernel import heat as kernel
from raidsim.kernel import tables as t
from raidsim.kernel.heat_tables import HEATS, SAMPLES

S = 1_000_000_000  # ns
MIB = 2**20

# Warms and cools within tenths of a second, so that runs are short.
LIGHT_DRIVE = {
    "heat.inner_capacity": "0.2 J/K",
    "heat.inner_resistance": "0.2 K/W",
    "heat.case_capacity": "1 J/K",
    "heat.air_resistance": "2 K/W",
    "heat.still_resistance": "5 K/W",
}
COOL = {"throttle.light_at": "140 C", "throttle.heavy_at": "150 C"}
WRITES = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 16}


def drive(**changes: Any) -> Any:
    """A row of the kernel's table: 25 C all through, in still air at 2 K/W and 4 J/K."""
    row = np.zeros(1, HEATS.type)[0]
    values = {
        "inner": 25.0,
        "case": 25.0,
        "ambient": 25.0,
        "inner_capacity": 0.5,
        "inner_resistance": 0.25,
        "case_capacity": 4.0,
        "conductance": 0.5,
    }
    for name, value in (values | changes).items():
        row[name] = value
    return row


def after(row: Any, power: float, seconds: float) -> Any:
    """The drive after a step."""
    inner, case = kernel.step(row, power, seconds)
    found = row.copy()
    found["inner"], found["case"] = inner, case
    return found


def run(seconds: float, *loads: dict[str, Any], **changes: str) -> Any:
    """A system that has run loads for a time."""
    built = build(scenario(*loads, drive=changes))
    begin(built)
    built.system.run(round(seconds * S))
    built.system.advance_clock(round(seconds * S))
    return built


def curve(system: Any, field: str = "inner") -> Any:
    """The readings of the first drive with their times in s."""
    system.fill_samples()
    count = int(system.state["samples"])
    return system.world.moments[:count] / S, system.world.samples[0, :count][field]


# -- the physics -------------------------------------------------------------------------------


def test_a_drive_whose_inside_is_negligible_warms_as_one_body() -> None:
    """GOLDEN 5: T = ambient + P R (1 - e^(-t/tau)), 25 C + 20 K at t = tau: 37.642 C."""
    small = drive(inner_capacity=1e-6, inner_resistance=1e-6)
    power, tau = 20 * 0.5, 4.0 / 0.5
    found = after(small, power, tau)
    assert found["inner"] == pytest.approx(25 + 20 * (1 - np.exp(-1)), abs=1e-3)
    assert found["inner"] == pytest.approx(37.642, abs=1e-3)


@given(
    capacities=st.tuples(st.floats(0.1, 500), st.floats(0.1, 5000)),
    resistance=st.floats(0.01, 20),
    conductance=st.floats(0.005, 20),
    temperatures=st.tuples(st.floats(-20, 120), st.floats(-20, 120)),
    power=st.floats(0, 60),
    seconds=st.floats(1e-3, 5000),
)
@settings(max_examples=60, derandomize=True)
def test_a_step_is_the_matrix_exponential(
    capacities: Any, resistance: float, conductance: float, temperatures: Any, power: float,
    seconds: float,
) -> None:  # fmt: skip
    (c1, c2), (inner, case) = capacities, temperatures
    row = drive(
        inner=inner, case=case, inner_capacity=c1, case_capacity=c2,
        inner_resistance=resistance, conductance=conductance,
    )  # fmt: skip
    rates = np.array(
        [
            [-1 / (resistance * c1), 1 / (resistance * c1), power / c1],
            [1 / (resistance * c2), -1 / (resistance * c2) - conductance / c2, 0],
            [0, 0, 0],
        ]
    )
    x, y, _ = expm(rates * seconds) @ [inner - 25, case - 25, 1]
    found = after(row, power, seconds)
    assert found["inner"] - 25 == pytest.approx(x, rel=1e-6, abs=1e-6)
    assert found["case"] - 25 == pytest.approx(y, rel=1e-6, abs=1e-6)


@given(seconds=st.floats(0.01, 100), share=st.floats(0.01, 0.99), power=st.floats(0, 40))
@settings(max_examples=50, derandomize=True)
def test_two_steps_are_as_good_as_one(seconds: float, share: float, power: float) -> None:
    start = drive(inner=60.0, case=45.0)
    once = after(start, power, seconds)
    twice = after(after(start, power, seconds * share), power, seconds * (1 - share))
    assert twice["inner"] == pytest.approx(once["inner"], abs=1e-9)
    assert twice["case"] == pytest.approx(once["case"], abs=1e-9)


def test_moving_air_cools_with_the_power_0_8_of_its_speed_and_still_air_by_convection() -> None:
    card = OneDrive(**{key.replace(".", "__"): value for key, value in LIGHT_DRIVE.items()}).card
    assert heat.conductance(card, 0.0) == pytest.approx(1 / 5)
    assert heat.conductance(card, 1.0) == pytest.approx(1 / 2)
    forced = [heat.conductance(card, share) - 1 / 5 for share in (0.25, 0.5)]
    assert forced[1] / forced[0] == pytest.approx(2**0.8)


# -- power and temperature of a drive that works ------------------------------------------------


@compiled_only
def test_the_energy_is_that_of_idling_and_of_every_byte_on_the_flash() -> None:
    system = run(0.5, {"read": "50 %", "size": "16 KiB", "outstanding": 8}).system
    row, ssd = system.world.heats[0], system.world.ssds[0]
    assert ssd["flash_read"] > 0
    assert ssd["programmed"] > 0
    expected = 4 * 0.5 + 2.5e-9 * ssd["flash_read"] + 10.9e-9 * ssd["programmed"]
    assert heat.thermal_state(system, row).energy == pytest.approx(expected, rel=1e-9)


def test_read_ahead_takes_energy_too() -> None:
    single = OneDrive()
    for number in range(4):
        single.reads(number * 64 * 1024, 64 * 1024)
    single.rest()
    assert single.row["prefetched"] > 0
    # The first three commands found nothing that was read ahead.
    assert single.row["flash_read"] == 3 * 64 * 1024 + single.row["prefetched"]


@compiled_only
def test_a_steady_load_ends_in_the_steady_state_of_its_power() -> None:
    load = {"read": "0 %", "random": "0 %", "size": "64 KiB", "rate": "400 IO/s"}
    system = run(40, load, **LIGHT_DRIVE).system
    found = heat.thermal_state(system, system.world.heats[0])
    power = found.energy / 40
    assert 4 < power < 5
    assert found.inner == pytest.approx(25 + power * 2.2, abs=0.05)
    assert found.case == pytest.approx(25 + power * 2, abs=0.05)


def test_a_drive_that_nobody_uses_stays_as_it_is() -> None:
    system = run(3600, {"arrivals": ["0 s"]}, **LIGHT_DRIVE).system
    times, temperatures = curve(system)
    assert times[-1] > 3590
    assert temperatures == pytest.approx(25 + 4 * 2.2, abs=0.01)


def test_a_drive_at_rest_cools_by_the_formula_and_is_read_at_equal_times() -> None:
    """Ticks stop while nothing happens; what they would have read is made up."""
    built = run(0.2, {"arrivals": ["0 s"]}, **LIGHT_DRIVE)
    system = built.system
    row = system.world.heats[0]
    row["inner"], row["case"] = 90.0, 80.0
    hot, since = row.copy(), int(system.state["heated"])
    system.run()
    assert system.state["ticking"] == 0
    system.advance_clock(20 * S)
    times, temperatures = curve(system)
    assert np.diff(times) == pytest.approx(0.1)
    for moment in (1, 5, 15):
        (place,) = np.flatnonzero(np.isclose(times, moment))
        expected = kernel.step(hot, 4.0, moment - since / S)[0]
        assert temperatures[place] == pytest.approx(expected, abs=1e-4)


# -- throttling ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "temperature", "becomes"),
    [
        (t.COOL, 67.9, t.COOL),
        (t.COOL, 68.0, t.THROTTLED_LIGHTLY),
        (t.COOL, 70.0, t.THROTTLED_HEAVILY),
        (t.THROTTLED_LIGHTLY, 65.1, t.THROTTLED_LIGHTLY),
        (t.THROTTLED_LIGHTLY, 64.9, t.COOL),
        (t.THROTTLED_LIGHTLY, 70.0, t.THROTTLED_HEAVILY),
        (t.THROTTLED_HEAVILY, 67.1, t.THROTTLED_HEAVILY),
        (t.THROTTLED_HEAVILY, 66.9, t.THROTTLED_LIGHTLY),
        (t.THROTTLED_HEAVILY, 64.9, t.COOL),
    ],
)
def test_a_drive_speeds_up_again_only_when_it_has_cooled_by_the_hysteresis(
    state: int, temperature: float, becomes: int
) -> None:
    row = drive(inner=temperature, state=state, light_at=68, heavy_at=70, hysteresis=3)
    assert kernel.decide(row) == becomes


@compiled_only
def test_a_hot_drive_writes_at_the_speed_that_its_throttling_leaves() -> None:
    load = {**WRITES, "area": {"size": "1 GiB"}}
    rates = []
    for light_at in ("140 C", "20 C"):
        limits = {"throttle.light_at": light_at, "throttle.light_speed": "40 %"}
        built = run(0.3, load, **(COOL | limits))
        window.reset(built.system)
        built.system.run(S)
        rates.append(int(built.system.world.streams[0]["window_bytes"].sum()))
    assert rates[1] == pytest.approx(0.4 * rates[0], rel=0.03)


@compiled_only
def test_throttling_keeps_to_a_speed_that_was_set_by_hand() -> None:
    throttled = {"throttle.light_at": "20 C", "throttle.heavy_at": "150 C"}
    built = run(0.15, {"outstanding": 1}, **throttled)
    system = built.system
    path = int(system.world.ssds[0]["path"])
    assert system.world.stations[path]["speed"] == pytest.approx(0.6)
    system.set_speed(path, 0.5)
    assert system.world.stations[path]["speed"] == pytest.approx(0.3)
    system.world.heats[0]["light_at"] = 140.0
    system.run(S // 2)
    assert system.world.stations[path]["speed"] == 0.5


@compiled_only
def test_a_drive_that_throttles_stays_below_its_limit_and_goes_up_and_down() -> None:
    changes = LIGHT_DRIVE | {"throttle.hysteresis": "2 K", "heat.inner_capacity": "2 J/K"}
    changes |= {"heat.air_resistance": "4 K/W"}
    system = run(12, {**WRITES, "size": "256 KiB", "outstanding": 4}, **changes).system
    row = system.world.heats[0]
    assert 68 < row["highest"] < 71
    assert row["light"] > 0
    assert row["heavy"] > 0
    _, temperatures = curve(system)
    turns = np.diff(np.sign(np.diff(temperatures[60:])))
    assert np.count_nonzero(turns) >= 4


@compiled_only
@given(
    seed=st.integers(0, 2**32),
    airs=st.lists(
        st.tuples(st.floats(-10, 50), st.floats(0, 1), st.floats(0.01, 0.5)), min_size=1, max_size=6
    ),
    rate=st.sampled_from(["100 IO/s", "1000 IO/s", "4000 IO/s"]),
)
@settings(max_examples=15, derandomize=True)
def test_the_temperature_stays_between_lowest_ambient_and_highest_steady_state(
    seed: int, airs: list[tuple[float, float, float]], rate: str
) -> None:
    load = {"read": "50 %", "size": "4 KiB", "rate": rate}
    built = build(scenario(load, seed=seed, drive=LIGHT_DRIVE))
    begin(built)
    system, row = built.system, built.system.world.heats[0]
    card = scenario({}, drive=LIGHT_DRIVE).volumes[0].card
    lowest, highest = 25.0, float(row["inner"])
    before = heat.thermal_state(system, row)
    for ambient, airflow, seconds in airs:
        system.set_air(0, ambient, heat.conductance(card, airflow))
        lowest = min(lowest, ambient)
        stop = system.now + round(seconds * S)
        while system.now < stop:  # from tick to tick: power is constant in between
            following = min(stop, (system.now // kernel.TICK + 1) * kernel.TICK)
            system.run(following)
            system.advance_clock(following)
            found = heat.thermal_state(system, row)
            highest = max(highest, ambient + 40 * heat.resistance(card, airflow))
            assert lowest - 1e-9 <= min(found.inner, found.case)
            assert max(found.inner, found.case) <= highest
            assert found.energy >= before.energy
            before = found


# -- nothing else changes -----------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize(
    "load",
    [
        {"read": "67 %", "size": "8 KiB", "outstanding": 32},
        {"read": "0 %", "random": "0 %", "size": "64 KiB", "rate": "3000 IO/s"},
        {"read": "100 %", "random": "0 %", "size": "64 KiB", "outstanding": 2},
    ],
)
def test_a_drive_that_does_not_throttle_works_as_if_it_had_no_temperature(
    load: dict[str, Any],
) -> None:
    tables = []
    for heated in (1, 0):
        built = build(scenario(load))
        built.system.world.drives[0]["heated"] = heated
        begin(built)
        system = built.system
        system.run(S // 4, 3_000)
        assert (system.state["samples"] > 1) == bool(heated and system.now > kernel.TICK)
        tables.append((system.now, system.world.latencies.copy(), system.world.stations.copy()))
    (first, latencies, stations), (second, others, rows) = tables
    assert first == second
    assert np.array_equal(latencies, others)
    assert np.array_equal(stations, rows)


def test_ticks_keep_no_run_alive_and_do_not_move_the_clock() -> None:
    single = OneDrive()
    single.writes(0, 64 * 1024)
    ended = single.rest()
    assert ended < 10_000_000
    assert single.system.state["ticking"] == 0
    assert single.reads(0, 4096) > 0  # and the next command starts them again
    assert single.system.state["ticking"] == 1


@compiled_only
def test_looking_at_the_temperature_changes_nothing() -> None:
    def highest(looks: int) -> bytes:
        built = build(scenario(WRITES, drive=LIGHT_DRIVE))
        begin(built)
        for stop in np.linspace(0, S, looks + 1)[1:]:
            built.system.run(int(stop))
            built.system.advance_clock(int(stop))
            heat.thermal_state(built.system, built.system.world.heats[0])
            built.system.fill_samples()
        return built.system.world.samples[0].tobytes()

    assert highest(1) == highest(37)


def test_readings_stay_at_equal_distances_however_long_it_takes() -> None:
    arrivals = [f"{20 * n} s" for n in range(20)]
    system = run(400, {"arrivals": arrivals}, **LIGHT_DRIVE).system
    times, energies = curve(system, "energy")
    assert SAMPLES // 2 <= len(times) <= SAMPLES
    assert np.diff(times) == pytest.approx(times[1] - times[0])
    assert times[-1] > 398
    assert np.diff(energies) == pytest.approx(4 * (times[1] - times[0]), abs=0.01)


def test_a_drive_without_heat_on_its_card_has_no_temperature() -> None:
    card = OneDrive().card
    values = {k: v for k, v in card.values.items() if not k.startswith("heat.")}
    assert heat.is_known(card)
    bare = type(card)(**(vars(card) | {"values": values}))
    assert not heat.is_known(bare)
    heat.check(bare)


@pytest.mark.parametrize(
    ("key", "words"),
    [("heat.case_capacity", "heat.case_capacity"), ("throttle.hysteresis", "throttle.hysteresis")],
)
def test_a_card_that_says_only_a_part_of_it_is_refused(key: str, words: str) -> None:
    card = OneDrive().card
    values = {k: v for k, v in card.values.items() if k != key}
    with pytest.raises(InputError, match=words):
        heat.check(type(card)(**(vars(card) | {"values": values})))


def test_thresholds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(InputError, match="throttle heavily only when hotter"):
        OneDrive(throttle__heavy_at="60 C")
