"""Variants go to workers and come back in order, with the problems of all of them."""

from __future__ import annotations

import signal

import pytest

import raidsim
from raidsim import InputError
from raidsim.workers import engine
from raidsim.workers.engine import execute


def test_rows_come_in_the_order_of_their_variants_whoever_ends_first() -> None:
    told = []
    rows = execute(
        [3, 1, 2],
        lambda n: 10 * n,
        workers=2,
        on_progress=lambda at: told.append((at.done, at.total)),
        first=lambda n: n,
    )
    assert rows == [30, 10, 20]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_problems_of_all_variants_are_reported_at_once_each_once() -> None:
    def refuse(number: int) -> int:
        raise InputError([raidsim.errors.Problem(None, None, f"key {number % 2}", "is wrong")])

    with pytest.raises(InputError) as refused:
        execute([1, 2, 3, 4], refuse, workers=2)
    assert sorted(problem.key for problem in refused.value.problems) == ["key 0", "key 1"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_work_is_handed_over(number):
    came = []
    before = signal.signal(number, lambda *_: came.append(number))
    try:
        with engine._undisturbed():
            signal.raise_signal(number)
            assert came == []
        assert came == [number]
    finally:
        signal.signal(number, before)
