"""Whatever is wrong with a measurement is found: each cause is put into a system, and judged.

The systems that are "measured" are simulated ones, in which something is not as the scenario says.
Their results go through files of fio, so nothing but those is known of them.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import status
from conftest import compiled_only

from raidsim.errors import InputError
from raidsim.fio.files import files_of
from raidsim.fio.reader import parse_result, read_result
from raidsim.fio.written import keep
from raidsim.judge import Judgement, judge
from raidsim.judge.causes import FAST, HOT_AIR, SLOW
from raidsim.judge.judgement import AGREES, KNOWN, NOT_JUDGED
from raidsim.measured.job import Measured
from raidsim.observe.ios import Keeper
from raidsim.report.console import ReportConsole
from raidsim.report.judgement import print_judgement
from raidsim.running import run_and_keep
from raidsim.scenario import Scenario, from_data, load

DATA = Path(__file__).parent / "data" / "fio"
DOCS = Path(__file__).parents[1] / "docs"
MEASURE = {"measure.min_ios": 3000, "measure.max_ios": 12_000, "measure.precision": "4 %"}

pytestmark = compiled_only


def flash(**of_load: Any) -> Scenario:
    """A database on one NVMe drive."""
    given = {"load.outstanding": 16, **{f"load.{key}": value for key, value in of_load.items()}}
    return load("p3700-database").with_(MEASURE | given)


def disks(**of_load: Any) -> Scenario:
    """A database on RAID 5 of disks behind a cache."""
    given = {"load.outstanding": 16, **{f"load.{key}": value for key, value in of_load.items()}}
    return load("raid5-disks").with_(MEASURE | given)


def measured_on(scenario: Scenario, **options: str) -> Measured:
    """What fio would say on a system, with other options than the load's in the file."""
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    (data,) = files_of(scenario, result, keeper.found).contents.values()
    document = json.loads(data)
    for job in document["jobs"]:
        job["job options"].update(options)
    return parse_result(json.dumps(document), "measured.json")


def judged(scenario: Scenario, measured: Measured) -> Any:
    (job,) = judge(scenario, [measured]).jobs
    return job


# ---------------------------------------------------------------- what agrees


@pytest.mark.parametrize("scenario", [flash, disks])
def test_a_system_that_is_as_the_scenario_says_agrees(scenario):
    job = judged(scenario(), measured_on(scenario()))
    assert job.verdict == AGREES
    assert job.causes == []
    sure = [figure for figure in job.figures if not figure.name.endswith(("99 %", ".9 %"))]
    assert len(sure) >= 9
    assert [one for one in sure if one.ratio != pytest.approx(1, rel=0.15)] == []
    assert not any("does not" in line for line in job.warnings)


def test_latencies_that_do_not_agree_where_the_throughput_does_are_told():
    """Of a mix with I/Os outstanding only the mean of both kinds follows from the throughput."""
    scenario = flash()
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    (data,) = files_of(scenario, result, keeper.found).contents.values()
    document = json.loads(data)
    (one,) = document["jobs"]
    for kind, times in (("read", 1.6), ("write", 0.5)):
        for latency in ("lat_ns", "clat_ns"):
            one[kind][latency]["mean"] *= times
    job = judged(scenario, parse_result(json.dumps(document), "measured.json"))
    assert job.verdict == AGREES
    told = [line for line in job.warnings if "but not this" in line]
    assert [re.sub(r"[\d.]+ times", "n times", line) for line in told] == [
        f"the throughput agrees, but not this: {kind} latency (total), mean is n times the"
        " simulated one"
        for kind in ("read", "write")
    ]
    times = [float(re.search(r"([\d.]+) times", line)[1]) for line in told]
    assert times == pytest.approx([1.6, 0.5], rel=0.06)


