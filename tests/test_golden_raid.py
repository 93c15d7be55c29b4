"""RAID arithmetic in the simulation: what a request of the host costs its drives.

Rows are those of the golden figures. Commands are counted where drives take them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import INTERPRETED, compiled_only
from small_array import KIB, LATENCY, MS, STRIP, SmallArray

BLOCK = 4 * KIB
PENALTIES = [
    ("raid1", 2, {}, 2),
    ("raid10", 4, {}, 2),
    ("raid10", 8, {}, 2),
    ("raid10", 5, {"spread": "far"}, 2),
    ("raid1e", 5, {"spread": "offset"}, 2),
    *(("raid5", drives, {}, min(4, drives)) for drives in range(3, 9)),
    *(("raid6", drives, {}, min(6, drives)) for drives in range(4, 9)),
    ("raid50", 12, {"spans": 3}, 4),
    ("raid60", 12, {}, 6),
]


def loaded(level: str, drives: int, ios: int, *, load: dict[str, Any], **words: Any) -> SmallArray:
    """An array after so many I/Os of a load."""
    limited = {"size": "4 KiB", "limit": {"ios": ios}} | load
    array = SmallArray(level, drives, limited, **words)
    array.begin()
    array.rest()
    array.assert_at_rest()
    return array


# -- row 19: small writes ------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "drives", "words", "penalty"), PENALTIES)
def test_each_small_write_costs_its_penalty_in_device_ios(
    level: str, drives: int, words: dict[str, Any], penalty: int
) -> None:
    ios = 200
    array = loaded(level, drives, ios, load={"read": "0 %", "outstanding": 8}, **words)
    commands = int(array.array["commands"])
    assert commands == ios * penalty == sum(array.device_ios())
    read, written = (int(array.drives[name].sum()) for name in ("host_read", "host_written"))
    assert read + written == commands * BLOCK
    copies = 3 if "6" in level else 2
    assert written == copies * ios * BLOCK, "data and its copy, or parity"


@compiled_only
@pytest.mark.parametrize(
    ("level", "penalty", "printed"), [("raid10", 2, 1230.8), ("raid5", 4, 842.1), ("raid6", 6, 640)]
)
def test_eight_drives_of_200_ios_with_70_percent_reads(
    level: str, penalty: int, printed: float
) -> None:
    """The figure is the limit of many outstanding I/Os: with 1024, no drive is idle for long."""
    load = {"read": "70 %", "outstanding": 1024}
    array = SmallArray(level, 8, load, seed=3)
    array.serve_in(*[5 * MS - LATENCY - BLOCK] * 8)
    array.begin()
    array.system.run(budget=5_000)
    start = array.system.now
    array.system.run(budget=35_000)
    rate = 30_000 / (array.system.now - start) * 1e9
    limit = 8 * 200 / (0.7 + 0.3 * penalty)
    assert limit == pytest.approx(printed, abs=0.05)
    assert rate == pytest.approx(limit, rel=0.015)


# -- row 20: full stripes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "drives", "parity", "spans"),
    [("raid5", 3, 1, 1), ("raid5", 8, 1, 1), ("raid6", 4, 2, 1), ("raid6", 8, 2, 1),
     ("raid50", 8, 1, 2), ("raid60", 12, 2, 2)],
)  # fmt: skip
def test_full_stripes_are_written_without_a_read(
    level: str, drives: int, parity: int, spans: int
) -> None:
    data = drives // spans - parity
    size = f"{data * STRIP} B"
    load = {"read": "0 %", "random": "0 %", "size": size, "outstanding": 4}
    array = loaded(level, drives, 60, load=load)
    strips = 60 * data
    assert not array.drives["host_read"].any()
    assert array.drives["host_written"].sum() == strips * STRIP * (data + parity) / data
    assert array.array["commands"] == strips * (data + parity) / data


# -- row 21: degraded reads ------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [0, 2])
@pytest.mark.parametrize(("level", "drives"), [("raid5", 4), ("raid5", 8), ("raid6", 5),
                                               ("raid6", 8)])  # fmt: skip
def test_survivors_carry_what_the_lost_drive_did(level: str, drives: int, lost: int) -> None:
    ios = 600 if INTERPRETED else 6_000
    load = {"read": "100 %", "outstanding": 8}
    array = loaded(level, drives, ios, load=load, failed=[lost], seed=5)
    counts = np.array(array.device_ios())
    assert counts[lost] == 0
    share = np.delete(counts, lost) / (ios / drives)
    expected = np.full(drives - 1, 2.0)
    mean = 2.0
    if level == "raid6":
        # Of a lost strip, Q is not read. In one of the N - 2 stripes in which the lost drive has
        # data it is on a given survivor, but never on the one behind the lost drive: Q follows P.
        mean = (2 * drives - 3) / (drives - 1)
        expected = np.full(drives - 1, 1 + (drives - 3) / (drives - 2))
        expected[lost % (drives - 1)] = 2.0
        assert expected.mean() == pytest.approx(mean)
    # A read falls on a survivor with the chance p = expected / drives.
    chance = expected / drives
    deviation = np.sqrt(chance * (1 - chance) / ios) * drives
    assert (np.abs(share - expected) < 3.5 * deviation).all()
    assert share.mean() == pytest.approx(mean, abs=2 * deviation.mean())


def test_a_degraded_read_of_what_survives_costs_one_device_io() -> None:
    array = SmallArray("raid5", 4, failed=[3])
    # Stripe 0 has its parity on the lost drive, stripe 1 on the drive before it.
    assert array.do(0, 0, BLOCK).status == 0
    assert array.device_ios() == [1, 0, 0, 0]
