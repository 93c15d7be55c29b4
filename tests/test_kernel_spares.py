"""Spares, and drives that are replaced: who takes whose place, and faults met meanwhile."""

from __future__ import annotations

import pytest
from conftest import compiled_only
from rebuilds import KIB, ROWS, STRIP, array, moved, through
from small_array import LATENCY, SERVICE

from raidsim.assembly.array import LOCKS
from raidsim.control import InputError, Load
from raidsim.intervene import operation
from raidsim.kernel import tables as t

CARD = "cisco-12g-sas-raid-1gb"


@compiled_only
def test_a_hot_spare_takes_the_place_of_a_drive_and_gives_it_back():
    data = array("raid5", 4, depth=2, spares=1, card=CARD)
    rebuild = data.fail(3)
    assert (data.health, data.spares) == ("rebuilding", 0)
    through(rebuild)
    assert data.health == "optimal"
    assert data.fail(0) is None  # no other spare
    assert data.health == "degraded"
    through(data.replace(0))
    copying = data.replace(3)
    assert copying.kind == "copy-back"
    assert data.health == "optimal"  # it keeps its redundancy meanwhile
    through(copying)
    assert (data.health, data.spares) == ("optimal", 1)


@compiled_only
def test_what_is_written_while_a_drive_is_copied_back_goes_to_both():
    data = array("raid1", 2, spares=1, card=CARD)
    through(data.fail(1))
    spare = data._drives.rows[1]
    before = int(data.system.world.drives[spare]["host_written"])
    copying = data.replace(1)
    data.env.run(until=data.env.now + copying.volume.env.window * 0.2)
    target = int(data.system.world.members[1]["copy"])
    done = int(data.system.world.drives[target]["host_written"])
    data.env.run(data.write(0, STRIP))  # there already
    data.env.run(data.write(data.capacity - STRIP, STRIP))  # not yet
    assert int(data.system.world.drives[spare]["host_written"]) - before == 2 * STRIP
    through(copying)
    whole = ROWS * STRIP
    assert done < whole
    assert int(data.system.world.drives[target]["host_written"]) == whole + STRIP


@compiled_only
def test_a_second_failure_ends_the_rebuild_of_single_parity_and_the_volume():
    data = array("raid5", 4, depth=2)
    data.fail(0)
    rebuild = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    data.fail(2)
    through(rebuild)
    assert rebuild.state == "failed"
    assert 0 < rebuild.progress < 1
    assert data.health == "failed"


@compiled_only
def test_double_parity_goes_on_rebuilding_after_a_second_failure():
    data = array("raid6", 5, depth=2)
    data.fail(0)
    rebuild = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    data.fail(2)
    assert through(rebuild).state == "done"
    assert data.health == "degraded"
    through(data.replace(2))
    assert data.health == "optimal"


@compiled_only
def test_the_new_drive_fails_too_and_is_replaced_again():
    data = array("raid5", 3)
    data.fail(0)
    first = data.replace(0)
    data.env.run(until=data.env.now + 0.05)
    data.fail(0)
    second = data.replace(0)
    through(second)
    assert (first.is_over, second.state, data.health) == (True, "done", "optimal")


def test_no_request_fails_if_a_drive_is_replaced_while_its_error_is_on_its_way():
    data = array("raid1", 2, rebuild_sample="0.1 %")
    data.fail(1)
    write = data.write(0, 4 * KIB)
    data.env.run(until=(SERVICE + 0.75 * LATENCY) / 1e9)
    rebuild = data.replace(1)
    assert data.env.run(until=write).ok
    assert through(rebuild).state == "done"


@compiled_only
def test_a_spare_that_fails_while_it_is_rebuilt_gives_way_to_the_next_one():
    """What the first one held is not on the second: its rebuild begins at the beginning."""
    alone = array("raid5", 4, spares=1)
    whole = through(alone.fail(0)).seconds
    data = array("raid5", 4, spares=2)
    first = data.fail(0)
    data.env.run(until=0.8 * whole)
    second = data.fail(0)
    data.env.run(until=1.1 * whole)
    assert (first.state, data.health) == ("failed", "rebuilding")
    assert through(second).state == "done"
    assert second.seconds == pytest.approx(whole, rel=0.05)
    assert (data.health, data.spares) == ("optimal", 0)


@compiled_only
def test_a_spare_that_fails_later_leaves_its_place_to_a_new_drive():
    data = array("raid5", 4, spares=1, card=CARD)
    own = data._drives.rows[0]
    through(data.fail(0))
    data.fail(0)
    with pytest.raises(InputError, match=r"hot spare for drive 0 has failed.*replace\(0\)"):
        data.copy_back(0)
    rebuild = through(data.replace(0))
    assert (rebuild.kind, rebuild.state, data.health) == ("rebuild", "done", "optimal")
    assert data._drives.rows[0] == own


@compiled_only
def test_a_spare_that_fails_while_it_is_copied_back_is_none_any_more():
    data = array("raid5", 4, spares=2, card=CARD)
    through(data.fail(0))
    copying = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    rebuild = through(data.fail(0))
    assert (copying.state, rebuild.state, data.health) == ("failed", "done", "optimal")
    assert data.spares == 0
    assert through(data.replace(0)).kind == "copy-back"
    assert (data.health, data.spares) == ("optimal", 1)