@pytest.mark.parametrize(("times", "told"), [(0.9, 0), (10, 1)])
def test_a_rate_that_no_latency_of_so_many_ios_can_give_is_told(times, told):
    """16 reads under way at most: ten times their rate would need ten times as many (Little)."""
    document = json.loads(files_text(flash(read="100 %")))
    (one,) = document["jobs"]
    one["read"]["iops"] *= times
    job = judged(flash(read="100 %"), parse_result(json.dumps(document), "measured.json"))
    lines = [line for line in job.warnings if "cannot both be right" in line]
    assert len(lines) == told
    assert all(re.search(r" 1[56]\d.* reads under .* 16 at most", line) for line in lines)


def test_the_same_latency_is_compared_whichever_the_file_has():
    """With the total latency taken out of the file, that of the completion is compared."""
    document = json.loads(files_text(flash()))
    for kind in ("read", "write"):
        del document["jobs"][0][kind]["lat_ns"]
    job = judged(flash(), parse_result(json.dumps(document), "x.json"))
    latencies = [figure for figure in job.figures if "latency" in figure.name]
    assert all("completion" in figure.name for figure in latencies)
    medians = [figure for figure in latencies if figure.name.endswith(", 50 %")]
    assert [one.ratio for one in medians] == pytest.approx([1, 1], rel=0.03)


def test_old_units_are_compared_as_new_ones_are():
    """fio 2 in us and KiB beside fio 3 in ns and bytes: the same job gives the same verdict."""
    new = json.loads(files_text(disks()))
    old = json.loads(json.dumps(new))
    old["fio version"] = "fio-2.1.10"
    for kind in ("read", "write"):
        one = old["jobs"][0][kind]
        one["io_bytes"] = one.pop("io_kbytes")
        del one["bw_bytes"]
        for name in ("slat", "clat", "lat"):
            found = one.pop(f"{name}_ns")
            found.pop("bins", None)
            found.pop("N")
            for key in ("min", "max", "mean", "stddev"):
                found[key] /= 1000
            for key in found.get("percentile", {}):
                found["percentile"][key] /= 1000
            one[name] = found
    pair = [judged(disks(), parse_result(json.dumps(one), "x")) for one in (new, old)]
    assert pair[0].verdict == pair[1].verdict == AGREES
    for now, before in zip(pair[0].figures, pair[1].figures, strict=True):
        assert (now.name, now.measured) == (before.name, pytest.approx(before.measured, rel=1e-3))


def files_text(scenario: Scenario) -> str:
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    (data,) = files_of(scenario, result, keeper.found).contents.values()
    return data.decode()


def test_what_is_known_is_what_predictions_are_known_to():
    """The margin is the distance of nine predictions of ten from print."""
    page = (DOCS / "validation.md").read_text()
    within, *_ = (
        re.findall(  # beyond the rounding of print; the plain errors stand in a later table
            r"^\| \*\*all\*\* \| prediction .*\| ([\d.]+) % \| [\d.]+ % \|$", page, re.M
        )
    )
    assert float(within) / 100 == pytest.approx(KNOWN, abs=0.015)


# ---------------------------------------------------------------- what is too slow


ALL = {"offset": "0 B", "size": "700 GB"}
LINK = flash().volumes[0].card.number("link.time_per_byte") * 1e6 * 1024  # us/KiB

