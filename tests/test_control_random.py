"""Random numbers belong to loads: same seed, same run, whatever else is in the model."""

from simpy_models import GIB, KIB, computer, reads


def journey(seed, *others):
    """A trajectory of awaited I/Os beside a load: every completion, and the load's account."""
    env, data = computer("data", seed=seed)
    load = data.start(reads(name="mail", read="70 %"))
    for other in others:
        data.start(reads(name=other))
    done = []

    def process(env):
        for n in range(20):
            done.append((yield data.read(n * GIB, 8 * KIB)))
            done.append((yield data.write(n * GIB, 8 * KIB)))

    env.run(until=env.process(process(env)))
    return env.now, done, load.counts, load.latency("read"), load.latency("write")


def test_the_same_seed_gives_the_same_trajectory_to_the_last_nanosecond():
    assert journey(seed=7) == journey(seed=7)


def test_another_seed_gives_another_trajectory():
    assert journey(seed=7) != journey(seed=8)


def keys_of(load):
    names = [name for name in load.system.world.streams.dtype.names if name.startswith("key_")]
    return load.system.world.streams[load.streams][names].tolist()


def test_the_order_in_which_loads_are_started_changes_no_addresses():
    chosen = []
    for names in (["mail", "web"], ["web", "mail"], ["backup", "web", "index", "mail"]):
        _, data = computer("data")
        loads = {name: data.start(reads(name=name, workers=2)) for name in names}
        chosen.append((keys_of(loads["mail"]), keys_of(loads["web"])))
    assert chosen[0] == chosen[1] == chosen[2]
    assert chosen[0][0] != chosen[0][1]
    assert chosen[0][0][0] != chosen[0][0][1]  # two workers, two streams of numbers


def test_a_volume_added_to_the_model_changes_nothing_on_the_others():
    def run_with(*names):
        env, *volumes = computer(*names, apart=True)
        loads = {volume.name: volume.start(reads(read="70 %")) for volume in volumes}
        env.run(until=0.02)
        load = loads["a"]
        return load.counts, load.latency("read"), load.latency("write")

    assert run_with("a") == run_with("b", "a") == run_with("a", "c", "b")


def test_the_same_load_started_twice_draws_new_numbers():
    _, data = computer()
    load = reads(limit={"ios": 10})
    assert keys_of(data.start(load)) != keys_of(data.start(load))
