"""Capacity, redundancy and power of a scenario, and how run, check and explain say them."""

from __future__ import annotations

import io

import pytest
from array_scenarios import array
from synthetic import result

from raidsim.observe import inventory
from raidsim.report import hardware, html
from raidsim.report.check_text import print_checked
from raidsim.report.checked import Checked
from raidsim.report.console import ReportConsole
from raidsim.report.table import print_result
from raidsim.result import Result
from raidsim.result.facts import LinkFacts, Power, SystemPower, VolumeFacts
from raidsim.risk.assess import assess_all
from raidsim.scenario import Scenario

DISK = 4_000_787_030_016  # bytes of cisco-hdd-4tb
STRIP = 64 * 1024
EXPANDER = {"name": "expander", "speed": "sas-12g", "lanes": 8}


def facts(**volume: object) -> VolumeFacts:
    return inventory.volume_facts(array(**volume).volumes[0])


def shown(scenario: Scenario) -> str:
    text = io.StringIO()
    print_checked(Checked.of(scenario, assess_all(scenario)), ReportConsole(text))
    return text.getvalue()


def printed(shown: Result) -> str:
    text = io.StringIO()
    print_result(shown, ReportConsole(text))
    return text.getvalue()


@pytest.mark.parametrize(
    ("level", "drives", "data_drives", "tolerated"),
    [
        ("single", 1, 1, 0),
        ("jbod", 8, 8, 0),
        ("raid0", 8, 8, 0),
        ("raid1", 2, 1, 1),
        ("raid1", 3, 1, 2),
        ("raid1e", 5, 2.5, 1),
        ("raid5", 8, 7, 1),
        ("raid6", 8, 6, 2),
        ("raid10", 8, 4, 1),
        ("raid50", 8, 6, 1),
        ("raid60", 8, 4, 2),
    ],
)
def test_capacity_and_failures_of_a_level(
    level: str, drives: int, data_drives: float, tolerated: int
) -> None:
    found = facts(level=level, drives=drives)
    assert found.raw_bytes == drives * DISK
    assert found.failures_tolerated == tolerated
    lost_to_strips = data_drives * DISK - found.usable_bytes
    assert 0 <= lost_to_strips <= 2 * drives * STRIP


def test_power_of_a_volume_is_that_of_its_drives() -> None:
    """7.0 W idle and at most 10.5 W each."""
    assert facts(level="raid5", drives=8).power_w == Power(56.0, 84.0)


def test_spares_turn_without_work() -> None:
    spared = facts(level="raid5", drives=8, spares=2).power_w
    assert spared == Power(56.0 + 2 * 7.0, 84.0 + 2 * 7.0)
    whole, more = (
        inventory.system_power(array(controller={}, level="raid5", drives=8, spares=spares))
        for spares in (0, 2)
    )
    assert more.idle - whole.idle == more.active - whole.active == 14.0


def test_power_of_the_system_counts_each_part_once() -> None:
    """Sixteen disks and a controller of 16 W; what the host takes is not on its card."""
    found = inventory.system_power(array(controller={}, level="raid6", drives=16))
    assert found == SystemPower(16 * 7.0 + 16, 16 * 10.5 + 16, ["fujitsu-rx2540-m1"])


def test_a_host_whose_card_says_its_power_is_counted() -> None:
    known = array(level="single")
    card = known.host.card.changed({"power.idle": 80.0, "power.active": 300.0})
    host = known.host.model_copy(update={"card": card})
    known = known.model_copy(update={"host": host})
    assert inventory.system_power(known) == SystemPower(87.0, 310.5, [])


def test_links_are_in_a_result_with_what_arrives_at_them() -> None:
    scenario = array(controller={}, links=(EXPANDER,), level="raid6", drives=16, behind="expander")
    controller, expander = inventory.links(scenario)
    assert (controller.name, controller.to, controller.drives) == ("controller", "host", 16)
    assert (expander.to, expander.speed, expander.lanes) == ("controller", "sas-12g", 8)
    frames = 1024 / (1024 + 48)  # data in a frame of SAS, and header, check sum and primitives
    assert expander.mbps == pytest.approx(frames * 8 * 1200e6 / 2**20)
    assert expander.oversubscription == expander.arriving_mbps / expander.mbps < 1


def test_a_link_of_sas_carries_drives_of_sata_with_frames_of_8_kib() -> None:
    sata = {"drive": "intel-s3700-800gb", "level": "raid6", "drives": 16, "behind": "expander"}
    _, expander = inventory.links(array(controller={}, links=(EXPANDER,), **sata))
    assert expander.mbps == pytest.approx(8 * 1200e6 * 8192 / 8622 / 2**20)


def test_check_says_what_a_volume_holds_and_survives() -> None:
    text = shown(
        array(
            controller={},
            links=(EXPANDER,),
            level="raid60",
            drives=16,
            behind="expander",
            write="back",
            failed=[2, 3],
        )
    )
    for words in (
        "controller: Some RAID controller, cache of 1 GiB, battery good",
        "data: RAID 60 of 16 drives, Cisco",
        "64.01 TB raw, 48.01 TB usable",
        "on controller, behind expander, strip 64 KiB, write back, read-ahead none, direct I/O",
        "any 2 drives may fail while all are there; drives 2 and 3 failed before",
        "98 W idle, at most 147 W",
        "114 W idle, at most 163 W, without fujitsu-rx2540-m1 (its card does not say)",
    ):
        assert words in text
    assert "MB/s of 2^20 bytes" in text
    row = next(line for line in text.splitlines() if line.startswith("expander "))
    assert row.split() == ["expander", "controller", "sas-12g", "x", "8", "8745", "16", "3406",
                           "0.39"]  # fmt: skip


def test_check_shows_no_links_where_there_are_none() -> None:
    assert "load factor" not in shown(array())


def test_run_says_what_a_volume_holds_and_which_link_holds_it_back() -> None:
    volume = facts(level="raid10", drives=4)
    link = LinkFacts("switch", "host", "pcie-3", 4, 3000.0, 4, 9000.0, 3.0)
    plain = result()
    said = Result(
        plain.raidsim,
        plain.seed,
        plain.scenario,
        plain.provenance,
        [volume],
        [link],
        SystemPower(28.0, 42.0, []),
        plain.points,
    )
    for text in (printed(said), html.render(said).decode()):
        for words in (
            "data: RAID 10 of 4 drives, cisco-hdd-4tb, 16 TB raw, 8.002 TB usable,"
            " any one drive may fail, 28 W idle, at most 42 W",
            "switch: its 4 drives can deliver 9000 MB/s, 3.00 times the 3000 MB/s that"
            " pcie-3 x 4 to host carries",
            "power: 28 W idle, at most 42 W",
        ):
            assert words in text


@pytest.mark.parametrize(
    ("level", "words"),
    [("raid1e", "RAID 1E"), ("raid50", "RAID 50"), ("jbod", "JBOD"), ("single", "single drive")],
)
def test_levels_are_written_as_people_write_them(level: str, words: str) -> None:
    assert hardware.level_words(level) == words
