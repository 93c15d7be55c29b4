"""Wrong arguments end in a message that says what would be right, and in nothing else."""

import contextlib
import inspect
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simpy_models import DRIVE, GIB, KIB, MIB, SERVER, computer, reads

from raidsim.control import Environment, Host, InputError, Load, Volume
from raidsim.scenario import LoadSpec

CAPACITY = 800 * 10**9


@pytest.fixture
def data():
    return computer("data")[1]


def refusal(call, *args, **keys):
    with pytest.raises(InputError) as refused:
        call(*args, **keys)
    return str(refused.value)


# ---- I/Os


@pytest.mark.parametrize("offset", [0.0, 512.5, True, False, "0", b"0", None, math.nan, [0], 1j])
def test_an_address_is_a_whole_number(data, offset):
    message = refusal(data.read, offset, 512)
    assert message.startswith("data.read(): offset: ")
    assert "is not a whole number; give a whole number from 0 to" in message


@pytest.mark.parametrize(
    ("offset", "length", "wrong"),
    [
        (-512, 512, "offset: -512 is out of range"),
        (CAPACITY, 512, f"offset: {CAPACITY} is out of range"),
        (
            CAPACITY - 512,
            1024,
            "length: 1024 bytes from byte 799999999488 on end beyond the volume",
        ),
        (10**40, 512, "offset: 10000"),
        (100, 512, "offset: 100 is not a multiple of 512; 0 or 512, for example"),
        (0, 1000, "length: 1000 is not a multiple of 512; 512 or 1024, for example"),
        (0, 0, "length: 0 is out of range"),
        (0, -512, "length: -512 is out of range"),
        (0, 65 * MIB, "length: 68157440 is out of range; give a whole number from 512 to 67108864"),
        (0, 512.0, "length: 512.0 is not a whole number"),
        (0, True, "length: True is not a whole number"),
    ],
)
def test_an_io_lies_inside_the_volume_in_whole_sectors(data, offset, length, wrong):
    assert wrong in refusal(data.write, offset, length)


@pytest.mark.parametrize("priority", [-1, 4, 0.0, 1.0, False, True, None, "0"])
def test_a_priority_is_0_to_3(data, priority):
    assert "priority" in refusal(data.read, 0, 512, priority=priority)


@pytest.mark.parametrize("timeout", [0, -1.0, math.nan, math.inf, True, "1 ms", 1j, [1]])
def test_a_patience_is_a_positive_time(data, timeout):
    assert "timeout" in refusal(data.read, 0, 512, timeout=timeout)


def test_everything_that_is_wrong_with_an_io_is_said_at_once(data):
    message = refusal(data.read, 1, "2", priority=9, timeout=-1)
    assert [line.split(": ")[1] for line in message.splitlines()] == [
        "offset",
        "length",
        "priority",
        "timeout",
    ]


def test_a_refused_io_leaves_no_trace(data):
    refusal(data.read, 1, 512)
    data.env.run()
    assert data.counts.issued == 0
    assert data.env.now == 0


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint64, np.uint16])
def test_whole_numbers_of_numpy_are_whole_numbers(data, kind):
    done = data.env.run(until=data.read(kind(8192), kind(4096), priority=kind(1)))
    assert done.ok


@pytest.mark.parametrize("kind", [int, np.float64, np.float32, np.int64])
@pytest.mark.parametrize("wait", [1, 10**8])
def test_a_model_may_count_its_time_in_any_kind_of_number(kind, wait):
    env, data = computer("data", initial_time=kind(0))
    env.run(until=env.timeout(kind(wait)))
    assert env.run(until=data.read(GIB, 8 * KIB)).ok
    env.run(until=kind(2 * wait))
    assert env.now == 2 * wait


def test_the_first_and_the_last_sector_can_be_read(data):
    for offset in (0, CAPACITY - 512):
        assert data.env.run(until=data.read(offset, 512)).ok


def test_a_drive_with_other_sectors_is_addressed_in_those():
    env, data = computer("data", capacity__sector="4 KiB")
    assert "multiple of 4096" in refusal(data.read, 512, 4096)
    assert env.run(until=data.read(4096, 8192)).ok


