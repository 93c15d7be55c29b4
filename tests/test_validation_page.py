"""The page on published against simulated figures is made of what a validation found, not typed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from page_scripts import script

from raidsim.validate import schema

pytestmark = pytest.mark.usefixtures("claims_read_once")

pages = script("validation.py")


@pytest.fixture(scope="module")
def kept():
    return json.loads(pages.KEPT.read_text(encoding="utf-8"))


def test_the_page_is_what_is_made_of_the_recorded_figures():
    assert pages.PAGE.read_text("utf-8") == pages.page(), "if this is meant: make docs"


def test_every_figure_on_it_comes_from_the_record(kept):
    kept = json.loads(json.dumps(kept))
    (row,) = (row for row in kept["summary"] if row["group"] == "all")
    row |= {"hold": 7, "share": 0.07, "median_error": 0.123}
    kept["planning"][0]["formula"]["worst_error"] = 4.321
    text = pages.markdown(kept, schema.load())
    assert "| 7 (7 %) |" in text
    assert "| 12.3 % |" in text
    assert "| 432.1 % |" in text


def test_a_claim_that_does_not_hold_stands_there_with_figures_and_explanation(kept):
    claim = replace(
        next(one for one in schema.load() if one.kind != "catalogue"),
        explanation="The arm is tired.",
    )
    miss = {"id": claim.id, "simulated": 12.5, "error": -0.5, "converged": True, "planning": None}
    text = pages.markdown(kept | {"misses": [miss]}, [claim])
    (line,) = (line for line in text.splitlines() if line.startswith(f"- `{claim.id}`"))
    assert "simulated 12.5 (-50.0 %" in line
    assert line.endswith("The arm is tired.")


def test_what_is_not_as_the_files_expect_is_said():
    claims = schema.load()
    explained = next(claim.id for claim in claims if claim.explanation)
    plain = next(claim.id for claim in claims if not claim.explanation)
    turned = ((explained, True), (plain, False))
    full = {"claims": [{"id": one, "holds": held, "standing": "counts"} for one, held in turned]}
    by_seeds = {"claims": [claim | {"standing": "undecided"} for claim in full["claims"]]}
    assert pages.surprises(by_seeds) == []
    assert pages.surprises(full) == [
        f"{plain} does not hold, and has no explanation",
        f"{explained} holds: its explanation must go",
    ]


@pytest.mark.parametrize(
    ("published", "simulated", "standing", "said"),
    [
        (1.08, 1.003, "counts", True),
        (1.08, 1.003, "lacks", False),
        (1.08, 1.02, "counts", False),
        (1.02, 1.003, "counts", False),
    ],
)
def test_what_holds_without_the_effect_that_is_printed_must_say_so(
    published, simulated, standing, said
):
    """The runs are known to 1 %, print to 0.05 on the one side or the other."""
    one = next(claim.id for claim in schema.load() if not claim.explanation)
    claim = {"id": one, "relation": "ratio", "holds": True, "noise": 0.01, "rounding": 0.1}
    claim |= {"published": published, "simulated": simulated, "standing": standing}
    assert bool(pages.surprises({"claims": [claim]})) is said
