"""A check of random writes says what the simulation says of a drive that collects garbage."""

from __future__ import annotations

import pytest

import raidsim
from raidsim import Scenario
from raidsim.report.findings import findings

WRITES = (
    '[host]\nmodel = "linux-xeon-e5-pair"\n[[volume]]\ndrive = "{drive}"\n'
    '[[load]]\nread = "0 %"\nsize = "4 KiB"\nworkers = 4\noutstanding = 64\n'
    '[measure]\nmin_ios = 20000\nprecision = "2 %"\n'
)
HALF = {"load.area": {"size": "450 GiB"}}
SOME = {"load.area": {"size": "50 GiB"}}


def said_of(scenario: Scenario, rate: float) -> str | None:
    """What a check says that the rate is too much for; None if it is not too much."""
    asked = scenario.with_({"load.outstanding": None, "load.rate": f"{rate / 4:.0f} IO/s"})
    texts = [one.what for one in findings(asked) if "would need" in one.what]
    return texts[0].partition("of the time of ")[2] if texts else None


@pytest.mark.parametrize(
    ("drive", "changes", "limit"),
    [
        ("samsung-pm9a3-960gb", {}, "the flash dies"),
        ("samsung-pm893-960gb", {}, "the front end"),
        ("samsung-pm893-960gb", HALF, "the front end"),
        ("samsung-pm893-960gb", SOME, "the front end"),
        ("samsung-pm893-960gb", {"volume.filled": "50 %"} | SOME, "the front end"),
    ],
)
def test_a_check_of_random_writes_finds_the_limit_that_the_simulation_has(drive, changes, limit):
    """The less of a drive a load writes to, the more spare area it has, and the less is moved."""
    scenario = Scenario.from_text(WRITES.format(drive=drive)).with_(changes)
    (point,) = raidsim.run(scenario).points
    assert said_of(scenario, 0.9 * point.iops.mean) is None
    assert (said_of(scenario, 1.2 * point.iops.mean) or "").startswith(limit)


def test_a_drive_with_free_blocks_is_not_said_to_saturate_by_moving_what_it_holds():
    """A PM893 that was just unpacked takes 60,000 writes a second, and 26,000 in the long run."""
    scenario = Scenario.from_text(WRITES.format(drive="samsung-pm893-960gb"))
    fresh = scenario.with_("volume.state", "fresh")
    (point,) = raidsim.run(fresh).points
    assert point.iops.mean > 60_000
    assert said_of(fresh, 60_000) is None
    assert said_of(scenario, 60_000) is not None


def test_what_is_known_of_no_garbage_is_not_counted():
    """Hot data, trims and streams leave blocks to collect that hold little."""
    scenario = Scenario.from_text(WRITES.format(drive="samsung-pm893-960gb"))
    for gentle in ({"load.zipf": 1.2}, {"load.trim": "20 %"}, {"load.random": "0 %"}):
        assert said_of(scenario.with_(gentle), 40_000) is None
