"""The risk of a volume of a scenario: what its level, drives, spares and rebuild come to."""

from __future__ import annotations

import io
import itertools
import math
import re
from typing import Any

import pytest
from array_scenarios import array, busy

from raidsim.report import risk_table
from raidsim.report.check_text import print_checked
from raidsim.report.checked import Checked
from raidsim.report.console import ReportConsole
from raidsim.risk import markov
from raidsim.risk.assess import Risk, assess, assess_all, failure_rate
from raidsim.risk.groups import mirror, redundancy, ring, whole
from raidsim.risk.markov import YEAR
from raidsim.risk.under_load import rebuild_under_load
from raidsim.scenario import Scenario, load, load_text
from raidsim.stats.proportions import Estimate

HOURS = 10.0
"""Of a rebuild, where none is simulated."""

AFR = 0.0044
LAMBDA = -math.log1p(-AFR) / YEAR
DISK = 4_000_787_030_016  # bytes of cisco-hdd-4tb
SECTOR_RISK = "reliability.uber"
NO_SECTORS = {SECTOR_RISK: "0 1/bit"}
FEW = 500


def risk(lifetimes: int = FEW, **volume: Any) -> Risk:
    """The risk of a volume of 4 TB drives, none of which has unreadable sectors."""
    volume = {"set": NO_SECTORS, "strip": "64 KiB"} | volume
    checked = array(**volume)
    return assess(checked, checked.volumes[0], seconds=3600 * HOURS, lifetimes=lifetimes)


# ---------------------------------------------------------------- levels


@pytest.mark.parametrize(
    ("volume", "group", "groups"),
    [
        ({"level": "single"}, whole(1, 0), 1),
        ({"level": "jbod", "drives": 4}, whole(1, 0), 4),
        ({"level": "raid0", "drives": 4}, whole(4, 0), 1),
        ({"level": "raid1", "drives": 3}, mirror(3), 1),
        ({"level": "raid1e", "drives": 5}, ring(5), 1),
        ({"level": "raid1e", "drives": 5, "spread": "offset"}, ring(5), 1),
        ({"level": "raid1e", "drives": 6, "spread": "far"}, ring(6), 1),
        ({"level": "raid10", "drives": 8}, mirror(2), 4),
        ({"level": "raid10", "drives": 9, "copies": 3}, mirror(3), 3),
        ({"level": "raid10", "drives": 8, "spread": "near"}, mirror(2), 4),
        ({"level": "raid10", "drives": 8, "spread": "far"}, ring(8), 1),
        ({"level": "raid10", "drives": 9, "copies": 3, "spread": "offset"}, ring(9, 3), 1),
        ({"level": "raid5", "drives": 8}, whole(8, 1), 1),
        ({"level": "raid6", "drives": 8}, whole(8, 2), 1),
        ({"level": "raid50", "drives": 12, "spans": 3}, whole(4, 1), 3),
        ({"level": "raid60", "drives": 12}, whole(6, 2), 2),
    ],
    ids=str,
)
def test_groups_follow_from_the_layout(volume: dict[str, Any], group: object, groups: int) -> None:
    found = redundancy(array(**volume).volumes[0])
    assert (found.group, found.groups) == (group, groups)


def test_a_raid_5_has_the_time_of_its_closed_form_with_rebuild_and_delivery() -> None:
    closed = markov.raid5(8, LAMBDA, 1 / (HOURS + 24))
    assert risk(level="raid5", drives=8).mttdl == pytest.approx(closed, rel=1e-6)
    spared = markov.raid5(8, LAMBDA, 1 / HOURS)
    assert risk(level="raid5", drives=8, spares=1).mttdl == pytest.approx(spared, rel=1e-6)


def test_nested_levels_have_the_time_of_a_group_over_their_number() -> None:
    mu = 1 / (HOURS + 24)
    pairs, spans = risk(level="raid10", drives=8), risk(level="raid60", drives=12)
    assert pairs.mttdl == pytest.approx(markov.raid1(LAMBDA, mu) / 4, rel=1e-6)
    assert spans.mttdl == pytest.approx(markov.raid6(6, LAMBDA, mu) / 2, rel=1e-6)
    assert pairs.any == pytest.approx(-math.expm1(-pairs.mission / pairs.mttdl), rel=1e-3)


def test_unreadable_sectors_of_all_drives_that_a_rebuild_reads_count() -> None:
    found = risk(level="raid5", drives=8, set={SECTOR_RISK: "1e-15 1/bit"})
    unread = markov.unreadable(1e-15, 7 * 8 * DISK)
    closed = markov.raid5(8, LAMBDA, 1 / (HOURS + 24), unread)
    assert found.mttdl == pytest.approx(closed, rel=1e-4)
    assert found.any > 100 * found.array, "most losses are those of a sector"


