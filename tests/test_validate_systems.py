"""Runs that mean the same are one run, and what claims get of it is what they would get alone."""

from __future__ import annotations

import shutil

import pytest

from raidsim import cards
from raidsim.running import run
from raidsim.scenario import load
from raidsim.validate.jobs import Job, Latency, simulate
from raidsim.validate.systems import LONG, MEASURED, SEARCHED, MergedJob, Systems, results_of
from raidsim.workers.engine import execute

QUICK = ("measure.precision=5 %", "measure.min_ios=2000", "load.area.size=1 GiB")
AT_ITS_BEGINNING = "load.area.offset=0 B"


ALONE = ("volume.level=single", "volume.drives=1")
ONE_DISK = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "disk.toml"
[[load]]
read = "100 %"
size = "4 KiB"
outstanding = [1, 8]
"""


def merged(*jobs):
    return Systems().merged(jobs)


def test_intensities_of_one_system_are_one_run():
    (one,) = merged(*(Job("p3700-database", QUICK, n) for n in (64, 1, 8)))
    assert one.job.outstanding == (1, 8, 64)
    assert one.points == 3


def test_words_that_mean_the_same_are_simulated_once():
    (one,) = merged(
        Job("p3700-database", (), 8),
        Job("p3700-database", ("load.read=67 %",), 8),
        Job("p3700-database", ("load.size=8 KiB", "title=the same"), 8),
        Job("array-database", (*ALONE, AT_ITS_BEGINNING), 8),
    )
    assert one.points == 1


@pytest.mark.parametrize(
    "other",
    [
        Job("p3700-database", ("load.read=66 %",), 8),
        Job("p3700-database", ("volume.drive=intel-p3700-1600gb",), 8),
        Job("p3700-database", ("seed=2",), 8),
        Job("p3700-database", (), None),
        Job("p3700-database", (), (1, 8), Latency("2 ms")),
    ],
)
def test_what_differs_in_anything_else_is_another_run(other):
    assert len(merged(Job("p3700-database", (), 8), other)) == 2


CACHED = (*ALONE, "controller.model=lsi-megaraid-1078-512", "volume.drive=seagate-st373455ss")


def test_behind_a_cache_the_strips_of_a_single_drive_count():
    strips = [("volume.strip=64 KiB",), ("volume.strip=128 KiB",)]
    assert len(merged(*(Job("array-database", CACHED + strip, 8) for strip in strips))) == 2
    assert len(merged(*(Job("array-database", ALONE + strip, 8) for strip in strips))) == 1


def test_cards_of_one_name_in_two_folders_are_two_drives(tmp_path):
    jobs = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy(cards.find("nl-sas-2tb"), folder / "disk.toml")
        (folder / "one.toml").write_text(ONE_DISK)
        jobs.append(Job(str(folder / "one.toml"), (), 8))
    assert len(merged(*jobs)) == 2


def test_long_runs_come_first_then_searches_then_the_most_points():
    found = merged(
        Job("p3700-database", (), 1),
        *(Job("p3700-database", ("load.read=0 %",), n) for n in (1, 2)),
        Job("p3700-database", (), (1, 2), Latency("1 ms")),
        Job("p3700-obstructed", (), 8),
    )
    assert [(one.cost, one.points) for one in found] == [
        (LONG, 1), (SEARCHED, 1), (MEASURED, 2), (MEASURED, 1),
    ]  # fmt: skip


def test_systems_whose_drives_were_used_alike_come_one_after_the_other():
    """Reads beside the writes change nothing of what a drive was used for before."""
    found = merged(
        *(
            Job("ssd-fio", (f"volume.drive={drive}", f"load.size={size}", f"load.read={read} %"), 8)
            for read in (0, 50)
            for size in ("4 KiB", "8 KiB")
            for drive in ("intel-p3700-800gb", "intel-s3700-800gb")
        )
    )
    pasts = [one.past for one in found]
    assert len(pasts) == 8
    assert len({*pasts}) == 4
    assert pasts[0::2] == pasts[1::2]


def test_a_drive_was_used_alike_whatever_the_seed_of_the_run():
    one, other = merged(Job("ssd-fio", ("seed=1",), 8), Job("ssd-fio", ("seed=2",), 8))
    assert one.past == other.past


def test_a_scenario_that_is_wrong_is_left_to_the_run_that_says_so():
    wrong = Job("p3700-databse", (), 8)
    (one,) = merged(wrong)
    assert (one.job.scenario, list(one.members)) == (wrong.scenario, [wrong])


def test_each_claim_gets_what_a_run_of_its_own_gives():
    jobs = [Job("p3700-four-drives", QUICK, n) for n in (8, 1)]
    found = merged(*jobs)
    results = results_of(found, execute([one.job for one in found], simulate))
    for job in jobs:
        alone = run(load(job.scenario, overrides=job.all_overrides()))
        assert results[job].points == alone.points


def test_a_run_of_its_own_is_given_back_as_it_is():
    job = Job("toy", (), 8)
    assert MergedJob.of(job).split("result") == {job: "result"}
    assert MergedJob.of(job).points == 1
