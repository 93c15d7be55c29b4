"""Controllers that stop: what hosts see, who takes over, what is kept and what is lost."""

from __future__ import annotations

import random
from functools import cache

import pytest
from simpy_arrays import RAID, ROUNDING, SAS, Paper, array, raid_card, refusal, server
from simpy_models import KIB, MIB, in_turn

from raidsim.control import Controller, Link, Load
from raidsim.intervene.window import settle_areas
from raidsim.kernel import tables as t
from raidsim.topology.lanes import bandwidth

STRIP = 64 * KIB
HDD = "cisco-hdd-300gb-10k"
MIX = Load(read="50 %", size="16 KiB", align="4 KiB", outstanding=8)


def pair(seed=1, **changes):
    """An environment, its host and two controllers; ``changes`` are the second one's."""
    env, host = server(seed)
    return env, host, raid_card(env, "a"), raid_card(env, "b", **changes)


def two_volumes(host, a, b, **keys):
    """A volume on each of two controllers."""
    return (
        array(host, "raid5", 4, model=SAS, name="of a", controller=a, **keys),
        array(host, "raid5", 4, model=SAS, name="of b", controller=b, **keys),
    )


# ---- what hosts see


@pytest.mark.parametrize("write", ["through", "back"])
def test_nothing_completes_in_the_outage_and_everything_after_it(write):
    env, host, a, b = pair()
    mine, other = two_volumes(host, a, b, write=write)
    loads = [mine.start(MIX), other.start(MIX)]
    env.run(until=0.01)
    over = a.fail_over(b, "1 s")
    assert (a.state, over.state) == ("failed", "under way")
    env.run(until=0.011)  # what had come to the host before completes
    env.reset_window()
    env.run(until=1.0)
    assert (loads[0].counts.in_flight, loads[0].counts.measured) == (8, 0)
    assert mine.health == "optimal"
    assert loads[1].iops > 1000
    assert env.run(until=over) is over
    assert (env.now, over.seconds, over.state) == (1.01, 1.0, "done")
    assert a.state == "failed over"
    env.reset_window()
    env.run(until=env.now + 0.05)
    assert loads[0].iops > 1000
    for load in loads:
        load.stop()
    env.run()
    for counts in (load.counts for load in loads):
        assert counts.issued == counts.completed


def test_an_io_under_way_when_the_controller_stops_takes_the_outage_longer():
    env, host, a, b = pair()
    mine, _ = two_volumes(host, a, b)
    (normal,) = in_turn(mine, ("read", MIB, 8 * KIB))
    for into in (0.1, 0.3, 0.5, 0.7, 0.9):
        waiting = mine.read(MIB, 8 * KIB)
        env.run(until=env.now + into * normal.latency)
        over = a.fail_over(b, 2.0)
        done = env.run(until=waiting)
        # What it had behind it, and at most all of it once more.
        assert 2.0 <= done.latency <= 2.0 + 2 * normal.latency
        assert over.seconds == pytest.approx(2.0)
        a.fail_back()


def test_patience_ends_in_an_outage_as_ever():
    env, host, a, b = pair()
    mine, _ = two_volumes(host, a, b)
    a.fail_over(b, "20 s")
    short, long = mine.read(0, 8 * KIB, timeout=5.0), mine.read(0, 8 * KIB, timeout=30.0)
    assert env.run(until=short).status == "timed out"
    assert env.now == 5.0
    done = env.run(until=long)
    assert done.ok
    assert 20.0 < done.latency < 20.001
    assert mine.counts.timed_out == 1


def test_without_a_partner_ios_wait_for_the_repair_or_for_their_patience():
    env, host, a, b = pair()
    mine, other = two_volumes(host, a, b)
    waiting = mine.read(0, 8 * KIB)
    assert a.fail() == {}
    impatient = mine.read(0, 8 * KIB, timeout=30.0)
    assert in_turn(other, ("read", 0, 8 * KIB))[0].ok
    assert env.run(until=impatient).status == "timed out"
    env.run(until=60.0)
    assert not waiting.processed
    a.repair()
    assert a.state == "working"
    done = env.run(until=waiting)
    assert done.ok
    assert 60.0 < done.latency < 60.001


def test_a_run_that_waits_for_a_controller_that_nobody_repairs_comes_to_its_end():
    env, host, a, b = pair()
    mine, _ = two_volumes(host, a, b)
    mine.read(0, 8 * KIB)
    a.fail()
    env.run()
    assert mine.counts.in_flight == 1


