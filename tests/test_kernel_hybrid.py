"""What a storage engineer expects of a cache or tier in front of a volume."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import simpy
from conftest import INTERPRETED, compiled_only
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import raidsim
from raidsim.kernel.cache_tables import GRAINS
from raidsim.running import run
from raidsim.scenario import from_data

KIB = 1024
BLOCK = 4 * KIB
GRAIN = 512
PER_BLOCK = BLOCK // GRAIN
HOST = "fujitsu-rx300-s4"
DISK = "seagate-st373455ss"
FLASH = "intel-p3700-800gb"
ENDLESS = "8000 h"


class Bench:
    """A hybrid of two drives, asked for one thing after the other."""

    def __init__(
        self,
        *,
        front: str = DISK,
        back: str = DISK,
        back_keys: dict[str, Any] | None = None,
        **keys: Any,
    ) -> None:
        self.env = raidsim.Environment(seed=1)
        self.host = raidsim.Host(self.env, HOST)
        self.front = raidsim.Volume(self.env, front, self.host, name="front")
        self.back = raidsim.Volume(self.env, back, self.host, name="back", **(back_keys or {}))
        keys = {"block": "4 KiB", "size": "128 KiB", "flush": ENDLESS} | keys
        self.hybrid = raidsim.Hybrid(self.env, self.front, self.back, self.host, **keys)

    def ask(self, op: str, offset: int, length: int, pause: float = 1.0) -> Any:
        """One I/O, and time for what it sets off."""
        event = getattr(self.hybrid, op)(offset, length)
        done = self.env.run(until=event)
        if pause:
            self.env.run(until=self.env.now + pause)
        return done

    def read(self, offset: int, length: int = BLOCK) -> Any:
        return self.ask("read", offset, length)

    def write(self, offset: int, length: int = BLOCK) -> Any:
        return self.ask("write", offset, length)

    @property
    def cache(self) -> Any:
        return self.hybrid._cache

    @property
    def lines(self) -> dict[int, Any]:
        """The blocks in the front, by number, as the index finds them."""
        world, cache = self.env.system.world, self.cache
        found = {}
        first = int(cache["first_bucket"])
        for head in world.buckets_of_lines[first : first + int(cache["buckets"])]:
            index = int(head)
            while index >= 0:
                line = world.lines[index]
                found[int(line["strip"])] = line
                index = int(line["chain"])
        return found

    @property
    def clean(self) -> list[int]:
        """Numbers of the blocks that may be evicted, of each queue the newest first."""
        world, found = self.env.system.world, []
        for first in self.cache["newest"]:
            index = int(first)
            while index >= 0:
                found.append(int(world.lines[index]["strip"]))
                index = int(world.lines[index]["older"])
        return found

    def bytes_of(self, volume: Any, what: str) -> int:
        """What the drives of a volume were asked to read or to write."""
        return sum(int(self.env.system.world.drives[row][what]) for row in volume._drives.rows)


def bits(mask: int) -> set[int]:
    """Grains of a mask."""
    return {i for i in range(GRAINS) if int(mask) >> i & 1}


# -- how often the front answers ------------------------------------------------------------------


def che(items: int, room: int, exponent: float) -> float:
    """Hit rate of LRU under independent references (Che, Tung and Wang 2002)."""
    p = np.arange(1, items + 1) ** -exponent
    p /= p.sum()
    t = brentq(lambda t: np.sum(-np.expm1(-p * t)) - room, 1, 1e9)
    return float(np.sum(p * -np.expm1(-p * t)))


@compiled_only
@pytest.mark.parametrize(("room", "exponent", "printed"), [(100, 0.8, 0.1566), (1000, 1.0, 0.6756)])
def test_least_recently_used_hits_as_often_as_theory_says(
    room: int, exponent: float, printed: float
) -> None:
    items = 10_000
    found = run(
        from_data(
            {
                "host": {"model": HOST},
                "volume": [{"name": name, "drive": FLASH} for name in ("front", "back")],
                "hybrid": [
                    {
                        "front": "front",
                        "back": "back",
                        "block": "4 KiB",
                        "size": f"{items * 4} KiB",
                        "front_size": f"{room * 4} KiB",
                        "warm": {},
                    }
                ],
                "load": [
                    {
                        "read": "100 %",
                        "size": "4 KiB",
                        "outstanding": 1,
                        "zipf": exponent,
                        "think": "1 ms",  # what was read is in the front before the next read
                    }
                ],
                "measure": {"min_ios": 250_000, "max_ios": 250_000, "max_time": "1 h"},
            }
        )
    )
    (use,) = found.points[0].hybrids
    assert che(items, room, exponent) == pytest.approx(printed, abs=5e-5)
    # Three deviations of a count of independent hits.
    tolerance = 3 * (printed * (1 - printed) / use.reads) ** 0.5
    assert use.hits / use.reads == pytest.approx(printed, abs=tolerance)


# -- block by block -----------------------------------------------------------------------------


class Model:
    """A cache as plain Python: its blocks in the order of their use, and the grains of each."""

    def __init__(self, room: int, write: str, promote: str, evict: str) -> None:
        self.room, self.how, self.promote, self.evict = room, write, promote, evict
        self.blocks: OrderedDict[int, set[int]] = OrderedDict()  # oldest first
        self.missed: dict[int, int] = {}
        self.reads = self.hits = 0

    def parts(self, offset: int, length: int) -> list[tuple[int, set[int]]]:
        first, last = offset // GRAIN, (offset + length) // GRAIN
        return [
            (block, {g % PER_BLOCK for g in range(first, last) if g // PER_BLOCK == block})
            for block in range(first // PER_BLOCK, (last - 1) // PER_BLOCK + 1)
        ]

    def admits(self, block: int) -> bool:
        if self.promote != "second":
            return self.promote == "first"
        slots = 1 << (self.room - 1).bit_length()
        place = (block * 40503 + (block >> 15)) % slots
        if self.missed.get(place) == block:
            del self.missed[place]
            return True
        self.missed[place] = block
        return False

    def expect(self, block: int) -> bool:
        """Whether a block may come in; it has room then, and is in nobody's way."""
        if block not in self.blocks:
            if not self.admits(block):
                return False
            if len(self.blocks) + len(self.coming) == self.room:
                if not self.blocks:
                    return False
                self.blocks.popitem(last=False)
            self.coming[block] = set()
        else:
            self.coming[block] = self.blocks.pop(block)
        return True

    def read(self, offset: int, length: int) -> None:
        self.coming: dict[int, set[int]] = {}
        fills = {}
        for block, grains in self.parts(offset, length):
            self.reads += 1
            if grains <= self.blocks.get(block, set()):
                self.hits += 1
                if self.evict == "lru":
                    self.blocks.move_to_end(block)
            elif self.expect(block):
                fills[block] = grains
        self.arrive(fills)

    def write(self, offset: int, length: int) -> None:
        self.coming = {}
        fills: dict[int, set[int]] = {}
        parts = self.parts(offset, length)
        for block, grains in parts:
            if block in self.blocks:
                left = self.blocks.pop(block) - grains
                if left:
                    self.blocks[block] = left
        if self.how == "through":
            fills = {block: grains for block, grains in parts if self.expect(block)}
        self.arrive(fills)

    def arrive(self, fills: dict[int, set[int]]) -> None:
        for block, grains in fills.items():
            self.blocks[block] = self.coming.pop(block) | grains
        self.together = len(fills)

    def order_as(self, clean: list[int]) -> None:
        """The blocks of one request come in together, in whatever order the front likes."""
        newest = clean[: self.together]
        assert set(newest) == set(list(self.blocks)[len(self.blocks) - self.together :])
        for block in reversed(newest):
            self.blocks.move_to_end(block)


