"""What becomes of virtual drives and arrays: their room, spans and controller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from raidsim.importing.importer import Imported, import_files
from raidsim.importing.wishes import Wishes
from raidsim.scenario.scenario import load_text


@pytest.mark.parametrize(
    ("blocks", "layout", "drives"),
    [
        (2929890816, "2 near-copies", 3),
        (1953259520, "3 near-copies", 4),
        (2929890816, "2 far-copies", 3),
        (4883151360, "2 near-copies", 5),
    ],
)
def test_mirrors_with_an_odd_drive_are_as_large_as_mdstat_says(tmp_path, blocks, layout, drives):
    members = " ".join(f"sd{'abcde'[one]}[{one}]" for one in range(drives))
    text = (
        f"md0 : active raid10 {members}\n      {blocks} blocks super 1.2 512K chunks"
        f" {layout} [{drives}/{drives}] [{'U' * drives}]\n"
    )
    status = tmp_path / "mdstat"
    status.write_text(text)
    (volume,) = load_text(import_files([str(status)]).text).volumes
    assert volume.drives == drives
    assert volume.capacity == pytest.approx(blocks * 1024, rel=1e-3)


@pytest.mark.parametrize(
    ("names", "interface"),
    [
        (("nvme0n1", "nvme1n1p3", "nvme2n1"), "nvme"),
        (("sda", "sdb", "sdc"), "sata"),
        (("nvme0n1", "sdb", "sdc"), "sata"),
    ],
)
def test_members_are_flash_on_nvme_if_linux_calls_them_so(tmp_path, names, interface):
    """No other file tells of the drives, and the names that Linux gives are no guess."""
    members = " ".join(f"{name}[{number}]" for number, name in enumerate(names))
    status = tmp_path / "mdstat"
    status.write_text(
        f"md0 : active raid5 {members}\n      15627548672 blocks super 1.2 level 5, 128k chunk,"
        " algorithm 2 [3/3] [UUU]\n"
    )
    (volume,) = load_text(import_files([str(status)]).text).volumes
    assert volume.card.word("link.interface") == interface


def test_flushes_and_trims_that_iostat_counts_are_said_to_be_left_out(tmp_path):
    """A drive without protection of its cache does a hundred times less under flushes."""
    columns = "Device r/s rkB/s w/s wkB/s d/s f/s aqu-sz %util"
    rows = ("nvme0n1 10 160 20 160 9 9 0.1 1", "nvme0n1 1000 16000 500 4000 0 80 0.1 30")
    statistics = tmp_path / "iostat.txt"
    statistics.write_text("\n\n".join(f"{columns}\n{row}" for row in (*rows, rows[1])) + "\n")
    made = import_files([str(statistics)], wishes=Wishes(at_rate=True, random=1.0))
    assert said(made, "left out").startswith("80 flushes a second")


def megaraid(tmp_path: Path, level: str, size: str, drives: int, **top: Any) -> Imported:
    """One virtual drive, and so many drives of 18.189 TiB in its group."""
    disk = {"DG": 0, "State": "Onln", "Size": "18.189 TB", "Intf": "SAS", "Med": "HDD"}
    cells = {"State": "Optl", "Access": "RW", "Cache": "RWBD", "Size": size, "Name": "data"}
    data = {
        **top,
        "VD LIST": [{"DG/VD": "0/0", "TYPE": level, **cells}],
        "PD LIST": [{"EID:Slt": f"252:{n}", "DID": n, **disk} for n in range(drives)],
    }
    status = {"Controller": 0, "Status": "Success"}
    file = tmp_path / "storcli.json"
    file.write_text(
        json.dumps({"Controllers": [{"Command Status": status, "Response Data": data}]})
    )
    return import_files([str(file)])


def said(made: Imported, words: str) -> str:
    (remark,) = (one.cause for one in made.remarks if words in one.cause)
    return remark


@pytest.mark.parametrize(
    ("level", "size", "drives", "spans", "why"),
    [
        ("RAID50", "163.701 TB", 12, 3, "as its drives and capacity show"),
        ("RAID50", "20.000 TB", 12, 2, "a guess, as its capacity does not show it"),
        ("RAID50", "20.000 TB", 6, 2, "as no other number divides its 6 drives"),
        ("RAID60", "36.378 TB", 6, 2, "as no other number divides its 6 drives"),
        ("RAID60", "54.567 TB", 9, 3, "as no other number divides its 9 drives"),
    ],
)
def test_spans_are_told_by_a_capacity_that_fits(tmp_path, level, size, drives, spans, why):
    made = megaraid(tmp_path, level, size, drives)
    assert load_text(made.text).volumes[0].spans == spans
    assert said(made, "number of spans").endswith(f": {spans}, {why}")


def test_a_virtual_drive_on_a_part_of_its_group_is_said_to_be_one(tmp_path):
    made = megaraid(tmp_path, "RAID50", "20.000 TB", 6)
    (volume,) = load_text(made.text).volumes
    assert volume.capacity == pytest.approx(4 * 18.189 * 2**40, rel=1e-3)
    assert said(made, "and its volume") == (
        "it has 21.99 TB, and its volume 80 TB: loads keep to its part of the drives, and"
        " rebuilds go through all of them"
    )
    assert f'size = "{20 * 2**40} B"' in made.text
    whole = megaraid(tmp_path, "RAID50", "72.756 TB", 6)
    assert not [one for one in whole.remarks if "and its volume" in one.cause]


def test_a_controller_is_known_by_its_name_in_the_short_list(tmp_path):
    """`storcli /c0 show J` has it at the top, and no table of basics."""
    top = {
        "Product Name": "MegaRAID 9670W-16i", "Serial Number": "x", "FW Package Build": "8",
        "PCI Address": "00:01:00:00", "System Time": "now", "Mfg. Date": "2022", "Driver Name": "d",
        "SubVendor Id": 1, "Bus Number": 1, "TOPOLOGY": [],
        "Cachevault_Info": [{"Model": "CVPM05", "State": "Optimal"}],
    }  # fmt: skip
    made = megaraid(tmp_path, "RAID50", "72.756 TB", 6, **top)
    (controller,) = load_text(made.text).controllers
    assert controller.model == "broadcom-megaraid-9670w-16i"
    assert controller.battery == "good"
    assert not any("controller" in one for one in made.guesses)
    assert not [one for one in made.remarks if "not understood" in one.cause]


def test_a_guess_names_the_volume_that_it_is_about(tmp_path):
    status = tmp_path / "mdstat"
    text = "md{} : active raid1 sd{}[0] sd{}[1]\n      1953382400 blocks super 1.2 [2/2] [UU]\n"
    status.write_text(text.format(0, "a", "b") + text.format(1, "c", "d"))
    guesses = import_files([str(status)]).guesses
    drives = [one.partition(" = ")[0] for one in guesses if "volume.drive = " in one]
    assert drives == ["md0: volume.drive", "md1: volume.drive"]
    assert len(set(guesses)) == len(guesses)
