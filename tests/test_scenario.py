# ruff: noqa: E501 - one mistake a line reads as a table
"""Scenarios: what a file says is what is simulated, and what it leaves out has its default."""

import json
from pathlib import Path

import pytest
from scenario_texts import GOOD, ONE_LOAD, problems_of

from raidsim import scenario
from raidsim.resources import data_folder
from raidsim.scenario import Area, reference

SHIPPED = sorted(data_folder("scenarios").rglob("*.toml"))
STANDARD = ("database", "file-server", "file-copy", "streaming", "restore")


# ---- what a file says


def test_a_load_may_be_searched_for_the_highest_within_a_latency():
    text = ONE_LOAD.replace("= 1\n", '= [1, 8]\nwithin = "2 ms"\nwithin_percentile = "99 %"\n')
    loaded = scenario.load_text(text)
    (load,) = loaded.loads
    assert (load.within, load.within_percentile) == (0.002, 0.99)
    assert loaded.searched is load
    assert loaded.at(load, 5).loads[0].outstanding == (5,)
    assert loaded.loads[0].outstanding == (1, 8)
    again = scenario.from_data(loaded.resolved())
    assert again.resolved() == loaded.resolved()
    assert again.searched == load


@pytest.mark.parametrize(
    ("lines", "key", "message"),
    [
        ('outstanding = [8, 1]\nwithin = "2 ms"', "load.outstanding", "has values that do not rise"),
        ('rate = ["9 IO/s", "9 IO/s"]\nwithin = "2 ms"', "load.rate", "has values that do not rise"),
        ('arrivals = ["1 s"]\nwithin = "2 ms"', "load.within", "used with arrivals"),
        ('outstanding = 1\nwithin_percentile = "99 %"', "load.within_percentile", 'within = "2 ms"'),
        ('outstanding = 1\nwithin = "0 ms"', "load.within", "not above 0 s"),
        ('outstanding = 1\nwithin = "2"', "load.within", "has no unit"),
        ('outstanding = 1\nwithin = "2 ms"\nwithin_percentile = "5 %"', "load.within_percentile", "too small"),
    ],
)  # fmt: skip
def test_a_search_that_cannot_be_made_is_refused(lines, key, message):
    (found,) = problems_of(ONE_LOAD.replace("outstanding = 1", lines))
    assert found.key == key
    assert message in str(found)


def test_only_one_load_is_searched_for():
    text = GOOD.replace("[1, 8]", '8\nwithin = "2 ms"').replace(
        '["1000 IO/s", "2 kIO/s"]', '"1 kIO/s"\nwithin = "3 ms"'
    )
    (found,) = problems_of(text)
    assert (found.key, found.cause) == ("load[1].within", "is also in an earlier load")


def test_numbers_are_plain_and_in_base_units():
    loaded = scenario.load_text(GOOD)
    mail, log = loaded.loads
    assert (loaded.title, loaded.seed) == ("A mix", 7)
    assert loaded.host.clock == 2.3e9
    assert loaded.volumes[0].set == {"flash.read_time": 60e-6}
    assert (mail.read, mail.random) == (0.67, 0.9)
    assert mail.sizes == ((4096, 0.75, None, None), (65536, 0.25, None, None))
    assert mail.area == Area(2**30, 32 * 2**30)
    assert mail.outstanding == (1, 8)
    assert (mail.think, mail.think_distribution) == (pytest.approx(1e-5), "exponential")
    assert mail.hot == (0.1, 0.9)
    assert mail.timeout == 0.01
    assert mail.limit == (1.0, 1_000_000, None)
    assert log.rate == (1000.0, 2000.0)
    assert log.burst == (0.01, 0.09)
    assert loaded.measure.precision == 0.02
    assert loaded.points == 2


def test_what_a_file_leaves_out_has_its_default():
    loaded = scenario.load_text(ONE_LOAD)
    load = loaded.loads[0]
    assert loaded.seed == 1
    assert loaded.volumes[0].name == load.volume == "data"
    assert load.random == 1.0
    assert load.sizes == ((8192, 1.0, None, None),)
    assert load.area == (0, None)
    assert (load.workers, load.partitions, load.priority) == (1, False, 0)
    assert load.timeout is None
    assert loaded.measure.confidence == 0.95


def test_requests_are_aligned_to_their_size_of_a_mix_to_the_largest():
    assert scenario.load_text(ONE_LOAD).loads[0].align == 8192
    assert scenario.load_text(GOOD).loads[0].align == 65536


def test_an_unnamed_volume_is_the_only_one():
    assert scenario.load_text(GOOD).loads[1].volume == "data"


def test_the_cards_come_with_what_the_scenario_sets():
    volume = scenario.load_text(GOOD).volumes[0]
    assert volume.card["flash.read_time"] == 60e-6
    assert volume.capacity == 800 * 10**9


