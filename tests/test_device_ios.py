"""What an array asks of its drives for each I/O: the write penalties of the textbooks."""

from __future__ import annotations

import pytest

from raidsim.running import run
from raidsim.scenario import from_data

HOST = {"model": "cisco-ucs-c240-m4"}
DISK = "cisco-hdd-600gb-15k"
MEASURE = {"min_ios": 2_000, "max_ios": 4_000}


def use(level, drives, load, **keys):
    """The use of an array under a load, with parity from the host."""
    volume = {"name": "data", "level": level, "drives": drives, "drive": DISK, "strip": "64 KiB"}
    asked = {"size": "8 KiB", "read": "0 %", "outstanding": 4} | load
    data = {"host": HOST, "volume": [volume | keys], "load": [asked], "measure": MEASURE}
    (point,) = run(from_data(data)).points
    (found,) = point.arrays
    assert found.host_ios == point.counts.measured
    return found


@pytest.mark.parametrize(
    ("level", "drives", "expected"),
    [
        ("raid0", 4, {"write": 1}),
        ("raid1", 2, {"write": 2}),
        ("raid10", 4, {"write": 2}),
        ("raid5", 5, {"read for read-modify-write": 2, "write": 1, "parity write": 1}),
        ("raid6", 8, {"read for read-modify-write": 3, "write": 1, "parity write": 2}),
    ],
)
def test_a_small_write_costs_what_its_level_is_known_for(level, drives, expected):
    found = use(level, drives, {"align": "8 KiB"})
    assert list(found.per_host_io) == ["host"]
    for what, number in expected.items():
        assert found.per_host_io["host"][what] == pytest.approx(number, rel=0.01), what
    assert set(found.per_host_io["host"]) == set(expected)


def test_a_write_to_a_chunk_without_a_mark_writes_the_bitmap_on_all_drives_before():
    none, noted = (use("raid10", 4, {"outstanding": 1}, intent=i) for i in ("none", "bitmap"))
    assert "bitmap write" not in none.per_host_io["host"]
    assert noted.per_host_io["host"]["write"] == pytest.approx(2, rel=0.01)
    assert noted.per_host_io["host"]["bitmap write"] == pytest.approx(4, rel=0.05)


def test_a_write_of_a_whole_stripe_reads_nothing():
    size = 4 * 64
    found = use("raid5", 5, {"size": f"{size} KiB", "align": f"{size} KiB"})
    assert found.per_host_io["host"] == {"full-stripe write": pytest.approx(5, rel=0.01)}


def test_reads_of_a_lost_drive_are_reads_of_all_others():
    found = use("raid5", 5, {"read": "100 %", "align": "8 KiB"}, failed=[0])
    each = found.per_host_io["host"]
    assert each["read to reconstruct"] == pytest.approx(4 / 5, rel=0.1)
    assert each["read"] == pytest.approx(4 / 5, rel=0.1)


def test_a_write_back_cache_asks_for_itself():
    data = {
        "host": HOST,
        "controller": [{"model": "cisco-12g-sas-raid-2gb", "set": {"cache.size": "16 MiB"}}],
        "volume": [{"name": "data", "level": "raid5", "drives": 4, "drive": DISK,
                    "strip": "64 KiB", "write": "back"}],
        "load": [{"read": "50 %", "size": "8 KiB", "area": {"size": "64 GiB"}, "outstanding": 8}],
        "measure": {"min_ios": 20_000, "max_ios": 40_000},
    }  # fmt: skip
    (point,) = run(from_data(data)).points
    (found,) = point.arrays
    assert set(found.per_host_io) == {"host", "destage"}
    assert set(found.per_host_io["host"]) == {"read"}
    assert found.per_host_io["host"]["read"] == pytest.approx(0.5, rel=0.05)
    assert found.per_host_io["destage"]["parity write"] == pytest.approx(0.5, rel=0.1)


def test_a_single_drive_has_no_commands_of_an_array():
    data = {"host": HOST, "volume": [{"drive": DISK}],
            "load": [{"read": "100 %", "size": "8 KiB", "outstanding": 1}],
            "measure": MEASURE}  # fmt: skip
    (point,) = run(from_data(data)).points
    assert point.arrays == []


def test_counts_are_those_of_the_window_alone():
    found = use("raid5", 5, {"align": "8 KiB"})
    made = sum(found.device_ios["host"].values())
    assert made == pytest.approx(4 * found.host_ios, rel=0.02)


def test_without_an_io_of_the_host_there_is_no_share():
    """A load whose I/Os all take longer than the host waits for them."""
    data = {"host": HOST,
            "volume": [{"name": "data", "level": "raid1", "drives": 2, "drive": DISK}],
            "load": [{"read": "0 %", "size": "8 KiB", "outstanding": 1, "timeout": "1 us"}],
            "measure": {"min_ios": 10, "max_ios": 20}}  # fmt: skip
    (point,) = run(from_data(data)).points
    (found,) = point.arrays
    assert (found.host_ios, found.per_host_io) == (0, None)
    assert found.device_ios["host"]["write"] > 0


@pytest.mark.parametrize(
    ("load", "level", "said"),
    [
        ({"workers": 4}, "raid5", True),
        ({"workers": 1}, "raid5", False),
        ({"workers": 4, "random": "100 %"}, "raid5", False),
        ({"workers": 4, "size": "256 KiB"}, "raid5", False),
        ({"workers": 4}, "raid10", False),
    ],
)
def test_that_gathering_of_several_streams_may_change_is_said_of_md_with_parity(load, level, said):
    """Sixteen such streams did 64,200 IO/s for eight seconds and 47,600 later, by the seed."""
    volume = {"name": "data", "level": level, "drives": 5 - (level == "raid10"),
              "drive": "intel-p4510-4tb", "strip": "64 KiB"}  # fmt: skip
    asked = {"size": "16 KiB", "read": "0 %", "random": "0 %", "outstanding": 4} | load
    data = {"host": {"model": "linux-xeon-e5-pair"}, "volume": [volume], "load": [asked]}
    (point,) = run(from_data(data | {"measure": MEASURE})).points
    assert any("several sequential streams" in one for one in point.warnings) == said


@pytest.mark.parametrize("outstanding", [256, 512])
def test_commands_of_plans_that_are_dropped_are_not_counted(outstanding):
    """Sequential writes come together in whole stripes, after a part of each was planned alone.

    What was planned before a window of measurement opened, and was dropped in it, made counts
    below zero.
    """
    load = {"random": "0 %", "size": "64 KiB", "outstanding": outstanding}
    made = use("raid6", 8, load).device_ios["host"]
    assert min(made.values()) >= 0
    assert made["full-stripe write"] > 0
