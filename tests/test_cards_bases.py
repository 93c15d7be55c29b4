"""Which card a new drive stands on: one of its interface, and of flash of its kind and time."""

from __future__ import annotations

import pytest
from command_line import status

from raidsim import cards
from raidsim.cards.bases import nearest_base, nearest_disk, warnings
from raidsim.cards.inherited import other_makers


def base_of(interface: str, **known: object) -> cards.Card:
    return nearest_base(cards.catalogue(), interface, **known)


@pytest.mark.parametrize(
    ("interface", "known", "expected"),
    [
        # Flash of 25 nm with two bits a cell, not that of a drive of 2023 on the same interface.
        ("sata", {"cells": "mlc", "year": 2011}, "intel-s3700-800gb"),
        ("sata", {"cells": "tlc", "year": 2022}, "kingston-dc600m-960gb"),
        ("nvme", {"cells": "qlc", "year": 2024}, "solidigm-p5336-61440gb"),
        ("nvme", {"cells": "tlc", "year": 2025}, "kioxia-cd9p-r-7680gb"),
        ("nvme", {"cells": "tlc", "year": 2025, "slc_cache": True}, "samsung-9100-pro-2tb"),
        # Not a drive of that very year whose values are another maker's.
        ("nvme", {"cells": "tlc", "year": 2021, "slc_cache": True}, "samsung-980-1tb"),
        ("sata", {"cells": "tlc", "year": 2020, "slc_cache": True}, "samsung-870-evo-1tb"),
        ("nvme", {"cells": "tlc", "year": 2021, "maker": "Samsung"}, "samsung-pm9a3-7680gb"),
        ("sas", {"year": 2018}, "samsung-pm1643-30720gb"),
        # Of an unknown year the newest, and not the first by name, which is of 2014.
        ("nvme", {}, "kioxia-cd9p-r-7680gb"),
    ],
)
def test_the_nearest_base_is_of_the_interface_the_cells_and_the_time(interface, known, expected):
    assert base_of(interface, **known).name == expected


@pytest.mark.parametrize("interface", ["sata", "sas"])
@pytest.mark.parametrize("rpm", [5400, 7200, 10_000, 15_000])
@pytest.mark.parametrize("year", [2004, 2012, 2020])
def test_a_disk_stands_on_one_that_turns_as_fast_where_there_is_one(interface, rpm, year):
    """Average seeks follow the speed; all disks without a base had 5.5 ms."""
    base = nearest_disk(cards.catalogue(), interface, rpm, year=year)
    assert base.word("link.interface") == interface
    alike = {
        60 * one.number("spindle.speed")
        for one in cards.catalogue()
        if one.kind == "hdd" and one.word("link.interface") == interface
    }
    nearest = min(abs(one / rpm - 1) for one in alike)
    assert abs(60 * base.number("spindle.speed") / rpm - 1) <= nearest + 0.06


def test_a_new_disk_has_the_seeks_of_its_speed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    seeks = []
    for rpm in (15_000, 10_000, 7200):
        options = ("--interface", "sas", "--rpm", rpm, "--year", 2013, "-o", f"{rpm}.toml")
        assert status("card", "new", "hdd", f"disk-{rpm}", *options) == 0
        card = cards.load(tmp_path / f"{rpm}.toml")
        assert f"rotation = {{ value = {rpm}" in (tmp_path / f"{rpm}.toml").read_text()
        seeks.append(card.number("seek.read_average"))
    assert "SAS, 7,200 rpm, of" in capsys.readouterr().out
    # As manuals of 15k, 10k and near-line disks print them (raidsim/cards/plausible_drives.py).
    assert 2.6e-3 <= seeks[0] <= 4.0e-3
    assert 3.3e-3 <= seeks[1] <= 5.2e-3
    assert 7.4e-3 <= seeks[2] <= 9.6e-3


def test_dies_of_every_base_can_be_counted():
    for year in range(2008, 2030):
        for interface in ("sata", "sas", "nvme"):
            base = base_of(interface, year=year)
            assert base.word("link.interface") == interface
            assert base.has("flash.die_capacity")
            assert base.name != "null-block-device"


def test_a_base_of_another_generation_is_warned_of():
    base = cards.load("kingston-dc600m-960gb")
    (years, bits) = warnings(base, cells="mlc", year=2011)
    assert "is of 2023, 12 years away" in years
    assert "holds 3 bits a cell, and MLC 2" in bits
    assert warnings(base, cells="tlc", year=2022) == []
    assert "no SLC cache" in warnings(base, slc_cache=True)[0]


