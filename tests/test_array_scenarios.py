"""Scenarios of arrays: what they gave, and what a storage engineer expects of their variants."""

import pytest

from raidsim.running import run
from raidsim.scenario import load


def point(scenario, *overrides):
    """The only point of a scenario at one load."""
    return run(load(scenario, overrides=overrides)).points[0]


def rate(scenario, *overrides):
    """IO/s of it."""
    return point(scenario, *overrides).iops.mean


@pytest.mark.parametrize(
    ("scenario", "outstanding", "iops"),
    [
        ("array-database", 1, 10310),
        ("array-database", 512, 194972),
        ("array-file-server", 512, 60662),
        ("array-file-copy", 512, 56734),
        ("array-streaming", 512, 77233),
        ("array-restore", 4, 59256),
        ("raid5-disks", 1, 441),
        ("raid5-disks", 32, 2666),
        ("raid60-nl", 8, 580),
        ("jbod-hba", 8, 449223),
        ("cisco-random", 8, 435244),
        ("cisco-sequential", 8, 20150),
    ],
)
def test_an_array_gives_what_it_gave(scenario, outstanding, iops):
    """Golden results; how far they lie from printed figures is what the claims say."""
    result = point(scenario, f"load.outstanding={outstanding}")
    assert result.converged
    assert result.iops.mean == pytest.approx(iops, rel=0.02)


def test_two_striped_drives_write_twice_as_fast_as_one():
    one = rate("array-restore", "load.outstanding=8", "volume.level=single", "volume.drives=1")
    two = rate("array-restore", "load.outstanding=8")
    assert two == pytest.approx(2 * one, rel=0.02)


def test_a_mirror_writes_like_one_drive():
    one = rate("array-restore", "load.outstanding=8", "volume.level=single", "volume.drives=1")
    assert rate("array-restore", "load.outstanding=8", "volume.level=raid1") == pytest.approx(
        one, rel=0.02
    )


def test_write_back_without_its_battery_is_write_through():
    loaded = "load.outstanding=8"
    without = point("raid5-disks", loaded, "controller.battery=absent")
    through = point("raid5-disks", loaded, "volume.write=through")
    assert without.iops == through.iops
    assert without.latency_ms == through.latency_ms


def test_write_back_answers_a_write_before_a_disk_could():
    """Two commands of the controller and a copy, against two turns of a platter (4 ms each)."""
    back = point("raid5-disks", "load.outstanding=1").latency_ms["write"]
    through = point("raid5-disks", "load.outstanding=1", "volume.write=through").latency_ms["write"]
    assert back.mean < 0.1
    assert through.mean > 4


def test_eight_workers_on_eight_drives_of_an_adapter_are_eight_times_one():
    alone = rate("jbod-hba", "load.outstanding=1", "load.workers=1", "volume.drives=1")
    assert rate("jbod-hba", "load.outstanding=1") == pytest.approx(8 * alone, rel=0.02)


def test_large_reads_of_eight_drives_fill_the_link_of_the_adapter():
    full = point("jbod-hba", "load.outstanding=8", "load.size=256 KiB")
    eight_lanes = 8e9 * 128 / 130 / 8 * 256 / 280 * 8 / 2**20
    assert full.limited_by.station == "controller: link to host"
    assert full.mbps == pytest.approx(eight_lanes, rel=0.01)
