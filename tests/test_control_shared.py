"""What arrays in a SimPy model share: cores, links, and nothing where they share nothing."""

from __future__ import annotations

import pytest
from simpy_arrays import (
    MIX,
    PLAIN_CARD,
    RAID,
    ROUNDING,
    SAS,
    SMALL,
    STRIP,
    array,
    raid_card,
    refusal,
    server,
)
from simpy_models import KIB, MIB, SERVER, in_turn, reads

from raidsim import run, scenario
from raidsim.control import Controller, Host, Link, Load


def test_volumes_on_one_controller_share_its_core():
    def rate(*names):
        env, host = server()
        card = raid_card(env)
        loads = [
            array(host, "raid0", 4, model=SAS, name=name, controller=card).start(
                reads(outstanding=64)
            )
            for name in names
        ]
        env.run(until=0.01)
        env.reset_window()
        env.run(until=0.03)
        assert env.limited_by.station == "raid: cores"
        return [load.iops for load in loads]

    assert sum(rate("a")) == pytest.approx(1e5, rel=0.01)  # 10 us a command
    first, second = rate("a", "b")
    assert first + second == pytest.approx(1e5, rel=0.01)
    assert first == pytest.approx(second, rel=0.05)


def test_volumes_on_two_controllers_do_not_wait_for_each_other():
    env, host = server()
    other = Host(env, host.model)  # interrupts of one host are served by the same core
    a, b = (
        array(server, "raid0", 2, model=SAS, name=name, controller=raid_card(env, f"of {name}"))
        for server, name in ((host, "a"), (other, "b"))
    )
    (alone,) = in_turn(b, ("read", 0, 8 * KIB))
    a.start(reads(outstanding=64))
    env.run(until=0.01)
    (beside,) = in_turn(b, ("read", 16 * STRIP, 8 * KIB))
    assert beside.latency == alone.latency


def test_arrays_behind_one_link_share_what_it_carries():
    env, host = server()
    card = Controller(env, RAID, name="raid")
    expander = Link(env, "expander", "sas-12g", 1, to=card)
    loads = [
        array(host, "raid0", 3, model=SAS, name=name, behind=expander).start(
            reads(size="64 KiB", outstanding=32)
        )
        for name in "ab"
    ]
    env.run(until=0.02)
    env.reset_window()
    env.run(until=0.06)
    carried = sum(load.mbps for load in loads) * MIB
    frames = 1024 / (1024 + 48)  # data in a frame of SAS, and header, check sum and primitives
    assert carried == pytest.approx(frames * expander.bandwidth, rel=0.01)
    (up,) = expander.stations
    assert (up.name, up.kind) == ("expander: up", "shared link")
    assert up.utilisation > 0.99
    assert env.limited_by.station == "expander: up"
    expander.set_speed(0.5)
    env.run(until=0.08)
    env.reset_window()
    env.run(until=0.16)
    assert sum(load.mbps for load in loads) * MIB == pytest.approx(carried / 2, rel=0.01)


def test_a_slower_core_makes_each_command_longer():
    env, host = server()
    card = raid_card(env)
    data = array(host, "raid0", 2, model=SAS, controller=card)
    (before,) = in_turn(data, ("read", 0, 8 * KIB))
    card.set_speed("controller core", 0.5)
    (after,) = in_turn(data, ("read", 2 * STRIP, 8 * KIB))
    assert after.latency - before.latency == pytest.approx(10e-6, abs=ROUNDING)
    assert {use.kind for use in card.stations} <= {use.kind for use in data.stations}
    assert "one of ['cache memory', 'controller core'" in refusal(card.set_speed, "flash die", 0.5)


def test_the_speed_of_one_drive_is_that_of_its_strips_alone():
    _, host = server()
    data = array(host, "raid0", 2)
    (known,) = in_turn(data, ("read", 0, 8 * KIB))
    data.set_speed("flash die", 0.1, drive=1)
    quick, slow = in_turn(data, ("read", 4 * STRIP, 8 * KIB), ("read", 5 * STRIP, 8 * KIB))
    sensing = data.card.number("flash.read_time")
    assert quick.latency == known.latency
    assert slow.latency - known.latency == pytest.approx(9 * sensing, abs=ROUNDING)
    data.set_speed("flash die", 0.1)
    (all_slow,) = in_turn(data, ("read", 8 * STRIP, 8 * KIB))
    assert all_slow.latency == slow.latency


def test_the_same_model_runs_the_same_way_whatever_stands_beside_it():
    def figures(*others):
        env, host = server(seed=3)
        for name in others:
            array(host, "raid1", 2, name=name, state="fresh")
        data = array(host, "raid5", 4, model=SAS, controller=raid_card(env))
        load = data.start(MIX)
        env.run(until=0.01)
        data.fail(1)
        env.run(until=0.03)
        return load.counts, load.latency("read"), load.latency("write")

    alone = figures()
    assert alone == figures()
    assert alone == figures("another", "and another")


def test_an_array_in_a_model_does_what_the_same_array_does_in_a_scenario():
    keys = {"read": "67 %", "size": "8 KiB", "align": "4 KiB", "outstanding": 32}
    volume = {"level": "raid5", "drives": 4, "state": "filled", "write": "back"}
    result = run(
        scenario.from_data(
            {
                "host": {"model": SERVER},
                "controller": [{"name": "raid", "model": RAID, "set": PLAIN_CARD}],
                "volume": [{"drive": SAS, "set": SMALL, **volume}],
                "load": [keys],
                "measure": {"min_ios": 20_000, "max_ios": 60_000},
            }
        )
    )
    env, host = server()
    data = array(host, "raid5", 4, model=SAS, controller=raid_card(env), write="back")
    load = data.start(Load(**keys))
    point = result.points[0]
    env.run(until=point.warmup_s)
    env.reset_window()
    env.run(until=point.warmup_s + point.window_s)
    assert load.iops == pytest.approx(point.iops.mean, rel=0.03)
    assert load.latency("read").mean == pytest.approx(point.latency_ms["read"].mean, rel=0.05)
