# ruff: noqa: E501
"""Power goes at any moment: what was promised is there, byte by byte, or it is listed as lost."""

from __future__ import annotations

from typing import Any

import pytest
from power_bytes import FLUSHING, Bytes, check

from raidsim.result.cuts import VolumeCut

KEPT: dict[str, tuple[str, int, dict[str, Any]]] = {
    "RAID 1 of the host": ("raid1", 2, {}),
    "RAID 10 of the host": ("raid10", 4, {}),
    "RAID 1E of the host": ("raid1e", 3, {}),
    "RAID 5 of the host": ("raid5", 4, {}),
    "RAID 6 of the host": ("raid6", 5, {}),
    "RAID 5, write-through, no battery": ("raid5", 4, {"battery": "absent"}),
    "RAID 6, write-through": ("raid6", 5, {"battery": "good"}),
    "RAID 1, write-back": ("raid1", 2, {"battery": "good", "write": "back"}),
    "RAID 10, write-back": ("raid10", 4, {"battery": "good", "write": "back"}),
    "RAID 5, write-back": ("raid5", 4, {"battery": "good", "write": "back"}),
    "RAID 6, write-back": ("raid6", 5, {"battery": "good", "write": "back"}),
    "degraded RAID 5, write-back": ("raid5", 4, {"battery": "good", "write": "back", "failed": [1]}),
    "degraded RAID 5 with a journal": ("raid5", 4, {"intent": "journal", "failed": [2]}),
    "RAID 5 with a journal, disk caches on": ("raid5", 4, {"intent": "journal", "disk_cache": "on"}),
    "RAID 5 with partial parity": ("raid5", 4, {"intent": "ppl"}),
    "RAID 6, battery low": ("raid6", 5, {"battery": "low", "write": "back"}),
}  # fmt: skip
"""Where the configuration promises that nothing acknowledged is ever lost."""

RISKY: dict[str, tuple[str, int, dict[str, Any]]] = {
    "RAID 1, disk caches on": ("raid1", 2, {"disk_cache": "on"}),
    "RAID 10, disk caches on": ("raid10", 4, {"disk_cache": "on"}),
    "RAID 1E, disk caches on": ("raid1e", 3, {"disk_cache": "on"}),
    "RAID 1E with copies offset, disk caches on": ("raid1e", 4, {"disk_cache": "on", "spread": "offset"}),
    "RAID 5, disk caches on": ("raid5", 4, {"disk_cache": "on"}),
    "RAID 6, disk caches on": ("raid6", 5, {"disk_cache": "on"}),
    "RAID 5, write-back, battery low": ("raid5", 4, {"battery": "low", "write": "back-bad-battery"}),
    "RAID 10, write-back, battery low": ("raid10", 4, {"battery": "low", "write": "back-bad-battery"}),
    "RAID 5, write-back, disk caches on": ("raid5", 4, {"battery": "good", "write": "back", "disk_cache": "on"}),
    "degraded RAID 5": ("raid5", 4, {"failed": [3]}),
    "degraded RAID 6": ("raid6", 5, {"failed": [0]}),
    "degraded RAID 5 with partial parity": ("raid5", 4, {"intent": "ppl", "failed": [2]}),
    "degraded RAID 5 with partial parity, disk caches on": ("raid5", 3, {"intent": "ppl", "failed": [2], "disk_cache": "on", "outstanding": 12}),
    "RAID 5 with partial parity, disk caches on": ("raid5", 4, {"intent": "ppl", "disk_cache": "on"}),
}  # fmt: skip
"""Where something acknowledged may be lost, and then is listed."""

CUTS = 3


def made(level: str, drives: int, seed: int, words: dict[str, Any]) -> Bytes:
    """The array of a case, under its load."""
    more = {"controller": FLUSHING} if "battery" in words else {}
    return Bytes(level, drives, seed, **more, **words)


def cuts_of(words: tuple[str, int, dict[str, Any]], seed: int) -> tuple[list[VolumeCut], int]:
    """Run, cut, look, go on: the reports, and how many sectors were open to corruption."""
    level, drives, rest = words
    array = made(level, drives, seed, rest)
    found, corrupted = [], 0
    for _ in range(CUTS):
        array.run(int(array.random.integers(100, 350)))
        found.append(array.cut())
        corrupted += check(array, found[-1])
        array.power_on()
    return found, corrupted


@pytest.mark.parametrize("case", KEPT)
def test_nothing_acknowledged_is_lost_where_the_configuration_promises_it(case: str) -> None:
    reports, _ = cuts_of(KEPT[case], 1)
    assert all(cut.in_flight for cut in reports)
    assert [cut.lost_bytes for cut in reports] == [0] * CUTS


@pytest.mark.parametrize("case", RISKY)
def test_what_is_lost_elsewhere_is_listed_and_nothing_else(case: str) -> None:
    lost, seed = 0, 0
    while not lost and seed < 5:
        seed += 1
        reports, _ = cuts_of(RISKY[case], seed)
        lost += sum(cut.lost_bytes for cut in reports)
    assert lost > 0


@pytest.mark.parametrize(("level", "drives"), [("raid5", 4), ("raid6", 5)])
def test_the_write_hole_is_real(level: str, drives: int) -> None:
    """The loss of a drive after a power cut corrupts data that nobody was writing to."""
    array = made(level, drives, 3, {})
    for _ in range(20):
        array.run(60)
        if check(array, array.cut()):
            return
        array.power_on()
    raise AssertionError("no cut has torn a stripe")


@pytest.mark.parametrize(
    ("level", "words"),
    [("raid5", {"battery": "good", "write": "back"}), ("raid6", {"battery": "good"}),
     ("raid5", {"intent": "journal"}), ("raid5", {"intent": "ppl"}), ("raid10", {})],
)  # fmt: skip
def test_there_is_no_write_hole_where_stripes_are_finished(level: str, words: Any) -> None:
    drives = 5 if level == "raid6" else 4
    reports, corrupted = cuts_of((level, drives, words), 4)
    assert corrupted == 0
    assert all(cut.write_hole == [] for cut in reports)
    if level != "raid10":
        assert sum(cut.finished for cut in reports) > 0
