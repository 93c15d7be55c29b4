"""The stripe cache of software RAID: what writes that follow one another read and write.

Counts are reckoned by hand from what Linux md does: a page that it has read or written is not read
again; writes that come while their stripe is being written gather, and are carried out together.
"""

from __future__ import annotations

import random

import pytest
from conftest import compiled_only
from small_array import KIB, MS, STRIP, SmallArray, takes

from raidsim.control.model import build
from raidsim.errors import InputError
from raidsim.kernel import tables as t
from raidsim.running import run
from raidsim.scenario import from_data

PAGE = 4 * KIB
CACHE = {"raid.stripe_cache": 256}
SEED = 52


def array(level="raid6", drives=6, heads=256, host=None, **words):
    return SmallArray(level, drives, host={"raid.stripe_cache": heads} | (host or {}), **words)


def commands(found, *requests):
    """Commands to the drives that writes (time from now, offset, length) take together."""
    before = int(found.array["commands"])
    now = found.system.now
    done = found.replay(
        [(now + time, t.WRITE, offset, length) for time, offset, length in requests]
    )
    assert all(one.status == t.DONE for one in done)
    found.assert_at_rest()
    return int(found.array["commands"]) - before


# Six drives, RAID 6: a stripe has four data strips; a write of one is the reads of three.


def test_what_was_read_or_written_is_not_read_again():
    """The first strip of a stripe reads the three others: after that the stripe is known."""
    data = array()
    assert commands(data, (0, 0, STRIP)) == 3 + 3
    for number in (1, 2, 3):
        assert commands(data, (0, number * STRIP, STRIP)) == 3  # data, P, Q


def test_a_wide_stripe_is_read_strip_by_strip_where_that_reads_less():
    """Of seven data strips one, P and Q are read; the next one needs only itself."""
    data = array("raid6", 9)
    assert commands(data, (0, 0, STRIP)) == 3 + 3
    assert commands(data, (0, STRIP, STRIP)) == 1 + 3


def test_without_a_cache_each_write_reads_for_itself():
    data = array(heads=0)
    assert [commands(data, (0, number * STRIP, STRIP)) for number in range(4)] == [6] * 4


def test_a_stripe_is_forgotten_once_as_many_heads_were_needed_as_there_are():
    """A strip is four pages high: four heads a stripe, so 20 heads hold five stripes."""
    data = array(heads=20)
    width = 4 * STRIP
    for stripe in range(5):
        assert commands(data, (0, stripe * width, STRIP)) == 6
    assert commands(data, (0, STRIP, STRIP)) == 3, "the first one is still there"
    assert commands(data, (0, 5 * width, STRIP)) == 6
    assert commands(data, (0, 6 * width, STRIP)) == 6
    assert commands(data, (0, STRIP, STRIP)) == 3, "it was used since"
    assert commands(data, (0, width + STRIP, STRIP)) == 6, "the second one was not"


def test_writes_that_come_while_their_stripe_is_read_go_with_the_first():
    """The first strip reads three; once they are there, four strips, P and Q are written."""
    data = array()
    follow = [(100 + number, number * STRIP, STRIP) for number in (1, 2, 3)]
    assert commands(data, (0, 0, STRIP), *follow) == 3 + 6
    assert data.array["device_ios"].sum() == 3 + 6, "no command is counted that was not sent"


def test_a_write_for_which_more_is_to_be_read_comes_after_the_first():
    """Of seven data strips a write of one reads itself, P and Q; the next reads itself, then."""
    data = array("raid6", 9)
    assert commands(data, (0, 0, STRIP), (100, STRIP, STRIP)) == 3 + 3 + 1 + 3


def test_writes_that_come_while_their_stripe_is_written_go_together():
    """Too late for the first, whose data is on its way: three strips, P and Q at once, after it."""
    data = array()
    late = takes(STRIP) * 3 // 2
    follow = [(late + number, number * STRIP, STRIP) for number in (1, 2, 3)]
    assert commands(data, (0, 0, STRIP), *follow) == 6 + 5


def test_writes_that_come_while_their_stripe_waits_for_the_thread_go_with_the_first():
    """A stripe that is known reads nothing, and waits for the thread behind other stripes."""
    data = array(host={"raid.stripe_time": "1 ms"})
    assert commands(data, (0, 0, STRIP)) == 3 + 3
    others = [(0, stripe * 4 * STRIP, 4 * STRIP) for stripe in (1, 2, 3)]
    follow = [(100 + number, number * STRIP, STRIP) for number in (2, 3)]
    together = commands(data, *others, (10, STRIP, STRIP), *follow)
    assert together == 3 * 6 + 5, "three whole stripes; three strips, P and Q"


