"""TRIM of an array: whole strips, whole stripes where there is parity, and nothing else."""

from __future__ import annotations

import random
import tracemalloc

import numpy as np
import pytest
from layouts import STRIP, every_array
from simpy_models import KIB, SERVER

from raidsim.assembly import ftl
from raidsim.control import Environment, Host, Volume
from raidsim.intervene.trim import rows_within
from raidsim.kernel import tables as t
from raidsim.layout.address import held
from raidsim.layout.tables import PARITY, UNUSED

UNIT = 4 * KIB
STRIPE = 3 * 64 * KIB


def within_by_looking(layout, drive, begin, end):
    """Rows of a drive whose strips, or stripes, lie in a range: each is looked at."""
    found = []
    width = STRIP * (int(layout["data"]) if layout["family"] == PARITY else 1)
    for row in range(int(layout["rows"])):
        role, _, address = held(layout, drive, row)
        first = address // width * width
        if role != UNUSED and begin <= first and first + width <= end:
            found.append(row)
    return found


def test_a_drive_is_told_of_the_rows_that_hold_nothing_else():
    chance = random.Random(1)
    told = 0
    for layout in every_array():
        if layout["unit"] % (layout["data"] * layout["strip"]):
            continue  # stripes that are not together in the volume: no scenario has them
        size = int(layout["size"])
        first, last = sorted(chance.choices(range(size + 1), k=2))
        for begin, end in (first, last), (0, last), (first, size):
            drive = chance.randrange(int(layout["drives"]))
            rows = [row for span in rows_within(layout, drive, begin, end) for row in range(*span)]
            assert rows == within_by_looking(layout, drive, begin, end)
            told += bool(rows)
    assert told > 200


def small_array():
    """A RAID 5 of four drives of 1 GB, all written."""
    env = Environment()
    return Volume(
        env,
        "intel-p3700-800gb",
        Host(env, SERVER),
        level="raid5",
        drives=4,
        changes={"capacity.user": "1 GB"},
    )


def mapped(volume):
    """Mapping units with data on each drive."""
    world = volume.system.world
    found = []
    for drive in world.drives[: volume.spec.drives]:
        units = ftl.list_of(volume.system, int(world.ssds[drive["row"]]["ftl"]), "map")
        found.append(int(np.count_nonzero(units != t.NONE)))
    return found


def test_a_trim_looks_at_what_is_trimmed_and_not_at_the_whole_array():
    data = Volume(
        env := Environment(),
        "seagate-st373455ss",
        Host(env, SERVER),
        level="raid0",
        drives=2,
        strip="512 B",
    )
    tracemalloc.start()
    data.trim(0, 4 * KIB)
    data.trim(data.capacity - 4 * KIB, 4 * KIB)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


def test_half_of_an_array_trimmed_is_half_of_each_drive():
    data = small_array()
    before = mapped(data)
    rows = data.capacity // STRIPE
    data.trim(0, rows // 2 * STRIPE)
    gone = rows // 2 * 64 * KIB // UNIT
    assert mapped(data) == [units - gone for units in before]
    assert gone == pytest.approx(before[0] / 2, rel=1e-3)
    data.trim(0, data.capacity)
    assert mapped(data) == 4 * [0]


def test_less_than_a_stripe_of_parity_stays():
    data = small_array()
    before = mapped(data)
    data.trim(512, 2 * STRIPE - 1024)
    assert mapped(data) == before
    data.trim(512, 2 * STRIPE)
    assert [now - then for now, then in zip(before, mapped(data), strict=True)] == 4 * [
        64 * KIB // UNIT
    ]


def test_a_failed_drive_is_not_told():
    data = small_array()
    before = mapped(data)
    data.fail(1)
    data.trim(0, data.capacity)
    assert mapped(data) == [0, before[1], 0, 0]
