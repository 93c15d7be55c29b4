"""Writes of a disk: on the medium or in its cache, and what a power cut would lose.

Times by the card of the small disk and by the walk over its tracks in :mod:`oracle.disk`.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from conftest import INTERPRETED, compiled_only
from drive_times import KIB, MS, US
from one_disk import NO_HOST, SMALL, OneDisk
from oracle.disk import Platter
from watching import begin, build, scenario

from raidsim.errors import InputError
from raidsim.kernel import tables as t

BLOCK = 64 * KIB
COMMAND = 83 * US  # of a write to the small disk: latency 20, controller 50 and 13 us
ROUNDING = 20  # ns
TURN = 6 * MS
CACHED = {"write_cache__enabled": True}
DEFERRED = {"write_cache__reads_first": "50 %", "queue__discipline": "sptf"}
FEW = 60 if INTERPRETED else 290


@cache
def platter() -> Platter:
    """The tracks of the small disk."""
    return Platter(OneDisk(**SMALL).card)


def link(length: int) -> int:
    """Time on the link of the small disk, ns."""
    return 3 * US * length // KIB


def stream(disk: OneDisk, count: int, outstanding: int) -> list[int]:
    """Write one block behind the other, so many at a time; when each was back, ns."""
    times = []
    waiting = [disk.start(t.WRITE, n * BLOCK, BLOCK) for n in range(outstanding)]
    for n in range(count):
        (done,) = disk.wait(waiting.pop(0))
        times.append(done.completed)
        if n + outstanding < count:
            waiting.append(disk.start(t.WRITE, (n + outstanding) * BLOCK, BLOCK))
    return times


# -- write cache off ---------------------------------------------------------------------------


def test_uncached_a_sequential_write_costs_a_revolution_each():
    times = stream(OneDisk(**SMALL), FEW, outstanding=1)
    for n, gap in enumerate(np.diff(times), 1):
        both = platter().transfer((n - 1) * BLOCK, 2 * BLOCK)
        passed = both - platter().transfer((n - 1) * BLOCK, BLOCK)
        assert gap == pytest.approx(TURN + passed, abs=ROUNDING)


def test_uncached_a_drive_that_queues_writes_two_at_a_time_at_media_rate():
    times = stream(OneDisk(**SMALL), FEW, outstanding=2)
    # From the end of the second on, the next is there when the last one ends.
    medium = platter().transfer(BLOCK, (FEW - 1) * BLOCK)
    assert times[-1] - times[0] == pytest.approx(medium, abs=ROUNDING)


def test_uncached_a_drive_that_cannot_queue_gains_nothing_from_two_at_a_time():
    alone = {"link__interface": "sata", "command__queues_uncached_writes": False}
    one, two = (stream(OneDisk(**SMALL, **alone), FEW, q) for q in (1, 2))
    assert two[-1] - two[0] == pytest.approx(one[-1] - one[0], abs=ROUNDING)
    assert one[-1] - one[0] > (FEW - 1) * TURN


@pytest.mark.parametrize("caught", [True, False])
def test_uncached_a_write_begins_on_the_medium_while_its_data_still_comes(caught):
    # The first sector comes by half a frame after, or before, the first frame is in the buffer.
    first = COMMAND - 10 * US + link(8 * KIB)  # the other half of the latency is the answer's
    comes_by = first + (1 if caught else -1) * link(4 * KIB)
    assert link(BLOCK) < platter().transfer(0, BLOCK)  # the link is faster than the medium
    disk = OneDisk(**SMALL)
    disk.system.advance_clock(TURN - comes_by)
    (done,) = disk.wait(disk.start(t.WRITE, 0, BLOCK))
    passed = platter().transfer(0, BLOCK) + (0 if caught else TURN)
    assert done.completed - done.issued == pytest.approx(comes_by + passed + 10 * US, abs=ROUNDING)


@pytest.mark.parametrize("slowed", [False, True])
def test_uncached_a_write_ends_no_sooner_than_its_data_has_come(slowed):
    # The link takes ten times as long as the medium, by its card or as it is slowed down: the arm
    # waits for most of the data. Its first sector comes by just after the first frame is there.
    first = COMMAND - 10 * US + 10 * link(8 * KIB)
    if slowed:
        disk = OneDisk(**SMALL)
        disk.system.set_speed(int(disk.row["link_to_drive"]), 0.1)
    else:
        disk = OneDisk(**SMALL | {"link__time_per_byte": "30 us/KiB"})
    disk.system.advance_clock(TURN - first - US)
    took = disk.writes(0, BLOCK)
    assert took >= COMMAND + 10 * link(BLOCK) - ROUNDING
    assert took < COMMAND + 10 * link(BLOCK) + 2 * TURN


def writes_per_second(model: str, cached: bool, ios: int) -> float:
    """Sequential writes of 64 KiB, one at a time, on a drive of the catalogue."""
    load = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 1}
    values = {"write_cache.enabled": cached}
    built = build(scenario(load, drive=values, host=NO_HOST, model=model))
    begin(built)
    built.system.run(budget=ios)
    before = built.system.now
    built.system.run(budget=2 * ios)
    return ios / (built.system.now - before) * 1e9


@compiled_only
def test_uncached_the_sata_drive_writes_sequentially_at_an_eleventh():
    # A revolution of 8.3 ms more for each 64 KiB, which pass in 0.8 ms, skews included.
    model = "wd-wd1600aajs"
    off, on = (writes_per_second(model, cached, 2000) for cached in (False, True))
    card = scenario({}, model=model).volumes[0].card
    passing = 1 / on
    assert passing > BLOCK / card.integer("geometry.track_outer") / card.number("spindle.speed")
    assert 1 / off == pytest.approx(1 / card.number("spindle.speed") + passing, rel=0.01)
    assert 10 < on / off < 12


# -- sectors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "length", "partial"),
    [
        (0, 4096, False),
        (8192, 65536, False),
        (0, 512, True),
        (512, 512, True),
        (4096 - 512, 512, True),
        (2048, 4096, True),
        (4096, 4096 + 512, True),
    ],
)
def test_512e_a_write_of_a_part_of_a_physical_sector_costs_a_revolution(offset, length, partial):
    shape = {"geometry__track_outer": "300 KiB", "geometry__track_inner": "300 KiB"}
    native, emulated = (
        OneDisk(**SMALL | shape | {"capacity__physical_sector": size})
        for size in ("512 B", "4 KiB")
    )
    base = 100 * 1024 * KIB + offset
    more = emulated.writes(base, length) - native.writes(base, length)
    assert more == (TURN if partial else 0)
    # Reading is as ever.
    for disk in (native, emulated):
        disk.rest()
    assert abs(emulated.reads(base, length) % TURN - native.reads(base, length) % TURN) <= ROUNDING


def test_512e_a_long_unaligned_write_costs_a_turn_for_each_end_in_the_midst_of_a_sector():
    # 450 KiB take more than a turn. Both ends of a shorter write are read in one.
    shape = {"geometry__track_outer": "300 KiB", "geometry__track_inner": "300 KiB"}
    native, emulated = (
        OneDisk(**SMALL | shape | {"capacity__physical_sector": size})
        for size in ("512 B", "4 KiB")
    )
    length = 450 * KIB + 512
    assert emulated.writes(0, length) == native.writes(0, length) + TURN
    start, length = 3 * 300 * KIB + 512, 450 * KIB
    begun = [drive.system.now % TURN for drive in (native, emulated)]
    assert begun[0] == begun[1]
    assert emulated.writes(start, length) == native.writes(start, length) + 2 * TURN


@pytest.mark.parametrize("rule", [{}, DEFERRED])
def test_512e_runs_of_a_stream_in_the_cache_share_no_sector(rule):
    """A partition at sector 63: what follows on waits in the cache, and is not read first."""
    took = []
    for size in ("512 B", "4 KiB"):
        roomy = {"write_cache__size": "8 MiB", "buffer__size": "64 MiB"}
        disk = OneDisk(**SMALL | CACHED | roomy | rule | {"capacity__physical_sector": size})
        # The arm writes up to 1 MiB at a time: the first block, and then four runs.
        disk.wait(*(disk.start(t.WRITE, 63 * 512 + n * BLOCK, BLOCK) for n in range(64)))
        disk.rest()
        took.append(int(disk.system.world.stations[disk.row["arm"]]["served"]))
    # A turn for the ends of the first block, one where the runs begin, one where they end.
    assert round((took[1] - took[0]) / TURN) == 3


@pytest.mark.parametrize(
    ("words", "key", "cause"),
    [
        ({"size": "512 B"}, "size", "512 B is not a whole number of sectors"),
        ({"size": "10 KiB"}, "size", "10 KiB is not a whole number of sectors"),
        ({"size": "4 KiB", "align": "512 B"}, "align", "512 B is not a whole number of sectors"),
        ({"size": "4 KiB", "area": {"offset": "1 KiB"}}, "area", "starts at 1 KiB, inside a"),
        ({"sizes": [{"size": "6 KiB", "share": "100 %"}]}, "sizes", "6 KiB is not a whole"),
    ],
)
def test_4kn_what_is_not_whole_sectors_is_refused(words, key, cause):
    sectors = {"capacity.sector": "4 KiB", "capacity.physical_sector": "4 KiB"}
    with pytest.raises(InputError) as caught:
        scenario(words, drive=sectors, model="nl-sas-2tb")
    (problem,) = caught.value.problems
    assert f"load.{key}" in str(problem)
    assert cause in problem.cause
    assert "the drive's sector of 4 KiB" in problem.remedy
    scenario(words, model="nl-sas-2tb")  # a drive with sectors of 512 bytes takes it
    scenario({"size": "8 KiB", "align": "4 KiB"}, drive=sectors, model="nl-sas-2tb")


# -- write cache on ----------------------------------------------------------------------------


def test_cached_a_write_is_acknowledged_when_the_buffer_has_it():
    disk = OneDisk(**SMALL, **CACHED)
    for n in (7, 3, 9, 1):
        assert disk.writes(n * 50_000 * KIB, 4 * KIB) == COMMAND + link(4 * KIB)
    assert disk.front["unsafe"] == 16 * KIB
    disk.rest()
    assert disk.front["unsafe"] == disk.row["dirty"] == disk.row["taken"] == 0
    assert disk.front["unsafe_peak"] == 16 * KIB


def burst(disk: OneDisk, lengths: list[int]) -> list[int]:
    """Writes at places far from each other, all at once; their latencies in order."""
    places = [(n * 7 % 11) * 80_000 * KIB for n in range(len(lengths))]
    tickets = [disk.start(t.WRITE, p, n) for p, n in zip(places, lengths, strict=True)]
    return [done.latency for done in disk.wait(*tickets)]


def test_cached_writes_beyond_its_entries_wait_for_the_arm():
    disk = OneDisk(**SMALL | CACHED | {"write_cache__entries": 4})
    latencies = burst(disk, [4 * KIB] * 8)
    quick = COMMAND + 63 * US * np.arange(8) + link(4 * KIB)
    assert latencies[:4] == quick[:4].tolist()
    # From then on one is taken in for each that the arm has written: a seek or a turn apart.
    assert np.diff(latencies[3:]).min() > 0.5 * MS
    alone = OneDisk(**SMALL)
    first_on_medium = alone.writes(0, 4 * KIB)
    assert latencies[4] == pytest.approx(first_on_medium + link(4 * KIB), abs=ROUNDING)


def test_cached_writes_beyond_its_bytes_wait_for_the_arm():
    disk = OneDisk(**SMALL | CACHED | {"write_cache__size": "100 KiB"})
    latencies = burst(disk, [50 * KIB, 40 * KIB, 20 * KIB, 4 * KIB])
    # The link is the slower one here: 150 us and 120 us against 63 us of the controller.
    assert latencies[0] == COMMAND + link(50 * KIB)
    assert latencies[1] == latencies[0] + link(40 * KIB)
    assert latencies[2] > 2 * MS
    # First come, first served: the small one would have room, but waits behind the third.
    assert latencies[3] == latencies[2] + link(4 * KIB)


def test_a_persistent_cache_takes_writes_while_the_disk_cache_is_off():
    """As a cache of its size that is on; a SATA drive that queues only with a cache does so."""
    size = {"write_cache__protected_size": "100 KiB"}
    on = SMALL | CACHED | {"write_cache__size": "100 KiB"}
    lengths = [50 * KIB, 40 * KIB, 20 * KIB, 4 * KIB]
    off = OneDisk(**SMALL | size)
    assert burst(off, lengths) == burst(OneDisk(**on), lengths)
    assert off.front["protected"] == 1
    assert burst(OneDisk(**on | size), lengths) == burst(OneDisk(**on), lengths)
    assert OneDisk(**on | size).front["protected"] == 0
    # It is no part of the buffer: 64 MiB of that, and a cache of 1 GiB on the medium.
    assert OneDisk(**SMALL | {"write_cache__protected_size": "1 GiB"}).front["protected"] == 1
    sata = SMALL | {"command__queues_uncached_writes": False}
    assert OneDisk(**sata | size).front["slots"] == OneDisk(**SMALL).front["slots"]


def test_a_write_larger_than_the_cache_goes_to_the_medium():
    small = OneDisk(**SMALL | CACHED | {"write_cache__size": "32 KiB"})
    assert small.writes(0, BLOCK) == OneDisk(**SMALL).writes(0, BLOCK)
    assert small.front["unsafe_peak"] == 0
    assert small.writes(0, 32 * KIB) == COMMAND + link(32 * KIB)


def test_cached_writes_that_continue_one_another_become_one():
    disk = OneDisk(**SMALL, **CACHED)
    disk.writes(500_000 * KIB, 4 * KIB)  # keeps the arm busy
    for n in range(8):
        disk.writes(n * 4 * KIB, 4 * KIB)
    assert disk.row["taken"] == 2
    assert disk.front["unsafe"] == 36 * KIB
    disk.rest()
    assert disk.visits("disk arm").tolist() == [2]
    assert disk.front["unsafe"] == 0


def test_a_cached_write_that_is_overwritten_counts_once_and_is_written_once():
    disk = OneDisk(**SMALL, **CACHED)
    disk.writes(500_000 * KIB, 4 * KIB)
    for length in (16, 4, 16, 8):
        disk.writes(0, length * KIB)
    assert disk.front["unsafe"] == disk.row["dirty"] == 20 * KIB
    disk.rest()
    assert disk.visits("disk arm").tolist() == [2]
    # What the arm has in hand is written, whatever comes after: the next one is written too.
    other = OneDisk(**SMALL, **CACHED)
    other.writes(0, 4 * KIB)
    other.writes(0, 4 * KIB)
    other.rest()
    assert other.visits("disk arm").tolist() == [2]


def test_overwriting_goes_before_continuing():
    # A waits alone, B lies behind it and was there first: B written anew replaces B.
    disk = OneDisk(**SMALL, **CACHED)
    disk.writes(500_000 * KIB, 4 * KIB)
    for place in (4, 0, 4):
        disk.writes(place * KIB, 4 * KIB)
    assert disk.front["unsafe"] == disk.row["dirty"] == 12 * KIB
    assert disk.row["taken"] == 3


def test_a_read_of_data_in_the_write_cache_does_not_wait_for_the_arm():
    disk = OneDisk(**SMALL, **CACHED)
    disk.writes(500_000 * KIB, 4 * KIB)
    disk.writes(0, 16 * KIB)
    read = 70 * US + link(4 * KIB)
    assert disk.reads(8 * KIB, 4 * KIB) == read
    assert disk.reads(500_000 * KIB, 4 * KIB) == read  # in the arm's hand, and in the buffer
    assert disk.reads(14 * KIB, 4 * KIB) > read + MS  # not all of it is there


def test_what_a_power_cut_would_lose_is_what_was_acknowledged_and_is_not_on_the_medium():
    # 40 writes that do not touch each other, with a cache for eight.
    rng = np.random.default_rng(1)
    disk = OneDisk(**SMALL | CACHED | {"write_cache__entries": 8, "command__latency": "0 us"})
    lengths = (rng.integers(1, 64, 40) * 512).tolist()
    places = (rng.permutation(40) * 24_000 * KIB).tolist()
    asked = dict(
        zip(
            (disk.start(t.WRITE, p, n) for p, n in zip(places, lengths, strict=True)),
            lengths,
            strict=True,
        )
    )
    acknowledged = written = peak = 0
    area, last, lost = 0, 0, 0
    in_hand = None
    while disk.system.state["events"] > 0:
        time = disk.system.next_time
        area += lost * (time - last)
        acknowledged += sum(asked[ticket] for ticket in disk.until(time))
        row = disk.row
        # The arm writes one after the other: what it had in hand is on the medium.
        now_in_hand = (int(row["offset"]), int(row["length"])) if row["moving"] else None
        if in_hand is not None and now_in_hand != in_hand:
            written += in_hand[1]
        in_hand, last = now_in_hand, time
        lost = acknowledged - written
        peak = max(peak, lost)
        assert disk.front["unsafe"] == lost
    assert acknowledged == written == sum(lengths)
    assert disk.front["unsafe_peak"] == peak > 64 * KIB
    assert disk.front["unsafe_area"] == pytest.approx(area)


def test_writes_gain_from_the_queue_of_the_cache():
    # One outstanding, random: uncached a seek and half a turn each; cached the arm chooses
    # among all that the cache holds.
    rng = np.random.default_rng(1)
    places = (rng.integers(0, 1_900_000, FEW) * 512).tolist()
    times = {}
    for cached in (False, True):
        disk = OneDisk(
            **SMALL | {"write_cache__enabled": cached, "queue__discipline": "sptf"},
        )
        for place in places:
            disk.writes(place, 4 * KIB)
        times[cached] = disk.rest()
    assert times[True] < 0.6 * times[False]