def test_writes_that_do_not_touch_each_other_go_one_after_the_other():
    """The stripe is known after the first: data, P and Q of each of the two others."""
    data = array()
    assert commands(data, (0, 0, STRIP), (100, 2 * STRIP, PAGE), (101, 0, PAGE)) == 6 + 3 + 3


def test_writes_of_the_same_bytes_are_each_carried_out():
    """md's ``R5_Overlap``: the first reads three strips; each writes data, P and Q."""
    data = array()
    again = [(100 + number, 0, STRIP) for number in range(3)]
    assert commands(data, (0, 0, STRIP), *again) == 6 + 3 * 3


def test_writes_that_overlap_are_each_carried_out():
    """What they share is written by both: two strips, and then three, each time with P and Q."""
    data = array()
    assert commands(data, (0, 0, STRIP), (100, 0, 2 * STRIP), (101, STRIP, 3 * STRIP)) == 6 + 4 + 5


def test_a_write_of_another_stripe_does_not_wait():
    """md delays stripes that have to read, but none that a process waits for."""
    alone = array("raid5", 4).do(t.WRITE, 0, PAGE)
    data = array("raid5", 4)
    both = data.replay([(0, t.WRITE, 0, PAGE), (100, t.WRITE, 4 * 3 * STRIP, PAGE)])
    assert both[1].completed - both[1].issued <= 2 * (alone.completed - alone.issued)


