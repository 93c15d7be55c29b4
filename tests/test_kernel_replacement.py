"""What replacement policies are known for: what stays in a cache, and what has to go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import caches
import numpy as np
import pytest
from cached_array import started
from conftest import INTERPRETED, compiled_only
from hybrid_bench import BLOCK, DISK, HOST, KIB, Bench
from plain_policies import PLAIN

import raidsim
from raidsim.cards.reference import markdown as cards_page
from raidsim.intervene.cache_lines import arrange, clean_lines
from raidsim.kernel.replacement import NUMBERS, POLICIES, dispatch, names
from raidsim.scenario import from_data
from raidsim.scenario.reference import markdown as scenario_page

ROOT = Path(__file__).resolve().parents[1]
SEED = 20260101
ITEMS = 400
ROOMS = (7,) if INTERPRETED else (1, 7, 50)
LENGTH = 60 if INTERPRETED else 3000
SMART = ("arc", "sieve", "s3-fifo")


# -- traces ---------------------------------------------------------------------------------------


def zipf(length: int, exponent: float = 1.0) -> list[int]:
    """Independent reads of ITEMS blocks, whose popularity falls with their rank."""
    rng = np.random.default_rng(SEED)
    shares = np.arange(1, ITEMS + 1) ** -exponent
    ranks = rng.choice(ITEMS, size=length, p=shares / shares.sum())
    return rng.permutation(ITEMS)[ranks].tolist()


def scan(length: int) -> list[int]:
    """Each block once, from first to last."""
    return list(range(length))


def loop(length: int, around: int = 60) -> list[int]:
    """The same blocks over and over in order."""
    return [n % around for n in range(length)]


def scanned(length: int) -> list[int]:
    """Popular blocks, and after every two hundred reads a scan through sixty that never return."""
    popular, never, found = iter(zipf(length)), iter(range(ITEMS, ITEMS + length)), []
    while len(found) < length:
        found += _next(popular, 200) + _next(never, 60)
    return found[:length]


def mixed(length: int) -> list[int]:
    """A working set that moves, loops of several lengths, and random reads."""
    rng = np.random.default_rng(SEED)
    found: list[int] = []
    while len(found) < length:
        start = int(rng.integers(ITEMS))
        kind = rng.integers(3)
        if kind == 0:
            found += [start + n % int(rng.integers(5, 70)) for n in range(100)]
        elif kind == 1:
            found += (start + rng.geometric(0.05, 100)).tolist()
        else:
            found += rng.integers(0, 2 * ITEMS, 30).tolist()
    return found[:length]


def _next(these: Iterator[int], count: int) -> list[int]:
    return [block for _, block in zip(range(count), these, strict=False)]


TRACES = {"zipf": zipf, "scan": scan, "loop": loop, "scanned": scanned, "mixed": mixed}


# -- and who hits ---------------------------------------------------------------------------------


def hits(policy: str, room: int, trace: Iterable[int]) -> list[bool]:
    """Which reads of one block after the other the front of a hybrid answers."""
    keys = {"evict": policy, "front_size": f"{room * 4} KiB", "size": "16 MiB"}
    bench = Bench(**keys)
    found = []

    def reader() -> Any:
        for block in trace:
            before = int(bench.env.system.world.hybrids[0]["hits"])
            yield bench.hybrid.read(block * BLOCK, BLOCK)
            found.append(int(bench.env.system.world.hybrids[0]["hits"]) > before)
            yield bench.env.timeout(0.1)  # a block that was missed is in the front by then

    bench.env.run(until=bench.env.process(reader()))
    caches.check(bench.env.system)
    return found


@cache
def share(policy: str, room: int, trace: str) -> float:
    """Share of the second half of a trace's reads that are hits."""
    found = hits(policy, room, TRACES[trace](LENGTH))[LENGTH // 2 :]
    return sum(found) / len(found)


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("policy", PLAIN)
def test_each_read_hits_or_misses_as_the_paper_of_the_policy_says(
    policy: str, trace: str, room: int
) -> None:
    print("seed", SEED)
    blocks = TRACES[trace](LENGTH)
    plain = PLAIN[policy](room)
    assert hits(policy, room, blocks) == [plain.access(block) for block in blocks]


def test_every_policy_has_a_plain_one_beside_it() -> None:
    assert set(PLAIN) == set(names())


@compiled_only
def test_first_in_first_out_hits_no_more_often_than_least_recently_used_on_zipf() -> None:
    assert share("fifo", 50, "zipf") < share("lru", 50, "zipf")


@compiled_only
@pytest.mark.parametrize("policy", SMART)
def test_these_hit_more_often_on_zipf_than_least_recently_used(policy: str) -> None:
    assert share(policy, 50, "zipf") > share("lru", 50, "zipf")


@compiled_only
@pytest.mark.parametrize("policy", SMART)
def test_a_scan_takes_less_from_these_than_from_least_recently_used(policy: str) -> None:
    """What scans cost is the share of the hits on the popular blocks that they take away."""
    lost = {
        name: 1 - share(name, 50, "scanned") / (200 / 260) / share(name, 50, "zipf")
        for name in ("lru", policy)
    }
    assert lost[policy] < 0.8 * lost["lru"]


@compiled_only
@pytest.mark.parametrize("policy", ["lru", "fifo", "clock"])
def test_of_a_loop_longer_than_the_cache_these_hit_nothing(policy: str) -> None:
    assert share(policy, 50, "loop") == 0


@pytest.mark.parametrize("policy", names())
def test_a_loop_that_fits_hits_always_and_a_scan_never(policy: str) -> None:
    blocks = [*loop(60, 20), *range(100, 140)]
    assert hits(policy, 20, blocks) == [False] * 20 + [True] * 40 + [False] * 40


# -- what is dirty can't go -----------------------------------------------------------------------


@pytest.mark.parametrize("write", ["back", "through"])
@pytest.mark.parametrize("policy", names())
def test_the_books_of_a_front_are_in_order_whatever_is_written(policy: str, write: str) -> None:
    """Parts of blocks, several requests at a time, and power cuts."""
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    bench = Bench(evict=policy, write=write, front_size="64 KiB", size="256 KiB", low="20 %")
    for step in range(4 if INTERPRETED else 60):
        asked = []
        for _ in range(int(rng.integers(1, 9))):
            start, length = int(rng.integers(0, 490)), int(rng.integers(1, 21))
            op = bench.hybrid.write if rng.random() < 0.5 else bench.hybrid.read
            asked.append(op(start * 512, length * 512))
        bench.env.run(until=bench.env.now + float(rng.choice([0.001, 0.02, 2.0])))
        caches.check(bench.env.system)
        if step % 20 == 19:
            bench.env.cut_power()
            caches.check(bench.env.system)
            bench.env.run(until=bench.env.restore_power())
            caches.check(bench.env.system)
    bench.env.run(until=bench.env.now + 100)
    caches.check(bench.env.system)
    assert bench.cache["dirty"] <= 0.2 * bench.cache["size"]


@pytest.mark.parametrize("policy", names())
def test_a_block_that_was_dirty_is_no_new_one_when_it_is_clean_again(policy: str) -> None:
    """Used twice before it is written back, it stays longer than what was read once."""
    bench = Bench(evict=policy, front_size="40 KiB", size="1 MiB", flush="5 s", low="80 %")
    bench.write(0)
    bench.read(0)
    bench.read(0)
    bench.env.run(until=bench.env.now + 10)
    assert bench.hybrid.dirty == 0
    for block in range(1, 12 if policy in ("clock", *SMART) else 10):
        bench.read(block * BLOCK)
    assert 0 in bench.lines
    caches.check(bench.env.system)


def test_a_front_that_is_all_dirty_evicts_nothing() -> None:
    for policy in names():
        bench = Bench(evict=policy, front_size="16 KiB", high="100 %", low="100 %")
        for block in range(4):
            bench.write(block * BLOCK)
        bench.read(9 * BLOCK)
        assert sorted(bench.lines) == [0, 1, 2, 3]
        caches.check(bench.env.system)


@pytest.mark.parametrize("policy", names())
def test_a_new_front_remembers_nothing(policy: str) -> None:
    bench = Bench(evict=policy, front_size="16 KiB")
    for block in range(12):
        bench.read(block * BLOCK)
    bench.front.fail()
    bench.read(11 * BLOCK)
    bench.front.repair()
    bench.hybrid.use_front(empty=True)
    caches.check(bench.env.system)
    assert bench.env.system.world.histories["count"].sum() == 0


def test_a_front_without_room_holds_nothing() -> None:
    for policy in names():
        bench = Bench(evict=policy, front_size="0 B")
        for block in (0, 1, 0):
            bench.read(block * BLOCK)
        assert bench.lines == {}
        caches.check(bench.env.system)


def test_only_policies_that_remember_take_memory_for_it() -> None:
    for policy in POLICIES:
        system = Bench(evict=policy.name, front_size="48 KiB").env.system
        assert (system.count("ghosts") > 0) == policy.ghosts


# -- controllers ----------------------------------------------------------------------------------

LOADS = (
    {"read": "60 %", "outstanding": 8, "area": {"size": "6 MiB"}, "zipf": 1.0},
    {"read": "80 %", "random": "50 %", "size": "24 KiB", "align": "4 KiB", "outstanding": 3},
)
MODES = {"write": "back", "io": "cached", "read_ahead": "adaptive"}


@pytest.mark.parametrize("load", LOADS[:1] if INTERPRETED else LOADS)
@pytest.mark.parametrize("policy", names())
def test_a_controller_may_have_any_policy(policy: str, load: dict[str, Any]) -> None:
    """At any time its books are in order, and put together anew it goes on as before."""
    small = {"cache.size": "2 MiB", "cache.flush_time": "20 ms", "cache.replacement": policy}
    ended = []
    for anew in (False, True):
        built = started(load, volume=MODES, controller=small)
        assert built.system.world.caches[0]["policy"] == NUMBERS[policy]
        for ios in range(7, 70 if INTERPRETED else 1500, 61):
            built.system.run(budget=ios)
            caches.check(built.system)
            if anew:
                arrange(built.system, 0, clean_lines(built.system, 0))
                caches.check(built.system)
        row = built.system.world.caches[0]
        ended.append((built.system.now, int(row["hits"]), int(row["used"]), row["held"].tolist()))
    assert ended[0] == ended[1]


@pytest.mark.parametrize("policy", names())
def test_lines_of_several_sizes_share_a_cache(policy: str) -> None:
    """Two volumes with other strips behind one controller."""
    env = raidsim.Environment(seed=1)
    host = raidsim.Host(env, HOST)
    changes = {"cache.size": "2 MiB", "cache.replacement": policy}
    card = raidsim.Controller(env, "lsi-megaraid-1078-512", changes=changes)
    rng = np.random.default_rng(SEED)
    keys = {"level": "raid0", "drives": 2, "controller": card, "write": "back", "io": "cached"}
    strips = ("8 KiB", "256 KiB")
    volumes = [raidsim.Volume(env, DISK, host, strip=strip, **keys) for strip in strips]
    for _ in range(4 if INTERPRETED else 60):
        for volume in volumes:
            for _ in range(4):
                op = volume.write if rng.random() < 0.3 else volume.read
                op(int(rng.integers(0, 600)) * 8 * KIB, 8 * KIB)
        env.run(until=env.now + 0.05)
        caches.check(env.system)
    env.run()
    caches.check(env.system)
    assert env.system.world.caches[0]["dirty"] == 0


# -- the one registration -------------------------------------------------------------------------


def test_what_is_registered_is_a_word_of_scenarios_and_cards_and_stands_on_their_pages() -> None:
    for policy in POLICIES:
        assert f"{policy.name}: {policy.meaning}" in scenario_page()
        assert f"{policy.name}: {policy.meaning}" in cards_page()
        volumes = [{"name": name, "drive": DISK} for name in ("front", "back")]
        found = from_data(
            {
                "host": {"model": HOST},
                "volume": volumes,
                "hybrid": [{"front": "front", "back": "back", "evict": policy.name}],
                "load": [{"read": "100 %", "size": "4 KiB", "outstanding": 1}],
            }
        )
        assert found.hybrids[0].evict == policy.name


def test_each_policy_is_one_file_and_no_file_of_the_package_lacks_its_registration() -> None:
    folder = ROOT / "raidsim" / "kernel" / "replacement"
    shared = {"__init__", "dispatch", "ghosts", "queues", "tables"}
    files = {path.stem for path in folder.glob("*.py")} - shared
    assert files == {policy.name.replace("-", "_") for policy in POLICIES}
    assert all(hasattr(module, "victim") for module in dispatch.MODULES)
