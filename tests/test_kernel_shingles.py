"""Shingled disks: media cache, the cliff, band rewrites, streams to bands, reads, power cuts.

The disk is the plain one of :mod:`one_disk`, with bands of four whole tracks: with seeks that take
no time everything lasts whole turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import INTERPRETED
from drive_times import KIB, MS
from one_disk import NO_SEEK, OneDisk

from raidsim.errors import InputError
from raidsim.intervene import power
from raidsim.kernel import shingles
from raidsim.kernel import tables as t

TURN = 60e9 / 7200  # ns
TRACK = 4 << 20
BAND = 4 * TRACK
BLOCK = 4096
PASSING = TURN * BLOCK / TRACK  # ns in which a block passes under the head
ROUNDING = 20  # ns
IDLE = 10**9  # ns
RECORDS = 50
BYTES = 25 * TRACK  # of the media cache: whole tracks, so that all bands begin at one angle
NARROW = {"queue__window": 32, "command__queue_depth": 32}
SHINGLED: dict[str, Any] = NARROW | {
    "smr__band": "16 MiB",
    "smr__media_cache": f"{BYTES / 1e9} GB",
    "smr__records": RECORDS,
    "smr__idle_after": "1 s",
}
STILL = SHINGLED | NO_SEEK
"""Seeks take no time."""


class Shingled(OneDisk):
    """The disk, with a look at its media cache."""

    @property
    def cache(self) -> Any:
        return self.system.world.shingles[0]

    def records(self) -> list[tuple[int, Any]]:
        """Numbers and records that are in the map, oldest first."""
        cache = self.cache
        numbers = range(int(cache["oldest"]), int(cache["next"]))
        rows = [(n, self.system.world.records[n % cache["records"]]) for n in numbers]
        return [(n, row) for n, row in rows if row["live"]]


def come_back(disk: OneDisk, under_way: set[int], most: int) -> None:
    """Run until no more than so many I/Os are under way; all of them succeed."""
    while len(under_way) > most:
        assert disk.system.run() == t.RETURN_AWAITED
        for ticket, _, _, status in disk.system.awaited():
            assert status == t.DONE
            under_way.remove(ticket)


def scattered(count: int, seed: int = 1) -> list[int]:
    """Places of blocks in as many different bands, none at the start of its band."""
    rng = np.random.default_rng(seed)
    bands = rng.choice(50_000, count, replace=False)
    return [int(band) * BAND + int(rng.integers(1, BAND // BLOCK)) * BLOCK for band in bands]


# -- the media cache takes random writes ---------------------------------------------------------


def test_random_writes_are_appended_one_a_turn():
    # The command takes time, so the next place of the log has just passed: a turn, and the block.
    disk = Shingled(**STILL, command__time="100 us")
    ends = []
    for place in scattered(RECORDS):
        disk.writes(place, BLOCK)
        ends.append(disk.system.now)
    assert np.diff(ends) == pytest.approx(TURN + PASSING, abs=ROUNDING)
    assert disk.cache["kept"] == RECORDS
    assert disk.cache["rewrites"] == 0


def test_writes_that_are_there_at_once_are_appended_at_media_rate():
    disk = Shingled(**SHINGLED)
    disk.wait(*(disk.start(t.WRITE, place, BLOCK) for place in scattered(30)))
    begun = disk.system.now
    tickets = [disk.start(t.WRITE, place, BLOCK) for place in scattered(20, seed=2)]
    disk.wait(*tickets)
    assert disk.system.now - begun == pytest.approx(20 * PASSING, abs=TURN)


def test_part_of_a_physical_sector_costs_no_turn_in_the_log():
    disk = Shingled(**STILL, capacity__physical_sector="4096 B")
    (place, other) = scattered(2)
    disk.writes(place, BLOCK)
    assert disk.writes(other + 512, 512) == pytest.approx(PASSING, abs=ROUNDING)


# -- the cliff -----------------------------------------------------------------------------------


def test_the_cliff_comes_when_the_map_is_used_up():
    disk = Shingled(**STILL)
    taken = [disk.writes(place, BLOCK) for place in scattered(RECORDS + 5)]
    assert max(taken[:RECORDS]) < TURN + ROUNDING
    assert min(taken[RECORDS:]) > 2 * BAND / TRACK * TURN


def test_the_cliff_comes_when_the_log_is_full():
    # Free bytes of the log over bytes a write, whatever the map could hold.
    disk = Shingled(**STILL | {"smr__records": 100_000})
    size = 1024 * KIB
    writes = BYTES // size
    places = [place // BAND * BAND + size for place in scattered(writes + 5)]
    taken = [disk.writes(place, size) for place in places]
    assert max(taken[:writes]) < 2 * TURN
    assert min(taken[writes:]) > 2 * BAND / TRACK * TURN


@pytest.mark.parametrize("together", [1, 5])
def test_steady_random_writes_share_the_rewrite_of_their_band(together):
    # Without seeks: the place of the log comes by, the band is read and written from its start,
    # and the log's end comes by: two turns, and two for each track of the band.
    disk = Shingled(**STILL)
    bands = scattered(100)
    places = [
        place // BAND * BAND + (7 * n + 3) * BLOCK for place in bands for n in range(together)
    ]
    ends = []
    for place in places[: 2 * RECORDS]:
        disk.writes(place, BLOCK)
        ends.append(disk.system.now)
    rewrite = (2 + 2 * BAND / TRACK) * TURN
    gaps = np.diff(ends)[RECORDS:]
    whole = len(gaps) // together * together
    assert gaps[-whole:].mean() == pytest.approx(rewrite / together, rel=0.01)
    assert disk.cache["rewrites"] == pytest.approx(RECORDS / together, abs=1)


def test_a_rewrite_is_positioning_a_band_read_and_a_band_written():
    disk = Shingled(**SHINGLED)
    taken = [disk.writes(place, BLOCK) for place in scattered(RECORDS + 30)][RECORDS:]
    passing = BAND / TRACK * TURN + (BAND // TRACK - 1) * 0.8 * MS
    seeks = 4 * 9.8 * MS  # to the log, to the band, back to its start, to the log: at most
    assert min(taken) > 2 * passing
    assert max(taken) < 2 * passing + seeks + 4 * TURN


def test_what_is_written_again_and_again_goes_without_a_rewrite():
    disk = Shingled(**STILL)
    place = scattered(1)[0]
    taken = [disk.writes(place, BLOCK) for _ in range(4 * RECORDS)]
    assert max(taken) < TURN
    assert disk.cache["rewrites"] == 0
    assert disk.cache["kept"] == 1


# -- idle time -----------------------------------------------------------------------------------


def test_idle_time_empties_the_media_cache_and_restores_the_speed():
    disk = Shingled(**STILL)
    taken = [disk.writes(place, BLOCK) for place in scattered(RECORDS + 1)]
    assert taken[-1] > TURN
    rewritten = int(disk.cache["rewrites"])
    since = disk.system.now
    disk.until(since + IDLE - 1)
    assert disk.cache["rewrites"] == rewritten
    end = disk.rest()
    assert disk.cache["kept"] == disk.cache["used"] == 0
    assert disk.cache["rewrites"] - rewritten == RECORDS
    assert end - since == pytest.approx(IDLE + RECORDS * (1 + 2 * BAND / TRACK) * TURN, rel=0.03)
    again = [disk.writes(place, BLOCK) for place in scattered(RECORDS, seed=2)]
    assert max(again) < TURN + ROUNDING


def test_a_command_interrupts_cleaning_until_it_is_quiet_again():
    disk = Shingled(**STILL)
    for place in scattered(10):
        disk.writes(place, BLOCK)
    disk.until(disk.system.now + IDLE + 45 * round(TURN))
    done = int(disk.cache["rewrites"])
    assert 0 < done < 10
    # One step of a rewrite at most is before it: a band.
    assert disk.reads(BAND, BLOCK) < (BAND / TRACK + 2) * TURN
    disk.until(disk.system.now + IDLE - 1)
    assert disk.cache["rewrites"] <= done + 1
    disk.rest()
    assert disk.cache["kept"] == 0


# -- streams -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("size", [64 * KIB, 1000 * KIB, 1024 * KIB])
def test_sequential_writes_go_to_their_bands_at_media_rate(size, cache):
    few = 2 if INTERPRETED else 20
    changes = {"write_cache__enabled": cache}
    disk, plain = Shingled(**SHINGLED | changes), OneDisk(**NARROW | changes)
    times = []
    for one in (disk, plain):
        under_way: set[int] = set()
        for n in range(few * BAND // size):
            under_way.add(one.start(t.WRITE, n * size, size))
            come_back(one, under_way, 3)
        one.until(one.system.now + IDLE // 2)
        times.append(one.served("disk arm"))
    # But for the way to the first band, which the media cache lies before.
    assert times[0] == pytest.approx(times[1], abs=9.8 * MS + TURN)
    assert disk.cache["logged"] == disk.cache["rewrites"] == 0
    assert disk.cache["streamed"] == few * BAND // size * size


def test_a_stream_passes_by_a_full_media_cache():
    disk = Shingled(**STILL)
    for place in scattered(RECORDS):
        disk.writes(place, BLOCK)
    size = 1024 * KIB
    taken = [disk.writes(n * size, size) for n in range(2 * BAND // size)]
    assert max(taken) < 2 * TURN
    assert disk.cache["rewrites"] == 0


def test_a_stream_that_begins_within_a_band_goes_to_the_log_until_the_next_one():
    disk = Shingled(**SHINGLED)
    size = 1024 * KIB
    for n in range(4, 40):
        disk.writes(n * size, size)
    assert disk.cache["logged"] == BAND - 4 * size
    assert disk.cache["streamed"] == 40 * size - BAND


@pytest.mark.parametrize("cache", [False, True])
@pytest.mark.parametrize("size", [60 * KIB, 1000 * KIB, 1024 * KIB])
def test_a_stream_goes_to_its_bands_whatever_its_writes_begin_with(size, cache):
    """The write that meets the next band goes on there: only what is in front is in the log."""
    disk = Shingled(**SHINGLED | {"write_cache__enabled": cache})
    begin, few = BAND // 2 + 12 * KIB, 2 if INTERPRETED else 8
    under_way: set[int] = set()
    writes = few * BAND // size
    for n in range(writes):
        under_way.add(disk.start(t.WRITE, begin + n * size, size))
        come_back(disk, under_way, 3)
    come_back(disk, under_way, 0)
    disk.until(disk.system.now + IDLE // 2)
    assert disk.cache["logged"] == BAND - begin
    assert disk.cache["streamed"] == writes * size - (BAND - begin)
    assert {int(record["offset"]) // BAND for _, record in disk.records()} == {0}
    assert disk.row["taken"] == disk.row["dirty"] == 0
    assert disk.system.world.drives["unsafe"][0] == 0
    assert disk.reads(BAND - 4 * KIB, 8 * KIB) > 0
    check(disk)


def test_a_write_in_two_places_goes_to_the_log_first_and_then_to_its_band():
    disk = Shingled(**STILL)
    half = 32 * KIB
    taken = disk.writes(BAND - half, 2 * half)
    assert TURN <= taken < 2 * TURN + ROUNDING  # the band begins where the log did
    ((_, left),) = disk.records()
    assert (left["offset"], left["length"]) == (BAND - half, half)
    assert disk.cache["streamed"] == half


def test_a_stream_that_begins_anywhere_passes_by_a_full_media_cache_once_it_has_met_a_band():
    disk = Shingled(**STILL)
    for place in scattered(RECORDS):
        disk.writes(place, BLOCK)
    size = 1024 * KIB
    taken = [disk.writes(BAND // 2 + 12 * KIB + n * size, size) for n in range(5 * BAND // size)]
    behind = taken[1 + BAND // 2 // size :]
    assert max(behind) < 2 * TURN


def test_a_stream_writes_anew_what_the_media_cache_held():
    disk = Shingled(**SHINGLED)
    disk.writes(5 * BLOCK, BLOCK)
    disk.writes(100 * BLOCK, 3 * BLOCK)
    for n in range(3):
        disk.writes(n * 34 * BLOCK, 34 * BLOCK)  # up to within the second one
    ((_, left),) = disk.records()
    assert (left["offset"], left["length"]) == (102 * BLOCK, BLOCK)
    disk.writes(102 * BLOCK, 10 * BLOCK)
    assert disk.records() == []
    assert disk.cache["kept"] == disk.cache["used"] == 0


def test_a_band_that_a_stream_leaves_half_written_is_rewritten():
    disk = Shingled(**SHINGLED)
    streams = int(disk.cache["frontiers"])
    for n in range(streams):
        disk.writes(n * BAND, BLOCK)
    assert disk.cache["kept"] == 0
    disk.writes(streams * BAND, BLOCK)  # one more than are followed
    assert disk.cache["kept"] == 1
    disk.rest()
    assert disk.cache["rewrites"] == 1
    assert disk.cache["kept"] == 0


# -- reads ---------------------------------------------------------------------------------------


def test_reads_find_data_in_the_media_cache_and_in_bands():
    disk = Shingled(**SHINGLED)
    place = scattered(1)[0]
    disk.writes(place, 2 * BLOCK)
    disk.reads(place, BLOCK)
    tracks = BYTES // TRACK
    assert disk.row["cylinder"] < tracks
    disk.reads(place - BLOCK, BLOCK)
    assert disk.row["cylinder"] == tracks + place // TRACK
    # In two places: the arm goes to both.
    before = int(disk.visits("disk arm")[0])
    disk.reads(place - BLOCK, 2 * BLOCK)
    assert disk.visits("disk arm")[0] == before + 2
    disk.rest()
    disk.reads(place - BLOCK, 2 * BLOCK)
    assert disk.row["cylinder"] == tracks + place // TRACK


def test_the_newest_of_several_writes_is_read():
    disk = Shingled(**SHINGLED)
    start = BAND + 100 * BLOCK
    disk.writes(start, 8 * BLOCK)
    disk.writes(start + 2 * BLOCK, 2 * BLOCK)
    row, world = disk.row, disk.system.world
    (_, old), (_, new) = disk.records()
    first = -BYTES + int(old["place"])
    assert shingles.find(world, row, start, start + 8 * BLOCK) == (first, start + 2 * BLOCK)
    inside = start + 2 * BLOCK
    second = -BYTES + int(new["place"])
    assert shingles.find(world, row, inside, start + 8 * BLOCK) == (second, inside + 2 * BLOCK)
    behind = start + 4 * BLOCK
    assert shingles.find(world, row, behind, start + 9 * BLOCK) == (
        first + 4 * BLOCK, start + 8 * BLOCK,
    )  # fmt: skip


# -- anything ------------------------------------------------------------------------------------


def check(disk: Shingled) -> None:
    """What holds of the map and the log at every instant."""
    cache, world = disk.cache, disk.system.world
    assert 0 <= cache["kept"] == cache["next"] - cache["oldest"] <= cache["records"]
    listed = []
    for band in np.flatnonzero(world.bands["first"] != t.NONE):
        n = int(world.bands["first"][band])
        while n != t.NONE:
            record = world.records[n % cache["records"]]
            assert record["live"]
            assert record["offset"] // BAND == band
            listed.append(n)
            last, n = n, int(record["next"])
            assert n == t.NONE or n > last
        assert world.bands["last"][band] == last
    live = disk.records()
    assert sorted(listed) == [n for n, _ in live]
    if live:
        assert live[0][0] == cache["oldest"]
        assert cache["used"] == cache["head"] - live[0][1]["place"]
    else:
        assert cache["used"] == cache["kept"] == 0


def newest(disk: Shingled, byte: int) -> int:
    """Where a byte is, by a walk over all records."""
    place = byte
    for _, record in disk.records():
        if record["offset"] <= byte < record["offset"] + record["length"]:
            place = int(record["place"]) % BYTES - BYTES + byte - int(record["offset"])
    return place


@pytest.mark.parametrize("seed", range(1 if INTERPRETED else 8))
def test_map_and_log_hold_under_anything(seed):
    rng = np.random.default_rng(seed)
    discipline = ("sptf", "fifo", "look", "sstf")[seed % 4]
    disk = Shingled(
        **SHINGLED, queue__discipline=discipline, write_cache__enabled=bool(seed % 2),
        read_ahead__segments=4, read_ahead__depth="1 MiB", capacity__physical_sector="4096 B",
    )  # fmt: skip
    begins = [0, BAND // 2, 7 * BAND]
    under_way: set[int] = set()
    for _ in range(150 if INTERPRETED else 400):
        size = int(rng.integers(1, 65)) * 512 * int(rng.choice([1, 8]))
        if rng.random() < 0.4:  # one of three streams
            which = int(rng.integers(3))
            start, begins[which] = begins[which], begins[which] + size
            op = t.WRITE
        else:
            start = int(rng.integers(0, 10 * BAND // 512)) * 512
            op = t.READ if rng.random() < 0.4 else t.WRITE
        under_way.add(disk.start(op, start, size))
        if len(under_way) > 20:
            come_back(disk, under_way, int(rng.integers(21)))
            check(disk)
            for byte in rng.integers(0, 10 * BAND, 5).tolist():
                found, stop = shingles.find(disk.system.world, disk.row, byte, byte + BLOCK)
                assert found == newest(disk, byte)
                assert byte < stop
                assert newest(disk, stop - 1) == found + stop - 1 - byte
        if rng.random() < 0.05:
            come_back(disk, under_way, 0)
            disk.until(disk.system.now + int(rng.integers(0, 3)) * IDLE)
    come_back(disk, under_way, 0)
    disk.rest()
    assert disk.cache["kept"] == disk.cache["used"] == 0
    assert disk.cache["rewrites"] > 0


# -- power ---------------------------------------------------------------------------------------


def test_a_power_cut_keeps_the_media_cache_and_costs_the_buffer():
    disk = Shingled(**SHINGLED, write_cache__enabled=True)
    places = scattered(20)
    disk.wait(*(disk.start(t.WRITE, place, BLOCK) for place in places[:10]))
    disk.until(disk.system.now + IDLE // 2)
    assert disk.cache["kept"] == 10
    disk.wait(*(disk.start(t.WRITE, place, BLOCK) for place in places[10:]))
    assert disk.row["taken"] > 0
    kept = {int(record["offset"]) for _, record in disk.records()}
    outage = power.cut(disk.system, ())
    assert {int(record["offset"]) for _, record in disk.records()} == kept >= set(places[:10])
    assert disk.row["taken"] == 0
    check(disk)
    disk.system.advance_clock(disk.system.now + 10**10)
    power.drives_ready(disk.system)
    power.resume(disk.system, outage)
    disk.reads(places[0], BLOCK)
    assert disk.row["cylinder"] < BYTES // TRACK
    disk.rest()
    assert disk.cache["kept"] == 0


def test_a_rewrite_that_a_power_cut_ends_is_done_again():
    disk = Shingled(**STILL)
    disk.writes(scattered(1)[0], BLOCK)
    disk.until(disk.system.now + IDLE + 4 * round(TURN))
    assert disk.cache["rewrites"] == 0
    assert disk.cache["phase"] != 0
    power.cut(disk.system, ())
    assert disk.cache["kept"] == 1
    power.drives_ready(disk.system)
    disk.rest()
    assert disk.cache["rewrites"] == 1
    assert disk.cache["kept"] == 0


# -- cards ---------------------------------------------------------------------------------------


def test_a_conventional_disk_has_none_of_it():
    disk = OneDisk()
    assert disk.row["shingles"] == t.NONE
    assert [disk.system.count(name) for name in ("shingles", "bands", "records")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"smr__band": "12 KiB"}, "smr.band"),
        ({"smr__band": "1025 KiB", "capacity__physical_sector": "4096 B"}, "not a multiple"),
        ({"command__max_transfer": "20 MiB"}, "shorter than command.max_transfer"),
        ({"smr__media_cache": "0.02 GB"}, "less than two bands"),
        ({"buffer__size": "8 MiB"}, "no room for a band"),
    ],
)
def test_what_does_not_fit_together_is_refused(change, words):
    with pytest.raises(InputError, match=words):
        OneDisk(**SHINGLED | change)


def test_a_card_says_all_of_its_shingles_or_nothing():
    with pytest.raises(InputError, match=r"without smr.media_cache, smr.records, smr.idle_after"):
        OneDisk(smr__band="16 MiB")
