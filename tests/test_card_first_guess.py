"""Where a fit begins: what follows from a data sheet in closed form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from raidsim import cards
from raidsim.calibrate.first_guess import LEAST_OF_A_WRITE, first_guess
from raidsim.calibrate.rated_scenario import cpu_time
from raidsim.cards.loader import read_card
from raidsim.cards.rated import RatedPerformance
from raidsim.cards.stub import stub

SMALL, LARGE = 4096, 128 * 1024


def rate(value: float, read: float, state: str = "burst") -> RatedPerformance:
    """So many random I/Os of 4 KiB a second, 8 x 32 outstanding."""
    return RatedPerformance(
        "random", "rate", value, value, "IO/s", SMALL, 32, read=read, workers=8, state=state
    )


def stream(value: float, state: str = "burst") -> RatedPerformance:
    """So many bytes a second written in sequence."""
    return RatedPerformance(
        "sequential", "bandwidth", value, value, "MB/s", LARGE, 32, read=0, random=0, state=state
    )


def new_card(like: str, tmp_path, year: int | None = None) -> cards.Card:
    base, place = cards.load(like), tmp_path / "n.toml"
    return read_card(stub("ssd", "n", base, place=place, like_name=like, year=year), "n.toml")


@pytest.mark.parametrize(("reads", "writes"), [(400e3, 250e3), (350e3, 350e3), (800e3, 1e6)])
def test_the_slower_of_reads_and_writes_takes_more_of_the_front_end(reads, writes, tmp_path):
    """A command's time tells the faster of the two; the slower one takes some more beside."""
    card = new_card("samsung-970-evo-plus-500gb", tmp_path)
    guess = first_guess(card, [rate(reads, read=1), rate(writes, read=0), stream(5e9)])
    cores, command = card.integer("front_end.cores"), guess["front_end.command_time"]
    for printed, name in ((reads, "front_end.read_time"), (writes, "front_end.write_time")):
        assert cores / (command + guess.get(name, 0)) == pytest.approx(printed)


@pytest.mark.parametrize("writes", [1e6, 1.5e6])
def test_as_many_writes_as_reads_leave_a_write_the_least_beside_its_command(writes, tmp_path):
    """A fit steps in logarithms: from far below what the least of a write leaves it came too far.

    The sheet of a Kingston Fury Renegade prints 1,000,000 of both, of a Crucial T700 1,500,000.
    """
    card = new_card("samsung-970-evo-plus-500gb", tmp_path)
    guess = first_guess(card, [rate(writes, read=1), rate(writes, read=0), stream(5e9)])
    least = LEAST_OF_A_WRITE * card.integer("front_end.cores")
    assert guess["front_end.write_time"] == guess["front_end.read_time"] == pytest.approx(least)


def test_random_writes_in_the_long_run_tell_of_flash_and_not_of_commands(tmp_path):
    card = new_card("samsung-970-evo-plus-500gb", tmp_path)
    figures = [rate(400e3, read=1), rate(500e3, read=0, state="sustained")]
    assert first_guess(card, figures)["front_end.command_time"] == pytest.approx(2 / 400e3)


@pytest.mark.parametrize(("burst", "is_in_front"), [(5e9, False), (2e9, True)])
def test_many_dies_are_not_made_slow_for_what_a_controller_takes_in(burst, is_in_front, tmp_path):
    """Sixteen dies with 64 KiB at a time take in 5 GB/s in 0.2 ms; with less, others limit."""
    card = new_card("samsung-970-evo-plus-500gb", tmp_path)
    guess = first_guess(card, [stream(burst, state="burst")])
    dies = card.integer("flash.channels") * card.integer("flash.dies_per_channel")
    at_once = dies * card.integer("flash.planes") * card.integer("flash.page")
    of_flash = at_once / burst
    assert (of_flash > 0.21e-3) is is_in_front
    assert guess["slc.program_time"] == pytest.approx(min(of_flash, 0.2e-3))
    passes = 2 * guess["data_path.write_time_per_byte"]
    assert (passes == pytest.approx(1 / burst)) is is_in_front


