"""Drives in files hold what RAID says: as the store in memory has it, byte by byte."""

from __future__ import annotations

import errno
import hashlib
from typing import ClassVar

import numpy as np
import pytest
from layouts import array, choices
from md_data import facts, layout_of, pattern

from raidsim.attach.consistency import inconsistent, make_consistent
from raidsim.attach.content import DataLost
from raidsim.attach.members import Members
from raidsim.attach.promised import Promised
from raidsim.attach.rebuilding import now_good
from raidsim.attach.sparse import Sparse
from raidsim.attach.written import Written
from raidsim.layout.address import whole_drive
from raidsim.layout.health import survives
from raidsim.store.array import Store

LAYOUTS = [
    array(level, drives, options)
    for drives in (1, 4, 6)
    for level, options in choices(drives)
    if options.get("page") is None
    and (drives == 6 or options.get("rotation") in (None, "n-continue"))
]
SEED = 20


class Both:
    """The same writes to drives in files, to the store in memory, and to a flat volume."""

    def __init__(self, layout: np.void, seed: int) -> None:
        self.layout = layout
        self.store = Store(layout)
        whole = whole_drive(layout)
        self.members = Members(layout, [Sparse.nameless(whole) for _ in range(layout["drives"])])
        self.flat = bytearray(self.store.size)
        self.random = np.random.default_rng(seed)

    def write(self) -> None:
        address = int(self.random.integers(self.store.size))
        length = int(self.random.integers(1, min(60, self.store.size - address) + 1))
        content = self.random.integers(1, 256, length).astype(np.uint8)
        self.store.write(address, content)
        self.members.write(address, content.tobytes())
        self.flat[address : address + length] = content.tobytes()

    def fail(self, drive: int) -> None:
        self.store.fail(drive)
        now_good(self.members, self.store.good.tolist())

    def rebuild(self, drive: int, rows: int | None = None) -> None:
        self.store.rebuild(drive, rows)
        now_good(self.members, self.store.good.tolist())

    def expendable(self) -> list[int]:
        found = []
        for drive in range(int(self.layout["drives"])):
            good = self.store.good.copy()
            good[drive] = 0
            if self.store.present[drive] and survives(self.layout, good):
                found.append(drive)
        return found

    def check(self) -> None:
        size = self.store.size
        assert self.members.read(0, size) == bytes(self.flat)
        for number, drive in enumerate(self.members.drives):
            good = int(self.store.good[number])
            assert drive.read(0, good) == self.store.drives[number][:good].tobytes()

    def close(self) -> None:
        self.members.close()


@pytest.mark.parametrize("number", range(len(LAYOUTS)))
def test_files_hold_what_the_store_holds_through_failures_and_rebuilds(number: int) -> None:
    both = Both(LAYOUTS[number], SEED + number)
    for _ in range(6):
        both.write()
    both.check()
    failed = []
    while (rest := both.expendable()) and len(failed) < 2:
        failed.append(int(both.random.choice(rest)))
        both.fail(failed[-1])
        for _ in range(3):
            both.write()
        both.check()
    for drive in failed:
        both.store.replace(drive)
        both.rebuild(drive, 3)
        both.write()
        both.rebuild(drive)
        both.check()
    assert both.store.inconsistent() == []
    both.close()


def test_a_drive_that_was_only_away_is_back_with_what_it_held() -> None:
    """A RAID 0 whose drive is repaired, and an array whose link was lost as a whole."""
    for level, drives in (("0", 2), ("5", 4)):
        both = Both(array(level, drives, {}), SEED)
        for _ in range(8):
            both.write()
        before = list(both.members.good)
        now_good(both.members, [0] * drives)
        with pytest.raises(DataLost):
            both.members.read(0, both.store.size)
        now_good(both.members, before)
        both.check()
        both.close()


def test_a_torn_write_leaves_the_old_parity_and_the_write_hole_with_it() -> None:
    """After the loss of another drive, bytes that nobody wrote to are wrong; a resync helps."""
    both = Both(array("5", 4, {}), SEED)
    members, strip = both.members, both.members.strip
    members.write(0, bytes(range(1, 3 * strip + 1)))
    ((_, part, spot),) = members.by_stripe(0, b"\xff" * strip)
    members.write(0, part, torn=True)
    assert members.read(0, 3 * strip) == part + bytes(range(strip + 1, 3 * strip + 1))
    assert inconsistent(members, [spot]) != []
    good = list(members.good)
    other = next(drive for drive in range(4) if members.drives[drive].read(0, 1)[0] == strip + 1)
    members.good[other] = 0
    assert members.read(strip, strip) != bytes(range(strip + 1, 2 * strip + 1))
    members.good = good
    make_consistent(members, [spot])
    assert inconsistent(members, [spot]) == []
    members.good[other] = 0
    assert members.read(strip, strip) == bytes(range(strip + 1, 2 * strip + 1))
    both.close()


def test_what_was_never_written_takes_no_room() -> None:
    size = 2**40
    drive = Sparse.nameless(size)
    assert list(drive.extents(0, size)) == []
    drive.write(size - 4096, b"x" * 4096)
    ((begin, end),) = drive.extents(0, size)
    assert begin <= size - 4096 < end == size
    drive.clear(0, size)
    assert drive.read(size - 4096, 4096) == bytes(4096)
    drive.close()


def test_extents_say_where_something_may_be() -> None:
    written = Written(2**20)
    assert written.extents(0, 2**20, 10) == [(2**20, False)]
    written.mark(2**17 + 5, 1)
    assert written.extents(0, 2**20, 10) == [
        (2**17, False),
        (2**16, True),
        (2**20 - 2**17 - 2**16, False),
    ]
    assert written.extents(2**17 + 100, 50, 10) == [(50, True)]
    assert written.extents(0, 2**20, 1) == [(2**17, False)]


