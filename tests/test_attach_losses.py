"""What clients read after a fault has cost data, and after an initialisation: what drives hold."""

from __future__ import annotations

import random

import pytest
from attached_disks import disks

from raidsim.attach import protocol as nbd
from raidsim.attach.attached import AttachedSystem
from raidsim.attach.consistency import inconsistent
from raidsim.attach.initialising import clear_rows
from raidsim.attach.members import Members
from raidsim.attach.promised import Promised
from raidsim.intervene import promises
from raidsim.scenario import Scenario

KIB = 2**10
SIZE = 4 * KIB
SEED = 5

CONTROLLERS = """
schema = 1
title = "two controllers"
[host]
model = "fujitsu-rx300-s4"
[[controller]]
name = "a"
model = "lsi-megaraid-1078-512"
battery = "{battery}"
[[controller]]
name = "b"
model = "lsi-megaraid-1078-512"
battery = "{battery}"
[[link]]
name = "cable"
speed = "sas-3g"
lanes = 4
to = "a"
[[volume]]
name = "data"
level = "{level}"
drives = {drives}
drive = "seagate-st373455ss"
strip = "64 KiB"
disk_cache = "{cache}"
write = "{write}"
controller = "a"
behind = "cable"
[volume.set]
"capacity.user" = "200 MB"
[[load]]
read = "50 %"
size = "8 KiB"
outstanding = 4
"""

FLASH = """
schema = 1
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "samsung-970-evo-plus-500gb"
[volume.set]
"capacity.user" = "2 GB"
[[load]]
read = "50 %"
size = "8 KiB"
outstanding = 4
"""


class Bench:
    """An attached system whose time goes on only while somebody waits for an answer."""

    def __init__(self, text):
        self.scenario = Scenario.from_text(text)
        self.attached = AttachedSystem(self.scenario, 1.0)
        self.env = self.attached.env
        self.device = self.attached.devices["data"]
        self.content = self.device.content

    def ask(self, *requests):
        """Answers to requests that are under way side by side: command, offset, length, bytes."""
        answers = {}
        for number, (command, offset, length, payload) in enumerate(requests):
            one = nbd.Request(0, command, number, offset, length)
            self.device.ask(one, payload, lambda got, number=number: answers.update({number: got}))
        while len(answers) < len(requests):
            self.wait(None)
        return [answers[number] for number in range(len(requests))]

    def wait(self, seconds):
        """Let so much simulated time pass, or the next thing happen."""
        end = self.env.next_time if seconds is None else self.env.now + seconds
        self.env.advance(end)
        self.device.stored.look()

    def write(self, places, letter):
        found = self.ask(*((nbd.WRITE, place, SIZE, letter * SIZE) for place in places))
        assert [one.error for one in found] == [0] * len(places)

    def read(self, place, length=SIZE):
        (found,) = self.ask((nbd.READ, place, length, b""))
        assert found.error == 0, found.message
        return found.data

    def flush(self):
        assert self.ask((nbd.FLUSH, 0, 0, b""))[0].error == 0

    def happens(self, kind, **keys):
        wish = {"kind": kind, **keys}
        self.attached.course.let_happen(self.scenario.one_event(wish))
        self.device.stored.look()

    def counts(self, places):
        """Places of which all is old, and of which all is new."""
        found = [self.read(place) for place in places]
        return found.count(b"A" * SIZE), found.count(b"B" * SIZE)

    @property
    def lost(self):
        return sum(one.bytes for one in self.attached.course.losses)

    @property
    def dirty(self):
        volume = self.device.volume
        return sum(end - at for at, end in promises.dirty_ranges(volume.system, volume.row))

    def close(self):
        self.attached.close()


def controllers(battery="good", write="back", level="raid5", drives=5, cache="off"):
    return CONTROLLERS.format(battery=battery, write=write, level=level, drives=drives, cache=cache)


def places(count=60):
    return [64 * KIB * one for one in random.Random(SEED).sample(range(6000), count)]


