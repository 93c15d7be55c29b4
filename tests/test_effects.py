"""Main effects and interactions: held against sums of squares worked out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from raidsim.errors import InputError
from raidsim.studies.effects import effects


def table(figure, **keys):
    names = list(keys)
    return [
        dict(zip(names, step, strict=True)) | {"y": figure(*step)}
        for step in itertools.product(*keys.values())
    ], names


def shares(found):
    return {term.keys: term.share for term in found.terms}


def test_shares_of_a_product_are_those_of_its_factors_logarithms():
    factor = {"raid5": 1.0, "raid6": 0.75, "raid10": 1.5}
    rows, keys = table(lambda a, b: 1000 * factor[a] * b, a=factor, b=(4, 8))
    found = effects(rows, keys, "y")
    first, second = np.var([math.log(f) for f in factor.values()]), np.var(np.log([4, 8]))
    assert found.logarithm
    assert shares(found)["a",] == pytest.approx(first / (first + second))
    assert shares(found)["b",] == pytest.approx(second / (first + second))
    assert found.rest == pytest.approx(0, abs=1e-12)
    level = next(term for term in found.terms if term.keys == ("b",)).levels
    assert dict(level)[8] == pytest.approx(math.sqrt(2))


def test_an_interaction_has_what_no_sum_of_two_keys_says():
    """Two-way analysis of variance of a 2 x 3 table, worked out from its means."""
    values = np.array([[3.0, 5.0, 4.0], [-3.0, 9.0, 0.0]])
    rows, keys = table(lambda a, b: float(values[a, b]), a=(0, 1), b=(0, 1, 2))
    found = effects(rows, keys, "y")
    mean = values.mean()
    across, down = values.mean(axis=1) - mean, values.mean(axis=0) - mean
    total = ((values - mean) ** 2).sum()
    assert not found.logarithm
    assert shares(found)["a",] == pytest.approx(3 * (across**2).sum() / total)
    assert shares(found)["b",] == pytest.approx(2 * (down**2).sum() / total)


def test_shares_of_a_whole_grid_add_up_to_one():
    draw = np.random.default_rng(5)
    rows, keys = table(lambda *_: float(draw.lognormal()), a=(1, 2, 3), b="xyz", c=(True, False))
    found = effects(rows, keys, "y")
    assert sum(shares(found).values()) + found.rest == pytest.approx(1)


def test_what_runs_measure_only_within_their_errors_is_called_noise():
    """Of 200 keys that do nothing about one in twenty is taken for something."""
    draw, taken = np.random.default_rng(7), 0
    for _ in range(200):
        rows = [{"a": a, "iops": float(1000 * draw.normal(1, 0.02))} for a in (1, 2) * 10]
        for row in rows:
            row |= {"iops_low": row["iops"] * (1 - 0.0392), "iops_high": row["iops"] * (1 + 0.0392)}
        taken += not effects(rows, ["a"], "iops").terms[0].noise
    assert 2 <= taken <= 20


def test_a_key_with_many_values_has_a_curve():
    rows, keys = table(lambda a: a**2.0, a=range(1, 40))
    assert effects(rows, keys, "y").terms[0].share == pytest.approx(1)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"a": 1, "y": 2.0}] * 5, "no key varies in the 5 rows"),
        ([{"a": a, "y": 2000.0} for a in range(4)], "y is 2,000 in all of the 4 rows"),
        ([{"a": a, "y": None} for a in range(4)], "no row has a number for y"),
        ([{"a": a, "y": a if a < 2 else None} for a in range(4)], "2 of 4 rows have a number"),
    ],
)
def test_what_cannot_be_explained_is_said_with_what_it_lacks(rows, words):
    with pytest.raises(InputError, match=words):
        effects(rows, ["a"], "y")
