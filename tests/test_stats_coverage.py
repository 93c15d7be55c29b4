"""Of many 95 % intervals, about 95 % hold the true mean: the waiting time in M/M/1 (GOLDEN 9).

Waiting times follow Lindley's recursion W_n+1 = max(0, W_n + S_n - A_n). With C_n the sum of the
first n steps S - A (and C_0 = W_0), W_n = C_n - min(0, min over j <= n of C_j), which
NumPy computes for hundreds of seeds at once.
"""

import numpy as np
import pytest
from closed_forms import md1_mean, mm1_mean

from raidsim.stats.intervals import batch_means
from raidsim.stats.warmup import mser5

RHO = 0.8
SEED = 20260717


def waiting_times(rng, runs, customers, rho, *, service="exponential", empty=False):
    """Return waiting times in mean service times, shape (runs, customers)."""
    shape = (runs, customers)
    served = rng.exponential(1.0, shape) if service == "exponential" else np.ones(shape)
    steps = served - rng.exponential(1.0 / rho, shape)
    # The state a customer meets: nobody with 1 - rho, else an M/M/1's wait.
    first = np.where(rng.random(runs) < rho, rng.exponential(1.0 / (1.0 - rho), runs), 0.0)
    steps[:, 0] = 0.0 if empty else first
    sums = np.cumsum(steps, axis=1)
    return sums - np.minimum(np.minimum.accumulate(sums, axis=1), 0.0)


def share_covered(series, true_mean, confidence=0.95):
    """Return the share of the rows of `series` whose interval holds `true_mean`."""
    found = [batch_means(row, confidence) for row in series]
    return np.mean([f.low <= true_mean <= f.high for f in found])


def test_lindleys_recursion_step_by_step():
    rng = np.random.default_rng(SEED)
    (fast,) = waiting_times(rng, 1, 500, RHO)
    again = np.random.default_rng(SEED)
    served = again.exponential(1.0, (1, 500))[0]
    steps = served - again.exponential(1.0 / RHO, (1, 500))[0]
    slow = [fast[0]]
    for step in steps[1:]:
        slow.append(max(0.0, slow[-1] + step))
    assert fast == pytest.approx(slow, abs=1e-9)


@pytest.mark.parametrize("customers", [10_000, 60_000])
def test_mm1_at_80_percent_is_covered_92_to_97_times_in_100(customers):
    rng = np.random.default_rng([SEED, customers])
    runs = 600
    covered = []
    for _ in range(6):
        series = waiting_times(rng, runs // 6, customers, RHO)
        covered.append(share_covered(series, mm1_mean(1.0, RHO) - 1.0))
    print(f"seed {SEED}, {customers} customers: covered {np.mean(covered):.3f}")
    assert 0.92 <= np.mean(covered) <= 0.97


def test_mm1_is_covered_whatever_the_grouping_of_the_series():
    # A run hands over means of equally many I/Os, not single ones.
    rng = np.random.default_rng([SEED, 1])
    series = waiting_times(rng, 600, 20_000, RHO)
    for group in (20, 200):
        grouped = series.reshape(600, -1, group).mean(axis=2)
        assert 0.92 <= share_covered(grouped, mm1_mean(1.0, RHO) - 1.0) <= 0.97


def test_mm1_from_empty_is_covered_after_its_warm_up_is_cut():
    # A run whose warm-up is refused goes on, here by half; its cut is never used.
    rng = np.random.default_rng([SEED, 2])
    runs, covered, refused = 300, 0, 0
    for _ in range(6):
        for row in waiting_times(rng, runs // 6, 150_000, RHO, empty=True):
            grouped = row.reshape(-1, 20).mean(axis=1)
            warmup = mser5(grouped[:5000])
            if warmup.ok:
                grouped = grouped[:5000]
            else:
                refused += 1
                warmup = mser5(grouped)
            found = batch_means(grouped[warmup.cut :])
            covered += found.low <= mm1_mean(1.0, RHO) - 1.0 <= found.high
    print(f"seed {SEED}: covered {covered / runs:.3f}, warm-up refused in {refused} of {runs}")
    assert 0.92 <= covered / runs <= 0.97
    assert refused < runs / 20


def test_a_99_percent_interval_is_missed_once_in_a_hundred():
    rng = np.random.default_rng([SEED, 3])
    series = waiting_times(rng, 500, 30_000, RHO)
    assert 0.97 <= share_covered(series, mm1_mean(1.0, RHO) - 1.0, 0.99) <= 0.998


def test_constant_service_at_half_load_is_covered():
    rng = np.random.default_rng([SEED, 4])
    series = waiting_times(rng, 600, 10_000, 0.5, service="constant")
    assert 0.92 <= share_covered(series, md1_mean(1.0, 0.5) - 1.0) <= 0.97


@pytest.mark.parametrize("phi", [-0.5, 0.0, 0.5, 0.9])
def test_autoregressive_series_are_covered(phi):
    from scipy.signal import lfilter

    rng = np.random.default_rng([SEED, 5])
    series = lfilter([1.0], [1.0, -phi], rng.normal(size=(1000, 2000)), axis=1)[:, 500:]
    assert 0.92 <= share_covered(series, 0.0) <= 0.975


def test_a_run_that_goes_on_until_it_is_precise_is_still_covered():
    # Looking again and again and stopping when it looks good costs coverage; growing the run by
    # half between the looks keeps that small.
    rng = np.random.default_rng([SEED, 6])
    covered = 0
    runs = 200
    for _ in range(10):
        for row in waiting_times(rng, runs // 10, 250_000, RHO):
            n = 5_000
            found = batch_means(row[:n])
            while found.precision > 0.1 and n < len(row):
                n = min(n + n // 2, len(row))
                found = batch_means(row[:n])
            covered += found.low <= mm1_mean(1.0, RHO) - 1.0 <= found.high
    print(f"seed {SEED}: covered {covered / runs:.3f}")
    assert 0.91 <= covered / runs <= 0.97


def test_the_mean_of_the_recursion_is_that_of_theory():
    rng = np.random.default_rng([SEED, 7])
    series = waiting_times(rng, 100, 50_000, RHO)
    assert series.mean() == pytest.approx(mm1_mean(1.0, RHO) - 1.0, rel=0.02)
