"""A cache that is put together anew from the fields of its lines."""

from __future__ import annotations

import numpy as np
import pytest
from cached_array import KIB, MIB, cache_of, commands_of, started
from simpy_arrays import SAS, array, raid_card, server
from simpy_models import in_turn

import raidsim
from raidsim.intervene.cache_lines import arrange, chosen, clean_lines, ranges, rows_of, under_way

SMALL = {"cache.size": "2 MiB", "cache.flush_time": "20 ms"}
LOADS = (
    {"read": "30 %", "outstanding": 8, "area": {"size": "8 MiB"}},
    {"read": "0 %", "size": "96 KiB", "align": "1 KiB", "outstanding": 4},
    {"read": "70 %", "random": "0 %", "size": "16 KiB", "outstanding": 2},
)
MODES = {"write": "back", "io": "cached", "read_ahead": "adaptive"}


@pytest.mark.parametrize("load", LOADS)
def test_a_cache_put_together_anew_goes_on_as_before(load):
    """At moments that differ, and over and over: to the last nanosecond the same run."""
    found = []
    for anew in (False, True):
        built = started(load, volume=MODES, controller=SMALL)
        for ios in range(7, 1500, 61):
            built.system.run(budget=ios)
            if anew:
                arrange(built.system, 0, clean_lines(built.system, 0))
        row = cache_of(built)
        names = ("used", "clean", "dirty", "hits", "tasks", "wanted")
        sums = {name: int(row[name]) for name in names}
        found.append((built.system.now, commands_of(built), sums))
    assert found[0] == found[1]
    assert found[0][2]["used"] > 0


def test_its_sums_are_those_of_its_lines():
    built = started(LOADS[0], volume=MODES, controller=SMALL)
    built.system.run(budget=500)
    row, lines = cache_of(built), rows_of(built.system, 0)
    before = {name: int(row[name]) for name in ("used", "clean", "dirty", "wanted")}
    for name in before:
        row[name] = 0
    arrange(built.system, 0, clean_lines(built.system, 0))
    assert {name: int(row[name]) for name in before} == before
    assert before["wanted"] > 0
    assert before["dirty"] == built.system.world.arrays[0]["dirty"]
    assert before["dirty"] == lines["size"][(lines["dirty"] | lines["busy"]) != 0].sum()


@pytest.mark.parametrize("load", LOADS)
def test_what_destages_have_under_way_is_part_of_what_is_busy(load):
    """What one of two has done stays busy until the other has."""
    built = started(load, volume=MODES, controller=SMALL)
    seen = 0
    for ios in range(7, 800, 61):
        built.system.run(budget=ios)
        masks, tasks = under_way(built.system, 0, [0])
        lines = rows_of(built.system, 0)
        assert tasks.tolist() == np.where(lines["busy"] != 0, lines["destages"], 0).tolist()
        assert not (masks & ~lines["busy"]).any()
        assert not masks[tasks == 0].any()
        assert masks[tasks > 0].all()
        seen += tasks.sum()
    assert seen > 0


def test_ranges_are_what_was_written_in_order_and_joined():
    env, host = server()
    card = raid_card(env)
    data = array(host, "raid0", 2, model=SAS, controller=card, write="back")
    pieces = [(2 * MIB, 64 * KIB), (3 * KIB, 200 * KIB), (MIB, KIB), (2 * MIB - KIB, KIB)]
    in_turn(data, *(("write", start, length) for start, length in pieces))
    rows = chosen(env.system, 0, [data.row])
    joined = [(3 * KIB, 200 * KIB), (MIB, KIB), (2 * MIB - KIB, 65 * KIB)]
    assert ranges(env.system, 0, rows) == {data.row: joined}
    end = data.capacity - 4 * KIB
    in_turn(data, ("write", end, 4 * KIB))
    rows = chosen(env.system, 0, [data.row])
    assert ranges(env.system, 0, rows) == {data.row: [*joined, (end, 4 * KIB)]}


@pytest.mark.parametrize("strip", ["512 B", "16 KiB", "64 KiB", "256 KiB"])
def test_a_cache_never_runs_out_of_lines_before_its_bytes_are_used(strip: str) -> None:
    """Of single drives too, whose strips the controller's card says nothing about."""
    env = raidsim.Environment(seed=1)
    host = raidsim.Host(env, "fujitsu-rx300-s4")
    card = raidsim.Controller(env, "cisco-12g-sas-raid-2gb", changes={"cache.size": "4 MiB"})
    words = {"controller": card, "strip": strip, "write": "back"}
    data = raidsim.Volume(env, "seagate-st373455ss", host, **words)
    world = env.system.world
    cache, line = world.caches[0], world.arrays[world.volumes[data.row]["array"]]["line"]
    assert cache["lines"] * line >= cache["size"]
    asked = [data.write(place, 64 * 1024) for place in range(0, 6 * 2**20, 64 * 1024)]
    env.run()
    assert all(one.value.ok for one in asked)
