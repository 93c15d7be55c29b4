"""What is taken of each format, and the traps in which a number would silently be wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from raidsim import cards
from raidsim.errors import InputError
from raidsim.importing.importer import Imported, import_files, read_files
from raidsim.importing.together import join
from raidsim.importing.wishes import Wishes
from raidsim.scenario.scenario import Scenario, load_text

DATA = Path(__file__).parent / "data" / "importing"
MD = "md/03-degraded-recovering-on-spare"


def imported(*names: str, **options) -> Imported:
    return import_files([str(DATA / name) for name in names], **options)


def scenario_of(*names: str, **options) -> Scenario:
    return load_text(imported(*names, **options).text)


def said(made: Imported) -> str:
    return "\n".join(map(str, made.remarks))


def text_as(tmp_path: Path, text: str, name: str = "file.txt") -> Imported:
    path = tmp_path / name
    path.write_text(text)
    return import_files([str(path)])


# ---------------------------------------------------------------- storcli and perccli


def test_sizes_of_storcli_are_binary_whatever_their_letters():
    (volume,) = scenario_of("storcli/puppet-call_vall_show_0.json").volumes
    # "3.491 TB" of two pairs of drives of "1.745 TB": 7,499,284,480 blocks of 512 bytes.
    assert volume.capacity == pytest.approx(7499284480 * 512, rel=2e-3)


def test_strip_spans_and_policies_are_those_of_the_virtual_drive():
    (volume,) = scenario_of("storcli/puppet-call_vall_show_0.json").volumes
    assert (volume.strip, volume.spans) == (256 * 1024, 2)
    assert (volume.write, volume.read_ahead, volume.io) == ("back", "ahead", "direct")


def test_files_of_one_controller_are_joined_by_slots():
    files = ["storcli/prom-cALL_show_all.json", "storcli/prom-eALL_sALL_show_all.json"]
    (volume,) = scenario_of(*files).volumes
    assert (volume.level, volume.drives) == ("raid6", 4)
    # Raw size: 0x6fc81ab0 sectors, where the list of drives has 893.750 GB.
    system = join(read_files([str(DATA / name) for name in files], None, Wishes()))
    assert {drive.capacity.value for drive in system.drives} == {0x6FC81AB0 * 512}


def test_a_controller_is_matched_by_cache_and_ports():
    scenario = scenario_of("storcli/prom-cALL_show_all.json")
    (controller,) = scenario.controllers
    assert (controller.model, controller.battery) == ("cisco-12g-sas-raid-2gb", "good")
    assert scenario.volumes[0].rebuild_rate == 0.3


def changed(tmp_path: Path, name: str, *pairs: tuple[str, str]) -> Imported:
    text = (DATA / name).read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text_as(tmp_path, text, "changed.json")


def test_a_controller_whose_card_is_there_gets_that_card(tmp_path):
    """Whatever stands around its model number."""
    model = ("PRAID EP420i", "Broadcom MegaRAID 9670W-16i 8GB")
    made = changed(tmp_path, "storcli/prom-cALL_show_all.json", model)
    assert load_text(made.text).controllers[0].model == "broadcom-megaraid-9670w-16i"


def test_a_drive_that_is_rebuilt_is_an_event_and_a_bad_battery_comes_along(tmp_path):
    text = (DATA / "storcli/prom-cALL_show_all.json").read_text()
    head, separator, module = text.partition('"Cachevault_Info"')
    assert '"Optimal"' in module
    head = re.sub(r'("EID:Slt" : "252:5",\s+"DID" : 6,\s+"State" : )"Onln"', r'\1"Rbld"', head)
    made = text_as(tmp_path, head + separator + module.replace('"Optimal"', '"Failed"'))
    scenario = load_text(made.text)
    # Topology: the drive in slot 5 is the third one of the array.
    assert scenario.volumes[0].failed == (2,)
    assert [(event.KIND, event.drive) for event in scenario.events] == [("rebuild", 2)]
    assert scenario.controllers[0].battery == "low"


def test_a_hot_spare_of_the_controller_is_one_of_the_volume(tmp_path):
    text = (DATA / "storcli/prom-cALL_show_all.json").read_text()
    made = re.search(r"\{\s+\"EID:Slt\" : \"252:5\".*?\}", text, re.DOTALL)
    spare = made[0].replace("252:5", "252:7").replace('"Onln"', '"GHS"')
    spare = spare.replace('"DID" : 6', '"DID" : 9').replace('"DG" : 0', '"DG" : "-"')
    (volume,) = load_text(
        text_as(tmp_path, text.replace(made[0], made[0] + "," + spare)).text
    ).volumes
    assert (volume.drives, volume.spares) == (4, 1)


def test_a_virtual_drive_that_is_offline_is_refused(tmp_path):
    with pytest.raises(InputError, match="is offline: it serves nothing"):
        changed(tmp_path, "storcli/puppet-call_vall_show_0.json", ('"Optl"', '"OfLn"'))


def test_raid_1_of_four_drives_is_raid_10(tmp_path):
    made = changed(
        tmp_path, "storcli/puppet-call_vall_show_0.json", ('"RAID10"', '"RAID1"'),
        ('"Span Depth" : 2', '"Span Depth" : 1'), ('Drives Per Span" : 2', 'Drives Per Span" : 4'),
    )  # fmt: skip
    (volume,) = load_text(made.text).volumes
    assert (volume.level, volume.spans) == ("raid10", 2)


@pytest.mark.parametrize(
    ("letters", "write", "ahead", "io"),
    [
        ("NRWTD", "through", "none", "direct"), ("RWBC", "back", "ahead", "cached"),
        ("RAWBD", "back-bad-battery", "ahead", "direct"),
        ("NRFWBD", "back-bad-battery", "none", "direct"),
        ("NR,WB", "back", "none", "direct"),
    ],
)  # fmt: skip
def test_letters_of_cache_policies(tmp_path, letters, write, ahead, io):
    made = changed(tmp_path, "storcli/puppet-call_vall_show_0.json", ('"RWBD"', f'"{letters}"'))
    (volume,) = load_text(made.text).volumes
    assert (volume.write, volume.read_ahead, volume.io) == (write, ahead, io)


def test_what_nobody_understands_is_listed_with_its_line(tmp_path):
    made = changed(
        tmp_path, "storcli/puppet-call_vall_show_0.json", ('"RWBD"', '"XYZ"'),
        ('"PDs for VD 0"', '"Flux Capacitor" : 3,\n"PDs for VD 0"'),
    )  # fmt: skip
    assert 'changed.json:19: Cache: "XYZ" is not understood' in said(made)
    assert 'changed.json:26: "Flux Capacitor": is not understood' in said(made)


def test_drives_behind_a_host_bus_adapter_are_without_raid(tmp_path):
    def row(slot: int) -> str:
        return (
            f'"Drive /c0/e2/s{slot}": [{{"EID:Slt": "2:{slot}", "DID": {slot}, "State": "JBOD",'
            ' "DG": "-", "Size": "3.638 TB", "Intf": "SAS", "Med": "HDD", "SeSz": "512B",'
            ' "Model": "ST4000NM0025    ", "Sp": "-"}]'
        )

    text = (
        '{"Controllers": [{"Command Status": {"Controller": 0, "Status": "Success"},'
        '"Response Data": {"Basics": {"Adapter Type": "SAS3008(C0)", "Model": "LSI3008-IT"},'
        f'"Physical Device Information": {{{row(0)}, {row(1)}}}}}}}]}}'
    )
    scenario = load_text(text_as(tmp_path, text, "hba.json").text)
    assert [volume.level for volume in scenario.volumes] == ["jbod"]
    assert scenario.controllers[0].model == "cisco-12g-sas-hba"


def test_several_controllers_keep_their_volumes(tmp_path):
    one = (DATA / "storcli/prom-cALL_show_all.json").read_text()
    other = one.replace('"Controller" : 0', '"Controller" : 1').replace(
        '"Name" : ""', '"Name" : "b"'
    )
    (tmp_path / "0.json").write_text(one)
    (tmp_path / "1.json").write_text(other)
    scenario = load_text(import_files([str(tmp_path)]).text)
    on = {volume.name: volume.controller for volume in scenario.volumes}
    assert on == {"c0-vd0": "controller-0", "b": "controller-1"}


@pytest.mark.parametrize(
    ("name", "key", "word"),
    [
        ("storcli/prom-cALL_show_all.json", "level", '"RAID6"'),
        ("storcli/puppet-call_vall_show_0.json", "strip", '"256 KB"'),
        ("smartctl/SAMSUNG_MZQLB1T9HAJR-00007_19.json", "drive", "SAMSUNG MZQLB1T9HAJR-00007"),
        ("written/megacli-ldpdinfo.txt", "strip", "256 KB"),
        ("written/ssacli-config-detail.txt", "failed", "Failed"),
        ("mdadm/jc-mdadm-query-raid5-ok.out", "rotation", "left-symmetric"),
        ("mdstat/pymdstat-02", "strip", "64k chunk"),
    ],
)
def test_the_line_that_is_named_says_so(name, key, word):
    text = imported(name).text
    (comment, *_) = re.findall(rf"^{key} = .* # \S+?:(\d+)", text, re.MULTILINE)
    lines = (DATA / name).read_text().split("\n")
    near = lines[int(comment) - 1] if key != "failed" else "\n".join(lines[int(comment) - 1 :][:2])
    assert word in near


# ---------------------------------------------------------------- MegaCli and ssacli


def test_megacli_raid_1_of_several_spans_is_raid_10():
    first, second = scenario_of("written/megacli-ldpdinfo.txt").volumes
    assert (first.level, first.drives, first.spans, first.strip) == ("raid10", 4, 2, 256 * 1024)
    assert (first.write, first.read_ahead, first.io) == ("back-bad-battery", "adaptive", "cached")
    assert (second.level, second.write, second.disk_cache) == ("raid1", "through", "off")
    assert second.failed == (1,)


def test_megacli_files_are_joined_by_the_adapter():
    made = imported(
        "written/megacli-ldpdinfo.txt", "written/megacli-adpallinfo.txt", "written/megacli-bbu.txt"
    )
    (controller,) = load_text(made.text).controllers
    assert (controller.model, controller.battery) == ("cisco-12g-sas-raid-1gb", "low")
    # 0x2e9390b0 sectors, exactly, where the text before has 372.611 GB
    assert 'capacity.user = "400088457216 B"' in made.text


def test_ssacli_knows_strip_spare_and_failed_drive():
    scenario = scenario_of("written/ssacli-config-detail.txt")
    (volume,) = scenario.volumes
    assert (volume.strip, volume.failed, volume.spares) == (256 * 1024, (2,), 1)
    assert (volume.write, volume.disk_cache) == ("back", "off")
    assert (volume.drive, [event.drive for event in scenario.events]) == (
        "cisco-hdd-1200gb-10k",
        [2],
    )
    # "3.3 TB" is binary: three drives of 1.2 TB hold 3.6 TB, all of which the array has.
    assert scenario.loads[0].area.size is None or scenario.loads[0].area.size > 3.55e12


# ---------------------------------------------------------------- Linux md


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
    assert "a rebuild of md2 was under way: it is left out, since the jobs begin in turn" in said(
        made
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
    assert "the array takes no more" in made.text


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
        ("09-raid5-failed", "md5: is left out: has failed: it serves nothing"),
        ("10-replacing", "drive 0 is being replaced while it serves, which is not imported"),
        ("11-delayed", "resync is delayed: it has not begun, and is left out"),
        ("13-inactive", "md127: is left out: is not started: it serves nothing"),
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


# ---------------------------------------------------------------- drives


def test_the_very_model_has_its_card():
    (volume,) = scenario_of("written/nvme-list-1.json").volumes
    assert volume.drive == "intel-p3700-800gb"
    assert dict(volume.set) == {}


def test_another_model_gets_the_nearest_card_with_the_reason_and_what_is_known(tmp_path):
    text = (DATA / "smartctl/HGST_HUS724020ALE640_28.json").read_text()
    made = text_as(tmp_path, text.replace("2000398934016", "4000787030016"))
    why = 'no card for "HGST HUS724020ALE640"; the nearest by hard disk, sata, 7,200 rpm'
    assert why in made.text
    assert 'capacity.physical_sector = "4096 B"' in made.text
    assert 'link.interface = "sata"' in made.text


def test_one_drive_of_two_files_is_one_drive():
    text = (DATA / "smartctl/SAMSUNG_MZQLB1T9HAJR-00007_19.json").read_text()
    assert text
    names = ["smartctl/SAMSUNG_MZQLB1T9HAJR-00007_19.json"] * 2
    assert [volume.drives for volume in scenario_of(*names).volumes] == [1]


def test_old_booleans_and_sizes_of_lsblk(tmp_path):
    made = text_as(tmp_path, """{"blockdevices": [
      {"name": "sda", "maj:min": "8:0", "size": "3.7T", "type": "disk", "rota": "1", "tran": "sas",
       "model": "ST4000NM0025    ", "log-sec": "512", "phy-sec": "512"},
      {"name": "sdb", "maj:min": "8:16", "size": "447.1G", "type": "disk", "rota": "0",
       "tran": "sata", "model": "INTEL SSDSC2KB48"}]}""")  # fmt: skip
    first, second = load_text(made.text).volumes
    assert (first.drive, first.capacity) == ("cisco-hdd-4tb", pytest.approx(4.07e12, rel=0.02))
    assert second.drive == "intel-s4510-480gb"


def test_maximum_lba_is_the_number_of_blocks(tmp_path):
    text = (DATA / "written/nvme-list-1.json").read_text()
    made = text_as(tmp_path, text.replace('"PhysicalSize" : 800166076416,', ""))
    assert load_text(made.text).volumes[0].capacity == pytest.approx(800166076416, rel=1e-3)


# ---------------------------------------------------------------- Redfish


def test_links_of_redfish_are_followed_over_files(tmp_path):
    import json

    root = "/redfish/v1/Systems/1/Storage/1"
    drives = [f"{root}/Drives/{number}" for number in range(4)]
    for number, path in enumerate(drives):
        (tmp_path / f"drive{number}.json").write_text(json.dumps({
            "@odata.type": "#Drive.v1_4_0.Drive", "@odata.id": path, "Name": f"bay {number}",
            "Model": "EG1200", "SerialNumber": f"SN0000{number}A", "CapacityBytes": 1200243695616,
            "MediaType": "HDD", "Protocol": "SAS", "RotationSpeedRPM": 10000,
            "Status": {"State": "Enabled", "Health": "Critical" if number == 1 else "OK"},
        }))  # fmt: skip
    (tmp_path / "volume.json").write_text(json.dumps({
        "@odata.type": "#Volume.v1_6_0.Volume", "@odata.id": f"{root}/Volumes/1", "Name": "db",
        "RAIDType": "RAID5", "CapacityBytes": 3600731086848, "StripSizeBytes": 65536,
        "WriteCachePolicy": "ProtectedWriteBack", "ReadCachePolicy": "Off",
        "Links": {"Drives": [{"@odata.id": path} for path in drives]},
    }))  # fmt: skip
    (tmp_path / "storage.json").write_text(json.dumps({
        "@odata.type": "#Storage.v1_10_1.Storage", "@odata.id": root,
        "StorageControllers": [{"@odata.type": "#Storage.v1_3_0.StorageController",
            "@odata.id": f"{root}#/StorageControllers/0", "Model": "12Gbs RAID", "SpeedGbps": 12,
            "SupportedDeviceProtocols": ["SAS"], "SupportedRAIDTypes": ["RAID5"],
            "CacheSummary": {"TotalCacheSizeMiB": 4096, "Status": {"Health": "Critical"}}}],
    }))  # fmt: skip
    scenario = load_text(import_files([str(tmp_path)]).text)
    (volume,) = scenario.volumes
    assert (volume.level, volume.drives, volume.strip) == ("raid5", 4, 65536)
    assert (volume.write, volume.drive, volume.failed) == ("back", "cisco-hdd-1200gb-10k", (1,))
    (controller,) = scenario.controllers
    assert (controller.model, controller.battery) == ("cisco-12g-sas-raid-4gb", "low")


# ---------------------------------------------------------------- loads


def loads_of(*names: str, **wishes):
    made = imported(*names, wishes=Wishes(**wishes))
    hardware = '[host]\nmodel = "fujitsu-rx2540-m1"\n[[volume]]\ndrive = "intel-p3700-800gb"\n'
    return load_text(hardware + made.text).loads


def test_vdbench_mixes_sizes_and_doubles_threads():
    (load,) = loads_of("written/vdbench-mix.parm", group=1)
    assert (load.read, load.workers) == (0.7, 2)
    assert load.outstanding == (1, 2, 4, 8, 16, 32, 64)
    assert [(one.size, one.share) for one in load.sizes] == [
        (4096, 0.85),
        (8192, pytest.approx(0.15)),
    ]


def test_a_job_runs_on_the_volume_of_its_device(tmp_path):
    job = tmp_path / "root.fio"
    job.write_text("[root]\nrw=randread\nbs=4k\nioengine=libaio\ndirect=1\nfilename=/dev/md1\n")
    made = import_files([str(job), str(DATA / "md/01-healthy")])
    (load,) = load_text(made.text).loads
    assert load.volume == "root"


def test_sizes_in_percent_are_of_the_volume_that_a_job_names(tmp_path):
    """The virtual drive of /dev/sda holds 480 GB, and the largest, RAID 5 of 4 TB disks, 8 TB."""
    job = tmp_path / "x.fio"
    job.write_text("[a]\nfilename=/dev/sda\nrw=randread\nsize=50%\n[b]\nrw=read\nsize=50%\n")
    made = import_files([str(DATA / "perccli/ltmonster-vd-list-info.json"), str(job)])
    written = load_text(made.text)
    first, second = written.loads
    volumes = {volume.name: volume for volume in written.volumes}
    small, large = volumes[first.volume], volumes[second.volume]
    assert small.name == "c0-vd0"
    assert first.area.size == pytest.approx(small.capacity / 2, rel=0.01)
    assert second.area.size == pytest.approx(large.capacity / 2, rel=0.01)
    assert large.capacity > 10 * small.capacity


def test_vdbench_at_a_rate_is_an_open_load():
    (load,) = loads_of("written/vdbench-mix.parm", group=2)
    assert load.rate == (1000, 2000)


def test_each_size_of_iometer_has_its_own_shares():
    (load,) = loads_of("written/iometer-mail.icf")
    assert [(one.size, one.share, one.read, one.random) for one in load.sizes] == [
        (4096, 0.6, 0.67, 1.0), (65536, 0.4, 0.5, 0.0)
    ]  # fmt: skip
    assert (load.outstanding, load.align, load.area.size) == ((16,), 4096, 83886080 * 512)


def test_iostat_of_the_old_form_and_the_new():
    (old,) = loads_of("iostat/jc-centos-7.7-iostat-x.out", outstanding=4, random=0.5, device="sda")
    assert old.read is None or old.read == pytest.approx(0.13 / 0.24, abs=0.01)
    sizes = {one.read: one.size for one in old.sizes}
    assert sizes[1.0] == round(5.27 * 1024 / 0.13 / 512) * 512
    (rate,) = loads_of(
        "iostat/jc-ubuntu-18.04-iostat-x.out", at_rate=True, random=1.0, device="sda"
    )
    assert rate.rate[0] == pytest.approx(195.07, rel=1e-3)


def test_statistics_of_an_array_are_the_load_of_its_volume():
    made = imported("md/01-healthy/detail-md0.txt", "written/sar-d.txt",
                    wishes=Wishes(at_rate=True, random=1.0))  # fmt: skip
    scenario = load_text(made.text)
    (load,) = scenario.loads
    assert (load.name, load.rate) == ("md0", (1600,))
    assert "sda: is no volume of this scenario: it is left out" in said(made)


def test_partitions_of_nmon_are_not_counted_twice():
    (load,) = loads_of("written/nmon-disks.nmon", outstanding=8, random=1.0)
    assert (load.read, load.sizes[0].size) == (0.8, 10240)


def test_the_format_can_be_named_where_it_is_not_told(tmp_path):
    path = tmp_path / "x"
    path.write_text("nothing of this is known\n")
    with pytest.raises(InputError, match="has no known format; say which one with --format"):
        import_files([str(path)])
    with pytest.raises(InputError, match='"mdstatt" is no format; did you mean "mdstat"'):
        import_files([str(path)], form="mdstatt")
    with pytest.raises(InputError, match="is not understood, and left out"):
        import_files([str(path)], form="mdstat")
