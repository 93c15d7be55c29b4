"""The write-intent bitmap of software RAID begins as it is in an array that is in use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import compiled_only

from raidsim.control.model import build
from raidsim.intervene import full_bitmaps
from raidsim.kernel import tables as t
from raidsim.running import run
from raidsim.scenario import load_text

ARRAY = """
seed = 7

[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "samsung-pm983-960gb"
level = "raid5"
drives = 5

[[load]]
read = "70 %"
size = "16 KiB"
outstanding = 16
"""
SECOND = 10**9


@compiled_only
def test_short_windows_find_what_a_long_one_does():
    """Bits were set during the window: it found 53,000 IO/s, 59,000 are right."""
    (long,) = run(load_text(ARRAY, seed=3).with_("measure.min_ios", 600_000)).points
    for seed in (1, 2):
        scenario = load_text(ARRAY, seed=seed)
        (short,) = run(scenario.with_("measure.precision", "5 %")).points
        assert short.iops.mean == pytest.approx(long.iops.mean, rel=0.04)


@compiled_only
def test_the_first_writes_are_slower_than_those_that_set_the_bits_were():
    """A mirror of fast drives: bits as of the pace of its first writes left 57,000 of 60,500."""
    mirror = load_text(
        ARRAY.replace("raid5", "raid1").replace("drives = 5", "drives = 2")
        .replace("samsung-pm983-960gb", "intel-p5510-7680gb")
        .replace("70 %", "0 %").replace("16 KiB", "4 KiB").replace("= 16", "= 1")
        .replace("linux-xeon-e5-pair", "intel-xeon-8380-pair")
    )  # fmt: skip
    (short,) = run(mirror).points
    (long,) = run(mirror.with_("measure.min_ios", 400_000)).points
    assert short.iops.mean == pytest.approx(long.iops.mean, rel=0.01)


@compiled_only
def test_an_array_that_waits_for_an_event_is_one_in_use():
    """With bits set only in the course, its first second had 53,400 of 59,400 IO/s."""
    event = '[[event]]\nkind = "drive-failure"\nat = "1 s"\ndrive = 2\n'
    (quiet,) = run(load_text(ARRAY)).points
    (point,) = run(load_text(ARRAY + event + '[measure]\nduration = "1.1 s"\n')).points
    before = point.course.phases[0]
    assert before.health == {"data": "optimal"}
    assert before.iops.mean == pytest.approx(quiet.iops.mean, rel=0.03)


def test_how_fast_writes_to_an_array_were_is_told_by_those_to_it_alone():
    """Beside 100,000 writes a second that wait for no bit, half as many again do not show."""
    text = ARRAY.replace("[[load]]", '[[load]]\nname = "b"\nvolume = "b"')
    text = text.replace("[[volume]]", '[[volume]]\nname = "a"', 1)
    text += '[[volume]]\nname = "b"\ndrive = "samsung-pm983-960gb"\n'
    text += '[[load]]\nname = "a"\nvolume = "a"\nread = "0 %"\nsize = "16 KiB"\noutstanding = 1\n'
    model = build(load_text(text))
    system, ios = model.system, model.system.world.streams["window_ios"]
    (slow,), (fast,) = model.streams["a"], model.streams["b"]
    bits = full_bitmaps.Bits(system, [slow, fast])
    for written, faster in ((1_000, True), (1_500, True), (1_500, False)):
        system.advance_clock(system.now + SECOND)
        ios[slow, t.WRITE] += written
        ios[fast, t.WRITE] += 100_000
        assert bits.set_if_faster() is faster


@pytest.mark.parametrize("rate", [200, 3_000, 40_000])
@pytest.mark.parametrize("level", ["raid1", "raid5", "raid6"])
def test_a_chunk_has_a_bit_if_it_was_written_in_the_last_seconds(level, rate):
    """Of n chunks that w random writes a second go to, 1 - exp(-5 w / n) were written in 5 s."""
    drives = {"raid1": 2, "raid5": 5, "raid6": 6}[level]
    text = ARRAY.replace("raid5", level).replace("drives = 5", f"drives = {drives}")
    model = build(load_text(text))
    system = model.system
    streams = [s for each in model.streams.values() for s in each]
    full_bitmaps.fill(system, dict.fromkeys(streams, rate))
    marks = system.rows("marks")
    expected = 1 - math.exp(-5 * rate / len(marks))
    set_now = float((system.now - marks <= 5 * SECOND).mean())
    assert set_now == pytest.approx(expected, abs=4 * math.sqrt(expected / len(marks)) + 0.001)
    ages = (system.now - marks[system.now - marks <= 5 * SECOND]) / SECOND
    assert np.all((ages >= 0) & (ages <= 5))


def test_writes_in_sequence_set_their_bits_themselves():
    model = build(load_text(ARRAY.replace("outstanding", 'random = "0 %"\noutstanding')))
    system = model.system
    streams = [s for each in model.streams.values() for s in each]
    before = system.rows("marks").copy()
    full_bitmaps.fill(system, dict.fromkeys(streams, 1000))
    assert (system.rows("marks") == before).all()


@compiled_only
def test_a_load_too_slow_to_set_the_bits_in_time_ends_its_course_at_its_bound():
    """Three reads a second are 1,800 in the ten minutes that a run takes at most."""
    slow = ARRAY.replace("outstanding = 16", 'rate = "3 IO/s"').replace("70 %", "100 %")
    event = '[[event]]\nkind = "drive-failure"\nat = "20 s"\ndrive = 1\n'
    (point,) = run(load_text(slow + event)).points
    assert point.iops.mean == pytest.approx(3, rel=0.3)
