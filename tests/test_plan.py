"""Plans: what is read, what arithmetic and bounds say, and the front against brute force."""

from __future__ import annotations

import errno
import itertools
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

import raidsim
from raidsim import InputError, Scenario, cli
from raidsim.planning import checked as checks
from raidsim.planning import coarse, levers, reference, runs
from raidsim.planning.arithmetic import Arithmetic, chance_of_loss
from raidsim.planning.choice import Shape, space_of
from raidsim.planning.design import data_of, scenario_of
from raidsim.planning.front import Aims, front
from raidsim.planning.need import Need, find, names, need_of, read_need
from raidsim.planning.planner import plan
from raidsim.planning.prices import Prices, prices_of, read_prices
from raidsim.planning.runs import Runner, measured
from raidsim.report import plan_plot
from raidsim.report.findings import findings
from raidsim.report.panels import LIGHT
from raidsim.risk.assess import assess

ROOT = Path(__file__).parent.parent

NEED = """
title = "a small database"
[need]
capacity = "10 TB"
growth = "20 %"
years = 3
failures = 1
[[load]]
name = "database"
read = "70 %"
size = "8 KiB"
rate = "15000 IO/s"
[[latency]]
within = "5 ms"
when = ["healthy", "degraded"]
[choice]
drives = ["samsung-pm9a3-7680gb", "micron-5100-eco-1920gb"]
levels = ["raid6", "raid10"]
counts = [6, 8]
copies = 2
controllers = "host"
hosts = "intel-xeon-8380-pair"
arrays = 1
"""
NAMED = re.compile(r"(?m)^(drives|controllers) = .*\n")
PRICES = """
currency = "EUR"
date = 2026-01-31
source = "a test"
chassis = 1000
kwh = 0.25
[drive]
samsung-pm9a3-7680gb = 900
micron-5100-eco-1920gb = 300
[server]
intel-xeon-8380-pair = 9000
"""
FEW = {"IOS": 4000, "TRIAL_IOS": 2000, "REBUILD_IOS": 2000, "TRIALS": 2}


def changed(**keys: str) -> str:
    """The need with other values of keys."""
    lines = NEED.splitlines()
    for key, value in keys.items():
        (at,) = (n for n, line in enumerate(lines) if line.startswith(f"{key} = "))
        lines[at] = f"{key} = {value}"
    return "\n".join(lines)


def of(text: str = NEED, prices: str | None = PRICES) -> Arithmetic:
    need = need_of(text)
    return Arithmetic(need, space_of(need), None if prices is None else prices_of(prices))


def at(arithmetic: Arithmetic, values: np.ndarray, number: int) -> float:
    grid = arithmetic.space.grid
    return float(np.broadcast_to(values, grid)[np.unravel_index(number, grid)])


def refusal(call, *args, **keys) -> list[str]:
    with pytest.raises(InputError) as refused:
        call(*args, **keys)
    return [str(problem) for problem in refused.value.problems]


# ---- needs and prices


def test_every_problem_of_a_need_is_told_at_once_with_its_line():
    text = NEED.replace("10 TB", "10 T").replace("[[load]]", "[[load]]\nwithin = '1 ms'")
    text = text.replace("[[latency]]", "[[latency]]\npercentile = '98 %'").replace("years", "yeers")
    told = refusal(need_of, text)
    assert [one.split(": ")[0] for one in told] == ["need:4", "need:6", "need:9", "need:15"]
    assert 'did you mean "years"?' in told[1]
    assert "[[latency]] says that" in told[2]
    assert 'one of "50 %", "95 %", "99 %", "99.9 %"' in told[3]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("8", (8,)),
        ('"4..8:2"', (4, 6, 8)),
        ('[4, "8..10"]', (4, 8, 9, 10)),
        ('"8..4"', "is an empty range"),
        ('"4..8:0"', "does not end; write a step of 1 or more"),
        ("[]", "is an empty list"),
        ('"many"', 'is no range; write a number, or "4..24"'),
        ("4.5", "is not a whole number"),
    ],
)
def test_numbers_of_drives_are_numbers_ranges_or_both(written, meant):
    text = changed(counts=written)
    if isinstance(meant, tuple):
        assert need_of(text).choice.counts == meant
    else:
        assert meant in refusal(need_of, text)[0]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[[load]]", "[[lode]]", 'did you mean "load"?'),
        ('rate = "15000 IO/s"', 'rate = ["1 IO/s", "2 IO/s"]', "a need is about one load"),
        ('drives = ["samsung-pm9a3-7680gb"', 'drives = ["dell-perc-h730"', "is a card of a contr"),
        ('drives = ["samsung-pm9a3-7680gb"', 'drives = ["samsung-pm9a3"', "did you mean"),
    ],
)
def test_a_mistake_in_a_need_is_told_with_what_would_be_right(old, new, told):
    assert any(told in one for one in refusal(lambda: space_of(need_of(NEED.replace(old, new)))))


