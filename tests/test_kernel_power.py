"""A power cut leaves the kernel's tables as they are in a system that was just switched on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cached_array import DISK, KIB, MIB
from conftest import compiled_only
from every_part import begin, everything
from power_bytes import Bytes, check
from small_array import TOY, SmallArray

from raidsim.assembly import intent
from raidsim.control.model import BuiltSystem, build
from raidsim.intervene import power
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED
from raidsim.kernel.world import TABLES
from raidsim.records import Column, Role
from raidsim.scenario import from_data

RESETS = {Role.VOLATILE, Role.CONFIGURATION}
"""Roles of what is as in a system that was just switched on; all else outlasts a power cut."""

OWN_WAY = {"heap", "jobs"}
"""Their free rows keep what was in them."""


def differences(built: BuiltSystem, fresh: BuiltSystem) -> list[str]:
    """Fields that are not as when fresh, though a cut clears them or nothing writes them."""
    found = []
    for table in TABLES.values():
        if table.name in OWN_WAY:
            continue
        before, after = fresh.system.rows(table.name), built.system.rows(table.name)
        assert len(after) == len(before), f"{table.name} has grown"
        if isinstance(table, Column):
            if table.field.role in RESETS and not np.array_equal(after, before):
                found.append(table.name)
            continue
        found += [
            f"{table.name}.{name}"
            for name, field in table.fields.items()
            if field.role in RESETS and not np.array_equal(after[name], before[name])
        ]
    return found


def test_all_that_is_volatile_is_gone_and_nothing_else() -> None:
    """Every field of every table is as in a system just built, or is named as persistent."""
    built = everything()
    begin(built)
    built.system.run(budget=600 if INTERPRETED else 6000)
    assert len(differences(built, everything())) > 40, "the system was busy with everything"
    power.cut(built.system, ())
    assert differences(built, everything()) == []
    jobs, system = built.system.world.jobs, built.system
    owned = {int(row["arm_job"]) for row in system.world.disks[: system.count("disks")]}
    owned |= {int(system.world.caches[0]["flusher"])}
    busy = np.flatnonzero(jobs["stage"] != t.STAGE_FREE)
    assert set(busy.tolist()) == owned
    free, job = 0, int(system.state["free_job"])
    while job != t.NONE:
        free, job = free + 1, int(jobs[job]["next"])
    assert free == system.state["free_jobs"] == len(jobs) - len(owned)


@pytest.mark.parametrize("ios", [100, 450, 600])
def test_littles_law_holds_of_every_station_over_power_cuts(ios: int) -> None:
    """What the cut interrupts waited and was served up to then, at command slots as at dies."""
    built = everything()
    begin(built)
    system = built.system
    for _ in range(2):
        system.run(budget=int(system.state["completed"]) + ios)
        rows = system.world.stations[: system.count("stations")]
        slots = [int(slot) for slot in system.rows("drives")["slots"] if slot != t.NONE]
        assert (rows["busy"][slots] > 0).any()
        outage = power.cut(system, ())
        assert rows["arrivals"].tolist() == rows["starts"].tolist() == rows["finishes"].tolist()
        assert rows["queue_area"].tolist() == rows["waited"].tolist()
        assert rows["busy_area"].tolist() == rows["served"].tolist()
        system.advance_clock(system.now + 10**9)
        power.drives_ready(system)
        power.resume(system, outage)


def test_loads_go_on_as_before_and_every_io_is_accounted_for() -> None:
    built = everything()
    begin(built)
    system = built.system
    streams = system.world.streams[: system.count("streams")]
    for _ in range(3):
        system.run(budget=int(system.state["completed"]) + (100 if INTERPRETED else 1000))
        flying = streams["in_flight"].copy()
        failed = streams["failed"].copy()
        outage = power.cut(system, ())
        assert (streams["failed"] - failed == flying).all()
        assert list(outage.streams.values()) == [4] * len(streams)
        system.advance_clock(system.now + 10**9)
        power.drives_ready(system)
        power.resume(system, outage)
        system.run(budget=int(system.state["completed"]) + 50)
        over = streams["completed"] + streams["failed"] + streams["timed_out"]
        assert (streams["issued"] == over + streams["in_flight"]).all()
        assert (streams["in_flight"] + streams["scheduled"] == 4).all()


def test_a_protected_cache_keeps_its_dirty_lines_and_writes_them() -> None:
    """What it held before the cut is dirty after it, and is destaged when the drives are back."""
    built = everything()
    begin(built)
    system = built.system
    system.run(budget=600 if INTERPRETED else 3000)
    lines = system.world.lines
    held = {
        int(k): int(m)
        for k, m in zip(lines["key"], lines["dirty"] | lines["busy"], strict=True)
        if m
    }
    cache = system.world.caches[0]
    power.cut(system, {0})
    kept = {int(k): int(m) for k, m in zip(lines["key"], lines["dirty"], strict=True) if m}
    assert kept == held
    assert cache["dirty"] == cache["used"] == len(held) * 16 * KIB
    power.drives_ready(system)
    system.run()  # no load goes on
    assert cache["dirty"] == 0
    assert not (lines["dirty"] | lines["busy"]).any()


def busy_hybrid(mode: str) -> BuiltSystem:
    """A hybrid whose small front is full, while blocks are copied between front and back."""
    promote = {"promote": "first"} if mode == "cache" else {"interval": "1 s"}
    built = build(
        from_data(
            {
                "host": {"model": "fujitsu-rx2540-m1"},
                "volume": [
                    {"name": "front", "drive": "intel-p3700-800gb", "state": "fresh"},
                    {"name": "back", "drive": DISK},
                ],
                "hybrid": [{"name": "both", "front": "front", "back": "back", "mode": mode,
                            "front_size": "4 MiB"} | promote],
                "load": [{"volume": "both", "read": "50 %", "size": "8 KiB", "outstanding": 8,
                          "area": {"size": "16 MiB"}}],
            }
        )
    )  # fmt: skip
    begin(built)
    system = built.system
    system.run(budget=300 if INTERPRETED else 2000)
    for _ in range(200):  # a tier moves blocks once a second
        if are_copied(built):
            break
        system.run(budget=int(system.state["completed"]) + 20)
    assert are_copied(built)
    return built


def blocks_of(built: BuiltSystem) -> Any:
    """The blocks of the front."""
    return built.system.world.lines[: built.system.count("lines")]


def are_copied(built: BuiltSystem) -> bool:
    """Return whether blocks are on their way between front and back."""
    blocks = blocks_of(built)
    return bool((blocks["busy"] | blocks["coming"]).any())


def held_blocks(built: BuiltSystem) -> dict[int, Any]:
    """The blocks that the front has data of, by their place in the hybrid."""
    blocks = blocks_of(built)
    return {int(one["strip"]): one.copy() for one in blocks if one["valid"] | one["dirty"]}


@compiled_only
@pytest.mark.parametrize("mode", ["cache", "tier"])
def test_the_front_of_a_hybrid_holds_what_it_held(mode: str) -> None:
    """Flash forgets nothing: blocks stay, and what was on its way to the back is to be copied."""
    built = busy_hybrid(mode)
    before = held_blocks(built)
    assert len(before) > 20
    power.cut(built.system, ())
    after = held_blocks(built)
    assert after.keys() == before.keys()
    for strip, block in before.items():
        assert after[strip]["dirty"] == block["dirty"] | block["busy"]
        assert after[strip]["valid"] == block["valid"]
    assert not are_copied(built)
    cache = built.system.world.caches[0]
    assert cache["dirty"] == (blocks_of(built)["dirty"] != 0).sum() * 64 * KIB
    assert cache["used"] == len(after) * 64 * KIB


@compiled_only
@pytest.mark.parametrize("mode", ["cache", "tier"])
def test_only_what_was_in_flight_at_a_hybrid_fails(mode: str) -> None:
    built = busy_hybrid(mode)
    system = built.system
    (stream,) = built.streams["load"]
    row = system.world.streams[stream]
    flying = int(row["in_flight"])
    outage = power.cut(system, ())
    power.drives_ready(system)
    power.resume(system, outage)
    system.run(budget=int(system.state["completed"]) + 300)
    assert row["failed"] == flying > 0
    assert row["issued"] == row["completed"] + row["failed"] + row["in_flight"]


@pytest.mark.parametrize(("now", "rows"), [(0.0, 1), (4.9, 1), (5.2, 0)])
def test_a_bitmap_knows_the_chunks_written_in_the_last_5_s(now: float, rows: int) -> None:
    array = SmallArray("raid5", 4, intent="bitmap", bitmap_chunk="1 MiB", drive=TOY)
    offset = 37 * 3 * MIB  # in chunk 37 of each drive
    done = array.do(t.WRITE, offset, 4 * KIB)
    array.system.advance_clock(done.completed + round(now * 1e9))
    per_chunk = 64
    expected = [(37 * per_chunk, 38 * per_chunk)][:rows]
    assert intent.marked_rows(array.system, 0) == expected
    assert array.array["marked"] == 1, "data and parity lie in the same chunk: one bit, set once"


def test_reads_and_controllers_leave_no_marks() -> None:
    array = SmallArray("raid5", 4, intent="bitmap", bitmap_chunk="1 MiB")
    array.do(t.READ, 0, 4 * KIB)
    assert intent.marked_rows(array.system, 0) == []
    controlled = SmallArray("raid5", 4, controlled=True)
    controlled.do(t.WRITE, 0, 4 * KIB)
    assert intent.marked_rows(controlled.system, 0) == []
    assert controlled.system.count("marks") == 0


@pytest.mark.parametrize(
    ("level", "drives", "words"),
    [("raid5", 4, {}), ("raid6", 5, {"battery": "good", "write": "back"}), ("raid10", 4, {})],
)
def test_a_cut_costs_what_it_says(level: str, drives: int, words: dict[str, Any]) -> None:
    """The bytes of one cut in each of three arrays; the many are in test_power_bytes."""
    array = Bytes(level, drives, 5, **words)
    array.run(120)
    cut = array.cut()
    check(array, cut)
    assert cut.lost_bytes == 0
    array.power_on()
    array.run(60)
    check(array, array.cut())
