"""What a run of an array finds: stages per host I/O, what limits, and its controller's cache."""

from __future__ import annotations

import pytest
from cached_array import KIB, cache_of, commands_of, scenario, started

from raidsim import scenario as scenarios
from raidsim.intervene import window
from raidsim.observe import caching
from raidsim.result import WriteMode
from raidsim.running import run

SHORT = {"min_ios": 2_000, "max_ios": 4_000, "precision": "10 %"}
HOST = {"model": "fujitsu-rx300-s4"}
DISK = "seagate-st373455ss"


def point_of(load, **rest):
    return run(scenario(load, measure=SHORT, **rest)).points[0]


def test_the_cores_of_a_controller_are_shared_out_over_the_ios_of_all_its_volumes():
    """Each I/O is one command to one drive: the card's times for these, whoever asks."""
    two = scenarios.from_data(
        {
            "host": HOST,
            "controller": [{"model": "lsi-megaraid-1068"}],
            "volume": [
                {"name": name, "drive": DISK, "level": "raid0", "drives": 2} for name in "ab"
            ],
            "load": [
                {"name": name, "volume": name, "read": "100 %", "size": "4 KiB",
                 "align": "4 KiB", "outstanding": outstanding}
                for name, outstanding in (("a", 1), ("b", 8))
            ],
            "measure": SHORT,
        }
    )  # fmt: skip
    card = two.controllers[0].card
    expected = card.number("command.time") + card.number("command.device_io_time")
    for point in run(two).points:
        assert point.stages["controller core"].served == pytest.approx(1e3 * expected, rel=0.01)


def test_the_stages_of_one_write_at_a_time_add_up_to_its_latency():
    """Nothing overlaps and nothing follows: one command a request, written through."""
    point = point_of({"align": "8 KiB"})
    total = sum(stage.waiting + stage.served for stage in point.stages.values())
    assert total == pytest.approx(point.latency_ms["write"].mean, rel=0.02)


def test_a_mirrored_write_takes_the_time_of_two_arms():
    """What two drives do at the same time is added up: less than their sum is waited for."""
    one = point_of({"align": "8 KiB"})
    two = point_of({"align": "8 KiB"}, volume={"level": "raid1", "drives": 2})
    ratio = two.stages["disk arm"].served / one.stages["disk arm"].served
    assert ratio == pytest.approx(2, rel=0.1)
    assert two.latency_ms["write"].mean < two.stages["disk arm"].served


def test_arms_limit_together_where_the_load_is_on_all_drives():
    point = point_of({"outstanding": 64})
    assert point.limited_by.station == "data: arm"
    assert point.limited_by.drives == 4
    busy = [use.utilisation for use in point.stations if use.kind == "disk arm"]
    assert point.limited_by.utilisation == pytest.approx(sum(busy) / 4)
    assert point.limited_by.busiest_utilisation == max(busy)


def test_a_colon_in_the_name_of_a_volume_does_not_tear_its_drives_apart():
    point = point_of({"outstanding": 64}, volume={"name": "db: log"})
    assert point.limited_by.station == "db: log: arm"
    assert point.limited_by.drives == 4


def test_the_drive_that_holds_most_of_the_load_limits_alone():
    """Nine strips over eight drives: the first has two of them."""
    load = {"area": {"offset": "0 B", "size": "576 KiB"}, "align": "8 KiB"}
    point = point_of(load, volume={"drives": 8})
    assert point.limited_by.station == "data drive 0: arm"
    assert point.limited_by.busiest is None


def test_drives_know_their_volume():
    assert {use.volume for use in point_of({}).drives} == {"data"}


# ---------------------------------------------------------------- the cache


def test_the_mean_of_the_dirty_bytes_is_their_integral_over_the_window():
    """Held against looks at the cache every 10 us, from a window that opens in the middle."""
    built = started(
        {"outstanding": 4, "limit": {"ios": 200}, "think": "2 ms"}, volume={"write": "back"}
    )
    system = built.system
    step, opened, area, peak = 10_000, 40_000_000, 0, 0
    system.run(opened)
    system.advance_clock(opened)
    window.reset(system)
    for _ in range(10_000):
        peak = max(peak, int(cache_of(built)["dirty"]))
        area += int(cache_of(built)["dirty"]) * step
        system.run(system.now + step)
        system.advance_clock(opened + (_ + 1) * step)
    (use,) = caching.controllers(
        system, scenario({}, volume={"write": "back"}), built.volumes, "data"
    )
    assert use.dirty_mean == pytest.approx(area / (10_000 * step), rel=0.01)
    assert 64 * KIB <= peak <= use.dirty_peak


@pytest.mark.parametrize(
    ("write", "battery", "asked", "in_effect", "lost"),
    [
        ("back", "good", "back", "back", False),
        ("back", "low", "back", "through", False),
        ("through", "good", "through", "through", False),
        ("back-bad-battery", "absent", "back", "back", True),
        ("back-bad-battery", "good", "back", "back", False),
    ],
)
def test_a_power_cut_loses_what_is_dirty_unless_the_battery_is_good(
    write, battery, asked, in_effect, lost
):
    (use,) = point_of({"outstanding": 4}, volume={"write": write}, battery=battery).controllers
    assert use.writes == {"data": WriteMode(asked, in_effect)}
    assert (use.dirty_peak > 0) == (in_effect == "back")
    assert use.dirty_mean <= use.dirty_peak <= use.cache_bytes
    assert (use.lost_mean, use.lost_peak) == ((use.dirty_mean, use.dirty_peak) if lost else (0, 0))


def test_reads_that_were_found_in_the_cache_did_not_go_to_the_drives():
    built = started(
        {"read": "100 %", "area": {"size": "1 MiB"}, "align": "8 KiB", "limit": {"ios": 2_000}},
        volume={"io": "cached", "read_ahead": "none"},
    )
    system = built.system
    system.run(budget=200)
    window.reset(system)
    before = commands_of(built)["read"]
    system.run(3600 * 10**9)
    (use,) = caching.controllers(system, scenario({}), built.volumes, "data")
    assert use.reads == int(system.world.streams["window_ios"][0].sum())
    assert 0 < use.hits <= use.reads
    assert commands_of(built)["read"] - before == 8 * KIB * (use.reads - use.hits)


def test_a_controller_without_a_cache_is_there_with_nothing_in_it():
    bare = scenarios.from_data(
        {
            "host": HOST,
            "controller": [{"model": "lsi-megaraid-1068"}],
            "volume": [{"drive": DISK, "level": "raid1", "drives": 2}],
            "load": [{"read": "50 %", "size": "4 KiB", "outstanding": 1}],
            "measure": SHORT,
        }
    )
    (use,) = run(bare).points[0].controllers
    assert (use.cache_bytes, use.reads, use.hits, use.dirty_peak) == (0, 0, 0, 0)
    assert use.writes == {"data": WriteMode("through", "through")}


def test_drives_on_the_host_itself_have_no_controller():
    alone = scenarios.from_data(
        {
            "host": HOST,
            "volume": [{"drive": DISK}],
            "load": [{"read": "50 %", "size": "4 KiB", "outstanding": 1}],
            "measure": SHORT,
        }
    )
    assert run(alone).points[0].controllers == []
