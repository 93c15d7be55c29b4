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
