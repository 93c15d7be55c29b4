"""A model watches a drive's temperature, and changes the air while it runs."""

from __future__ import annotations

import pytest
from simpy_models import DRIVE, KIB, computer

from raidsim.control import InputError, Load, Volume

# Warms and cools within seconds.
SMALL = {
    "heat__inner_capacity": "0.5 J/K",
    "heat__case_capacity": "2 J/K",
    "heat__inner_resistance": "0.2 K/W",
    "heat__air_resistance": "1 K/W",
    "heat__still_resistance": "5 K/W",
}
WRITES = Load(read="0 %", random="0 %", size="64 KiB", outstanding=16)


def test_a_drive_that_rests_is_as_warm_as_its_idle_power_makes_it():
    env, data = computer(**SMALL)
    assert data.temperature == pytest.approx(25 + 4 * 1.2)
    env.run(until=1000)
    assert data.temperature == pytest.approx(25 + 4 * 1.2)
    assert data.power == pytest.approx(4)
    assert data.throttled == ""


def test_when_a_fan_fails_a_busy_drive_warms_up_and_writes_more_slowly():
    env, data = computer(**SMALL)
    load = data.start(WRITES)
    env.run(until=1)
    assert data.temperature < 60
    env.reset_window()
    env.run(until=2)
    before = load.mbps
    data.set_air(airflow="0 %")
    env.run(until=10)
    env.reset_window()
    env.run(until=14)
    assert 66 < data.temperature < 71
    assert data.throttled in ("lightly", "heavily")
    assert load.mbps < 0.6 * before
    data.set_air(airflow="100 %")
    env.run(until=24)
    assert data.throttled == ""
    env.reset_window()
    env.run(until=25)
    assert load.mbps == pytest.approx(before, rel=0.01)


def test_the_air_of_the_environment_is_that_of_all_its_drives():
    env, first, second = computer("first", "second", **SMALL)
    env.set_air(ambient="40 C")
    env.run(until=100)
    assert first.temperature == second.temperature == pytest.approx(40 + 4 * 1.2)
    second.set_air(ambient="10 C")
    env.run(until=200)
    assert first.temperature == pytest.approx(40 + 4 * 1.2)
    assert second.temperature == pytest.approx(10 + 4 * 1.2)
    env.set_air(airflow="0 %")
    assert env.air.ambient == 40
    env.run(until=400)
    assert second.temperature == pytest.approx(40 + 4 * 5.2)


def test_a_drive_added_later_stands_in_the_air_of_its_environment():
    env, first = computer("first", **SMALL)
    env.set_air(ambient="30 C")
    env.run(until=5)
    values = {key.replace("__", "."): value for key, value in SMALL.items()}
    other = Volume(env, DRIVE, first.host, name="other", changes=values)
    assert other.temperature == pytest.approx(30 + 4 * 1.2)
    env.run(until=100)
    assert first.temperature == pytest.approx(other.temperature)


def test_run_comes_to_an_end_although_drives_have_a_temperature():
    env, data = computer(**SMALL)
    done = []

    def process(env):
        done.append((yield data.write(0, 64 * KIB)))

    env.process(process(env))
    env.run()
    assert done[0].ok
    assert env.now < 0.05


def test_looking_does_not_change_what_happens():
    def run(looks):
        env, data = computer(**SMALL)
        data.set_air(airflow="0 %")
        load = data.start(WRITES)
        for look in range(1, looks + 1):
            env.run(until=8 * look / looks)
            assert data.temperature > 20
        return load.counts.completed, data.temperature

    assert run(1) == run(41)


@pytest.mark.parametrize("air", [{"ambient": "hot"}, {"airflow": "200 %"}, {"airflow": 0.5}])
def test_air_that_cannot_be_is_refused(air):
    env, data = computer()
    for change in (env.set_air, data.set_air):
        with pytest.raises(InputError, match=next(iter(air))):
            change(**air)