def agrees(bench, where):
    """Whether parity and copies of the stripes of these places agree with the data."""
    content = bench.content
    spots = {spot for one in where for _, _, spot in content.by_stripe(one, bytes(SIZE))}
    return not inconsistent(content, spots)


OVER = {"kind": "controller-failure", "controller": "a", "partner": "b", "outage": "1 s"}
ALONE = {"kind": "controller-failure", "controller": "a", "outage": "1 s"}


@pytest.mark.parametrize("level", [("raid5", 5), ("raid10", 4)])
@pytest.mark.parametrize(
    ("battery", "write", "event", "kept"),
    [
        ("good", "back", OVER | {"mirrored": False}, False),
        ("good", "back", OVER, True),
        ("good", "back", ALONE, True),
        ("absent", "back-bad-battery", ALONE, False),
        ("absent", "back-bad-battery", OVER, True),
    ],
)
def test_what_a_controller_loses_with_its_memory_is_as_it_was(level, battery, write, event, kept):
    bench = Bench(controllers(battery, write, *level))
    where = places()
    bench.write(where, b"A")
    bench.flush()
    bench.wait(15)
    bench.write(where, b"B")
    bench.happens(**event)
    bench.wait(3)
    assert bench.lost == (0 if kept else len(where) * SIZE)
    assert bench.counts(where) == ((0, len(where)) if kept else (len(where), 0))
    assert agrees(bench, where)
    bench.happens("drive-failure", drive=1)
    assert bench.counts(where) == ((0, len(where)) if kept else (len(where), 0))
    bench.close()


@pytest.mark.parametrize("back", [True, False])
def test_what_is_discarded_after_a_link_was_lost_is_as_it_was(back):
    """Whether the link is back before, or the drives get their old contents when it is."""
    bench = Bench(controllers())
    where = places()
    bench.write(where, b"A")
    bench.wait(15)
    bench.write(where, b"B")
    bench.happens("link-loss", link="cable", **{"for": "3 s"})
    bench.wait(5 if back else 1)
    bench.happens("discard-cache", controller="a")
    bench.wait(5)
    assert bench.lost == len(where) * SIZE
    assert bench.counts(where) == (len(where), 0)
    assert agrees(bench, where)
    bench.close()


def test_what_is_imported_after_a_link_was_lost_is_there():
    bench = Bench(controllers())
    where = places()
    bench.write(where, b"A")
    bench.wait(15)
    bench.write(where, b"B")
    bench.happens("link-loss", link="cable", **{"for": "3 s"})
    bench.wait(5)
    bench.happens("import-cache", controller="a")
    bench.wait(15)
    assert bench.counts(where) == (0, len(where))
    bench.happens(**OVER, mirrored=False)
    assert bench.lost == 0
    bench.wait(3)
    assert bench.counts(where) == (0, len(where))
    bench.close()


def test_only_what_the_drives_do_not_have_is_lost_and_it_is_known_after_many_writes():
    """Some of it is on the drives already, some was written twice, and some over and over."""
    bench = Bench(controllers())
    where = places(400)
    bench.write(where, b"A")
    bench.wait(40)
    for _ in range(3):
        bench.write(where[:300], b"x")
    bench.write(where[:300], b"B")
    while bench.dirty > 150 * SIZE:
        bench.wait(0.1)
    bench.happens(**OVER, mirrored=False)
    bench.wait(3)
    old, new = bench.counts(where)
    lost = bench.lost // SIZE
    assert 0 < lost < 300
    assert 100 + lost == pytest.approx(old, abs=8)  # of a task under way nobody knows
    assert old + new + sum(bench.read(one) == b"x" * SIZE for one in where) == 400
    bench.close()


