"""A disk by the book: rotation, seeks and what the order of service gains, against their formulas.

The disk is the one of the module one_disk: seek 0.8 + 9 sqrt(x) ms over a share x of the stroke,
7200 revolutions a minute, requests of one sector. Rows are those of the golden figures.
"""

from __future__ import annotations

import numpy as np
import pytest
from conftest import compiled_only
from numpy.typing import NDArray
from one_disk import NO_SEEK, loaded
from scipy import stats

from raidsim.control.model import BuiltSystem
from raidsim.stats.intervals import mean_interval

SEED = 1
BATCHES = 64
FIXED, ROOT = 0.8, 9.0  # ms
TURN = 60_000 / 7200  # ms
MEAN_ROOT = 8 / 15  # of a share of the stroke with the density 2 (1 - x)


def confirm(series: NDArray[np.float64], figure: float) -> None:
    """Hold the run against a figure: inside the 99 % interval, within 1 % of the mean."""
    found = mean_interval(series, 0.99)
    print(f"seed {SEED}: {found.mean:.6g} in {found.low:.6g} .. {found.high:.6g}, {figure:.6g}")
    assert found.low <= figure <= found.high
    assert found.mean == pytest.approx(figure, rel=0.01)


def batches(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of equally many values in a row."""
    return values[: len(values) // BATCHES * BATCHES].reshape(BATCHES, -1).mean(axis=1)


def gaps(built: BuiltSystem, ios: int) -> NDArray[np.float64]:
    """Time between completions, ms: means over batches, after a tenth to warm up."""
    system = built.system
    system.run(budget=ios // 10)
    times = [system.now]
    for batch in range(1, BATCHES + 1):
        system.run(budget=ios // 10 + ios * batch // BATCHES)
        times.append(system.now)
    return np.diff(times) / (ios // BATCHES) * 1e-6


def places(built: BuiltSystem, ios: int) -> NDArray[np.float64]:
    """Where the arm goes, as a share of all cylinders, access after access."""
    system = built.system
    found = np.empty(ios)
    for n in range(ios):
        system.run(budget=n + 1)
        # The request that has just completed lies where the arm is until it moves on.
        found[n] = system.world.disks[0]["cylinder"]
    return found / (system.world.disks[0]["cylinders"] - 1)


# 12: rotation


@compiled_only
@pytest.mark.parametrize(("rpm", "figure"), [(7200, 4.1667), (10_000, 3.0), (15_000, 2.0)])
def test_12_rotational_latency_is_uniform_over_one_turn(rpm, figure):
    assert 30_000 / rpm == pytest.approx(figure, abs=5e-5)
    turn = 60_000 / rpm
    built = loaded({}, spindle__speed=f"{rpm} rpm", **NO_SEEK)
    times = []
    for n in range(8000):
        built.system.run(budget=n + 1)
        times.append(built.system.now)
    sector = turn * 512 / 2**22
    waits = np.diff(times) * 1e-6 - sector
    assert waits.min() > -1e-3  # a sector that passed less than 1 us ago is still caught
    assert waits.max() < turn + 1e-5
    assert stats.kstest(waits, "uniform", args=(0, turn)).pvalue > 0.01
    confirm(batches(waits), figure)


# 13: seeks between independent uniform targets


@compiled_only
def test_13_distance_between_independent_targets():
    x = places(loaded({}), 20_000)
    distance = np.abs(np.diff(x))
    assert stats.kstest(x, "uniform").pvalue > 0.01
    # Every second one: neighbours share a target.
    triangular = stats.triang(c=0)  # density 2 (1 - x) on (0, 1)
    assert stats.kstest(distance[::2], triangular.cdf).pvalue > 0.01
    confirm(batches(distance), 1 / 3)
    confirm(batches((distance - 1 / 3) ** 2), 1 / 18)
    confirm(batches(np.sqrt(distance)), MEAN_ROOT)


# 14: first come, first served


@compiled_only
def test_14_fcfs_serves_one_request_per_mean_seek_and_half_a_turn():
    seek = FIXED + ROOT * MEAN_ROOT
    service = seek + TURN / 2
    assert seek == pytest.approx(5.6)
    assert 1e3 / service == pytest.approx(102.389, abs=5e-4)
    confirm(gaps(loaded({}), 128_000), service)


@compiled_only
def test_14_fcfs_gains_nothing_from_a_queue():
    confirm(gaps(loaded({"outstanding": 32}), 128_000), FIXED + ROOT * MEAN_ROOT + TURN / 2)


# 15 and 16: the queue reordered


def greedy(discipline: str, queued: int, ios: int) -> tuple[float, float]:
    """By brute force, on a disk that is only numbers: (mean seek fraction, IO/s)."""
    rng = np.random.default_rng(SEED)
    place, angle = rng.random(queued), rng.random(queued) * TURN
    arm = now = seeks = 0.0
    began, warm = 0.0, ios // 10
    for n in range(warm + ios):
        if n == warm:
            began, seeks = now, 0.0
        distance = np.abs(place - arm)
        seek = FIXED + ROOT * np.sqrt(distance)
        cost = seek + (angle - now - seek) % TURN
        best = np.argmin(distance if discipline == "sstf" else cost)
        seeks += float(distance[best])
        now += float(cost[best])
        arm = place[best]
        place[best], angle[best] = rng.random(2) * (1, TURN)
    return seeks / ios, ios / (now - began) * 1e3


SSTF = {1: 0.333, 2: 0.221, 4: 0.137, 8: 0.079, 16: 0.043, 32: 0.022}
SPTF = {1: 102, 2: 122, 4: 146, 8: 177, 16: 214, 32: 256}


@compiled_only
@pytest.mark.parametrize("queued", SSTF)
def test_15_shortest_seek_first_moves_the_arm_less_the_more_are_queued(queued):
    built = loaded({"outstanding": queued}, queue__discipline="sstf")
    distance = np.abs(np.diff(places(built, 22_000)))[2_000:]
    # The figures are printed to a thousandth of the stroke.
    found = mean_interval(batches(distance), 0.99)
    print(f"{queued} queued: {found.mean:.5f} in {found.low:.5f} .. {found.high:.5f}")
    assert found.low - 0.0005 <= SSTF[queued] <= found.high + 0.0005
    assert found.mean == pytest.approx(SSTF[queued], rel=0.01, abs=0.0005)


@compiled_only
@pytest.mark.parametrize("queued", SPTF)
def test_16_shortest_positioning_time_first(queued):
    built = loaded({"outstanding": queued}, queue__discipline="sptf")
    rate = 1e3 / gaps(built, 128_000).mean()
    print(f"{queued} queued: {rate:.2f} IO/s")
    assert rate == pytest.approx(SPTF[queued], rel=0.02)


@compiled_only
@pytest.mark.parametrize(("discipline", "queued"), [("sstf", 8), ("sptf", 4), ("sptf", 32)])
def test_15_16_the_kernel_agrees_with_brute_force(discipline, queued):
    fraction, rate = greedy(discipline, queued, 20_000)
    if discipline == "sstf":
        assert fraction == pytest.approx(SSTF[queued], rel=0.02)
    built = loaded({"outstanding": queued}, queue__discipline=discipline)
    found = mean_interval(1e3 / gaps(built, 64_000), 0.99)
    # Both have noise: that of brute force is some 0.5 % of a positioning time.
    print(f"{discipline}, {queued} queued: {found.mean:.2f} IO/s, by brute force {rate:.2f}")
    assert found.mean == pytest.approx(rate, rel=0.01)
