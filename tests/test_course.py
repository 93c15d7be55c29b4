"""What a storage engineer expects of events while a scenario runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from events import DATABASE, RAID, at, course, point, scenario

from raidsim.assembly.heat import STANDARD_AIR
from raidsim.control import Volume
from raidsim.control.course import Course
from raidsim.control.model import Model
from raidsim.errors import InputError
from raidsim.report import json_file
from raidsim.report.phases import operation_words
from raidsim.running import run
from raidsim.scenario import load_text

ONE = {**DATABASE, "outstanding": 1}


def phases(found):
    """The phases of a course by their names."""
    return {phase.name: phase for phase in found.phases}


def mean(phase, kind):
    """Mean latency of a kind of I/O in a phase, ms."""
    return phase.latency_ms[kind].mean


# ---- drives


@pytest.fixture(scope="module")
def spared():
    """A drive fails, and a hot spare is rebuilt in its place."""
    return point(at("5 s", "drive-failure", drive=2), spares=1)


def test_a_course_that_keeps_a_drive_busy_has_come_to_its_end_all_the_same():
    """Its rate has no interval that could say whether all comes out; its account says so."""
    text = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
level = "raid1"
drives = 2
drive = "nl-sas-2tb"
spares = 1
rebuild_rate = "100 %"
rebuild_sample = "1 %"
[[load]]
read = "70 %"
size = "8 KiB"
rate = "20 IO/s"
[[event]]
kind = "drive-failure"
at = "1 s"
drive = 1
[measure]
duration = "310 s"
"""
    (found,) = run(load_text(text)).points
    assert found.limited_by.utilisation > 0.9  # by the rebuild
    assert found.counts.in_flight == 0
    assert found.converged


def test_a_hot_spare_makes_an_array_whole_again(spared):
    start, rebuilding, after = spared.course.phases
    assert [one.health["data"] for one in (start, rebuilding, after)] == [
        "optimal",
        "rebuilding",
        "optimal",
    ]
    (operation,) = spared.course.operations
    assert (operation.kind, operation.drive, operation.state) == ("rebuild", 2, "done")
    assert operation.started_s == 5.0 == rebuilding.start_s
    assert operation.simulated_seconds == pytest.approx(rebuilding.end_s - rebuilding.start_s)


def test_a_sampled_rebuild_is_extrapolated_to_the_whole_drive(spared):
    (operation,) = spared.course.operations
    assert operation.seconds > 1000 * operation.simulated_seconds  # 0.02 % of the rows
    assert operation.mbps * operation.seconds * 2**20 == pytest.approx(73.4e9, rel=0.01)


def test_a_rebuild_costs_the_host_throughput_while_it_lasts(spared):
    start, rebuilding, after = spared.course.phases
    assert rebuilding.iops.mean < 0.9 * start.iops.mean
    assert after.iops.mean == pytest.approx(start.iops.mean, rel=0.1)


def test_the_last_phase_is_as_long_as_the_first(spared):
    start, _, after = spared.course.phases
    assert after.end_s - after.start_s == pytest.approx(start.end_s - start.start_s)


def test_phases_add_up_to_the_whole_course(spared):
    every = spared.course.phases
    assert [one.end_s for one in every[:-1]] == [one.start_s for one in every[1:]]
    assert sum(one.latency_ms["read"].samples for one in every) == (
        spared.latency_ms["read"].samples
    )
    ios = sum(one.iops.mean * (one.end_s - one.start_s) for one in every)
    assert ios == pytest.approx(spared.counts.measured)


def test_a_timeline_adds_up_to_the_whole_course(spared):
    line = spared.course.timeline
    starts = [0.0, *(one.time_s for one in line[:-1])]
    ios = sum(one.iops * (one.time_s - start) for one, start in zip(line, starts, strict=True))
    assert ios == pytest.approx(spared.counts.measured)
    assert len(line) <= 600
    progress = [value for one in line for value in one.progress.values()]
    assert progress == sorted(progress)
    assert progress[-1] > 0.8


