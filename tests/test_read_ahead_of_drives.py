"""Drives of which it was measured that they read nothing ahead of a single stream."""

from __future__ import annotations

import pytest

from raidsim.running import run
from raidsim.scenario import load_text

ALONE = """
[host]
model = "{host}"

[[volume]]
drive = "{drive}"
state = "filled"

[[load]]
read = "100 %"
random = "{random}"
size = "{size}"
outstanding = 1
area = {{ offset = "0 B", size = "1 GiB" }}

[measure]
min_ios = 500
precision = "2 %"
"""
SERVER, COMPUTER = "intel-xeon-8380-pair", "windows-pc"


def milliseconds(host: str, drive: str, size: str, *, random: str = "0 %") -> float:
    """The mean latency of reads of a drive, one at a time."""
    text = ALONE.format(host=host, drive=drive, size=size, random=random)
    (point,) = run(load_text(text)).points
    return float(point.latency_ms["read"].mean)


def test_a_pm1733_reads_a_stream_of_small_requests_no_faster_than_random_ones() -> None:
    stream = milliseconds(SERVER, "samsung-pm1733a-15360gb", "4 KiB")
    apart = milliseconds(SERVER, "samsung-pm1733a-15360gb", "4 KiB", random="100 %")
    assert stream == pytest.approx(apart, rel=0.1)
    assert stream == pytest.approx(0.0916, rel=0.3)


def test_a_pm1733_reads_64_kib_in_sequence_as_long_as_was_measured() -> None:
    stream = milliseconds(SERVER, "samsung-pm1733a-15360gb", "64 KiB")
    assert stream == pytest.approx(0.1346, rel=0.1)


@pytest.mark.parametrize("measured", [3654, 3576], ids=["980 PRO", "PM9A1"])
def test_a_980_pro_streams_one_mebibyte_at_a_time_nearly_as_was_measured(measured: float) -> None:
    rate = 2**20 / milliseconds(COMPUTER, "samsung-980-pro-2tb", "1 MiB") / 1000
    assert rate == pytest.approx(measured, rel=0.15)
