"""The disk against a plain one in SimPy: where bytes lie, and when each request is over.

Requests come at random times, so that nothing but the order of service decides; times agree to
the rounding of a few services.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from one_disk import SMALL, OneDisk
from oracle.disk import OracleDisk, Platter

from raidsim.kernel import disk_buffer, mechanics
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED

SECTOR = 512
KIB = 1024
MS = 1_000_000  # ns
ROUNDING = 20  # ns: a few services, each rounded to whole ns
COUNT = 60 if INTERPRETED else 600


@cache
def platter() -> Platter:
    """The tracks of the small disk."""
    return Platter(OneDisk(**SMALL).card)


def apart(a: float, b: float, turn: int) -> float:
    """How far two angles are apart, the short way round."""
    return abs((a - b + turn / 2) % turn - turn / 2)


# -- where bytes lie ---------------------------------------------------------------------------


def test_bytes_lie_where_a_walk_over_all_tracks_finds_them():
    disk, plain = OneDisk(**SMALL), platter()
    rng = np.random.default_rng(1)
    edges = rng.choice([track.first for track in plain.tracks[1:]], 150 if INTERPRETED else 1000)
    anywhere = rng.integers(0, disk.row["size"], len(edges))
    offsets = [0, int(disk.row["size"]) - 1, *edges, *(edges - 1), *anywhere]
    for offset in (int(o) for o in offsets if o < disk.row["size"]):
        cylinder, head, angle = mechanics.locate(disk.system.world, disk.row, offset)
        track = plain.track(offset)
        assert (cylinder, head) == (track.cylinder, track.head)
        assert apart(angle, plain.angle(offset), plain.turn) < 0.01


def test_zones_get_shorter_inwards_and_hold_the_capacity():
    disk, plain = OneDisk(**SMALL), platter()
    sizes = [track.size for track in plain.tracks]
    zones = disk.system.world.zones[: disk.row["zones"]]
    assert zones["track"].tolist() == sorted(set(sizes), reverse=True)
    assert (zones["track"][0], zones["track"][-1]) == (301 * KIB, 150 * KIB)
    assert disk.row["cylinders"] == plain.cylinders
    # No more cylinders than needed: one less in every zone, and the data would not fit.
    spare = sum(sizes) - disk.row["size"]
    assert 0 <= spare < disk.row["heads"] * sum(set(sizes))


def test_the_next_track_comes_by_just_when_the_head_has_got_there():
    # From the last byte of a track to the first of the next, the platter turns by the skew:
    # the head switch, or the longer single-cylinder seek.
    plain = platter()
    for a, b in zip(plain.tracks[:-1:7], plain.tracks[1::7], strict=False):
        gap = (b.angle - a.angle) % plain.turn
        skew = 0.717 * MS if a.cylinder == b.cylinder else 0.913 * MS
        assert apart(gap, skew, plain.turn) < 0.01


def test_a_transfer_takes_what_passes_under_the_heads_skews_included():
    disk, plain = OneDisk(**SMALL), platter()
    rng = np.random.default_rng(2)
    for _ in range(COUNT):
        start = int(rng.integers(0, disk.row["size"] - 2_000_000))
        length = int(rng.integers(1, 2_000_000))
        found = mechanics.span(disk.system.world, disk.row, start, start + length)
        assert found == pytest.approx(plain.transfer(start, length), abs=0.05)


def test_reading_on_comes_as_far_as_the_time_allows():
    # The other way round: after the time of so many bytes, so many whole sectors are read.
    disk, plain = OneDisk(**SMALL), platter()
    rng = np.random.default_rng(3)
    end = int(disk.row["size"])
    for _ in range(COUNT):
        start = int(rng.integers(0, (end - 2_000_000) // SECTOR)) * SECTOR
        length = int(rng.integers(1, 4000)) * SECTOR
        for early, sectors in ((-5.0, -1), (5.0, 0)):
            time = plain.transfer(start, length) + early
            disk_buffer.begin_ahead(disk.system.world, disk.row, start, end, 0.0)
            got = disk_buffer.reached(disk.system.world, disk.row, time) - start
            assert got == length + sectors * SECTOR


def test_a_long_read_ahead_is_followed_from_the_track_where_it_was_seen_last():
    # A stream keeps its read-ahead going: each look goes on from the track before, comes as far
    # as one that walks all the way, and the way from the beginning takes as long.
    disk, plain = OneDisk(**SMALL), platter()
    world, row = disk.system.world, disk.row
    rng = np.random.default_rng(4)
    start, end = 5 * SECTOR, int(row["size"])
    disk_buffer.begin_ahead(world, row, start, end, 0.0)
    sectors = 0
    for _ in range(COUNT):
        sectors += int(rng.integers(1, 4000))
        passed = plain.transfer(start, sectors * SECTOR)
        place = int(disk_buffer.reached(world, row, passed + 5.0))
        assert place == start + sectors * SECTOR
        assert place - row["ahead_track"] <= plain.track(place - 1).size
        ahead = place + int(rng.integers(1, 4000)) * SECTOR
        whole = plain.transfer(start, ahead - start)
        assert disk_buffer.until_read(world, row, ahead) == pytest.approx(
            whole, abs=0.05 + 1e-9 * whole
        )


# -- the seek curve ----------------------------------------------------------------------------


@pytest.mark.parametrize(("op", "name"), [(t.READ, "read"), (t.WRITE, "write")])
@pytest.mark.parametrize("settle", ["0 %", "15 %"])
def test_the_seek_curve_has_the_three_times_of_the_data_sheet(op, name, settle):
    disk = OneDisk(**SMALL, seek__settle=settle)
    single, average, full = (
        disk.card.number(f"seek.{name}_{which}") * 1e9 for which in ("single", "average", "full")
    )
    cylinders = int(disk.row["cylinders"])
    times = [mechanics.seek_time(disk.system.world, disk.row, op, d) for d in range(cylinders)]
    assert times[0] == 0
    assert times[1] == single
    assert times[-1] == pytest.approx(full)
    assert np.diff(times).min() > 0
    # Distances between independent uniform cylinders: 2 (C - d) of C^2 pairs, for d > 0.
    d = np.arange(1, cylinders)
    mean = float(np.sum(2 * (cylinders - d) / cylinders**2 * np.array(times[1:])))
    assert mean == pytest.approx(average, rel=5e-3)


def test_moves_to_another_head_and_to_another_cylinder():
    disk = OneDisk(**SMALL)
    row, world = disk.row, disk.system.world
    assert mechanics.move_time(world, row, t.READ, 0, 0) == 0
    assert mechanics.move_time(world, row, t.READ, 0, 3) == 0.717 * MS
    assert mechanics.move_time(world, row, t.READ, 1, 0) == 0.5 * MS
    assert mechanics.move_time(world, row, t.WRITE, 1, 0) == 0.913 * MS


def test_a_seek_to_another_head_takes_at_least_a_head_switch():
    # Heads are not exactly above each other: the next one has to find its own track.
    disk = OneDisk(**SMALL, geometry__write_head_switch="1.1 ms")
    row, world = disk.row, disk.system.world
    assert mechanics.move_time(world, row, t.READ, 1, 3) == 0.717 * MS
    assert mechanics.move_time(world, row, t.WRITE, 1, 0) == 0.913 * MS
    assert mechanics.move_time(world, row, t.WRITE, 1, 3) == 1.1 * MS
    far = mechanics.move_time(world, row, t.READ, 100, 0)
    assert far > 0.717 * MS
    assert mechanics.move_time(world, row, t.READ, 100, 3) == far


def test_every_other_cylinder_begins_with_the_head_that_ended_the_one_before():
    disk = OneDisk(**SMALL)
    track = 301 * KIB
    places = [mechanics.locate(disk.system.world, disk.row, number * track) for number in range(9)]
    assert [head for _, head, _ in places] == [0, 1, 2, 3, 3, 2, 1, 0, 0]
    assert [cylinder for cylinder, _, _ in places] == [0, 0, 0, 0, 1, 1, 1, 1, 2]


# -- every request in its time -----------------------------------------------------------------


def requests(seed, *, reads=1.0, gap=6 * MS, count=COUNT, align=SECTOR, most=64, area=None):
    """Random requests (time, op, offset, length): Poisson, up to ``most`` sectors long."""
    rng = np.random.default_rng(seed)
    area = area or 999_000_000
    times = np.cumsum(rng.exponential(gap, count)).astype(int)
    lengths = rng.integers(1, most + 1, count) * SECTOR
    offsets = rng.integers(0, area // align, count) * align
    ops = np.where(rng.random(count) < reads, t.READ, t.WRITE)
    return [tuple(map(int, row)) for row in zip(times, ops, offsets, lengths, strict=True)]


def compare(asked, **changes):
    """Serve the same requests in both; the kernel's disk and the plain one afterwards."""
    disk = OneDisk(**(SMALL | changes))
    plain = OracleDisk(disk.card, platter() if not changes.keys() & GEOMETRY else None)
    expected = plain.run(asked)
    found = disk.replay(asked)
    worst = max(abs(a - b) for a, b in zip(found, expected, strict=True))
    assert worst <= ROUNDING, f"{worst} ns apart"
    assert disk.system.world.drives[0]["unsafe"] == plain.unsafe == 0
    return disk, plain


