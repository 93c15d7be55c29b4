"""The formulas that simulations are compared with give the figures that are printed of them."""

import math

import pytest
from closed_forms import (
    balanced_station_rate,
    busy_dies,
    closed_busy_dies,
    erlang_c,
    exact_mva,
    fork_join_2_mean,
    harmonic,
    little_number,
    md1_mean,
    mg1_mean,
    mm1_mean,
    mm1_quantile,
    mmc_mean,
    mser,
    mser5_cut,
    nelson_tantawi_mean,
    samples_for_percentile,
)


def test_mm1_at_80_percent_takes_5_service_times_and_23_at_the_99th_percentile():
    assert mm1_mean(1.0, 0.8) == pytest.approx(5.0)
    assert mm1_quantile(1.0, 0.8, 0.99) == pytest.approx(23.026, abs=5e-4)


@pytest.mark.parametrize(("rho", "mean"), [(0.5, 1.5), (0.8, 3.0), (0.9, 5.5)])
def test_constant_service_waits_half_as_long_as_exponential_service(rho, mean):
    assert md1_mean(1.0, rho) == pytest.approx(mean)


def test_mg1_with_uniform_service_at_80_percent():
    assert mg1_mean(1.0, 0.8, c2=1 / 3) == pytest.approx(3.66667, abs=5e-6)


def test_mg1_contains_mm1_and_md1():
    assert mg1_mean(2.0, 0.7, c2=1.0) == pytest.approx(mm1_mean(2.0, 0.7))
    assert mg1_mean(2.0, 0.7, c2=0.0) == pytest.approx(md1_mean(2.0, 0.7))


@pytest.mark.parametrize(("servers", "mean"), [(2, 2.777778), (4, 1.745541), (8, 1.286028)])
def test_mmc_at_80_percent(servers, mean):
    assert mmc_mean(1.0, 0.8, servers) == pytest.approx(mean, abs=5e-7)


def test_erlang_c_by_its_sum():
    c, a = 8, 6.4
    last = a**c / math.factorial(c) / (1 - a / c)
    total = sum(a**k / math.factorial(k) for k in range(c)) + last
    assert erlang_c(c, a) == pytest.approx(last / total)
    assert mmc_mean(1.0, 0.8, 1) == pytest.approx(mm1_mean(1.0, 0.8))


def test_machine_repairman_with_10_machines():
    found = exact_mva([1.0], customers=10, think=10.0)
    assert found.throughput == pytest.approx(0.785418, abs=5e-7)
    assert found.response == pytest.approx(2.732079, abs=5e-7)


def test_the_repairman_by_mva_is_the_repairman_by_birth_and_death():
    # Engset: p_k ~ N! / (N - k)! (S / Z)^k machines broken; X = (1 - p_0) / S.
    weights = [math.perm(10, k) * 0.1**k for k in range(11)]
    assert exact_mva([1.0], 10, think=10.0).throughput == pytest.approx(1 - 1 / sum(weights))


def test_closed_network_of_three_stations():
    found = exact_mva([0.05, 0.03, 0.08], customers=5)
    assert found.throughput == pytest.approx(11.766975, abs=5e-7)
    assert sum(found.queues) == pytest.approx(5.0)


@pytest.mark.parametrize(("customers", "stations"), [(1, 4), (16, 16), (5, 2)])
def test_a_balanced_network_is_a_case_of_mva(customers, stations):
    # Each visit goes to one of K stations at random: the demand of a visit is S / K at each.
    total = exact_mva([2.0 / stations] * stations, customers).throughput
    rate = balanced_station_rate(2.0, customers, stations)
    assert total == pytest.approx(stations * rate)


def test_littles_law_joins_mm1s_number_and_time():
    assert little_number(0.8, mm1_mean(1.0, 0.8)) == pytest.approx(0.8 / 0.2)
    network = exact_mva([0.05, 0.03, 0.08], 5)
    assert little_number(network.throughput, network.response) == pytest.approx(5.0)


@pytest.mark.parametrize(("rho", "mean"), [(0.5, 2.875), (0.8, 7.0)])
def test_fork_join_over_two_queues(rho, mean):
    assert fork_join_2_mean(1.0, rho) == pytest.approx(mean)


def test_fork_join_of_an_idle_system_is_the_longest_of_two():
    assert fork_join_2_mean(1.0, 0.0) == pytest.approx(harmonic(2))


def test_fork_join_over_eight_queues_by_nelson_and_tantawi():
    assert nelson_tantawi_mean(1.0, 0.8, 8) == pytest.approx(11.03, abs=5e-3)
    assert nelson_tantawi_mean(1.0, 0.8, 2) == pytest.approx(fork_join_2_mean(1.0, 0.8))


def test_sixteen_requests_on_sixteen_dies():
    assert busy_dies(16, 16) == pytest.approx(10.303, abs=5e-4)
    assert closed_busy_dies(16, 16) == pytest.approx(8.26, abs=5e-3)


@pytest.mark.parametrize("rho", [1.0, 1.2, -0.1])
def test_there_is_no_steady_state_at_saturation(rho):
    for mean in (mm1_mean, md1_mean, fork_join_2_mean):
        with pytest.raises(ValueError, match="no steady state"):
            mean(1.0, rho)


def test_mser_cuts_a_high_start_where_the_standard_error_is_least():
    assert mser([5.0, 1.0, 3.0], 1) == pytest.approx(2.0 / 4.0)
    assert mser5_cut([9.0] * 5 + [1.0] * 50) == 5


@pytest.mark.parametrize(("p", "samples"), [(0.5, 20), (0.99, 1000), (0.999, 10_000)])
def test_ten_exceedances_need_this_many_samples(p, samples):
    assert samples_for_percentile(p) == samples
