"""How many I/Os are measured of large ones, which take thousands of commands each."""

from __future__ import annotations

import pytest

import raidsim
from raidsim.scenario import load_text

TEXT = """
[host]
model = "fujitsu-rx2540-m1"
[[volume]]
drive = "intel-p3700-800gb"
state = "filled"
[[load]]
read = "100 %"
random = "0 %"
{sizes}
outstanding = 1
{measure}
"""


def scenario(sizes, measure=""):
    return load_text(TEXT.format(sizes=sizes, measure=measure))


@pytest.mark.parametrize(
    ("sizes", "ios"),
    [
        ('size = "4 KiB"', 50_000),
        ('size = "4 MiB"', 50_000),
        ('size = "16 MiB"', 12_500),
        ('size = "1 GiB"', 400),
        ('sizes = [{ size = "4 KiB", share = "1 %" }, { size = "1 GiB", share = "99 %" }]', 50_000),
    ],
)
def test_of_large_ios_as_much_data_is_measured_as_of_small_ones(sizes, ios):
    assert scenario(sizes).measure.min_ios == ios


def test_what_a_scenario_asks_for_is_measured_of_large_ios_too():
    assert scenario('size = "1 GiB"', "[measure]\nmin_ios = 3000").measure.min_ios == 3000
    changed = scenario('size = "1 GiB"').with_("load.size", "4 KiB")
    assert changed.measure.min_ios == 50_000


def test_fewer_large_ios_come_to_the_same_rate():
    """Streams of reads have a rate that does not depend on how long it is measured."""
    large = raidsim.run(scenario('size = "64 MiB"')).points[0]
    assert large.converged
    assert large.counts.completed < 5_000
    more = raidsim.run(scenario('size = "64 MiB"', "[measure]\nmin_ios = 6000")).points[0]
    assert large.mbps == pytest.approx(more.mbps, rel=0.01)


DISKS = """
[host]
model = "intel-xeon-8380-pair"
[[volume]]
level = "raid50"
drives = 8
spans = 2
drive = "nl-sas-2tb"
strip = "512 KiB"
[[load]]
read = "100 %"
size = "{size}"
outstanding = 128
[measure]
min_ios = {ios}
precision = "5 %"
"""


def before_the_window(point):
    """I/Os that were completed before the measured ones."""
    return point.counts.completed - round(point.iops.mean * point.window_s)


def test_a_few_large_ios_of_each_outstanding_one_come_to_the_same_rate():
    """Those of 16 MiB are four times as many commands as those of 4 MiB."""
    few = raidsim.run(load_text(DISKS.format(size="16 MiB", ios=1500))).points[0]
    assert few.converged
    assert 5 * 128 <= before_the_window(few) < 10 * 128
    many = raidsim.run(load_text(DISKS.format(size="16 MiB", ios=9000))).points[0]
    assert few.mbps == pytest.approx(many.mbps, rel=0.04)


def test_of_smaller_ios_twenty_of_each_outstanding_one_come_before_the_measurement():
    point = raidsim.run(load_text(DISKS.format(size="4 MiB", ios=1500))).points[0]
    assert before_the_window(point) >= 20 * 128
