"""The kinds of drives: each answers what is asked of it, and nobody else asks which one it is."""

from __future__ import annotations

import re
from inspect import isfunction
from pathlib import Path

import pytest

from raidsim import cards
from raidsim.assembly.drive import add_drive
from raidsim.assembly.drives import KINDS, DriveKind, Flow, kind_at, kind_of
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.system.system import System

SOURCES = Path(__file__).resolve().parent.parent / "raidsim"
NAMES_A_KIND = re.compile(r"\"(?:hdd|ssd)\"|\bDRIVE_(?:SSD|DISK)\b|\bis_hdd\b|\bis_ssd\b")
ALLOWED = {
    "assembly/drives/disk.py",  # the kinds
    "assembly/drives/flash.py",
    "kernel/tables.py",  # their numbers,
    "kernel/drive.py",  # and where a command goes
    "cards/attributes.py",  # the attributes of their cards,
    "cards/fit_ranges.py",  # what a fit may move,
    "cards/plausible.py",  # where its values may lie,
    "cards/disk_classes.py",  # what firmware of old disks does,
    "cards/rated.py",  # what their sheets print,
    "cards/years.py",  # since when there are any,
    "studies/experiments.py",  # which measurement shows a value,
    "planning/bounds.py",  # and what physics lets none of them do better
}
MODELS = ("samsung-970-evo-plus-500gb", "intel-p3700-800gb", "seagate-st373455ss", "nl-sas-2tb")


def code_of(path: Path) -> str:
    """A source without comments and documentation."""
    text = re.sub(r'"""(?:.|\n)*?"""', "", path.read_text(encoding="utf-8"))
    return re.sub(r"#.*", "", text)


def test_no_other_file_names_a_kind():
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if NAMES_A_KIND.search(code_of(path))
    }
    assert found == ALLOWED


def test_every_kind_of_card_that_a_volume_may_have_is_a_kind_of_drive():
    assert {kind.name for kind in KINDS} == set(DRIVE_KINDS)
    assert len({kind.number for kind in KINDS}) == len({kind.table for kind in KINDS}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.name))
def test_a_kind_says_all_that_has_no_answer_in_the_interface(kind: DriveKind):
    for name in DriveKind.__annotations__:
        assert getattr(kind, name) is not None


def test_the_page_on_kinds_names_all_that_one_has_to_say_and_all_that_it_may_say():
    page = (SOURCES.parent / "docs" / "how-to" / "add-a-drive-kind.md").read_text(encoding="utf-8")
    told = page.partition("These methods are required.")[2].partition("`raidsim/")[0]
    obliged, _, free = told.partition("All others have a default")
    methods = {name for name, value in vars(DriveKind).items() if isfunction(value)}
    assert set(re.findall(r"`(\w+)`", obliged)) == DriveKind.__abstractmethods__
    assert set(re.findall(r"`(\w+)`", free)) == methods - DriveKind.__abstractmethods__


@pytest.mark.parametrize("model", MODELS)
def test_a_kind_answers_for_a_card(model: str):
    card = cards.load(model)
    kind = kind_of(card)
    kind.check(card)
    reading, writing = kind.mean_rates(card)
    link = 1 / card.number("link.time_per_byte")
    assert 0 < reading <= kind.sustained_rate(card) <= link * (1 + 1e-12)
    assert 0 < writing <= link * (1 + 1e-12)
    assert kind.write_time(card, parity=False) < kind.write_time(card, parity=True)
    assert card.integer(kind.unit) > 0
    assert kind.grain(card) > 0
    busy = kind.demands(card, [Flow(100.0, 50.0, 100 * 4096.0, 0.0, 1.0)])
    assert all(0 <= share < 1 for share in busy.values())


@pytest.mark.parametrize("model", MODELS)
def test_a_kind_answers_for_a_drive(model: str):
    card = cards.load(model)
    system = System(seed=1)
    index = add_drive(system, "data", card)
    kind = kind_at(system, index)
    assert kind is kind_of(card)
    assert kind.row(system, index)["drive"] == index
    assert system.world.drives[index]["kind"] == kind.number
    assert set(kind.stations(system, index)) <= set(range(system.count("stations")))
    assert (kind.wear(system, index) is not None) == kind.keeps_map
    assert list(kind.unwritten(system, index)) == []
    assert kind.unplaced(system, index) == 0
    assert kind.map_unit(card) > 0 if kind.keeps_map else kind.map_unit(card) == 0
    kind.renew(system, index)
    kind.trim(system, index, 0, 1 << 30, to_the_end=False)