def test_no_io_is_lost_on_the_way(spared):
    counts = spared.counts
    assert counts.failed == counts.timed_out == 0
    assert counts.issued == counts.completed + counts.in_flight


def test_a_second_failure_loses_the_data_of_raid_5():
    found = course(
        at("2 s", "drive-failure", drive=0), at("4 s", "drive-failure", drive=1),
        controllers=(), controller="host",
    )  # fmt: skip
    assert [one.health["data"] for one in found.phases] == ["optimal", "degraded", "failed"]
    assert [one.failed > 0 for one in found.phases] == [False, False, True]


def test_an_array_that_begins_degraded_is_rebuilt():
    found = course(at("2 s", "rebuild", drive=1, sample="0.01 %"), failed=[1])
    assert [one.health["data"] for one in found.phases] == ["degraded", "rebuilding", "optimal"]


def test_a_new_drive_in_place_of_a_failed_one_is_rebuilt():
    found = course(at("2 s", "drive-failure", drive=3), at("4 s", "replacement", drive=3))
    healths = ["optimal", "degraded", "rebuilding", "optimal"]
    assert [one.health["data"] for one in found.phases] == healths


def test_a_spare_is_copied_back_to_the_new_drive():
    found = course(
        at("1 s", "drive-failure", drive=0), at("20 s", "copy-back", drive=0), spares=1,
        loads=(ONE,),
    )  # fmt: skip
    assert [one.kind for one in found.operations] == ["rebuild", "copy-back"]
    assert [one.state for one in found.operations] == ["done", "done"]


def test_a_spare_that_is_free_again_is_rebuilt_at_once_for_a_drive_that_is_missing():
    found = course(
        at("1 s", "drive-failure", drive=0), at("20 s", "replacement", drive=0),
        at("20.01 s", "drive-failure", drive=1), spares=1, loads=(ONE,),
    )  # fmt: skip
    kinds = [(one.kind, one.drive, one.state) for one in found.operations]
    assert kinds == [("rebuild", 0, "done"), ("copy-back", 0, "done"), ("rebuild", 1, "done")]
    assert found.phases[-1].health["data"] == "optimal"


def test_a_new_drive_of_software_raid_is_said_to_be_a_spare_or_to_stand_in():
    failed, other = (at(f"{n + 1} s", "drive-failure", drive=n) for n in range(2))
    back = at("3 s", "replacement", drive=0)
    keys = {"level": "raid6", "spares": 1, "controllers": (), "loads": (ONE,)}
    one, both = (course(*events, **keys) for events in ((failed, back), (failed, other, back)))
    said = [next(e.text for e in of.events if e.kind == "replacement") for of in (one, both)]
    assert said[0] == "drive 0 of data is replaced: the new drive is a hot spare"
    assert said[1].endswith("is replaced: the new drive takes the place of drive 1")


def test_a_drive_that_is_out_of_date_after_a_link_was_lost_is_rebuilt():
    links = tuple({"name": one, "speed": "sas-12g", "lanes": 4} for one in "ab")
    found = course(
        at("2 s", "link-loss", link="b", for_="1 s"), at("4 s", "rebuild", drive=1),
        links=links, behind=["a", "b"], controllers=(), level="raid1", drives=2, loads=(ONE,),
    )  # fmt: skip
    healths = ["optimal", "degraded", "degraded", "rebuilding", "optimal"]
    assert [one.health["data"] for one in found.phases] == healths


def test_an_operation_works_faster_at_a_higher_rate():
    def seconds(rate):
        found = course(at("1 s", "rebuild", drive=1, rate=rate), failed=[1])
        return found.operations[0].seconds

    assert seconds("90 %") < 0.7 * seconds("10 %")


def test_one_slow_drive_slows_all_reads_that_meet_it():
    found = course(at("4 s", "slow-drive", drive=1, delay="30 ms", for_="4 s"), loads=(ONE,))
    before, slow, after = found.phases
    extra = mean(slow, "read") - mean(before, "read")
    assert extra == pytest.approx(30 / 4, rel=0.35)  # a quarter of the reads
    assert mean(after, "read") == pytest.approx(mean(before, "read"), rel=0.15)


