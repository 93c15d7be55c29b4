"""Plans: of many designs the one that came farthest says why none is there."""

from __future__ import annotations

import pytest

from raidsim.planning.need import need_of
from raidsim.planning.planner import plan

NEED = """
title = "RAID 5 that is not allowed"
[need]
capacity = "40 TB"
years = 1
failures = 2
[[load]]
read = "70 %"
size = "8 KiB"
rate = "15000 IO/s"
[[latency]]
within = "5 ms"
[choice]
drives = ["cisco-hdd-1200gb-10k", "samsung-pm9a3-7680gb", "seagate-st8000nm000a"]
levels = ["raid5"]
counts = "3..24"
controllers = ["host", "broadcom-megaraid-9670w-16i"]
hosts = ["linux-xeon-e5-pair"]
"""


@pytest.fixture(scope="module")
def found():
    return plan(need_of(NEED), unknowns=0, workers=1)


def test_of_designs_that_all_fall_for_one_limit_the_one_shown_lacks_nothing_else(found):
    """The first of them all holds too little and carries too little besides."""
    assert found.designs > 200
    said = found.why("level=raid5")
    assert "dropped by arithmetic: failures survived 1, and 2 are needed (off by 50 %)" in said
    assert "capacity" not in said
    assert "rate" not in said


def test_a_design_that_is_shown_for_many_is_told_of_as_when_it_is_named(found):
    said = found.why("drive=seagate-st8000nm000a")
    number = said.split("\n")[1].split(":")[0]
    assert found.why(number).splitlines()[-1] == said.splitlines()[-1]
