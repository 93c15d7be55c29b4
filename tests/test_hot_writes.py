"""Write amplification of a drive to which most writes go in one place: what is steady, and when.

The reference is a map of its own, written here: greedy collection, one open block for what hosts
write and one for what moves. It is written for long enough that cold data has been collected too.
"""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from numba import njit

from raidsim.running import run
from raidsim.scenario import from_data

SPARE = 0.45
CARD = "micron-5100-max-960gb"
"""Its spare area is 45 % of what users have; nothing but its flash matters here."""

PAGES = 256
BLOCKS = 371


@njit(cache=False)
def reference(hot: int, share: float, writes: int, rng: np.random.Generator) -> float:
    """Write amplification over the last quarter of so many random writes of a full drive."""
    units = int(BLOCKS * PAGES / (1 + SPARE))
    where = np.full(units, -1)
    held = np.full(BLOCKS * PAGES, -1)
    valid = np.zeros(BLOCKS, np.int64)
    closed = np.zeros(BLOCKS, np.bool_)
    free = list(range(2, BLOCKS))
    block = np.array([0, 1])  # those that are open: of hosts, and of what moves
    used = np.zeros(2, np.int64)
    moved = 0
    for n in range(units + writes):
        if n < units:
            unit = n
        elif rng.random() < share:
            unit = rng.integers(0, hot)
        else:
            unit = rng.integers(hot, units)
        while len(free) < 3:
            victim, fewest = -1, PAGES + 1
            for one in range(BLOCKS):
                if closed[one] and valid[one] < fewest:
                    victim, fewest = one, valid[one]
            closed[victim] = False
            for page in range(victim * PAGES, victim * PAGES + PAGES):
                if held[page] >= 0:
                    if used[1] == PAGES:
                        closed[block[1]] = True
                        block[1], used[1] = free.pop(), 0
                    other = held[page]
                    held[page] = -1
                    where[other] = block[1] * PAGES + used[1]
                    held[where[other]] = other
                    valid[block[1]] += 1
                    used[1] += 1
                    if n >= units + writes * 3 // 4:
                        moved += 1
            valid[victim] = 0
            free.append(victim)
        if where[unit] >= 0:
            valid[where[unit] // PAGES] -= 1
            held[where[unit]] = -1
        if used[0] == PAGES:
            closed[block[0]] = True
            block[0], used[0] = free.pop(), 0
        where[unit] = block[0] * PAGES + used[0]
        held[where[unit]] = unit
        valid[block[0]] += 1
        used[0] += 1
    return 1 + moved / (writes // 4)


@compiled_only
@pytest.mark.parametrize(("area", "accesses"), [(5, 90), (5, 95), (10, 99)])
def test_a_steady_drive_has_collected_its_cold_data_too(area: int, accesses: int) -> None:
    units = int(BLOCKS * PAGES / (1 + SPARE))
    # The spare area is full of dead cold data after spare / (share of cold writes) drive writes.
    drives = 4 * max(SPARE / (1 - accesses / 100), 4)
    rng = np.random.default_rng(1)
    expected = reference(units * area // 100, accesses / 100, int(drives * units), rng)
    hot = {"area": f"{area} %", "accesses": f"{accesses} %"}
    load = {"read": "0 %", "size": "4 KiB", "align": "4 KiB", "outstanding": 32, "hot": hot}
    for seed in (1, 2):
        scenario = {
            "seed": seed,
            "host": {"model": "amd-epyc-9654-pair"},
            "volume": [{"drive": CARD}],
            "load": [load],
            "measure": {"min_ios": 200_000, "max_ios": 200_000},
        }
        (drive,) = run(from_data(scenario)).points[0].drives
        assert drive.write_amplification == pytest.approx(expected, rel=0.06), seed