def test_a_need_may_take_its_load_from_a_job_file_of_fio(tmp_path):
    job = "[db]\nioengine=libaio\ndirect=1\nrw=randrw\nrwmixread=70\nbs=8k\niodepth=8\nsize=1g\n"
    (tmp_path / "job.fio").write_text(job)
    text = NEED[: NEED.index("[[load]]")] + NEED[NEED.index("[[latency]]") :]
    (load,) = need_of(f'fio = "job.fio"\n{text}', folder=tmp_path).specs
    assert (load.read_share, load.sizes[0].size, load.outstanding) == (0.7, 8192, (8,))


def test_a_need_may_take_its_load_from_a_trace(tmp_path):
    """Designs are run under it, and the scenario of each replays it as it was recorded."""
    chance = np.random.default_rng(1)
    times = np.cumsum(chance.exponential(0.2, 2500))  # ms between requests: 5,000 a second
    lines = [
        f"{time:.6f} 0 {16 * chance.integers(10**8)} 16 {int(chance.random() < 0.7)}"
        for time in times
    ]
    (tmp_path / "day.ascii").write_text("\n".join(lines) + "\n")
    text = changed(drives='"samsung-pm9a3-7680gb"', counts="6", levels='"raid6"')
    text = text[: text.index("[[load]]")] + text[text.index("[[latency]]") :]
    load = '[[load]]\ntrace = { file = "day.ascii", format = "disksim", speed = 2.0 }\n'
    need = tmp_path / "need.toml"
    need.write_text(text.replace("[[latency]]", f"{load}[[latency]]"))
    found = plan(need, unknowns=0, workers=1)
    assert len(found.front) == 1
    (best,) = found.front
    assert best.scenario.loads[0].trace.speed == 2
    (point,) = raidsim.run(best.scenario).points
    assert point.counts.completed == 2500
    assert best.healthy.latency["read"]["mean"] == point.latency_ms["read"].mean / 1000
    assert best.headroom > 1


def test_prices_in_another_currency_need_its_worth():
    text = PRICES.replace("= 900\n", '= "1000 USD"\n')
    (told,) = refusal(prices_of, text)
    assert "is in USD, and the other prices are in EUR; write how many EUR one is" in told
    assert prices_of(f"{text}[exchange]\nUSD = 0.8\n").drive["samsung-pm9a3-7680gb"] == 800


def test_prices_say_their_currency_date_and_source():
    told = refusal(prices_of, "[drive]\nx = -1\n")
    assert [one.split(": ")[1] for one in told if "is missing" in one] == [
        "currency", "date", "source",
    ]  # fmt: skip
    assert any("-1 is no price" in one for one in told)


def test_a_card_without_a_price_is_in_no_design_and_one_for_nothing_is():
    prices = PRICES.replace("micron-5100-eco-1920gb = 300", "").replace("= 900\n", "= 0\n")
    arithmetic = of(prices=prices)
    kept = [arithmetic.space.design(int(n)) for n in np.flatnonzero(arithmetic.kept())]
    assert {one.drive.name for one in kept} == {"samsung-pm9a3-7680gb"}
    assert arithmetic.costs.unpriced == ["micron-5100-eco-1920gb"]