def test_a_patrol_finds_bad_sectors_and_restores_them():
    errors = at("0 s", "latent-errors", drive=1, offsets=["0 B", "512 KiB"])
    found = course(errors, at("1 s", "patrol", sample="0.01 %"), loads=(ONE,))
    (patrol,) = found.operations
    assert (patrol.found, patrol.repaired, patrol.punctured) == (2, 2, 0)


def test_a_rebuild_that_meets_a_bad_sector_of_raid_5_punctures_the_stripe():
    errors = at("0 s", "latent-errors", drive=1, offsets=["0 B"])
    found = course(errors, at("1 s", "rebuild", drive=2), failed=[2], loads=(ONE,))
    assert found.operations[0].punctured == 1


def test_random_bad_sectors_depend_on_the_seed_alone():
    errors = at("0 s", "latent-errors", drive=1, count=2000)
    events = (errors, at("1 s", "patrol", sample="0.1 %"))
    found = [course(*events, loads=(ONE,)).operations[0].found for _ in range(2)]
    assert found[0] == found[1] > 0


def test_each_time_other_sectors_go(monkeypatch):
    seen = []
    monkeypatch.setattr(Volume, "add_defects", lambda _, drive, where: seen.append((drive, *where)))
    errors = at("0 s", "latent-errors", drive=1, count=5, every="1 s")
    course(errors, loads=(ONE,), measure={"duration": "3 s"})
    assert len(seen) == len(set(seen)) == 3


def test_checks_and_initialisations_go_through_all_of_an_array():
    found = course(at("1 s", "consistency-check"), at("2 s", "initialisation", method="fast"))
    assert {(one.kind, one.state) for one in found.operations} == {
        ("consistency check", "done"),
        ("initialisation", "done"),
    }


# ---- batteries, air, loads


def test_writes_are_slow_while_the_battery_is_low():
    low = at("4 s", "battery", state="low", for_="6 s")
    before, through, after = course(low, write="back", loads=(ONE,)).phases
    assert mean(before, "write") < 0.2
    assert mean(through, "write") > 2
    # The first ones still meet what goes to the drives.
    assert after.latency_ms["write"].p50 < 0.2


def test_dirty_data_goes_to_the_drives_when_the_battery_fails():
    found = course(
        at("4 s", "battery", state="absent"), write="back", loads=(ONE,),
        measure={"duration": "20 s"},
    )  # fmt: skip
    dirty = [one.dirty["controller"] for one in found.timeline]
    assert max(dirty) > 0
    assert dirty[-1] == 0


def test_a_failed_fan_warms_a_drive_and_a_new_one_cools_it():
    found = course(
        at("4 s", "fan-failure", airflow="0 %", for_="30 s"),
        controllers=(), controller="host", level="single", drives=1, rebuild_sample="100 %",
        drive="intel-p3700-800gb-sff", measure={"duration": "60 s"},
        loads=({"read": "100 %", "size": "4 KiB", "rate": "100 IO/s"},),
    )  # fmt: skip
    warmth = {one.time_s: one.temperature_c["data"] for one in found.timeline}
    hottest = max(warmth, key=warmth.get)
    assert 34 <= hottest < 45  # heat takes a while from the case to the inner parts
    assert warmth[60.0] < warmth[hottest]
    assert warmth[hottest] - min(warmth.values()) > 0.5


def test_errors_that_come_again_and_again_come_elsewhere():
    model = Model(
        scenario(
            at("1 s", "latent-errors", drive=1, count=5, every="1 s"), measure={"duration": "4 s"}
        )
    )
    events = Course(model, lambda: None, lambda *_: None)
    model.env.run(events.begin())
    found = model.env.system.world.defects[: int(model.env.system.state["defects"])]
    assert len(found) == len(set(found["offset"].tolist())) == 3 * 5


