"""A model changes the system while it runs: clock rate, speeds, failure and repair."""

import pytest
from simpy_models import DRIVE, GIB, KIB, MIB, SERVER, computer, in_turn, reads

from raidsim.control import Environment, Host, Volume


def rate_over(env, load, seconds):
    """IO/s of a load over the next ``seconds``, after a short while to settle."""
    env.run(until=env.now + 0.01)
    env.reset_window()
    env.run(until=env.now + seconds)
    return load.iops


def test_a_load_bound_by_the_cpu_halves_with_the_clock_rate():
    env, data = computer(clock="3.5 GHz")
    load = data.start(reads(size="4 KiB", outstanding=128))
    before = rate_over(env, load, 0.1)
    assert env.limited_by.kind == "host CPU"
    data.host.set_clock("1.75 GHz")
    assert data.host.clock == 1.75e9
    assert rate_over(env, load, 0.1) == pytest.approx(before / 2, rel=0.005)
    data.host.set_clock("3.5 GHz")
    assert rate_over(env, load, 0.1) == pytest.approx(before, rel=0.005)


def test_a_clock_rate_holds_for_processes_that_begin_later_too():
    def rate(start_at, change_to):
        env, data = computer(clock=start_at)
        if change_to:
            data.host.set_clock(change_to)
        return rate_over(env, data.start(reads(size="4 KiB", outstanding=128)), 0.02)

    assert rate("3.5 GHz", "2 GHz") == rate("2 GHz", None)


@pytest.mark.parametrize(
    ("kind", "load"),
    [
        ("data path", {"size": "64 KiB", "outstanding": 128}),
        ("flash die", {"size": "8 KiB", "outstanding": 8, "area": {"size": "128 KiB"}}),
        ("front end", {"size": "4 KiB", "outstanding": 64, "workers": 4}),
    ],
)
def test_a_load_bound_by_a_part_of_the_drive_halves_with_its_speed(kind, load):
    """Of a die within 10 %: the longer its senses take, the more reads of one page share them."""
    env, data = computer()
    running = data.start(reads(**load))
    before = rate_over(env, running, 0.1)
    data.set_speed(kind, 0.5)
    assert rate_over(env, running, 0.2) == pytest.approx(
        before / 2, rel=0.1 if kind == "flash die" else 0.02
    )
    data.set_speed(kind, 1)
    assert rate_over(env, running, 0.1) == pytest.approx(before, rel=0.02)


def test_the_speed_of_what_a_load_does_not_wait_for_changes_little():
    env, data = computer()
    load = data.start(reads(size="64 KiB", outstanding=128))
    before = rate_over(env, load, 0.1)
    data.set_speed("flash channel", 0.75)
    assert rate_over(env, load, 0.1) == pytest.approx(before, rel=0.02)


def test_a_read_under_way_slows_down_when_the_flash_does():
    _, data = computer()
    (known,) = in_turn(data, ("read", GIB, 8 * KIB))
    sensing = data.card.number("flash.read_time")
    env, data = computer()
    half_way = known.latency / 2  # the die is at it

    def heat(env):
        yield env.timeout(half_way)
        data.set_speed("flash die", 0.5)

    env.process(heat(env))
    done = env.run(until=data.read(GIB, 8 * KIB))
    slower = done.latency - known.latency
    assert 0 < slower < sensing
    (after,) = in_turn(data, ("read", GIB, 8 * KIB))
    assert after.latency - known.latency == pytest.approx(sensing, abs=2e-9)


def test_a_slower_link_makes_a_lone_read_longer_by_its_transfer():
    _, data = computer()
    (before,) = in_turn(data, ("read", GIB, 16 * KIB))
    data.set_speed("link", 0.25)
    (after,) = in_turn(data, ("read", GIB, 16 * KIB))
    transfer = 16 * KIB * data.card.number("link.time_per_byte")
    assert after.latency - before.latency == pytest.approx(3 * transfer, abs=3e-9)


