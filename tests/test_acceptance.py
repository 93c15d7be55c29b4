"""A delivered system passes if it is as described, and fails if it is not; 19 times in 20."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import compiled_only
from delivery import QUICK, database, delivered, judged

from raidsim import InputError
from raidsim.acceptance import draw_up, read_expected
from raidsim.acceptance.drawn_up import Acceptance
from raidsim.acceptance.jobs import COMPARED_FIRST
from raidsim.acceptance.ranges import ranges_of
from raidsim.fio.files import files_of
from raidsim.fio.job_file import loads_of, read_jobs
from raidsim.fio.written import keep
from raidsim.observe.ios import Keeper
from raidsim.report import json_file
from raidsim.running import run_and_keep
from raidsim.scenario import load

FIO = shutil.which("fio")
SLOW = {
    "volume.set.flash.read_time": "300 us",
    "volume.set.flash.channel_read_time_per_byte": "0.02 us/KiB",
}

pytestmark = compiled_only


@pytest.fixture(scope="module")
def drawn() -> Acceptance:
    return draw_up(database(), 16)


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


def test_a_delivery_that_was_measured_for_a_second_passes_with_a_remark(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Job files ask for two minutes; what a cache takes in for a second says little."""
    results = delivered(database(seed=1), drawn.expected, tmp_path)
    assert judged(drawn.expected, results, tmp_path) == 0
    told = capsys.readouterr().out
    assert f"{results[0]}: {drawn.expected.jobs[0].name}: measured over" in told
    for file in results:
        document = json.loads(Path(file).read_text())
        for job in document["jobs"]:
            for direction in ("read", "write"):
                job[direction]["runtime"] = 120_000
        Path(file).write_text(json.dumps(document))
    assert judged(drawn.expected, results, tmp_path) == 0
    assert "measured over" not in capsys.readouterr().out


def test_rates_and_latencies_that_cannot_both_be_right_are_named(
    drawn: Acceptance, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = delivered(database(seed=1), drawn.expected, tmp_path)
    document = json.loads(Path(results[0]).read_text())
    for job in document["jobs"]:
        job["read"]["iops"] *= 3
    Path(results[0]).write_text(json.dumps(document))
    judged(drawn.expected, results, tmp_path)
    assert "cannot both be right" in capsys.readouterr().out
    for job in document["jobs"]:
        job["job options"]["iodepth"] = "1024"  # not as asked for, but no contradiction
    Path(results[0]).write_text(json.dumps(document))
    judged(drawn.expected, results, tmp_path)
    assert "cannot both be right" not in capsys.readouterr().out


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