GEOMETRY = {"capacity__physical_sector", "geometry__heads", "geometry__zones"}
DISCIPLINES = ("fifo", "sstf", "look", "sptf")


@pytest.mark.parametrize("discipline", DISCIPLINES)
@pytest.mark.parametrize("interface", ["sas", "sata"])
def test_reads_and_uncached_writes_in_every_order(discipline, interface):
    asked = requests(4, reads=0.6, gap=4 * MS)
    compare(asked, queue__discipline=discipline, link__interface=interface)


def test_a_drive_that_is_hardly_busy_serves_each_request_by_itself():
    asked = [
        (time + number * 60 * MS, *rest)
        for number, (time, *rest) in enumerate(requests(5, reads=0.5, gap=MS, count=COUNT // 3))
    ]
    _, plain = compare(asked)
    assert [(op, offset) for _, op, offset, _ in asked] == plain.order


def test_long_requests_over_many_tracks():
    compare(requests(6, reads=0.5, gap=30 * MS, most=2000, count=COUNT // 3))


@pytest.mark.parametrize("ageing", [0.05, 0.5])
def test_a_command_that_has_waited_is_preferred_as_in_the_plain_model(ageing):
    asked = requests(7, reads=0.5, gap=3 * MS)
    compare(asked, queue__discipline="sptf", queue__ageing=ageing)


@pytest.mark.parametrize("depth", [1, 4])
def test_commands_beyond_the_queue_depth_wait_in_the_host(depth):
    asked = requests(12, reads=0.5, gap=3 * MS)
    compare(asked, queue__discipline="sptf", command__queue_depth=depth)


@pytest.mark.parametrize("discipline", ["fifo", "sptf"])
def test_a_firmware_that_takes_time_to_choose_chooses_among_what_has_come_by_then(discipline):
    asked = requests(21, reads=0.6, gap=4 * MS)
    compare(asked, queue__discipline=discipline, queue__choose_time="0.7 ms")


def test_what_follows_on_is_taken_without_a_choice():
    # Uncached writes in a row, each begun before the one before is over: no turn is lost by them.
    size = 64 * KIB
    asked = [(number * MS // 10, t.WRITE, number * size, size) for number in range(COUNT // 10)]
    compare(asked, queue__choose_time="0.7 ms")


def test_commands_beyond_the_window_are_not_sorted():
    asked = requests(14, reads=0.5, gap=3 * MS, count=COUNT // 2)
    compare(asked, queue__discipline="sptf", queue__window=6)


def test_a_drive_that_does_not_queue_without_its_cache_takes_one_command_at_a_time():
    asked = requests(13, reads=0.5, gap=3 * MS, count=COUNT // 2)
    compare(asked, queue__discipline="sptf", command__queues_uncached_writes=False)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_cached_writes_beside_reads(discipline):
    # The cache is too small now and then, so that writes wait for room.
    disk, plain = compare(
        requests(8, reads=0.4, gap=5 * MS),
        queue__discipline=discipline,
        write_cache__enabled=True,
        write_cache__entries=6,
        write_cache__size="128 KiB",
    )
    drive = disk.system.world.drives[0]
    assert drive["unsafe_peak"] == plain.unsafe_peak > 64 * KIB


@pytest.mark.parametrize("share", ["30 %", "100 %"])
def test_reads_go_before_cached_writes_until_so_many_wait(share):
    compare(
        requests(22, reads=0.5, gap=4 * MS),
        queue__discipline="sptf",
        write_cache__enabled=True,
        write_cache__entries=12,
        write_cache__size="192 KiB",
        write_cache__reads_first=share,
        queue__passes=1000,  # that nothing waits for ever is no matter here
    )


@pytest.mark.parametrize(
    ("seed", "reads", "entries", "aims"), [(23, 0.2, 60, 4), (24, 0.5, 40, 2), (24, 0.5, 40, 8)]
)
def test_the_arm_aims_at_the_nearest_cached_writes_and_writes_as_many_in_a_turn(
    seed, reads, entries, aims
):
    compare(
        requests(seed, reads=reads, gap=3 * MS, most=8),
        queue__discipline="sptf",
        queue__choose_time="0.7 ms",
        write_cache__enabled=True,
        write_cache__entries=entries,
        write_cache__reads_first="50 %",
        write_cache__aims=aims,
        queue__passes=1000,  # that nothing waits for ever is no matter here
    )


@pytest.mark.parametrize("deferral", [{}, {"write_cache__reads_first": "60 %"}])
def test_cached_writes_that_overwrite_and_continue_one_another(deferral):
    # 60 blocks of 16 KiB: the queue holds many of them, in places one behind the other. Reads
    # begin inside of blocks, where no write does and hardly another read: none is a tie.
    asked = [
        (time, op, offset + 512 * (number % 28 + 1), 1 * KIB)
        if op == t.READ
        else (time, op, offset, 16 * KIB)
        for number, (time, op, offset, _) in enumerate(
            requests(9, reads=0.2, gap=1 * MS, align=16 * KIB, area=60 * 16 * KIB, count=600)
        )
    ]
    disk, plain = compare(
        asked,
        queue__discipline="sptf",
        write_cache__enabled=True,
        write_cache__entries=20,
        **deferral,
    )
    writes = sum(op == t.WRITE for _, op, _, _ in asked)
    on_medium = sum(op == t.WRITE for op, _ in plain.order)
    assert on_medium < 0.9 * writes
    assert disk.system.world.drives[0]["unsafe_peak"] == plain.unsafe_peak


def test_unaligned_writes_of_a_drive_with_sectors_of_4_kib():
    compare(
        requests(10, reads=0.3, gap=12 * MS),
        capacity__physical_sector="4096 B",
        queue__discipline="sptf",
    )


def test_one_surface_one_zone():
    asked = requests(11, reads=0.5, area=990_000_000)
    compare(asked, geometry__heads=1, geometry__zones=1, queue__discipline="sptf")


def test_the_plain_disk_turns_the_way_it_says():
    # The oracle itself, by hand: a read of the first sector that comes when it has passed.
    plain = OracleDisk(OneDisk(**SMALL).card, platter())
    sector = platter().turn / 602
    (end,) = plain.run([(0, t.READ, 0, SECTOR)])
    # 10 us to the drive and 50 us of its controller: the platter comes round once more.
    assert end == math.floor(6 * MS + sector + 0.5) + 10_000
