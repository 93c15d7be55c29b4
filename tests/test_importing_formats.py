"""What is taken of drives and of loads, and the traps in which a number would be wrong."""

from __future__ import annotations

import pytest
from imported_files import DATA, imported, said, scenario_of, text_as

from raidsim.errors import InputError
from raidsim.importing.importer import import_files
from raidsim.importing.wishes import Wishes
from raidsim.scenario.scenario import load_text

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
    assert "sda: is not a volume of this scenario, and is left out" in said(made)


def test_partitions_of_nmon_are_not_counted_twice():
    (load,) = loads_of("written/nmon-disks.nmon", outstanding=8, random=1.0)
    assert (load.read, load.sizes[0].size) == (0.8, 10240)


def test_the_format_can_be_named_where_it_is_not_told(tmp_path):
    path = tmp_path / "x"
    path.write_text("nothing of this is known\n")
    with pytest.raises(InputError, match="has no known format; say which one with --format"):
        import_files([str(path)])
    with pytest.raises(InputError, match='"mdstatt" is not a format; did you mean "mdstat"'):
        import_files([str(path)], form="mdstatt")
    with pytest.raises(InputError, match="is not understood, and left out"):
        import_files([str(path)], form="mdstat")
