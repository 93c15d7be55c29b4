"""The page map, whatever is written and trimmed: nothing is lost, nothing is there twice."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from ftl_books import check
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from raidsim.assembly import ftl
from raidsim.kernel import ftl as kernel
from raidsim.kernel import tables as t
from raidsim.kernel.ftl_tables import FTLS
from raidsim.scenario import Requests
from raidsim.system.system import System


def new(units: int, spare: float = 0.25, **words: int) -> tuple[System, int]:
    system = System()
    ftl.add(system, ftl.shape(40, 0.5))  # a neighbour in the same tables
    return system, ftl.add(system, ftl.shape(units, spare, **words))


def neighbour(system: System) -> bytes:
    lists = [ftl.list_of(system, 0, name) for name in ftl.LISTS]
    parts = [*lists, *ftl.tables_of(system, 0).values()]
    return b"".join(part.tobytes() for part in parts)


class Writing(RuleBasedStateMachine):
    """Writes, rewrites and TRIM in any order, on small drives with little spare area."""

    @initialize(
        units=st.integers(1, 200),
        spare=st.sampled_from([0.01, 0.1, 0.5, 1.0]),
        block_units=st.sampled_from([1, 2, 8, 16]),
    )
    def make(self, units: int, spare: float, block_units: int) -> None:
        self.system, self.which = new(units, spare, block_units=block_units)
        self.units = units
        self.there: set[int] = set()
        self.beside = neighbour(self.system)

    @rule(first=st.floats(0, 1), share=st.floats(0, 1))
    def write(self, first: float, share: float) -> None:
        start = int(first * (self.units - 1))
        end = start + max(int(share * (self.units - start)), 1)
        ftl.fill(self.system, self.which, start, end)
        self.there |= set(range(start, end))

    @rule(seed=st.integers(0, 2**32))
    def write_here_and_there(self, seed: int) -> None:
        for unit in np.random.default_rng(seed).integers(0, self.units, 50).tolist():
            ftl.fill(self.system, self.which, unit, unit + 1)
            self.there.add(unit)

    @rule(first=st.floats(0, 1), share=st.floats(0, 1))
    def trim(self, first: float, share: float) -> None:
        start = int(first * self.units)
        end = start + int(share * (self.units - start))
        ftl.trim(self.system, self.which, start, end)
        self.there -= set(range(start, end))

    @invariant()
    def what_was_written_is_there(self) -> None:
        if hasattr(self, "system"):
            check(self.system, self.which)
            maps = ftl.list_of(self.system, self.which, "map")
            assert set(np.flatnonzero(maps != t.NONE).tolist()) == self.there
            assert neighbour(self.system) == self.beside


Writing.TestCase.settings = settings(max_examples=30, stateful_step_count=15, deadline=None)
TestWriting = Writing.TestCase


def test_a_drive_written_in_sequence_over_and_over_moves_nothing():
    system, which = new(1024, block_units=16)
    for _ in range(5):
        ftl.fill(system, which, 0, 1024)
    row = system.world.ftls[which]
    assert row["moved"] == 0
    assert row["written"] == 5 * 1024
    check(system, which)


def test_a_trimmed_drive_takes_a_whole_fill_without_moving_anything():
    system, which = new(1024, spare=0.1, block_units=16)
    for unit in np.random.default_rng(1).integers(0, 1024, 2000).tolist():
        ftl.fill(system, which, unit, unit + 1)
    row = system.world.ftls[which]
    moved = int(row["moved"])
    assert moved > 0
    ftl.trim(system, which, 0, 1024)
    assert not ftl.tables_of(system, which)["blocks"]["valid"].any()
    ftl.fill(system, which, 0, 1024)
    assert row["moved"] == moved
    check(system, which)


def test_the_block_with_the_least_valid_data_is_collected():
    system, which = new(64, spare=0.5, block_units=8)  # 12 blocks
    ftl.fill(system, which, 0, 64)  # blocks 0 to 7
    ftl.trim(system, which, 16, 23)  # of block 2 one unit is left
    ftl.fill(system, which, 0, 8)  # block 0 holds nothing
    ftl.fill(system, which, 24, 41)  # blocks 9 and 10, and the last free one is opened
    row = system.world.ftls[which]
    erases = ftl.tables_of(system, which)["blocks"]["erases"]
    assert row["erased"] == 2 == erases[[0, 3, 4]].sum()
    assert row["moved"] == 0
    check(system, which)


@compiled_only
@pytest.mark.parametrize("spare", [0.07, 0.28])
def test_collection_keeps_pace_with_the_host_and_never_catches_up_in_a_burst(spare):
    """Each write pays its own share: v / (n - v) units are moved for it, and hardly ever more."""
    system, which = new(15_000, spare, block_units=128)
    row = system.world.ftls[which]
    ftl.fill(system, which, 0, 15_000)
    moves = []
    for unit in np.random.default_rng(7).integers(0, 15_000, 60_000).tolist():
        before = int(row["moved"])
        ftl.fill(system, which, unit, unit + 1)
        moves.append(int(row["moved"]) - before)
    steady = np.array(moves[40_000:])
    assert steady.max() <= 2 * steady.mean() + 2
    blocks = steady[: len(steady) // 128 * 128].reshape(-1, 128).mean(axis=1)
    assert blocks.min() > 0.7 * blocks.mean()


@given(st.integers(1, 2**40), st.integers(0, 2**40))
@settings(max_examples=200, deadline=None)
def test_neighbouring_units_stay_distinct_and_a_share_of_the_drive_stays_that_share(units, unit):
    made = ftl.shape(units, 0.1)
    row = np.zeros(1, FTLS.type)[0]
    row["scale"], row["group"] = made.scale, ftl.GROUP
    unit %= units
    near = [int(kernel.logical(row, u)) for u in range(unit, min(unit + ftl.GROUP, units))]
    assert len(set(near)) == len(near)
    assert 0 <= min(near) <= max(near) < made.units
    assert near[0] / made.units == pytest.approx(unit / units, abs=2 * ftl.GROUP / made.units)
    if units <= ftl.TARGET_UNITS:
        assert (made.scale, made.units, near[0]) == (1, units, unit)


def test_earlier_writes_leave_the_same_drive_in_one_stretch_and_one_by_one():
    """The place of the next write is drawn before this one: it must not depend on it."""
    left = []
    for stretches in ([(0, 1500)], [(first, 1) for first in range(1500)]):
        system, which = new(1024, spare=0.1, block_units=16)
        ftl.fill(system, which, 0, 1024)
        kinds = [
            Requests(4096, share=0.6, random=0.5),
            Requests(16384, share=0.4, read=0.0, trim=0.2, random=0.5),
        ]
        stream = system.add_stream("writes", kinds, area_size=1024 * 4096, align=4096)
        for first, count in stretches:
            ftl.overwrite(system, which, 4096, stream, first, count)
        check(system, which)
        row = system.world.ftls[which]
        assert row["moved"] > 0
        assert (ftl.list_of(system, which, "map") == t.NONE).any()
        left.append((ftl.list_of(system, which, "map").tolist(), int(row["moved"])))
    assert left[0] == left[1]


@compiled_only
def test_a_large_drive_that_is_written_in_sequence_moves_next_to_nothing():
    # Nothing at all would be right. On a scaled map each group of units is written many times in
    # a row, and what is valid of it at last lies in a block full of garbage.
    system = System()
    which = ftl.add(system, ftl.shape(200 * 2**20, 0.09))  # 800 GB
    row = system.world.ftls[which]
    ftl.fill(system, which, 0, int(row["units"]))
    stream = system.add_stream(
        "writes", [Requests(2**20, random=0.0)], area_size=800 * 10**9, align=2**20
    )
    ftl.overwrite(system, which, 4096, stream, 0, 20_000)  # 20 GiB
    assert row["moved"] < 0.05 * (int(row["written"]) - int(row["units"]))
    check(system, which)
