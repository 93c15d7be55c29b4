"""A card to be filled in loads as it is, and says where its values are from, and their ranges."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import status

from raidsim import cards, cli
from raidsim.assembly.drives import is_drive, kind_of
from raidsim.calibrate.parameters import free_parameters
from raidsim.cards.arithmetic import contradictions
from raidsim.cards.attributes import KINDS
from raidsim.cards.loader import read_card
from raidsim.cards.rated import SHAPES
from raidsim.cards.stub import stub
from raidsim.errors import InputError
from raidsim.resources import data_folder

PAGES = Path(__file__).resolve().parents[1] / "docs" / "how-to"
NAMES = sorted(path.stem for path in data_folder("models").rglob("*.toml"))
COUNTED = {"flash.dies_per_channel", "flash.die_capacity"}
OFFERED = {"front_end.read_time", "front_end.write_time", "front_end.move_time"}


OF_A_DISK = {"write_cache.enabled", "write_cache.protected_size"}
"""What a new disk has as it is sold, and what its sheet says, whatever its base has."""


@pytest.mark.parametrize("name", NAMES)
def test_a_new_card_is_like_the_card_that_it_is_like(name, tmp_path):
    like = cards.load(name)
    text = stub(like.kind, "new-one", like, place=tmp_path / "new.toml", like_name=name)
    card = read_card(text, "new.toml")
    assert card.rated is not None
    if is_drive(card):
        kind_of(card).check(card)
    differing = {key for key in card.values if not like.has(key) or card[key] != like[key]}
    allowed = COUNTED if like.kind != "ssd" else COUNTED | OFFERED
    assert differing <= (allowed | OF_A_DISK if like.kind == "hdd" else allowed)
    for key in differing & OFFERED:  # what the base has none of begins at next to nothing
        assert like.number(key) == 0
        assert 0 < card.number(key) <= 0.1e-6 * card.integer("front_end.cores")
    if name != "null-block-device":  # which keeps nothing, so that it has no dies to count
        assert not any("die" in text for one in contradictions(card) for text in one.names)
    for one in free_parameters([card], assumed=True):
        assert one.low <= one.value <= one.high
        assert card.sources[one.name].because
        assert card.sources[one.name].note


@pytest.mark.parametrize(
    ("name", "on"), [("seagate-st8000nm000a", True), ("seagate-st2400mm0129", False)]
)
def test_a_new_disk_keeps_no_more_than_its_sheet_says_and_is_as_it_is_sold(name, on, tmp_path):
    """Both bases keep megabytes through a power cut; one is on SATA, the other on SAS."""
    like = cards.load(name)
    assert like.integer("write_cache.protected_size") > 0
    card = read_card(stub("hdd", "new", like, place=tmp_path / "new.toml"), "new.toml")
    assert card.integer("write_cache.protected_size") == 0
    assert card.flag("write_cache.enabled") is on


@pytest.mark.parametrize(
    ("name", "year", "megabytes"),
    [
        ("intel-s4600-960gb", 2020, 550),
        ("samsung-970-evo-plus-500gb", 2018, 3565),  # as the base
        ("samsung-970-evo-plus-500gb", 2021, 7450),
        ("samsung-970-evo-plus-500gb", 2024, 14950),
        ("micron-9550-max-6400gb", 2024, 14950),  # as the base
    ],
)
def test_the_link_of_a_new_drive_is_the_fastest_of_its_year(name, year, megabytes, tmp_path):
    """A sheet that promises more than the link of a base carries would contradict the card."""
    like = cards.load(name)
    card = read_card(stub("ssd", "new", like, place=tmp_path / "new.toml", year=year), "new.toml")
    payload = 1 / card.number("link.time_per_byte") / 1e6
    assert payload == pytest.approx(megabytes, rel=1e-3)


@pytest.mark.parametrize(("year", "sorts", "caches"), [(2009, 32, 4), (2012, 32, 1024)])
def test_a_sata_disk_sorts_as_many_commands_as_those_of_its_year(year, sorts, caches, tmp_path):
    like = cards.load("seagate-st8000nm000a")  # of 2018
    card = read_card(stub("hdd", "old", like, place=tmp_path / "old.toml", year=year), "old.toml")
    assert card.integer("queue.window") == sorts
    assert card.integer("write_cache.entries") == caches


@pytest.mark.parametrize(("year", "settles"), [(2009, 0.8e-3), (2016, 0.8e-3), (2017, 0.23e-3)])
def test_a_sata_disk_settles_on_the_next_track_as_those_of_its_year(year, settles, tmp_path):
    like = cards.load("seagate-st8000nm000a")  # of 2018, for servers
    card = read_card(stub("hdd", "old", like, place=tmp_path / "old.toml", year=year), "old.toml")
    assert card.number("seek.read_single") == pytest.approx(settles)
    assert card.number("seek.write_single") > settles


@pytest.mark.parametrize("base", ["hgst-he10-10tb", "seagate-st2000dm001", "seagate-st10000nm0016"])
def test_a_sata_disk_settles_as_its_class_whatever_its_base_has_taken_over(base, tmp_path):
    """These bases are of those years, but their own bases are disks for servers, with 0.23 ms."""
    like = cards.load(base)
    card = read_card(stub("hdd", "old", like, place=tmp_path / "old.toml", year=2015), "old.toml")
    assert card.number("seek.read_single") == pytest.approx(0.8e-3)
    assert card.number("seek.write_single") == pytest.approx(0.9e-3)


@pytest.mark.parametrize(("year", "share"), [(2009, 0.15), (2016, 0.15), (2017, 0)])
@pytest.mark.parametrize("base", ["seagate-st8000nm000a", "wd-red-3tb", "seagate-st2000dm001"])
def test_an_arm_of_one_stage_takes_time_to_stop_whatever_its_base_does(base, year, share, tmp_path):
    """One base states it, the others say nothing; from 2017 on a base is taken as it is."""
    like = cards.load(base)
    card = read_card(stub("hdd", "old", like, place=tmp_path / "old.toml", year=year), "old.toml")
    expected = share if year <= 2016 else like.number("seek.settle")
    assert card.number("seek.settle") == pytest.approx(expected)


def test_a_sata_disk_settles_as_its_base_of_those_years_if_the_base_says_so_itself(tmp_path):
    like = cards.load("wd-red-3tb")  # of 2012, with 1.0 ms on its own card
    card = read_card(stub("hdd", "old", like, place=tmp_path / "old.toml", year=2014), "old.toml")
    assert card.number("seek.read_single") == like.number("seek.read_single") == pytest.approx(1e-3)


def test_what_was_fitted_to_one_old_disk_does_not_stand_for_others_of_its_years(tmp_path):
    """The two values of this disk of 2007 were chosen to agree with figures measured of it."""
    like = cards.load("wd-wd1600aajs")
    card = read_card(stub("hdd", "old", like, place=tmp_path / "old.toml", year=2009), "old.toml")
    assert (like.integer("queue.window"), like.integer("write_cache.entries")) == (2, 8)
    assert (card.integer("queue.window"), card.integer("write_cache.entries")) == (32, 4)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_without_an_example_a_new_card_says_what_is_to_be_filled_in(kind):
    text = stub(kind, "new-one", place=Path("new.toml"))
    with pytest.raises(InputError) as caught:
        read_card(text, "new.toml")
    missing = {problem.key for problem in caught.value.problems}
    lines = re.findall(r"(?m)^# (\w+) = \{ value = [^\n]*source = \"datasheet\"", text)
    assert missing
    assert {key.rpartition(".")[2] for key in missing} <= set(lines)
    assert {problem.cause for problem in caught.value.problems} == {"is missing"}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_figure_of_a_new_card_can_be_filled_in(kind):
    like = next(card for card in cards.catalogue() if card.kind == kind)
    text = stub(kind, "new-one", like, place=Path("new.toml"), like_name=like.name)
    filled = re.sub(r"(?m)^# (?=\w+ = .*p\. \.\.\.|\[\[|\w+ = )", "", text)
    filled = re.sub(r"(?m)^(maker|year) = .*\n", "", filled).replace("value = ...", "value = 1")
    rated = read_card(filled, "new.toml").rated
    assert len(rated.performance) >= 2
    assert rated.figures


def test_what_the_sheet_of_the_example_prints_is_what_is_asked_for(tmp_path):
    like = tmp_path / "like.toml"
    like.write_text(
        'name = "like"\nkind = "ssd"\ntitle = "L"\nbase = "intel-p3700-800gb"\n'
        '[rated]\nsheet = "S"\n[[rated.performance]]\nname = "mixed"\nvalue = 1000\nunit = "IO/s"\n'
        'read = "70 %"\nsize = "8 KiB"\noutstanding = 128\nstate = "burst"\npage = "p. 1"\n'
    )
    text = stub("ssd", "n", cards.load(like), place=tmp_path / "n.toml", like_name=str(like))
    for line in ('name = "mixed"', 'read = "70 %"', 'size = "8 KiB"', 'state = "burst"'):
        assert f"# {line}\n" in text
    names = re.findall(r'(?m)^# name = "(.*)"$', text)
    usual = [shape.name for shape in SHAPES["ssd"]]
    assert names == ["mixed", *usual]  # what sheets usually print is asked for as well
    assert 'base = "like.toml"' in text
    (tmp_path / "n.toml").write_text(text)
    assert cards.load(tmp_path / "n.toml").base == "like"


@pytest.mark.parametrize(
    ("like", "asks"),
    [("kingston-dc600m-960gb", 0), ("seagate-st18000nm004j", 0), ("intel-p4510-4tb", 1)],
)
def test_only_of_a_drive_on_pcie_lanes_are_asked_for(like, asks):
    card = cards.load(like)
    text = stub(card.kind, "n", card, place=Path("n.toml"), like_name=like)
    assert len(re.findall(r"(?m)^lanes = ", text)) == asks


@pytest.mark.parametrize(
    ("base", "options", "survives"),
    [
        ("intel-s4600-960gb", {}, True),
        ("intel-s4600-960gb", {"slc_cache": True}, False),
        ("samsung-970-evo-plus-500gb", {}, False),
    ],
)
def test_a_drive_of_a_personal_computer_loses_its_buffer_in_a_power_cut(base, options, survives):
    """Whatever drive its card begins from: it has no capacitors unless the sheet prints them."""
    text = stub("ssd", "n", cards.load(base), place=Path("n.toml"), like_name=base, **options)
    card = read_card(text, "n.toml")
    assert card.flag("buffer.protected") is survives
    assert card.sources["buffer.protected"].source == "assumed"


@pytest.mark.parametrize("base", ["intel-s4600-960gb", "kingston-dc600m-960gb"])
def test_firmware_of_a_sata_drive_of_a_personal_computer_moves_units_as_its_class_does(base):
    """Its sheet prints no writes in the long run, which tell it of a drive for servers."""
    options = {"place": Path("n.toml"), "like_name": base, "slc_cache": True}
    card = read_card(stub("ssd", "n", cards.load(base), **options), "n.toml")
    told = ("intel-s3700-800gb", "intel-s4600-960gb", "intel-710-300gb", "cisco-ssd-sata-ev-480gb")
    times = sorted(cards.load(one).number("front_end.move_time") for one in told)
    assert times[0] < card.number("front_end.move_time") < times[-1]


def test_cells_of_another_kind_take_their_own_time_to_be_programmed():
    base = "kingston-dc600m-960gb"
    times = []
    for cells in ("slc", "tlc", "mlc", "qlc"):
        options = {"place": Path("n.toml"), "like_name": base, "cells": cells}
        card = read_card(stub("ssd", "n", cards.load(base), **options), "n.toml")
        times.append(card.number("flash.program_time"))
    assert times[1] == cards.load(base).number("flash.program_time")  # cells as its own
    assert times == sorted(times)


def test_sheets_of_drives_with_an_slc_cache_print_what_it_takes_in():
    """An 870 EVO whose 88,000 random writes a second were sustained would be twice a server's."""
    base = cards.load("kingston-dc600m-960gb")
    for slc_cache, writes in ((False, "sustained"), (True, "burst")):
        text = stub("ssd", "n", base, place=Path("n.toml"), slc_cache=slc_cache)
        text, _, _of_reviews = text.partition("# Rates of a burst do not say")
        states = re.findall(r'(?m)^# read = "(\d+) %"[^[]*?^# state = "(\w+)"', text)
        assert {state for read, state in states if read == "0"} == {writes}
        assert {state for read, state in states if read == "100"} == {"sustained"}


