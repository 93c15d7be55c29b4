"""The log of partial parity that md keeps for RAID 5: what it writes, who waits, what it saves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from md_data import facts

from raidsim.control import Environment, Host, Load, Volume
from raidsim.errors import InputError
from raidsim.kernel.partial_parity import AREA, SPACE
from raidsim.kernel.stripe_heads import PAGE
from raidsim.running import run
from raidsim.scenario import from_data

DRIVE = "intel-s3700-800gb"
KIB = 1024


def point_of(intent="ppl", *, level="raid5", drives=4, drive=DRIVE, load=None, **keys):
    """A point of small random writes to an array of Linux."""
    volume = {"name": "data", "level": level, "drives": drives, "drive": drive, "intent": intent}
    asked = {"size": "4 KiB", "align": "4 KiB", "read": "0 %", "outstanding": 1} | (load or {})
    data = {
        "host": {"model": "linux-xeon-e5-pair"},
        "volume": [volume | {"strip": "64 KiB"} | keys],
        "load": [asked],
        "measure": {"min_ios": 4_000, "max_ios": 8_000},
    }
    (point,) = run(from_data(data)).points
    return point


def each(point):
    """Commands to drives for each I/O of the host, by what they carry."""
    return point.arrays[0].per_host_io["host"]


def mean(point):
    """Mean latency of writes, ms."""
    return point.latency_ms["write"].mean


def test_a_write_alone_writes_one_entry_and_waits_for_it():
    none, logged = point_of("none"), point_of()
    assert "log write" not in each(none)
    assert each(logged)["log write"] == pytest.approx(1, rel=0.01)
    assert {k: v for k, v in each(logged).items() if k != "log write"} == pytest.approx(
        each(none), rel=0.01
    )
    # An entry is two pages, header and partial parity: no quicker than a write of one page.
    single = point_of("none", level="single", drives=1)
    assert mean(logged) - mean(none) > 0.9 * mean(single)


def test_a_whole_stripe_needs_a_header_alone():
    """Of what is written whole no data stays as it is."""
    size = {"size": "192 KiB", "align": "192 KiB"}
    full, part = point_of(load=size), point_of(load={"size": "96 KiB", "align": "96 KiB"})
    assert each(full)["log write"] == pytest.approx(1, rel=0.01)
    (drives,) = {len(point.drives) for point in (full, part)}
    assert drives == 4
    with_log, without = (
        sum(drive.written_per_day_tb for drive in point_of(i, load=size).drives) / rate(i, size)
        for i in ("ppl", "none")
    )
    assert with_log / without == pytest.approx(1 + PAGE / (4 * 64 * KIB), rel=0.01)


def rate(intent, load):
    """IO/s of a load."""
    return point_of(intent, load=load).iops.mean


def test_stripes_that_come_meanwhile_share_the_next_entry():
    entries = [each(point_of(load={"outstanding": n}))["log write"] for n in (1, 8, 64)]
    assert entries[0] > entries[1] > entries[2] > 0
    # Each member has one entry under way: at most as many stripes wait as there are I/Os.
    assert entries[2] > 4 / 64


@pytest.mark.parametrize(
    ("drive", "least"), [("intel-p3700-800gb", 0.6), ("intel-s4600-960gb", 0.55)]
)
def test_it_costs_up_to_two_fifths_of_the_writes(drive, least):
    """Documentation/driver-api/md/raid5-ppl.rst: 30 to 40 % less at most.

    Entries are forced writes: to a SATA drive a write and a flush each. On an older one, whose
    reads wait for the programs of entries, it is more.
    """
    for outstanding in (1, 32):
        load = {"outstanding": outstanding}
        shares = [point_of(i, drive=drive, load=load).iops.mean for i in ("ppl", "none")]
        assert least < shares[0] / shares[1] < 0.97


def test_disks_with_write_caches_are_flushed_before_an_entry_is_written_over():
    disk = {"drive": "seagate-st373455ss", "load": {"outstanding": 16}}

    def share(disk_cache):
        """How many writes are left of those without a log."""
        logged, none = (point_of(i, disk_cache=disk_cache, **disk) for i in ("ppl", "none"))
        return logged.iops.mean / none.iops.mean

    assert share("on") < share("off")


def test_the_log_of_a_member_is_the_mebibyte_that_md_clears_when_it_starts():
    """What it wrote to each member when dirty arrays were assembled again, beside superblocks."""
    arrays = {one["array"]: one["member_io"] for one in facts()["crash"].values()}
    logged, plain = arrays["raid5 of 3, ppl"], arrays["raid5 of 3, no bitmap"]
    cleared = {one[3] - other[3] for one, other in zip(logged, plain, strict=True)}
    assert {sectors * 512 for sectors in cleared} == {AREA}
    # It read the log and what it holds, where an array without one was read from end to end.
    assert all(one[1] < other[1] / 100 for one, other in zip(logged, plain, strict=True))
    assert SPACE + PAGE <= AREA


def test_stripes_whose_parity_is_lost_are_not_entered():
    """With a rotation that keeps parity on the last drive, and that drive gone."""
    point = point_of(rotation="parity-last", failed=[3])
    assert "log write" not in each(point)
    assert each(point)["write"] == pytest.approx(1, rel=0.01)


def test_after_a_power_cut_the_stripes_under_update_are_put_right_and_no_others():
    env = Environment()
    host = Host(env, "linux-xeon-e5-pair")
    data = Volume(env, DRIVE, host, name="data", level="raid5", drives=4, intent="ppl")
    data.start(Load(read="0 %", size="8 KiB", outstanding=32))
    env.run(until=0.05)
    cut = env.cut_power().of("data")
    assert cut.resync in ("ppl", "none")
    assert cut.inconsistent == [] == cut.write_hole
    assert sum(end - first for first, end in cut.resync_rows) <= 32
    env.run(until=env.restore_power())
    env.run(until=env.now + 1.0)


@pytest.mark.parametrize("level", ["raid4", "raid6", "raid10"])
def test_md_keeps_it_for_raid_5_alone(level):
    with pytest.raises(InputError, match="md keeps one for RAID 5"):
        point_of(level=level, drives=6)


def test_what_a_journal_takes_is_not_simulated_and_a_run_says_so():
    point = point_of("journal")
    assert any("its journal" in words for words in point.warnings)
    assert not any("its journal" in words for words in point_of("ppl").warnings)
    assert replace(point.iops) == point_of("none").iops
