"""What the figures of a sheet leave open stays where the base of a card has it."""

from __future__ import annotations

import pytest
from conftest import compiled_only

from raidsim import cards, cli
from raidsim.calibrate.card_fit import fit_card

FIGURES = (
    ("sequential-read", 560, "MB/s", "100 %", "0 %", "128 KiB"),
    ("sequential-write", 530, "MB/s", "0 %", "0 %", "128 KiB"),
    ("random-read", 97_000, "IO/s", "100 %", "100 %", "4 KiB"),
    ("random-write", 60_000, "IO/s", "0 %", "100 %", "4 KiB"),
)
ENTRY = """
[[rated.performance]]
name = "{}"
value = {}
unit = "{}"
read = "{}"
random = "{}"
size = "{}"
outstanding = 32
page = "p. 1"
"""


@compiled_only
def test_a_drive_that_its_link_limits_keeps_the_flash_of_its_base(tmp_path, monkeypatch):
    """The slowest flash that still carries what the link does was taken: it programmed for 3 ms.

    Reads that came behind such a program waited twice as long.
    """
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        cli.main(["card", "new", "ssd", "made-up", "--like", "kingston-dc600m-960gb",
                  "--year", "2021", "--cells", "tlc"])  # fmt: skip
    assert not left.value.code
    path = tmp_path / "made-up.toml"
    head, link, rest = path.read_text().partition("\n[link]\n")
    filled = head.replace(
        "# capacity = { value = ...", 'capacity = { value = 1920, unit = "GB", page = "p. 1" } # {'
    )
    path.write_text(filled + "".join(ENTRY.format(*one) for one in FIGURES) + link + rest)
    found = fit_card(str(path), workers=1)
    assert found.card.integer("flash.dies_per_channel") > 8  # for twice the capacity
    for missed in found.figures:
        assert missed.is_met
    base, card = cards.load("kingston-dc600m-960gb"), cards.load(str(path))
    open_ones = [one.parameter.name for one in found.values if not one.claims]
    assert {"flash.program_time", "flash.spare", "flash.channel_write_time_per_byte"} <= set(
        open_ones
    )
    # Of the first the base has none; the second is what the printed random writes ask for, and the
    # third is that of the class.
    elsewhere = {"front_end.read_time", "front_end.move_time", "front_end.write_time"}
    for name in set(open_ones) - elsewhere:
        assert card.number(name) == pytest.approx(base.number(name), rel=0.05), name
