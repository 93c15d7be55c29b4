"""The shipped scenarios, each cut to a few hundred I/Os: what they give is no result."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from raidsim.resources import data_folder
from raidsim.scenario import Scenario, from_data

NAMES = sorted(path.stem for path in data_folder("scenarios").glob("*.toml"))
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


def shortened(name: str) -> Scenario:
    """A shipped scenario, cut."""
    data = tomllib.loads((data_folder("scenarios") / f"{name}.toml").read_text())
    return from_data(cut(data), name)
