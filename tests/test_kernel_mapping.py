"""A map that is kept on flash: what look-ups and changes cost, and what is in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from watching import begin

from raidsim import cards
from raidsim.assembly import ftl
from raidsim.control.model import BuiltSystem, build
from raidsim.errors import InputError
from raidsim.explain.explain import explain
from raidsim.intervene import power
from raidsim.intervene.window import reset
from raidsim.kernel import tables as t
from raidsim.kernel.map_tables import MAP_PAGE, WAYS
from raidsim.observe import wear
from raidsim.report.findings import findings
from raidsim.running import run
from raidsim.scenario import Scenario, from_data

MODEL = "intel-p3700-800gb"
CARD = cards.load(MODEL)
OF_A_PAGE = 1024 * CARD.integer("mapping.unit")  # bytes whose places are in a page of the map
PAGES = 64  # in memory
COVERED = PAGES * OF_A_PAGE
ON_FLASH = {
    "mapping.kept_in": "flash",
    "mapping.memory": f"{PAGES * MAP_PAGE} B",
    "mapping.look_ups": 1,
    "mapping.changes": 1,
}
READ = CARD.number("flash.read_time") + MAP_PAGE * CARD.number("flash.channel_read_time_per_byte")
"""s of reading a page of the map, on an idle drive."""
ONE = {"read": "100 %", "size": "4 KiB", "align": "4 KiB", "outstanding": 1}


@pytest.fixture(autouse=True)
def _small_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map that is soon written over and over, interpreted as well."""
    monkeypatch.setattr(ftl, "TARGET_UNITS", 4096)


def built_system(
    load: dict[str, Any], values: dict[str, Any] | None = None, **volume: Any
) -> BuiltSystem:
    """A drive with little memory for its map, and one load."""
    return build(scenario(load, ON_FLASH | (values or {}), **volume))


def scenario(load: dict[str, Any], values: dict[str, Any], **volume: Any) -> Scenario:
    data = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [
            {
                "drive": MODEL,
                "state": "filled",
                "set": {"flash.read_spread": "0 %"} | values,
                **volume,
            }
        ],
        "load": [{"name": "load"} | ONE | load],
    }
    return from_data(data)


def area(times: float) -> dict[str, Any]:
    """The first bytes of the drive: so many times what its memory covers."""
    return {"area": {"size": f"{int(times * COVERED)} B"}}


def time_of(made: BuiltSystem, ios: int) -> float:
    """Seconds that so many I/Os take."""
    begin(made)
    reset(made.system)
    before = made.system.now
    made.system.run(t.NEVER, ios)
    return (made.system.now - before) / 1e9


def worn_in(made: BuiltSystem, ios: int) -> None:
    """Let as many writes complete until all pages in memory have changed, and as many after."""
    begin(made)
    made.system.run(t.NEVER, ios)
    reset(made.system)
    made.system.run(t.NEVER, 2 * ios)


def fetched(made: BuiltSystem) -> int:
    return int(made.system.since("maps", 0, "fetched"))


def test_a_load_that_memory_covers_reads_as_fast_as_with_all_of_the_map_in_memory():
    on_flash = built_system(area(1))
    in_memory = built_system(area(1), {"mapping.kept_in": "memory"})
    assert time_of(on_flash, 200) == time_of(in_memory, 200)
    assert fetched(on_flash) == 0


@compiled_only
@pytest.mark.parametrize("times", [2, 4])
def test_a_read_whose_page_is_not_in_memory_takes_one_sense_and_transfer_more(times):
    ios = 4000
    on_flash = built_system(area(times))
    more = time_of(on_flash, ios) - time_of(
        built_system(area(times), {"mapping.kept_in": "memory"}), ios
    )
    assert fetched(on_flash) / ios == pytest.approx(1 - 1 / times, abs=0.03)
    assert more / fetched(on_flash) == pytest.approx(READ, rel=0.02)


@compiled_only
@pytest.mark.parametrize("look_ups", [1, 2])
def test_many_reads_share_the_look_ups_that_firmware_has_at_a_time(look_ups):
    made = built_system(area(8) | {"outstanding": 64}, {"mapping.look_ups": look_ups})
    taken = time_of(made, 4000)
    assert fetched(made) * READ / look_ups == pytest.approx(taken, rel=0.05)


@compiled_only
@pytest.mark.parametrize("changes", [1, 2])
def test_writes_beyond_memory_come_as_fast_as_pages_are_read_and_programmed(changes):
    made = built_system(area(8) | {"read": "0 %", "outstanding": 64}, {"mapping.changes": changes})
    begin(made)
    made.system.run(t.NEVER, 8000)  # until the buffer is full, and all pages in memory have changed
    reset(made.system)
    before = made.system.now
    made.system.run(t.NEVER, 12000)
    taken = (made.system.now - before) / 1e9
    unit = CARD.integer("flash.planes") * CARD.integer("flash.page")
    program = CARD.number("flash.program_time")
    program += unit * CARD.number("flash.channel_write_time_per_byte")
    left = made.system.since("maps", 0, "left")
    work = fetched(made) * READ + left * MAP_PAGE / unit * program
    assert work / changes == pytest.approx(taken, rel=0.1)