def requests(blocks: int = 12) -> st.SearchStrategy[Any]:
    """Reads and writes of up to three blocks, in any place of ``blocks``."""

    def fitting(request: tuple[str, int, int]) -> tuple[str, int, int]:
        op, first, grains = request
        return op, first, min(grains, blocks * PER_BLOCK - first)

    spot = st.integers(0, blocks * PER_BLOCK - 1)
    size = st.integers(1, 3 * PER_BLOCK)
    whole = st.tuples(st.integers(0, blocks - 1), st.integers(1, 2)).map(
        lambda two: (two[0] * PER_BLOCK, two[1] * PER_BLOCK)
    )
    place = st.one_of(st.tuples(spot, size), whole)
    op = st.sampled_from(("read", "read", "write"))
    return st.tuples(op, place).map(lambda pair: fitting((pair[0], *pair[1])))


@settings(max_examples=10 if INTERPRETED else 40, derandomize=True)
@given(
    room=st.integers(1, 6),
    write=st.sampled_from(("through", "around")),
    promote=st.sampled_from(("first", "second", "never")),
    evict=st.sampled_from(("lru", "fifo")),
    asked=st.lists(requests(), max_size=25),
)
def test_every_request_does_to_the_front_what_a_plain_cache_would_do(
    room: int, write: str, promote: str, evict: str, asked: list[tuple[str, int, int]]
) -> None:
    bench = Bench(write=write, promote=promote, evict=evict, front_size=f"{room * 4} KiB")
    model = Model(room, write, promote, evict)
    for op, first, grains in asked:
        offset, length = first * GRAIN, grains * GRAIN
        bench.ask(op, offset, length)
        getattr(model, op)(offset, length)
        model.order_as(bench.clean)
        lines = bench.lines
        assert {n: bits(line["valid"]) for n, line in lines.items()} == dict(model.blocks)
        assert bench.clean == list(reversed(model.blocks))
        assert bench.hybrid.dirty == 0  # neither way of writing leaves anything dirty
    assert (bench.hybrid.figures.reads, bench.hybrid.figures.hits) == (model.reads, model.hits)
    assert bench.bytes_of(bench.back, "host_written") == sum(
        grains * GRAIN for op, _, grains in asked if op == "write"
    )


