"""The battery of a controller's cache in a SimPy model: what a learn cycle and a failure cost."""

import pytest
from simpy_models import KIB, SERVER, in_turn

from raidsim.control import Controller, Environment, Host, InputError, Volume
from raidsim.kernel import destage

STRIP = 64 * KIB


def server():
    env = Environment()
    return env, Host(env, SERVER)


def mirror(flush_time: str):
    """A RAID 1 behind a controller that writes back, and destages what is left so much later."""
    env, host = server()
    card = Controller(
        env, "lsi-megaraid-1078-512", name="raid", changes={"cache.flush_time": flush_time}
    )
    data = Volume(
        env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write="back"
    )
    return env, card, data


def test_a_learn_cycle_costs_what_the_cache_gave():
    """Writes are answered in microseconds, in milliseconds while the battery learns, and again."""
    env, host = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    data = Volume(
        env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write="back"
    )
    times = []
    for state in ("good", "learning", "good", "low"):
        card.set_battery(state)
        assert card.battery == state
        (done,) = in_turn(data, ("write", 64 * STRIP, 8 * KIB))
        times.append(done.latency)
    assert max(times[0], times[2]) < 1e-4
    assert min(times[1], times[3]) > 1e-3


def test_what_is_dirty_when_the_battery_fails_goes_to_the_drives_at_once():
    """50 places, 10 ms each and less: long before the flush time of 4 s."""
    env, host = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    data = Volume(
        env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write="back"
    )
    for place in range(50):
        in_turn(data, ("write", place * STRIP, 8 * KIB))
    assert env.system.world.caches[0]["dirty"] == 50 * STRIP
    card.set_battery("low")
    env.run(until=env.now + 1)
    assert env.system.world.caches[0]["dirty"] == 0
    assert [use.written_per_day_tb > 0 for use in data.drives] == [True, True]


def test_what_is_written_past_the_cache_is_not_followed_by_what_was_there_before():
    """A write that is larger than what may be dirty goes to the drives: older data is dropped."""
    env, host = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid", changes={"cache.size": "2 MiB"})
    data = Volume(
        env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write="back"
    )
    in_turn(data, ("write", STRIP, 8 * KIB), ("write", 60 * STRIP + 512, STRIP))
    in_turn(data, ("write", 0, 60 * STRIP + 4 * KIB))  # all of the first, a part of the second
    env.run(until=env.now + 30)  # long after the flush time
    drive = env.system.world.drives[0]
    assert env.system.world.caches[0]["dirty"] == 0
    left = STRIP - 4 * KIB + KIB  # of the second: the rest of its strip, in whole grains of 1 KiB
    assert drive["host_written"] == 60 * STRIP + 4 * KIB + left


def learning(write):
    """Of a write an hour to a mirror: state of the battery, latency, bytes at risk."""
    env, host = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    data = Volume(
        env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write=write
    )
    times = []

    def day(env):
        for hour in range(24):
            if hour == 2:
                card.learn("4 h")
            env.reset_window()
            done = yield data.write(hour * STRIP, 8 * KIB)
            times.append((card.battery, done.latency, card.use.lost_peak))
            yield env.timeout(3600 * (hour + 1) - env.now)

    env.run(until=env.process(day(env)))
    return times


def test_a_learn_cycle_at_night_is_over_by_itself():
    times = learning("back")
    assert [state for state, *_ in times] == ["good"] * 2 + ["learning"] * 4 + ["good"] * 18
    for state, latency, at_risk in times:
        assert (latency < 1e-4) == (state == "good")
        assert at_risk == 0


def test_write_back_in_spite_of_the_battery_is_as_fast_and_at_risk():
    times = learning("back-bad-battery")
    for state, latency, at_risk in times:
        assert latency < 1e-4
        assert (at_risk > 0) == (state == "learning")


def test_only_what_is_dirty_without_a_good_battery_is_at_risk():
    """A quarter of the time, with one strip of several dirty."""
    env, host = server()
    changes = {"cache.flush_time": "1000 s"}
    card = Controller(env, "lsi-megaraid-1078-512", name="raid", changes=changes)
    data = Volume(
        env,
        "seagate-st373455ss",
        host,
        level="raid1",
        drives=2,
        controller=card,
        write="back-bad-battery",
    )
    in_turn(data, *(("write", place * STRIP, 8 * KIB) for place in range(4)))
    env.run(until=1)
    env.reset_window()
    env.run(until=2)
    assert card.use.lost_peak == 0
    cycle = card.learn("1 s")
    env.run(until=cycle)
    in_turn(data, ("write", 9 * STRIP, 8 * KIB))
    env.run(until=5)
    use = card.use
    assert (use.dirty_peak, use.lost_peak) == (5 * STRIP, 4 * STRIP)
    assert use.lost_mean == pytest.approx(STRIP, rel=1e-6)
    assert use.dirty_mean == pytest.approx(4 * STRIP + 0.5 * STRIP, rel=1e-3)