def test_after_a_new_fan_the_air_of_the_room_changes_alone():
    model = Model(
        scenario(
            at("1 s", "fan-failure", airflow="20 %", for_="1 s"),
            at("3 s", "air", ambient="35 C"),
            measure={"duration": "4 s"},
        )
    )
    events = Course(model, lambda: None, lambda *_: None)
    model.env.run(events.begin())
    assert model.volumes["data"].air == replace(STANDARD_AIR, ambient=35.0)


@pytest.mark.parametrize("where", [{}, {"volume": "data"}], ids=["all drives", "a volume"])
def test_a_new_fan_leaves_the_airflow_that_was_set_while_there_was_none(where):
    model = Model(
        scenario(
            at("1 s", "fan-failure", airflow="20 %", for_="2 s"),
            at("2 s", "air", airflow="50 %", **where),
            measure={"duration": "4 s"},
        )
    )
    events = Course(model, lambda: None, lambda *_: None)
    model.env.run(events.begin())
    assert model.volumes["data"].air == replace(STANDARD_AIR, airflow=0.5)


def test_a_warm_room_warms_the_drives():
    found = course(
        at("2 s", "air", ambient="45 C"),
        controllers=(), controller="host", level="single", drives=1, rebuild_sample="100 %",
        drive="intel-p3700-800gb-sff", measure={"duration": "20 s"},
        loads=({"read": "100 %", "size": "4 KiB", "rate": "100 IO/s"},),
    )  # fmt: skip
    assert found.timeline[-1].temperature_c["data"] > found.timeline[0].temperature_c["data"] + 1


def test_a_load_runs_from_its_start_to_its_stop():
    backup = {"name": "backup", "read": "100 %", "random": "0 %", "size": "64 KiB",
              "outstanding": 2}  # fmt: skip
    events = (
        at("3 s", "load-start", load="backup"),
        at("6 s", "load-stop", load="backup"),
        at("8 s", "load-start", load="backup"),
    )
    first, second = run(
        scenario(*events, loads=(DATABASE, backup), measure={"duration": "10 s"})
    ).points
    idle, busy, quiet, again = second.course.phases
    assert idle.iops.mean == 0
    assert busy.iops.mean > 100 < again.iops.mean
    assert quiet.iops.mean < 0.01 * busy.iops.mean
    alone, beside = first.course.phases[:2]
    assert beside.iops.mean < 0.9 * alone.iops.mean


# ---- the course as a whole


def test_the_same_seed_gives_the_same_bytes():
    built = scenario(
        at("2 s", "drive-failure", drive=2), at("3 s", "latent-errors", drive=1, count=5), spares=1
    )
    once, twice = (json_file.render(run(built).to_dict()) for _ in range(2))
    assert once == twice


def test_a_course_is_followed_at_each_intensity():
    sweep = {**DATABASE, "outstanding": [1, 8]}
    found = run(scenario(at("1 s", "drive-failure", drive=0), loads=(sweep,))).points
    assert [one.outstanding for one in found] == [1, 8]
    assert found[1].course.phases[1].iops.mean > found[0].course.phases[1].iops.mean


def test_a_course_ends_at_its_bound_and_says_what_was_under_way():
    found = point(
        at("1 s", "rebuild", drive=1), failed=[1], rebuild_sample="100 %",
        measure={"max_time": "4 s"},
    )  # fmt: skip
    assert not found.converged
    assert "rebuild of drive 1 of data was under way at the end" in found.warnings
    (operation,) = found.course.operations
    assert operation.state == "under way"
    assert operation.seconds > 100 * operation.simulated_seconds


def test_a_course_whose_time_is_over_before_it_is_warm_ends_as_well():
    """A part of the warm-up tells how long all of it takes: here not even that is done in time."""
    found = point(at("1 ms", "drive-failure", drive=0), measure={"max_time": "2 ms"})
    assert "stopped at 0.002 s (measure.max_time)" in found.warnings
    assert any("no end of the warm-up found" in one for one in found.warnings)


def test_a_given_duration_is_kept():
    found = course(at("1 s", "drive-failure", drive=0), measure={"duration": "3 s"})
    assert found.phases[-1].end_s == 3.0
    assert found.timeline[-1].time_s == 3.0


