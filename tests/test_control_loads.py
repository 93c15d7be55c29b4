"""Loads that a SimPy model starts and stops; runs with and without an end."""

import pytest
from simpy_models import KIB, computer, reads

from raidsim.control import EndlessLoadError, InputError, Load, SaturationError
from raidsim.system import tables


def ends_of(env, *events):
    """The times at which events happen, filled in while the environment runs."""
    times = []

    def wait(event):
        yield event
        times.append(env.now)

    for event in events:
        env.process(wait(event))
    return times


# ---- loads with an end


def test_a_bare_run_returns_when_the_last_load_has_ended():
    env, data = computer()
    short, long = data.start(reads(limit={"ios": 100})), data.start(reads(limit={"ios": 1000}))
    ends = ends_of(env, short, long)
    env.run()
    assert env.now == max(ends)
    assert (short.counts.completed, long.counts.completed) == (100, 1000)
    assert short.counts.in_flight == long.counts.in_flight == 0


def test_the_value_of_a_loads_event_is_the_load():
    env, data = computer()
    load = data.start(reads(limit={"ios": 100}))
    assert env.run(until=load) is load
    assert "over" in repr(load)


@pytest.mark.parametrize(
    ("limit", "issued"), [({"ios": 50}, 50), ({"bytes": "1 MiB"}, 128), ({"time": "1 ms"}, None)]
)
def test_a_load_ends_at_its_limit(limit, issued):
    env, data = computer()
    load = data.start(reads(limit=limit))
    env.run()
    counts = load.counts
    assert counts.issued == counts.completed
    if issued is None:
        assert 0.001 <= env.now < 0.0015
    else:
        assert counts.issued == issued


def test_a_limit_is_shared_by_the_workers_even_if_there_are_more_of_them():
    env, data = computer()
    ends = ends_of(env, load := data.start(reads(workers=4, limit={"ios": 3})))
    env.run()
    assert load.counts.completed == 3
    assert ends == [env.now]


def test_given_arrivals_are_issued_from_the_start_of_the_load_on():
    env, data = computer()
    seen = []

    def process(env):
        yield env.timeout(2.0)
        load = data.start(
            Load(read="100 %", size="8 KiB", arrivals=["0 s", "10 ms", "10 ms", "1 s"])
        )
        yield load
        seen.append((env.now, load.counts.completed))

    env.process(process(env))
    env.run()
    assert seen == [(env.now, 4)]
    assert 3.0 < env.now < 3.001


def test_an_open_load_whose_first_arrival_lies_beyond_its_limit_is_over_at_once():
    env, data = computer()
    load = data.start(Load(read="100 %", size="8 KiB", rate="0.001 IO/s", limit={"time": "1 ms"}))
    env.run(until=load)
    assert load.counts.issued == 0
    assert load.iops == 0


def test_a_load_may_be_started_again_and_on_another_volume():
    env, a, b = computer("a", "b")
    load = reads(limit={"ios": 10})
    runs = [a.start(load), a.start(load), b.start(load)]
    assert [run.name for run in runs] == ["a/load", "a/load (2)", "b/load"]
    env.run()
    assert [run.counts.completed for run in runs] == [10, 10, 10]
    assert a.counts.completed == 20


# ---- loads without an end


def test_a_bare_run_under_an_endless_load_is_refused_with_its_name_and_what_to_do():
    env, data = computer("data")
    load = data.start(reads(name="mail"))
    with pytest.raises(EndlessLoadError) as refused:
        env.run()
    message = str(refused.value)
    for part in ("never return", "data/mail", "until", "limit", "stop()"):
        assert part in message
    load.stop()  # and that is no dead end
    env.run()
    assert load.counts.in_flight == 0


def test_a_bare_run_goes_on_beside_an_endless_load_while_there_is_something_to_wait_for():
    env, data = computer()
    data.start(reads())
    ends = ends_of(
        env, data.start(reads(limit={"ios": 100})), data.read(0, 8 * KIB), env.timeout(1)
    )
    with pytest.raises(EndlessLoadError):
        env.run()
    assert len(ends) == 3
    assert env.now == 1


def test_waiting_for_an_endless_load_or_an_event_that_never_comes_is_refused_too():
    env, data = computer()
    load = data.start(reads(workers=2))
    with pytest.raises(EndlessLoadError):
        env.run(until=load)
    with pytest.raises(EndlessLoadError):
        env.run(until=env.event())
    env.run(until=0.001)
    assert env.now == 0.001


def test_a_failed_drive_does_not_make_an_endless_load_end():
    env, data = computer()
    data.start(reads())
    data.fail()
    with pytest.raises(EndlessLoadError):
        env.run()


def test_a_stopped_load_ends_when_its_last_io_is_back():
    env, data = computer()
    load = data.start(reads())
    seen = []

    def process(env):
        yield env.timeout(0.01)
        load.stop()
        assert load.counts.in_flight == 32
        yield load
        seen.append(env.now)

    env.process(process(env))
    env.run()
    assert 0.01 < seen[0] < 0.011
    assert env.now == seen[0]
    assert load.counts.in_flight == 0
    assert load.counts.issued == load.counts.completed > 1000


@pytest.mark.parametrize(
    "keys",
    [
        {"outstanding": 1, "think": "1 s"},
        {"outstanding": None, "rate": "1 IO/s"},
        {"burst": {"on": "1 ms", "off": "10 s"}},
    ],
    ids=["thinking", "open", "between bursts"],
)
def test_a_load_that_is_stopped_between_its_ios_ends_at_that_very_time(keys):
    env, data = computer()
    load = data.start(Load(**{k: v for k, v in reads(**keys).keys.items() if v is not None}))
    seen = []

    def process(env):
        yield env.timeout(0.5)
        assert load.counts.in_flight == 0
        load.stop()
        yield load
        seen.append(env.now)
        done = yield data.read(0, 8 * KIB)
        seen.append(done.issued)

    env.process(process(env))
    env.run()
    assert seen == [0.5, 0.5]


def test_a_load_that_is_stopped_before_its_first_io_never_issues_one():
    env, data = computer()
    load = data.start(reads())
    load.stop()
    env.run(until=load)
    assert env.now == 0
    assert load.counts.issued == 0


def test_stopping_twice_or_after_the_end_changes_nothing():
    env, data = computer()
    load = data.start(reads())
    env.run(until=0.001)
    load.stop()
    load.stop()
    env.run(until=load)
    load.stop()
    issued = load.counts.issued
    env.run(until=1.0)
    assert load.counts.issued == issued == load.counts.completed


def test_an_open_load_beyond_what_the_system_can_do_is_said_to_be_no_hang(monkeypatch):
    monkeypatch.setattr(tables, "MOST_JOBS", 1 << 14)
    env, data = computer()
    data.start(Load(read="100 %", size="8 KiB", rate="2000 kIO/s"))
    with pytest.raises(SaturationError, match="more than the system can do"):
        env.run(until=10.0)


# ---- mistakes


def test_a_load_is_refused_before_anything_of_it_is_started():
    env, data = computer()
    before = env.system.count("streams")
    with pytest.raises(InputError):
        data.start(reads(workers=0))
    assert env.system.count("streams") == before
    env.run()
    assert env.now == 0
