"""Plans that choose between strips: which ones a design has is said wherever it is named."""

from __future__ import annotations

import pytest

from raidsim.planning.choice import space_of
from raidsim.planning.need import need_of
from raidsim.planning.planner import plan
from raidsim.report import plan_files, plan_text

NEED = """
title = "a choice of strips"
[need]
capacity = "20 TB"
years = 1
failures = 1
[[load]]
read = "70 %"
size = "16 KiB"
rate = "1000 IO/s"
[[latency]]
within = "5 ms"
[choice]
drives = ["samsung-pm9a3-7680gb"]
levels = ["raid5"]
counts = 5
controllers = ["host"]
hosts = ["linux-xeon-e5-pair"]
strips = ["4 KiB", "8 KiB"]
"""


@pytest.fixture(scope="module")
def found():
    return plan(need_of(NEED), unknowns=0, workers=1)


def test_a_design_of_several_strips_says_its_own(found):
    for one in found.front:
        words = f"strips of {one.keys['strip']}"
        assert words in one.label
        assert words in str(one.scenario.source.file.data["title"])
        text = plan_files.scenarios(found)[f"design-{one.number}.toml"].decode()
        assert words in text.splitlines()[1]
        assert f"{one.number}: {one.label}" in [str(part) for part in plan_text.parts(found)]


def test_designs_that_have_all_the_same_strips_say_nothing_of_them():
    space = space_of(need_of(NEED.replace('["4 KiB", "8 KiB"]', '"64 KiB"')))
    assert "strip" not in space.design(0).label


def test_strips_below_the_random_requests_are_remarked(found):
    (said,) = (one for one in found.remarks if "larger than the strips" in one)
    numbers = [f"{one.number} ({one.keys['strip']})" for one in found.front]
    assert said.startswith(f"random requests of 16 KiB are larger than the strips of {numbers[0]}")
    assert all(one in said for one in numbers)


def test_strips_above_them_are_not():
    need = need_of(NEED.replace('["4 KiB", "8 KiB"]', '"64 KiB"'))
    assert not [
        one for one in plan(need, unknowns=0, workers=1).remarks if "than the strips" in one
    ]
