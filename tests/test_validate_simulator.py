"""Claims against the simulator itself: the road is whole, and anybody can walk it again."""

import json
import shlex

import pytest

from raidsim.cli import main
from raidsim.errors import InputError
from raidsim.validate import schema, validate
from raidsim.validate.jobs import Job, simulate, simulate_for_claims
from raidsim.validate.metrics import METRICS
from raidsim.validate.systems import Systems
from raidsim.validate.verdict import points_of

FEW = ("p3700.read-1kb", "p3700.streaming.1.800gb", "p3700.streaming.dip.800gb", "p3700.link")


@pytest.fixture(scope="module")
def report():
    return validate(FEW)


def test_claims_of_every_sort_get_a_number(report):
    assert report.verdicts
    assert all(verdict.simulated is not None for verdict in report.verdicts)


def test_the_number_of_threads_does_not_show(report):
    alone = validate(FEW, workers=1)
    assert json.dumps(alone.to_dict()) == json.dumps(report.to_dict())


def test_what_is_kept_of_a_run_for_claims_gives_the_figures_of_the_whole_run():
    """Also where loads follow each other, of which only the last ones count."""
    job = Job("h730-disk", ("measure.precision=10 %", "measure.min_ios=500"), 4)
    whole, kept = simulate(job), simulate_for_claims(job)
    assert [point.load for point in points_of(kept)] == ["reads"]
    for metric in METRICS.values():
        assert metric.of(points_of(kept), None) == metric.of(points_of(whole), None)


def test_what_a_claim_says_to_type_gives_its_figure(report, tmp_path):
    claims = {claim["id"]: claim for claim in report.to_dict()["claims"]}
    claim = claims["p3700.streaming.1.800gb"]
    program, *words = shlex.split(claim["commands"][0])
    file = tmp_path / "result.json"
    with pytest.raises(SystemExit) as end:
        main([*words, "--json", str(file)])
    assert (program, end.value.code) == ("raidsim", 0)
    (point,) = json.loads(file.read_text("utf-8"))["points"]
    assert point["mbps"] == claim["simulated"]


def test_a_claim_by_its_name_is_that_claim_alone(report):
    (one,) = validate(["p3700.streaming.1.800gb"]).verdicts
    assert one == next(v for v in report.verdicts if v.claim.id == one.claim.id)


def test_every_scenario_and_override_of_a_claim_can_be_loaded():
    systems = Systems()
    for claim in schema.load():
        for job in claim.jobs():
            try:
                systems.of(job.scenario, job.overrides)
            except InputError as error:
                pytest.fail(f"{claim.id}: {error}")
