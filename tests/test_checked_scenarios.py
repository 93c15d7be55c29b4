"""Every shipped scenario, cut to a few hundred I/Os, with every index of the kernel checked.

What such a run gives is no result; that it takes no row that is not there is.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from raidsim.kernel.checked import CHECKED
from raidsim.resources import data_folder
from raidsim.running import run
from raidsim.scenario import from_data

pytestmark = pytest.mark.skipif(not CHECKED, reason="only with RAIDSIM_CHECKED=1")

IOS = 300
SAMPLE = "0.001 %"  # of the rows in a rebuild
TIMES = ("at", "for", "outage", "boot", "duration", "max_time")  # keys of events and measure


def cut(data: dict[str, Any]) -> dict[str, Any]:
    """The same scenario for a hundredth of its time, or a few hundred I/Os of each load."""
    for load in data.get("load", []):
        if "event" not in data and "machine" not in data:
            load["limit"] = {"ios": IOS}
        for sweep in {"outstanding", "rate"} & load.keys():
            if isinstance(load[sweep], list):
                load[sweep] = [load[sweep][0], load[sweep][-1]]
    for machine in data.get("machine", []):
        machine |= {"count": 2, "bursts": 3, "wait": "100 ms", "compute": "20 ms"}
    for volume in data["volume"]:
        if "rebuild_sample" in volume:
            volume["rebuild_sample"] = SAMPLE
    for table in (*data.get("event", []), data.get("measure", {})):
        for key in table.keys() & set(TIMES):
            table[key] = re.sub(r"[\d.]+", lambda number: f"{float(number[0]) / 100:g}", table[key])
    return data


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in data_folder("scenarios").glob("*.toml"))
)
def test_a_shipped_scenario_takes_no_row_that_is_not_there(name, monkeypatch):
    monkeypatch.setattr("raidsim.assembly.ftl.TARGET_UNITS", 2**13)
    data = tomllib.loads((data_folder("scenarios") / f"{name}.toml").read_text())
    result = run(from_data(cut(data), name))
    if "load" not in data and "machine" not in data:  # nothing but work in the background
        (point,) = result.points
        assert [one.state for one in point.course.operations] == ["done"]
        return
    assert all(point.counts.completed >= 2 for point in result.points)
