"""A drive that has a card is found by what drives of that model say of themselves."""

from __future__ import annotations

import pytest

from raidsim.importing.matching import Needs, match_controller, match_drive
from raidsim.importing.model import Drive, Fact, Place

LINE = Place("inventory.json", 3)


def drive(model: str) -> Drive:
    return Drive("sda", LINE, frozenset({"sda"}), model=Fact(model, LINE))


@pytest.mark.parametrize(
    ("model", "card"),
    [
        ("INTEL SSDPE2KX040T8", "intel-p4510-4tb"),
        ("INTEL SSDSC2KG960G7", "intel-s4600-960gb"),
        ("SAMSUNG MZQLB3T8HALS-00007", "samsung-pm983-3840gb"),
        ("SAMSUNG MZQL27T6HBLA-00A07", "samsung-pm9a3-7680gb"),
        ("KINGSTON SEDC600M960G", "kingston-dc600m-960gb"),
        ("ST8000NM000A-2KE101", "seagate-st8000nm000a"),
        ("SEAGATE ST18000NM004J", "seagate-st18000nm004j"),
        ("ST2400MM0129", "seagate-st2400mm0129"),
        ("TOSHIBA MG10ACA20TE", "toshiba-mg10aca20te"),
    ],
)
def test_an_order_number_finds_the_card_of_its_drive(model: str, card: str) -> None:
    found = match_drive(drive(model), 0)
    assert (found.card, found.is_exact) == (card, True)


@pytest.mark.parametrize("model", ["SAMSUNG MZQL215THBLA-00A07", "INTEL SSDPE2KX080T8"])
def test_another_size_of_the_same_series_is_near_and_not_the_same(model: str) -> None:
    assert not match_drive(drive(model), 0).is_exact


def test_a_controller_whose_file_shows_three_copies_keeps_them():
    """A card has pairs unless its maker offers more; what a server has is no matter of doubt."""
    place = Place("show.txt", 3)
    made = match_controller(
        None, Needs(frozenset({"raid1"}), frozenset(), 3, False, True, 3, place)
    )
    assert made.changes["levels.copies"] == (3, str(place))
    pairs = match_controller(
        None, Needs(frozenset({"raid1"}), frozenset(), 2, False, True, 2, place)
    )
    assert "levels.copies" not in pairs.changes