@compiled_only
def test_a_stream_reads_each_page_of_the_map_once():
    stream = {"random": "0 %", "size": "128 KiB", "outstanding": 4}
    made = built_system(area(4) | stream)
    ios = 3 * OF_A_PAGE // (128 * 1024)  # from the start of the area on
    time_of(made, ios)
    assert fetched(made) <= 4


def test_reads_of_a_new_drive_look_nothing_up():
    made = built_system(area(4), state="fresh")
    time_of(made, 100)
    assert fetched(made) == 0


def test_only_what_holds_data_has_pages_of_the_map_on_flash():
    made = built_system(area(1), filled="25 %")
    pages = made.system.world.map_pages
    rows = int(made.system.world.maps[0]["pages"])
    assert pages[:rows].sum() == -(-rows // 4)
    assert pages[0] == 1
    assert pages[rows - 1] == 0


@compiled_only
def test_each_random_write_beyond_memory_reads_a_page_and_programs_one():
    times, ios = 4, 4000
    made = built_system(area(times) | {"read": "0 %"})
    worn_in(made, ios)
    missing = 1 - 1 / times
    assert fetched(made) / ios == pytest.approx(missing, abs=0.05)
    assert made.system.since("maps", 0, "left") / ios == pytest.approx(missing, abs=0.05)


@compiled_only
def test_pages_of_the_map_are_part_of_write_amplification():
    on_flash = built_system(area(4) | {"read": "0 %"})
    in_memory = built_system(area(4) | {"read": "0 %"}, {"mapping.kept_in": "memory"})
    found = []
    for made in (on_flash, in_memory):
        worn_in(made, 3000)
        found.append(wear.use_of(made.system, 0).write_amplification)
    assert found[0] - found[1] == pytest.approx(3 / 4, abs=0.05)


@compiled_only
def test_reads_do_not_wait_for_the_pages_that_writes_need():
    mixed = {"read": "50 %", "outstanding": 32}
    made = built_system(area(8) | mixed, {"buffer.size": "16 MiB"})
    taken = time_of(made, 3000)
    backlog = int(made.system.world.stations[made.system.world.maps[0]["changes"]]["waiting"])
    reads = 1500 * 7 / 8 * READ  # of the one look-up
    assert reads < taken
    assert backlog > 100  # what writes need waits, and no read waits for it
    assert taken < 1.4 * reads


@compiled_only
def test_the_write_buffer_bounds_the_pages_that_are_asked_for():
    made = built_system(area(8) | {"read": "0 %", "outstanding": 64}, {"buffer.size": "1 MiB"})
    begin(made)
    world = made.system.world
    least = 0
    for _ in range(200):
        made.system.run(t.NEVER, int(world.state[0]["completed"]) + 20)
        world = made.system.world
        waiting = int(world.stations[world.maps[0]["changes"]]["waiting"])
        least = max(least, waiting)
        assert waiting * MAP_PAGE <= 2**20 + 64 * 4096
    assert least > 16


def test_littles_law_holds_of_look_ups_and_changes_over_a_power_cut():
    made = built_system(area(8) | {"read": "50 %", "outstanding": 16})
    begin(made)
    made.system.run(t.NEVER, 200)
    both = [int(made.system.world.maps[0][name]) for name in ("look_ups", "changes")]
    assert made.system.world.stations["busy"][both].tolist() == [1, 1]
    power.cut(made.system, ())
    rows = made.system.world.stations[both]
    assert rows["queue_area"].tolist() == rows["waited"].tolist()
    assert rows["busy_area"].tolist() == rows["served"].tolist()


def test_a_power_cut_empties_memory_and_forgets_no_page():
    made = built_system(area(4) | {"read": "50 %", "outstanding": 8})
    time_of(made, 100)
    world = made.system.world
    known = world.map_pages.copy()
    power.cut(made.system, ())
    assert (made.system.rows("map_slots")["page"] == t.NONE).all()
    assert np.array_equal(made.system.world.map_pages, known)
    assert made.system.world.stations[world.maps[0]["changes"]]["waiting"] == 0


def test_pages_in_memory_are_no_more_than_find_room_and_each_is_in_its_set():
    made = built_system(area(3))
    rows = made.system.rows("map_slots")
    held = rows["page"][rows["page"] != t.NONE]
    sets = int(made.system.world.maps[0]["sets"])
    assert len(rows) == PAGES
    assert len(held) == PAGES
    assert len(set(held.tolist())) == PAGES
    assert (held % sets == np.flatnonzero(rows["page"] != t.NONE) // WAYS).all()


@compiled_only
def test_what_folds_change_of_the_map_leaves_the_write_buffer_again():
    small = {
        "flash.channels": 2,
        "flash.dies_per_channel": 2,
        "buffer.size": "512 KiB",
        "slc.size": "6 MiB",
        "slc.dynamic_size": "0 B",
        "mapping.unit": "512 B",
        "mapping.memory": "32 KiB",
        "slc.idle_after": "1 ms",
    }
    load = {"read": "0 %", "outstanding": 8, "limit": {"ios": 3000}, "area": {"size": "40 GB"}}
    made = built_system(load, small, drive="samsung-970-evo-plus-500gb")
    begin(made)
    made.system.run(t.NEVER)
    drive, table = made.system.world.ssds[0], made.system.world.maps[0]
    assert made.system.world.streams[0]["completed"] == 3000
    assert table["left"] > 1000
    assert table["gathered"] < drive["page"] * drive["planes"]
    gathered = int(drive["gathered"]) + int(drive["gathered_moved"]) + int(table["gathered"])
    assert drive["buffered"] == gathered


@pytest.mark.parametrize("filled", ["20 %", "100 %"])
def test_what_loads_have_written_for_long_is_on_the_map_wherever_it_is(filled):
    far = {"area": {"offset": "500 GB", "size": "100 GB"}, "read": "50 %"}
    made = built_system(far, state="steady", filled=filled)
    rows = made.system.rows("map_slots")
    pages = made.system.rows("map_pages")
    begin = 500 * 10**9 // OF_A_PAGE
    assert pages[begin : begin + 10].all()
    assert (rows["changed"] == 1).all()


def test_pages_that_are_only_read_are_not_changed_when_the_run_begins():
    made = built_system(area(1), state="steady")
    assert (made.system.rows("map_slots")["changed"] == 0).all()


def test_memory_holds_no_more_pages_than_the_map_has():
    made = built_system(area(1), {"mapping.memory": "16 GiB"})
    pages = int(made.system.world.maps[0]["pages"])
    assert pages <= len(made.system.rows("map_slots")) < pages + WAYS


def test_an_explained_read_waits_for_its_page_and_a_write_does_not():
    one = scenario(area(1), ON_FLASH)
    for op, background in (("read", False), ("write", True)):
        steps = explain(one, op, "64 GiB", "4 KiB").steps
        found = [step for step in steps if "map" in step.name and "updates" not in step.name]
        assert [step.background for step in found] == [background, background]


@compiled_only
@pytest.mark.parametrize("outstanding", [1, 32])
def test_the_times_at_all_stations_are_the_latency_of_reads_of_one_page(outstanding):
    one = scenario(area(4) | {"outstanding": outstanding}, ON_FLASH)
    (point,) = run(one).points
    total = sum(stage.waiting + stage.served for stage in point.stages.values())
    assert total == pytest.approx(point.latency_ms["read"].mean, rel=0.02)


def test_an_explained_destage_looks_up_behind_the_answer():
    data = {
        "host": {"model": "fujitsu-rx300-s4"},
        "controller": [{"model": "lsi-megaraid-1078-512"}],
        "volume": [
            {"level": "raid5", "drives": 4, "strip": "64 KiB", "write": "back",
             "drive": "crucial-bx500-2tb", "state": "filled"}
        ],
        "load": [{"name": "load"} | ONE],
    }  # fmt: skip
    steps = explain(from_data(data), "write", "1 GiB", "4 KiB").steps
    (found,) = [step for step in steps if step.name == "dies read the map"]
    assert found.background
    assert found.times == 4  # of two strips that are read, and of two that are written


def test_check_says_how_much_of_a_load_the_map_in_memory_covers():
    def of(load: dict[str, Any], **volume: Any) -> list[str]:
        one = scenario(load, ON_FLASH, **volume)
        return [finding.what for finding in findings(one) if "no DRAM" in finding.what]

    (found,) = of(area(4))
    assert "75 % of random I/Os" in found
    assert of(area(1)) == []
    assert of(area(4), state="fresh") == []


def test_check_counts_no_more_than_what_holds_data_for_reads():
    little = COVERED / CARD.integer("capacity.user") / 2
    one = scenario({}, ON_FLASH, filled=f"{100 * little:.6f} %")
    assert not [finding for finding in findings(one) if "no DRAM" in finding.what]


@pytest.mark.parametrize("missing", ["mapping.memory", "mapping.look_ups", "mapping.changes"])
def test_a_map_on_flash_needs_memory_look_ups_and_changes(missing):
    values = {key: value for key, value in ON_FLASH.items() if key != missing}
    with pytest.raises(InputError, match=missing):
        build(scenario({}, {"mapping.kept_in": "flash", **values}))
