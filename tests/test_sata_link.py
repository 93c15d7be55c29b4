"""Tests of what a command of a SATA solid state drive takes of its link."""

from __future__ import annotations

import pytest

from raidsim import scenario
from raidsim.assembly.sata import LARGE, SMALL, link_times
from raidsim.cards import Card, load
from raidsim.running import run
from raidsim.topology.lanes import SATA_COMMAND, SPEEDS

S3500 = "intel-s3500-480gb"


def test_a_small_read_and_a_stream_take_of_the_link_what_the_card_says() -> None:
    card = load(S3500)
    link = link_times(card)
    small = (SMALL + link.command) * link.per_byte
    assert small == pytest.approx(card.number("front_end.command_time"), rel=1e-3)
    stream = (LARGE + link.command) * link.per_byte
    assert stream == pytest.approx(LARGE * card.number("link.time_per_byte"), rel=1e-3)


def test_a_command_that_waits_for_nothing_takes_as_long_as_the_card_says() -> None:
    card = load(S3500)
    link = link_times(card)
    alone = link.latency + (SMALL + link.command) * link.per_byte
    told = card.number("command.latency") + SMALL * card.number("link.time_per_byte")
    assert alone == pytest.approx(told, abs=0.3e-6)


@pytest.mark.parametrize("name", ["samsung-870-evo-1tb", "intel-s4510-3840gb", S3500])
def test_it_is_the_frames_at_least_and_three_times_of_them_at_most(name: str) -> None:
    link = link_times(load(name))
    frames = SATA_COMMAND / SPEEDS["sata-6g"]
    assert 0.9 * frames < link.command * link.per_byte < 3 * frames


@pytest.mark.parametrize("name", ["samsung-pm1643-3840gb", "intel-p4510-4tb"])
def test_links_that_carry_both_ways_have_what_their_cards_say(name: str) -> None:
    card = load(name)
    link = link_times(card)
    assert link.command == card.integer("link.command_size")
    assert link.per_byte == card.number("link.time_per_byte")
    assert link.latency == card.number("command.latency")


def changed(card: Card, **values: float) -> Card:
    return card.changed({key.replace("__", "."): value for key, value in values.items()})


def test_what_a_card_says_of_a_command_by_itself_is_taken() -> None:
    card = changed(load(S3500), link__command_size=1600)
    assert link_times(card).command == 1600
    assert link_times(card).latency == card.number("command.latency")


def test_a_command_that_is_faster_than_its_data_takes_nothing_beside_them() -> None:
    card = changed(load(S3500), front_end__command_time=1e-6)
    assert link_times(card).command == 0
    assert link_times(card).per_byte == card.number("link.time_per_byte")


def test_slow_firmware_does_not_hold_the_link() -> None:
    card = changed(load(S3500), front_end__command_time=1e-3)
    assert link_times(card).command == 0
    assert link_times(card).latency == card.number("command.latency")


@pytest.mark.parametrize(("size", "printed"), [("4 KiB", 75_000), ("8 KiB", 47_500)])
def test_reads_of_8_kib_are_as_fast_as_the_sheet_prints(size: str, printed: float) -> None:
    text = f"""
[host]
model = "linux-xeon-e5-pair"

[[volume]]
drive = "{S3500}"

[[load]]
read = "100 %"
random = "100 %"
size = "{size}"
workers = 4
outstanding = 8

[measure]
min_ios = 5000
precision = "2 %"
"""
    (point,) = run(scenario.load_text(text)).points
    assert point.iops.mean == pytest.approx(printed, rel=0.03)
