"""The front of a hybrid fails, or its back."""

from __future__ import annotations

import pytest
import simpy
from hybrid_bench import BLOCK, Bench


def test_of_a_failed_front_only_what_was_dirty_is_lost() -> None:
    bench = Bench()
    bench.read(0)
    bench.write(4 * BLOCK)
    bench.front.fail()
    assert bench.read(0).status == "done"
    assert bench.read(4 * BLOCK).status == "failed"
    assert bench.hybrid.health == "failed"
    figures = bench.hybrid.figures
    assert (figures.lost_bytes, figures.lost_reads) == (BLOCK, 1)


def test_what_was_lost_with_the_front_is_there_again_once_it_is_written() -> None:
    bench = Bench()
    bench.write(4 * BLOCK)
    bench.front.fail()
    assert bench.read(4 * BLOCK).status == "failed"
    assert bench.write(4 * BLOCK).status == "done"
    assert bench.read(4 * BLOCK).status == "done"
    assert bench.hybrid.health == "degraded"


@pytest.mark.parametrize("write", ["through", "around"])
def test_a_front_that_holds_nothing_alone_may_fail_at_any_time(write: str) -> None:
    bench = Bench(write=write)
    for block in range(8):
        bench.write(block * BLOCK)
        bench.read(block * BLOCK)
    bench.front.fail()
    assert all(bench.read(block * BLOCK).status == "done" for block in range(8))
    assert all(bench.write(block * BLOCK).status == "done" for block in range(8))
    assert bench.hybrid.figures.lost_bytes == 0
    assert bench.hybrid.health == "degraded"


def test_a_write_under_way_to_a_front_that_fails_goes_to_the_back() -> None:
    bench = Bench()
    bench.front.fail()
    assert bench.write(0).status == "done"
    assert bench.bytes_of(bench.back, "host_written") == BLOCK
    assert bench.read(0).status == "done"


def test_writes_that_wait_for_room_go_on_when_the_front_fails() -> None:
    bench = Bench(front_size="8 KiB", high="100 %")
    events = [bench.hybrid.write(block * BLOCK, BLOCK) for block in range(8)]
    bench.env.run(until=bench.env.now + 1e-4)
    bench.front.fail()
    bench.env.run(until=simpy.AllOf(bench.env, events))
    assert all(event.value.status == "done" for event in events)


def test_a_bad_sector_of_the_front_costs_one_block_only() -> None:
    bench = Bench()
    bench.read(0)
    bench.write(4 * BLOCK)
    bench.write(8 * BLOCK)
    bench.front.add_defects(0, [0, BLOCK])  # where blocks 0 and 4 are
    assert bench.read(0).status == "done"
    assert bench.read(4 * BLOCK).status == "failed"
    assert bench.read(8 * BLOCK).status == "done"
    assert bench.hybrid.figures.lost_bytes == 0
    assert bench.write(4 * BLOCK).status == "done"
    assert bench.read(4 * BLOCK).status == "done"


def test_writes_fail_and_do_not_wait_for_ever_when_the_back_is_lost() -> None:
    bench = Bench(front_size="16 KiB", flush="5 s", low="80 %")
    bench.write(0)
    bench.back.fail()
    bench.env.run(until=bench.env.now + 10)
    assert bench.write(BLOCK).status == "failed"
    assert bench.read(0).status == "done"  # the front has it