# ---- who serves


def test_the_partner_serves_with_its_own_hardware():
    """Closed form: the core, the latency and the host link of whoever serves."""
    env, host, a, b = pair(command__time="40 us", command__latency="50 us", link__lanes=4)
    mine, other = two_volumes(host, a, b)
    paper = Paper(mine)

    def takes(core, latency, lanes):
        own = paper.cpu(t.READ, 8 * KIB) + paper.read(8 * KIB)
        return own + core + latency + 8 * KIB / bandwidth("pcie-3", lanes)

    alone, away = takes(10e-6, 20e-6, 8), takes(40e-6, 50e-6, 4)
    found = []
    for step in (lambda: None, lambda: env.run(until=a.fail_over(b, 1)), a.fail_back):
        step()
        env.reset_window()
        found.append(in_turn(mine, ("read", 0, 8 * KIB))[0].latency)
        busy = {use.name.split(":")[0] for use in (*a.stations, *b.stations) if use.utilisation}
        assert busy == ({"b"} if a.state == "failed over" else {"a"})
    assert found == [pytest.approx(one, abs=ROUNDING) for one in (alone, away, alone)]
    assert in_turn(other, ("read", 0, 8 * KIB))[0].latency == pytest.approx(away, abs=ROUNDING)


def test_a_write_takes_what_receiving_its_data_takes_the_partner():
    env, host, a, b = pair(command__write_time="100 us")
    mine, _ = two_volumes(host, a, b)
    found = []
    for step in (lambda: None, lambda: env.run(until=a.fail_over(b, 1)), a.fail_back):
        step()
        found.append(in_turn(mine, ("write", 0, 8 * KIB))[0].latency)
    own = a.card.number("command.write_time")
    assert found[1] - found[0] == pytest.approx(100e-6 - own, rel=0.05)
    assert found[2] == pytest.approx(found[0], rel=0.05)


def test_what_is_dirty_goes_to_the_drives_at_once_if_the_partners_battery_is_not_good():
    env, host, a, b = pair()
    mine, _ = two_volumes(host, a, b, write="back")
    b.set_battery("low")
    in_turn(mine, *(("write", place * STRIP, 8 * KIB) for place in range(50)))
    assert a.ownership.dirty() == {"of a": 50 * 8 * KIB}
    env.run(until=a.fail_over(b, 1))
    env.run(until=env.now + 0.1)  # 50 writes to flash
    assert a.ownership.dirty() == {}


def test_the_volumes_of_two_active_controllers_share_one_core_after_a_failure():
    """Reads found in the cache: 10 us of a core, the search, and a pass of firmware."""
    env, host, a, b = pair()
    loads = [
        array(host, "raid0", 4, model=SAS, name=name, controller=card, io="cached").start(
            Load(read="100 %", size="4 KiB", outstanding=16, workers=2, area={"size": "1 MiB"})
        )
        for name, card in (("x", a), ("y", b))
    ]
    rates = []
    for step in (lambda: None, lambda: env.run(until=a.fail_over(b, "10 ms"))):
        step()
        env.run(until=env.now + 0.02)
        env.reset_window()
        env.run(until=env.now + 0.02)
        rates.append(sum(load.iops for load in loads))
    cores = {use.name: use.utilisation for use in b.stations}
    assert cores["b: cores"] > 0.99
    each = 10e-6 + b.card.number("cache.lookup_time") + b.card.number("command.firmware_time")
    assert rates[1] == pytest.approx(1 / each, rel=0.002)  # of 850 reads
    assert rates[0] > 1.5 * rates[1]


def test_a_passive_partner_need_not_have_volumes():
    env, host = server()
    a, spare = raid_card(env, "a"), raid_card(env, "spare")
    mine = array(host, "raid1", 2, model=SAS, controller=a)
    env.run(until=a.fail_over(spare, 1))
    assert in_turn(mine, ("write", 0, 8 * KIB))[0].ok


def test_volumes_that_are_made_meanwhile_are_served_by_whoever_serves():
    env, host, a, b = pair()
    env.run(until=a.fail_over(b, 1))
    late = array(host, "raid1", 2, model=SAS, name="late", controller=a)
    assert in_turn(late, ("read", 0, 8 * KIB))[0].ok
    b.fail()
    later = array(host, "raid1", 2, model=SAS, name="later", controller=b)
    assert in_turn_until(later, env.now + 1) == []
    b.repair()
    assert len(in_turn_until(later, env.now + 1)) == 1


