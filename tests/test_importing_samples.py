"""Every sample of another tool becomes a scenario that runs, or is refused with its reason."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest
from imported_files import DATA, imported, scenario_of

from raidsim import cli
from raidsim.errors import InputError
from raidsim.importing.importer import import_files
from raidsim.importing.wishes import Wishes
from raidsim.scenario.scenario import Scenario, load_text

FIO = Path(__file__).parent / "data" / "fio"
MEASURED = Wishes(outstanding=8, random=1.0, device="sda")

TAKEN = {
    "storcli/prom-cALL_show_all.json": ["raid6 of 4"],
    "storcli/prom-eALL_sALL_show_all.json": ["jbod of 4"],
    "storcli/puppet-call_vall_show_0.json": ["raid10 of 4"],
    "storcli/puppet-call_vall_show_234.json": ["raid10 of 4"],
    "perccli/ltmonster-vd-list-info.json": ["raid5 of 3", *["single of 1"] * 4, "raid1 of 2"],
    "mdadm/jc-mdadm-query-raid0-ok.out": ["raid0 of 2"],
    "mdadm/jc-mdadm-query-raid1-faulty-with-spare.out": ["raid1 of 2"],
    "mdadm/jc-mdadm-query-raid5-ok.out": ["raid5 of 3"],
    "mdadm/jc-mdadm-examine-raid5-ok.out": ["raid5 of 3"],
    "mdstat/pymdstat-02": ["raid5 of 5"],
    "mdstat/pymdstat-09": ["raid1 of 2"],
    "mdstat/pymdstat-10": ["raid0 of 6", "raid0 of 2", "raid1 of 2"],
    "mdstat/pymdstat-15": ["raid6 of 8"],
    "smartctl/HGST_HUS724020ALE640_28.json": ["single of 1"],
    "smartctl/HITACHI_H109060SESUN600G_9.json": ["single of 1"],
    "smartctl/SAMSUNG_MZ7WD240HAFV-00003_21.json": ["single of 1"],
    "smartctl/SAMSUNG_MZQLB1T9HAJR-00007_19.json": ["single of 1"],
    "smartctl/scrutiny-smart-megaraid0.json": ["single of 1"],
    "smartctl/scrutiny-smart-nvme.json": ["single of 1"],
    "smartctl/scrutiny-smart-scsi2.json": ["single of 1"],
    "redfish/dmtf-simplestorage.json": ["single of 1", "single of 1"],
    "redfish/sushy-drive.json": ["single of 1"],
    "written/megacli-ldpdinfo.txt": ["raid10 of 4", "raid1 of 2"],
    "written/ssacli-config-detail.txt": ["raid5 of 4"],
    "written/ssacli-config.txt": ["raid10 of 4"],
    "written/nvme-list-1.json": ["single of 1"],
    "written/nvme-list-2.json": ["single of 1"],
    "md/01-healthy": ["raid6 of 5", "raid0 of 2", "raid10 of 4", "raid1 of 2"],
    "md/08-ppl-journal-write-mostly": ["raid5 of 3", "raid5 of 4", "raid1 of 2", "raid1 of 2"],
    "md/09-raid5-failed": ["raid5 of 4", "raid1 of 2", "raid1 of 2"],
    "md/13-inactive": ["raid1 of 2", "raid5 of 3"],
}  # fmt: skip
REFUSED = {
    "perccli/puppet-perccli_fail.json": ":7: the command failed: No Controller found",
    "perccli/ltmonster-control.json": "describes no drives for a volume",
    "mdadm/jc-mdadm-examine-container1.out": ":1: /dev/vda: is metadata of a container",
    "lsblk/jc-ubuntu18-allcols.json": "a virtual disk of a hypervisor or cloud",
    "lsblk/jc-ubuntu18-allcols.out": ":1: is a table of lsblk for people, whose columns are cut",
    "redfish/sushy-storage.json": "describes no drives",
    "redfish/sushy-storage_controller.json": "describes no drives",
    "redfish/sushy-volume_collection.json": "says nothing about drives, arrays or loads",
    "redfish/swordfish-controller.json": "says nothing about drives",
    "redfish/swordfish-storage.json": "says nothing about drives",
    "redfish/swordfish-volume.json": "says nothing about drives",
    "zfs/jc-zpool-status-spares.out": ":1: ZFS is not simulated",
    "zfs/jc-zpool-status-v4.out": ":1: ZFS is not simulated",
    "zfs/jc-zpool-iostat-v.out": ":1: ZFS is not simulated",
    "zfs/jc-zpool-status-spares.json": ":1: ZFS is not simulated",
    "zfs/jc-zpool-status-v4.json": ":1: ZFS is not simulated",
    "zfs/jc-zpool-iostat-v.json": ":1: ZFS is not simulated",
    "written/zpool-draid.txt": ":7: dRAID is not simulated",
    "written/ceph-osd-tree.json": ":1: Ceph is not simulated",
    "written/vsan-storage-list.txt": "vSAN is not simulated",
    "written/megacli-adpallinfo.txt": "describes no drives",
    "written/megacli-bbu.txt": "describes no drives",
    "written/nvme-smart-log.json": "critical warning 4, 103 % of its rated writes used",
    "written/vdbench-mix.parm": "has 2 runs, one after the other: 1: run1; 2: run2",
    "md/14-reshaping": "its layout is being changed, which a scenario cannot describe",
    "md/14-reshaping/mdstat.txt": ":4: md9: its layout is being changed",
    "md/14-reshaping/examine-sdf.txt": "its layout is being changed",
    "md/01-healthy/lsblk.txt": "lsblk -J -O -b",
}


def shape(scenario: Scenario) -> list[str]:
    return [f"{volume.level} of {volume.drives}" for volume in scenario.volumes]


@pytest.mark.parametrize("name", TAKEN)
def test_a_sample_becomes_a_scenario(name):
    made = imported(name)
    assert made.is_whole
    assert shape(load_text(made.text)) == TAKEN[name]


@pytest.mark.parametrize("name", REFUSED)
def test_a_sample_that_cannot_be_said_is_refused_with_its_line(name):
    with pytest.raises(InputError) as refused:
        imported(name)
    assert REFUSED[name] in str(refused.value)


@pytest.mark.parametrize(
    "name", ["iostat/jc-centos-7.7-iostat-x.out", "iostat/jc-centos-7.7-iostat-x.json",
             "iostat/jc-ubuntu-18.04-iostat-x.out", "iostat/jc-ubuntu-18.04-iostat-x.json",
             "written/sar-d.txt", "written/nmon-disks.nmon"],
)  # fmt: skip
def test_statistics_ask_for_what_they_do_not_tell(name):
    with pytest.raises(InputError, match="neither depth nor randomness") as refused:
        imported(name, wishes=Wishes(device="sda"))
    assert "--outstanding N" in str(refused.value)
    assert "--random SHARE" in str(refused.value)
    made = imported(name, wishes=MEASURED)
    assert not made.is_whole
    assert "outstanding = 8" in made.text


def test_every_sample_is_tested():
    files = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file()}
    here = {*TAKEN, *REFUSED}
    others = {
        name for name in files
        if name not in here and not name.startswith(("md/", "iostat/")) and name != "README.md"
    }  # fmt: skip
    assert others == {
        "mdstat/node_exporter-mdstat", "written/iometer-mail.icf",
        "written/sar-d.txt", "written/nmon-disks.nmon",
    }  # fmt: skip


@pytest.mark.parametrize("name", [*TAKEN, *REFUSED])
def test_a_sample_is_read_with_few_calls(name):
    """Half a million calls of functions are some tenths of a second, on whatever computer."""
    imported(next(iter(TAKEN)))  # what is read once for all files
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        with contextlib.suppress(InputError):
            imported(name)
    finally:
        sys.setprofile(None)
    assert 0 < calls < 500_000


@pytest.mark.parametrize("name", [name for name in TAKEN if not name.startswith("md/")])
def test_every_line_says_where_it_is_from_or_that_it_is_a_guess(name):
    text = imported(name).text
    free = ("schema", "title", "name", "volume", "stand_in", "#", "[")
    lines = [line for line in text.splitlines() if line and not line.startswith(free)]
    path = str(DATA / name)
    for line in lines:
        _, _, source = line.partition(" # ")
        assert path in source or source.startswith("guess: ") or "uses of each drive" in source \
            or "SATA" in source, line  # fmt: skip


def test_a_file_of_many_odd_arrays_is_taken_as_far_as_it_can_be_said():
    made = imported("mdstat/node_exporter-mdstat")
    said = "\n".join(map(str, made.remarks))
    assert ":12: md4: is left out: is not started" in said
    assert ":49: md219: is left out: is not started" in said or "md219" in said
    assert "which of the drives" not in said
    # The fixture lists the same disks in many arrays: of those that share some the largest is kept.
    assert "md0: is left out: it is on the same drives as md127" in said
    assert load_text(made.text).volumes


def test_only_the_arrays_that_are_named_are_taken():
    assert shape(scenario_of("mdstat/pymdstat-10", arrays=("md126",))) == ["raid0 of 2"]
    assert shape(scenario_of("md/14-reshaping", arrays=("md1",))) == ["raid1 of 2"]
    with pytest.raises(InputError, match="nothing is called md77; there is: md129"):
        imported("mdstat/pymdstat-10", arrays=("md77",))


def test_the_command_writes_the_file_and_prints_the_guesses(tmp_path, capsys):
    target = tmp_path / "server.toml"
    with pytest.raises(SystemExit) as ended:
        cli.main(["import", str(DATA / "mdstat/pymdstat-02"), "-o", str(target)])
    assert ended.value.code == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "guess: host.model" in printed.err
    assert "guess: load.read" in printed.err
    assert load_text(target.read_text()).volumes[0].level == "raid5"


def test_the_command_ends_with_status_two_if_a_file_is_refused(tmp_path, capsys):
    target = tmp_path / "server.toml"
    with pytest.raises(SystemExit) as ended:
        cli.main(["import", str(DATA / "zfs/jc-zpool-status-v4.out"), "-o", str(target)])
    assert ended.value.code == 2
    assert "the nearest are" in capsys.readouterr().err
    assert not target.exists()


def test_a_job_file_beside_an_inventory_is_its_load():
    made = import_files(
        [str(FIO / "generated.fio"), str(DATA / "written/nvme-list-1.json")],
        wishes=Wishes(group=1),
    )
    scenario = load_text(made.text)
    assert [load.name for load in scenario.loads] == ["database"]
    assert scenario.volumes[0].drive == "intel-p3700-800gb"


def test_a_share_of_a_job_file_is_one_of_the_volume_that_is_beside_it(tmp_path):
    job = tmp_path / "whole.fio"
    job.write_text("[half]\nrw=randread\nbs=4k\nioengine=libaio\ndirect=1\nsize=50%\n")
    made = import_files([str(job), str(DATA / "written/nvme-list-1.json")])
    (load,) = load_text(made.text).loads
    assert load.area.size == pytest.approx(800166076416 / 2, rel=1e-3)


@pytest.mark.parametrize(("share", "left"), [("100%", 0.9), ("95%", 0.9), ("40%", 0.4)])
def test_a_share_of_a_job_file_ends_with_the_volume_as_in_fio(tmp_path, share, left):
    """fio's setup_files() takes the share of the whole device, and at most what lies behind.

    The drive is a little larger than its card says: 800 GB.
    """
    job = tmp_path / "part.fio"
    job.write_text(f"[part]\nrw=randread\nbs=4k\nioengine=libaio\noffset=10%\nsize={share}\n")
    made = import_files([str(job), str(DATA / "written/nvme-list-1.json")])
    (load,) = load_text(made.text).loads
    assert load.area.offset == pytest.approx(800166076416 / 10, rel=1e-3)
    assert load.area.size == pytest.approx(800166076416 * left, rel=1e-3)
