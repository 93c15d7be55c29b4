"""Claims about the highest load within a latency: one search serves all that look at it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy_claims import HEAD
from toy_drive import Toy, result

from raidsim.errors import InputError
from raidsim.result import Highest, Result
from raidsim.running import run
from raidsim.scenario import load as load_scenario
from raidsim.validate import schema, validate
from raidsim.validate.jobs import Job, Latency
from raidsim.validate.verdict import points_of

CLAIM = """\
[[claim]]
id = "toy.{metric}"
section = "Results"
role = "prediction"
metric = "{metric}"
relation = "value"
run = {{ scenario = "{scenario}", {run} }}
published = {published}
"""
SEARCH = 'at = "within", within = "2 ms"'


def claim(run=SEARCH, metric="iops", published=10_000, scenario="toy"):
    return CLAIM.format(run=run, metric=metric, published=published, scenario=scenario)


@pytest.fixture
def folder(tmp_path):
    def write(*claims):
        (tmp_path / "toy-2000.toml").write_text(HEAD + "\n".join(claims))
        return tmp_path

    return write


class Searching(Toy):
    """The toy at 2, beside another load, with 1 and 4 measured on the way; or without an answer."""

    def __init__(self, answer: int | None = 2):
        super().__init__()
        self.answer = answer

    def __call__(self, job: Job) -> Result:
        self.ran.append(job)
        points = []
        for outstanding in (1, 2, 4):
            (point,) = result(outstanding * 1000.0).points
            points += [
                replace(point, load="beside", converged=outstanding == 2),
                replace(point, outstanding=outstanding, converged=outstanding == 2),
            ]
        found = Highest("toy", 2.0, None, 4)
        if self.answer is not None:
            found = replace(found, outstanding=self.answer, iops=points[2].iops)
        return replace(result(1.0), points=points, highest=found)


def test_a_claim_takes_all_loads_at_the_point_that_the_search_came_to(folder):
    report = validate(folder=folder(claim(published=4000)), simulate=Searching())
    (verdict,) = report.verdicts
    assert (verdict.simulated, verdict.holds, verdict.converged) == (4000, True, True)


def test_a_claim_without_answer_has_no_number_and_does_not_hold(folder):
    report = validate(folder=folder(claim()), simulate=Searching(None))
    (verdict,) = report.verdicts
    assert (verdict.simulated, verdict.holds) == (None, False)


def test_claims_about_several_metrics_share_one_search(folder):
    toy = Searching()
    other = 'at = "within", within = "3 ms"'
    report = validate(
        folder=folder(claim(), claim(metric="mbps"), claim(other, metric="latency")), simulate=toy
    )
    assert toy.ran == [Job("toy", (), (1, 2, 4), Latency(ms)) for ms in ("2 ms", "3 ms")]
    assert report.runs == 2


def test_a_result_without_search_counts_with_all_its_points():
    plain = result(5.0)
    assert points_of(plain) == plain.points


def test_the_command_repeats_the_search(folder):
    text = claim(f'set = ["load.size=4 KiB"], {SEARCH}, within_percentile = "99 %", over = [1, 64]')
    (found,) = validate(folder=folder(text), simulate=Searching()).to_dict()["claims"]
    assert found["within"] == "2 ms"
    assert found["outstanding"] == [1, 64]
    assert found["commands"] == [
        "raidsim run toy --set 'load.size=4 KiB' --set 'load.outstanding=[1, 64]'"
        " --set 'load.within=2 ms' --set 'load.within_percentile=99 %'"
    ]


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ('at = "within"', "belong together"),
        ('at = 1, within = "2 ms"', "belong together"),
        ('at = 1, within_percentile = "99 %"', "has no effect without within"),
        ('at = "within", within = "2 KiB"', '"KiB" is a unit of size'),
        ('at = "within", within = "2 ms", within_percentile = "99"', "has no unit"),
        ('at = "wihtin", within = "2 ms"', '"max", "mean", "each" or "within"'),
    ],
)
def test_a_search_that_cannot_be_made_is_refused_with_its_line(folder, run, message):
    with pytest.raises(InputError) as caught:
        schema.load(folder(claim(run)))
    assert message in str(caught.value)
    assert "toy-2000.toml:" in str(caught.value)


def test_a_shape_has_no_latency_to_stay_within(folder):
    text = (
        claim()
        .replace('"value"', '"shape"')
        .replace("published = 10000", 'shape = { is = "rises" }')
    )
    with pytest.raises(InputError, match=r'nothing of "at", "within".* beside a shape'):
        schema.load(folder(text))


def test_the_simulator_finds_what_a_run_of_the_same_finds(folder):
    quick = ["load.area.size=1 GiB", "measure.precision=5 %", "measure.min_ios=2000"]
    words = ", ".join(f'"{one}"' for one in quick)
    text = claim(f"set = [{words}], {SEARCH}, over = [64, 512]", scenario="p3700-database")
    (verdict,) = validate(folder=folder(text)).verdicts
    overrides = [*quick, "load.outstanding=[64, 512]", "load.within=2 ms"]
    found = run(load_scenario("p3700-database", overrides=overrides)).highest
    assert found.latency_ms <= 2 < found.exceeded_at / found.iops.mean * 1000 * 1.05
    assert verdict.simulated == found.iops.mean
