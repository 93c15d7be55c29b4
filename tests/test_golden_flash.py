"""Write amplification of the page map, against the closed forms of Desnoyers.

P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012: uniform random
writes, alpha = physical over logical capacity, n pages a block.
"""

from __future__ import annotations

import pytest
from write_amplification import greedy, very_large_blocks

from raidsim.assembly import ftl
from raidsim.scenario import Requests
from raidsim.system.system import System

ALPHAS = (1.07, 1.15, 1.28, 1.30, 1.50, 2.00)
PRINTED = {
    64: (7.001, 3.799, 2.402, 2.293, 1.681, 1.239),
    256: (7.596, 3.959, 2.461, 2.346, 1.707, 1.251),
}
VERY_LARGE = (7.817, 4.016, 2.481, 2.364, 1.716, 1.255)
UNIT = 4096


def simulated(alpha: float, n: int, units: int, once: int = 0) -> float:
    """Write amplification of uniform random writes over a full drive, once it is steady."""
    system = System(seed=1)
    made = ftl.shape(units, alpha - 1, block_units=n, target=units)
    assert made.scale == 1
    which = ftl.add(system, made)
    area = {"area_size": units * UNIT, "align": UNIT}
    stream = system.add_stream("writes", [Requests(UNIT)], once=once, **area)
    ftl.fill(system, which, 0, units)
    ftl.overwrite(system, which, UNIT, stream, 0, 4 * units)
    row = system.world.ftls[which]
    written, moved = int(row["written"]), int(row["moved"])
    ftl.overwrite(system, which, UNIT, stream, 4 * units, 4 * units)
    return 1 + (int(row["moved"]) - moved) / (int(row["written"]) - written)


def tolerance(alpha: float) -> float:
    return 0.02 if alpha <= 1.07 else 0.01


@pytest.mark.parametrize("n", PRINTED)
@pytest.mark.parametrize("place", range(len(ALPHAS)), ids=map(str, ALPHAS))
def test_greedy_collection_amplifies_writes_as_the_closed_form_says(n: int, place: int) -> None:
    alpha = ALPHAS[place]
    # With little spare area the last blocks, which are open, count: it takes a larger drive.
    found = simulated(alpha, n, units=2**19 if alpha < 1.2 else 2**18)
    assert greedy(alpha, n) == pytest.approx(PRINTED[n][place], abs=1.5e-3)
    assert found == pytest.approx(greedy(alpha, n), rel=tolerance(alpha))
    assert found == pytest.approx(PRINTED[n][place], rel=tolerance(alpha))


@pytest.mark.parametrize("place", range(1, len(ALPHAS)), ids=map(str, ALPHAS[1:]))
def test_large_blocks_come_near_the_limit_of_very_large_ones(place: int) -> None:
    alpha = ALPHAS[place]
    assert very_large_blocks(alpha) == pytest.approx(VERY_LARGE[place], abs=6e-4)
    found = simulated(alpha, n=512, units=2**19)
    assert found == pytest.approx(very_large_blocks(alpha), rel=0.01)


def test_writes_that_come_to_each_place_once_leave_more_garbage_in_each_block() -> None:
    # What is oldest is overwritten next: blocks empty themselves before they are collected. With
    # 15 % of spare area uniform writes amplify nearly four times.
    uniform, once = (simulated(1.15, 64, units=2**17, once=o) for o in (0, 1))
    assert uniform == pytest.approx(greedy(1.15, 64), rel=0.02)
    assert 1 < once < 0.8 * uniform