@settings(max_examples=5 if INTERPRETED else 20, derandomize=True)
@given(
    order=st.permutations(range(20)),
    room=st.integers(2, 12),
    high=st.sampled_from(("50 %", "100 %")),
    together=st.integers(1, 8),
)
def test_what_was_written_once_is_dirty_in_the_front_or_in_the_back(
    order: list[int], room: int, high: str, together: int
) -> None:
    """Twenty writes of a block and a half, several at a time, into a front that is too small."""
    bench = Bench(size="120 KiB", front_size=f"{room * 4} KiB", high=high, low="0 %")
    size = 3 * BLOCK // 2
    for first in range(0, 20, together):
        events = [bench.hybrid.write(n * size, size) for n in order[first : first + together]]
        bench.env.run(until=simpy.AllOf(bench.env, events))
        assert all(event.value.status == "done" for event in events)
        written = min(first + together, 20) * size
        kept = sum(len(bits(line["dirty"] | line["busy"])) * GRAIN for line in bench.lines.values())
        assert kept + bench.bytes_of(bench.back, "host_written") >= written
        whole = sum(BLOCK for line in bench.lines.values() if line["dirty"] | line["busy"])
        assert bench.hybrid.dirty == whole <= bench.cache["high"]
    bench.env.run(until=bench.env.now + 60)
    assert bench.hybrid.dirty == 0
    assert bench.bytes_of(bench.back, "host_written") == 20 * size


# -- how long it takes ----------------------------------------------------------------------------


def bare(drive: str, op: str, offset: int, length: int, **keys: Any) -> float:
    """Latency of one I/O of a drive by itself."""
    env = raidsim.Environment(seed=1)
    volume = raidsim.Volume(env, drive, raidsim.Host(env, HOST), name="front", **keys)
    return float(env.run(until=getattr(volume, op)(offset, length)).latency)


def test_a_hit_takes_as_long_as_the_front_and_a_miss_as_the_back() -> None:
    bench = Bench(front=FLASH, warm={"size": "64 KiB"})
    assert bench.read(3 * BLOCK).latency == bare(FLASH, "read", 3 * BLOCK, BLOCK)
    bench = Bench(back=FLASH, warm={"size": "64 KiB"}, back_offset="1 MiB")
    assert bench.read(64 * KIB).latency == bare(FLASH, "read", 2**20 + 64 * KIB, BLOCK)


def test_a_write_back_takes_as_long_as_the_front_and_a_write_around_as_the_back() -> None:
    assert Bench(front=FLASH).write(0).latency == bare(FLASH, "write", 0, BLOCK)
    bench = Bench(back=FLASH, write="around")
    assert bench.write(0).latency == bare(FLASH, "write", 0, BLOCK)


