"""What raidsim check says of links and ports, of rates, and of what can be built."""

from __future__ import annotations

from typing import Any

import pytest
from array_scenarios import array
from check_words import DATABASE, READS, SAFE, STREAM, found, says, the

from raidsim.report.findings import findings
from raidsim.resources import data_folder
from raidsim.scenario import Scenario, load


def test_an_oversubscribed_link_is_named_with_its_factor() -> None:
    switch = {"name": "switch", "speed": "pcie-3", "lanes": 4}
    text = the("can deliver", array(links=(switch,), level="jbod", drives=4, behind="switch",
                                    drive="intel-p3700-800gb"))  # fmt: skip
    assert text.startswith("link switch: its 4 drives can deliver 9664 MB/s, 2.81 times the 3434")


def test_drives_need_ports_or_an_expander() -> None:
    expander = {"name": "expander", "speed": "sas-12g", "lanes": 8}
    narrow = expander | {"lanes": 4}
    assert "16 drives on 8 ports" in the("ports", array(controller={}, level="raid6", drives=16))
    behind = {"controller": {}, "level": "raid6", "drives": 16, "behind": "expander"}
    assert not says("ports", array(links=(expander,), **behind))
    other = {"name": "system", "level": "raid1", "drives": 5, "drive": "cisco-hdd-4tb",
             "controller": "controller"}  # fmt: skip
    both = array(READS | {"volume": "system"}, links=(narrow,), others=(other,), **behind)
    assert "5 drives and 4 lanes of links on 8 ports" in the("ports", both)


def test_a_flash_drive_in_a_slot_takes_no_port() -> None:
    flash = {"name": "flash", "drive": "iodrive2-785gb", "controller": "controller"}
    processor = {"model": "iocontrol-n5-sp"}
    disks = {"controller": processor, "level": "raid6", "drive": "nl-sas-2tb"}
    loads = READS | {"volume": "flash"}
    assert not says("ports", array(loads, others=(flash,), drives=8, **disks))
    assert "9 drives on 8 ports" in the("ports", array(loads, others=(flash,), drives=9, **disks))


def test_nvme_drives_take_as_many_ports_as_they_have_lanes() -> None:
    nvme = {"drive": "samsung-pm983-3840gb", "level": "raid5"}
    four = {"model": "broadcom-megaraid-9670w-16i", "set": {"drives.pcie_lanes": 4}}
    assert not says("ports", array(controller=four, drives=4, **nvme))
    text = the("ports", array(controller=four, drives=5, **nvme))
    assert "5 drives with 20 lanes in all on 16 ports" in text
    assert "PCIe switch" in text


def test_a_port_with_fewer_lanes_than_the_drive_is_no_mistake_on_its_card() -> None:
    one = {"model": "broadcom-megaraid-9670w-16i"}
    assert not says("one of them is wrong", array(controller=one, drives=4, level="raid5",
                                                  drive="samsung-pm983-3840gb"))  # fmt: skip


def test_a_controller_supports_so_many_drives_in_all() -> None:
    few = {"set": {"drives.max": 12}}
    other = {"name": "more", "level": "raid6", "drives": 8, "drive": "cisco-hdd-4tb"}
    checked = array(READS | {"volume": "more"}, controller=few, others=(other,), level="raid6",
                    drives=8)  # fmt: skip
    assert "16 drives in all, and it supports 12" in the("supports", checked)


def test_an_array_takes_as_many_times_the_rate_as_it_has_drives() -> None:
    """Arms are busy with RAID 5 writes four times as much as with reads."""

    def arms(level: str, drives: int, read: str, rate: int) -> float | None:
        load = {"read": read, "size": "8 KiB", "rate": f"{rate} IO/s"}
        texts = [text for text in found(array(load, level=level, drives=drives, **SAFE))
                 if "of the time of the arm" in text]  # fmt: skip
        return float(texts[0].split("would need ")[1].split(" %")[0]) if texts else None

    alone = arms("single", 1, "100 %", 4000)
    assert arms("raid0", 4, "100 %", 16000) == pytest.approx(alone, rel=0.01)
    assert arms("raid5", 4, "0 %", 4000) == pytest.approx(alone, rel=0.05)  # seeks to write: longer
    assert arms("raid0", 16, "100 %", 1000) is None


