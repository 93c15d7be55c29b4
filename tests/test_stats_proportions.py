"""Intervals of probabilities: counted and weighted."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from raidsim.stats.proportions import counted, weighted


@pytest.mark.parametrize(("found", "trials"), [(1, 10), (5, 10), (37, 1000), (10, 10)])
def test_at_its_limits_what_was_found_is_as_unlikely_as_it_may_be(found: int, trials: int) -> None:
    estimate = counted(found, trials)
    assert estimate.mean == found / trials
    assert binom.sf(found - 1, trials, estimate.low) == pytest.approx(0.025)
    if found < trials:
        assert binom.cdf(found, trials, estimate.high) == pytest.approx(0.025)
    else:
        assert estimate.high == 1


def test_of_none_in_n_trials_three_over_n_is_left() -> None:
    """(1 - 3/n)^n is about 5 %."""
    estimate = counted(0, 1000)
    assert (estimate.mean, estimate.low) == (0, 0)
    assert estimate.high == pytest.approx(3 / 1000, rel=0.002)
    assert str(estimate) == "0 of 1,000: below 0.003"


def test_counted_intervals_cover_at_least_as_often_as_they_say() -> None:
    random = np.random.default_rng(9)
    for chance in (0.002, 0.05, 0.4):
        found = random.binomial(500, chance, 2000)
        intervals = [counted(int(number), 500) for number in found]
        covered = np.mean([each.low <= chance <= each.high for each in intervals])
        assert covered > 0.94


def test_weights_give_the_mean_and_a_narrower_interval_with_more_of_them() -> None:
    random = np.random.default_rng(9)
    weights = np.where(random.random(40_000) < 0.5, 2e-9 * random.random(40_000), 0.0)
    few, many = weighted(weights[:400]), weighted(weights)
    assert many.low < 0.5e-9 < many.high
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(10, rel=0.1)
    assert many.found == np.count_nonzero(weights)


def test_without_any_loss_weights_leave_the_rule_of_three() -> None:
    assert weighted(np.zeros(300)).high == pytest.approx(0.01, rel=0.01)


@pytest.mark.parametrize(("found", "trials"), [(-1, 10), (11, 10), (0, 0)])
def test_what_is_no_proportion_is_refused(found: int, trials: int) -> None:
    with pytest.raises(ValueError, match="not a proportion"):
        counted(found, trials)
