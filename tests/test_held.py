"""Tests of figures that others measured: what their tables, and `--unknowns`, say of them."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection
from pathlib import Path
from statistics import mean, median, quantiles

import pytest

from raidsim.resources import data_folder
from raidsim.unknowns import spread
from raidsim.unknowns.spread import HALF

FOLDER = data_folder("validation").parent / "docs" / "background"
WIDER = {
    "measured-drives-and-software-raid",
    "measured-disks-behind-write-back",
    "measured-latencies-and-mixed-loads",
    "measured-mixed-loads-of-servers",
    "measured-network-storage",
    "measured-rest-of-sheets",
    "measured-linux-raid-and-its-controllers",
    "measured-lvm-raid-and-whole-disks",
    "measured-depths-and-small-computers",
    "measured-seeks-and-zones",
    "measured-nearly-full-drive",
    "measured-write-amplification-and-flushes",
}
"""Tests that were predicted since parts that nothing was compared with widen intervals."""
SINCE = {
    "measured-network-storage",
    "measured-rest-of-sheets",
    "measured-linux-raid-and-its-controllers",
    "measured-lvm-raid-and-whole-disks",
    "measured-depths-and-small-computers",
    "measured-seeks-and-zones",
    "measured-nearly-full-drive",
    "measured-write-amplification-and-flushes",
}
"""Of these the tests that had no part when it was set how wide intervals of such parts are."""
AS_TODAY = {
    "measured-depths-and-small-computers",
    "measured-seeks-and-zones",
    "measured-nearly-full-drive",
    "measured-write-amplification-and-flushes",
}
"""Of these the tests that were predicted with all of today's allowances, also that of known parts
in another system."""
FULL = "Crucial P3 Plus"
"""How setups begin of a drive with 43 figures in test 31, in a state that is not simulated."""
PROMISED = {"measured-rest-of-sheets"}
"""Tests whose percentiles are what sheets promise of worn drives, and what nobody measured."""
APART = (
    "Micron M500DC 800 GB",
    "Samsung PM963 1.92 TB, empty",
    "KIOXIA CM7-R 7.68 TB with firmware of Dell",
    "Samsung PM1743 7.68 TB, Dell R760",
    "Samsung PM9A3 7.68 TB, Dell R760",
    "LVM RAID 5 (dm-raid, md) of three PM983",
    "Samsung PM983 960 GB (samsung-pm983-960gb)",
    "Samsung 970 EVO Plus",
    "Intel DC P3700 2 TB",
    "Intel DC S3500 480 GB (intel-s3500-480gb)",
    "Intel DC S3700 800 GB (intel-s3700-800gb)",
    "Dell PM1733a",
    "md RAID 0 of two D7-P5510",
    "Intel P4510 4 TB, XFS",
)
"""How setups begin, in newer tests, of named drives whose cards had been compared with measurements
in another server."""
TABLES = sorted(FOLDER.glob("measured-*-blind.tsv"))
ROW = re.compile(r"\| (?P<number>\d+) \| \[(?P<title>[^]]+)\]\((?P<page>[^)]+)\) \|(?P<rest>.*)\|")


def name(table: Path) -> str:
    return table.name.removesuffix("-blind.tsv")


def overview() -> dict[str, tuple[str, str, list[str]]]:
    """Number, title and cells of each test in measured-elsewhere.md, by the name of its page."""
    text = (FOLDER / "measured-elsewhere.md").read_text(encoding="utf-8")
    return {
        row["page"].removesuffix(".md"): (
            row["number"],
            row["title"],
            [cell.strip() for cell in row["rest"].split("|")],
        )
        for row in ROW.finditer(text)
    }


def predicted(table: Path) -> list[dict[str, str]]:
    """The rows of a test that was predicted with intervals; none of an older one."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if "low" in row]
    return [row | {"table": name(table)} for row in rows]


def inside(rows: list[dict[str, str]]) -> list[bool]:
    """Whether each figure lies in its interval, of those that have one."""
    return [
        float(row["low"]) <= float(row["measured"]) <= float(row["high"])
        for row in rows
        if row["low"] and row["high"]
    ]


