"""What is taken of controllers' tools and of Redfish, and the traps in their numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from imported_files import DATA, imported, said, scenario_of, text_as

from raidsim.errors import InputError
from raidsim.importing.importer import Imported, import_files, read_files
from raidsim.importing.together import join
from raidsim.importing.wishes import Wishes
from raidsim.scenario.scenario import load_text

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
    with pytest.raises(InputError, match="is offline: no I/O is possible"):
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