def test_a_new_card_says_which_base_was_chosen_and_why(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = ("--interface", "sas", "--cells", "qlc", "--year", 2018, "--maker", "Acme")
    assert status("card", "new", "ssd", "acme-1tb", *options) == 0
    printed = capsys.readouterr().out
    said = "Its base is samsung-pm1643-30720gb, the nearest of the catalogue by interface"
    text = (tmp_path / "acme-1tb.toml").read_text()
    assert said in printed
    assert said in text.replace("\n# ", " ")
    assert "holds 3 bits a cell, and QLC 4" in printed
    card = cards.load(tmp_path / "acme-1tb.toml")
    assert card.base == "samsung-pm1643-30720gb"
    assert card["flash.bits_per_cell"] == 4


def test_a_base_says_what_would_have_told_a_nearer_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert status("card", "new", "ssd", "acme-1tb", "--interface", "nvme", "--cells", "tlc") == 0
    printed = capsys.readouterr().out
    assert (
        "the nearest of the catalogue by interface, SLC cache and cells: NVMe, of 2025" in printed
    )
    assert "--year would find a nearer one." in printed


def test_a_base_that_is_named_is_warned_of_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = ("--like", "kingston-dc600m-960gb", "--year", 2011)
    assert status("card", "new", "ssd", "acme-256gb", *options) == 0
    assert "12 years away" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("kind", "year", "message"),
    [
        ("ssd", 1900, "there was no ssd in 1900 yet; give the year of its launch, 1991 or later"),
        ("hdd", 1950, "there was no hdd in 1950 yet; give the year of its launch, 1956 or later"),
        ("controller", 1960, "there was no controller in 1960 yet"),
        ("ssd", 20180, "20180 is not a year of a launch"),
    ],
)
def test_a_card_is_of_a_year_in_which_there_was_such_hardware(
    tmp_path, monkeypatch, capsys, kind, year, message
):
    monkeypatch.chdir(tmp_path)
    assert status("card", "new", kind, "acme", "--year", year) == 2
    assert f"--year: {message}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ssd", "a", "--interface", "scsi"), '"scsi" chooses no base; known: sata, sas, nvme'),
        (("tape", "a", "--interface", "sas"), 'KIND: "tape" is not a kind; known: hdd, ssd'),
        (("hdd", "a", "--interface", "sas"), "--interface: chooses among the disks of one speed"),
        (("hdd", "a", "--rpm", "7200"), "--rpm: chooses among the drives of an interface; give"),
        (("hdd", "a", "--interface", "nvme", "--rpm", "7200"), '"nvme" chooses no base; known'),
        (("hdd", "a", "--interface", "sas", "--rpm", "72000"), "no disk turns 72,000 times"),
        (
            ("hdd", "a", "--interface", "sas", "--rpm", "7200", "--like", "nl-sas-2tb"),
            "--like names a base already",
        ),
        (("ssd", "a", "--interface", "sas", "--rpm", "7200"), "--rpm: is the speed of a disk"),
        (("controller", "a", "--rpm", "7200"), "--rpm: chooses the base of a drive"),
        (("hdd", "a", "--slc-cache"), "--slc-cache: chooses the base of a solid state drive"),
        (
            ("ssd", "a", "--slc-cache"),
            "--slc-cache: chooses among the drives of an interface; give",
        ),
        (
            ("ssd", "a", "--slc-cache", "--like", "intel-s3700-800gb"),
            "--slc-cache: --like names a base already",
        ),
        (
            ("ssd", "a", "--interface", "sata", "--cells", "x"),
            '--cells: "x" is not a kind of cells',
        ),
        (
            ("ssd", "a", "--interface", "sata", "--like", "intel-s3700-800gb"),
            "--like names a base already",
        ),
    ],
)
def test_wrong_words_are_refused_in_a_line(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert status("card", "new", *words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_base_that_stands_for_a_class_has_no_maker_to_name(tmp_path, monkeypatch, capsys):
    """It was "not Toshiba's but not named's"."""
    monkeypatch.chdir(tmp_path)
    assert (
        status("card", "new", "hdd", "mg08", "--like", "class-7200rpm-16tb", "--maker", "Toshiba")
        == 0
    )
    assert "which stands for a class of hardware; guesses" in capsys.readouterr().out
    told = other_makers(cards.load(tmp_path / "mg08.toml"))
    assert all("not named" not in one for one in told)