def test_a_write_through_takes_as_long_as_the_slower_of_the_two() -> None:
    bench = Bench(front=FLASH, write="through")
    assert bench.write(0).latency > bare(FLASH, "write", 0, BLOCK)
    assert bench.read(0).latency < 1e-3  # the front has it


def test_a_front_without_room_is_passed_by() -> None:
    bench = Bench(back=FLASH, front_size="0 B")
    assert bench.write(0).latency == bare(FLASH, "write", 0, BLOCK)
    bench.read(0)
    figures = bench.hybrid.figures
    assert (figures.hits, figures.past, figures.front_bytes) == (0, 1, 0)
    assert bench.bytes_of(bench.front, "host_written") == 0


def test_a_front_as_large_as_the_back_is_asked_for_everything_but_the_first_read() -> None:
    bench = Bench(promote="first")
    for _ in range(3):
        for offset in range(0, 128 * KIB, 32 * KIB):
            bench.read(offset, 32 * KIB)
    assert bench.bytes_of(bench.back, "host_read") == 128 * KIB
    assert bench.hybrid.hit_rate == pytest.approx(2 / 3)


# -- what comes in, and what goes -----------------------------------------------------------------


def test_a_long_sequential_run_goes_past_the_front_and_random_reads_do_not() -> None:
    bench = Bench(bypass="16 KiB", size="1 MiB")
    for block in range(16):
        bench.read(block * BLOCK)
    assert sorted(bench.lines) == [0, 1, 2, 3]
    for block in (40, 30, 50, 20):
        bench.read(block * BLOCK)
    assert sorted(bench.lines) == [0, 1, 2, 3, 20, 30, 40, 50]


def test_a_sequential_write_past_the_front_leaves_what_is_dirty_there() -> None:
    bench = Bench(bypass="16 KiB", size="1 MiB")
    bench.write(6 * BLOCK)
    for block in range(12):
        bench.write(block * BLOCK)
    dirty = {n for n, line in bench.lines.items() if line["dirty"]}
    assert dirty == {0, 1, 2, 3, 6}


def test_first_in_first_out_does_not_care_what_is_used() -> None:
    left = {}
    for evict in ("lru", "fifo"):
        bench = Bench(evict=evict, front_size="8 KiB")
        for block in (0, 1, 0, 2):
            bench.read(block * BLOCK)
        left[evict] = sorted(bench.lines)
    assert left == {"lru": [0, 2], "fifo": [1, 2]}


def test_what_is_dirty_is_written_back_after_the_flush_time() -> None:
    bench = Bench(flush="5 s", low="80 %")
    for block in range(4):
        bench.write(block * BLOCK)
    assert bench.hybrid.dirty == 4 * BLOCK
    bench.env.run(until=bench.env.now + 6)
    assert bench.hybrid.dirty == 0
    assert bench.hybrid.figures.written_back_bytes == 4 * BLOCK
    assert sorted(bench.clean) == [0, 1, 2, 3]


def test_above_the_low_mark_only_so_much_is_written_back() -> None:
    bench = Bench(low="25 %", front_size="64 KiB", copies=1)
    for block in (1, 3, 5, 7, 9, 11):
        bench.write(block * BLOCK)
    assert bench.hybrid.dirty == 16 * KIB


def test_scattered_writes_reach_a_parity_array_as_full_stripes() -> None:
    raid = {"level": "raid5", "drives": 5, "strip": "4 KiB"}
    bench = Bench(back_keys=raid, flush="5 s", size="1 MiB", copy_size="64 KiB")
    for block in (9, 2, 15, 4, 0, 7, 12, 1, 14, 3, 6, 8, 11, 5, 13, 10):
        bench.write(block * BLOCK)
    bench.env.run(until=bench.env.now + 10)
    assert bench.bytes_of(bench.back, "host_read") == 0
    assert bench.bytes_of(bench.back, "host_written") == 16 * BLOCK * 5 // 4


# -- a tier -------------------------------------------------------------------------------------