def test_the_needs_that_come_with_raidsim_can_be_read_and_their_prices_are_examples():
    for name in names():
        need = read_need(name)
        assert space_of(need).size > 0
        assert need.prices is not None
        assert "made up" in read_prices(need.prices).title
        assert "EXAMPLES" in find(name).read_text("utf-8")


# ---- arithmetic, against a calculation of its own


def test_what_a_design_costs_is_what_its_parts_and_its_energy_cost():
    arithmetic = of()
    (design,) = (
        one
        for one in map(arithmetic.space.design, range(arithmetic.space.size))
        if (one.drive.name, one.shape.level, one.shape.drives, one.spares)
        == ("micron-5100-eco-1920gb", "raid6", 8, 1)
    )
    # 11.52 TB hold 10 TB now; 12, 14.4 and 17.28 TB after the years take a second array at once.
    place = np.unravel_index(design.number, arithmetic.space.grid)
    parts = arithmetic.costs.parts(10.0)
    found = arithmetic.costs.bill(parts, 100.0, tuple(int(i) for i in place))
    afr = 0.0044
    assert found.purchase == pytest.approx(9000 + 9 * 300 + 1000)
    assert found.growth == pytest.approx(9 * 300)
    assert found.energy == pytest.approx(3 * 2 * 0.1 * 8760 * 0.25)
    assert found.replacements == pytest.approx(3 * 18 * afr * 300)


def test_where_no_cards_are_named_those_with_a_price_may_be_chosen():
    """A catalogue of two hundred drives makes more designs than are taken; few have a price."""
    need = need_of(NAMED.sub("", NEED))
    priced = space_of(need, prices_of(PRICES))
    assert {card.name for card in priced.drives} == set(prices_of(PRICES).drive)
    assert {place.card.name for place in priced.places if place.card} == set(
        prices_of(PRICES).controller
    )


def test_the_chance_of_loss_is_that_which_check_says():
    need = need_of(NEED)
    space = space_of(need)
    for number in (0, space.size - 1):
        design = space.design(number)
        scenario = scenario_of(data_of(design, need), need)
        (volume,) = scenario.volumes
        told = assess(scenario, volume, seconds=7200.0, mission=3 * 8760, lifetimes=1).any
        own = chance_of_loss(design.drive, design.shape, design.spares, 7200.0, 3)
        assert own == pytest.approx(told, rel=0.02)


def test_a_design_has_the_capacity_and_the_failures_of_its_scenario():
    arithmetic = of(changed(levels='["raid1", "raid5", "raid6", "raid10", "raid50", "raid60"]'))
    space, need = arithmetic.space, arithmetic.need
    assert {shape.level for shape in space.shapes} == set(need.choice.levels)
    for number in range(0, space.size, 3):
        design = space.design(number)
        (volume,) = scenario_of(data_of(design, need), need).volumes
        assert volume.capacity == at(arithmetic, space.capacity, number)
        assert volume.failures_tolerated == design.shape.failures


def test_growth_breaks_what_is_used_up_first():
    need = need_of(NEED)  # 20 % a year: 1.2, 1.44, 1.728, 2.07 ...
    assert checks.breaks(need, 15e12, 10.0, True) == checks.Break(3, "capacity")
    assert checks.breaks(need, 15e12, 1.3, False) == checks.Break(2, "load")
    assert checks.breaks(need, 13e12, 1.3, False) == checks.Break(2, "capacity and load")
    assert checks.breaks(need, 1e18, 10.0, True) is None


