"""Arrays in a SimPy model: what I/Os take, figures, and what is refused."""

from __future__ import annotations

import inspect

import pytest
from simpy_arrays import (
    PCIE,
    PLAIN_CARD,
    RAID,
    ROUNDING,
    SAS,
    STRIP,
    Paper,
    array,
    raid_card,
    refusal,
    server,
)
from simpy_models import KIB, MIB, SERVER, in_turn, reads

from raidsim.control import Controller, Host, Link, Load, Volume
from raidsim.kernel import tables as t
from raidsim.scenario.models import VolumeKeys
from raidsim.topology.lanes import bandwidth

# ---- what an I/O takes


def test_a_read_of_a_mirror_is_one_command_and_a_write_is_two_at_the_same_time():
    _, host = server()
    data = array(host, "raid1", 2)
    paper = Paper(data)
    (read,) = in_turn(data, ("read", MIB, 8 * KIB))
    assert read.latency == pytest.approx(
        paper.cpu(t.READ, 8 * KIB) + paper.issue(1) + paper.read(8 * KIB), abs=ROUNDING
    )
    _, host = server()
    data = array(host, "raid1", 2)
    (write,) = in_turn(data, ("write", MIB, 8 * KIB))
    assert write.latency == pytest.approx(
        paper.cpu(t.WRITE, 8 * KIB) + paper.issue(2) + paper.write(8 * KIB), abs=ROUNDING
    )
    assert [use.written_per_day_tb > 0 for use in data.drives] == [True, True]


def test_a_small_write_of_raid_5_reads_old_data_and_parity_computes_and_writes_both():
    _, host = server()
    data = array(host, "raid5", 5)
    (write,) = in_turn(data, ("write", 0, 8 * KIB))
    paper = Paper(data)
    length = 8 * KIB
    turn = 1e-9 * paper.times.turnaround
    assert turn > 0
    expected = paper.cpu(t.WRITE, length) + paper.issue(4) + paper.read(length)
    expected += paper.exclusive_or(3 * length)  # old data, old parity, new data
    expected += paper.write(length) + turn
    assert write.latency == pytest.approx(expected, abs=ROUNDING)


def test_a_full_stripe_of_raid_5_reads_nothing():
    env, host = server()
    data = array(host, "raid5", 5)
    assert env.run(until=data.write(0, 4 * STRIP)).ok
    world = env.system.world
    assert not world.drives["host_read"].any()
    assert set(world.drives["host_written"][:5].tolist()) == {STRIP}


def test_a_read_behind_a_controller_takes_its_core_its_latency_and_its_link():
    env, host = server()
    data = array(host, "raid5", 4, model=SAS, controller=raid_card(env))
    (read,) = in_turn(data, ("read", 0, 8 * KIB))
    paper = Paper(data)
    link = 8 * KIB / bandwidth("pcie-3", 8)
    expected = paper.cpu(t.READ, 8 * KIB) + 10e-6 + paper.read(8 * KIB) + link + 20e-6
    assert read.latency == pytest.approx(expected, abs=ROUNDING)


def test_data_crosses_a_shared_link_on_its_way_up():
    env, host = server()
    straight = array(host, "raid0", 2, name="straight")
    link = Link(env, "switch", "pcie-3", 4)
    behind = array(host, "raid0", 2, name="behind", behind=link)
    near, far = in_turn(straight, ("read", 0, 8 * KIB)) + in_turn(behind, ("read", 0, 8 * KIB))
    crossing = 8 * KIB / bandwidth("pcie-3", 4)
    assert far.latency - near.latency == pytest.approx(crossing, abs=ROUNDING)
    assert link.bandwidth == bandwidth("pcie-3", 4)


def test_write_back_answers_before_the_drives_have_the_data():
    env, host = server()
    data = array(host, "raid5", 4, model=SAS, controller=raid_card(env), write="back")
    done = env.run(until=data.write(0, 8 * KIB))
    assert done.ok
    assert not env.system.world.drives["host_written"].any()
    env.run()
    assert env.system.world.drives["host_written"].sum() == 2 * 8 * KIB  # data and parity


def test_with_its_battery_low_a_controller_does_not_write_back():
    env, host = server()
    weak = Controller(env, RAID, battery="low", changes=PLAIN_CARD)
    data = array(host, "raid5", 4, model=SAS, controller=weak, write="back")
    env.run(until=data.write(0, 8 * KIB))
    assert env.system.world.drives["host_written"].sum() == 2 * 8 * KIB
    assert weak.battery == "low"


def test_the_longest_io_over_the_smallest_strips_is_awaited_as_one():
    env, host = server()
    data = array(host, "raid60", 8, model=SAS, strip="4 KiB", state="fresh")
    done = env.run(until=data.write(4 * KIB, 64 * MIB) & data.read(64 * MIB, 64 * MIB))
    assert all(io.ok for io in done.values())
    assert data.counts.completed == 2
    assert env.system.world.drives["host_written"].sum() >= 2 * 64 * MIB  # two of four are parity


# ---- figures


def test_an_array_knows_its_capacity_and_what_it_can_lose():
    _, host = server()
    data = array(host, "raid6", 6, changes={}, state="fresh")
    assert data.raw_capacity == 6 * 800 * 10**9
    assert data.capacity == 800 * 10**9 // STRIP * STRIP * 4
    assert data.failures_tolerated == 2
    assert data.health == "optimal"
    assert repr(data) == "<Volume data: raid6 of 6 x intel-p3700-800gb, 3200 GB>"


