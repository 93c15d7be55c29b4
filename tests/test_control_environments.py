"""Several volumes in one environment, and several environments in one program."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from simpy_models import DRIVE, GIB, KIB, SERVER, computer, in_turn, reads

import raidsim
from raidsim.control import Completion, Environment, Host, InputError, Volume


def test_two_volumes_do_not_wait_for_each_other():
    env, a, b = computer("a", "b")
    (lone,) = in_turn(a, ("read", GIB, 8 * KIB))
    a.start(reads(size="64 KiB", outstanding=128))
    env.run(until=0.01)
    (quiet,) = in_turn(b, ("read", GIB, 8 * KIB))
    (busy,) = in_turn(a, ("read", GIB, 8 * KIB))
    assert quiet.latency == lone.latency
    assert busy.latency > 2 * lone.latency


def test_each_of_two_volumes_does_what_it_would_do_alone():
    def figures(*names):
        env, *volumes = computer(*names, apart=True)
        loads = [volume.start(reads(read="50 %")) for volume in volumes]
        env.run(until=0.02)
        return {load.name: (load.counts, load.latency("read")) for load in loads}

    assert figures("a") | figures("b") == figures("a", "b")


def test_the_failure_of_one_volume_leaves_the_other():
    env, a, b = computer("a", "b", apart=True)
    loads = [volume.start(reads()) for volume in (a, b)]

    def failure(env):
        yield env.timeout(0.01)
        a.fail()

    env.process(failure(env))
    env.run(until=0.02)
    assert (a.failed, b.failed) == ([0], [])
    assert loads[0].counts.failed > 0
    assert loads[1].counts.failed == 0
    alone, sound = computer("b")
    untouched = sound.start(reads())
    alone.run(until=0.02)
    assert loads[1].counts == untouched.counts


def test_a_change_of_speed_of_one_volume_leaves_the_other():
    _, a, b = computer("a", "a: b")
    a.set_speed("flash die", 0.1)
    slow, quick = in_turn(a, ("read", GIB, 8 * KIB)) + in_turn(b, ("read", GIB, 8 * KIB))
    assert slow.latency > 5 * quick.latency


def test_volumes_of_one_host_share_its_clock_rate_and_those_of_another_do_not():
    env = Environment()
    hosts = [Host(env, SERVER), Host(env, SERVER)]
    a, b = (Volume(env, DRIVE, hosts[0]) for _ in range(2))
    c = Volume(env, DRIVE, hosts[1])
    hosts[0].set_clock("0.5 GHz")
    slow, also, quick = (in_turn(volume, ("read", GIB, 8 * KIB))[0] for volume in (a, b, c))
    assert slow.latency == also.latency > quick.latency
    assert [a.name, b.name, c.name] == ["volume1", "volume2", "volume3"]


def test_a_volume_knows_its_own_figures_only():
    env, a, b = computer("a", "b")
    a.start(reads())
    env.run(until=0.01)
    assert a.iops > 0
    assert b.iops == 0
    assert b.counts.issued == 0
    assert b.latency("read") is None
    assert {use.name.partition(":")[0] for use in a.stations} == {"a"}
    assert b.stations == []


def test_volumes_may_differ_and_come_later():
    env, a = computer("a")
    env.run(until=1.0)
    b = Volume(env, "intel-p3700-2000gb", a.host, name="b", changes={"flash.read_time": "200 us"})
    first, second = in_turn(a, ("read", GIB, 8 * KIB)) + in_turn(b, ("read", GIB, 8 * KIB))
    more = 200e-6 - a.card.number("flash.read_time")
    assert second.latency - first.latency == pytest.approx(more, abs=2e-9)
    assert (a.capacity, b.capacity) == (800 * 10**9, 2000 * 10**9)
    assert "2000 GB" in repr(b)


def test_a_name_is_given_once():
    env, data = computer("data")
    with pytest.raises(InputError, match='something here is called "data" already'):
        Volume(env, DRIVE, data.host, name="data")
    other = Volume(env, DRIVE, data.host, name="volume1")
    assert Volume(env, DRIVE, other.host).name == "volume2"


def test_a_host_of_another_environment_is_refused():
    env, _ = computer()
    with pytest.raises(InputError, match="belongs to another environment"):
        Volume(Environment(), DRIVE, Host(env, SERVER))


def story(seed):
    env, data = computer(seed=seed)
    data.start(reads(read="70 %", outstanding=16))
    done = in_turn(
        data, *[(kind, n * GIB, 8 * KIB) for n in range(200) for kind in ("read", "write")]
    )
    return env.now, done, data.counts


def test_environments_taken_in_turns_do_not_disturb_each_other():
    apart = [computer(seed=seed) for seed in (1, 2)]
    loads = [data.start(reads(read="50 %")) for _, data in apart]
    for step in range(1, 50):
        for env, _ in apart:
            env.run(until=step * 1e-4)
    together = [load.counts for load in loads]
    for seed, counts in zip((1, 2), together, strict=True):
        env, data = computer(seed=seed)
        load = data.start(reads(read="50 %"))
        env.run(until=49e-4)
        assert load.counts == counts
    assert together[0] != together[1]


def test_environments_run_on_threads_as_they_run_alone():
    seeds = range(4)
    alone = [story(seed) for seed in seeds]
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(story, seeds)) == alone


def test_the_names_of_the_control_plane_are_at_the_top_of_the_package():
    for name in ("Environment", "Host", "Volume", "Load"):
        assert getattr(raidsim, name).__module__.startswith("raidsim.control")
    assert Completion("done", 0.0, 1.0, 1.0).ok
