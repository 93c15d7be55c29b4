"""Of many 95 % intervals, about 95 % hold the true mean: the waiting time in M/M/1 (GOLDEN 9).

Waiting times follow Lindley's recursion W_n+1 = max(0, W_n + S_n - A_n). With C_n the sum of the
first n steps S - A (and C_0 = W_0), W_n = C_n - min(0, min over j <= n of C_j), which
NumPy computes for hundreds of seeds at once.
"""

import math

import numpy as np
import pytest
from closed_forms import md1_mean, mm1_mean

from raidsim.stats.intervals import mean_interval
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
    found = [mean_interval(row, confidence) for row in series]
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
            found = mean_interval(grouped[warmup.cut :])
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
    assert 0.92 <= share_covered(series, 0.0) <= 0.97


def renewals(rng, spread, spacing, slots, runs):
    """Events in each slot of time, `spacing` slots apart on average, from a random moment on.

    `spread` is the coefficient of variation of what lies between two events: that of a gamma.
    """
    shape = spread**-2
    begin = 20.0 * spacing  # far enough for the first event to be forgotten
    count = int(1.5 * (begin + slots) / spacing) + 50
    times = np.cumsum(rng.gamma(shape, spacing / shape, (runs, count)), axis=1)
    times += spacing * rng.random((runs, 1)) - begin
    rows = np.repeat(np.arange(runs), count)
    edges = [np.arange(runs + 1), np.arange(slots + 1)]
    return np.histogram2d(rows, times.ravel(), bins=edges)[0]


@pytest.mark.parametrize(("spread", "spacing"), [(1.0, 3.0), (0.3, 10.0), (0.1, 30.0)])
def test_what_happens_at_nearly_equal_distances_is_covered_and_not_too_widely(spread, spacing):
    # As a drive collects garbage. Where n events are expected, their number has the variance
    # spread^2 n + (1 - spread^4) / 6: D. R. Cox, "Renewal theory" (1962), section 4.5, for gammas.
    rng = np.random.default_rng([SEED, 8])
    slots = 1500
    series = renewals(rng, spread, spacing, slots, 1000)
    assert 0.92 <= share_covered(series, 1.0 / spacing) <= 0.975
    half = np.mean([mean_interval(row).precision for row in series])
    n = slots / spacing
    assert half < 1.4 * 1.96 * (spread**2 * n + (1.0 - spread**4) / 6.0) ** 0.5 / n


def test_what_evens_out_from_one_value_to_the_next_is_covered_and_not_too_widely():
    # x_i = e_i - 0.9 e_i-1: the sum of n is a tenth of what it would be if they were independent.
    rng = np.random.default_rng([SEED, 9])
    noise = rng.normal(size=(1000, 1501))
    series = noise[:, 1:] - 0.9 * noise[:, :-1]
    assert 0.92 <= share_covered(series, 0.0) <= 0.975
    half = np.mean([(f.high - f.low) / 2 for f in map(mean_interval, series)])
    variance = (1500 * 0.1**2 + 2 * 0.9 - 0.1**2) / 1500**2
    assert half < 1.3 * 1.96 * variance**0.5


def test_noise_around_a_wave_is_covered_as_widely_as_the_noise_asks():
    rng = np.random.default_rng([SEED, 10])
    phase = 2 * np.pi * rng.random((1000, 1))
    wave = 5 * np.sin(2 * np.pi * np.arange(2000) / 37.3 + phase)
    series = wave + rng.normal(size=(1000, 2000))
    assert 0.92 <= share_covered(series, 0.0) <= 0.97
    half = np.mean([(f.high - f.low) / 2 for f in map(mean_interval, series)])
    # The mean of the wave alone is off by 5 / (n sin(pi / 37.3)) at most.
    widest = math.hypot(1.96 / 2000**0.5, 5 / 2000 / math.sin(math.pi / 37.3))
    assert half < 1.3 * widest


def test_a_run_that_goes_on_until_it_is_precise_is_still_covered():
    # Looking again and again and stopping when it looks good costs coverage; growing the run by
    # half between the looks keeps that small.
    rng = np.random.default_rng([SEED, 6])
    covered = 0
    runs = 200
    for _ in range(10):
        for row in waiting_times(rng, runs // 10, 250_000, RHO):
            n = 5_000
            found = mean_interval(row[:n])
            while found.precision > 0.1 and n < len(row):
                n = min(n + n // 2, len(row))
                found = mean_interval(row[:n])
            covered += found.low <= mm1_mean(1.0, RHO) - 1.0 <= found.high
    print(f"seed {SEED}: covered {covered / runs:.3f}")
    assert 0.91 <= covered / runs <= 0.97


def test_the_mean_of_the_recursion_is_that_of_theory():
    rng = np.random.default_rng([SEED, 7])
    series = waiting_times(rng, 100, 50_000, RHO)
    assert series.mean() == pytest.approx(mm1_mean(1.0, RHO) - 1.0, rel=0.02)
