"""A map that is kept on flash: what look-ups and changes cost, and what is in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from watching import begin

from raidsim import cards
from raidsim.assembly import ftl
from raidsim.assembly.drives import kind_of
from raidsim.assembly.drives.kind import Flow
from raidsim.control.model import BuiltSystem, build
from raidsim.errors import InputError
from raidsim.intervene import power
from raidsim.intervene.window import reset
from raidsim.kernel import tables as t
from raidsim.kernel.map_tables import MAP_PAGE, WAYS
from raidsim.observe import wear
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
    load: dict[str, Any], drive: dict[str, Any] | None = None, **volume: Any
) -> BuiltSystem:
    """A drive with little memory for its map, and one load."""
    return build(scenario(load, ON_FLASH | (drive or {}), **volume))


def scenario(load: dict[str, Any], drive: dict[str, Any], **volume: Any) -> Scenario:
    data = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [
            {
                "drive": MODEL,
                "state": "filled",
                "set": {"flash.read_spread": "0 %"} | drive,
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


@pytest.mark.parametrize(("times", "missing"), [(0.5, 0.0), (4, 0.75)])
def test_the_bound_of_a_load_counts_the_look_ups_that_it_needs_at_least(times, missing):
    card = scenario(area(1), ON_FLASH).volumes[0].card
    share = times * COVERED / card.integer("capacity.user")
    flow = Flow(1000.0, 0.0, 1000 * 4096.0, 0.0, 1.0, span=share)
    busy = kind_of(card).demands(card, [flow])["look-ups in the map"]
    assert busy == pytest.approx(1000 * missing * CARD.number("flash.read_time"))


@pytest.mark.parametrize("missing", ["mapping.memory", "mapping.look_ups", "mapping.changes"])
def test_a_map_on_flash_needs_memory_look_ups_and_changes(missing):
    values = {key: value for key, value in ON_FLASH.items() if key != missing}
    with pytest.raises(InputError, match=missing):
        build(scenario({}, {"mapping.kept_in": "flash", **values}))
