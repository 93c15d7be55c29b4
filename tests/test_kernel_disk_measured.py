"""What a measured disk does that a data sheet does not tell: by the clock, on round figures.

One head, tracks of 4 MiB, 7,200 revolutions a minute; no time but that of the mechanics and of
what each test sets.
"""

from __future__ import annotations

import pytest
from drive_times import KIB, MS, US
from one_disk import OneDisk

from raidsim import disksim
from raidsim.assembly import hdd
from raidsim.cards.loader import read_card
from raidsim.kernel import mechanics
from raidsim.kernel import tables as t
from raidsim.system.system import System

TURN = 1e9 / 120  # ns
MIB = 1024 * KIB
TRACK = 4 * MIB
SECTOR = 512
ROUNDING = 2000  # ns
SEGMENTS = {"read_ahead__segments": 4, "read_ahead__depth": "1 MiB"}


def took(disk: OneDisk, op: int, offset: int, length: int) -> int:
    """ns of one access, with nothing else under way."""
    (done,) = disk.wait(disk.start(op, offset, length))
    return done.completed - done.issued


def rest(disk: OneDisk, time: float) -> None:
    """Nothing is asked of the disk for so many ns."""
    disk.until(int(disk.system.now + time))


def at_angle(disk: OneDisk, share: float) -> None:
    """Wait until the platter is so far round."""
    turn = int(disk.row["revolution"])
    rest(disk, (share * turn - disk.system.now) % turn)


OVERHEADS = {
    f"overhead__{op}_{hit}_after_{before}": f"{1 + n} ms"
    for n, (op, hit, before) in enumerate(
        (op, hit, before)
        for op in ("read", "write")
        for hit in ("hit", "miss")
        for before in ("read", "write")
    )
}


