"""Copies in the background while hosts write: byte by byte, no copy holds what a write replaced.

The kernel runs instant by instant, and bytes go where its commands take them. A task in the
background knows only what its own reads brought, and writes that; a write of a host brings its
own content. So whatever order commands come in, each drive holds what was written to it last. At
the end every copy of a place has to be the same, and to be what the host has written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from answers import answers
from conftest import compiled_only
from small_array import MS, STRIP, TOY, SmallArray, takes

from raidsim.intervene import operation
from raidsim.kernel import operation_tables as s
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import (
    ERRAND_HOST,
    ERRAND_OPERATION,
    ERRAND_PART,
    ERRAND_REPAIR,
)
from raidsim.layout.address import held, place
from raidsim.layout.tables import MIRRORED, READ, UNUSED, WRITE

SEED = 73
ROWS = 12
CHUNK = 4  # rows that a worker takes at a time
RECOVERY = 5 * MS
SECTOR = 512
COMMAND = takes(STRIP)
SLOW = TOY | {"recovery.time": f"{RECOVERY // MS} ms"}
PACE = operation.Pace(rate=1.0, size=CHUNK * STRIP, depth=2, puncture=s.PUNCTURE)
COPIES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "RAID 1": ("raid1", 2, {}),
    "RAID 1 of three": ("raid1", 3, {}),
    "RAID 10": ("raid10", 4, {}),
    "RAID 1E": ("raid1e", 3, {}),
    "RAID 1E, copies offset": ("raid1e", 4, {"spread": "offset"}),
}


class Copied:
    """An array whose bytes are followed, drive by drive: a number for each sector."""

    def __init__(self, level: str, drives: int, seed: int = SEED, **words: Any) -> None:
        self.array = SmallArray(level, drives, drive=SLOW, spares=1, **words)
        self.system = self.array.system
        self.layout = self.system.world.layouts[0]
        self.random = np.random.default_rng(seed)
        self.reach = self._reach()
        sectors = ROWS * STRIP // SECTOR
        self.drives = np.zeros((len(self.system.world.drives), sectors), np.int64)
        self.written = np.zeros(self.reach // SECTOR, np.int64)
        self.asked = np.zeros((drives, sectors), np.int64)  # what hosts wrote last, by member
        self.version = 0
        self.tickets: list[int] = []
        self.contents: dict[int, tuple[int, int, int]] = {}  # by serial: where from, to, what
        self.known: dict[tuple[int, int], dict[tuple[int, int], np.ndarray]] = {}
        self.answered: set[tuple[int, int]] = set()
        self.copies = 0  # writes of tasks in the background

    def _reach(self) -> int:
        """Bytes of the volume of which all copies lie in the rows that are followed."""
        address = 0
        while all(
            place(self.layout, address, copy)[1] < ROWS * STRIP
            for copy in range(int(self.layout["copies"]))
        ):
            address += STRIP
        return address

    def begin(self, kind: int, member: int = 0, copy: int = t.NONE) -> None:
        operation.add_operation(self.system, 0, kind, PACE, (0, ROWS), member=member, copy=copy)

    def write(self, offset: int, length: int) -> None:
        """Write a new content to a place where no other write is under way."""
        self.version += 1
        sectors = slice(offset // SECTOR, (offset + length) // SECTOR)
        self.written[sectors] = self.version
        self.contents[self.version] = (offset, offset + length, self.version)
        self.tickets.append(self.array.start(WRITE, offset, length))

    def until(self, time: int) -> None:
        """Run up to a time, instant by instant, and follow the bytes."""
        while self.system.state["events"] and self.system.next_time <= time:
            self.array.until(self.system.next_time)
            self._follow()
        if time < t.NEVER:
            self.array.until(time)

    def _follow(self) -> None:
        for job, above, task in answers(self.system, self.answered):
            drive = self.drives[int(job["drive"])]
            first, count = int(job["offset"]) // SECTOR, int(job["length"]) // SECTOR
            sectors = slice(first, first + count)
            if above["errand"] in (ERRAND_HOST, ERRAND_PART):
                if job["op"] == WRITE:
                    drive[sectors] = self._asked(above)
                    self.asked[self._member(job)][sectors] = drive[sectors]
            elif above["errand"] in (ERRAND_OPERATION, ERRAND_REPAIR):
                self._move(job, drive, self.known.setdefault(task, {}))

    def _member(self, job: Any) -> int:
        return int(job["member"]) - int(self.array.array["first_member"])

    def _asked(self, above: Any) -> int:
        """The content of the write of a host that a command is of."""
        begin, end = int(above["offset"]), int(above["offset"] + above["length"])
        (found,) = {v for first, last, v in self.contents.values() if first <= begin < end <= last}
        return found

    def _move(self, job: Any, drive: np.ndarray, known: dict[Any, np.ndarray]) -> None:
        """A task in the background has read strips, or writes what it has read of their data."""
        member = self._member(job)
        strip = STRIP // SECTOR
        for row in range(int(job["offset"]) // STRIP, int(job["offset"] + job["length"]) // STRIP):
            role, _, address = held(self.layout, member, row)
            sectors = slice(row * strip, (row + 1) * strip)
            what = (0, address) if self.layout["family"] == MIRRORED else (1 + member, row)
            if job["op"] == READ:
                known[what] = drive[sectors].copy()
            elif role != UNUSED:
                drive[sectors] = known[what]
                self.copies += 1

    def assert_right(self) -> None:
        """All copies of all bytes are what was written last."""
        for ticket in self.tickets:
            assert self.array.back[ticket].status == t.DONE
        for copy in range(int(self.layout["copies"])):
            for address in range(0, self.reach, SECTOR):
                member, offset = place(self.layout, address, copy)
                row = int(self.array.members[member]["drive"])
                found = self.drives[row][offset // SECTOR]
                assert found == self.written[address // SECTOR], (copy, address)
        self.array.assert_at_rest()


def write_on(data: Copied, until: int, between: int) -> None:
    """Write here and there, once at each place, until a time and beyond all work."""
    places = data.random.permutation(data.reach // 4096)
    for number, place_of in enumerate(places.tolist()):
        time = number * between
        if time > until:
            break
        data.until(time)
        data.write(place_of * 4096, 4096)
    data.until(t.NEVER)


@compiled_only
@pytest.mark.parametrize("case", COPIES)
@pytest.mark.parametrize("seed", range(2))
def test_a_copy_that_is_rebuilt_misses_no_write_of_the_host(case: str, seed: int) -> None:
    level, drives, words = COPIES[case]
    data = Copied(level, drives, seed, **words)
    data.array.good[1] = 0
    data.drives[1] = -1
    data.begin(s.REBUILD, member=1)
    write_on(data, 40 * COMMAND, COMMAND // 3)
    assert data.copies >= ROWS - 1
    data.assert_right()


@compiled_only
@pytest.mark.parametrize("drives", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_a_resync_of_copies_puts_nothing_old_over_what_is_written_meanwhile(
    drives: int, seed: int
) -> None:
    data = Copied("raid1", drives, seed)
    data.drives[1:drives] = -1  # of a power cut
    data.begin(s.RESYNC)
    write_on(data, 40 * COMMAND, COMMAND // 3)
    assert data.copies == (drives - 1) * ROWS
    data.assert_right()


@compiled_only
@pytest.mark.parametrize("case", [*COPIES, "RAID 5", "RAID 6"])
@pytest.mark.parametrize("seed", range(2))
def test_what_is_written_while_a_drive_is_copied_back_is_on_both(case: str, seed: int) -> None:
    parity = {"RAID 5": ("raid5", 3, {}), "RAID 6": ("raid6", 4, {})}
    level, drives, words = (COPIES | parity)[case]
    data = Copied(level, drives, seed, **words)
    spare = data.system.spares[0][0]
    data.drives[spare] = -1
    data.begin(s.COPY, member=1, copy=spare)
    write_on(data, 40 * COMMAND, COMMAND // 3)
    assert data.array.members[1]["drive"] == spare
    assert data.copies == ROWS
    assert np.array_equal(data.drives[spare], data.asked[1])
    data.assert_right()


@pytest.mark.parametrize("case", COPIES)
@pytest.mark.parametrize("while_it", ["tries", "reads", "turns", "writes"])
@pytest.mark.parametrize("copy_of", ["a part of it", "more than it"])
def test_what_is_written_while_a_copy_is_restored_is_there_afterwards(
    case: str, while_it: str, copy_of: str
) -> None:
    level, drives, words = COPIES[case]
    data = Copied(level, drives, mirror_reads="lowest-address", **words)
    address = 0
    bad = place(data.layout, address, 0)
    operation.add_defects(data.system, bad[0], [bad[1] + SECTOR], SECTOR)
    read = data.array.start(READ, address, STRIP)
    tried = RECOVERY + COMMAND
    when = {
        "tries": tried // 2,
        "reads": tried + COMMAND // 2,
        "turns": tried + COMMAND - 1,
        "writes": tried + COMMAND + COMMAND // 2,
    }
    data.until(when[while_it])
    length = {"a part of it": 4096, "more than it": 2 * STRIP}
    data.write(address, length[copy_of])
    data.until(t.NEVER)
    assert data.copies == 1
    assert data.array.back[read].status == t.DONE
    data.assert_right()


def test_a_write_elsewhere_does_not_wait_for_a_copy_that_is_restored() -> None:
    data = Copied("raid1", 2, mirror_reads="lowest-address")
    operation.add_defects(data.system, 0, [SECTOR], SECTOR)
    data.array.start(READ, 0, STRIP)
    data.until(RECOVERY + COMMAND + COMMAND // 2)
    data.write(STRIP, STRIP)
    data.until(t.NEVER)
    # Its commands stand behind what is left of one read, and the write that follows it.
    assert data.array.back[data.tickets[0]].latency < 3 * COMMAND
    data.assert_right()
