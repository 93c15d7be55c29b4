"""Latencies are counted in bins of 0.1 %, and no percentile rests on too few of them."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidsim.stats import histogram as h

TIMES = st.integers(0, h.LIMIT - 1)


def counted(times):
    counts = np.zeros(h.BINS, np.int64)
    for ns in times:
        counts[h.bin_of(int(ns))] += 1
    return counts


@given(TIMES)
def test_a_time_lies_in_its_bin(ns):
    b = h.bin_of(ns)
    assert 0 <= b < h.BINS
    assert h.bin_low(b) <= ns < h.bin_low(b) + h.bin_width(b)


@given(TIMES)
def test_a_bin_is_never_wider_than_a_thousandth_of_its_times_or_is_one_nanosecond(ns):
    width = h.bin_width(h.bin_of(ns))
    assert width == 1 or width <= 0.001 * ns


def test_the_bins_cover_every_time_up_to_39_hours_without_gap_or_overlap():
    assert h.bin_low(0) == 0
    for b in range(h.BINS - 1):
        assert h.bin_low(b) + h.bin_width(b) == h.bin_low(b + 1)
    assert h.bin_low(h.BINS - 1) + h.bin_width(h.BINS - 1) == h.LIMIT
    assert h.LIMIT > 2**47


def test_the_edges_of_every_power_of_two_are_exact():
    for power in range(h.SUB_BITS, 48):
        for ns in (2**power - 1, 2**power, 2**power + 1):
            b = h.bin_of(ns)
            assert h.bin_low(b) <= ns < h.bin_low(b) + h.bin_width(b)
        assert h.bin_of(2**power - 1) + 1 == h.bin_of(2**power)


@pytest.mark.parametrize("ns", [h.LIMIT - 1, h.LIMIT, 2**62])
def test_the_last_bin_takes_what_is_longer(ns):
    assert h.bin_of(ns) == h.BINS - 1


def test_a_time_below_zero_never_leaves_the_table():
    assert h.bin_of(-5) == 0


def test_the_compiled_bins_are_the_interpreted_bins():
    compiled = [numba.njit(f) for f in (h.bin_of, h.bin_low, h.bin_width)]
    powers = 2 ** np.arange(h.SUB_BITS, 49)
    times = np.concatenate([np.arange(5000), powers - 1, powers, [2**62, -1]])
    for ns in times:
        assert compiled[0](ns) == h.bin_of(int(ns))
    for b in range(0, h.BINS, 37):
        assert compiled[1](b) == h.bin_low(b)
        assert compiled[2](b) == h.bin_width(b)


def test_percentiles_of_a_million_times_are_right_to_a_thousandth():
    rng = np.random.default_rng(11)
    times = rng.lognormal(np.log(1e5), 1.0, 1_000_000).astype(np.int64)
    b = np.array([h.bin_of(int(t)) for t in times[:100_000]])
    counts = np.bincount(b, minlength=h.BINS)
    qs = [0.001, 0.5, 0.95, 0.99, 0.999]
    exact = np.quantile(times[:100_000], qs, method="inverted_cdf")
    assert h.percentiles(counts, qs) == pytest.approx(exact, rel=1e-3)


@given(st.lists(st.integers(0, 1023), min_size=11, max_size=200), st.floats(0, 1))
def test_below_a_microsecond_percentiles_are_exact(times, q):
    (found,) = h.percentiles(counted(times), [q])
    (beyond,) = h.exceedances(counted(times), [q])
    rank = len(times) - beyond
    assert rank >= q * len(times) * (1 - 1e-9)
    if beyond >= 10:
        assert found == sorted(times)[rank - 1]
    else:
        assert found is None


@pytest.mark.parametrize(
    ("samples", "q", "beyond"),
    [(1000, 0.99, 10), (999, 0.99, 9), (10_000, 0.999, 10), (100, 0.07, 93), (20, 0.5, 10)],
)
def test_a_percentile_needs_ten_samples_beyond_it(samples, q, beyond):
    counts = counted(range(samples))
    assert h.exceedances(counts, [q]) == [beyond]
    assert (h.percentiles(counts, [q])[0] is None) == (beyond < 10)


def test_nothing_is_said_of_no_samples():
    assert h.percentiles(counted([]), [0.0, 0.5]) == [None, None]
    assert h.exceedances(counted([]), [0.0, 0.5]) == [0, 0]


def test_percentiles_do_not_depend_on_the_order_they_are_asked_in():
    counts = counted(range(1000))
    assert h.percentiles(counts, [0.9, 0.1]) == h.percentiles(counts, [0.1, 0.9])[::-1]


@pytest.mark.parametrize("q", [-0.1, 1.1, float("nan")])
def test_a_quantile_outside_0_to_1_is_refused(q):
    with pytest.raises(ValueError, match="between 0 and 1"):
        h.percentiles(counted([1]), [q])


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="shape"):
        h.percentiles(np.zeros(10, np.int64), [0.5])
