"""What a scenario takes of this computer's memory is bounded before it is allocated."""

import gc
import tracemalloc

import numpy as np
import pytest

from raidsim import records, scenario
from raidsim.control.model import build
from raidsim.errors import InputError
from raidsim.explain.explain import explain
from raidsim.kernel.cache_tables import LINES
from raidsim.kernel.ftl import LEAF
from raidsim.kernel.world import TABLES
from raidsim.running import run_point
from raidsim.system import memory
from raidsim.system.system import System

GIB = 2**30

HOST = '[host]\nmodel = "fujitsu-rx2540-m1"\n'
CACHED = (
    HOST
    + """
[[controller]]
model = "lsi-megaraid-1078-512"
[controller.set]
"cache.size" = "1 TiB"
"strip.smallest" = "512 B"
[[volume]]
drive = "seagate-st373455ss"
level = "raid0"
drives = 2
strip = "512 B"
write = "back"
"""
)
FLASH = HOST + '[[volume]]\ndrive = "intel-p3700-800gb"\nlevel = "raid0"\ndrives = 64\n'
FLASH += 'state = "fresh"\n'
BITMAP = (
    HOST
    + """
[[volume]]
drive = "nl-sas-2tb"
level = "raid1"
drives = 2
strip = "4 KiB"
intent = "bitmap"
bitmap_chunk = "4 KiB"
"""
)
TIER = (
    HOST
    + """
[[volume]]
name = "fast"
drive = "intel-p3700-800gb"
state = "fresh"
[[volume]]
name = "large"
drive = "nl-sas-2tb"
[[hybrid]]
front = "fast"
back = "large"
mode = "tier"
size = "50 GiB"
front_size = "1 GiB"
block = "4 KiB"
"""
)
LOAD = '[[load]]\nread = "100 %"\nsize = "8 KiB"\noutstanding = 1\n'
MANY_LOADS = "".join(f'{LOAD}name = "load {number}"\n' for number in range(500))


def refused(text, most, monkeypatch):
    """The one problem of building a scenario with so much memory, in bytes."""
    monkeypatch.setattr(memory, "most", lambda: most)
    loaded = scenario.load_text(text, "large.toml")
    with pytest.raises(InputError) as caught:
        build(loaded)
    (problem,) = caught.value.problems
    assert problem.file == "large.toml"
    return problem


def test_a_cache_of_too_many_lines_says_how_much_it_would_take(monkeypatch):
    problem = refused(CACHED + LOAD, 8 * GIB, monkeypatch)
    needed = 2**31 * LINES.type.itemsize / GIB
    assert f"would take at least {needed:.3g} GiB of memory" in problem.cause
    assert "2147483648 lines of caches" in problem.cause
    assert "there are 8 GiB" in problem.cause
    assert "cache.size" in str(problem.remedy)