def test_a_battery_that_goes_bad_after_the_writes_keeps_nothing_in_a_power_cut():
    bench = Bench(controllers(write="back-bad-battery"))
    where = places(40)
    bench.write(where, b"A")
    bench.wait(15)
    bench.write(where, b"B")
    bench.flush()  # from which on it was forgotten what was there before
    bench.happens("battery", controller="a", state="absent")
    bench.happens("power-cut", outage="1 s", boot="1 s")
    bench.wait(40)
    lost = bench.lost // SIZE
    assert 0 < lost <= 40
    assert bench.counts(where) == (lost, 40 - lost)
    bench.close()


def test_a_power_cut_takes_no_forced_write_back_that_was_answered():
    """The one under way is in the buffer, too: for it the one before was taken back."""
    bench = Bench(FLASH)
    bench.write([0, 100 * SIZE], b"A")
    bench.flush()
    answers = []
    for place in (0, 100 * SIZE):
        one = nbd.Request(nbd.FUA, nbd.WRITE, place, place, SIZE)
        bench.device.ask(one, b"B" * SIZE, answers.append)
        while not (answers or place):
            bench.wait(None)
    bench.wait(100e-6)
    assert [one.error for one in answers] == [0]
    bench.happens("power-cut", outage="1 s", boot="1 s")
    bench.wait(10)
    assert bench.lost == 0
    assert bench.read(0) == b"B" * SIZE
    bench.close()


def test_a_power_cut_takes_the_write_back_that_was_not_forced():
    """Of a buffer's bytes nobody knows where they are: the latest write was forced to another."""
    bench = Bench(FLASH.replace("[[volume]]", '[[volume]]\nlevel = "raid0"\ndrives = 2'))
    bench.write([0, 64 * KIB], b"A")
    bench.flush()
    bench.write([0, 64 * KIB], b"B")
    answers = []
    one = nbd.Request(nbd.FUA, nbd.WRITE, 0, 64 * KIB, SIZE)
    bench.device.ask(one, b"C" * SIZE, answers.append)
    while not answers:
        bench.wait(None)
    bench.happens("power-cut", outage="1 s", boot="1 s")
    bench.wait(10)
    assert bench.lost == SIZE
    assert (bench.read(0), bench.read(64 * KIB)) == (b"A" * SIZE, b"C" * SIZE)
    bench.close()


def test_forgotten_bytes_of_a_promise_are_safe_and_those_beside_them_are_not():
    promised = Promised()
    promised.note(0, b"a" * 2048)
    promised.note(1024, b"b" * 2048)
    promised.forget(1024, 512)
    back = []
    promised.take_back([], 4096, lambda *both: back.append(both))
    assert back == [(1536, b"b" * 1536), (1536, b"a" * 512), (0, b"a" * 1024)]
    promised.forget(0, 4096)
    assert len(promised) == promised.size == 0


def test_what_a_battery_has_kept_through_a_cut_may_be_lost_with_the_controller():
    bench = Bench(controllers())
    where = places(40)
    bench.write(where, b"A")
    bench.wait(15)
    bench.write(where, b"B")
    bench.happens("power-cut", outage="1 s", boot="1 s")
    bench.wait(0.5)
    assert bench.lost == 0
    bench.happens(**OVER, mirrored=False)
    bench.wait(40)
    assert bench.lost == 40 * SIZE
    assert bench.counts(where) == (40, 0)
    bench.close()


def test_of_what_the_disks_hold_in_their_buffers_a_controller_loses_nothing():
    """A controller's memory goes, and then the power: each costs what it held."""
    bench = Bench(controllers(cache="on"))
    where = places(40)
    bench.write(where, b"A")
    bench.wait(30)
    bench.write(where, b"B")
    bench.happens(**OVER, mirrored=False)
    bench.wait(3)
    lost = bench.lost // SIZE
    old, new = bench.counts(where)
    assert (old, new) == (lost, 40 - lost)
    bench.close()


# ---- what is noted of promises


