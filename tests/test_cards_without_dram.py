"""Cards of drives without DRAM: how they are made, and what their sheets are measured with."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from raidsim import cards
from raidsim.assembly import mapping
from raidsim.calibrate.card_fit import COUNTED
from raidsim.calibrate.rated_scenario import scenario as rated_scenario
from raidsim.cards.loader import read_card
from raidsim.cards.stub import stub
from raidsim.commands.card import app
from raidsim.errors import InputError
from raidsim.scenario import Scenario, load_text

WITH = "samsung-970-evo-plus-500gb"
WITHOUT = "wd-blue-sn570-1tb"
SATA = "samsung-870-evo-1tb"


def new(base: str, *, dram: bool | None) -> str:
    like = cards.load(base)
    return stub("ssd", "n", like, place=Path("n.toml"), like_name=base, dram=dram)


@pytest.mark.parametrize(
    ("base", "dram", "kept_in"),
    [(WITH, None, "memory"), (WITH, True, "memory"), (WITH, False, "flash"), (SATA, False, "flash"),
     (WITHOUT, None, "flash"), (WITHOUT, True, "memory"), (WITHOUT, False, "flash")],
)  # fmt: skip
def test_a_new_card_has_its_map_where_the_command_says_or_else_where_its_base_has_it(
    base, dram, kept_in
):
    card = read_card(new(base, dram=dram), "n.toml")
    assert card.word("mapping.kept_in") == kept_in
    assert not mapping.problems(card)


def test_a_sata_drive_without_dram_has_the_memory_of_its_controller_only():
    nvme, sata = (read_card(new(base, dram=False), "n.toml") for base in (WITH, SATA))
    assert mapping.covered(nvme) == 64 * 2**30
    assert mapping.covered(sata) == 2 * 2**30


@pytest.mark.parametrize(
    ("options", "remedy"),
    [(["ssd", "n"], "give --interface or --like"), (["hdd", "n"], "leave it out"),
     (["hdd", "n", "--like", "nl-sas-2tb"], "leave it out")],
)  # fmt: skip
def test_no_dram_is_refused_where_it_says_nothing(options, remedy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["new", *options, "--no-dram"])
    assert isinstance(result.exception, InputError)
    assert remedy in str(result.exception)
    assert not list(tmp_path.iterdir())


def test_what_a_sheet_prints_at_random_is_measured_where_the_map_is_in_memory():
    card = cards.load(WITHOUT)
    assert card.rated is not None
    for one in card.rated.performance:
        load = of_text(rated_scenario(card, one, {})).loads[0]
        _, used = load.extent(card.integer("capacity.user"))
        assert (used == mapping.covered(card)) == (one.random > 0)


def of_text(text: str) -> Scenario:
    return load_text(text)


def test_a_disk_has_no_map():
    disk = cards.load("nl-sas-2tb")
    assert not disk.has(mapping.KEPT_IN)


def test_a_sheet_tells_nothing_of_the_memory_for_a_map_so_a_fit_leaves_it_alone():
    moved = {"mapping.memory": 16 * 2**20}
    card = cards.load(WITHOUT)
    assert card.rated is not None
    one = next(one for one in card.rated.performance if one.random > 0)
    load = of_text(rated_scenario(card, one, moved)).loads[0]
    assert load.extent(card.integer("capacity.user"))[1] == 16 * 2**30
    assert not {"mapping.memory", "mapping.look_ups", "mapping.changes"} - set(COUNTED)


def test_a_map_on_flash_without_a_size_of_its_memory_is_refused_in_words_when_it_is_fitted():
    card = cards.load("samsung-980-pro-2tb")
    assert card.rated is not None
    one = next(one for one in card.rated.performance if one.random > 0)
    assert "area" not in rated_scenario(card.changed({"mapping.kept_in": "flash"}), one, {})
