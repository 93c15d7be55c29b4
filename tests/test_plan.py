"""Plans: the front against brute force, and needs that cannot be met."""

from __future__ import annotations

import errno
import itertools
import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from small_need import NEED, PRICES, at, changed, of, refusal

import raidsim
from raidsim import Scenario, cli
from raidsim.planning import checked as checks
from raidsim.planning import coarse, levers, reference, runs
from raidsim.planning.arithmetic import Arithmetic
from raidsim.planning.choice import Shape, space_of
from raidsim.planning.front import Aims, front
from raidsim.planning.need import Need, need_of, read_need
from raidsim.planning.planner import plan
from raidsim.planning.prices import Prices, read_prices
from raidsim.planning.runs import Runner
from raidsim.report import plan_plot
from raidsim.report.panels import LIGHT

ROOT = Path(__file__).parent.parent

FEW = {"IOS": 4000, "TRIAL_IOS": 2000, "REBUILD_IOS": 2000, "TRIALS": 2}


# ---- the front


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 5), max_size=30))
def test_the_front_is_what_nothing_is_better_than(rows):
    steps = np.array(rows, np.int32).reshape(-1, 5)
    kept = front(steps)

    def better(one, other):
        return all(a <= b for a, b in zip(one, other, strict=True)) and one != other

    expected = [
        n for n, row in enumerate(rows)
        if not any(better(other, row) for other in rows) and row not in rows[:n]
    ]  # fmt: skip
    assert list(kept) == expected


