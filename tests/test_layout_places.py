"""Where strips lie: the layouts of Linux md and DDF as printed, and maps that undo each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from layouts import OF_RAID_5, STRIP, array, choices, every_array, printed, without

from raidsim.layout.address import held, parity_place, place, whole_drive
from raidsim.layout.arrange import ROTATIONS, arrange
from raidsim.layout.health import failures_tolerated, survives
from raidsim.layout.nested import span_held, span_place, span_share, spans_touched
from raidsim.layout.parity import data_place, p_place, q_exponent, q_place
from raidsim.layout.tables import DATA, PARITY, UNUSED, P, Q

RAID_5_OF_FOUR = {
    "left-asymmetric": "0 1 2 P / 3 4 P 5 / 6 P 7 8 / P 9 10 11",
    "right-asymmetric": "P 0 1 2 / 3 P 4 5 / 6 7 P 8 / 9 10 11 P",
    "left-symmetric": "0 1 2 P / 4 5 P 3 / 8 P 6 7 / P 9 10 11",
    "right-symmetric": "P 0 1 2 / 5 P 3 4 / 7 8 P 6 / 9 10 11 P",
    "zero-restart": "P 0 1 2 / 3 P 4 5 / 6 7 P 8 / 9 10 11 P",
    "n-restart": "0 1 2 P / 3 4 P 5 / 6 P 7 8 / P 9 10 11",
    "n-continue": "0 1 2 P / 4 5 P 3 / 8 P 6 7 / P 9 10 11",
    "parity-first": "P 0 1 2 / P 3 4 5 / P 6 7 8 / P 9 10 11",
    "parity-last": "0 1 2 P / 3 4 5 P / 6 7 8 P / 9 10 11 P",
}
RAID_6_OF_FIVE = {
    "left-asymmetric": "Q 0 1 2 P / 3 4 5 P Q / 6 7 P Q 8 / 9 P Q 10 11 / P Q 12 13 14",
    "right-asymmetric": "P Q 0 1 2 / 3 P Q 4 5 / 6 7 P Q 8 / 9 10 11 P Q / Q 12 13 14 P",
    "left-symmetric": "Q 0 1 2 P / 3 4 5 P Q / 7 8 P Q 6 / 11 P Q 9 10 / P Q 12 13 14",
    "right-symmetric": "P Q 0 1 2 / 5 P Q 3 4 / 7 8 P Q 6 / 9 10 11 P Q / Q 12 13 14 P",
    "zero-restart": "P Q 0 1 2 / 3 P Q 4 5 / 6 7 P Q 8 / 9 10 11 P Q / Q 12 13 14 P",
    "n-restart": "0 1 2 P Q / 3 4 P Q 5 / 6 P Q 7 8 / P Q 9 10 11 / Q 12 13 14 P",
    "n-continue": "0 1 2 Q P / 4 5 Q P 3 / 8 Q P 6 7 / Q P 9 10 11 / P 12 13 14 Q",
    "parity-first": "P Q 0 1 2 / P Q 3 4 5 / P Q 6 7 8 / P Q 9 10 11 / P Q 12 13 14",
    "parity-last": "0 1 2 P Q / 3 4 5 P Q / 6 7 8 P Q / 9 10 11 P Q / 12 13 14 P Q",
    "left-asymmetric-6": "0 1 2 P Q / 3 4 P 5 Q / 6 P 7 8 Q / P 9 10 11 Q / 12 13 14 P Q",
    "right-asymmetric-6": "P 0 1 2 Q / 3 P 4 5 Q / 6 7 P 8 Q / 9 10 11 P Q / P 12 13 14 Q",
    "left-symmetric-6": "0 1 2 P Q / 4 5 P 3 Q / 8 P 6 7 Q / P 9 10 11 Q / 12 13 14 P Q",
    "right-symmetric-6": "P 0 1 2 Q / 5 P 3 4 Q / 7 8 P 6 Q / 9 10 11 P Q / P 12 13 14 Q",
    "parity-first-6": "P 0 1 2 Q / P 3 4 5 Q / P 6 7 8 Q / P 9 10 11 Q / P 12 13 14 Q",
}


@pytest.mark.parametrize("rotation", OF_RAID_5)
def test_raid_5_of_four_drives(rotation):
    layout = array("5", 4, {"rotation": rotation}, rows=4)
    assert printed(layout) == RAID_5_OF_FOUR[rotation]


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_raid_6_of_five_drives(rotation):
    layout = array("6", 5, {"rotation": rotation}, rows=5)
    assert printed(layout) == RAID_6_OF_FIVE[rotation]


@pytest.mark.parametrize("drives", range(3, 13))
@pytest.mark.parametrize(
    ("rotation", "first", "symmetric"),
    [
        ("left-asymmetric", False, False),
        ("right-asymmetric", True, False),
        ("left-symmetric", False, True),
        ("right-symmetric", True, True),
    ],
)
def test_rotations_of_md_by_their_formulas(rotation, first, symmetric, drives):
    layout = array("5", drives, {"rotation": rotation})
    for stripe in range(3 * drives):
        p = stripe % drives if first else drives - 1 - stripe % drives
        assert p_place(layout, stripe) == p
        skipping = [d for d in range(drives) if d != p]
        for i in range(drives - 1):
            expected = (p + 1 + i) % drives if symmetric else skipping[i]
            assert data_place(layout, stripe, i) == expected


def exponents(rotation: str, stripe: int) -> list[str]:
    """Drive by drive: P, Q, or data strip and its exponent in Q, of RAID 6 over five drives."""
    layout = array("6", 5, {"rotation": rotation})
    line = [""] * 5
    line[p_place(layout, stripe)] = "P"
    line[q_place(layout, stripe)] = "Q"
    for i in range(3):
        drive = data_place(layout, stripe, i)
        line[drive] = f"D{3 * stripe + i} g^{q_exponent(layout, stripe, i)}"
    return line


def test_exponents_of_md_count_from_the_drive_after_q():
    assert exponents("left-asymmetric", 2) == ["D6 g^1", "D7 g^2", "P", "Q", "D8 g^0"]


def test_exponents_of_ddf_are_numbers_of_drives():
    assert exponents("zero-restart", 0) == ["P", "Q", "D0 g^2", "D1 g^3", "D2 g^4"]


def test_n_restart_is_left_asymmetric_one_stripe_on_with_another_q():
    drives = 5
    ddf = array("6", drives, {"rotation": "n-restart"})
    md = array("6", drives, {"rotation": "left-asymmetric"})
    differ = 0
    for stripe in range(2 * drives):
        assert p_place(ddf, stripe) == p_place(md, stripe + 1)
        for i in range(drives - 2):
            assert data_place(ddf, stripe, i) == data_place(md, stripe + 1, i)
            differ += q_exponent(ddf, stripe, i) != q_exponent(md, stripe + 1, i)
    assert differ > 0


def test_raid_1e_adjacent_and_raid_10_near_two_of_three_drives():
    assert printed(array("1e", 3, {}, rows=2)) == "0 0 1 / 1 2 2"
    assert printed(array("10", 3, {"spread": "near"}, rows=2)) == "0 0 1 / 1 2 2"


def test_raid_1e_offset_of_four_drives():
    assert printed(array("1e", 4, {"spread": "offset"}, rows=2)) == "0 1 2 3 / 3 0 1 2"


def test_raid_10_far_of_four_drives():
    far = array("10", 4, {"spread": "far"}, rows=4)
    assert printed(far) == "0 1 2 3 / 4 5 6 7 / 3 0 1 2 / 7 4 5 6"


def test_rows_beyond_whole_sets_of_copies_stay_unused():
    assert printed(array("1e", 3, {"spread": "offset"}, rows=3)) == "0 1 2 / 2 0 1 / - - -"
    assert printed(array("10", 3, {"spread": "far"}, rows=3)) == "0 1 2 / 2 0 1 / - - -"
    assert printed(array("1e", 3, {}, rows=1)) == "0 0 -"


def test_raid_10_is_pairs_and_raid_50_goes_on_after_a_full_stripe():
    assert printed(array("10", 6, {}, rows=2)) == "0 0 1 1 2 2 / 3 3 4 4 5 5"
    assert printed(array("50", 6, {}, rows=2)) == "0 1 P 2 3 P / 5 P 4 7 P 6"


def test_raid_0_over_raid_5_in_single_strips():
    striped = array("50", 6, {"unit": STRIP}, rows=2)
    assert printed(striped) == "0 2 P 1 3 P / 6 P 4 7 P 5"


def test_raid_0_and_jbod():
    assert printed(array("0", 3, {}, rows=2)) == "0 1 2 / 3 4 5"
    assert printed(array("jbod", 2, {}, rows=3)) == "0 3 / 1 4 / 2 5"


def test_every_strip_lies_where_the_drives_say_they_hold_it():
    for layout in every_array(rows=7):
        seen = set()
        for address in range(0, layout["size"], STRIP):
            for copy in range(layout["copies"]):
                drive, offset = place(layout, address, copy)
                assert held(layout, drive, offset // STRIP) == (DATA, copy, address)
                assert place(layout, address + 3, copy) == (drive, offset + 3)
                seen.add((drive, offset // STRIP))
        strips = layout["size"] // STRIP
        assert len(seen) == strips * layout["copies"]
        for drive, row in itertools.product(range(layout["drives"]), range(layout["rows"])):
            role, _, address = held(layout, drive, row)
            assert ((drive, row) in seen) == (role == DATA)
            if role in (P, Q):
                assert parity_place(layout, address + 2, role) == (drive, row * STRIP + 2)


def test_no_drive_holds_two_strips_of_a_stripe_or_two_copies():
    for layout in every_array(rows=7):
        for address in range(0, layout["size"], STRIP):
            drives = [place(layout, address, copy)[0] for copy in range(layout["copies"])]
            if layout["family"] == PARITY:
                roles = range(P, P + layout["parity"])
                drives += [parity_place(layout, address, role)[0] for role in roles]
            assert len(set(drives)) == len(drives)


def test_a_request_is_one_run_of_bytes_in_each_span():
    random = np.random.default_rng(5)
    for layout in (a for a in every_array() if a["spans"] > 1):
        for _ in range(20):
            address = int(random.integers(layout["size"]))
            length = int(random.integers(1, layout["size"] - address + 1))
            shares = [
                span_share(layout, address, length, turn)
                for turn in range(spans_touched(layout, address, length))
            ]
            assert len({span for span, _, _ in shares}) == len(shares)
            bytes_there = {
                span_held(layout, span, inner) for span, a, b in shares for inner in range(a, b)
            }
            assert bytes_there == set(range(address, address + length))
            assert all(span_place(layout, span_held(layout, s, a)) == (s, a) for s, a, _ in shares)


def test_the_data_of_a_drive_less_its_redundancy_is_the_capacity():
    n, rows = 12, 10
    data_drives = {"jbod": n, "0": n, "1": 1, "1e": n / 2, "5": n - 1, "6": n - 2}
    data_drives |= {"10": n / 2, "50": n - 2, "60": n - 4}
    for level, drives in data_drives.items():
        layout = array(level, n, {}, rows)
        assert layout["size"] == drives * rows * STRIP
        assert layout["drives"] * whole_drive(layout) == n * rows * STRIP


def test_two_terabyte_drives_make_24_terabytes_as_raid_60_of_sixteen():
    layout = arrange("60", 16, 65536, 2 * 10**12)
    assert layout["size"] == pytest.approx(24e12, rel=1e-6)
    assert failures_tolerated(layout) == 2


@pytest.mark.parametrize("drives", [4, 6, 7])
def test_as_many_failures_as_are_tolerated_are_survived_and_one_more_is_not_always(drives):
    for level, options in choices(drives):
        layout = array(level, drives, options)
        most = failures_tolerated(layout)
        sets = list(itertools.combinations(range(drives), most))
        assert all(survives(layout, without(layout, *failed)) for failed in sets)
        if most < drives:
            more = itertools.combinations(range(drives), most + 1)
            assert not all(survives(layout, without(layout, *failed)) for failed in more)


def test_raid_10_of_four_pairs_survives_one_failure_in_each():
    layout = array("10", 8, {})
    survived = [
        failed
        for failed in itertools.combinations(range(8), 4)
        if survives(layout, without(layout, *failed))
    ]
    assert len(survived) == 2**4
    assert math.comb(8, 4) == 70


@pytest.mark.parametrize(
    ("level", "drives", "options", "words"),
    [
        ("7", 4, {}, "level '7' is not known"),
        ("5", 2, {}, "at least 3"),
        ("6", 2, {}, "at least 3"),
        ("10", 5, {}, "not a multiple of its 2 copies; give 4 or 6, or a spread"),
        ("50", 7, {}, "same number of drives, at least 3; give 6 or 8"),
        ("60", 8, {"spans": 4}, "at least 3; give 12"),
        ("5", 4, {"spans": 2}, "has no spans"),
        ("5", 4, {"rotation": "up"}, "rotation 'up' is not known"),
        ("1e", 3, {"copies": 4}, "4 copies on 3 drives"),
        ("1", 1, {}, "RAID 1 of one drive: it needs at least 2"),
        ("5", 1, {}, "RAID 5 of one drive: it needs at least 3"),
        ("10", 4, {"copies": 1}, "one copy on 4 drives"),
        ("50", 6, {"unit": STRIP + 1}, "multiple of the strip"),
        ("50", 6, {"spans": 0}, "at least one"),
    ],
)
def test_impossible_arrays_are_refused_with_what_would_be_possible(level, drives, options, words):
    with pytest.raises(ValueError, match=words):
        array(level, drives, options)


def test_drives_smaller_than_a_strip_and_empty_strips_are_refused():
    with pytest.raises(ValueError, match="hold no data"):
        arrange("0", 2, 4096, 4095)
    with pytest.raises(ValueError, match="at least 1"):
        arrange("0", 2, 0, 4096)


@pytest.mark.parametrize("level", ["0", "1", "5", "6"])
def test_drives_that_hold_more_than_addresses_can_say_are_refused(level):
    with pytest.raises(ValueError, match="have more than 9223372036854775807 bytes"):
        arrange(level, 4, 4096, 2**62)


def test_what_is_beyond_the_last_row_is_unused():
    layout = array("5", 4, {})
    assert held(layout, 0, whole_drive(layout) // STRIP)[0] == UNUSED
