"""What a job file writes before it measures brings drives into the state of the scenario."""

from __future__ import annotations

import configparser

import pytest
from conftest import compiled_only
from delivery import database
from watching import begin

from raidsim import Scenario
from raidsim.acceptance.jobs import WORN_RAMP_S, preparation
from raidsim.control import Environment, Host, Load, Volume
from raidsim.control.model import build
from raidsim.fio.values import size
from raidsim.scenario import from_data, load


def prepared(scenario: Scenario) -> dict[str, dict[str, str]]:
    """The sections of the job file that prepares the drives."""
    text, _ = preparation(scenario)
    assert text is not None
    file = configparser.ConfigParser(interpolation=None)
    file.read_string(text, "prepare.fio")
    return {name: dict(file[name]) for name in file.sections()}


def test_a_steady_drive_is_written_at_random_as_much_as_it_holds() -> None:
    """Twice in sequence leaves blocks to write to for longer than a job lasts."""
    found = prepared(database(**{"load.read": "70 %", "volume.filled": "100 %"}))
    assert list(found) == ["fill-data", "wear-data-1"]
    fill, wear = found.values()
    assert (fill["rw"], fill["size"], fill.get("loops")) == ("write", "100%", None)
    assert (wear["rw"], wear["bs"], wear["blockalign"]) == ("randwrite", "8k", "4k")
    assert (wear["size"], wear["stonewall"]) == ("32g", "1")
    capacity = load("p3700-database").volumes[0].capacity
    assert int(wear["io_size"].removesuffix("k")) * 1024 == capacity


@pytest.mark.parametrize("share", ["0.4 %", "4.49 %"])
def test_all_that_the_scenario_has_filled_is_filled(share: str) -> None:
    """fio has whole percents only: of 4.49 % the last tenth would be read without being there."""
    fill = prepared(database(**{"volume.filled": share, "volume.state": "filled"}))["fill-data"]
    (volume,) = load("p3700-database").volumes
    asked = float(share.split(maxsplit=1)[0]) / 100 * volume.capacity
    assert asked <= size(fill["size"]) < asked + 128 * 1024


def test_loads_wear_a_drive_side_by_side() -> None:
    loads = [
        {"name": "a", "read": "0 %", "size": "4 KiB", "outstanding": 1, "area": {"size": "1 GiB"}},
        {"name": "b", "read": "50 %", "size": "8 KiB", "outstanding": 1, "workers": 2,
         "partitions": True},
        {"name": "c", "read": "100 %", "size": "8 KiB", "outstanding": 1},
        {"name": "d", "read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 1},
    ]  # fmt: skip
    found = prepared(load("p3700-database").with_({"load": loads}))
    assert list(found) == ["fill-data", "wear-data-1", "wear-data-2"]
    assert [one.get("stonewall") for one in found.values()] == ["1", "1", None]
    capacity = load("p3700-database").volumes[0].capacity
    assert found["wear-data-1"]["size"] == "1g"
    assert found["wear-data-2"]["size"] == "100%"  # both parts, however large the real drive is
    assert sum(size(found[name]["io_size"]) for name in list(found)[1:]) == capacity


def shingled(**changes: object) -> Scenario:
    """Random writes to a shingled disk."""
    volume = {"name": "data", "drive": "seagate-st8000as0002"}
    load = {"read": "0 %", "size": "4 KiB", "outstanding": 1}
    data = {"host": {"model": "fujitsu-rx2540-m1"}, "volume": [volume], "load": [load]}
    return from_data(data).with_(changes)


def test_a_steady_shingled_disk_is_written_at_random_until_its_media_cache_stays_full() -> None:
    """A fill in sequence leaves it empty, and 25 times as fast as behind the cliff."""
    (wear,) = prepared(shingled()).values()
    assert (wear["rw"], wear["bs"], wear["size"]) == ("randwrite", "4k", "100%")
    _, (step,) = preparation(shingled())
    assert "2.5 days" in step
    assert "Begin the jobs at once" in step


@compiled_only
@pytest.mark.parametrize("area", ["4 GB", "1 GB"])
def test_what_is_written_before_brings_a_shingled_disk_into_its_steady_state(area: str) -> None:
    small = {"capacity.user": "4 GB", "smr.band": "4 MiB", "smr.media_cache": "0.1 GB",
             "smr.records": 1000, "buffer.size": "128 MiB"}  # fmt: skip
    scenario = shingled(**{"load.area": {"size": area}, "volume.set": small})
    (wear,) = prepared(scenario).values()
    writes = size(wear["io_size"]) // 4096
    taken = {}
    for state in ("filled", "steady"):
        built = build(scenario.with_({"volume.state": state}))
        begin(built)
        cache = built.system.world.shingles[0]
        first = int(cache["next"])
        while state == "filled" and cache["next"] - first < writes:
            built.system.run(built.system.now + 10**9)
        before, since = int(cache["next"]), built.system.now
        built.system.run(since + 400 * 10**9)
        taken[state] = int(cache["next"]) - before
    assert taken["filled"] == pytest.approx(taken["steady"], rel=0.1)


@pytest.mark.parametrize(
    "changes", [{"volume.state": "filled"}, {"volume.state": "fresh"}, {"load.random": "0 %"}]
)
def test_other_shingled_disks_are_left_idle_until_their_media_caches_are_empty(
    changes: dict[str, str],
) -> None:
    text, (step,) = preparation(shingled(**changes))
    assert text is None
    assert step.startswith("Leave volume data idle")
    assert "up to 29 hours" in step


@pytest.mark.parametrize(
    ("changes", "loops"),
    [({"volume.state": "filled"}, None), ({"load.read": "100 %"}, "2"),
     ({"load.random": "0 %"}, "2")],
)  # fmt: skip
def test_what_nothing_writes_to_at_random_is_filled_in_sequence(
    changes: dict[str, str], loops: str | None
) -> None:
    (fill,) = prepared(database(**changes)).values()
    assert (fill["rw"], fill.get("loops")) == ("write", loops)


def test_a_job_after_a_fill_in_sequence_measures_no_steady_drive() -> None:
    """Ten minutes of writes use up none of the free blocks, so it is as fast as before."""

    def rate_after(state: str, size: int, seconds: float) -> float:
        env = Environment(seed=3)
        host = Host(env, "fujitsu-rx2540-m1")
        volume = Volume(env, "micron-5100-eco-1920gb", host, state=state)
        writes = volume.start(Load(read="0 %", size=f"{size} B", align=f"{size} B", outstanding=64))
        env.run(until=seconds)
        env.reset_window()
        env.run(until=seconds + 2)
        return float(writes.iops)

    small, large = 4096, 65536
    assert rate_after("filled", small, 1) > 2 * rate_after("steady", small, 2)
    # As many bytes in larger pieces are the same free blocks, and fewer events.
    written = WORN_RAMP_S * rate_after("filled", small, 1) * small
    seconds = written / (rate_after("filled", large, 1) * large)
    assert rate_after("filled", large, seconds) > 2 * rate_after("steady", large, 2)
    assert rate_after("filled", large, 2 * seconds) == pytest.approx(
        rate_after("steady", large, 2), rel=0.1
    )
