"""Keys that change nothing in the scenario that they stand in: check and results say so."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raidsim.explain.without_effect import without_effect
from raidsim.report.findings import findings
from raidsim.result import Point
from raidsim.running import run_point
from raidsim.scenario import Scenario, from_data

SSD, DISK = "intel-p3700-800gb", "cisco-hdd-4tb"
PART = {"area": {"size": "32 GiB"}}
QUICK = {"min_ios": 1000, "max_ios": 1000}


def scenario(
    *,
    drive: str = SSD,
    volume: dict[str, Any] | None = None,
    load: dict[str, Any] | None = None,
    **rest: dict[str, Any],
) -> Scenario:
    mixed = {"read": "50 %", "size": "8 KiB", "outstanding": 2}
    rest["host"] = {"model": "fujitsu-rx2540-m1"} | rest.get("host", {})
    rest["measure"] = QUICK | rest.get("measure", {})
    return from_data(
        {"volume": [{"drive": drive} | (volume or {})], "load": [mixed | (load or {})], **rest}
    )


RAID_0 = {"level": "raid0", "drives": 4}
RAID_5 = {"level": "raid5", "drives": 4}
IDLE = [
    ("filled", {"volume": {"filled": "50 %"}}),
    ("filled", {"volume": {"filled": "50 %", "state": "filled"}}),
    ("filled", {"volume": {"filled": "50 %", "state": "fresh"}, "load": PART}),
    ("filled", {"volume": {"filled": "50 %"}, "drive": DISK}),
    ("filled", {"volume": {"filled": "50 %"}, "load": {"workers": 4, "partitions": True}}),
    ("state", {"volume": {"state": "fresh"}, "drive": DISK}),
    ("strip", {"volume": {"strip": "128 KiB"}}),
    ("copies", {"volume": RAID_5 | {"copies": 3}}),
    ("rotation", {"volume": RAID_0 | {"rotation": "n-restart"}}),
    ("parity_writes", {"volume": RAID_0 | {"parity_writes": "no-modify"}}),
    ("group_thread_cnt", {"volume": RAID_0 | {"group_thread_cnt": 4}}),
    ("mirror_reads", {"volume": RAID_5 | {"mirror_reads": "round-robin"}}),
    ("rebuild_rate", {"volume": RAID_0 | {"rebuild_rate": "50 %"}}),
    ("rebuild_limit", {"volume": RAID_0 | {"rebuild_limit": "50 MB/s"}}),
    ("rebuild_sample", {"volume": RAID_5 | {"rebuild_sample": "1 %"}}),
    ("bitmap_chunk", {"volume": RAID_5 | {"bitmap_chunk": "1 MiB"}}),
    ("cpu_load", {"host": {"cpu_load": True}}),
    ("partitions", {"load": {"partitions": True}}),
    ("think_distribution", {"load": {"think_distribution": "exponential"}}),
    ("priority", {"load": {"priority": 2}, "drive": DISK}),
    ("ambient", {"air": {"ambient": "40 C"}, "drive": DISK}),
    ("start", {"air": {"start": "warm"}, "drive": DISK}),
    ("duration", {"measure": {"duration": "1 s"}}),
    ("precision", {"measure": {"precision": "5 %"}, "load": {"limit": {"ios": 500}}}),
]
COUNTS = [
    {"volume": {"filled": "50 %"}, "load": PART},
    {"volume": {"filled": "50 %"}, "load": {"read": "100 %"}},
    {"drive": "samsung-970-evo-plus-500gb", "volume": {"filled": "50 %"}},  # room for its SLC cache
    {"volume": RAID_5 | {"rotation": "n-restart", "strip": "128 KiB", "rebuild_rate": "50 %"}},
    {"volume": RAID_5 | {"intent": "bitmap", "bitmap_chunk": "1 MiB", "group_thread_cnt": 4}},
    {"host": {"cpu_load": True, "power_plan": "default"}},
    {"load": {"think_distribution": "exponential", "think": "1 ms", "priority": 1}},
    {"air": {"ambient": "40 C", "start": "warm"}},
]


@pytest.mark.parametrize(("key", "given"), IDLE, ids=lambda value: str(value)[:50])
def test_a_key_that_changes_nothing_is_a_finding(key: str, given: dict[str, Any]) -> None:
    found = scenario(**given)
    (idle,) = (one for one in without_effect(found) if one.key == key)
    assert any(f"{key} has no effect: {idle.why}" in str(one) for one in findings(found))


@pytest.mark.parametrize("given", COUNTS, ids=str)
def test_a_key_that_counts_is_none(given: dict[str, Any]) -> None:
    # Measured are fewer I/Os than usual, for speed: that is given, too.
    assert [one for one in without_effect(scenario(**given)) if one.where != "measure"] == []


def measured(**given: Any) -> Point:
    (point,) = run_point(scenario(**given), 0)
    return point


@pytest.mark.parametrize(
    ("with_it", "without"),
    [
        ({"volume": RAID_0 | {"rotation": "n-restart"}}, {"volume": RAID_0}),
        ({"load": {"think_distribution": "exponential"}}, {}),
        ({"drive": DISK, "load": {"priority": 2}}, {"drive": DISK}),
    ],
    ids=["rotation", "think_distribution", "priority"],
)
def test_the_result_says_so_and_is_the_same_without_the_key(
    with_it: dict[str, Any], without: dict[str, Any]
) -> None:
    given, plain = measured(**with_it), measured(**without)
    said = [text for text in given.warnings if "has no effect" in text]
    assert len(said) == 1
    others = [text for text in given.warnings if text not in said]
    assert dataclasses.replace(given, warnings=others) == plain
