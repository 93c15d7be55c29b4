"""Plans of md arrays against what real Linux md read and wrote: data/md.

Sectors of each member are compared, and the number of I/Os. What still differs is listed here, with
the reason: a difference that vanishes has to be taken off the list.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from md_data import facts, layout_of, pattern

from raidsim.layout.address import whole_drive
from raidsim.layout.plan import bound, plan
from raidsim.layout.tables import ACCESS, FEWEST, NO_MODIFY, READ, WRITE
from raidsim.store.array import Store

SECTOR = 512
MEMBER = 64 << 20  # at least what the members had
CHUNK = 4096  # of the arrays that were written strip by strip
POLICIES = {1: FEWEST, 0: NO_MODIFY}
"""md's rmw_level: 0 never modifies, 1 only where that needs fewer reads."""

SUPERBLOCK = "the first I/O after a failure has md write its superblocks, of one sector"
SPLIT = "md hands on what has gathered when a batch of stripe heads is full"
SEPARATE = "md ends a bio where the mapping jumps; neighbours come together in a drive's queue only"
MODIFIED = "rows that are modified are written before those that are computed anew"
DIFFERENT = {
    ("raid5", "read", 21627392, 512): SUPERBLOCK,
    ("raid5", "write", 9830912, 327680): SPLIT,
    ("raid6", "write", 2621952, 8192): MODIFIED,
    ("raid6", "write", 7864832, 262144): SPLIT,
    ("raid10 f2", "write", 1343488, 262144): SEPARATE,
    ("raid10 o2", "write", 1310720, 262144): SEPARATE,
    ("raid10 o2", "write", 1343488, 262144): SEPARATE,
}


def good_of(layout, failed):
    good = np.full(int(layout["drives"]), whole_drive(layout), np.int64)
    good[failed] = 0
    return good


def planned(layout, failed, op, offset, length, policy=FEWEST):
    """I/Os of each member: [reads, sectors read, writes, sectors written]."""
    table = np.zeros(bound(layout, op, length), ACCESS)
    count = plan(layout, good_of(layout, failed), policy, 0, op, offset, length, table)
    found = {}
    for access in table[:count]:
        io = found.setdefault(str(access["drive"]), [0, 0, 0, 0])
        io[2 * access["op"]] += 1
        io[2 * access["op"] + 1] += int(access["length"]) // SECTOR
    return found


def total(ios):
    return [sum(io[i] for io in ios.values()) for i in range(4)]


def described(request):
    level = request["level"]
    if level == "raid10":
        level += f" {request['layout']}"
    return level, request["op"], request["offset"], request["length"]


def test_a_request_is_the_ios_and_sectors_of_each_member_that_md_had():
    """122 requests to RAID 1, 5, 6 and 10, whole and with a member failed."""
    different = set()
    for one in facts()["requests"]["requests"]:
        layout = layout_of(one["level"], one["members"], one["chunk"], one["layout"], MEMBER)
        op = READ if one["op"] == "read" else WRITE
        found = planned(layout, one["failed"], op, one["offset"], one["length"])
        if found != one["io"]:
            different.add(described(one))
    assert different == set(DIFFERENT)


def test_even_where_md_splits_its_ios_otherwise_the_sectors_of_each_member_are_the_same():
    def sectors(ios):
        return {member: (io[1], io[3]) for member, io in ios.items()}

    for one in facts()["requests"]["requests"]:
        if DIFFERENT.get(described(one)) in (None, SUPERBLOCK):
            continue
        layout = layout_of(one["level"], one["members"], one["chunk"], one["layout"], MEMBER)
        found = planned(layout, one["failed"], WRITE, one["offset"], one["length"])
        assert sectors(found) == sectors(one["io"]), described(one)


def test_strips_of_a_row_are_read_and_written_as_md_does_by_its_rmw_level():
    """How many of a row's strips are written decides which way needs fewer reads."""
    for one in facts()["requests"]["strips"]:
        if one["rmw_level"] not in POLICIES:
            continue
        layout = layout_of(one["level"], one["members"], CHUNK, None, MEMBER)
        policy = POLICIES[one["rmw_level"]]
        found = planned(layout, [], WRITE, 0, CHUNK * one["strips_written"], policy)
        names = ("reads", "read_sectors", "writes", "written_sectors")
        assert total(found) == [one[name] for name in names], one


def test_small_requests_to_a_degraded_array_cost_what_they_cost_md():
    """A lost page is computed from all that survive; without P or Q, parity is computed anew."""
    for one in facts()["requests"]["degraded"]:
        layout = layout_of(one["level"], one["members"], one["chunk"], None, MEMBER)
        op = READ if one["op"] == "read" else WRITE
        found = planned(layout, one["failed"], op, one["offset"], one["length"])
        assert total(found) == one["total"], one


def digest(content):
    return hashlib.sha256(content.tobytes()).hexdigest()


SLOW = {
    "d-raid6-nr-5-fail1,3",
    "d-raid6-rs-5-fail0,4",
    "d-raid6-nc-5-fail0,4",
    "d-raid5-ls-4-fail3",
}
"""Cases that others are like."""


@pytest.mark.parametrize("name", sorted(facts()["degraded"].keys() - SLOW))
def test_members_hold_what_md_left_on_them_after_writes_without_some_and_their_rebuild(name):
    """2,048 sectors from sector 1,001 on are written while members are gone, which are rebuilt."""
    one = facts()["degraded"][name]
    _, level, *way, members, gone = name.split("-")
    short = {"ls": "left-symmetric", "la": "left-asymmetric", "rs": "right-symmetric",
             "ra": "right-asymmetric", "zr": "zero-restart", "nr": "n-restart",
             "nc": "n-continue"}  # fmt: skip
    word = short.get(way[0], way[0]) if way else None
    failed = [int(number) for number in gone.removeprefix("fail").split(",")]
    layout = layout_of(level, int(members), 64 << 10, word, one["member_bytes"])
    store = Store(layout)
    assert store.size == one["array_bytes"]
    content = pattern(store.size)
    store.write(0, content)
    for member in failed:
        store.fail(member)
    begin, end = 1001 * SECTOR, (1001 + 2048) * SECTOR
    content[begin:end] ^= 0xA5
    store.write(begin, content[begin:end])
    left = [digest(drive) for drive in store.drives]
    expected = one["degraded_sha256"]
    rest = [number for number in range(int(members)) if number not in failed]
    assert [left[number] for number in rest] == [expected[number] for number in rest]
    assert digest(store.read(0, store.size)) == one["read_degraded_sha256"]
    for member in failed:
        store.replace(member)
        store.rebuild(member)
    assert [digest(drive) for drive in store.drives] == one["rebuilt_sha256"]
