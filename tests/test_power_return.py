"""What comes back after a power cut, and when: loads, background work, a second cut."""

from __future__ import annotations

from typing import Any

import pytest
from power_models import SPIN_UP, cut_after, server, writes
from simpy_models import KIB, computer

from raidsim.control import Load


def test_ios_under_way_fail_and_loads_go_on_when_disks_and_host_are_ready() -> None:
    env, data = server()
    load = data.start(writes())
    env.run(until=1.0)
    cut = env.cut_power()
    assert cut.time_s == 1.0
    assert cut.of("data").in_flight == 8
    assert (load.counts.failed, load.counts.in_flight) == (8, 0)
    before = load.counts.issued
    env.run(until=100.0)
    on = env.restore_power(boot=40)
    env.run(until=120.0)
    assert load.counts.issued == before
    back = env.run(until=on)
    assert (back.power, back.drives, back.hosts) == (100.0, 100.0 + SPIN_UP, 140.0)
    env.run(until=142.0)
    counts = load.counts
    assert counts.in_flight == 8
    assert counts.completed > before + 50
    assert counts.issued == counts.completed + counts.failed + counts.in_flight


def test_flash_and_a_host_that_is_up_at_once_lose_no_time() -> None:
    env, _ = computer()
    env.cut_power()
    assert env.run(until=env.restore_power()).hosts == 0.0


def test_what_a_process_asks_for_while_the_power_is_off_is_done_when_it_is_back() -> None:
    env, data = server()

    def application() -> Any:
        first = yield data.write(0, 64 * KIB)
        second = yield data.read(0, 64 * KIB)
        return first, second

    asked = env.process(application())
    env.run(until=0.001)
    env.cut_power()
    env.run(until=5.0)
    env.restore_power()
    first, second = env.run(until=asked)
    assert (first.status, first.completed) == ("failed", 0.001)
    assert second.ok
    assert second.issued == 5.0 + SPIN_UP


def test_a_load_started_while_the_power_is_off_begins_when_it_is_back() -> None:
    env, data = server()
    env.cut_power()
    load = data.start(writes(limit={"ios": 20}))
    assert load.counts.issued == 0
    env.restore_power(boot=30)
    env.run(until=load)
    assert load.counts.completed == 20
    assert env.now > 30


def test_arrivals_go_on_as_random_as_before_and_those_of_a_table_are_missed() -> None:
    env, data = computer()
    times = [f"{n} s" for n in (1, 2, 3, 12, 13)]
    table = data.start(Load(read="100 %", size="8 KiB", arrivals=times))
    random = data.start(Load(read="100 %", size="8 KiB", rate="1000 IO/s", limit={"time": "20 s"}))
    env.run(until=2.5)
    env.cut_power()
    env.run(until=10.0)
    env.run(until=env.restore_power())
    env.run(until=table)
    assert (table.counts.completed, table.counts.failed) == (4, 1)
    env.run(until=random)
    assert random.counts.completed == pytest.approx(1000 * 12.5, rel=0.05)


def test_a_rebuild_goes_on_where_it_was() -> None:
    env, data = server("good", spares=1)
    rebuild = data.fail(1)
    assert rebuild is not None
    env.run(until=60.0)
    done = rebuild.progress
    assert done > 0.02
    env.cut_power()
    env.run(until=200.0)
    assert rebuild.progress == done
    assert rebuild.state == "under way"
    env.restore_power(boot=30)
    env.run(until=200.0 + SPIN_UP + 60.0)
    assert rebuild.progress == pytest.approx(2 * done, rel=0.02)
    assert data.health == "rebuilding"


@pytest.mark.parametrize("battery", [None, "good"])
@pytest.mark.parametrize("kind", ["patrol", "check", "resync", "initialise"])
def test_background_work_with_commands_under_way_comes_to_its_end(
    kind: str, battery: str | None
) -> None:
    env, data = server(battery, changes={"capacity.user": "1 GB"}, rebuild_sample="5 %")
    begun = getattr(data, kind)()
    cut_after(env, 0.1)
    assert 0 < begun.progress < 0.9
    env.restore_power()
    env.run(until=begun | env.timeout(60))
    assert begun.state == "done"