def test_values_of_a_card_may_be_set_with_or_without_quotes():
    nested = GOOD.replace('"flash.read_time" =', "flash.read_time =")
    assert scenario.load_text(nested).volumes[0].set == {"flash.read_time": 60e-6}


def test_a_partition_is_an_equal_part_of_the_volume_and_the_area_lies_in_it():
    load = scenario.load("p3700-four-processes").loads[0]
    capacity = 800 * 10**9
    extents = [load.extent(capacity, worker) for worker in range(4)]
    assert [start for start, _ in extents] == [0, 200 * 10**9, 400 * 10**9, 600 * 10**9]
    assert {size for _, size in extents} == {32 * 2**30}


def test_a_scenario_cannot_be_changed():
    loaded = scenario.load_text(ONE_LOAD)
    with pytest.raises(AttributeError, match="a scenario does not change, so seed cannot be set"):
        loaded.seed = 2


@pytest.mark.parametrize("text", [GOOD, ONE_LOAD], ids=["mix", "plain"])
def test_what_is_resolved_can_be_loaded_again_and_says_everything(text):
    first = scenario.load_text(text)
    again = scenario.from_data(first.resolved())
    assert again.resolved() == first.resolved()
    for name in ("align", "area", "workers", "think", "priority", "volume", "random"):
        assert all(name in load for load in first.resolved()["load"])
    assert (again.host, again.volumes, again.measure) == (first.host, first.volumes, first.measure)
    for a, b in zip(again.loads, first.loads, strict=True):
        assert a.model_dump() == b.model_dump()


def test_the_scenario_of_a_result_can_be_run_again(tmp_path):
    first = scenario.load_text(GOOD)
    result = tmp_path / "out.json"
    result.write_text(json.dumps({"schema": "raidsim.result/1", "scenario": first.resolved()}))
    again = scenario.load(result)
    assert again.resolved() == first.resolved()
    assert again.seed == 7


def test_resolved_is_a_copy():
    loaded = scenario.load_text(GOOD)
    loaded.resolved()["load"][0]["area"]["size"] = "1 B"
    assert loaded.resolved()["load"][0]["area"]["size"] == "32 GiB"


@pytest.mark.parametrize("table", ["controller", "event", "link", "machine", "hybrid", "measure"])
def test_null_in_json_is_a_key_that_is_not_there(table):
    data = {
        "host": {"model": "fujitsu-rx300-s4"},
        "controller": [{"model": "lsi-megaraid-1078-512"}],
        "volume": [{"drive": "nl-sas-2tb"}],
        "load": [{"read": "100 %", "size": "4 KiB", "outstanding": 1}],
    }
    nothing = {
        "host": {"clock": None},
        "volume": [data["volume"][0] | {"controller": None, "strip": None}],
        "load": [data["load"][0] | {"think": None, "limit": {"time": None}}],
        "air": None,
    }
    nothing["host"] |= data["host"]
    without = {key: value for key, value in data.items() if key != table}
    found = scenario.from_data(data | nothing | {table: None})
    assert found.resolved() == scenario.from_data(without).resolved()
    assert found.resolved() == scenario.from_data(found.resolved()).resolved()


# ---- the scenarios that come with raidsim


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_a_shipped_scenario_loads_by_name_and_explains_itself(path):
    loaded = scenario.load(path.stem)
    assert loaded.title
    assert loaded.description
    assert path.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", STANDARD)
def test_a_standard_profile_goes_from_1_to_512_outstanding_in_a_file_of_32_gib(name):
    load = scenario.load(f"p3700-{name}").loads[0]
    assert load.outstanding == tuple(2**n for n in range(10))
    assert load.area == (0, 32 * 2**30)
    assert load.align == 4096


@pytest.mark.parametrize(
    ("name", "read", "random", "size"),
    [
        ("database", 0.67, 1, 8192),
        ("file-server", 0.67, 1, 65536),
        ("file-copy", 0.5, 1, 65536),
        ("streaming", 1, 0, 65536),
        ("restore", 0, 0, 65536),
        ("latency-read", 1, 0, 1024),
        ("latency-write", 0, 0, 1024),
        ("four-processes", 1, 1, 4096),
    ],
)
def test_the_profiles_are_those_of_the_document(name, read, random, size):
    load = scenario.load(f"p3700-{name}").loads[0]
    assert (load.read, load.random, load.sizes) == (read, random, ((size, 1.0, None, None),))


# ---- documentation


def test_the_reference_page_is_current():
    page = Path(data_folder("models")).parent / "docs" / "reference" / "scenario.md"
    assert page.read_text(encoding="utf-8") == reference.markdown(), (
        "run: python docs/reference/generate.py"
    )
