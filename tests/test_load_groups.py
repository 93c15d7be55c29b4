"""Loads that run one after the other: each group is measured as if it were alone."""

from __future__ import annotations

import pytest

import raidsim
from raidsim.control.model import Model
from raidsim.errors import InputError
from raidsim.fio.files import files_of
from raidsim.fio.written import keep
from raidsim.observe.ios import Keeper
from raidsim.running import run_and_keep
from raidsim.running.session import Session
from raidsim.scenario import from_data

DISK = {"host": {"model": "fujitsu-rx300-s4"}, "volume": [{"drive": "seagate-st373455ss"}]}
FLASH = {
    "host": {"model": "fujitsu-rx2540-m1"},
    "volume": [{"drive": "intel-p3700-800gb", "state": "fresh"}],
}
MEASURE = {"measure": {"precision": "2 %", "min_ios": 4000}}
FIRST = {
    "name": "first", "read": "100 %", "size": "64 KiB", "random": "0 %", "outstanding": 2,
    "limit": {"time": "2 s"},
}  # fmt: skip
SECOND = {"name": "second", "read": "100 %", "size": "4 KiB", "outstanding": 8}


def points_of(hardware, *loads):
    return {point.load: point for point in raidsim.run(scenario(hardware, *loads)).points}


def scenario(hardware, *loads):
    return from_data({**hardware, **MEASURE, "load": list(loads)})


def test_a_load_behind_another_has_the_throughput_that_it_has_alone():
    alone = points_of(DISK, SECOND)["second"]
    behind = points_of(DISK, FIRST, SECOND | {"after": "first"})["second"]
    assert behind.iops.mean == pytest.approx(alone.iops.mean, rel=0.04)
    assert behind.latency_ms["read"].p99 == pytest.approx(alone.latency_ms["read"].p99, rel=0.08)
    assert behind.converged
    assert behind.iops.low < behind.iops.mean < behind.iops.high


def test_a_load_with_another_behind_it_does_not_see_it():
    alone = points_of(DISK, FIRST)["first"]
    found = points_of(DISK, FIRST, SECOND | {"after": "first"})["first"]
    assert (found.iops, found.latency_ms, found.counts) == (
        alone.iops, alone.latency_ms, alone.counts,
    )  # fmt: skip


def test_times_of_a_later_group_count_from_its_own_start():
    third = SECOND | {"name": "third", "after": "second", "limit": {"time": "3 s"}}
    second = SECOND | {"after": "first", "limit": {"time": "1 s"}}
    found = points_of(DISK, FIRST, second, third)
    assert found["first"].window_s == pytest.approx(2.0, abs=0.1)
    assert found["second"].window_s == pytest.approx(1.0, abs=0.1)
    assert found["third"].window_s == pytest.approx(3.0, abs=0.1)
    assert found["third"].iops.mean == pytest.approx(found["second"].iops.mean, rel=0.1)


def test_a_load_without_an_end_stops_with_its_group():
    beside = SECOND | {"name": "beside"}
    found = points_of(DISK, FIRST, beside, SECOND | {"after": "first"})
    assert found["beside"].window_s == pytest.approx(2.0, abs=0.1)
    assert found["second"].iops.mean == pytest.approx(
        points_of(DISK, SECOND)["second"].iops.mean, rel=0.04
    )


@pytest.mark.parametrize("beside", [(), (SECOND | {"name": "beside"},)])
def test_nothing_of_a_group_is_left_when_the_next_one_begins(beside):
    asked = scenario(DISK, FIRST, *beside, SECOND | {"after": "first"})
    model = Model(asked)
    session = Session(model, None, asked.groups[0])
    session.measure()
    session.leave()
    streams = model.env.system.world.streams[session.all_streams]
    assert streams["in_flight"].sum() == 0
    assert model.env.system.state["awaited"] == 0


def test_what_one_group_has_read_is_in_the_cache_of_the_controller_for_the_next():
    raid = {
        "host": {"model": "fujitsu-rx300-s4"},
        "controller": [{"model": "lsi-megaraid-1078-512"}],
        "volume": [{"drive": "seagate-st373455ss", "io": "cached"}],
    }
    area = {"size": "64 MiB"}
    once = {"name": "once", "read": "100 %", "random": "0 %", "size": "64 KiB", "outstanding": 4,
            "area": area, "limit": {"bytes": "64 MiB"}}  # fmt: skip
    again = SECOND | {"name": "again", "area": area, "limit": {"ios": 1000}}
    ((empty,), (full,)) = (
        point.controllers
        for point in (
            points_of(raid, again)["again"],
            points_of(raid, once, again | {"after": "once"})["again"],
        )
    )
    assert full.hits == full.reads == 1000
    assert empty.hits < 500


def test_bursts_traces_and_groups_end_in_the_same_result_twice():
    loads = (FIRST, SECOND | {"after": "first", "burst": {"on": "10 ms", "off": "10 ms"}})
    assert points_of(DISK, *loads) == points_of(DISK, *loads)


def test_groups_of_loads_are_those_of_fio():
    asked = scenario(FLASH, FIRST | {"limit": {"ios": 200}}, SECOND | {"after": "first"})
    keeper = Keeper(keep)
    result = run_and_keep(asked, keeper)
    (written,) = files_of(asked, result, keeper.found).contents.values()
    assert b'"groupid": 0' in written
    assert b'"groupid": 1' in written


@pytest.mark.parametrize(
    ("loads", "key", "words"),
    [
        ([FIRST, SECOND | {"after": "nobody"}], "load[1].after", "not a load above"),
        ([FIRST | {"after": "second"}, SECOND], "load[0].after", "not a load above"),
        ([FIRST | {"after": "first"}], "load.after", "not a load above"),
        ([FIRST | {"limit": {}}, SECOND | {"after": "first"}], "load[1].after", "does not end"),
    ],
)
def test_a_load_begins_after_one_that_stands_above_it_and_ends(loads, key, words):
    with pytest.raises(InputError) as caught:
        scenario(DISK, *loads)
    (problem,) = caught.value.problems
    assert problem.key == key
    assert words in problem.cause


def test_events_begin_loads_themselves():
    event = {"kind": "drive-failure", "at": "1 s", "drive": 0}
    with pytest.raises(InputError, match="cannot be used with events"):
        from_data({**DISK, "load": [FIRST, SECOND | {"after": "first"}], "event": [event]})
