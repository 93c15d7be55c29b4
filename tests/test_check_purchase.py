"""What raidsim check says of a system before it is bought: capacity, power, memory, severities."""

from __future__ import annotations

import json

import pytest
from array_scenarios import array
from command_line import status
from hypothesis import given, settings
from hypothesis import strategies as st

from raidsim import InputError, Scenario
from raidsim.control.model import Model
from raidsim.observe import inventory
from raidsim.observe.waterfall import Waterfall, waterfalls
from raidsim.report.finding import Severity
from raidsim.report.findings import findings
from raidsim.risk.under_load import hardest
from raidsim.running import run_point
from raidsim.studies.room import room_of
from raidsim.system import memory

SECTOR = 512
MIB = 2**20
DISK = 4_000_787_030_016  # bytes of cisco-hdd-4tb
# One drive in a listing of a MegaRAID controller, in sectors: tests/data/importing/written.
RAW, NON_COERCED, COERCED = 0x22ECB25C, 0x22DCB25C, 0x22DC0000


def fall(scenario: Scenario, file_system: float = 0.02) -> Waterfall:
    return waterfalls(scenario, file_system)[0]


# ---- capacity


@pytest.mark.parametrize(
    ("level", "drives", "redundant"),
    [("raid0", 8, 0), ("raid5", 8, 1), ("raid6", 8, 2), ("raid10", 8, 4), ("raid1", 3, 2),
     ("raid50", 8, 2), ("raid60", 8, 4), ("jbod", 8, 0)],
)  # fmt: skip
def test_parity_and_copies_take_so_many_drives(level: str, drives: int, redundant: int) -> None:
    found = fall(array(controller={}, level=level, drives=drives))
    assert found["raw"] == drives * DISK
    assert -found["redundancy"] == pytest.approx(redundant * DISK, abs=drives * 64 * 1024)
    assert 0 <= -found["rounding"] <= 2 * drives * 64 * 1024


@settings(max_examples=25, deadline=None)
@given(
    level=st.sampled_from(["raid0", "raid1", "raid1e", "raid5", "raid6", "raid10", "jbod"]),
    pairs=st.integers(2, 8),
    spares=st.integers(0, 3),
    share=st.floats(0, 0.5),
)
def test_every_byte_that_is_bought_is_somewhere(
    level: str, pairs: int, spares: int, share: float
) -> None:
    spared = {} if level in ("raid0", "jbod") else {"spares": spares}
    found = fall(array(controller={}, level=level, drives=2 * pairs, **spared), share)
    left = 0
    for step in found.steps:
        if step.is_total and step.name != "raw":
            assert left == step.bytes
        assert step.is_total or step.bytes < 0
        left = step.bytes if step.is_total else left + step.bytes
    assert found["raw"] == (2 * pairs + spared.get("spares", 0)) * DISK


def test_a_controller_takes_of_a_drive_what_its_listing_says() -> None:
    size = {"capacity.user": f"{RAW * SECTOR} B"}
    found = fall(array(controller={}, level="raid5", drives=5, set=size))
    assert -found["metadata"] == pytest.approx(4 * (RAW - NON_COERCED) * SECTOR, rel=1e-5)
    assert -found["coercion"] == pytest.approx(4 * (NON_COERCED - COERCED) * SECTOR, rel=1e-5)


def test_md_takes_a_thousandth_of_small_drives_and_128_mib_of_large_ones() -> None:
    large = fall(array(level="raid0", drives=2))
    small = fall(array(level="raid0", drives=2, set={"capacity.user": f"{16 * 2**30} B"}))
    assert -large["metadata"] == pytest.approx(2 * 128 * MIB, rel=1e-5)
    assert -small["metadata"] == pytest.approx(2 * 16 * MIB, rel=1e-3)


def test_a_single_drive_on_the_host_keeps_all_but_the_file_system() -> None:
    found = fall(array(level="single", drives=1), 0.05)
    assert found["files"] == DISK - round(0.05 * DISK)
    assert [step.name for step in found.steps] == ["raw", "usable", "file_system", "files"]


# ---- power