SLOWER = {
    # With a small cache, or filling it takes longer than is measured.
    "written through": (
        disks(read="20 %").with_("controller.set.cache.size", "32 MiB"),
        {"volume.write": "through"},
        "write-through instead",
    ),
    "one drive failed": (  # a rebuild would take most of the time of the disks
        disks(read="100 %", outstanding=64).with_("volume.rebuild_rate", "90 %"),
        {"volume.failed": [0]},
        "had failed",
    ),
    "one at a time": (flash(), {"load.outstanding": 1}, "only 1 I/O of each process"),
    "32 at a time": (
        disks(outstanding=256, read="100 %"), {"load.outstanding": 32}, "only 32"
    ),
    "one process": (flash(workers=4, outstanding=2), {"load.workers": 1}, "1 of the processes"),
    "misaligned": (
        disks(read="100 %", size="64 KiB", outstanding=64, area={"size": "7 GiB"}),
        {"load.area": {"offset": "32256 B", "size": "7 GiB"}},
        "misaligned",
    ),
    "a narrow link": (
        flash(read="100 %", random="0 %", size="1 MiB", align="1 MiB", outstanding=4),
        {"volume.set.link.time_per_byte": f"{2 * LINK} us/KiB"},
        "link of each drive",
    ),
    "worn in": (
        flash(read="0 %", size="64 KiB", align="64 KiB", outstanding=8, area=ALL).with_(
            {"volume.state": "fresh", "volume.filled": "100 %"}
        ),
        {"volume.state": "steady"},
        "worn in",
    ),
    "hot": (
        flash(read="0 %", size="64 KiB", align="64 KiB", outstanding=8),
        HOT_AIR,
        "the drives throttled",
    ),
    "asleep": (flash(outstanding=1, read="0 %"), {"host.power_plan": "default"}, "saved power"),
}  # fmt: skip


@pytest.mark.parametrize("name", SLOWER)
def test_a_system_that_is_slower_is_too_slow_and_the_cause_comes_first(name):
    scenario, wrong, words = SLOWER[name]
    told = {"iodepth": str(scenario.loads[0].outstanding[0]),
            "numjobs": str(scenario.loads[0].workers), "offset": "0"}  # fmt: skip
    job = judged(scenario, measured_on(scenario.with_(wrong), **told))
    assert job.verdict == SLOW
    first = job.causes[0]
    assert words in first.words
    assert first.agrees
    assert first.speed == pytest.approx(1, abs=0.15)
    distances = [abs(math.log(cause.speed)) for cause in job.causes]
    assert distances == sorted(distances)


# ---------------------------------------------------------------- what is too fast


FASTER = {
    "written back": (
        disks(read="20 %").with_("volume.write", "through"),
        {"volume.write": "back-bad-battery"},
        "write-back",
    ),
    "held by the cache": (
        # Long enough for all of it to be in the cache: until then each second is faster.
        disks(read="100 %", area={"offset": "0 B", "size": "64 MiB"}).with_(
            "measure.max_ios", 400_000
        ),
        {"volume.io": "cached"},
        "holds data that was read before",
    ),
    "never written": (  # about 12 us of a drive, where flash is read in 65
        flash(read="100 %", outstanding=1),
        {
            "volume.set.flash.read_time": "0.1 us",
            "volume.set.flash.channel_read_time_per_byte": "0 us/KiB",
        },
        "never written",
    ),
    "no drive had failed": (
        disks(read="100 %", outstanding=64).with_("volume.failed", [0]),
        {"volume.failed": []},
        "no drive of the array had failed",
    ),
}


@pytest.mark.parametrize("name", FASTER)
def test_a_system_that_is_faster_is_too_fast_and_the_cause_comes_first(name):
    scenario, wrong, words = FASTER[name]
    job = judged(scenario, measured_on(scenario.with_(wrong)))
    assert job.verdict == FAST
    assert words in job.causes[0].words
    assert job.causes[0].agrees


def test_a_page_cache_leaves_the_work_of_the_host_and_nothing_else():
    """Reads of a disk at the speed of memory, without direct=1: the disk was not asked."""
    scenario = load("raid5-disks").with_(MEASURE | {"load.outstanding": 1, "load.read": "100 %"})
    document = json.loads(files_text(scenario))
    job = document["jobs"][0]
    document["global options"]["direct"] = "0"
    for key in ("iops", "bw", "bw_bytes"):
        job["read"][key] *= 30
    found = judged(scenario, parse_result(json.dumps(document), "x.json"))
    assert found.verdict == FAST
    assert "page cache" in found.causes[0].words
    assert found.causes[0].is_bound
    assert found.causes[0].agrees, "it is not as fast as memory: only a part was answered from it"
    assert any(note.option == "direct" for note in found.notes), "it is warned of in any case"
    assert not any("page cache" in one.words for one in judged(
        scenario, measured_on(scenario)).causes)  # fmt: skip


