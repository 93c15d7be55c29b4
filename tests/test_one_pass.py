"""Software RAID fills all that is missing of an array in one pass over its rows, byte by byte."""

from __future__ import annotations

import pytest
from conftest import INTERPRETED, compiled_only
from filled_bytes import SECTOR, STRIP, Filled

MD = {"raid.stripe_cache": 256}
LEVELS = {
    "RAID 6": ("raid6", 6, (1, 4), {}),
    "RAID 6, rows of pages": ("raid6", 5, (0, 3), {"host": MD}),
    "RAID 1 of three": ("raid1", 3, (0, 2), {}),
    "RAID 10": ("raid10", 6, (1, 4), {}),
    "RAID 10 of three copies": ("raid10", 6, (1, 2), {"copies": 3}),
    "RAID 1E": ("raid1e", 5, (0, 2), {}),
    "RAID 1E, copies offset": ("raid1e", 5, (0, 2), {"spread": "offset"}),
}
SOME = 240 if INTERPRETED else 60  # instants from one write of the host to the next


def made(name: str, seed: int = 1, **words) -> tuple[Filled, tuple[int, int]]:
    level, drives, missing, more = LEVELS[name]
    return Filled(level, drives, seed, **more | words), missing


def is_there(*rebuilds):
    return lambda: all(one.is_over for one in rebuilds)


@pytest.mark.parametrize("name", LEVELS)
def test_two_drives_that_are_replaced_together_are_filled_in_one_pass(name):
    """What survives of a stripe is read once, and written is what each of them lacks."""
    data, missing = made(name, failed=list(LEVELS[name][2]))
    both = [data.replace(number) for number in missing]
    data.until(is_there(*both))
    assert [one.state for one in both] == ["done", "done"]
    data.assert_right()
    assert set(data.reads.values()) == {1}
    assert set(data.writes) <= {(number, row) for number in missing for row in range(data.rows)}
    assert set(data.writes.values()) == {1}
    if name.startswith("RAID 6"):
        survivors = data.volume.spec.drives - 2
        assert len(data.reads) == survivors * data.rows
    assert both[0].seconds == both[1].seconds


@compiled_only
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", LEVELS)
def test_a_host_that_writes_meanwhile_loses_nothing(name, seed):
    data, missing = made(name, seed, failed=list(LEVELS[name][2]))
    both = [data.replace(number) for number in missing]
    data.until(is_there(*both), every=SOME)
    assert [one.state for one in both] == ["done", "done"]
    data.rest()
    data.assert_right()


@pytest.mark.parametrize("name", LEVELS)
def test_a_drive_that_comes_later_breaks_the_pass_off_and_another_one_fills_both(name):
    """The first one is written beyond what it has only; until then it is read as any other."""
    data, (one, other) = made(name, failed=list(LEVELS[name][2]))
    first = data.replace(one)
    data.until(lambda: first.progress > 0.4, every=SOME)
    had = int(data.system.world.good[one]) // STRIP
    assert 0 < had < data.rows
    second = data.replace(other)
    data.until(is_there(first, second), every=SOME)
    assert [first.state, second.state] == ["done", "done"]
    data.rest()
    data.assert_right()
    again = [row for row in range(data.rows) if data.writes.get((one, row), 0) > 1]
    assert all(row >= had for row in again)  # what was under way when it was broken off
    assert len(again) < data.rows / 4
    assert max(data.writes.get((other, row), 0) for row in range(data.rows)) == 1
    assert second.seconds == pytest.approx(first.seconds - (second.started - first.started))


@compiled_only
def test_a_spare_that_fails_is_replaced_by_the_next_one_and_the_other_goes_on():
    data, (one, other) = made("RAID 6, rows of pages", spares=3)
    first, second = data.volume.fail(one), data.volume.fail(other)
    data.until(lambda: second.progress > 0.3, every=SOME)
    third = data.volume.fail(other)
    assert (second.state, second.why) == ("failed", f"drive {other} has failed")
    assert second.progress == pytest.approx(0.3, abs=0.1)
    data.until(is_there(first, third), every=SOME)
    assert [first.state, third.state] == ["done", "done"]
    data.rest()
    data.assert_right()


@compiled_only
def test_a_spare_that_fails_with_none_left_leaves_the_other_one_to_go_on_where_it_was():
    data, (one, other) = made("RAID 6, rows of pages", spares=2)
    first, second = data.volume.fail(one), data.volume.fail(other)
    data.until(lambda: second.progress > 0.4)
    data.volume.fail(other)
    data.until(is_there(first, second), every=SOME)
    assert [first.state, second.state] == ["done", "failed"]
    assert data.volume.health == "degraded"
    data.rest()
    assert not data.differing()[one].any()
    written = [data.writes.get((one, row), 0) for row in range(data.rows)]
    assert written.count(2) <= data.rows / 4  # it resumed, and did not begin anew
    third = data.replace(other)
    data.until(is_there(third), every=SOME)
    data.rest()
    data.assert_right()


