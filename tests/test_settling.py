"""The window opens when all loads, caches and destages have settled, not when the busiest has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import compiled_only

from raidsim import scenario
from raidsim.observe.levels import Level, Record
from raidsim.observe.settling import has_begun, is_settled, moves
from raidsim.result import Point
from raidsim.running import run
from raidsim.system.system import System

SEED = 20260719
FLASH = "intel-p3700-800gb"
PM9A3 = "samsung-pm9a3-960gb"


# -- loads side by side ------------------------------------------------------------------------


@dataclass(frozen=True)
class Slow:
    """A load that settles late on a volume of its own, and how."""

    volume: dict[str, Any]
    load: dict[str, Any]


CACHED = {"level": "raid5", "drives": 4, "drive": "cisco-hdd-600gb-15k", "controller": "card"}
SLOW = {
    "one disk": Slow(
        {"drive": "cisco-hdd-600gb-15k", "controller": "host"}, {"read": "70 %", "size": "8 KiB"}
    ),
    "a write-back cache": Slow(
        CACHED | {"write": "back"}, {"read": "50 %", "size": "64 KiB", "area": {"size": "64 GiB"}}
    ),
    "a disk's own cache": Slow(
        {"drive": "cisco-hdd-600gb-15k", "controller": "host", "disk_cache": "on"},
        {"read": "0 %", "size": "32 KiB", "area": {"size": "8 GiB"}},
    ),
}
IN_PART = Slow(CACHED | {"write": "back"}, SLOW["a write-back cache"].load | {"random": "90 %"})
"""Some of its writes are in sequence, so that its cache is not filled at once."""
FAST = {
    "reads at 16 outstanding": {"read": "100 %", "outstanding": 16},
    "writes at one": {"read": "0 %", "outstanding": 1},
    "Poisson arrivals": {"read": "70 %", "rate": "20 kIO/s"},
}


def points(slow: Slow, fast: dict[str, Any] | None, **measure: Any) -> dict[str, Point]:
    data: dict[str, Any] = {
        "host": {"model": "cisco-ucs-c240-m4"},
        "controller": [
            {
                "name": "card",
                "model": "cisco-12g-sas-raid-2gb",
                "set": {"cache.size": "32 MiB"},
            }
        ],
        "volume": [slow.volume | {"name": "slow"}],
        "load": [{"name": "slow", "volume": "slow", "outstanding": 4} | slow.load],
        "measure": {"precision": "5 %", "min_ios": 2000} | measure,
    }
    if fast is not None:
        data["volume"].append({"name": "fast", "drive": FLASH, "controller": "host"})
        words = {"name": "fast", "volume": "fast", "size": "4 KiB", "area": {"size": "8 GiB"}}
        data["load"].append(words | fast)
    return {point.load: point for point in run(scenario.from_data(data)).points}


@pytest.fixture(scope="module")
def alone() -> dict[str, float]:
    return {
        name: points(slow, None, precision="1 %")["slow"].iops.mean for name, slow in SLOW.items()
    }


@pytest.mark.parametrize("beside", FAST)
@pytest.mark.parametrize("name", SLOW)
def test_a_slow_load_is_as_fast_beside_a_busy_one_with_which_it_shares_nothing(
    name: str, beside: str, alone: dict[str, float]
) -> None:
    found = points(SLOW[name], FAST[beside])
    assert found["slow"].converged
    assert found["fast"].converged
    assert found["slow"].iops.mean == pytest.approx(alone[name], rel=0.08)
    assert found["slow"].counts.measured > 200


def test_a_warm_up_that_does_not_end_says_what_had_not_settled_and_what_it_takes() -> None:
    small = replace(IN_PART, load=IN_PART.load | {"area": {"size": "1 GiB"}})
    found = points(small, FAST["reads at 16 outstanding"], max_ios=50_000)
    assert not found["slow"].converged
    warnings = [text for text in found["slow"].warnings if "settled" in text]
    assert any("what the cache of card holds" in text for text in warnings)
    assert all("raise measure.max_ios to about" in text for text in warnings)
    # The other one is on a drive of its own, and has settled.
    assert found["fast"].converged
    assert not any("settled" in text for text in found["fast"].warnings)


def test_of_a_bound_in_time_the_warning_says_how_much_time_it_takes() -> None:
    found = points(IN_PART, None, max_time="50 ms")
    assert not found["slow"].converged
    (warning,) = [text for text in found["slow"].warnings if "dirty in the cache" in text]
    assert "raise measure.max_time to about" in warning


THROUGH = """
[host]
model = "linux-xeon-e5-pair"
[[controller]]
model = "lsi-megaraid-1078-512"
battery = "absent"
[[volume]]
level = "raid0"
drive = "nl-sas-2tb"
drives = 2
strip = "1 MiB"
write = "through"
[[load]]
name = "large"
read = "30 %"
size = "16 MiB"
outstanding = 7
[[load]]
name = "rare"
read = "30 %"
size = "64 KiB"
rate = "5 IO/s"
[measure]
max_time = "4 s"
max_ios = 6000
min_ios = 1000
"""


def test_nothing_is_said_of_a_cache_in_which_nothing_was_dirty() -> None:
    """A run so short that the cache was hardly looked at, whose writes all go through it."""
    warnings = [
        text for point in run(scenario.load_text(THROUGH)).points for text in point.warnings
    ]
    assert any("the throughput of large had not settled" in text for text in warnings)
    assert not any("dirty" in text for text in warnings)


def test_a_cache_that_fills_slowly_is_not_taken_for_one_that_has_settled() -> None:
    """Eight disks nearly keep up with what is written: the cache is full after 13 s.

    Until then a write is done once it is in the cache, and takes 0.06 ms; then it waits for a disk.
    """
    changes = {"load.outstanding": 32, "measure.precision": "5 %"}
    (point,) = run(scenario.load("raid5-disks").with_(changes)).points
    assert point.converged
    assert point.latency_ms["write"].mean > 2
    # What is written at random can be told from the start; what is written in sequence can't.
    short = changes | {"measure.max_ios": 60_000}
    (soon,) = run(scenario.load("raid5-disks").with_(short)).points
    assert soon.converged
    assert soon.iops.mean == pytest.approx(point.iops.mean, rel=0.05)
    assert soon.latency_ms["write"].mean == pytest.approx(point.latency_ms["write"].mean, rel=0.2)
    (point,) = run(scenario.load("raid5-disks").with_(short | {"load.random": "90 %"})).points
    assert not point.converged
    (warning,) = [text for text in point.warnings if "dirty" in text and "settled" in text]
    assert "what is dirty in the cache" in warning


def test_a_buffer_of_flash_that_fills_for_a_tenth_of_a_second_is_waited_for() -> None:
    """Before the buffers of two drives are full, and set the pace, I/Os are faster by a third.

    A window of 2,000 I/Os then has to hold what one of 400,000 has.
    """
    written = scenario.load("ssd-fio").with_(
        {
            "volume.drive": str(PM9A3),
            "volume.set.data_path.turnaround": "0 s",  # else the data path sets the pace
            "volume.level": "raid1",
            "volume.drives": 2,
            "volume.state": "filled",
            "volume.filled": "5 %",
            "load.read": "75 %",
            "load.size": "16 KiB",
            "load.workers": 4,
            "load.outstanding": 32,
            "load.area": {"size": "10 GiB"},
        }
    )
    (long,) = run(written.with_({"measure.min_ios": 400_000})).points
    (short,) = run(written.with_({"measure.min_ios": 2_000})).points
    assert short.converged
    assert short.warmup_s == long.warmup_s > 0.05
    assert short.iops.mean == pytest.approx(long.iops.mean, rel=0.02)


def test_what_came_before_is_waited_for_until_it_is_on_the_disk_and_no_longer() -> None:
    """Reads come after writes that are over: 584 MiB are in the cache, 406 of them dirty."""
    changes = {"load.reads.outstanding": 8, "measure.precision": "5 %", "measure.min_ios": 2000}
    reads = run(scenario.load("h730-disk").with_(changes)).points[-1]
    assert reads.converged
    assert reads.controllers[0].dirty_peak == 0
    assert 3 < reads.warmup_s < 30  # 3 s until the controller writes them, which takes some more


def test_a_window_holds_a_whole_sweep_of_the_destages_over_a_disk() -> None:
    """From one end of the disks to the other destages take 29 s, and a rate goes by 3 % with them.

    A cache of 2 GiB destages what is beyond a fifth of that, from low addresses to high ones.
    """
    data = {
        "host": {"model": "cisco-ucs-c240-m4"},
        "controller": [{"name": "card", "model": "cisco-12g-sas-raid-2gb"}],
        "volume": [CACHED | {"drives": 6, "write": "back"}],
        "load": [{"read": "50 %", "size": "64 KiB", "outstanding": 16}],
        "measure": {"precision": "2 %", "min_ios": 10_000},
    }
    written = scenario.from_data(data)
    (long,) = run(written.with_({"measure.min_ios": 200_000})).points
    for seed in (1, 3, 6, 7):
        (short,) = run(written.with_({"seed": seed})).points
        assert short.converged
        assert short.window_s > 25
        assert short.iops.low is not None
        assert short.iops.high is not None
        assert short.iops.low < long.iops.mean < short.iops.high


def test_a_window_of_a_small_part_of_a_sweep_says_so() -> None:
    data = {
        "host": {"model": "cisco-ucs-c240-m4"},
        "controller": [{"name": "card", "model": "cisco-12g-sas-raid-2gb"}],
        "volume": [CACHED | {"write": "back"}],
        "load": [{"read": "30 %", "size": "16 KiB", "outstanding": 32}],
        "measure": {"precision": "3 %", "min_ios": 3_000},
    }
    written = scenario.from_data(data)
    (short,) = run(written).points
    (warning,) = [text for text in short.warnings if "go once over the disks" in text]
    wanted = int(warning.partition("min_ios to about ")[2].partition(", or")[0].replace(",", ""))
    (long,) = run(written.with_({"measure.min_ios": wanted})).points
    assert not any("go once over the disks" in text for text in long.warnings)


# -- what reads find in a cache -----------------------------------------------------------------

READ_CACHE = {
    "host": {"model": "amd-epyc-9654-pair"},
    "controller": [{"model": "lenovo-raid-940-16i-8gb", "battery": "good"}],
    "volume": [{"level": "raid5", "drives": 8, "drive": "cisco-hdd-600gb-15k", "io": "cached"}],
}


def reads(area: str, strip: str = "256 KiB", random: str = "100 %") -> Point:
    """Reads of 4 KiB at random places of an area that fits into the cache."""
    data = READ_CACHE | {
        "volume": [READ_CACHE["volume"][0] | {"strip": strip}],
        "load": [
            {
                "read": "100 %",
                "random": random,
                "size": "4 KiB",
                "outstanding": 8,
                "area": {"size": area},
            }
        ],
    }
    (point,) = run(scenario.from_data(data)).points
    return point


def test_a_cache_whose_lines_are_taken_and_still_half_empty_has_not_settled() -> None:
    """All lines are taken after ten seconds; it takes sixty times as long until all reads hit.

    What random reads find in the end is put there at once, what others find is not.
    """
    point = reads("6 GiB", random="99 %")
    assert not point.converged
    assert any("what reads find in the cache" in words for words in point.warnings)
    assert reads("6 GiB").converged


@pytest.mark.parametrize(("area", "told"), [("500 GB", False), ("20 GB", True)])
def test_clean_lines_that_nothing_comes_back_to_may_go_on_filling(area, told) -> None:
    """Of 500 GB a cache of 512 MiB holds a thousandth, full or not; of 20 GB it holds 3 %."""
    disks = {"level": "raid5", "drives": 8, "drive": "seagate-st373455ss", "write": "back"}
    data = {
        "host": {"model": "fujitsu-rx300-s4"},
        "controller": [{"model": "lsi-megaraid-1078-512", "battery": "good"}],
        "volume": [disks | {"strip": "64 KiB", "disk_cache": "off"}],
        "load": [
            {"read": "67 %", "size": "8 KiB", "rate": "50 IO/s", "area": {"size": area}}
            | ({"random": "95 %"} if told else {})  # else what reads find is put there at once
        ],
        "measure": {"max_time": "60 s", "min_ios": 2000, "precision": "20 %"},
    }
    (point,) = run(scenario.from_data(data)).points
    assert any("what the cache of" in words for words in point.unsettled) == told
    assert any("are biased" in words for words in point.warnings) == told
    assert point.converged != told


@pytest.mark.parametrize("strip", ["64 KiB", "256 KiB"])
def test_an_area_that_fits_is_read_from_the_cache_in_the_end(strip: str) -> None:
    """At 8 outstanding, and 16.9 us a hit, as a run tells that reads a few MiB again and again."""
    small, large = reads("4 MiB", strip), reads("256 MiB", strip)
    assert small.converged
    assert large.converged
    assert large.iops.mean == pytest.approx(small.iops.mean, rel=0.02)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_cache_of_a_part_of_the_area_settles_at_what_it_holds(seed: int) -> None:
    """Short runs were 2 % below long ones: lines were taken, and not yet full."""
    data = READ_CACHE | {
        "seed": seed,
        "controller": [{"model": "cisco-12g-sas-raid-1gb"}],
        "load": [{"read": "100 %", "size": "8 KiB", "outstanding": 16, "area": {"size": "2 GiB"}}],
        "volume": [READ_CACHE["volume"][0] | {"strip": "64 KiB"}],
        "host": {"model": "cisco-ucs-c240-m4"},
        "measure": {"min_ios": 20_000},
    }
    (point,) = run(scenario.from_data(data)).points
    assert point.iops.mean == pytest.approx(3_784, rel=0.012)  # of runs of 2 million I/Os
    (cache,) = point.controllers
    assert cache.hits / cache.reads == pytest.approx(0.111, abs=0.01)


def test_a_rise_that_is_little_of_a_large_cache_counts_where_it_is_much_of_what_is_read() -> None:
    rising = 0.001 * np.linspace(0.0, 1.0, 128)
    assert not moves(rising, 1.0)
    assert moves(rising, 1.0, least=1e-4)
    assert not moves(rising, 1.0, least=1e-2)


# -- levels ------------------------------------------------------------------------------------


def test_a_level_that_rises_has_not_settled_and_one_at_its_bound_has() -> None:
    rising = np.arange(1.0, 101.0)
    assert not is_settled(rising, None)
    assert not is_settled(rising, 200.0)
    assert is_settled(rising, 100.0)


def test_a_level_that_has_come_to_rest_has_settled() -> None:
    noise = np.random.default_rng(SEED).normal(size=128)
    risen = 1000 * (1 - np.exp(-np.arange(128) / 8))
    assert is_settled(risen + noise, None)
    assert is_settled(np.full(128, 7.0), None)
    assert is_settled(np.zeros(128), None)


def test_a_level_moves_if_it_drifts_and_not_if_it_is_noisy_or_full() -> None:
    noise = 0.01 * np.random.default_rng(SEED).normal(size=128)
    assert not moves(0.3 + noise, 1.0)
    assert moves(0.3 + noise + np.linspace(0, 0.03, 128), 1.0)
    assert moves(0.3 + noise - np.linspace(0, 0.03, 128), 1.0)
    assert not moves(0.95 + np.linspace(0, 0.05, 128), 1.0)
    assert moves(np.minimum(0.3 + np.linspace(0, 1.4, 128), 1.0), 1.0)  # before it was full


def test_a_small_cache_that_goes_up_and_down_by_a_quarter_has_settled() -> None:
    """Its ends differ by more than a hundredth by chance; what fills beside that still moves."""
    random = np.random.default_rng(SEED)
    found = {"stays": 0, "fills": 0}
    for _ in range(200):
        wanders = 0.5 + random.uniform(-0.2, 0.2, 96)
        found["stays"] += moves(wanders, 1.0)
        found["fills"] += moves(wanders + np.linspace(-0.2, 0.2, 96), 1.0)
    assert found["stays"] < 10
    assert found["fills"] > 190


def test_high_waves_do_not_hide_that_a_level_rises() -> None:
    random = np.random.default_rng(SEED)
    saw = 0.3 * (np.arange(128) * 5 / 128 % 1 - 0.5)
    rising = np.linspace(0.6, 1, 128)
    passed = sum(is_settled(rising + np.roll(saw, random.integers(128)), 2.0) for _ in range(200))
    assert passed < 140  # 188 where chance alone is asked


def test_a_throughput_that_drifts_by_less_than_a_hundredth_has_begun() -> None:
    """A drive slows down by half a per cent in half a minute, and its run never left the warm-up.

    One that slows down by a tenth has not begun, nor one that was hardly looked at.
    """
    for drift, expected in ((0.0, True), (0.005, True), (0.1, False)):
        series = 1000 * np.linspace(1 + drift, 1, 128)
        assert has_begun(series) == expected
        assert has_begun(series + np.random.default_rng(SEED).normal(size=128)) == expected
    assert not has_begun(np.linspace(1.005, 1, 39))


def test_a_level_that_wanders_about_where_it_stays_has_settled_and_one_that_fills_has_not() -> None:
    """Buffers of drives that collect garbage go up and down by hundredths for ever."""
    random = np.random.default_rng(SEED)
    found = {"stays": 0, "fills": 0}
    for _ in range(200):
        wanders = np.zeros(256)
        for place, chance in enumerate(random.normal(0, 0.013, 255), start=1):
            wanders[place] = 0.9 * wanders[place - 1] + chance  # 3 % up and down
        found["stays"] += is_settled(1 + wanders[128:], 2.0)
        found["fills"] += is_settled(np.linspace(0.3, 1, 128) + wanders[128:], 2.0)
    assert found["stays"] > 170  # 149 where it has to move by less than a hundredth
    assert found["fills"] < 10


@pytest.mark.parametrize("readings", [64, 96, 127])
def test_a_steady_rise_is_not_taken_for_a_steady_state_where_chance_makes_its_end_flat(
    readings: int,
) -> None:
    """MSER-5 passed 45 of 300 that rise by half, with 3 % of noise, after 64 readings."""
    random = np.random.default_rng(SEED)
    found = {"stays": 0, "rises": 0}
    for _ in range(300):
        noise = random.normal(1, 0.03, readings)
        found["stays"] += is_settled(noise, 2.0)
        found["rises"] += is_settled(np.linspace(1.0, 1.5, readings) * noise, 2.0)
    assert found["stays"] > 290
    assert found["rises"] < 6


@pytest.mark.parametrize("readings", [0, 1, 3])
def test_a_level_that_was_hardly_looked_at_has_not_settled(readings: int) -> None:
    assert not is_settled(np.zeros(readings), None)


class Clock(Level):
    """What is read off is the time itself."""

    def reader(self, world: Any) -> Callable[[], float]:
        return lambda: float(world.now)


def test_a_record_goes_on_when_a_table_has_grown() -> None:
    """Its memory is another one then."""
    system = System()
    row = system.add_row("ssds", buffered=3)
    level = Level("ssds", "buffered", (row,), None, "what is buffered")
    both = Level("ssds", "buffered", (row, row), None, "twice that")
    record = Record(system, [level, both])
    record.take()
    before = system.world.ssds
    system.append("ssds", 10_000)
    assert system.world.ssds is not before
    system.set_row("ssds", row, buffered=5)
    record.take()
    assert record.series(level).tolist() == [3.0, 5.0]
    assert record.series(both).tolist() == [6.0, 10.0]


@pytest.mark.parametrize("length", [3_000_000, 40_000_000, 700_000_000])
def test_a_record_that_knows_about_how_long_it_is_kept_has_the_same_readings(length: int) -> None:
    """Those that it would drop soon are not taken, up to half and to many times that length."""
    level = Clock("state", "now", (0,), None, "the time")
    for actual in (length // 2 + 1, length, 5 * length):
        kept, taken = [], []
        for expected in (0.0, float(length)):
            world = SimpleNamespace(now=12_345)
            system: Any = SimpleNamespace(world=world, now=12_345)
            record = Record(system, [level], expected)
            count = 0
            while record.due <= 12_345 + actual:
                world.now = record.due
                record.take()
                count += 1
            kept.append(record.series(level).tolist())
            taken.append(count)
        assert kept[0] == kept[1]
        assert taken[1] <= taken[0]
    assert length < 10**7 or taken[1] < taken[0]


TWO = """
[host]
model = "fujitsu-rx300-s7"
[[controller]]
model = "cisco-12g-sas-raid-2gb"
[[volume]]
name = "a"
level = "raid5"
drives = 4
drive = "cisco-hdd-600gb-15k"
write = "back"
[[volume]]
name = "b"
level = "raid5"
drives = 4
drive = "cisco-hdd-600gb-15k"
write = "back"
[[load]]
name = "backup"
volume = "a"
read = "0 %"
random = "0 %"
size = "256 KiB"
outstanding = 16
[[load]]
name = "oltp"
volume = "b"
read = "0 %"
random = "100 %"
size = "8 KiB"
outstanding = 16
"""


@compiled_only
def test_a_cache_that_is_full_has_not_settled_while_one_volume_takes_room_from_another() -> None:
    """Random writes are no faster for the disks of their volume than those are alone."""
    both = run(scenario.load_text(TWO)).points
    (_, beside) = (point.iops.mean for point in both)
    start, end = TWO.index('[[load]]\nname = "backup"'), TWO.index('[[load]]\nname = "oltp"')
    (alone,) = run(scenario.load_text(TWO[:start] + TWO[end:])).points
    assert beside == pytest.approx(alone.iops.mean, rel=0.1)
    assert not any("not converged" in line or "settled" in line for line in both[1].warnings)