def test_one_i_o_at_a_time_of_a_drive_of_personal_computers_is_measured_under_windows():
    """Their sheets are, with threads that wake as those of a server of 2014 do at 4.5 GHz.

    Sheets of drives with capacitors, and of many I/Os, stay as they are.
    """
    windows, older = cards.load("windows-pc"), cards.load("fujitsu-rx2540-m1")
    times = [windows.number(part) for part in ("submit.io_time", "complete.io_time")]
    times.append(older.number("submit.wake_time") * 3.5 / 4.5)
    assert windows.number("submit.wake_time") < times[-1]
    alone = replace(rate(60e3, read=0), workers=1, outstanding=1)
    client, server = (cards.load(n) for n in ("samsung-970-evo-plus-500gb", "intel-p5510-7680gb"))
    assert cpu_time(client, alone) == pytest.approx(sum(times), rel=0.01)
    assert cpu_time(server, alone) == pytest.approx(2e-6)
    assert cpu_time(client, rate(60e3, read=0)) == pytest.approx(2e-6)


@pytest.mark.parametrize(("lasting", "expected"), [(36e3, 4.5e-6), (75e3, 1 / 75e3 - 1 / 97e3)])
def test_a_write_takes_no_more_of_the_front_end_than_those_of_the_long_run_leave(
    lasting, expected, tmp_path
):
    card = new_card("intel-s4600-960gb", tmp_path, year=2018)
    assert card.number("front_end.write_time") == pytest.approx(4.5e-6)
    figures = [rate(97e3, read=1, state="sustained"), rate(lasting, read=0, state="sustained")]
    guess = first_guess(card, figures)
    found = guess.get("front_end.write_time", card.number("front_end.write_time"))
    assert found == pytest.approx(expected)


def test_without_an_slc_cache_a_burst_tells_how_long_dies_program(tmp_path):
    """1 GB/s of all dies: the time is what they program at once over it."""
    card = new_card("intel-s3700-800gb", tmp_path)
    dies = card.integer("flash.channels") * card.integer("flash.dies_per_channel")
    at_once = dies // card.integer("flash.dies_in_step") * card["flash.planes"] * card["flash.page"]
    assert first_guess(card, [stream(1e9)])["flash.program_time"] == pytest.approx(at_once / 1e9)
    gathers = new_card("samsung-970-evo-plus-500gb", tmp_path)
    guess = first_guess(gathers, [stream(1e9)])
    assert "flash.program_time" not in guess
    assert guess["slc.program_time"] > 0


def test_flash_that_carries_what_is_printed_stays_and_its_slc_cache_is_guessed(tmp_path):
    """What is printed of the long run tells of what is beside the flash, a burst of the cache."""
    card = new_card("samsung-970-evo-plus-500gb", tmp_path)
    figures = [
        rate(400e3, read=1),
        rate(5e3, read=0, state="sustained"),
        stream(100e6, state="sustained"),
        stream(1e9),
    ]
    guess = first_guess(card, figures)
    assert not {"flash.program_time", "flash.spare"} & guess.keys()
    assert guess["slc.program_time"] > 0
    assert guess["front_end.move_time"] > 0


def test_a_data_path_that_limits_what_is_written_does_not_begin_behind_the_link(tmp_path):
    """Behind it the path changes no figure, and no fit can move it: cards of SATA drives whose
    sheets print less in sequence than the link carries missed it by up to 18 %."""
    card = new_card("intel-s4600-960gb", tmp_path)
    link = card.number("link.time_per_byte")
    figures = [
        rate(97e3, read=1),
        rate(24e3, read=0, state="sustained"),
        stream(0.85 / link, state="sustained"),
    ]
    assert first_guess(card, figures)["data_path.write_time_per_byte"] == pytest.approx(link)
