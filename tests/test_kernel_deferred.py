"""Disks that let commands go before cached writes: who waits for whom, and what it gains.

That every access is taken in its turn is compared, event by event, with a plain disk in
:mod:`test_kernel_disk_oracle`.
"""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from drive_times import KIB, MS
from one_disk import SMALL, OneDisk
from watching import begin, build, scenario

from raidsim.errors import InputError
from raidsim.kernel import tables as t
from raidsim.kernel.deferred import waiting_tasks

LATER = {
    "write_cache__enabled": True,
    "write_cache__entries": 400,
    "write_cache__size": "16 MiB",
    "write_cache__reads_first": "50 %",
    "queue__discipline": "sptf",
}
BLOCK = 4 * KIB
BLOCKS = 999_000_000 // BLOCK


def beside_readers(disk: OneDisk, writes: int, *, readers: int = 2, seed: int = 1) -> int:
    """Write so many blocks at random while others read at random; reads until all are answered."""
    rng = np.random.default_rng(seed)
    places = iter(rng.integers(0, BLOCKS, 100_000) * BLOCK)
    reading = {disk.start(t.READ, int(next(places)), BLOCK) for _ in range(readers)}
    reads = 0
    for _ in range(writes):
        written = disk.start(t.WRITE, int(next(places)), BLOCK)
        while written is not None:
            for ticket in disk.until(disk.system.now + MS):
                if ticket == written:
                    written = None
                    continue
                reads += 1
                reading.discard(ticket)
                reading.add(disk.start(t.READ, int(next(places)), BLOCK))
    return reads


def test_while_others_read_no_write_goes_to_the_medium_before_the_cache_is_filled_so_far():
    disk = OneDisk(**SMALL | LATER)
    beside_readers(disk, 200)
    assert disk.row["cached_waiting"] == disk.row["taken"] == 200
    assert disk.front["unsafe"] == 200 * BLOCK
    beside_readers(disk, 100)
    assert 198 <= disk.row["taken"] < 300


def test_without_readers_the_arm_writes_at_once():
    disk = OneDisk(**SMALL | LATER)
    for place in range(5):
        disk.writes(place * 64 * KIB, BLOCK)
    disk.rest()
    assert disk.row["taken"] == disk.row["cached_waiting"] == 0
    assert disk.front["unsafe"] == 0


def test_reads_and_writes_take_turns_once_the_cache_is_filled_so_far():
    """A write after each read: where 200 wait already, as many are written as are read."""
    disk = OneDisk(**SMALL | LATER)
    beside_readers(disk, 200)
    reads = beside_readers(disk, 100, readers=2, seed=2)
    written = 300 - int(disk.row["taken"])
    assert 0.8 * min(reads, 100) - 3 <= written <= reads + 3


@compiled_only
def test_writes_that_lie_together_are_worth_a_way_there_and_back():
    """Reads all over the disk, beside writes to a strip of it: one way there is for 16 of them.

    As cached writes of a controller are, which it sorts by address before it destages them.
    """
    rates = []
    for aims in (None, 16):
        card = SMALL | LATER | ({} if aims is None else {"write_cache__aims": aims})
        disk = OneDisk(**card)
        rng = np.random.default_rng(5)
        for _ in range(4):
            disk.start(t.READ, int(rng.integers(0, BLOCKS)) * BLOCK, BLOCK)
        written = 0
        outstanding: set[int] = set()
        while disk.system.now < 20_000 * MS:
            while len(outstanding) < 8:
                outstanding.add(disk.start(t.WRITE, int(rng.integers(0, 4000)) * BLOCK, BLOCK))
            for ticket in disk.until(disk.system.now + MS):
                if ticket in outstanding:
                    outstanding.discard(ticket)
                    written += 1
                else:
                    disk.start(t.READ, int(rng.integers(0, BLOCKS)) * BLOCK, BLOCK)
        rates.append(written)
    assert rates[1] > 1.5 * rates[0]


