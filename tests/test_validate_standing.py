"""What a verdict counts for, errors without rounding, and what print itself excludes."""

from __future__ import annotations

import pytest
from toy_claims import HEAD, claim, run, verdict
from toy_drive import result

from raidsim.errors import InputError
from raidsim.validate import schema
from raidsim.validate.claims import Claim, Contradicts, Performance
from raidsim.validate.contradictions import excluded
from raidsim.validate.rounding import step, widest
from raidsim.validate.standing import determined, standing
from raidsim.validate.summary import Apart, plain
from raidsim.validate.verdict import judge
from raidsim.validate.words import skill_text


def changed(one: Claim, **changes: object) -> Claim:
    return Claim(**(vars(one) | changes))


# ---------------------------------------------------------------- what counts


def test_a_run_compared_with_itself_is_true_by_construction():
    same = claim("equal", subject=Performance(run(), run(scenario="clone")))
    for iops, expected in (([100, 100], "determined"), ([100, 100.001], "counts")):
        results = {job: result(x) for job, x in zip(same.jobs(), iops, strict=True)}
        (got,) = determined([judge(same, results, None)], results, [])
        assert standing(got) == expected


def test_a_prediction_whose_run_is_one_that_was_fitted_to_is_true_by_construction():
    fitted = claim("value", 100.0)
    clone = changed(
        claim("value", 100.0, subject=Performance(run(scenario="clone"))), role="prediction"
    )
    results = {job: result(101.0) for job in (*fitted.jobs(), *clone.jobs())}
    (got,) = determined([judge(clone, results, None)], results, [fitted])
    assert standing(got) == "determined"
    (alone,) = determined([judge(clone, results, None)], results, [])
    assert standing(alone) == "counts"


def test_an_order_that_two_equal_runs_miss_counts_as_missed():
    same = claim("order", subject=Performance(run(), run(scenario="clone")))
    results = {job: result(100) for job in same.jobs()}
    (got,) = determined([judge(same, results, None)], results, [])
    assert (got.holds, standing(got)) == (False, "counts")


@pytest.mark.parametrize(
    ("relation", "iops", "expected"),
    [
        ("at_least", 116, "far"),
        ("at_least", 114, "counts"),
        ("at_least", 60, "counts"),
        ("at_most", 86, "far"),
        ("at_most", 88, "counts"),
        ("value", 130, "counts"),
    ],
)
def test_a_bound_that_is_passed_by_far_tests_nothing(relation, iops, expected):
    assert standing(verdict(claim(relation, 100.0, tolerance=0.0), [iops])) == expected


def test_what_holds_without_the_effect_stands_apart_and_what_misses_does_not():
    lacking = changed(claim("value", 100.0), lacks="no such effect")
    assert standing(verdict(lacking, [104])) == "lacks"
    assert standing(verdict(lacking, [106])) == "counts"


# ---------------------------------------------------------------- errors and skill


def test_plain_errors_have_a_tilt():
    found = plain([verdict(claim("value", 100.0), [x]) for x in (101, 102, 96, 110)])
    assert (found.figures, found.too_high) == (4, 0.75)
    assert (found.median, found.worst) == (pytest.approx(0.03), pytest.approx(0.1))


def test_skill_is_more_than_tosses_of_a_coin_would_show():
    """Nine of ten tosses on one side: 2 (1 + 10) / 2**10. Equal: always."""
    assert Apart(9, 1).chance == pytest.approx(22 / 1024)
    assert Apart(5, 5).chance == 1
    assert Apart(0, 0).chance == 1
    assert "shows skill" in skill_text("it", 9, 1, Apart(9, 1).chance, 20)
    assert "no skill" in skill_text("it", 6, 4, Apart(6, 4).chance, 20)
    assert "worse" in skill_text("it", 1, 9, Apart(1, 9).chance, 20)


# ---------------------------------------------------------------- what print says


@pytest.mark.parametrize(
    ("printed", "rounded_to"),
    [
        (186000, 1000),
        (5000, 250),
        (1.26, 0.01),
        (1.6, 0.08),
        (3, 0.15),
        (155527, 1),
        (0.029, 0.001),
    ],
)
def test_a_printed_number_is_known_to_its_last_digit_or_5_percent(printed, rounded_to):
    assert step(float(printed)) == pytest.approx(rounded_to)


def test_no_claim_counts_with_a_wider_rounding_than_print_has():
    wide = {
        one.id: (one.published, one.rounding)
        for one in schema.load()
        if one.rounding > 1.001 * widest(one.published, one.printed)
    }
    assert wide == {}


RELATED = [
    ("same", [100.0], 106.0, True),
    ("same", [100.0], 104.0, False),
    ("inverse", [4.0], 0.25, False),
    ("inverse", [4.0], 0.4, True),
    ("product", [2.0, 50.0], 100.0, False),
    ("product", [2.0, 50.0], 120.0, True),
    ("quotient", [100.0, 50.0], 2.0, False),
    ("quotient", [100.0, 50.0], 2.6, True),
    ("no_more", [100.0], 106.0, True),
    ("no_more", [100.0], 50.0, False),
    ("no_less", [100.0], 94.0, True),
    ("no_less", [100.0], 200.0, False),
]


@pytest.mark.parametrize(("how", "others", "published", "is_excluded"), RELATED)
def test_what_cannot_hold_beside_what_else_is_printed_is_excluded(
    how, others, published, is_excluded
):
    """The tolerance is 5 %, the figures are exact."""
    said = changed(claim("value", published), contradicts=Contradicts(("a",), how, 1.0, "why"))
    assert excluded(said, [claim("value", one) for one in others]) is is_excluded


def test_a_contradiction_that_is_none_is_refused(tmp_path):
    text = """
[[claim]]
id = "toy.{name}"
section = "Results"
role = "prediction"
metric = "iops"
relation = "value"
run = {{ scenario = "p3700-database", at = 1 }}
published = {published}
{more}
"""
    said = 'contradicts = {{ claims = ["toy.{other}"], is = "same", why = "the same drive" }}'
    file = tmp_path / "toy-2000.toml"

    def write(published: int, other: str) -> None:
        one = text.format(name="one", published=100, more="")
        b = text.format(name="b", published=published, more=said.format(other=other))
        file.write_text(HEAD + one + b)

    write(120, "one")
    assert [c.id for c in schema.load(tmp_path) if c.contradicts] == ["toy.b"]
    write(103, "one")
    with pytest.raises(InputError, match="allow values"):
        schema.load(tmp_path)
    write(120, "nobody")
    with pytest.raises(InputError, match="names a claim that its document does not have"):
        schema.load(tmp_path)
