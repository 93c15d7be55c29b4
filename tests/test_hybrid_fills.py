"""A front that takes writes faster than its back is not steady, however large it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import compiled_only

from raidsim.running import run
from raidsim.scenario import load_text

SYSTEM = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
name = "front"
level = "raid1"
drives = 2
drive = "intel-s3700-800gb"
[[volume]]
name = "back"
level = "raid6"
drives = 8
drive = "nl-sas-2tb"
[[hybrid]]
front = "front"
back = "back"
size = "2 TiB"
front_size = "{front}"
[[load]]
volume = "hybrid"
read = "{read}"
size = "8 KiB"
area = {{ size = "{area}" }}
outstanding = 64
"""


@compiled_only
@pytest.mark.parametrize(
    ("front", "read", "area", "told"),
    [
        ("all", "0 %", "1 TiB", True),  # 36,000 blocks of 64 KiB a second, for five minutes
        ("100 GiB", "0 %", "1 TiB", True),
        ("100 GiB", "100 %", "1 TiB", False),
        ("100 GiB", "0 %", "1 GiB", False),  # soon all of it is dirty that ever will be
        ("100 GiB", "0 %", "50 GiB", True),  # no write waits, but what is written back takes time
    ],
)
def test_what_a_front_that_fills_with_dirty_data_takes_has_not_converged(
    front: str, read: str, area: str, told: bool
) -> None:
    (point,) = run(load_text(SYSTEM.format(front=front, read=read, area=area))).points
    assert any("stayed there" in warning for warning in point.warnings) == told
    assert point.converged != told


@compiled_only
@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ('promote = "first"', True),
        ('promote = "second"', True),  # before a block is read twice nothing shows
        ('promote = "never"', False),
        ("warm = {}", False),
    ],
)
def test_reads_that_miss_what_a_front_has_room_for_say_that_it_fills(keys: str, told: bool) -> None:
    """All of the area fits: in the long run every read finds it in the front."""
    text = SYSTEM.format(front="all", read="100 %", area="20 GiB")
    text = text.replace('front_size = "all"', f'front_size = "50 GiB"\n{keys}')
    (point,) = run(load_text(text)).points
    assert any("hybrid fills" in one for one in point.warnings) == told


@compiled_only
@pytest.mark.parametrize(
    ("write", "area", "read", "told"),
    [
        ("around", "50 GiB", "50 %", True),  # parts of 800,000 blocks, 600 of them a second
        ("around", "50 GiB", "0 %", False),  # no read finds anything there
        ("around", "16 MiB", "50 %", False),  # each was read and written often before that
        ("through", "50 GiB", "50 %", False),
    ],
)
def test_a_front_that_forgets_more_than_reads_bring_back_says_so(
    write: str, area: str, read: str, told: bool
) -> None:
    """A block is there if a read was the last to come: of half reads in half of the cases."""
    text = SYSTEM.format(front="100 GiB", read=read, area=area)
    text = text.replace("front_size", f'warm = {{}}\nwrite = "{write}"\nfront_size')
    (point,) = run(load_text(text)).points
    (said,) = [one for one in point.warnings if "forgets what is written past it" in one] or [""]
    assert said.startswith("not converged: ") == told
    assert not (told and point.converged)  # its figures still move
    (hybrid,) = point.hybrids
    if area == "16 MiB":
        assert hybrid.hits / hybrid.reads == pytest.approx(0.5, abs=0.03)


@compiled_only
def test_a_front_that_nothing_is_brought_back_to_is_not_told_to_run_longer() -> None:
    """Writes go past it and reads bring nothing in, so it holds ever less."""
    text = SYSTEM.format(front="100 GiB", read="50 %", area="50 GiB")
    keys = 'warm = {}\nwrite = "around"\npromote = "never"\nfront_size'
    (point,) = run(load_text(text.replace("front_size", keys))).points
    (said,) = [one for one in point.warnings if "forgets what is written past it" in one]
    assert "nothing brings it back" in said
    assert "measure." not in said