def test_dies_are_as_large_as_they_were_in_the_year():
    like = cards.load("samsung-970-evo-plus-500gb")  # 256 Gbit, 500 GB, eight channels
    made = {
        year: read_card(stub("ssd", "n", like, place=Path("n.toml"), year=year), "n.toml")
        for year in (2014, 2017, 2024)
    }
    # A die of 2024 has 128 GiB on four planes, each of which reads by itself: a die of 32 GiB here.
    assert [card["flash.die_capacity"] >> 30 for card in made.values()] == [16, 32, 32]
    assert [card["flash.planes"] for card in made.values()] == [2, 2, 1]
    # 500 GB and 9.9 % are 549.5 GB: 32 dies of 16 GiB, 16 of 32 GiB.
    assert [card["flash.dies_per_channel"] for card in made.values()] == [4, 2, 2]


def test_a_new_card_is_written_once_and_never_over_another_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = ("--like", "intel-p3700-800gb", "--maker", "Acme", "--year", 2020)
    assert status("card", "new", "ssd", "acme-1tb", *options) == 0
    printed = capsys.readouterr().out
    assert "by Intel and not Acme; guesses" in printed
    assert "heat.* (how it warms)" in printed
    before = (tmp_path / "acme-1tb.toml").read_bytes()
    assert status("card", "new", "ssd", "acme-1tb", *options) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "acme-1tb.toml").read_bytes() == before
    assert status("card", "new", "ssd", "acme-1tb", *options, "-o", "other.toml") == 0
    assert cards.load(tmp_path / "other.toml").of_others()


