"""Sectors that can't be read: restored from redundancy, punctured, or lost."""

from __future__ import annotations

import pytest
from conftest import compiled_only
from rebuilds import KIB, RECOVERY, STRIP, array, through
from small_array import LATENCY, SERVICE, takes


def test_a_bad_sector_is_restored_from_redundancy_and_written_anew():
    data = array("raid5", 3)
    data.add_defects(0, [512 * 5])  # data strip 0 of stripe 0 lies on drive 0
    first = data.env.run(data.read(0, 4 * KIB))
    again = data.env.run(data.read(0, 4 * KIB))
    assert first.ok
    # The drive tries in vain; the two others are read, the strip is written; then it is read.
    expected = (RECOVERY * 1e9 + SERVICE + LATENCY) + 2 * takes(STRIP) + takes(4 * KIB)
    assert first.latency == pytest.approx(expected / 1e9, rel=1e-5)
    assert again.latency == pytest.approx(takes(4 * KIB) / 1e9, rel=1e-6)


@pytest.mark.parametrize("level", ["raid0", "jbod", "single"])
def test_without_redundancy_a_bad_sector_is_lost_until_it_is_written(level):
    data = array(level, 1 if level == "single" else 2)
    data.add_defects(0, [1024])
    assert not data.env.run(data.read(0, 4 * KIB)).ok
    assert data.env.run(data.read(4 * KIB, 4 * KIB)).ok
    assert data.env.run(data.write(0, 4 * KIB)).ok
    assert data.env.run(data.read(0, 4 * KIB)).ok


def test_two_bad_sectors_in_a_stripe_are_too_many_for_one_parity_and_not_for_two():
    for level, survives in (("raid5", False), ("raid6", True)):
        data = array(level, 5)
        for drive in (0, 1):
            data.add_defects(drive, [0])
        assert data.env.run(data.read(0, 4 * KIB)).ok is survives
        assert data.env.run(data.read(2 * STRIP, 4 * KIB)).ok  # another strip of the stripe


@compiled_only
def test_a_patrol_finds_bad_sectors_before_a_rebuild_does():
    data = array("raid5", 4, depth=2)
    data.add_defects(1, [0, 5 * STRIP + 512, 500_000_256 // 512 * 512])
    patrol = through(data.patrol())
    assert (patrol.found, patrol.repaired, patrol.punctured) == (3, 3, 0)
    data.fail(0)
    assert through(data.replace(0)).punctured == 0


def test_a_drive_that_fails_while_its_sector_is_restored_is_left_out():
    data = array("raid5", 3)
    data.add_defects(0, [512 * 5])
    read = data.read(0, 4 * KIB)
    data.env.run(until=RECOVERY + 1.5 * takes(STRIP) / 1e9)  # the others are read
    data.fail(0)
    data.env.run(until=1.0)
    assert read.processed
    assert read.value.ok


def test_a_patrol_without_redundancy_tells_of_each_bad_strip_once():
    data = array("raid0", 2, rebuild_sample="5 %")
    data.add_defects(1, [512, 2048, STRIP])
    for _ in range(2):  # nothing has restored them
        patrol = data.patrol()
        data.env.run(until=data.env.now + 20)
        assert patrol.state == "done"
        assert (patrol.found, patrol.repaired, patrol.punctured) == (2, 0, 2)


def test_what_can_not_be_read_is_not_on_the_drive_that_it_is_copied_to():
    data = array("raid1", 2, spares=1, rebuild_sample="5 %")
    through(data.fail(0))
    data.fail(1)
    data.add_defects(0, [512, 2048])
    copying = through(data.replace(0))
    assert (copying.state, copying.punctured) == ("done", 1)
    assert not data.env.run(data.read(0, 4 * KIB)).ok
    assert data.env.run(data.read(STRIP, 4 * KIB)).ok


@compiled_only
def test_a_bad_sector_met_by_the_rebuild_of_single_parity_punctures_a_stripe():
    data = array("raid5", 4, depth=2)
    data.fail(0)
    row = 5
    data.add_defects(1, [row * STRIP])
    rebuild = through(data.replace(0))
    assert (rebuild.state, rebuild.found, rebuild.punctured) == ("done", 1, 1)
    # Parity of that row lies on drive 2: what is on drives 0 and 1 can't be read.
    stripe = range(row * 3 * STRIP, (row + 1) * 3 * STRIP, STRIP)
    read = [data.env.run(data.read(place, STRIP)).ok for place in stripe]
    assert read.count(False) == 2
    around = [
        data.env.run(data.read(place, STRIP)).ok
        for place in (stripe[0] - STRIP, stripe[-1] + STRIP)
    ]
    assert all(around)


@compiled_only
def test_or_it_stops_the_rebuild_if_the_card_says_so():
    data = array("raid5", 4, on_error="stop")
    data.fail(0)
    data.add_defects(1, [500_000_256 // 512 * 512])
    rebuild = through(data.replace(0))
    assert rebuild.state == "failed"
    assert rebuild.progress == pytest.approx(0.5, abs=0.01)
    assert data.health == "degraded"


@compiled_only
def test_double_parity_rebuilds_over_a_bad_sector():
    data = array("raid6", 5, depth=2)
    data.fail(0)
    data.add_defects(1, [7 * STRIP, 8 * STRIP])
    rebuild = through(data.replace(0))
    assert (rebuild.state, rebuild.found, rebuild.repaired, rebuild.punctured) == ("done", 2, 2, 0)
