"""Plans are right: bytes written under any failures and rebuilds that a level stands come back."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from layouts import MOST_DRIVES, STRIP, array, choices, every_array

from raidsim.layout.address import held, whole_drive
from raidsim.layout.arrange import LEVELS
from raidsim.layout.health import failures_tolerated, survives
from raidsim.layout.tables import DATA, FEWEST, NO_MODIFY, NO_RECONSTRUCT, PARITY
from raidsim.store.array import DataLost, Store

POLICIES = (FEWEST, NO_MODIFY, NO_RECONSTRUCT)


class Pair:
    """A store and the flat array of bytes that it has to behave as."""

    def __init__(self, layout, policy=FEWEST, seed=0):
        self.store = Store(layout, policy)
        self.flat = np.zeros(self.store.size, np.uint8)
        self.random = np.random.default_rng(seed)
        self.drives = range(int(layout["drives"]))

    def write(self, address, length):
        content = self.random.integers(0, 256, length).astype(np.uint8)
        self.store.write(address, content)
        self.flat[address : address + length] = content

    def read(self, address, length):
        there = self.store.read(address, length)
        assert np.array_equal(there, self.flat[address : address + length])

    def fill(self):
        self.write(0, self.store.size)

    def expendable(self):
        """Drives that may fail without loss of data."""
        found = []
        for drive in self.drives:
            good = self.store.good.copy()
            good[drive] = 0
            if self.store.present[drive] and survives(self.store.layout, good):
                found.append(drive)
        return found

    def absent(self):
        return [drive for drive in self.drives if not self.store.present[drive]]

    def to_rebuild(self):
        end = whole_drive(self.store.layout)
        return [d for d in self.drives if self.store.present[d] and self.store.good[d] < end]

    def heal(self):
        for drive in self.absent():
            self.store.replace(drive)
        for drive in self.to_rebuild():
            self.store.rebuild(drive)


class AnyInterleaving(RuleBasedStateMachine):
    """Reads, writes, failures up to the tolerance, replacements, rebuilds bit by bit."""

    level: str

    @initialize(data=st.data(), policy=st.sampled_from(POLICIES), seed=st.integers(0, 99))
    def build(self, data, policy, seed):
        kinds = [
            (drives, options)
            for drives in range(1 if self.level in ("jbod", "0") else 2, MOST_DRIVES + 1)
            for level, options in choices(drives)
            if level == self.level
        ]
        drives, options = data.draw(st.sampled_from(kinds))
        self.pair = Pair(array(self.level, drives, options), policy, seed)
        self.pair.fill()

    def some_bytes(self, data):
        size = self.pair.store.size
        address = data.draw(st.integers(0, size - 1))
        return address, data.draw(st.integers(1, min(size - address, 12 * STRIP)))

    @rule(data=st.data())
    def write(self, data):
        self.pair.write(*self.some_bytes(data))

    @rule(data=st.data(), copy=st.integers(0, 2))
    def read(self, data, copy):
        self.pair.store.prefer = copy
        self.pair.read(*self.some_bytes(data))

    @precondition(lambda self: self.pair.expendable())
    @rule(data=st.data())
    def fail(self, data):
        self.pair.store.fail(data.draw(st.sampled_from(self.pair.expendable())))
        assert not self.pair.store.lost

    @precondition(lambda self: self.pair.absent())
    @rule(data=st.data())
    def replace(self, data):
        self.pair.store.replace(data.draw(st.sampled_from(self.pair.absent())))

    @precondition(lambda self: self.pair.to_rebuild())
    @rule(data=st.data(), rows=st.integers(1, 10))
    def rebuild(self, data, rows):
        self.pair.store.rebuild(data.draw(st.sampled_from(self.pair.to_rebuild())), rows)

    def teardown(self):
        if hasattr(self, "pair"):
            self.pair.read(0, self.pair.store.size)
            self.pair.heal()
            assert self.pair.store.inconsistent() == []
            self.pair.read(0, self.pair.store.size)


@pytest.mark.parametrize("level", LEVELS)
def test_any_interleaving_behaves_as_one_flat_array_of_bytes(level):
    state_machine = type(f"Raid{level}", (AnyInterleaving,), {"level": level})
    state_machine.TestCase.settings = settings(
        max_examples=5,
        stateful_step_count=20,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    state_machine.TestCase().runTest()


def test_every_array_comes_through_its_failures_and_their_rebuild():
    """All levels, ways of laying them out and numbers of drives from 1 to 12, every other one."""
    for number, layout in enumerate(itertools.islice(every_array(rows=4), 0, None, 2)):
        pair = Pair(layout, POLICIES[number % 3], seed=number)
        pair.fill()
        while choice := pair.expendable():
            pair.store.fail(int(pair.random.choice(choice)))
            for _ in range(3):
                address = int(pair.random.integers(pair.store.size))
                most = min(pair.store.size - address, 12 * STRIP)
                pair.write(address, int(pair.random.integers(1, most + 1)))
        pair.read(0, pair.store.size)
        pair.heal()
        assert pair.store.inconsistent() == []
        pair.read(0, pair.store.size)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("level", "drives"), [("5", 4), ("6", 4), ("6", 5), ("50", 6)])
def test_every_request_reads_and_writes_its_bytes_whatever_has_failed(level, drives, policy):
    """Every seventh address and length over two stripes, every set of failures that is survived."""
    layout = array(level, drives, {}, rows=4)
    most = failures_tolerated(layout)
    sets = itertools.chain.from_iterable(
        itertools.combinations(range(drives), failures) for failures in range(most + 1)
    )
    for failed in sets:
        pair = Pair(layout, policy)
        pair.fill()
        for drive in failed:
            pair.store.fail(drive)
        span = min(pair.store.size, 6 * STRIP)
        for address in range(0, span, 7):
            for length in range(1, span - address + 1, 7):
                pair.write(address, length)
                pair.read(address, length)
        pair.read(0, pair.store.size)
        pair.heal()
        assert pair.store.inconsistent() == []
        pair.read(0, pair.store.size)


# ---------------------------------------------------------------- beyond the tolerance


def strips_that_lose_data(store):
    """Addresses of strips that nothing tells, by what the drives hold: no plan is asked.

    Data is lost that has no good copy, or in a stripe with more strips gone than parity.
    """
    layout = store.layout
    copies, gone = {}, {}
    for drive, row in itertools.product(range(layout["drives"]), range(layout["rows"])):
        role, _, address = held(layout, drive, row)
        is_there = (row + 1) * STRIP <= store.good[drive]
        stripe = drive // layout["span_drives"], row
        gone[stripe] = gone.get(stripe, 0) + (not is_there)
        if role == DATA:
            copies.setdefault(address, []).append((is_there, stripe))
    return {
        address
        for address, places in copies.items()
        if not any(is_there for is_there, _ in places)
        and not (
            layout["family"] == PARITY
            and all(gone[stripe] <= layout["parity"] for _, stripe in places)
        )
    }


def check_lost(pair, lost):
    """Strips that are lost refuse reads and writes; all others hold their bytes."""
    for address in range(0, pair.store.size, STRIP):
        if address in lost:
            before = [drive.copy() for drive in pair.store.drives]
            with pytest.raises(DataLost):
                pair.store.read(address + 2, 3)
            with pytest.raises(DataLost):
                pair.store.write(address + 2, np.ones(3, np.uint8))
            assert all(map(np.array_equal, before, pair.store.drives))
        else:
            pair.write(address + 2, 3)
            pair.read(address, STRIP)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("level", "drives", "options"),
    [
        ("jbod", 3, {}),
        ("0", 4, {}),
        ("1", 2, {}),
        ("1e", 5, {}),
        ("1e", 4, {"spread": "offset"}),
        ("10", 4, {"spread": "far"}),
        ("10", 6, {}),
        ("5", 4, {}),
        ("6", 5, {}),
        ("6", 6, {"rotation": "n-continue"}),
        ("50", 6, {}),
        ("60", 8, {}),
    ],
)
def test_beyond_the_tolerance_exactly_what_needs_lost_data_fails_and_stays_failed(
    level, drives, options, seed
):
    pair = Pair(array(level, drives, options, rows=6), POLICIES[seed % 3], seed)
    pair.fill()
    lost = set()
    for _ in range(8):
        if pair.random.integers(5) < 3:
            present = [d for d in pair.drives if pair.store.present[d]]
            if present:
                pair.store.fail(int(pair.random.choice(present)))
                lost |= strips_that_lose_data(pair.store)
        elif pair.absent():
            pair.store.replace(int(pair.random.choice(pair.absent())))
        if pair.to_rebuild():
            drive = int(pair.random.choice(pair.to_rebuild()))
            pair.store.rebuild(drive, int(pair.random.integers(1, 6)))
        assert pair.store.lost == lost
        check_lost(pair, lost)
    pair.heal()
    assert pair.store.lost == lost
    assert pair.store.inconsistent() == []
    check_lost(pair, lost)


def test_two_failures_of_raid_5_lose_the_data_of_both_drives_and_no_more():
    pair = Pair(array("5", 4, {}, rows=4))
    pair.fill()
    pair.store.fail(0)
    pair.store.fail(1)
    # 0 1 2 P / 4 5 P 3 / 8 P 6 7 / P 9 10 11
    assert pair.store.lost == {strip * STRIP for strip in (0, 1, 4, 5, 8, 9)}


def test_a_request_that_touches_a_lost_strip_fails_as_a_whole():
    pair = Pair(array("0", 3, {}))
    pair.fill()
    pair.store.fail(1)
    with pytest.raises(DataLost):
        pair.store.read(0, 2 * STRIP)
    with pytest.raises(DataLost):
        pair.store.write(0, np.zeros(2 * STRIP, np.uint8))
    pair.read(0, STRIP)


# ---------------------------------------------------------------- what is refused


def test_requests_outside_the_volume_are_refused():
    store = Store(array("5", 3, {}))
    for address, length in ((-1, 2), (store.size, 1), (store.size - 1, 2), (0, 0)):
        with pytest.raises(ValueError, match="the volume has"):
            store.read(address, length)


def test_a_failed_drive_is_replaced_before_its_rebuild_and_only_then():
    store = Store(array("1", 2, {}))
    with pytest.raises(ValueError, match="has not failed"):
        store.replace(0)
    store.fail(0)
    with pytest.raises(ValueError, match="has to be replaced"):
        store.rebuild(0)


def test_a_strip_that_differs_from_the_rest_of_its_stripe_is_found():
    pair = Pair(array("6", 5, {}))
    pair.fill()
    pair.store.drives[2][3 * STRIP + 1] ^= 1
    assert (2, 3) in pair.store.inconsistent()
    assert {row for _, row in pair.store.inconsistent()} == {3}
