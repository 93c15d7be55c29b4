"""What single I/Os take under Windows on computers of 2021 and later, as others measured it."""

import pytest

from raidsim.running import run
from raidsim.scenario import load_text

MEASURED = (
    ("samsung-980-pro-2tb", "0 %", 1, 68_892),
    ("lexar-nm790-4tb", "0 %", 1, 70_195),
    ("lexar-nm790-4tb", "100 %", 1, 20_631),
    ("samsung-9100-pro-2tb", "100 %", 1, 22_778),
    ("lexar-nm790-4tb", "100 %", 4, 87_037),
    ("lexar-nm790-4tb", "0 %", 4, 252_678),
)
"""Drive, reads, threads with one I/O each, and I/Os a second by CrystalDiskMark: of a 980 PRO with
an i9-12900K (a blog, 2022-06-14), a Fanxiang S790, which is like the NM790 (notes, 2024-01-06),
and of KitGuru's computers (NM790, 9100 PRO)."""


SCENARIO = """
[host]
model = "windows-pc"

[[volume]]
drive = "{drive}"
state = "{state}"

[[load]]
read = "{read}"
size = "4 KiB"
workers = {threads}
outstanding = 1
area = {{ offset = "0 B", size = "1 GiB" }}
"""


def simulated(drive: str, read: str, threads: int) -> float:
    state = "fresh" if read == "0 %" else "filled"
    text = SCENARIO.format(drive=drive, state=state, read=read, threads=threads)
    (point,) = run(load_text(text)).points
    return point.iops.mean


@pytest.mark.parametrize(("drive", "read", "threads", "measured"), MEASURED)
def test_single_ios_of_drives_under_windows_are_not_much_slower_than_measured(
    drive: str, read: str, threads: int, measured: int
) -> None:
    assert 0.82 * measured < simulated(drive, read, threads) < 1.1 * measured


def test_half_of_them_are_within_a_tenth() -> None:
    ratios = sorted(simulated(*case[:3]) / case[3] for case in MEASURED)
    assert sum(abs(ratio - 1) < 0.1 for ratio in ratios) >= len(ratios) / 2
