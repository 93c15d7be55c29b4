"""Wear and promises of a drive: arithmetic from its card, in results and on the control plane."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import compiled_only
from synthetic import point, result

from raidsim import Environment, Host, Load, Volume, cards
from raidsim.assembly import ftl
from raidsim.control.model import build
from raidsim.errors import InputError
from raidsim.report.curves import curves
from raidsim.report.drives import wear
from raidsim.report.table import notes
from raidsim.result import DriveUse
from raidsim.running import run
from raidsim.scenario import load, load_text

DRIVE = "intel-p3700-800gb"
DAY = 86_400
WRITES = {"read": "0 %", "size": "4 KiB", "outstanding": 32}
QUICK = ["load.outstanding=32", "measure.min_ios=20000", "measure.precision='5 %'"]


def volume(**words: object) -> Volume:
    env = Environment(seed=1)
    return Volume(env, DRIVE, Host(env, "fujitsu-rx2540-m1"), **words)


def test_wear_is_the_load_of_the_window_over_days_and_years():
    (found,) = run(load("p3700-whole-drive", overrides=QUICK)).points
    (drive,) = found.drives
    card = cards.load(DRIVE)
    a_day = found.mbps * 2**20 * DAY
    assert (drive.name, drive.kind, drive.protected) == ("data", "ssd", True)
    assert drive.written_per_day_tb * 1e12 == pytest.approx(a_day, rel=0.01)
    assert drive.drive_writes_per_day == pytest.approx(a_day / 800e9, rel=0.01)
    assert drive.rated_writes_per_day == 10
    assert drive.years_to_rated == pytest.approx(14.6e15 / (365 * a_day), rel=0.01)
    programmed = drive.write_amplification * a_day
    flash = 800e9 * (1 + card.number("flash.spare"))
    assert drive.cycles_per_year == pytest.approx(365 * programmed / flash, rel=0.05)
    assert 0 < drive.unsafe_mean <= drive.unsafe_peak <= card.number("buffer.size")


def test_a_drive_that_is_only_read_wears_nothing():
    (found,) = run(load("p3700-whole-drive", overrides=[*QUICK, "load.read='100 %'"])).points
    (drive,) = found.drives
    assert (drive.write_amplification, drive.years_to_rated) == (None, None)
    assert drive.written_per_day_tb == drive.drive_writes_per_day == drive.cycles_per_year == 0


USE = DriveUse(
    "data", "ssd", None, None, None, {}, 4.05, 31.8, 39.8, 10.0, 1.5e4, 1.257, 1e6, 2_000_000, True
)


def test_the_table_says_once_what_a_drive_wears_where_it_is_written_most():
    little = replace(USE, written_per_day_tb=1.0, drive_writes_per_day=1.25)
    made = result(point(1, drives=[little]), point(32, drives=[USE]))
    (line,) = (text for text in notes(curves(made)[0], made) if text.startswith("data"))
    assert line == (
        "data, 32 outstanding: write amplification 4.05, 39.80 drive writes a day (rated 10),"
        " rated writes reached after 1.257 years"
    )
    soon = replace(USE, rated_writes_per_day=320 / (1825 * 1.0), years_to_rated=0.0056)
    made = result(point(32, drives=[soon]))
    (line,) = (text for text in notes(curves(made)[0], made) if text.startswith("data"))
    assert line.endswith("(rated 0.175), rated writes reached after 2.044 days")  # 365 x 0.0056
    idle = replace(USE, written_per_day_tb=0.0, write_amplification=None, years_to_rated=None)
    made = result(point(32, drives=[idle]))
    assert not [text for text in notes(curves(made)[0], made) if text.startswith("data")]


def test_a_drive_that_a_rebuild_filled_is_told_no_wear_of_a_day():
    """A spare was written once, and said to reach its rated writes in three quarters of a year."""
    text = """
