"""A delivered system passes if it is as described, and fails if it is not; 19 times in 20."""

from __future__ import annotations

import configparser
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import compiled_only
from watching import begin

from raidsim import InputError, Scenario, cli
from raidsim.acceptance import Expected, draw_up, read_expected
from raidsim.acceptance.asked import different
from raidsim.acceptance.drawn_up import Acceptance
from raidsim.acceptance.expected import ExpectedJob
from raidsim.acceptance.jobs import COMPARED_FIRST, WORN_RAMP_S, preparation
from raidsim.acceptance.ranges import ranges_of
from raidsim.control import Environment, Host, Load, Volume
from raidsim.control.model import build
from raidsim.fio.files import files_of
from raidsim.fio.job_file import loads_of, read_jobs
from raidsim.fio.values import size
from raidsim.fio.written import keep
from raidsim.measured.job import MeasuredJob
from raidsim.observe.ios import Keeper
from raidsim.report import json_file
from raidsim.running import run_and_keep
from raidsim.scenario import from_data, load

FIO = shutil.which("fio")
QUICK = {"measure.min_ios": 3000, "measure.max_ios": 12_000, "measure.precision": "4 %"}
SLOW = {
    "volume.set.flash.read_time": "300 us",
    "volume.set.flash.channel_read_time_per_byte": "0.02 us/KiB",
}

pytestmark = compiled_only


def database(**changes: object) -> Scenario:
    return load("p3700-database").with_(QUICK | {"load.outstanding": [1, 32]} | changes)


@pytest.fixture(scope="module")
def drawn() -> Acceptance:
    return draw_up(database(), 16)


def delivered(scenario: Scenario, expected: Expected, folder: Path, **options: str) -> list[str]:
    """What fio would have said on a system, with the names of the jobs that were asked for."""
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    files = []
    for number, text in enumerate(files_of(scenario, result, keeper.found).contents.values()):
        document = json.loads(text)
        for job in document["jobs"]:
            job["jobname"] = next(
                one.name for one in expected.jobs
                if one.options["iodepth"] == job["job options"]["iodepth"]
            )  # fmt: skip
            job["job options"].update(options)
        files.append(folder / f"{number}.json")
        files[-1].write_text(json.dumps(document), encoding="utf-8")
    return [str(file) for file in files]


def judged(expected: Expected, results: list[str], folder: Path) -> int:
    file = folder / "expected.json"
    file.write_bytes(json_file.render(expected.to_dict()))
    with pytest.raises(SystemExit) as ended:
        cli.main(["judge", str(file), *results])
    return int(str(ended.value.code))


# ---- ranges


def test_19_in_20_systems_show_all_of_many_figures_at_once() -> None:
    """With intervals that nine in ten systems are in, hardly any would be in all of forty."""
    seed, figures = 7, 40
    print(f"seed {seed}")
    random = np.random.default_rng(seed)

    def systems(count: int) -> np.ndarray:
        return np.exp(0.2 * random.standard_normal((figures, count)))

    known = [(0.0, 0.0)] * figures
    ranges, factor = ranges_of([1.0] * figures, list(systems(400)), known)
    ends = np.array([(one.low, one.high) for one in ranges if one is not None])
    fresh = systems(2000)
    inside = (fresh >= ends[:, :1]) & (fresh <= ends[:, 1:])
    assert np.mean(inside.all(axis=0)) == pytest.approx(0.95, abs=0.03)
    single = np.abs(np.log(fresh)) <= 1.645 * 0.2
    assert np.mean(single.all(axis=0)) == pytest.approx(0.9**figures, abs=0.01)
    # Of 40 normal figures 95 % lie within 3.23 standard deviations; single ones within 1.645.
    assert factor == pytest.approx(3.23 / 1.645, rel=0.1)


def test_a_figure_that_few_draws_have_is_not_expected() -> None:
    few = np.full(64, np.nan)
    few[:9] = 1.0
    ranges, _ = ranges_of([1.0, 1.0], [few, np.ones(64)])
    assert ranges[0] is None
    assert ranges[1] is not None


# ---- what is written before


def prepared(scenario: Scenario) -> dict[str, dict[str, str]]:
    """The sections of the job file that prepares the drives."""
    text, _ = preparation(scenario)
    assert text is not None
    file = configparser.ConfigParser(interpolation=None)
    file.read_string(text, "prepare.fio")
    return {name: dict(file[name]) for name in file.sections()}


