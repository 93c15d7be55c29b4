"""What the cells and the year of a drive say of its flash, where its sheet says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidsim import cards
from raidsim.assembly.sensing import suspends
from raidsim.cards.card import Card
from raidsim.cards.channel_classes import CHANNELS, channel_of
from raidsim.cards.flash_classes import CELLS, CLASSES, class_of
from raidsim.cards.loader import read_card
from raidsim.cards.plausible import plausible
from raidsim.cards.stub import stub
from raidsim.errors import InputError


def made(like: str, **known: object) -> Card:
    base = cards.load(like)
    text = stub("ssd", "n", base, place=Path("n.toml"), like_name=like, **known)
    return read_card(text, "n.toml")


def read_us(card: Card) -> float:
    return round(card.number("flash.read_time") * 1e6, 2)


# ---- what reads by itself


def test_planes_that_read_by_themselves_are_dies_of_their_own():
    """All planes together program as much at a time as before, and hold as much."""
    card = made("samsung-970-evo-plus-500gb", maker="Acme", year=2021)
    assert card["flash.planes"] == 1
    assert card["flash.die_capacity"] == 64 * 2**30 // 4
    assert card["flash.stripe"] == card["flash.page"]
    dies = card.integer("flash.channels") * card.integer("flash.dies_per_channel")
    assert dies * card.integer("flash.die_capacity") >= card.number("capacity.user") * 1.07
    assert "reads by itself" in card.sources["flash.planes"].note
    assert "4 planes" in card.sources["flash.die_capacity"].note


def test_dies_of_four_bits_hold_more_so_a_small_drive_has_fewer_of_them():
    """1 Tbit since 2018, where dies of three bits a cell held 512 Gbit: half as many programs."""
    like = "samsung-990-pro-2tb"
    three, four = (made(like, maker="Acme", cells=one, year=2022) for one in ("tlc", "qlc"))
    assert four["flash.die_capacity"] == 128 * 2**30 // 4
    assert four["flash.die_capacity"] == 2 * three["flash.die_capacity"]
    at_once = [card["flash.channels"] * card["flash.dies_per_channel"] for card in (three, four)]
    assert at_once[1] <= 0.6 * at_once[0]


def test_planes_of_older_flash_wait_for_each_other():
    card = made("samsung-970-evo-plus-500gb", maker="Acme", year=2018)
    assert card["flash.planes"] == 2
    assert card["flash.die_capacity"] == 32 * 2**30


def test_a_sibling_has_the_planes_of_its_sibling():
    """The PM9A3 has flash of two planes, in all capacities."""
    card = made("samsung-pm9a3-7680gb", maker="Samsung", year=2021)
    assert card["flash.die_capacity"] == 32 * 2**30
    other = made("samsung-pm9a3-7680gb", maker="Acme", year=2021)
    assert other["flash.die_capacity"] == 16 * 2**30


def test_what_is_counted_already_is_not_counted_again():
    for year in (2024, 2025):
        card = made("kioxia-cd9p-r-7680gb", maker="Acme", year=year)
        assert card["flash.planes"] == 1
        assert card["flash.die_capacity"] == 32 * 2**30


# ---- how long a read takes


@pytest.mark.parametrize(
    ("like", "known", "expected"),
    [
        ("kingston-dc600m-960gb", {"year": 2011, "cells": "mlc"}, 65),
        ("kingston-dc600m-960gb", {"year": 2018, "cells": "qlc"}, 90),
        ("kingston-dc600m-960gb", {"year": 2016, "cells": "tlc"}, 65),
        ("intel-p3700-800gb", {"year": 2010, "cells": "slc"}, 25),
        ("samsung-970-evo-plus-500gb", {"year": 2021}, 33),
        ("samsung-pm9a3-7680gb", {"year": 2022, "maker": "Acme"}, 45),
    ],
)
def test_a_read_takes_what_is_usual_of_such_cells(like, known, expected):
    card = made(like, **known)
    assert read_us(card) == expected
    assert card.sources["flash.read_time"].note == "class of its cells and year"
    low, high = card.sources["flash.read_time"].range
    assert low <= expected <= high


def test_a_sibling_of_a_drive_that_was_measured_reads_as_that_does():
    card = made("intel-p3700-800gb", maker="Intel", year=2015)
    assert card["flash.read_time"] == cards.load("intel-p3700-800gb")["flash.read_time"]
    assert card.sources["flash.read_time"].range == (45, 90)


def test_of_a_base_of_the_same_class_the_time_of_a_read_stays():
    card = made("samsung-pm983-3840gb", maker="Samsung", year=2017)
    base = cards.load("samsung-pm983-3840gb")
    assert card["flash.read_time"] == base["flash.read_time"]
    assert card.sources["flash.read_time"].range == (45, 90)


def test_where_cells_are_not_known_a_read_may_take_what_any_takes():
    base = cards.load("cisco-ssd-sata-ep-480gb")
    card = made(base.name, year=2014)
    assert card["flash.read_time"] == base["flash.read_time"]
    assert card.sources["flash.read_time"].range == (20, 120)


def test_cells_of_another_kind_than_those_of_the_base_are_stated():
    card = made("kingston-dc600m-960gb", year=2011, cells="mlc")
    assert card["flash.bits_per_cell"] == 2
    with pytest.raises(InputError, match="not a kind of cells"):
        made("kingston-dc600m-960gb", year=2011, cells="mcl")


def test_every_kind_of_cells_has_a_class_in_every_year():
    for bits in CELLS.values():
        for year in range(2005, 2035):
            for cached in (False, True):
                found = class_of(bits, year, cached=cached)
                assert found.low <= found.read <= found.high
    assert class_of(None, 2020, cached=False) is None
    assert all(one.why for one in CLASSES)


def test_a_command_takes_less_on_an_interface_of_a_later_year():
    old = cards.load("samsung-pm983-3840gb")
    assert made(old.name, year=2019)["command.latency"] == old["command.latency"] == 7.805e-6
    assert made(old.name, year=2021).number("command.latency") == pytest.approx(3e-6)
    sata = cards.load("kingston-dc600m-960gb")
    assert made(sata.name, year=2025)["command.latency"] == sata["command.latency"]


# ---- channels


def test_channels_are_as_fast_as_those_of_the_year():
    """A base of 2018 has channels of 631 MB/s; drives of 2014 had some 330."""
    old = made("samsung-pm983-3840gb", maker="Acme", year=2014)
    for way in ("read", "write"):
        assert 1e-6 / old.number(f"flash.channel_{way}_time_per_byte") == pytest.approx(330)
    assert "333 and 400 MT/s" in old.sources["flash.channel_read_time_per_byte"].because
    # The card says why a fit to its writes may leave the class; what it may be is the class.
    assert "a fit may go beyond" in old.sources["flash.channel_write_time_per_byte"].because
    write = plausible(old)["flash.channel_write_time_per_byte"]
    assert (1e-6 / write.high, 1e-6 / write.low) == pytest.approx((230, 430))
    same = made("samsung-pm983-3840gb", maker="Acme", year=2018)
    base = cards.load("samsung-pm983-3840gb")
    name = "flash.channel_read_time_per_byte"
    assert same.number(name) == pytest.approx(base.number(name), rel=1e-3)


def test_channels_that_were_fitted_to_measurements_are_of_the_class_of_their_year():
    fitted = [
        card
        for card in cards.catalogue()
        if card.has("flash.channels") and card.integer("flash.channels") > 1
        if card.sources["flash.channel_read_time_per_byte"].source == "calibrated"
    ]
    assert len({card.base or card.name for card in fitted}) >= 8
    for card in fitted:
        found = channel_of(card.year)
        speed = 1e-6 / card.number("flash.channel_read_time_per_byte")
        assert found.low <= speed <= found.high, (card.name, speed)
    assert [one.read for one in CHANNELS] == sorted(one.read for one in CHANNELS)


# ---- what a write takes


def test_a_write_of_newer_sata_drives_takes_what_was_measured_of_their_class():
    """Sheets of drives with an SLC cache print it, and older ones were not measured."""
    new = made("intel-s4600-960gb", year=2018)
    assert new.number("front_end.write_time") == pytest.approx(4.5e-6)
    assert new.sources["front_end.write_time"].note == "class of its year"
    old = made("intel-s4600-960gb", year=2012)
    with_cache = made("samsung-870-evo-1tb", year=2021, slc_cache=True)
    for card in (old, with_cache):
        assert card.number("front_end.write_time") < 2e-6


# ---- how long a program takes


def test_a_program_that_is_not_usual_of_its_cells_stays_with_its_base():
    """The P3700 of 2014 programs for 2.4 ms; a sheet whose link limits writes does not tell it."""
    card = made("intel-p3700-800gb", maker="Acme", year=2015)
    assert card.number("flash.program_time") == pytest.approx(1.3e-3)
    assert card.sources["flash.program_time"].note == "class of its cells and year"
    sibling = made("intel-p3700-800gb", maker="Intel", year=2015)
    base = cards.load("intel-p3700-800gb")
    assert sibling["flash.program_time"] == base["flash.program_time"]


def test_a_program_that_is_usual_of_its_cells_is_taken_over():
    card = made("kingston-dc600m-960gb", maker="Acme", year=2021)
    base = cards.load("kingston-dc600m-960gb")
    assert card["flash.program_time"] == base["flash.program_time"]


def test_a_program_of_other_cells_is_not_taken_over_though_no_year_is_known():
    card = made("intel-p3700-800gb", maker="Acme", cells="tlc")
    assert card.number("flash.program_time") == pytest.approx(0.6e-3)
    unsaid = made("intel-p3700-800gb", maker="Acme")
    assert unsaid["flash.program_time"] == cards.load("intel-p3700-800gb")["flash.program_time"]


def test_two_bits_in_layers_program_as_fast_as_samsung_said_of_its_first_die():
    """24 layers, ISSCC 2014: 50 MB/s of a die. Planar flash of two bits takes twice the time."""
    card = made("samsung-pm983-3840gb", maker="Acme", cells="mlc", year=2016)
    at_once = card.integer("flash.planes") * card.integer("flash.page")
    assert at_once / card.number("flash.program_time") == pytest.approx(50e6, rel=0.02)
    planar = made("samsung-pm983-3840gb", maker="Acme", cells="mlc", year=2015)
    assert planar.number("flash.program_time") == pytest.approx(2 * 0.65e-3)


def test_dies_of_a_970_pro_program_what_its_sheet_prints_and_did_not_before():
    """1 TB in dies of 256 Gbit with two bits a cell writes 2,700 MB/s, with nothing to gather it.

    With dies of 512 Gbit and a program of at least 0.6 ms no fit could meet its sheet.
    """
    card = made("samsung-pm983-3840gb", maker="Samsung", cells="mlc", year=2018)
    assert card.integer("flash.die_capacity") == 32 * 2**30
    dies = 2**40 // card.integer("flash.die_capacity")
    at_once = dies * card.integer("flash.planes") * card.integer("flash.page")
    fastest, slowest = (1e-3 * end for end in card.sources["flash.program_time"].range)
    assert at_once / slowest < 2.7e9 < at_once / fastest
    assert at_once / 2 / 0.6e-3 < 2.7e9  # as it was


# ---- whether a read waits for a program


@pytest.mark.parametrize(("year", "waits"), [(2008, True), (2014, True), (2015, False)])
def test_programs_of_drives_that_are_older_than_suspension_are_not_interrupted(
    year: int, waits: bool
) -> None:
    """Reads wait for up to 3 ms there: flash that gives way to them was proposed in 2012, and a
    drive for servers of 2014 did without. What the base is does not change that.
    """
    card = made("intel-s3700-800gb", maker="Acme", year=year, cells="mlc")
    assert (card.integer("flash.suspensions") == 0) == waits
    assert suspends(card) != waits


def test_a_newer_drive_interrupts_its_programs_though_its_base_is_too_old_to() -> None:
    base = cards.load("intel-s3700-800gb")
    assert not suspends(base)
    assert suspends(made("intel-s3700-800gb", maker="Acme", year=2018, cells="mlc"))
    of_no_year = made("intel-s3700-800gb", maker="Acme")
    assert not suspends(of_no_year)