def test_a_further_failure_ends_both():
    data, (one, other) = made("RAID 6", spares=2)
    first, second = data.volume.fail(one), data.volume.fail(other)
    data.until(lambda: first.progress > 0.4)
    data.volume.fail(2)
    data.until(is_there(first, second))
    assert [first.state, second.state] == ["failed", "failed"]
    assert data.volume.health == "failed"


def test_a_pair_of_raid_10_that_is_lost_leaves_the_other_one_to_go_on():
    data, (one, other) = made("RAID 10", spares=2)
    first, second = data.volume.fail(one), data.volume.fail(other)
    data.until(lambda: first.progress > 0.4)
    data.volume.fail(0)  # what the first one is read from
    data.until(is_there(first, second))
    assert [first.state, second.state] == ["failed", "done"]
    data.rest()
    assert not data.differing()[other].any()


@compiled_only
def test_one_of_two_may_be_stopped():
    data, (one, other) = made("RAID 6", spares=2)
    first, second = data.volume.fail(one), data.volume.fail(other)
    data.until(lambda: first.progress > 0.4)
    first.stop()
    assert first.state == "stopped"
    assert data.volume.health == "rebuilding"
    data.until(is_there(second), every=SOME)
    assert (second.state, data.volume.health) == ("done", "degraded")
    third = data.volume.rebuild(one)
    data.until(is_there(third), every=SOME)
    data.rest()
    data.assert_right()


@compiled_only
def test_a_pass_is_paused_and_goes_on_as_a_whole():
    data, _ = made("RAID 6", failed=[1, 4])
    first = data.replace(1)
    data.until(lambda: first.progress > 0.2)
    first.pause()
    second = data.replace(4)  # comes while it is paused
    data.rest()
    assert [one.state for one in (first, second)] == ["paused", "paused"]
    second.resume()
    assert first.state == "under way"
    data.until(is_there(first, second))
    data.rest()
    data.assert_right()


@compiled_only
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("later", [False, True], ids=["together", "one later"])
def test_a_power_cut_lets_it_go_on_where_it_was(later, seed):
    data, (one, other) = made("RAID 6, rows of pages", seed, failed=[0, 3])
    first = data.replace(one)
    if later:
        data.until(lambda: first.progress > 0.2 * seed)
    second = data.replace(other)
    if not later:
        data.until(lambda: first.progress > 0.2 * seed)
    before = [int(n) // STRIP for n in data.system.world.good[: data.volume.spec.drives]]
    data.env.cut_power()
    data.known.clear()
    data.env.restore_power()
    data.until(is_there(first, second), every=SOME)
    assert [first.state, second.state] == ["done", "done"]
    data.rest()
    data.assert_right()
    for number in (one, other):
        twice = [row for row in range(data.rows) if data.writes[number, row] > 1]
        assert all(row >= before[number] for row in twice)


@pytest.mark.parametrize("name", ["RAID 6", "RAID 1 of three", "RAID 10"])
def test_a_sector_that_nothing_restores_is_left_out_on_the_drives_that_need_it(name):
    data, (one, other) = made(name, failed=list(LEVELS[name][2]))
    source = {"RAID 6": 2, "RAID 1 of three": 1, "RAID 10": 0}[name]
    data.volume.add_defects(source, [5 * STRIP + 8 * SECTOR])
    both = [data.replace(one), data.replace(other)]
    data.until(is_there(*both))
    assert [each.state for each in both] == ["done", "done"]
    assert both[0].punctured == 1
    marked = {int(row["drive"]) for row in data.system.world.defects if row["punctured"]}
    rows = data.volume._drives.rows
    assert marked == ({rows[one]} if name == "RAID 10" else {rows[one], rows[other]})
    wrong = data.differing()
    assert wrong.sum() == len(marked)
    assert wrong[:, 5].sum() == len(marked)


@compiled_only
def test_spans_are_arrays_by_themselves_and_each_has_a_pass_of_its_own():
    data = Filled("raid60", 10, failed=[0, 1, 7])
    first, second, elsewhere = (data.replace(number) for number in (0, 1, 7))
    assert first.together is second.together
    assert elsewhere.together is not first.together
    data.until(is_there(first, second, elsewhere), every=SOME)
    data.rest()
    data.assert_right()
