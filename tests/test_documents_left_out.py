"""One document left out: its cards are given what their class has, and nothing that it told."""

from __future__ import annotations

import json
import statistics

import pytest
from toy_drive import result

from raidsim import cards, scenario
from raidsim.calibrate.left_out import class_of, class_values, leave_out, to_dict
from raidsim.validate import schema

DOCUMENTS = ("fujitsu-iodrive2-2013", "fujitsu-modular-raid-2008", "fujitsu-p3700-2016")


@pytest.fixture(scope="module")
def claims():
    return schema.load()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_value_of_a_class_rests_on_the_document(document, claims):
    own = {claim.id for claim in claims if claim.document == document}
    found = class_values(document, cards.catalogue(), claims)
    assert len(found) > 5
    for one in found:
        for name in one.of:
            card = cards.load(name)
            named = {claim for source in card.sources.values() for claim in source.claims}
            assert class_of(card) == class_of(one.parameter.card)
            assert named.isdisjoint(own), f"{name} for {one.parameter.card.name}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_it_is_the_median_of_the_class(document, claims):
    for one in class_values(document, cards.catalogue(), claims):
        if one.of:
            there = [cards.load(name).number(one.parameter.name) for name in one.of]
            inside = min(max(statistics.median(there), one.parameter.low), one.parameter.high)
            assert one.value == pytest.approx(inside, abs=one.parameter.step)


def test_where_the_class_has_none_it_is_the_middle_of_what_is_plausible(claims):
    """The n5's storage processor was measured as a whole, and no other one is in print."""
    (found,) = (
        one
        for one in class_values("tolly-iocontrol-n5-2013", cards.catalogue(), claims)
        if (one.parameter.card.name, one.parameter.name)
        == ("iocontrol-n5-sp", "command.time_per_byte")
    )
    assert found.of == ()
    assert found.value == pytest.approx((0.05e-6 * 20e-6) ** 0.5 / 1024)


def test_figures_run_with_those_values_and_with_nothing_that_was_calibrated(claims):
    ran = []

    def toy(job):
        ran.append(job)
        return result(12000.0, size=8192)

    (found,) = leave_out(["p3700.database.1.800gb"], simulate=toy)
    of_sheet, (job,) = ran[:-1], ran[-1:]
    assert all("p3700-database" not in str(one.scenario) for one in of_sheet)
    loaded = scenario.load(job.scenario, overrides=job.all_overrides())
    placed = {one.parameter.name: one for one in found.replaced}
    drive = loaded.volumes[0].card
    for name in ("flash.read_time", "front_end.command_time", "command.latency"):
        calibrated = cards.load("intel-p3700-800gb").number(name)
        assert drive.number(name) == pytest.approx(placed[name].value)
        assert drive.number(name) != calibrated
    assert drive.number("capacity.user") == cards.load("intel-p3700-800gb").number("capacity.user")
    (verdict,) = found.verdicts
    assert verdict.plain == pytest.approx(0.2)  # 12,000 for a printed 10,000
    written = json.loads(json.dumps(to_dict([found])))
    assert written["documents"][0]["calibration"]["median_error"] == pytest.approx(0.2)


def test_a_document_that_nothing_was_fitted_to_keeps_its_cards(claims):
    assert class_values("cisco-ucs-c240-m4-2016", cards.catalogue(), claims) == []
