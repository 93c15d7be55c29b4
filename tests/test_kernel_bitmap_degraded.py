"""Bits of a write-intent bitmap stay while a member is missing, and go once it is rebuilt."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from small_array import TOY, SmallArray

from raidsim.assembly import intent
from raidsim.control.model import build
from raidsim.intervene import full_bitmaps
from raidsim.kernel import tables as t
from raidsim.layout.address import whole_drive
from raidsim.running import run
from raidsim.scenario import load_text

KIB = 1024
MIB = 1024 * KIB
SECOND = 10**9
LEVELS = {"raid1": 2, "raid5": 4, "raid6": 5, "raid10": 4}


def made(level: str, **words: object) -> SmallArray:
    return SmallArray(
        level, LEVELS[level], intent="bitmap", bitmap_chunk="1 MiB", drive=TOY, **words
    )


def wait(array: SmallArray, seconds: float) -> None:
    array.system.advance_clock(array.system.now + round(seconds * SECOND))


def marked(array: SmallArray) -> int:
    """Marks that were set so far; each costs a write of the bitmap."""
    return int(array.array["marked"])


@pytest.mark.parametrize("level", LEVELS)
def test_a_chunk_that_missed_a_member_is_marked_once(level: str) -> None:
    """md: bitmap_endwrite sets NEEDED_MASK while mddev->degraded, of any write."""
    array = made(level)
    array.do(t.WRITE, 0, 4 * KIB)
    wait(array, 6)
    assert intent.marked_rows(array.system, 0) == []
    array.good[0] = 0
    for count in range(1, 4):
        array.do(t.WRITE, 0, 4 * KIB)
        wait(array, 60)
        assert marked(array) == 2
        assert len(intent.marked_rows(array.system, 0)) == 1, count
    array.good[0] = whole_drive(array.layout)  # it has been rebuilt
    assert intent.marked_rows(array.system, 0) == []
    for count in range(3, 5):
        array.do(t.WRITE, 0, 4 * KIB)
        assert marked(array) == count
        wait(array, 6)
    assert intent.marked_rows(array.system, 0) == []


def test_a_bit_that_was_set_before_the_failure_goes_as_any_other() -> None:
    array = made("raid5")
    array.do(t.WRITE, 0, 4 * KIB)
    array.good[0] = 0
    array.do(t.WRITE, 30 * MIB, 4 * KIB)
    assert len(intent.marked_rows(array.system, 0)) == 2
    wait(array, 6)
    (rows,) = intent.marked_rows(array.system, 0)
    assert rows[0] > 0, "that of the write after it"


def test_a_member_that_is_half_rebuilt_is_missing_still() -> None:
    array = made("raid1")
    array.good[0] = whole_drive(array.layout) // 2
    array.do(t.WRITE, 0, 4 * KIB)
    wait(array, 60)
    assert len(intent.marked_rows(array.system, 0)) == 1


def test_an_array_without_a_bitmap_is_clean_soon_with_a_missing_member_too() -> None:
    array = SmallArray("raid1", 2, intent="none", drive=TOY, failed=[0])
    array.do(t.WRITE, 0, 4 * KIB)
    assert len(intent.marked_rows(array.system, 0)) == 1
    wait(array, 1)
    assert intent.marked_rows(array.system, 0) == []


ARRAY = """
seed = 7

[host]
model = "linux-pc"

[[volume]]
drive = "seagate-st373455ss"
level = "{}"
drives = {}
intent = "{}"
failed = [0]

[[load]]
read = "0 %"
size = "8 KiB"
outstanding = 16

[measure]
precision = "2 %"
"""


def test_an_array_that_begins_without_a_drive_has_all_its_bits() -> None:
    """But for one chunk in three thousand: it has lacked the drive for long."""
    model = build(load_text(ARRAY.format("raid5", 5, "bitmap")))
    system = model.system
    streams = [s for each in model.streams.values() for s in each]
    full_bitmaps.fill(system, dict.fromkeys(streams, 10))
    assert np.mean(system.rows("marks") > intent.LONG_AGO) > 0.999


@compiled_only
@pytest.mark.parametrize(("level", "drives"), [("raid1", 2), ("raid5", 5)])
def test_a_degraded_array_writes_as_fast_as_without_a_bitmap(level: str, drives: int) -> None:
    """The bitmap took a sixth of its rate for ever: each bit was taken off after 5 s."""
    rates = [
        run(load_text(ARRAY.format(level, drives, kind))).points[0].iops.mean
        for kind in ("bitmap", "none")
    ]
    assert rates[0] == pytest.approx(rates[1], rel=0.02)


@compiled_only
def test_writes_too_few_for_a_pilot_find_the_bits_of_a_degraded_array_set() -> None:
    """200 writes until measure.max_time: each waited for its bit, 21 ms in place of 13."""
    slow = {"load.outstanding": None, "load.rate": "10 IO/s", "measure.max_time": "20 s"}
    times = []
    for kind in ("bitmap", "none"):
        (point,) = run(load_text(ARRAY.format("raid5", 5, kind)).with_(slow)).points
        latency = point.latency_ms["write"]
        assert latency is not None
        times.append(latency.mean)
    assert times[0] == pytest.approx(times[1], rel=0.02)