def test_a_tier_moves_what_is_asked_for_often_and_keeps_it_in_one_place() -> None:
    bench = Bench(mode="tier", promote="second", front_size="16 KiB")
    for block in (0, 1, 2, 3, 0, 1, 2, 3):
        bench.read(block * BLOCK)
    assert sorted(bench.lines) == [0, 1, 2, 3]
    assert bench.hybrid.dirty == bench.hybrid.held == 16 * KIB
    before = bench.bytes_of(bench.back, "host_written")
    bench.write(2 * BLOCK)
    assert bench.bytes_of(bench.back, "host_written") == before


def test_the_coldest_block_of_a_tier_makes_room_for_one_more_than_twice_as_warm() -> None:
    bench = Bench(mode="tier", promote="second", front_size="16 KiB")
    for block in (0, 1, 2, 3) * 4 + (0, 1, 3):
        bench.read(block * BLOCK)
    for _ in range(8):  # block 2 has been read four times
        bench.read(9 * BLOCK)
    assert sorted(bench.lines) == [0, 1, 2, 3]
    bench.read(9 * BLOCK)  # the ninth time: 2 leaves
    assert bench.hybrid.figures.written_back_bytes == BLOCK
    bench.read(9 * BLOCK)
    assert sorted(bench.lines) == [0, 1, 3, 9]


def test_heat_fades_so_that_a_new_working_set_takes_the_place_of_an_old_one() -> None:
    bench = Bench(mode="tier", promote="second", front_size="16 KiB", interval="100 s")
    for block in (0, 1, 2, 3) * 8:
        bench.read(block * BLOCK)
    bench.env.run(until=2_000)
    for block in (8, 9, 10, 11) * 8:
        bench.read(block * BLOCK)
    assert sorted(bench.lines) == [8, 9, 10, 11]


def test_a_block_that_is_written_while_it_moves_stays_where_it_was() -> None:
    bench = Bench(mode="tier", promote="second", front_size="16 KiB")
    bench.read(0)
    bench.ask("read", 0, BLOCK, pause=0.0)  # its move begins
    bench.ask("write", 0, BLOCK)
    assert bench.lines == {}
    assert bench.bytes_of(bench.back, "host_written") == BLOCK


# -- when the front fails -------------------------------------------------------------------------


def test_of_a_failed_front_only_what_was_dirty_is_lost() -> None:
    bench = Bench()
    bench.read(0)
    bench.write(4 * BLOCK)
    bench.front.fail()
    assert bench.read(0).status == "done"
    assert bench.read(4 * BLOCK).status == "failed"
    assert bench.hybrid.health == "failed"
    figures = bench.hybrid.figures
    assert (figures.lost_bytes, figures.lost_reads) == (BLOCK, 1)


def test_what_was_lost_with_the_front_is_there_again_once_it_is_written() -> None:
    bench = Bench()
    bench.write(4 * BLOCK)
    bench.front.fail()
    assert bench.read(4 * BLOCK).status == "failed"
    assert bench.write(4 * BLOCK).status == "done"
    assert bench.read(4 * BLOCK).status == "done"
    assert bench.hybrid.health == "degraded"


@pytest.mark.parametrize("write", ["through", "around"])
def test_a_front_that_holds_nothing_alone_may_fail_at_any_time(write: str) -> None:
    bench = Bench(write=write)
    for block in range(8):
        bench.write(block * BLOCK)
        bench.read(block * BLOCK)
    bench.front.fail()
    assert all(bench.read(block * BLOCK).status == "done" for block in range(8))
    assert all(bench.write(block * BLOCK).status == "done" for block in range(8))
    assert bench.hybrid.figures.lost_bytes == 0
    assert bench.hybrid.health == "degraded"


def test_a_write_under_way_to_a_front_that_fails_goes_to_the_back() -> None:
    bench = Bench()
    bench.front.fail()
    assert bench.write(0).status == "done"
    assert bench.bytes_of(bench.back, "host_written") == BLOCK
    assert bench.read(0).status == "done"


def test_writes_that_wait_for_room_go_on_when_the_front_fails() -> None:
    bench = Bench(front_size="8 KiB", high="100 %")
    events = [bench.hybrid.write(block * BLOCK, BLOCK) for block in range(8)]
    bench.env.run(until=bench.env.now + 1e-4)
    bench.front.fail()
    bench.env.run(until=simpy.AllOf(bench.env, events))
    assert all(event.value.status == "done" for event in events)


