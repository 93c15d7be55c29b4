"""What the thread of a software RAID takes for background work on copies.

Its times are so long here that nothing else counts: a command of each copy for each 64 KiB of a
member, or for each strip where there are more drives than copies, and what is compared.
"""

from __future__ import annotations

import pytest
from conftest import compiled_only
from small_array import NO_CPU, TOY

from raidsim.control import Environment, Host, Volume

KIB = 1024
CAPACITY = 10**9 // (64 * KIB) * 64 * KIB  # of a drive; what is beyond makes no difference here
IO, COMPARE = 300e-6, 20e-6  # s; s/KiB
CARD = {"raid.copy_io_time": "300 us", "raid.compare_time_per_byte": "20 us/KiB"}

pytestmark = compiled_only


def array(level, drives, strip, **card):
    env = Environment(seed=3)
    server = Host(env, "fujitsu-rx2540-m1", changes=NO_CPU | {"rebuild.rate": "100 %"} | card)
    return Volume(
        env, "intel-p3700-800gb", server, level=level, drives=drives, changes=TOY,
        strip=f"{strip} KiB", state="fresh",
    )  # fmt: skip


def seconds(operation):
    operation.volume.env.run(operation)
    return operation.simulated_seconds


@pytest.mark.parametrize(("strip", "piece"), [(16, 16), (64, 64), (256, 64)])
def test_a_check_of_raid_10_goes_by_strips_of_at_most_64_kib_and_compares_one_of_two(strip, piece):
    pairs = array("raid10", 4, strip, **CARD)
    read = 4 * CAPACITY / KIB
    expected = read / piece * IO + read / 2 * COMPARE
    assert seconds(pairs.check()) == pytest.approx(expected, rel=0.02)


def test_a_resync_of_raid_1_goes_by_64_kib_whatever_its_strip_is_and_compares_nothing():
    mirror = array("raid1", 2, 16, **CARD)
    assert seconds(mirror.resync()) == pytest.approx(2 * CAPACITY / KIB / 64 * IO, rel=0.02)


def test_a_check_of_raid_1_compares_each_further_copy_with_the_first():
    mirror = array("raid1", 3, 16, **CARD)
    expected = 3 * CAPACITY / KIB / 64 * IO + 2 * CAPACITY / KIB * COMPARE
    assert seconds(mirror.check()) == pytest.approx(expected, rel=0.02)


def test_an_initialisation_and_arrays_with_parity_take_nothing_of_it():
    for level, drives in (("raid10", 4), ("raid5", 3)):
        with_it = array(level, drives, 64, **CARD)
        without = array(level, drives, 64)
        work = "initialise" if level == "raid10" else "check"
        assert seconds(getattr(with_it, work)()) == seconds(getattr(without, work)())
