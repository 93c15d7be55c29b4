"""Small arrays against plain ones in SimPy: every request is over at the same nanosecond.

Requests come at random times, and each drive has a service time of its own, so that nothing but
the array decides in which order things happen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.array import Costs, OracleArray
from small_array import KIB, MS, STRIP, US, SmallArray, takes

from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED

COUNT = 30 if INTERPRETED else 400
SECTOR = 512
SERVICES = [MS + 1_009 * n * n for n in range(6)]
CPU = Costs(submit=3 * US, task=5 * US, device_io=2 * US, parity=1)
ON_HOST = {
    "submit.io_time": "3 us",
    "raid.io_time": "5 us",
    "raid.device_io_time": "2 us",
    "raid.parity_time_per_byte": "1.024 us/KiB",
}


def requests(
    seed: int, *, reads: float, most: int, gap: int = 2 * MS, stripes: int = 40, count: int = COUNT
) -> list[tuple[int, int, int, int]]:
    """Random (time, op, offset, length) in few stripes, up to ``most`` bytes long: Poisson."""
    rng = np.random.default_rng(seed)
    times = np.cumsum(1 + rng.exponential(gap, count)).astype(int)
    lengths = rng.integers(1, most // SECTOR + 1, count) * SECTOR
    offsets = rng.integers(0, stripes * STRIP // SECTOR, count) * SECTOR
    ops = np.where(rng.random(count) < reads, t.READ, t.WRITE)
    return [tuple(map(int, row)) for row in zip(times, ops, offsets, lengths, strict=True)]


def compare(
    level: int,
    drives: int,
    asked: list[tuple[int, int, int, int]],
    failed: int | None = None,
    costs: Costs | None = None,
    **words: Any,
) -> OracleArray:
    """Serve the same requests in both; the plain array afterwards."""
    array = SmallArray(
        f"raid{level}",
        drives,
        host=ON_HOST if costs else None,
        failed=[] if failed is None else [failed],
        **words,
    )
    array.serve_in(*SERVICES)
    plain = OracleArray(
        level,
        drives,
        STRIP,
        lambda drive, length: takes(length, SERVICES[drive]),
        costs or Costs(),
        failed,
    )
    expected = plain.run(asked)
    found = [done.completed for done in array.replay(asked)]
    assert found == expected
    assert array.array["commands"] == len(plain.commands)
    counts = [sum(drive == d for drive, *_ in plain.commands) for d in range(drives)]
    assert array.device_ios() == counts
    array.assert_at_rest()
    return plain


@pytest.mark.parametrize("costs", [None, CPU], ids=["free", "with CPU time"])
@pytest.mark.parametrize(("level", "drives"), [(0, 3), (1, 2), (1, 3), (5, 3), (5, 4), (5, 6)])
def test_small_and_long_requests(level: int, drives: int, costs: Costs | None) -> None:
    compare(level, drives, requests(1, reads=0.5, most=12 * KIB), costs=costs)
    asked = requests(2, reads=0.5, most=10 * STRIP, gap=6 * MS, count=COUNT // 2)
    compare(level, drives, asked, costs=costs)


@pytest.mark.parametrize(("level", "drives"), [(0, 3), (1, 3), (5, 4)])
def test_more_requests_than_the_cpu_submits(level: int, drives: int) -> None:
    asked = requests(6, reads=1, most=12 * KIB, gap=5 * US)
    compare(level, drives, asked, costs=CPU)


@pytest.mark.parametrize("drives", [3, 4, 6])
@pytest.mark.parametrize("most", [12 * KIB, 8 * STRIP])
def test_a_degraded_raid_5(drives: int, most: int) -> None:
    gap = 3 * MS if most < STRIP else 12 * MS
    compare(5, drives, requests(3, reads=0.5, most=most, gap=gap), failed=1, costs=CPU)


def test_a_mirror_with_a_failed_drive() -> None:
    compare(1, 2, requests(4, reads=0.5, most=64 * KIB), failed=0, costs=CPU)


def test_writes_that_fight_for_few_stripes_go_one_after_the_other() -> None:
    asked = requests(5, reads=0.2, most=40 * KIB, gap=2 * MS, stripes=6)
    plain = compare(5, 4, asked, costs=CPU)
    assert len(plain.locks) <= 4