def test_power_is_that_of_all_drives_and_temperature_that_of_the_hottest():
    env, host = server()
    data = array(host, "raid0", 3)
    data.start(Load(read="100 %", size="16 KiB", outstanding=64, area={"size": "64 KiB"}))
    env.run(until=1)
    uses = data.drives
    assert [use.name for use in uses] == [f"data drive {n}" for n in range(3)]
    busy, *idle = uses
    assert [use.power_w for use in idle] == pytest.approx([4, 4])
    assert data.power == pytest.approx(busy.power_w + 8)
    assert busy.temperature_c.end > idle[0].temperature_c.end
    assert data.temperature == pytest.approx(busy.temperature_c.end)
    assert data.throttled == ""


def test_the_air_of_a_volume_is_that_of_all_its_drives():
    env, host = server()
    data = array(host, "raid0", 2, state="fresh")
    env.run(until=1)
    data.set_air(ambient="60 C")
    env.run(until=1000)
    first, second = (use.temperature_c.end for use in data.drives)
    assert first == second > 60


# ---- access


@pytest.mark.parametrize("access", ["read-only", "blocked"])
def test_what_the_access_policy_forbids_is_refused_before_anything_happens(access):
    env, host = server()
    data = array(host, "raid1", 2, access=access, state="fresh")
    message = f"access: data is {access} (its access policy)"
    assert message in refusal(data.write, 0, 512)
    assert message in refusal(data.trim, 0, 512)
    assert "access" in refusal(data.start, Load(read="50 %", size="8 KiB", outstanding=1))
    if access == "blocked":
        assert message in refusal(data.read, 0, 512)
        assert "blocked" in refusal(data.start, reads())
    else:
        assert env.run(until=data.read(0, 512)).ok
        assert env.run(until=data.start(reads(limit={"ios": 10}))).counts.completed == 10
    assert data.latency("write") is None


# ---- what is wrong


def test_the_words_of_a_volume_mean_what_they_mean_in_a_scenario():
    # No default, or one of its own, or a word about draws, of which an environment has none.
    other = {"drive", "name", "set", "state", "stand_in"}
    given = inspect.signature(Volume).parameters
    for key, field in VolumeKeys.model_fields.items():
        if key not in other:
            default = given[key].default
            assert (list(default) if default == () else default) == field.default, key


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({"level": "raid3"}, "volume.level"),
        ({"level": "raid5", "drives": 2}, "volume.drives"),
        ({"drives": 2}, "volume.drives: 2 drives are not a single one"),
        ({"level": "raid0", "drives": 2, "strip": "1000 B"}, "volume.strip"),
        ({"level": "raid0", "drives": 2, "spans": 2}, "volume.spans: raid0 has no spans"),
        ({"level": "raid1", "drives": 2, "failed": [2]}, "volume.failed: there is no drive 2"),
        ({"level": "raid1", "drives": 2, "write": "back"}, "volume.write"),
        ({"level": None}, "volume.level"),
        ({"access": "write-only"}, "volume.access"),
        ({"rotation": "sideways"}, "volume.rotation"),
        ({"controller": "raid"}, "controller: "),
        ({"behind": "expander"}, "behind: "),
    ],
)
def test_a_mistake_in_an_array_is_explained_as_in_a_scenario(keys, wrong):
    _, host = server()
    message = refusal(Volume, host.env, PCIE, host, **keys)
    assert message.startswith(f"Volume(): {wrong}")


def test_a_level_or_a_drive_that_the_controller_does_not_take_is_refused():
    env, host = server()
    old = Controller(env, "lsi-megaraid-1068", name="old")
    assert "has no raid5" in refusal(array, host, "raid5", 4, model=SAS, controller=old)
    assert "volume.drive" in refusal(array, host, "raid0", 2, controller=old)
    assert "no cache" in refusal(array, host, "raid0", 2, model=SAS, controller=old, write="back")


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({"model": "no-such-card"}, "controller.model: no model is called"),
        ({"model": PCIE}, "controller.model"),
        ({"battery": "flat"}, "controller.battery"),
        ({"model": "lsi-megaraid-1068", "battery": "good"}, "controller.battery"),
        ({"changes": {"command.tmie": "1 us"}}, "controller.set"),
        ({"changes": 5}, "changes: 5 is not a table"),
        ({"name": "host"}, 'name: "host" stands for the host itself'),
        ({"name": "data"}, 'name: something here is called "data" already'),
    ],
)
def test_a_mistake_in_a_controller_is_explained(keys, wrong):
    env, host = server()
    array(host, "raid1", 2, state="fresh")
    message = refusal(Controller, **{"env": env, "model": RAID, **keys})
    assert message.startswith(f"Controller(): {wrong}")


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({"speed": "sas-13g"}, "link.speed"),
        ({"lanes": 0}, "link.lanes"),
        ({"to": "raid"}, 'to: "raid" is neither a Controller nor a Link'),
        ({"name": "raid"}, 'name: something here is called "raid" already'),
    ],
)
def test_a_mistake_in_a_link_is_explained(keys, wrong):
    env, _ = server()
    raid_card(env)
    message = refusal(Link, **{"env": env, "name": "link", "speed": "sas-12g", **keys})
    assert message.startswith(f"Link(): {wrong}")


def test_parts_of_one_volume_stand_in_one_environment_and_one_host():
    env, host = server()
    other_env, other = server()
    card = raid_card(env)
    assert "belongs to another environment" in refusal(
        array, other, "raid0", 2, model=SAS, controller=card
    )
    assert "belongs to another environment" in refusal(Link, other_env, "l", "sas-12g", to=card)
    array(host, "raid0", 2, model=SAS, controller=card)
    assert "raid is in another host" in refusal(
        array, Host(env, SERVER), "raid0", 2, model=SAS, name="more", controller=card
    )
