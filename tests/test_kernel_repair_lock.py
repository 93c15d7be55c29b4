"""A bad sector is restored while its stripe is written: byte by byte, what was written stays.

The kernel runs instant by instant, and bytes go where its commands take them: a task knows of the
stripe what its own reads brought, no more, and from that :mod:`raidsim.store` computes what it
writes. A repair that read old strips and writes after somebody else has would put old data back.
"""

from __future__ import annotations

import numpy as np
import pytest
from answers import answers
from power_bytes import Drives
from small_array import MS, STRIP, TOY, SmallArray, takes

from raidsim.intervene import operation
from raidsim.kernel import tables as t
from raidsim.kernel.array_tables import ERRAND_PART, ERRAND_REPAIR
from raidsim.layout.address import held
from raidsim.layout.arrange import WORDS, arrange
from raidsim.layout.tables import DATA, READ, WRITE
from raidsim.store.array import Store

SEED = 66
ROWS = 3
ROW = 1  # of the bad sector
RECOVERY = 5 * MS
SECTOR = 512
COMMAND = takes(STRIP)  # one strip, read or written: all of a drive's time


class Followed:
    """An array with a bad sector, and the bytes that its commands read and write."""

    def __init__(self, level, drives, bad=(0,), **words):
        slow = TOY | {"recovery.time": f"{RECOVERY // MS} ms"}
        self.array = SmallArray(level, drives, drive=slow, **words)
        self.system = self.array.system
        self.layout = arrange(WORDS[level], drives, STRIP, ROWS * STRIP)
        self.random = np.random.default_rng(SEED)
        self.store = Store(self.layout)
        self.host = self.random.integers(0, 256, self.store.size).astype(np.uint8)
        self.store.write(0, self.host)
        for drive in bad:
            operation.add_defects(self.system, drive, [ROW * STRIP + SECTOR], SECTOR)
        self.known = {}  # of a task: the bytes of drives that it has read
        self.contents = {}  # of a write of the host: what it writes
        self.planned = {}
        self.answered = set()
        self.repairs = 0

    def write(self, offset, length):
        content = self.random.integers(0, 256, length).astype(np.uint8)
        self.contents[offset // self.width] = (offset, content)
        self.host[offset : offset + length] = content
        return self.array.start(WRITE, offset, length)

    @property
    def width(self):
        return int(self.layout["data"]) * STRIP

    def until(self, time):
        """Run up to a time, instant by instant, and follow the bytes."""
        while self.system.state["events"] and self.system.next_time <= time:
            self.array.until(self.system.next_time)
            self._follow()
        if time < t.NEVER:
            self.array.until(time)

    def _follow(self):
        for job, above, task in answers(self.system, self.answered):
            if above["errand"] not in (ERRAND_PART, ERRAND_REPAIR):
                continue
            place = slice(int(job["offset"]), int(job["offset"] + job["length"]))
            drive = int(job["member"])
            if job["op"] == READ:
                seen = self.known.setdefault(task, Drives(self.layout))
                seen.drives[drive][place] = self.store.drives[drive][place]
            else:
                self.store.drives[drive][place] = self._written(task, above, drive, place)

    def _written(self, task, above, drive, place):
        """What a task writes to a drive, from what it has read itself."""
        seen = self.known.get(task, Drives(self.layout))
        if above["errand"] == ERRAND_REPAIR:
            self.repairs += 1
            if above["other"] != t.NONE:
                seen.good[int(above["other"])] = 0
            return seen._restored(drive, place.start // STRIP)
        if task not in self.planned:
            self.planned[task] = seen.planned(*self.contents[int(above["offset"]) // self.width])
        for member, first, content in self.planned[task]:
            if member == drive and first == place.start and len(content) == place.stop - first:
                return content
        raise AssertionError("a command that no plan has")

    def assert_right(self):
        """All that was written is there, and parity agrees with it."""
        assert np.array_equal(self.store.read(0, self.store.size), self.host)
        assert not self.store.inconsistent()


def strip_of_data(layout):
    """Address of a strip of data on drive 0 in the row of the bad sector."""
    role, _, address = held(layout, 0, ROW)
    assert role == DATA
    return address


@pytest.mark.parametrize("level", ["raid5", "raid6"])
@pytest.mark.parametrize("strips", ["the stripe", "the strip", "another strip"])
@pytest.mark.parametrize("while_it", ["tries", "reads", "computes", "writes", "is done"])
def test_what_is_written_while_a_bad_sector_is_restored_is_there_afterwards(
    level, strips, while_it
):
    data = Followed(level, 5)
    bad = strip_of_data(data.layout)
    read = data.array.start(READ, bad, STRIP)
    tried = RECOVERY + COMMAND
    when = {
        "tries": tried // 2,
        "reads": tried + COMMAND // 2,
        "computes": tried + COMMAND - 1,
        "writes": tried + COMMAND + COMMAND // 2,
        "is done": tried + 2 * COMMAND + COMMAND // 2,
    }
    data.until(when[while_it])
    start = bad - bad % data.width
    if strips == "the stripe":
        data.write(start, data.width)
    elif strips == "the strip":
        data.write(bad, STRIP)
    else:
        data.write(start if start != bad else start + STRIP, STRIP)
    data.until(t.NEVER)
    assert data.repairs >= 1
    assert data.array.back[read].status == t.DONE
    data.assert_right()
    data.array.assert_at_rest()


def test_a_write_that_meets_the_bad_sector_itself_goes_on_under_its_own_lock():
    data = Followed("raid5", 5)
    bad = strip_of_data(data.layout)
    ticket = data.write(bad, 4096)  # reads what it replaces, and the parity
    data.until(t.NEVER)
    assert data.repairs == 1
    assert data.array.back[ticket].status == t.DONE
    data.assert_right()
    data.array.assert_at_rest()


def test_two_bad_sectors_of_one_stripe_are_restored_under_one_lock():
    data = Followed("raid6", 5, bad=(0, 1))
    bad = strip_of_data(data.layout)
    read = data.array.start(READ, bad, STRIP)
    data.until(2 * RECOVERY + 2 * COMMAND + COMMAND // 2)
    data.write(bad - bad % data.width, data.width)
    data.until(t.NEVER)
    assert data.array.back[read].status == t.DONE
    data.assert_right()
    data.array.assert_at_rest()


def test_a_write_to_another_stripe_does_not_wait_for_a_repair():
    data = Followed("raid5", 5)
    bad = strip_of_data(data.layout)
    data.array.start(READ, bad, STRIP)
    begin = RECOVERY + COMMAND + COMMAND // 2  # the repair reads
    data.until(begin)
    other = bad - bad % data.width + data.width
    ticket = data.write(other, data.width)
    data.until(t.NEVER)
    # Its commands stand behind what is left of one read of the repair, and behind nothing else.
    assert data.array.back[ticket].latency < 2 * COMMAND
    data.assert_right()
