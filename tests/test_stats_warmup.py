"""MSER-5 cuts what does not belong to the steady state, and refuses a run that has none yet."""

import numpy as np
import pytest
from closed_forms import mser5_cut
from hypothesis import given
from hypothesis import strategies as st

from raidsim.stats.warmup import mser5


@given(st.integers(0, 2**32 - 1), st.integers(50, 300))
def test_the_cut_is_the_one_of_the_definition(seed, length):
    rng = np.random.default_rng(seed)
    series = rng.normal(100.0, 1.0, length) + 30.0 * np.exp(-np.arange(length) / 20.0)
    assert mser5(series).cut == mser5_cut(series.tolist())


def test_a_run_that_starts_full_of_reads_in_cache_is_cut_where_that_ends():
    rng = np.random.default_rng(5)
    series = rng.normal(1000.0, 10.0, 2000)
    series[:300] += 500.0
    found = mser5(series)
    assert found.ok
    assert 300 <= found.cut <= 400


def test_an_exponential_approach_is_cut_after_a_few_time_constants():
    rng = np.random.default_rng(6)
    cuts = []
    for _ in range(50):
        t = np.arange(5000)
        cuts.append(mser5(rng.normal(10.0, 0.5, 5000) - 10.0 * np.exp(-t / 100.0)).cut)
    assert 200 < np.median(cuts) < 800  # 2 to 8 time constants


def test_a_steady_run_loses_little():
    rng = np.random.default_rng(7)
    found = [mser5(rng.normal(1.0, 0.1, 1000)) for _ in range(100)]
    assert np.mean([w.cut for w in found]) < 100
    assert sum(w.ok for w in found) >= 95


def test_a_run_that_still_climbs_is_refused():
    assert not mser5(np.arange(1000.0) ** 2).ok


def test_a_level_reached_after_the_middle_is_refused():
    series = np.concatenate([np.linspace(0, 100, 700), np.full(300, 100.0)])
    found = mser5(series)
    assert found.cut >= 500
    assert not found.ok


@pytest.mark.parametrize("level", [0.0, 0.1, 1e15 / 3])
def test_a_constant_run_has_no_warm_up(level):
    assert mser5(np.full(500, level)) == mser5([level] * 500)
    assert mser5(np.full(500, level)).cut == 0
    assert mser5(np.full(500, level)).ok


def test_a_constant_run_after_a_transient_keeps_all_of_the_constant():
    series = np.full(500, 0.1)
    series[:23] = 7.0
    assert mser5(series).cut == 25


def test_too_short_a_run_is_not_judged():
    found = mser5(np.ones(49))
    assert (found.cut, found.batches, found.ok) == (0, 9, False)
    assert mser5(np.ones(50)).ok
    assert mser5([]).batches == 0


def test_the_result_does_not_depend_on_the_unit():
    series = np.random.default_rng(8).normal(100.0, 1.0, 400)
    series[:40] *= 1.1
    assert mser5(series * 1e-9).cut == mser5(series).cut == mser5(series * 1e9).cut > 0


def test_a_value_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="not finite"):
        mser5([1.0] * 60 + [float("nan")])