@compiled_only
def test_software_raid_makes_a_spare_of_a_new_drive_and_copies_nothing_back():
    data = array("raid6", 5, spares=1)
    old = data._drives.rows[0]
    through(data.fail(0))
    spare = data._drives.rows[0]
    with pytest.raises(InputError, match=r"has no copy-back.*replace\(0\)"):
        data.copy_back(0)
    assert data.replace(0) is None
    assert (data.spares, data.health, data._drives.rows[0]) == (1, "optimal", spare)
    with pytest.raises(InputError, match="has not failed"):
        data.replace(0)
    through(data.fail(1))
    assert (data.spares, data.health, data._drives.rows[1]) == (0, "optimal", old)


@compiled_only
def test_a_new_drive_of_software_raid_takes_the_place_of_one_that_is_missing():
    """It joins the rebuild of the spare that took the place of the drive it comes in for."""
    data = array("raid6", 5, spares=1)
    first = data.fail(0)
    data.env.run(until=0.05)
    data.fail(2)
    data.env.run(until=0.1)
    second = data.replace(0)
    assert (first.state, second.drive, data.failed) == ("under way", 2, [])
    through(second)
    assert (first.state, second.state, data.health) == ("done", "done", "optimal")


@compiled_only
def test_what_begins_without_power_waits_for_it():
    data = array("raid5", 4, spares=1)
    env = data.env
    env.cut_power()
    rebuild = data.fail(0)
    rebuild.pause()
    rebuild.resume()
    env.run(until=2.0)
    assert (rebuild.state, rebuild.progress) == ("under way", 0)
    assert moved(data, "host_read") == [0] * 4
    env.run(env.restore_power())
    assert (through(rebuild).state, data.health) == ("done", "optimal")


def test_what_is_given_up_without_power_is_over_when_it_is_back():
    data = array("raid5", 4)
    data.env.cut_power()
    check = data.check()
    check.stop()
    data.env.run(data.env.restore_power())
    assert (check.is_over, check.state, check.progress) == (True, "stopped", 0)


@pytest.mark.parametrize("spans", [1, 2, 3])
@pytest.mark.parametrize("stride", [4096, 8200, 3 * 4096 - 5, 6000, 100_000])
def test_rows_of_a_sample_that_workers_have_in_hand_have_locks_of_their_own(stride, spans):
    """A row waits in one block for none in the next, where later rows wait for it to retire."""
    block, apart = operation._apart(256, stride, 64, spans)
    assert block < apart <= stride
    assert apart > stride - 256
    ends, begins = range(block - 64, block), range(apart, apart + 64)
    locks = [{row * spans % LOCKS for row in rows} for rows in (ends, begins)]
    assert not locks[0] & locks[1]


@compiled_only
@pytest.mark.parametrize(("name", "at"), [("v0", 0.28), ("v4", 0.26), ("v5", 0.24), ("v5", 0.26)])
def test_two_rebuilds_whose_rows_share_locks_both_come_to_their_end(name, at):
    """Blocks of the samples that are a multiple of the number of locks apart, reached at once."""
    data = array("raid6", 6, depth=4, spares=2, rebuild_sample="20 %", name=name)
    env = data.env
    sizes = [{"size": size, "share": "50 %"} for size in ("4 KiB", "96 KiB")]
    load = data.start(Load(read="50 %", sizes=sizes, outstanding=6))
    first = data.fail(0)
    while first.progress < at:
        env.run(until=env.timeout(0.01))
    second = data.fail(1)
    env.run(until=env.all_of([first, second]) | env.timeout(10))
    assert (first.state, second.state) == ("done", "done")
    load.stop()
    env.run(until=load | env.timeout(1))
    assert load.counts.in_flight == 0
    assert data.health == "optimal"


@compiled_only
def test_a_rebuild_can_pause_and_be_given_up():
    data = array("raid5", 3)
    data.fail(0)
    rebuild = data.replace(0)
    data.env.run(until=data.env.now + 0.1)
    rebuild.pause()
    data.env.run(until=data.env.now + 0.1)
    before = rebuild.progress
    data.env.run(until=data.env.now + 1.0)
    assert (rebuild.state, rebuild.progress) == ("paused", before)
    rebuild.resume()
    data.env.run(until=data.env.now + 0.1)
    assert rebuild.progress > before
    rebuild.stop()
    assert through(rebuild).state == "stopped"
    assert data.health == "degraded"
    through(data.rebuild(0))
    assert data.health == "optimal"


@compiled_only
def test_no_write_misses_a_strip_that_is_restored_already():
    """Whatever is written to a stripe while workers are at it, its parity comes last."""
    data = array("raid5", 4, depth=4, spares=1)
    data.start(Load(read="0 %", size="4 KiB", outstanding=8))
    rebuild = data.fail(1)
    system, world = data.system, data.system.world
    row = data._drives.rows[1]
    frontier = 0
    while not rebuild.triggered:
        data.env.run(until=data.env.now + 0.01)
        good = int(system.world.good[1])
        assert good >= frontier  # it never goes back
        frontier = good
        for job in world.jobs[world.jobs["stage"] != t.STAGE_FREE]:
            # Commands to the new drive are those of the rebuild, or behind its frontier.
            if job["drive"] == row and job["op"] == t.WRITE and job["member"] == 1:
                in_operation = job["length"] % STRIP == 0
                assert in_operation or job["offset"] + job["length"] <= good
        if data.env.now > 3:
            break
    assert frontier > 0