@pytest.mark.parametrize(("level", "drives"), [("raid5", 4), ("raid6", 6), ("raid50", 6)])
def test_any_writes_come_to_an_end_and_leave_nothing_behind(level, drives):
    """Random writes in few stripes, some of them full, in bursts; a drive fails on the way."""
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    data = array(level, drives)
    requests, time = [], 0
    for _ in range(60):
        time += rng.choice((0, 0, 200_000, 5 * MS))
        sectors = rng.randint(1, 5 * STRIP // 512)
        offset = rng.randrange(0, 12 * STRIP // 512) * 512
        requests.append((time, rng.choice((t.READ, t.WRITE, t.WRITE)), offset, sectors * 512))
    done = data.replay(requests[:30])
    data.fail(1)
    done += data.replay([(data.system.now + when, *rest) for when, *rest in requests[30:]])
    assert all(one.status == t.DONE for one in done)
    data.assert_at_rest()


def test_sequential_writes_of_a_strip_come_close_to_full_stripes():
    """Eight outstanding: of 64 strips of 16 stripes only those that come first read.

    Full stripes would take 1.5 commands a strip; each strip by itself takes six.
    """
    data = array()
    requests = [(number * MS // 4, number * STRIP, STRIP) for number in range(64)]
    assert commands(data, *requests) < 64 * 3


# -- the bitmap ------------------------------------------------------------------------------------


def test_a_write_into_a_new_chunk_waits_for_the_bitmap_on_all_members():
    """A flush and a write of a page for each of two drives, then the two copies."""
    data = array("raid1", 2, intent="bitmap", bitmap_chunk="64 MiB")
    first = data.replay([(0, t.WRITE, 0, PAGE)])[0]
    assert data.array["commands"] == 2 + 2 + 2
    before = int(data.array["commands"])
    second = data.replay([(data.system.now, t.WRITE, 1 << 20, PAGE)])[0]
    assert data.array["commands"] - before == 2, "the chunk has its bit"
    waited = (first.completed - first.issued) - (second.completed - second.issued)
    assert waited >= takes(PAGE)


def test_one_write_of_the_bitmap_serves_all_who_wait_for_it():
    """The first of ten waits alone; the nine that come meanwhile share the next."""
    data = array("raid1", 2, intent="bitmap", bitmap_chunk="1 MiB")
    data.replay([(0, t.WRITE, number << 20, PAGE) for number in range(10)])
    assert data.array["commands"] == 2 * 4 + 10 * 2
    data.assert_at_rest()


def test_without_a_bitmap_nothing_is_written_before():
    data = array("raid1", 2)
    data.do(t.WRITE, 0, PAGE)
    assert data.array["commands"] == 2


def test_the_bitmap_is_written_when_a_drive_has_failed():
    data = array("raid5", 4, intent="bitmap")
    data.do(t.WRITE, 0, PAGE)
    data.fail(2)
    for number in range(4):
        assert data.do(t.WRITE, number * 200 << 20, PAGE).status == t.DONE
    data.assert_at_rest()


# -- what scenarios say ----------------------------------------------------------------------------


def scenario(**volume):
    base = {"level": "raid5", "drives": 4, "drive": "intel-p3700-800gb", "strip": "64 KiB"}
    return from_data(
        {
            "host": {"model": "fujitsu-rx2540-m1"},
            "volume": [base | volume],
            "load": [{"read": "0 %", "size": "4 KiB", "outstanding": 1}],
        }
    )


@compiled_only
def test_the_volume_says_how_many_heads_there_are_else_the_card_of_the_host():
    assert build(scenario()).system.world.arrays["stripe_cache"][0] == 256
    assert build(scenario(stripe_cache_size=4096)).system.world.arrays["stripe_cache"][0] == 4096
    assert build(scenario(level="raid10")).system.world.arrays["stripe_cache"][0] == 0


def test_controllers_have_no_stripe_cache():
    data = {
        "controller": [{"name": "card", "model": "lsi-megaraid-1078-512"}],
        "volume": [{"level": "raid5", "drives": 4, "drive": "seagate-st373455ss",
                    "stripe_cache_size": 256}],
        "load": [{"size": "4 KiB", "outstanding": 1}],
    }  # fmt: skip
    with pytest.raises(InputError, match=r"stripe_cache_size.*key of RAID by software"):
        from_data(data)


@pytest.mark.parametrize("failed", [[], [0], [0, 1], [2, 5]])
def test_a_stripe_that_is_overwritten_whole_is_never_read(failed: list[int]) -> None:
    """However many members are missing: md computes parity from what it is given."""
    array = SmallArray("raid6", 6, failed=failed, host={"raid.stripe_cache": 256})
    for row in range(6):  # wherever P and Q lie
        array.do(t.WRITE, row * 4 * STRIP, 4 * STRIP)
    assert sum(array.drives["host_read"]) == 0
    assert sum(array.drives["host_written"]) == 6 * (6 - len(failed)) * STRIP


@compiled_only
@pytest.mark.parametrize("spans", [1, 2, 4])
def test_each_span_has_a_thread_and_a_stripe_cache_of_its_own(spans: int) -> None:
    """RAID 50 is RAID 0 over arrays of RAID 5: twice the spans handle twice the stripes."""
    level, words = ("raid50", {"spans": spans}) if spans > 1 else ("raid5", {})
    host = {"raid.stripe_time": "100 us", "raid.threads": 1, "raid.stripe_cache": 256}
    load = {"read": "0 %", "size": "4 KiB", "outstanding": 256, "limit": {"ios": 8000}}
    found = SmallArray(level, 3 * spans, load, host=host, **words)
    found.serve_in(*[1] * 3 * spans)
    found.begin()
    found.rest()
    assert found.array["stripe_cache"] == 256 * spans
    assert found.system.now == pytest.approx(8000 * 100_000 / spans, rel=0.05)


def test_work_of_one_span_is_not_done_by_the_thread_of_another_one() -> None:
    """All writes go to the first span: the second one has a thread, and nothing for it to do."""
    host = {"raid.stripe_time": "100 us", "raid.threads": 1, "raid.stripe_cache": 256}
    load = {"read": "0 %", "size": "4 KiB", "outstanding": 64, "limit": {"ios": 400}}
    area = {"area": {"size": f"{2 * STRIP} B"}}  # of a stripe of two data strips
    found = SmallArray("raid50", 6, load | area, host=host, spans=2)
    found.serve_in(*[1] * 6)
    found.begin()
    found.rest()
    first = found.array["engine"]
    served = found.system.world.stations["served"][first : first + 2].tolist()
    assert served[0] > 0
    assert served[1] == 0


@compiled_only
@pytest.mark.parametrize("size", ["64 KiB", "256 KiB"])
def test_a_deeper_queue_of_writes_in_sequence_carries_no_less(size: str) -> None:
    """RAID 5 of fast drives, where the thread of the array limits: what waits for it gathers."""
    rates = []
    for outstanding in (4, 16, 64):
        load = {"read": "0 %", "random": "0 %", "size": size, "outstanding": outstanding}
        data = {
            "host": {"model": "linux-xeon-e5-pair"},
            "volume": [{"level": "raid5", "drives": 4, "drive": "samsung-pm9a3-7680gb"}],
            "load": [load],
            "measure": {"precision": "2 %", "min_ios": 5000},
        }
        rates.append(run(from_data(data)).points[0].iops.mean)
    assert rates[1] >= 0.97 * rates[0], rates
    assert rates[2] >= 0.97 * rates[1], rates
