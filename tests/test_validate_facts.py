"""What catalogue claims read without a run: facts of a scenario, values of cards side by side."""

import pytest

from raidsim.errors import InputError
from raidsim.validate.catalogue import read_card
from raidsim.validate.claims import CardValue, ScenarioValue
from raidsim.validate.facts import read_scenario

HYBRID = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "front"
drive = "intel-p3700-800gb"
[[volume]]
name = "back"
level = "raid6"
drives = 8
spares = 1
drive = "nl-sas-2tb"
[[hybrid]]
front = "front"
back = "back"
[[load]]
volume = "hybrid"
read = "70 %"
size = "8 KiB"
workers = 3
outstanding = 1
[[load]]
name = "other"
volume = "hybrid"
read = "70 %"
size = "64 KiB"
outstanding = 1
"""


def fact(name, unit, *overrides, scenario="array-database"):
    return read_scenario(ScenarioValue(scenario, overrides, name), unit)


def array(level, drives):
    return (
        "host.model=fujitsu-rx300-s4",
        "controller.model=lsi-megaraid-1078-512",
        "volume.drive=seagate-st373455ss",
        f"volume.level={level}",
        f"volume.drives={drives}",
    )


@pytest.fixture
def hybrid(tmp_path):
    (tmp_path / "hybrid.toml").write_text(HYBRID)
    return str(tmp_path / "hybrid.toml")


@pytest.mark.parametrize(
    ("level", "drives", "overhead"),
    [
        ("raid0", 5, 0),
        ("raid1", 2, 1 / 2),
        ("raid10", 8, 1 / 2),
        ("raid5", 3, 1 / 3),
        ("raid5", 8, 1 / 8),
        ("raid6", 8, 2 / 8),
        ("raid50", 8, 2 * 1 / 8),
        ("raid60", 8, 2 * 2 / 8),
    ],
)
def test_overhead_is_what_redundancy_takes_of_all_drives(level, drives, overhead):
    measured = fact("overhead", "%", *array(level, drives))
    assert measured == pytest.approx(100 * overhead, abs=0.001)


@pytest.mark.parametrize(
    ("level", "drives", "fewest", "tolerated"),
    [("raid1", 2, 2, 1), ("raid5", 4, 3, 1), ("raid6", 4, 3, 2), ("raid60", 6, 6, 2)],
)
def test_a_level_says_how_few_drives_make_it_and_how_many_may_fail(
    level, drives, fewest, tolerated
):
    assert fact("fewest_drives", "1", *array(level, drives)) == fewest
    assert fact("failures_tolerated", "1", *array(level, drives)) == tolerated


def test_a_front_holds_nothing_of_its_own_and_spares_are_drives(hybrid):
    assert fact("usable_capacity", "TB", scenario=hybrid) == pytest.approx(6 * 2, rel=1e-3)
    assert fact("overhead", "%", scenario=hybrid) == pytest.approx(25, abs=0.001)
    assert fact("hard_disks", "1", scenario=hybrid) == 9
    assert fact("flash_drives", "1", scenario=hybrid) == 1
    assert fact("flash_capacity", "GB", scenario=hybrid) == pytest.approx(800, rel=1e-3)


def test_what_differs_within_a_scenario_is_no_fact_of_it(hybrid):
    assert fact("read_share", "%", scenario=hybrid) == 70
    assert fact("workers", "1", scenario=hybrid) == 4
    assert fact("request_size", "KiB", scenario=hybrid) is None


def test_a_single_drive_has_no_level_to_make():
    assert fact("fewest_drives", "1", scenario="p3700-database") is None


def test_a_unit_of_something_else_is_refused():
    with pytest.raises(InputError, match="usable_capacity"):
        fact("usable_capacity", "ms")


# ---------------------------------------------------------------- cards


def test_a_value_can_be_relative_to_that_of_another_card():
    value = CardValue("iodrive2-785gb-high-performance", "capacity.user", "iodrive2-785gb")
    assert read_card(value, "%") == pytest.approx(80, abs=0.1)


def test_times_per_byte_are_compared_as_bandwidths():
    value = CardValue("iodrive2-785gb", "link.time_per_byte", "intel-710-300gb")
    quicker, slower = (
        read_card(CardValue(card, "link.time_per_byte"), "MB/s") for card in (value.card, value.of)
    )
    assert read_card(value, "1") == pytest.approx(quicker / slower)


def test_a_kind_of_lanes_is_read_as_the_payload_of_one():
    """SAS at 12 Gbit/s in 8b/10b code."""
    value = CardValue("cisco-12g-sas-hba", "ports.speed")
    assert read_card(value, "MB/s") == pytest.approx(12e9 * 8 / 10 / 8 / 1e6)


@pytest.mark.parametrize(
    ("card", "levels"),
    [("cisco-12g-sas-hba", 0), ("lsi-megaraid-1068", 3), ("lsi-megaraid-1078-512", 7)],
)
def test_single_drives_passed_through_are_no_raid_level(card, levels):
    assert read_card(CardValue(card, "levels"), "1") == levels


@pytest.mark.parametrize("key", ["body.form_factor", "buffer.protected", "levels"])
def test_what_is_no_number_on_the_card_is_refused_in_a_message(key):
    with pytest.raises(InputError, match=key):
        read_card(CardValue("intel-p3700-800gb", key), "1")