def test_a_steady_drive_is_written_at_random_as_much_as_it_holds() -> None:
    """Twice in sequence leaves blocks to write to for longer than a job lasts."""
    found = prepared(database(**{"load.read": "70 %", "volume.filled": "100 %"}))
    assert list(found) == ["fill-data", "wear-data-1"]
    fill, wear = found.values()
    assert (fill["rw"], fill["size"], fill.get("loops")) == ("write", "100%", None)
    assert (wear["rw"], wear["bs"], wear["blockalign"]) == ("randwrite", "8k", "4k")
    assert (wear["size"], wear["stonewall"]) == ("32g", "1")
    capacity = load("p3700-database").volumes[0].capacity
    assert int(wear["io_size"].removesuffix("k")) * 1024 == capacity


@pytest.mark.parametrize("share", ["0.4 %", "4.49 %"])
def test_all_that_the_scenario_has_filled_is_filled(share: str) -> None:
    """fio has whole percents only: of 4.49 % the last tenth would be read without being there."""
    fill = prepared(database(**{"volume.filled": share, "volume.state": "filled"}))["fill-data"]
    (volume,) = load("p3700-database").volumes
    asked = float(share.split(maxsplit=1)[0]) / 100 * volume.capacity
    assert asked <= size(fill["size"]) < asked + 128 * 1024


