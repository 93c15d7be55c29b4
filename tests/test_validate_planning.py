"""The planning formula: what it says by hand, and of which claims it speaks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toy_drive import result

from raidsim.validate.claims import Claim, Measurement, Performance, Shape
from raidsim.validate.planning import PENALTY, Array, Planner
from raidsim.validate.systems import Systems

RAID5 = ("volume.level=raid5", "volume.drives=5")


@pytest.fixture(scope="module")
def systems():
    return Systems()


@pytest.fixture(scope="module")
def planner(systems):
    return Planner(systems)


def measured(scenario, *overrides, metric="iops", **keys):
    return Measurement(scenario, overrides, metric, (64,), "at", **keys)


def claim(run, against=None, *, relation="value", published=1000.0, shape=None):
    subject = Performance(run, against, shape)
    return Claim("one", "two", "", relation, "prediction", published, 0.0, 0.1, "", subject, "1")


# ---------------------------------------------------------------- the formula


@pytest.mark.parametrize(
    ("level", "iops"), [("raid10", 1230.8), ("raid5", 842.1), ("raid6", 640.0), ("raid0", 1600.0)]
)
def test_eight_drives_of_200_ios_with_70_percent_reads(level, iops):
    assert 200 * Array(level, 8).random(0.7) == pytest.approx(iops, abs=0.05)


def test_reads_cost_one_io_each_whatever_the_level():
    assert {Array(level, 6).random(1.0) for level in PENALTY} == {6.0}


@pytest.mark.parametrize(
    ("array", "writing"),
    [
        (Array("raid0", 4), 4),
        (Array("raid5", 4), 3),
        (Array("raid6", 8), 6),
        (Array("raid10", 8), 4),
        (Array("raid1", 2), 1),
        (Array("raid50", 8, spans=2), 6),
        (Array("raid60", 12, spans=2), 8),
    ],
)
def test_sequential_writes_go_to_the_drives_that_hold_data(array, writing):
    assert array.sequential(0.0) == pytest.approx(writing)
    assert array.sequential(1.0) == pytest.approx(array.drives)


def test_in_a_sequential_mix_reads_and_writes_share_the_time():
    # RAID 1 of two, half reads: 1 / (0.5 / 2 + 0.5 / 1)
    assert Array("raid1", 2).sequential(0.5) == pytest.approx(4 / 3)


# ---------------------------------------------------------------- one drive of the array


def test_one_drive_has_the_load_for_itself_without_controller_or_cache(systems, planner):
    run = measured("raid5-disks", "volume.disk_cache=on", "volume.write=back", "load.read=70 %")
    (one,) = planner.jobs(claim(run))
    assert one.outstanding == 64  # the most of the sweep in the file
    scenario = systems.of(one.scenario, one.overrides)
    (volume,), (load,) = scenario.volumes, scenario.loads
    assert (volume.level, volume.drives, volume.controller) == ("single", 1, "host")
    assert (volume.write, volume.disk_cache, load.workers) == ("through", "on", 1)
    assert (load.read, load.size) == (0.7, 8192)


def test_what_only_a_controller_does_needs_no_drive_of_its_own(systems, planner):
    cached, plain = (
        planner.jobs(claim(measured("raid5-disks", f"volume.write={mode}")))[0]
        for mode in ("back", "through")
    )
    assert len(systems.merged([cached, plain])) == 1


def test_the_formula_multiplies_what_one_drive_does(planner):
    run = measured("array-database", *RAID5, "load.read=70 %")
    asked = claim(run, published=2000.0)
    (one,) = planner.jobs(asked)
    planned = planner.judge(asked, {one: result(1000.0)})
    assert planned.value == pytest.approx(1000 * 5 / (0.7 + 0.3 * 4))
    assert planned.error == pytest.approx(planned.value / 2000 - 1)
    assert not planned.holds


def test_a_comparison_is_the_quotient_of_two_formulas(planner):
    raid0 = measured("array-restore", "volume.drives=4", metric="mbps")
    raid5 = measured("array-restore", *RAID5, metric="mbps")
    asked = claim(raid5, raid0, relation="order", published=1.0)
    results = {job: result(8000.0) for job in planner.jobs(asked)}
    planned = planner.judge(asked, results)
    assert planned.value == pytest.approx(4 / 4)
    assert not planned.holds  # an order is more than equality


def test_against_a_single_drive_the_formula_takes_that_at_its_best(planner):
    asked = claim(
        measured("array-database", "volume.level=raid1"),
        measured("array-database", "volume.level=single", "volume.drives=1"),
        relation="ratio",
    )
    results = {job: result(9000.0) for job in planner.jobs(asked)}
    assert planner.judge(asked, results).value == pytest.approx(2 / (0.67 + 0.33 * 2))


def test_the_mean_of_a_random_and_a_sequential_run_is_planned_as_such(planner):
    run = measured("array-file-server", *RAID5, "load.read=0 %", also=("load.random=0 %",))
    random, sequential = planner.jobs(claim(run))
    planned = planner.judge(claim(run), {random: result(100.0), sequential: result(1000.0)})
    assert planned.value == pytest.approx((100 * 5 / 4 + 1000 * 4) / 2)


def test_an_effect_is_the_quotient_of_two_quotients(planner):
    def effect(*words):
        base = measured("array-restore", *words, metric="mbps")
        return measured("array-restore", *words, "load.random=100 %", metric="mbps", base=base)

    asked = claim(effect(*RAID5), effect("volume.drives=2"), relation="ratio")
    planned = planner.judge(asked, dict.fromkeys(planner.jobs(asked), result(100.0)))
    # Random writes of RAID 5 are those of 5 / 4 drives, in sequence those of 4; RAID 0 has 2 and 2.
    assert planned.value == pytest.approx((5 / 4 / 4) / (2 / 2))


# ---------------------------------------------------------------- where it says nothing


@pytest.mark.parametrize(
    "asked",
    [
        claim(measured("p3700-database")),
        claim(measured("array-database", metric="latency")),
        claim(replace(measured("array-database"), intensities=(1, 64)), shape=Shape("rises")),
        claim(measured("array-database", "load.random=50 %")),
        claim(measured("tolly-n5-random")),
        claim(measured("raid5-disks", "volume.failed=[0]")),
        claim(
            measured("raid5-disks", "volume.write=back"),
            measured("raid5-disks", "volume.write=through"),
            relation="ratio",
        ),
    ],
    ids=["one drive", "latency", "shape", "mixed", "hybrid", "failed drive", "only a cache"],
)
def test_the_formula_says_nothing(planner, asked):
    assert planner.jobs(asked) == ()
    assert planner.judge(asked, {}) is None


@pytest.mark.parametrize(
    "words",
    [
        ("volume.level=raid5", "volume.drives=5", "volume.intent=bitmap"),
        ("volume.level=raid1", "volume.spares=1"),
        ("volume.level=raid50", "volume.drives=6", "volume.spans=2"),
        ("volume.level=raid10", "volume.drives=4", "volume.spread=far"),
    ],
    ids=["bitmap", "spares", "spans", "spread"],
)
def test_one_drive_has_nothing_of_what_only_arrays_have(systems, planner, words):
    (one,) = planner.jobs(claim(measured("array-database", *words)))
    (volume,) = systems.of(one.scenario, one.overrides).volumes
    assert (volume.level, volume.intent, volume.spares) == ("single", "none", 0)


def test_of_an_array_whose_file_asks_what_one_drive_cannot_it_says_nothing(planner):
    assert planner.jobs(claim(measured("raid60-nl"))) == ()  # spans
