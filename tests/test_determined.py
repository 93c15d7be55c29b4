"""What claims say about values, from the slopes of their residuals: against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from raidsim.calibrate.determined import exchanges, uncertainties

RANGE = 10.0  # from a tenth of a value to ten times
LOG_RANGE = math.log(RANGE)
TIGHT = 20.0  # slope of a figure that moves 1:1 with a value, at a tolerance of 5 %


def known_to(*slopes: list[float]) -> tuple[float, ...]:
    matrix = np.array(slopes)
    return uncertainties(matrix, np.full(matrix.shape[1], LOG_RANGE))


def test_a_value_that_alone_moves_a_claim_is_known_as_well_as_the_claim() -> None:
    (alone,) = known_to([TIGHT])
    assert alone == pytest.approx(1 / TIGHT, rel=1e-3)


def test_a_value_that_a_claim_tells_1_to_1_is_known_whatever_is_open_beside_it() -> None:
    """The first claim tells the first value; only the sum of the others is known.

    They move the first claim a little. It leaves them a range of 10, and so this one of 3 %.
    """
    nudge = 0.3
    first, second, third = known_to([TIGHT, nudge, 0.0], [0.0, 10.0, 10.0])
    most = math.hypot(1 / TIGHT, nudge * LOG_RANGE / TIGHT)
    assert 1 / TIGHT < first < most
    assert second > math.log(2)
    assert third > math.log(2)
    (open_one,) = exchanges(np.array([[TIGHT, nudge, 0.0], [0.0, 10.0, 10.0]]))
    assert set(open_one.shares) == {1, 2}


def test_of_two_values_whose_product_alone_is_known_neither_is() -> None:
    both = known_to([TIGHT, TIGHT])
    assert both == pytest.approx([LOG_RANGE / math.sqrt(2)] * 2, rel=1e-3)


def test_a_value_that_no_claim_notices_is_not_known_at_all() -> None:
    known, unknown = known_to([TIGHT, 0.5])
    assert known == pytest.approx(1 / TIGHT, rel=1e-3)
    assert unknown == math.inf