def test_a_cut_takes_back_what_was_not_safe_and_nothing_else() -> None:
    """Three writes of a place, then a cut: it is as when it was last known to be safe."""
    volume = bytearray(b"0" * 30)
    promised = Promised()

    def write(address: int, data: bytes) -> None:
        promised.note(address, bytes(volume[address : address + len(data)]))
        volume[address : address + len(data)] = data

    def restore(address: int, data: bytes) -> None:
        volume[address : address + len(data)] = data

    write(0, b"aaaa")
    promised.settle([], 0)
    assert promised.size == 0  # nothing of it can be lost
    write(0, b"bbbb")
    write(2, b"cccc")
    write(20, b"dd")
    promised.take_back([(1, 4)], 0, restore)
    assert bytes(volume[:8]) == b"baaa0c00"  # bytes 1 to 4 are as they were, byte 5 is not
    write(10, b"ee")
    write(12, b"ff")
    promised.take_back([], 2, restore)
    assert bytes(volume[10:14]) == b"ee00"  # the latest two bytes, wherever they are


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "in one pass"])
@pytest.mark.parametrize(
    "name", ["d-raid5-ls-4-fail3", "d-raid6-nc-5-fail0,4", "d-raid10-f2-3-fail1"]
)
def test_files_hold_what_real_linux_md_left_on_its_members(name: str, together: bool) -> None:
    """Writes without some members, and their rebuild: SHA-256 of each member, see data/md."""
    one = facts()["degraded"][name]
    _, level, way, members, gone = name.split("-")
    word = {"ls": "left-symmetric", "nc": "n-continue"}.get(way, way)
    layout = layout_of(level, int(members), 64 << 10, word, one["member_bytes"])
    drives = [Sparse.nameless(one["member_bytes"]) for _ in range(int(members))]
    array = Members(layout, drives)
    content = pattern(one["array_bytes"])
    array.write(0, content.tobytes())
    failed = [int(number) for number in gone.removeprefix("fail").split(",")]
    good = list(array.good)
    now_good(array, [0 if n in failed else good[n] for n in range(int(members))])
    begin, end = 1001 * 512, (1001 + 2048) * 512
    content[begin:end] ^= 0xA5
    array.write(begin, content[begin:end].tobytes())

    def digest(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    assert digest(array.read(0, one["array_bytes"])) == one["read_degraded_sha256"]
    if together:  # as a pass comes to places further on
        for share in (0.3, 0.8):
            row = int(share * int(layout["rows"])) * array.strip
            now_good(array, [row if i in failed else n for i, n in enumerate(array.good)])
        now_good(array, good)
    for number in failed:
        now_good(array, [n if i != number else good[i] for i, n in enumerate(array.good)])
    found = [digest(drive.read(0, one["member_bytes"])) for drive in drives]
    assert found == one["rebuilt_sha256"]
    array.close()


# ---- the host's disk is full


class Filling(Sparse):
    """A drive on a host with room for so many more bytes, which all of its drives share."""

    room: ClassVar[list[int]] = [0]

    def write(self, offset: int, data: bytes | memoryview) -> None:
        """Write as far as there is room; what is there already takes none."""
        fresh = [n for n in range(len(data)) if offset + n not in self.taken]
        fits = len(data) if len(fresh) <= self.room[0] else fresh[self.room[0]]
        self.room[0] -= min(len(fresh), self.room[0])
        self.taken.update(range(offset, offset + fits))
        super().write(offset, bytes(data)[:fits])
        if fits < len(data):
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("layout", [one for one in LAYOUTS if one["drives"] == 6], ids=str)
def test_a_write_for_which_the_host_has_no_room_leaves_old_bytes_or_new_and_true_parity(layout):
    """Then any drives that may fail do no harm: what they held is computed from the others."""
    both = Both(layout, SEED)
    for drive in both.members.drives:
        drive.__class__, drive.taken = Filling, set()
    Filling.room = [both.store.size // 3]
    flat, refused = bytearray(both.store.size), 0
    new = {}
    for number in range(60):
        address = int(both.random.integers(both.store.size))
        content = bytes([1 + number]) * min(40, both.store.size - address)
        try:
            both.members.write(address, content)
        except OSError:
            refused += 1
            for at, byte in enumerate(content, address):
                new.setdefault(at, set()).update({flat[at], byte})
            continue
        flat[address : address + len(content)] = content
        for at in range(address, address + len(content)):
            new.pop(at, None)
    assert refused > 3
    found = both.members.read(0, both.store.size)
    for at, byte in enumerate(found):
        assert byte in new.get(at, {flat[at]})
    n = both.members.layout["span_drives"]
    rows = range(both.members.layout["rows"])
    spots = [(span, row) for row in rows for span in range(int(layout["drives"]) // n)]
    if both.members.layout["parity"] or both.members.layout["copies"] > 1:
        assert inconsistent(both.members, spots) == []


def test_a_drive_that_the_host_cannot_fill_is_not_good(monkeypatch):
    both = Both(array("5", 4, {}), SEED)
    for _ in range(50):
        both.write()
    both.fail(2)
    both.store.replace(2)
    both.store.rebuild(2)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(both.members.drives[2], "write", full)
    assert now_good(both.members, both.store.good.tolist()) == [2]
    assert both.members.good[2] == 0
    assert both.members.read(0, both.store.size) == both.flat
