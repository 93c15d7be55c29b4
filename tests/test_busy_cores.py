"""A load that the cores of its own processes limit says so: the server has more of them."""

from __future__ import annotations

import pytest

import raidsim
from raidsim import Scenario
from raidsim.scenario import load_text

READS = load_text("""
schema = 1
[host]
model = "linux-xeon-e5-pair"
[[volume]]
level = "raid0"
drives = 4
drive = "samsung-pm9a3-7680gb"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 256
[measure]
min_ios = 2000
max_ios = 50000
""")


def point_of(scenario: Scenario) -> raidsim.result.Point:
    (point,) = raidsim.run(scenario).points
    return point


def remarks(point: raidsim.result.Point) -> list[str]:
    return [text for text in point.warnings if "load.workers" in text]


def test_four_drives_are_read_as_fast_as_one_core_can_ask_and_the_run_says_so() -> None:
    one = point_of(READS)
    four = point_of(READS.with_("load.workers", 4))
    assert four.iops.mean == pytest.approx(4 * one.iops.mean, rel=0.02)
    (said,) = remarks(one)
    assert said == (
        "the worker keeps one core busy, and the host has 44: more workers (load.workers) may"
        " carry more"
    )
    assert "each of 4 workers keeps one core busy" in remarks(four)[0]


def test_nothing_is_said_where_the_drive_is_the_limit_or_all_cores_have_a_worker() -> None:
    few = READS.with_("load.outstanding", 8)
    assert remarks(point_of(few)) == []
    every = READS.with_({"load.workers": 2, "host.set.cpu.cores": 2})
    assert point_of(every).limited_by.kind == "host CPU"
    assert remarks(point_of(every)) == []
