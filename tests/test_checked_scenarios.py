"""Every shipped scenario, cut to a few hundred I/Os, with every index of the kernel checked.

What such a run gives is no result; that it takes no row that is not there is.
"""

from __future__ import annotations

import pytest
from shipped import NAMES, shortened

from raidsim.kernel.checked import CHECKED
from raidsim.running import run

pytestmark = pytest.mark.skipif(not CHECKED, reason="only with RAIDSIM_CHECKED=1")


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_takes_no_row_that_is_not_there(name, monkeypatch):
    monkeypatch.setattr("raidsim.assembly.ftl.TARGET_UNITS", 2**13)
    scenario = shortened(name)
    result = run(scenario)
    if not scenario.loads and not scenario.machines:  # nothing but work in the background
        (point,) = result.points
        assert [one.state for one in point.course.operations] == ["done"]
        return
    assert all(point.counts.completed >= 2 for point in result.points)
