"""A hybrid in a model: power cuts, controllers that stop, fronts that fail and come back."""

from __future__ import annotations

from typing import Any

import caches
import pytest
from conftest import INTERPRETED
from hybrid_bench import BLOCK, DISK, GRAIN, HOST, KIB, PER_BLOCK, Bench, bits
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import raidsim
from raidsim.cards import load as card_of
from raidsim.errors import InputError
from raidsim.kernel.replacement import names

BLOCKS = 12


class Life(RuleBasedStateMachine):
    """Writes, reads, idle times, power cuts, a front that fails and is used again.

    The model knows of each grain whether a write to it was acknowledged and nothing has been lost
    since. The front is small and writes back: blocks come, go and wait for room.
    """

    @initialize(
        room=st.integers(2, 8),
        mode=st.sampled_from(("cache", "cache", "tier")),
        evict=st.sampled_from(names()),
        low=st.sampled_from(("0 %", "50 %")),
    )
    def build(self, room: int, mode: str, evict: str, low: str) -> None:
        keys = {"evict": evict} if mode == "cache" else {}
        self.bench = Bench(
            size=f"{BLOCKS * 4} KiB", front_size=f"{room * 4} KiB", mode=mode, low=low, **keys
        )
        self.lost: set[int] = set()  # grains
        self.front = True

    def grains(self, first: int, count: int) -> range:
        return range(first, min(first + count, BLOCKS * PER_BLOCK))

    @rule(
        first=st.integers(0, BLOCKS * PER_BLOCK - 1), count=st.integers(1, 20), wait=st.booleans()
    )
    def write(self, first: int, count: int, wait: bool) -> None:
        asked = self.grains(first, count)
        done = self.bench.ask("write", asked.start * GRAIN, len(asked) * GRAIN, 1.0 * wait)
        assert done.status == "done"
        self.lost -= set(asked)

    @rule(
        first=st.integers(0, BLOCKS * PER_BLOCK - 1), count=st.integers(1, 20), wait=st.booleans()
    )
    def read(self, first: int, count: int, wait: bool) -> None:
        asked = self.grains(first, count)
        done = self.bench.ask("read", asked.start * GRAIN, len(asked) * GRAIN, 1.0 * wait)
        assert done.status == ("failed" if self.lost & set(asked) else "done")

    @rule(seconds=st.sampled_from((0.001, 1.0, 30.0)))
    def let_pass(self, seconds: float) -> None:
        self.bench.env.run(until=self.bench.env.now + seconds)

    @rule()
    def cut_power(self) -> None:
        before = self.only_in_front
        self.bench.env.cut_power()
        assert self.only_in_front == before
        self.bench.env.run(until=self.bench.env.restore_power())

    @precondition(lambda self: self.front)
    @rule()
    def fail_front(self) -> None:
        self.bench.env.run(until=self.bench.env.now + 30)  # what is on its way has come
        self.lost = self.only_in_front
        self.bench.front.fail()
        self.front = False

    @precondition(lambda self: not self.front)
    @rule(empty=st.booleans())
    def use_front(self, empty: bool) -> None:
        # Somebody must have noticed that it had failed.
        noticed = self.bench.ask("write", 0, BLOCKS * BLOCK if empty else GRAIN)
        assert noticed.status == "done"
        if not self.is_given_up:
            return
        self.bench.env.run(until=self.bench.env.now + 30)
        self.bench.front.repair()
        self.bench.hybrid.use_front(empty=empty)
        self.lost = set()
        self.front = True

    @property
    def is_given_up(self) -> bool:
        world = self.bench.env.system.world
        return bool(world.hybrids[0]["lost"] == 1)

    @property
    def only_in_front(self) -> set[int]:
        return {
            block * PER_BLOCK + grain
            for block, line in self.bench.lines.items()
            for grain in bits(line["dirty"] | line["busy"])
        }

    @invariant()
    def the_books_are_in_order(self) -> None:
        if not hasattr(self, "bench"):
            return
        cache, lines = self.bench.cache, self.bench.lines
        assert cache["used"] == len(lines) * BLOCK <= cache["size"]
        assert cache["dirty"] == BLOCK * sum(
            bool(line["dirty"] | line["busy"]) for line in lines.values()
        )
        clean = self.bench.clean
        assert cache["clean"] == len(clean) * BLOCK
        assert set(clean) == {
            block
            for block, line in lines.items()
            if not line["dirty"] | line["busy"] | line["coming"]
        }
        assert all(line["valid"] & line["dirty"] == line["dirty"] for line in lines.values())
        caches.check(self.bench.env.system)


