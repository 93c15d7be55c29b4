"""A rebuild beside the destages of a write-back cache: fast where they are near, slow far away."""

from __future__ import annotations

import pytest
from conftest import compiled_only

from raidsim.observe import elevator_passes
from raidsim.risk import rebuild
from raidsim.running import run
from raidsim.scenario import load_text

SYSTEM = """
[host]
model = "cisco-ucs-c240-m4"
[[controller]]
name = "card"
model = "cisco-12g-sas-raid-4gb"
[[volume]]
name = "data"
level = "raid5"
drives = 4
drive = "cisco-hdd-1200gb-10k"
controller = "card"
write = "back"
[[load]]
name = "writes"
volume = "data"
read = "0 %"
size = "16 KiB"
outstanding = 64
"""
EVENTS = """
[[event]]
kind = "drive-failure"
at = "5 s"
volume = "data"
drive = 0
[[event]]
kind = "replacement"
at = "8 s"
volume = "data"
drive = 0
sample = "{sample}"
"""
DAY = 86_400
QUIET = """
[[volume]]
name = "quiet"
level = "raid1"
drives = 2
drive = "cisco-hdd-1200gb-10k"
controller = "card"
write = "back"
[[load]]
name = "few"
volume = "quiet"
read = "0 %"
size = "16 KiB"
rate = "20 IO/s"
"""


@pytest.fixture(scope="module")
def told() -> tuple[float, list]:
    """How long a rebuild takes beside the writes, and the samples behind that."""
    of_a_sample, samples = rebuild._of_a_sample, []

    def noted(*given):
        found = of_a_sample(*given)
        samples.append(found.progress)
        return found

    scenario = load_text(SYSTEM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rebuild, "_of_a_sample", noted)
        time = rebuild.simulated(scenario, scenario.volumes[0], intensity=0)
    return time, samples


@compiled_only
def test_the_time_of_a_rebuild_does_not_hang_on_how_fast_its_sample_goes_over_the_drive(told):
    """Twelve passes of the destages tell what four do; one and a half tell anything."""
    scenario = load_text(SYSTEM)
    (volume,) = scenario.volumes
    long = rebuild.simulated(scenario, volume, intensity=0, sample=9 * 2**30)
    assert told[0] == pytest.approx(long, rel=0.08)
    along = rebuild.simulated(scenario, volume, intensity=0, sample=2**30)
    assert along < 0.75 * long


@compiled_only
@pytest.mark.parametrize(("sample", "told"), [("0.003 %", False), ("0.03 %", True)])
def test_a_sample_that_goes_along_with_the_destages_is_told(sample: str, told: bool) -> None:
    (point,) = run(load_text(SYSTEM + EVENTS.format(sample=sample))).points
    said = [line for line in point.warnings if "the destages of the cache went over them" in line]
    assert bool(said) == told


def test_only_samples_about_as_long_as_a_pass_of_the_elevator_go_along() -> None:
    assert [elevator_passes.go_along(time, 200.0) for time in (20, 200, 500, 800)] == [
        False,
        True,
        True,
        False,
    ]
    assert not elevator_passes.go_along(20.0, 0.0)  # no cache, or none that destages


@compiled_only
def test_a_volume_that_is_hardly_written_to_does_not_hide_the_sweeps_of_another(told):
    """Its own elevator goes round with each write."""
    both = load_text(SYSTEM + QUIET)
    assert rebuild.simulated(both, both.volumes[0], intensity=0) == pytest.approx(told[0], rel=0.15)


@compiled_only
def test_a_sample_over_several_sweeps_goes_over_the_whole_drive(told):
    """One that ended after as many I/Os as others was over at the middle tracks."""
    _, samples = told
    assert samples[-1].rows > 30_000
    assert all(one.done == one.rows for one in samples)
