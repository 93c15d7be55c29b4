"""Which parts were compared with measurements, and what that does to intervals."""

from __future__ import annotations

from raidsim import Scenario, cards
from raidsim.resources import data_folder
from raidsim.unknowns import compared
from raidsim.validate import schema
from raidsim.validate.concerned import parts_of
from raidsim.validate.systems import Systems


def test_of_parts_that_nothing_was_compared_with_models_leave_out_more() -> None:
    """A claim is about the card, or it was fitted to measurements; a data sheet is neither."""
    compared_with = Scenario.read("drive-database").with_("volume.drive", "nl-sas-2tb")
    assert compared.uncompared(compared_with) == []
    assert compared.left_out(compared_with) == 0.07
    stranger = compared_with.with_("volume.drive", "seagate-st2400mm0129")
    assert compared.uncompared(stranger) == ["seagate-st2400mm0129"]
    assert compared.left_out(stranger) == 0.25


def test_a_card_of_a_users_own_is_not_the_one_of_the_same_name_here(tmp_path) -> None:
    mine = tmp_path / "nl-sas-2tb.toml"
    text = cards.load("nl-sas-2tb").path.read_text(encoding="utf-8")
    mine.write_text(text, encoding="utf-8")
    assert compared.was_compared(cards.load("nl-sas-2tb"))
    assert not compared.was_compared(cards.load(str(mine)))
    figures = '[residuals]\n"fio: reads" = "2 %"\n'
    mine.write_text(f"{text}\n{figures}", encoding="utf-8")
    assert compared.was_compared(cards.load(str(mine)))


def test_the_list_of_cards_that_claims_are_about_is_what_claims_say() -> None:
    listed = (data_folder("validation") / compared.LIST).read_text(encoding="utf-8")
    systems = Systems()
    found = set().union(*(parts_of(claim, systems) for claim in schema.load(None)))
    names = [line for line in listed.splitlines() if not line.startswith("#")]
    assert names == sorted(found), "run: python docs/reference/generate.py"
