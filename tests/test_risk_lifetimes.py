"""Simulated lifetimes of arrays: against Markov chains, plain lifetimes and closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import plain_lifetimes
import pytest

from raidsim.risk import markov
from raidsim.risk.groups import Redundancy, mirror, ring, whole
from raidsim.risk.hazard import (
    Batch,
    Drives,
    Repair,
    Shock,
    Wear,
    Weibull,
    from_afr,
    from_mtbf,
)
from raidsim.risk.lifetimes import simulate
from raidsim.risk.markov import YEAR

LAMBDA, MU = 1 / 1.2e6, 1 / 24
MISSION = 5 * YEAR
EIGHT = Redundancy(whole(8, 1), 1, 1.0)
DISKS = Drives(from_mtbf(1 / LAMBDA))
SSDS = from_mtbf(2e6)
NEXT_DAY = Repair(2, delivery=24)
SIGMAS = 4.0  # half an interval of 95 % is two


def within(estimate, value: float, sigmas: float = SIGMAS) -> bool:
    """Whether a value lies within so many standard errors; the 95 % interval has two."""
    return abs(value - estimate.mean) < sigmas / 2 * (estimate.high - estimate.low) / 2


# ---------------------------------------------------------------- ages


@pytest.mark.parametrize("shape", [0.7, 1.0, 1.12, 3.0])
def test_a_weibull_age_has_the_mean_or_the_first_year_that_it_is_made_from(shape: float) -> None:
    random = np.random.default_rng(8)
    draws = random.standard_exponential(200_000)
    ages = from_mtbf(1000.0, shape).wait(np.zeros(1), draws)
    assert ages.mean() == pytest.approx(1000, rel=0.02)
    one = from_afr(0.02, shape)
    assert -math.expm1(-one.hazard(np.array(YEAR))) == pytest.approx(0.02)


def test_a_rate_at_which_all_drives_fail_within_a_year_is_a_number() -> None:
    """An MTBF of 200 h has this AFR; `raidsim check` ended in an error of arithmetic."""
    assert 200 < from_afr(1.0).scale < 250


def test_drives_of_a_constant_rate_do_not_age() -> None:
    hazard = np.array([0.5])
    young, old = (Weibull(1000.0).wait(np.array([age]), hazard) for age in (0.0, 5000.0))
    assert young == old


def test_by_the_rated_writes_three_percent_of_the_drives_have_worn_out() -> None:
    wear = Wear(life=MISSION).failures
    assert -math.expm1(-wear.hazard(np.array(MISSION))) == pytest.approx(0.03)
    assert -math.expm1(-wear.hazard(np.array(MISSION / 2))) < 0.001


# ---------------------------------------------------------------- against the Markov chain


GROUPS = {
    "a pair": (mirror(2), 1, False),
    "four pairs": (mirror(2), 4, False),
    "three copies": (mirror(3), 1, False),
    "one parity": (whole(8, 1), 1, False),
    "two parities": (whole(8, 2), 1, False),
    "two parities, side by side": (whole(8, 2), 1, True),
    "three spans of two parities": (whole(6, 2), 3, False),
    "two copies in a ring": (ring(5), 1, False),
    "three copies in a ring": (ring(9, 3), 1, False),
    "single drives": (whole(1, 0), 8, False),
    "a stripe": (whole(8, 0), 1, False),
}


@pytest.mark.parametrize("kind", GROUPS)
@pytest.mark.parametrize("uber", [0.0, 1e-15])
def test_constant_rates_and_exponential_repairs_lose_data_as_the_chain_says(
    kind: str, uber: float
) -> None:
    group, groups, parallel = GROUPS[kind]
    bits = 12e12 * 8
    process = markov.chain(group, LAMBDA, MU, parallel=parallel, uber=uber, drive_bits=bits)
    lived = simulate(
        Redundancy(group, groups, 1.0),
        Drives(from_mtbf(1 / LAMBDA), unread=markov.unreadable(uber, bits)),
        Repair(1 / MU, parallel=parallel, exponential=True, spares=100),
        MISSION,
        lifetimes=8_000,
    )
    one = markov.probability(process, MISSION)
    assert within(lived.any, -math.expm1(groups * math.log1p(-one)))
    lost, _ = markov.losses(process, MISSION)
    assert within(lived.group, -math.expm1(groups * math.log1p(-lost)))


def test_intervals_cover_the_probability_about_as_often_as_they_say() -> None:
    process = markov.chain(whole(5, 1), 1e-5, MU)
    exact = markov.probability(process, MISSION)
    repair = Repair(1 / MU, exponential=True, spares=100)
    drives = Drives(from_mtbf(1e5))
    red = Redundancy(whole(5, 1), 1, 1.0)
    found = [
        simulate(red, drives, repair, MISSION, lifetimes=2000, seed=seed).any for seed in range(60)
    ]
    covered = sum(each.low <= exact <= each.high for each in found)
    assert covered >= 51  # of 60 at 95 %: fewer with a chance of 0.1 %
    assert max(each.high - each.low for each in found) < 0.3 * exact


# ---------------------------------------------------------------- against plain lifetimes


OFTEN = from_mtbf(20_000.0, 1.3)
CASES = {
    "ageing": (EIGHT, Drives(OFTEN), Repair(50, delivery=30)),
    "old drives": (EIGHT, Drives(OFTEN, age=15_000), Repair(50, delivery=30)),
    "one spare, slow delivery": (EIGHT, Drives(OFTEN), Repair(50, spares=1, delivery=600)),
    "two parities, one by one": (
        Redundancy(whole(6, 2), 2, 1.0),
        Drives(OFTEN),
        Repair(600, delivery=30),
    ),
    "two parities, side by side": (
        Redundancy(whole(6, 2), 2, 1.0),
        Drives(OFTEN),
        Repair(600, delivery=30, parallel=True),
    ),
    "neighbours": (Redundancy(ring(9, 3), 1, 1.0), Drives(OFTEN, unread=0.3), Repair(900)),
    "defects": (EIGHT, Drives(OFTEN, defects=1e-5), Repair(20)),
    "defects and patrol reads": (EIGHT, Drives(OFTEN, defects=1e-4, scrub=500), Repair(20)),
    "half of the drives of one batch": (
        EIGHT,
        Drives(OFTEN, batch=Batch(0.5, 0.3, 5.0)),
        Repair(20),
    ),
    "shocks": (EIGHT, Drives(OFTEN, shock=Shock(1e-4, 0.1)), Repair(20)),
    "wear": (EIGHT, Drives(OFTEN, wear=Wear(6000, used=0.5)), Repair(20)),
}


@pytest.mark.parametrize("case", CASES)
def test_lifetimes_lose_data_as_often_as_plain_ones(case: str) -> None:
    redundancy, drives, repair = CASES[case]
    mission, plain = 8000.0, 1000
    lived = simulate(redundancy, drives, repair, mission, lifetimes=10_000, seed=2)
    counts = plain_lifetimes.losses(redundancy, drives, repair, mission, plain, seed=3)
    for estimate, share in zip((lived.any, lived.group), counts, strict=True):
        assert share > 0.005, "too rare to compare"
        error = math.hypot(
            math.sqrt(share * (1 - share) / plain), (estimate.high - estimate.low) / 4
        )
        assert abs(estimate.mean - share) < SIGMAS * error


@pytest.mark.parametrize("case", CASES)
def test_biasing_failures_does_not_change_what_comes_out(case: str) -> None:
    redundancy, drives, repair = CASES[case]
    biased, counted = (
        simulate(redundancy, drives, repair, 8000.0, lifetimes=10_000, seed=4, bias=bias)
        for bias in (True, False)
    )
    for one, other in ((biased.any, counted.any), (biased.group, counted.group)):
        error = math.hypot(one.high - one.low, other.high - other.low) / 4
        assert abs(one.mean - other.mean) < SIGMAS * error


# ---------------------------------------------------------------- what storage engineers expect


def loss(drives: Drives = DISKS, repair: Repair = NEXT_DAY, redundancy=EIGHT, **options) -> float:
    return simulate(redundancy, drives, repair, MISSION, **options).any.mean


def test_the_same_seed_and_name_live_the_same_lives() -> None:
    assert loss(name="a") == loss(name="a")
    assert loss(name="a") != loss(name="b")
    assert loss(seed=1) != loss(seed=2)


def test_a_repair_that_takes_no_time_loses_nothing() -> None:
    lived = simulate(EIGHT, DISKS, Repair(0.0), MISSION, bias=False)
    assert lived.any.mean == 0
    assert lived.any.high == pytest.approx(3 / 10_000, rel=0.01)


def test_of_none_lost_the_rule_of_three_is_left() -> None:
    lived = simulate(Redundancy(whole(8, 2), 1, 1.0), DISKS, NEXT_DAY, MISSION, bias=False)
    assert str(lived.any) == "0 of 10,000: below 0.0003"


def test_fixed_repairs_of_a_mirror_are_as_dangerous_as_exponential_ones_of_the_same_mean() -> None:
    """Only the mean of the repair counts to first order; with two parities also how it varies."""
    pair = Redundancy(mirror(2), 1, 1.0)
    fixed = simulate(pair, DISKS, Repair(24), MISSION, lifetimes=40_000).any
    assert within(fixed, markov.probability(markov.chain(mirror(2), LAMBDA, MU), MISSION))


def test_fixed_repairs_side_by_side_halve_the_chance_that_a_third_drive_fails() -> None:
    """Two failures in a repair time R are followed by a third in what is left: R/2 on average, as
    if the two were restored side by side in exponential times."""
    group = whole(8, 2)
    fixed = simulate(
        Redundancy(group, 1, 1.0), DISKS, Repair(24, parallel=True), MISSION, lifetimes=30_000
    ).any
    side_by_side = markov.chain(group, LAMBDA, MU, parallel=True)
    # P(three within R) = N (N-1) (N-2) lambda^3 R^2 / 2 per hour: the same as with rates m, 2 m.
    assert within(fixed, markov.probability(side_by_side, MISSION))


@pytest.mark.parametrize("tolerated", [1, 2])
def test_lifetimes_with_longer_rebuilds_lose_no_less(tolerated: int) -> None:
    """Up to a rebuild of a year; a sector is lost when the drive fails, not when it is found."""
    drives = Drives(from_afr(0.02), unread=0.12)
    found = [
        simulate(Redundancy(whole(12, tolerated), 1, 1.0), drives, Repair(hours), MISSION).any
        for hours in (1.0, 26.0, 700.0, YEAR)
    ]
    for quick, slow in itertools.pairwise(found):
        assert slow.high > quick.mean
    if tolerated == 1:
        unread = 1 - (1 - 0.12) ** 11
        expected = -math.expm1(math.log1p(-0.02) * 12 * 5 * unread)
        assert within(found[0], expected)


def test_a_hot_spare_saves_the_time_of_delivery() -> None:
    without, with_one = loss(repair=Repair(2, 0, 24)), loss(repair=Repair(2, 1, 24))
    assert without / with_one == pytest.approx(26 / 2, rel=0.1)


def test_a_tenth_of_the_patrol_period_finds_most_defects_before_a_rebuild_does() -> None:
    often, seldom, never = (
        loss(Drives(from_mtbf(1.2e6), defects=1e-6, scrub=scrub)) for scrub in (168.0, 1680.0, None)
    )
    assert seldom / often == pytest.approx(10, rel=0.35)  # beside losses of two drives
    assert never > 5 * seldom


def test_a_bad_batch_loses_data_by_the_square_of_its_failure_rate() -> None:
    """A tenth of the arrays with ten times the rate: 0.9 + 0.1 x 10^2 = 10.9 times the loss.

    The drives that replace bad ones are not of the batch, which takes some of it back.
    """
    ratio = loss(Drives(from_mtbf(1.2e6), batch=Batch(1.0, 0.1, 10.0)), lifetimes=60_000) / loss()
    assert 8 < ratio < 11.5


def test_a_common_shock_is_worse_than_the_same_failures_apart() -> None:
    """Once in 50 years, each drive with 1 %: as many failures as 1 in 5000 years per drive more."""
    shaken = loss(Drives(from_mtbf(1.2e6), shock=Shock(1 / (50 * YEAR), 0.01)))
    apart = loss(Drives(from_mtbf(1 / (LAMBDA + 0.01 / (50 * YEAR)))))
    together = 28 * 0.01**2 * MISSION / (50 * YEAR)  # any two of eight at once
    assert shaken == pytest.approx(apart + together, rel=0.2)
    assert shaken > 3 * apart


# ---------------------------------------------------------------- flash that wears out


def test_worn_drives_of_one_age_lose_a_raid_5_more_often_than_the_exponential_model_says() -> None:
    """The same failures over the mission, spread evenly, against all of them near its end."""
    wear = Wear(life=MISSION / 1.5)
    together = simulate(EIGHT, Drives(SSDS, wear=wear), NEXT_DAY, MISSION).any
    hazard = float(wear.failures.hazard(np.array(MISSION))) + MISSION / 2e6
    spread = simulate(EIGHT, Drives(from_mtbf(MISSION / hazard)), NEXT_DAY, MISSION).any
    assert together.low > 1.3 * spread.high
    exponential = markov.probability(markov.chain(whole(8, 1), 1 / 2e6, 1 / 26), MISSION)
    assert together.low > 100 * exponential


def test_a_second_parity_helps_worn_drives() -> None:
    worn = Drives(SSDS, wear=Wear(life=MISSION / 1.5))
    one = loss(worn)
    two = loss(worn, redundancy=Redundancy(whole(8, 2), 1, 1.0))
    assert two < one / 100


def test_drives_that_have_written_half_of_their_rating_are_riskier_than_new_ones() -> None:
    new, used = (loss(Drives(SSDS, wear=Wear(MISSION, used))) for used in (0.0, 0.5))
    assert used > 2 * new
