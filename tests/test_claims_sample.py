"""A sixteenth of all published figures against the simulation, where nothing surprises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from draw_claims import listed

from raidsim.validate import schema, validate

CLAIMS = {claim.id: claim for claim in schema.load()}
SAMPLE = [CLAIMS[one] for one in listed() if one in CLAIMS]
DOCUMENTS = sorted({claim.document for claim in CLAIMS.values()})
RECORDED = Path(__file__).parents[1] / "docs" / "validation.json"


def test_the_list_names_claims():
    assert [one for one in listed() if one not in CLAIMS] == []


def test_about_a_sixteenth_of_the_claims_is_in_it_and_one_of_each_document():
    assert 0.05 * len(CLAIMS) < len(SAMPLE) < 0.0625 * len(CLAIMS) + len(DOCUMENTS)


@pytest.mark.parametrize("what", ["document", "role", "relation", "kind"])
def test_every_sort_of_claim_is_in_it(what):
    missing = {getattr(c, what) for c in CLAIMS.values()} - {getattr(c, what) for c in SAMPLE}
    assert not missing


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS)
def test_claims_hold_but_for_those_that_are_explained(document):
    chosen = [claim.id for claim in SAMPLE if claim.document == document]
    assert chosen, "draw the sample anew: python tests/draw_claims.py out/validation.json"
    turned = {
        verdict.claim.id: f"holds: {verdict.holds}, simulated: {verdict.simulated}"
        for verdict in validate(chosen, planning=False).verdicts
        if verdict.claim.id in chosen and verdict.holds == bool(verdict.claim.explanation)
    }
    assert not turned, "explain what no longer holds, and take the explanations of what holds away"


def test_what_is_recorded_as_not_holding_is_explained():
    misses = [one["id"] for one in json.loads(RECORDED.read_text("utf-8"))["misses"]]
    assert misses
    assert [one for one in misses if one in CLAIMS and not CLAIMS[one].explanation] == []