@pytest.mark.parametrize(
    ("page", "like", "figures"), [("own-drive", "intel-p3700-800gb-sff", 6),
                                  ("own-host", "fujitsu-rx2540-m1", 1)],
)  # fmt: skip
def test_what_a_page_fills_in_is_read_and_does_not_contradict_itself(page, like, figures):
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    (filled,) = re.findall(r"```toml\n(\[rated\].*?)```", text, re.DOTALL)
    base = cards.load(like)
    new = stub(base.kind, "new-one", base, place=Path("new.toml"), like_name=like, year=2018)
    head, _, rest = new.partition("[rated]\n")
    card = read_card(f"{head}{filled}\n{rest.partition(chr(10))[2]}", "new.toml")
    assert len(card.rated.performance) == figures
    assert not any(name in str(one) for one in contradictions(card) for name in card.rated.figures
                   if "die" not in str(one))  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sdd", "a"), 'KIND: "sdd" is not a kind; known:'),
        (("hdd", "a", "--like", "intel-p3700-800gb"), "is of kind ssd; name one of kind hdd"),
        (("hdd", "a/b"), 'NAME: "a/b" is not a valid name of a card'),
        (("hdd", "a", "--like", "nl-sas-2t"), 'did you mean "nl-sas-2tb"?'),
        (("hdd", "a", "-o", "a.txt"), "a.txt"),
        (("hdd", "a", "--like", "nl-sas-2tb", "--cells", "tlc"), "--cells: describes the flash of"),
        (("ssd", "a", "--cells", "tlc"), "--cells: describes the flash of a base, and there"),
        (
            ("hdd", "a", "--like", "nl-sas-2tb", "--year", "1800"),
            "--year: there was no hdd in 1800",
        ),
    ],
)
def test_wrong_words_are_refused_in_a_line(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert status("card", "new", *words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_models_shows_what_is_printed_and_whose_values_they_are(tmp_path, capsys):
    like = cards.load("intel-p3700-800gb")
    text = stub("ssd", "n", like, place=tmp_path / "n.toml", maker="Acme", year=2014)
    sheet = 'written = { value = 7.3, unit = "PB", page = "p. 3" }\n'
    (tmp_path / "n.toml").write_text(text.replace("# written", sheet + "# written", 1))
    with pytest.raises(SystemExit):
        cli.main(["models", str(tmp_path / "n.toml")])
    out = capsys.readouterr().out
    assert "Acme, 2014; what its own file does not state is as on intel-p3700-800gb" in out
    assert "which another maker sells (Intel)" in out
    assert re.search(r"written +7\.3 PB +p\. 3", out)
    with pytest.raises(SystemExit):
        cli.main(["models", str(tmp_path / "n.toml"), "--why"])
    out = capsys.readouterr().out
    assert re.search(r"command\.latency .* 1 to 40 .*NVMe: a doorbell", out)


def test_check_says_what_does_not_add_up_and_what_is_of_another_maker(tmp_path, capsys):
    (tmp_path / "n.toml").write_text(
        'name = "n"\nkind = "ssd"\ntitle = "N"\nmaker = "Acme"\nbase = "intel-p3700-800gb"\n'
        '[flash]\ndie_capacity = { value = 16, unit = "GiB", source = "assumed" }\n'
    )
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        '[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "n.toml"\n'
        '[[load]]\nread = "100 %"\nsize = "4 KiB"\noutstanding = 1\n'
    )
    with pytest.raises(SystemExit):
        cli.main(["check", str(scenario)])
    out = " ".join(capsys.readouterr().out.split())
    assert (
        "model n: flash.dies_per_channel and flash.die_capacity and capacity.user: 128 dies" in out
    )
    assert "heat.* (how it warms)" in out
    assert "are of intel-p3700-800gb, which another maker sells (Intel); state what is known" in out


def test_a_drive_of_the_next_year_keeps_what_the_other_one_counts_as_a_die():
    """Of the other one it is a plane, which reads by itself; dies are no larger a year later."""
    like = cards.load("micron-9550-max-6400gb")
    made = read_card(stub("ssd", "n", like, place=Path("n.toml"), year=like.year + 1), "n.toml")
    for name in ("flash.die_capacity", "flash.dies_per_channel", "flash.planes"):
        assert made[name] == like[name], name


def test_models_refuses_a_card_whose_values_do_not_go_together(tmp_path, capsys):
    path = tmp_path / "small.toml"
    path.write_text(
        'schema = 2\nname = "small"\nkind = "hdd"\ntitle = "small"\nbase = "seagate-st8000nm000a"\n'
        '[buffer]\nsize = { value = 64, unit = "MiB", source = "datasheet" }\n'
    )
    with pytest.raises(SystemExit) as ended:
        cli.main(["models", str(path)])
    assert ended.value.code == 2
    assert "small.toml: buffer.size: holds less than" in capsys.readouterr().err


def test_what_cores_of_a_front_end_share_out_each_may_take_longer_for():
    """Five million commands a second of two cores are 0.4 us of each for a command."""
    like = cards.load("samsung-970-evo-plus-500gb")
    assert like.integer("front_end.cores") == 2
    card = read_card(stub("ssd", "n", like, place=Path("n.toml")), "n.toml")
    assert card.sources["front_end.command_time"].range == pytest.approx((2 / 5, 2 / 0.1))
    assert "times 2 cores" in card.sources["front_end.command_time"].because


def test_what_is_to_be_typed_next_is_one_word_of_a_shell_whatever_the_name(tmp_path, capsys):
    place = tmp_path / "my drive.toml"
    with pytest.raises(SystemExit):
        cli.main(["card", "new", "ssd", "my drive", "--interface", "sata", "-o", str(place)])
    told = " ".join(capsys.readouterr().out.split())
    assert f"then raidsim card fit '{place}'" in told