def test_a_flush_ends_though_others_never_cease_to_read():
    disk = OneDisk(**SMALL | LATER)
    beside_readers(disk, 50)
    assert disk.row["taken"] == 50
    rng = np.random.default_rng(3)
    flush = disk.start(t.FLUSH, 0, 0)
    for _ in range(10_000):
        back = disk.until(disk.system.now + MS)
        if flush in back:
            break
        for _ in back:
            disk.start(t.READ, int(rng.integers(0, BLOCKS)) * BLOCK, BLOCK)
    assert back[flush].status == t.DONE
    assert disk.row["taken"] == 0


def test_rows_of_deferred_writes_stand_in_the_order_of_addresses():
    disk = OneDisk(**SMALL | LATER)
    rng = np.random.default_rng(4)
    for seed in range(4):
        beside_readers(disk, 40, seed=seed)
        tasks = waiting_tasks(disk.system.world, disk.row)
        offsets = [int(one["offset"]) for one in tasks if one["command"] == t.NONE]
        assert offsets == sorted(offsets)
        assert len(offsets) == disk.row["cached_waiting"]
        disk.until(disk.system.now + int(rng.integers(1, 50)) * MS)
    rows = disk.system.rows("deferred")["task"]
    assert len(set(rows.tolist())) == len(rows) == 400  # each row of tasks once: used or free


def test_what_a_deferred_write_holds_is_read_from_the_cache():
    disk = OneDisk(**SMALL | LATER)
    beside_readers(disk, 30)
    tasks = waiting_tasks(disk.system.world, disk.row)
    (held, *_) = [one for one in tasks if one["command"] == t.NONE]
    (back,) = disk.wait(disk.start(t.READ, int(held["offset"]), BLOCK))
    assert back.latency < MS


def sheet(drive: str, **load: str | int) -> float:
    """IO/s of a drive of the catalogue, 4 KiB at random, 16 outstanding."""
    built = build(scenario({"size": "4 KiB", "outstanding": 16} | load, model=drive))
    begin(built)
    built.system.run(budget=12_000)
    before = built.system.now
    built.system.run(budget=22_000)
    return 10_000 / (built.system.now - before) * 1e9


@compiled_only
@pytest.mark.parametrize(
    ("drive", "printed"),
    [
        ("seagate-st18000nm004j", (440, 550)),  # Exos X16 and X18: sheets
        ("toshiba-mg10aca20te", (440, 550)),
        ("cisco-hdd-10tb", (370, 440)),  # Ultrastar He10, 2.5 ms of 8 KiB: Tom's Hardware
    ],
)
def test_large_disks_write_at_random_as_often_as_is_printed_of_their_years(drive, printed):
    assert printed[0] <= sheet(drive, read="0 %") <= printed[1]


@compiled_only
def test_large_disks_write_in_a_small_area_hardly_faster_than_over_all():
    """A disk of 16 TB wrote 480 blocks a second in 30 GB (Helm & Walter); sheets print 440."""
    everywhere = sheet("class-7200rpm-16tb", read="0 %")
    small = sheet("class-7200rpm-16tb", read="0 %", area={"size": "30 GB"})
    assert small < 1.5 * everywhere


@compiled_only
def test_beside_reads_writes_cost_the_arm_no_more_than_alone():
    """At 16 outstanding nearly all that wait are reads: the arm's times of both add up."""
    drive = "seagate-st18000nm004j"
    reads, writes = sheet(drive, read="100 %"), sheet(drive, read="0 %")
    both = 1 / (0.7 / reads + 0.3 / writes)
    assert sheet(drive, read="70 %") == pytest.approx(both, rel=0.05)


def test_a_shingled_disk_and_other_disciplines_have_no_second_queue():
    with pytest.raises(InputError, match="shortest positioning time"):
        OneDisk(**SMALL | LATER | {"queue__discipline": "look"})
    with pytest.raises(InputError, match="media cache takes all writes"):
        build(
            scenario(
                {"size": "4 KiB"},
                model="seagate-st8000as0002",
                drive={"write_cache.reads_first": "50 %"},
            )
        )
