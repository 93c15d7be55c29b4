"""How long a die senses, and what gives way to it: the kinds of pages, retries, suspension."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import INTERPRETED
from drive_times import KIB, US, OneDrive
from hypothesis import given, settings
from hypothesis import strategies as st
from watching import begin, build, scenario, watched

from raidsim.assembly.sensing import read_times
from raidsim.kernel import sensing
from raidsim.kernel import tables as t

ONE_DIE = {"flash__channels": 1, "flash__dies_per_channel": 1, "flash__dies_in_step": 1}
QUIET = {"read_ahead__depth": "0 KiB"}
GIVES_WAY = {
    "flash__suspend_time": "20 us",
    "flash__resume_time": "30 us",
    "flash__suspensions": 2,
}
PROGRAM = 2_000 * US


# -- kinds of pages --------------------------------------------------------------------------------


@pytest.mark.parametrize(("bits", "voltages"), [(2, (1, 2)), (3, (1, 2, 4)), (4, (1, 2, 4, 8))])
def test_pages_of_a_word_line_are_read_by_so_many_voltages(bits, voltages):
    """Half of the time is the same for all, half goes with the voltages; 60 us is the mean."""
    drive = OneDrive(
        flash__read_time="60 us",
        flash__bits_per_cell=bits,
        flash__read_spread="50 %",
        **ONE_DIE,
        **QUIET,
    )
    around = OneDrive(flash__read_time="60 us", **ONE_DIE, **QUIET).reads(0, 4 * KIB) - 60 * US
    of_unit = [drive.reads(n * drive.unit, 4 * KIB) - around for n in range(2 * bits)]
    mean = sum(voltages) / bits
    expected = [round(60 * US * (0.5 + 0.5 * n / mean)) for n in voltages]
    assert of_unit == pytest.approx(2 * expected, abs=1)
    assert sum(of_unit) / len(of_unit) == pytest.approx(60 * US, abs=1)


@given(
    bits=st.integers(1, 5),
    spread=st.floats(0, 1),
    retried=st.floats(0, 0.5),
)
@settings(deadline=None, max_examples=20)
def test_the_mean_is_what_the_card_says(bits, spread, retried):
    """Each page is sensed 1 + p + p^2 + ... times."""
    changes = {
        "flash__bits_per_cell": bits,
        "flash__read_spread": f"{100 * spread} %",
        "flash__read_retries": f"{100 * retried} %",
    }
    card = OneDrive(**changes).card
    assert np.mean(read_times(card)) / (1 - retried) == pytest.approx(
        card.number("flash.read_time"), rel=1e-9
    )


# -- retries -------------------------------------------------------------------------------------


def test_retries_are_geometric():
    drive = OneDrive(flash__read_retries="20 %")
    row = drive.system.world.sensings[0]
    draws = 2_000 if INTERPRETED else 20_000
    with np.errstate(over="ignore"):
        found = np.array([sensing.retries(row) for _ in range(draws)])
    assert row["drawn"] == draws
    for repeats in range(4):
        share, expected = np.mean(found == repeats), 0.2**repeats * 0.8
        assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / draws)


def latencies(seed, **changes):
    """Latencies of random reads of 4 KiB, one outstanding, in ns, and where they went."""
    made = build(
        scenario(
            {"read": "100 %", "random": "100 %", "size": "4 KiB", "outstanding": 1},
            drive={"read_ahead.depth": "0 KiB"} | changes,
            seed=seed,
        )
    )
    begin(made)
    found = watched(made, ios=300 if INTERPRETED else 3_000)
    return np.diff(found["time"]), found["offset"]


def test_one_outstanding_read_has_a_spread_with_the_mean_of_the_card():
    changes = {
        "flash.bits_per_cell": 3,
        "flash.read_spread": "45 %",
        "flash.read_retries": "1 %",
    }
    plain, places = latencies(5)
    spread, same_places = latencies(5, **changes)
    assert np.array_equal(places, same_places)  # the draws of senses are a stream of their own
    error = spread.std() / np.sqrt(len(spread))
    assert abs(spread.mean() - plain.mean()) < 4 * error
    low, middle, high = np.quantile(spread, (0.05, 0.5, 0.95))
    # 77.36 us: 0.99 of 0.743, 0.936 and 1.321 times that.
    assert high - low == pytest.approx(77.36 * US * 0.99 * (1.321 - 0.743), rel=0.03)
    assert np.quantile(plain, 0.95) - np.quantile(plain, 0.05) < 0.05 * (high - low)
    assert low < middle < high


# -- suspension ------------------------------------------------------------------------------------


def programming(**changes):
    """A drive whose only die has begun to program a unit, just now; the rest is idle."""
    drive = OneDrive(
        flash__program_time=f"{PROGRAM} ns".replace(" ns", "e-3 us"),
        **ONE_DIE,
        **QUIET,
        **changes,
    )
    drive.writes(0, drive.unit)
    return drive


def die_of(drive):
    """The station of its only die."""
    kinds = [name.kind for name in drive.system.names]
    return drive.system.world.stations[kinds.index("flash die")]


def until_it_programs(drive):
    """Let the drive go on until its die is at work."""
    while die_of(drive)["busy"] == 0:
        drive.system.run(horizon=drive.system.next_time)
    return drive.system.now


def far(drive, number=0):
    """A place that the write did not touch, another one for each number."""
    return (1000 + number) * drive.unit


def idle_read():
    """ns of a read of an idle drive whose data path has carried a write."""
    drive = OneDrive(**ONE_DIE, **QUIET)
    return drive.reads(far(drive), 4 * KIB) + drive.times.turnaround


def test_a_read_waits_for_the_program_of_its_die():
    drive = programming()
    begun = until_it_programs(drive)
    (done,) = drive.wait(drive.start(t.READ, far(drive), 4 * KIB))
    after = idle_read() - drive.times.submit(t.READ, 4 * KIB)
    assert done.completed > begun + PROGRAM
    assert done.completed < begun + PROGRAM + after


def test_a_program_gives_way_to_a_read_and_goes_on():
    drive = programming(**GIVES_WAY)
    begun = until_it_programs(drive)
    assert drive.reads(far(drive), 4 * KIB) == idle_read() + 20 * US
    drive.rest()
    assert drive.row["programmed"] == drive.unit
    assert drive.served("flash die") == PROGRAM + 20 * US + 30 * US + drive.times.read
    assert drive.system.now - begun == drive.served("flash die")  # it had no other pause


def test_it_gives_way_so_often_and_then_runs_through():
    drive = programming(**GIVES_WAY)
    until_it_programs(drive)
    found = [drive.reads(far(drive, n), 4 * KIB) for n in range(3)]
    assert found[0] == idle_read() + 20 * US
    assert found[1] == found[0] - drive.times.turnaround
    assert found[2] > idle_read() + 1_000 * US


def test_a_program_that_is_nearly_over_is_not_suspended():
    drive = programming(**GIVES_WAY)
    begun = until_it_programs(drive)
    way = drive.times.submit(t.READ, 4 * KIB) + drive.times.half_latency + drive.times.front_end
    (done,) = drive.wait(
        drive.start(t.READ, far(drive), 4 * KIB, at=begun + PROGRAM - way - 10_000)
    )
    assert done.latency == idle_read() + 10 * US
    drive.rest()
    assert drive.served("flash die") == PROGRAM + drive.times.read


def test_all_that_is_written_arrives_under_a_mixed_load():
    """Suspended programs are neither lost nor done twice: the die's work adds up."""
    made = build(
        scenario(
            {
                "read": "50 %",
                "random": "100 %",
                "size": "4 KiB",
                "outstanding": 32,
                "limit": {"ios": 400},
            },
            drive={key.replace("__", "."): value for key, value in (ONE_DIE | GIVES_WAY).items()},
        )
    )
    begin(made)
    made.system.run()
    drive = made.system.world.ssds[0]
    unit = drive["page"] * drive["planes"]
    assert drive["programmed"] + drive["gathered"] >= drive["stored"]
    assert drive["buffered"] == drive["stored"] - drive["programmed"]
    assert drive["programmed"] % unit == 0
    kinds = [name.kind for name in made.system.names]
    die = made.system.world.stations[kinds.index("flash die")]
    assert die["arrivals"] == die["starts"] == die["finishes"]