def test_a_bad_sector_of_the_front_costs_one_block_only() -> None:
    bench = Bench()
    bench.read(0)
    bench.write(4 * BLOCK)
    bench.write(8 * BLOCK)
    bench.front.add_defects(0, [0, BLOCK])  # where blocks 0 and 4 are
    assert bench.read(0).status == "done"
    assert bench.read(4 * BLOCK).status == "failed"
    assert bench.read(8 * BLOCK).status == "done"
    assert bench.hybrid.figures.lost_bytes == 0
    assert bench.write(4 * BLOCK).status == "done"
    assert bench.read(4 * BLOCK).status == "done"


def test_writes_fail_and_do_not_wait_for_ever_when_the_back_is_lost() -> None:
    bench = Bench(front_size="16 KiB", flush="5 s", low="80 %")
    bench.write(0)
    bench.back.fail()
    bench.env.run(until=bench.env.now + 10)
    assert bench.write(BLOCK).status == "failed"
    assert bench.read(0).status == "done"  # the front has it


# -- several, and controllers --------------------------------------------------------------------


def test_two_hybrids_share_a_back_by_regions() -> None:
    env = raidsim.Environment()
    host = raidsim.Host(env, HOST)
    back = raidsim.Volume(env, DISK, host, name="disks")
    fronts = [raidsim.Volume(env, DISK, host, name=f"flash {i}") for i in range(2)]
    one = raidsim.Hybrid(env, fronts[0], back, host, size="1 GiB")
    two = raidsim.Hybrid(env, fronts[1], back, host, back_offset="1 GiB", size="1 GiB")
    for hybrid in (one, two):
        assert env.run(until=hybrid.write(0, BLOCK)).status == "done"
    assert one.dirty == two.dirty == 64 * KIB
    fronts[0].fail()
    assert env.run(until=one.read(0, BLOCK)).status == "failed"
    assert env.run(until=two.read(0, BLOCK)).status == "done"


def on_a_controller(**keys: Any) -> tuple[Any, Any]:
    env = raidsim.Environment(seed=1)
    host = raidsim.Host(env, HOST)
    controller = raidsim.Controller(env, "lsi-megaraid-1078-512", name="c")
    front = raidsim.Volume(env, DISK, host, name="front", controller=controller)
    back = raidsim.Volume(env, DISK, host, name="back", controller=controller)
    more = {"controller": controller} | keys
    return env, raidsim.Hybrid(env, front, back, host, size="1 GiB", **more)


def test_on_a_storage_processor_data_crosses_the_host_link_once() -> None:
    env, hybrid = on_a_controller()
    env.run(until=hybrid.read(0, 64 * KIB))
    env.run(until=env.now + 1)
    env.reset_window()
    env.run(until=hybrid.read(0, 64 * KIB))
    used = {use.name: use for use in env.stations}
    rows = env.system.world.stations
    link = next(i for i, n in enumerate(env.system.names) if n.name == "c: link to host")
    assert int(rows[link]["arrivals"]) == 1
    assert "c: cores" in used


def test_a_host_that_keeps_the_map_asks_a_volume_through_its_controller() -> None:
    env, hybrid = on_a_controller(controller=None)
    env.reset_window()
    env.run(until=hybrid.read(0, 64 * KIB))
    link = next(i for i, n in enumerate(env.system.names) if n.name == "c: link to host")
    assert int(env.system.world.stations[link]["arrivals"]) == 1  # the miss; the fill goes down
    down = next(i for i, n in enumerate(env.system.names) if n.name == "c: link to controller")
    env.run(until=env.now + 1)
    assert int(env.system.world.stations[down]["arrivals"]) == 1


def test_a_processor_with_its_own_write_cache_answers_before_the_front_has_it() -> None:
    env, hybrid = on_a_controller(buffer="back", write="around")
    done = env.run(until=hybrid.write(0, 64 * KIB))
    assert done.latency < 1e-3  # no disk is as fast
    env.run(until=env.now + 60)
    figures = hybrid.figures
    assert (figures.writes, figures.past) == (1, 1)
