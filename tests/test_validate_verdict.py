"""What each relation of a claim means, and from where its error counts."""

import math
from dataclasses import replace

import pytest
from toy_claims import claim, no_card, run, verdict
from toy_drive import Toy, result

from raidsim.validate import verdict as verdicts
from raidsim.validate.claims import CardValue, Measurement, Performance, Shape
from raidsim.validate.seeds import could_be_highest, more_seeds, seeds_for
from raidsim.validate.systems import Systems
from raidsim.validate.verdict import judge

POINTS = (1, 2, 4, 8, 16)


def card_of_800(value, unit):
    return 800.0


def test_a_figure_printed_exactly_is_compared_with_itself():
    got = verdict(claim("value", 10000.0), [10400])
    assert got.simulated == 10400
    assert got.error == pytest.approx(0.04)
    assert got.holds


@pytest.mark.parametrize(
    ("iops", "error"), [(9500, 0), (10500, 0), (10000, 0), (9400, -0.01), (10700, 0.02)]
)
def test_a_rounded_figure_has_no_error_inside_its_rounding(iops, error):
    assert verdict(claim("about", 10000.0, rounding=1000), [iops]).error == pytest.approx(error)


@pytest.mark.parametrize(
    ("iops", "holds"), [(9900, True), (10999, True), (11100, False), (8900, False)]
)
def test_a_figure_holds_within_its_tolerance_beyond_the_rounding(iops, holds):
    assert verdict(claim("about", 10000.0, rounding=1000), [iops]).holds is holds


@pytest.mark.parametrize(
    ("iops", "holds"), [(1374, False), (1376, True), (1574, True), (1576, False)]
)
def test_a_range_holds_between_its_ends_as_rounded(iops, holds):
    got = verdict(claim("range", (1400.0, 1550.0), rounding=50, tolerance=0.0), [iops])
    assert got.holds is holds


def test_the_error_of_a_range_is_relative_to_the_end_that_is_missed():
    assert verdict(claim("range", (100.0, 200.0)), [90]).error == pytest.approx(-0.1)
    assert verdict(claim("range", (100.0, 200.0)), [220]).error == pytest.approx(0.1)


def test_bounds_are_free_on_one_side():
    assert verdict(claim("at_most", 100.0), [1]).error == 0
    assert verdict(claim("at_most", 100.0), [110]).error == pytest.approx(0.1)
    assert verdict(claim("at_least", 100.0), [1000]).error == 0
    assert verdict(claim("at_least", 100.0), [90]).error == pytest.approx(-0.1)


def test_a_ratio_compares_two_runs():
    subject = Performance(run(scenario="four"), run(scenario="one"))
    got = verdict(claim("ratio", 2.0, subject=subject, rounding=0.1), [195, 100])
    assert got.simulated == pytest.approx(1.95)
    assert got.error == pytest.approx(0)


def test_a_ratio_to_nothing_has_no_value(monkeypatch):
    """Of machines that boot none may be ready at a moment, in a draw of slow cards."""
    curves = iter([[5.0], [0.0]])
    monkeypatch.setattr(verdicts, "curve_of", lambda *_: next(curves))
    subject = Performance(run(scenario="four"), run(scenario="one"))
    assert verdicts.number_of(claim("ratio", 2.0, subject=subject), subject, {}) is None


def test_the_highest_of_all_intensities_is_taken_for_a_maximum():
    subject = Performance(run("max", POINTS))
    assert verdict(claim("value", 5.0, subject=subject), [1, 3, 5, 4, 2]).simulated == 5


def test_an_order_needs_more_than_a_tie():
    subject = Performance(run(scenario="a"), run(scenario="b"))
    order = claim("order", subject=subject, tolerance=0.0)
    assert verdict(order, [101, 100]).holds
    assert not verdict(order, [100, 100]).holds
    assert not verdict(order, [100.09, 100]).holds
    assert verdict(order, [100.2, 100]).holds
    assert not verdict(order, [99, 100]).holds


@pytest.mark.parametrize(("iops", "decided"), [(100.5, False), (101.3, False), (101.6, True)])
def test_an_order_is_not_decided_where_the_intervals_leave_it_to_chance(iops, decided):
    """The toy is known to 1 %, the ratio of two of them to 1.41 %."""
    subject = Performance(run(), run(scenario="other"))
    got = verdict(claim("order", subject=subject, tolerance=0.0), [iops, 100])
    assert got.noise == pytest.approx(0.0141, abs=1e-4)
    assert got.is_decided is decided
    assert got.holds
    assert not verdict(claim("order", subject=subject, tolerance=0.0), [99, 100]).is_decided


