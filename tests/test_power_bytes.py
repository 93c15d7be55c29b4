"""Power goes at any moment: what was promised is there, byte by byte, or it is listed as lost."""

from __future__ import annotations

from typing import Any

import pytest
from power_bytes import Bytes, sectors_of

from raidsim.layout.tables import MIRRORED
from raidsim.result import VolumeCut

KEPT: dict[str, tuple[str, int, dict[str, Any]]] = {
    "RAID 1 of the host": ("raid1", 2, {}),
    "RAID 10 of the host": ("raid10", 4, {}),
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
    "RAID 6, battery low": ("raid6", 5, {"battery": "low", "write": "back"}),
}  # fmt: skip
"""Where the configuration promises that nothing acknowledged is ever lost."""

RISKY: dict[str, tuple[str, int, dict[str, Any]]] = {
    "RAID 1, disk caches on": ("raid1", 2, {"disk_cache": "on"}),
    "RAID 10, disk caches on": ("raid10", 4, {"disk_cache": "on"}),
    "RAID 5, disk caches on": ("raid5", 4, {"disk_cache": "on"}),
    "RAID 6, disk caches on": ("raid6", 5, {"disk_cache": "on"}),
    "RAID 5, write-back, battery low": ("raid5", 4, {"battery": "low", "write": "back-bad-battery"}),
    "RAID 10, write-back, battery low": ("raid10", 4, {"battery": "low", "write": "back-bad-battery"}),
    "RAID 5, write-back, disk caches on": ("raid5", 4, {"battery": "good", "write": "back", "disk_cache": "on"}),
    "degraded RAID 5": ("raid5", 4, {"failed": [3]}),
    "degraded RAID 6": ("raid6", 5, {"failed": [0]}),
}  # fmt: skip
"""Where something acknowledged may be lost, and then is listed."""

CUTS = 3
FLUSHING = {"cache.flush_time": "0.02 s", "cache.low_mark": "0 %"}


def made(level: str, drives: int, seed: int, words: dict[str, Any]) -> Bytes:
    """The array of a case, under its load."""
    more = {"controller": FLUSHING} if "battery" in words else {}
    return Bytes(level, drives, seed, **more, **words)


def what_was_torn(array: Bytes) -> set[tuple[int, int]]:
    """Span and row of the strips that differ from what the other drives say."""
    n = int(array.store.layout["span_drives"])
    return {(drive // n, row) for drive, row in array.store.inconsistent()}


def check(array: Bytes, cut: VolumeCut) -> int:
    """Hold a report against the bytes; the sectors that the loss of some drive would corrupt."""
    layout, lost = array.store.layout, sectors_of(cut.lost)
    content = array.read()
    for copy in range(int(layout["copies"])):
        assert array.wrong_sectors(array.read(copy=copy)) <= lost
    assert what_was_torn(array) <= set(cut.inconsistent)
    corrupted = 0
    standing = [d for d, good in enumerate(array.store.good) if good]
    if len(array.store.good) - len(standing) < array.spec.failures_tolerated:
        for drive in standing:
            rest = array.read(without=drive)
            if layout["family"] == MIRRORED:
                assert array.wrong_sectors(rest) <= lost
                continue
            hole = [(h.offset, h.length) for h in cut.write_hole if h.drive == drive]
            differing = {s for s, found in enumerate(rest) if found != content[s]}
            assert differing <= sectors_of(hole) | lost
            corrupted += len(differing)
    return corrupted


def cuts_of(words: tuple[str, int, dict[str, Any]], seed: int) -> tuple[list[VolumeCut], int]:
    """Run, cut, look, go on: the reports, and how many sectors were open to corruption."""
    level, drives, rest = words
    array = made(level, drives, seed, rest)
    found, corrupted = [], 0
    for _ in range(CUTS):
        array.run(int(array.random.integers(150, 500)))
        found.append(array.cut())
        corrupted += check(array, found[-1])
        array.power_on()
    return found, corrupted


@pytest.mark.parametrize("case", KEPT)
def test_nothing_acknowledged_is_lost_where_the_configuration_promises_it(case: str) -> None:
    for seed in (1, 2):
        reports, _ = cuts_of(KEPT[case], seed)
        assert all(cut.in_flight for cut in reports)
        assert [cut.lost_bytes for cut in reports] == [0] * CUTS


@pytest.mark.parametrize("case", RISKY)
def test_what_is_lost_elsewhere_is_listed_and_nothing_else(case: str) -> None:
    lost = 0
    for seed in (1, 2, 3):
        reports, _ = cuts_of(RISKY[case], seed)
        lost += sum(cut.lost_bytes for cut in reports)
    assert lost > 0
