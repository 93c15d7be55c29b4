"""Claims about a toy: as files have them, and as objects with a verdict."""

from toy_drive import result

from raidsim.validate.claims import Claim, Measurement, Performance
from raidsim.validate.verdict import judge

HEAD = """\
document = "toy-2000"
title = "A toy"
intensities = [1, 2, 4]

[tolerance]
value = 0.05
about = 0.05
ratio = 0.05
equal = 0.05
shape = 0.02
why = "as well as a toy is known"

"""


def no_card(value, unit):
    return None


def run(reduction="at", at=(1,), scenario="toy", metric="iops"):
    return Measurement(scenario, (), metric, at, reduction)


def claim(relation, published=1.0, *, subject=None, rounding=0.0, tolerance=0.05):
    return Claim(
        id="toy.claim",
        document="toy",
        section="somewhere",
        relation=relation,
        role="calibration",
        published=published,
        rounding=rounding,
        tolerance=tolerance,
        why="",
        subject=subject or Performance(run()),
        unit="IO/s",
    )


def verdict(claim, curve):
    """Judge a claim when the intensities give the throughputs of `curve`, run for run."""
    jobs = list(claim.jobs())
    results = {job: result(iops) for job, iops in zip(jobs, curve, strict=True)}
    return judge(claim, results, no_card)
