"""What limits a load beside others: parts in its own way, in the direction of its data."""

from __future__ import annotations

from typing import Any

import pytest

from raidsim.running import run
from raidsim.scenario import from_data

FLASH, DISK = "intel-s3700-800gb", "seagate-st2400mm0129"
LARGE = {"size": "1 MiB", "random": "0 %", "outstanding": 8}


def limits(second: dict[str, Any], **load: Any) -> list[str]:
    """What limits reads in sequence of flash, and a second load on other drives at its side.

    One lane of an expander carries what both volumes read and, the other way, what is written.
    """
    asked = {
        "seed": 20261129,
        "host": {"model": "linux-xeon-e5-pair"},
        "controller": [{"model": "cisco-12g-sas-raid-2gb"}],
        "link": [{"name": "exp", "to": "controller", "speed": "sas-12g", "lanes": 1}],
        "volume": [
            {"name": "s", "level": "raid0", "drives": 4, "drive": FLASH, "behind": "exp"},
            {"name": "d", "behind": "exp"} | second,
        ],
        "load": [
            {"name": "of s", "volume": "s", "read": "100 %"} | LARGE,
            {"name": "of d", "volume": "d", "read": "0 %"} | load,
        ],
        "measure": {"duration": "0.3 s"},
    }
    points = run(from_data(asked)).points
    return [point.limited_by.station for point in points if point.limited_by is not None]


@pytest.mark.parametrize(("read", "limit"), [("0 %", "exp: down"), ("100 %", "exp: up")])
def test_writes_are_limited_by_the_way_down_and_reads_by_the_way_up(read: str, limit: str) -> None:
    second = {"level": "raid0", "drives": 4, "drive": FLASH}
    assert limits(second, read=read, **LARGE) == ["exp: up", limit]


def test_writes_to_disks_are_limited_by_their_arms_beside_reads_that_fill_the_way_up() -> None:
    second = {"level": "raid0", "drives": 4, "drive": DISK}
    assert limits(second, size="16 KiB", outstanding=32) == ["exp: up", "d: arm"]


def test_small_writes_to_parity_wait_for_what_they_read_first_on_the_way_up() -> None:
    second = {"level": "raid5", "drives": 4, "drive": FLASH}
    assert limits(second, size="4 KiB", outstanding=8) == ["exp: up", "exp: up"]
