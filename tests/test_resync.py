"""What a resync goes through after a power cut."""

from __future__ import annotations

from typing import Any

import pytest
from power_models import STRIP, cut_after, server, writes
from simpy_models import KIB, MIB

from raidsim.intervene import promises


def test_a_resync_goes_through_all_of_the_array_or_a_bitmap_or_a_journal() -> None:
    rows, finished = {}, {}
    for intent in ("none", "bitmap", "journal", "ppl"):
        env, data = server(intent=intent)
        data.start(writes(area={"offset": "30 GiB", "size": "300 MiB"}, outstanding=32))
        cut = cut_after(env, 2.0).of("data")
        rows[intent] = sum(end - first for first, end in cut.resync_rows)
        assert cut.resync == {"none": "full"}.get(intent, intent)
        on = env.run(until=env.restore_power())
        finished[intent] = on.resyncs["data"]
        assert finished[intent].kind == "resync"
    every = data.card.integer("capacity.user") // STRIP
    assert rows["none"] == every
    # 300 MiB of data are 100 MiB of each drive: two or three chunks of 64 MiB.
    assert 2 * 64 * MIB // STRIP <= rows["bitmap"] <= 3 * 64 * MIB // STRIP
    assert 0 < rows["journal"] <= 32
    assert 0 < rows["ppl"] <= 32


@pytest.mark.parametrize(
    ("level", "drives", "failed", "resyncs"),
    [
        ("raid50", 6, [0], True),
        ("raid50", 6, [0, 3], False),
        ("raid60", 8, [0, 1], True),
        ("raid60", 8, [0, 4], True),
        ("raid60", 8, [0, 1, 4, 5], False),
        ("raid10", 4, [0], True),
        ("raid10", 4, [0, 3], False),
        ("raid10", 4, [0, 1], False),  # it has failed
        ("raid1e", 5, [0], True),
        ("raid6", 5, [0], True),
        ("raid6", 5, [0, 1], False),
        ("raid5", 4, [0], False),
        ("raid1", 2, [0], False),
    ],
)
def test_a_degraded_array_is_resynced_where_something_is_left_to_compare(
    level: str, drives: int, failed: list[int], resyncs: bool
) -> None:
    env, data = server(level=level, drives=drives)
    for drive in failed:
        data.fail(drive)
    env.run(until=env.now + 0.1)
    data.start(writes())
    assert cut_after(env, 1.0).of("data").resync == "full"
    on = env.run(until=env.restore_power())
    assert list(on.resyncs) == (["data"] if resyncs else [])
    if resyncs:
        env.run(until=env.now + 1.0)
        assert on.resyncs["data"].state == "under way"
        assert on.resyncs["data"].progress > 0


def test_a_quiet_array_is_clean_and_needs_no_resync() -> None:
    """Software RAID notes 200 ms after the last write that all is on the drives."""
    for wait, resync in ((0.1, "full"), (0.3, "none")):
        env, data = server()
        env.run(until=data.start(writes(limit={"ios": 10})))
        cut = cut_after(env, wait).of("data")
        assert cut.resync == resync
        assert cut.inconsistent == []


def test_a_short_resync_ends_and_leaves_nothing_to_do() -> None:
    env, data = server(intent="bitmap", bitmap_chunk="1 MiB")
    data.start(writes(limit={"time": "1 s"}, area={"size": "12 MiB"}, outstanding=4))
    cut = cut_after(env, 0.9).of("data")
    assert 0 < sum(end - first for first, end in cut.resync_rows) <= 5 * 16
    on = env.run(until=env.restore_power())
    env.run(until=on.resyncs["data"])
    assert on.resyncs["data"].state == "done"
    env.run(until=env.now + 6)
    assert env.cut_power().of("data").resync == "none"


def test_the_hole_stays_open_until_the_resync_is_through() -> None:
    """A second cut before its end has the torn stripes of the first one still."""
    env, data = server()
    load = data.start(writes(outstanding=32))
    first = cut_after(env, 2.0).of("data")
    load.stop()
    env.run(until=env.restore_power())
    env.run(until=env.now + 5.0)
    second = env.cut_power().of("data")
    assert second.in_flight == 0
    assert set(second.inconsistent) <= set(first.inconsistent)
    assert len(second.inconsistent) > 0
    assert second.resync == "full"


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ({"level": "raid1e", "drives": 3}, {(0, 0), (0, 1)}),
        ({"level": "raid10", "drives": 4, "spread": "offset"}, {(0, 0), (0, 1)}),
        ({"level": "raid10", "drives": 4}, {(1, 0)}),
    ],
)
def test_copies_that_differ_are_named_in_every_row_in_which_they_lie(
    words: dict[str, Any], rows: set[tuple[int, int]]
) -> None:
    """A resync writes the further copies anew: it has to go through the rows of these."""
    env, data = server(disk_cache="on", **words)
    data.write(STRIP, 4 * KIB)
    seen = set()
    for _ in range(300):  # until both drives have carried it out, one after the other
        env.run(until=env.now + 0.0001)
        found = promises.volume_cut(env.system, "data", data.row, keeps=False)
        seen.add(frozenset(found.inconsistent))
    assert seen == {frozenset(), frozenset(rows)}
