"""Data crosses links one behind the other as it comes: the slowest sets the time, not their sum.

Two drives in RAID 0, each with a link of 1 ns for a byte of its own, behind a link that they share.
"""

from __future__ import annotations

import pytest
from small_array import BYTE, KIB, SmallArray

from raidsim.intervene.operation import add_defects
from raidsim.kernel import tables as t
from raidsim.kernel.streaming import FRAME

LARGE = 1024 * KIB
EACH = LARGE // 2
"""B of a large request that each drive has."""


def behind_a_controller(ns: float, level: str = "raid0", drives: int = 2) -> SmallArray:
    """Drives behind a controller without memory, whose host link takes ``ns`` for a byte."""
    array = SmallArray(level, drives, controlled=True)
    array.system.world.controllers["link_ns"] = ns
    return array


def behind_an_expander(ns: float) -> SmallArray:
    """The same behind an expander, whose link to the controller takes ``ns`` for a byte."""
    array = SmallArray("raid0", 2, controlled=True, linked=True)
    array.system.world.controllers["link_ns"] = 0.0
    array.system.world.hops["ns"] = ns
    return array


def time_of(array: SmallArray, op: int, length: int = LARGE) -> int:
    done = array.do(op, 0, length)
    return done.latency


@pytest.mark.parametrize("ns", [0.25, 0.5, 2.0])
def test_a_large_read_waits_for_what_its_host_link_is_behind_the_drives(ns):
    without = time_of(behind_a_controller(0.0), t.READ)
    array = behind_a_controller(ns)
    # Since its drives began to send: their links, and the way of the completion.
    since = EACH * BYTE + int(array.drives["latency"][0])
    left = max(FRAME * ns, LARGE * ns - since)
    assert time_of(array, t.READ) == pytest.approx(without + left, abs=2)


@pytest.mark.parametrize("ns", [0.25, 0.5, 2.0])
def test_a_large_write_waits_for_what_its_host_link_is_behind_the_drives(ns):
    without = time_of(behind_a_controller(0.0), t.WRITE)
    left = max(FRAME * ns, LARGE * ns - EACH * BYTE)
    assert time_of(behind_a_controller(ns), t.WRITE) == pytest.approx(without + left, abs=2)


@pytest.mark.parametrize("op", [t.READ, t.WRITE])
def test_a_request_of_one_frame_crosses_whole(op):
    without = time_of(behind_a_controller(0.0), op, FRAME)
    assert time_of(behind_a_controller(3.0), op, FRAME) == pytest.approx(without + 3 * FRAME, abs=2)


@pytest.mark.parametrize("op", [t.READ, t.WRITE])
@pytest.mark.parametrize("place", [behind_a_controller, behind_an_expander])
def test_a_link_is_busy_for_all_that_crosses_it(op, place):
    """It passes on what comes early and counts it; many requests end no sooner than their bytes."""
    array = place(2.0)
    began = array.system.now
    tickets = [array.start(op, number * LARGE, LARGE) for number in range(6)]
    array.rest()
    ended = max(array.back[ticket].completed for ticket in tickets)
    assert ended - began > 6 * LARGE * 2.0
    down = op == t.WRITE
    if place is behind_a_controller:
        link = array.system.world.controllers[0]["to_controller" if down else "to_host"]
    else:
        link = array.system.world.hops[0]["down" if down else "up"]
    station = array.system.world.stations[link]
    assert station["busy_area"] == pytest.approx(6 * LARGE * 2.0, rel=1e-6)
    assert station["served"] == station["busy_area"]
    array.assert_at_rest()


@pytest.mark.parametrize(("op", "most"), [(t.READ, 2 * FRAME), (t.WRITE, EACH + FRAME)])
def test_an_expander_adds_what_is_left_of_a_large_request_and_not_all_of_it(op, most):
    """What both drives send at a time crosses it in 0.4 of the time that each of them takes.

    What is sent to both goes one drive after the other, so that the second waits for the first.
    """
    without = time_of(behind_an_expander(0.0), op)
    added = time_of(behind_an_expander(0.2), op) - without
    assert FRAME * 0.2 - 2 <= added <= most * 0.2 + 2


def test_what_is_read_again_comes_only_then():
    """A sector can't be read: its drive tries in vain, and meanwhile nothing crosses the link."""
    array = behind_a_controller(40.0, "raid5", 3)
    array.drives["recovery"] = 100_000_000
    add_defects(array.system, 0, [0], 512)
    again = time_of(array, t.READ)
    assert array.array["repaired"] == 1
    assert again > 100_000_000 + time_of(behind_a_controller(40.0, "raid5", 3), t.READ)
