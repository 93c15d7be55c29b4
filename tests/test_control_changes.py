"""A model changes the system while it runs: clock rate, speeds, failure and repair."""

import pytest
from simpy_models import GIB, KIB, MIB, computer, in_turn, reads


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
    env, data = computer()
    running = data.start(reads(**load))
    before = rate_over(env, running, 0.1)
    data.set_speed(kind, 0.5)
    assert rate_over(env, running, 0.2) == pytest.approx(before / 2, rel=0.02)
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