def test_the_noise_of_an_order_is_that_of_its_worst_point():
    several = Performance(run("each", POINTS), run("each", POINTS, scenario="other"))
    got = verdict(claim("order", subject=several), [200, 200, 101, 200, 200, *[100] * 5])
    assert (got.simulated, got.is_decided) == (1.01, False)


def test_an_effect_knows_less_than_its_two_runs():
    effect = Performance(Measurement("a", (), "iops", (1,), "at", base=run(scenario="b")), run())
    got = verdict(claim("order", subject=effect), [150, 100, 1])
    assert got.noise == pytest.approx(0.01 * math.sqrt(3), abs=1e-4)


def test_without_further_seeds_only_orders_can_be_left_to_chance():
    ratio = claim("ratio", 1.0, subject=Performance(run(), run(scenario="other")))
    assert verdict(ratio, [100.5, 100]).is_decided
    value = verdict(claim("value", 100.0), [100.5])
    assert (value.noise, value.is_decided) == (pytest.approx(0.01), True)


def test_what_another_seed_turns_is_not_decided():
    """Printed 100, 5 % allowed."""
    held = verdict(claim("value", 100.0), [104])
    assert held.holds
    assert replace(held, seeds=(103.0, 104.9)).is_decided
    assert not replace(held, seeds=(103.0, 105.1)).is_decided
    missed = verdict(claim("value", 100.0), [106])
    assert replace(missed, seeds=(105.1,)).is_decided
    assert not replace(missed, seeds=(104.9,)).is_decided


@pytest.mark.parametrize(
    ("relation", "published", "ios", "margin"),
    [("value", 100.0, 103, 2 / 105), ("at_least", 100.0, 110, 0.1), ("at_most", 100.0, 90, 0.1)],
)
def test_the_margin_is_that_to_where_the_verdict_turns(relation, published, ios, margin):
    tolerance = 0.05 if relation == "value" else 0.0
    got = verdict(claim(relation, published, tolerance=tolerance), [ios])
    assert got.margin == pytest.approx(margin)


@pytest.mark.parametrize(
    ("ios", "seeds"),
    [(100, 0), (103.2, 0), (103.8, 2), (104.7, 4), (105.3, 4), (106.2, 2), (109, 0)],
)
def test_the_nearer_the_verdict_is_to_turning_the_more_seeds(ios, seeds):
    """The toy is known to 1 %; the verdict turns at 105."""
    assert seeds_for(verdict(claim("value", 100.0), [ios])) == seeds


def test_no_seeds_are_run_after_one_that_turned_the_verdict():
    near = verdict(claim("value", 100.0), [104.7])
    systems = Systems()
    assert more_seeds([near], systems, 1).numbers == {near.claim.id: 1}
    assert more_seeds([replace(near, seeds=(104.0,))], systems).numbers == {near.claim.id: 4}
    assert more_seeds([replace(near, seeds=(106.0,))], systems).numbers == {}


def test_the_plain_error_does_not_count_from_the_rounding():
    got = verdict(claim("value", 100.0, rounding=10.0), [104])
    assert (got.error, got.plain) == (0.0, pytest.approx(0.04))
    assert verdict(claim("at_least", 100.0), [104]).plain is None


def test_an_order_can_ask_for_a_significant_difference():
    subject = Performance(run(scenario="a"), run(scenario="b"))
    order = claim("order", 1.05, subject=subject, tolerance=0.0)
    assert not verdict(order, [104, 100]).holds
    assert verdict(order, [106, 100]).holds


def test_curves_are_equal_if_their_worst_point_is():
    subject = Performance(run("each", POINTS, "a"), run("each", POINTS, "b"))
    equal = claim("equal", subject=subject)
    near = verdict(equal, [100, 102, 104, 97, 100] + [100] * 5)
    far = verdict(equal, [100, 102, 104, 93, 100] + [100] * 5)
    assert near.holds
    assert near.error == pytest.approx(0.04)
    assert not far.holds
    assert far.error == pytest.approx(-0.07)