def in_turn_until(volume, end):
    """Completions of one read up to a time."""
    done = []
    volume.read(0, 8 * KIB).callbacks.append(lambda event: done.append(event.value))
    volume.env.run(until=end)
    return done[:1]


def test_when_the_partner_fails_too_the_volumes_of_both_wait():
    env, host, a, b = pair()
    mine, other = two_volumes(host, a, b)
    env.run(until=a.fail_over(b, 1))
    b.fail()
    reads = [mine.read(0, 8 * KIB, timeout=5.0), other.read(0, 8 * KIB, timeout=5.0)]
    done = env.run(until=env.all_of(reads)).values()
    assert [one.status for one in done] == ["timed out", "timed out"]
    a.fail_back()
    assert in_turn(mine, ("read", 0, 8 * KIB))[0].ok
    assert in_turn_until(other, env.now + 1) == []
    b.repair()
    assert in_turn(other, ("read", 0, 8 * KIB))[0].ok


def test_a_repair_in_the_outage_calls_the_fail_over_off():
    env, host, a, b = pair()
    mine, _ = two_volumes(host, a, b)
    over = a.fail_over(b, 10)
    env.run(until=2.0)
    a.repair()
    assert in_turn(mine, ("read", 0, 8 * KIB))[0].ok
    env.run(until=over)
    assert (over.state, a.state) == ("called off", "working")


def test_a_partner_that_fails_in_the_outage_does_not_take_over():
    env, host, a, b = pair()
    two_volumes(host, a, b)
    over = a.fail_over(b, 10)
    b.fail()
    env.run(until=over)
    assert (over.state, a.state) == ("called off", "failed")


def test_a_controller_that_keeps_fewer_copies_is_no_partner():
    env, host = server()
    three = Controller(env, RAID, name="three", changes={"levels.copies": 3})
    two = Controller(env, RAID, name="two")
    array(host, "raid1", 3, model=SAS, name="mirror", controller=three)
    assert "two keeps fewer than the 3 copies of mirror" in refusal(three.fail_over, two)


def test_what_is_no_partner_is_refused():
    env, host, a, b = pair()
    two_volumes(host, a, b, write="back")
    bare = Controller(env, "lsi-megaraid-1068", name="bare")
    small = Controller(env, "lsi-megaraid-1078-512", name="small", changes={"levels.raid5": False})
    elsewhere = Controller(server()[0], RAID, name="elsewhere")
    assert "controller itself" in refusal(a.fail_over, a)
    assert "not a Controller" in refusal(a.fail_over, host)
    assert "another environment" in refusal(a.fail_over, elsewhere)
    assert "bare has no cache" in refusal(a.fail_over, bare)
    assert "small has no raid5, the level of of a" in refusal(a.fail_over, small)
    assert "outage" in refusal(a.fail_over, b, "soon")
    assert "mirrored" in refusal(a.fail_over, b, mirrored="yes")
    assert "is working" in refusal(a.repair)
    assert "is working" in refusal(a.fail_back)
    b.fail()
    assert "b has failed" in refusal(a.fail_over, b)
    assert "b has failed" in refusal(b.fail)
    assert "repair() ends a failure" in refusal(b.fail_back)
    b.repair()
    env.run(until=a.fail_over(b, 1))
    assert "fail_back() ends a fail-over" in refusal(a.repair)
    assert "volumes of another controller" in refusal(b.fail_over, raid_card(env, "c"))


# ---- what is dirty


def dirty_pair():
    """Two controllers, and 20 writes of 8 KiB in the cache of the first."""
    env, host, a, b = pair()
    mine, other = two_volumes(host, a, b, write="back")
    in_turn(mine, *(("write", 4 * place * STRIP, 8 * KIB) for place in range(20)))
    return env, a, b, mine, other


def written(env, volume):
    """Bytes that the drives of a volume were sent."""
    first = env.system.world.arrays[env.system.world.volumes[volume.row]["array"]]["first_member"]
    return int(env.system.world.drives["host_written"][first : first + 4].sum())