def test_what_is_dirty_when_a_learn_cycle_begins_goes_to_the_drives_at_once():
    env, host = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    data = Volume(
        env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write="back"
    )
    in_turn(data, *(("write", place * STRIP, 8 * KIB) for place in range(50)))
    card.learn("1 h")
    env.run(until=env.now + 1)
    assert env.system.world.caches[0]["dirty"] == 0


def test_a_drained_battery_is_low_until_it_is_charged():
    env, _ = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    charged = card.drain(3600)
    assert card.battery == "low"
    env.run(until=charged)
    assert (env.now, card.battery) == (3600, "good")


def test_a_battery_that_is_taken_out_in_a_cycle_is_not_good_after_it():
    env, _ = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    cycle = card.learn("4 h")
    card.set_battery("absent")
    env.run(until=cycle)
    assert card.battery == "absent"


@pytest.mark.parametrize("duration", ["soon", "-1 h", -1, None, "5 MiB"])
def test_a_cycle_takes_a_time(duration):
    env, _ = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    with pytest.raises(InputError, match="duration"):
        card.learn(duration)
    assert card.battery == "good"


@pytest.mark.parametrize(
    ("model", "state", "words"),
    [
        ("lsi-megaraid-1068", "good", "has no battery"),
        ("lsi-megaraid-1078-512", "full", "is not known here"),
    ],
)
def test_only_a_battery_that_is_there_changes(model, state, words):
    env, _ = server()
    card = Controller(env, model)
    with pytest.raises(InputError, match=words):
        card.set_battery(state)


def test_a_battery_that_learns_does_not_begin_to_learn_once_more():
    env, host = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    Volume(env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write="back")
    cycle = card.learn("1 h")
    with pytest.raises(InputError, match="is learning already"):
        card.learn("1 h")
    env.run(until=cycle)
    assert card.battery == "good"
    card.learn("1 h")


def test_a_flush_takes_as_many_lines_as_were_dirty_though_little_of_each_was_written():
    """100 lines of 64 KiB, an eighth of each written; what is written meanwhile is left for later.

    Counted by the bytes that were destaged it would have gone on for 800 lines.
    """
    env, _, data = mirror("60 s")
    in_turn(data, *(("write", place * STRIP, 8 * KIB) for place in range(100)))
    cache = env.system.world.caches[0]
    assert (cache["dirty"], cache["destaged"]) == (100 * STRIP, 0)
    destage.begin_flush(cache)
    for place in range(100, 400):
        in_turn(data, ("write", place * STRIP, 8 * KIB))
        env.run(until=env.now + 0.01)
    assert cache["destaged"] == 100 * 8 * KIB
    assert cache["dirty"] == 300 * STRIP
    env.run(until=env.now + 70)
    assert cache["dirty"] == 0


def test_once_writes_go_back_again_what_is_dirty_may_wait():
    """A battery that learns for a moment: what was not on its way by then stays in the cache."""
    env, card, data = mirror("60 s")
    in_turn(data, *(("write", place * 99 * STRIP, 8 * KIB) for place in range(400)))
    card.set_battery("learning")
    env.run(until=env.now + 0.2)
    card.set_battery("good")
    cache = env.system.world.caches[0]
    under_way, left = int(cache["tasks"]), int(cache["dirty"]) // STRIP
    assert 100 < left < 400
    env.run(until=env.now + 10)
    assert cache["dirty"] == (left - under_way) * STRIP


def test_a_cache_past_which_writes_went_was_not_idle():
    """A battery learns for longer than the flush time, and a host writes all the time."""
    env, card, data = mirror("0.1 s")
    in_turn(data, *(("write", place * 99 * STRIP, 8 * KIB) for place in range(400)))
    card.set_battery("learning")
    env.run(until=env.now + 0.25)
    card.set_battery("good")
    cache = env.system.world.caches[0]
    under_way, left = int(cache["tasks"]), int(cache["dirty"]) // STRIP
    assert 100 < left < 400
    for _ in range(40):
        in_turn(data, ("write", STRIP, 8 * KIB))
        env.run(until=env.now + 0.05)
    assert cache["dirty"] == (left - under_way + 1) * STRIP


def test_a_flush_after_a_power_cut_goes_on_through_a_learn_cycle():
    """What the cache kept goes to the drives, whatever the battery does meanwhile."""
    env, card, data = mirror("60 s")
    in_turn(data, *(("write", place * 99 * STRIP, 8 * KIB) for place in range(400)))
    cache = env.system.world.caches[0]
    destage.begin_flush(cache)
    for state in ("learning", "good"):
        card.set_battery(state)
        env.run(until=env.now + 0.1)
    assert cache["dirty"] > 100 * STRIP
    env.run(until=env.now + 10)
    assert cache["dirty"] == 0