def test_a_hybrid_whose_front_is_cold_is_told_from_one_that_is_warm():
    load_of = {"name": "x", "volume": "n5-a", "read": "100 %", "size": "64 KiB", "outstanding": 8,
               "area": {"size": "2 GiB"}}  # fmt: skip
    scenario = load("tolly-n5-random")
    load_of["volume"] = scenario.loads[0].volume
    scenario = scenario.with_(MEASURE | {"load": [load_of]})
    number = [hybrid.name for hybrid in scenario.hybrids].index(load_of["volume"])
    assert scenario.hybrids[number].warm is not None
    cold = measured_on(scenario.with_({f"hybrid[{number}].warm": None}))
    job = judged(scenario, cold)
    assert job.verdict == SLOW
    assert "front of the hybrid was empty" in job.causes[0].words


# ---------------------------------------------------------------- causes


def test_causes_that_do_not_apply_are_not_tried():
    """One drive on the host: no cache, no array, no controller."""
    slow = measured_on(flash().with_({"load.outstanding": 1}), iodepth="16")
    job = judged(flash(), slow)
    tried = " ".join([*(cause.words for cause in job.causes), *job.without_effect])
    for word in ("array", "write-through", "controller", "disks"):
        assert word not in tried


def test_a_write_cache_that_capacitors_keep_makes_no_drive_faster() -> None:
    """Switched on or off, it answers from its buffer."""
    scenario = flash().with_({"volume.disk_cache": "off", "load.outstanding": 1})
    fast = measured_on(scenario.with_({"load.outstanding": 16}), iodepth="1")
    job = judged(scenario, fast)
    tried = [*(cause.words for cause in job.causes), *job.without_effect]
    assert tried
    assert not any("own caches" in words for words in tried)


def test_a_job_at_a_rate_is_judged_by_its_latency():
    scenario = flash().with_({"load.outstanding": None, "load.rate": "2000 IO/s"})
    rate = measured_on(scenario.with_("host.power_plan", "default"))
    job = judged(scenario, rate)
    assert job.by == "latency"
    iops = next(figure for figure in job.figures if figure.unit == "IO/s")
    assert iops.ratio == pytest.approx(1, rel=0.1), "the rate is reached"
    assert job.verdict in (SLOW, AGREES)


# ---------------------------------------------------------------- jobs


def test_jobs_of_a_group_run_side_by_side_and_groups_one_after_the_other():
    told: list[str] = []
    scenario = flash().with_({"air.start": "warm", "host.power_plan": "default"})  # fewer causes
    judgement = judge(
        scenario, [read_result(DATA / "json-plus.json")], tell=lambda words, _: told.append(words)
    )
    assert [job.name for job in judgement.jobs] == ["database", "sequential", "hist"]
    assert told.count("as the options say") == 3
    assert not judgement.all_agree


def test_two_loads_at_once_are_simulated_at_once():
    both = {"load": [
        {"name": "a", "read": "100 %", "size": "8 KiB", "outstanding": 64,
         "area": {"size": "8 GiB"}},
        {"name": "b", "read": "0 %", "size": "64 KiB", "outstanding": 8, "random": "0 %",
         "area": {"size": "8 GiB"}},
    ]}  # fmt: skip
    scenario = load("p3700-database").with_(MEASURE | both)
    judgement = judge(scenario, [parse_result(files_text(scenario), "x.json")])
    assert [job.verdict for job in judgement.jobs] == [AGREES, AGREES]


def test_clients_that_ran_at_the_same_time_are_simulated_one_by_one_and_it_is_said():
    document = json.loads((DATA / "client-server.json").read_text())
    for number, record in enumerate(document["client_stats"][:2]):
        record["hostname"] = f"host{number}"
    judgement = judge(flash(), [parse_result(json.dumps(document), "x.json")])
    assert [job.host for job in judgement.jobs] == ["host0", "host1"]
    assert all("2 clients ran" in " ".join(job.warnings) for job in judgement.jobs)