def test_long_phases_have_intervals_and_short_ones_none():
    found = course(at("10 s", "drive-failure", drive=0), at("10.001 s", "patrol"))
    long, short = found.phases[:2]
    assert long.iops.low < long.iops.mean < long.iops.high
    assert short.iops.low is None


def test_what_happens_at_one_time_is_one_phase():
    events = (at("1 s", "drive-failure", drive=0), at("1 s", "battery", state="low"))
    found = course(*events, measure={"duration": "2 s"})
    assert [one.name for one in found.phases] == [
        "start",
        "drive 0 of data fails; battery of controller: low",
    ]


def test_loads_that_end_are_measured_from_the_start():
    short = {**DATABASE, "limit": {"ios": 3000}}
    found = point(at("1 s", "drive-failure", drive=0), loads=(short,))
    assert found.warmup_s == 0
    assert found.counts.completed == found.counts.measured == 3000


def test_what_a_part_refuses_is_said_with_the_event():
    events = (at("1 s", "drive-failure", drive=0), at("2 s", "copy-back", drive=0))
    with pytest.raises(InputError) as found:
        run(scenario(*events, spares=1, rebuild_sample="1 %"))
    assert str(found.value).startswith("events.toml: event[1]: at 2 s: the hot spare for drive")


def test_a_refusal_tells_a_time_for_people_and_no_call_of_python():
    events = (at("1 s", "drive-failure", drive=0), at("2.234567891 s", "consistency-check"))
    with pytest.raises(InputError) as found:
        run(scenario(*events, spares=1, rebuild_sample="1 %"))
    assert "event[1]: at 2.234568 s: " in str(found.value)
    assert "()" not in str(found.value)
    with pytest.raises(InputError, match=r"at 1\.234568 s: drive 0 of data has not failed"):
        scenario(at("1.234567891 s", "replacement", drive=0))


def test_work_that_has_failed_says_why():
    events = [at(f"{n + 1} s", "drive-failure", drive=n) for n in range(3)]
    found = course(*events, spares=1, rebuild_sample="1 %", measure={"duration": "4 s"})
    (first, *_) = found.operations
    assert first.state == "failed"
    assert "cannot go on without drives" in first.why
    ended = [one.text for one in found.events if one.kind == "operation-end"]
    assert f"rebuild of drive 0 of data: failed, since {first.why}" in ended
    assert first.why in operation_words(first)
    assert "0.0 MB/s" not in operation_words(first)


def test_several_volumes_have_a_health_each():
    both = ({"name": "mail"}, {"name": "log", "level": "raid1", "drives": 2})
    found = course(
        at("1 s", "drive-failure", volume="log", drive=0),
        loads=({**DATABASE, "volume": "mail"},), volumes=both, measure={"duration": "2 s"},
    )  # fmt: skip
    assert found.phases[1].health == {"mail": "optimal", "log": "degraded"}


# ---- controllers, links, power


TWO = ({"name": "a", **RAID}, {"name": "b", **RAID})
PATIENT = {**DATABASE, "timeout": "30 s"}


def test_a_learn_cycle_costs_write_back_until_it_is_over():
    cycle = at("4 s", "learn-cycle", for_="6 s")
    before, learning, after = course(cycle, write="back", loads=(ONE,)).phases
    assert mean(learning, "write") > 20 * mean(before, "write")
    assert after.name == "learn cycle of controller is over"
    assert after.latency_ms["write"].p50 < 0.2


def test_nobody_serves_until_the_partner_does():
    failure = at("4 s", "controller-failure", controller="a", partner="b", outage="3 s")
    found = course(failure, controllers=TWO, controller="a", loads=(PATIENT,))
    before, outage, after = found.phases
    assert (outage.start_s, outage.end_s) == (4.0, 7.0)
    assert outage.iops.mean < 1
    assert after.iops.mean == pytest.approx(before.iops.mean, rel=0.2)
    assert [one.failed + one.timed_out for one in found.phases] == [0, 0, 0]


