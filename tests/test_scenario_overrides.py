"""Keys of a scenario that are changed from outside: --set, and seeds."""

import pytest
from scenario_texts import GOOD, ONE_LOAD, problems_of

from raidsim import scenario
from raidsim.errors import InputError


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("load.outstanding=32", lambda s: s.loads[0].outstanding == (32,)),
        ("load.outstanding = [1, 2]", lambda s: s.loads[0].outstanding == (1, 2)),
        ("load.size=4 KiB", lambda s: s.loads[0].sizes == ((4096, 1.0, None, None),)),
        ('load.size="4 KiB"', lambda s: s.loads[0].sizes == ((4096, 1.0, None, None),)),
        ("load[0].read=50 %", lambda s: s.loads[0].read == 0.5),
        ("load.load.read=50 %", lambda s: s.loads[0].read == 0.5),
        ("load.area.size=1 GiB", lambda s: s.loads[0].area == (0, 2**30)),
        ("host.clock=1.6 GHz", lambda s: s.host.clock == 1.6e9),
        ("measure.precision=5 %", lambda s: s.measure.precision == 0.05),
        (
            "volume.set.flash.read_time=60 us",
            lambda s: s.volumes[0].card["flash.read_time"] == 6e-5,
        ),
        (
            'volume.set."flash.read_time"=60 us',
            lambda s: s.volumes[0].set["flash.read_time"] == 6e-5,
        ),
        ("seed=5", lambda s: s.seed == 5),
        ("title=1 GiB", lambda s: s.title == "1 GiB"),
    ],
)
def test_an_override_changes_one_value(override, value):
    assert value(scenario.load_text(ONE_LOAD, overrides=[override]))


def test_an_override_replaces_a_value_of_a_card_however_the_file_writes_it():
    nested = GOOD.replace('"flash.read_time" =', "flash.read_time =")
    for text in (GOOD, nested):
        loaded = scenario.load_text(text, overrides=["volume.set.flash.read_time=70 us"])
        assert loaded.volumes[0].set == {"flash.read_time": 70e-6}


def test_an_override_without_a_value_takes_the_key_away():
    overrides = ["load.outstanding=", "load.rate=1000 IO/s"]
    load = scenario.load_text(ONE_LOAD, overrides=overrides).loads[0]
    assert (load.outstanding, load.rate) == (None, (1000.0,))


def test_of_several_loads_an_override_names_one():
    loaded = scenario.load_text(GOOD, overrides=["load.log.priority=2", "load[0].priority=3"])
    assert [load.priority for load in loaded.loads] == [3, 2]


def test_a_seed_from_outside_wins():
    assert scenario.load_text(GOOD, seed=9).seed == 9


def test_a_bad_seed_from_outside_is_no_fault_of_the_file():
    with pytest.raises(InputError) as caught:
        scenario.load_text(GOOD, "good.toml", seed=-1)
    assert [(p.file, p.line, p.key) for p in caught.value.problems] == [(None, None, "--seed")]


@pytest.mark.parametrize(
    ("override", "key", "message"),
    [
        ("load.outstanding", "load.outstanding", "has no value"),
        ("=3", None, "is not a key"),
        ("load..size=3", "load..size", "is not a key"),
        ("load[7].size=8 KiB", "load[7].size", "there is only one of them"),
        ("load.outstandin=8", "load.outstandin", 'did you mean "outstanding"?'),
        ("lod.size=8 KiB", "lod", 'did you mean "load"?'),
        ("load.size=8 KB", "load.size", "KiB"),
        ("load.read.x=1", "load.read.x", "no such place"),
        ("volume.set.flash.read_tim=60 us", 'volume.set."flash.read_tim"', "did you mean"),
        ("load=3", "load", "is not a list of tables"),
        (".".join("a" * 20_000) + "=1", ".".join("a" * 20_000)[:80], "is nested too deeply"),
        ("load.area=" + "{ a = " * 90 + "1" + " }" * 90, "load.area", "is nested too deeply"),
        ("load.size=512K", "load.size", 'write "KiB" (1024 bytes) or "kB" (1000 bytes)'),
        ("volume.set.buffer.size=8192 PiB", 'volume.set."buffer.size"', "too large to be meant"),
        ("title=caf\udce9", "title", "is not UTF-8 text"),
        ("title=\x1b[31m", "title", "control characters"),
    ],
)
def test_a_bad_override_is_no_fault_of_the_file(override, key, message):
    found = problems_of(ONE_LOAD, [override])
    assert [p.file for p in found] == ["--set"]
    assert found[0].key == key
    assert found[0].line is None
    assert message in str(found[0])


def test_of_several_loads_an_override_must_say_which():
    (found,) = problems_of(GOOD, ["load.priority=2"])
    assert "load[0].priority" in found.remedy
