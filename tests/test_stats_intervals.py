"""The interval of a mean: its form, its limits, and what it refuses. Coverage has its own file."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.fft import dct, idct
from scipy.signal import lfilter

from raidsim.stats.intervals import (
    LEAST_VALUES,
    MOST_VALUES,
    _cosines,
    _slow_part,
    mean_interval,
)


def test_values_whose_slow_part_is_symmetric_give_students_interval():
    # As many values as the slow part has: it is the series itself. Antisymmetric about the mean,
    # so that there is no skewness, and shuffled until the test passes at once.
    rng = np.random.default_rng(3)
    half = rng.normal(0.0, 1.0, 25)
    values = 100.0 + np.concatenate([half, -half])
    rng.shuffle(values)
    found = mean_interval(values, 0.95)
    assert found.even
    assert found.frequencies == 49
    d = values - values.mean()
    phi = max(0.0, float(d[1:] @ d[:-1] / (d @ d)) + 1 / 50)
    student = stats.t.ppf(0.975, 49) * values.std(ddof=1) / 50**0.5
    expected = student * ((1 + phi) / (1 - phi)) ** 0.5
    assert found.high - found.mean == pytest.approx(expected, rel=1e-6)
    assert found.mean - found.low == pytest.approx(expected, rel=1e-6)
    assert found.precision == pytest.approx(expected / found.mean, rel=1e-6)


@pytest.mark.parametrize(("n", "k"), [(64, 64), (1001, 64), (4096, 11)])
def test_the_slow_part_is_that_of_scipys_cosine_transform(n, k):
    values = np.random.default_rng(n).normal(size=n)
    cosines = dct(values, norm="ortho")[:k]
    assert _cosines(values, k)[1:] == pytest.approx(cosines[1:], abs=1e-12)
    slow, _ = _slow_part(_cosines(values, k), n)
    cosines[0] = 0.0
    assert slow == pytest.approx(idct(cosines, norm="ortho") * (k / n) ** 0.5, abs=1e-12)


def test_the_mean_is_that_of_the_whole_series():
    values = np.random.default_rng(4).exponential(1.0, 997)
    assert mean_interval(values).mean == pytest.approx(values.mean(), rel=1e-12)


def test_correlated_values_get_fewer_frequencies_and_a_wider_interval():
    rng = np.random.default_rng(9)
    noise = rng.normal(0.0, 1.0, 6400)
    slow = lfilter([1.0], [1.0, -0.99], noise)
    free = mean_interval(noise)
    bound = mean_interval(slow)
    assert bound.frequencies < free.frequencies < MOST_VALUES
    naive = 1.96 * slow.std() / 6400**0.5
    assert bound.high - bound.low > 2 * 5 * naive


def test_alternating_values_give_a_narrow_interval():
    rng = np.random.default_rng(10)
    noise = rng.normal(0.0, 1.0, 641)
    alternating = 10.0 + np.diff(noise)  # partial sums stay bounded: the mean is known well
    found = mean_interval(alternating)
    naive = 1.96 * alternating.std() / 640**0.5
    assert (found.high - found.low) / 2 < 0.2 * naive


@pytest.mark.parametrize("period", [2, 5.3, 31.4])
def test_what_comes_again_and_again_hardly_widens_the_interval(period):
    # The sum over any window of such a wave is 1 / sin(pi / period) at most.
    n = 10_000
    wave = np.sin(2 * np.pi * np.arange(n) / period + 1.0)
    found = mean_interval(100.0 + wave)
    assert found.low < 100.0 < found.high
    most = 1.0 / math.sin(math.pi / period)
    assert (found.high - found.low) / 2 < 5 * most / n
    naive = 1.96 * wave.std() / n**0.5
    assert (found.high - found.low) / 2 < 0.4 * naive


def test_a_trend_is_not_even():
    found = mean_interval(np.arange(1000.0))
    assert not found.even
    assert found.frequencies == LEAST_VALUES - 1


def test_skewed_values_reach_further_up_than_down():
    rng = np.random.default_rng(12)
    found = [mean_interval(rng.exponential(1.0, 64)) for _ in range(50)]
    assert np.mean([f.high - f.mean for f in found]) > 1.1 * np.mean(
        [f.mean - f.low for f in found]
    )


def test_more_confidence_is_a_wider_interval():
    values = np.random.default_rng(13).exponential(1.0, 5000)
    widths = [(f.high - f.low) for f in (mean_interval(values, c) for c in (0.5, 0.9, 0.95, 0.99))]
    assert widths == sorted(widths)


@pytest.mark.parametrize("level", [0.0, 0.1, -7.0])
def test_a_constant_series_is_known_exactly(level):
    found = mean_interval(np.full(1000, level))
    assert found.low == found.high == found.mean == pytest.approx(level)
    assert found.precision == 0.0


def test_fewer_than_ten_values_give_a_mean_but_no_interval():
    found = mean_interval([1.0] * 9)
    assert (found.mean, found.low, found.high, found.frequencies) == (1.0, None, None, 0)
    assert found.precision is None
    assert mean_interval([1.0, 2.0] * 5).low is not None


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=10, max_size=300),
    st.floats(0.01, 0.999),
)
def test_the_interval_always_holds_its_mean(values, confidence):
    found = mean_interval(values, confidence)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.mean <= found.high


@pytest.mark.parametrize(
    ("values", "confidence", "message"),
    [
        ([], 0.95, "empty"),
        ([float("inf")] * 20, 0.95, "not finite"),
        ([1.0] * 20, 1.0, "between 0 and 1"),
        ([1.0] * 20, 95.0, "between 0 and 1"),
    ],
)
def test_what_has_no_interval_is_refused(values, confidence, message):
    with pytest.raises(ValueError, match=message):
        mean_interval(values, confidence)


def test_importing_the_statistics_does_not_load_scipy():
    import subprocess

    code = (
        "import sys, raidsim.stats.intervals, raidsim.stats.warmup, raidsim.stats.histogram;"
        "sys.exit(any(m in sys.modules for m in ('scipy', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
