"""Plans measure designs of the front with caches settled, or say that they have not."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from raidsim import run
from raidsim.planning import checked as checks
from raidsim.planning import coarse, runs
from raidsim.planning.arithmetic import Arithmetic
from raidsim.planning.choice import space_of
from raidsim.planning.design import data_of
from raidsim.planning.front import Aims
from raidsim.planning.need import need_of
from raidsim.planning.planner import plan
from raidsim.planning.runs import (
    DONE,
    SATURATED,
    Measured,
    Runner,
    longer,
    measured,
    of_points,
    until_settled,
)
from raidsim.report import plan_text
from raidsim.scenario import load_text

CARD = Path(__file__).parent.parent / "models" / "broadcom-megaraid-9670w-16i.toml"
SMALL = 'size = { value = 512, unit = "MiB", source = "assumed", note = "a test" }'
NEED = """
title = "disks behind a cache"
[need]
capacity = "30 TB"
years = 1
failures = 2
[[load]]
read = "70 %"
random = "95 %"
size = "8 KiB"
rate = "1000 IO/s"
[[latency]]
within = "200 ms"
[choice]
drives = ["seagate-st8000nm000a"]
levels = ["raid6"]
counts = [6, 12]
controllers = ["./small.toml"]
hosts = ["linux-xeon-e5-pair"]
spares = 0
arrays = 1
"""


@pytest.fixture
def need(tmp_path, monkeypatch):
    """A need whose controller's cache of 512 MiB is full after some ten thousand I/Os.

    Not all of them are random, so the cache is not filled at once.
    Runs are shorter, as they are beside a cache of 8 GiB.
    """
    small, count = re.subn(r"(?m)^size = .*$", SMALL, CARD.read_text("utf-8"), count=1)
    assert count == 1
    (tmp_path / "small.toml").write_text(small.replace("broadcom-megaraid-9670w-16i", "small"))
    for name, value in {"IOS": 6000, "TRIAL_IOS": 3000, "REBUILD_IOS": 600, "TRIALS": 2}.items():
        monkeypatch.setattr(checks, name, value)
    monkeypatch.setattr(coarse, "IOS", 2000)
    return need_of(NEED, folder=tmp_path)


def test_a_design_does_not_fall_while_its_full_cache_drains(need, tmp_path):
    """Random writes begin with a full cache, and twelve disks are busy for a while to drain it.

    Read latencies are above 200 ms meanwhile, and 25 ms from then on.
    """
    text = NEED.replace('random = "95 %"\n', "").replace("1000 IO/s", "500 IO/s")
    need = need_of(text.replace("200 ms", "50 ms"), folder=tmp_path)
    limits, space = need.limits("healthy"), space_of(need)
    designs = [space.design(number) for number in range(space.size)]
    (back,) = [one for one in designs if (one.shape.drives, one.place.write) == (12, "back")]
    measure = {"min_ios": 2000, "max_ios": 2000}
    short = data_of(back, need, spares=False, measure=measure)
    runner = Runner(need, workers=1)
    ((early,), (late,)) = runner.run([short]), runner.drained([short], limits)
    assert early.over(limits) > coarse.DOUBT
    assert early.unsettled
    assert late.over(limits) < 0.8
    assert not late.unsettled
    found = plan(need, unknowns=10, workers=1)
    (one,) = [one for one in found.front if one.keys["write"] == "back"]
    assert one.keys["drives"] == "12"
    assert one.mean == pytest.approx(late.worst("mean")[0], rel=0.2)
    assert one.chance > 0.5  # draws are run until they have drained, too
    assert 1.2 < one.headroom < 2  # trials as well
    factors = one.headroom, 2 * one.headroom
    asked = [data_of(back, need, factor=each, spares=False, measure=measure) for each in factors]
    held, missed = runner.run([longer(data, watched=False) for data in asked])
    assert held.over(limits) <= 1 < missed.over(limits)


def test_no_design_of_the_front_is_one_that_a_longer_run_calls_saturated(need):
    """Six disks carry 1,000 I/Os a second only for as long as the cache takes up the writes."""
    six = space_of(need).design(1)
    assert (six.shape.drives, six.place.write) == (6, "back")
    (short,) = checks.exact([six], need, Runner(need, workers=1))
    assert short.over(need.limits("healthy")) <= 1
    assert "the cache of controller" in short.unsettled
    found = plan(need, unknowns=0, workers=1)
    assert {one.keys["drives"] for one in found.front} == {"12"}
    for one in found.front:
        ran = measured(until_settled(one.scenario))
        assert ran.carries
        assert ran.unsettled == one.healthy.unsettled == ""
        assert one.mean == pytest.approx(ran.worst("mean")[0], rel=0.2)
    assert "dropped in exact runs: rate or latency" in found.why("drives=6, write=back")


def test_a_plan_says_of_which_designs_caches_had_not_settled(need, monkeypatch):
    monkeypatch.setattr(runs, "MOST_IOS", 6100)
    found = plan(need, unknowns=0, workers=1)
    six = next(one for one in found.front if one.keys["drives"] == "6")
    said = [one for one in plan_text.sentences(found) if one.startswith(f"{six.number}, with all")]
    assert len(said) == 1
    assert "what is dirty in the cache of controller had not settled after" in said[0]
    assert "its figures may become worse later" in said[0]


class Told(Runner):
    """Runs that came to what is said here: first with a drive missing, then the rebuild."""

    def __init__(self, need, *ran: Measured) -> None:
        super().__init__(need, workers=1)
        self.ran = list(ran)

    def run(self, asked):
        return [Measured(DONE, carried=1.0) for _ in asked]  # of a small sample: no time is told

    def settled(self, asked):
        return [self.ran.pop(0) for _ in asked]


def test_a_rebuild_of_which_a_run_saw_a_step_has_no_time(need):
    design = space_of(need).design(1)
    missing = Measured(DONE, carried=1.0)
    step = Measured(DONE, carried=1.0, rebuild=18_314_124.75, rebuilt=0.04)
    ((_, _, seconds),) = checks.bad_days([design], need, Told(need, missing, step))
    assert seconds == math.inf
    half = Measured(DONE, carried=1.0, rebuild=36_000.0, rebuilt=0.5)
    ((_, _, seconds),) = checks.bad_days([design], need, Told(need, missing, half))
    assert seconds == 36_000


def test_a_rebuild_beside_a_load_that_is_not_carried_does_not_come_on(need):
    design = space_of(need).design(1)
    missing = Measured(SATURATED, carried=0.9)
    (day,) = checks.bad_days([design], need, Told(need, missing))
    assert day == (missing, missing, math.inf)
    assert plan_text.hours(math.inf) == "never"


def test_a_longer_run_watches_a_rebuild_for_longer(need):
    short = checks.rebuilding_of(space_of(need).design(1), need)
    long = longer(short)["measure"]
    assert long["min_ios"] == short["measure"]["min_ios"]
    assert long["max_ios"] == runs.MOST_IOS
    assert short["measure"]["duration"] == "1.2 s"
    assert long["duration"] == "30 s"
    assert longer(short, watched=False)["measure"]["duration"] == "1.2 s"


def test_what_a_design_had_beaten_is_open_again_once_it_turns_out_worse(need):
    arithmetic = Arithmetic(need, space_of(need), None)
    field = coarse.Field.of(arithmetic, Runner(need, workers=1), Aims(1e-4, 3.0, 1e-6))
    field.state[:3] = coarse.RUN, coarse.BEATEN, coarse.BEATEN
    field.by[1:3] = 0, 2
    worse = Measured(DONE, carried=1.0, utilisation=0.5)
    field.correct(0, worse, 0.9)
    assert field.state[:3].tolist() == [coarse.RUN, coarse.OPEN, coarse.BEATEN]
    assert (field.measured[0], field.over[0], field.estimate(0)) == (worse, 0.9, 1.9)


DISK = """
[host]
model = "cisco-ucs-c240-m4"
[[volume]]
drive = "cisco-hdd-600gb-15k"
[[load]]
read = "100 %"
size = "8 KiB"
rate = "50 IO/s"
[measure]
min_ios = 200
max_ios = 400
"""


@pytest.mark.parametrize(
    ("mean", "high", "carried"),
    [
        (950.0, 1010.0, 1.0),  # 5 % are missing, and the interval holds what was asked for
        (950.0, 990.0, 0.95),  # it does not
        (950.0, None, 0.95),  # nothing is known of chance
        (700.0, 1100.0, 0.7),  # more is missing than arrivals of a short window may
        (1040.0, 1080.0, 1.0),
    ],
)
def test_arrivals_that_chance_kept_away_count_as_carried(mean, high, carried):
    """The share of 1,000 IO/s that a design carries in a short window of random arrivals."""
    scenario = load_text(DISK)
    (point,) = run(scenario).points
    rate = replace(point.iops, mean=mean, low=None, high=high)
    point = replace(point, iops=rate, rate=1000.0, workers=1, saturated=False)
    assert of_points(scenario, [point]).carried == pytest.approx(carried)
