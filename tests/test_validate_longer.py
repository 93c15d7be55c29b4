"""Runs of claims that do not converge are run again with their bounds widened, and no others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy_claims import HEAD
from toy_drive import result

from raidsim.validate import validate
from raidsim.validate.systems import Systems

CLAIM = """
[[claim]]
id = "toy.{name}"
section = "Results"
role = "prediction"
metric = "iops"
relation = "value"
run = {{ scenario = "p3700-database", set = ["measure.max_ios={ios}"], {at} }}
published = 400
"""


class Noisy:
    """Gives 100 IO/s for each outstanding I/O; from four on it converges with more than 5000."""

    def __init__(self, **changes):
        self.changes = changes
        self.ran = []

    def __call__(self, job):
        self.ran.append(job)
        more = any(one.startswith("measure.max_ios=800000") for one in job.overrides)
        points = []
        for number in job.numbers or (4,):
            ios = 100.0 * number + (1 if more else 0)
            (point,) = result(ios, converged=number < 4 or more).points
            points.append(replace(point, outstanding=number, **self.changes))
        return replace(result(1.0), points=points)


@pytest.fixture
def judged(tmp_path):
    def judge(toy, *claims):
        (tmp_path / "toy-2000.toml").write_text(HEAD + "".join(claims))
        report = validate(folder=tmp_path, simulate=toy, systems=Systems(), planning=False)
        return report.verdicts, report

    return judge


def claim(name="one", ios=200000, at="at = 4"):
    return CLAIM.format(name=name, ios=ios, at=at)


def test_what_did_not_converge_is_run_again_for_four_times_as_long(judged):
    toy = Noisy()
    (verdict,), report = judged(toy, claim())
    assert (verdict.converged, verdict.simulated) == (True, 401)
    assert [job.overrides[1:] for job in toy.ran] == [
        (), ("measure.max_ios=800000", "measure.max_time=2400 s")
    ]  # fmt: skip
    assert report.runs == 2


def test_of_a_sweep_only_the_points_in_question(judged):
    toy = Noisy()
    (verdict,), _ = judged(toy, claim(at='at = "max", over = [1, 2, 4, 8]'))
    assert (verdict.converged, verdict.simulated) == (True, 801)
    assert [job.numbers for job in toy.ran] == [(1, 2, 4, 8), (4, 8)]


def test_the_commands_say_how_long_it_was_run(judged):
    (verdict, other), report = judged(Noisy(), claim(), claim("two", at="at = 1"))
    listed = {one["id"]: one["commands"] for one in report.to_dict()["claims"]}
    assert listed["toy.one"] == [
        "raidsim run p3700-database --set measure.max_ios=200000 --set measure.max_ios=800000"
        " --set 'measure.max_time=2400 s' --set load.outstanding=4"
    ]
    assert "800000" not in listed["toy.two"][0]
    assert verdict.widened
    assert not other.widened


def test_what_does_not_converge_after_that_is_said_and_left(judged):
    toy = Noisy()
    (verdict,), _ = judged(toy, claim(ios=300000))
    assert not verdict.converged
    assert len(toy.ran) == 2


def test_longer_does_not_help_what_is_saturated(judged):
    toy = Noisy(saturated=True)
    (verdict,), _ = judged(toy, claim())
    assert not verdict.converged
    assert len(toy.ran) == 1