def test_the_power_of_all_parts_is_that_of_the_system() -> None:
    scenario = array(controller={}, level="raid6", drives=8, spares=2)
    parts, whole = inventory.power_parts(scenario), inventory.system_power(scenario)
    assert sum(part.number * (part.idle or 0) for part in parts) == pytest.approx(whole.idle)
    assert sum(part.number * (part.active or 0) for part in parts) == pytest.approx(whole.active)
    spares = next(part for part in parts if part.kind == "spares")
    assert (spares.number, spares.active) == (2, spares.idle)


# ---- severities


@pytest.mark.parametrize(
    ("scenario", "words", "severity"),
    [
        (array(level="raid0", drives=2), "no redundancy", Severity.critical),
        (array(level="raid5", drives=4, failed=[1]), "begins degraded", Severity.critical),
        (array(level="raid6", drives=4, failed=[1]), "begins degraded", Severity.warning),
        (array(level="raid5", drives=4, failed=[1], spares=1), "spare waits", Severity.critical),
        (array(controller={}, level="raid5", drives=12), "on 8 ports", Severity.critical),
        (array(controller={}, level="raid5", drives=4), "values are assumed", Severity.info),
    ],
)
def test_what_costs_data_or_cannot_be_built_is_critical(
    scenario: Scenario, words: str, severity: Severity
) -> None:
    found = findings(scenario)
    assert {one.severity for one in found if words in str(one)} == {severity}
    assert [one.severity.rank for one in found] == sorted(one.severity.rank for one in found)


@pytest.mark.parametrize(
    ("level", "fails_on", "expected"),
    [("raid0", "critical", 1), ("raid10", "critical", 0), ("raid10", "info", 1)],
)
def test_the_exit_status_says_whether_anything_that_severe_was_found(
    level: str, fails_on: str, expected: int, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = [f"volume.level={level}", "volume.drives=4"]
    sets = [word for change in changes for word in ("--set", change)]
    assert status("check", "array-database", *sets, "--brief", "--fail-on", fails_on) == expected
    assert ("critical volume data" in capsys.readouterr().out) is (level == "raid0")


def test_the_json_of_a_check_is_all_that_was_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("check", "array-database", "--json", "-", "--file-system", "10 %") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "raidsim.check/1"
    assert found["counts"]["critical"] == 1
    assert found["findings"][0]["severity"] == "critical"
    steps = {step["name"]: step["bytes"] for step in found["capacity"][0]["steps"]}
    assert steps["raw"] == 1_600_000_000_000
    assert steps["files"] == pytest.approx(0.9 * (steps["usable"] + steps["metadata"]))
    assert found["memory"]["needed"] > 0


def test_names_of_values_are_listed_where_all_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert status("check", "p3700-database") == 0
    without = capsys.readouterr().out
    assert status("check", "p3700-database", "--all") == 0
    assert "flash.erase_time" not in without
    assert "flash.erase_time" in capsys.readouterr().out


def test_a_file_system_that_takes_all_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("check", "p3700-database", "--file-system", "100 %") == 2
    assert "--file-system: 100 % is not a share of a volume" in capsys.readouterr().err


# ---- memory


def test_a_run_that_would_be_refused_for_its_memory_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert room_of(Scenario.read("p3700-database")).needed is not None
    monkeypatch.setattr(memory, "most", lambda: 2 * MIB)
    changes = {"volume.level": "raid0", "volume.drives": 64}
    large = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    assert status("check", "p3700-database", *large, "--brief", "--fail-on", "critical") == 1
    out = capsys.readouterr().out
    assert "critical host: a run would be refused: would take at least" in out
    with pytest.raises(InputError, match="would take at least"):
        run_point(Scenario.read("p3700-database").with_(changes), 0)


@pytest.mark.parametrize("name", ["p3700-database", "cisco-random", "nvme-raid", "s3700-raid0"])
def test_memory_is_what_the_tables_of_a_run_take_when_it_begins(name: str) -> None:
    scenario = Scenario.read(name)
    assert room_of(scenario).needed == Model(scenario, hardest(scenario)).env.system.memory