def test_simulated_lifetimes_stand_beside_the_chain() -> None:
    """With fixed times one parity loses as much; with two, drives replaced side by side half."""
    one = risk(level="raid5", drives=8, lifetimes=20_000)
    half = (one.simulated_any.high - one.simulated_any.low) / 2
    assert one.simulated_any.mean == pytest.approx(one.any, abs=2 * half)
    two = risk(level="raid6", drives=8, lifetimes=20_000)
    assert two.simulated_any.mean < two.any < 2.5 * two.simulated_any.mean


# ---------------------------------------------------------------- how much is lost


def test_what_a_stripe_loses_is_everything_and_what_jbod_loses_is_a_drive() -> None:
    striped, single = risk(level="raid0", drives=4), risk(level="jbod", drives=4)
    one = -math.expm1(-striped.mission * LAMBDA)
    assert striped.any == pytest.approx(single.any) == pytest.approx(1 - (1 - one) ** 4)
    assert striped.lost_tb == pytest.approx((1 - (1 - one) ** 4) * 4 * DISK / 1e12, rel=1e-3)
    assert single.lost_tb == pytest.approx(4 * one * DISK / 1e12, rel=1e-3)


def test_an_unreadable_sector_costs_two_sectors_under_parity() -> None:
    found, clean = (
        risk(level="raid5", drives=8, set={SECTOR_RISK: f"{uber} 1/bit"}) for uber in ("1e-13", "0")
    )
    rebuilds = 8 * LAMBDA * found.mission  # each of them meets a sector that can't be read
    assert found.lost - clean.lost == pytest.approx(rebuilds * 2 * 512, rel=0.02)


def test_an_array_that_has_lost_data_has_lost_it() -> None:
    found = risk(level="raid5", drives=4, failed=[0, 1])
    assert (found.any, found.array, found.mttdl) == (1, 1, 0)
    assert found.simulated_any.mean == 1
    assert found.lost_tb == pytest.approx(3 * DISK / 1e12, rel=1e-3)


def test_a_mirror_that_outlasts_all_numbers_has_no_mean_time_to_a_loss() -> None:
    """Of 255 copies; with all but one of them missing it is a time that a number can tell."""
    assert math.isinf(risk(level="raid1", drives=255).mttdl)
    left = risk(level="raid1", drives=255, failed=list(range(254)))
    assert 0 < left.mttdl < math.inf


def test_an_array_that_begins_degraded_risks_more() -> None:
    good, degraded = (risk(level="raid5", drives=8, failed=f) for f in ([], [3]))
    first = 7 * LAMBDA * (HOURS + 24)  # a second failure before the first is restored
    assert degraded.any - good.any == pytest.approx(first, rel=0.02)
    assert degraded.simulated_any.low < degraded.any < degraded.simulated_any.high * 1.1
    pairs = risk(level="raid10", drives=8, failed=[0, 2])
    assert pairs.any - risk(level="raid10", drives=8).any == pytest.approx(
        2 * LAMBDA * (HOURS + 24), rel=0.02
    )


def test_chances_and_mean_time_of_an_array_that_lacks_a_drive_begin_without_it() -> None:
    """Of the first rebuild 20 % meet a sector: so much shorter is the mean time to a loss."""
    uber = {SECTOR_RISK: "1e-15 1/bit"}
    good, degraded = (risk(level="raid5", drives=8, set=uber, failed=f) for f in ([], [3]))
    meets = markov.unreadable(1e-15, 7 * 8 * DISK)
    assert degraded.any > meets
    assert degraded.mttdl == pytest.approx(good.mttdl * (1 - meets), rel=1e-3)
    assert (good.missing, degraded.missing) == (0, 1)
    (note,) = (
        line
        for line in risk_table.notes([degraded], ["a disk"], str)
        if "chances and MTTDL begin" in line
    )
    assert note.startswith("data: chances and MTTDL begin with 1 drive missing")


def test_a_longer_rebuild_is_never_shown_as_a_lower_risk() -> None:
    """A RAID 5 of 12 drives of 18 TB: a rebuild of a day, and one of a year."""
    large = {"drive": "seagate-st18000nm004j", "level": "raid5", "drives": 12}
    checked = array(strip="64 KiB", **large)
    found = [
        assess(checked, checked.volumes[0], seconds=3600 * hours)
        for hours in (26.0, 24 * 7.0, 343 * 24.0)
    ]
    for quick, slow in itertools.pairwise(found):
        assert quick.any < slow.any
        assert quick.array < slow.array
        assert quick.simulated_any.mean < slow.simulated_any.high


