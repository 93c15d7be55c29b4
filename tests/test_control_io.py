"""I/Os that a SimPy process awaits: how long they take, how they end, who may wait for them."""

import random

import pytest
import simpy
from simpy_models import GIB, KIB, MIB, computer, in_turn

from raidsim.control import Environment, Host, Volume
from raidsim.kernel import tables as t

NS = 1e-9


def host_time(volume, kind, length):
    """CPU time of one I/O of a process that waited, s: submission and completion."""
    value = volume.host.card.number
    pages = -(-length // int(value("page.size")))
    return value("submit.wake_time") + sum(
        value(f"{step}.io_time")
        + value(f"{step}.device_io_time")
        + pages * value(f"{step}.page_time")
        + (value(f"{step}.write_time") if kind == "write" else 0)
        for step in ("submit", "complete")
    )


def command_time(volume):
    return volume.card.number("command.latency") + volume.card.number("front_end.command_time")


def idle_read(volume, length):
    """What a read of whole ECC frames of one flash page takes on an idle drive, s."""
    value = volume.card.number
    per_byte = (
        value("flash.channel_read_time_per_byte")
        + value("data_path.read_time_per_byte")
        + value("link.time_per_byte")
    )
    flash = value("flash.read_time") + length * per_byte
    return host_time(volume, "read", length) + command_time(volume) + flash


def idle_write(volume, length):
    """What a write of one flash page into an empty buffer takes, s."""
    value = volume.card.number
    per_byte = value("link.time_per_byte") + value("data_path.write_time_per_byte")
    return host_time(volume, "write", length) + command_time(volume) + length * per_byte


@pytest.mark.parametrize("length", [4 * KIB, 8 * KIB, 16 * KIB])
def test_a_read_of_an_idle_drive_takes_what_its_card_adds_up_to(length):
    _, data = computer()
    (done,) = in_turn(data, ("read", 1 * GIB, length))
    assert done.ok
    assert done.status == "done"
    assert done.issued == 0
    assert done.latency == pytest.approx(idle_read(data, length), abs=9 * NS)
    assert done.completed == done.latency


def test_the_same_read_of_an_idle_drive_takes_the_same_time_again():
    _, data = computer()
    first, second = in_turn(data, *2 * [("read", 5 * GIB, 8 * KIB)])
    assert second.latency == first.latency
    assert second.issued == first.completed


def test_a_latency_is_exact_however_late_it_is():
    times = []
    for start in (0.0, 0.1, 1e6, 1.7e9):
        _, data = computer(initial_time=start)
        (done,) = in_turn(data, ("read", 5 * GIB, 8 * KIB))
        times.append(done.latency)
    assert times == 4 * times[:1]


def test_a_write_is_acknowledged_once_it_is_in_the_buffer():
    _, data = computer()
    (done,) = in_turn(data, ("write", 0, 16 * KIB))
    assert done.latency == pytest.approx(idle_write(data, 16 * KIB), abs=9 * NS)
    assert done.latency < data.card.number("flash.program_time") / 10


def test_the_flash_is_programmed_after_the_acknowledgement_and_a_bare_run_waits_for_it():
    env, data = computer()
    unit = data.card.integer("flash.page") * data.card.integer("flash.planes")
    (done,) = in_turn(data, ("write", 0, unit))
    assert env.now == done.completed
    env.run()
    assert env.now > done.completed + data.card.number("flash.program_time")


def test_a_write_after_a_read_pays_the_turn_of_the_data_path():
    _, data = computer()
    alone, _, after_read = in_turn(
        data, ("write", 0, 16 * KIB), ("read", GIB, 16 * KIB), ("write", 0, 16 * KIB)
    )
    turn = data.card.number("data_path.turnaround")
    assert turn > 0
    assert after_read.latency - alone.latency == pytest.approx(turn, abs=2 * NS)


def test_a_second_read_of_the_same_mapping_unit_comes_from_the_drives_memory():
    _, data = computer()
    first, second = in_turn(data, ("read", GIB, 512), ("read", GIB + 512, 512))
    assert first.latency - second.latency > data.card.number("flash.read_time")


def test_a_long_read_is_split_by_the_host_and_awaited_as_one():
    _, data = computer()
    whole, piece = in_turn(data, ("read", GIB, 64 * MIB), ("read", 9 * GIB, 128 * KIB))
    assert whole.ok
    assert data.counts.issued == 2
    assert piece.latency < whole.latency < 512 * piece.latency


def test_the_event_of_an_io_has_a_completion_that_can_be_taken_apart():
    _, data = computer()
    (done,) = in_turn(data, ("read", 0, 512))
    status, issued, completed, latency = done
    assert (status, issued, completed) == ("done", 0.0, latency)


# ---- several at a time


def test_both_of_two_ios_are_there_when_the_slower_one_is():
    env, data = computer()
    seen = {}

    def process(env):
        near, far = data.read(0, 4 * KIB), data.read(GIB, 16 * MIB)
        seen["both"] = yield near & far
        seen["time"] = env.now
        assert near.value.completed < far.value.completed == env.now

    env.process(process(env))
    env.run()
    assert [done.status for done in seen["both"].values()] == ["done", "done"]


def test_of_two_ios_the_faster_one_wakes_the_process_and_the_other_completes_too():
    env, data = computer()
    seen = []

    def process(env):
        near, far = data.read(0, 4 * KIB), data.read(GIB, 16 * MIB)
        first = yield near | far
        assert list(first) == [near]
        assert not far.triggered
        seen.append(env.now)
        yield far
        seen.append(env.now)

    env.process(process(env))
    env.run()
    assert seen[0] < seen[1]
    assert data.counts.completed == 2


def test_all_of_and_any_of_take_ios_beside_any_other_event():
    env, data = computer()
    seen = []

    def process(env):
        reads = [data.read(n * GIB, 8 * KIB) for n in range(8)]
        done = yield env.all_of([*reads, env.timeout(0.001)])
        seen.append((env.now, len(list(done))))
        yield env.any_of([data.read(0, 8 * KIB), env.timeout(1.0)])
        seen.append(env.now)

    env.process(process(env))
    env.run()
    assert seen[0] == (0.001, 9)
    assert seen[1] < 0.0012


def test_ios_that_are_issued_together_queue_with_each_other():
    env, data = computer()
    lone = in_turn(data, ("read", 0, 8 * KIB))[0]
    done = []

    def process(env):
        reads = [data.read(n * GIB, 8 * KIB) for n in range(1, 65)]
        done.extend((yield env.all_of(reads)).values())

    env.run(until=env.process(process(env)))
    latencies = [one.latency for one in done]
    assert min(latencies) == pytest.approx(lone.latency, abs=2 * NS)
    assert max(latencies) > 2 * lone.latency


def test_a_volume_is_a_resource_among_others_of_a_plain_model():
    env, data = computer()
    counter = simpy.Resource(env, capacity=1)
    ends = []

    def customer(env, number):
        with counter.request() as turn:
            yield turn
            yield data.read(number * GIB, 8 * KIB)
            yield env.timeout(0.5)
            ends.append(env.now)

    for number in range(3):
        env.process(customer(env, number))
    env.run()
    read = idle_read(data, 8 * KIB)
    assert ends == pytest.approx([n * (0.5 + read) for n in (1, 2, 3)], abs=1e-7)


# ---- those who no longer wait


def test_an_interrupted_process_stops_waiting_and_the_io_completes_all_the_same():
    env, data = computer()
    seen = []

    def reader(env):
        try:
            yield data.read(0, 8 * KIB)
        except simpy.Interrupt as interrupt:
            seen.append((env.now, interrupt.cause))

    def impatient(env, victim):
        yield env.timeout(10e-6)
        victim.interrupt("enough")

    env.process(impatient(env, env.process(reader(env))))
    env.run()
    assert seen == [(10e-6, "enough")]
    assert data.counts.completed == 1
    assert env.now == pytest.approx(idle_read(data, 8 * KIB), abs=9 * NS)


def test_an_io_that_fails_after_its_waiter_left_does_not_end_the_run():
    env, data = computer()
    data.fail()
    seen = []

    def reader(env):
        try:
            yield data.read(0, 8 * KIB) | env.timeout(5e-6)
            yield data.read(0, 8 * KIB)
        except simpy.Interrupt:
            seen.append(env.now)
        yield env.timeout(1.0)

    process = env.process(reader(env))

    def impatient(env):
        yield env.timeout(8e-6)
        process.interrupt()

    env.process(impatient(env))
    env.run()
    assert seen == [8e-6]
    assert env.now == 1.0 + 8e-6
    assert data.counts.failed == 2
    assert data.counts.in_flight == 0


def test_a_process_may_wait_again_for_the_io_that_it_was_interrupted_in():
    env, data = computer()
    seen = []

    def reader(env):
        io = data.read(0, 8 * KIB)
        try:
            yield io
        except simpy.Interrupt:
            done = yield io
            seen.append(done.completed == env.now)

    def impatient(env, victim):
        yield env.timeout(10e-6)
        victim.interrupt()

    env.process(impatient(env, env.process(reader(env))))
    env.run()
    assert seen == [True]


def test_run_until_an_io_returns_its_completion():
    env, data = computer()
    done = env.run(until=data.read(0, 8 * KIB))
    assert done.ok
    assert env.now == done.completed


# ---- how an I/O may end


def test_a_failed_drive_answers_with_an_error_that_is_no_exception():
    _, data = computer()
    good, _ = in_turn(data, ("read", 0, 4 * KIB), ("read", GIB, 4 * KIB))
    data.fail()
    assert data.failed
    bad, worse = in_turn(data, ("read", 2 * GIB, 4 * KIB), ("write", 0, 4 * KIB))
    assert [bad.status, worse.status] == ["failed", "failed"]
    assert not bad.ok
    assert 0 < bad.latency < good.latency  # no flash was read
    data.repair()
    assert in_turn(data, ("read", 3 * GIB, 4 * KIB))[0].latency == good.latency
    assert (data.counts.completed, data.counts.failed) == (3, 2)


def test_an_io_that_outlasts_its_patience_is_timed_out_and_none_is_lost():
    env, data = computer()
    seen = []

    def process(env):
        seen.append((yield data.read(0, 8 * KIB, timeout=50e-6)))

    env.process(process(env))
    env.run(until=100e-6)
    (done,) = seen
    assert (done.status, done.ok) == ("timed out", False)
    assert done.latency == pytest.approx(50e-6, abs=NS)
    assert (data.counts.timed_out, data.counts.in_flight) == (1, 0)
    env.run()  # the drive goes on; what it brings is thrown away
    assert env.now == pytest.approx(idle_read(data, 8 * KIB), abs=9 * NS)
    assert (data.counts.issued, data.counts.completed, data.counts.timed_out) == (1, 0, 1)
    assert data.latency("read") is None


def test_a_patience_that_is_long_enough_changes_nothing():
    env, data = computer()
    done = env.run(until=data.read(0, 8 * KIB, timeout=1.0))
    env.run()
    assert done.ok
    assert env.now == done.completed == done.latency
    assert done.latency == pytest.approx(idle_read(data, 8 * KIB), abs=9 * NS)


def test_a_patience_shorter_than_the_clock_can_tell_lasts_one_tick():
    env, data = computer()
    done = env.run(until=data.read(0, 8 * KIB, timeout=1e-9))
    assert (done.status, done.latency) == ("timed out", NS)


def test_the_urgent_read_overtakes_where_stations_serve_by_priority():
    def order(*priorities):
        env, data = computer()
        env.system.world.stations["discipline"][:] = t.PRIORITY
        finished = []

        def reader(env, number, priority):
            yield data.read(number * 32 * GIB, 8 * KIB, priority=priority)
            finished.append(number)

        for number, priority in enumerate(priorities):
            env.process(reader(env, number, priority))
        env.run()
        return finished

    # The first is under way before the others come: no service is interrupted.
    assert order(0, 0, 0, 0) == [0, 1, 2, 3]
    assert order(3, 2, 1, 0) == [0, 3, 2, 1]


def test_a_volume_knows_its_latencies_in_ms():
    _, data = computer()
    done = in_turn(data, *[("read", n * GIB, 8 * KIB) for n in range(50)])
    mean = sum(one.latency for one in done) / len(done)
    latency = data.latency("read")
    assert latency.samples == 50
    assert latency.mean == pytest.approx(1e3 * mean)
    assert latency.p50 == pytest.approx(1e3 * done[0].latency, rel=2e-3)
    assert latency.p999 is None  # too few to say
    assert data.latency("write") is None


# ---- coming back again and again


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_time_that_goes_on_in_small_steps_brings_what_one_run_does(seed: int) -> None:
    """Steps end anywhere, also at completions and between events of SimPy at the same time."""

    def history(go_on):
        env = Environment(seed=seed)
        volume = Volume(
            env, "seagate-st373455ss", Host(env, "fujitsu-rx300-s4"), level="raid1", drives=2
        )
        chance, seen = random.Random(seed), []

        def worker(number):
            while True:
                place = 4096 * chance.randrange(10**6)
                done = yield (volume.read if chance.random() < 0.5 else volume.write)(place, 4096)
                seen.append((number, env.now, done.completed, done.latency))
                if chance.random() < 0.3:
                    yield env.timeout(chance.choice((0.0, 0.001, 1e-10)))

        for number in range(4):
            env.process(worker(number))
        go_on(env)
        return seen

    def in_steps(env):
        chance = random.Random(f"{seed} steps")
        while env.now < 2.0:
            step = chance.choice((env.next_time, env.now, env.now + chance.random() / 200))
            env.advance(min(step, 2.0))

    print("seed", seed)
    at_once = history(lambda env: env.run(until=2.0))
    assert len(at_once) > 200
    assert history(in_steps)[: len(at_once)] == at_once
