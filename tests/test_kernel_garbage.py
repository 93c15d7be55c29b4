"""Garbage collection in time: what it costs, what it waits for, and that no byte is lost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from ftl_books import check
from watching import begin
from write_amplification import greedy

from raidsim.assembly import ftl
from raidsim.control.model import BuiltSystem, build
from raidsim.intervene.window import reset
from raidsim.kernel import tables as t
from raidsim.observe import wear
from raidsim.result import DriveUse
from raidsim.scenario import from_data

UNIT = 64 * 1024  # program unit of the P3700: 4 planes of 16 KiB
FEW_DIES = {"flash.channels": 4, "flash.dies_per_channel": 2}
SPARE = {"flash.spare": "25 %"}


@pytest.fixture(autouse=True)
def _small_map(monkeypatch: pytest.MonkeyPatch) -> None:
    """A map that is soon written over and over, interpreted as well."""
    monkeypatch.setattr(ftl, "TARGET_UNITS", 4096)


def built_system(
    load: dict[str, Any], drive: dict[str, Any] | None = None, **volume: Any
) -> BuiltSystem:
    """A P3700 with little in its map, and one load."""
    data = {
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [{"drive": "intel-p3700-800gb", "set": SPARE | (drive or {}), **volume}],
        "load": [{"name": "load", "align": "4 KiB", "outstanding": 8} | load],
    }
    return build(from_data(data))


def after(made: BuiltSystem, ios: int) -> DriveUse:
    """Let so many I/Os complete; the use of the drive meanwhile."""
    begin(made)
    reset(made.system)
    made.system.run(t.NEVER, ios)
    return wear.use_of(made.system, 0)


WRITES = {"read": "0 %", "size": "4 KiB"}


@compiled_only
def test_in_time_a_worn_in_drive_amplifies_writes_as_the_closed_form_says():
    made = built_system(WRITES)
    row = made.system.world.ftls[0]
    n = int(row["block_units"])
    use = after(made, 3_000)
    # What is open and what is free is no spare area for data: two blocks of so few.
    alpha = (int(row["blocks"]) - 1.5) * n / int(row["units"])
    assert use.write_amplification == pytest.approx(greedy(alpha, n), rel=0.05)


@compiled_only
def test_a_fresh_drive_moves_nothing_until_all_of_it_is_written():
    assert after(built_system(WRITES, state="fresh"), 2_000).write_amplification == 1.0


def test_writing_in_sequence_moves_nothing_however_often():
    writes = {"read": "0 %", "random": "0 %", "size": "64 KiB"}
    scale = int(built_system(writes).system.world.ftls[0]["scale"])
    area = {"offset": f"{scale // 2} MiB", "size": "1 MiB"}  # a group of units of the map
    made = built_system(writes | {"area": area})
    assert after(made, 300).write_amplification == 1.0
    assert made.system.world.ftls[0]["erased"] > 0


@compiled_only
def test_what_holds_no_data_is_spare_area():
    half = {"area": {"size": "400 GB"}}
    full = after(built_system(WRITES | half), 1_500)
    trimmed = after(built_system(WRITES | half, filled="55 %"), 1_500)
    assert 1.0 <= trimmed.write_amplification < full.write_amplification


def test_overwriting_a_small_file_is_steady_once_as_many_blocks_die_as_are_opened():
    file = {"area": {"size": "16 GB"}}  # 2 % of the drive, and 4 % of its spare area
    row = built_system(WRITES | file, {"flash.spare": "50 %"}).system.world.ftls[0]
    spare = int(row["blocks"]) * int(row["block_units"]) - int(row["units"])
    assert row["moved"] == 0
    assert spare < row["written"] - row["units"] < 8 * spare


@compiled_only
def test_a_worn_in_drive_writes_slower_than_a_fresh_one():
    times = []
    for state in ("fresh", "steady"):
        drive = FEW_DIES | {"flash.spare": "10 %", "buffer.size": "256 KiB"}
        made = built_system(WRITES, drive, state=state)
        after(made, 1_500)
        times.append(made.system.now)
    assert times[1] > 1.2 * times[0]


def flushing(made: BuiltSystem, *, host: bool) -> int:
    """Bytes on their way from the buffer to flash, of the host or of garbage collection."""
    jobs = made.system.world.jobs
    units = jobs[jobs["stage"] == t.STAGE_PROGRAMMED]
    return UNIT * int(((units["length"] > 0) == host).sum())


COMING = (t.STAGE_LINK_WRITE, t.STAGE_PATH_WRITE, t.STAGE_MOVE_SENSED, t.STAGE_MOVE_CHANNEL)
"""Stages of what has its room in the buffer already."""


@compiled_only
@pytest.mark.parametrize(("size", "ios"), [("512 B", 600), ("4 KiB", 400), ("64 KiB", 100)])
def test_every_byte_is_reserved_gathered_in_flush_or_on_flash_and_the_map_stays_whole(size, ios):
    made = built_system(
        {"read": "20 %", "size": size, "align": "512 B", "limit": {"ios": ios}},
        {"flash.spare": "10 %", "buffer.size": "192 KiB"},
    )
    begin(made)
    system = made.system
    drive, row = system.world.ssds[0], system.world.ftls[0]
    steps = 0
    while system.state["events"] > 0:
        system.run(horizon=system.next_time)
        drive = system.world.ssds[0]
        jobs = system.world.jobs
        coming = jobs[np.isin(jobs["stage"], COMING)]
        host, moved = flushing(made, host=True), flushing(made, host=False)
        assert 0 <= drive["gathered"] < UNIT
        assert 0 <= drive["gathered_moved"] < UNIT
        assert drive["buffered"] == (
            coming["length"].sum() + drive["gathered"] + drive["gathered_moved"] + host + moved
        )
        assert drive["programmed"] == (
            drive["stored"] + drive["moved"] + drive["filled"]
            - drive["gathered"] - drive["gathered_moved"] - host - moved
        )  # fmt: skip
        assert row["free"] >= 0
        steps += 1
        if steps % 500 == 0:
            check(system, 0)
    check(system, 0)
    # Nothing is left on its way: what the map has moved since the run began has arrived.
    assert drive["moved"] > 0
    assert (system.world.jobs["stage"] == t.STAGE_FREE).all()


@compiled_only
def test_collection_lets_hosts_wait_a_little_at_a_time(monkeypatch):
    """What is moved is read behind programs, so it comes late.

    If it took room in the buffer only then, hosts would fill the buffer meanwhile, as fast as the
    front end goes, and stand still until all that was moved is programmed, in turns of 0.1 s.
    """
    monkeypatch.setattr(ftl, "TARGET_UNITS", 2**19)
    load = {"name": "load", "read": "0 %", "size": "4 KiB", "workers": 4, "outstanding": 64}
    data = {"host": {"model": "fujitsu-rx2540-m1"}, "load": [load]}
    made = build(from_data(data | {"volume": [{"drive": "intel-p4510-4tb"}]}))
    begin(made)
    system = made.system
    system.run(10**8)
    done = []
    for _ in range(25):
        before = int(system.state["completed"])
        system.run(system.now + 2 * 10**7)
        done.append(int(system.state["completed"]) - before)
        drive = system.world.ssds[0]
        assert drive["buffered"] <= 1.2 * drive["buffer"]
    assert min(done) > 0.7 * np.mean(done)


@compiled_only
def test_what_the_map_moves_is_sensed_crosses_its_channel_and_is_programmed():
    made = built_system({"read": "0 %", "size": "64 KiB", "limit": {"ios": 300}})
    system = made.system
    row = system.world.ftls[0]
    moved = int(row["moved"])
    begin(made)
    system.run()
    drive = system.world.ssds[0]
    gathered = int(drive["moving_units"])  # not sensed yet: more of their program unit may come
    assert drive["moved"] == (int(row["moved"]) - moved - gathered) * drive["unit"] > 0
    dies = slice(int(drive["first_die"]), int(drive["first_die"]) + 16 * 8)
    programs = (int(drive["stored"]) + int(drive["moved"])) // UNIT
    senses = int(system.world.stations["finishes"][dies].sum()) - int(drive["erased"]) - programs
    fewest = math.ceil(drive["moved"] / UNIT)
    assert fewest <= senses + 1 <= 1 + int(drive["moved"]) // drive["unit"]


@compiled_only
def test_a_die_erases_a_block_for_each_that_it_has_programmed():
    made = built_system(
        {"read": "0 %", "size": "64 KiB", "limit": {"ios": 600}},
        FEW_DIES | {"flash.pages_per_block": 16, "flash.erase_time": "1 ms"},
        state="fresh",
    )
    begin(made)
    made.system.run()
    drive = made.system.world.ssds[0]
    programs = int(drive["programmed"]) // UNIT
    assert drive["erased"] == pytest.approx(programs / 16, abs=8)


def longest(made: BuiltSystem) -> int:
    """Longest read of 800 I/Os: the last bin of the histogram that is not empty."""
    begin(made)
    made.system.run(t.NEVER, 800)
    return int(made.system.world.latencies[0, t.READ].nonzero()[0].max())


@compiled_only
def test_reads_wait_behind_programs_and_erases():
    def tail(read: str, **drive: Any) -> int:
        load = {"read": read, "size": "64 KiB", "outstanding": 4}
        return longest(built_system(load, FEW_DIES | drive, state="filled"))

    alone = tail("100 %")
    programs = tail("70 %")
    erases = tail("70 %", **{"flash.erase_time": "40 ms", "flash.pages_per_block": 16})
    assert alone < programs < erases


@compiled_only
def test_a_power_cut_would_cost_no_more_than_the_buffer_holds():
    use = after(built_system(WRITES | {"outstanding": 64}, {"buffer.size": "256 KiB"}), 2_000)
    assert 0 < use.unsafe_mean <= use.unsafe_peak <= 256 * 1024


# -- parts of mapping units --------------------------------------------------------------


def filled(made: BuiltSystem, ios: int) -> tuple[float, float]:
    """After so many writes: what completes units, and what is read for it, per byte of the host."""
    begin(made)
    made.system.run(t.NEVER, ios)
    ssd = made.system.world.ssds[0]
    stored, read = int(ssd["stored"]), int(ssd["flash_read"]) - int(ssd["moved"])
    return int(ssd["filled"]) / stored, read / stored


@compiled_only
def test_a_write_of_parts_of_units_reads_and_programs_what_they_lack():
    # 4 KiB from amid a unit of 4 KiB on: parts of two, and as much to be read as was written.
    amid = {"align": "4 KiB", "area": {"offset": "2 KiB", "size": "100 GB"}}
    little = {"buffer.size": "512 KiB"}  # soon full: the flash sets the pace
    made = built_system(WRITES | amid, little, state="steady")
    rest, read = filled(made, 2_000)
    assert 0.85 < rest <= 1.0  # some is still on its way
    assert read == pytest.approx(rest, abs=0.1)
    aligned = {"align": "4 KiB", "area": {"offset": "0 B", "size": "100 GB"}}
    whole = built_system(WRITES | aligned, little, state="steady")
    assert filled(whole, 2_000) == (0.0, pytest.approx(0.0, abs=0.1))
    times = [one.system.now for one in (made, whole)]
    assert times[0] > 1.5 * times[1]


def test_parts_that_go_on_where_the_last_write_ended_cost_nothing():
    in_turn = {"random": "0 %", "align": "512 B", "area": {"offset": "512 B", "size": "100 GB"}}
    made = built_system(WRITES | in_turn | {"outstanding": 1})
    filled(made, 500)
    assert made.system.world.ssds[0]["filled"] == 512  # before the first of them


def test_of_a_unit_that_was_never_written_nothing_is_read():
    amid = {"align": "4 KiB", "area": {"offset": "2 KiB", "size": "790 GB"}}
    made = built_system(WRITES | amid, state="fresh")
    rest, read = filled(made, 200)
    assert 0.9 < rest <= 1.0  # filled up
    assert read < 0.1  # of those that were written a moment ago