@pytest.mark.parametrize(
    ("text", "most", "what"),
    [
        (FLASH + LOAD, GIB // 64, "maps of flash drives"),
        (BITMAP + LOAD, 2 * GIB, "bits of bitmaps"),
        (TIER + LOAD, GIB // 8, "blocks that hybrids remember"),
        (FLASH + MANY_LOADS, GIB // 2, "accounts of loads"),
    ],
    ids=["flash", "bitmap", "tier", "loads"],
)
def test_whatever_a_scenario_asks_for_is_bounded(text, most, what, monkeypatch):
    problem = refused(text, most, monkeypatch)
    assert what in problem.cause
    assert problem.remedy


def test_a_thousand_workers_are_measured_in_the_memory_of_one():
    taken = [
        build(scenario.load_text(FLASH + LOAD + f"workers = {workers}\n")).system.memory
        for workers in (1, 1000)
    ]
    assert taken[1] < taken[0] + 16 * 2**20


def test_an_io_of_too_many_commands_is_refused(monkeypatch):
    one = FLASH.replace('level = "raid0"\ndrives = 64\n', "")
    text = one + LOAD.replace("8 KiB", "512 GiB")
    problem = refused(text, 8 * GIB, monkeypatch)
    assert "commands and pages at a time" in problem.cause


def test_an_io_of_too_many_commands_is_said_of_the_file_also_beside_events():
    one = FLASH.replace('level = "raid0"\ndrives = 64\n', "")
    event = '[[event]]\nkind = "air"\nat = "1 ms"\nambient = "40 C"\n'
    text = one + LOAD.replace("8 KiB", "512 GiB") + event
    with pytest.raises(InputError) as caught:
        run_point(scenario.load_text(text, "large.toml"), 0)
    (problem,) = caught.value.problems
    assert problem.file == "large.toml"
    assert "commands and pages at a time" in problem.cause


def test_what_explain_would_take_is_said_of_the_file(monkeypatch):
    monkeypatch.setattr(memory, "most", lambda: GIB // 64)
    with pytest.raises(InputError) as caught:
        explain(scenario.load_text(FLASH + LOAD, "large.toml"), "read", 0, "4 KiB")
    (problem,) = caught.value.problems
    assert problem.file == "large.toml"
    assert "maps of flash drives" in problem.cause


def test_what_fits_is_built_as_before(monkeypatch):
    loaded = scenario.load_text(FLASH + LOAD)
    whole = build(loaded).system.world.pages
    taken = sum(table.nbytes for table in build(loaded).system.world)
    monkeypatch.setattr(memory, "most", lambda: 3 * taken)
    assert (build(loaded).system.world.pages[: len(whole)] == whole).all()


def test_a_table_that_need_not_double_takes_what_it_needs(monkeypatch):
    system = System()
    monkeypatch.setattr(memory, "most", lambda: 64 * 2**20)
    first = system.append("marks", 2**20)
    system.append("marks", 2**20)
    assert len(system.world.marks) == 2 * 2**20
    with pytest.raises(InputError):
        system.append("marks", 2**23)
    assert system.count("marks") == first + 2 * 2**20


def test_half_of_the_machine_is_there_for_tables():
    assert memory.most() > 2**28


def test_records_are_the_same_bytes_after_a_table_grew():
    system = System()
    system.append("lines", 3)
    written = system.rows("lines")
    written.view(np.uint8)[:] = np.arange(written.nbytes) % 251
    before = written.tobytes()
    system.append("lines", 100_000)
    assert system.rows("lines")[:3].tobytes() == before
    after = system.rows("lines")[3:]
    begun = np.zeros(len(after), after.dtype)
    LINES.begin(begun)
    assert after.tobytes() == begun.tobytes()


def test_a_drive_finds_room_for_all_that_it_will_write_at_once():
    text = FLASH.replace('level = "raid0"\ndrives = 64\n', "") + LOAD
    system = build(scenario.load_text(text)).system
    system.have_room()
    whole = len(system.world.leaves)
    shared = int((system.rows("pages") < 0).sum())
    assert whole >= (int(system.state["leaves"]) + shared) * LEAF


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_in_front_of_each_table_lies_a_row_that_no_one_uses(table):
    """The kernel, unchecked, takes row -1 as it is: then nothing else is overwritten."""
    rows = records.empty(table, 3)
    assert rows.flags.c_contiguous
    assert rows.flags.aligned
    first, memory = (part.__array_interface__["data"][0] for part in (rows, rows.base))
    assert first - table.row_bytes >= memory
    assert first + rows.nbytes <= memory + rows.base.nbytes
    assert first % records.LINE == 0


def test_a_point_that_is_over_leaves_no_tables_behind():
    """Parts of an environment know each other: who waits for the collector waits for long."""
    words = FLASH.replace("drives = 64", "drives = 4")
    words += '[[load]]\nread = "0 %"\nsize = "4 KiB"\noutstanding = 4\n'
    checked = scenario.load_text(words + "[measure]\nmin_ios = 400\nmax_ios = 400\n")
    run_point(checked, 0)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        run_point(checked, 0)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert most > 4 * 2**20
    assert kept < most / 4
