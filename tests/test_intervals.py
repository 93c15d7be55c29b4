"""Intervals of what cards do not know, against print: arithmetic, and a sample drawn anew."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from raidsim.unknowns import spread
from raidsim.unknowns.spread import FEWEST
from raidsim.validate import schema
from raidsim.validate.claims import BASIS, ELSEWHERE
from raidsim.validate.systems import MEASURED, Systems
from raidsim.validate.unknowns import SCATTER, covers, interval, spreads
from raidsim.validate.verdict import Verdict

KEPT = Path(__file__).parents[1] / "docs" / "intervals.json"
SEED = 20
SAMPLE = 30
CLAIMS = {claim.id: claim for claim in schema.load()}


def figure(published: float, rounding: float = 0.0):
    """A claim whose printed figure is this; what it is about does not matter."""
    one = next(claim for claim in CLAIMS.values() if claim.relation == "value")
    return replace(one, relation="about", published=published, rounding=rounding)


def test_without_draws_that_differ_the_interval_is_that_of_models_and_of_measurements() -> None:
    """7 and 2 percent of standard deviation: nine in ten lie within 1.645 times their root."""
    found = interval(figure(103), 100.0, (100.0, 100.0), SCATTER, 24)
    half = 1.645 * math.hypot(0.07, 0.02)
    assert (found.low, found.high) == pytest.approx((100 * math.exp(-half), 100 * math.exp(half)))
    assert found.half_width == pytest.approx(math.sinh(half))
    assert found.covered


def test_draws_that_all_lie_to_one_side_leave_the_rest_on_the_other() -> None:
    low, high = spread.widened(100.0, (110.0, 120.0), 0.04 / 1.645)
    assert low == pytest.approx(110 * math.exp(-0.04))
    assert high == pytest.approx(100 * math.exp(math.hypot(math.log(1.2), 0.04)))


@pytest.mark.parametrize(
    ("published", "rounding", "covered"),
    [(111, 0, True), (113, 0, False), (113, 4, True), (87, 0, False), (82, 14, True)],
)
def test_a_printed_figure_is_covered_if_its_rounding_reaches_in(
    published, rounding, covered
) -> None:
    claim = figure(published, rounding)
    assert interval(claim, 100.0, (100.0, 100.0), SCATTER, 24).covered is covered


def test_how_many_are_covered_is_counted_with_where_the_others_lie() -> None:
    verdicts = []
    for printed in (100, 80, 120, 121, 101):
        claim = figure(printed)
        found = interval(claim, 100.0, (100.0, 100.0), SCATTER, 24)
        verdicts.append(Verdict(claim, 100.0, 0.0, holds=True, spread=found))
    row = covers(verdicts)[0]
    assert (row.figures, row.covered, row.above) == (5, 2, 2)
    assert row.median_half_width == pytest.approx(math.sinh(1.645 * math.hypot(0.07, 0.02)))


def test_intervals_are_counted_apart_by_what_a_document_is_to_the_models() -> None:
    found = interval(figure(100), 100.0, (100.0, 100.0), SCATTER, 24)
    verdicts = [
        Verdict(replace(figure(printed), is_basis=basis), 100.0, 0.0, holds=True, spread=found)
        for printed, basis in ((100, True), (101, True), (102, False))
    ]
    rows = {row.name: row.figures for row in covers(verdicts) if row.group == "all"}
    assert rows == {"all figures": 3, "that test the simulation": 3, BASIS: 2, ELSEWHERE: 1}


def is_quick(claim, systems: Systems) -> bool:
    """Whether a claim is about one run, of a few drives."""
    jobs = claim.jobs()
    if len(jobs) > 1 or any(systems.look_at(job)[1] != MEASURED for job in jobs):
        return False
    scenarios = [systems.of(job.scenario, job.overrides) for job in jobs]
    return all(sum(volume.drives for volume in one.volumes) <= 4 for one in scenarios)


def test_a_sample_of_the_intervals_on_the_page_comes_out_again() -> None:
    """Ten draws know an interval roughly: 30 of them must agree with what is on record.

    Those are intervals of single runs of one system, which are quick.
    """
    kept = json.loads(KEPT.read_text(encoding="utf-8"))["claims"]
    systems = Systems()
    quick = [name for name in sorted(kept) if name in CLAIMS and is_quick(CLAIMS[name], systems)]
    chosen = random.Random(SEED).sample(quick, min(SAMPLE, len(quick)))
    assert len(chosen) == SAMPLE, "too few are on record"
    verdicts = [Verdict(CLAIMS[name], kept[name]["simulated"], 0.0, holds=True) for name in chosen]
    found = spreads(verdicts, FEWEST, systems)
    assert set(found) == set(chosen)
    apart = [
        name
        for name in chosen
        if found[name].low > kept[name]["high"] or found[name].high < kept[name]["low"]
    ]
    assert not apart, f"seed {SEED}: intervals that do not even touch those on record: {apart}"
    same = sum(found[name].covered == kept[name]["covered"] for name in chosen)
    assert same >= SAMPLE - 5, f"seed {SEED}: {same} of {SAMPLE} are covered as on record"
    widths = [found[name].half_width / kept[name]["half_width"] for name in chosen]
    assert 0.6 < float(np.median(widths)) < 1.5