def test_of_a_long_write_only_the_part_that_is_not_safe_stays_to_be_lost():
    noted, found = Promised(), []
    noted.note(0, b"1" * 8192)
    noted.settle([(4096, 4096)])
    assert len(noted) == 1
    assert noted.size == 4096
    noted.take_back([(0, 8192)], 0, lambda *one: found.append(one))
    assert found == [(4096, b"1" * 4096)]
    assert len(noted) == 0


def test_what_a_fault_does_not_cost_can_be_lost_to_the_next_one():
    noted, found = Promised(), []
    for number, letter in enumerate((b"1", b"2", b"3")):
        noted.note(number * 2048, letter * 4096)
    noted.take_back([(1024, 2048)], 0, lambda *one: found.append(one))
    assert found == [(2048, b"2" * 1024), (1024, b"1" * 2048)]
    found.clear()
    noted.take_back([(0, 2**20)], 0, lambda *one: found.append(one))
    assert found == [
        (4096, b"3" * 4096),
        (3072, b"2" * 3072),
        (0, b"1" * 1024),
        (3072, b"1" * 1024),
    ]


def test_bytes_without_a_place_are_the_latest_that_have_left_the_controller():
    noted, found = Promised(), []
    for number in range(4):
        noted.note(number * 4096, bytes([number]) * 4096)
    noted.take_back([], 4096, lambda *one: found.append(one), kept=[(3 * 4096, 4096)])
    assert found == [(2 * 4096, b"\2" * 4096)]
    assert len(noted) == 3


# ---- initialisations


@pytest.mark.parametrize("level", [("raid5", 4), ("raid6", 5), ("raid10", 4), ("raid0", 3)])
@pytest.mark.parametrize("method", ["full", "fast"])
def test_an_initialisation_leaves_zeros_where_it_has_written(level, method):
    bench = Bench(controllers(level=level[0], drives=level[1]))
    content = bench.content
    assert isinstance(content, Members)
    size = bench.device.volume.capacity
    where = [0, size // 2 // SIZE * SIZE, size - SIZE]
    bench.write(where, b"A")
    bench.flush()
    bench.wait(15)
    bench.happens("initialisation", method=method)
    (operation,) = bench.device.volume.operations
    while not operation.is_over:
        bench.wait(None)
    assert operation.state == "done"
    zero = bytes(SIZE)
    middle = zero if method == "full" else b"A" * SIZE
    assert [bench.read(place) for place in where] == [zero, middle, zero]
    bench.write(where, b"B")
    assert [bench.read(place) for place in where] == [b"B" * SIZE] * 3
    if level[0] != "raid0":
        assert agrees(bench, where)
    bench.close()


def test_rows_are_zero_as_an_initialisation_comes_to_them_and_writes_behind_it_stay():
    bench = Bench(controllers())
    size = bench.device.volume.capacity
    first, last = 0, size - SIZE
    bench.write([first, last], b"A")
    bench.wait(15)
    bench.happens("initialisation", method="full")
    (operation,) = bench.device.volume.operations
    while operation.progress < 0.3:
        bench.wait(0.05)
    assert bench.read(first) == bytes(SIZE)
    assert bench.read(last) == b"A" * SIZE
    bench.write([first, last], b"B")
    operation.stop()
    while not operation.is_over:
        bench.wait(None)
    assert bench.counts([first, last]) == (0, 2)
    bench.happens(**OVER, mirrored=False)  # what was lost of the first was zero before
    bench.wait(3)
    assert bench.read(first) == bytes(SIZE)
    assert bench.read(last) == b"A" * SIZE
    assert agrees(bench, [first, last])
    bench.close()


def test_copies_in_other_rows_are_zero_too():
    text = disks("raid10", 4).replace('level = "raid10"', 'level = "raid10"\nspread = "far"')
    bench = Bench(text)
    content = bench.content
    content.write(0, b"A" * 2**20)
    clear_rows(content, 0, 2)
    after = content.read(0, 2**20)
    assert after != b"A" * 2**20
    content.good[0] = 0
    assert content.read(0, 2**20) == after
    bench.close()