def brute_force(need: Need, prices: Prices) -> set[tuple[str, ...]]:
    """The front of all designs, each with all its runs, by the definition."""
    arithmetic = Arithmetic(need, space_of(need), prices)
    runner = Runner(need, workers=1)
    field = coarse.Field.of(arithmetic, runner, Aims(5e-3 / 20, checks.cap_of(need), 1e-6))
    designs = [arithmetic.space.design(int(number)) for number in field.numbers]
    ran = checks.exact(designs, need, runner, settled=True)
    most = [at(arithmetic, arithmetic.bounds.rate, one.number) for one in designs]
    held = checks.headrooms(designs, ran, need, runner, most)
    days = checks.bad_days(designs, need, runner)
    found = [
        checks.check(design, arithmetic, one, headroom, day, field.watts(place, one))
        for place, (design, one, headroom, day) in enumerate(
            zip(designs, ran, held, days, strict=True)
        )
    ]
    good = [one for one in found if not one.lacks]
    steps = field.aims.steps(np.array([checks.aims(one) for one in good]))
    return {
        tuple(steps[n])
        for n in range(len(good))
        if not any(
            (steps[m] <= steps[n]).all() and (steps[m] < steps[n]).any() for m in range(len(good))
        )
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A small plan with its store, its need and its prices."""
    folder = tmp_path_factory.mktemp("plan")
    (folder / "need.toml").write_text(f'prices = "prices.toml"\n{NEED}')
    (folder / "prices.toml").write_text(PRICES)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in FEW.items():
            patch.setattr(checks, name, value)
        patch.setattr(coarse, "IOS", 1500)
        found = plan(folder / "need.toml", unknowns=0, workers=1, store=folder / "store.sqlite")
        with pytest.MonkeyPatch.context() as nothing_runs:
            nothing_runs.setattr(runs, "measured", None)
            again = plan(folder / "need.toml", unknowns=0, workers=1, store=folder / "store.sqlite")
        need = read_need(folder / "need.toml")
        expected = brute_force(need, read_prices(folder / "prices.toml"))
    return found, again, expected, folder


def test_the_planner_finds_the_front_that_brute_force_finds(small):
    found, _, expected, _ = small
    aims = Aims(5e-3 / 20, checks.cap_of(need_of(NEED)), 1e-6)
    rows = [[one.cost.total, one.watts, one.mean, one.headroom, one.loss] for one in found.front]
    assert {tuple(row) for row in aims.steps(np.array(rows))} == expected
    costs = [one.cost.total for one in found.front]
    assert costs == sorted(costs)


def test_a_plan_with_a_store_is_not_run_again_and_says_the_same(small):
    found, again, _, _ = small
    assert sum(stage.runs for stage in found.funnel) > 0
    assert found.to_json() == again.to_json()


def test_the_funnel_loses_no_design(small):
    found, *_ = small
    stages = found.funnel
    assert stages[0].came == found.designs
    for before, after in itertools.pairwise(stages):
        assert after.came == before.left
    assert stages[-1].left == len(found.front)


def test_each_design_of_the_front_is_a_scenario_that_keeps_the_need(small):
    found, *_ = small
    for one in found.front:
        written = Scenario.from_text(_text(one))
        assert written.resolved() == one.scenario.resolved()
        assert written.volumes[0].capacity == one.usable
        assert one.usable >= 10e12
        assert one.healthy.over <= 1
        assert one.degraded.over <= 1


def _text(one) -> str:
    from raidsim.report import toml_text

    return toml_text.render(one.scenario.source.file.data)


def test_a_plan_says_of_every_design_where_it_fell(small):
    found, *_ = small
    numbers = [one.number for one in found.front]
    said = {number: found.why(number) for number in range(found.designs)}
    assert said[0] == found.why("0")
    assert any("None is neither the number" in one for one in refusal(found.why, None))
    assert [n for n, text in said.items() if "is on the front" in text] == sorted(numbers)
    assert all("\n" in text for text in said.values())
    assert "capacity 5.76 TB, and 10 TB are needed" in found.why(
        "drive=micron-5100-eco-1920gb, level=raid10, drives=6, spares=0"
    )
    assert any('did you mean "level"?' in one for one in refusal(found.why, "levl=raid6"))
    assert "there is no design 99999" in refusal(found.why, "99999")[0]


# ---- needs that cannot be met


def test_what_cannot_be_met_says_what_is_nearest_and_which_limit_it_is(tmp_path, capsys):
    path = tmp_path / "need.toml"
    path.write_text(changed(rate='"100000000 IO/s"', read='"100 %"'))
    designs = tmp_path / "designs"
    designs.mkdir()
    (designs / "design-3.toml").write_text("# of a plan that was made before\n")
    targets = ["--json", str(tmp_path / "plan.json"), "--output", str(designs)]
    with pytest.raises(SystemExit) as ended:
        cli.main(["plan", str(path), *targets, "--why", "level=raid10"])
    assert ended.value.code == 1
    told, besides = capsys.readouterr()
    assert "of an earlier plan, and not of this one: design-3.toml" in besides
    assert "no design meets the need" in told
    assert "rate is missed" in told
    assert "; it was not run, so whether it keeps rate and latency is not known" in told
    assert "whether runs would keep them is not known. The cheapest: rate" in told
    assert "dropped by bounds: rate" in told
    written = json.loads((tmp_path / "plan.json").read_text())
    assert written["front"] == []
    assert written["nearest"]["lacks"]["rate"] > 2


def test_a_full_disk_does_not_take_the_plan_from_the_user(tmp_path, capsys, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "need.toml"
    path.write_text(changed(rate='"100000000 IO/s"', read='"100 %"'))
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(SystemExit):
        cli.main(["plan", str(path), "--json", str(tmp_path / "plan.json")])
    told, besides = capsys.readouterr()
    assert "no design meets the need" in told
    assert "no space left on device" in besides


def test_a_limit_costs_what_the_best_design_without_it_would_save():
    arithmetic = of(changed(failures="2"))
    costs = {
        number: at(arithmetic, arithmetic.cost, number) for number in range(arithmetic.space.size)
    }
    kept = arithmetic.kept().ravel()
    best = min(cost for number, cost in costs.items() if kept[number])
    without = arithmetic.kept("failures survived").ravel() & ~kept
    cheapest = min((cost for number, cost in costs.items() if without[number]), default=math.inf)
    told = {one.limit: one.best for one in levers.levers(arithmetic)}
    assert ("failures survived" in told) == (cheapest < best * 0.995)
    assert all(value < best for value in told.values())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing.toml"], "nothing.toml: no such file"),
        (["database-40"], 'did you mean "database-40tb"?'),
        (["database-40tb", "--unknowns", "3"], "3 is too few draws; give 10 to"),
        (["database-40tb", "--prices", "none.toml"], "none.toml: no such file"),
        (["database-40tb", "--plot", "x.pdf"], "write a name that ends in .png or .svg"),
    ],
)
def test_a_mistake_on_the_command_line_is_told_in_a_line(arguments, told, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["plan", *arguments])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert told in error
    assert "Traceback" not in error


def test_from_python_a_need_is_a_path():
    assert "plan(): need: 5 is neither a path nor a need" in refusal(raidsim.plan, 5)[0]


@pytest.mark.parametrize(
    ("shape", "failures"),
    [
        (Shape("raid0", 8), 0),
        (Shape("raid5", 8), 1),
        (Shape("raid6", 8), 2),
        (Shape("raid50", 8, 2), 1),
        (Shape("raid60", 8, 2), 2),
        (Shape("raid10", 6, 1, 3), 2),
    ],
)
def test_a_shape_survives_what_its_level_does(shape, failures):
    assert shape.failures == failures


def test_the_reference_page_of_needs_is_current():
    page = Path(__file__).parents[1] / "docs" / "reference" / "need.md"
    assert page.read_text("utf-8") == reference.markdown(), "run: python docs/reference/generate.py"


def test_points_of_a_front_lie_within_the_frame_of_the_picture():
    """Two designs that are nearly as slow as each other, far from zero."""
    designs = [
        SimpleNamespace(mean=mean, watts=watts, cost=None, last_drives=drives)
        for mean, watts, drives in ((295e-6, 140.0, 28), (300.6e-6, 139.0, 24))
    ]
    found = SimpleNamespace(front=designs, currency=None)
    axes = Figure().add_subplot()
    for draw in (plan_plot.draw_latency, plan_plot.draw_power):
        axes.clear()
        draw(axes, found, LIGHT)
        (points,) = axes.lines
        bottom, top = axes.get_ylim()
        assert bottom == 0
        assert max(points.get_ydata()) < 0.95 * top
