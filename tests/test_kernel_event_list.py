"""The event list gives out events by time, then priority, then order of scheduling.

Against Python's own heap, over lists that grow and shrink through all sizes: a few events, the
whole sorted array, and hundreds behind it; with many events of the same instant.
"""

from __future__ import annotations

import heapq
from itertools import count

import numpy as np
import pytest
from watching import build, scenario

from raidsim.control.clock import END
from raidsim.kernel import event_list
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED, by_reference, entry

SIZES = (1, 2, 7, 8, 9, 15, 16, 17, 39, 40, 41, 63, 64, 65, 300)
EVENTS = 400 if INTERPRETED else 20_000
ENOUGH = 1024  # rows of the heap


def play(w, delays, priorities, new, seen):
    """Handle one event after the other, each of which schedules ``new`` of its own number.

    ``seen`` gets time, kind, subject and mark of each: of the n-th that was scheduled the subject
    is n, the kind n modulo 4, and the mark -n.
    """
    w = by_reference(w)
    made = 0
    for handled in range(len(seen)):
        now = np.int64(0)
        if handled > 0:
            now = event_list.next_time(w)
            seen[handled, 0] = now
            seen[handled, 1] = event_list.next_kind(w)
            seen[handled, 2] = event_list.next_subject(w)
            seen[handled, 3] = event_list.next_mark(w)
            event_list.vacate_first(w)
        for _ in range(new[handled]):
            time = now + delays[made]
            event_list.schedule(w, time, priorities[made], made % 4, made, -made)
            made += 1
        if handled > 0:
            event_list.fill_vacancy(w)
    return made


def all_in_order(delays, priorities, new):
    """The same by Python's heap; and how long the list was each time."""
    heap, seen, lengths, made = [], [], [], count()
    for handled, more in enumerate(new):
        now = 0
        if handled:
            now, _, n = heapq.heappop(heap)
            seen.append((now, n % 4, n, -n))
        for _ in range(more):
            n = next(made)
            heapq.heappush(heap, (now + int(delays[n]), min(int(priorities[n]), 3), n))
        lengths.append(len(heap))
    return seen, lengths


def events_of_one_size(size, draw):
    """How many new events each one schedules: first ``size``, then about one for each."""
    new, there = [size], size
    for _ in range(EVENTS):
        many = int(draw.integers(0, 3)) if there < size else int(draw.integers(0, 2))
        many = many if there > 1 else 1
        new.append(many)
        there += many - 1
    return np.array(new)


@pytest.mark.parametrize(
    ("way", "size"),
    [("compiled", size) for size in SIZES] + [("step by step", size) for size in (9, 65)],
)
def test_events_come_in_the_order_of_time_priority_and_scheduling(way, size):
    draw = np.random.default_rng(size)
    new = events_of_one_size(size, draw)[: None if way == "compiled" else 2_000]
    total = int(new.sum())
    # Half of the delays are few different ones, so that instants are shared.
    delays = np.where(
        draw.random(total) < 0.5, draw.integers(0, 20, total), draw.integers(0, 100_000, total)
    )
    priorities = draw.choice([0, 0, 0, 1, 2, 3, 127], total)
    expected, lengths = all_in_order(delays, priorities, new)
    system = build(scenario({})).system
    system._replace("heap", ENOUGH, 0)
    seen = np.zeros((len(new), 4), np.int64)
    run = entry(play) if way == "compiled" else play
    assert run(system.world, delays, priorities, new, seen) == total
    assert list(map(tuple, seen[1:].tolist())) == expected
    assert int(system.state["events"]) == lengths[-1]
    assert max(lengths) >= size
    assert len(set(seen[1:, 0].tolist())) < len(expected), "some instants are shared"
    behind = system.world.soon_keys[int(system.state["soon"]) :]
    assert (behind == t.NO_EVENT).all()


def test_the_list_goes_on_to_the_end_of_the_clock_and_holds_what_comes_later():
    system = build(scenario({})).system
    last = int(END * 1e9) - 2
    for n, time in enumerate((t.NEVER, last, 2**63 - 1, last - 1, 0)):
        event_list.schedule(system.world, time, 3, t.EVENT_ISSUE, n, 0)
    came = []
    while system.state["events"]:
        came.append((system.next_time, int(event_list.next_subject(system.world))))
        event_list.vacate_first(system.world)
        event_list.fill_vacancy(system.world)
    assert came == [(0, 4), (last - 1, 3), (last, 0), (last, 1), (last, 2)]
