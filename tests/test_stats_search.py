"""The search for the highest value that holds: its border, and how many trials it takes."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from raidsim.stats.search import GUIDED, highest

DOUBLINGS = [2**n for n in range(10)]


class Below:
    """Holds up to a limit, and notes each value that is tried and what is announced."""

    def __init__(self, limit):
        self.limit = limit
        self.tried = []
        self.left = []

    def __call__(self, value, left):
        self.tried.append(value)
        self.left.append(left)
        return value <= self.limit


@given(st.integers(1, 511))
def test_the_border_between_whole_numbers_is_found_exactly_if_asked(limit):
    border = highest(DOUBLINGS, Below(limit), whole=True, resolution=0.001)
    assert (border.holds, border.exceeded) == (limit, limit + 1)


@given(st.floats(1, 511), st.sampled_from([0.1, 0.01, 0.001]))
def test_the_ends_are_as_near_as_the_resolution(limit, resolution):
    border = highest(DOUBLINGS, Below(limit), whole=False, resolution=resolution)
    assert border.holds <= limit < border.exceeded <= border.holds * (1 + resolution) * (1 + 1e-12)


@given(st.integers(1, 511), st.booleans())
def test_one_percent_from_doublings_takes_seven_trials_after_the_ladder(limit, whole):
    trial = Below(limit)
    highest(DOUBLINGS, trial, whole=whole, resolution=0.01)
    climbed = math.floor(math.log2(limit)) + 2
    assert climbed <= len(trial.tried) <= climbed + 7
    assert len(set(trial.tried)) == len(trial.tried)


@given(st.integers(1, 511), st.booleans())
def test_what_is_announced_to_follow_is_never_exceeded(limit, whole):
    trial = Below(limit)
    highest(DOUBLINGS, trial, whole=whole, resolution=0.01)
    in_search = trial.left[trial.tried.index(next(v for v in DOUBLINGS if v > limit)) + 1 :]
    followed = range(len(in_search) - 1, -1, -1)
    assert all(left >= real for left, real in zip(in_search, followed, strict=True))


def test_nothing_is_tried_beyond_the_first_that_does_not_hold():
    trial = Below(20)
    highest(DOUBLINGS, trial, whole=True, resolution=0.01)
    assert max(trial.tried) == 32


def test_a_ladder_that_begins_too_high_has_no_lower_end():
    trial = Below(0)
    border = highest([4, 8], trial, whole=True, resolution=0.01)
    assert (border.holds, border.exceeded) == (None, 4)
    assert trial.tried == [4]


def test_a_ladder_that_ends_too_low_has_no_upper_end():
    border = highest([4, 8], Below(99), whole=True, resolution=0.01)
    assert (border.holds, border.exceeded) == (8, None)


@given(st.integers(1, 511), st.floats(0.2, 3))
def test_a_guess_changes_how_many_trials_it_takes_and_not_the_border(limit, exponent):
    """The excess over the limit grows as a power of the value: straight only with exponent 1."""

    def guess(low, high):
        ends = [value**exponent - (limit + 0.5) ** exponent for value in (low, high)]
        return low - (high - low) * ends[0] / (ends[1] - ends[0])

    trial = Below(limit)
    border = highest(DOUBLINGS, trial, whole=True, resolution=0.001, guess=guess)
    assert (border.holds, border.exceeded) == (limit, limit + 1)
    assert len(set(trial.tried)) == len(trial.tried)
    climbed = math.floor(math.log2(limit)) + 2
    assert len(trial.tried) <= climbed + GUIDED + 8


def test_where_what_is_measured_runs_straight_three_trials_follow_the_ladder():
    trial = Below(300)
    highest(DOUBLINGS, trial, whole=True, resolution=0.001, guess=lambda *_: 300.5)
    assert trial.tried[-2:] == [300, 301]
    assert len(trial.tried) == len([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]) + 2
