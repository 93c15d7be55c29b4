"""What a storage engineer expects of a RAID controller's cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cached_array import (
    KIB,
    MIB,
    built_system,
    cache_of,
    commands_of,
    scenario,
    started,
)
from conftest import INTERPRETED, compiled_only
from scipy.optimize import brentq

from raidsim.kernel import agenda, cache, destage, jobs, prefetch
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_DESTAGE
from raidsim.kernel.cache_tables import LEVELS
from raidsim.running import run_point

STRIP = 8 * KIB
GRAIN = 512
GRAINS = STRIP // GRAIN
LINES = 128


class Model:
    """A cache of lines as plain Python: what each grain is, and which clean line is the oldest."""

    def __init__(self, lines: int) -> None:
        self.room = lines
        self.grains: dict[int, list[set[str]]] = {}
        self.destages: dict[int, int] = {}
        self.clean: list[int] = []  # newest first

    def strips(self, start: int, end: int) -> range:
        return range(start // STRIP, (end - 1) // STRIP + 1)

    def touched(self, strip: int, start: int, end: int) -> range:
        low = max(start - strip * STRIP, 0)
        high = min(end - strip * STRIP, STRIP)
        return range(low // GRAIN, -(-high // GRAIN))

    def is_dirty(self, strip: int) -> bool:
        return any("dirty" in grain for grain in self.grains[strip])

    def is_clean(self, strip: int) -> bool:
        return not self.is_dirty(strip) and self.destages[strip] == 0

    def take(self, strip: int) -> None:
        if len(self.grains) == self.room:
            gone = self.clean.pop()
            del self.grains[gone], self.destages[gone]
        self.grains[strip] = [set() for _ in range(GRAINS)]
        self.destages[strip] = 0

    def settle(self, strip: int) -> None:
        if strip in self.clean:
            self.clean.remove(strip)
        if self.is_clean(strip):
            self.clean.insert(0, strip)

    def write(self, start: int, end: int) -> None:
        for strip in self.strips(start, end):
            if strip in self.clean:
                self.clean.remove(strip)
        for strip in self.strips(start, end):
            if strip not in self.grains:
                self.take(strip)
            for grain in self.touched(strip, start, end):
                self.grains[strip][grain] |= {"dirty", "valid"}

    def keep(self, start: int, end: int) -> None:
        for strip in self.strips(start, end):
            if strip not in self.grains:
                if len(self.grains) == self.room and not self.clean:
                    return
                self.take(strip)
            for grain in self.touched(strip, start, end):
                self.grains[strip][grain] |= {"valid"}
            self.settle(strip)

    def holds(self, start: int, end: int) -> bool:
        return all(
            strip in self.grains
            and all(self.grains[strip][g] for g in self.touched(strip, start, end))
            for strip in self.strips(start, end)
        )

    def destage(self, start: int, end: int) -> None:
        for strip in self.strips(start, end):
            for grain in self.touched(strip, start, end):
                assert "dirty" in self.grains[strip][grain]
                self.grains[strip][grain].discard("dirty")
            self.destages[strip] += 1

    def destaged(self, start: int, end: int) -> None:
        for strip in self.strips(start, end):
            self.destages[strip] -= 1
            if self.is_clean(strip):
                self.settle(strip)


def dirty_list(world, row) -> list[int]:
    """Strips of the list of dirty lines, in its order."""
    found = []
    here = int(world.towers[row["first_tower"]])
    while here != t.NONE:
        found.append(int(world.lines[here]["strip"]))
        place = row["first_tower"] + (here - row["first_line"] + 1) * LEVELS
        here = int(world.towers[place])
    return found


def clean_list(world, row) -> list[int]:
    """Strips of the list of clean lines, newest first."""
    found = []
    here = int(row["newest"][0])
    while here != t.NONE:
        found.append(int(world.lines[here]["strip"]))
        here = int(world.lines[here]["older"])
    return found


class Beside:
    """A controller's cache, and the plain model of one: both are given the same."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.built = built_system(
            {},
            volume={"strip": "8 KiB", "write": "back"},
            controller={
                "cache.size": f"{LINES * STRIP} B",
                "cache.high_mark": "75 %",
                "cache.low_mark": "100 %",
                "cache.destage_size": "32 KiB",
            },
        )
        self.row = cache_of(self.built)
        self.model = Model(LINES)
        self.under_way: list[tuple[int, int, int]] = []

    @property
    def world(self) -> Any:
        return self.built.system.world

    def extent(self) -> tuple[int, int]:
        """A part of 300 strips, up to three strips long."""
        start = int(self.rng.integers(0, 300 * STRIP // GRAIN)) * GRAIN
        return start, start + int(self.rng.integers(1, 3 * STRIP // GRAIN)) * GRAIN

    def write(self) -> None:
        """The host writes; it has to wait if too many lines would be dirty."""
        start, end = self.extent()
        if destage.insert(self.world, self.row, 0, STRIP, start, end):
            self.model.write(start, end)
        else:
            dirty = sum(not self.model.is_clean(strip) for strip in self.model.grains)
            assert dirty + len(self.model.strips(start, end)) > 0.75 * LINES

    def keep(self) -> None:
        """Data comes from the drives."""
        start, end = self.extent()
        cache.keep(self.world, self.row, 0, STRIP, start, end)
        self.model.keep(start, end)

    def look(self) -> None:
        """The host asks for data."""
        start, end = self.extent()
        is_there = cache.presence(self.world, self.row, 0, STRIP, start, end) == 2
        assert is_there == self.model.holds(start, end)

    def destage(self) -> None:
        """A destage of one dirty line, and of its neighbours, begins."""
        if self.row["dirty"] == 0:
            return
        first = destage.seek(self.world, self.row, int(self.rng.integers(0, 300)))
        if first == t.NONE:
            return
        destage.start_one(self.world, self.row, first)
        state = self.built.system.state
        task = int(state["first_waiting"])
        job = self.world.jobs[task]
        state["first_waiting"] = t.NONE
        begin, size = int(job["offset"]), int(job["length"])
        assert begin // (32 * KIB) == (begin + size - 1) // (32 * KIB)
        self.model.destage(begin, begin + size)
        self.under_way.append((task, begin, begin + size))

    def end_destage(self) -> None:
        """The drives have written what one destage brought them."""
        if self.under_way:
            task, begin, stop = self.under_way.pop(int(self.rng.integers(len(self.under_way))))
            destage.ended(self.world, self.row, task, int(self.world.arrays[0]["line"]))
            self.model.destaged(begin, stop)

    def check(self) -> None:
        """Both have the same dirty lines, the same clean ones in the same order, and as many."""
        row, model = self.row, self.model
        dirty = sorted(strip for strip in model.grains if model.is_dirty(strip))
        assert dirty_list(self.world, row) == dirty
        assert clean_list(self.world, row) == model.clean
        held = [strip for strip in model.grains if not model.is_clean(strip)]
        assert int(row["dirty"]) == STRIP * len(held)
        assert int(row["clean"]) == STRIP * len(model.clean)
        assert int(row["used"]) == STRIP * len(model.grains) <= LINES * STRIP


@pytest.mark.parametrize("seed", range(1 if INTERPRETED else 4))
def test_lines_are_what_a_plain_model_of_them_is(seed):
    print("seed", seed)
    both = Beside(seed)
    kinds = [both.write, both.keep, both.look, both.destage, both.end_destage]
    for _ in range(1500):
        both.rng.choice(kinds, p=[0.4, 0.2, 0.1, 0.15, 0.15])()
        both.check()


def test_a_write_back_is_answered_from_memory():
    """Cores, host link, memory, latency: no drive among them."""
    built = started(
        {"limit": {"ios": 1}, "size": "64 KiB"},
        volume={"write": "back"},
        controller={"cache.flush_time": "100 s"},
    )
    system = built.system
    system.run(10**9)
    card = scenario({}).controllers[0].card
    host = scenario({}).host.card
    speed = 250e6 * 256 / 280 * card.integer("link.lanes")
    expected = (
        card.number("command.time")
        + card.number("cache.lookup_time")
        + card.number("cache.line_time")
        + 65536 / speed
        + 65536 * card.number("cache.copy_time_per_byte")
        + card.number("command.latency")
    )
    for step in ("submit", "complete"):
        expected += host.number(f"{step}.io_time") + host.number(f"{step}.device_io_time")
        expected += host.number(f"{step}.write_time") + 16 * host.number(f"{step}.page_time")
    stream = system.world.streams[0]
    assert stream["completed"] == 1
    assert int(stream["window_ns"].sum()) == pytest.approx(expected * 1e9, abs=4)
    assert commands_of(built) == {"read": 0, "written": 0}
    assert cache_of(built)["dirty"] == 64 * KIB


def test_all_that_was_written_reaches_the_drives():
    built = started({"limit": {"ios": 300}, "outstanding": 4}, volume={"write": "back"})
    built.system.run(3600 * 10**9)
    assert built.system.world.streams[0]["completed"] == 300
    assert cache_of(built)["dirty"] == 0
    assert commands_of(built)["written"] == 300 * 8 * KIB


@pytest.mark.parametrize("strip", ["64 KiB", "256 KiB", "512 KiB", "1 MiB"])
@pytest.mark.parametrize(("level", "copies"), [("raid0", 1), ("raid10", 2)])
def test_drives_get_the_bytes_that_hosts_wrote_however_long_a_strip_is(strip, level, copies):
    ios = 200
    built = started(
        {"limit": {"ios": ios}, "size": "4 KiB", "outstanding": 4},
        volume={"write": "back", "strip": strip, "level": level},
        controller={"strip.largest": "1 MiB"},
    )
    built.system.run(3600 * 10**9)
    assert cache_of(built)["dirty"] == 0
    assert commands_of(built) == {"read": 0, "written": copies * ios * 4 * KIB}


@pytest.mark.parametrize("strip", ["256 KiB", "1 MiB"])
def test_a_small_write_to_a_long_strip_changes_as_much_of_data_and_of_parity(strip):
    """A write alone: old data and old parity are read, and the new ones written."""
    built = started(
        {"limit": {"ios": 1}, "size": "4 KiB"},
        volume={"write": "back", "strip": strip, "level": "raid5"},
        controller={"strip.largest": "1 MiB"},
    )
    built.system.run(3600 * 10**9)
    assert commands_of(built) == {"read": 2 * 4 * KIB, "written": 2 * 4 * KIB}


def test_sequential_writes_become_full_stripes_of_long_strips():
    """A strip of 1 MiB is four lines of the cache, which leave it together."""
    ios = 60
    built = started(
        {"random": "0 %", "size": "256 KiB", "limit": {"ios": ios}, "outstanding": 3},
        volume={"level": "raid5", "write": "back", "strip": "1 MiB"},
        controller={"strip.largest": "1 MiB", "cache.destage_size": "3 MiB"},
    )
    built.system.run(3600 * 10**9)
    assert commands_of(built) == {"read": 0, "written": ios * 256 * KIB * 4 // 3}


def test_writing_one_place_over_and_over_writes_it_once():
    built = started(
        {"limit": {"ios": 500}, "area": {"size": "8 KiB"}},
        volume={"write": "back"},
        controller={"cache.flush_time": "1 s"},
    )
    built.system.run(3600 * 10**9)
    assert commands_of(built)["written"] == 8 * KIB


@pytest.mark.parametrize(("level", "drives", "data"), [("raid5", 4, 3), ("raid6", 6, 4)])
def test_sequential_writes_become_full_stripes(level, drives, data):
    """N / (N - p) bytes on the drives for each byte of the host, and nothing is read first."""
    ios = 60 * data
    built = started(
        {"random": "0 %", "size": "64 KiB", "limit": {"ios": ios}, "outstanding": 3},
        volume={"level": level, "drives": drives, "write": "back"},
    )
    built.system.run(3600 * 10**9)
    written = ios * 64 * KIB
    assert commands_of(built) == {"read": 0, "written": written * drives // data}


@compiled_only
def test_writes_wait_at_the_high_water_mark():
    built = started(
        {"outstanding": 64, "limit": {"ios": 3000}},
        volume={"write": "back", "strip": "8 KiB"},
        controller={"cache.size": "4 MiB", "cache.high_mark": "50 %"},
    )
    built.system.run(20 * 10**9)
    peak = int(cache_of(built)["dirty_peak"])
    assert 2 * MIB - 8 * KIB <= peak <= 2 * MIB
    assert built.system.world.streams[0]["completed"] == 3000


def test_a_request_larger_than_the_cache_goes_past_it():
    built = started(
        {"size": "4 MiB", "limit": {"ios": 5}},
        volume={"write": "back"},
        controller={"cache.size": "2 MiB"},
    )
    built.system.run(60 * 10**9)
    assert built.system.world.streams[0]["completed"] == 5
    assert cache_of(built)["dirty_peak"] == 0
    assert commands_of(built)["written"] == 20 * MIB


def test_what_is_dirty_is_read_from_the_cache():
    built = started(
        {"read": "50 %", "area": {"size": "64 KiB"}, "align": "8 KiB", "limit": {"ios": 400}},
        volume={"write": "back"},
        controller={"cache.flush_time": "1000 s"},
    )
    built.system.run(100 * 10**9)
    row = cache_of(built)
    # The eight blocks are written soon; only reads before that go to the disk.
    assert row["reads"] - row["hits"] < 30
    assert commands_of(built)["read"] == 8 * KIB * int(row["reads"] - row["hits"])


@pytest.mark.parametrize(
    ("write", "battery", "through"),
    [
        ("through", "good", True),
        ("back", "good", False),
        ("back", "low", True),
        ("back", "learning", True),
        ("back", "absent", True),
        ("back-bad-battery", "absent", False),
    ],
)
def test_write_back_falls_to_write_through_without_a_good_battery(write, battery, through):
    built = started({"limit": {"ios": 20}}, volume={"write": write}, battery=battery)
    built.system.run(10**9)
    assert (cache_of(built)["dirty_peak"] == 0) == through


@compiled_only
def test_an_array_that_is_lost_keeps_its_dirty_data_and_promises_no_more():
    """Two of three disks of a RAID 5 fail while the cache holds writes for them."""
    built = started(
        {"outstanding": 4, "area": {"size": "1 GB"}},
        volume={"level": "raid5", "drives": 3, "write": "back"},
        controller={"cache.flush_time": "0.5 s"},
    )
    system = built.system
    system.run(10**8)
    dirty = int(cache_of(built)["dirty"])
    assert dirty > 0
    assert system.world.streams[0]["failed"] == 0
    system.world.drives["failed"][:2] = 1
    # The first destages find out; then writes go through, and fail.
    system.world.caches[0]["low"] = 0
    system.run(2 * 10**8)
    lines = system.world.lines
    pinned = lines["pinned"] == 1
    assert pinned.any()
    assert cache_of(built)["pinned"] == lines["size"][pinned].sum()
    assert cache_of(built)["dirty"] == lines["size"][(lines["dirty"] | lines["busy"]) != 0].sum()
    assert (lines["busy"][pinned] != 0).all()
    stream = system.world.streams[0]
    completed, failed = int(stream["completed"]), int(stream["failed"])
    system.run(10**9)
    # A strip in three is parity, one in three of the data strips lies on the disk that is left.
    served = int(stream["completed"]) - completed
    refused = int(stream["failed"]) - failed
    assert served / (served + refused) == pytest.approx(1 / 3, abs=0.1)


@compiled_only
def test_writes_that_wait_for_room_do_not_wait_for_a_lost_array():
    """They go past the cache, to the disk that is left or to an error; none hangs."""
    built = started(
        {"outstanding": 64, "area": {"size": "1 GB"}, "limit": {"ios": 2000}},
        volume={"level": "raid5", "drives": 3, "write": "back"},
        controller={"cache.size": "2 MiB", "cache.high_mark": "50 %"},
    )
    system = built.system
    system.run(10**8)
    assert cache_of(built)["first_waiting"] != t.NONE
    system.world.drives["failed"][:2] = 1
    system.run(3600 * 10**9)
    stream = system.world.streams[0]
    assert cache_of(built)["first_waiting"] == t.NONE
    assert stream["issued"] == stream["completed"] + stream["failed"] == 2000
    assert stream["failed"] > 500
    assert cache_of(built)["pinned"] > 0


def test_sequential_reads_are_found_ahead():
    """Adaptive read-ahead: from the second read on the stream is known."""
    for mode, least in (("none", 0), ("adaptive", 190), ("ahead", 190)):
        built = started(
            {"read": "100 %", "random": "0 %", "size": "16 KiB", "limit": {"ios": 200}},
            volume={"read_ahead": mode},
        )
        built.system.run(60 * 10**9)
        assert built.system.world.streams[0]["completed"] == 200
        assert int(cache_of(built)["hits"]) + 10 >= least
        if mode != "none":
            assert commands_of(built)["read"] <= 200 * 16 * KIB + MIB


@compiled_only
def test_adaptive_read_ahead_leaves_random_reads_alone_and_always_does_not():
    asked = 200 * 8 * KIB
    read = {}
    for mode in ("none", "adaptive", "ahead"):
        built = started(
            {"read": "100 %", "limit": {"ios": 200}, "area": {"size": "100 GB"}},
            volume={"read_ahead": mode},
        )
        built.system.run(600 * 10**9)
        read[mode] = commands_of(built)["read"]
    assert read["none"] == read["adaptive"] == asked
    assert read["ahead"] > 20 * asked


def che(items: int, lines: int, exponent: float) -> float:
    """Hit rate of LRU under independent references (Che, Tung and Wang, 2002)."""
    p = np.arange(1, items + 1) ** -exponent
    p /= p.sum()
    time = brentq(lambda x: (1 - np.exp(-p * x)).sum() - lines, 1, 1e9)
    return float((p * (1 - np.exp(-p * time))).sum())


@compiled_only
@pytest.mark.parametrize(
    ("lines", "exponent", "printed"), [(100, 0.8, 0.1566), (1000, 0.8, 0.4367), (1000, 1.0, 0.6756)]
)
def test_the_hit_rate_of_cached_reads_is_that_of_lru(lines, exponent, printed):
    """GOLDEN 5: Zipf references to 10,000 blocks."""
    items, ios = 10_000, 1_000_000
    assert che(items, lines, exponent) == pytest.approx(printed, abs=1e-4)
    built = started(
        {
            "read": "100 %",
            "size": "64 KiB",
            "area": {"size": f"{items * 64} KiB"},
            "zipf": exponent,
        },
        volume={"io": "cached"},
        controller={"cache.size": f"{lines * 64} KiB"},
    )
    built.system.run(budget=50_000)
    row = cache_of(built)
    reads, hits = int(row["reads"]), int(row["hits"])
    built.system.run(budget=50_000 + ios)
    rate = (int(row["hits"]) - hits) / (int(row["reads"]) - reads)
    assert rate == pytest.approx(printed, abs=1e-3)


@compiled_only
def test_an_elevator_with_much_to_choose_from_beats_one_write_at_a_time():
    load = {"outstanding": 8, "area": {"size": "8 GiB"}}
    through, back = (
        run_point(scenario(load, volume={"write": write, "disk_cache": "off"}), 0)[0].iops.mean
        for write in ("through", "back")
    )
    assert back > 1.5 * through


def test_a_cache_that_is_off_is_not_there():
    """All modes off: the same bytes as a controller card without a cache line to its name."""
    load = {"outstanding": 4, "read": "67 %", "limit": {"ios": 300}}
    ends = []
    for size in ("1 MiB", "512 MiB"):
        built = started(load, controller={"cache.size": size})
        built.system.run(60 * 10**9)
        ends.append(int(built.system.world.streams[0]["window_ns"].sum()))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("is_evicted", [True, False])
def test_a_fetch_that_one_of_the_same_bytes_has_overtaken_changes_nothing(is_evicted: bool) -> None:
    volume = {"strip": f"{STRIP} B", "read_ahead": "ahead", "io": "cached"}
    built = built_system({"read": "100 %"}, volume=volume)
    w, row = built.system.world, cache_of(built)
    assert prefetch.fetch(w, row, 0, STRIP, STRIP // 2, STRIP)
    assert prefetch.fetch(w, row, 0, STRIP, 0, STRIP)
    slow, fast = agenda.take_next(w), agenda.take_next(w)
    prefetch.fetched(w, row, fast)
    line = cache.find(w, row, 0, 0)
    assert row["newest"][0] == row["oldest"][0] == line
    if is_evicted:
        cache.drop(w, row, line)
    prefetch.fetched(w, row, slow)
    assert row["clean"] == row["used"] == (0 if is_evicted else STRIP)
    assert w.lines[line]["older"] == t.NONE
    assert w.jobs[slow]["stage"] == t.STAGE_FREE
    assert built.system.state["first_waiting"] == t.NONE


def test_a_write_for_which_read_ahead_has_left_no_room_goes_on_when_that_has_come() -> None:
    volume = {"strip": f"{STRIP} B", "write": "back", "read_ahead": "ahead"}
    built = built_system({}, volume=volume, controller={"cache.size": "4 MiB"})
    w, row = built.system.world, cache_of(built)
    strips = int(row["size"]) // STRIP
    built.system.have_room(strips + 1)
    w, row = built.system.world, cache_of(built)
    for strip in range(strips):
        assert prefetch.fetch(w, row, 0, STRIP, strip * STRIP, (strip + 1) * STRIP)
    first = agenda.take_next(w)
    write = jobs.take(w, t.STAGE_WAITING, t.NONE)
    assert not destage.insert(w, row, 0, STRIP, strips * STRIP, (strips + 1) * STRIP)
    destage.block(w, row, write)
    prefetch.fetched(w, row, first)
    assert row["first_waiting"] == t.NONE
    assert w.jobs[write]["stage"] == row["again"]
    assert destage.insert(w, row, 0, STRIP, strips * STRIP, (strips + 1) * STRIP)


# -- stripes with parity -----------------------------------------------------------------------


def stripes_of_destages(built: Any) -> list[int]:
    """Stripes that destages under way write to."""
    rows = built.system.world.jobs
    width = int(built.system.world.arrays[0]["width"])
    mine = rows[(rows["errand"] == ERRAND_DESTAGE) & (rows["stage"] != t.STAGE_FREE)]
    return [int(job["offset"]) // width for job in mine]


@compiled_only
def test_no_destage_waits_for_the_lock_of_a_stripe_that_another_one_holds() -> None:
    """A cache as large as half of the area holds many blocks of each stripe."""
    load = {"outstanding": 64, "area": {"size": "1 GiB"}}
    volume = {"level": "raid5", "write": "back"}
    built = started(load, volume=volume)
    for ios in range(40_000, 41_000, 50):
        built.system.run(budget=ios)
        under_way = stripes_of_destages(built)
        assert len(under_way) > 8
        assert len(set(under_way)) == len(under_way)


@compiled_only
def test_a_larger_cache_makes_an_array_with_parity_no_slower() -> None:
    """Seven blocks of each stripe are dirty in the larger one, and one in three in the smaller."""
    load = {"outstanding": 64, "area": {"size": "4 GiB"}}
    rates = [
        run_point(
            scenario(
                load,
                volume={"level": "raid5", "write": "back", "drives": 8},
                controller={"cache.size": size},
                measure={"precision": "2 %"},
            ),
            0,
        )[0].iops.mean
        for size in ("64 MiB", "1 GiB")
    ]
    assert rates[1] > rates[0]