@pytest.mark.parametrize(
    ("shape", "curve", "holds"),
    [
        (Shape("rises"), [1, 2, 3, 3, 3], True),
        (Shape("rises"), [1, 2, 3, 2.98, 3], True),  # within what a run knows
        (Shape("rises"), [1, 2, 3, 2.5, 4], False),
        (Shape("rises"), [3, 3, 3, 3, 3], False),
        (Shape("rises"), [100, 99.5, 99, 98.5, 98.2], False),
        (Shape("level"), [100, 101, 99, 100, 100], True),
        (Shape("level"), [100, 101, 104, 100, 100], False),
        (Shape("lowest", at=2), [5, 3, 4, 5, 6], True),
        (Shape("lowest", at=2), [5, 3, 2, 5, 6], False),
    ],
)
def test_a_curve_rises_levels_off_or_is_lowest_at_a_place_within_a_tolerance(shape, curve, holds):
    subject = Performance(run("each", POINTS), shape=shape)
    assert verdict(claim("shape", subject=subject, tolerance=0.02), curve).holds is holds


def test_latency_is_the_mean_of_one_kind_of_access():
    subject = Performance(run(metric="read_latency"))
    results = {job: result(1, read_ms=0.041) for job in run().jobs()}
    got = judge(claim("value", 0.041, subject=subject), results, no_card)
    assert got.simulated == pytest.approx(0.041)


def test_what_was_not_measured_does_not_hold():
    subject = Performance(run(metric="write_latency"))
    got = verdict(claim("value", 0.016, subject=subject), [1])
    assert (got.simulated, got.error, got.holds) == (None, None, False)


def test_a_catalogue_claim_reads_the_card_and_counts_in_no_error():
    catalogue = claim("value", 800.0, subject=CardValue("toy", "capacity.user"))
    got = judge(catalogue, {}, card_of_800)
    assert got.holds
    assert catalogue.kind == "catalogue"
    assert not catalogue.counts_in_errors


def test_a_printed_zero_counts_its_error_in_its_unit():
    subject = CardValue("toy", "levels")
    assert judge(claim("value", 0.0, subject=subject), {}, lambda *_: 0.0).error == 0
    assert judge(claim("value", 0.0, subject=subject), {}, lambda *_: 2.0).error == 2


def test_an_effect_is_a_quotient_and_two_effects_can_be_compared():
    base = run(scenario="without")
    effect = Measurement("with", (), "iops", (1,), "at", base=base)
    alone = verdict(claim("value", 1.5, subject=Performance(effect)), [150, 100])
    assert alone.simulated == pytest.approx(1.5)
    other = Measurement("elsewhere", (), "iops", (1,), "at", base=run(scenario="bare"))
    larger = claim("order", subject=Performance(effect, other))
    assert verdict(larger, [150, 100, 120, 100]).simulated == pytest.approx(1.25)
    assert verdict(larger, [150, 100, 120, 100]).holds
    assert not verdict(larger, [110, 100, 120, 100]).holds


def test_a_run_that_did_not_converge_is_said_so():
    jobs = run().jobs()
    got = judge(claim("value", 1.0), {jobs[0]: result(1, converged=False)}, no_card)
    assert not got.converged


def test_bounds_have_an_infinite_end():
    assert claim("at_least", 5.0).interval == (5.0, math.inf)
    assert claim("at_most", 5.0).interval == (-math.inf, 5.0)


def test_the_toy_saturates_at_ten_thousand_ios_a_second():
    toy = Toy()
    assert toy(run().jobs()[0]).points[0].iops.mean == pytest.approx(10000)


@pytest.mark.parametrize(
    ("reduction", "metric", "seeded"),
    [
        ("max", "iops", (4, 8)),
        ("max", "latency_ms", POINTS),
        ("each", "iops", POINTS),
    ],
)
def test_other_seeds_are_run_where_they_could_change_a_figure(reduction, metric, seeded):
    """The toy is known to 1 %: what is 10 % below the highest rate does not become the highest."""
    measured = run(reduction, POINTS, metric=metric)
    curve = [25, 50, 97, 100, 90]
    known = {job: result(iops) for job, iops in zip(measured.jobs(), curve, strict=True)}
    assert could_be_highest(measured, known) == seeded


def test_every_point_is_run_with_other_seeds_where_none_is_known():
    assert could_be_highest(run("max", POINTS), {}) == POINTS
