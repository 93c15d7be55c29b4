"""What a storage engineer expects of a cache or tier in front of a volume."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import compiled_only
from hybrid_bench import BLOCK, DISK, FLASH, HOST, KIB, Bench
from scipy.optimize import brentq

import raidsim
from raidsim.running import run
from raidsim.scenario import from_data

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
