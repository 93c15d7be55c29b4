"""The shipped scenarios with events: what they gave, and what a storage engineer expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from raidsim.running import run
from raidsim.scenario import load

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to" / "boot-storm.md"


def course(scenario, *overrides):
    """The course of a scenario with one load at one point."""
    (point,) = run(load(scenario, overrides=overrides)).points
    assert point.converged
    return point.course


def rates(found):
    """IO/s of each phase."""
    return [phase.iops.mean for phase in found.phases]


def test_raid_5_serves_on_while_a_spare_is_rebuilt():
    found = course("rebuild-raid5", "volume.rebuild_sample=0.1 %")
    before, rebuilding, after = rates(found)
    assert 0.6 * before < rebuilding < 0.9 * before
    assert after == pytest.approx(before, rel=0.05)
    assert 3600 < found.operations[0].seconds < 24 * 3600


def test_raid_6_serves_on_without_two_disks():
    found = course("rebuild-raid6", "volume.rebuild_sample=0.001 %")
    whole, one_lost, two_lost, *_ = rates(found)
    assert two_lost < one_lost < whole
    assert [one.kind for one in found.operations] == ["rebuild", "rebuild"]
    assert found.phases[-1].health == {"data": "optimal"}


def test_a_pair_of_raid_10_is_made_whole_faster_than_parity():
    pair = course("rebuild-raid10", "volume.rebuild_sample=0.1 %").operations[0]
    parity = course(
        "rebuild-raid10", "volume.rebuild_sample=0.1 %", "volume.level=raid5"
    ).operations[0]
    assert pair.seconds < parity.seconds


def test_writes_wait_for_the_disks_during_a_learn_cycle():
    shorter = ("event.at=3 min", "event.for=5 min")
    before, learning, after = course("battery-learn-cycle", *shorter).phases
    assert learning.end_s - learning.start_s == 300
    assert before.latency_ms["write"].mean < 0.1 > after.latency_ms["write"].mean
    assert learning.latency_ms["write"].mean > 5


def test_a_drive_without_its_fan_throttles_and_does_not_become_too_hot():
    sooner = ("event.at=3 s", "event.airflow=0 %", "event.for=25 s", "measure.duration=35 s")
    line = course("fan-failure", *sooner).timeline
    assert min(one.iops for one in line) < 0.7 * line[0].iops
    assert 66 < max(one.temperature_c["data"] for one in line) < 71


def test_a_patrol_saves_what_a_rebuild_would_lose():
    patrolled = course("latent-errors").operations
    assert [(one.kind, one.punctured) for one in patrolled] == [("patrol", 0), ("rebuild", 0)]
    (rebuild,) = course("latent-errors", "event.patrol=").operations
    assert rebuild.punctured == patrolled[0].repaired > 0


def test_a_journal_resyncs_faster_than_a_bitmap_and_that_faster_than_nothing():
    def seconds(intent):
        (resync,) = course("power-cut", f"volume.intent={intent}").operations
        return resync.seconds

    journal, bitmap, everything = (seconds(one) for one in ("journal", "bitmap", "none"))
    assert 10 * journal < bitmap
    assert 10 * bitmap < everything


def storm(scenario, event):
    """A storm with its event, and the same without: when the last machine was ready, s.

    The page has a row of these times.
    """
    (found,) = run(load(scenario)).points
    (calm,) = run(load(scenario, overrides=[f"event.{event}="])).points
    assert found.converged
    assert calm.converged
    assert None not in found.machines.ready_s
    assert found.counts.completed == calm.counts.completed
    times = f"{calm.machines.last_s:.0f} s | {found.machines.last_s:.0f} s |"
    (row,) = (one for one in PAGE.read_text("utf-8").splitlines() if f"| `{scenario}` |" in one)
    assert row.endswith(f"| {times}"), "if this is meant: make docs"
    return found, found.machines.last_s, calm.machines.last_s


def test_machines_are_ready_later_when_a_disk_fails_amid_their_boot():
    found, last, calm = storm("boot-storm-drive-failure", "drive-failure")
    assert 1.1 * calm < last < 2 * calm
    before, after, *_ = rates(found.course)  # the sample may be rebuilt before all are ready
    assert after < 0.7 * before
    assert found.course.operations[0].state == "done"


def test_machines_are_ready_later_when_the_battery_learns_meanwhile():
    found, last, calm = storm("boot-storm-learn-cycle", "learn-cycle")
    assert 1.1 * calm < last < 2 * calm
    before, learning = found.course.phases
    assert learning.latency_ms["write"].mean > 2 * before.latency_ms["write"].mean