def test_the_time_of_a_command_depends_on_its_kind_its_luck_and_the_one_before():
    disk = OneDisk(**OVERHEADS, **SEGMENTS)
    took(disk, t.READ, 0, 64 * KIB)
    assert took(disk, t.READ, 0, SECTOR) == pytest.approx(1 * MS, abs=ROUNDING)  # hit after read
    at_angle(disk, 0.5)
    # An uncached write: 7 ms after a read, 8 ms after a write, and until sector 0 comes by.
    assert took(disk, t.WRITE, 0, SECTOR) == pytest.approx(TURN * 1.5, rel=1e-3)
    at_angle(disk, 0.0)
    # 4 ms, a miss after a write: half a turn (4.17 ms) later its sector comes by all the same.
    assert took(disk, t.READ, 2 * MIB, SECTOR) == pytest.approx(TURN / 2, rel=1e-3)
    at_angle(disk, 0.0)
    # 3 ms, a miss after a read: three eighths of a turn are 3.125 ms.
    assert took(disk, t.READ, TRACK + 3 * MIB // 2, SECTOR) > 3 * MS
    assert [int(one) // MS for one in disk.row["command_time"]] == [3, 4, 1, 2, 7, 8, 5, 6]


def test_zero_latency_takes_a_whole_track_in_one_turn_wherever_the_head_comes_down():
    plain = OneDisk(command__max_transfer="4096 KiB")
    quick = OneDisk(command__max_transfer="4096 KiB", access__zero_latency_reads=True)
    for share in (0.1, 0.5, 0.9):
        for disk, turns in ((plain, 2 - share), (quick, 1)):
            at_angle(disk, share)
            assert took(disk, t.READ, 0, TRACK) == pytest.approx(turns * TURN, rel=2e-3)


def test_zero_latency_helps_only_where_the_head_comes_down_among_the_sectors():
    disk = OneDisk(access__zero_latency_writes=True)
    at_angle(disk, 0.5)  # the first quarter of the track has passed: half a turn until it comes
    assert took(disk, t.WRITE, 0, TRACK // 4) == pytest.approx(0.75 * TURN, rel=2e-3)
    at_angle(disk, 0.125)  # in the middle of it: one turn, not 1.125
    assert took(disk, t.WRITE, 0, TRACK // 4) == pytest.approx(TURN, rel=2e-3)


def test_the_arm_is_on_its_way_while_the_data_of_a_write_comes():
    slow = {"link__time_per_byte": "100 us/KiB"}  # 6.4 ms for 64 KiB
    far = 1_000_000 * MIB // SECTOR * SECTOR
    times = {}
    for early in (False, True):
        disk = OneDisk(command__early_seek=early, **slow)
        cylinder, head, _ = mechanics.locate(disk.system.world, disk.row, far)
        move = mechanics.move_time(disk.system.world, disk.row, t.WRITE, cylinder, head)
        times[early] = took(disk, t.WRITE, far, 64 * KIB)
        assert move > 6.4 * MS
    # The sector is reached a whole turn sooner, or two: 6.4 ms are most of a turn of 8.3 ms.
    assert times[False] - times[True] == pytest.approx(TURN, abs=ROUNDING)


def test_a_read_waits_in_the_buffer_for_as_much_as_the_watermark_says():
    slow = {"link__time_per_byte": "10 us/KiB"}
    read = 256 * KIB
    medium, link = TURN * read / TRACK, 10 * US * 256
    for watermark, expected in (
        ("0 %", link),
        ("50 %", medium / 2 + link),
        ("100 %", medium + link),
    ):
        disk = OneDisk(buffer__read_watermark=watermark, **slow)
        at_angle(disk, 0.0)
        assert took(disk, t.READ, 0, read) == pytest.approx(expected, rel=2e-3)


def test_a_disk_that_hands_on_unit_by_unit_sends_one_of_them_before_or_behind_the_medium():
    read, unit = 256 * KIB, 4 * KIB
    medium = TURN * read / TRACK
    for rate in (1, 10):  # us/KiB on the link: faster and slower than the medium, at 2.03
        disk = OneDisk(buffer__read_unit="4 KiB", link__time_per_byte=f"{rate} us/KiB")
        at_angle(disk, 0.0)
        link = rate * US * 256
        expected = max(medium + link * unit / read, link + medium * unit / read)
        assert took(disk, t.READ, 0, read) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("until", "depth", "reached"),
    [
        ("depth", "1 MiB", MIB),
        ("track", "8 MiB", TRACK),
        ("track", "1 MiB", MIB),
        ("cylinder", "8 MiB", TRACK),  # one head: a cylinder is a track
        ("next-track", "1 MiB", TRACK),
    ],
)
def test_read_ahead_goes_on_as_far_as_its_rule_says(until, depth, reached):
    disk = OneDisk(
        read_ahead__segments=4,
        read_ahead__depth=depth,
        read_ahead__segment="8 MiB",
        read_ahead__until=until,
        read_ahead__on_hit=False,
    )
    took(disk, t.READ, 0, SECTOR)
    rest(disk, 3 * TURN)
    end = reached + (SECTOR if reached < TRACK else 0)
    at_angle(disk, 0.5)
    assert took(disk, t.READ, end - SECTOR, SECTOR) < 10 * US
    at_angle(disk, 0.9 * end / TRACK % 1)
    assert took(disk, t.READ, end, SECTOR) > 100 * US


def test_a_stream_that_came_over_the_end_of_a_track_has_one_more_track_read():
    disk = OneDisk(
        read_ahead__segments=4,
        read_ahead__segment="8 MiB",
        read_ahead__depth="64 KiB",
        read_ahead__until="next-track",
        read_ahead__on_hit=False,
    )
    took(disk, t.READ, TRACK - 64 * KIB, 64 * KIB + SECTOR)
    rest(disk, 5 * TURN)
    assert took(disk, t.READ, 3 * TRACK - SECTOR, SECTOR) < 10 * US
    at_angle(disk, 0.5)
    assert took(disk, t.READ, 3 * TRACK, SECTOR) > 100 * US


def test_a_segment_is_a_ring_that_keeps_what_came_last():
    disk = OneDisk(
        read_ahead__segments=4,
        read_ahead__segment="64 KiB",
        read_ahead__depth="64 KiB",
        read_ahead__until="next-track",
        read_ahead__on_hit=False,
    )
    took(disk, t.READ, 0, SECTOR)
    rest(disk, 3 * TURN)
    assert took(disk, t.READ, TRACK - 64 * KIB, SECTOR) < 10 * US
    at_angle(disk, 0.5)
    assert took(disk, t.READ, TRACK - 65 * KIB, SECTOR) > 100 * US  # read, and written over


def test_what_came_by_before_the_first_sector_is_kept():
    for keeps in (False, True):
        disk = OneDisk(**SEGMENTS, read_ahead__from_landing=keeps)
        at_angle(disk, 0.25)
        took(disk, t.READ, TRACK // 2, SECTOR)
        time = took(disk, t.READ, TRACK // 2 - 256 * KIB, SECTOR)
        assert (time < 10 * US) == keeps


@pytest.mark.parametrize("cached", [False, True])
def test_written_data_can_be_read_from_the_segment_that_it_took(cached):
    for shares in (False, True):
        disk = OneDisk(**SEGMENTS, write_cache__enabled=cached, write_cache__shares_segments=shares)
        took(disk, t.WRITE, 64 * KIB, 16 * KIB)
        rest(disk, 3 * TURN)  # it is on the medium
        assert disk.row["taken"] == 0
        at_angle(disk, 0.5)
        assert (took(disk, t.READ, 68 * KIB, 4 * KIB) < 10 * US) == shares


def test_a_read_of_what_is_not_on_the_medium_yet_may_have_to_wait():
    for hits in (True, False):
        disk = OneDisk(write_cache__enabled=True, write_cache__read_hits=hits)
        at_angle(disk, 0.5)
        took(disk, t.WRITE, 0, 64 * KIB)
        time = took(disk, t.READ, 0, 64 * KIB)
        if hits:
            assert time < 100 * US
        else:  # half a turn until it is written, and the same place comes by a turn later
            assert time == pytest.approx(1.5 * TURN + TURN / 64, rel=1e-2)


def test_a_measured_seek_lies_on_the_line_between_two_points():
    folder = __file__.rpartition("/")[0] + "/data/disksim/atlas_III.parv"
    card = read_card(disksim.card_text(disksim.read_disk([folder])), "atlas")
    system = System(seed=1)
    links = [system.add_station(name, "link") for name in ("to host", "to drive")]
    row = hdd.add(system, "d", card, drive=0, link_to_host=links[0], link_to_drive=links[1])
    disk, world = system.world.disks[row], system.world

    def seek(distance):
        return mechanics.seek_time(world, disk, t.READ, distance) / MS

    assert seek(0) == 0
    assert seek(1) == pytest.approx(1.663)
    assert seek(11) == pytest.approx((2.352 + 2.346) / 2)
    assert seek(550) == pytest.approx((5.095 + 5.255) / 2)
    assert seek(8056) == pytest.approx(15.36)