def test_a_job_that_cannot_be_played_is_listed_beside_those_that_can():
    document = json.loads(files_text(flash()))
    trims = json.loads(json.dumps(document["jobs"][0]))
    trims |= {"jobname": "trims", "groupid": 1}
    trims["job options"]["rw"] = "randtrim"
    document["jobs"].append(trims)
    job, refused = judge(flash(), [parse_result(json.dumps(document), "x.json")]).jobs
    assert job.verdict == AGREES
    assert refused.verdict == NOT_JUDGED
    assert "trims are simulated" in refused.refused[0].meaning


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("failed.json", "ended the job with an error"),
        ("fio-2.1.4-old-units.json", "give the job file as well"),
    ],
)
def test_a_result_of_which_nothing_can_be_judged_is_wrong_input(name, words):
    with pytest.raises(InputError, match=words):
        judge(flash(), [read_result(DATA / name)])


def test_an_area_beyond_the_volume_is_refused():
    with pytest.raises(InputError, match="with the offset it ends at"):
        judge(flash(), [measured_on(flash(), offset="900g")])


def test_it_has_to_be_clear_which_volume_is_meant():
    scenario = from_data({
        "host": {"model": "fujitsu-rx2540-m1"},
        "volume": [{"name": name, "drive": "intel-p3700-800gb"} for name in ("a", "b")],
        "load": [{"name": name, "volume": name, "read": "100 %", "size": "4 KiB",
                  "outstanding": 1} for name in ("a", "b")],
        "measure": {"min_ios": 1000},
    })  # fmt: skip
    measured = read_result(DATA / "text-before.json")
    with pytest.raises(InputError, match='name one of "a", "b"'):
        judge(scenario, [measured])
    with pytest.raises(InputError, match='there is no volume "c"'):
        judge(scenario, [measured], "c")
    assert judge(scenario, [measured], "b").jobs[0].verdict == AGREES


# ---------------------------------------------------------------- the command


def test_the_command_prints_a_table_and_a_verdict(capsys):
    assert status("judge", "p3700-database", str(DATA / "text-before.json")) == 0
    out = capsys.readouterr().out
    assert "agrees within what is known" in out
    assert "MB/s of 10^6 bytes beside MiB/s of 2^20, as fio has them" in out
    assert "not simulated: direct=0: without direct=1 the page cache" in out
    assert "not simulated: iodepth=8: this engine has one I/O at a time" in out
    assert "text-before.json:1: is left out" in out


def test_what_does_not_agree_ends_in_status_1_and_is_written_for_machines(tmp_path, capsys):
    path = tmp_path / "out.json"
    quick = [text for key in ("min_ios", "max_ios") for text in ("--set", f"measure.{key}=20000")]
    larger = ["--set", "volume.drive=intel-p3700-2000gb"]
    arguments = [str(DATA / "two-jobs.json"), "--json", str(path), *quick, *larger]
    assert status("judge", "p3700-database", *arguments) == 1
    found = json.loads(path.read_text())
    assert found["schema"] == "raidsim.judgement/1"
    (job,) = found["jobs"]
    assert job["verdict"] == SLOW
    assert job["causes"][0]["iops"] > 0
    assert job["load"]["outstanding"] == 4
    assert "too slow: possible causes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.json"], "no such file"),
        ([str(DATA / "README.md")], "is not a result that can be judged"),
        ([str(DATA / "failed.json")], "ended the job with an error"),
        ([str(DATA / "two-jobs.json"), "--volume", "x"], "there is no volume"),
    ],
)
def test_wrong_input_is_said_in_a_line(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert status("judge", "p3700-database", *arguments) == 2
    assert words in capsys.readouterr().err


def test_a_judgement_prints_without_causes_too(capsys):
    import sys

    judgement = Judgement("x", {"a.json": "fio-3.33"}, [], ["a.json:1: something"])
    print_judgement(judgement, ReportConsole(sys.stdout))
    assert "something" in capsys.readouterr().out
