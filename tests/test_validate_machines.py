"""Claims about machines that boot, about means over a curve, and about the mean of two runs."""

from dataclasses import replace

import pytest
from toy_drive import Toy, result

from raidsim.errors import InputError
from raidsim.result import MachineUse
from raidsim.validate import schema
from raidsim.validate.claims import Claim, Measurement, Performance
from raidsim.validate.verdict import judge

TOP = """
document = "storms"
title = "Storms"
intensities = [1, 2, 4]
[tolerance]
value = 0.1
about = 0.1
ratio = 0.1
equal = 0.1
shape = 0.1
why = "for tests"

[[claim]]
id = "one"
section = "somewhere"
role = "prediction"
relation = "value"
published = 1
"""


def storm(*ready):
    """A result of one group of machines that were ready at these times."""
    one = result(1.0)
    use = MachineUse(len(ready), list(ready), None, None, [])
    return replace(one, points=[replace(one.points[0], machines=use)])


def simulated(metric, moment, *results, relation="value", **keys):
    """The number that stands against a claim whose runs have these results."""
    run = Measurement("toy", (), metric, (None,), "at", moment=moment, **keys)
    jobs = run.jobs()
    claim = Claim(
        "toy", "toy", "", relation, "prediction", 1.0, 0.0, 0.1, "", Performance(run), "s"
    )
    return judge(claim, dict(zip(jobs, results, strict=True)), lambda *_: None).simulated


def written(tmp_path, lines):
    path = tmp_path / "storms.toml"
    path.write_text(TOP + lines)
    return schema.load_file(path)


def test_a_share_counts_who_is_ready_by_then():
    storms = storm(10.0, 20.0, 30.0, None)
    assert simulated("ready_share", 20.0, storms) == 50.0
    assert simulated("ready_share", 100.0, storms) == 75.0
    assert simulated("ready_share", 5.0, storms) == 0.0


def test_a_time_is_that_of_the_machine_that_completes_the_share():
    storms = storm(40.0, 10.0, 30.0, 20.0)
    assert simulated("ready_time", 0.5, storms) == 20.0
    assert simulated("ready_time", 0.51, storms) == 30.0
    assert simulated("ready_time", 1.0, storms) == 40.0
    assert simulated("ready_time", 1.0, storm(1.0, None)) is None


def test_a_mean_needs_all_machines():
    assert simulated("ready_mean", None, storm(10.0, 20.0)) == 15.0
    assert simulated("ready_mean", None, storm(10.0, None)) is None
    assert simulated("ready_mean", None, result(5.0)) is None


def test_groups_of_one_storm_count_together():
    both = storm(10.0, 30.0)
    both = replace(both, points=[*both.points, *storm(50.0, 70.0).points])
    assert simulated("ready_share", 30.0, both) == 50.0
    assert simulated("ready_mean", None, both) == 40.0


def test_on_average_means_the_mean_over_the_curve_and_of_a_ratio_the_mean_of_the_ratios():
    run = Measurement("toy", (), "iops", (1, 2), "mean")
    against = Measurement("other", (), "iops", (1, 2), "mean")
    results = dict(zip(run.jobs(), map(result, (100.0, 300.0)), strict=True))
    results |= dict(zip(against.jobs(), map(result, (50.0, 100.0)), strict=True))

    def number(subject):
        claim = Claim("toy", "toy", "", "ratio", "prediction", 1.0, 0.0, 0.1, "", subject, "1")
        return judge(claim, results, lambda *_: None).simulated

    assert number(Performance(run)) == 200.0
    assert number(Performance(run, against)) == (2.0 + 3.0) / 2


def test_the_mean_of_two_runs_needs_both_and_says_how_to_run_them():
    run = Measurement("toy", ("load.read=100 %",), "iops", (64,), "at", also=("load.random=0 %",))
    first, second = run.jobs()
    assert second.overrides == ("load.read=100 %", "load.random=0 %")
    assert [" ".join(words) for words in run.commands()] == [
        "raidsim run toy --set load.read=100 % --set load.outstanding=64",
        "raidsim run toy --set load.read=100 % --set load.random=0 % --set load.outstanding=64",
    ]
    claim = Claim(
        "toy", "toy", "", "value", "prediction", 1.0, 0.0, 0.1, "", Performance(run), "IO/s"
    )
    results = {first: result(100.0), second: result(300.0)}
    assert judge(claim, results, lambda *_: None).simulated == 200.0


def test_a_file_says_when_a_share_is_read(tmp_path):
    (claim,) = written(
        tmp_path, 'metric = "ready_share"\nrun = { scenario = "toy", time = "80 s" }\n'
    )
    assert claim.subject.run.moment == 80.0
    assert claim.kind == "boot"
    assert [job.outstanding for job in claim.jobs()] == [None]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('metric = "ready_share"\nrun = { scenario = "toy" }', '"time" beside ready_share'),
        ('metric = "ready_time"\nrun = { scenario = "toy", time = "1 s" }', "beside ready_time"),
        ('metric = "iops"\nrun = { scenario = "toy", share = "50 %" }', "and nowhere else"),
        (
            'metric = "iops"\nrun = { scenario = "toy", at = "each", also = ["a=1"] }',
            "one figure of both",
        ),
    ],
)
def test_a_claim_that_says_too_little_or_too_much_is_refused(tmp_path, lines, message):
    with pytest.raises(InputError, match=r"storms\.toml") as caught:
        written(tmp_path, lines)
    assert message in str(caught.value)


def test_the_toy_runs_what_a_mean_needs():
    toy = Toy()
    run = Measurement("toy", (), "iops", (1, 2, 4), "mean")
    assert [toy(job).points[0].iops.mean for job in run.jobs()] == [10_000, 20_000, 40_000]
