"""Whatever a disk is like and whatever it is asked for: what always holds, instant by instant."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from one_disk import SMALL, loaded
from oracle.disk import Platter
from watching import scenario

from raidsim.assembly.hdd import AHEAD
from raidsim.kernel import mechanics
from raidsim.kernel import tables as t
from raidsim.kernel.jit import INTERPRETED

IOS = 25 if INTERPRETED else 80
PHASE = 5.0  # ns: roundings of one access and of what is read ahead behind it

CARDS = st.fixed_dictionaries(
    {
        "link__interface": st.sampled_from(["sata", "sas"]),
        "command__latency": st.sampled_from(["0 us", "20 us"]),
        "command__time": st.sampled_from(["0 us", "50 us"]),
        "command__queue_depth": st.sampled_from([1, 2, 8, 32]),
        "command__queues_uncached_writes": st.booleans(),
        "queue__discipline": st.sampled_from(["fifo", "sstf", "look", "sptf"]),
        "queue__ageing": st.sampled_from([0, 0.1, 2]),
        "capacity__physical_sector": st.sampled_from(["512 B", "4096 B"]),
        "spindle__speed": st.sampled_from(["5400 rpm", "7200 rpm", "15000 rpm"]),
        "geometry__heads": st.integers(1, 4),
        "geometry__zones": st.integers(1, 5),
        "geometry__track_outer": st.sampled_from(["4 MiB", "1000 KiB"]),
        "geometry__track_inner": st.sampled_from(["999 KiB", "500 KiB"]),
        "geometry__head_switch": st.sampled_from(["0 ms", "0.717 ms"]),
        "read_ahead__segments": st.integers(0, 4),
        "read_ahead__depth": st.sampled_from(["0 KiB", "64 KiB", "3 MiB"]),
        "read_ahead__minimum": st.sampled_from(["0 KiB", "100 KiB"]),
        "write_cache__enabled": st.booleans(),
        "write_cache__size": st.sampled_from(["64 KiB", "1 MiB"]),
        "write_cache__entries": st.sampled_from([1, 5, 64]),
    }
)
MEASURED = st.fixed_dictionaries(
    {
        "command__early_seek": st.booleans(),
        "access__zero_latency_reads": st.booleans(),
        "access__zero_latency_writes": st.booleans(),
        "geometry__write_head_switch": st.sampled_from(["0.1 ms", "0.9 ms"]),
        "buffer__read_watermark": st.sampled_from(["0 %", "100 %"]),
        "buffer__read_unit": st.sampled_from(["0 B", "4 KiB"]),
        "read_ahead__segment": st.sampled_from(["32 KiB", "1 MiB"]),
        "read_ahead__until": st.sampled_from([*AHEAD]),
        "read_ahead__on_hit": st.booleans(),
        "read_ahead__from_landing": st.booleans(),
        "write_cache__shares_segments": st.booleans(),
        "write_cache__read_hits": st.booleans(),
    }
)
OVERHEADS = {
    f"overhead__{op}_{hit}_after_{before}": f"{10 + 7 * n} us"
    for n, (op, hit, before) in enumerate(
        product(("read", "write"), ("hit", "miss"), ("read", "write"))
    )
}
LOADS = st.fixed_dictionaries(
    {
        "read": st.sampled_from(["0 %", "30 %", "70 %", "100 %"]),
        "random": st.sampled_from(["0 %", "50 %", "100 %"]),
        "size": st.sampled_from(["512 B", "4 KiB", "61 KiB", "512 KiB", "2 MiB"]),
        "align": st.sampled_from(["512 B", "4 KiB"]),
        "outstanding": st.sampled_from([1, 3, 16, 60]),
        "think": st.sampled_from(["0 us", "300 us", "20 ms"]),
        # Small areas: reads and writes meet, overwrite and continue one another.
        "area": st.sampled_from(
            [
                {"size": "2 MiB"},
                {"size": "rest"},
                {"offset": "950 MiB", "size": "rest"},
            ]
        ),
    }
)


def cached_tasks(world: Any, disk: Any) -> Any:
    """Writes that are acknowledged and wait for the arm."""
    tasks = world.tasks[disk["first_task"] : disk["first_task"] + disk["waiting"]]
    return tasks[(tasks["op"] == t.WRITE) & (tasks["command"] == t.NONE)]


def check_places(world: Any, disk: Any) -> None:
    """The head is inside the drive; segments and waiting accesses are too."""
    assert 0 <= disk["cylinder"] < disk["cylinders"]
    assert 0 <= disk["head"] < disk["heads"]
    extents = world.extents[disk["first_extent"] : disk["first_extent"] + disk["extents"]]
    assert (extents["start"] >= 0).all()
    assert (extents["start"] <= extents["end"]).all()
    assert (extents["end"] <= disk["size"]).all()
    assert (extents["end"] - extents["start"] <= disk["segment"]).all()
    tasks = world.tasks[disk["first_task"] : disk["first_task"] + disk["waiting"]]
    assert (tasks["offset"] >= 0).all()
    assert (tasks["length"] > 0).all()
    assert (tasks["offset"] + tasks["length"] <= disk["size"]).all()


def check_counts(world: Any, disk: Any, drive: Any, depth: int) -> None:
    """Nothing is negative or more than there is room for, and the write cache adds up."""
    cached = cached_tasks(world, disk)
    in_hand = disk["moving"] == 1 and disk["op"] == t.WRITE and disk["command"] == t.NONE
    kept = int(cached["length"].sum()) + (int(disk["length"]) if in_hand else 0)
    coming = world.jobs[world.jobs["stage"] == t.STAGE_DISK_LINK_WRITE]
    if disk["cached"]:
        coming = coming[coming["length"] <= disk["cache"]]
        assert disk["dirty"] == kept + int(coming["length"].sum())
        assert disk["taken"] == len(cached) + in_hand + len(coming)
    assert drive["unsafe"] == kept <= drive["unsafe_peak"]
    assert 0 <= disk["dirty"] <= disk["cache"]
    assert 0 <= disk["taken"] <= disk["entries"]
    assert 0 <= disk["waiting"] <= min(depth, 60) + disk["entries"]
    assert world.stations[disk["arm"]]["waiting"] == disk["waiting"]


def check_rotation(platter: Platter, world: Any, disk: Any) -> None:
    """An access ends just when its last byte has passed under the head."""
    job = world.jobs[disk["arm_job"]]
    if disk["moving"] == 0 or job["stage"] != t.STAGE_DISK_ARM:
        return
    end = int(disk["stop"] if disk["op"] == t.READ else disk["offset"] + disk["length"])
    track = platter.track(end - 1)
    angle = platter.angle(end - 1) + platter.turn / track.size
    off = (int(job["finish"]) - angle + platter.turn / 2) % platter.turn - platter.turn / 2
    assert abs(off) < PHASE


@settings(max_examples=20 if INTERPRETED else 80)
@given(CARDS, st.lists(LOADS, min_size=1, max_size=2), st.integers(0, 2**32 - 1))
def test_time_head_counts_and_rotation_hold_at_every_instant(card, loads, seed):
    watch(card, loads, seed)


@settings(max_examples=20 if INTERPRETED else 60)
@given(CARDS, MEASURED, st.lists(LOADS, min_size=1, max_size=2), st.integers(0, 2**32 - 1))
def test_they_hold_for_disks_that_were_measured(card, measured, loads, seed):
    watch(card | measured | OVERHEADS, loads, seed)


def watch(card: dict[str, Any], loads: list[dict[str, Any]], seed: int) -> None:
    """Go through loads on a disk from instant to instant, and check what always holds."""
    limited = [load | {"limit": {"ios": IOS}} for load in loads]
    built = loaded(*limited, seed=seed, **SMALL | card)
    system = built.system
    shape = SMALL | card
    spec = scenario({}, drive=as_keys(shape), model="nl-sas-2tb")
    platter = Platter(spec.volumes[0].card)
    depth = card["command__queue_depth"]
    last = 0
    while system.state["events"] > 0:
        time = system.next_time
        assert time >= last
        last = time
        system.run(horizon=time)
        assert system.now <= time
        world, disk = system.world, system.world.disks[0]
        check_places(world, disk)
        check_counts(world, disk, world.drives[0], depth)
        if not disk["zero_latency"].any():
            check_rotation(platter, world, disk)
    world, disk = system.world, system.world.disks[0]
    streams = world.streams[: len(loads)]
    assert streams["completed"].tolist() == [IOS] * len(loads)
    assert not streams["in_flight"].any()
    assert disk["waiting"] == disk["taken"] == disk["dirty"] == world.drives[0]["unsafe"] == 0
    assert disk["first_waiting"] == t.NONE
    # All jobs are free again but the one that stands for the arm.
    busy = np.flatnonzero(world.jobs["stage"] != t.STAGE_FREE)
    assert busy.tolist() == [disk["arm_job"]]


def as_keys(changes: dict[str, Any]) -> dict[str, Any]:
    """Keys of the card, with dots."""
    return {key.replace("__", "."): value for key, value in changes.items()}


@given(CARDS, st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_the_next_byte_of_a_track_is_always_the_next_to_come_by(card, seed):
    built = loaded({}, seed=seed, **SMALL | card)
    world, disk = built.system.world, built.system.world.disks[0]
    rng = np.random.default_rng(seed)
    turn = int(disk["revolution"])
    for offset in rng.integers(0, disk["size"] - 1, 20).tolist():
        here, there = (mechanics.locate(world, disk, o) for o in (offset, offset + 1))
        apart = (there[2] - here[2]) % turn
        if there[:2] == here[:2]:
            assert 0 < apart < turn / 400_000
        assert 0 <= here[0] < disk["cylinders"]
        assert 0 <= here[1] < disk["heads"]
