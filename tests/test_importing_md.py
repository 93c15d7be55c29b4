"""What is taken of Linux md: arrays, what runs on them, and what a scenario cannot say."""

from __future__ import annotations

import re

import pytest
from imported_files import DATA, MD, imported, said, scenario_of, text_as

from raidsim import cards
from raidsim.errors import InputError
from raidsim.importing.importer import import_files
from raidsim.scenario.scenario import load_text


def test_a_rebuild_on_a_spare_is_an_event_of_the_drive_that_is_missing():
    scenario = scenario_of(f"{MD}/detail-md2.txt")
    (volume,) = scenario.volumes
    assert (volume.level, volume.drives, volume.failed) == ("raid6", 5, (2,))
    assert (volume.strip, volume.rotation, volume.intent) == (
        512 * 1024,
        "left-symmetric",
        "bitmap",
    )
    assert [(event.KIND, event.drive) for event in scenario.events] == [("rebuild", 2)]


def test_what_was_under_way_is_left_out_beside_jobs_one_after_the_other(tmp_path):
    """No load can wait for another one beside events: the two files together were refused."""
    jobs = tmp_path / "jobs.fio"
    jobs.write_text("""
[global]
filename=/dev/md2
runtime=60
time_based
[reads]
rw=randread
[writes]
stonewall
rw=randwrite
""")
    files = [str(DATA / f"{MD}/mdstat.txt"), str(jobs)]
    made = import_files(files, arrays=["md2"])
    scenario = load_text(made.text)
    assert [load.after for load in scenario.loads] == [None, "reads"]
    assert not scenario.events
    assert len(scenario.volumes[0].failed) == 1
    assert (
        "a rebuild of md2 was under way: it is left out, since the jobs run one after the other"
        in said(made)
    )
    jobs.write_text(jobs.read_text().replace("stonewall", ""))
    assert [event.kind for event in load_text(import_files(files, arrays=["md2"]).text).events]


@pytest.mark.parametrize(
    ("device", "words"),
    [
        ("sdb", "sdb: is a drive of md2: the load is taken to run on the whole volume md2"),
        ("md2p1", "md2p1: is a part of md2: the load is taken to run on the whole volume md2"),
        ("sdz", "sdz: is in none of the files: the load is taken to run on the whole volume md2"),
        ("md2", None),
    ],
)
def test_a_job_on_a_device_that_is_no_volume_is_said_to_run_on_another(tmp_path, device, words):
    """A job on a member of an array, or on a disk of no file, became one on the array, silently."""
    status = tmp_path / "mdstat"
    status.write_text("""Personalities : [raid5]
md2 : active raid5 sdd[3] sdc[2] sdb[1] sda[0]
      2929890816 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/4] [UUUU]

unused devices: <none>
""")
    job = tmp_path / "job.fio"
    job.write_text(f"[reads]\nrw=randread\nbs=4k\nruntime=60\nfilename=/dev/{device}\n")
    lines = said(import_files([str(status), str(job)]))
    if words is None:
        assert "is taken to run" not in lines
    else:
        assert words in lines


def test_options_that_are_in_a_load_are_not_called_without_effect(tmp_path):
    """Of the first job runtime is `limit`; of the second stonewall is `after`."""
    jobs = tmp_path / "jobs.fio"
    jobs.write_text(
        "[global]\nfilename=/dev/sdb\nruntime=60\ntime_based\ndirect=1\ngroup_reporting\n"
        "[reads]\nrw=randread\n[writes]\nstonewall\nrw=randwrite\n"
    )
    lines = said(import_files([str(jobs)])).splitlines()
    idle = [line.partition("on the I/Os: ")[2] for line in lines if "without effect" in line]
    assert idle == ["group_reporting", "group_reporting, runtime, time_based"]


def test_drives_of_which_only_an_array_is_known_are_as_large_as_it_says(tmp_path):
    """Four drives of 1 TB under RAID 5; the nearest card has 2 TB, which was taken silently."""
    status = tmp_path / "mdstat"
    blocks, least = 2929890816, 2929890816 * 1024 // 3
    text = """Personalities : [raid6] [raid5] [raid4]
md0 : active raid5 sdd[3] sdc[2] sdb[1] sda[0]
      2929890816 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/4] [UUUU]

unused devices: <none>
"""
    status.write_text(text)
    made = import_files([str(status)])
    (volume,) = load_text(made.text).volumes
    assert volume.card.integer("capacity.user") == least // 4096 * 4096
    assert volume.capacity == pytest.approx(blocks * 1024, rel=1e-3)
    (guess,) = (one for one in made.guesses if "capacity.user" in one)
    assert "what the array uses of each drive; no file says how large the drives are" in guess
    # Partitions may be a small part of their drives: the card stays, and the load keeps to them.
    status.write_text(text.replace("[3]", "1[3]").replace("[2]", "1[2]").replace("sdb", "sdb1"))
    made = import_files([str(status)])
    assert load_text(made.text).volumes[0].card.integer("capacity.user") > 1.9e12
    assert "the size of the array" in made.text


def test_mdstat_says_the_same_as_detail():
    first = scenario_of(f"{MD}/mdstat.txt", arrays=["md2"]).volumes[0]
    second = scenario_of(f"{MD}/detail-md2.txt").volumes[0]
    for key in ("level", "drives", "strip", "rotation", "failed", "intent"):
        assert getattr(first, key) == getattr(second, key)
    assert first.bitmap_chunk == 64 * 2**20


