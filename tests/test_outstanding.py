"""Closed systems that do less with more outstanding I/Os: which mechanism it is, and without it.

The background pages "Arrays", "Controllers" and "Flash" say why, with figures of longer runs.
"""

from __future__ import annotations

from typing import Any

import pytest
from conftest import compiled_only
from watching import begin

from raidsim.control.model import build
from raidsim.kernel import tables as t
from raidsim.scenario import Scenario, from_data, load

pytestmark = compiled_only


def rate(asked: Scenario, settled: int, ios: int) -> float:
    """I/Os a second over so many, once so many have settled the queues."""
    built = build(asked)
    begin(built)
    system = built.system
    system.run(t.NEVER, settled)
    before = system.now
    system.run(t.NEVER, settled + ios)
    return ios / (system.now - before) * 1e9


# -- small sequential writes to RAID 6 of the operating system ----------------------------------


def streaming(outstanding: int, heads: int = 0, **volume: Any) -> float:
    """Writes of 64 KiB in sequence to RAID 6 of six disks with their caches on.

    The operating system keeps so many stripe heads.
    """
    table = {"level": "raid6", "drives": 6, "drive": "cisco-hdd-4tb", "strip": "512 KiB"}
    table |= {"disk_cache": "on", "set": {"read_ahead.until": "depth"}, **volume}
    stream = {"read": "0 %", "random": "0 %", "size": "64 KiB", "outstanding": outstanding}
    host = {"model": "cisco-ucs-c240-m4", "set": {"raid.stripe_cache": heads}}
    return rate(from_data({"host": host, "volume": [table], "load": [stream]}), 500, 3000)


def test_small_writes_in_sequence_lose_what_the_disks_read_ahead():
    # Each is a read-modify-write. One after the other they find old data and parity in the
    # buffers of disks that read ahead behind each read; those of two stripes in turn do not.
    assert streaming(16) < 0.9 * streaming(1)
    # Disks that do not read ahead lose nothing, and gain by more outstanding.
    blind = {"set": {"read_ahead.depth": "0 KiB", "read_ahead.segments": 0}}
    assert streaming(16, **blind) > 1.2 * streaming(1, **blind)


def test_a_stripe_cache_makes_up_for_that():
    # What was read once for a stripe is known, and those who wait for it join.
    assert streaming(16, heads=256) > streaming(1, heads=256) > 1.5 * streaming(1)


# -- write-back and write-through ---------------------------------------------------------------


def mixed(write: str, **controller: Any) -> float:
    """Random requests of 8 KiB, a third of them writes, 128 outstanding, caches full."""
    changes = [f"volume.write={write}", "load.outstanding=128"]
    changes += [f'controller.set."{key}"={value}' for key, value in controller.items()]
    settled = 60_000 if write == "back" else 2_000
    return rate(load("raid5-disks", overrides=changes), settled, 20_000)


def test_a_full_cache_gives_the_disks_less_to_choose_from_than_many_outstanding_writes():
    through = mixed("through")
    assert mixed("back") < 0.95 * through
    assert mixed("back", **{"cache.destage_depth": 32}) > through


# -- random writes over a whole flash drive -----------------------------------------------------


def whole_drive(outstanding: int, buffer: str) -> float:
    changes = [f"load.outstanding={outstanding}", f'volume.set."buffer.size"={buffer}']
    return rate(load("p3700-whole-drive", overrides=changes), 10_000, 80_000)


@pytest.mark.parametrize("buffer", ["4 MiB", "8 MiB", "16 MiB"])
def test_how_many_writes_wait_for_a_full_buffer_is_all_the_same(buffer):
    # They come in one by one, as there is room for them and for what is moved.
    assert whole_drive(512, buffer) == pytest.approx(whole_drive(128, buffer), rel=0.015)


def test_a_buffer_holds_more_than_what_all_dies_program_at_a_time():
    # 128 dies of 64 KiB are 8 MiB: with as much, channels wait for programs to end.
    assert whole_drive(128, "8 MiB") < 0.95 * whole_drive(128, "16 MiB")
