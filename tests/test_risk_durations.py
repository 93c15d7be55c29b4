"""How long repairs take and errors last: against closed forms, and what that does to data."""

from __future__ import annotations

import math

import numpy as np
import pytest

from raidsim.risk import markov
from raidsim.risk.durations import Even, Fixed, LognormalTime, WeibullTime
from raidsim.risk.groups import Redundancy, whole
from raidsim.risk.hazard import Drives, Repair, from_mtbf
from raidsim.risk.lifetimes import simulate
from raidsim.risk.markov import YEAR

MISSION = 5 * YEAR
MTBF = 200_000.0
EIGHT = Redundancy(whole(8, 1), 1, 1.0)
KINDS = [
    Fixed(30.0),
    WeibullTime(24.0),
    WeibullTime(12.0, 2.0, 6.0),
    WeibullTime(168.0, 3.0, 6.0),
    LognormalTime(20.0, 0.8),
    LognormalTime(20.0, 0.8, 4.0),
    Even(336.0),
]


@pytest.mark.parametrize("duration", KINDS, ids=repr)
@pytest.mark.parametrize("age", [3.0, 20.0, 200.0, 1e6])
def test_the_shorter_one_of_a_time_and_an_age_is_as_long_as_drawn(duration, age) -> None:
    drawn = np.minimum(duration.draw(np.random.default_rng(4), 200_000), age)
    error = 4 * drawn.std() / math.sqrt(len(drawn)) + 1e-9
    assert abs(float(duration.within(np.array(age))) - drawn.mean()) < error
    if age == 1e6:
        assert abs(duration.mean - drawn.mean()) < error


def test_errors_of_exponential_discovery_are_those_of_a_queue_without_limit() -> None:
    """M/M/infinity: d (1 - e^(-t/d)) of them for each that arises in an hour."""
    d, t = 40.0, np.array([1.0, 30.0, 500.0])
    assert WeibullTime(d).within(t) == pytest.approx(d * (1 - np.exp(-t / d)))


def test_the_times_of_elerath_and_pecht_have_their_means() -> None:
    """Restores of 6 h + Weibull(12 h, 2), scrubs of 6 h + Weibull(168 h, 3): 16.6 h and 156 h."""
    assert WeibullTime(12, 2, 6).mean == pytest.approx(6 + 12 * math.sqrt(math.pi) / 2)
    assert WeibullTime(168, 3, 6).mean == pytest.approx(156.0, abs=0.1)


def loss(repair: Repair, drives: Drives | None = None, lifetimes: int = 20_000):
    given = drives or Drives(from_mtbf(MTBF))
    return simulate(EIGHT, given, repair, MISSION, lifetimes=lifetimes, seed=11).any


def test_exponential_repairs_lose_what_the_markov_chain_loses() -> None:
    chain = markov.chain(EIGHT.group, 1 / MTBF, 1 / 24.0)
    found = loss(Repair(WeibullTime(24.0), parallel=True))
    assert found.low <= markov.probability(chain, MISSION) <= found.high


@pytest.mark.parametrize(
    "repair", [Repair(24.0), Repair(LognormalTime(24 * math.exp(-0.5), 1.0)), Repair(Even(48.0))]
)
def test_of_rare_failures_at_a_constant_rate_only_the_mean_repair_counts(repair) -> None:
    """A RAID 5 of 8 loses data with the rate 8 x 7 x mean / MTBF^2, however repairs vary."""
    expected = -math.expm1(-8 * 7 * 24 / MTBF**2 * MISSION)
    found = loss(repair)
    assert found.mean == pytest.approx(expected, rel=0.05)


def test_a_late_delivery_counts_like_a_long_rebuild() -> None:
    """Its mean is added to that of the rebuild."""
    late = Repair(4.0, delivery=LognormalTime(20 * math.exp(-0.5), 1.0))
    expected = -math.expm1(-8 * 7 * 24 / MTBF**2 * MISSION)
    assert loss(late).mean == pytest.approx(expected, rel=0.05)


def test_patrols_in_turn_leave_as_many_errors_as_patrols_at_once() -> None:
    """An error is found on average half a period after it arose, either way."""

    def chance(scrub) -> float:
        drives = Drives(from_mtbf(MTBF), defects=1e-4, scrub=scrub)
        return float(loss(Repair(0.001), drives, 4_000).mean)

    assert chance(Even(168.0)) == pytest.approx(chance(168.0), rel=0.05)
    # 7 drives are read, 8 drives fail once in MTBF hours each; errors are few: 1e-4 x 84 each.
    rate = 8 / MTBF * -math.expm1(-7 * 1e-4 * 84)
    assert chance(Even(168.0)) == pytest.approx(-math.expm1(-rate * MISSION), rel=0.05)


def test_errors_that_are_found_later_cost_more() -> None:
    def chance(scrub) -> float:
        drives = Drives(from_mtbf(MTBF), defects=1e-5, scrub=scrub)
        return float(loss(Repair(4.0), drives, 4_000).mean)

    week, quarter, never = (chance(s) for s in (Even(168.0), Even(2190.0), None))
    assert week < quarter < never