TestLife = Life.TestCase
TestLife.settings = settings(
    max_examples=5 if INTERPRETED else 25, stateful_step_count=25, derandomize=True
)


# -- power ------------------------------------------------------------------------------------


def test_the_map_of_a_hybrid_outlasts_a_power_cut() -> None:
    bench = Bench(front_size="32 KiB", low="50 %")
    for block in (1, 5, 3):
        bench.write(block * BLOCK)
    for block in (2, 8, 2, 9):
        bench.read(block * BLOCK)
    before = sorted(bench.lines), bench.clean, bench.hybrid.dirty
    cut = bench.env.cut_power()
    bench.env.run(until=bench.env.restore_power())
    assert (sorted(bench.lines), bench.clean, bench.hybrid.dirty) == before
    assert cut.lost_bytes == 0
    read = bench.bytes_of(bench.back, "host_read")
    for block in (1, 5, 3, 2, 8, 9):
        bench.read(block * BLOCK)
    assert bench.bytes_of(bench.back, "host_read") == read


def test_what_was_on_its_way_to_the_back_in_a_power_cut_goes_there_again() -> None:
    bench = Bench(flush="5 s", low="80 %")
    for block in range(4):
        bench.write(block * BLOCK)
    while not any(line["busy"] for line in bench.lines.values()):
        bench.env.run(until=bench.env.now + 0.001)
    bench.env.cut_power()
    assert bench.hybrid.dirty == 4 * BLOCK
    bench.env.run(until=bench.env.restore_power())
    bench.write(8 * BLOCK)
    bench.env.run(until=bench.env.now + 60)
    assert bench.hybrid.dirty == 0


def test_a_processor_without_a_battery_loses_what_only_its_cache_had() -> None:
    env = raidsim.Environment(seed=1)
    host = raidsim.Host(env, HOST)
    controller = raidsim.Controller(env, "lsi-megaraid-1078-512", name="c", battery="low")
    parts = [
        raidsim.Volume(env, DISK, host, name=name, controller=controller)
        for name in ("front", "back")
    ]
    hybrid = raidsim.Hybrid(
        env, *parts, host, name="h", controller=controller, buffer="back-bad-battery", size="1 GiB"
    )
    env.run(until=hybrid.write(0, 64 * KIB))
    cut = env.cut_power()
    assert cut.of("h").lost == [(0, 64 * KIB)]


# -- controllers --------------------------------------------------------------------------------


def test_a_partner_goes_on_with_the_map_and_with_what_is_dirty() -> None:
    env = raidsim.Environment(seed=1)
    host = raidsim.Host(env, HOST)
    one, two = (raidsim.Controller(env, "lsi-megaraid-1078-512", name=n) for n in "ab")
    front = raidsim.Volume(env, DISK, host, name="front", controller=one)
    back = raidsim.Volume(env, DISK, host, name="back", controller=one)
    hybrid = raidsim.Hybrid(env, front, back, host, controller=one, size="1 GiB")
    env.run(until=hybrid.write(0, 64 * KIB))
    env.run(until=env.now + 1)
    assert hybrid.dirty == 64 * KIB
    waiting = hybrid.read(2**20, 64 * KIB)
    over = one.fail_over(two, "5 s")
    assert env.run(until=waiting).latency > 5
    assert over.triggered
    read = int(env.system.world.drives[back._drives.rows[0]]["host_read"])
    assert env.run(until=hybrid.read(0, 64 * KIB)).status == "done"
    assert int(env.system.world.drives[back._drives.rows[0]]["host_read"]) == read
    assert hybrid.dirty == 64 * KIB


# -- a front that comes back --------------------------------------------------------------------


def lost_front(**keys: Any) -> Bench:
    bench = Bench(**keys)
    bench.write(0)
    bench.write(4 * BLOCK)
    bench.front.fail()
    assert bench.write(8 * BLOCK).status == "done"
    bench.front.repair()
    return bench


