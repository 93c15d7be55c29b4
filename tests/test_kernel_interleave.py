"""Neighbouring mapping units on several dies in turn: where they lie, and what reads take then."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from drive_times import KIB, OneDrive, pipeline
from hypothesis import given
from hypothesis import strategies as st
from watching import begin, build, scenario

from raidsim.errors import InputError
from raidsim.intervene.window import reset
from raidsim.kernel import flash
from raidsim.kernel import tables as t

STRIPE = 128 * KIB
QUIET = {"read_ahead__depth": "0 KiB"}


def test_neighbouring_units_are_read_by_as_many_dies():
    for ways, senses in ((1, 1), (2, 2), (4, 4), (8, 4)):
        drive = OneDrive(flash__interleave=ways, **QUIET)
        drive.reads(0, 4 * 4 * KIB)
        assert np.count_nonzero(drive.visits("flash die")) == senses


@given(
    st.sampled_from([1, 2, 3, 4, 8]),
    st.integers(0, 600 * KIB),
    st.integers(1, 300 * KIB),
)
def test_each_byte_of_the_host_has_one_place_on_the_flash(ways, offset, length):
    drive = OneDrive(flash__interleave=ways, **QUIET)
    row = drive.row
    frame = int(row["frame"])
    frames = range(offset // frame * frame + frame, offset + length, frame)
    points = sorted({offset, offset + length - 1, *frames})
    places = [int(flash.place_of(row, point)) for point in points]
    assert [flash.address_at(row, place) for place in places] == points
    group = STRIPE * ways
    assert [place // group for place in places] == [point // group for point in points]


@given(
    st.sampled_from([2, 3, 4, 8]),
    st.integers(0, 2000),
    st.integers(1, 256),
)
def test_a_read_takes_its_own_bytes_from_the_flash_wherever_they_lie(ways, sector, sectors):
    """Nothing is read twice, nothing is left out, and the link carries one command."""
    plain, dealt = (
        OneDrive(flash__interleave=n, link__command_size="1000 B", **QUIET) for n in (1, ways)
    )
    for drive in (plain, dealt):
        drive.reads(512 * sector, 512 * sectors)
        assert drive.row["flash_read"] == 512 * sectors
    links = [one.system.world.stations[one.row["link_to_host"]] for one in (plain, dealt)]
    pages = max(int(link["arrivals"]) for link in links)
    assert links[0]["served"] == pytest.approx(links[1]["served"], abs=pages)  # each rounded to ns


def test_four_dies_read_side_by_side_what_one_die_reads_at_once():
    """Of an idle drive: four senses take as long as one, and four channels are faster than one."""
    one, four = (OneDrive(flash__interleave=n, flash__stripe="64 KiB", **QUIET) for n in (1, 4))
    times = one.times
    around = times.front_end + times.around(t.READ, 16 * KIB)
    assert one.reads(0, 16 * KIB) == around + times.page_read(0, 16 * KIB)
    steps = [times.path_read(4 * KIB), times.link(4 * KIB)]
    assert four.reads(0, 16 * KIB) == (
        around + times.read + times.channel_read(0, 4 * KIB) + pipeline(steps, 4)
    )


@compiled_only
@pytest.mark.parametrize("ways", [1, 2, 4])
def test_dies_limit_reads_of_four_units_to_as_many_as_their_senses(ways):
    """A read of 16 KiB costs a drive as many senses as its units lie on dies."""
    slow = {
        "flash.read_time": "500 us",
        "flash.channels": 4,
        "flash.dies_per_channel": 4,
        "flash.read_spread": "0 %",
        "flash.interleave": ways,
        "read_ahead.depth": "0 KiB",
    }
    built = build(scenario({"size": "16 KiB", "align": "16 KiB", "outstanding": 1024}, drive=slow))
    begin(built)
    first, last = 2000, 8000
    built.system.run(t.NEVER, first)
    reset(built.system)
    before = built.system.now
    built.system.run(t.NEVER, last)
    seconds = (built.system.now - before) / 1e9
    row = built.system.world.ssds[0]
    dies = int(row["channels"] * row["dies"])
    bound = dies / (ways * 500e-6)
    assert (last - first) / seconds == pytest.approx(bound, rel=0.01)


def test_units_that_do_not_fit_into_a_program_unit_are_refused():
    with pytest.raises(InputError, match=r"mapping.unit.*does not divide flash.stripe"):
        OneDrive(flash__interleave=2, mapping__unit="12 KiB")