def test_no_design_has_more_drives_than_ports():
    """SAS drives have an expander then; of NVMe drives there are as many as there are lanes."""
    text = changed(
        drives='["samsung-pm983-3840gb", "seagate-st2400mm0129"]',
        controllers='["broadcom-megaraid-9670w-16i", "cisco-12g-sas-raid-2gb"]',
        counts="[8, 20]",
        arrays="[1, 3]",
    )
    need = need_of(text)
    space = space_of(need)
    many = 0
    for number in np.flatnonzero(space.fits):
        design = space.design(int(number))
        spec = scenario_of(data_of(design, need), need)
        assert not any("port" in str(one) and "drives on" in str(one) for one in findings(spec))
        many += design.arrays * design.shape.drives > 16
    assert many  # behind an expander


# ---- bounds

BOUNDED = changed(
    drives='["samsung-pm9a3-7680gb", "micron-5100-eco-1920gb", "seagate-st2400mm0129",'
    ' "toshiba-mg10aca20te", "cisco-hdd-1200gb-10k"]',
    controllers='["host", "broadcom-megaraid-9670w-16i", "dell-perc-h730"]',
    levels='["raid0", "raid5", "raid6", "raid10"]',
    counts="[4, 8]",
)


@pytest.fixture(scope="module")
def small_caches(tmp_path_factory) -> Path:
    """Cards of controllers whose caches take so little that they are full after a moment.

    What a cache that writes back takes until then is no steady state.
    """
    folder = tmp_path_factory.mktemp("cards")
    for name in ("broadcom-megaraid-9670w-16i", "dell-perc-h730"):
        card = (ROOT / "models" / f"{name}.toml").read_text("utf-8")
        small, count = re.subn(r"(?m)^size = .*$", SMALL, card, count=1)
        assert count == 1
        (folder / f"{name}.toml").write_text(small.replace(name, f"{name}-16mb"))
    return folder


SMALL = 'size = { value = 16, unit = "MiB", source = "assumed", note = "a test" }'


@pytest.mark.parametrize("seed", range(3))
def test_no_design_that_a_bound_removes_would_pass_a_run(seed, small_caches):
    """At a tenth more than the bound, which has its slack already, the load is not carried."""
    chance = np.random.default_rng(seed)
    size, read = chance.choice(["4 KiB", "8 KiB", "64 KiB"]), int(chance.choice([0, 50, 70, 100]))
    text = BOUNDED.replace('"8 KiB"', f'"{size}"').replace('"70 %"', f'"{read} %"')
    text = text.replace('"broadcom-', '"./broadcom-').replace('"dell-', '"./dell-')
    text = text.replace("-16i", "-16i.toml").replace("-h730", "-h730.toml")
    need = need_of(text, folder=small_caches)
    space = space_of(need)
    arithmetic = Arithmetic(need, space, None)
    fits = np.flatnonzero(space.fits)
    back = [number for number in fits if _writes_back(space, number)]
    for number in [*chance.choice(fits, 4, replace=False), *chance.choice(back, 2, replace=False)]:
        design = space.design(int(number))
        factor = 1.1 * at(arithmetic, arithmetic.bounds.rate, int(number))
        data = data_of(design, need, factor=factor, measure={"min_ios": 8000, "max_ios": 8000})
        found = measured(scenario_of(data, need))
        words = f"seed {seed}: {size}, {read} % read, {design.label}: {found}"
        assert found.over([]) > 1, words


def _writes_back(space, number: int) -> bool:
    return space.design(int(number)).place.write == "back"


def test_no_run_has_a_shorter_latency_than_its_bound():
    arithmetic = of(BOUNDED.replace("15000", "50"), None)
    need, space = arithmetic.need, arithmetic.space
    seen = set()
    for number in np.flatnonzero(space.fits):
        design = space.design(int(number))
        if (design.drive.name, design.place.name) in seen or _writes_back(space, int(number)):
            continue
        seen.add((design.drive.name, design.place.name))
        data = data_of(design, need, measure={"min_ios": 500, "max_ios": 500})
        read = measured(scenario_of(data, need)).latency["read"]["mean"]
        bound = at(arithmetic, arithmetic.bounds.latency, int(number))
        assert 0 < bound <= read, design.label
    assert len(seen) > 5


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
    assert "fell by bounds: rate" in told
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