def test_loads_wear_a_drive_side_by_side() -> None:
    loads = [
        {"name": "a", "read": "0 %", "size": "4 KiB", "outstanding": 1, "area": {"size": "1 GiB"}},
        {"name": "b", "read": "50 %", "size": "8 KiB", "outstanding": 1, "workers": 2,
         "partitions": True},
        {"name": "c", "read": "100 %", "size": "8 KiB", "outstanding": 1},
        {"name": "d", "read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 1},
    ]  # fmt: skip
    found = prepared(load("p3700-database").with_({"load": loads}))
    assert list(found) == ["fill-data", "wear-data-1", "wear-data-2"]
    assert [one.get("stonewall") for one in found.values()] == ["1", "1", None]
    capacity = load("p3700-database").volumes[0].capacity
    assert found["wear-data-1"]["size"] == "1g"
    assert found["wear-data-2"]["size"] == "100%"  # both parts, however large the real drive is
    assert sum(size(found[name]["io_size"]) for name in list(found)[1:]) == capacity


def shingled(**changes: object) -> Scenario:
    """Random writes to a shingled disk."""
    volume = {"name": "data", "drive": "seagate-st8000as0002"}
    load = {"read": "0 %", "size": "4 KiB", "outstanding": 1}
    data = {"host": {"model": "fujitsu-rx2540-m1"}, "volume": [volume], "load": [load]}
    return from_data(data).with_(changes)


def test_a_steady_shingled_disk_is_written_at_random_until_its_media_cache_stays_full() -> None:
    """A fill in sequence leaves it empty, and 25 times as fast as behind the cliff."""
    (wear,) = prepared(shingled()).values()
    assert (wear["rw"], wear["bs"], wear["size"]) == ("randwrite", "4k", "100%")
    _, (step,) = preparation(shingled())
    assert "2.5 days" in step
    assert "Begin the jobs at once" in step


@compiled_only
@pytest.mark.parametrize("area", ["4 GB", "1 GB"])
def test_what_is_written_before_brings_a_shingled_disk_into_its_steady_state(area: str) -> None:
    small = {"capacity.user": "4 GB", "smr.band": "4 MiB", "smr.media_cache": "0.1 GB",
             "smr.records": 1000, "buffer.size": "128 MiB"}  # fmt: skip
    scenario = shingled(**{"load.area": {"size": area}, "volume.set": small})
    (wear,) = prepared(scenario).values()
    writes = size(wear["io_size"]) // 4096
    taken = {}
    for state in ("filled", "steady"):
        built = build(scenario.with_({"volume.state": state}))
        begin(built)
        cache = built.system.world.shingles[0]
        first = int(cache["next"])
        while state == "filled" and cache["next"] - first < writes:
            built.system.run(built.system.now + 10**9)
        before, since = int(cache["next"]), built.system.now
        built.system.run(since + 400 * 10**9)
        taken[state] = int(cache["next"]) - before
    assert taken["filled"] == pytest.approx(taken["steady"], rel=0.1)


@pytest.mark.parametrize(
    "changes", [{"volume.state": "filled"}, {"volume.state": "fresh"}, {"load.random": "0 %"}]
)
def test_other_shingled_disks_are_left_idle_until_their_media_caches_are_empty(
    changes: dict[str, str],
) -> None:
    text, (step,) = preparation(shingled(**changes))
    assert text is None
    assert step.startswith("Leave volume data idle")
    assert "up to 29 hours" in step


@pytest.mark.parametrize(
    ("changes", "loops"),
    [({"volume.state": "filled"}, None), ({"load.read": "100 %"}, "2"),
     ({"load.random": "0 %"}, "2")],
)  # fmt: skip
def test_what_nothing_writes_to_at_random_is_filled_in_sequence(
    changes: dict[str, str], loops: str | None
) -> None:
    (fill,) = prepared(database(**changes)).values()
    assert (fill["rw"], fill.get("loops")) == ("write", loops)


def test_a_job_after_a_fill_in_sequence_measures_no_steady_drive() -> None:
    """Ten minutes of writes use up none of the free blocks, so it is as fast as before."""

    def rate_after(state: str, size: int, seconds: float) -> float:
        env = Environment(seed=3)
        host = Host(env, "fujitsu-rx2540-m1")
        volume = Volume(env, "micron-5100-eco-1920gb", host, state=state)
        writes = volume.start(Load(read="0 %", size=f"{size} B", align=f"{size} B", outstanding=64))
        env.run(until=seconds)
        env.reset_window()
        env.run(until=seconds + 2)
        return float(writes.iops)

    small, large = 4096, 65536
    assert rate_after("filled", small, 1) > 2 * rate_after("steady", small, 2)
    # As many bytes in larger pieces are the same free blocks, and fewer events.
    written = WORN_RAMP_S * rate_after("filled", small, 1) * small
    seconds = written / (rate_after("filled", large, 1) * large)
    assert rate_after("filled", large, seconds) > 2 * rate_after("steady", large, 2)
    assert rate_after("filled", large, 2 * seconds) == pytest.approx(
        rate_after("steady", large, 2), rel=0.1
    )


# ---- job files


def test_a_job_file_asks_for_the_ios_of_the_load(
    drawn: Acceptance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEVICE", "/dev/none")
    scenario = database()
    for depth, job in zip((1, 32), drawn.expected.jobs, strict=True):
        file = tmp_path / job.file
        file.write_text(drawn.files[job.file], encoding="utf-8")
        room = scenario.volumes[0].capacity
        (table,) = loads_of(read_jobs(file), None, lambda _, room=room: room).tables
        played = scenario.with_({"load": [{**table, "volume": "data"}]}).loads[0]
        asked = scenario.loads[0]
        assert played.outstanding == (depth,)
        assert played.extent(2**40) == asked.extent(2**40)
        assert (played.mix, played.align, played.workers) == (asked.mix, asked.align, asked.workers)


@pytest.mark.skipif(FIO is None, reason="fio is not installed")
@pytest.mark.parametrize("name", ["drive-database", "tolly-n5-random"])
def test_fio_itself_takes_the_job_files(name: str, tmp_path: Path) -> None:
    loaded = load(name)
    searched = {f"load.{one.name}.within": None for one in loaded.loads if one.within}
    quick = loaded.with_(QUICK | searched | {"load[*].outstanding": 4, "load[*].rate": None})
    drawn = draw_up(quick, 10)
    devices = dict.fromkeys(drawn.expected.devices, str(tmp_path / "device"))
    for file, text in drawn.files.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
        ended = subprocess.run(
            [str(FIO), "--parse-only", str(tmp_path / file)],
            env=devices, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, "")


# ---- verdicts


def test_a_system_as_described_passes(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = delivered(database(seed=1), drawn.expected, tmp_path)
    assert judged(drawn.expected, results, tmp_path) == 0
    assert "PASSED: all of 2 jobs" in capsys.readouterr().out


def test_a_delivery_can_be_rehearsed_with_what_a_run_says(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keeper = Keeper(keep)
    result = run_and_keep(database(seed=1), keeper)
    results = []
    for name, text in files_of(database(), result, keeper.found).contents.items():
        (tmp_path / name).write_bytes(text)
        results.append(str(tmp_path / name))
    assert judged(drawn.expected, results, tmp_path) == 0
    assert "PASSED: all of 2 jobs" in capsys.readouterr().out


def test_a_system_with_slower_flash_fails(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = delivered(database(**SLOW), drawn.expected, tmp_path)
    assert judged(drawn.expected, results, tmp_path) == 1
    out = capsys.readouterr().out
    assert "too slow" in out
    assert "FAILED: 2 of 2 jobs" in out


def test_a_system_that_answers_from_a_cache_fails(drawn: Acceptance, tmp_path: Path) -> None:
    cached = {"volume.set.flash.read_time": "1 us", "volume.set.command.latency": "0 us"}
    results = delivered(database(**cached), drawn.expected, tmp_path)
    assert judged(drawn.expected, results, tmp_path) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [({"bs": "4k"}, "bs=4k, and bs=8k was asked for"), ({"direct": "0"}, "page cache")],
)
def test_another_measurement_is_not_taken_for_the_one_that_was_asked_for(
    drawn: Acceptance,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: dict[str, str],
    words: str,
) -> None:
    results = delivered(database(), drawn.expected, tmp_path, **options)
    assert judged(drawn.expected, results, tmp_path) == 1
    assert words in capsys.readouterr().out


def job_on_all_of(capacity: int | None, **options: str) -> ExpectedJob:
    asked = {"rw": "randrw", "bs": "8k", "rwmixread": "67", "iodepth": "256", "numjobs": "1"}
    return ExpectedJob("one", "one.fio", "one", asked | options, [], capacity, complete=True)


def asked_otherwise(job: ExpectedJob, left_out: str = "", **options: str) -> list[str]:
    """What differs in a result with the options of the job file, but for these."""
    given = {"ioengine": "libaio", "direct": "1"} | job.options | options
    given.pop(left_out, None)
    return list(different(job, MeasuredJob("one", 0, 0, given, {})))


def test_a_share_of_writes_is_compared_as_one_of_reads() -> None:
    job = ExpectedJob("one", "one.fio", "one", {"rw": "randrw", "rwmixread": "67"}, [], 2**40)
    for share, agrees in (("33", True), ("34", False), ("²", False), ("9" * 5000, False)):
        said = asked_otherwise(job, left_out="rwmixread", rwmixwrite=share)
        assert (not any("rwmixread" in one for one in said)) == agrees


ALL_OF_IT = "and all of the device (size=100%) was asked for"


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ({}, []),
        ({"size": "1t"}, []),
        ({"size": "50%"}, [f"size=50%, {ALL_OF_IT}"]),
        ({"size": "512g"}, [f"size=512g, {ALL_OF_IT}"]),
        ({"offset": "512g"}, ["offset=512g, and offset=0 was asked for"]),
    ],
)
def test_half_of_a_disk_is_not_taken_for_all_of_it(size: dict[str, str], words: list[str]) -> None:
    """A job without `size` is on all of a device."""
    for job in (job_on_all_of(2**40, size="100%"), job_on_all_of(2**40)):
        assert asked_otherwise(job, **size) == words
        if not size:
            assert asked_otherwise(job, left_out="size") == []


def test_all_of_a_device_is_asked_for_where_the_load_has_all_of_the_volume() -> None:
    scenario = database(**{"load.area": None, "volume.drive": "nl-sas-2tb", "volume.filled": None})
    job = draw_up(scenario.with_({"load.outstanding": 1}), 10).expected.jobs[0]
    assert job.options["size"] == "100%"
    assert job.capacity == scenario.volumes[0].capacity


def test_what_a_result_leaves_out_is_what_fio_takes_for_it() -> None:
    job = job_on_all_of(2**40)
    left_out = "iodepth is left out, for which fio takes 1, and iodepth=256 was asked for"
    assert asked_otherwise(job, left_out="iodepth") == [left_out]
    assert asked_otherwise(job, left_out="numjobs") == []
    assert asked_otherwise(job, bs="8192") == []
    with_rate = job_on_all_of(2**40, rate_iops="100,50")
    assert asked_otherwise(with_rate, left_out="rate_iops") == [
        "there is no rate_iops, and rate_iops=100,50 was asked for"
    ]


def asked_for(name: str, given: str, asked: str) -> str:
    return f"{name}={given}, and {name}={asked} was asked for"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random_distribution": "zipf:1.2"},
         asked_for("random_distribution", "zipf:1.2", "random")),
        ({"percentage_random": "100,10"}, asked_for("percentage_random", "100,10", "100")),
        ({"percentage_random": "100,100,100"}, None),
        ({"fsync": "1"}, asked_for("fsync", "1", "0")),
        ({"fdatasync": "8"}, asked_for("fdatasync", "8", "0")),
        ({"sync": "1"}, asked_for("sync", "1", "none")),
        ({"sync": "0"}, None),
        ({"filesize": "1g"}, f"filesize=1g, {ALL_OF_IT}"),
        ({"filesize": "1t"}, None),
        ({"io_size": "1g"}, "io_size=1g, and no io_size was asked for"),
        ({"io_limit": "2t"}, None),
        ({"io_size": "200%"}, None),
        ({"iodepth_batch": "64"}, asked_for("iodepth_batch_submit", "64", "1")),
        ({"iodepth_batch_submit": "1", "iodepth_batch_complete_min": "0"}, None),
        ({"iodepth_low": "8"}, asked_for("iodepth_low", "8", "256")),
        ({"zero_buffers": "1"}, asked_for("zero_buffers", "1", "0")),
        ({"buffer_compress_percentage": "90"}, asked_for("buffer_compress_percentage", "90", "0")),
        ({"dedupe_percentage": "50"}, asked_for("dedupe_percentage", "50", "0")),
        ({"scramble_buffers": "0"}, asked_for("scramble_buffers", "0", "1")),
        ({"scramble_buffers": "0", "refill_buffers": "1"}, None),
        ({"ba": "4k"}, asked_for("blockalign", "4k", "8k")),
        ({"ba": "8192"}, None),
        ({"thinktime": "1ms"}, asked_for("thinktime", "1ms", "0")),
        ({"latency_target": "5000"}, asked_for("latency_target", "5000", "0")),
        ({"rate_process": "poisson"}, None),
        ({"read_iolog": "x.log"}, "read_iolog=x.log, and no read_iolog was asked for"),
        ({"bs": "8k,8k"}, None),
        ({"rw": "randrw", "random_generator": "tausworthe64"}, None),
    ],
)  # fmt: skip
def test_what_no_job_file_asked_for_is_as_fio_takes_it(
    options: dict[str, str], words: str | None
) -> None:
    """Each of these options changes what drives see; equal values count however written."""
    assert asked_otherwise(job_on_all_of(2**40, size="100%"), **options) == [words] * bool(words)