# ---- loads


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        ({"outstanding": [1, 2, 4]}, "load.outstanding: is a sweep"),
        ({"outstanding": (1, 2)}, "load.outstanding: is a sweep"),
        ({"outstanding": 0}, "load.outstanding: 0 is too small"),
        ({"outstanding": True}, "load.outstanding: true is not a whole number"),
        ({"outstanding": 1.5}, "load.outstanding: 1.5 is not a whole number"),
        ({"outstanding": math.nan}, "load.outstanding: nan is not a whole number"),
        ({"workers": 0}, "load.workers: 0 is too small"),
        ({"workers": 5000}, "load.workers: 5000 is too large"),
        ({"workers": "four"}, 'load.workers: "four" is not a whole number'),
        ({"read": 0.67}, 'load.read: 0.67 has no unit; write "67 %", for example'),
        ({"read": "167 %"}, "load.read"),
        ({"read": None}, "load.read"),
        ({"size": "8 kb"}, "load.size"),
        ({"size": "1000 B"}, "load.size"),
        ({"size": -1}, "load.size"),
        ({"rate": "10 IO/s"}, "a load is closed or open"),
        ({"area": {"begin": "1 GB"}}, "load.area.begin: unknown key"),
        ({"area": "1 GB"}, "load.area"),
        ({"limit": {"time": "-1 s"}}, "load.limit.time"),
        ({"timeout": math.inf}, "load.timeout"),
        ({"think": "soon"}, "load.think"),
        ({"priority": 7}, "load.priority"),
        ({"name": ""}, "load.name"),
        ({"zipf": 0.9, "hot": {"area": "10 %", "accesses": "90 %"}}, "cannot be used with hot"),
        ({"size": object()}, "load.size"),
        ({"size": lambda: 1}, "load.size"),
        ({"sizes": {1, 2}}, "load.sizes"),
        ({"think": None}, "load.think: is None; give a value, or leave it out"),
        ({"size": "64 KiB", "area": {"offset": "100 B"}}, "load.area.offset"),
    ],
)
def test_a_mistake_in_a_load_is_explained_as_in_a_scenario_and_at_once(keys, wrong):
    message = refusal(reads, **keys)
    assert wrong in message
    assert message.startswith("Load(): load")


@pytest.mark.parametrize("key", ["raed", "volume", "within", "within_percentile"])
def test_a_load_takes_no_other_arguments(key):
    with pytest.raises(TypeError, match=key):
        reads(**{key: "100 %"})


def test_all_mistakes_of_a_load_are_said_at_once():
    message = refusal(Load, read="1", size="8", outstanding=[1, 2], think=None, workers=0)
    assert len(message.splitlines()) == 5


def test_whether_a_load_fits_its_volume_is_said_when_it_is_started(data):
    far = reads(area={"offset": "900 GB"})
    assert "beyond the volume of 800 GB" in refusal(data.start, far)


def test_the_defaults_of_a_load_are_those_of_a_scenario():
    for key, parameter in inspect.signature(Load).parameters.items():
        field = LoadSpec.model_fields[key]
        if parameter.default is inspect.Parameter.empty:
            assert field.is_required()
        elif parameter.default is not None:
            assert parameter.default == field.default
        else:
            assert field.default in (None, {}, {"offset": "0 B", "size": "rest"})


def test_a_load_has_an_argument_for_every_key_that_a_model_can_use():
    unknown = {"volume", "within", "within_percentile", "after"}
    assert set(inspect.signature(Load).parameters) == set(LoadSpec.model_fields) - unknown


def test_a_sweep_of_one_is_a_value(data):
    assert data.start(reads(outstanding=[4])).spec.outstanding == (4,)


def test_numbers_of_numpy_may_stand_in_a_load(data):
    load = data.start(reads(outstanding=np.int64(4), zipf=np.float64(0.9), workers=np.uint8(2)))
    assert len(load.streams) == 2


@pytest.mark.parametrize("load", [None, "database", {"read": "100 %"}, Load, 5])
def test_only_a_load_can_be_started(data, load):
    assert "is not a Load; give a Load(read=" in refusal(data.start, load)


def test_a_load_shows_what_it_was_made_of():
    assert repr(reads(workers=1)) == "Load(read='100 %', size='8 KiB', outstanding=32)"


# ---- figures and changes


@pytest.mark.parametrize("op", ["Read", "", None, 0, ["read"]])
def test_latencies_are_of_reads_or_of_writes(data, op):
    assert 'give "read", "write" or "flush"' in refusal(data.latency, op)
    assert 'give "read", "write" or "flush"' in refusal(data.start(reads()).latency, op)


