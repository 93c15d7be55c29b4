"""What can be read of a load, a volume and a system while a SimPy model runs."""

import pytest
from simpy_models import DRIVE, SERVER, computer, reads

from raidsim import run, scenario
from raidsim.control import Load


def test_the_rate_of_a_load_can_be_read_while_it_runs():
    env, data = computer()
    load = data.start(reads(outstanding=1))
    assert load.iops == 0
    env.run(until=1.0)
    assert (
        load.iops
        == load.counts.completed
        == pytest.approx(1e3 / load.latency("read").mean, rel=1e-3)
    )
    assert load.mbps == pytest.approx(load.iops * 8 / 1024)
    assert data.iops == load.iops
    assert data.mbps == load.mbps


def test_after_its_end_a_loads_rate_stays_what_it_was():
    env, data = computer()
    load = data.start(reads(limit={"ios": 1000}))
    env.run(until=load)
    rate = load.iops
    assert rate == pytest.approx(1000 / env.now)
    env.run(until=10.0)
    assert load.iops == rate
    assert data.iops == 100  # of a volume, idle times count


def test_a_load_that_starts_later_is_measured_from_its_start():
    env, data = computer(initial_time=5.0)
    env.run(until=10.0)
    load = data.start(reads(outstanding=1))
    env.run(until=10.5)
    assert load.iops == pytest.approx(load.counts.completed / 0.5)


def test_a_new_window_forgets_what_was_before_but_not_the_account():
    env, data = computer()
    load = data.start(reads(read="50 %"))
    env.run(until=0.05)
    before = load.counts
    env.reset_window()
    assert (load.iops, load.mbps, load.latency("read"), env.stations) == (0, 0, None, [])
    assert load.counts.issued == before.issued
    assert load.counts.measured == 0
    assert env.window == 0
    env.run(until=0.15)
    assert env.window == pytest.approx(0.1)
    counts = load.counts
    samples = load.latency("read").samples + load.latency("write").samples
    assert counts.measured == counts.completed - before.completed == samples
    assert load.iops == pytest.approx(counts.measured / 0.1)


def test_the_busiest_station_is_what_limits_the_system():
    env, data = computer()
    assert env.limited_by is None
    data.start(reads(size="64 KiB", outstanding=128))
    env.run(until=0.05)
    env.reset_window()
    env.run(until=0.15)
    limit = env.limited_by
    assert limit.station == "data: data path"
    assert limit.utilisation > 0.95
    used = {use.name: use for use in data.stations}
    assert used["data: data path"].utilisation == limit.utilisation
    assert "host CPU" not in {use.kind for use in used.values()}
    assert "host CPU" in {use.kind for use in env.stations}


def test_time_before_the_model_began_is_no_idle_time():
    env, data = computer(initial_time=1e6)
    data.start(reads(size="64 KiB", outstanding=128))
    env.run(until=1e6 + 0.1)
    assert env.limited_by.utilisation > 0.9


def test_the_account_of_a_load_holds_at_every_moment():
    env, data = computer()
    load = data.start(Load(read="60 %", size="16 KiB", outstanding=64, timeout="1 ms"))
    seen = []

    def observer(env):
        while env.now < 0.05:
            yield env.timeout(0.0007)
            data.fail() if len(seen) % 10 == 3 else data.repair()
            counts = load.counts
            seen.append(counts)
            assert counts.issued == (
                counts.completed + counts.failed + counts.timed_out + counts.in_flight
            )
            assert counts.in_flight == 64

    env.run(until=env.process(observer(env)))
    assert seen[-1].failed > 0
    assert seen[-1].timed_out > 0
    assert seen[-1].completed > 0


def test_a_load_in_a_model_does_what_the_same_load_does_in_a_scenario():
    keys = {"read": "67 %", "size": "8 KiB", "align": "4 KiB", "outstanding": 64}
    keys["area"] = {"size": "32 GiB"}
    result = run(
        scenario.from_data(
            {
                "host": {"model": SERVER},
                "volume": [{"drive": DRIVE}],
                "load": [keys],
                "measure": {"min_ios": 50_000, "max_ios": 200_000},
            }
        )
    )
    env, data = computer()
    load = data.start(Load(**keys))
    env.run(until=0.5)
    env.reset_window()
    env.run(until=3.0)
    point = result.points[0]
    assert load.iops == pytest.approx(point.iops.mean, rel=0.03)
    assert load.latency("read").p99 == pytest.approx(point.latency_ms["read"].p99, rel=0.05)
    assert env.limited_by.station.removeprefix("data/") == point.limited_by.station