@pytest.mark.parametrize(
    ("name", "asked", "fio", "alike", "other"),
    [
        ("rate_process", "poisson", "linear", "poisson", "linear"),
        ("random_distribution", "zipf:1.2", "random", "zipf:1.20", "zipf:0.9"),
        ("percentage_random", "60", "100", "60,60", "40"),
        ("blockalign", "4k", "8k", "4096", "512"),
        ("thinktime", "1000", "0", "1ms", "500"),
        ("fsync", "8", "0", "8", "1"),
        ("sync", "dsync", "none", "1", "0"),
    ],
)
def test_what_a_job_file_asks_for_has_to_be_there(
    name: str, asked: str, fio: str, alike: str, other: str
) -> None:
    job = job_on_all_of(2**40, rate_iops="100,50", **{name: asked})
    assert asked_otherwise(job) == asked_otherwise(job, **{name: alike}) == []
    assert asked_otherwise(job, left_out=name) == [
        f"{name} is left out, for which fio takes {fio}, and {name}={asked} was asked for"
    ]
    assert asked_otherwise(job, **{name: other}) == [asked_for(name, other, asked)]


def test_options_that_a_job_does_not_use_are_not_compared() -> None:
    """What buffers hold changes no read, and sequential accesses have no distribution."""
    reads = ExpectedJob("one", "one.fio", "one", {"rw": "read"}, [], 2**40, complete=True)
    unused = {"zero_buffers": "1", "fsync": "1", "random_distribution": "zipf:1.2"}
    assert asked_otherwise(reads, **unused, iodepth_batch_submit="16") == []


