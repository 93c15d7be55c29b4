"""Logs of partial parity, I/O by I/O: nobody waits for ever, whatever fails."""

from __future__ import annotations

import pytest

from raidsim.control import Environment, Host, Load, Volume
from raidsim.kernel import array_tables as a

HOST = "linux-xeon-e5-pair"
SSD, DISK = "intel-s3700-800gb", "seagate-st373455ss"


def array(seed, drive=SSD, **keys):
    """RAID 5 of four with logs."""
    env = Environment(seed=seed)
    host = Host(env, HOST)
    words = {"level": "raid5", "drives": 4, "intent": "ppl", "state": "filled"} | keys
    return env, Volume(env, drive, host, name="data", **words)


def writes(ios, **keys):
    """A load of small random writes with an end."""
    return Load(
        **({"read": "0 %", "size": "4 KiB", "limit": {"ios": ios}, "outstanding": 1} | keys)
    )


def entries(env):
    """Commands that have written entries of logs."""
    return int(env.system.world.arrays[0]["device_ios"][a.FOR_HOST * a.TRANSFERS + a.WRITE_LOG])


def test_each_write_alone_has_an_entry_and_those_together_share_some():
    found = []
    for outstanding in (1, 16):
        env, data = array(1)
        env.run(until=data.start(writes(160, outstanding=outstanding)))
        found.append(entries(env))
    assert found[0] == 160
    assert 160 / 16 <= found[1] < 160


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("drive", [SSD, DISK])
def test_a_member_that_fails_holds_nobody_up(drive, seed):
    env, data = array(seed, drive)
    load = data.start(writes(160, outstanding=16, read="20 %"))
    env.run(until=0.002 if drive == SSD else 0.05)
    data.fail(seed)
    done = env.run(until=load)
    assert done.counts.failed == 0
    assert done.counts.completed == 160


def test_disks_that_cache_writes_are_flushed_between_entries():
    """So their writes are on the platters when the entry is written over."""
    env, data = array(2, DISK, disk_cache="on")
    env.run(until=data.start(writes(60, outstanding=8)))
    env.run(until=env.now + 2.0)
    assert env.cut_power().of("data").lost_bytes == 0
    assert entries(env) > 0
