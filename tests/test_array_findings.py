"""What raidsim check finds risky in arrays, controllers and links."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from array_scenarios import array

from raidsim.layout.address import whole_drive
from raidsim.layout.health import survives
from raidsim.layout.tables import READ, WRITE
from raidsim.observe.inventory import volume_facts
from raidsim.observe.traffic import cost, gathered, straddling
from raidsim.report.findings import findings
from raidsim.report.hardware import failures_words
from raidsim.resources import data_folder
from raidsim.scenario import Scenario, load, load_text

DATABASE = {"read": "67 %", "size": "8 KiB", "outstanding": 8}
READS = {"read": "100 %", "size": "8 KiB", "outstanding": 8}
STREAM = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": 8}
SAFE = {"disk_cache": "off"}
TB12 = {"capacity.user": "12 TB", "reliability.uber": "1e-15 1/bit"}


def found(checked: Scenario) -> list[str]:
    """Findings, without the standing ones on values that nobody measured."""
    return [str(finding) for finding in findings(checked) if " values are " not in str(finding)]


def the(words: str, checked: Scenario) -> str:
    """The one finding that holds some words."""
    (text,) = (text for text in found(checked) if words in text)
    return text


def says(words: str, checked: Scenario) -> bool:
    return any(words in text for text in found(checked))


def test_a_mirror_of_small_disks_with_caches_off_is_not_risky() -> None:
    small = {"drive": "cisco-hdd-600gb-15k", "level": "raid1", "drives": 2}
    assert found(array(DATABASE, controller={}, **small, **SAFE)) == []


@pytest.mark.parametrize(
    ("host", "volume", "told"),
    [
        ("linux-xeon-e5-pair", {}, True),
        ("linux-xeon-e5-pair", {"rebuild_limit": "204.8 MB/s"}, False),
        ("linux-xeon-e5-pair", {"level": "raid0"}, False),  # of which nothing is rebuilt
        ("linux-xeon-e5-pair", {"drive": "nl-sas-2tb"}, False),  # which is no faster
        ("windows-pc", {}, False),
    ],
)
def test_rebuilds_that_md_would_hold_back_are_named(host, volume, told) -> None:
    """md goes through 200,000 KiB/s of each drive at most: 10.4 h of 7.68 TB, and not 5.4."""
    values = {"drive": "samsung-pm9a3-7680gb", "level": "raid5", "drives": 5} | volume
    text = f'[host]\nmodel = "{host}"\n[[volume]]\n'
    text += "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
    text += '[[load]]\nread = "100 %"\nsize = "8 KiB"\noutstanding = 1\n'
    assert says("200,000 KiB/s of each drive", load_text(text)) == told


# ---------------------------------------------------------------- caches


@pytest.mark.parametrize(
    ("state", "words"),
    [("absent", "is absent"), ("low", "is low"), ("learning", "is in a learn cycle")],
)
def test_write_back_falls_to_write_through_without_a_good_battery(state: str, words: str) -> None:
    checked = array(DATABASE, controller={"battery": state}, level="raid1", drives=2,
                    write="back", **SAFE)  # fmt: skip
    text = the("falls to write-through", checked)
    assert f"the battery of controller {words}" in text
    card = checked.volumes[0].card
    half_a_turn = 30 / 7200
    waits = card.number("command.latency") + card.number("seek.write_average") + half_a_turn
    assert f"at least {1e3 * waits:.2f} ms" in text or f"at least {1e3 * waits:.3f} ms" in text


def test_on_parity_falling_to_write_through_costs_one_turn_more() -> None:
    """The old data is read first, and its place comes round again one turn later."""
    checked = array(DATABASE, controller={"battery": "low"}, level="raid5", drives=8,
                    write="back", **SAFE)  # fmt: skip
    card = checked.volumes[0].card
    waits = 2 * card.number("command.latency") + card.number("seek.read_average") + 1.5 * 60 / 7200
    assert f"at least {1e3 * waits:.2f} ms" in the("falls to write-through", checked)


def test_a_cache_that_flash_keeps_has_no_battery() -> None:
    flash = {"battery": "learning", "set": {"cache.protection": "flash"}}
    checked = array(DATABASE, controller=flash, level="raid1", drives=2, write="back", **SAFE)
    words = "the flash module of controller is in a learn cycle, so write-back falls"
    assert words in the("falls to write-through", checked)


def test_a_cache_that_nothing_keeps_is_never_written_back_safely() -> None:
    bare = {"set": {"cache.protection": "none"}}
    checked = array(DATABASE, controller=bare, level="raid1", drives=2, write="back", **SAFE)
    assert "controller has no battery, so" in the("falls to write-through", checked)


def test_write_back_with_a_good_battery_is_safe() -> None:
    assert not says("battery", array(DATABASE, controller={}, level="raid5", drives=4,
                                     write="back", **SAFE))  # fmt: skip


def test_write_back_in_spite_of_the_battery_loses_the_cache_in_a_power_cut() -> None:
    """1 GiB of cache, 80 % of it dirty at most."""

    def checked(state: str, write: str = "back-bad-battery", **load: Any) -> Scenario:
        return array(DATABASE | load, controller={"battery": state}, level="raid1", drives=2,
                     write=write, **SAFE)  # fmt: skip

    lost = "a power cut loses up to 819 MiB of acknowledged writes"
    assert f"volume data: {lost}: the battery of controller is absent" in the(
        lost, checked("absent")
    )
    assert "once the battery of controller is low" in the(lost, checked("good"))
    assert not says(lost, checked("absent", read="100 %"))
    assert not says(lost, checked("absent", "through"))


def test_disk_caches_of_all_drives_are_lost_in_a_power_cut() -> None:
    checked = array(DATABASE, controller={}, level="raid6", drives=16, disk_cache="on",
                    set={"write_cache.size": "64 MiB"})  # fmt: skip
    assert "up to 1 GiB of acknowledged writes: the write cache of 16 x" in the("volatile", checked)
    assert not says("volatile", array(DATABASE, controller={}, level="raid6", drives=16, **SAFE))


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("level", "drives", "uber", "words"),
    [
        ("raid1", 2, "1e-14 1/bit", "61.7 %"),
        ("raid1", 2, "1e-15 1/bit", "9.15 %"),
        ("raid5", 3, "1e-15 1/bit", "17.5 %"),  # 1 - (1 - .0915)^2
        ("raid50", 6, "1e-15 1/bit", "17.5 %"),
    ],
)
def test_a_rebuild_may_meet_a_sector_that_cannot_be_read(
    level: str, drives: int, uber: str, words: str
) -> None:
    """Of 12 TB read, .6171 at 1e-14 and .09154 at 1e-15."""
    change = TB12 | {"reliability.uber": uber}
    text = the("cannot be read", array(level=level, drives=drives, set=change))
    assert f"with a probability of {words}" in text


def test_a_second_parity_or_a_third_copy_survives_an_unreadable_sector() -> None:
    for level, drives in (("raid6", 8), ("raid60", 8), ("raid1", 3)):
        assert not says("cannot be read", array(level=level, drives=drives, set=TB12))


def test_raid_6_that_has_lost_two_drives_does_not() -> None:
    """Each rebuild reads as much as the data of a stripe has drives: 6 x 12 TB of 8."""
    text = the("cannot be read", array(level="raid6", drives=8, set=TB12, failed=[3, 5]))
    assert "reads 72 TB" in text


def test_small_reliable_drives_are_rebuilt_without_a_word() -> None:
    solid = {"drive": "cisco-ssd-sas12-ep-1600gb", "level": "raid5", "drives": 8}
    assert not says("cannot be read", array(**solid))


@pytest.mark.parametrize("level", ["raid0", "jbod"])
def test_without_redundancy_one_of_many_drives_fails_within_a_year(level: str) -> None:
    """1 - (1 - 2 %)^8."""
    checked = array(level=level, drives=8, set={"reliability.afr": "2 %"})
    text = the("no redundancy", checked)
    assert "one of 8 drives fails within a year with a probability of 14.9 %" in text


def test_a_degraded_array_is_named_with_what_it_still_survives() -> None:
    def text(level: str, drives: int, *failed: int) -> str:
        return the("begins", array(level=level, drives=drives, failed=list(failed)))

    assert "drive 2 of 8 failed: any one more may fail" in text("raid6", 8, 2)
    assert "drive 2 of 8 failed: one more that fails may take data" in text("raid5", 8, 2)
    assert "drives 0 and 2 of 8 failed: one more that fails" in text("raid10", 8, 0, 2)


@pytest.mark.parametrize(
    ("level", "drives", "failed"),
    [("raid5", 8, [0, 1]), ("raid10", 8, [0, 1]), ("raid0", 4, [3]), ("raid6", 8, [1, 2, 3])],
)
def test_an_array_that_has_lost_data_is_named(level: str, drives: int, failed: list[int]) -> None:
    text = the("begins", array(level=level, drives=drives, failed=failed))
    assert "data is lost, and I/Os that need it fail" in text


# ---------------------------------------------------------------- strips


def test_requests_aligned_to_4_kib_straddle_strips_of_their_own_size() -> None:
    """Of 16 places in a strip of 64 KiB only one holds 64 KiB: 15 in 16 straddle."""
    load = {"read": "100 %", "size": "64 KiB", "align": "4 KiB", "outstanding": 1}
    checked = array(load, level="raid0", drives=4, drive="intel-p3700-800gb")
    assert straddling(checked.volumes[0], checked.loads[0]) == 15 / 16
    assert "94 % of its requests straddle two strips of 64 KiB" in the("straddle", checked)


@pytest.mark.parametrize("sequential", [False, True])
def test_the_share_that_straddles_is_what_counting_finds(sequential: bool) -> None:
    rng = random.Random(5)
    for _ in range(25):
        strip = 8192 << rng.randrange(4)
        size, align = 512 * rng.randrange(1, 40), 512 * rng.randrange(1, 40)
        load = {"read": "100 %", "random": "0 %" if sequential else "100 %", "outstanding": 1,
                "size": f"{size} B", "align": f"{align} B"}  # fmt: skip
        load["area"] = {"offset": f"{512 * rng.randrange(8)} B"}
        checked = array(load, level="raid5", drives=4, strip=f"{strip} B")
        volume, made = checked.volumes[0], checked.loads[0]
        starts = made.area.offset + np.arange(4 * strip) * (size if sequential else align)
        counted = np.mean(starts // strip != (starts + size - 1) // strip)
        assert straddling(volume, made) == pytest.approx(counted)


@pytest.mark.parametrize(
    "quiet",
    [
        {"level": "raid1", "drives": 2},  # every drive has all of it
        {"level": "jbod", "drives": 4},  # no strips
        {"level": "single", "drives": 1},
        {"level": "raid0", "drives": 4, "strip": "1 MiB"},  # 16 in 256 places, less than
    ],
)
def test_requests_straddle_nothing_where_there_are_no_strips_or_large_ones(
    quiet: dict[str, Any],
) -> None:
    load = {"read": "100 %", "size": "8 KiB", "align": "8 KiB", "outstanding": 1}
    assert not says("straddle", array(load, **quiet))


@pytest.mark.parametrize(
    ("level", "strip", "refused"),
    [
        ("raid5", "96 KiB", True),
        ("raid5", "2 KiB", True),
        ("raid6", "64 KiB", False),
        ("raid10", "96 KiB", True),
        ("raid0", "96 KiB", False),
        ("raid0", "3 KiB", True),
    ],
)
def test_strips_that_md_refuses_are_named(level: str, strip: str, refused: bool) -> None:
    """mdadm --create: chunks of whole pages, and of a power of two but for RAID 0."""
    checked = array(READS, level=level, drives=4, strip=strip)
    assert says("Linux md has no strips", checked) is refused


def test_a_strip_below_the_request_keeps_several_drives_busy() -> None:
    load = {"read": "100 %", "size": "64 KiB", "outstanding": 1}
    text = the("larger than the strips", array(load, level="raid0", drives=8, strip="16 KiB"))
    assert "64 KiB are larger than the strips of 16 KiB: each keeps 4 or more drives busy" in text
    stream = load | {"random": "0 %"}
    assert not says("larger than", array(stream, level="raid0", drives=8, strip="16 KiB"))


@pytest.mark.parametrize(
    ("level", "drives", "reads", "writes"),
    [
        ("raid5", 8, 2, 2),
        ("raid5", 3, 1, 2),  # reconstruct-write: the one other strip
        ("raid6", 8, 3, 3),
        ("raid6", 5, 2, 3),
        ("raid10", 8, 0, 2),
        ("raid0", 8, 0, 1),
        ("raid1", 3, 0, 3),
    ],
)
def test_device_ios_of_a_small_write(level: str, drives: int, reads: int, writes: int) -> None:
    """RAID 1 and 10: one a copy; RAID 5 min(4, N), RAID 6 min(6, N)."""
    checked = array(DATABASE, level=level, drives=drives, **SAFE)
    found_cost = cost(checked.volumes[0], checked.loads[0], WRITE, 8192)
    assert (found_cost.reads, found_cost.writes) == (reads, writes)
    assert found_cost.written_bytes == writes * 8192
    assert says(" commands (", checked) == (reads > 0)
    if reads:
        total = f"takes {reads + writes:.1f} commands ({reads:.1f} reads, {writes:.1f} writes)"
        assert total in the(" commands (", checked)


def test_a_write_of_whole_stripes_reads_nothing() -> None:
    load = {"read": "0 %", "size": "448 KiB", "outstanding": 1}
    checked = array(load, level="raid5", drives=8, **SAFE)
    assert not says(" commands (", checked)
    assert cost(checked.volumes[0], checked.loads[0], WRITE, 448 * 1024).writes == 8


def test_a_read_takes_what_it_asks_for() -> None:
    checked = array(READS, level="raid6", drives=8)
    found_cost = cost(checked.volumes[0], checked.loads[0], READ, 8192)
    assert (found_cost.reads, found_cost.read_bytes, found_cost.writes) == (1, 8192, 0)


def test_a_degraded_read_reads_the_survivors() -> None:
    """RAID 5: of N requests one falls on the lost drive and takes N-1 reads: 2 - 2/N."""
    checked = array(READS, level="raid5", drives=8, failed=[3])
    found_cost = cost(checked.volumes[0], checked.loads[0], READ, 8192)
    assert found_cost.reads == pytest.approx(2 - 2 / 8, abs=0.1)


def test_bytes_of_a_long_request_are_those_of_a_sample() -> None:
    load = {"read": "0 %", "size": "32 MiB", "outstanding": 1}
    checked = array(load, level="raid0", drives=4, **SAFE)
    assert cost(checked.volumes[0], checked.loads[0], WRITE, 2**25).written_bytes == 2**25


@pytest.mark.parametrize(
    ("level", "overhead"), [("raid5", 8 / 7), ("raid6", 8 / 6), ("raid10", 2), ("raid0", 1)]
)
def test_gathered_writes_are_full_stripes(level: str, overhead: float) -> None:
    """N/(N-p) device writes a data strip."""
    volume = array(level=level, drives=8).volumes[0]
    assert gathered(volume, 64 * 1024).writes == pytest.approx(overhead)


def test_a_stream_is_gathered_by_a_cache_that_writes_back() -> None:
    through = array(STREAM, controller={}, level="raid5", drives=8, **SAFE)
    back = array(STREAM, controller={}, level="raid5", drives=8, write="back", **SAFE)
    assert says(" commands (", through)
    assert not says(" commands (", back)


# ---------------------------------------------------------------- links, ports, rates


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
    assert arms("raid5", 4, "0 %", 4000) == pytest.approx(alone, rel=0.01)
    assert arms("raid0", 16, "100 %", 4000) is None


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
    assert not says("can't be built", load(name))


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


# ---------------------------------------------------------------- bad sectors and ports


@pytest.mark.parametrize(
    "volume",
    [
        {"level": "raid5", "drives": 8},
        {"level": "raid5", "drives": 8, "failed": [3]},
        {"level": "raid50", "drives": 8, "failed": [3]},
        {"level": "raid6", "drives": 8},
        {"level": "raid6", "drives": 8, "failed": [3]},
        {"level": "raid6", "drives": 8, "failed": [3, 5]},
        {"level": "raid60", "drives": 12, "failed": [0]},
        {"level": "raid60", "drives": 12, "failed": [0, 6]},
        {"level": "raid60", "drives": 12, "failed": [0, 1]},
        {"level": "raid1", "drives": 2},
        {"level": "raid1", "drives": 3, "failed": [0]},
        {"level": "raid10", "drives": 8},
        {"level": "raid10", "drives": 8, "failed": [0, 2]},
        {"level": "raid10", "drives": 9, "copies": 3},
        {"level": "raid10", "drives": 9, "copies": 3, "failed": [0]},
        {"level": "raid10", "drives": 9, "copies": 3, "failed": [0, 4]},
        {"level": "raid10", "drives": 9, "copies": 3, "failed": [0, 1]},
        {"level": "raid10", "drives": 8, "copies": 3, "spread": "near", "failed": [0, 4]},
        {"level": "raid10", "drives": 8, "copies": 3, "spread": "near", "failed": [0, 2]},
        {"level": "raid1e", "drives": 5, "failed": [2]},
        {"level": "raid1e", "drives": 6, "copies": 3, "failed": [2]},
    ],
    ids=str,
)
def test_a_bad_sector_is_lost_in_a_rebuild_only_where_no_further_drive_may_fail(
    volume: dict[str, Any],
) -> None:
    """A sector that can't be read is as a drive that is missing there."""
    checked = array(**{"set": {"reliability.uber": "1e-13 1/bit"}} | volume)
    layout = checked.volumes[0].layout
    missing = set(volume.get("failed", [])) or {0}

    def lives_with(failed: set[int]) -> bool:
        good = np.full(volume["drives"], whole_drive(layout), np.int64)
        good[list(failed)] = 0
        return bool(survives(layout, good))

    restored = all(lives_with(missing | {drive}) for drive in range(volume["drives"]))
    assert says("what that sector should restore is lost", checked) != restored


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


@pytest.mark.parametrize(
    ("failed", "told"),
    [
        ([], "any one drive may fail"),
        ([0], "any one drive may fail while all are there"),
        ([0, 1], "any one drive may fail while all are there"),  # a whole pair
    ],
)
def test_what_an_array_survives_is_told_of_one_that_has_all_its_drives(failed, told) -> None:
    checked = array(READS, controller={}, level="raid10", drives=8, failed=failed)
    assert failures_words(volume_facts(checked.volumes[0])) == told