def test_a_mirrored_cache_keeps_what_was_promised():
    env, a, b, mine, _ = dirty_pair()
    over = a.fail_over(b, "5 s", mirrored=True)
    assert (over.kept, over.lost) == ({"of a": 20 * 8 * KIB}, {})
    env.run()
    assert written(env, mine) == 2 * 20 * 8 * KIB  # with parity


def test_without_a_mirror_what_was_promised_is_lost_to_the_byte():
    env, a, b, mine, _ = dirty_pair()
    over = a.fail_over(b, "5 s", mirrored=False)
    assert over.lost == {"of a": [(4 * place * STRIP, 8 * KIB) for place in range(20)]}
    assert over.lost_bytes == {"of a": 20 * 8 * KIB}
    assert over.kept == {}
    env.run()
    assert written(env, mine) == 0
    assert in_turn(mine, ("write", 0, 8 * KIB))[0].latency < 1e-3  # and goes on


def test_a_write_without_its_answer_is_not_lost_but_sent_again():
    env, host, a, b = pair(command__latency="20 us")
    mine, _ = two_volumes(host, a, b, write="back")
    write = mine.write(0, 8 * KIB)
    cache = env.system.world.caches
    while cache["dirty"][0] == 0:
        env.run(until=env.now + 1e-6)
    assert not write.triggered
    over = a.fail_over(b, "5 s", mirrored=False)
    assert over.lost == {}
    assert env.run(until=write).ok
    env.run()
    assert written(env, mine) == 2 * 8 * KIB


@pytest.mark.parametrize(("battery", "lost"), [("good", {}), ("low", {"of a": 20 * 8 * KIB})])
def test_a_controller_that_is_repaired_has_what_its_battery_kept(battery, lost):
    env, host, a, b = pair()
    mine, _ = two_volumes(host, a, b, write="back-bad-battery")
    a.set_battery(battery)
    in_turn(mine, *(("write", 4 * place * STRIP, 8 * KIB) for place in range(20)))
    assert a.fail() == lost
    env.run(until=10.0)
    assert written(env, mine) == 0
    a.repair()
    env.run()
    assert written(env, mine) == (0 if lost else 2 * 20 * 8 * KIB)


def test_the_battery_of_whoever_serves_decides_on_write_back():
    env, host, a, b = pair()
    two_volumes(host, a, b, write="back")
    b.set_battery("low")
    modes = [a.use.writes["of a"].in_effect]
    env.run(until=a.fail_over(b, 1))
    modes.append(a.use.writes["of a"].in_effect)
    b.set_battery("good")
    modes.append(a.use.writes["of a"].in_effect)
    a.set_battery("low")
    modes.append(a.use.writes["of a"].in_effect)
    a.fail_back()
    modes.append(a.use.writes["of a"].in_effect)
    assert modes == ["back", "through", "back", "back", "through"]


def test_a_read_cache_is_empty_after_a_fail_over():
    env, host, a, b = pair()
    data = array(host, "raid1", 2, model=HDD, changes={}, controller=a, io="cached")
    first, again = in_turn(data, ("read", 0, 8 * KIB), ("read", 0, 8 * KIB))
    env.run(until=a.fail_over(b, 1))
    (after,) = in_turn(data, ("read", 0, 8 * KIB))
    assert again.latency < 1e-4
    assert min(first.latency, after.latency) > 1e-4
    assert a.use.hits == 1


def test_power_that_fails_in_the_outage_does_not_wake_the_controller():
    env, a, b, mine, _ = dirty_pair()
    over = a.fail_over(b, "20 s")
    env.run(until=env.now + 1)
    env.cut_power()
    env.run(until=env.now + 1)
    env.run(until=env.restore_power())
    assert a.state == "failed"
    assert in_turn_until(mine, env.now + 1) == []
    env.run(until=over)
    assert in_turn(mine, ("read", 0, 8 * KIB))[0].ok
    env.run()
    assert written(env, mine) == 2 * 20 * 8 * KIB