def test_all_options_of_the_job_file_are_kept() -> None:
    changes = {"load.outstanding": None, "load.rate": "2000 IO/s", "load.random": "60 %"}
    (job,) = draw_up(database(**changes), 10).expected.jobs
    assert job.complete
    assert (job.options["rate_process"], job.options["percentage_random"]) == ("poisson", "60")


def test_expectations_of_an_earlier_version_are_judged_by_what_they_kept(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They do not say whether the job file asked for a distribution; for no zeros it never did."""
    earlier = replace(
        drawn.expected,
        jobs=[
            replace(
                job,
                complete=False,
                options={key: job.options[key] for key in COMPARED_FIRST if key in job.options},
            )
            for job in drawn.expected.jobs
        ],
    )
    results = delivered(database(seed=1), earlier, tmp_path, random_distribution="zipf:1.2")
    assert judged(earlier, results, tmp_path) == 0
    assert "the expectations are of an earlier version" in capsys.readouterr().out
    results = delivered(database(seed=1), earlier, tmp_path, zero_buffers="1")
    assert judged(earlier, results, tmp_path) == 1
    assert "zero_buffers=1, and zero_buffers=0 was asked for" in capsys.readouterr().out


def test_a_search_can_be_rehearsed_although_its_result_names_the_latency(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = database(**{"load.within": "1 ms", "load.outstanding": [1, 2]})
    expected = draw_up(scenario, 10).expected
    keeper = Keeper(keep)
    result = run_and_keep(scenario, keeper)
    results = []
    for name, text in files_of(scenario, result, keeper.found).contents.items():
        (tmp_path / name).write_bytes(text)
        results.append(str(tmp_path / name))
    judged(expected, results, tmp_path)
    out = capsys.readouterr().out
    assert "not measured" not in out
    assert "was asked for" not in out


def test_an_engine_with_one_io_at_a_time_has_no_depth() -> None:
    words = ["ioengine=psync has one I/O at a time, and iodepth=256 was asked for"]
    assert asked_otherwise(job_on_all_of(2**40), ioengine="psync") == words
    assert asked_otherwise(job_on_all_of(2**40), left_out="ioengine") == words
    assert asked_otherwise(job_on_all_of(2**40, iodepth="1"), ioengine="psync") == []


def test_a_result_without_options_says_so(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = delivered(database(), drawn.expected, tmp_path)
    for file in map(Path, results):
        document = json.loads(file.read_text("utf-8"))
        document.pop("global options", None)
        for job in document["jobs"]:
            del job["job options"]
        file.write_text(json.dumps(document), "utf-8")
    assert judged(drawn.expected, results, tmp_path) == 0
    out = capsys.readouterr().out
    assert "database-1: passed: the result does not say with which options it was measured" in out


def test_a_job_that_was_not_measured_fails(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = delivered(database(), drawn.expected, tmp_path)
    assert judged(drawn.expected, results[:1], tmp_path) == 1
    assert "database-32: not measured: no result has a job" in capsys.readouterr().out


# ---- what is drawn up


def test_of_a_search_the_highest_load_within_the_latency_is_measured() -> None:
    within = {"load.within": "1 ms", "load.within_percentile": "99 %"}
    expected = draw_up(database(**within, **{"load.outstanding": [1, 64]}), 10).expected
    (job,) = expected.jobs
    assert 1 < int(job.options["iodepth"]) < 64


def test_expectations_are_read_as_they_were_written(drawn: Acceptance, tmp_path: Path) -> None:
    file = tmp_path / "expected.json"
    file.write_bytes(json_file.render(drawn.expected.to_dict()))
    assert read_expected(file) == drawn.expected
    file.write_text(file.read_text("utf-8").replace('"draws": 16', '"draws": "16"'), "utf-8")
    with pytest.raises(InputError, match="draws"):
        read_expected(file)


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("rebuild-raid5", {}, "event: what happens meanwhile"),
        ("tolly-n5-boot-storm", {}, "machine: machines that boot"),
        (
            "p3700-database",
            {"load.outstanding": None, "load.rate": "2000 kIO/s"},
            r"asks for 2,000,000 IO/s, more than the system carries; [0-9]{3},[0-9]{3} IO/s are",
        ),
    ],
)
def test_what_cannot_be_accepted_is_refused(
    name: str, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        draw_up(load(name).with_(changes), 10)