@compiled_only
def test_a_front_that_fills_is_told_up_to_what_a_trace_reaches(tmp_path: Path) -> None:
    """A trace of the first 64 MiB brings no more than those into a front of a terabyte."""
    places = np.random.default_rng(8).integers(0, 1024, 500) * (64 << 10)
    rows = [f"{20_000 * number},r,{place},4096" for number, place in enumerate(places)]
    trace = tmp_path / "t.csv"
    trace.write_text("\n".join(["time [us],op,offset [B],size [B]", *rows]))
    text, _, _ = SYSTEM.format(front="all", read="", area="").partition("[[load]]")
    (point,) = run(load_text(f'{text}[[load]]\nvolume = "hybrid"\ntrace.file = "{trace}"')).points
    (said,) = (one for one in point.warnings if "hybrid fills" in one)
    reached = float(said.partition("once it holds ")[2].partition(" MB")[0])
    assert reached == pytest.approx(64 * 1.048576, rel=0.01)


@compiled_only
@pytest.mark.parametrize(
    ("front", "places", "told"),
    [
        ("100 GiB", 'hot = { area = "20 %", accesses = "80 %" }', True),
        ("100 GiB", "", False),  # any tenth of places that are all alike has a tenth of the reads
        ("64 MiB", 'hot = { area = "20 %", accesses = "80 %" }', False),  # replaced many times
    ],
)
def test_a_full_front_that_keeps_what_it_began_with_says_so(
    front: str, places: str, told: bool
) -> None:
    """It begins with the hottest places, which no policy without foresight keeps all of."""
    text = SYSTEM.format(front=front, read="100 %", area="1 TiB") + places
    text = text.replace("front_size", "warm = {}\nfront_size")
    (point,) = run(load_text(text)).points
    assert any("still holds much of what it began with" in one for one in point.warnings) == told


@compiled_only
@pytest.mark.parametrize("front", ["100 GiB", "all"])
def test_marks_are_shares_of_the_front_and_not_of_a_smaller_hybrid(front: str) -> None:
    """A hybrid of 8 GiB dirties less than a tenth of a front of 100: nothing is written back."""
    text = SYSTEM.replace('"2 TiB"', '"8 GiB"').format(front=front, read="0 %", area="8 GiB")
    scenario = load_text(f'{text}limit = {{ time = "10 s" }}')
    (point,) = run(scenario).points
    (use,) = point.hybrids
    (spec,) = scenario.hybrids
    assert use.front_bytes == spec.room >= 100 * 2**30 > spec.low * spec.room > 8 * 2**30
    assert use.dirty_peak == use.held_bytes > 0.95 * spec.capacity > spec.high * spec.capacity
    assert (use.waits, use.written_back_bytes) == (0, 0)
    assert not any("not converged" in warning for warning in point.warnings)


@compiled_only
def test_a_cache_reads_many_small_blocks_of_a_hybrid_ahead_at_once() -> None:
    """8,192 lines of 8 KiB: there was no room for so many fetches, and the run ended."""
    checked = load_text("""
[host]
model = "fujitsu-rx2540-m1"
[[controller]]
name = "card"
model = "lsi-megaraid-1078-512"
set = { "cache.read_ahead" = "64 MiB" }
[[volume]]
name = "front"
level = "single"
drive = "intel-s3700-800gb"
[[volume]]
name = "back"
level = "raid0"
drives = 2
drive = "cisco-hdd-4tb"
[[hybrid]]
front = "front"
back = "back"
controller = "card"
size = "1 GiB"
block = "4 KiB"
read_ahead = "ahead"
[[load]]
volume = "hybrid"
read = "100 %"
random = "0 %"
size = "64 KiB"
outstanding = 1
[measure]
min_ios = 500
max_ios = 1000
""")
    assert run(checked).points[0].iops.mean > 0


@compiled_only
def test_a_cache_destages_to_a_hybrid_whose_volumes_are_behind_no_controller() -> None:
    """Once its cache was full no write went on: it had been told of no drives to destage to."""
    system = load_text("""
[host]
model = "fujitsu-rx2540-m1"
[[controller]]
name = "card"
model = "lsi-megaraid-1078-512"
[[volume]]
name = "flash"
level = "single"
drive = "intel-s3700-800gb"
controller = "host"
[[volume]]
name = "disks"
level = "raid0"
drives = 2
strip = "1 MiB"
drive = "cisco-hdd-4tb"
controller = "host"
[[hybrid]]
front = "flash"
back = "disks"
controller = "card"
size = "1 GiB"
block = "64 KiB"
buffer = "back"
[[load]]
volume = "hybrid"
read = "0 %"
random = "100 %"
size = "64 KiB"
outstanding = 1
[measure]
min_ios = 10000
max_ios = 20000
""")
    assert run(system).points[0].iops.mean > 0
