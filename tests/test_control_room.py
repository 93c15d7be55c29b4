"""However much happens at one instant, the kernel's tables have room for it."""

from simpy_models import DRIVE, GIB, KIB, MIB, SERVER, computer, in_turn, reads

from raidsim import Load, scenario
from raidsim.control.model import build


def all_jobs_are_free(env):
    """Whether, with nothing under way, every row of the table of jobs is free again."""
    state = env.system.state
    return state["events"] == 0 and state["free_jobs"] == len(env.system.world.jobs)


def test_an_io_that_the_host_splits_into_thousands_finds_room():
    env, data = computer(command__max_transfer="4 KiB")
    for kind in ("read", "write"):
        (done,) = in_turn(data, (kind, GIB, 64 * MIB))
        assert done.ok
    env.run()
    assert all_jobs_are_free(env)


def test_a_load_whose_requests_are_split_into_thousands_finds_room():
    env, data = computer(command__max_transfer="4 KiB")
    load = data.start(reads(size="16 MiB", outstanding=2, limit={"ios": 4}))
    env.run()
    assert load.counts.completed == 4
    assert all_jobs_are_free(env)


def test_thousands_of_ios_issued_at_one_instant_find_room():
    env, data = computer()
    events = [data.write(n * 8 * KIB, 8 * KIB, timeout=1.0) for n in range(5000)]
    data.set_speed("link", 0.5)
    data.host.set_clock("2 GHz")
    done = env.run(until=env.all_of(events))
    assert {one.status for one in done.values()} == {"done"}
    env.run()
    assert all_jobs_are_free(env)


def test_many_workers_that_are_stopped_at_once_all_report():
    env, data = computer()
    load = data.start(reads(workers=64, outstanding=1, think="1 s"))
    env.run(until=0.5)
    load.stop()
    env.run(until=load)
    assert env.now == 0.5
    assert load.counts.completed == 64


def test_a_drive_that_reads_ahead_of_many_streams_at_once_finds_room():
    env, data = computer(read_ahead__streams=64, read_ahead__depth="4 MiB")

    def stream(env, number):
        for step in range(6):
            yield data.read(number * GIB + step * 64 * KIB, 64 * KIB)

    for number in range(64):
        env.process(stream(env, number))
    env.run()
    assert all_jobs_are_free(env)


def test_a_scenario_asks_for_room_for_the_commands_of_its_longest_request():
    load = {"read": "100 %", "size": "16 MiB", "outstanding": 1}
    volume = {"drive": DRIVE, "set": {"command.max_transfer": "4 KiB"}}
    data = {"host": {"model": SERVER}, "volume": [volume], "load": [load]}
    built = build(scenario.from_data(data))
    assert built.system.state["margin"] >= 16 * MIB // (4 * KIB)


def test_loads_of_more_workers_than_are_ever_awaited_at_once_all_end_in_a_power_cut():
    env, data = computer()
    workers = 700
    loads = [
        data.start(Load(read="100 %", size="4 KiB", outstanding=1, workers=workers, name=name))
        for name in ("a", "b")
    ]
    env.run(until=20e-6)
    for load in loads:
        load.stop()
    env.cut_power()
    env.restore_power(0.0)
    env.run(until=env.now + 1)
    for load in loads:
        assert load.counts.in_flight == 0
        assert load.triggered
    env.run()
    assert all_jobs_are_free(env)