# ---------------------------------------------------------------- values of the card


def test_the_annual_failure_rate_counts_unless_the_scenario_sets_only_the_mtbf() -> None:
    def rate(**values: str) -> tuple[float, str]:
        keys = {f"reliability.{key}": value for key, value in values.items()}
        found, words = failure_rate(array(level="raid5", drives=3, set=keys).volumes[0])
        return 1 / found.scale, words

    assert rate() == (pytest.approx(LAMBDA), "AFR, not the MTBF of 2,000,000 h")
    assert rate(afr="2 %")[0] == pytest.approx(-math.log(0.98) / YEAR)
    assert rate(mtbf="500000 h") == (pytest.approx(2e-6), "MTBF 500,000 h, not the AFR of the card")
    assert rate(mtbf="500000 h", afr="2 %")[0] == pytest.approx(-math.log(0.98) / YEAR)


def test_flash_that_is_written_as_rated_is_assessed_worn() -> None:
    flash = {"drive": "cisco-ssd-sas12-ep-1600gb", "level": "raid5", "drives": 8, "set": {}}
    found = risk(**flash)
    assert found.worn_life == pytest.approx(5 * YEAR), "rated for ten drive writes a day"
    assert found.worn.low > 1.5 * found.simulated_any.high
    assert risk(level="raid5", drives=8).worn is None, "disks do not wear"


# ---------------------------------------------------------------- what check prints


def shown(scenario: Scenario) -> str:
    text = io.StringIO()
    print_checked(Checked.of(scenario, assess_all(scenario)), ReportConsole(text))
    return text.getvalue()


def test_check_prints_the_risk_of_every_volume() -> None:
    other = {"name": "scratch", "drive": "cisco-ssd-sas12-ep-1600gb", "level": "raid0", "drives": 2}
    text = shown(
        array(controller={}, others=(other,), name="data", level="raid6", drives=8, spares=1)
    )
    (data,) = (line for line in text.splitlines() if re.match(r"data +RAID 6", line))
    (scratch,) = (line for line in text.splitlines() if re.match(r"scratch +RAID 0", line))
    assert "1 in " in data
    assert "4.31 %" in scratch  # 1 - (1 - 0.0044)^10
    for words in (
        "MTTDL",
        "cisco-hdd-4tb 0.44 % a year (AFR, not the MTBF of 2,000,000 h)",
        "rebuild of a drive: from a simulated sample, on idle drives",
        "data: 1 hot spare, the next one comes after 24 h",
        "scratch: if cisco-ssd-sas12-ep-1600gb is written as much a day as it is rated for",
        "not counted: enclosures",
    ):
        assert words in text


def test_check_gives_rebuild_and_risk_of_idle_drives_and_under_load() -> None:
    lines = shown(busy(16)).splitlines()
    idle = next(number for number, line in enumerate(lines) if re.match(r"data +RAID", line))
    assert lines[idle + 1].startswith("  under load ")
    assert "days" in lines[idle + 1]
    (note,) = (line for line in lines if line.startswith("- data: under load"))
    assert "(load 16 outstanding) a rebuild at 30 % takes" in note
    assert "no rate keeps 24 h, with 100 % it takes" in note


def test_check_names_the_rate_that_keeps_a_day() -> None:
    """Two terabytes under a light load: a day and a quarter at the controller's 30 %."""
    text = """
[[controller]]
name = "card"
model = "lsi-megaraid-1078-512"
[[volume]]
name = "data"
drive = "nl-sas-2tb"
level = "raid6"
drives = 8
controller = "card"
[[load]]
read = "70 %"
size = "8 KiB"
rate = "60 IO/s"
[host]
model = "cisco-ucs-c240-m4"
"""
    (note,) = (
        line for line in shown(load_text(text)).splitlines() if line.startswith("- data: under")
    )
    named = re.search(r'at 30 % takes [\d.]+ h; rebuild_rate = "(\d+) %" would keep 24 h', note)
    assert named
    assert 30 < int(named[1]) < 100