def queues(rate: int, **changes: Any) -> float | None:
    """Percent of an arm's time that a rate takes one command at a time, if check speaks of it."""
    load = {"read": "100 %", "size": "8 KiB", "rate": f"{rate} IO/s"} | changes.pop("load", {})
    words = "if it served commands as they come"
    texts = [text for text in found(array(load, **CHEETAH, **changes)) if words in text]
    return float(texts[0].split("would need ")[1].split(" %")[0]) if texts else None


CHEETAH = {"drive": "seagate-st3600057ss"}
"""15,000 rpm and seeks of 3.4 ms to read, 3.9 to write, on average: half a turn takes 2 ms."""


def test_arms_that_a_rate_would_overload_one_command_at_a_time_are_named() -> None:
    """A disk of 15,000 rpm serves 1 / (3.4 + 2.0 ms) = 185 random reads a second in their order.

    It has to read and write old and new data and parity for a small write of RAID 5, and to
    position in 5.4 ms for each read and 5.9 ms for each write.
    """
    assert queues(180) is None
    assert queues(400) == pytest.approx(400 * 5.43e-3 * 100, rel=0.02)
    assert queues(8 * 180, level="raid0", drives=8) is None
    one = {"level": "raid5", "drives": 8, **SAFE, "load": {"read": "0 %"}}
    assert queues(310, **one) is None
    assert queues(600, **one) == pytest.approx(600 / 8 * 2 * (5.43e-3 + 5.93e-3) * 100, rel=0.02)


def test_a_rate_that_arms_carry_only_at_the_very_best_is_told_with_what_it_takes_in_order() -> None:
    """One that the shortest possible seeks just allow is far from what a run carries."""
    words = " % busy"
    told = {
        rate: texts
        for rate in range(200, 1_400, 50)
        if (texts := [text for text in found(array({"read": "100 %", "size": "8 KiB",
                                                    "rate": f"{rate} IO/s"}, **CHEETAH))
                      if "arm" in text])
    }  # fmt: skip
    assert [len(texts) for texts in told.values()] == [1] * len(told)
    near = [rate for rate, (text,) in told.items() if words in text]
    assert near
    for rate in near:
        at_best = float(told[rate][0].split(words)[0].rsplit("still be ", 1)[1])
        assert 90 <= at_best <= 100
        assert queues(rate) > 1.5 * at_best
    assert all(
        "of the time of the arm" in text for rate, (text,) in told.items() if rate > max(near)
    )


def test_arms_that_a_stream_keeps_nearly_busy_are_named_too() -> None:
    stream = {"read": "100 %", "random": "0 %", "size": "1 MiB", "rate": "175 IO/s"}
    (text,) = [text for text in found(array(stream, drive="nl-sas-2tb")) if "arm" in text]
    assert "would keep the arm" in text


def test_arms_that_stay_near_or_go_on_in_order_carry_more() -> None:
    """A hundredth of the disk, beginning at its edge, has hardly more than half a turn to wait."""
    near = queues(400, load={"area": {"size": "6 GB"}, "align": "512 B"})
    assert near is None or near < 400 * 3.5e-3 * 100
    assert queues(400, load={"random": "0 %"}) is None
    assert queues(400, load={"hot": {"area": "1 %", "accesses": "99 %"}}) is None


def test_random_writes_behind_a_cache_wear_drives_as_without_unless_they_meet_in_it() -> None:
    """RAID 6 of eight: three blocks for each, 8/6 if a cache holds the rest of the stripe."""
    flash = {"drive": "cisco-ssd-sata-ep-480gb", "level": "raid6", "drives": 8, "write": "back",
             "set": {"endurance.dwpd": "0.1 1/day"}, "controller": {"battery": "good"}}  # fmt: skip
    load = {"read": "0 %", "size": "8 KiB", "rate": "5000 IO/s"}

    def a_day(**changes: Any) -> float:
        text = the("times over", array(load | changes, **flash))
        return float(text.split("each drive ")[1].split(" times")[0])

    block = 8192 * 5000 * 86400 / 8 / 480e9
    assert a_day() == pytest.approx(3 * block, rel=0.05)
    assert a_day(area={"size": "1 GiB"}) == pytest.approx(8 / 6 * block, rel=0.01)
    assert a_day(random="0 %") == pytest.approx(8 / 6 * block, rel=0.01)


