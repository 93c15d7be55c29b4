"""Which copy a read takes: nearest heads, queues, turns, and streams that stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from one_disk import PLAIN
from small_array import KIB, SmallArray

from raidsim.kernel import tables as t
from raidsim.running import run
from raidsim.scenario import from_data

SECTOR = 512
DISK: dict[str, Any] = {"drive": PLAIN, "model": "nl-sas-2tb"}


def disks(copies: int, *loads: dict[str, Any], **words: Any) -> SmallArray:
    """A mirror of plain disks whose reads take the nearest head."""
    return SmallArray(
        "raid1",
        copies,
        *loads,
        mirror_reads="nearest-head",
        **DISK,
        **words,
    )


@compiled_only
@pytest.mark.parametrize(("copies", "printed"), [(2, 0.1614), (3, 0.1064)])
def test_the_nearest_of_heads_that_stay_where_they_are(copies: int, printed: float) -> None:
    array = disks(copies, {"size": "512 B", "align": "512 B"}, seed=2)
    array.begin()
    rows = array.system.world.disks[:copies]
    ios, moved = 20_000, 0
    for done in range(ios):
        before = rows["cylinder"].astype(int)
        array.system.run(budget=done + 1)
        moved += np.abs(rows["cylinder"] - before).sum()
    assert moved / ios / rows["cylinders"][0] == pytest.approx(printed, rel=0.02)


@compiled_only
@pytest.mark.parametrize("copies", [2, 3, 4])
def test_the_nearest_of_independent_heads(copies: int) -> None:
    array = disks(copies)
    rng = np.random.default_rng(copies)
    size, ios = array.size, 8_000
    distance = 0
    for _ in range(ios):
        array.members["end"] = rng.integers(0, size, copies)
        ends = array.members["end"].tolist()
        before = array.device_ios()
        offset = int(rng.integers(0, size // SECTOR)) * SECTOR
        array.do(t.READ, offset, SECTOR)
        (taken,) = np.flatnonzero(np.subtract(array.device_ios(), before))
        distance += abs(ends[taken] - offset)
    expected = (copies + 3) / (2 * (copies + 1) * (copies + 2))
    assert distance / ios / size == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize(("level", "copies"), [("raid1", 2), ("raid1", 3), ("raid1", 4)])
def test_taking_turns_balances_exactly(level: str, copies: int) -> None:
    load = {"outstanding": 5, "limit": {"ios": 100 * copies}}
    array = SmallArray(level, copies, load, mirror_reads="round-robin")
    array.begin()
    array.rest()
    assert array.device_ios() == [100] * copies


@pytest.mark.parametrize("outstanding", [2, 3, 8])
def test_the_shortest_queue_leaves_no_copy_idle_while_another_one_queues(outstanding: int) -> None:
    array = SmallArray("raid1", 2, {"outstanding": outstanding, "limit": {"ios": 300}})
    array.serve_in(1_000_003, 700_001)
    array.begin()
    while array.system.world.streams[0]["issued"] < 300:
        time = array.system.next_time
        array.until(time)
        first, second = array.members["in_flight"].tolist()
        assert abs(first - second) <= 1
    array.rest()
    slow, fast = array.device_ios()
    assert fast > slow or outstanding == 2


@pytest.mark.parametrize(("kind", "expected"), [({}, [3, 0]), (DISK, [2, 1])])
def test_of_idle_copies_flash_is_read_at_the_first_one_and_disks_where_the_arm_is_near(
    kind: dict[str, Any], expected: list[int]
) -> None:
    array = SmallArray("raid1", 2, **kind)
    for megabyte in (10, 800, 5):
        array.do(t.READ, megabyte * KIB * KIB, 4 * KIB)
    assert array.device_ios() == expected


@compiled_only
def test_streams_of_flash_settle_alike_with_every_seed() -> None:
    def rate(seed: int) -> float:
        load = {"read": "100 %", "random": "0 %", "size": "256 KiB", "outstanding": 1}
        scenario = {
            "host": {"model": "amd-epyc-9654-pair"},
            "volume": [{"level": "raid10", "drives": 12, "drive": "samsung-pm9a3-7680gb"}],
            "load": [load | {"workers": 4, "partitions": True}],
            "seed": seed,
        }
        return run(from_data(scenario)).points[0].iops.mean

    rates = [rate(seed) for seed in (1, 3, 5)]
    assert max(rates) < 1.05 * min(rates), rates


@pytest.mark.parametrize("copies", [2, 3])
def test_reads_that_wait_for_the_cpu_count_as_queued(copies: int) -> None:
    array = SmallArray("raid1", copies, host={"raid.io_time": "50 us"})
    rng = np.random.default_rng(1)
    for offset in rng.integers(1, array.size // SECTOR, 4 * copies).tolist():
        array.start(t.READ, offset * SECTOR, SECTOR)
    array.until(60_000)  # one of them has left, the next one is planned
    assert array.members["in_flight"].tolist() == [1, 1, 0][:copies]
    assert sum(array.device_ios()) == 0
    array.rest()
    assert array.device_ios() == [4] * copies


CPU = {"submit.io_time": "2 us", "raid.io_time": "5 us"}


@pytest.mark.parametrize("host", [{}, CPU], ids=["free", "with CPU time"])
@pytest.mark.parametrize("policy", ["shortest-queue", "nearest-head", "round-robin"])
@pytest.mark.parametrize("outstanding", [1, 4, 8])
def test_a_stream_stays_on_one_copy_at_low_load(
    policy: str, outstanding: int, host: dict[str, Any]
) -> None:
    load = {"random": "0 %", "size": "16 KiB", "outstanding": outstanding, "limit": {"ios": 200}}
    array = SmallArray("raid1", 2, load, mirror_reads=policy, host=host)
    array.begin()
    array.rest()
    assert sorted(array.device_ios()) == [0, 200]


@pytest.mark.parametrize("host", [{}, CPU], ids=["free", "with CPU time"])
@pytest.mark.parametrize("outstanding", [16, 32])
def test_a_stream_takes_both_copies_at_high_load(outstanding: int, host: dict[str, Any]) -> None:
    load = {"random": "0 %", "size": "16 KiB", "outstanding": outstanding, "limit": {"ios": 600}}
    array = SmallArray("raid1", 2, load, host=host)
    array.begin()
    array.rest()
    assert min(array.device_ios()) > 0.4 * 600


def test_the_depth_from_which_a_stream_takes_the_next_copy_is_the_hosts() -> None:
    load = {"random": "0 %", "size": "16 KiB", "outstanding": 4, "limit": {"ios": 200}}
    array = SmallArray("raid1", 2, load, host={"raid.stream_depth": 2})
    array.begin()
    array.rest()
    assert min(array.device_ios()) > 50


def test_two_streams_have_a_copy_each() -> None:
    streams = [
        {
            "random": "0 %",
            "size": "16 KiB",
            "area": {"offset": offset, "size": "300 MiB"},
            "outstanding": 2,
            "limit": {"ios": 200},
        }
        for offset in ("0 B", "400 MiB")
    ]
    array = SmallArray("raid1", 2, *streams)
    array.begin()
    array.rest()
    assert array.device_ios() == [200, 200]


def test_a_request_over_several_strips_of_one_copy_is_one_device_io() -> None:
    array = SmallArray("raid1", 2)
    array.do(t.READ, 12 * KIB, 40 * KIB)
    assert sorted(array.device_ios()) == [0, 1]


@compiled_only
@pytest.mark.parametrize("outstanding", [4, 32])
def test_far_copies_of_disks_stream_like_a_stripe_at_any_depth(outstanding: int) -> None:
    def rate(level: str, **words: Any) -> float:
        load = {"size": "256 KiB", "random": "0 %", "outstanding": outstanding}
        array = SmallArray(level, 4, load, **DISK, **words)
        array.begin()
        array.system.run(budget=2000)
        return 2000 / array.system.now

    assert rate("raid10", spread="far") > 0.9 * rate("raid0")


LINUX: dict[str, Any] = {"mirror_reads": "linux-md"}


@compiled_only
@pytest.mark.parametrize("kind", [{}, DISK], ids=["flash", "disks"])
@pytest.mark.parametrize("outstanding", [1, 32])
def test_under_linux_a_stream_never_leaves_its_drive_in_raid_1(
    outstanding: int, kind: dict[str, Any]
) -> None:
    load = {"random": "0 %", "size": "16 KiB", "outstanding": outstanding, "limit": {"ios": 600}}
    array = SmallArray("raid1", 2, load, **kind, **LINUX)
    array.begin()
    array.rest()
    assert array.device_ios() == [600, 0]


@compiled_only
@pytest.mark.parametrize(("kind", "least", "most"), [({}, 200, 300), (DISK, 0, 30)])
def test_under_linux_a_stream_of_raid_10_takes_both_copies_on_flash_and_the_nearest_head_on_disks(
    kind: dict[str, Any], least: int, most: int
) -> None:
    load = {"random": "0 %", "size": "16 KiB", "outstanding": 32, "limit": {"ios": 600}}
    array = SmallArray("raid10", 2, load, **kind, **LINUX)
    array.begin()
    array.rest()
    assert least <= min(array.device_ios()) <= most


@pytest.mark.parametrize("kind", [{}, DISK], ids=["flash", "disks"])
@pytest.mark.parametrize("level", ["raid1", "raid10"])
def test_under_linux_the_first_idle_copy_is_read_however_far_its_arm_is(
    level: str, kind: dict[str, Any]
) -> None:
    array = SmallArray(level, 2, **kind, **LINUX)
    for megabyte in (10, 800, 5, 790):
        array.do(t.READ, megabyte * KIB * KIB, 4 * KIB)
    assert array.device_ios() == [4, 0]


@pytest.mark.parametrize("level", ["raid1", "raid10"])
@pytest.mark.parametrize(("megabyte", "taken"), [(30, 0), (760, 1)])
def test_under_linux_busy_disks_are_read_where_a_command_ended_nearest_by(
    level: str, megabyte: int, taken: int
) -> None:
    array = SmallArray(level, 2, **DISK, **LINUX)
    array.members["head"] = [10 * KIB * KIB, 800 * KIB * KIB]
    array.members["in_flight"] = [7, 1]
    array.start(t.READ, megabyte * KIB * KIB, 4 * KIB)
    array.until(1)
    assert (array.members["in_flight"] - [7, 1]).tolist() == [taken == 0, taken == 1]


@pytest.mark.parametrize("level", ["raid1", "raid10"])
def test_under_linux_busy_flash_is_read_where_fewest_commands_are(level: str) -> None:
    array = SmallArray(level, 2, **LINUX)
    array.members["head"] = [30 * KIB * KIB, 800 * KIB * KIB]
    array.members["in_flight"] = [7, 1]
    array.start(t.READ, 31 * KIB * KIB, 4 * KIB)
    array.until(1)
    assert array.members["in_flight"].tolist() == [7, 2]


@pytest.mark.parametrize("spread", ["far", "offset"])
def test_under_linux_far_and_offset_copies_of_disks_are_read_at_the_lowest_address(
    spread: str,
) -> None:
    array = SmallArray("raid10", 2, spread=spread, **DISK, **LINUX)
    array.members["in_flight"] = [7, 0]
    strip = int(array.system.world.layouts[0]["strip"])
    array.start(t.READ, 0, 4 * KIB)
    array.until(1)
    assert array.members["in_flight"].tolist() == [8, 0]
    array.start(t.READ, strip, 4 * KIB)
    array.until(2)
    assert array.members["in_flight"].tolist() == [8, 1]