@pytest.mark.parametrize("speed", [0, -1, math.nan, math.inf, "0.5", True, None, 1e-300, 1e300, 1j])
def test_a_speed_is_a_number_above_zero(data, speed):
    message = refusal(data.set_speed, "flash die", speed)
    assert message.startswith("data.set_speed(): speed: ")
    assert message.endswith("give a number from 0.001 to 1000")


@pytest.mark.parametrize("kind", ["spindle", "", None, 3, "host CPU", "command latency", ["link"]])
def test_only_stations_of_the_drive_have_a_speed(data, kind):
    message = refusal(data.set_speed, kind, 0.5)
    for known in ("data path", "flash channel", "flash die", "front end", "link"):
        assert known in message


def test_numbers_of_other_kinds_are_numbers(data):
    data.set_speed("flash die", Fraction(1, 2))
    data.set_speed("flash die", np.float32(0.5))
    data.set_speed("flash die", 2)
    assert data.env.run(until=data.read(0, 512, timeout=Fraction(1, 2))).ok


@pytest.mark.parametrize("clock", ["0 GHz", "100 GHz", "-1 GHz", "fast", 3.5e9, None, True, "3 s"])
def test_a_clock_rate_is_a_frequency_with_its_unit(data, clock):
    assert "clock" in refusal(data.host.set_clock, clock)
    assert data.host.clock == 3.5e9


# ---- hosts, volumes, environments


@pytest.mark.parametrize("model", ["fujitsu", DRIVE, "", None, 5, "no/such/card.toml", ["x"]])
def test_a_host_is_on_a_card_of_that_kind(model):
    assert "host.model" in refusal(Host, Environment(), model)


@pytest.mark.parametrize("drive", ["p3700", SERVER, "", None, 5, "no/such/card.toml", {}])
def test_a_drive_is_on_a_card_of_that_kind(data, drive):
    assert "volume.drive" in refusal(Volume, data.env, drive, data.host)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"flash.read_tim": "1 us"}, 'did you mean "flash.read_time"?'),
        ({"flash.read_time": 60}, "has no unit"),
        ({"flash.read_time": "60 KiB"}, "is a unit of"),
        ({"flash.planes": 10**9}, "flash.planes"),
        ({"flash.dies_per_channel": 0}, "flash.dies_per_channel"),
        ({"flash.page": "1 KiB"}, "does not divide flash.page"),
        ({5: 5}, '"5" is not a value of a card'),
        ([("flash.read_time", "60 us")], "is not a table"),
        ("flash.read_time", "is not a table"),
    ],
)
def test_a_change_of_a_card_fits_the_card(data, changes, wrong):
    assert wrong in refusal(Volume, data.env, DRIVE, data.host, changes=changes)


def test_a_host_may_have_other_values_than_its_card():
    env = Environment()
    host = Host(env, SERVER, changes={"submit.io_time": "104 us"})
    slow = Volume(env, DRIVE, host)
    quick = Volume(env, DRIVE, Host(env, SERVER))
    times = [env.run(until=volume.read(GIB, 8 * KIB)).latency for volume in (slow, quick)]
    more = 104e-6 - quick.host.card.number("submit.io_time")
    assert times[0] - times[1] == pytest.approx(more, abs=2e-9)
    assert "submit.io" in refusal(Host, env, SERVER, changes={"submit.io": "1 us"})


def test_cards_may_be_files(tmp_path):
    for name, kind, base in (("my-host", "host", SERVER), ("my-drive", "ssd", DRIVE)):
        file = tmp_path / f"{name}.toml"
        file.write_text(f'name = "{name}"\nkind = "{kind}"\ntitle = "Mine"\nbase = "{base}"\n')
    env = Environment()
    host = Host(env, str(tmp_path / "my-host.toml"))
    data = Volume(env, tmp_path / "my-drive.toml", host)
    load = data.start(reads(limit={"ios": 10}))
    env.run()
    assert load.counts.completed == 10
    assert data.card.name == "my-drive"


@pytest.mark.parametrize("name", ["", " ", "a\nb", 5, ["a"], {1}, object(), "x" * 201])
def test_a_volume_has_a_name_of_one_line(data, name):
    assert "volume.name" in refusal(Volume, data.env, DRIVE, data.host, name=name)


def test_the_parts_of_a_system_are_what_they_are_said_to_be(data):
    assert "give a raidsim.Environment" in refusal(Host, None, SERVER)
    assert "give a raidsim.Environment" in refusal(Volume, "env", DRIVE, data.host)
    assert "give a raidsim.Host" in refusal(Volume, data.env, DRIVE, SERVER)


