"""A drive that has a card is found by what drives of that model say of themselves."""

from __future__ import annotations

import pytest

from raidsim import cards
from raidsim.cards.order_numbers import is_one_of, plain
from raidsim.importing.matching import Needs, match_controller, match_drive
from raidsim.importing.model import Controller, Drive, Fact, Place

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
        ("Samsung SSD 990 PRO 2TB", "samsung-990-pro-2tb"),
        ("WDC WDS100T1R0A-68A4W0", "wd-red-sa500-1tb"),
        ("WDC  WUH721818ALE6L4", "wd-hc550-18tb"),
        ("ST2000DM001-1CH164", "seagate-st2000dm001"),
    ],
)
def test_an_order_number_finds_the_card_of_its_drive(model: str, card: str) -> None:
    found = match_drive(drive(model), 0)
    assert (found.card, found.is_exact) == (card, True)


@pytest.mark.parametrize("model", ["SAMSUNG MZQL215THBLA-00A07", "INTEL SSDPE2KX080T8"])
def test_another_size_of_the_same_series_is_near_and_not_the_same(model: str) -> None:
    assert not match_drive(drive(model), 0).is_exact


@pytest.mark.parametrize(("controller", "interfaces"), [(None, {"sata"}), ("c0", {"sas", "sata"})])
def test_a_disk_that_hangs_on_the_host_itself_is_no_sas_disk(controller, interfaces):
    """Boards have ports for SATA; SAS needs an adapter, and then either is possible."""
    for size in (3 * 10**12, 4 * 10**12, 6 * 10**12, 10**13):
        disk = Drive("sda", LINE, frozenset({"sda"}), controller=controller)
        found = match_drive(disk, size)
        assert cards.load(found.card).word("link.interface") in interfaces
        assert ("SATA (a guess" in found.reason) == (controller is None)


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


@pytest.mark.parametrize(
    ("model", "card"),
    [
        ("PERC H755 Front", "dell-perc-h755"),
        ("PERC H740P Mini", "dell-perc-h740p"),
        ("AVAGO MegaRAID SAS 9460-16i", "broadcom-megaraid-9460-16i"),
        ("MegaRAID 9560-16i 8GB", "broadcom-megaraid-9560-16i"),
        ("SAS9300-8i", "lsi-hba-9300-8i"),
    ],
)
def test_a_controller_is_found_by_what_its_tool_prints(model: str, card: str) -> None:
    known = Controller("c0", LINE, frozenset({"c0"}), model=Fact(model, LINE))
    needs = Needs(frozenset({"single"}), frozenset(), 2, False, False, 2, LINE)
    assert match_controller(known, needs).card == card


LISTED = {
    # What a computer lists: the card that stands for it, and whether it is of that very model.
    ("SAMSUNG MZQL21T9HCJR-00A07", "nvme", 1.92e12): ("samsung-pm9a3-1920gb", True),
    ("Samsung SSD 980 PRO 2TB", "nvme", 2e12): ("samsung-980-pro-2tb", True),
    ("HUH721010ALE604", "sata", 10e12): ("hgst-he10-10tb", True),
    ("SSDPE2KX080T8", "nvme", 8e12): ("intel-p4510-4tb", False),
    ("INTEL SSDSC2BA400G3", "sata", 400e9): ("intel-s3700-800gb", False),
    ("Micron_7450_MTFDKCC3T8TFR", "nvme", 3.84e12): ("micron-7450-pro-3840gb", True),
    ("Micron_7450_MTFDKCC1T6TFS", "nvme", 1.6e12): ("micron-7450-pro-3840gb", False),
    # A drive of a personal computer is no drive for servers with the same first letters.
    ("INTEL SSDPEKNW512G8", "nvme", 512e9): ("intel-660p-1tb", False),
    # Its relative holds eight times as much, and has eight times the dies.
    ("SAMSUNG MZ7LH960HAJR-00005", "sata", 960e9): ("intel-s4520-960gb", False),
}  # fmt: skip


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed[0])
def test_a_drive_is_that_of_its_order_number_or_of_its_series(listed):
    model, interface, size = listed
    place = Place("lsblk.json", 1)
    drive = Drive(
        label="d", place=place, keys=(), model=Fact(model, place), size=Fact(int(size), place),
        rotates=Fact(model.startswith("HUH"), place), interface=Fact(interface, place),
    )  # fmt: skip
    found = match_drive(drive, 0)
    assert (found.card, found.is_exact) == LISTED[listed]


def test_an_order_number_is_looked_for_where_a_word_begins():
    """PRAID EP420i is a controller of Fujitsu, and a Smart Array P420i one of HP."""
    card = cards.load("hp-p420i")
    assert is_one_of("HP Smart Array P420i", card)
    assert not is_one_of("PRAID EP420i", card)


def test_no_two_cards_have_the_same_order_number():
    numbers = [plain(one) for card in cards.catalogue() for one in card.order_numbers]
    assert len(numbers) == len(set(numbers)) > 100
