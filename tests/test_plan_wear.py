"""Plans: how long drives last while the load grows, against integrals of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from raidsim.planning import wear
from raidsim.planning.arithmetic import ENDURANCE, Arithmetic
from raidsim.planning.checked import check
from raidsim.planning.choice import space_of
from raidsim.planning.need import need_of
from raidsim.planning.prices import prices_of
from raidsim.planning.runs import DONE, Measured
from raidsim.planning.words import asked_of

NEED = """
title = "a load that grows"
[need]
capacity = "5 TB"
growth = "0 %"
load_growth = "60 %"
years = 5
failures = 1
[[load]]
read = "30 %"
size = "16 KiB"
rate = "3000 IO/s"
[choice]
drives = ["micron-5100-eco-1920gb"]
levels = ["raid10"]
counts = [6]
copies = 2
controllers = ["host"]
hosts = ["linux-xeon-e5-pair"]
spares = 0
arrays = 1
"""
PRICES = """
currency = "EUR"
date = 2026-01-31
source = "a test"
chassis = 1000
kwh = 0.25
[drive]
micron-5100-eco-1920gb = 300
[server]
linux-xeon-e5-pair = 9000
"""
ONE = (1,) * 6


def growing(share: str):
    return need_of(NEED.replace('"60 %"', f'"{share}"'))


def written(need, arrays, end: float) -> float:
    """What a drive of the first arrays has taken up by then, by small steps of time."""
    times = (np.arange(100_000) + 0.5) * end / 100_000
    years = np.minimum(np.floor(times).astype(int) + 1, len(arrays) - 1)
    load = np.array([need.load_after(1)]) ** times
    return float((load * arrays[0] / np.array(arrays)[years]).mean() * end)


def test_a_load_that_grows_wears_drives_out_sooner():
    found = float(wear.lasting(6.106, ONE, growing("60 %")))
    assert found == pytest.approx(math.log(1 + 6.106 * math.log(1.6)) / math.log(1.6))
    assert found == pytest.approx(2.88, abs=0.01)
    assert float(wear.lasting(6.106, ONE, growing("0 %"))) == pytest.approx(6.106)
    assert math.isinf(wear.lasting(math.inf, ONE, growing("60 %")))


@pytest.mark.parametrize("rated", [0.4, 2.5, 6.0, 40.0])
@pytest.mark.parametrize("arrays", [ONE, (1, 1, 2, 2, 4, 4), (2, 3, 3, 5, 8, 12)])
def test_further_arrays_take_their_share_of_what_is_written(rated, arrays):
    need = growing("60 %")
    assert written(need, arrays, float(wear.lasting(rated, arrays, need))) == pytest.approx(
        rated, rel=1e-3
    )


def test_drives_that_wear_out_are_replaced_as_often_as_the_load_asks():
    need = growing("60 %")
    in_all = (1.6**5 - 1) / math.log(1.6)  # 20.2 years' worth of the load of today
    assert wear.replaced(in_all * 1.01, ONE, need) == 0
    assert wear.replaced(in_all, ONE, need) == 0  # worn out when nobody needs them any more
    assert wear.replaced(in_all / 2.5, ONE, need) == 2
    assert wear.replaced(None, ONE, need) == 0
    # Two arrays from the start, two more from the third year on: these take up less.
    arrays = (2, 2, 2, 4, 4, 4)
    first = (1.6**2 - 1 + (1.6**5 - 1.6**2) / 2) / math.log(1.6)
    later = (1.6**5 - 1.6**2) / 2 / math.log(1.6)
    assert wear.replaced(1.1 * later, arrays, need) == 2 * math.floor(first / (1.1 * later))
    assert wear.replaced(0.9 * later, arrays, need) == 2 * math.floor(first / (0.9 * later)) + 2


def checked(text: str = NEED, *, rated: float = 6.106, headroom: float = 11.0):
    """The one design of the need, whose drives are rated for so many years of today's load."""
    need = need_of(text)
    space = space_of(need)
    healthy = Measured(DONE, carried=1.0, years=rated)
    return check(
        space.design(0), Arithmetic(need, space, prices_of(PRICES)), healthy, (headroom, False),
        (None, None, None), 30.0,
    )  # fmt: skip


def test_endurance_is_held_against_the_load_as_it_grows():
    found = checked()
    assert found.arrays == ONE
    assert found.years == pytest.approx(2.88, abs=0.01)
    assert found.lacks[ENDURANCE] == pytest.approx(5 / found.years)
    assert ENDURANCE not in checked(NEED.replace('"60 %"', '"0 %"')).lacks
    spread = checked(headroom=1.0)  # an array more whenever the load has grown
    assert spread.arrays == (1, 2, 3, 5, 7, 11)
    assert spread.years > 6.106


def test_the_cost_has_drives_that_are_worn_out_before_the_horizon():
    short = NEED.replace("failures = 1", 'failures = 1\nendurance = "8760 h"')
    kept, worn = checked(short, rated=100.0), checked(short)
    assert not worn.lacks
    # 20.2 years' worth of writes on drives that are rated for 6.1: bought again three times.
    assert worn.money.replacements - kept.money.replacements == pytest.approx(3 * 6 * 300)


def test_arithmetic_removes_no_design_that_lasts_long_enough():
    """It lets the first arrays carry as little as they may, so that others take the growth."""
    need = need_of(NEED)
    space = space_of(need)
    arithmetic = Arithmetic(need, space, None)
    flat = Arithmetic(growing("0 %"), space, None)
    today = float(flat.lasting.ravel()[0])
    most = float(arithmetic.lasting.ravel()[0])
    assert most == pytest.approx(float(wear.lasting(today, (1, 2, 3, 5, 7, 11), need)))
    assert most >= float(wear.lasting(today, ONE, need))


CLOSED = NEED.replace('rate = "3000 IO/s"', "outstanding = 16")


def test_a_load_without_a_rate_wears_out_no_drive_unless_that_is_asked_for():
    """It writes as fast as drives let it: the fastest ones would be ruled out."""
    found = checked(CLOSED, rated=0.2)
    assert ENDURANCE not in found.lacks
    assert found.years == pytest.approx(0.2, rel=0.1)
    assert found.money.replacements == pytest.approx(5 * 6 * 300 * 0.0044, rel=0.01)
    need = need_of(CLOSED)
    assert not any("drives last" in line for line in asked_of(need, "EUR"))
    asked = CLOSED.replace("failures = 1", 'failures = 1\nendurance = "43800 h"')
    assert ENDURANCE in checked(asked, rated=0.2).lacks
    assert "drives last 5 years" in "\n".join(asked_of(need_of(asked), "EUR"))


def test_what_is_asked_for_is_said_in_hours_and_in_the_singular():
    text = NEED.replace("years = 5", "years = 1").replace(
        "failures = 1", 'failures = 1\nrebuild = "48 h"'
    )
    said = asked_of(need_of(text), None)
    assert said[0].endswith("for 1 year")
    assert "a rebuild takes at most 48 h under this load" in said
    assert "drives last 1 year at what is written, by their rating" in said
