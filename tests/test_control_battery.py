"""The battery of a controller's cache in a SimPy model: what a learn cycle and a failure cost."""

import pytest
from simpy_models import KIB, SERVER, in_turn

from raidsim.control import Controller, Environment, Host, InputError, Volume

STRIP = 64 * KIB


def server():
    env = Environment()
    return env, Host(env, SERVER)


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


def test_what_is_dirty_when_the_battery_fails_goes_to_the_drives():
    env, host = server()
    card = Controller(env, "lsi-megaraid-1078-512", name="raid")
    data = Volume(
        env, "seagate-st373455ss", host, level="raid1", drives=2, controller=card, write="back"
    )
    for place in range(50):
        in_turn(data, ("write", place * STRIP, 8 * KIB))
    assert env.system.world.caches[0]["dirty"] == 50 * STRIP
    card.set_battery("low")
    env.run(until=env.now + 5)
    assert env.system.world.caches[0]["dirty"] == 0
    assert [use.written_per_day_tb > 0 for use in data.drives] == [True, True]


@pytest.mark.parametrize(
    ("model", "state", "words"),
    [
        ("lsi-megaraid-1068", "good", "has none"),
        ("lsi-megaraid-1078-512", "full", "is not known here"),
    ],
)
def test_only_a_battery_that_is_there_changes(model, state, words):
    env, _ = server()
    card = Controller(env, model)
    with pytest.raises(InputError, match=words):
        card.set_battery(state)