def is_time(row: dict[str, str]) -> bool:
    return re.split(r"[ ,]", row["unit"])[0] in {"us", "ms", "s", "min", "h", "hours"}


def is_tail(row: dict[str, str]) -> bool:
    return re.search(r"\bp9[59]\d*\b", f"{row['unit']} {row['setup']}") is not None


def was_uncompared(row: dict[str, str]) -> bool:
    """Whether the interval of a newer test is as wide as those of parts that nobody compared."""
    sides = (math.log(float(row["predicted"]) / float(row["low"])),
             math.log(float(row["high"]) / float(row["predicted"])))  # fmt: skip
    return min(sides) > 0.98 * spread.NORMAL_90 * spread.UNCOMPARED


UNCOMPARED = spread.LeftOut(spread.SLOWER, spread.UNCOMPARED)


def was_left_out(row: dict[str, str]) -> spread.LeftOut:
    """What a test took for left out on the day of its prediction."""
    if row["table"] in WIDER and was_uncompared(row):
        return UNCOMPARED if row["table"] in SINCE else spread.LeftOut(*2 * [spread.UNCOMPARED])
    return spread.LeftOut(*2 * [spread.APART if row["table"] in AS_TODAY else spread.MODEL])


def rewidened(row: dict[str, str], left_out: spread.LeftOut = UNCOMPARED) -> bool:
    """Whether a figure lies in its interval, were it one of parts that nothing was compared with.

    ``left_out`` takes the place of what was taken for left out on the day of the prediction.
    """
    predicted, measured = float(row["predicted"]), float(row["measured"])
    far = math.log(float(row["low" if measured < predicted else "high"]) / predicted)
    grows, tail = not is_time(row), is_tail(row)
    before = was_left_out(row).sides(grows=grows, is_tail=tail and row["table"] in SINCE)
    after = left_out.sides(grows=grows, is_tail=tail)
    known, more = (spread.NORMAL_90 * sides[measured > predicted] for sides in (before, after))
    drawn = math.sqrt(max(far**2 - known**2, 0.0))
    return abs(math.log(measured / predicted)) <= math.hypot(drawn, more)


def with_intervals(newer: bool, but: Collection[str] = ()) -> list[dict[str, str]]:
    return [
        row
        for table in TABLES
        if (name(table) in WIDER) == newer and name(table) not in but
        for row in predicted(table)
        if row["low"] and row["high"] and float(row["low"]) > 0
    ]


def test_the_share_in_wider_intervals_is_that_of_the_tables() -> None:
    held = [rewidened(row) for newer in (False, True) for row in with_intervals(newer)]
    assert (round(sum(held) / len(held), 2), len(held)) == spread.HELD_UNCOMPARED


def share_held_of_uncompared(but: Collection[str] = (), full: bool = True) -> float:
    newer = [
        row
        for row in with_intervals(newer=True, but=but)
        if was_uncompared(row) and (full or not row["setup"].startswith(FULL))
    ]
    assert len(newer) > 100
    return mean(map(rewidened, newer))


def test_nine_in_ten_figures_of_parts_that_nobody_compared_lie_inside_where_it_was_set() -> None:
    assert share_held_of_uncompared(but=SINCE) == pytest.approx(0.9, abs=0.02)


def share_held_apart(deviation: float) -> tuple[float, int]:
    """Of rates and means of known drives in other servers, the share inside, and their number."""
    held = [
        rewidened(row, spread.LeftOut(deviation, deviation))
        for row in with_intervals(newer=True)
        if row["setup"].startswith(APART) and not is_tail(row)
    ]
    return round(mean(held), 2), len(held)


def test_known_drives_in_another_server_need_wider_intervals_than_in_the_one_of_their_claims():
    as_published, _ = share_held_apart(spread.MODEL)
    assert as_published < 0.75
    assert share_held_apart(spread.APART) == spread.HELD_APART
    less, _ = share_held_apart(spread.APART - 0.05)
    assert less < 0.9 <= spread.HELD_APART[0]


