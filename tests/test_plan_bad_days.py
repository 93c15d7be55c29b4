"""Plans: what a run of several arrays, and of the days after a failure, tells."""

from __future__ import annotations

import math

import pytest

from raidsim.planning import checked as checks
from raidsim.planning import coarse
from raidsim.planning.arithmetic import LOSS, Arithmetic
from raidsim.planning.choice import space_of
from raidsim.planning.design import data_of, scenario_of
from raidsim.planning.need import need_of
from raidsim.planning.planner import plan
from raidsim.planning.runs import DONE, Measured, Runner, of_points
from raidsim.running import measure_points

NEED = """
title = "disks that are read"
[need]
capacity = "40 TB"
growth = "60 %"
years = 4
failures = 1
[[load]]
name = "files"
read = "90 %"
size = "64 KiB"
rate = "100 IO/s"
[[latency]]
within = "200 ms"
when = ["healthy", "degraded", "rebuilding"]
[choice]
drives = ["seagate-st8000nm000a"]
levels = ["raid5"]
counts = [6]
controllers = ["broadcom-megaraid-9670w-16i"]
writes = ["through"]
hosts = ["linux-xeon-e5-pair"]
spares = 0
arrays = [1, 2]
"""


@pytest.fixture(scope="module")
def need():
    return need_of(NEED)


def designs(need):
    space = space_of(need)
    return {one.arrays: one for one in map(space.design, range(2))}


def phases_of(data, need):
    scenario = scenario_of(data, need)
    points, _ = measure_points(scenario)
    (point,) = points
    return point.course.phases, of_points(scenario, points)


def test_the_power_of_two_arrays_is_that_of_the_drives_of_both(need):
    one, two = designs(need)[1], designs(need)[2]
    alone, both = Runner(need, workers=1).run(
        [data_of(one, need, factor=0.5), data_of(two, need)]  # the same load of each array
    )
    assert both.watts == pytest.approx(2 * alone.watts, rel=0.02)
    assert both.watts > 12 * one.drive.number("power.idle")


def test_the_latency_while_a_drive_is_rebuilt_is_of_that_time_alone(need, monkeypatch):
    """The rebuild of a sample is over long before the run is, and the array healthy again."""
    monkeypatch.setattr(checks, "REBUILD_IOS", 3000)
    phases, told = phases_of(checks.rebuilding_of(designs(need)[1], need), need)
    healths = [phase.health["data"] for phase in phases]
    assert healths == ["optimal", "rebuilding", "optimal"]
    assert told.latency["read"]["mean"] == pytest.approx(phases[1].latency_ms["read"].mean / 1000)


def test_a_design_that_wins_is_rebuilt_for_most_of_the_time_that_it_is_watched(need, monkeypatch):
    monkeypatch.setattr(checks, "REBUILD_IOS", 3000)
    design = designs(need)[1]
    runner = Runner(need, workers=1)
    (data,) = checks.rebuilding_throughout([design], need, runner)
    phases, told = phases_of(data, need)
    (long,) = [one for one in phases if one.health["data"] == "rebuilding"]
    assert long.end_s - long.start_s > 0.7 * (phases[-1].end_s - phases[0].start_s)
    ((_, rebuilding, seconds),) = checks.bad_days([design], need, runner)
    assert rebuilding.latency == told.latency
    assert seconds == told.rebuild
    (missing,) = runner.settled([checks.degraded_of(design, need)])
    worst = rebuilding.worst("mean")[0]
    assert worst > missing.worst("mean")[0]  # which has no rebuild beside it


def test_an_array_that_growth_adds_loses_nothing_before_it_is_there(need):
    arithmetic = Arithmetic(need, space_of(need), None)
    design = designs(need)[1]
    healthy = Measured(DONE, carried=1.0)
    missing = (healthy, healthy, 36_000.0)
    found = checks.check(design, arithmetic, healthy, (1e9, False), missing, 30.0)
    assert found.arrays == (1, 2, 3, 5, 7)
    one = checks.chance_of_loss(design.drive, design.shape, 0, 36_000.0, 4)
    years = [checks.chance_of_loss(design.drive, design.shape, 0, 36_000.0, n) for n in (1, 2, 3)]
    kept = (1 - one) ** 2 * (1 - years[2]) * (1 - years[1]) ** 2 * (1 - years[0]) ** 2
    assert found.loss == pytest.approx(1 - kept, rel=0.02)
    least = float(arithmetic.loss.ravel()[design.number])
    assert least <= found.loss * (1 + 1e-4)
    assert LOSS not in found.lacks
    assert math.isfinite(found.loss)


def test_without_prices_designs_do_not_cost_about_the_same(monkeypatch):
    """The two first ones are compared by their drives then."""
    for name, value in {"IOS": 2000, "TRIAL_IOS": 600, "REBUILD_IOS": 300, "TRIALS": 1}.items():
        monkeypatch.setattr(checks, name, value)
    monkeypatch.setattr(coarse, "IOS", 1000)
    text = NEED.replace('["raid5"]', '["raid6", "raid10"]').replace("[6]", "[8]")
    text = text.replace("40 TB", "20 TB").replace("60 %", "0 %").replace("[1, 2]", "1")
    found = plan(need_of(text), unknowns=10, workers=1)
    assert [one.keys["level"] for one in found.front] == ["raid10", "raid6"]
    assert "take about as many drives, and" in found.settles
