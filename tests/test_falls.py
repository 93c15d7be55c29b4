"""More outstanding I/Os carry less: where that is so, the result says what has grown."""

from __future__ import annotations

import pytest
from synthetic import point

from raidsim.result import Interval, Limit, Stage
from raidsim.running import run
from raidsim.running.falls import with_reasons
from raidsim.scenario import from_data


def carries(iops, outstanding, arm, *, limit="disk arm"):
    stages = {"disk arm": Stage(1.0, arm), "link": Stage(0.0, 0.01)}
    return point(
        outstanding,
        iops=Interval(iops, 0.99 * iops, 1.01 * iops),
        stages=stages,
        limited_by=Limit("data: arm", limit, 0.9),
        warnings=[],
    )


def said(*points):
    return [one.warnings for one in with_reasons(points)]


def test_the_part_that_works_longer_for_an_io_is_named_with_its_times():
    before, after = said(carries(727.0, 4, 3.9), carries(386.0, 16, 8.1))
    assert before == []
    assert after == [
        "more outstanding I/Os carry less: 386 IO/s, where 4 outstanding carry 727;"
        " an I/O takes 8.1 ms of the disk arm's time instead of 3.9 ms"
    ]


def test_without_longer_work_ios_wait_for_each_other():
    (text,) = said(carries(727.0, 4, 3.9), carries(386.0, 16, 3.9))[1]
    assert text.endswith("no part works longer for an I/O: I/Os wait for each other")


def test_a_fall_is_told_against_the_best_point_before_it():
    texts = said(carries(500.0, 1, 3.0), carries(400.0, 2, 4.0), carries(450.0, 4, 3.5))
    assert [len(one) for one in texts] == [0, 1, 1]
    assert "where 1 outstanding carry 500" in texts[2][0]


@pytest.mark.parametrize("second", [727.0, 720.0, 900.0])
def test_what_the_intervals_leave_open_is_no_fall(second):
    assert said(carries(727.0, 4, 3.9), carries(second, 16, 8.1)) == [[], []]


def test_software_raid_6_under_deep_sequential_writes_loses_its_disks_to_seeks():
    """Writes of one stripe under way at once: each of them reads and writes parity apart.

    A stripe cache would know what the others have read.
    """
    disks = {"level": "raid6", "drives": 6, "drive": "cisco-hdd-4tb", "strip": "512 KiB"}
    disks |= {"disk_cache": "on", "set": {"read_ahead.until": "depth"}}
    backup = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": [4, 16]}
    found = run(
        from_data(
            {
                "host": {"model": "cisco-ucs-c240-m4", "set": {"raid": {"stripe_cache": 0}}},
                "volume": [disks],
                "load": [backup],
                "measure": {"precision": "3 %", "min_ios": 2000},
            }
        )
    ).points
    told = [text for text in found[1].warnings if "carry less" in text]
    assert len(told) == 1
    assert "of the disk arm's time instead of" in told[0]
