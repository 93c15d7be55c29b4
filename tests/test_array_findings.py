"""What raidsim check finds risky in arrays: caches, failures, sectors that go bad."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from array_scenarios import array
from check_words import DATABASE, READS, SAFE, TB12, found, says, the

from raidsim.layout.address import whole_drive
from raidsim.layout.health import survives
from raidsim.observe.inventory import volume_facts
from raidsim.report.hardware import failures_words
from raidsim.scenario import Scenario, load_text


def test_a_mirror_of_small_disks_with_caches_off_is_not_risky() -> None:
    small = {"drive": "cisco-hdd-600gb-15k", "level": "raid1", "drives": 2}
    assert found(array(DATABASE, controller={}, **small, **SAFE)) == []


def software(host: str, volume: dict[str, Any]) -> Scenario:
    """A volume on the host itself."""
    text = f'[host]\nmodel = "{host}"\n[[volume]]\n'
    text += "".join(f"{key} = {json.dumps(value)}\n" for key, value in volume.items())
    return load_text(text + '[[load]]\nread = "100 %"\nsize = "8 KiB"\noutstanding = 1\n')


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
    assert says("200,000 KiB/s of each drive", software(host, values)) == told


@pytest.mark.parametrize(
    ("drive", "words"),
    [
        ("nl-sas-2tb", "checks run as fast|200,000 KiB/s of the array unless"),
        ("samsung-pm9a3-7680gb", "each drive, and of the array in checks"),
    ],
)
def test_md_holds_checks_of_raid_10_back_by_the_addresses_of_the_array(drive, words) -> None:
    """A check of four disks reads half of 200,000 KiB/s from each, which they would exceed."""
    checked = software("linux-xeon-e5-pair", {"drive": drive, "level": "raid10", "drives": 4})
    for part in words.split("|"):
        assert says(part, checked)


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
    assert "drive 2 of 8 failed: one more failed drive may lose data" in text("raid5", 8, 2)
    assert "drives 0 and 2 of 8 failed: one more failed drive" in text("raid10", 8, 0, 2)


@pytest.mark.parametrize(
    ("level", "drives", "failed"),
    [("raid5", 8, [0, 1]), ("raid10", 8, [0, 1]), ("raid0", 4, [3]), ("raid6", 8, [1, 2, 3])],
)
def test_an_array_that_has_lost_data_is_named(level: str, drives: int, failed: list[int]) -> None:
    text = the("begins", array(level=level, drives=drives, failed=failed))
    assert "data is lost, and I/Os that need it fail" in text


# ---------------------------------------------------------------- bad sectors


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
