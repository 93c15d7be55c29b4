"""Drives on the server itself: lanes of PCIe, ports for SATA, and what its software RAID takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from array_scenarios import array
from check_words import READS, found, says
from small_need import changed, of

from raidsim import cli
from raidsim.scenario import load

NO_PORTS = """
[host]
model = "amd-epyc-9654-pair"
[[volume]]
level = "raid1"
drives = 2
drive = "nl-sas-2tb"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = 4
[measure]
min_ios = 1000
max_ios = 1000
"""


def test_drives_on_the_server_itself_need_its_lanes_and_its_ports() -> None:
    def told(drives: int, drive: str, host: str = "linux-xeon-e5-pair") -> list[str]:
        base = load("array-database", overrides=[f"host.model={host}", "volume.level=raid0",
                    f"volume.drives={drives}", f"volume.drive={drive}"])  # fmt: skip
        return [one for one in found(base) if "cannot be built" in one]

    assert not told(20, "intel-p3700-800gb")
    (lanes,) = told(21, "intel-p3700-800gb")
    assert "21 drives need 84 lanes of PCIe, and linux-xeon-e5-pair has 80" in lanes
    assert not told(10, "micron-5100-eco-1920gb")
    (ports,) = told(11, "micron-5100-eco-1920gb")
    assert "11 SATA drives on the host itself, and linux-xeon-e5-pair has 10 ports" in ports
    assert not told(30, "intel-p3700-800gb", "fujitsu-rx2540-m1")  # whose card does not say


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        (["run", "{file}"], ["volume data"]),
        (
            ["compare", "{file}", "{file}", "--seeds", "2", "--no-states", "--no-risk"],
            ["A: ", "B: "],
        ),
        (["sweep", "{file}", "--vary", "load.outstanding=4,8"], ["the scenario as it is: "]),
    ],
)
def test_each_command_that_runs_a_system_says_that_it_cannot_be_built(
    command: list[str], begins: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "no-ports.toml"
    file.write_text(NO_PORTS)
    with pytest.raises(SystemExit) as ended:
        cli.main([word.format(file=file) for word in command])
    assert ended.value.code == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "cannot be built" in line]
    assert all(line.startswith(start) for line, start in zip(told, begins, strict=True)), told


def test_parity_that_costs_a_host_nothing_is_told() -> None:
    words = "does not say what its software RAID takes for a stripe"
    six = {"level": "raid6", "drives": 8, "drive": "samsung-pm9a3-7680gb"}
    assert says(words, array(READS, **six))
    assert not says(words, array(READS, controller={}, **six | {"drive": "samsung-pm1653-7680gb"}))
    assert not says(words, array(READS, level="raid6", drives=8))
    assert not says(words, array(READS, level="raid10", drives=8, drive="samsung-pm9a3-7680gb"))


@pytest.mark.parametrize(
    ("drive", "most"), [("micron-5100-eco-1920gb", 14), ("samsung-pm9a3-7680gb", 128 // 4)]
)
def test_no_design_has_more_drives_on_its_server_than_that_takes(drive, most):
    """Ports for SATA, and lanes of PCIe, also for the drives that growth adds."""
    arithmetic = of(changed(drives=f'"{drive}"', counts="[6, 7, 8, 14, 16, 32, 34]"))
    drives = arithmetic.parts.drives(arithmetic.parts.last)
    limits = {limit.name: limit for limit in arithmetic.limits}
    taken = np.broadcast_to(limits["hardware fits together"].ratio <= 1, arithmetic.space.grid)
    there = np.broadcast_to(drives, arithmetic.space.grid)
    assert there[taken].max() <= most
    assert (there[~taken] > most).any()
