"""Trims: what a host need not have kept takes no room on flash, and so makes room."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import INTERPRETED, compiled_only

from raidsim.control.model import BuiltSystem, build
from raidsim.errors import InputError
from raidsim.kernel.array_tables import TRANSFERS
from raidsim.kernel.tables import NONE, TRIM, WRITE
from raidsim.observe import figures
from raidsim.scenario import from_data

IOS = 400 if INTERPRETED else 40_000
HOST = {"model": "fujitsu-rx2540-m1"}
# A drive that is small for its kind, so that a test comes round all of it.
SMALL = {"capacity.user": "8 GB", "flash.pages_per_block": 64}
DRIVE = {"drive": "intel-p3700-800gb", "set": SMALL}
LOAD = {"read": "0 %", "size": "4 KiB", "outstanding": 8}


def built_of(load, volume=None, **others) -> BuiltSystem:
    return build(from_data({"host": HOST, "volume": [volume or DRIVE], "load": [load], **others}))


def run(built: BuiltSystem, ios: int = IOS) -> BuiltSystem:
    for stream in built.streams["load"]:
        built.system.begin(stream)
    built.system.run(budget=ios)
    return built


def mapped(built: BuiltSystem, drive: int = 0) -> float:
    """Share of the units of a drive's map that lie somewhere."""
    world = built.system.world
    row = world.ftls[world.ssds[drive]["ftl"]]
    pages = world.pages[int(row["first_map"]) :][: -(-int(row["units"]) // 64)]
    leaves = np.where(pages < 0, ~pages, pages)
    entries = world.leaves.reshape(-1, 64)[leaves].ravel()[: int(row["units"])]
    return float((entries != NONE).mean())


@compiled_only
def test_what_is_trimmed_lies_nowhere_any_more():
    half = LOAD | {"trim": "100 %", "random": "0 %", "size": "64 MiB", "area": {"size": "4 GiB"},
                   "limit": {"bytes": "4 GiB"}}  # fmt: skip
    built = built_of(half, DRIVE | {"state": "filled"})
    assert mapped(built) == 1.0
    # A map of a large drive stands for it in groups of units: one of them may count for another.
    assert mapped(run(built)) == pytest.approx(1 - 2**32 / 8e9, abs=0.03)


def test_a_trim_transfers_nothing_and_is_no_write():
    built = run(built_of(LOAD | {"trim": "100 %", "size": "256 KiB"}, DRIVE | {"state": "filled"}))
    world = built.system.world
    assert world.drives[0]["host_written"] == 0
    assert world.ssds[0]["stored"] == 0
    assert world.stations[world.ssds[0]["link_to_drive"]]["served"] == 0
    streams = world.streams[built.streams["load"]]
    assert streams["window_ios"].sum() == 0
    assert streams["window_others"][:, TRIM - 2].sum() == IOS


def test_requests_have_the_shares_that_are_asked_for():
    load = LOAD | {"read": "50 %", "trim": "20 %"}
    built = run(built_of(load, DRIVE | {"state": "fresh"}))
    streams = built.system.world.streams[built.streams["load"]]
    reads, writes = streams["window_ios"].sum(axis=0) / IOS
    trims = streams["window_others"][:, TRIM - 2].sum() / IOS
    slack = 5 / np.sqrt(IOS)
    assert (reads, writes, trims) == pytest.approx((0.5, 0.3, 0.2), abs=slack)


@pytest.mark.skipif(INTERPRETED, reason="wears in a drive, which takes the compiled kernel")
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_random_writes_and_trims_leave_the_share_mapped_that_is_written(share):
    """A unit is mapped if what came to it last was a write: in equilibrium 1 - share of them."""
    steady = built_of(LOAD | {"trim": f"{100 * share} %"})
    assert mapped(steady) == pytest.approx(1 - share, abs=0.02)
    assert mapped(run(steady)) == pytest.approx(1 - share, abs=0.02)


@pytest.mark.skipif(INTERPRETED, reason="wears in a drive, which takes the compiled kernel")
def test_the_more_is_trimmed_the_less_is_moved():
    moved = []
    for share in ("0 %", "10 %", "30 %"):
        world = run(built_of(LOAD | {"trim": share})).system.world
        moved.append(world.ssds[0]["moved"] / world.ssds[0]["stored"])
    assert moved[0] > 1.3 * moved[1] > 1.3**2 * moved[2]


@pytest.mark.parametrize(
    ("volume", "commands"),
    [
        ({"level": "raid0", "drives": 2}, 1),
        ({"level": "raid1", "drives": 2}, 2),
        ({"level": "raid10", "drives": 4}, 2),
    ],
)
def test_md_passes_trims_to_every_drive_that_holds_the_data(volume, commands):
    built = run(built_of(LOAD | {"trim": "100 %"}, DRIVE | {"state": "filled"} | volume), IOS // 4)
    array = built.system.world.arrays[0]
    counts = array["device_ios"].reshape(-1, TRANSFERS)[0]
    done = figures.counts(built.system, built.streams["load"])
    assert counts[7] == counts.sum()
    assert commands * done.completed <= counts[7] <= commands * done.issued
    shares = [mapped(built, drive) for drive in range(volume["drives"])]
    assert max(shares) < 1.0


@pytest.mark.parametrize(
    ("volume", "others", "words"),
    [
        ({"level": "raid5", "drives": 3}, {}, "under parity"),
        ({"drive": "seagate-st373455ss", "set": {}}, {}, "a hard disk"),
        ({}, {"controller": [{"model": "lsi-megaraid-1078-512"}]}, "does not pass"),
    ],
)
def test_where_trims_do_not_come_to_the_drives_a_load_of_them_is_refused(volume, others, words):
    with pytest.raises(InputError, match=words):
        built_of(LOAD | {"trim": "10 %"}, DRIVE | volume, **others)


def test_reads_and_trims_are_no_more_than_all_requests():
    with pytest.raises(InputError, match="more than all requests"):
        built_of(LOAD | {"read": "90 %", "trim": "20 %"})


@pytest.mark.parametrize("what", [{"flush_every": 8}, {"fua": True}], ids=str)
def test_a_load_that_only_reads_and_trims_has_nothing_to_flush(what):
    with pytest.raises(InputError, match=r"has none; give less of reads or of trims"):
        built_of(LOAD | {"read": "50 %", "trim": "50 %"} | what)
    with pytest.raises(InputError, match=r'has none; write read = "50 %"'):
        built_of(LOAD | {"read": "100 %", "trim": "0 %"} | what)
    built_of(LOAD | {"read": "50 %", "trim": "40 %"} | what, DRIVE | {"state": "fresh"})


def test_the_kind_of_a_request_is_that_of_the_same_number_without_trims():
    """Draws are by the number of the I/O: what was a read stays one, at the same place."""
    with_trims = built_of(LOAD | {"read": "40 %", "trim": "30 %"}, DRIVE | {"state": "fresh"})
    without = built_of(LOAD | {"read": "40 %"}, DRIVE | {"state": "fresh"})
    assert WRITE == 1
    reads = [
        int(run(one).system.world.streams[one.streams["load"]]["window_ios"][:, 0].sum())
        for one in (with_trims, without)
    ]
    assert abs(reads[0] - reads[1]) <= 8
