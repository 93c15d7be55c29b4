"""What is frozen can be in sets and be a key of a dict: equal things have equal hashes."""

import raidsim
from raidsim import Scenario, cards
from raidsim.studies.sweep import Sweep

SCENARIO = Scenario.read("p3700-database")


def test_equal_scenarios_are_one_in_a_set_and_others_are_more():
    again = Scenario.read("p3700-database")
    other = SCENARIO.with_("seed", 7)
    assert again == SCENARIO
    assert {SCENARIO: "found"}[again] == "found"
    assert len({SCENARIO, again, other}) == 2


def test_scenarios_that_write_a_value_in_two_ways_have_one_hash():
    one, other = (SCENARIO.with_("load.size", text) for text in ("8 KiB", "8192 B"))
    assert (one.loads == other.loads) == (hash(one.loads) == hash(other.loads))
    assert hash(one.volumes[0]) == hash(other.volumes[0])


def test_tables_of_all_scenarios_have_hashes():
    for name in ("raid5-disks", "tolly-n5-boot-storm", "rebuild-raid6"):
        scenario = Scenario.read(name)
        assert len({scenario, *scenario.volumes, *scenario.loads, *scenario.events}) > 2


def test_cards_and_sweeps_have_hashes():
    assert len({cards.load("nl-sas-2tb"), cards.load("nl-sas-2tb"), SCENARIO.volumes[0].card}) == 2
    assert len({Sweep("a", (), ()), Sweep("a", (), ()), Sweep("b", (), ())}) == 2


def test_a_result_that_is_read_again_has_the_hash_of_the_result(tmp_path):
    quick = {"load.outstanding": 1, "measure.min_ios": 500, "measure.max_ios": 1000}
    result = raidsim.run(SCENARIO.with_(quick))
    result.to_json(tmp_path / "result.json")
    again = raidsim.Result.read(tmp_path / "result.json")
    assert again == result
    assert len({result, again}) == 1
