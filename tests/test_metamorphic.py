"""Laws that hold for every scenario: scenarios are drawn at random, and the laws are old.

The first half are operational laws, exact to the ns. The second half compares a scenario with a
changed one of which it is known what the change may do.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from random_scenarios import DISKS, around, drawn, load, volume
from scipy.stats import ks_2samp
from watching import begin

from raidsim.control.model import BuiltSystem, build
from raidsim.intervene import window
from raidsim.kernel import tables as t
from raidsim.result import Point
from raidsim.running import run
from raidsim.scenario import from_data

SEEDS = range(20)
SOME = range(100, 109)  # of the seeds, where each takes a second
IOS = 600


def started(words: dict[str, Any], **keys: Any) -> BuiltSystem:
    """The scenario of these words, its loads under way; ``keys`` change all of them."""
    changed = words | {"load": [one | keys for one in words["load"]]}
    built = build(from_data(changed))
    begin(built)
    return built


def under_way(built: BuiltSystem) -> Any:
    """Rows of the I/Os of hosts that have been issued and are not complete."""
    jobs = built.system.world.jobs
    asked = (jobs["stage"] != t.STAGE_FREE) & (jobs["parent"] == t.NONE) & (jobs["serial"] > 0)
    return jobs[asked & (jobs["stream"] != t.NONE)]


def stations(built: BuiltSystem) -> Any:
    """Rows of all stations, their areas up to the present time."""
    window.settle_areas(built.system)
    return built.system.world.stations[: built.system.count("stations")]


# -- operational laws ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_latencies_add_up_to_outstanding_ios_times_time(seed):
    """Little's law, L = lambda W: each slot of a closed load always has one I/O under way."""
    built = started(drawn(seed))
    system = built.system
    system.run(budget=IOS)
    system.run(horizon=system.now)  # the slots that are free at this instant issue again
    waiting = under_way(built)
    passed = int(system.world.streams["window_ns"].sum()) + int(
        (system.now - waiting["issued"]).sum()
    )
    slots = int(system.world.streams["outstanding"][: system.count("streams")].sum())
    assert len(waiting) == slots
    assert passed == slots * system.now


@pytest.mark.parametrize("seed", SEEDS)
def test_no_read_waits_for_ever_beside_a_stream(seed):
    """What is never served is in no latency: no figure would say so."""
    random = Random(seed)
    level, drives = random.choice([("single", 1), ("raid1", 2), ("raid0", 3), ("raid5", 4)])
    disks = {"name": "data", "drive": random.choice(DISKS), "level": level, "drives": drives}
    stream = {
        "name": "stream",
        "read": random.choice(["0 %", "100 %"]),
        "random": "0 %",
        "size": random.choice(["64 KiB", "512 KiB"]),
        "outstanding": random.choice([2, 4, 8]),
    }
    reader = {"name": "reader", "read": "100 %", "size": "4 KiB"}
    reader["outstanding"] = random.choice([1, 2, 4])
    built = started(around(seed, [disks], [stream, reader]))
    built.system.run(budget=4000)
    waited = built.system.now - under_way(built)["issued"]
    assert waited.max() < 0.2 * built.system.now


