"""The kernel notes I/Os one by one where it is given room, and changes nothing by that."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import INTERPRETED

from raidsim.control.model import BuiltSystem, build
from raidsim.intervene import window
from raidsim.kernel.tables import READ
from raidsim.observe import figures, ios
from raidsim.scenario import from_data

IOS = 300 if INTERPRETED else 3000
HOST = {"model": "fujitsu-rx300-s4"}
LOAD = {"read": "60 %", "size": "8 KiB", "workers": 2, "area": {"offset": "1 GiB", "size": "1 GiB"},
        "outstanding": 4}  # fmt: skip
VOLUMES = {
    "a drive": {"host": HOST, "volume": [{"drive": "intel-p3700-800gb", "state": "fresh"}]},
    "an array behind a cache": {
        "host": HOST,
        "controller": [{"model": "lsi-megaraid-1078-512"}],
        "volume": [{"level": "raid5", "drives": 4, "drive": "seagate-st373455ss",
                    "write": "back"}],
    },
    "a hybrid": {
        "host": HOST,
        "volume": [{"name": "flash", "drive": "intel-p3700-800gb", "state": "fresh"},
                   {"name": "disks", "drive": "seagate-st373455ss"}],
        "hybrid": [{"front": "flash", "back": "disks"}],
    },
}  # fmt: skip


def system(name: str) -> BuiltSystem:
    volume = {"volume": "hybrid"} if name == "a hybrid" else {}
    return build(from_data(VOLUMES[name] | {"load": [LOAD | volume]}))


def go(built: BuiltSystem, most: int | None) -> tuple[int, int]:
    """Run for a while, with so many I/Os noted; the time and the sum of all latencies."""
    if most is not None:
        built.system.log_ios(most)
    for stream in built.streams["load"]:
        built.system.begin(stream)
    built.system.run(budget=IOS)
    return built.system.now, int(built.system.world.streams["window_ns"].sum())


@pytest.mark.parametrize("name", VOLUMES)
def test_the_ios_that_are_noted_are_those_that_are_counted(name):
    built = system(name)
    go(built, 2 * IOS)
    found = ios.of(built.system, built.streams["load"], 2)
    streams = built.streams["load"]
    assert len(found.op) == figures.counts(built.system, streams).measured == IOS
    assert found.ios == (int((found.op == READ).sum()), int((found.op != READ).sum()))
    assert found.bytes == tuple(8192 * count for count in found.ios)
    passed = built.system.world.streams["window_ns"][streams].sum()
    assert (found.completed - found.issued).sum() == passed
    assert found.left_out == 0
    assert set(found.worker.tolist()) == {0, 1}


@pytest.mark.parametrize("name", VOLUMES)
def test_an_io_is_issued_then_submitted_then_completed_inside_its_area(name):
    built = system(name)
    go(built, 2 * IOS)
    found = ios.of(built.system, built.streams["load"], 2)
    assert (found.issued < found.submitted).all(), "submission takes CPU time"
    assert (found.submitted < found.completed).all()
    assert (np.diff(found.completed) >= 0).all()
    assert (found.offset >= 2**30).all()
    assert (found.offset + found.length <= 2**31).all()


@pytest.mark.parametrize("name", VOLUMES)
def test_noting_ios_changes_nothing(name):
    assert go(system(name), None) == go(system(name), IOS // 2)


def test_nothing_is_noted_unless_asked_for_and_no_more_than_there_is_room():
    built = system("a drive")
    go(built, None)
    assert built.system.state["logged"] == len(built.system.world.ios) == 0
    built = system("a drive")
    go(built, 10)
    found = ios.of(built.system, built.streams["load"], 2)
    assert (len(found.op), found.left_out) == (10, IOS - 10)


def test_a_window_notes_only_what_completes_in_it():
    built = system("a drive")
    go(built, 2 * IOS)
    window.reset(built.system)
    built.system.run(budget=IOS + 50)
    found = ios.of(built.system, built.streams["load"], 2)
    assert len(found.op) == 50
    assert (found.completed > 0).all()
    assert (found.issued < 0).any(), "what was under way when the window opened"
