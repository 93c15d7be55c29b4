"""A sixteenth of all published figures against the simulation, where nothing surprises."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from draw_claims import SHARE, listed, sort_of

from raidsim.validate import schema, validate

CLAIMS = {claim.id: claim for claim in schema.load()}
SAMPLE = [CLAIMS[one] for one in listed() if one in CLAIMS]
DOCUMENTS = sorted({claim.document for claim in CLAIMS.values()})
RECORDED = Path(__file__).parents[1] / "docs" / "validation.json"


def test_the_list_names_claims():
    assert [one for one in listed() if one not in CLAIMS] == []


def test_a_sixteenth_of_each_document_is_in_it_of_what_holds_and_of_what_does_not():
    """At least one of each; of some none may be drawn, as chance might turn it."""
    drawn, all_of = Counter(map(sort_of, SAMPLE)), Counter(map(sort_of, CLAIMS.values()))
    assert all(drawn[one] <= max(round(SHARE * many), 1) for one, many in all_of.items())
    assert len(SAMPLE) > 0.8 * SHARE * len(CLAIMS)


@pytest.mark.parametrize("what", ["document", "role", "relation", "kind"])
def test_every_sort_of_claim_is_in_it(what):
    missing = {getattr(c, what) for c in CLAIMS.values()} - {getattr(c, what) for c in SAMPLE}
    assert not missing


@pytest.mark.usefixtures("claims_read_once")
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