def held_by_the_allowances_of_today(row: dict[str, str]) -> bool:
    """Whether a figure would lie inside, of a known drive in another server or of a stand-in."""
    if row["table"] in AS_TODAY:
        return inside([row]) == [True]
    if row["setup"].startswith(APART):
        return rewidened(row, spread.LeftOut(spread.APART, spread.APART))
    return rewidened(row)


def test_what_the_allowances_of_today_would_hold_is_what_the_overview_says() -> None:
    rows = with_intervals(newer=True)
    held = sum(map(held_by_the_allowances_of_today, rows))
    said = re.search(
        r"With the allowances of today it would be (\d+) of (\d+) \((\d+) %\)",
        (FOLDER / "measured-elsewhere.md").read_text(encoding="utf-8"),
    )
    assert said is not None
    assert tuple(map(int, said.groups())) == (held, len(rows), round(100 * held / len(rows)))
    rows = [row for row in rows if not row["setup"].startswith(FULL)]
    held = sum(map(held_by_the_allowances_of_today, rows))
    without = f"{held} of {len(rows)} ({round(100 * held / len(rows))} %) without the nearly full"
    assert without in said.string


def test_fewer_lie_inside_where_memory_and_network_of_a_system_were_left_out() -> None:
    assert share_held_of_uncompared(full=False) == pytest.approx(0.85, abs=0.01)


def test_one_nearly_full_drive_lowers_the_share_of_all_of_them() -> None:
    assert share_held_of_uncompared() == pytest.approx(0.78, abs=0.01)


def test_nine_in_ten_systems_have_the_percentiles_that_intervals_of_tails_allow() -> None:
    """Of each system the share inside, since one alone has nine of the 26 figures."""
    systems: dict[tuple[str, str], list[bool]] = {}
    for newer in (False, True):
        for row in filter(is_tail, with_intervals(newer=newer, but=PROMISED)):
            held = systems.setdefault((row["source"], row["setup"][:18]), [])
            held.append(rewidened(row))
    assert len(systems) >= 11
    assert mean(map(mean, systems.values())) == pytest.approx(0.9, abs=0.05)


def test_measured_systems_are_slower_than_simulated_more_often_than_faster() -> None:
    rows = [row for table in TABLES for row in predicted(table)]
    speeds = [
        (float(row["measured"]) / float(row["predicted"])) ** (-1 if is_time(row) else 1)
        for row in rows
    ]
    slowest, _, _, _, fastest = quantiles(speeds, n=6, method="inclusive")
    assert math.log(1 / slowest) > 2 * math.log(fastest) > 0


def test_half_of_what_was_measured_lay_between_these_multiples_of_what_was_predicted() -> None:
    rows = [row for table in TABLES for row in predicted(table)]
    multiples = [float(row["measured"]) / float(row["predicted"]) for row in rows]
    low, _, high = quantiles(multiples, n=4, method="inclusive")
    assert (round(low, 2), round(high, 2)) == HALF


def test_each_table_has_its_page_and_its_row_in_the_order_of_time() -> None:
    rows = overview()
    assert sorted(rows) == sorted(map(name, TABLES))
    assert [number for number, _, _ in rows.values()] == [str(i + 1) for i in range(len(rows))]
    for page, (number, title, _) in rows.items():
        head = (FOLDER / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0]
        assert head == f"# Measured elsewhere, test {number}: {title}"


@pytest.mark.parametrize("table", [one for one in TABLES if predicted(one)], ids=name)
def test_the_overview_says_what_the_table_of_a_test_says(table: Path) -> None:
    rows = predicted(table)
    _, _, (figures, middle, _, _, held) = overview()[name(table)]
    assert figures == str(len(rows))
    errors = [abs(float(row["predicted"]) / float(row["measured"]) - 1) for row in rows]
    assert abs(float(middle.removesuffix(" %")) - 100 * median(errors)) <= 1
    within = inside(rows)
    assert held == f"{sum(within)} of {len(within)} ({100 * sum(within) / len(within):.0f} %)"
