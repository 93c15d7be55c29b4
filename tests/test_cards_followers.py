"""What a card or a scenario states in one form, its other form says as well."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from raidsim import cards, scenario
from raidsim.cards import Card
from raidsim.cards.plausible import problems
from raidsim.report.array_findings import no_redundancy
from raidsim.risk.assess import failure_rate

CARD = """
schema = 2
name = "own"
kind = "{kind}"
title = "own"
base = "{base}"
"""
PB, TB = 1e15, 1e12


@pytest.fixture
def own(tmp_path):
    def made(base: str, text: str) -> Card:
        path = Path(tmp_path) / "own.toml"
        head = CARD.format(kind=cards.load(base).kind, base=base)
        path.write_text(head + text)
        return cards.load(str(path))

    return made


def value(key: str, number: float, unit: str) -> str:
    return f'{key} = {{ value = {number}, unit = "{unit}", source = "datasheet" }}\n'


def test_a_card_that_states_an_mtbf_does_not_fail_as_rarely_as_its_base(own):
    card = own("seagate-st8000nm000a", "[reliability]\n" + value("mtbf", 1e6, "h"))
    assert cards.load(card.base)["reliability.afr"] == 0.0044
    assert card["reliability.afr"] == pytest.approx(-math.expm1(-8760 / 1e6))
    assert card.sources["reliability.afr"].note == "follows from reliability.mtbf"
    assert "reliability.afr" not in card.origins


def test_a_card_that_states_a_rate_has_no_mtbf_of_its_base(own):
    card = own("seagate-st8000nm000a", "[reliability]\n" + value("afr", 2, "%"))
    assert card["reliability.afr"] == 0.02
    assert card["reliability.mtbf"] / 3600 == pytest.approx(-8760 / math.log(0.98))


def test_what_sheets_round_agrees(own):
    card = own("seagate-st8000nm000a", "[reliability]\n" + value("mtbf", 2e6, "h"))
    assert card["reliability.afr"] == 0.0044


def test_bytes_that_may_be_written_say_how_often_a_day(own):
    text = "[capacity]\n" + value("user", 500, "GB") + "[endurance]\n" + value("written", 180, "TB")
    card = own("intel-s4600-960gb", text)
    assert card["endurance.dwpd"] == pytest.approx(180 * TB / 0.5e12 / 365 / 5)
    assert card.sources["endurance.dwpd"].note == "follows from endurance.written, over 5 years"


def test_writes_a_day_say_how_many_bytes(own):
    card = own("intel-s4600-960gb", "[endurance]\n" + value("dwpd", 1, "1/day"))
    assert card["endurance.written"] == pytest.approx(0.96e12 * 365 * 5)


def test_writes_a_day_are_meant_for_the_years_that_the_sheet_says(own):
    sheet = '[rated]\nsheet = "s"\ndwpd = { value = 1, unit = "1/day", years = 3, page = "p" }\n'
    card = own("intel-s4600-960gb", "[endurance]\n" + value("dwpd", 1, "1/day") + sheet)
    assert card["endurance.written"] == pytest.approx(0.96e12 * 365 * 3)


def test_another_capacity_is_written_as_many_times(own):
    card = own("intel-s4600-960gb", "[capacity]\n" + value("user", 480, "GB"))
    base = cards.load("intel-s4600-960gb")
    assert card["endurance.dwpd"] == base["endurance.dwpd"]
    assert card["endurance.written"] == pytest.approx(base.number("endurance.written") / 2)


def test_what_a_card_states_in_both_forms_stays(own):
    text = "[endurance]\n" + value("dwpd", 1, "1/day") + value("written", 9, "PB")
    card = own("intel-s4600-960gb", text)
    assert (card["endurance.dwpd"], card["endurance.written"]) == (1, 9 * PB)


def checked(level: str, drive: str, **values: str) -> scenario.Scenario:
    keys = [f"volume.set.{key.replace('__', '.')}={text}" for key, text in values.items()]
    changes = [f"volume.level={level}", "volume.drives=4", f"volume.drive={drive}", *keys]
    return scenario.load("array-database", overrides=changes)


def test_a_scenario_that_sets_an_mtbf_says_one_chance_everywhere():
    found = checked("raid0", "cisco-hdd-4tb", reliability__mtbf="100000 h")
    (volume,) = found.volumes
    in_a_year = -math.expm1(-4 * 8760 / 100000)
    assert volume.card["reliability.afr"] == pytest.approx(-math.expm1(-8760 / 100000))
    assert 1 / failure_rate(volume)[0].scale == pytest.approx(1e-5)
    (finding,) = no_redundancy(found)
    assert f"a probability of {100 * in_a_year:.1f} %" in str(finding)


def test_a_scenario_that_sets_writes_a_day_sets_what_may_be_written():
    (volume,) = checked("raid0", "intel-s4600-960gb", endurance__dwpd="1 1/day").volumes
    assert volume.card["endurance.written"] == pytest.approx(0.96e12 * 365 * 5)


def test_a_rate_of_its_own_is_told_without_the_mtbf_of_another_drive():
    (volume,) = checked("raid5", "cisco-hdd-4tb", reliability__afr="2 %").volumes
    assert failure_rate(volume)[1] == "AFR"


def test_a_rate_beyond_its_class_is_refused_with_the_value_that_it_follows_from(own):
    """The card has an MTBF only: nothing is said of a key that nobody would find in it."""
    card = own("cisco-hdd-4tb", "[reliability]\n" + value("mtbf", 100_000, "h"))
    (problem,) = [one for one in problems(card) if one.key == "reliability.afr"]
    assert "8.387" in problem.cause
    assert "which follows from reliability.mtbf" in problem.cause
    assert "write afr with range = [low, high]" in problem.remedy
