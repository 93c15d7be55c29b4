"""Loads on an array that has lost data before the run: how long they run, and what is said."""

from __future__ import annotations

import pytest

import raidsim
from raidsim import Scenario
from raidsim.observe import failing
from raidsim.report import csv_file, html, json_file
from raidsim.report import unknowns as words
from raidsim.report.curves import curves
from raidsim.result import Point

LOST = """
[host]
model = "fujitsu-rx2540-m1"
[[controller]]
model = "dell-perc-h730"
[[volume]]
level = "{level}"
drives = {drives}
failed = {failed}
drive = "nl-sas-2tb"
write = "back"
strip = "{strip}"
[[load]]
read = "{read}"
size = "{size}"
random = "{random}"
outstanding = 8
"""
USUAL = {
    "level": "raid6", "drives": 8, "failed": [0, 1, 2], "strip": "64 KiB",
    "read": "100 %", "size": "1 MiB", "random": "100 %",
}  # fmt: skip
REMARK = "all I/Os fail because data is lost: more drives of data are missing than it survives"
SOME = 4 * failing.LEAST


def measured(**changes: object) -> Point:
    (point,) = raidsim.run(Scenario.from_text(LOST.format(**USUAL | changes))).points
    return point


@pytest.mark.parametrize("random", ["100 %", "0 %"])
@pytest.mark.parametrize("read", ["100 %", "70 %", "0 %"])
def test_a_load_of_which_all_ios_fail_ends_after_some_thousands(read, random) -> None:
    """They come back at once, and so 30 million of them failed before the run ended.

    A write-back cache takes the first writes, until it destages and knows that the array is lost.
    """
    point = measured(read=read, random=random)
    assert failing.LEAST <= point.counts.failed < SOME
    assert point.counts.measured == 0
    assert point.iops.mean == 0
    assert not point.converged


def test_one_remark_says_why_and_nothing_is_advised_that_would_not_help() -> None:
    point = measured()
    assert point.warnings == [REMARK]
    assert point.limited_by is None  # the host is busy with I/Os that come back at once
    assert point.unsettled == []


def test_a_load_with_a_given_rate_or_a_latency_limit_ends_as_soon() -> None:
    scenario = Scenario.from_text(LOST.format(**USUAL))
    offered = scenario.with_({"load.outstanding": None, "load.rate": "500 IO/s"})
    limited = scenario.with_({"load.outstanding": [1, 64], "load.within": "10 ms"})
    for one in (offered, limited):
        for point in raidsim.run(one).points:
            assert point.counts.failed < SOME
            assert point.warnings == [REMARK]


def test_where_some_ios_need_no_lost_data_a_load_is_measured_as_ever() -> None:
    """Of eight drives five are left: of random reads of 4 KiB about that share succeeds."""
    point = measured(size="4 KiB")
    assert point.counts.measured >= 20_000
    assert point.iops.mean > 0
    assert REMARK not in point.warnings
    assert point.limited_by is not None
    share = point.counts.completed / (point.counts.completed + point.counts.failed)
    assert share == pytest.approx(5 / 8, abs=0.05)


def test_a_stream_that_begins_on_many_lost_strips_comes_to_those_that_are_left() -> None:
    """Twelve strips of 1 MiB side by side are 6,144 reads of 2 KiB, all of which fail."""
    point = measured(
        level="raid0", drives=16, failed=list(range(12)), strip="1 MiB", size="2 KiB", random="0 %"
    )
    assert point.counts.completed > 0
    assert REMARK not in point.warnings


def lost_beside(drive: str) -> str:
    """Return a lost RAID 1 under a closed load, beside four outstanding reads of a whole drive."""
    lost = (
        LOST.format(**USUAL | {"level": "raid1", "drives": 2, "failed": [0, 1]})
        .replace("[[load]]", '[[load]]\nname = "lost"\nvolume = "data"')
        .replace("[[volume]]", '[[volume]]\nname = "data"')
        .replace('strip = "64 KiB"\n', "")
    )
    return lost + (
        f'[[volume]]\nname = "whole"\ncontroller = "host"\ndrive = "{drive}"\n'
        '[[load]]\nname = "reads"\nvolume = "whole"\nread = "100 %"\nsize = "4 KiB"\n'
        "outstanding = 4\n"
    )


def test_another_load_is_measured_to_its_precision_beside_one_that_fails() -> None:
    text = lost_beside("intel-p3700-800gb").replace("outstanding = 8", 'rate = "500 IO/s"')
    lost, whole = raidsim.run(Scenario.from_text(text)).points
    assert lost.warnings == [REMARK]
    assert whole.converged
    assert whole.counts.issued + lost.counts.issued < 1_000_000


def test_a_load_that_waits_for_each_io_ends_beside_another_one_when_all_of_them_fail() -> None:
    """It would do a million I/Os a second, until a disk has done some thousands."""
    text = lost_beside("nl-sas-2tb")
    lost, whole = raidsim.run(Scenario.from_text(text)).points
    assert lost.warnings == [REMARK]
    assert failing.LEAST <= lost.counts.failed < 5 * SOME
    assert lost.counts.issued == lost.counts.failed
    assert whole.converged
    alone = raidsim.run(Scenario.from_text(text).with_({"load.lost.rate": "1 IO/s",
        "load.lost.outstanding": None})).points[1]  # fmt: skip
    assert whole.iops.mean == pytest.approx(alone.iops.mean, rel=0.03)


def test_reports_and_draws_of_a_load_of_which_all_ios_fail_say_nothing_of_its_rate() -> None:
    result = raidsim.run(Scenario.from_text(LOST.format(**USUAL)), unknowns=10)
    (curve,) = curves(result)
    assert words.block(curve, result) is None
    assert REMARK in html.render(result).decode()
    assert csv_file.render(result)
    assert json_file.render(result.to_dict())