def test_an_array_wears_by_what_reaches_its_drives() -> None:
    """RAID 1: both drives take every write; RAID 0 of two: half each."""
    drive = {
        "drive": "cisco-ssd-sata-ep-480gb",
        "drives": 2,
        "set": {"endurance.dwpd": "0.1 1/day"},
    }
    load = {"read": "0 %", "size": "8 KiB", "rate": "1000 IO/s"}

    def a_day(level: str) -> float:
        text = the("times over", array(load, level=level, **drive))
        return float(text.split("each drive ")[1].split(" times")[0])

    assert a_day("raid1") == pytest.approx(2 * a_day("raid0"), rel=0.01)
    assert a_day("raid1") == pytest.approx(8192e3 * 86400 / 480e9, rel=0.01)


@pytest.mark.parametrize(
    ("changes", "blocks"),
    [({"random": "0 %"}, [4 / 3, 2]), ({"random": "50 %"}, [5 / 3, 2]), ({}, [2]),
     ({"random": "0 %", "size": "192 KiB"}, [4])],
)  # fmt: skip
def test_the_stripe_cache_of_software_raid_may_gather_what_comes_in_sequence(
    changes: dict[str, str], blocks: list[float]
) -> None:
    """How many writes of a stripe meet in it is known to a run only."""
    drive = {
        "drive": "cisco-ssd-sata-ep-480gb", "drives": 4, "level": "raid5", "strip": "64 KiB",
        "set": {"endurance.dwpd": "0.1 1/day"},
    }  # fmt: skip
    load = {"read": "0 %", "size": "64 KiB", "rate": "1000 IO/s"} | changes
    text = the("times over", array(load, **drive))
    said = text.split("each drive ")[1].split(" times")[0].split(" to ")
    a_day = [one * 65536e3 * 86400 / 480e9 / 4 for one in blocks]
    assert [float(one) for one in said] == pytest.approx(a_day, rel=0.01)
    assert ("meet in the stripe cache" in text) == (len(blocks) > 1)


def test_a_load_that_fits_in_the_cache_of_the_controller_measures_that() -> None:
    load = DATABASE | {"area": {"size": "512 MiB"}}
    checked = array(load, controller={}, level="raid1", drives=2, write="back", **SAFE)
    assert "(512 MiB) fits in the cache of controller (1 GiB)" in the("fits in", checked)


@pytest.mark.parametrize(
    "name", sorted(path.stem for path in data_folder("scenarios").glob("*.toml"))
)
def test_every_shipped_scenario_can_be_built(name) -> None:
    assert not says("cannot be built", load(name))


@pytest.mark.parametrize(
    ("volume", "words"),
    [
        ({"write": "back"}, "its writes are cached"),
        ({"write": "through", "read_ahead": "adaptive"}, "it reads ahead"),
        ({"write": "back", "io": "cached"}, "its writes are cached and its reads are cached"),
    ],
)
def test_reads_of_flash_that_firmware_works_on_are_named_with_both_rates(volume, words) -> None:
    """SAS3108: two cores, 2 us for a command in hardware, 15.5 with firmware and its search."""
    name = {"model": "cisco-12g-sas-raid-2gb"}
    drives = {"drive": "cisco-ssd-sas12-ep-1600gb", "level": "raid5", "drives": 8}
    text = the("firmware", array(READS, controller=name, **drives, **volume))
    assert text.startswith(f"volume data: {words}, so its reads are work of controller's")
    assert "at most 130,000 a second, where its hardware hands on 1,000,000" in text


