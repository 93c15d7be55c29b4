"""Claims against the simulator itself: a few of them, to see that the road is whole."""

import json

import pytest

from raidsim.errors import InputError
from raidsim.run import run
from raidsim.scenario import load
from raidsim.validate import schema, validate

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


def test_a_claim_gives_what_its_scenario_gives(report):
    verdict = next(v for v in report.verdicts if v.claim.id == "p3700.streaming.1.800gb")
    whole = run(load("p3700-streaming", overrides=["load.outstanding=[1, 2]"]))
    assert whole.points[0].mbps == verdict.simulated


def test_every_scenario_and_override_of_a_claim_can_be_loaded():
    jobs = {job: claim.id for claim in schema.load() for job in claim.jobs()}
    for job, claim in jobs.items():
        try:
            load(job.scenario, overrides=job.all_overrides())
        except InputError as error:
            pytest.fail(f"{claim}: {error}")