def test_speeds_that_change_thousands_of_times_a_second_lose_nothing():
    env, data = computer()
    load = data.start(reads(read="50 %", size="16 KiB", outstanding=64, limit={"time": "50 ms"}))

    def thermostat(env):
        step = 0
        while not load.triggered:
            yield env.timeout(0.0002)
            step += 1
            for kind in ("flash die", "flash channel", "data path", "front end", "link"):
                data.set_speed(kind, 0.5 if step % 2 else 1.0)
            data.host.set_clock("2 GHz" if step % 3 else "3.5 GHz")

    env.process(thermostat(env))
    env.run(until=load)
    counts = load.counts
    assert counts.issued == counts.completed > 1000


def test_under_load_a_drive_fails_and_is_repaired():
    env, data = computer()
    load = data.start(reads())
    seen = {}

    def operator(env):
        yield env.timeout(0.05)
        seen["before"] = load.counts
        data.fail()
        yield env.timeout(0.05)
        seen["failed"] = load.counts
        data.repair()
        yield env.timeout(0.05)
        seen["after"] = load.counts

    env.run(until=env.process(operator(env)))
    before, failed, after = seen.values()
    assert before.failed == 0
    assert failed.failed > 1000
    assert failed.completed - before.completed <= 32  # what the drive had decoded already
    assert after.failed - failed.failed <= 32
    assert after.completed - failed.completed > 0.95 * before.completed
    assert after.in_flight == 32


def test_errors_count_neither_as_throughput_nor_in_the_latencies():
    env, data = computer()
    load = data.start(reads())
    data.fail()
    env.run(until=0.01)
    assert load.counts.failed > 0
    assert load.iops == 0
    assert load.latency("read") is None


def test_a_drive_that_fails_while_its_buffer_is_full_answers_every_write():
    env, data = computer()
    done = []

    def writer(env, number):
        done.append((yield data.write(number * MIB, 1 * MIB)))

    for number in range(64):
        env.process(writer(env, number))

    def failure(env):
        yield env.timeout(0.005)
        data.fail()

    env.process(failure(env))
    env.run()
    assert len(done) == 64
    assert {one.status for one in done} <= {"done", "failed"}
    assert data.counts.in_flight == 0


# -- power plan and affinity -----------------------------------------------------------------------


def set_up(**host):
    """A drive in a server that is set up so, with CPU times that are easy to add up."""
    changes = {
        "submit.io_time": "5 us",
        "submit.page_time": "0 us",
        "remote.io_time": "5 us",
        "remote.page_time": "0 us",
        "cpu.idle_clock": "3.5 GHz",
        "sleep.wake_time": "300 us",
    }
    env = Environment(seed=1)
    server = Host(env, SERVER, changes=changes, **host)
    return env, Volume(env, DRIVE, server, name="data")


def first_read(**host):
    """How long a read takes that comes after a pause, s."""
    env, data = set_up(**host)
    env.run(until=1)
    (done,) = in_turn(data, ("read", 0, 4 * KIB))
    return done.latency


def test_under_the_default_power_plan_a_read_waits_for_the_cpu_to_wake():
    # Once to submit, and once more to complete: the flash takes longer than 50 us.
    awake = first_read()
    assert first_read(power_plan="default") == pytest.approx(awake + 600e-6, abs=1e-9)
    assert first_read(power_plan="default", cpu_load=True) == awake


def test_a_remote_process_issues_half_as_fast_if_that_takes_it_twice_as_long():
    rates = []
    for affinity in ("favourable", "unfavourable"):
        env, data = set_up(affinity=affinity)
        rates.append(rate_over(env, data.start(reads(size="4 KiB", outstanding=128)), 0.05))
    assert rates[1] == pytest.approx(rates[0] / 2, rel=0.005)


def test_under_the_default_power_plan_the_clock_rate_is_a_limit_that_can_change():
    env = Environment(seed=1)
    quick = {"governor.interval": "1 ms"}
    server = Host(env, SERVER, power_plan="default", changes=quick)
    data = Volume(env, DRIVE, server, name="data")
    load = data.start(reads(size="4 KiB", outstanding=128))
    before = rate_over(env, load, 0.1)
    server.set_clock("1.75 GHz")
    env.run(until=env.now + 0.02)
    assert rate_over(env, load, 0.1) == pytest.approx(before / 2, rel=0.01)