title = "One drive of a RAID 5 fails, and a spare takes its place"
[host]
model = "linux-xeon-e5-pair"
[[volume]]
name = "data"
drive = "intel-p3700-800gb"
level = "raid5"
drives = 4
spares = 1
rebuild_sample = "0.01 %"
rebuild_rate = "100 %"
[[load]]
read = "70 %"
size = "8 KiB"
outstanding = 4
[[event]]
kind = "drive-failure"
volume = "data"
drive = 1
at = "0.1 s"
"""
    made = run(load_text(text))
    drives = made.points[0].drives
    (spare,) = (one for one in drives if one.filled)
    assert spare.written_per_day_tb > 0
    told = (spare.drive_writes_per_day, spare.years_to_rated, spare.cycles_per_year)
    assert told == (None, None, None)
    others = [one for one in drives if not one.filled]
    assert all(one.drive_writes_per_day > 0 for one in others)
    assert all(one.years_to_rated for one in others)
    lines = wear(drives)
    assert "no yearly wear of what was filled in this window (data spare 0)" in lines


def test_the_past_of_a_drive_is_paid_for_once_for_all_points_and_seeds():
    asked = load("p3700-whole-drive")
    ftl._past.cache_clear()
    first = build(asked, 0).system
    again = build(asked, 5).system
    other = build(load("p3700-whole-drive", seed=2)).system
    assert ftl._past.cache_info()[:2] == (2, 1)
    maps = [ftl.list_of(system, 0, "map").tobytes() for system in (first, again, other)]
    assert maps[0] == maps[1] == maps[2]
    # What is written in the run is not the same.
    assert len({int(system.world.streams["key_where"][0]) for system in (first, other)}) == 2


def test_drives_that_were_written_to_alike_have_one_past():
    ftl._past.cache_clear()
    made = build(load("p3700-four-drives", overrides=["volume.filled=100 %"])).system
    assert ftl._past.cache_info().misses == 1
    maps = [ftl.list_of(made, drive, "map").tobytes() for drive in range(4)]
    assert len(set(maps)) == 1
    # What they are written now is not: each worker has random numbers of its own.
    assert len({int(key) for key in made.world.streams["key_where"][:4]}) == 4


def leaves_of_its_own(made, which):
    """Parts of the map of a drive that no other one shares."""
    return sum(int((ftl._pages(made, which, name) >= 0).sum()) for name in ftl.LISTS)


def test_drives_with_one_past_share_its_memory_until_they_are_written():
    asked = load("p3700-four-drives", overrides=["volume.filled=100 %"])
    made = build(asked).system
    one = sum(ftl._leaves(made, 0, name) for name in ftl.LISTS)
    assert made.state["leaves"] == 1 + one  # and the one of drives without a past
    before = [ftl.list_of(made, which, "map").tobytes() for which in range(4)]
    ftl.fill(made, 1, 0, 1)  # one unit: its place, whose it is now, and what is moved for it
    assert 2 <= leaves_of_its_own(made, 1) < 20
    assert made.state["leaves"] == 1 + one + leaves_of_its_own(made, 1)
    after = [ftl.list_of(made, which, "map").tobytes() for which in range(4)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, True]
    # All that a drive can change has a place of its own, and a new drive needs none.
    ftl.fill(made, 1, 0, int(made.world.ftls[1]["units"]))
    assert leaves_of_its_own(made, 1) <= one
    ftl.renew(made, 1)
    assert (ftl.list_of(made, 1, "map") == -1).all()
    assert made.state["leaves"] <= 1 + 2 * one


def amplification(made: Volume, ios: int = 50_000) -> float:
    made.env.reset_window()
    made.env.run(until=made.start(Load(**WRITES, limit={"ios": ios})))
    found = made.use.write_amplification
    assert found is not None
    return found


def test_a_volume_begins_as_it_is_told():
    assert amplification(volume(state="fresh")) == 1.0
    # What is written at first goes to the spare area of a drive that was filled once.
    spare = int(0.08 * ftl.TARGET_UNITS)
    assert amplification(volume(), spare) == 1.0
    assert amplification(volume(state="steady"), spare) == pytest.approx(6.1, rel=0.05)


def test_trim_makes_spare_area():
    made = volume(state="steady")
    before = amplification(made)
    made.trim(400 * 10**9 // 512 * 512, 399 * 10**9 // 512 * 512)
    assert amplification(made) < 0.6 * before


@pytest.mark.parametrize(("offset", "length"), [(0, 100), (800 * 10**9, 512), (-512, 512)])
def test_trim_takes_whole_sectors_inside_the_volume(offset, length):
    with pytest.raises(InputError, match="trim"):
        volume().trim(offset, length)


@pytest.mark.parametrize("words", [{"state": "new"}, {"filled": "120 %"}, {"state": 3}])
def test_a_volume_says_what_it_does_not_know(words):
    with pytest.raises(InputError, match=next(iter(words))):
        volume(**words)


def test_what_a_power_cut_would_lose_is_said_of_volatile_buffers_only():
    volatile = replace(USE, protected=False, unsafe_mean=512 * 1024, unsafe_peak=2 * 2**20)
    made = result(point(32, drives=[replace(volatile, write_amplification=None)]))
    (line,) = (text for text in notes(curves(made)[0], made) if text.startswith("data"))
    assert line == (
        "data: a power cut would lose 512 KiB on average, 2,048 KiB at most,"
        " acknowledged from a volatile buffer"
    )
    made = result(point(32, drives=[replace(volatile, protected=True)]))
    assert not [text for text in notes(curves(made)[0], made) if "power cut" in text]


@compiled_only
@pytest.mark.parametrize("state", ["fresh", "filled", "steady"])
def test_a_large_drive_collects_no_sooner_for_a_map_that_is_scaled_down(state: str) -> None:
    """An empty drive of 800 GB has no garbage to collect after 4 GiB, nor has one that is full."""
    assert not is_told_to_collect_too_soon(state, "4 GiB", "8 KiB")


@compiled_only
@pytest.mark.parametrize(("state", "told"), [("fresh", True), ("filled", False)])
def test_an_empty_drive_collects_nothing_until_all_of_its_flash_was_written(
    state: str, told: bool
) -> None:
    """20 GiB are more than the spare area of 40 GB, and less than its flash in all."""
    assert is_told_to_collect_too_soon(state, "20 GiB", "256 KiB", capacity="40 GB") == told


def is_told_to_collect_too_soon(
    state: str, written: str, size: str, capacity: str = "800 GB"
) -> bool:
    """Whether a run with so much written at random says that of its drive."""
    text = f"""
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "intel-s3700-800gb"
state = "{state}"
set = {{ "capacity.user" = "{capacity}" }}
[[load]]
read = "0 %"
size = "{size}"
outstanding = 8
limit = {{ bytes = "{written}" }}
[measure]
max_time = "1 h"
"""
    (point,) = run(load_text(text)).points
    return any("times too soon" in warning for warning in point.warnings)


@compiled_only
@pytest.mark.parametrize(("state", "random", "told"), [
    ("fresh", "100 %", True),
    ("fresh", "0 %", False),  # what is written in sequence leaves no garbage
    ("filled", "100 %", True),
    ("filled", "0 %", False),
    ("steady", "100 %", False),
    ("steady", "0 %", False),
])  # fmt: skip
def test_a_drive_that_writes_at_random_and_collects_no_garbage_yet_is_told_of(
    state: str, random: str, told: bool
) -> None:
    """It writes 2.5 times as fast as it will once its free blocks are used up."""
    text = f"""
[host]
model = "linux-xeon-e5-pair"
[[volume]]
drive = "fujitsu-ssd-sas2-mlc-200gb"
state = "{state}"
[[load]]
read = "0 %"
random = "{random}"
size = "64 KiB"
outstanding = 16
[measure]
min_ios = 2000
"""
    (point,) = run(load_text(text)).points
    assert any("collected no garbage yet" in text for text in point.warnings) == told


@compiled_only
def test_a_small_area_that_leaves_whole_blocks_of_garbage_is_steady_without_moving_any() -> None:
    (point,) = run(load("p3700-database", overrides=["load.outstanding=[32]"])).points
    assert point.drives[0].write_amplification == 1
    assert not any("not steady" in text for text in point.warnings)
