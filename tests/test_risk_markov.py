"""Mean time to data loss and probability of loss: printed figures, closed forms, Markov chains.

GOLDEN 8 is for drives with a mean time between failures of 1.2 million hours, restored in 24 h.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from raidsim.risk import markov
from raidsim.risk.groups import Group, mirror, ring, whole
from raidsim.risk.markov import YEAR

LAMBDA, MU = 1 / 1.2e6, 1 / 24
BITS_OF_12TB = 12e12 * 8
MISSION = 5 * YEAR

failures = st.floats(1e-8, 1e-4)
repairs = st.floats(1e-3, 10.0)
chances = st.floats(0.0, 0.99)
sizes = st.integers(3, 32)


# ---------------------------------------------------------------- GOLDEN 8


def test_a_mirror_lasts_thirty_thousand_million_hours() -> None:
    assert f"{markov.raid1(LAMBDA, MU):.6e}" == "3.000180e+10"


def test_eight_drives_with_one_parity() -> None:
    assert f"{markov.raid5(8, LAMBDA, MU):.6e}" == "1.071750e+09"


def test_eight_drives_with_two_parities_restored_one_by_one_or_side_by_side() -> None:
    assert f"{markov.raid6(8, LAMBDA, MU):.6e}" == "8.931072e+12"
    assert f"{markov.raid6(8, LAMBDA, MU, 2 * MU):.6e}" == "1.786107e+13"


@pytest.mark.parametrize(("uber", "years"), [(1e-14, "17.15"), (1e-15, "34.99"), (1e-16, "262.98")])
def test_large_drives_with_one_parity_fall_to_a_sector_that_cannot_be_read(
    uber: float, years: str
) -> None:
    unread = markov.unreadable(uber, 7 * BITS_OF_12TB)
    assert f"{markov.raid5(8, LAMBDA, MU, unread) / YEAR:.2f}" == years


@pytest.mark.parametrize(("uber", "chance"), [(1e-14, ".6171"), (1e-15, ".09154")])
def test_reading_12_tb_meets_an_unreadable_sector(uber: float, chance: str) -> None:
    digits = len(chance) - 1
    assert f"{markov.unreadable(uber, BITS_OF_12TB):.{digits}f}" == f"0{chance}"


def test_a_tiny_error_rate_is_not_lost_in_rounding() -> None:
    """1 - (1 - 1e-20)^1 is 1e-20, and not 0."""
    assert markov.unreadable(1e-20, 1) == pytest.approx(1e-20, rel=1e-12)
    assert markov.unreadable(0.0, 1e15) == 0


# ---------------------------------------------------------------- closed forms and chains


@seed(8)
@given(failure=failures, repair=repairs, unread=chances, drives=sizes)
@settings(max_examples=60)
def test_the_chain_of_a_parity_group_has_the_mean_time_of_the_closed_form(
    failure: float, repair: float, unread: float, drives: int
) -> None:
    def mean(tolerated: int, unread: float, parallel: bool = False) -> float:
        bits = 1.0 / (drives - tolerated)  # of a drive: the drives that are read make up one bit
        return markov.mean_time(
            markov.chain(
                whole(drives, tolerated),
                failure,
                repair,
                parallel=parallel,
                uber=unread,
                drive_bits=bits,
            )
        )

    assert mean(0, 0.0) == pytest.approx(1 / (drives * failure), rel=1e-12)
    assert mean(1, 0.0) == pytest.approx(markov.raid5(drives, failure, repair), rel=1e-12)
    a, b, c = ((drives - failed) * failure for failed in range(3))
    one = ((1 - unread) * a + b + repair) / (a * (b + unread * repair))
    assert mean(1, unread) == pytest.approx(one, rel=1e-9)
    at_the_end = markov.raid5(drives, failure, repair, unread)
    assert at_the_end == pytest.approx(one + unread / (b + unread * repair), rel=1e-9)
    assert mean(2, 0.0) == pytest.approx(markov.raid6(drives, failure, repair), rel=1e-12)
    assert mean(2, 0.0, parallel=True) == pytest.approx(
        markov.raid6(drives, failure, repair, 2 * repair), rel=1e-12
    )
    two = ((1 + repair / a) * (c + repair) + (1 - unread) * b) / (b * (c + unread * repair))
    assert mean(2, unread) == pytest.approx(1 / a + two, rel=1e-9)
    at_the_end = markov.raid6(drives, failure, repair, unread=unread)
    assert at_the_end == pytest.approx(mean(2, unread) + unread / (c + unread * repair), rel=1e-9)


@seed(8)
@given(failure=failures, repair=repairs, number=st.integers(1, 5), parallel=st.booleans())
@settings(max_examples=60)
def test_the_chain_of_a_mirror_has_the_mean_time_of_the_closed_form(
    failure: float, repair: float, number: int, parallel: bool
) -> None:
    process = markov.chain(mirror(number), failure, repair, parallel=parallel)
    closed = markov.copies(number, failure, repair, parallel=parallel)
    assert markov.mean_time(process) == pytest.approx(closed, rel=1e-12)


def test_the_closed_forms_agree_where_they_say_the_same() -> None:
    assert markov.raid1(LAMBDA, MU) == pytest.approx((3 * LAMBDA + MU) / (2 * LAMBDA**2))
    assert markov.copies(2, LAMBDA, MU) == pytest.approx(markov.raid1(LAMBDA, MU))
    assert markov.copies(3, LAMBDA, MU) == pytest.approx(markov.raid6(3, LAMBDA, MU))
    a, b, c = 8 * LAMBDA, 7 * LAMBDA, 6 * LAMBDA
    spelled = 1 / a + 1 / b + MU / (a * b) + 1 / c + MU / (b * c) + MU * MU / (a * b * c)
    assert markov.raid6(8, LAMBDA, MU) == pytest.approx(spelled, rel=1e-12)


def test_restoring_side_by_side_doubles_the_time_of_two_parities_and_not_of_one() -> None:
    def mean(tolerated: int, parallel: bool) -> float:
        group = whole(8, tolerated)
        return markov.mean_time(markov.chain(group, LAMBDA, MU, parallel=parallel))

    assert mean(2, True) / mean(2, False) == pytest.approx(2, rel=1e-3)
    assert mean(1, True) == mean(1, False)


def test_each_further_parity_multiplies_the_time_by_repair_over_failures() -> None:
    means = [markov.mean_time(markov.chain(whole(8, m), LAMBDA, MU)) for m in range(5)]
    for tolerated, (less, more) in enumerate(itertools.pairwise(means)):
        factor = MU / ((8 - tolerated - 1) * LAMBDA)
        assert more / less == pytest.approx(factor, rel=1e-3)


def test_without_repair_the_drives_fail_one_after_the_other() -> None:
    mean = markov.mean_time(markov.chain(whole(8, 2), LAMBDA, 0.0))
    assert mean == pytest.approx((1 / 8 + 1 / 7 + 1 / 6) / LAMBDA)


# ---------------------------------------------------------------- neighbours


def lost_at_random(group: Group, failed: int, random: np.random.Generator) -> list[bool]:
    """Whether drives that fail in random order lose data with failure number ``failed`` + 1."""
    found = []
    for _ in range(4000):
        order = random.permutation(group.drives)
        before = set(order[:failed])
        if any(before >= set(members) for members in group.sets):
            continue  # lost already
        now = before | {order[failed]}
        found.append(any(now >= set(members) for members in group.sets))
    return found


@pytest.mark.parametrize(("drives", "copies"), [(5, 2), (12, 2), (7, 3), (12, 3)])
def test_among_neighbours_the_next_failure_hits_a_partner_with_the_chance_that_it_says(
    drives: int, copies: int
) -> None:
    group = ring(drives, copies)
    random = np.random.default_rng(8)
    found = lost_at_random(group, group.tolerated, random)
    error = 4 * math.sqrt(0.25 / len(found))
    assert group.fatal(group.tolerated) == pytest.approx(np.mean(found), abs=error)


def test_of_five_drives_in_a_ring_two_of_the_other_four_are_partners() -> None:
    assert ring(5).fatal(0) == 0
    assert ring(5).fatal(1) == pytest.approx(2 / 4)


def test_of_three_drives_in_a_ring_any_two_lose_data() -> None:
    assert ring(3).fatal(1) == 1
    mean = markov.mean_time(markov.chain(ring(3), LAMBDA, MU))
    assert mean == pytest.approx(markov.raid5(3, LAMBDA, MU), rel=1e-12)


def test_a_ring_of_two_copies_reads_its_only_source_in_every_rebuild() -> None:
    assert [ring(12).critical(failed) for failed in range(3)] == pytest.approx([0, 1, 1])
    assert [whole(8, 2).critical(failed) for failed in range(3)] == [0, 0, 1]


def test_a_ring_of_many_drives_lasts_as_long_as_as_many_pairs() -> None:
    """N drives have N pairs of neighbours in a ring, and N/2 in pairs: half the time."""
    ringed = markov.mean_time(markov.chain(ring(12), LAMBDA, MU))
    paired = markov.raid1(LAMBDA, MU) / 6
    assert ringed / paired == pytest.approx(0.5, rel=1e-3)


# ---------------------------------------------------------------- probabilities


def loss_of_one_parity(drives: int, failure: float, repair: float, hours: float) -> float:
    """1 - R(t) of one parity: R = (r1 e^(r2 t) - r2 e^(r1 t)) / (r1 - r2), r the eigenvalues.

    In 60 digits, because of what cancels.
    """
    with localcontext() as context:
        context.prec = 60
        up, mu, t = Decimal(failure), Decimal(repair), Decimal(hours)
        total = (2 * drives - 1) * up + mu
        product = drives * (drives - 1) * up * up
        root = (total * total - 4 * product).sqrt()
        slow, fast = (-total + root) / 2, (-total - root) / 2
        lasts = (fast * (slow * t).exp() - slow * (fast * t).exp()) / (fast - slow)
        return float(1 - lasts)


@seed(8)
@given(failure=failures, repair=st.floats(1e-3, 1.0), drives=sizes, hours=st.floats(1.0, 1e6))
@settings(max_examples=60)
def test_the_probability_of_loss_of_one_parity_is_right_to_eight_digits(
    failure: float, repair: float, drives: int, hours: float
) -> None:
    process = markov.chain(whole(drives, 1), failure, repair)
    exact = loss_of_one_parity(drives, failure, repair, hours)
    assert markov.probability(process, hours) == pytest.approx(exact, rel=1e-8)


def in_decimals(process: markov.Chain, hours: float) -> float:
    """Probability of loss by a power series in 80 digits, and squarings."""
    with localcontext() as context:
        context.prec = 80
        moves = process.moves()
        out = process.lost + process.unread
        n = len(out) + 1
        rates = [[Decimal(0)] * n for _ in range(n)]
        for i, j in itertools.product(range(n - 1), range(n - 1)):
            rates[i][j] = Decimal(float(moves[i, j]))
        for i in range(n - 1):
            rates[i][-1] = Decimal(float(out[i]))
            rates[i][i] = -sum(rates[i], Decimal(0))
        halvings = 24
        step = Decimal(hours) / 2**halvings

        def times(one: list[list[Decimal]], other: list[list[Decimal]]) -> list[list[Decimal]]:
            return [
                [sum((one[i][k] * other[k][j] for k in range(n)), Decimal(0)) for j in range(n)]
                for i in range(n)
            ]

        identity = [[Decimal(int(i == j)) for j in range(n)] for i in range(n)]
        total, term = identity, identity
        for number in range(1, 30):
            term = [[each * step / number for each in row] for row in times(term, rates)]
            total = [[total[i][j] + term[i][j] for j in range(n)] for i in range(n)]
        for _ in range(halvings):
            total = times(total, total)
        return float(total[0][-1])


@pytest.mark.parametrize(
    ("group", "least"), [(whole(8, 2), 1e-9), (mirror(4), 1e-15), (ring(9, 3), 1e-9)]
)
def test_a_tiny_probability_has_all_its_digits(group: Group, least: float) -> None:
    process = markov.chain(group, LAMBDA, MU)
    found = markov.probability(process, MISSION)
    assert least / 10 < found < least * 10
    assert found == pytest.approx(in_decimals(process, MISSION), rel=1e-9)


def test_the_usual_matrix_exponential_agrees_where_it_has_digits_left() -> None:
    process = markov.chain(whole(8, 1), LAMBDA, MU, uber=1e-15, drive_bits=BITS_OF_12TB)
    out = process.lost + process.unread
    rates = np.zeros((3, 3))
    rates[:2, :2], rates[:2, 2] = process.moves(), out
    rates -= np.diag(rates.sum(axis=1))
    usual = expm(rates * MISSION)[0, -1]
    assert markov.probability(process, MISSION) == pytest.approx(usual, rel=1e-8)


def test_the_dominant_eigenvalue_is_the_rate_of_loss_in_the_long_run() -> None:
    """ln R falls by the eigenvalue nearest to 0, here of drives that fail often."""
    process = markov.chain(whole(6, 2), 1e-3, 0.05)
    out = process.lost + process.unread
    moves = process.moves()
    rates = moves - np.diag(moves.sum(axis=1) + out)
    slowest = max(np.linalg.eigvals(rates).real)
    at = 20 * markov.mean_time(process)
    survived = [1 - markov.probability(process, hours) for hours in (at / 4, at / 4 + 1000)]
    assert math.log(survived[1] / survived[0]) == pytest.approx(1000 * slowest, rel=1e-5)


@pytest.mark.parametrize("group", [mirror(2), whole(8, 1), whole(8, 2), ring(5)])
def test_loss_is_exponential_in_the_mean_time_where_repair_is_quick(group: Group) -> None:
    process = markov.chain(group, LAMBDA, MU)
    mean = markov.mean_time(process)
    assert markov.probability(process, MISSION) == pytest.approx(
        -math.expm1(-MISSION / mean), rel=0.002
    )
    assert markov.probability(process, mean) == pytest.approx(1 - math.exp(-1), rel=1e-3)


def test_without_failures_or_time_nothing_is_lost_and_with_no_repair_time_hardly_anything() -> None:
    group = whole(8, 1)
    assert markov.probability(markov.chain(group, 0.0, MU), MISSION) == 0
    assert markov.mean_time(markov.chain(group, 0.0, MU)) == math.inf
    assert markov.probability(markov.chain(group, LAMBDA, MU), 0.0) == 0
    instant = [markov.probability(markov.chain(group, LAMBDA, 1 / h), MISSION) for h in (1e-3, 1)]
    assert instant[0] == pytest.approx(instant[1] / 1000, rel=1e-3), "no repair time, no loss"
    alone = markov.chain(whole(1, 0), LAMBDA, MU)
    assert markov.probability(alone, MISSION) == pytest.approx(-math.expm1(-MISSION * LAMBDA))


# ---------------------------------------------------------------- what is lost


def test_an_unreadable_sector_does_not_end_the_array() -> None:
    """Losses of sectors come at the rate of rebuilds times h; the array is lost as without them."""
    process = markov.chain(whole(8, 1), LAMBDA, MU, uber=1e-15, drive_bits=BITS_OF_12TB)
    lost, sectors = markov.losses(process, MISSION)
    assert lost == pytest.approx(
        markov.probability(markov.chain(whole(8, 1), LAMBDA, MU), MISSION), rel=1e-9
    )
    unread = markov.unreadable(1e-15, 7 * BITS_OF_12TB)
    assert sectors == pytest.approx(8 * LAMBDA * MISSION * unread, rel=2e-3)
    first = markov.probability(process, MISSION)
    assert first == pytest.approx(-math.expm1(-sectors - lost), rel=2e-3)


def test_an_array_that_begins_degraded_risks_its_first_rebuild_more() -> None:
    """With r5 of N: (N-1) lambda / ((N-1) lambda + mu) is the chance to lose the first rebuild."""
    process = markov.chain(whole(8, 1), LAMBDA, MU)
    good, degraded = markov.mean_time(process), markov.mean_time(process, failed=1)
    assert 1 - degraded / good == pytest.approx(7 * LAMBDA / (7 * LAMBDA + MU), rel=0.01)
    more = markov.probability(process, MISSION, failed=1) - markov.probability(process, MISSION)
    assert more == pytest.approx(7 * LAMBDA / (7 * LAMBDA + MU), rel=0.01)


# ---------------------------------------------------------------- how long a rebuild takes


@seed(8)
@given(
    hours=st.lists(st.floats(0.01, 5 * YEAR), min_size=2, max_size=6).map(sorted),
    drives=st.integers(3, 24),
    tolerated=st.integers(1, 2),
    failure=st.floats(1e-8, 1e-5),
    missing=st.integers(0, 1),
    share=st.floats(0.0, 1.0),
)
@settings(max_examples=100)
def test_the_risk_never_falls_when_a_rebuild_takes_longer(
    hours: list[float], drives: int, tolerated: int, failure: float, missing: int, share: float
) -> None:
    """An unreadable sector is lost when the drive fails, however late the rebuild finds it.

    Up to a chance of (N-1)/N, under RAID 6 (N-2)/(N-1), to meet one: beyond, a time in which
    one drive less can fail counts for more than that its failure would lose everything.
    """
    group = whole(drives, tolerated)
    meets = share * (drives - tolerated) / (drives - tolerated + 1)

    def risk(rebuild: float) -> tuple[float, float]:
        bits = 1 / group.sources
        process = markov.chain(group, failure, 1 / rebuild, uber=meets, drive_bits=bits)
        lost, _ = markov.losses(process, MISSION, missing)
        return markov.probability(process, MISSION, missing), lost

    for quick, slow in itertools.pairwise(risk(each) for each in hours):
        assert slow[0] >= quick[0] * (1 - 1e-8)
        assert slow[1] >= quick[1] * (1 - 1e-8)


def test_where_nearly_every_failure_loses_a_sector_the_time_of_a_rebuild_is_all_one() -> None:
    """RAID 5 of 12 disks of 50 TB: 98.8 % of rebuilds meet a sector."""

    def loss(rebuild: float) -> float:
        process = markov.chain(whole(12, 1), 1e-6, 1 / rebuild, uber=1e-15, drive_bits=4e14)
        return markov.probability(process, MISSION)

    assert loss(343 * 24) == pytest.approx(loss(26), rel=1e-4)


def test_a_year_of_rebuild_is_no_safer_than_a_day_of_it() -> None:
    """RAID 5 of 12 disks of 18 TB, of which 0.35 % fail a year: 15.4 % became 12.8 %."""
    failure = -math.log1p(-0.0035) / YEAR

    def loss(rebuild: float) -> float:
        bits = 18e12 * 8
        process = markov.chain(whole(12, 1), failure, 1 / rebuild, uber=1e-15, drive_bits=bits)
        return markov.probability(process, MISSION)

    sectors = markov.unreadable(1e-15, 11 * 18e12 * 8)
    expected = -math.expm1(-12 * failure * MISSION * sectors)
    assert loss(26) == pytest.approx(expected, rel=1e-3)
    assert loss(26) < loss(343 * 24) < 1.1 * loss(26)
