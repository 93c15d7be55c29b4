"""Storage processors and logs: what arrays in a box of their own do otherwise than controllers."""

import pytest

from raidsim import scenario
from raidsim.errors import InputError
from raidsim.running import run
from raidsim.topology.lanes import bandwidth

SINGLE = """
[host]
model = "fujitsu-rx2540-m1"

[[controller]]
name = "sp"
model = "iocontrol-n5-sp"

[[volume]]
drive = "intel-p3700-800gb"
state = "fresh"

[[load]]
read = "100 %"
size = "64 KiB"
outstanding = 32
area = { size = "10 GB" }

[measure]
min_ios = 3000
max_ios = 3000
"""

LOG = """
[host]
model = "fujitsu-rx2540-m1"

[[controller]]
name = "module"
model = "conventional-hybrid-sp"
[controller.set]
"command.time" = "1 us"
"command.time_per_byte" = "0 us/KiB"
"command.write_time" = "0 us"
"command.write_time_per_byte" = "0 us/KiB"

[[volume]]
name = "ssds"
drive = "intel-710-300gb"
state = "fresh"

[[volume]]
name = "disks"
level = "raid6"
drives = 10
drive = "nl-sas-2tb"

[[hybrid]]
name = "array"
front = "ssds"
back = "disks"
controller = "module"
buffer = "back"
write = "around"
size = "20 GB"
block = "1 MiB"

[[load]]
volume = "array"
read = "0 %"
size = "64 KiB"
outstanding = 64

[measure]
min_ios = 20000
max_ios = 20000
precision = "10 %"
"""


def points(text, *overrides):
    return run(scenario.load_text(text, overrides=list(overrides))).points


def iops(text, *overrides):
    return points(text, *overrides)[0].iops.mean


def problems(text, *overrides):
    with pytest.raises(InputError) as caught:
        scenario.load_text(text, "box.toml", overrides)
    return caught.value.problems


def test_its_cores_carry_as_many_commands_as_their_time_allows():
    """4 cores of 334 us: 11,976 reads a second; a write takes 514 us more: 4,717."""
    assert iops(SINGLE) == pytest.approx(4 / 334e-6, rel=0.01)
    assert iops(SINGLE, "load.read=0 %") == pytest.approx(4 / 848e-6, rel=0.01)
    both = iops(SINGLE, "load.read=50 %")
    assert both == pytest.approx(4 / ((334e-6 + 848e-6) / 2), rel=0.02)


def test_its_link_to_the_host_is_its_network_ports():
    """One port of 10GbE: 1460 of the 1538 bytes that a frame takes on the wire are payload."""
    fast = (
        "controller.set.command.time=1 us",
        "controller.set.command.time_per_byte=0 us/KiB",
        "controller.set.link.lanes=1",
    )
    (point,) = points(SINGLE, *fast)
    payload = 1250e6 * 1460 / 1538
    assert bandwidth("10gbe", 1) == payload
    assert point.mbps * 2**20 == pytest.approx(payload, rel=0.01)
    assert point.limited_by.kind == "host link"


def test_a_pcie_drive_is_in_one_of_its_slots():
    loaded = scenario.load_text(SINGLE, overrides=["volume.drive=iodrive2-785gb"])
    assert loaded.volumes[0].controller == "sp"
    (found,) = problems(SINGLE, "controller.model=lsi-megaraid-1078-512")
    assert "NVMe" in found.cause


def test_random_writes_as_a_log_come_as_fast_as_the_disks_write_in_sequence():
    """In place a block of RAID 6 costs six commands, in a log its share of a full stripe."""
    in_place = iops(LOG)
    log = iops(LOG, "hybrid.placement=log")
    assert in_place < 1500
    assert log > 5 * in_place


def test_a_log_writes_full_stripes_one_behind_the_other():
    """10 drives write 10/8 of what the host writes, parity included, and read nothing."""
    (point,) = points(LOG, "hybrid.placement=log", "load.outstanding=256")
    arms = [use for use in point.stations if use.kind == "disk arm"]
    assert len(arms) == 10
    assert max(arm.utilisation for arm in arms) < 1.2 * min(arm.utilisation for arm in arms)


def test_a_log_keeps_nobody_waiting_for_a_full_stripe():
    """One write at a time, and no NVRAM: each goes to the disks at once, padded."""
    alone = ("hybrid.placement=log", "load.outstanding=1", "hybrid.buffer=through",
             "measure.min_ios=400", "measure.max_ios=400")  # fmt: skip
    (point,) = points(LOG, *alone)
    assert point.counts.completed >= 400
    assert point.latency_ms["write"].mean < 20  # a revolution takes 8.3 ms


def test_a_log_needs_room_behind_the_addresses():
    (found,) = problems(LOG, "hybrid.placement=log", "hybrid.size=rest")
    assert (found.key, "no room for a log" in found.cause) == ("hybrid.placement", True)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_warm_share_is_the_share_of_random_reads_that_hit(share):
    (point,) = points(
        LOG,
        "load.read=100 %",
        "hybrid.promote=never",
        "hybrid.warm={ offset = '0 B' }",
        f"hybrid.warm_share={100 * share:g} %",
        "measure.min_ios=8000",
        "measure.max_ios=8000",
    )
    (use,) = point.hybrids
    assert use.hits / use.reads == pytest.approx(share, abs=0.02)


def test_an_override_of_the_intensity_means_all_loads():
    second = '\n[[load]]\nname = "second"\nread = "0 %"\nsize = "4 KiB"\noutstanding = 2\n'
    loaded = scenario.load_text(SINGLE + second, overrides=["load.outstanding=7"])
    assert [load.outstanding for load in loaded.loads] == [(7,), (7,)]
    (found,) = problems(SINGLE + second, "load.size=8 KiB")
    assert "say which one" in found.remedy
    (found,) = problems(SINGLE, "host[*].model=x")
    assert "no list of tables" in found.cause


@pytest.mark.parametrize(("kib", "read", "us"), [(64, 100, 334), (4, 100, 45.25), (4, 0, 114.875)])
def test_most_of_what_a_core_takes_of_a_command_is_its_datas(kib, read, us):
    """n5: 26 us and 4.8125 a KiB, and 40 us and 7.40625 a KiB more for a write."""
    changes = f"load.size={kib} KiB", f"load.read={read} %", "load.outstanding=1"
    (point,) = run(scenario.load_text(SINGLE, overrides=changes)).points
    assert point.stages["controller core"].served == pytest.approx(us / 1000, rel=1e-3)


def test_an_n5_100_does_the_hundred_thousand_small_ios_that_its_name_says():
    """4 KiB, half of them reads: what its maker sells it for."""
    changes = ["load[*].size=4 KiB", "load[*].read=50 %", "load[*].outstanding=64"]
    changes += ["measure.precision=3 %", "measure.min_ios=20000"]
    result = run(scenario.load("tolly-n5-random", overrides=changes))
    assert sum(point.iops.mean for point in result.points) == pytest.approx(100_000, rel=0.05)
