"""Stopping takes time: curves of three seeks against seeks that were measured.

The nine disks are those of DiskSim's folder of validations. Of each the three seeks that a sheet
would print are taken from what was measured: to the next cylinder, on average, over all cylinders.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from one_disk import SMALL, OneDisk

from raidsim.assembly.seeks import seek_curve
from raidsim.kernel import tables as t

Vector = NDArray[np.float64]

MEASURED = Path(__file__).parent / "data" / "seeks" / "measured.tsv"
SETTLE = 0.15


def measured() -> dict[str, tuple[Vector, Vector]]:
    """Distances in cylinders and seeks in ms, by disk."""
    rows = [line.split("\t") for line in MEASURED.read_text().splitlines()[2:]]
    disks = dict.fromkeys(row[0] for row in rows)
    return {
        disk: (
            np.array([float(d) for name, d, _ in rows if name == disk]),
            np.array([float(ms) for name, _, ms in rows if name == disk]),
        )
        for disk in disks
    }


SEEKS = measured()


def sheet(distances: Vector, times: Vector) -> tuple[float, float, float]:
    """The three seeks that a sheet would print; the average over independent random cylinders."""
    share = np.linspace(1 / distances[-1], 1, 20_001)
    at = np.interp(share * distances[-1], distances, times)
    average = float(np.average(at, weights=1 - share))
    return float(times[0]), average, float(times[-1])


def curve(disk: str, settle: float) -> Vector:
    """What the curve through the three seeks says of the measured distances, ms."""
    distances, times = SEEKS[disk]
    found = seek_curve(*sheet(distances, times), int(distances[-1]) + 1, settle)
    return np.array([found.time(int(d)) for d in distances])


def error(disk: str, settle: float) -> float:
    """Root of the mean square error, ms; each doubling of the distance counts as much."""
    distances, times = SEEKS[disk]
    weights = np.gradient(np.log(distances))
    return float(np.sqrt(np.average((curve(disk, settle) - times) ** 2, weights=weights)))


def test_nine_disks_were_measured():
    assert len(SEEKS) == 9
    assert all(distances[0] == 1 for distances, _ in SEEKS.values())


@pytest.mark.parametrize("disk", SEEKS)
def test_with_time_to_settle_the_curve_is_nearer_to_what_was_measured(disk):
    assert error(disk, SETTLE) < 0.9 * error(disk, 0)


def test_over_the_nine_the_error_halves():
    without, with_it = (
        float(np.exp(np.mean([np.log(error(disk, settle)) for disk in SEEKS])))
        for settle in (0, SETTLE)
    )
    assert without == pytest.approx(0.45, abs=0.03)
    assert with_it < 0.5 * without


def too_short(disk: str, settle: float) -> float:
    """By how much the curve is too short over 0.1 to 5 % of the stroke, ms on average."""
    distances, times = SEEKS[disk]
    at = np.geomspace(0.001, 0.05, 200) * distances[-1]
    gap = np.interp(at, distances, times) - np.interp(at, distances, curve(disk, settle))
    return float(np.mean(gap))


@pytest.mark.parametrize("disk", SEEKS)
def test_without_it_short_seeks_are_too_short(disk):
    assert too_short(disk, 0) > 0.2
    assert abs(too_short(disk, SETTLE)) < too_short(disk, 0)


@pytest.mark.parametrize(
    "three", [(0.2, 3.5, 7.2), (0.8, 8.5, 19.1), (1.0, 12.0, 36.0), (2.0, 2.5, 20.0), (0, 0, 0)]
)
def test_a_longer_seek_never_takes_less_however_long_the_sheet_says_the_stroke_takes(three):
    found = seek_curve(*three, 100_000, 0.6)
    plain = seek_curve(*three, 100_000)
    if plain.root >= 0:
        times = np.array([found.time(d) for d in range(1, 100_000, 7)])
        assert np.diff(times).min() >= 0
    assert found.time(99_999) == pytest.approx(three[2])
    assert found.settle <= 0.6 * (three[1] - three[0])


@pytest.mark.parametrize(("op", "name"), [(t.READ, "read"), (t.WRITE, "write")])
def test_the_time_to_stop_is_a_share_of_the_average_seek_less_the_shortest(op, name):
    """The three seeks of the sheet stay: tests/test_kernel_disk_oracle.py."""
    disk = OneDisk(**SMALL, seek__settle="15 %")
    single, average = (
        disk.card.number(f"seek.{name}_{one}") * 1e9 for one in ("single", "average")
    )
    assert disk.row["seek_settle"][op] == pytest.approx(0.15 * (average - single))


def test_ten_cylinders_beyond_the_next_one_half_of_it_is_needed():
    found = seek_curve(0.2, 3.5, 7.2, 100_000, 0.15)
    plain = seek_curve(0.2, 3.5, 7.2, 100_000)
    shorter = found.root / plain.root
    moving = (plain.time(11) - plain.time(1)) * shorter
    assert found.time(11) - found.time(1) - moving == pytest.approx(0.5 * 0.15 * 3.3, rel=0.01)