def test_a_new_front_begins_empty_and_fills_again() -> None:
    bench = lost_front()
    bench.hybrid.use_front()
    assert bench.lines == {}
    assert bench.read(4 * BLOCK).status == "done"  # what the back had before
    assert sorted(bench.lines) == [4]
    assert bench.hybrid.health == "optimal"


def test_a_front_that_was_away_for_a_while_still_has_what_only_it_had() -> None:
    bench = lost_front()
    bench.write(0)  # into the back meanwhile
    bench.hybrid.use_front(empty=False)
    assert sorted(bench.lines) == [4]
    read = bench.bytes_of(bench.back, "host_read")
    assert bench.read(4 * BLOCK).status == "done"
    assert bench.bytes_of(bench.back, "host_read") == read
    assert bench.hybrid.dirty == BLOCK


def test_a_back_that_was_away_for_a_while_gets_what_only_the_front_had() -> None:
    bench = Bench(flush="10 s")
    bench.write(0)
    bench.back.fail()
    bench.env.run(until=bench.env.now + 20)
    assert bench.write(4 * BLOCK).status == "failed"  # it goes past the front
    with pytest.raises(InputError, match="back has failed"):
        bench.hybrid.use_front()
    bench.back.repair()
    bench.hybrid.use_front()
    bench.env.run(until=bench.env.now + 20)
    assert (bench.hybrid.dirty, bench.hybrid.health) == (0, "optimal")
    assert bench.bytes_of(bench.back, "host_written") == BLOCK
    assert bench.write(4 * BLOCK).status == "done"
    assert sorted(bench.lines) == [0, 4]


def test_a_hybrid_is_degraded_until_its_front_is_used_again() -> None:
    bench = lost_front()
    assert bench.hybrid.health == "failed"  # only the front held what is dirty
    bench.write(0)
    bench.write(4 * BLOCK)
    assert bench.hybrid.dirty == 0
    assert bench.hybrid.health == "degraded"
    bench.hybrid.use_front()
    assert bench.hybrid.health == "optimal"


def test_a_bad_sector_of_the_front_keeps_nothing_else_from_the_back() -> None:
    bench = Bench(copy_size="4 KiB", copies=1, flush="10 s")
    for block in range(3):
        bench.write(block * BLOCK)
    bench.front.add_defects(0, [0])  # in the first block that was written
    bench.env.run(until=bench.env.now + 100)
    assert bench.hybrid.dirty == BLOCK
    assert bench.write(8 * BLOCK).status == "done"
    assert sorted(bench.lines) == [0, 1, 2, 8]  # the front is in use as ever
    assert bench.read(0).status == "failed"
    assert bench.read(BLOCK).status == "done"


def test_a_block_that_is_awaited_while_another_is_read_anew_comes_into_the_front() -> None:
    bench = Bench(write="through", promote="second")
    for block in (0, 0, 1):
        bench.read(block * BLOCK)
    assert sorted(bench.lines) == [0]
    bench.front.add_defects(0, [0])
    assert bench.ask("read", 0, 2 * BLOCK, 1.0).status == "done"
    assert sorted(bench.lines) == bench.clean == [1]


def test_a_front_is_used_again_only_when_it_was_given_up_and_works() -> None:
    bench = Bench()
    with pytest.raises(InputError, match="is in use"):
        bench.hybrid.use_front()
    bench.write(0)
    bench.front.fail()
    bench.read(0)
    with pytest.raises(InputError, match="has failed"):
        bench.hybrid.use_front()


# -- what is refused -----------------------------------------------------------------------------


def refusal(call: Any) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def test_drives_are_spoken_to_through_the_volume_that_they_are_in() -> None:
    hybrid = Bench(name="h").hybrid
    for call in (
        lambda: hybrid.fail(0),
        lambda: hybrid.rebuild(0),
        hybrid.check,
        lambda: hybrid.initialise(full=False),
        lambda: hybrid.trim(0, 4096),
        lambda: hybrid.set_air("30 C"),
    ):
        assert "call it on front or back" in refusal(call)