def test_a_load_that_the_array_does_not_carry_without_a_drive_leaves_a_rebuild_no_end() -> None:
    """Of 1,500 I/Os a second this RAID 5 does some 1,200 with a drive missing."""
    text = """
[host]
model = "linux-xeon-e5-pair"
[[volume]]
name = "data"
level = "raid5"
drives = 5
drive = "cisco-hdd-600gb-15k"
[[load]]
read = "70 %"
size = "8 KiB"
rate = "1500 IO/s"
"""
    checked = load_text(text)
    found = rebuild_under_load(checked, checked.volumes[0])
    assert found is not None
    assert math.isinf(found.seconds)
    (note,) = (line for line in shown(checked).splitlines() if line.startswith("- data: under"))
    assert "makes no progress" in note
    (row,) = (line for line in shown(checked).splitlines() if line.startswith("  under load"))
    assert row.split()[2] == "never"


def test_without_an_end_of_rebuilds_a_mirror_is_lost_once_both_drives_fail() -> None:
    """Nothing is restored in five years: each of four pairs is lost with (1 - e^(-5 rate))^2."""
    checked = array(level="raid10", drives=8, controller={}, set={"reliability.uber": "0 1/bit"})
    volume = checked.volumes[0]
    rate = -math.log1p(-volume.card.number("reliability.afr"))
    lost = 1 - (1 - (1 - math.exp(-5 * rate)) ** 2) ** 4
    never = assess(checked, volume, seconds=math.inf)
    assert never.any == pytest.approx(lost, rel=1e-6)
    assert never.simulated_any.low <= lost <= never.simulated_any.high
    assert never.any > 2 * assess(checked, volume, seconds=90 * 86400).any


HYBRID = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "flash"
drive = "intel-p3700-800gb"
level = "single"
[[volume]]
name = "disks"
drive = "cisco-hdd-4tb"
level = "jbod"
drives = 2
[[hybrid]]
name = "both"
front = "flash"
back = "disks"
block = "1 MiB"
MODE
[[load]]
volume = "both"
read = "70 %"
size = "64 KiB"
outstanding = 1
"""


@pytest.mark.parametrize(
    ("mode", "drives"),
    [
        ('write = "back"', 3),
        ('mode = "tier"', 3),
        ('write = "through"', 2),
        ('write = "around"', 2),
    ],
)
def test_a_hybrid_is_lost_with_every_volume_that_holds_what_no_other_does(
    mode: str, drives: int
) -> None:
    text = shown(load_text(HYBRID.replace("MODE", mode)))
    (note,) = (line for line in text.splitlines() if line.startswith("- both: "))
    lost = -math.expm1(-drives * LAMBDA * 5 * YEAR)
    assert note.endswith(f": {100 * lost:.3g} %")
    assert ("with flash" in note) == (drives == 3)


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "never"),
        (0.13312, "13.3 %"),
        (0.00041, "0.041 %"),
        (1 / 24_512, "1 in 24,500"),
        (4.9e-9, "1 in 204 million"),
        (4.9e-12, "1 in 204 billion"),
        (7.0e-15, "1 in 1.43e14"),
    ],
)
def test_chances_are_written_for_people(share: float, words: str) -> None:
    assert risk_table.chance(share) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.13, 0.14, "13 to 14 %"),
        (4.74e-9, 5.87e-9, "1 in 170 to 211 million"),
        (9e-10, 1.1e-9, "1 in 909 million to 1.11 billion"),
        (2e-5, 3e-5, "1 in 33,300 to 50,000"),
    ],
)
def test_intervals_are_written_for_people(low: float, high: float, words: str) -> None:
    assert risk_table.interval(Estimate(low, low, high, 10, 100)) == words


def test_of_no_loss_the_lifetimes_are_counted() -> None:
    assert risk_table.interval(Estimate(0.0, 0.0, 0.0003, 0, 10_000)) == "0 of 10,000"


def test_drives_that_are_replaced_at_once_change_nothing_where_nothing_is_rebuilt() -> None:
    loaded = load("array-database")
    (volume,) = loaded.volumes
    assert volume.failures_tolerated == 0
    at_once = assess(loaded, volume, replacement=0.0)
    assert at_once.mttdl_years == pytest.approx(assess(loaded, volume).mttdl_years)


def test_risks_of_volumes_assessed_side_by_side_are_those_of_each_alone():
    two = load_text(
        """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
name = "fast"
level = "raid1"
drives = 2
drive = "intel-p3700-800gb"
[[volume]]
name = "slow"
level = "raid5"
drives = 4
drive = "seagate-st373455ss"
[[load]]
volume = "fast"
read = "100 %"
random = "100 %"
size = "8 KiB"
arrivals = ["1 ms"]
"""
    )
    alone = [assess(two, volume) for volume in two.volumes]
    assert alone[0].rebuild != alone[1].rebuild
    assert assess_all(two) == alone
