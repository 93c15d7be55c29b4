"""Points of a sweep that collect garbage beside points that do not yet are told apart."""

from __future__ import annotations

import pytest

from raidsim import run
from raidsim.scenario import load_text

TEXT = """
[host]
model = "intel-xeon-8380-pair"
[[volume]]
drive = "samsung-pm983-960gb"
state = "{state}"
[[load]]
read = "70 %"
size = "8 KiB"
outstanding = [8, 16]
[measure]
precision = "5 %"
"""


@pytest.mark.parametrize("state", ["filled", "steady"])
def test_a_point_that_collects_garbage_is_not_said_to_carry_less_for_its_depth(state: str) -> None:
    shallow, deep = run(load_text(TEXT.format(state=state))).points
    amplified = [point.drives[0].write_amplification or 1.0 for point in (shallow, deep)]
    fallen = deep.iops.mean < 0.9 * shallow.iops.mean
    assert fallen == (amplified[1] > 1.5 * amplified[0])
    assert not any("more outstanding I/Os carry less" in one for one in deep.warnings)
    assert any("cannot be compared" in one for one in deep.warnings) == fallen