def test_what_is_under_a_hybrid_is_asked_through_it() -> None:
    bench = Bench(name="h")
    assert "a part of h" in refusal(lambda: bench.front.read(0, BLOCK))
    assert "a part of h" in refusal(lambda: bench.back.write(0, BLOCK))
    load = raidsim.Load(read="100 %", size="4 KiB", outstanding=1)
    assert "a part of h" in refusal(lambda: bench.back.start(load))


def test_a_volume_is_the_front_of_one_hybrid_only() -> None:
    bench = Bench(name="h")
    make = raidsim.Hybrid
    env, host = bench.env, bench.host
    assert "is in use by h" in refusal(lambda: make(env, bench.front, bench.back, host))
    assert "is a hybrid itself" in refusal(lambda: make(env, bench.hybrid, bench.back, host))
    other = raidsim.Volume(env, DISK, host, name="other")
    whole = refusal(lambda: make(env, other, bench.back, host, size="1 GiB"))
    assert "overlaps that of" in whole
    elsewhere = raidsim.Environment()
    assert "another environment" in refusal(lambda: make(elsewhere, other, bench.back, host))


def test_a_load_runs_on_a_hybrid_as_on_a_volume() -> None:
    bench = Bench(size="1 MiB")
    load = raidsim.Load(read="70 %", size="4 KiB", outstanding=4, limit={"ios": 500})
    running = bench.hybrid.start(load)
    bench.env.run(until=running)
    assert running.counts.completed == 500
    figures = bench.hybrid.figures
    assert figures.reads + figures.writes == 500
    assert bench.hybrid.held == bench.cache["used"]
    assert card_of(DISK).name == bench.hybrid.card.name


@pytest.mark.parametrize("block", ["16 KiB", "64 KiB", "256 KiB"])
def test_blocks_smaller_than_the_lines_of_its_controller_are_clean_once_they_are_written_back(
    block: str,
) -> None:
    env = raidsim.Environment(seed=1)
    host = raidsim.Host(env, "cisco-ucs-c240-m4")
    controller = raidsim.Controller(env, "cisco-12g-sas-raid-2gb")
    front = raidsim.Volume(env, "intel-p3700-800gb", host, name="front")
    back = raidsim.Volume(env, "cisco-hdd-600gb-15k", host, controller=controller, name="back")
    words = {"block": block, "front_size": "4 MiB", "size": "8 MiB", "flush": "10 ms"}
    hybrid = raidsim.Hybrid(env, front, back, host, controller=controller, **words)
    dirty = []
    for number in range(8):
        hybrid.write(number * 300 * KIB, 4 * KIB)
        env.run(until=env.now + 0.05)
        dirty.append(env.system.rows("caches")["dirty"].tolist())
    assert dirty == [[0, 0]] * 8
    assert env.system.rows("caches")["dirty_peak"].max() > 0


def test_writes_go_on_past_a_front_that_is_lost_while_spares_stand_in_for_its_drives():
    """The drives of its members answer, but what they held is gone: nobody waits for it."""
    env = raidsim.Environment(seed=1)
    host = raidsim.Host(env, HOST)
    front = raidsim.Volume(
        env, "fujitsu-ssd-sas2-mlc-200gb", host, level="raid5", drives=3, spares=2, state="fresh"
    )
    back = raidsim.Volume(env, DISK, host)
    hybrid = raidsim.Hybrid(
        env, front, back, host, size="1 MiB", front_size="256 KiB", block="16 KiB",
        write="back", low="0 %", flush="30 s",
    )  # fmt: skip
    env.run(hybrid.write(0, 64 * KIB))
    front.fail(2)
    front.fail(0)
    written = [hybrid.write(at * KIB, 16 * KIB) for at in range(0, 1024, 16)]
    env.run(until=env.now + 60.0)
    assert all(one.processed for one in written)


@pytest.mark.parametrize("key", ["evict", "block", "copies", "warm_share"])
def test_none_is_refused_where_it_means_nothing(key):
    env = raidsim.Environment()
    host = raidsim.Host(env, HOST)
    front, back = raidsim.Volume(env, DISK, host), raidsim.Volume(env, DISK, host)
    with pytest.raises(InputError, match=rf"hybrid\.{key}: is None"):
        raidsim.Hybrid(env, front, back, host, size="1 MiB", **{key: None})
