"""What arithmetic and bounds say of designs, against calculations and runs of their own."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from small_need import NEED, PRICES, at, changed, of

from raidsim.planning import checked as checks
from raidsim.planning.arithmetic import Arithmetic, chance_of_loss
from raidsim.planning.choice import space_of
from raidsim.planning.design import data_of, scenario_of
from raidsim.planning.need import need_of
from raidsim.planning.prices import prices_of
from raidsim.planning.runs import measured
from raidsim.report.findings import findings
from raidsim.risk.assess import assess

ROOT = Path(__file__).parent.parent
NAMED = re.compile(r"(?m)^(drives|controllers) = .*\n")


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
