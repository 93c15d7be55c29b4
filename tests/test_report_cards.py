"""The catalogue on a terminal and in a pipe: what one picks a drive by, and nothing cut off."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from raidsim import cards
from raidsim.cards.attributes import DRIVE_KINDS
from raidsim.report import cards_table
from raidsim.report.console import ReportConsole

DISK = cards.load("seagate-st973451ss").changed(
    {
        "capacity.user": 73_407_868_928,
        "link.interface": "sas",
        "body.form_factor": "2.5 in",
        "spindle.speed": 15_000 / 60,
        "reliability.afr": 0.0055,
    }
)
FLASH = cards.load("intel-p3700-1600gb").changed(
    {
        "capacity.user": 1_600_000_000_000,
        "link.interface": "nvme",
        "body.form_factor": "add-in card",
        "reliability.afr": 0.0044,
        "endurance.dwpd": 17.5,
    }
)
SERVER = cards.load("fujitsu-rx2540-m1")


def piped(*chosen: cards.Card) -> list[list[str]]:
    """Rows of the plain text, as words."""
    text = io.StringIO()
    cards_table.print_catalogue(chosen, ReportConsole(text))
    return [line.split() for line in text.getvalue().splitlines()]


def on_terminal(chosen: list[cards.Card], width: int) -> list[str]:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=True, no_color=True)
    cards_table.print_catalogue(chosen, console)
    return re.sub(r"\x1b\[\d*m", "", text.getvalue()).splitlines()


def test_a_hard_disk_is_listed_with_the_speed_of_its_discs() -> None:
    (row,) = [row for row in piped(DISK, FLASH) if DISK.name in row]
    main = [DISK.name, "hdd", "73.41", "GB", "SAS", "2.5", "in", "15,000", "rpm", "0.55", "%", "-"]
    assert row == main + DISK.title.split()


@pytest.mark.parametrize(("writes", "shown"), [(1000, "1000"), (1 / 12, "0.0833")])
def test_drive_writes_a_day_have_three_digits_and_no_power_of_ten(
    writes: float, shown: str
) -> None:
    card = FLASH.changed({"endurance.dwpd": writes})
    (row,) = [row for row in piped(DISK, card) if card.name in row]
    assert shown in row


def test_an_ssd_is_listed_with_what_it_may_be_written() -> None:
    (row,) = [row for row in piped(DISK, FLASH) if FLASH.name in row]
    form = FLASH.word("body.form_factor").split()
    main = [FLASH.name, "ssd", "1.6", "TB", "NVMe", *form, "flash", "0.44", "%", "17.5"]
    assert row == main + FLASH.title.split()


def test_servers_follow_the_drives_in_a_table_of_their_own() -> None:
    rows = piped(DISK, SERVER)
    empty = rows.index([])
    assert DISK.name in rows[empty - 1]
    assert rows[empty + 1] == ["model", "kind", "title"]
    assert rows[-1] == [SERVER.name, "host", *SERVER.title.split()]


def test_a_catalogue_without_drives_has_one_table() -> None:
    header, _rule, row = piped(SERVER)
    assert header == ["model", "kind", "title"]
    assert row == [SERVER.name, "host", *SERVER.title.split()]


@pytest.mark.parametrize("width", [100, 120, 200])
def test_the_catalogue_fits_the_terminal_and_cuts_no_drive_off(width: int) -> None:
    catalogue = cards.catalogue()
    drives = [card for card in catalogue if card.kind in DRIVE_KINDS]
    lines = on_terminal(catalogue, width)
    assert max(map(len, lines)) <= width
    shown = [line.split() for line in lines[2 : 2 + len(drives)]]
    whole = piped(*catalogue)[2 : 2 + len(drives)]
    for card, row, expected in zip(drives, shown, whole, strict=True):
        main = len(expected) - len(card.title.split())
        assert row[:main] == expected[:main]


def test_titles_are_left_out_where_they_do_not_fit() -> None:
    wordy = replace(DISK, title="a title of nine words that is rather long")
    assert any(wordy.title in line for line in on_terminal([wordy], 140))
    assert not any("title" in line for line in on_terminal([wordy], 100))
