"""What requests cost in device accesses: penalties, full stripes, degraded arrays, straddling."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from layouts import OF_RAID_5, STRIP, array, choices, every_array, whole, without

from raidsim.layout.accesses import merge
from raidsim.layout.address import place
from raidsim.layout.arrange import ROTATIONS
from raidsim.layout.health import failures_tolerated
from raidsim.layout.plan import bound, pieces, plan, redirect
from raidsim.layout.rebuild import rebuild, rebuild_bound
from raidsim.layout.tables import (
    ACCESS,
    DATA,
    DIRECT,
    FEWEST,
    FULL_STRIPE,
    LOST,
    MODIFY,
    NO_MODIFY,
    NO_RECONSTRUCT,
    READ,
    RECONSTRUCT,
    RECONSTRUCT_WRITE,
    WRITE,
    P,
    Q,
)

SMALL = STRIP // 2


def planned(layout, op, address, length, good=None, policy=FEWEST, prefer=0):
    """Device accesses of a request, merged."""
    table = np.zeros(bound(layout, op, length), ACCESS)
    good = whole(layout) if good is None else good
    count = plan(layout, good, policy, prefer, op, address, length, table)
    assert count <= len(table)
    return table[:count] if count != LOST else None


def ios(accesses):
    """Reads and writes."""
    ops = Counter(accesses["op"].tolist())
    return ops[READ], ops[WRITE]


def cost(layout, **options):
    """Device accesses of a small write, which have to be the same wherever it is."""
    costs = {
        len(planned(layout, WRITE, strip + 1, SMALL, **options))
        for strip in range(0, layout["size"], STRIP)
    }
    (only,) = costs
    return only


# ---------------------------------------------------------------- small writes


@pytest.mark.parametrize("drives", range(2, 13))
def test_a_small_write_costs_two_accesses_on_two_copies(drives):
    assert cost(array("1e", drives, {})) == 2
    assert cost(array("10", drives, {"spread": "far"})) == 2
    assert cost(array("1", drives, {})) == drives
    if drives % 2 == 0:
        assert cost(array("10", drives, {})) == 2


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("drives", range(3, 13))
def test_a_small_write_costs_four_accesses_on_raid_5_and_six_on_raid_6(drives, rotation):
    """Fewer drives than that: the rest of the stripe is read instead of old data and parity."""
    if rotation in OF_RAID_5:
        assert cost(array("5", drives, {"rotation": rotation})) == min(4, drives)
    assert cost(array("6", drives, {"rotation": rotation})) == min(6, drives)


def test_eight_drives_of_200_ios_with_70_percent_reads():
    rates = {level: 8 * 200 / (0.7 + 0.3 * cost(array(level, 8, {}))) for level in ("10", "5", "6")}
    assert rates == pytest.approx({"10": 1230.8, "5": 842.1, "6": 640}, abs=0.05)


def test_a_policy_forbids_a_way_of_updating_parity():
    for drives in range(4, 13):
        five, six = array("5", drives, {}), array("6", drives, {})
        assert cost(five, policy=NO_MODIFY) == drives
        assert cost(six, policy=NO_MODIFY) == drives
        assert cost(five, policy=NO_RECONSTRUCT) == 4
        if drives > 3:
            assert cost(six, policy=NO_RECONSTRUCT) == 6


def test_of_two_ways_that_cost_the_same_parity_is_computed_anew():
    accesses = planned(array("5", 4, {}), WRITE, 0, SMALL)
    assert set(accesses["method"]) == {RECONSTRUCT_WRITE}
    assert ios(accesses) == (2, 2)


def test_read_modify_write_reads_old_data_and_parity_and_then_writes_the_same_places():
    layout = array("6", 8, {})
    accesses = planned(layout, WRITE, 2 * STRIP + 1, SMALL)
    old, new = accesses[:3], accesses[3:]
    assert old["phase"].tolist() == [0, 0, 0]
    assert new["phase"].tolist() == [1, 1, 1]
    assert set(old["op"]) == {READ}
    assert set(new["op"]) == {WRITE}
    for field in ("drive", "offset", "length", "role"):
        assert old[field].tolist() == new[field].tolist()
    assert old["role"].tolist() == [DATA, P, Q]
    assert set(old["length"]) == {SMALL}


def test_a_write_of_most_of_a_stripe_reads_only_the_rest():
    layout = array("6", 8, {})
    accesses = planned(layout, WRITE, 0, 5 * STRIP)
    assert ios(accesses) == (1, 7)
    assert set(accesses["method"]) == {RECONSTRUCT_WRITE}


# ---------------------------------------------------------------- full stripes


@pytest.mark.parametrize("level", ["5", "6"])
@pytest.mark.parametrize("drives", range(3, 13))
def test_a_full_stripe_writes_every_drive_once_and_reads_nothing(level, drives):
    layout = array(level, drives, {})
    width = int(layout["data"]) * STRIP
    for stripe in range(layout["rows"]):
        accesses = planned(layout, WRITE, stripe * width, width)
        assert ios(accesses) == (0, drives)
        assert len(set(accesses["drive"])) == drives
        assert set(accesses["method"]) == {FULL_STRIPE}
        assert set(accesses["phase"]) == {0}


def test_neighbouring_full_stripes_are_one_write_a_drive():
    layout = array("6", 8, {})
    accesses = planned(layout, WRITE, 0, 4 * 6 * STRIP)
    assert ios(accesses) == (0, 8)
    assert set(accesses["length"]) == {4 * STRIP}


# ---------------------------------------------------------------- reads


def test_a_read_inside_a_strip_is_one_access_on_every_level():
    for layout in every_array():
        for strip in range(0, layout["size"], STRIP):
            accesses = planned(layout, READ, strip + 1, SMALL)
            assert len(accesses) == 1
            assert (accesses[0]["drive"], accesses[0]["offset"]) == place(layout, strip + 1, 0)


def test_a_request_that_straddles_strips_goes_to_two_drives():
    """64 KiB in strips of 64 KiB, aligned to 4096 bytes: 15 of 16 places straddle."""
    layout = array("0", 4, {})
    counts = [
        len(planned(layout, READ, address, STRIP)) for address in range(layout["size"] - STRIP)
    ]
    assert counts[:STRIP] == [1] + [2] * (STRIP - 1)


def test_neighbours_on_a_drive_are_one_access():
    raid0 = array("0", 4, {})
    assert planned(raid0, READ, 0, 12 * STRIP)["length"].tolist() == [3 * STRIP] * 4
    jbod = array("jbod", 4, {})
    assert planned(jbod, READ, 0, 9 * STRIP)["length"].tolist() == [9 * STRIP]
    mirror = array("1", 2, {})
    assert planned(mirror, WRITE, 3, 5 * STRIP)["length"].tolist() == [5 * STRIP] * 2


def test_parity_in_between_keeps_reads_of_raid_5_apart():
    layout = array("5", 3, {"rotation": "left-symmetric"})
    accesses = planned(layout, READ, 0, 6 * STRIP)
    # 0 1 P / 3 P 2 / P 4 5: drive 0 has rows 0 and 1, drive 1 rows 0 and 2, drive 2 rows 1 and 2.
    lengths = sorted(zip(accesses["drive"].tolist(), accesses["length"].tolist(), strict=True))
    assert lengths == [(0, 2 * STRIP), (1, STRIP), (1, STRIP), (2, 2 * STRIP)]


def test_a_mirrored_read_takes_the_copy_that_is_asked_for_or_the_next():
    layout = array("1", 3, {})
    for copy in range(3):
        assert planned(layout, READ, 0, SMALL, prefer=copy)["drive"].tolist() == [copy]
    good = without(layout, 1)
    assert planned(layout, READ, 0, SMALL, good=good, prefer=1)["drive"].tolist() == [2]


def test_a_read_can_be_turned_to_another_copy_that_is_good():
    layout = array("10", 4, {"spread": "far"})
    table = np.zeros(4, ACCESS)
    pieces(layout, whole(layout), FEWEST, 0, READ, STRIP + 2, SMALL, table)
    assert redirect(layout, whole(layout), table[0], 1)
    assert (table[0]["drive"], table[0]["offset"]) == place(layout, STRIP + 2, 1)
    assert not redirect(layout, without(layout, 1), table[0], 0)
    assert table[0]["drive"] == 2


# ---------------------------------------------------------------- degraded arrays


def load(layout, failed):
    """Accesses each drive gets when every strip of the array is read once."""
    good = without(layout, *failed)
    seen = Counter()
    for strip in range(0, layout["size"], STRIP):
        seen.update(planned(layout, READ, strip, STRIP, good=good)["drive"].tolist())
    return seen


@pytest.mark.parametrize("drives", range(3, 13))
def test_each_survivor_of_raid_5_carries_twice_the_reads(drives):
    layout = array("5", drives, {}, rows=drives)
    healthy = load(layout, ())
    for failed in range(drives):
        degraded = load(layout, (failed,))
        assert degraded == {d: 2 * healthy[d] for d in range(drives) if d != failed}


@pytest.mark.parametrize("drives", range(4, 13))
def test_survivors_of_raid_6_carry_2n_minus_3_over_n_minus_1_of_the_reads(drives):
    """On average: the drive behind the lost one never holds the Q that a stripe can spare."""
    layout = array("6", drives, {}, rows=drives)
    healthy = sum(load(layout, ()).values()) / drives
    for failed in range(drives):
        degraded = load(layout, (failed,))
        assert failed not in degraded
        mean = sum(degraded.values()) / (drives - 1)
        assert mean / healthy == pytest.approx((2 * drives - 3) / (drives - 1))


def test_a_lost_strip_of_raid_6_is_read_from_as_many_drives_as_it_has_data():
    layout = array("6", 8, {})
    for failed in itertools.combinations(range(8), 2):
        good = without(layout, *failed)
        for strip in range(0, layout["size"], STRIP):
            accesses = planned(layout, READ, strip, STRIP, good=good)
            if place(layout, strip, 0)[0] in failed:
                assert len(accesses) == 6
                assert set(accesses["method"]) == {RECONSTRUCT}
            else:
                assert len(accesses) == 1
                assert set(accesses["method"]) == {DIRECT}


def test_a_write_to_a_lost_strip_of_raid_5_reads_the_others_and_writes_parity():
    layout = array("5", 6, {})
    drive, _ = place(layout, 0, 0)
    accesses = planned(layout, WRITE, 0, STRIP, good=without(layout, drive))
    assert ios(accesses) == (4, 1)
    assert accesses[-1]["role"] == P


def test_a_write_whose_parity_is_lost_is_a_plain_write():
    layout = array("5", 6, {})
    accesses = planned(layout, WRITE, 0, STRIP, good=without(layout, 5))
    assert ios(accesses) == (0, 1)
    assert set(accesses["phase"]) == {0}


def test_a_degraded_write_beside_a_lost_strip_changes_parity_by_the_difference():
    layout = array("5", 6, {})
    accesses = planned(layout, WRITE, 0, STRIP, good=without(layout, 1), policy=NO_RECONSTRUCT)
    assert ios(accesses) == (2, 2)
    assert set(accesses["method"]) == {MODIFY}


def test_a_policy_yields_where_the_other_way_is_impossible():
    layout = array("6", 8, {})
    drive, _ = place(layout, 0, 0)
    good = without(layout, drive)
    accesses = planned(layout, WRITE, 0, STRIP, good=good, policy=NO_RECONSTRUCT)
    assert ios(accesses) == (5, 2)


def test_raid_6_writes_to_one_of_two_lost_strips():
    """Six data strips, two lost: the other four and both parities tell the rest of the stripe."""
    layout = array("6", 8, {})
    lost = [place(layout, strip * STRIP, 0)[0] for strip in (0, 1)]
    accesses = planned(layout, WRITE, 0, STRIP, good=without(layout, *lost))
    assert ios(accesses) == (6, 2)


def test_what_no_drive_holds_any_more_has_no_plan():
    layout = array("5", 4, {})
    a, b = (place(layout, strip * STRIP, 0)[0] for strip in (0, 1))
    good = without(layout, a, b)
    assert planned(layout, READ, 0, STRIP, good=good) is None
    assert planned(layout, WRITE, 0, STRIP, good=good) is None
    assert len(planned(layout, READ, 2 * STRIP, STRIP, good=good)) == 1


def test_a_drive_that_is_half_rebuilt_serves_its_first_half():
    layout = array("5", 4, {}, rows=8)
    good = whole(layout)
    good[0] = 4 * STRIP
    for strip in range(0, layout["size"], STRIP):
        drive, offset = place(layout, strip, 0)
        accesses = planned(layout, READ, strip, STRIP, good=good)
        assert len(accesses) == (3 if drive == 0 and offset >= 4 * STRIP else 1)


# ---------------------------------------------------------------- all plans


def requests(seed, number):
    """Random requests to random arrays of all kinds, degraded within what they tolerate."""
    random = np.random.default_rng(seed)
    kinds = [(n, *choice) for n in range(1, 13) for choice in choices(n)]
    for _ in range(number):
        drives, level, options = kinds[random.integers(len(kinds))]
        layout = array(level, drives, options)
        good = whole(layout)
        failures = random.integers(failures_tolerated(layout) + 1)
        for drive in random.permutation(drives)[:failures]:
            good[drive] = int(random.integers(layout["rows"])) * STRIP
        address = int(random.integers(layout["size"]))
        length = int(random.integers(1, min(layout["size"] - address, 20 * STRIP) + 1))
        op, policy = int(random.integers(2)), int(random.integers(3))
        yield layout, good, policy, op, address, length


def test_merged_accesses_cover_the_bytes_of_their_pieces_and_no_others():
    for layout, good, policy, op, address, length in requests(1, 400):
        table = np.zeros(bound(layout, op, length), ACCESS)
        count = pieces(layout, good, policy, 0, op, address, length, table)
        listed = table[:count].copy()
        merged = table[: merge(table, count)]
        assert bytes_of(merged) == bytes_of(listed)
        ends = {(a["phase"], a["drive"], a["op"], a["offset"] + a["length"]) for a in merged}
        starts = {(a["phase"], a["drive"], a["op"], a["offset"]) for a in merged}
        assert ends.isdisjoint(starts)


def bytes_of(accesses):
    seen = Counter()
    for a in accesses:
        key = (int(a["phase"]), int(a["drive"]), int(a["op"]))
        seen.update((*key, int(a["offset"]) + i) for i in range(a["length"]))
    assert set(seen.values()) <= {1}
    return seen.keys()


def test_nothing_is_read_or_written_where_a_drive_is_not_good():
    for layout, good, policy, op, address, length in requests(2, 400):
        accesses = planned(layout, op, address, length, good=good, policy=policy)
        ends = accesses["offset"] + accesses["length"]
        assert (ends <= good[accesses["drive"]]).all()
        assert np.all(np.diff(accesses["phase"]) >= 0)
        assert set(accesses["phase"]) <= {0, 1}
        if op == READ:
            assert set(accesses["op"]) == {READ}
        else:
            assert (accesses["op"] == WRITE).sum() > 0
            last = accesses["phase"] == accesses["phase"].max()
            assert ((accesses["op"] == WRITE) == last).all()


def test_no_request_needs_more_accesses_than_the_bound():
    fullest = 0.0
    for layout, good, policy, op, address, length in requests(3, 1500):
        most = bound(layout, op, length)
        table = np.zeros(most, ACCESS)
        count = pieces(layout, good, policy, 0, op, address, length, table)
        assert 0 < count <= most
        fullest = max(fullest, count / most)
    assert fullest == 1.0


def test_a_table_that_is_too_short_is_told_and_not_overrun():
    layout = array("6", 8, {})
    table = np.zeros(3, ACCESS)
    table[2]["drive"] = 99
    count = plan(layout, whole(layout), FEWEST, 0, WRITE, 0, SMALL, table[:2])
    assert count == 6
    assert table[2]["drive"] == 99


def test_no_way_of_writing_costs_less_than_the_one_that_is_taken():
    for layout, good, _, _, address, length in requests(4, 400):
        table = np.zeros(bound(layout, WRITE, length), ACCESS)
        counts = [
            pieces(layout, good, policy, 0, WRITE, address, length, table)
            for policy in (FEWEST, NO_MODIFY, NO_RECONSTRUCT)
        ]
        assert counts[0] == min(counts)


# ---------------------------------------------------------------- rebuild


@pytest.mark.parametrize(("level", "reads"), [("10", 1), ("1", 1), ("5", 5), ("6", 4), ("60", 1)])
def test_the_rebuild_of_a_strip_reads_a_copy_or_as_many_strips_as_a_stripe_has_data(level, reads):
    layout = array(level, 6, {})
    good = without(layout, 2)
    table = np.zeros(rebuild_bound(layout), ACCESS)
    for row in range(layout["rows"]):
        accesses = table[: rebuild(layout, good, 2, row, table)]
        assert ios(accesses) == (reads, 1)
        assert accesses[-1]["drive"] == 2
        assert accesses[-1]["offset"] == row * STRIP
        assert set(accesses["length"]) == {STRIP}
        assert accesses["phase"].tolist() == [0] * reads + [1]


def test_a_strip_is_restored_without_reading_it_even_where_its_drive_is_good():
    """One sector that can't be read is repaired as after a failure of the drive."""
    for layout in every_array(rows=4):
        here, there = (np.zeros(rebuild_bound(layout), ACCESS) for _ in range(2))
        for drive, row in itertools.product(range(layout["drives"]), range(layout["rows"])):
            # Other drives that have failed already: one fewer than are tolerated.
            others = [d % layout["drives"] for d in range(drive + 1, drive + layout["drives"])]
            failed = others[: max(failures_tolerated(layout) - 1, 0)]
            count = rebuild(layout, without(layout, *failed), drive, row, here)
            assert count == rebuild(layout, without(layout, drive, *failed), drive, row, there)
            assert here[: max(count, 0)].tolist() == there[: max(count, 0)].tolist()
            assert drive not in here[: max(count - 1, 0)]["drive"]


def test_a_strip_without_survivors_has_no_rebuild():
    table = np.zeros(8, ACCESS)
    assert rebuild(array("0", 3, {}), without(array("0", 3, {}), 1), 1, 0, table) == LOST
    five = array("5", 4, {})
    assert rebuild(five, without(five, 1, 2), 1, 0, table) == LOST
