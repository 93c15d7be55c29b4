"""A table that is full ends the run, and the error names it: nothing is written elsewhere.

Tables that grow have room before each event. Here the kernel is told that there always is.
"""

from __future__ import annotations

import numpy as np
import pytest
import small_array
from conftest import compiled_only
from watching import build, scenario

from raidsim import cli
from raidsim.control.model import BuiltSystem
from raidsim.errors import TableOverflowError
from raidsim.kernel import defects, engine, entries
from raidsim.kernel import tables as t
from raidsim.kernel.ftl import LEAF_BITS

NEVER_SHORT = -(2**30)
TICKS = np.zeros(1, np.int64)


def cut_short(built: BuiltSystem, table: str, rows: int) -> BuiltSystem:
    """The system with only the first rows of a table."""
    built.system._replace(table, rows, rows)
    return built


def many_events() -> BuiltSystem:
    return build(scenario({"outstanding": 2000}))


def many_jobs() -> BuiltSystem:
    return build(scenario({"outstanding": 300}))


def somebody_waits_for_the_end() -> BuiltSystem:
    built = build(scenario({"limit": {"ios": 20}}))
    built.system.world.streams[0]["ticket"] = 1
    return cut_short(built, "completions", 0)


def a_disk_that_sorts_two() -> BuiltSystem:
    built = build(scenario({"outstanding": 8}, model="seagate-st373455ss"))
    built.system.world.disks[0]["tasks"] = 2
    return built


def a_degraded_stripe() -> BuiltSystem:
    array = small_array.SmallArray("raid5", 5, {"outstanding": 4, "size": "64 KiB"})
    array.good[0] = 0
    return cut_short(array.built, "accesses", 2)


def a_map_without_leaves_of_its_own() -> BuiltSystem:
    built = build(scenario({"read": "0 %", "outstanding": 8}))
    used = int(built.system.state["leaves"])
    return cut_short(built, "leaves", used << LEAF_BITS)


FULL = {
    "heap": many_events,
    "jobs": many_jobs,
    "completions": somebody_waits_for_the_end,
    "tasks": a_disk_that_sorts_two,
    "accesses": a_degraded_stripe,
    "leaves": a_map_without_leaves_of_its_own,
}


def start_and_run(world, loads):
    """Enter the kernel past all that makes room."""
    for streams in loads:
        for stream in streams:
            entries.begin(world, stream)
    engine.run(world, 10**9, t.NEVER, TICKS)


@pytest.mark.parametrize(
    "table",
    [pytest.param(one, marks=compiled_only) if one == "leaves" else one for one in FULL],
)
def test_a_full_table_ends_the_run_with_its_name(table):
    built = FULL[table]()
    for margin in ("margin", "leaf_margin"):
        built.system.state[margin] = NEVER_SHORT
    world = built.system.world
    before = {name: len(rows) for name, rows in world._asdict().items()}
    with pytest.raises(TableOverflowError) as caught:
        start_and_run(world, built.streams.values())
    assert caught.value.table == table
    assert f'"{table}"' in str(caught.value)
    assert before == {name: len(rows) for name, rows in world._asdict().items()}


@pytest.mark.parametrize("table", ["heap", "jobs", "completions", "leaves"])
def test_the_same_run_has_room_where_tables_may_grow(table):
    built = FULL[table]()
    for streams in built.streams.values():
        for stream in streams:
            built.system.begin(stream)
    while (why := built.system.run(horizon=2_000_000)) == t.RETURN_AWAITED:
        assert [ticket for ticket, *_ in built.system.awaited()] == [1]
    assert why in {t.RETURN_HORIZON, t.RETURN_IDLE}


def test_bad_sectors_that_find_no_room_are_not_forgotten():
    world = build(scenario({})).system.world
    for sector in range(len(world.defects)):
        defects.mark(world, 0, 512 * sector, 512)
    with pytest.raises(TableOverflowError, match='"defects"'):
        defects.mark(world, 0, 2**30, 512)


def test_the_command_line_says_in_one_line_that_it_is_a_fault_of_its_own(capsys, monkeypatch):
    def overflows(*_, **__):
        raise TableOverflowError("tasks")

    monkeypatch.setattr("raidsim.cards.catalogue", overflows)
    with pytest.raises(SystemExit) as end:
        cli.main(["models"])
    assert end.value.code == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith('internal error: the kernel\'s table "tasks" is full')
    assert "bug in raidsim" in line