@pytest.mark.parametrize(
    ("load", "volume"),
    [
        (READS, {"drive": "cisco-ssd-sas12-ep-1600gb", "write": "through"}),
        (STREAM, {"drive": "cisco-ssd-sas12-ep-1600gb", "write": "back"}),  # writes alone
        (READS, {"drive": "cisco-hdd-600gb-15k", "write": "back", **SAFE}),
    ],
)
def test_nothing_is_said_of_reads_that_go_straight_or_wait_for_an_arm(load, volume) -> None:
    name = {"model": "cisco-12g-sas-raid-2gb"}
    assert not says("firmware", array(load, controller=name, level="raid5", drives=8, **volume))


def test_an_area_that_starts_inside_a_sector_of_the_medium_is_off_the_map() -> None:
    load = {"read": "0 %", "size": "8 KiB", "align": "4 KiB", "outstanding": 1,
            "area": {"offset": "32256 B"}}  # fmt: skip
    checked = array(load, level="raid0", drives=2, drive="cisco-ssd-sata-ep-480gb")
    assert "offset of 32256 B are no multiple of 4 KiB" in the("no multiple", checked)


def test_values_of_a_controller_that_are_assumed_are_named() -> None:
    texts = [str(finding) for finding in findings(array(controller={}))]
    assert any("model some-raid" in text and "assumed" in text for text in texts)


LEVELS = {"single": 1, "jbod": 3, "raid0": 3, "raid1": 3, "raid1e": 3, "raid5": 3, "raid6": 4,
          "raid10": 4, "raid50": 6, "raid60": 8}  # fmt: skip


@pytest.mark.parametrize(("level", "drives"), LEVELS.items())
@pytest.mark.parametrize("share", [0, 1])
def test_every_level_can_be_checked_whole_and_with_all_its_drives_failed(
    level: str, drives: int, share: int
) -> None:
    load = {"read": "50 %", "random": "50 %", "rate": "10 IO/s",
            "sizes": [{"size": "4 KiB", "share": "50 %"}, {"size": "1 MiB", "share": "50 %"}],
            "area": {"offset": "1 MiB", "size": "3 MiB"}}  # fmt: skip
    failed = [] if level == "single" else list(range(drives * share))
    checked = array(load, controller={}, level=level, drives=drives, failed=failed,
                    set={"reliability.afr": "100 %", "reliability.uber": "0 1/bit"})  # fmt: skip
    assert says("data is lost", checked) == bool(failed)
    assert says("probability of 100 %", checked) == (level in ("raid0", "jbod"))


def test_sas_drives_on_the_server_itself_need_an_hba() -> None:
    words = "24 SAS drives on the host itself, which has no ports for SAS"
    assert says(words, array(level="raid0", drives=24))
    assert not says("on the host itself", array(controller={}, level="raid0", drives=8))
    assert not says("on the host itself", array(level="raid0", drives=8, drive="intel-p3700-800gb"))
    hba = ({"name": "hba", "speed": "sas-12g", "lanes": 8},)
    assert not says("on the host itself", array(level="raid6", drives=8, behind="hba", links=hba))


def test_a_sata_solid_state_drive_on_a_slower_port_is_told_with_what_that_carries() -> None:
    words = "on a port that is slower than its own link"

    def on(port: str, drive: str) -> Scenario:
        return array(READS, controller={"set": {"ports.speed": port}}, level="raid0", drives=2,
                     drive=drive)  # fmt: skip

    told = the(words, on("sata-3g", "samsung-870-evo-1tb"))
    assert "285 MB/s (of 10^6 bytes) at most, and 50,000 reads of 4 KiB a second" in told
    assert not says(words, on("sas-6g", "samsung-870-evo-1tb"))
    assert not says(words, on("sas-3g", "cisco-hdd-4tb"))  # no disk comes near to it


def test_spares_take_ports_too() -> None:
    assert not says("on 8 ports", array(controller={}, level="raid6", drives=8))
    assert says("9 drives on 8 ports", array(controller={}, level="raid6", drives=8, spares=1))
