"""Arrays in a SimPy model: what I/Os take, drives that fail, what is shared, what is refused."""

from __future__ import annotations

import inspect
import random

import pytest
from drive_times import Times
from simpy_models import KIB, MIB, SERVER, in_turn, reads

from raidsim import run, scenario
from raidsim.control import Controller, Environment, Host, InputError, Link, Load, Volume
from raidsim.kernel import tables as t
from raidsim.scenario.models import VolumeKeys
from raidsim.topology.lanes import bandwidth

STRIP = 64 * KIB
PCIE = "intel-p3700-800gb"
SAS = "cisco-ssd-sas12-ep-1600gb"
RAID = "cisco-12g-sas-raid-1gb"
SMALL = {"capacity.user": "1 GB"}
# A core for each command, and nothing for the rest: figures that can be told apart.
PLAIN_CARD = {
    "command.cores": 1,
    "command.time": "10 us",
    "command.device_io_time": "0 us",
    "command.latency": "20 us",
    "parity.time_per_byte": "0.5 us/KiB",
}
ROUNDING = 12e-9  # s: each station rounds to a whole ns


def server(seed=1):
    env = Environment(seed=seed)
    return env, Host(env, SERVER)


def array(host, level, drives, *, model=PCIE, name="data", changes=SMALL, **keys):
    return Volume(
        host.env, model, host, name=name, level=level, drives=drives, changes=changes, **keys
    )


def raid_card(env, name="raid", **changes):
    """A controller with plain figures."""
    values = PLAIN_CARD | {key.replace("__", "."): value for key, value in changes.items()}
    return Controller(env, RAID, name=name, changes=values)


def refusal(call, *args, **keys):
    with pytest.raises(InputError) as refused:
        call(*args, **keys)
    return str(refused.value)


class Paper:
    """What I/Os of one flash page take by the cards, s."""

    def __init__(self, volume):
        self.times = Times(volume.card, volume.host.card)
        self.host = volume.host.card

    def cpu(self, op, length):
        return 1e-9 * (self.times.submit(op, length) + self.times.complete(op, length))

    def read(self, length):
        """A drive reads: the command there and back, front end, flash, channel, path, link."""
        times = self.times
        return 1e-9 * (2 * times.half_latency + times.front_end + times.page_read(0, length))

    def write(self, length):
        """A drive has a write in its buffer."""
        times = self.times
        moved = times.link(length) + times.path_write(length)
        return 1e-9 * (2 * times.half_latency + times.front_end + moved)

    def issue(self, commands):
        """The operating system spreads a request over drives."""
        more = self.host.number("raid.device_io_time") * (commands - 1)
        return self.host.number("raid.io_time") + more

    def exclusive_or(self, length):
        return length * self.host.number("raid.parity_time_per_byte")


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


# ---- drives that fail


MIX = Load(read="50 %", size="16 KiB", align="4 KiB", outstanding=16)


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


# ---- what volumes share


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
    other = {"drive", "name", "set", "state"}  # no default, or one of its own
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
        ({"to": "raid"}, 'to: "raid" is no Controller and no Link'),
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