@pytest.mark.parametrize("start", [-1, math.nan, math.inf, 1e30, "0", True, None, [0]])
def test_a_model_begins_at_a_time(start):
    assert "initial_time" in refusal(Environment, start)


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, None, math.nan, 2**63])
def test_a_seed_is_a_whole_number(seed):
    assert "seed" in refusal(Environment, seed=seed)


@pytest.mark.parametrize("until", [math.nan, "1", True, [1], {}, 1j])
def test_a_run_goes_to_a_time_or_an_event(until):
    assert "neither a time nor an event" in refusal(Environment().run, until)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.float16, np.float32, np.float64])
def test_the_clock_keeps_its_precision_whatever_kind_of_number_it_is_given(kind):
    env = Environment(kind(5))
    assert env.now == 5.0

    def wait():
        for _ in range(100):
            yield env.timeout(kind(100))

    env.run(env.process(wait()))
    env.run(until=env.now + 1e-9)
    assert env.now == 10_005.000000001
    assert type(env.now) is float


def test_a_process_waits_for_a_time():
    env = Environment()
    assert "nan is not a time" in refusal(env.timeout, math.nan)


# ---- anything at all

numbers = st.one_of(
    st.integers(),
    st.floats(),
    st.booleans(),
    st.fractions(),
    st.integers(-3, 3).map(np.int16),
    st.integers(-2, 2 * CAPACITY // 512).map(lambda sector: 512 * sector),
)
texts = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["8 KiB", "67 %", "1 ms", "1 GHz", "none", "rest", "10 IO/s", "0 B", "nan s"]),
)
values = st.recursive(
    st.one_of(
        st.none(), numbers, texts, st.binary(max_size=3), st.just(object()), st.complex_numbers()
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner),
        st.sets(st.integers(), max_size=2),
        st.dictionaries(
            st.sampled_from(["offset", "size", "share", "on", "off", "time", "ios", "area", 7]),
            inner,
            max_size=2,
        ),
    ),
    max_leaves=4,
)
anything = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
LOAD_KEYS = [*inspect.signature(Load).parameters]


def works_or_is_refused(call, *args, **keys):
    with contextlib.suppress(InputError):
        call(*args, **keys)


@anything
@given(values, values, values, values)
def test_an_io_works_or_is_refused(data, offset, length, priority, timeout):
    works_or_is_refused(data.read, offset, length, priority=priority, timeout=timeout)


@anything
@given(st.dictionaries(st.sampled_from(LOAD_KEYS), values, max_size=3))
def test_a_load_is_understood_or_refused(data, keys):
    works_or_is_refused(lambda: Load(**(reads().keys | keys)).spec(data))


@anything
@given(values, values, values)
def test_a_change_works_or_is_refused(data, kind, speed, clock):
    works_or_is_refused(data.set_speed, kind, speed)
    works_or_is_refused(data.set_speed, "link", speed)
    works_or_is_refused(data.host.set_clock, clock)


@settings(anything, max_examples=15)
@given(values, values, values, values)
def test_parts_are_made_or_refused(data, model, name, changes, other):
    works_or_is_refused(Volume, data.env, model, data.host, name=name)
    works_or_is_refused(Volume, data.env, DRIVE, data.host, name=name, changes=changes)
    works_or_is_refused(Host, data.env, model, other)
    works_or_is_refused(Host, data.env, SERVER, changes=changes)
    works_or_is_refused(Environment, model, seed=other)


ABSURD = [
    {"limit": {"time": "1e25 s"}},
    {"limit": {"bytes": "1e15 PB"}},
    {"timeout": "1e25 s"},
    {"burst": {"on": "1e25 s", "off": "1 s"}},
    {"burst": {"on": "1 s", "off": "1e25 s"}},
]


@pytest.mark.parametrize("keys", ABSURD, ids=str)
def test_a_time_beyond_the_clock_works_as_never_or_is_refused(data, keys):
    works_or_is_refused(lambda: data.start(reads(**keys)))


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("power_plan", "turbo", 'write "performance" or "default"'),
        ("affinity", 1, 'write "favourable" or "unfavourable"'),
        ("cpu_load", "much", "true or false"),
    ],
)
def test_a_host_is_set_up_in_words_that_it_knows(key, value, allowed):
    message = refusal(Host, Environment(), SERVER, **{key: value})
    assert f"host.{key}" in message
    assert allowed in message
