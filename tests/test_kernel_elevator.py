"""In which order a host sends what waits for the slots of a drive: Linux' mq-deadline."""

from __future__ import annotations

import random

import pytest
from conftest import compiled_only
from oracle import elevator
from small_array import KIB, MS, TOY, SmallArray

import raidsim
from raidsim.kernel import tables as t

BLOCK = 4 * KIB
MQ = {"disks.elevator": "mq-deadline"}
SEED = 67


def sent(requests, *, interface="sas", time_ms=1, host=MQ):
    """Numbers of requests in the order in which a drive of one slot is done with them."""
    drive = TOY | {"link.interface": interface}
    array = SmallArray("jbod", 1, host=host, drive=drive)
    array.serve_in(time_ms * MS)
    ops = {"r": t.READ, "w": t.WRITE}
    tickets = [array.start(ops[way], offset, length) for way, offset, length in requests]
    array.rest()
    array.assert_at_rest()
    return sorted(range(len(requests)), key=lambda i: array.back[tickets[i]].completed)


def blocks(way, *numbers):
    return [(way, number * BLOCK, BLOCK) for number in numbers]


FIRST = blocks("r", 0)


def test_a_batch_goes_up_and_begins_anew_at_the_oldest():
    """Reads of blocks 50 and on; then the oldest of what lies behind, and up again from there."""
    assert sent(FIRST + blocks("r", 50, 70, 60)) == [0, 1, 3, 2]
    numbers = [90, 80, 70]
    assert sent(FIRST + blocks("r", *numbers)) == [0, 3, 2, 1]


def test_without_an_elevator_who_comes_first_is_served_first():
    assert sent(FIRST + blocks("r", 50, 70, 60), host={}) == [0, 1, 2, 3]


def test_reads_go_first_and_writes_let_two_batches_pass():
    """Sixteen reads, sixteen reads, then sixteen writes, though the writes came first."""
    writes, reads = blocks("w", *range(100, 120)), blocks("r", *range(200, 240))
    found = sent(FIRST + writes + reads)[1:]
    ways = ["w" if number <= len(writes) else "r" for number in found]
    assert ways == ["r"] * 32 + ["w"] * 16 + ["r"] * 8 + ["w"] * 4


def test_what_is_overdue_begins_the_next_batch():
    """Reads of 20 ms: block 149 came first; after the second batch, at 660 ms, it is overdue."""
    requests = FIRST + blocks("r", 149, *range(100, 140))
    found = sent(requests, time_ms=20)
    sorted_ones = list(range(2, 34))  # blocks 100 to 131
    assert found == [0, *sorted_ones, 1, *range(34, 42)]
    assert found == elevator.order(requests, 20)
    assert sent(requests, time_ms=1) == [0, *range(2, 42), 1]


@pytest.mark.parametrize(("interface", "known"), [("sata", 63), ("sas", 255)])
def test_the_elevator_knows_twice_as_many_as_the_adapter_has_tags(interface, known):
    """300 reads from the top down, one slot: the lowest is sent first of those that are known."""
    requests = FIRST + blocks("r", *range(300, 0, -1))
    found = sent(requests, interface=interface)
    assert found[1] == known
    assert found == elevator.order(requests, 1, known)


def test_after_a_flush_it_chooses_from_all_that_it_knows():
    """No request is in a slot of a SATA drive then: the lowest of 64 is sent first."""
    drive = TOY | {"link.interface": "sata", "command.queue_depth": 32}
    array = SmallArray("jbod", 1, host=MQ, drive=drive)
    array.start(t.FLUSH, 0, 0)
    tickets = [array.start(t.READ, number * BLOCK, BLOCK) for number in range(300, 0, -1)]
    array.rest()
    assert min(tickets, key=lambda ticket: array.back[ticket].completed) == tickets[63]


@pytest.mark.parametrize("case", range(8))
def test_any_requests_go_in_the_order_of_the_plain_model(case):
    print("seed", SEED, case)
    numbers = random.Random(SEED * 100 + case)
    time_ms = numbers.choice([1, 5, 30])
    share = numbers.choice([0.2, 0.5, 0.9])
    requests = [
        (
            "r" if numbers.random() < share else "w",
            numbers.randrange(0, 2000) * 512,
            numbers.choice([512, 4096]),
        )
        for _ in range(120)
    ]
    requests[0] = ("r", 0, 512)
    assert sent(requests, time_ms=time_ms) == elevator.order(requests, time_ms)


def test_a_host_that_sorts_moves_the_arm_less():
    """A disk of 7,200 rpm, one slot, 64 reads over all of it: a fifth less time."""

    def takes(host):
        numbers = random.Random(SEED)
        array = SmallArray(
            "jbod", 1, host=host, model="wd-wd1600aajs", drive={"command.queue_depth": 1}
        )
        places = [numbers.randrange(0, array.size // BLOCK) * BLOCK for _ in range(64)]
        for place in places:
            array.start(t.READ, place, BLOCK)
        array.rest()
        return array.system.now

    assert takes(MQ | {"disks.elevator": "none"}) > 1.2 * takes(MQ)


TAKES_MORE_THAN_IT_SORTS = """
schema = 1
title = "a firmware that sorts six of 64 commands"
[host]
model = "linux-xeon-e5-pair"
[host.set]
"disks.elevator" = "{elevator}"
[[volume]]
drive = "seagate-st373455ss"
[[load]]
read = "100 %"
size = "8 KiB"
outstanding = 32
[measure]
min_ios = 2000
max_ios = 2000
"""


@compiled_only
def test_what_a_drive_has_taken_is_not_sorted_by_the_host():
    """The firmware has the others in hand all the same, and takes them as they came."""
    rates = {
        raidsim.run(raidsim.Scenario.from_text(TAKES_MORE_THAN_IT_SORTS.format(elevator=one)))
        .points[0]
        .iops.mean
        for one in ("none", "mq-deadline")
    }
    assert len(rates) == 1
