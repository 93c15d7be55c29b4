"""Arrays in a SimPy model whose drives fail."""

from __future__ import annotations

import random

import pytest
from simpy_arrays import MIX, SAS, STRIP, array, raid_card, refusal, server
from simpy_models import KIB, MIB, in_turn


def failing(level, drives, failures, seed, behind_a_controller=False, write="through"):
    """A mix of I/Os, while these drives fail at moments of chance; the volume and its load."""
    env, host = server(seed)
    keys = {}
    if behind_a_controller:
        keys = {"model": SAS, "controller": raid_card(env), "write": write}
    data = array(host, level, drives, **keys)
    load = data.start(MIX)
    chance = random.Random(seed)

    def fate(env):
        for drive in failures:
            yield env.timeout(chance.uniform(0, 0.004))
            data.fail(drive)

    env.process(fate(env))
    env.run(until=0.01)
    load.stop()
    env.run()
    return data, load


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("level", "drives", "failures"),
    [
        ("raid1", 2, [1]),
        ("raid1", 3, [0, 2]),
        ("raid1e", 3, [1]),
        ("raid5", 4, [2]),
        ("raid6", 5, [0, 3]),
        ("raid10", 6, [0, 3, 4]),
        ("raid50", 6, [1, 5]),
        ("raid60", 8, [0, 1, 6, 7]),
    ],
)
def test_no_io_fails_while_drives_fail_that_the_level_can_lose(level, drives, failures, seed):
    data, load = failing(level, drives, failures, seed)
    counts = load.counts
    assert counts.completed == counts.issued > 400
    assert data.failed == sorted(failures)
    assert data.health == "degraded"


@pytest.mark.parametrize("write", ["through", "back"])
def test_nor_behind_a_controller(write):
    data, load = failing("raid5", 4, [1], 5, behind_a_controller=True, write=write)
    assert load.counts.completed == load.counts.issued > 200
    assert data.health == "degraded"


def test_a_failed_drive_of_an_array_is_left_alone():
    env, host = server()
    data = array(host, "raid5", 4)
    load = data.start(MIX)
    env.run(until=0.002)
    data.fail(2)
    env.run(until=0.01)  # what was planned before has come back
    drive = env.system.world.drives[2]
    visits = env.system.world.stations["arrivals"]
    before = int(visits[drive["latency_station"]])
    env.run(until=0.02)
    assert int(visits[drive["latency_station"]]) == before
    assert load.counts.failed == 0


def test_beyond_what_it_can_lose_only_ios_on_lost_data_fail():
    env, host = server()
    data = array(host, "raid5", 4)
    assert data.failures_tolerated == 1
    data.fail(0)
    data.fail(1)
    assert data.health == "failed"
    # Left-symmetric: stripe 0 has its strips on drives 0, 1, 2, and parity on drive 3.
    found = in_turn(data, *(("read", strip * STRIP, 8 * KIB) for strip in range(3)))
    assert [done.status for done in found] == ["failed", "failed", "done"]
    assert env.run(until=data.write(0, 8 * KIB)).status == "failed"


def test_a_drive_that_fails_during_an_awaited_write_does_not_make_it_fail():
    for moment in range(0, 300, 20):
        env, host = server()
        data = array(host, "raid5", 4, state="fresh")
        io = data.write(0, 8 * KIB)
        env.run(until=moment * 1e-6 + 1e-9)
        data.fail(0)
        if not io.processed:
            assert env.run(until=io).ok, moment


def test_an_array_may_begin_degraded():
    _, host = server()
    data = array(host, "raid6", 5, failed=[1, 4])
    assert (data.failed, data.health) == ([1, 4], "degraded")
    assert all(done.ok for done in in_turn(data, ("read", 0, MIB), ("write", 0, MIB)))


def test_a_drive_of_a_stripe_without_redundancy_comes_back_with_its_data():
    _, host = server()
    data = array(host, "raid0", 2)
    data.fail(1)
    assert data.health == "failed"
    requests = [("read", 0, 8 * KIB), ("read", STRIP, 8 * KIB), ("write", 0, 2 * STRIP)]
    assert [done.ok for done in in_turn(data, *requests)] == [True, False, False]
    data.repair(1)
    assert (data.failed, data.health) == ([], "optimal")
    assert [done.ok for done in in_turn(data, *requests)] == [True, True, True]


def test_a_drive_of_an_array_with_redundancy_would_need_a_rebuild():
    _, host = server()
    data = array(host, "raid1", 2)
    data.repair(1)  # it works
    data.fail(1)
    message = refusal(data.repair, 1)
    assert message.startswith("data.repair(): drive: ")
    assert "data.replace(1)" in message
    assert data.failed == [1]


@pytest.mark.parametrize("drive", [-1, 2, 1.0, True, None, "0"])
def test_a_drive_is_one_of_the_volumes(drive):
    _, host = server()
    data = array(host, "raid1", 2, state="fresh")
    for call in data.fail, data.repair:
        assert "drive: " in refusal(call, drive)
    if drive is not None:
        assert "drive: " in refusal(data.set_speed, "flash die", 0.5, drive=drive)
    assert data.failed == []