@pytest.mark.parametrize("battery", [None, "good"])
def test_background_work_waits_for_power_and_is_paused_and_stopped_without(
    battery: str | None,
) -> None:
    env, data = server(battery, changes={"capacity.user": "1 GB"}, rebuild_sample="0.5 %", spares=1)
    under_way = data.check()
    cut_after(env, 0.01)
    patrol, check, rebuild = data.patrol(), data.check(), data.fail(1)
    assert rebuild is not None
    for one in under_way, patrol:
        one.pause()
        one.resume()
    check.stop()
    before = [one.progress for one in data.operations]
    env.run(until=env.now + 60)
    assert [one.progress for one in data.operations] == before
    env.restore_power()
    env.run(until=env.now + 60)
    assert [one.state for one in data.operations] == ["done", "done", "stopped", "done"]
    assert data.health == "optimal"


def test_a_load_that_was_stopped_ends_with_the_power() -> None:
    env, data = server()
    load = data.start(writes())
    env.run(until=1)
    load.stop()
    env.cut_power()
    env.run(until=load | env.timeout(1))
    assert load.processed
    assert (load.counts.failed, load.counts.in_flight) == (8, 0)


def test_drives_cool_while_the_power_is_off() -> None:
    env, data = computer()
    data.start(writes(size="256 KiB", outstanding=8, limit={"time": "5 s"}))
    env.run(until=5.0)
    warm = data.temperature
    env.cut_power()
    env.run(until=3000.0)
    cold = data.temperature
    assert cold is not None
    assert warm is not None
    assert cold < warm
    assert cold == pytest.approx(25.0, abs=0.5)
    env.restore_power()
    env.run(until=6000.0)
    idle = data.temperature
    assert idle is not None
    assert cold + 1 < idle < warm


def test_a_second_cut_while_everything_comes_back() -> None:
    env, data = server()
    load = data.start(writes())
    env.run(until=1.0)
    env.cut_power()
    first = env.restore_power()
    assert env.power == "coming"
    env.run(until=1.0 + SPIN_UP / 2)
    env.cut_power()
    env.run(until=50.0)
    assert env.power == "off"
    assert load.counts.in_flight == 0
    env.run(until=env.restore_power())
    assert env.power == "on"
    assert first.triggered  # whoever waits for the loads to go on
    env.run(until=env.now + 1.0)
    assert load.counts.in_flight == 8


def test_after_a_second_cut_at_the_same_instant_the_power_stays_off() -> None:
    env, data = server()
    patrol = data.patrol(sample="0.01 %")
    env.run(until=0.01)
    env.cut_power()
    env.restore_power()
    env.cut_power()
    env.run(until=1000.0)
    assert (env.power, patrol.progress) == ("off", patrol.progress)
    env.run(until=env.restore_power())
    env.run(until=patrol | env.timeout(60))
    assert patrol.state == "done"


@pytest.mark.parametrize("wait", [0.0, 1.0, 8.0, 20.0])
@pytest.mark.parametrize("battery", [None, "absent"])
def test_work_goes_on_once_though_the_power_came_twice(battery: str | None, wait: float) -> None:
    env, data = server(battery, changes={"capacity.user": "1 GB"}, rebuild_sample="0.5 %")
    begun = data.check()
    cut_after(env, 0.01)
    env.restore_power(boot=0.01)
    env.cut_power()
    env.run(until=env.timeout(wait))
    env.run(until=env.restore_power())
    assert env.now == pytest.approx(0.01 + wait + SPIN_UP)
    env.run(until=begun | env.timeout(60))
    assert begun.state == "done"
    assert begun.progress == 1.0


def test_work_that_waits_for_power_takes_another_rate() -> None:
    took = []
    for rate in "10 %", "100 %":
        env, data = server(changes={"capacity.user": "1 GB"})
        data.start(writes(outstanding=1))
        env.cut_power()
        check = data.check(sample="0.5 %")
        check.set_rate(rate)
        begun = env.run(until=env.restore_power()).hosts
        env.run(until=check)
        took.append(env.now - begun)
    assert took[0] > 3 * took[1]


def test_an_io_that_a_power_cut_ends_was_not_issued_after_its_end() -> None:
    """Seconds that are sums of floats may lie between two of the kernel's nanoseconds."""
    for time in 0.1 + 0.007, 0.1 + 0.2, 0.7 + 0.1 + 0.01:
        env, data = server()
        env.run(until=time)
        under_way = data.write(0, 4 * KIB)
        env.cut_power()
        ended = env.run(until=under_way)
        assert ended.status == "failed"
        assert ended.issued <= ended.completed <= env.now
        assert ended.latency == 0.0