def test_a_cache_without_mirror_is_lost_with_its_controller():
    failure = at("4 s", "controller-failure", controller="a", partner="b", mirrored=False)
    found = course(failure, controllers=TWO, controller="a", write="back", loads=(PATIENT,))
    (loss,) = found.losses
    assert (loss.time_s, loss.kind, loss.volume) == (4.0, "controller-failure", "data")
    assert loss.bytes > 2**20
    mirrored = course(
        {**failure, "mirrored": True}, controllers=TWO, controller="a", write="back",
        loads=(PATIENT,),
    )  # fmt: skip
    assert not mirrored.losses


def test_a_controller_without_partner_serves_again_once_it_is_repaired():
    found = course(at("3 s", "controller-failure", outage="2 s"), loads=(PATIENT,))
    assert [round(one.iops.mean) == 0 for one in found.phases] == [False, True, False]
    assert found.phases[-1].name == "controller is repaired"


SHELF = {"name": "shelf", "speed": "sas-3g", "lanes": 4}


def test_an_array_behind_a_lost_link_fails_all_until_its_cache_is_imported():
    found = course(
        at("3 s", "link-loss", for_="2 s"), at("6 s", "import-cache"),
        links=(SHELF,), behind="shelf", write="back", loads=(ONE,),
    )  # fmt: skip
    named = phases(found)
    assert named["shelf is lost"].failed > 0
    assert named["shelf is lost"].health == {"data": "failed"}
    assert named["controller imports its pinned cache"].health == {"data": "optimal"}
    assert named["controller imports its pinned cache"].iops.mean > 10
    assert not found.losses


def test_a_discarded_cache_is_lost():
    found = course(
        at("3 s", "link-loss", for_="2 s"), at("6 s", "discard-cache"),
        links=(SHELF,), behind="shelf", write="back", loads=(ONE,),
    )  # fmt: skip
    assert found.losses[0].kind == "discard-cache"
    assert found.losses[0].bytes > 0


def test_power_is_away_for_the_outage_and_until_hosts_have_booted():
    cut = at("3 s", "power-cut", outage="10 s", boot="30 s")
    found = point(cut, write="back")
    before, dark, after = found.course.phases
    assert dark.end_s - dark.start_s == 40.0
    assert dark.iops.mean == 0
    assert dark.failed == DATABASE["outstanding"]
    assert after.iops.mean > 0.5 * before.iops.mean
    counts = found.counts
    assert counts.issued == counts.completed + counts.failed + counts.in_flight


def test_a_power_cut_loses_what_no_battery_keeps():
    cut = at("3 s", "power-cut")
    kept = course(cut, write="back")
    assert kept.power_cuts[0].lost_bytes == 0 < kept.power_cuts[0].of("data").kept_bytes
    assert not kept.losses
    without = course(cut, write="back-bad-battery", controllers=({**RAID, "battery": "absent"},))
    assert without.losses[0].bytes == without.power_cuts[0].lost_bytes > 0
    assert without.power_cuts[0].time_s == 3.0


def test_software_raid_resyncs_by_itself_when_power_is_back():
    found = course(at("3 s", "power-cut"), controllers=(), controller="host")
    assert [one.kind for one in found.operations] == ["resync"]
    assert found.operations[0].state == "done"


def test_progress_goes_forward_to_the_end():
    seen = []
    built = scenario(at("2 s", "drive-failure", drive=2), spares=1)
    run(built, progress=seen.append)
    shares = [one.fraction for one in seen if ", at " in one.label]
    assert all(0 < share <= 1 for share in shares)
    assert shares[0] < 0.4
    assert shares[-1] > 0.8


def test_a_rate_is_that_of_the_whole_course_where_power_does_not_come_back_in_it():
    """It was that of the time up to the cut."""
    found = point(at("3 s", "power-cut", outage="10 s", boot="30 s"), measure={"duration": "12 s"})
    assert found.window_s == pytest.approx(12)
    assert found.iops.mean == pytest.approx(found.counts.measured / 12)
    assert found.mbps == pytest.approx(found.iops.mean * 8 / 1024)