@pytest.mark.parametrize("spares", [0, 1])
@pytest.mark.parametrize("recovery", ["repair", "fail-over"])
def test_a_drive_that_fails_in_the_outage_leaves_nothing_waiting(recovery, spares):
    env, host, a, b = pair()
    keys = {"rebuild_sample": "0.01 %", "spares": spares}
    mine = array(host, "raid5", 4, model=HDD, controller=a, **keys)
    patrol = mine.patrol()
    asked = [mine.write(i * MIB, 64 * KIB) for i in range(12)]
    asked += [mine.read(i * MIB, 64 * KIB) for i in range(100, 112)]
    env.run(until=0.005)
    assert not all(one.processed for one in asked)
    over = None
    if recovery == "repair":
        a.fail()
    else:
        over = a.fail_over(b, "1 s")
    env.run(until=0.5)
    rebuild = mine.fail(2)
    env.run(until=2.0)
    if over is None:
        a.repair()
    assert all(one.ok for one in env.run(until=env.all_of(asked)).values())
    env.run(until=env.all_of([one for one in (patrol, rebuild) if one is not None]))
    assert [one.state for one in mine.operations] == ["done"] * (1 + spares)
    assert mine.health == ("optimal" if spares else "degraded")


def test_a_spare_behind_a_lost_link_goes_on_with_its_controller():
    env, host, a, _ = pair()
    links = [Link(env, None, "sas-3g", 4, to=a) for _ in range(2)]
    keys = {"rebuild_sample": "0.01 %", "spares": 2, "behind": links}
    mine = array(host, "raid1", 2, model=HDD, controller=a, **keys)
    a.fail()
    links[1].lose()  # and the second spare with it
    a.repair()
    links[1].restore()
    env.run(until=mine.operations[0])
    env.run(until=mine.fail(0))
    assert [rebuild.state for rebuild in mine.operations] == ["done", "done"]
    assert not env.system.halted


# ---- at any moment


def failures_and_takeovers(env, a, b, chance):
    """A dozen times a controller fails, or its volumes go over to another one and come back."""
    for _ in range(12):
        yield env.timeout(chance.uniform(0, 0.004))
        which = chance.randrange(3)
        if which == 0:
            a.fail()
            yield env.timeout(0.001)
            a.repair()
        else:
            yield a.fail_over(b, chance.uniform(0, 0.004), mirrored=which == 1)
            yield env.timeout(chance.uniform(0, 0.004))
            a.fail_back()


@cache
def loads_that_lived_through_it(level, drives, write):
    """Loads on a volume of each controller, stopped after a dozen failures of the first one."""
    env, host, a, b = pair(seed=drives, command__time="15 us")
    keys = {"model": SAS, "write": write, "read_ahead": "adaptive", "io": "cached"}
    volumes = [
        array(host, level, drives, name=card.name + "'s", controller=card, **keys)
        for card in (a, b)
    ]
    mix = Load(
        read="50 %", random="50 %", size="16 KiB", align="4 KiB", outstanding=8, timeout="2 ms"
    )
    loads = [volume.start(mix) for volume in volumes]
    env.run(until=env.process(failures_and_takeovers(env, a, b, random.Random(drives))))
    for load in loads:
        load.stop()
    env.run()
    return env.system, loads


ARRAYS = [("raid5", 4, "back"), ("raid6", 5, "through"), ("raid10", 4, "back")]
ARRAYS += [("raid0", 2, "through")]
at_any_moment = pytest.mark.parametrize(("level", "drives", "write"), ARRAYS)


@at_any_moment
def test_whenever_controllers_come_and_go_no_io_is_lost(level, drives, write):
    _, loads = loads_that_lived_through_it(level, drives, write)
    assert loads[0].counts.timed_out > loads[1].counts.timed_out
    for counts in (load.counts for load in loads):
        assert counts.issued == counts.completed + counts.timed_out


@at_any_moment
def test_whenever_controllers_come_and_go_nothing_stays_in_cache_or_locked(level, drives, write):
    system, _ = loads_that_lived_through_it(level, drives, write)
    world, flushers = system.world, 2
    assert system.state["free_jobs"] == len(world.jobs) - flushers
    assert not world.members["in_flight"].any()
    assert not world.locks["held"].any()
    assert not world.caches["dirty"].any()
    assert not world.caches["tasks"].any()


@at_any_moment
def test_whenever_controllers_come_and_go_every_part_ends_what_it_began(level, drives, write):
    """Its queue and its busy time are the waiting and service of what passed it."""
    system, _ = loads_that_lived_through_it(level, drives, write)
    settle_areas(system)
    stations = system.world.stations[: system.count("stations")]
    assert not stations["busy"].any()
    assert not stations["waiting"].any()
    assert stations["arrivals"].tolist() == stations["finishes"].tolist()
    assert stations["queue_area"].tolist() == stations["waited"].tolist()
    assert stations["busy_area"].tolist() == stations["served"].tolist()
