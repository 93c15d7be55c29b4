"""Firmware that maps what garbage collection moves: random writes pay for bytes, streams do not."""

import pytest

from raidsim import cards, scenario
from raidsim.assembly.drives import kind_of
from raidsim.assembly.drives.kind import Flow
from raidsim.running import run

S3610 = "cisco-ssd-sata-ep-480gb"  # of the class of the DC S3610, whose sheet is quoted below
SATA = (S3610, "cisco-ssd-sata-ev-480gb", "cisco-ssd-sata-ev-3840gb", "cisco-ssd-sas12-ev-1600gb")
COMMAND = "volume.set.front_end.command_time"
MOVE = "volume.set.front_end.move_time"


def writes(drive, kib, *overrides, random=100):
    """IO/s with 32 outstanding writes on one drive behind an adapter, and the amplification."""
    text = f"""
[host]
model = "cisco-ucs-c240-m4"

[[controller]]
model = "cisco-12g-sas-hba"

[[volume]]
drive = "{drive}"

[[load]]
read = "0 %"
random = "{random} %"
size = "{kib} KiB"
outstanding = 32
"""
    (point,) = run(scenario.load_text(text, overrides=list(overrides))).points
    return point.iops.mean, point.drives[0].write_amplification


def test_8_kib_at_random_are_half_as_many_as_4_kib_as_the_sheet_has_it():
    """DC S3610, product specification: 28,000 random writes of 4 KiB and 14,000 of 8 KiB."""
    four, _ = writes(S3610, 4)
    eight, _ = writes(S3610, 8)
    assert four == pytest.approx(28_000, rel=0.02)
    assert eight == pytest.approx(14_000, rel=0.25)


@pytest.mark.parametrize("kib", [4, 8])
def test_a_core_that_maps_moved_units_carries_what_it_has_time_for(kib):
    """One core, 10 us for a command and 20 us for each unit of 4 KiB that moves."""
    rate, amplification = writes(S3610, kib, f"{COMMAND}=10 us", f"{MOVE}=20 us")
    moved = (amplification - 1) * kib / 4
    assert rate == pytest.approx(1 / (10e-6 + moved * 20e-6), rel=0.03)


@pytest.mark.parametrize("kib", [4, 8])
def test_what_moves_is_mapped_in_its_turn_where_programs_give_way(kib):
    """Moves give way at a die, not at a core: commands would leave maps to be written for ever."""
    gives_way = [f"volume.set.flash.{part}_time=20 us" for part in ("suspend", "resume")]
    rate, amplification = writes(S3610, kib, f"{COMMAND}=10 us", f"{MOVE}=20 us", *gives_way)
    moved = (amplification - 1) * kib / 4
    assert rate == pytest.approx(1 / (10e-6 + moved * 20e-6), rel=0.03)


@pytest.mark.parametrize("drive", SATA)
def test_writes_in_sequence_move_nothing_and_pay_nothing(drive):
    with_it, amplification = writes(drive, 128, random=0)
    without, _ = writes(drive, 128, f"{MOVE}=0 us", random=0)
    assert amplification == pytest.approx(1, abs=0.01)
    assert with_it == pytest.approx(without, rel=0.01)


@pytest.mark.parametrize("kib", [4, 8])
@pytest.mark.parametrize("drive", SATA)
def test_a_check_by_arithmetic_says_what_the_simulation_says_of_the_front_end(drive, kib):
    """A rate that keeps the front end busy all the time is the one that the drive reaches."""
    rate, _ = writes(drive, kib)
    card = cards.load(drive)
    flow = Flow(rate, rate, 0.0, rate * kib * 1024, 1.0, card.number("flash.spare"))
    busy = kind_of(card).demands(card, [flow])
    assert busy["front end"] == pytest.approx(1, abs=0.07)