def test_examine_of_all_members_is_one_array_with_its_spare():
    names = [f"md/01-healthy/examine-sd{letter}.txt" for letter in "cdefgh"]
    (volume,) = scenario_of(*names).volumes
    assert (volume.level, volume.drives, volume.spares) == ("raid6", 5, 1)


def test_export_has_neither_chunk_nor_size_and_that_is_said():
    made = imported("md/01-healthy/detail-export-md2.txt")
    (volume,) = load_text(made.text).volumes
    assert (volume.level, volume.drives) == ("raid6", 5)
    assert any("volume.strip = " in guess for guess in made.guesses)


def test_drives_of_lsblk_are_those_of_the_arrays():
    scenario = scenario_of("md/01-healthy")
    data = next(volume for volume in scenario.volumes if volume.name == "data")
    root = next(volume for volume in scenario.volumes if volume.name == "root")
    assert cards.load(data.drive).number("capacity.user") == pytest.approx(2e12, rel=1e-3)
    assert cards.load(root.drive).kind == "ssd"


def test_raid_10_lies_as_md_has_it():
    (volume,) = scenario_of("md/01-healthy/detail-md3.txt").volumes
    assert (volume.level, volume.spread, volume.copies, volume.strip) == (
        "raid10",
        "far",
        2,
        256 * 1024,
    )


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("08-ppl-journal-write-mostly", "RAID 4 of 2 drives is not simulated: Linux md mirrors"),
        ("09-raid5-failed", "md5: is left out: has failed: no I/O is possible"),
        ("10-replacing", "drive 0 is being replaced while in use, which is not imported"),
        ("11-delayed", "resync is delayed: it has not begun, and is left out"),
        ("13-inactive", "md127: is left out: is not started: no I/O is possible"),
    ],
)  # fmt: skip
def test_what_a_scenario_cannot_say_of_an_array_is_said(state, words):
    assert words in said(imported(f"md/{state}"))


def test_an_array_is_taken_over_with_as_few_drives_as_are_simulated(tmp_path):
    """Two under RAID 1, four under RAID 6: Linux md refuses three."""
    mdstat = "md0 : active {} {}\n      1953382400 blocks super 1.2 {}[{}/{}] [{}]\n"
    names = "sda1[0] sdb1[1] sdc1[2] sdd1[3]"
    six = ("raid6", names, "level 6, 64k chunk, algorithm 2 ", 4, 4, "UUUU")
    (volume,) = load_text(text_as(tmp_path, mdstat.format(*six)).text).volumes
    assert (volume.level, volume.drives) == ("raid6", 4)
    three = ("raid6", names[:-8], "level 6, 64k chunk, algorithm 2 ", 3, 3, "UUU")
    with pytest.raises(InputError, match="md0: RAID 6 of 3 drives is not started by Linux md"):
        text_as(tmp_path, mdstat.format(*three))
    with pytest.raises(InputError, match="md0: raid1 of 1 drive is not simulated; give at least"):
        text_as(tmp_path, mdstat.format("raid1", "sda1[0]", "", 1, 1, "U"))


def test_a_resync_and_a_check_go_through_all_stripes():
    for state in ("02-checking", "07-initial-resync"):
        scenario = scenario_of(f"md/{state}/mdstat.txt")
        assert "consistency-check" in [event.KIND for event in scenario.events]


@pytest.mark.parametrize(
    ("level", "words", "meant"),
    [
        ("raid4", "", ("raid4", "left-symmetric")),
        ("raid5", "parity-first", ("raid5", "parity-first")),
        ("raid6", "left-symmetric-6", ("raid6", "left-symmetric-6")),
        ("raid6", "ddf-N-continue", ("raid6", "n-continue")),
    ],
)
def test_layouts_are_taken_over_by_the_names_of_mdadm(tmp_path, level, words, meant):
    """RAID 4 has no word for its layout; the rotation that stands is not used."""
    text = (DATA / "md/01-healthy/detail-md2.txt").read_text()
    text = re.sub(r"(Raid Level : )\w+", rf"\g<1>{level}", text)
    text = re.sub(r"\n *Layout : .*", f"\n            Layout : {words}" if words else "", text)
    made = load_text(text_as(tmp_path, text).text)
    assert [(one.level, one.rotation) for one in made.volumes] == [meant]


def test_a_partial_parity_log_is_one_and_a_journal_is_one():
    names = [f"md/08-ppl-journal-write-mostly/detail-md{number}.txt" for number in (5, 6)]
    assert [volume.intent for volume in scenario_of(*names).volumes] == ["ppl", "journal"]


def test_the_sample_of_a_rebuild_is_a_share_of_the_drive_that_is_rebuilt(tmp_path):
    """An array of 100 MB on partitions is simulated on whole drives: all of them is no sample.

    A rebuild goes through the drive of the scenario, so a share that was taken of the partition
    made a run end in the middle of the rebuild.
    """
    text = tmp_path / "detail.txt"
    text.write_text("""/dev/md126:
        Raid Level : raid1
        Array Size : 101376 (99.00 MiB 103.81 MB)
     Used Dev Size : 101376 (99.00 MiB 103.81 MB)
      Raid Devices : 2
     Total Devices : 2
             State : clean, degraded, recovering
    Rebuild Status : 24% complete

    Number   Major   Minor   RaidDevice State
       0     254        1        0      active sync   /dev/vda1
       1     254        2        1      spare rebuilding   /dev/vdb1
""")
    scenario = load_text(import_files([str(text)]).text)
    (volume,), (event,) = scenario.volumes, scenario.events
    capacity = cards.load(volume.drive).integer("capacity.user")
    assert capacity > 10e9
    assert 1e8 < event.sample * capacity < 1e9
