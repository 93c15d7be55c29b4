"""From draws to an interval: its ends, what models leave out, and how a figure moves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from raidsim.studies import point_figures
from raidsim.unknowns import spread


def test_the_interval_of_a_normal_figure_holds_its_middle_nine_tenths() -> None:
    figures = 100 + 10 * norm.ppf((np.arange(64) + 0.5) / 64)
    assert spread.ends(figures) == pytest.approx((100 - 16.45, 100 + 16.45), abs=0.4)
    assert spread.ends(figures[:9]) is None


def test_what_models_leave_out_adds_up_with_the_draws_by_squares() -> None:
    """Seven percent of standard deviation: nine in ten lie within 1.645 times that."""
    by = 1.645 * 0.07
    assert spread.widened(100.0, (100.0, 100.0)) == pytest.approx(
        (100 * math.exp(-by), 100 * math.exp(by))
    )
    low, high = spread.widened(100.0, (100 * math.exp(-0.04), 100 * math.exp(0.03)), 0.04 / 1.645)
    assert -math.log(low / 100) == pytest.approx(math.hypot(0.04, 0.04))
    assert math.log(high / 100) == pytest.approx(math.hypot(0.03, 0.04))


def test_what_models_leave_out_makes_rates_lower_and_times_longer_more_often() -> None:
    """Each side has its own deviation: a slow system has a low rate and a long latency."""
    left_out = spread.LeftOut(slower=0.4, faster=0.2)
    for is_rate in (True, False):
        low, high = spread.widened(1.0, (1.0, 1.0), *left_out.sides(grows=is_rate))
        slow, fast = (1 / low, high) if is_rate else (high, 1 / low)
        assert math.log(slow) == pytest.approx(1.645 * 0.4)
        assert math.log(fast) == pytest.approx(1.645 * 0.2)
    assert point_figures.sides(left_out, "read latency p99") == (0.2, spread.TAIL)
    assert point_figures.sides(left_out, "read latency p50") == (0.2, 0.4)
    assert all(
        point_figures.grows(name)
        for name in ("iops", "mbps", "iops from 10 s", "outstanding", "mttdl")
    )
    assert not any(
        map(
            point_figures.grows,
            ("read latency", "write latency p99", "ready, last", "loss of data"),
        )
    )


def test_a_figure_moves_as_the_short_runs_do() -> None:
    moved = spread.around(200.0, 50.0, [25.0, None, 100.0])
    assert moved is not None
    assert moved[[0, 2]].tolist() == [100.0, 400.0]
    assert math.isnan(moved[1])
    assert spread.around(200.0, None, [1.0]) is None


def test_a_percentile_that_jumps_between_hits_and_misses_keeps_to_the_times_of_the_draws() -> None:
    """With 1 % of misses the 99th percentile is that of a hit in one run, of a miss in another."""
    hit, miss = 0.065, 0.94
    moved = spread.around(hit, miss, [hit, miss] * 8, as_drawn=True)
    assert moved is not None
    ends = spread.ends(moved)
    assert ends == pytest.approx((hit, miss))
    assert spread.holding(0.05, ends) == pytest.approx((0.05, miss))
    assert spread.holding(1.0, ends) == pytest.approx((hit, 1.0))