@pytest.mark.parametrize("seed", SEEDS)
def test_stations_were_busy_as_long_as_they_served_and_had_queues_as_long_as_jobs_waited(seed):
    """The utilisation law and Little's law at every station, once all is over."""
    built = started(drawn(seed), limit={"ios": IOS})
    built.system.run()
    rows = stations(built)
    names = [one.name for one in built.system.names]
    used = {n: r for n, r in zip(names, rows, strict=True) if r["arrivals"] > 0}
    assert used
    assert not {
        n: (r["arrivals"], r["finishes"]) for n, r in used.items() if r["arrivals"] != r["finishes"]
    }
    assert not {
        n: (r["queue_area"], r["waited"]) for n, r in used.items() if r["queue_area"] != r["waited"]
    }
    assert not {
        n: (r["busy_area"], r["served"]) for n, r in used.items() if r["busy_area"] != r["served"]
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_no_server_is_idle_while_a_job_waits_for_it(seed):
    built = started(drawn(seed), limit={"ios": 100})
    system = built.system
    while system.state["events"] > 0:
        system.run(horizon=system.next_time)
        rows = system.world.stations[: system.count("stations")]
        idle = np.flatnonzero((rows["waiting"] > 0) & (rows["busy"] < rows["servers"]))
        assert not [system.names[i].name for i in idle], f"at {system.now} ns"


def device_ios(level: str, drives: int) -> int:
    """Commands of a write within one strip: copies, or the cheaper way to new parity."""
    if level in ("raid5", "raid50", "raid6", "raid60"):
        spans = 2 if level in ("raid50", "raid60") else 1
        return min(6 if level in ("raid6", "raid60") else 4, drives // spans)
    return 1 if level == "raid0" else 2


@pytest.mark.parametrize("seed", SEEDS)
def test_each_small_request_costs_the_device_ios_of_its_level(seed):
    random = Random(seed)
    one = volume(random)
    if one["level"] == "single":
        one |= {"level": "raid5", "drives": 3 + seed % 4}
    if "controller" in one:
        one["write"] = "through"
    small = {"size": "4 KiB", "align": "4 KiB", "limit": {"ios": IOS}}
    words = around(seed, [one], [load(random, **small)])
    words["host"]["set"] = {"raid": {"stripe_cache": 0}}  # which would know what was read
    built = started(words)
    built.system.run()
    world = built.system.world
    reads, writes = world.streams["window_ios"][: built.system.count("streams")].sum(axis=0)
    assert reads + writes == IOS
    asked = reads + writes * device_ios(one["level"], one["drives"])
    assert world.arrays[0]["commands"] == asked


# -- scenarios side by side ------------------------------------------------------------------------


def points(words: dict[str, Any], **changes: Any) -> list[Point]:
    """What a run of these words finds; ``changes`` replace whole tables."""
    return run(from_data(words | changes)).points


def is_slower(point: Point, other: Point) -> bool:
    """Whether a point carries less than another, beyond what their intervals leave open."""
    assert point.iops.high is not None
    assert other.iops.low is not None
    return point.iops.high < other.iops.low


@pytest.mark.parametrize("seed", SOME)
def test_more_outstanding_ios_carry_no_less_or_the_result_says_why(seed):
    random = Random(seed)
    deeper = around(seed, [volume(random)], [load(random, outstanding=[1, 4, 16, 64])])
    found = points(deeper)
    best = found[0]
    for point in found[1:]:
        said = [text for text in point.warnings if "more outstanding I/Os carry less" in text]
        assert is_slower(point, best) == bool(said)
        best = max(best, point, key=lambda one: one.iops.mean)


FASTER: dict[str, list[dict[str, tuple[str, float]]]] = {
    "hdd": [
        {"spindle.speed": ("rpm", 1.25 * 60)},
        {"seek.read_average": ("us", 0.8e6), "seek.write_average": ("us", 0.8e6)},
        {"link.time_per_byte": ("us/KiB", 512e6)},
        {"command.time": ("us", 0.5e6)},
    ],
    "ssd": [
        {"flash.read_time": ("us", 0.7e6)},
        {"flash.program_time": ("us", 0.7e6)},
        {"front_end.command_time": ("us", 0.5e6)},
        {"link.time_per_byte": ("us/KiB", 512e6)},
    ],
}  # by kind of drive: values of the card, with a unit and what makes them faster in that unit


@pytest.mark.parametrize("seed", SOME)
def test_a_faster_part_makes_nothing_slower(seed):
    random = Random(seed)
    words = around(seed, [volume(random)], [load(random)])
    card = from_data(words).volumes[0].card
    faster = {
        key: f"{card.number(key) * factor:.6f} {unit}"
        for key, (unit, factor) in random.choice(FASTER[card.kind]).items()
    }
    (before,) = points(words)
    (after,) = points(words, volume=[words["volume"][0] | {"set": faster}])
    assert not is_slower(after, before), faster


def test_more_spare_area_moves_less_data_and_carries_no_less():
    small = {"capacity.user": "5 GB"}
    found = []
    for spare in ("7 %", "15 %", "50 %"):
        drive = {
            "drive": "intel-p3700-800gb",
            "state": "steady",
            "set": small | {"flash.spare": spare},
        }
        writes = {"read": "0 %", "size": "4 KiB", "outstanding": 64}
        found += points(around(1, [drive], [writes]))
    moved = [point.drives[0].write_amplification for point in found]
    assert moved == sorted(moved, reverse=True)
    assert moved[0] > 2 * moved[-1]
    assert not [n for n in range(1, 3) if is_slower(found[n], found[n - 1])]


def pair(seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two volumes of disks with a load on each."""
    random = Random(seed)
    disks = {"drive": random.choice(DISKS), "drives": 2, "strip": "64 KiB"}
    names = ("first", "second")
    volumes = [
        {"name": name, "level": random.choice(["raid0", "raid1e"])} | disks for name in names
    ]
    for one in volumes:
        one["drives"] = 2 if one["level"] == "raid0" else 3
    return volumes, [load(random, name=name, volume=name, outstanding=4) for name in names]


@pytest.mark.parametrize("seed", SOME)
def test_the_order_of_volumes_and_loads_in_the_file_means_nothing(seed):
    volumes, loads = pair(seed)
    found = {point.load: point for point in points(around(seed, volumes, loads))}
    turned = {point.load: point for point in points(around(seed, volumes[::-1], loads[::-1]))}
    for name, point in found.items():
        assert not is_slower(point, turned[name])
        assert not is_slower(turned[name], point)


@pytest.mark.parametrize("seed", SOME)
def test_a_volume_beside_an_idle_one_behaves_as_if_it_were_alone(seed):
    words = drawn(seed)
    (alone,) = points(words)
    idle = {"name": "idle", "drive": "nl-sas-2tb", "level": "raid1", "drives": 2}
    (beside,) = points(words, volume=[*words["volume"], idle])
    assert (beside.iops, beside.latency_ms, beside.counts, beside.stages) == (
        alone.iops,
        alone.latency_ms,
        alone.counts,
        alone.stages,
    )


def test_a_volume_behind_a_cache_is_no_faster_beside_an_idle_one() -> None:
    """Its destages are as many at a time as its own drives take."""
    disks = {"drive": "cisco-hdd-600gb-15k", "controller": "card", "write": "back"}
    data = {
        "host": {"model": "cisco-ucs-c240-m4"},
        "controller": [{"name": "card", "model": "cisco-12g-sas-raid-2gb"}],
        "volume": [{"name": "data", "level": "raid5", "drives": 6} | disks],
        "load": [{"volume": "data", "read": "50 %", "size": "64 KiB", "outstanding": 16}],
        "measure": {"precision": "5 %", "min_ios": 5000},
    }
    (alone,) = points(data)
    idle = {"name": "idle", "level": "raid10", "drives": 4} | disks
    (beside,) = points(data, volume=[*data["volume"], idle])
    assert (beside.iops, beside.latency_ms, beside.counts) == (
        alone.iops,
        alone.latency_ms,
        alone.counts,
    )


HALVES = [
    {"level": "raid5", "drives": 4, "drive": "seagate-st373455ss"},
    {"level": "raid1", "drives": 2, "drive": "cisco-ssd-sas12-ep-1600gb", "state": "fresh"},
    {
        "level": "raid10",
        "drives": 4,
        "drive": "nl-sas-2tb",
        "controller": "raid",
        "write": "through",
    },
]


@pytest.mark.parametrize("words", HALVES, ids=[one["level"] for one in HALVES])
def test_the_seeds_of_one_half_find_what_those_of_the_other_half_find(words):
    """Kolmogorov and Smirnov's test on two times thirty runs."""
    mixed = {"read": "60 %", "size": "8 KiB", "area": {"size": "8 GiB"}, "outstanding": 4}
    one = around(0, [words], [mixed], measure={"precision": "5 %", "min_ios": 1000})
    rates = [points(one, seed=seed)[0].iops.mean for seed in range(60)]
    assert len(set(rates)) == len(rates)
    assert ks_2samp(rates[:30], rates[30:]).pvalue > 0.001
