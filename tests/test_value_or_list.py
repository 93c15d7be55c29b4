"""Keys that take a value or a list, as the reference page says of them."""

from __future__ import annotations

import re

import pytest
from scenario_texts import ONE_LOAD

from raidsim import scenario
from raidsim.scenario import reference

LISTS = re.findall(r"^\| `(\w+)` \| [^|]*, or a list \|", reference.markdown(), re.MULTILINE)
RAID = ONE_LOAD.replace("[[volume]]", '[[volume]]\nlevel = "raid5"\ndrives = 3')
CABLE = """\
[[controller]]
model = "cisco-12g-sas-hba"
[[link]]
name = "cable"
speed = "sas-12g"
"""
BAD = '[[event]]\nkind = "latent-errors"\nat = "1 s"\ndrive = 0\noffsets = VALUE\n'
ONE_IN_A_LIST = {  # a scenario with such a key, and a value of it
    "failed": (RAID.replace("level", "failed = VALUE\nlevel"), "1"),
    "behind": (
        CABLE + ONE_LOAD.replace('"intel-p3700-800gb"', '"nl-sas-2tb"\nbehind = VALUE'),
        '"cable"',
    ),
    "outstanding": (ONE_LOAD.replace("outstanding = 1", "outstanding = VALUE"), "2"),
    "rate": (ONE_LOAD.replace("outstanding = 1", "rate = VALUE"), '"9 IO/s"'),
    "offsets": (RAID + BAD, '"8 KiB"'),
}


@pytest.mark.parametrize("key", LISTS)
def test_what_is_a_value_or_a_list_takes_one_value(key: str) -> None:
    """The page says so of these keys, and of no others."""
    text, value = ONE_IN_A_LIST[key]
    one, listed = (
        scenario.load_text(text.replace("VALUE", form)) for form in (value, f"[{value}]")
    )
    assert (one.volumes, one.loads, one.events) == (listed.volumes, listed.loads, listed.events)


def test_overrides_of_one_reading_of_a_text_do_not_reach_the_next():
    before = scenario.load_text(ONE_LOAD).resolved()
    override = 'load.sizes=[{ size = "4 KiB", share = "100 %" }]'
    changed = scenario.load_text(ONE_LOAD, overrides=["load.size=", override])
    assert changed.resolved() != before
    changed.resolved()["load"][0]["sizes"][0]["size"] = "8 KiB"
    again = scenario.load_text(ONE_LOAD, overrides=["load.size=", override])
    assert again.resolved() == changed.resolved()
    assert scenario.load_text(ONE_LOAD).resolved() == before


@pytest.mark.parametrize(
    "rates", ['["100 IO/s", "2 kIO/s"]', "[100 IO/s,2 kIO/s]", "[ 100 IO/s, 2 kIO/s ]"]
)
def test_quantities_in_a_list_need_no_quotes_either(rates):
    overrides = ["load.outstanding=", f"load.rate={rates}"]
    assert scenario.load_text(ONE_LOAD, overrides=overrides).loads[0].rate == (100.0, 2000.0)
