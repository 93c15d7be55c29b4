"""What raidsim check says of strips, and of the I/Os that an I/O of the host becomes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from array_scenarios import array
from check_words import DATABASE, READS, SAFE, STREAM, says, the

from raidsim.layout.tables import READ, WRITE
from raidsim.observe.traffic import cost, gathered, straddling


def test_requests_aligned_to_4_kib_straddle_strips_of_their_own_size() -> None:
    """Of 16 places in a strip of 64 KiB only one holds 64 KiB: 15 in 16 straddle."""
    load = {"read": "100 %", "size": "64 KiB", "align": "4 KiB", "outstanding": 1}
    checked = array(load, level="raid0", drives=4, drive="intel-p3700-800gb")
    assert straddling(checked.volumes[0], checked.loads[0]) == 15 / 16
    assert "94 % of its requests straddle two strips of 64 KiB" in the("straddle", checked)


@pytest.mark.parametrize("sequential", [False, True])
def test_the_share_that_straddles_is_what_counting_finds(sequential: bool) -> None:
    rng = random.Random(5)
    for _ in range(25):
        strip = 8192 << rng.randrange(4)
        size, align = 512 * rng.randrange(1, 40), 512 * rng.randrange(1, 40)
        load = {"read": "100 %", "random": "0 %" if sequential else "100 %", "outstanding": 1,
                "size": f"{size} B", "align": f"{align} B"}  # fmt: skip
        load["area"] = {"offset": f"{512 * rng.randrange(8)} B"}
        checked = array(load, level="raid5", drives=4, strip=f"{strip} B")
        volume, made = checked.volumes[0], checked.loads[0]
        starts = made.area.offset + np.arange(4 * strip) * (size if sequential else align)
        counted = np.mean(starts // strip != (starts + size - 1) // strip)
        assert straddling(volume, made) == pytest.approx(counted)


@pytest.mark.parametrize(
    "quiet",
    [
        {"level": "raid1", "drives": 2},  # every drive has all of it
        {"level": "jbod", "drives": 4},  # no strips
        {"level": "single", "drives": 1},
        {"level": "raid0", "drives": 4, "strip": "1 MiB"},  # 16 in 256 places, less than
    ],
)
def test_requests_straddle_nothing_where_there_are_no_strips_or_large_ones(
    quiet: dict[str, Any],
) -> None:
    load = {"read": "100 %", "size": "8 KiB", "align": "8 KiB", "outstanding": 1}
    assert not says("straddle", array(load, **quiet))


@pytest.mark.parametrize(
    ("level", "strip", "refused"),
    [
        ("raid5", "96 KiB", True),
        ("raid5", "2 KiB", True),
        ("raid6", "64 KiB", False),
        ("raid10", "96 KiB", True),
        ("raid0", "96 KiB", False),
        ("raid0", "3 KiB", True),
    ],
)
def test_strips_that_md_refuses_are_named(level: str, strip: str, refused: bool) -> None:
    """mdadm --create: chunks of whole pages, and of a power of two but for RAID 0."""
    checked = array(READS, level=level, drives=4, strip=strip)
    assert says("Linux md has no strips", checked) is refused


def test_a_strip_below_the_request_keeps_several_drives_busy() -> None:
    load = {"read": "100 %", "size": "64 KiB", "outstanding": 1}
    text = the("larger than the strips", array(load, level="raid0", drives=8, strip="16 KiB"))
    assert "64 KiB are larger than the strips of 16 KiB: each keeps 4 or more drives busy" in text
    stream = load | {"random": "0 %"}
    assert not says("larger than", array(stream, level="raid0", drives=8, strip="16 KiB"))


@pytest.mark.parametrize(
    ("level", "drives", "reads", "writes"),
    [
        ("raid5", 8, 2, 2),
        ("raid5", 3, 1, 2),  # reconstruct-write: the one other strip
        ("raid6", 8, 3, 3),
        ("raid6", 5, 2, 3),
        ("raid10", 8, 0, 2),
        ("raid0", 8, 0, 1),
        ("raid1", 3, 0, 3),
    ],
)
def test_device_ios_of_a_small_write(level: str, drives: int, reads: int, writes: int) -> None:
    """RAID 1 and 10: one a copy; RAID 5 min(4, N), RAID 6 min(6, N)."""
    checked = array(DATABASE, level=level, drives=drives, **SAFE)
    found_cost = cost(checked.volumes[0], checked.loads[0], WRITE, 8192)
    assert (found_cost.reads, found_cost.writes) == (reads, writes)
    assert found_cost.written_bytes == writes * 8192
    assert says(" commands (", checked) == (reads > 0)
    if reads:
        total = f"takes {reads + writes:.1f} commands ({reads:.1f} reads, {writes:.1f} writes)"
        assert total in the(" commands (", checked)


def test_a_write_of_whole_stripes_reads_nothing() -> None:
    load = {"read": "0 %", "size": "448 KiB", "outstanding": 1}
    checked = array(load, level="raid5", drives=8, **SAFE)
    assert not says(" commands (", checked)
    assert cost(checked.volumes[0], checked.loads[0], WRITE, 448 * 1024).writes == 8


def test_a_read_takes_what_it_asks_for() -> None:
    checked = array(READS, level="raid6", drives=8)
    found_cost = cost(checked.volumes[0], checked.loads[0], READ, 8192)
    assert (found_cost.reads, found_cost.read_bytes, found_cost.writes) == (1, 8192, 0)


def test_a_degraded_read_reads_the_survivors() -> None:
    """RAID 5: of N requests one falls on the lost drive and takes N-1 reads: 2 - 2/N."""
    checked = array(READS, level="raid5", drives=8, failed=[3])
    found_cost = cost(checked.volumes[0], checked.loads[0], READ, 8192)
    assert found_cost.reads == pytest.approx(2 - 2 / 8, abs=0.1)


def test_bytes_of_a_long_request_are_those_of_a_sample() -> None:
    load = {"read": "0 %", "size": "32 MiB", "outstanding": 1}
    checked = array(load, level="raid0", drives=4, **SAFE)
    assert cost(checked.volumes[0], checked.loads[0], WRITE, 2**25).written_bytes == 2**25


@pytest.mark.parametrize(
    ("level", "overhead"), [("raid5", 8 / 7), ("raid6", 8 / 6), ("raid10", 2), ("raid0", 1)]
)
def test_gathered_writes_are_full_stripes(level: str, overhead: float) -> None:
    """N/(N-p) device writes a data strip."""
    volume = array(level=level, drives=8).volumes[0]
    assert gathered(volume, 64 * 1024).writes == pytest.approx(overhead)


def test_a_stream_is_gathered_by_a_cache_that_writes_back() -> None:
    through = array(STREAM, controller={}, level="raid5", drives=8, **SAFE)
    back = array(STREAM, controller={}, level="raid5", drives=8, write="back", **SAFE)
    assert says(" commands (", through)
    assert not says(" commands (", back)
